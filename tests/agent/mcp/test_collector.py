"""When Python's collector runs in the server."""

import gc
from collections.abc import Iterator

import pytest

from gitglass.agent.mcp.collector import Collector


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    usual = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if usual else gc.disable)()


def test_it_is_off_until_the_last_call_ends() -> None:
    collector = Collector()
    with collector:
        with collector:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_host_that_has_it_off_keeps_it_off() -> None:
    gc.disable()
    with Collector():
        pass
    assert not gc.isenabled()


def test_calls_that_overlap_do_not_keep_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda: runs.append(1))
    collector = Collector()
    with collector:
        with collector:
            pass
        assert not runs
        collector.patience = -1.0
        with collector:
            pass
        assert runs == [1]
    assert runs == [1] and gc.isenabled()
