"""`--textconv` and `--filters`: answered where no program would run, never run."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.diff import DiffRequest


@pytest.fixture
def place(unpack: Any, tmp_path: Path) -> Path:
    top = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    (top / ".gitattributes").write_text("README.md diff=x\nsrc/app.py text eol=crlf\n")
    return top


def ask(place: Path, *argv: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    done = gitglass.git([*argv], cwd=place, stdin=stdin)
    return done.returncode, done.stdout, done.stderr


def configure(place: Path) -> None:
    with (place / ".git/config").open("a") as file:
        file.write(f'[diff "x"]\n\ttextconv = touch {place}/ran\n')


@pytest.mark.parametrize(
    "line",
    ["log -p", "show v1.0", "diff v1.0 v2.0", "diff-tree -p v1.0 v2.0", "diff-index HEAD", "diff-files -p",
     "blame HEAD -- src/app.py", "grep e HEAD", "whatchanged -2", "format-patch --stdout -1", "rev-list HEAD"],
)  # fmt: skip
def test_textconv_is_the_plain_answer(place: Path, line: str) -> None:
    command, *rest = line.split()
    plain = ask(place, command, *rest)
    assert plain[0] == 0
    assert ask(place, command, "--textconv", *rest) == plain
    assert ask(place, command, "--textconv", "--no-textconv", *rest) == plain


def test_a_configured_conversion_is_not_run(place: Path) -> None:
    plain = ask(place, "diff", "v1.0", "v2.0")
    configure(place)
    assert ask(place, "diff", "--textconv", "v1.0", "v2.0") == plain
    repo = gitglass.open(place)
    result = repo.run(DiffRequest(revs=["v1.0", "v2.0"], textconv=True))
    assert result.notes == ["textconv of x is not run: contents are compared as they are"]
    assert repo.run(DiffRequest(revs=["v1.0", "v2.0"])).notes == []
    status, out, err = ask(place, "grep", "--textconv", ".", "HEAD", "--", "README.md")
    assert (status, out) == (129, b"") and b"a program is configured for 'README.md'" in err
    assert ask(place, "grep", "--textconv", "-c", "def", "HEAD", "--", "src/app.py")[0] == 0
    assert ask(place, "cat-file", "--textconv", "HEAD:README.md")[:2] == (129, b"")
    assert ask(place, "cat-file", "--textconv", "--path=README.md", "HEAD:src/app.py")[0] == 129
    assert ask(place, "cat-file", "--textconv", "HEAD:src/app.py")[0] == 0
    assert not (place / "ran").exists()


def test_filters(place: Path) -> None:
    plain = ask(place, "cat-file", "-p", "HEAD:src/app.py")[1]
    assert b"\r" not in plain
    crlf = plain.replace(b"\n", b"\r\n")
    assert ask(place, "cat-file", "--filters", "HEAD:src/app.py") == (0, crlf, b"")
    assert ask(place, "cat-file", "--filters", "--path=other", "HEAD:src/app.py") == (0, plain, b"")
    oid = ask(place, "rev-parse", "HEAD:src/app.py")[1].strip()
    assert ask(place, "cat-file", "--filters", "--path=src/app.py", oid.decode()) == (0, crlf, b"")
    listed = ask(place, "cat-file", "--batch", "--filters", stdin=b"HEAD:src/app.py src/app.py\nHEAD:src/app.py x\n")
    head = b"%s blob %d\n" % (oid, len(plain))  # the size is the object's
    assert listed == (0, head + crlf + b"\n" + head + plain + b"\n", b"")
    alone = ask(place, "cat-file", "--batch", "--filters", stdin=b"HEAD:src/app.py\n")
    assert alone == (128, head, b"fatal: missing path for '%s'\n" % oid)
    assert ask(place, "cat-file", "--batch-check", "--filters", stdin=b"HEAD:src/app.py\n") == (0, head, b"")


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("--filters HEAD", 128, b"fatal: <object>:<path> required, only <object> 'HEAD' given"),
        ("--filters", 129, b"fatal: <rev> required with '--filters'"),
        ("--textconv HEAD a", 129, b"fatal: too many arguments"),
        ("--textconv nope", 128, b"fatal: Not a valid object name nope"),
        ("--filters -t HEAD", 129, b"error: switch `t' is incompatible with --filters"),
        ("-t --textconv HEAD", 129, b"error: option `textconv' is incompatible with -t"),
        (
            "--filters --batch-all-objects --batch",
            129,
            b"error: option `batch-all-objects' is incompatible with --filters",
        ),
        ("-p --path=a HEAD", 129, b"fatal: '--path=<path|tree-ish>' needs '--filters' or '--textconv'"),
        ("-p --batch", 129, b"fatal: '-p' is incompatible with batch mode"),
        ("--filters HEAD:nope", 128, b"fatal: path 'nope' does not exist in 'HEAD'"),
    ],
)
def test_words(place: Path, line: str, status: int, words: bytes) -> None:
    found = ask(place, "cat-file", *line.split())
    assert found[0] == status and words in found[2]


def test_nothing_is_started(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(place)
    monkeypatch.setattr(subprocess, "Popen", None)
    for line in ("log -p --textconv", "blame --textconv HEAD -- README.md", "cat-file --textconv HEAD:README.md"):
        ask(place, *line.split())
    assert not (place / "ran").exists()
