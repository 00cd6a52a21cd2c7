"""limits.py: what a call may spend, and what it tells."""

import pytest

from gitglass import limits
from gitglass.errors import Cancelled, Timeout, TooLarge
from gitglass.limits import Context, Limits


def spin(ctx: Context) -> None:
    for _ in range(1000):
        ctx.tick()


def test_the_deadline_ends_a_loop() -> None:
    with pytest.raises(Timeout) as caught:
        spin(Context(Limits(timeout=-1)))
    assert caught.value.status == 124
    spin(Context(Limits(timeout=None)))


def test_the_cancel_flag_ends_a_loop() -> None:
    with pytest.raises(Cancelled):
        spin(Context(cancelled=lambda: True))


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REPORT_SECONDS", 0.0)
    told: list[tuple[str, int, int | None]] = []
    spin(Context(progress=lambda *step: told.append(step)))
    assert told and told[-1][0] == "steps" and 0 < told[-1][1] <= 1000


def test_an_object_beyond_the_limit_is_refused_by_name() -> None:
    with pytest.raises(TooLarge, match="blob x is too large: 11 bytes"):
        Context(Limits(max_object_bytes=10)).admit(11, "blob x")


def test_what_is_said_is_said_once() -> None:
    ctx = Context()
    voice = ["warning: from the handle"]
    ctx.voices.append(voice)
    ctx.warn("from the call")
    assert ctx.spoken() == [b"warning: from the handle\n", b"warning: from the call\n"]
    assert ctx.spoken() == []
    ctx.note("x")
    ctx.note("x")
    assert ctx.notes == ["x"]
