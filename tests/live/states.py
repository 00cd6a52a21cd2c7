"""Repositories in odd states, made by git: what the twins go through beside ordinary ones.

Each state is a function that changes a small repository with branches, a tag and a few directories. `STATES` names them
all; `make` builds one. A state can ask for a umask, and for a directory below the copy to work in.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.support.twins import MAIL, NAME, START

from gitglass.records import record

Git = Callable[..., bytes]


@record(frozen=True)
class State:
    """A way to make a repository odd."""

    change: Callable[[Path, Git], None]
    init: tuple[str, ...] = ()
    inside: str = "."  # where the operations happen
    umask: int = 0o022
    linked: bool = False  # there is a linked work tree, whose place is written down


def git_in(repo: Path, moment: int = START - 1_000_000) -> Git:
    """A function that runs git there, at fixed times; `ok=True` lets it fail."""

    def run(*argv: str, ok: bool = False, feed: bytes = b"", **more: str) -> bytes:
        nonlocal moment
        moment += 60
        date = f"{moment} +0000"
        env = {
            "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
            "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
            "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_EDITOR": ":", "GIT_ALLOW_PROTOCOL": "file", **more,
        }  # fmt: skip
        done = subprocess.run(["git", *argv], cwd=repo, env=env, capture_output=True, input=feed)
        if done.returncode and not ok:
            raise RuntimeError(f"{argv}: {done.stderr!r}")
        return done.stdout

    return run


def base(repo: Path, git: Git) -> None:
    """The history that every state starts from."""
    texts = {"a.txt": 12, "b.txt": 30, "src/one.c": 40, "src/two.c": 20, "src/deep/three.c": 9, "docs/read me": 15}
    for name, lines in texts.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{name} line {number}\n" for number in range(lines)))
    (repo / "run.sh").write_text("#!/bin/sh\ntrue\n")
    (repo / "run.sh").chmod(0o755)
    (repo / "link").symlink_to("a.txt")
    (repo / ".gitignore").write_text("*.log\n")
    commit(git, "first")
    append(repo, "a.txt", "second\n")
    commit(git, "second")
    git("branch", "topic")
    append(repo, "src/one.c", "on main\n")
    (repo / "new file").write_text("new\n")
    commit(git, "third, on main")
    git("switch", "-q", "topic")
    append(repo, "src/two.c", "on topic\n")
    (repo / "src/deep/three.c").unlink()
    commit(git, "third, on topic")
    git("tag", "v1")
    git("switch", "-q", "main")
    git("merge", "-q", "--no-edit", "topic")
    append(repo, "b.txt", "after the merge\n")
    commit(git, "fifth")


def commit(git: Git, message: str) -> None:
    """Everything there is, as a commit."""
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", message)


def append(repo: Path, name: str, words: str) -> None:
    """Words at a file's end."""
    with (repo / name).open("a") as stream:
        stream.write(words)


# --- HEAD, index and operations at work -----------------------------------------------------------------------------


def _nothing(repo: Path, git: Git) -> None:
    pass


def _unborn(repo: Path, git: Git) -> None:
    git("symbolic-ref", "HEAD", "refs/heads/unborn")


def _empty(repo: Path, git: Git) -> None:
    _unborn(repo, git)
    git("read-tree", "--empty")


def _detached(repo: Path, git: Git) -> None:
    git("switch", "-q", "--detach", "HEAD~1")


def _clash(repo: Path, git: Git) -> None:
    """Branches `left` and `right` that cannot be merged."""
    for side in ("left", "right"):
        git("switch", "-q", "-c", side, "main")
        (repo / "a.txt").write_text(f"{side}\n" * 4)
        append(repo, "b.txt", f"{side}\n")
        if side == "left":
            (repo / "src/two.c").unlink()
        else:
            append(repo, "src/two.c", "right\n")
        commit(git, side)


def _merging(repo: Path, git: Git) -> None:
    _clash(repo, git)
    git("merge", "left", ok=True)


def _merged(repo: Path, git: Git) -> None:
    git("switch", "-q", "-c", "side", "HEAD~2")
    append(repo, "src/one.c", "side\n")
    commit(git, "side")
    git("merge", "-q", "--no-commit", "main", ok=True)


def _picking(repo: Path, git: Git) -> None:
    _clash(repo, git)
    git("cherry-pick", "left", ok=True)


def _reverting(repo: Path, git: Git) -> None:
    _clash(repo, git)
    append(repo, "b.txt", "more\n")
    commit(git, "more")
    git("revert", "--no-edit", "HEAD~1", ok=True)


def _rebasing(repo: Path, git: Git) -> None:
    _clash(repo, git)
    git("rebase", "left", ok=True)


def _bisecting(repo: Path, git: Git) -> None:
    git("bisect", "start", "HEAD", "HEAD~3")


def _stashed(repo: Path, git: Git) -> None:
    for number in range(3):
        append(repo, "a.txt", f"stash {number}\n")
        (repo / f"new {number}").write_text("untracked\n")
        git("stash", "push", "-q", "-u" if number else "--no-include-untracked")
        append(repo, "b.txt", f"between {number}\n")
        commit(git, f"between {number}")


