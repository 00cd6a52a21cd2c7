"""What is said of a revision that names nothing, and the refs that come closest."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.revs.errors import bad_argument, bad_revision, closest

REFS = (
    b"refs/heads/main", b"refs/heads/feature/login", b"refs/heads/maintenance", b"refs/remotes/origin/7.2",
    b"refs/tags/v7.2", b"refs/tags/17.23",
)  # fmt: skip


@pytest.fixture
def store() -> Any:
    return SimpleNamespace(refs=SimpleNamespace(iterate=lambda prefix: [(name, bytes(20)) for name in REFS]))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (b"mian", [b"main"]),
        (b"^MAIN~3", [b"main", b"maintenance"]),
        (b"main..other", [b"main", b"maintenance"]),
        (b"logn", [b"feature/login"]),
        (b"7.2", [b"v7.2", b"origin/7.2", b"17.23"]),
        (b"m", []),
        (b"something-else", []),
        (b"abc", []),
    ],
)
def test_what_comes_closest(store: Any, asked: bytes, expected: list[bytes]) -> None:
    assert closest(store, asked, Context()) == expected


def test_no_more_than_five() -> None:
    many = [(b"refs/heads/topic%d" % nth, bytes(20)) for nth in range(9)]
    store: Any = SimpleNamespace(refs=SimpleNamespace(iterate=lambda prefix: many))
    assert closest(store, b"topic", Context()) == [b"topic%d" % nth for nth in range(5)]


def test_words_and_remedies(store: Any) -> None:
    error = bad_revision(store, b"mian", ctx=Context())
    assert (error.message, error.hint) == ("bad revision 'mian'", "did you mean main?")
    error = bad_argument(store, b"nowhere", ctx=Context())
    assert error.message.startswith("ambiguous argument 'nowhere': unknown revision or path not in the working tree.\n")
    assert error.hint != "did you mean ?"
