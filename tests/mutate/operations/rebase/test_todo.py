"""The list of a rebase, as git writes it and as a person leaves it."""

from pathlib import Path

import pytest
from tests.support.writing import copy_of, writer_of

import gitglass
from gitglass.errors import Unsupported
from gitglass.limits import Context
from gitglass.mutate.grant import Moment
from gitglass.mutate.operations.rebase.todo import NOOP, Step, count_steps, help_text, read_steps, written
from gitglass.mutate.view import View


@pytest.fixture
def view(tmp_path: Path) -> View:
    place = copy_of("plain", tmp_path / "repo")
    grant = writer_of(place).grant
    return View(gitglass.open(place).store, grant, Moment.now(grant), Context(gitglass.Limits()))


def test_lines_are_read_as_they_are_written(view: View) -> None:
    head = view.head()[1]
    assert head is not None
    name = head.hex()
    data = f"# a comment\n\npick {name[:8]} the words  here\np {name}\nd {name} # empty\nnoop\n".encode()
    steps = read_steps(view, data)
    assert steps == [
        Step(b"pick", head, b"the words  here"),
        Step(b"pick", head),
        Step(b"drop", head, b"# empty"),
        NOOP,
    ]
    assert read_steps(view, written(steps)) == steps
    assert count_steps(view, data) == 4


@pytest.mark.parametrize("line", ["edit HEAD x", "exec make", "break", "squash HEAD", "pick", "pick nope x"])
def test_what_is_not_carried_out_is_refused_by_name(view: View, line: str) -> None:
    with pytest.raises(Unsupported, match=line):
        read_steps(view, f"{line}\n".encode())


def test_the_help_says_how_many_and_what_removing_a_line_means(view: View) -> None:
    lines = help_text(view, b"a..b onto c", 1).split(b"\n")
    assert lines[:3] == [b"", b"# Rebase a..b onto c (1 command)", b"#"]
    assert b"# If you remove a line here THAT COMMIT WILL BE LOST." in lines and lines[-2:] == [b"#", b""]
    assert b"(2 commands)" in help_text(view, b"a", 2)
