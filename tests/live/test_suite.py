"""The stand-in for git in git's own suite: what is asked of gitglass, and how two answers compare."""

from pathlib import Path

import pytest
from tests.live.suite import judged
from tests.live.suite_git import command_of, only_reads


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("log -1", True), ("-C a -c b.c=d --no-pager log", True), ("--git-dir x status", True), ("commit -m log", False),
        ("stash list", True), ("stash", False), ("notes add", False), ("remote -v", True), ("", False), ("--version", False),
        ("worktree list --porcelain", True), ("submodule update", False),
    ],
)  # fmt: skip
def test_what_only_reads(line: str, reads: bool) -> None:
    assert only_reads(line.split()) is reads


def test_words_before_the_command_are_passed() -> None:
    assert command_of(["-c", "log", "--bare", "show", "-c", "x"]) == ("show", ["-c", "x"])


def test_answers_are_compared_in_full(tmp_path: Path) -> None:
    def kind(ours: tuple[bytes, bytes, bytes], theirs: tuple[bytes, bytes, int]) -> str:
        for name, data in zip(("our.status", "our.out", "our.err", "git.out", "git.err"), (*ours, *theirs[:2])):
            (tmp_path / name).write_bytes(data)
        return judged(tmp_path, theirs[2])

    assert kind((b"0", b"a\n", b""), (b"a\n", b"", 0)) == "same"
    assert kind((b"0", b"a\n", b"x"), (b"a\n", b"", 0)) == "words"
    assert kind((b"0", b"b\n", b""), (b"a\n", b"", 0)) == "DIFFERS"
    assert kind((b"1", b"a\n", b""), (b"a\n", b"", 0)) == "DIFFERS"
    assert kind((b"", b"a\n", b""), (b"a\n", b"", 0)) == "DIFFERS"  # it died
    assert kind((b"129", b"", b"error: gitglass log does not take -x\n"), (b"a\n", b"", 0)) == "refused"
    assert kind((b"128", b"", b"Traceback ... gitglass"), (b"a\n", b"", 0)) == "DIFFERS"
