"""Best common ancestors, against a definition that is slow and obvious."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.graph.merge_base import ahead_behind, bases_above, independent, is_ancestor, merge_bases, octopus_bases
from gitglass.history.reach import reachable
from gitglass.history.ref_reach import that_contain


def test_criss_cross_has_two_bases_newest_first(history: Any, named: Any, oid_of: Any) -> None:
    history.add("r", time=1)
    history.add("a", "r", time=2)
    history.add("b", "r", time=3)
    history.add("m", "ab", time=4)
    history.add("n", "ba", time=5)
    assert named(merge_bases(history.store, oid_of("m"), [oid_of("n")], ctx=history.ctx)) == ["b", "a"]
    assert named(octopus_bases(history.store, [oid_of("m"), oid_of("n")], ctx=history.ctx)) == ["b", "a"]
    assert named(independent(history.store, [oid_of("r"), oid_of("b"), oid_of("a")], ctx=history.ctx)) == ["b", "a"]


def test_of_a_commit_with_itself(history: Any, oid_of: Any) -> None:
    history.add("a")
    assert merge_bases(history.store, oid_of("a"), [oid_of("a")], ctx=history.ctx) == [oid_of("a")]
    assert ahead_behind(history.store, oid_of("a"), oid_of("a"), ctx=history.ctx) == (0, 0)


Dag = st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 30), max_size=3)), min_size=2, max_size=25)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(Dag, st.integers(0, 30), st.integers(0, 30))
def test_definition(make_history: Any, dag: Any, left: int, right: int) -> None:
    history = make_history()
    oids: list[bytes] = []
    for number, (skew, parents) in enumerate(dag):
        chosen = list(dict.fromkeys(str(parent % number) for parent in parents)) if number else []
        oids.append(history.add(str(number), chosen, number * 10 + skew))  # clocks that lie a little, not more
    one, two = oids[left % len(oids)], oids[right % len(oids)]
    store, ctx = history.store, history.ctx
    ours, theirs = reachable(store, [one], ctx=ctx), reachable(store, [two], ctx=ctx)
    common = ours & theirs
    best = {
        oid for oid in common if not any(oid != other and oid in reachable(store, [other], ctx=ctx) for other in common)
    }
    assert set(merge_bases(store, one, [two], ctx=ctx)) == best
    assert is_ancestor(store, one, two, ctx=ctx) == (one in theirs)
    assert bool(that_contain(store, {two}, [one], ctx=ctx)) == (one in theirs)
    assert ahead_behind(store, one, two, ctx=ctx) == (len(ours - theirs), len(theirs - ours))


def test_bases_in_a_history_that_ends_earlier(history: Any, named: Any, oid_of: Any) -> None:
    for name, above, time in (("r", "", 1), ("a", "r", 2), ("b", "a", 3), ("c", "a", 4), ("d", "b", 5), ("e", "c", 6)):
        history.add(name, above, time=time)

    def bases(ends: str) -> list[str]:
        found = bases_above(history.store, oid_of("d"), [oid_of("e")], set(map(oid_of, ends)), ctx=history.ctx)
        return list(named(found))

    assert bases("") == bases("r") == bases("a") == ["a"]
    assert bases("b") == bases("bc") == []
    assert bases_above(history.store, oid_of("d"), [oid_of("d")], {oid_of("d")}, ctx=history.ctx) == [oid_of("d")]
