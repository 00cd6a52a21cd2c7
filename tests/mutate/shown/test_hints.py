"""mutate/shown/hints.py: which lines are coloured, and when."""

from pathlib import Path

import pytest
from tests.support.peers import said
from tests.support.writing import copy_of

from gitglass.config.config import Config
from gitglass.config.load import load_config
from gitglass.disk.jail import Jail
from gitglass.mutate.shown.hints import with_hints

pytestmark = pytest.mark.writes

WORDS = b"error: no\nhint: do this\nhint: \nhint:\n  hint: not this\nfatal: no hint: here\n"


def colored(color: bytes) -> bytes:
    lines = b"hint: do this", b"hint: ", b"hint:"
    hints = b"".join(color + line + b"\x1b[m\n" for line in lines)
    return b"error: no\n" + hints + b"  hint: not this\nfatal: no hint: here\n"


def configured(tmp_path: Path, *settings: str) -> Config:
    return load_config(Jail(bytes(tmp_path)), git_dir=None, common_dir=None, overrides=settings)


@pytest.mark.parametrize(
    ("settings", "command", "shown"),
    [
        ([], "commit", WORDS),
        (["color.advice=always"], "add", colored(b"\x1b[33m")),
        (["color.advice=ALWAYS", "color.advice.hint=bold red"], "add", colored(b"\x1b[1;31m")),
        (["color.advice=auto"], "add", WORDS),
        (["color.advice=true"], "commit", WORDS),
        (["color.ui=always"], "commit", colored(b"\x1b[33m")),
        (["color.ui=always"], "add", WORDS),
        (["color.ui=always", "color.advice=never"], "commit", WORDS),
    ],
)
def test_lines_of_hints(tmp_path: Path, settings: list[str], command: str, shown: bytes) -> None:
    assert with_hints(WORDS, configured(tmp_path, *settings), command) == shown


def test_a_refusal_and_an_answer_have_them(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write("[color]\n\tadvice = always\n")
    repo.joinpath(".gitignore").write_text("out\n")
    repo.joinpath("out").write_text("x\n")
    status, _, err = said(repo, "add", "out")
    assert status == 1 and "\n\x1b[33mhint: Use -f if you really want to add them.\x1b[m\n" in err
    status, _, err = said(repo, "branch", "-u", "nope")
    assert status == 128 and "\n\x1b[33mhint: \x1b[m\n\x1b[33mhint: If you are planning on basing your work on" in err