def _intents(repo: Path, git: Git) -> None:
    (repo / "intended").write_text("not yet\n")
    git("add", "-N", "intended")


def _skipped(repo: Path, git: Git) -> None:
    git("update-index", "--skip-worktree", "src/two.c")
    git("update-index", "--assume-unchanged", "b.txt")


def _sparse(repo: Path, git: Git) -> None:
    git("sparse-checkout", "set", "--cone", "src")


def _sparse_index(repo: Path, git: Git) -> None:
    git("sparse-checkout", "set", "--cone", "--sparse-index", "docs")


def _split(repo: Path, git: Git) -> None:
    git("update-index", "--split-index")
    append(repo, "a.txt", "split\n")
    git("add", "a.txt")


def _version(number: int) -> Callable[[Path, Git], None]:
    def change(repo: Path, git: Git) -> None:
        git("config", "index.version", str(number))
        git("update-index", "--index-version", str(number))
        if number == 3:
            git("update-index", "--skip-worktree", "a.txt")

    return change


def _skip_hash(repo: Path, git: Git) -> None:
    git("config", "feature.manyFiles", "true")
    git("update-index", "--index-version", "4")


# --- files ----------------------------------------------------------------------------------------------------------


def _folders(repo: Path, git: Git) -> None:
    """A file on one branch is a directory on another."""
    git("switch", "-q", "-c", "swapped")
    git("rm", "-q", "-r", "src/deep", "docs", ok=True)
    git("rm", "-q", "-r", "docs", ok=True)
    (repo / "docs").write_text("a file now\n")
    git("rm", "-q", "a.txt")
    (repo / "a.txt").mkdir()
    (repo / "a.txt/inside").write_text("a directory now\n")
    commit(git, "swapped")
    git("switch", "-q", "main")


def _cases(repo: Path, git: Git) -> None:
    git("mv", "a.txt", "A.txt")
    commit(git, "upper")
    git("config", "core.ignoreCase", "false")


def _links(repo: Path, git: Git) -> None:
    git("switch", "-q", "-c", "linked")
    git("rm", "-q", "-r", "src")
    (repo / "src").symlink_to("docs")
    (repo / "dangling").symlink_to("nowhere")
    commit(git, "a link for a directory")
    git("switch", "-q", "main")


def _modes(repo: Path, git: Git) -> None:
    git("switch", "-q", "-c", "modes")
    (repo / "a.txt").chmod(0o755)
    (repo / "run.sh").chmod(0o644)
    commit(git, "modes")


def _no_modes(repo: Path, git: Git) -> None:
    _modes(repo, git)
    git("config", "core.fileMode", "false")


