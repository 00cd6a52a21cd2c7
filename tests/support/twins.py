"""What live twins and recorded ones share: changes of files, our side of a step, and a picture of a repository."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError, Unsupported
from gitglass.index.index import SKIP_WORKTREE
from gitglass.index.parse import parse_index
from gitglass.limits import Context
from gitglass.mutate.grant import Identity, WriteGrant
from gitglass.mutate.index_file import index_bytes
from gitglass.mutate.writer import Writer, approve
from gitglass.records import record
from gitglass.request.mutations import Mutation

START = 1_700_000_000
NAME, MAIL = "A U Thor", "author@example.com"
#: files of the git directory that are compared byte for byte
STATE = (
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "sequencer/todo",
    "sequencer/head",
    "sequencer/abort-safety",
    "sequencer/opts",
    "ORIG_HEAD",
    "COMMIT_EDITMSG",
    "HEAD",
    "config",
)

Answer = tuple[int, bytes, bytes]
Edit = tuple[str, str, int]  # what is done, the file, a number for its content


@record(frozen=True)
class Refused:
    """What gitglass does not offer, in its words."""

    words: str


def ours(repo: Path, argv: list[str], moment: int) -> Answer:
    """Our answer: planned, approved, carried out, and found as planned by a fresh reader (else status 99)."""
    try:
        return carried_out(repo, argv, moment)
    except GitError as error:
        return error.status, *error.streams()


def attempt(repo: Path, argv: list[str], moment: int) -> Answer | Refused:
    """The same; what gitglass refuses by name is told from what git refuses."""
    try:
        return carried_out(repo, argv, moment)
    except Unsupported as error:
        words = error.message
        for key in ("path", "paths"):
            words = words.replace(str(error.data.get(key) or "\0"), "PATH")
        return Refused(words)
    except GitError as error:
        return error.status, *error.streams()


def carried_out(repo: Path, argv: list[str], moment: int) -> Answer:
    """One command line through the whole pipeline. Raises GitError."""
    handle = gitglass.open(repo)
    grant = WriteGrant(identity=Identity(NAME, MAIL), clock=lambda: moment, zone=0, refs=("*",))
    writer = Writer(handle, grant)
    with Context(gitglass.Limits()) as ctx:
        request = parse_command(argv, handle.store, ctx).request
    if not isinstance(request, Mutation):
        done = handle.git(argv)
        return done.returncode, done.stdout, done.stderr
    plan = writer.plan(request)
    result = writer.apply(plan, approve(plan, "twins"))
    if not result.verified:
        return 99, b"", "\n".join(result.unexpected).encode()
    return result.answer.status, result.answer.out, result.answer.err


def git_folders(repo: Path) -> tuple[Path, Path]:
    """The git directory of a work tree (or bare repository), and the one that it shares with others."""
    place = repo / ".git"
    if place.is_file():
        place = repo / place.read_text().removeprefix("gitdir: ").rstrip("\n")
    elif not place.exists():
        place = repo
    common = place / "commondir"
    return place, place / common.read_text().rstrip("\n") if common.exists() else place


def read_by_us(repo: Path, argv: list[str]) -> bytes:
    """What our reader prints."""
    done = gitglass.git(argv, cwd=repo)
    return done.stdout


def below(folder: Path | str, prefix: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below a directory but what is named `.git`, with its name from there on."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name == ".git":
            continue
        name = f"{prefix}/{entry.name}" if prefix else entry.name
        yield name, entry
        if entry.is_dir(follow_symlinks=False):
            yield from below(entry.path, name)


def picture(repo: Path, home: bytes, ask: Callable[[Path, list[str]], bytes] = read_by_us) -> dict[str, Any]:
    """Everything about a repository that has to be the same, as `ask` reads it; `home` is written as REPO."""
    found: dict[str, Any] = {}
    own, folder = git_folders(repo)
    for name in STATE:
        path = (folder if name == "config" else own) / name
        found[name] = path.read_bytes() if path.exists() else None
    for path in (own / "REBASE_HEAD", own / "MERGE_AUTOSTASH", *sorted((own / "rebase-merge").glob("*"))):
        if path.exists():  # only where there is one, so that records of older stories stay true
            found[str(path.relative_to(own))] = path.read_bytes()
    if (own / "sequencer").is_dir() and not any((own / "sequencer").iterdir()):
        found["sequencer"] = b"an empty directory"
    found["refs"] = ask(repo, ["for-each-ref", "--format=%(refname) %(objectname) %(symref)"])
    for path in sorted((folder / "logs").rglob("*")) if (folder / "logs").exists() else ():
        if path.is_file():
            found[f"log {path.relative_to(folder)}"] = path.read_bytes()
    if own != folder:
        found["log HEAD"] = (own / "logs/HEAD").read_bytes()
    found["index"] = ask(repo, ["ls-files", "--stage", "-v"])
    found["resolve-undo"] = ask(repo, ["ls-files", "--resolve-undo"])
    for inner, entry in below(repo):
        if entry.is_symlink():
            found[f"file {inner}"] = os.readlink(entry.path).encode()
        elif entry.is_file():
            with open(entry.path, "rb") as stream:
                found[f"file {inner}"] = b"%o " % (entry.stat().st_mode & 0o777) + stream.read()
        else:
            found[f"file {inner}"] = b"directory"
    found["status"] = ask(repo, ["status", "--porcelain=v2", "-b"])
    return {key: value.replace(home, b"REPO") if value is not None else None for key, value in found.items()}


def draw_edit(rng: random.Random, files: list[str]) -> Edit:
    """A change of a file, the same for both."""
    number = rng.randrange(1000)
    name = rng.choice(files) if files else "new.txt"
    fresh = rng.choice(["n1", "n2.txt", "dir/n3", "dir/sub/n4", "a b", "x.log", f"n{number}", "dir", "ümlaut"])
    kind = rng.choice(["append"] * 3 + ["create"] * 2 + ["remove", "mode", "link"])
    return kind, fresh if kind == "create" else f"link{number % 5}" if kind == "link" else name, number


#: what `write` puts into a file
TEXTS = {
    1: b"n1* text eol=crlf\n",
    2: b"*.u16 text working-tree-encoding=UTF-16LE-BOM\n",
    3: b"src/* -diff\n",
    4: b"n1 conflict-marker-size=12\n",
    5: b"README.md merge=union\n",
    6: b"e4af2fe91225d53d8e0364d3bfc6d94455a45f3f\n",  # where the submodule of an archive has been
}


def do_edit(repo: Path, edit: Edit) -> None:
    """Carry a change of a file out, where it makes sense."""
    kind, name, number = edit
    path = repo / name
    plain = path.is_file() and not path.is_symlink()
    if kind == "append" and plain:
        path.write_bytes(path.read_bytes() + b"line %d\n" % number)
    elif kind == "remove" and (path.is_file() or path.is_symlink()):
        path.unlink()
    elif kind == "mode" and plain:
        path.chmod(path.stat().st_mode ^ 0o111)
    elif kind == "write":
        path.write_bytes(TEXTS[number])
    elif kind == "config":
        name, _, value = name.partition("=")
        section, _, key = name.rpartition(".")
        section, _, subsection = section.partition(".")
        with (git_folders(repo)[1] / "config").open("a") as stream:
            stream.write(f"[{section}" + f' "{subsection}"' * bool(subsection) + f"]\n\t{key} = {value}\n")
    elif kind == "cone":  # the one directory of a sparse checkout
        (git_folders(repo)[0] / "info/sparse-checkout").write_bytes(b"/*\n!/*/\n/%b/\n" % os.fsencode(name))
    elif kind == "ref":  # a symbolic one
        (git_folders(repo)[1] / name).write_bytes(b"ref: refs/heads/topic\n")
    elif kind == "skip":
        skip(git_folders(repo)[0] / "index", os.fsencode(name))
    elif kind == "believe":
        believe(git_folders(repo)[0] / "index", os.fsencode(name))
    elif kind == "age":  # git looks into it then, whatever the second in which it was written
        os.utime(path, (START, START))
    elif kind == "link" and not path.exists() and not path.is_symlink():
        path.symlink_to(f"target{number}")
    elif (
        kind == "create"
        and not path.parent.is_symlink()
        and not any(one.is_file() or one.is_symlink() for one in path.parents if one != repo)
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_dir() and not path.is_symlink():
            path.write_bytes(b"made %d\n" % number)


def believe(index: Path, path: bytes) -> None:
    """Have an entry of an index of version 2 be believed unchanged (`git update-index --assume-unchanged`)."""
    data = index.read_bytes()[:-20]
    at = data.index(path + b"\0") - 2
    data = data[:at] + bytes([data[at] | 0x80]) + data[at + 1 :]
    index.write_bytes(data + hashlib.sha1(data).digest())


def skip(place: Path, name: bytes) -> None:
    """Have an entry be one whose file is not to be in the work tree, as `git update-index --skip-worktree` does."""
    index = parse_index(place.read_bytes(), 20)
    flags = [SKIP_WORKTREE if path == name or index.skip_worktree(at) else 0 for at, path in enumerate(index.paths)]
    heads = [head[:-2] + (0x4000 | len(path)).to_bytes(2, "big") if flag else head
             for path, head, flag in zip(index.paths, index.heads, flags, strict=True)]  # fmt: skip
    place.write_bytes(index_bytes(list(zip(index.paths, heads, flags, strict=True)), 3, "sha1", trees=None))
