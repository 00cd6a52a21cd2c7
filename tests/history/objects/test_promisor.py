"""What a partial clone was promised."""

from __future__ import annotations

from typing import Any

import pytest

from gitglass.history.objects.promisor import Promised
from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store


@pytest.fixture
def partial(builder: Any) -> Any:
    """partial(promisor, entries): the store of a repository with one pack, fetched with a promise or not."""

    def make(entries: list[Any], *, promisor: bool = True, clone: bool = True) -> Store:
        base = builder.pack(entries)
        if promisor:
            base.with_suffix(".promisor").touch()
        if clone:
            with (builder.top / ".git" / "config").open("a") as config:
                config.write('[remote "origin"]\n\tpromisor = true\n')
        return open_store(Where(cwd=str(builder.top).encode()), root=None)

    return make


GONE = [bytes([n]) * 20 for n in range(1, 7)]


def entries(builder: Any) -> list[Any]:
    """A tree, a commit and a tag, which name six objects that are not here."""
    tree = b"100644 a\0" + GONE[0] + b"40000 b\0" + GONE[1]
    commit = builder.commit(GONE[3], GONE[4], tree=GONE[2])
    tag = b"object %s\ntype commit\ntag v1\ntagger A <a@b> 1 +0000\n\nt\n" % GONE[5].hex().encode()
    tagged = builder.oid(b"tag", tag), 4, b"", tag
    return [builder.whole(b"tree", tree), builder.whole(b"commit", commit), tagged, builder.whole(b"blob", b"x")]


def test_promised_is_what_the_pack_holds_and_names(builder: Any, partial: Any) -> None:
    rows = entries(builder)
    promised = Promised(partial(rows), Context())
    packed = {row[0] for row in rows}
    assert promised.packed() == packed
    assert [promised(oid) for oid in GONE] == [True] * 6
    assert all(promised(oid) for oid in packed)
    assert not promised(bytes([99]) * 20)


def test_another_pack_promises_nothing(builder: Any, partial: Any) -> None:
    promised = Promised(partial(entries(builder), promisor=False), Context())
    assert promised.packed() == set() and not promised(GONE[0])


def test_a_whole_clone_was_promised_nothing(builder: Any, partial: Any) -> None:
    promised = Promised(partial(entries(builder), clone=False), Context())
    assert not promised(GONE[0])


def test_a_broken_object_keeps_its_own_promise_only(builder: Any, partial: Any) -> None:
    rows = [builder.whole(b"commit", b"no commit at all"), *entries(builder)]
    promised = Promised(partial(rows), Context())
    assert promised(rows[0][0]) and promised(GONE[2])
