"""bridge/reading.py: a store for each thread, one deadline for a piece of work."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import gitglass
from gitglass.bridge import reading
from gitglass.bridge.reading import Reading
from gitglass.limits import Limits


class Clock:
    """A clock that stands still unless it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(reading, "monotonic", made)
    return made


@pytest.fixture
def work(disk: Path, clock: Clock) -> Iterator[Reading]:
    made = Reading(gitglass.open(disk).store, Limits(timeout=10.0))
    yield made
    made.close()


def test_a_thread_keeps_its_store_and_context(work: Reading) -> None:
    first = work.own()
    assert work.own() is first
    others: list[Any] = []
    thread = Thread(target=lambda: others.append(work.own()))
    thread.start()
    thread.join()
    assert others[0][0] is not first[0] and others[0][1] is not first[1]


def test_the_deadline_runs_from_the_beginning_of_the_work(work: Reading, clock: Clock) -> None:
    limits: list[float | None] = []
    clock.now += 4
    limits.append(work.own()[1].limits.timeout)
    clock.now += 40
    limits.append(work.own()[1].limits.timeout)
    work.renew()
    clock.now += 1
    limits.append(work.own()[1].limits.timeout)
    work.renew()
    clock.now += 11
    limits.append(work.own()[1].limits.timeout)
    assert limits == [6.0, 6.0, 9.0, 0.0]


def test_another_piece_of_work_has_another_context_over_the_same_store(work: Reading) -> None:
    store, ctx = work.own()
    work.renew()
    again = work.own()
    assert again[0] is store and again[1] is not ctx


def test_without_a_deadline(disk: Path) -> None:
    work = Reading(gitglass.open(disk).store, Limits(timeout=None))
    assert work.own()[1].limits.timeout is None
    work.close()
