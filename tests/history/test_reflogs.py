"""Reflogs walked: newest first, several merged by time, and what the spec lets through."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.history.reflogs import ReflogCursor, walk_reflogs
from gitglass.history.spec import BOUNDARY, WalkSpec
from gitglass.refs.reflog import Reflog


class Logs:
    """Commits and reflogs over them; `shown` walks and answers `name@{number} commit`."""

    def __init__(self, history: Any, named: Any) -> None:
        self.history, self.named = history, named
        odb = history.store.odb
        odb.has = lambda oid: oid in history.facts or oid == self.blob
        odb.kind = lambda oid: b"commit" if oid in history.facts else b"blob"
        history.store.null = bytes(20)
        self.blob = b"B" * 20
        history.add("a", time=1)
        history.add("b", "a", time=2)
        history.add("m", "ab", time=3)

    def cursor(self, name: str, *rows: tuple[bytes, int, str], at: int = 0) -> ReflogCursor:
        """A reflog by rows of (commit, time, message), oldest first."""
        lines, old = [], bytes(20)
        for oid, time, message in rows:
            lines.append(f"{old.hex()} {oid.hex()} A <a@b> {time} +0000\t{message}".encode())
            old = oid
        return ReflogCursor(name.encode(), Reflog(name.encode(), lines, 20), at)

    def entries(self, *cursors: ReflogCursor, matcher: Any = None, **spec: Any) -> list[Any]:
        return list(walk_reflogs(self.history.store, cursors, WalkSpec(**spec), matcher, ctx=self.history.ctx))

    def shown(self, *cursors: ReflogCursor, matcher: Any = None, **spec: Any) -> list[str]:
        places = [(entry.reflog, entry.oid) for entry in self.entries(*cursors, matcher=matcher, **spec)]
        return [f"{place.name.decode()}@{{{place.number}}} {self.named([oid])[0]}" for place, oid in places]


@pytest.fixture
def logs(history: Any, named: Any) -> Logs:
    return Logs(history, named)


@pytest.fixture
def main(logs: Logs, oid_of: Any) -> ReflogCursor:
    return logs.cursor("main", (oid_of("a"), 10, "one"), (oid_of("b"), 20, "two"), (oid_of("a"), 30, "back"))


def test_newest_first_and_as_often_as_logged(logs: Logs, main: ReflogCursor) -> None:
    assert logs.shown(main) == ["main@{0} a", "main@{1} b", "main@{2} a"]
    assert logs.shown(main) == []  # a cursor is walked once


def test_sources_are_given(logs: Logs, main: ReflogCursor, oid_of: Any) -> None:
    sources = {oid_of("a"): b"v1"}
    walked = walk_reflogs(logs.history.store, [main], WalkSpec(), None, sources=sources, ctx=logs.history.ctx)
    assert [entry.source for entry in walked] == [b"v1", None, b"v1"]


def test_it_begins_where_the_cursor_stands(logs: Logs, oid_of: Any) -> None:
    rows = [(oid_of("a"), 10, ""), (oid_of("b"), 20, ""), (oid_of("m"), 30, "")]
    assert logs.shown(logs.cursor("main", *rows, at=1)) == ["main@{1} b", "main@{2} a"]


def test_several_are_merged_by_time_and_the_first_named_wins(logs: Logs, main: ReflogCursor, oid_of: Any) -> None:
    other = logs.cursor("other", (oid_of("b"), 5, ""), (oid_of("m"), 20, ""))
    expected = ["main@{0} a", "main@{1} b", "other@{0} m", "main@{2} a", "other@{1} b"]
    assert logs.shown(main, other) == expected


def test_entries_that_lead_to_no_commit_are_passed_over(logs: Logs, oid_of: Any) -> None:
    rows = [(oid_of("a"), 1, ""), (bytes(20), 2, "deleted"), (logs.blob, 3, ""), (b"gone".ljust(20), 4, "")]
    assert logs.shown(logs.cursor("main", *rows)) == ["main@{3} a"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"max_age": 20}, [0, 1]),
        ({"max_age_as_filter": 20}, [0, 1]),
        ({"min_age": 20}, [1, 2]),
        ({"skip": 1}, [1, 2]),
        ({"max_count": 2}, [0, 1]),
        ({"skip": 1, "max_count": 1}, [1]),
        ({"max_count": 0}, []),
        ({"min_parents": 1}, [1]),
        ({"max_parents": 0}, [0, 2]),
        ({"matcher": lambda commit, message: message in (b"one", b"two")}, [1, 2]),
    ],
)
def test_the_age_is_that_of_the_entry(logs: Logs, main: ReflogCursor, spec: Any, expected: list[int]) -> None:
    assert [entry.reflog.number for entry in logs.entries(main, **spec)] == expected


def test_linear_is_what_the_entry_before_descends_from(logs: Logs, oid_of: Any) -> None:
    rows = [(oid_of("b"), 1, ""), (oid_of("a"), 2, ""), (oid_of("m"), 3, "")]
    entries = logs.entries(logs.cursor("main", *rows))
    assert [entry.linear for entry in entries] == [True, True, False]
    assert [entry.parents for entry in entries] == [(oid_of("a"), oid_of("b")), (), (oid_of("a"),)]


def test_the_boundary_comes_last_with_the_last_label(logs: Logs, main: ReflogCursor, oid_of: Any) -> None:
    """Parents that were shown are none of it; the last met comes first."""
    rows = [(oid_of("a"), 10, ""), (oid_of("m"), 20, "")]
    entries = logs.entries(logs.cursor("x", *rows), boundary=True)
    assert [(logs.named([entry.oid])[0], entry.reflog.number, entry.flags & BOUNDARY > 0) for entry in entries] == [
        ("m", 0, False), ("a", 1, False), ("b", 1, True),
    ]  # fmt: skip
    entries = logs.entries(logs.cursor("x", *rows), boundary=True, max_count=1)
    assert logs.named([entry.oid for entry in entries]) == list("mba")
    assert [entry.parents for entry in entries[1:]] == [(), ()]  # nobody read them
    assert entries[1].diff_parents == (oid_of("a"),)
