"""limits.py: what a call may spend, and what it tells."""

import gc
import subprocess
import sys
import tracemalloc
from threading import get_ident

import pytest

from gitglass import limits
from gitglass.errors import Cancelled, Timeout, TooLarge
from gitglass.limits import Context, Limits, hold, joined, lines_in, uncollected, watched
from gitglass.messages import Messages


def spin(ctx: Context) -> None:
    for _ in range(1000):
        ctx.tick()


def test_the_deadline_ends_a_loop() -> None:
    with pytest.raises(Timeout) as caught:
        spin(Context(Limits(timeout=-1)))
    assert caught.value.status == 124
    spin(Context(Limits(timeout=None)))


def test_a_part_of_the_work_may_have_a_nearer_deadline() -> None:
    ctx = Context(Limits(timeout=60))
    with pytest.raises(Timeout), ctx.no_longer_than(-1):
        spin(ctx)
    spin(ctx)
    ctx.finish()  # what ended the part is forgotten
    free = Context(Limits(timeout=None))
    with pytest.raises(Timeout), free.no_longer_than(-1):
        spin(free)
    spin(free)
    late = Context(Limits(timeout=-1))
    with pytest.raises(Timeout), late.no_longer_than(60):
        spin(late)
    with pytest.raises(Timeout):
        spin(late)


def test_the_cancel_flag_ends_a_loop() -> None:
    with pytest.raises(Cancelled):
        spin(Context(cancelled=lambda: True))


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REPORT_SECONDS", 0.0)
    told: list[tuple[str, int, int | None]] = []
    spin(Context(progress=lambda *step: told.append(step)))
    assert told and told[-1][0] == "steps" and 0 < told[-1][1] <= 1000


def test_what_is_said_is_said_once() -> None:
    ctx = Context()
    voice = Messages(["warning: from the handle"])
    ctx.voices.append(voice)
    ctx.warn("from the call")
    assert ctx.spoken() == [b"warning: from the handle\n", b"warning: from the call\n"]
    assert ctx.spoken() == []
    ctx.note("x")
    ctx.note("x")
    assert ctx.notes == ["x"]


def test_what_is_announced_is_refused_before_it_is_used() -> None:
    ctx = Context(Limits(max_memory_bytes=100 << 20))
    ctx.need(90 << 20)
    ctx.need(90 << 20)  # one after the other, not both at once
    ctx.keep(60 << 20)
    with pytest.raises(TooLarge):
        ctx.need(50 << 20)


def test_what_is_held_counts_as_long_as_it_lives() -> None:
    ctx = Context(Limits(max_memory_bytes=100 << 20))
    with ctx:
        held = hold(60 << 20)
        with pytest.raises(TooLarge):
            hold(60 << 20)
        with hold(30 << 20), pytest.raises(TooLarge):
            ctx.need(20 << 20)
        ctx.need(30 << 20)  # the one that was refused took nothing, the other gave back what it had
        del held
        ctx.need(90 << 20)
    hold(1 << 40)  # no call runs


def test_an_answer_that_went_on_without_memory_is_none() -> None:
    ctx = Context(Limits(max_memory_bytes=1 << 20))
    with pytest.raises(TooLarge):
        ctx.need(2 << 20)
    with pytest.raises(TooLarge):
        ctx.finish()


def test_pieces_are_joined_alike_however_many() -> None:
    for count in (0, 1, 5, 131_072, 131_073, 300_001):
        pieces = [b"%d" % (n % 97) for n in range(count)]
        assert joined(pieces, b", ") == b", ".join(pieces)


def test_joining_many_pieces_takes_little_besides() -> None:
    pieces = [b"x"] * 500_000
    tracemalloc.start()
    try:
        joined(pieces)
        assert tracemalloc.get_traced_memory()[1] < 10 << 20  # bytes.join: 40 MB
    finally:
        tracemalloc.stop()


