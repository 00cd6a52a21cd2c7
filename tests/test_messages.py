"""Lines in order, and scopes that hold them back."""

import pytest

from gitglass.limits import Context
from gitglass.messages import Messages


def test_lines_keep_their_order_and_are_taken_once() -> None:
    lines: Messages[str] = Messages(["one"])
    lines.append("two")
    lines.append("one")
    lines.append_once("two")
    lines.append_once("three")
    assert lines == ["one", "two", "one", "three"] and len(lines) == 4
    assert lines.take() == ["one", "two", "one", "three"]
    assert lines == [] and not lines and lines.take() == []


def test_a_scope_passes_on_what_is_not_dropped() -> None:
    ctx = Context()
    ctx.warn("before")
    with ctx.warnings() as kept:
        ctx.warn("kept")
        assert len(kept) == 1 and ctx.stderr == [b"warning: kept\n"]
    with ctx.warnings() as dropped:
        ctx.warn("dropped")
        dropped.drop()
        ctx.warn("dropped as well")
    ctx.warn("after")
    assert ctx.spoken() == [b"warning: before\n", b"warning: kept\n", b"warning: after\n"]


def test_scopes_stand_in_each_other() -> None:
    lines: Messages[str] = Messages()
    with lines.scope() as outer:
        lines.append("outer")
        with lines.scope():
            lines.append("inner")
        with lines.scope() as dropped:
            lines.append("gone")
            dropped.drop()
        assert len(outer) == 2 and lines == ["outer", "inner"]
    assert lines == ["outer", "inner"]


@pytest.mark.parametrize("drop", [False, True])
def test_an_error_changes_nothing_about_what_is_passed_on(drop: bool) -> None:
    lines: Messages[str] = Messages(["before"])
    with pytest.raises(ValueError, match="x"), lines.scope() as scope:
        lines.append("within")
        if drop:
            scope.drop()
        raise ValueError("x")
    assert lines == (["before"] if drop else ["before", "within"])
