"""cli/answer.py: a command that another call needs the answer of."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.cli.answer import Session, answered
from gitglass.errors import Cancelled, Timeout, TooLarge
from gitglass.limits import Context, Limits


@pytest.fixture
def session(tmp_path: Path) -> Session:
    top = copy_of("plain", tmp_path / "repo")
    (top / "README.md").write_bytes(b"changed\n" * (4 << 20))
    store = gitglass.open(top).store
    return Session(store.where, None, store=store, confined=True)


def test_what_a_command_says(session: Session) -> None:
    status, out, err = answered(["rev-parse", "--abbrev-ref", "HEAD"], session, Context())
    assert (status, out, err) == (0, b"main\n", b"")
    status, out, err = answered(["rev-parse", "--verify", "nothing"], session, Context())
    assert (status, out, err) == (128, b"", b"fatal: Needed a single revision\n")


@pytest.mark.parametrize(
    ("ctx", "raised", "words"),
    [
        (lambda: Context(Limits(timeout=0.0)), Timeout, "the time limit of 0 seconds has passed"),
        (lambda: Context(cancelled=lambda: True), Cancelled, "cancelled"),
        (lambda: Context(Limits(max_memory_bytes=1 << 20)), TooLarge, "more memory than this call may use"),
    ],
)  # fmt: skip
def test_the_call_that_asks_is_ended_as_it_would_be_itself(
    session: Session, ctx: Callable[[], Context], raised: type[Exception], words: str
) -> None:
    with pytest.raises(raised, match=words):
        answered(["diff"], session, ctx())


def test_its_deadline_is_what_is_left(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float | None] = []
    monkeypatch.setattr("gitglass.cli.answer.answer", lambda _, __, within, *___: seen.append(within.remaining()) or 0)
    ctx = Context(Limits(timeout=1000.0))
    with ctx.no_longer_than(500.0):
        assert answered(["status"], session, ctx) == (0, b"", b"")
    answered(["status"], session, Context(Limits(timeout=None)))
    assert seen[0] is not None and 400 < seen[0] <= 500 and seen[1] is None
