"""Facts about objects are kept, within bounds, and only where they hold."""

from __future__ import annotations

from typing import Any

import gitglass
from gitglass.diff.changes import Contents
from gitglass.diff.memory import Facts, memory_of
from gitglass.limits import Context

QUESTIONS = [["diff", "--stat", "HEAD~3", "HEAD"], ["diff", "-M10", "HEAD~3", "HEAD"], ["log", "-p", "--numstat"]]


def test_facts_are_bounded() -> None:
    facts: Facts[int, str] = Facts(10)
    for n in range(10):
        assert facts.put(n, "x") == "x"
    assert facts.get(0) == "x"
    facts.put(10, "y")
    assert facts.get(0) is None and facts.get(10) == "y"
    facts.put(11, "z", 100)
    assert facts.get(10) is None and facts.get(11) == "z"


def test_a_second_question_is_answered_alike(unpack: Any) -> None:
    path = str(unpack("packed"))
    repo = gitglass.open(path)
    for argv in QUESTIONS * 2:
        assert repo.git(argv).stdout == gitglass.git(argv, cwd=path).stdout


def test_counts_are_not_counted_twice(unpack: Any, monkeypatch: Any) -> None:
    repo = gitglass.open(str(unpack("packed")))
    first = repo.git(QUESTIONS[0]).stdout
    assert b"changed" in first
    monkeypatch.setattr("gitglass.render.diff.stat.count_changes", None)
    monkeypatch.setattr("gitglass.diff.changes.Contents._fetch", None)
    assert repo.git(QUESTIONS[0]).stdout == first


def test_nothing_is_shared_where_objects_are_replaced(unpack: Any) -> None:
    repo = gitglass.open(str(unpack("packed")))
    store: Any = repo.store
    plain = Contents(store, ctx=Context())
    assert plain.memory is memory_of(store.odb)
    store.odb._replaced = {b"a" * 20: b"b" * 20}
    assert Contents(store, ctx=Context()).memory is not memory_of(store.odb)
