"""Programs that keep a command open, and wait for the answer to a line before they write the next one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.races import loose_blob
from tests.support.writing import copy_of

import gitglass
from gitglass.cli.answer import Session, answer
from gitglass.cli.input import input_blocks
from gitglass.limits import Context, Limits
from gitglass.messages import Messages
from gitglass.render.style import Style
from gitglass.repo.discover import Where

NEW = b"written between two lines"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    copy_of("plain", top)
    (top / ".gitignore").write_text("*.o\n")
    (top / ".gitattributes").write_text("*.c diff=cpp\n")
    (top / "one").write_text("1\n")
    return top


def converse(top: Path, argv: list[str], lines: list[bytes]) -> list[bytes]:
    """What is answered to each line before the next one is asked for."""
    out: list[bytes] = []
    answers: list[bytes] = []

    def blocks() -> Iterator[bytes]:
        for line in lines:
            out.clear()
            yield line
            answers.append(b"".join(out))

    session = Session(Where(cwd=bytes(top)), b"/", stdin_blocks=blocks)
    answer(argv, session, Context(Limits()), out.append, answers.append)
    return answers


def test_input_comes_in_pieces_of_what_is_there() -> None:
    reading, writing = os.pipe()
    flushed: list[int] = []
    with open(reading, "rb") as stream:
        os.write(writing, b"a\nb")
        os.write(writing, b"c\n")
        pieces = input_blocks(stream, lambda: flushed.append(1))
        assert next(pieces) == b"a\nbc\n"
        os.write(writing, b"d")
        assert (next(pieces), len(flushed)) == (b"d", 2)
        os.write(writing, b"e")
        os.close(writing)
        assert (list(pieces), len(flushed)) == ([b"e"], 3)


@pytest.mark.parametrize(
    ("argv", "lines", "answers"),
    [
        (["check-attr", "--stdin", "diff"], [b"a.c\n", b"b\n"], [b"a.c: diff: cpp\n", b"b: diff: unspecified\n"]),
        (["check-attr", "-z", "--stdin", "diff"], [b"a.c\0", b"b\0"], [b"a.c\0diff\0cpp\0", b"b\0diff\0unspecified\0"]),
        (["check-ignore", "--stdin"], [b"a.o\n", b"b\n", b"c.o\n"], [b"a.o\n", b"", b"c.o\n"]),
        (["check-mailmap", "--stdin"], [b"A <a@b>\n", b"<c@d>\n"], [b"A <a@b>\n", b"<c@d>\n"]),
        (["hash-object", "--stdin-paths"], [b"one\n", b"one\n"], 2 * [b"d00491fd7e5bb6fa28c517a0bb32b8b506539d4d\n"]),
        (["diff-tree", "--stdin"], [b"x\n", b"y\nz", b"z\n"], [b"x\n", b"y\n", b"zz\n"]),
        (["cat-file", "--batch-check"], [b"n", b"o\nm\n", b"l\n"], [b"", b"no missing\nm missing\n", b"l missing\n"]),
        (["cat-file", "--batch", "-z"], [b"a\0", b"b\n\0"], [b"a missing\n", b"b\n missing\n"]),
        (
            ["cat-file", "--batch-command", "--buffer"],
            [b"info x\nflush\n", b"contents y\nflush\n"],
            [b"x missing\n", b"y missing\n"],
        ),
    ],
)
def test_each_line_is_answered_before_the_next(
    top: Path, argv: list[str], lines: list[bytes], answers: list[bytes]
) -> None:
    assert converse(top, argv, lines) == answers


def test_a_process_answers_before_its_input_ends(top: Path) -> None:
    words = [sys.executable, "-m", "gitglass", "cat-file", "--batch-check=%(objecttype)"]
    env = {**os.environ, "PYTHONPATH": str(Path(gitglass.__file__).parents[1])}
    with subprocess.Popen(words, cwd=top, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:

        def ask(name: bytes) -> bytes:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(name + b"\n")
            return process.stdout.read(100)

        assert (ask(b"HEAD"), ask(b"HEAD^{tree}"), ask(b"new")) == (b"commit\n", b"tree\n", b"new missing\n")
        (top / ".git" / "refs" / "tags" / "new").write_text(loose_blob(top, NEW) + "\n")
        assert ask(b"new") == b"blob\n"
        process.stdin.close()  # type: ignore[union-attr]
    assert process.returncode == 0


def test_later_blocks_are_answered_of_what_is_there_by_then() -> None:
    """The handle is made fresh for each, and what it complained of before is still said: once, and nothing piles up."""
    refreshed: list[int] = []

    class Handle(SimpleNamespace):
        def refresh(self) -> None:
            refreshed.append(1)
            self.complaints = Messages()

    first: Messages[str] = Messages(["error: x"])
    store, ctx = Handle(config=None, prefix=b"", complaints=first), Context()
    ctx.voices.append(first)
    style = Style(store, ctx, blocks=[b"a\n", b"b\nc", b"\nd"])  # type: ignore[arg-type]
    assert list(style.fresh_blocks()) == [b"a\n", b"b\n", b"c\n", b"d"]
    assert len(refreshed) == 3
    assert [voice.lines for voice in ctx.voices] == [["error: x"], []] and ctx.voices[1] is store.complaints