def measured(code: str) -> str:
    """What a fresh process prints: the peak of this one may be of another test's making."""
    head = "from gitglass.errors import TooLarge\nfrom gitglass.limits import Context, Limits\n"
    return subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(limits.resource is None, reason="the platform does not measure")
def test_small_things_that_nobody_announces_are_measured() -> None:
    code = """
ctx, kept = Context(Limits(max_memory_bytes=64 << 20)), []
try:
    while len(kept) < 8_000_000:
        kept.append(b"%d" % len(kept))
        ctx.tick()
except TooLarge:
    print(len(kept))
"""
    assert 200_000 < int(measured(code)) < 3_000_000


def test_what_was_announced_and_came_is_taken_to_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    peak = 50 << 20
    monkeypatch.setattr(limits, "_peak", lambda: peak)
    ctx = Context(Limits(max_memory_bytes=100 << 20))
    ctx.need(60 << 20)
    ctx.need(60 << 20)  # nothing has come of the first
    peak += 60 << 20
    with pytest.raises(TooLarge):
        ctx.need(60 << 20)


def test_what_was_held_and_went_is_taken_to_be_free(monkeypatch: pytest.MonkeyPatch) -> None:
    peak = 50 << 20
    monkeypatch.setattr(limits, "_peak", lambda: peak)
    with Context(Limits(max_memory_bytes=100 << 20)) as ctx:
        with hold(60 << 20):
            peak += 60 << 20
        ctx.need(90 << 20)


def test_another_threads_memory_does_not_end_a_call_that_did_little() -> None:
    code = """
ctx = Context(Limits(max_memory_bytes=16 << 20))
other = bytearray(b"x") * (100 << 20)
ctx.check()
print("went on")
"""
    assert measured(code) == "went on\n"


def test_the_peak_is_asked_for_as_often_as_memory_can_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at each of many steps that follow at once, and still every few milliseconds."""
    moment, asked = 100.0, list[float]()
    monkeypatch.setattr("gitglass.limits.time.monotonic", lambda: moment)
    monkeypatch.setattr(limits, "_peak", lambda: asked.append(moment) or 50 << 20)  # type: ignore[func-returns-value]
    ctx = Context(Limits(max_memory_bytes=100 << 20))
    for _ in range(1000):
        ctx.pause()
        moment += 0.000_01
    assert 5 <= len(asked) <= 8


@pytest.mark.parametrize(
    ("age", "is_settled"),
    [(3_000_000_000, True), (2_000_000_000, False), (1_876_543_211, True), (100_000_001, True), (99_999_999, False)],
)
def test_a_time_tells_how_coarse_its_clock_is(age: int, is_settled: bool) -> None:
    """One with a part below a hundredth of a second is of a clock that ticks as often."""
    moment = 1_700_000_000 * 1_000_000_000 - age
    assert not limits.settled(moment)  # no call runs
    with Context(Limits(), now=0, wall=1_700_000_000):
        assert limits.settled(moment) is is_settled


def test_a_walk_visits_no_more_commits_than_allowed() -> None:
    visit = Context(Limits(max_commits=3)).visits()
    for _ in range(3):
        visit()
    for _ in range(2):  # whoever takes it for an error of one commit ends at the next
        with pytest.raises(TooLarge):
            visit()


def test_ticks_look_at_the_clock_at_once_and_then_now_and_again() -> None:
    ctx = Context(Limits())
    tick = ctx.ticks()
    looks: list[None] = []
    ctx.cancelled = lambda: bool(looks.append(None))
    for _ in range(1000):
        tick()
    assert 10 < len(looks) < 100
    ctx.cancelled = lambda: True
    for again in (tick, tick, ctx.ticks(), ctx.ticks()):
        with pytest.raises(Cancelled):
            for _ in range(100):
                again()


def test_the_running_call_is_found_without_being_handed_on() -> None:
    limits.need(1 << 40)  # no call runs: nothing to hold it against
    with Context(Limits(max_memory_bytes=1 << 20)) as ctx:
        with pytest.raises(TooLarge):
            limits.need(2 << 20)
        with Context(Limits(timeout=-1)), pytest.raises(Timeout):
            limits.pause()
        assert ctx.remaining() is not None
        limits.pause()
    limits.need(1 << 40)


def test_lines_are_announced_before_they_are_made() -> None:
    many = b"\n" * 2_000_000
    with pytest.raises(TooLarge), Context(Limits(max_memory_bytes=8 << 20)):
        lines_in(many)
    with Context(Limits(max_memory_bytes=512 << 20)):
        assert len(lines_in(many)) == 2_000_001
    assert lines_in(b"a\nb") == [b"a", b"b"]


def test_what_is_watched_comes_as_it_is_asked_for() -> None:
    taken: list[int] = []
    items = watched(taken.append(n) or n for n in range(5000))  # type: ignore[func-returns-value]
    assert [next(items), next(items)] == [0, 1] and taken == [0, 1]
    with pytest.raises(Timeout), Context(Limits(timeout=0)):
        list(items)
    assert 1000 < len(taken) < 1100


@pytest.mark.skipif(limits._THREAD is None, reason="the platform does not count the pages of a thread")
def test_pages_are_counted_for_each_thread() -> None:
    code = """
