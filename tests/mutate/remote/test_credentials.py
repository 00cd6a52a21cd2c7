"""Tokens for GitHub: of the environment's value, else of the program that was granted; asked each time, kept never."""

from pathlib import Path

import pytest

from gitglass.errors import NotGranted
from gitglass.mutate.grant import Credential
from gitglass.mutate.process.granted import Program, Programs
from gitglass.mutate.remote.credentials import GitAuthError, github_credentials

from ...support.programs import program

GITHUB = "https://github.com/user/reports.git"


def test_a_token_that_is_given() -> None:
    provide = github_credentials(" t \n")
    assert provide(GITHUB) == provide("https://api.github.com/repos/x") == Credential("x-access-token", "t")
    for url in ("http://github.com/x", "https://github.com.evil/x", "https://gitlab.com/x"):
        assert provide(url) is None
    assert github_credentials("")(GITHUB) is None and github_credentials(None)(GITHUB) is None
    assert github_credentials("t", hosts=("127.0.0.1",))("http://127.0.0.1:80/x") is not None


def test_the_words_where_there_is_none() -> None:
    assert GitAuthError().message.splitlines() == [
        "GitHub authentication required.", "Either:", "  - Set GITHUB_TOKEN environment variable, or",
        "  - Run `gh auth login` to authenticate with GitHub CLI",
    ]  # fmt: skip


@pytest.mark.runs
@pytest.mark.writes
def test_the_command_of_github(tmp_path: Path) -> None:
    """It is run each time, with nothing of this process's environment; what fails, or prints more, has no token."""
    (tmp_path / "rooms").mkdir()
    granted = Programs(rooms=str(tmp_path / "rooms"), seconds=5.0)
    script = "import os, sys\nassert sys.argv[1:] == ['auth', 'token']\nprint('gh-' + os.environ['GH_CONFIG_DIR'])"
    gh = program(tmp_path / "bin", "gh", script, "auth", "token", variables=(("GH_CONFIG_DIR", "/c"),))
    provide = github_credentials(None, gh, programs=granted)
    assert provide(GITHUB) == Credential("x-access-token", "gh-/c") and provide("https://gitlab.com/x") is None
    assert github_credentials("first", gh, programs=granted)(GITHUB) == Credential("x-access-token", "first")
    (tmp_path / "bin/gh").write_text((tmp_path / "bin/gh").read_text().replace("gh-", "other-"))
    assert provide(GITHUB) == Credential("x-access-token", "other-/c")
    for number, words in enumerate(("raise SystemExit(1)", "print('two words')", "print()")):
        failing = program(tmp_path / "bin", f"gh{number}", words, "auth", "token")
        assert github_credentials(None, failing, programs=granted)(GITHUB) is None
    assert list((tmp_path / "rooms").iterdir()) == []
    (tmp_path / "bin/gh").chmod(0o777)
    with pytest.raises(NotGranted):
        provide(GITHUB)
    with pytest.raises(NotGranted):
        github_credentials(None, Program(("/none/gh",)), programs=granted)(GITHUB)
