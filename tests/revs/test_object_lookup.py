"""Batches of objects."""

import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.object_files import Builder

import gitglass
from gitglass.render.ls_tree import parse_format
from gitglass.revs.object_lookup import lines_of


@given(st.lists(st.binary(max_size=8).map(lambda raw: raw.replace(b"\n", b"").replace(b"\r", b""))))
def test_lines_of_input(lines: list[bytes]) -> None:
    assert list(lines_of(b"".join(line + b"\n" for line in lines), False)) == lines


def test_batch_answers_every_line(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    done = repo.git(
        ["cat-file", "--batch-check=%(objecttype) %(rest)|"], stdin=b"HEAD rest of it\nnosuch\nHEAD^{tree}\n"
    )
    assert done.stdout == b"commit rest of it|\nnosuch missing\ntree |\n"
    done = repo.git(["cat-file", "--batch-command"], stdin=b"info HEAD:README.md\ncontents HEAD:README.md\n")
    kind, size = done.stdout.split(b"\n")[0].split()[1:]
    assert (kind, int(size)) == (b"blob", len(repo.git(["cat-file", "blob", "HEAD:README.md"]).stdout))


def test_missing_objects(unpack: Any) -> None:
    plain = unpack("plain")
    nowhere = "0" * 39 + "1"
    assert gitglass.git(["cat-file", "-e", nowhere], cwd=plain).returncode == 1
    assert gitglass.git(["cat-file", "-t", nowhere], cwd=plain).returncode == 128
    assert gitglass.git(["cat-file", "tag", "HEAD"], cwd=plain).stderr == b"fatal: git cat-file HEAD: bad file\n"


@given(st.text(alphabet="%()nx09abjectme ", max_size=30))
def test_formats_are_read_or_refused(text: str) -> None:
    try:
        pieces = parse_format(text.encode())
    except gitglass.GitError as error:
        assert "ls-tree format" in error.message
    else:
        assert all(isinstance(piece, (bytes, str)) for piece in pieces)


FORMS = [
    "%(objectname) %(objecttype) %(objectsize)",
    "x%%%(objectsize)%(objectsize)",
    "%(objectname)",
    "%(rest)|%(objecttype)",
]


@pytest.mark.parametrize("form", FORMS)
def test_all_objects_are_told_of_as_each_is(unpack: Any, form: str) -> None:
    repo = gitglass.open(unpack("plain"))
    names = repo.git(["cat-file", "--batch-check=%(objectname)", "--batch-all-objects"]).stdout
    assert names.count(b"\n") > 3
    together = repo.git(["cat-file", f"--batch-check={form}", "--batch-all-objects"]).stdout
    assert together == repo.git(["cat-file", f"--batch-check={form}"], stdin=names).stdout
    as_stored = ["--batch-all-objects", "--unordered"]
    names = repo.git(["cat-file", "--batch-check=%(objectname)", *as_stored]).stdout
    together = repo.git(["cat-file", f"--batch-check={form}", *as_stored]).stdout
    assert together == repo.git(["cat-file", f"--batch-check={form}"], stdin=names).stdout


def test_what_was_answered_before_an_error_is_written(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    done = repo.git(["cat-file", "--batch-command=%(objecttype)"], stdin=b"info HEAD\ninfo nosuch\nnonsense\n")
    assert (done.stdout, done.returncode) == (b"commit\nnosuch missing\n", 128)


@pytest.mark.parametrize("form", FORMS)
def test_whole_names_are_answered_as_others_are(unpack: Any, form: str) -> None:
    """One after the other they are looked up together; another line between them ends that."""
    repo = gitglass.open(unpack("plain"))
    names = repo.git(["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]).stdout.split()
    missing = [b"0" * 39 + b"1", b"1" + names[0][1:]]
    odd = [
        names[0].upper(),
        names[1][:12],
        b"HEAD",
        b"",
        names[2][:10] + b" " + names[2][11:],
        names[3] + b" x",
        b"nope",
    ]
    lines = [*names, *missing, odd[0], names[0], *odd[1:], *names[:300], names[0]]
    # a blank before a name makes it no whole name, and nothing else of it
    alone = [repo.git(["cat-file", f"--batch-check={form}"], stdin=line + b"^{}\n").stdout for line in names]
    together = repo.git(["cat-file", f"--batch-check={form}"], stdin=b"\n".join(names) + b"\n").stdout
    kinds = repo.git(["cat-file", "--batch-check=%(objecttype)"], stdin=b"\n".join(names) + b"\n").stdout.split()
    assert set(kinds) <= {b"commit", b"tree", b"blob", b"tag"}
    for line, kind, answer in zip(together.split(b"\n"), kinds, alone, strict=False):
        assert kind == b"tag" or line + b"\n" == answer
    asked = [repo.git(["cat-file", f"--batch-check={form}"], stdin=line + b"\n").stdout for line in lines]
    assert repo.git(["cat-file", f"--batch-check={form}"], stdin=b"\n".join(lines) + b"\n").stdout == b"".join(asked)
    assert asked[len(names)] == missing[0] + b" missing\n"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("HEAD:d/up", "symlink 3\n../"), ("HEAD:d/up//x", "symlink 6\n..///x"), ("HEAD:d/../../x/", "symlink 5\n../x/"),
        ("HEAD:d/away/x", "symlink 4\n/abs"), ("HEAD:d/to/f", "x"), ("HEAD:d/to", "tree"), ("HEAD:d//e/", "tree"),
        ("HEAD:d/to/f/", "notdir 12\nHEAD:d/to/f/"), ("HEAD:d/.", "missing"), ("HEAD:d/to/.", "dangling 11\nHEAD:d/to/."),
        ("HEAD:./d/to/f", "x"), (":d/e/f", "missing"), ("HEAD:d/none", "dangling 11\nHEAD:d/none"),
        ("HEAD:d/me", "loop 9\nHEAD:d/me"), ("HEAD:d/to/../e/f", "x"),
    ],
)  # fmt: skip
def test_links_in_a_tree(tmp_path: Path, name: str, answer: str) -> None:
    """The rest of a path that leads out is printed as it stands; "." is no directory of a tree."""
    builder = Builder(tmp_path)

    def tree(*entries: tuple[str, str, bytes]) -> bytes:
        rows = sorted(entries, key=lambda row: row[1] + ("/" if row[0] == "40000" else ""))
        return builder.loose(b"tree", b"".join(f"{mode} {name}\0".encode() + oid for mode, name, oid in rows))

    links = {"up": "../../", "away": "/abs", "to": "e", "none": "nosuch", "me": "me"}
    inner = tree(("100644", "f", builder.loose(b"blob", b"x\n")))
    targets = [("120000", link, builder.loose(b"blob", target.encode())) for link, target in links.items()]
    top = tree(("40000", "d", tree(("40000", "e", inner), *targets)))
    who = "A <a@e> 1 +0000"
    head = builder.loose(b"commit", f"tree {top.hex()}\nauthor {who}\ncommitter {who}\n\nx\n".encode())
    (tmp_path / ".git" / "refs" / "heads" / "main").write_text(head.hex() + "\n")
    argv = ["cat-file", "--batch", "--follow-symlinks"]
    out = gitglass.git(argv, cwd=tmp_path, input=name.encode() + b"\n").stdout
    if answer in ("x", "tree"):
        kind = "blob" if answer == "x" else "tree"
        assert out.split(b"\n")[0].split()[1] == kind.encode() and (answer == "tree" or out.endswith(b"\nx\n\n"))
    elif answer == "missing":
        assert out == f"{name} missing\n".encode()
    else:
        assert out.decode() == answer + "\n"


ODD = {
    b"junkjunk": ["inflate: data stream error (incorrect header check)", "unable to unpack {} header"],
    b"": ["object file .git/objects/{dir}/{file} is empty"],
    zlib.compress(b"blob x\0a\n"): ["unable to parse {} header"],
    zlib.compress(b"blob"): ["header for {} too long, exceeds 32 bytes"],
    zlib.compress(b"k" * 33 + b" 2\0a\n"): ["header for {} too long, exceeds 32 bytes"],
    zlib.compress(b"odd 2\0a\n"): [],
}


@pytest.mark.parametrize("raw", ODD)
def test_a_header_that_git_does_not_read(tmp_path: Path, raw: bytes) -> None:
    """Strange but git's: for a batch there is no such object, unless its kind is all that is wrong."""
    oid = Builder(tmp_path).loose(b"blob", b"a\n", raw=raw).hex()
    lines = "".join(f"error: {line}\n".format(oid, dir=oid[:2], file=oid[2:]) for line in ODD[raw])

    def ask(*argv: str) -> tuple[int, str, str]:
        done = gitglass.git(["cat-file", *argv], cwd=tmp_path, input=f"{oid}\n".encode())
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    kind = zlib.decompress(raw).partition(b" ")[0].decode() if raw[:1] == b"x" else ""
    odd = kind not in ("", "blob")
    for option, reason in (("-t", "git cat-file: could not get object info"), ("-p", f"Not a valid object name {oid}")):
        assert ask(option, oid) == (128, "", f"{lines}fatal: {reason if lines else 'invalid object type'}\n")
    for option, value in (("-t", kind), ("-s", "2")):
        assert ask(option, "--allow-unknown-type", oid)[:2] == ((0, f"{value}\n") if odd else (128, ""))
    for mode in ("--batch", "--batch-check"):
        missing = (0, f"{oid} missing\n", lines) if lines else (128, "", "fatal: invalid object type\n")
        assert ask(mode) == missing
    assert ask("--batch-check=%(objectname)") == (0, f"{oid}\n", "")