from gitglass.limits import _touched
thread, before = _touched()
kept = [b"%d" % at * 10_000 for at in range(1000, 2000)]  # of larger ones the system may give several pages at once
print(_touched()[0] == thread, _touched()[1] - before)
"""
    same, touched = measured(code).split()
    assert same == "True" and int(touched) > 20 << 20


def test_few_steps_that_leave_much_behind_are_a_calls_own_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of trees, say: 60,000 bytes a step, of which a step is not taken to leave so much."""
    peak, touched, own = 50 << 20, 0, get_ident()
    monkeypatch.setattr(limits, "_PEAK_SECONDS", 0)
    monkeypatch.setattr(limits, "_peak", lambda: peak)
    monkeypatch.setattr(limits, "_touched", lambda: (own, touched))
    with Context(Limits(max_memory_bytes=32 << 20)) as ctx:
        peak += 40 << 20
        ctx.check()  # another thread's doing
        touched += 40 << 20
        own += 1
        ctx.check()  # the context went to another thread, of which nothing is known
        own -= 1
        with pytest.raises(TooLarge):
            ctx.check()


def test_the_pages_of_another_thread_do_not_end_a_call() -> None:
    code = """
from threading import Thread
kept = []
with Context(Limits(max_memory_bytes=16 << 20)) as ctx:
    other = Thread(target=lambda: kept.append(b"x" * (100 << 20)))
    other.start()
    other.join()
    ctx.check()
    print("went on")
"""
    assert measured(code) == "went on\n"


def test_the_step_behind_a_deadline_that_was_passed_over_looks_again() -> None:
    """Two steps a round, one within what may fail: the looks could always be that one's."""
    ctx = Context(Limits(timeout=-1))
    rounds = 0
    with pytest.raises(Timeout):
        while rounds < 1000:
            ctx.tick()
            try:
                ctx.tick()
            except Timeout:
                pass
            rounds += 1
    assert rounds < 50
    assert isinstance(ctx.stopped, Timeout)


def test_the_collector_is_put_off_for_many_objects_only_and_comes_back() -> None:
    assert gc.isenabled()
    with uncollected(10):
        assert gc.isenabled()
    with pytest.raises(ValueError), uncollected(100_000):
        assert not gc.isenabled()
        with uncollected(100_000):
            assert not gc.isenabled()
        assert not gc.isenabled()
        raise ValueError
    assert gc.isenabled()
    gc.disable()
    try:
        with uncollected(100_000):
            pass
        assert not gc.isenabled()  # whoever switched it off wants it so
    finally:
        gc.enable()
