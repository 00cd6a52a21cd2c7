"""Commits printed with what they changed: what the entries of the same log give."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.errors import GitError
from gitglass.history.log_diff import LogDiffs, Part
from gitglass.limits import Context
from gitglass.plans import log, log_rows
from gitglass.plans.log import write_log
from gitglass.records import replace
from gitglass.render.log.log import LogWriter
from gitglass.render.style import Style
from gitglass.repo.store import Store

from .test_log import planned, store

__all__ = ["store"]

ASKED: list[dict[str, Any]] = [
    {"raw": True}, {"name_only": True}, {"name_status": True}, {"name_only": True, "null": True},
    {"name_only": True, "pretty": "oneline"}, {"raw": True, "pretty": "medium"}, {"diff_filter": ["M"], "raw": True},
    {"diff_filter": ["A"]}, {"diff_filter": ["D"], "raw": True}, {"diff_filter": ["A"], "max_count": 1, "raw": True},
    {"diff_filter": ["A"], "max_count": 0}, {"diff_filter": ["A"], "reverse": True, "raw": True},
    {"follow": True, "paths": ["file"], "name_only": True}, {"raw": True, "paths": ["other"]},
    {"name_only": True, "pretty": "format:%h"}, {"name_only": True, "reverse": True}, {"patch": True}, {"stat": ""},
    {"patch": True, "stat": "", "pretty": "medium"}, {"patch": True, "max_count": 2}, {"patch": True, "pretty": "format:%h"},
    {"pickaxe": "3", "patch": True}, {"diff_filter": ["M"], "patch": True},
]  # fmt: skip


@pytest.mark.parametrize("room", [20, 1 << 20])
@pytest.mark.parametrize("asked", ASKED)
def test_changes_are_those_of_the_entries(
    store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], room: int
) -> None:
    monkeypatch.setattr(log_rows, "_ROOM", room)
    plan = planned(store, ctx, **asked)
    assert plan.rows is not None and plan.compared
    printed = b"".join(write_log(plan, Style(store, ctx)))
    general = replace(planned(store, ctx, **asked), rows=None)
    assert printed == b"".join(write_log(general, Style(store, ctx)))
    assert bool(printed) == (asked.get("diff_filter") != ["D"] and asked.get("max_count") != 0)


@pytest.mark.parametrize(
    "asked",
    [{"raw": True, "graph": True}, {"raw": True, "boundary": True}, {"raw": True, "full_diff": True, "paths": ["file"]},
     {"raw": True, "no_commit_id": True}, {"patch": True, "graph": True}, {"walk_reflogs": True, "raw": True}],
)  # fmt: skip
def test_other_logs_have_entries(store: Store, ctx: Context, asked: dict[str, Any]) -> None:
    plan = planned(store, ctx, **asked)
    assert plan.rows is None or not plan.compared


def test_commits_before_an_error_are_printed(store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = b"".join(write_log(planned(store, ctx, name_only=True), Style(store, ctx)))
    files, calls = LogDiffs.files, list[bytes]()

    def failing(self: LogDiffs, oid: bytes, parents: Any, *trees: Any) -> Any:
        calls.append(oid)
        if len(calls) == 3:
            raise GitError("it is broken")
        return files(self, oid, parents, *trees)

    monkeypatch.setattr(LogDiffs, "files", failing)
    printed = b""
    with pytest.raises(GitError, match="broken"):
        for piece in write_log(planned(store, ctx, name_only=True), Style(store, ctx)):
            printed += piece
    assert printed == whole[: whole.index(b"c0")]


def test_a_diff_that_breaks_off_is_printed_up_to_there(
    store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = b"".join(write_log(planned(store, ctx, patch=True), Style(store, ctx)))
    write, calls = log.write_diff, list[bytes]()

    def failing(*words: Any, **more: Any) -> Any:
        calls.append(b"")
        pieces = write(*words, **more)
        yield next(pieces)
        if len(calls) == 2:
            raise GitError("it is broken")
        yield from pieces

    monkeypatch.setattr(log, "write_diff", failing)
    printed = b""
    with pytest.raises(GitError, match="broken"):
        for piece in write_log(planned(store, ctx, patch=True), Style(store, ctx)):
            printed += piece
    assert whole.startswith(printed) and printed.count(b"diff --git") == 2


def test_a_merge_that_breaks_off_leaves_what_came_before(
    store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Diffs with headers of their own go through the writer of entries, and fail there."""

    def of(self: LogDiffs, entry: Any, *trees: Any) -> Any:
        return [Part([], b"\1" * 20), Part([], b"\2" * 20)]

    def failing(self: LogWriter, entry: Any) -> Any:
        yield b"its header\n"
        raise GitError("it is broken")

    whole = b"".join(write_log(planned(store, ctx, patch=True), Style(store, ctx)))
    real, calls = LogDiffs.of, list[Any]()
    monkeypatch.setattr(LogDiffs, "of", lambda *about: (calls.append(1), (real if len(calls) < 2 else of)(*about))[1])
    monkeypatch.setattr(LogWriter, "entry", failing)
    printed = b""
    with pytest.raises(GitError, match="broken"):
        for piece in write_log(planned(store, ctx, patch=True), Style(store, ctx)):
            printed += piece
    assert printed == whole[: whole.index(b"c1")] + b"its header\n"


def test_commits_wait_for_others_only_shortly(store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces() -> int:
        return len([piece for piece in write_log(planned(store, ctx, patch=True), Style(store, ctx)) if piece])

    together = pieces()
    monkeypatch.setattr(log_rows, "_SOON", -1)
    assert pieces() == 3 > together


def test_no_commit_is_compared_behind_the_last_one_shown(
    store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, calls = LogDiffs.files, list[bytes]()

    def counted(self: LogDiffs, oid: bytes, parents: Any, *trees: Any) -> Any:
        calls.append(oid)
        return files(self, oid, parents, *trees)

    monkeypatch.setattr(LogDiffs, "files", counted)
    b"".join(write_log(planned(store, ctx, diff_filter=["A"], max_count=1), Style(store, ctx)))
    assert len(calls) == 2
