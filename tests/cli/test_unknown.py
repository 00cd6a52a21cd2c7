"""Names that are no command here. The suggestions are what git 2.39.5 said to each slip."""

import pytest

from gitglass.cli.unknown import unknown_command
from gitglass.errors import InvalidArgs, Unsupported


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("comit", "commit"), ("statsu", "status"), ("sta", "status stage stash"), ("chekout", "checkout"), ("zzz", ""),
        ("lgo", "log"), ("ad", "add am"), ("s", "show status switch am fsck gc mv push rm"), ("pus", "push pull"),
        ("rebas", "rebase merge-base repack"), ("diff-tre", "diff-tree"), ("x", "am gc mv rm"), ("gti", "init"),
        ("help-me", ""), ("co", "commit clone log"), ("foo-bar", ""), ("archiv", "archive"),
    ],
)  # fmt: skip
def test_the_nearest_commands(typed: str, near: str) -> None:
    error = unknown_command(typed)
    lines = str(error).splitlines()
    assert isinstance(error, InvalidArgs) and error.status == 1
    assert lines[0] == f"'{typed}' is not a git command. See 'git --help'."
    names = near.split()
    heading = "The most similar command is" if len(names) == 1 else "The most similar commands are"
    assert lines[1:] == (["", heading, *(f"\t{name}" for name in names)] if names else [])


def test_aliases_are_suggested_and_nothing_where_nobody_wants_it() -> None:
    assert str(unknown_command("comiy", ["comix"])).endswith("command is\n\tcomix")
    assert str(unknown_command("comit", suggests=False)) == "'comit' is not a git command. See 'git --help'."


@pytest.mark.parametrize(
    ("name", "words"),
    [("archive", "gitglass does not have 'archive'"), ("stage", "gitglass only reads: 'stage' is not available")],
)
def test_a_command_of_gits_is_not_called_unknown(name: str, words: str) -> None:
    error = unknown_command(name)
    assert isinstance(error, Unsupported) and (str(error), error.status) == (words, 129)
