"""Each option of each command: what the installed git takes, we take or refuse by name, and answer alike.

What differs is listed in options_known.txt, a line `command option: how | class: why`. All commands take some ten minutes and are
asked by `python -m tests.live.options --work DIR --known FILE`; here it is four that ask no clock: a line of theirs that
no longer holds fails as well.
"""

import os
import shutil
from pathlib import Path

import pytest
from tests.live import options

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]
KNOWN = Path(__file__).with_name("options_known.txt")


@pytest.mark.parametrize("command", ["ls-tree", "merge-base", "show-ref", "status"])
def test_every_option(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in options.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    cwd = options.make(tmp_path / "asked")
    asked, differing = options.compare(command, cwd)
    assert asked > 1000
    known = {row for row in options.reasons(KNOWN) if row.startswith(f"{command} ")}
    assert options.classes(command, differing) == known, os.linesep.join(str(row) for row in differing)


def test_every_difference_has_a_reason() -> None:
    """A word for the class, and a sentence."""
    for row, why in options.reasons(KNOWN).items():
        kind, colon, sentence = why.partition(": ")
        assert colon and kind.isascii() and " " not in kind and len(sentence.split()) > 3, row