def _endings(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text("*.txt text eol=crlf\n*.c text=auto\n*.bin -text\n")
    (repo / "x.bin").write_bytes(b"a\r\nb\n")
    git("add", "--renormalize", ".")
    commit(git, "endings")
    for name in ("a.txt", "b.txt"):
        (repo / name).unlink()
    git("checkout", "-q", "--", ".")


def _autocrlf(repo: Path, git: Git) -> None:
    git("config", "core.autocrlf", "true")
    (repo / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    commit(git, "dos")
    git("rm", "-q", "-r", "--cached", ".")
    git("reset", "-q", "--hard")


def _ident(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text("*.c ident\n")
    append(repo, "src/one.c", "/* $Id$ */\n")
    commit(git, "ident")
    (repo / "src/one.c").unlink()
    git("checkout", "-q", "--", ".")


def _encoded(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text(
        "*.u16 text working-tree-encoding=UTF-16LE-BOM\n*.l1 working-tree-encoding=latin1\n"
    )
    (repo / "t.u16").write_bytes(b"\xff\xfe" + "é line\nanother\n".encode("utf-16-le"))
    (repo / "t.l1").write_bytes("é\n".encode("latin-1"))
    commit(git, "encoded")


def _lfs(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text("*.big filter=lfs diff=lfs merge=lfs -text\n")
    words = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "ab" * 32 + "\nsize 12\n"
    (repo / "x.big").write_text(words)
    commit(git, "a pointer")


def _names(repo: Path, git: Git) -> None:
    for raw in (b"caf\xe9.txt", b"\xff\xfe", b"tab\there", b'quo"te', "ünï".encode(), b"-dash", b"sp ace ", b":colon"):
        (repo / os.fsdecode(raw)).write_bytes(raw + b"\n")
    commit(git, "names")


def _attributes(repo: Path, git: Git) -> None:
    (repo / ".gitattributes").write_text("a.txt merge=union\nb.txt merge=ours conflict-marker-size=12\nsrc/* -diff\n")
    commit(git, "attributes")


# --- the repository -------------------------------------------------------------------------------------------------


def _submodule(repo: Path, git: Git) -> None:
    other = repo.parent / "other"
    other.mkdir()
    inner = git_in(other)
    inner("init", "-q", "-b", "main")
    (other / "f").write_text("sub\n")
    commit(inner, "sub")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    commit(git, "submodule")


def _packed(repo: Path, git: Git) -> None:
    git("branch", "topic2/deep")
    git("pack-refs", "--all")
    git("gc", "-q")


def _shallow(repo: Path, git: Git) -> None:
    tip = git("rev-parse", "HEAD~1").decode()
    (repo / ".git/shallow").write_text(tip)


def _remote(repo: Path, git: Git) -> None:
    git("remote", "add", "origin", "https://example.org/x.git")
    for name in ("main", "topic", "feature"):
        git("update-ref", f"refs/remotes/origin/{name}", "HEAD~1" if name == "main" else "topic")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git("branch", "-q", "-u", "origin/main", "main")


def _rebase_setup(repo: Path, git: Git) -> None:
    _remote(repo, git)
    git("config", "branch.autoSetupRebase", "always")
    git("config", "branch.autoSetupMerge", "always")


def _notes(repo: Path, git: Git) -> None:
    git("notes", "add", "-m", "a note", "HEAD")
    git("replace", "HEAD~1", "HEAD~3")


def _grafts(repo: Path, git: Git) -> None:
    lines = git("rev-parse", "HEAD~1", "HEAD~3").decode().split()
    (repo / ".git/info/grafts").write_text(" ".join(lines) + "\n")


def _linked(repo: Path, git: Git) -> None:
    """The repository moves below, and a linked work tree comes beside it."""
    main = repo / "main"
    main.mkdir()
    for path in list(repo.iterdir()):
        if path != main:
            path.rename(main / path.name)
    git_in(main)("worktree", "add", "-q", "-b", "wt", str(repo / "wt"))


def _bare(repo: Path, git: Git) -> None:
    git("rm", "-q", "-r", ".")
    git("read-tree", "HEAD")
    git("config", "core.bare", "true")
    git("config", "core.logAllRefUpdates", "true")


def _shared(word: str) -> Callable[[Path, Git], None]:
    def change(repo: Path, git: Git) -> None:
        git("config", "core.sharedRepository", word)

    return change


def _quiet_logs(repo: Path, git: Git) -> None:
    git("config", "core.logAllRefUpdates", "false")


def _symbolic(repo: Path, git: Git) -> None:
    git("symbolic-ref", "refs/heads/alias", "refs/heads/topic")
    git("config", "i18n.commitEncoding", "ISO-8859-1")
    git("config", "commit.cleanup", "strip")


STATES: dict[str, State] = {
    "plain": State(_nothing), "unborn": State(_unborn), "empty": State(_empty), "detached": State(_detached),
    "merging": State(_merging), "merged": State(_merged), "picking": State(_picking), "reverting": State(_reverting),
    "rebasing": State(_rebasing), "bisecting": State(_bisecting), "stashed": State(_stashed),
    "intents": State(_intents), "skipped": State(_skipped), "sparse": State(_sparse),
    "sparse-index": State(_sparse_index), "split-index": State(_split), "index-3": State(_version(3)),
    "index-4": State(_version(4)), "many-files": State(_skip_hash), "folders": State(_folders),
    "cases": State(_cases), "links": State(_links), "modes": State(_modes), "no-modes": State(_no_modes),
    "endings": State(_endings), "autocrlf": State(_autocrlf), "ident": State(_ident), "encoded": State(_encoded),
    "lfs": State(_lfs), "names": State(_names), "attributes": State(_attributes), "submodule": State(_submodule),
    "packed": State(_packed), "shallow": State(_shallow), "remote": State(_remote), "tracking": State(_rebase_setup),
    "notes": State(_notes), "grafts": State(_grafts),
    "linked": State(_linked, inside="wt", linked=True),
    "beside-linked": State(_linked, inside="main", linked=True),
    "bare": State(_bare), "sha256": State(_nothing, init=("--object-format=sha256",)),
    "shared": State(_shared("group")), "shared-0660": State(_shared("0660")),
    "umask": State(_nothing, umask=0o077), "no-logs": State(_quiet_logs), "symbolic": State(_symbolic),
}  # fmt: skip


def make(name: str, repo: Path, shared: Path | None = None) -> None:
    """Build a state at a place that does not exist yet; `shared` is where the history that most begin with is kept."""
    state = STATES[name]
    repo.parent.mkdir(parents=True, exist_ok=True)
    before = os.umask(state.umask)
    try:
        if shared is None or state.init or state.umask != 0o022:
            begin(repo, state.init)
        else:
            if not shared.exists():
                begin(shared)
            shutil.copytree(shared, repo, symlinks=True)
        git = git_in(repo, START - 990_000)
        git("update-index", "-q", "--refresh")  # the files are others than those that it knows
        state.change(repo, git)
    finally:
        os.umask(before)


def begin(repo: Path, init: tuple[str, ...] = ()) -> None:
    """A repository with the history that every state starts from."""
    repo.mkdir()
    git = git_in(repo)
    git("init", "-q", "-b", "main", *init)
    base(repo, git)
