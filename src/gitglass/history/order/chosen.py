"""Which commits of a walk in order are shown, and to which of their parents a graph has lines."""

from __future__ import annotations

from collections.abc import Callable

from ...annotations import TYPE_CHECKING, Any
from ...repo.store import Store
from ..fast import filter_of
from ..spec import BARE, WalkSpec, honours

if TYPE_CHECKING:
    from ...graph.nodes import Node

    Test = Callable[[Node, tuple[Any, ...], bytes | None], bool]


_in_order = honours(*BARE, "order", "rewrite_parents", "graph", "first_parent", "reverse")


def orders_only(spec: WalkSpec) -> bool:
    """Whether topological order, with or without a graph, is all that distinguishes a walk from the plain one, and
    which of the commits are shown."""
    backwards = spec.graph and spec.reverse  # git refuses it
    return bool(spec.order) and not backwards and _in_order(spec)


def chooser(spec: WalkSpec, store: Store, oid_of: Callable[[Node], bytes]) -> Test | None:
    """The test of a commit, given with its parents and, if it was read, its raw form; None if all are shown. A graph
    tests a commit for each of its children, too."""
    accept, rules_out = filter_of(spec, store.odb.commit, oid_of), spec.rules_out
    if accept is None:
        return None
    read = None if spec.matcher is None else store.odb.raw_reader(keep=spec.graph or not store.once)
    answers: dict[Node, bool] = {}

    def test(node: Node, above: tuple[Any, ...], raw: bytes | None) -> bool:
        answer = answers.get(node)
        if answer is None:
            if raw is None and read is not None:
                raw = read(oid_of(node))
            answer = not (rules_out is not None and raw is not None and rules_out(raw)) and accept(node, 0, above, raw)
            if spec.graph:
                answers[node] = answer
        return answer

    return test


def lines_of(spec: WalkSpec, is_shown: Callable[[Node], bool] | None) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """The function that selects, of a commit's parents, those that a graph has lines to; `is_shown` None: all are
    shown."""
    only_first = spec.first_parent
    if is_shown is None and not only_first:
        return tuple

    def drawn(above: tuple[Any, ...]) -> tuple[Any, ...]:
        if only_first:
            above = above[:1]
        return above if is_shown is None or all(map(is_shown, above)) else tuple(filter(is_shown, above))

    return drawn
