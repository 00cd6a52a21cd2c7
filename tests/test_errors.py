"""The tree of errors: what reaches a terminal."""

import pytest

from gitglass.errors import BadConfig, BadRequest, GitError, InvalidArgs, NoWorkTree, Unreadable, report, text
from gitglass.limits import Context
from gitglass.messages import Messages


@pytest.mark.parametrize(
    "given, shown",
    [
        (b"fatal: bad name 'a\x1b[2J\x7f\r\tb\nc'", b"fatal: bad name 'a?[2J??\tb\nc'\n"),
        (b"warning: \xff\xc2\x9b", b"warning: \xff\xc2\x9b\n"),
        (b"error: " + b"x" * 5000, b"error: " + b"x" * 4088 + b"\n"),
        (
            b"error: " + b"x" * 5000 + b"\nfatal: " + b"y" * 9,
            b"error: " + b"x" * 4088 + b"\nfatal: " + b"y" * 9 + b"\n",
        ),
        (
            b"error: " + b"x" * 5000 + b"\nAborting\nerror: " + b"y" * 9,
            b"error: " + b"x" * 4088 + b"\nAborting\nerror: " + b"y" * 9 + b"\n",
        ),
        (b"hint: \x1b" + b"x" * 5000, b"hint: \x1b" + b"x" * 5000 + b"\n"),
    ],
)
def test_reports_are_what_git_shows(given: bytes, shown: bytes) -> None:
    assert report(given) == shown


def test_no_error_or_warning_controls_the_terminal() -> None:
    name = text(b"\x1b]0;owned\x07\xff")
    assert GitError(name).words() == b"fatal: ?]0;owned?\xff\n"
    assert InvalidArgs(name).words() == b"error: ?]0;owned?\xff\n"
    ctx = Context()
    ctx.warn(name)
    ctx.voices.append(Messages([f"error: {name}"]))
    assert ctx.spoken() == [b"error: ?]0;owned?\xff\n", b"warning: ?]0;owned?\xff\n"]


@pytest.mark.parametrize("kind", [BadRequest, BadConfig, NoWorkTree, Unreadable])
def test_classes_with_a_remedy_of_their_own(kind: type[GitError]) -> None:
    error = kind("what git says")
    assert (error.status, error.words()) == (128, b"fatal: what git says\n")
    assert error.code != "internal" and error.hint
    assert kind("what git says", hint="another").hint == "another"
