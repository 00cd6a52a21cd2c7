"""notes, count-objects, check-ref-format, check-mailmap, hash-object, patch-id, stripspace: what no record holds."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.check_mailmap import CheckMailmapRequest
from gitglass.commands.check_ref_format import CheckRefFormatRequest
from gitglass.commands.count_objects import CountObjectsRequest
from gitglass.commands.hash_object import HashObjectRequest
from gitglass.commands.notes import NotesRequest
from gitglass.commands.patch_id import PatchIdRequest
from gitglass.commands.registry import writes
from gitglass.commands.stripspace import StripspaceRequest

from ..support.worktrees import Repo


@pytest.mark.parametrize(
    "line",
    ["notes add -m x", "notes append", "notes copy a b", "notes edit", "notes merge x", "notes remove", "notes prune",
     "notes --ref x add", "hash-object -w README.md", "hash-object -w --stdin"],
)  # fmt: skip
def test_what_writes_is_refused(repo: Path, line: str, watched: Any) -> None:
    watched(os.path.realpath(repo))
    done = gitglass.git(line.split(), cwd=repo)
    assert (done.returncode, done.stdout) == (129, b"") and done.stderr.startswith(b"error: gitglass")


def test_policy_knows_which_notes_write() -> None:
    assert writes("notes", ["add", "-m", "x"]) and not writes("notes", ["list"]) and not writes("notes", [])


def ask(repo: Path, *words: str, stdin: bytes = b"") -> bytes:
    done = gitglass.git(list(words), cwd=repo, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_content_on_standard_input_and_named_there(repo: Path) -> None:
    assert ask(repo, "hash-object", "--stdin", stdin=b"a\n") == b"78981922613b2afb6025042ff6bd878ac1994e85\n"
    named = ask(repo, "hash-object", "README.md", "src/app.py")
    assert ask(repo, "hash-object", "--stdin-paths", stdin=b'README.md\n"src/app.py"\n') == named
    assert ask(repo / "src", "hash-object", "--stdin-paths", stdin=b"README.md\nsrc/app.py\n") == named  # from the top
    assert ask(repo, "hash-object", "--stdin", "--no-stdin", stdin=b"a\n") == b""
    assert ask(repo / "src", "hash-object", "app.py", "../README.md").split() == named.split()[::-1]


def test_line_endings_as_they_would_be_stored(repo: Path) -> None:
    crlf, lf = b"a\r\nb\r\n", ask(repo, "hash-object", "--stdin", stdin=b"a\nb\n")
    auto = ["-c", "core.autocrlf=true", "hash-object", "--stdin"]
    assert ask(repo, *auto, "--path=x.txt", stdin=crlf) == lf != ask(repo, *auto, stdin=crlf)
    assert ask(repo, *auto, "--path=x.txt", "-t", "blob", "--literally", stdin=crlf) != lf


def test_a_filter_is_not_run(unpack: Any, tmp_path: Path) -> None:
    repo = tmp_path / "r"
    shutil.copytree(unpack("plain"), repo, symlinks=True)
    (repo / ".gitattributes").write_text("*.x filter=odd\n*.bin filter=lfs\n")
    words = ["-c", "filter.odd.clean=touch ran", "-c", "filter.lfs.clean=touch ran", "hash-object", "--stdin"]
    done = gitglass.git([*words, "--path=a.x"], cwd=repo, stdin=b"a")
    assert (done.returncode, done.stdout) == (129, b"") and b"filter 'odd'" in done.stderr
    assert gitglass.git([*words, "--path=a.bin"], cwd=repo, stdin=b"a").returncode == 0
    assert not (repo / "ran").exists()


@pytest.mark.parametrize(
    ("kind", "data", "status"),
    [
        ("tree", b"", 0), ("tree", b"100644 a\0" + bytes(20), 0), ("tree", b"100644 a\0short", 128), ("tree", b"100644 \0" + bytes(20), 128),
        ("commit", b"tree " + b"a" * 40 + b"\nauthor", 0), ("commit", b"tree x\n", 128), ("commit", b"tree " + b"a" * 40 + b"\nparent x\n" + b"y" * 60, 128),
        ("tag", b"object " + b"a" * 40 + b"\ntype blob\ntag x\n\n", 0), ("tag", b"object " + b"a" * 40 + b"\ntype foo\ntag x\n\n", 128), ("foo", b"", 128),
    ],
)  # fmt: skip
def test_content_has_to_be_what_it_claims(repo: Path, kind: str, data: bytes, status: int) -> None:
    assert gitglass.git(["hash-object", "-t", kind, "--stdin"], cwd=repo, stdin=data).returncode == status
    assert gitglass.git(["hash-object", "-t", kind, "--literally", "--stdin"], cwd=repo, stdin=data).returncode == 0


def test_what_lies_among_the_objects(unpack: Any, tmp_path: Path) -> None:
    repo = tmp_path / "r"
    shutil.copytree(unpack("packed"), repo, symlinks=True)
    git_dir = repo / ".git" if (repo / ".git").is_dir() else repo
    pack = git_dir / "objects" / "pack"
    for name in ("pack-x.idx", "pack-y.pack", "pack-z.keep", "odd"):
        (pack / name).write_bytes(b"12345")
    (git_dir / "objects" / "ab").mkdir(exist_ok=True)
    (git_dir / "objects" / "ab" / "tmp_obj").write_bytes(b"123")
    done = gitglass.git(["count-objects", "-v"], cwd=repo)
    assert b"garbage: 5\nsize-garbage: 0\n" in done.stdout
    for words in (b"no corresponding .pack:", b"no corresponding .idx:", b"no corresponding .idx or .pack:"):
        assert done.stderr.count(words) == 1
    assert done.stderr.count(b"garbage found:") == 2


def test_loose_objects_take_blocks(repo: Path) -> None:
    """No record holds this: it depends on the file system."""
    loose = list((repo / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"))
    size = sum(path.stat().st_blocks * 512 for path in loose)
    assert ask(repo, "count-objects") == b"%d objects, %d kilobytes\n" % (len(loose), size // 1024)
    lines = ask(repo, "count-objects", "-vH").splitlines()
    assert lines[:4] == [b"count: %d" % len(loose), lines[1], b"in-pack: 0", b"packs: 0"] and b"KiB" in lines[1]


def test_outside_of_a_repository(tmp_path: Path) -> None:
    for words, stdin, answer in (
        ("check-ref-format --branch main", b"", b"main\n"),
        ("stripspace", b" \na ", b"a\n"),
        ("patch-id", b"x", b""),
        ("hash-object --stdin", b"a\n", b"78981922613b2afb6025042ff6bd878ac1994e85\n"),
    ):
        assert gitglass.git(words.split(), cwd=tmp_path, root=tmp_path, stdin=stdin).stdout == answer


def test_people_on_standard_input(repo: Path) -> None:
    assert (
        ask(repo, "check-mailmap", "--stdin", "<x@y>", stdin=b"A <a@b>\nB <c@d> 1 +0000")
        == b"<x@y>\nA <a@b>\nB <c@d>\n"
    )
    done = gitglass.git(["check-mailmap", "<x@y>", "odd"], cwd=repo)
    assert (done.returncode, done.stdout) == (128, b"<x@y>\n")


def test_the_typed_forms(repo: Path) -> None:
    open_ = gitglass.open(repo)
    assert open_.run(NotesRequest(action="show")).note == "A note on the tip\n"
    assert open_.run(NotesRequest(ref="nosuch")).rows == [] and len(open_.run(NotesRequest()).rows) == 1
    counted = open_.run(CountObjectsRequest(verbose=True))
    assert counted.count + (counted.in_pack or 0) > 20
    assert open_.run(CheckRefFormatRequest(name="//refs//a", normalize=True)).name == "refs/a"
    assert not open_.run(CheckRefFormatRequest(name="a")).valid
    assert open_.run(CheckMailmapRequest(contacts=["A <a@b>"])).contacts[0].mail == "a@b"
    assert len(open_.run(HashObjectRequest(files=["README.md"])).oids[0]) == 40
    patch = open_.git(["show", "topic"]).stdout.decode()
    assert len(open_.run(PatchIdRequest(text=patch)).patches) == 1
    assert open_.run(StripspaceRequest(text="a \n\n\n# b", mode="strip")).text == "a\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--buffer", "commit", "HEAD"], "--buffer"), (["--no-buffer", "-t", "HEAD"], "--buffer"),
        (["--buffer", "--follow-symlinks", "-e", "HEAD"], "--follow-symlinks"), (["-z", "HEAD"], "-z"),
    ],
)  # fmt: skip
def test_what_belongs_to_batches(repo: Path, words: list[str], option: str) -> None:
    done = gitglass.git(["cat-file", *words], cwd=repo)
    assert done.returncode == 129 and done.stderr.startswith(f"fatal: '{option}' requires a batch mode".encode())


@pytest.mark.parametrize("words", [["-e"], ["-p"], ["commit"]])
def test_unknown_types_are_for_questions_of_type_and_size(repo: Path, words: list[str]) -> None:
    done = gitglass.git(["cat-file", *words, "--allow-unknown-type", "HEAD"], cwd=repo)
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: git cat-file --allow-unknown-type: use with -s or -t\n"
    assert gitglass.git(["cat-file", "-t", "--allow-unknown-type", "HEAD"], cwd=repo).stdout == b"commit\n"


def test_a_file_is_no_directory_to_hash(repo: Path) -> None:
    for word, reason in (
        ("README.md/", "Not a directory"), ("README.md/x", "Not a directory"), ("nosuch/", "No such file or directory"),
        ("nosuch/x", "No such file or directory"), ("src/nosuch/x/y", "No such file or directory"),
    ):  # fmt: skip
        done = gitglass.git(["hash-object", word], cwd=repo)
        assert (done.returncode, done.stdout) == (128, b"")
        assert done.stderr.decode() == f"fatal: could not open '{word}' for reading: {reason}\n"


def test_what_is_said_of_a_missing_blob(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    gone = bytes([7]) * 20
    repo.entry("a", gone)
    repo.add("b", b"12\n")
    repo.write_index()
    repo.commit()

    def ask(*argv: str) -> tuple[int, bytes, bytes]:
        done = gitglass.git(list(argv), cwd=repo.top)
        return done.returncode, done.stdout, done.stderr

    hexa = gone.hex().encode()
    no_size = (128, b"", b"fatal: could not get object info about '%b'\n" % hexa)
    assert ask("ls-tree", "--format=%(objectsize)", "HEAD") == no_size
    assert ask("ls-tree", "--format=%(objectsize:padded)%x09%(path)", "HEAD") == no_size
    usual = "%(objectmode) %(objecttype) %(objectname) %(objectsize:padded)%x09%(path)"
    for word in ("--long", "--format=" + usual):  # git makes the option of this format
        status, out, err = ask("ls-tree", word, "HEAD")
        assert (status, out.split(b"\n")[0], err) == (0, b"100644 blob %b     BAD\ta" % hexa, b"")
    assert ask("ls-files", "--format=%(path) %(eolinfo:index)")[1] == b"a none\nb lf\n"
    assert ask("cat-file", "--filters", "HEAD:a") == (255, b"", b"error: cannot read object %b 'a'\n" % hexa)


def test_describe_broken_goes_on(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.add("a")
    repo.write_index()
    short = repo.commit().hex()[:7].encode()
    (repo.git / "index").write_bytes(b"DIRX" + bytes(60))
    done = gitglass.git(["describe", "--always", "--broken"], cwd=repo.top)
    words = b"error: bad signature 0x58524944\nfatal: index file corrupt\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, short + b"-broken\n", words)
    assert gitglass.git(["describe", "--always", "--dirty"], cwd=repo.top).returncode == 128
    (repo.git / "refs/heads/main").unlink()
    done = gitglass.git(["describe", "--always", "--broken"], cwd=repo.git)
    assert done.stderr.startswith(b"fatal: bad revision 'HEAD'\n")
    (repo.git / "refs/heads/main").write_text("07" * 20 + "\n")
    done = gitglass.git(["describe", "--always", "--broken"], cwd=repo.top)
    assert done.stderr.startswith(b"fatal: bad object HEAD\n")


def test_attributes_of_the_index_count_where_the_work_tree_has_none(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.entry(".gitattributes", repo.put("blob", b"* text\n"))
    repo.write_index()
    assert gitglass.git(["check-attr", "text", "a"], cwd=repo.top).stdout == b"a: text: set\n"
    assert gitglass.git(["check-attr", "-a", "a"], cwd=repo.top).stdout == b"a: text: set\n"


GONE = "07" * 20


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("merge-base gone HEAD", 128, "fatal: Not a valid commit name gone"),
        ("merge-base --fork-point HEAD gone", 1, ""),
        ("merge-base --fork-point gone HEAD", 1, f"error: Could not read {GONE}"),
        ("cherry gone", 128, "fatal: unknown commit gone"),
        (
            "for-each-ref --sort=authordate --format=%(refname)",
            128,
            f"fatal: missing object {GONE} for refs/heads/gone",
        ),
        ("log gone..HEAD", 128, "fatal: Invalid revision range gone..HEAD"),
        ("rev-list HEAD..gone", 128, "fatal: Invalid revision range HEAD..gone"),
        ("log --ignore-missing HEAD..gone", 0, ""),
        ("stash show gone", 128, "fatal: 'gone' is not a stash-like commit"),
        ("ls-files --with-tree=gone", 128, "fatal: bad tree-ish gone"),
        ("ls-files --with-tree=HEAD:f", 128, "fatal: bad tree-ish HEAD:f"),
        ("ls-files --with-tree=nope", 128, "fatal: tree-ish nope not found."),
    ],
)
def test_a_branch_whose_commit_is_gone(tmp_path: Path, line: str, status: int, words: str) -> None:
    repo = Repo(tmp_path)
    repo.add("f")
    repo.write_index()
    repo.commit()
    (repo.git / "refs/heads/gone").write_text(GONE + "\n")
    done = gitglass.git(line.split(), cwd=repo.top)
    assert (done.returncode, done.stdout, done.stderr.decode().strip()) == (status, b"", words)


def test_the_status_where_the_commit_of_head_is_gone(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    (repo.git / "refs/heads/main").write_text(GONE + "\n")
    done = gitglass.git(["status", "-s"], cwd=repo.top)
    assert (done.returncode, done.stderr) == (128, b"fatal: bad object HEAD\n")
