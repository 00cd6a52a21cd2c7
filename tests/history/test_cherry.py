"""Commits that make the same change: what counts of a line, and what does not (git cherry, git-patch-id(1))."""

from __future__ import annotations

from pathlib import Path

import pytest

import gitglass

from .test_patch_base import Commits


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b"some text\n", b"s o m e text\n", True),
        (b"some text\n", b"some text", True),
        (b"some text", b"so me\ttext \n", True),
        (b"some\rtext\n", b"sometext\n", True),
        (b"first\nsome\n", b"first\nso me", True),
        (b"some\ftext\n", b"sometext\n", False),  # a form feed is no white space to git
        (b"some\vtext\n", b"sometext\n", False),
        (b"some text\n", b"other text\n", False),
    ],
)
def test_white_space_and_the_last_line_end_do_not_count(tmp_path: Path, one: bytes, other: bytes, same: bool) -> None:
    commits = Commits(tmp_path / "repo")
    base = commits.make(f=b"first\n")
    tips = [commits.make(base, f=content) for content in (one, other)]
    for name, tip in zip(("one", "other"), tips):
        (tmp_path / "repo/.git/refs/heads" / name).write_bytes(tip.hex().encode() + b"\n")
    for words in (["cherry", "one", "other"], ["cherry", "other", "one"]):
        done = gitglass.git(words, cwd=str(tmp_path / "repo"))
        tip = tips[words[1] == "one"]
        assert (done.returncode, done.stdout) == (0, b"%s %s\n" % (b"-" if same else b"+", tip.hex().encode()))
