"""Transfers over http with a fault at each point of the exchange: what is told is what is so, here and there.

A proxy on loopback drops, cuts, resets, delays or answers one request of a fetch or a push. After a fetch that failed
nothing has changed; of a push is said that it was done exactly where it was, and tracking refs follow.
"""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from dulwich.repo import Repo
from tests.support.faulty import Fault, Proxy
from tests.support.peers import commit, empty, everything, planned, read, refs, run
from tests.support.servers import Server, smart_app

from gitglass.errors import Cancelled, GitError, Timeout
from gitglass.mutate.grant import WriteLimits
from gitglass.mutate.writer import approve
from gitglass.request.ref_mutations import FetchRequest

pytestmark = [pytest.mark.writes, pytest.mark.loopback]
KINDS = ["refuse", "lose", "reset", "forget", "cut", "hang", "drip", "401", "403", "429", "500"]
SHORT = WriteLimits(network_timeout=0.8)
SHORTEST = WriteLimits(network_timeout=0.4)


def limits_of(kind: str) -> WriteLimits:
    """As little time as there may be for a server that is waited for anyway; for an answer, as long as a loaded machine
    takes for it."""
    return SHORTEST if kind in ("hang", "drip") else SHORT


@pytest.fixture
def up(tmp_path: Path) -> Path:
    return empty(tmp_path / "up.git", bare=True)


@pytest.fixture
def proxy(up: Path) -> Iterator[Proxy]:
    server = Server(smart_app(Repo(str(up))))
    made = Proxy(server.port)
    yield made
    made.close()
    server.close()


@pytest.fixture
def me(tmp_path: Path, proxy: Proxy) -> Path:
    made = empty(tmp_path / "me", bare=False, origin=proxy.url)
    commit(made, "one")
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("request_number", [0, 1, 2])
def test_a_fetch(proxy: Proxy, me: Path, tmp_path: Path, kind: str, request_number: int) -> None:
    run(me, "push", "origin", "main")
    other = empty(tmp_path / "other", bare=False, origin=proxy.url)
    seen = proxy._count
    proxy.fault = Fault(seen + request_number, kind)
    before, began = everything(other), time.monotonic()
    try:
        run(other, "fetch", limits=limits_of(kind))
    except GitError:
        assert everything(other) == before
    else:
        assert proxy._count <= seen + request_number, "it had to be told of"
        assert refs(other)["refs/remotes/origin/main"] == read(me, "rev-parse", "HEAD")
    assert time.monotonic() - began < 20
    proxy.fault = None
    run(other, "fetch")
    assert (
        refs(other)["refs/remotes/origin/main"] == read(me, "rev-parse", "HEAD") and read(other, "fsck", "--full") == ""
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("request_number", [0, 1, 2, 3])
def test_a_push(proxy: Proxy, me: Path, up: Path, kind: str, request_number: int) -> None:
    proxy.fault = Fault(request_number, kind)
    began = time.monotonic()
    try:
        status = run(me, "push", "origin", "main", limits=limits_of(kind)).answer.status
    except GitError as error:
        status = error.status
        assert refs(up) == {}, "an error says that nothing was done"
    done = refs(up) == {"refs/heads/main": read(me, "rev-parse", "HEAD")}
    assert (status == 0) == done == ("refs/remotes/origin/main" in refs(me))
    assert done or refs(up) == {}
    assert time.monotonic() - began < 40
    proxy.fault = None
    assert run(me, "push", "origin", "main").answer.status == 0
    assert refs(up) == {"refs/heads/main": read(me, "rev-parse", "HEAD")} and read(up, "fsck", "--full") == ""


@pytest.mark.parametrize("kind", ["forget", "cut", "hang"])
def test_a_push_that_is_asked_of_twice(proxy: Proxy, me: Path, up: Path, kind: str) -> None:
    """The answer is lost, and the first look at what became of it too."""
    run(me, "push", "origin", "main")
    two, seen = commit(me, "two"), proxy._count
    proxy.fault = Fault(seen + 2, kind)
    again = proxy._one

    def one(client: object) -> None:
        if proxy._count == seen + 3:
            proxy.fault = Fault(seen + 3, "500")
        again(client)  # type: ignore[arg-type]

    proxy._one = one  # type: ignore[method-assign]
    assert run(me, "push", "origin", "main", limits=limits_of(kind)).answer.status == 0
    assert refs(up)["refs/heads/main"] == refs(me)["refs/remotes/origin/main"] == two


def test_four_at_once(proxy: Proxy, me: Path, up: Path, tmp_path: Path) -> None:
    """One wins; each is told what is so of its own push."""
    run(me, "push", "origin", "main")
    plans = []
    for number in range(4):
        one = empty(tmp_path / f"c{number}", bare=False, origin=proxy.url)
        run(one, "pull", "-q", "origin", "main")
        plans.append((commit(one, f"by {number}"), one, *planned(one, "push", "origin", "main")))
    told: dict[str, int] = {}
    start = threading.Barrier(4)

    def push(oid: str, writer: object, plan: object) -> None:
        start.wait()
        told[oid] = writer.apply(plan, approve(plan, "t")).answer.status  # type: ignore[attr-defined, arg-type]

    threads = [threading.Thread(target=push, args=(oid, writer, plan)) for oid, _, writer, plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winner = refs(up)["refs/heads/main"]
    assert sorted(told.values()) == [0, 1, 1, 1] and told[winner] == 0
    for oid, one, _, _ in plans:
        assert (refs(one)["refs/remotes/origin/main"] == oid) == (oid == winner)


def test_a_server_that_drips_does_not_hold_anybody(proxy: Proxy, me: Path) -> None:
    proxy.fault = Fault(0, "drip")
    began = time.monotonic()
    with pytest.raises(Timeout):
        planned(me, "fetch", limits=WriteLimits(network_timeout=0.7))
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("kind", ["hang", "drip"])
def test_who_cancels_is_heard_while_nothing_comes(proxy: Proxy, me: Path, kind: str) -> None:
    proxy.fault = Fault(0, kind)
    gone = threading.Event()
    threading.Timer(0.3, gone.set).start()
    writer, _ = planned(me, "branch", "x")
    began = time.monotonic()
    with pytest.raises(Cancelled):
        writer.plan(FetchRequest(), cancelled=gone.is_set)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("after", range(0, 40, 5))
def test_a_push_that_is_cancelled(proxy: Proxy, me: Path, up: Path, after: int) -> None:
    """Wherever it is cancelled: an error where nothing was done, and done where it was."""
    writer, plan = planned(me, "push", "origin", "main")
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > after

    try:
        status = writer.apply(plan, approve(plan, "t"), cancelled=cancelled).answer.status
    except Cancelled:
        status = 1
    assert (status == 0) == ("refs/heads/main" in refs(up)) == ("refs/remotes/origin/main" in refs(me))


def test_progress(proxy: Proxy, me: Path, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int | None]] = []
    writer, plan = planned(me, "push", "origin", "main")
    writer.apply(plan, approve(plan, "t"), progress=lambda *one: heard.append(one))
    assert heard[0] == ("objects sent", 1, 3) and heard[-1] == ("objects sent", 3, 3)
    other = empty(tmp_path / "other", bare=False, origin=proxy.url)
    heard.clear()
    writer, _ = planned(other, "ls-remote")
    writer.plan(FetchRequest(), progress=lambda *one: heard.append(one))
    kinds = [what for what, _, _ in heard]
    assert kinds[0] == "bytes received" and heard[-1] == ("objects checked", 3, 3)
