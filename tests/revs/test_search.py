"""`:/text`: the youngest commit whose message matches."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.errors import MissingObject
from gitglass.limits import Context
from gitglass.revs.search import find_message, ref_commits

from ..support.histories import History, name_of, oid


@pytest.fixture
def grown(history: History) -> History:
    history.add("root", time=1, message="first fix")
    history.add("left", ["root"], time=2, message="second fix")
    history.add("right", ["root"], time=9, message="third! odd")
    history.add("tip", ["left"], time=5, message="last")
    return history


@pytest.mark.parametrize(
    ("pattern", "tips", "expected"),
    [
        (b"fix", ["tip", "right"], "left"),
        (b"first", ["tip", "right"], "root"),
        (b"^(last|third)", ["tip", "right"], "right"),
        (b"^(last|third)", ["tip"], "tip"),
        (b"!-third", ["tip", "right"], "tip"),
        (b"!!", ["tip", "right"], "right"),
        (b"!fix", ["tip", "right"], None),
        (b"nowhere", ["tip", "right"], None),
        (b"(", ["tip", "right"], None),
        (b"author", ["tip"], None),
    ],
)
def test_by_date_from_the_youngest(grown: History, pattern: bytes, tips: list[str], expected: str | None) -> None:
    got = find_message(grown.store, pattern, [oid(name) for name in tips], ctx=Context())
    assert (got and name_of(got)) == expected


def test_commits_that_refs_lead_to() -> None:
    peeled: dict[bytes, bytes] = {oid("tag"): oid("b")}

    def peel(name: bytes, kind: bytes) -> bytes:
        assert kind == b"commit"
        if name in (oid("gone"), oid("blob")):
            raise MissingObject(name_of(name))
        return peeled.get(name, name)

    names = ["a", "tag", "gone", "blob", "b", "c"]
    refs = SimpleNamespace(read=lambda name: oid("a"), iterate=lambda prefix: [(b"", oid(name)) for name in names])
    store: Any = SimpleNamespace(refs=refs, odb=SimpleNamespace(peel=peel))
    assert [name_of(one) for one in ref_commits(store, Context())] == ["a", "c", "b"]
