"""Names from refs: by position in a commit-graph they are those that the walk over objects gives."""

from types import SimpleNamespace
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.limits import Context
from gitglass.objects.numbering import Numbering
from gitglass.revs.name_rev import Namer, NameSpec, _one_of

from ..graph.test_positions import Graph, graphs, name, number
from ..support.histories import empty_pack


def store_of(graph: Graph, tips: list[int]) -> Any:
    """Commits by number, of which the tips have refs: tags and branches in turn."""
    refs = [(b"refs/%b/r%d" % (b"heads" if nth % 3 else b"tags", nth), name(tip)) for nth, tip in enumerate(tips)]

    def generation(oid: bytes) -> int | None:
        return None if number(oid) >= graph.count else graph.row(number(oid))[2] >> 34

    odb = SimpleNamespace(
        graph=graph, kind=lambda oid: b"commit", peel=lambda oid: oid, commit_facts=graph.commit_facts,
        facts_reader=lambda ends=False: graph.commit_facts, generation=generation, numbering=None, grafted={},
        replaced={}, commit=graph.commit_facts,
    )  # fmt: skip
    return SimpleNamespace(odb=odb, refs=SimpleNamespace(iterate=lambda prefix: refs))


@given(graphs(), st.lists(st.integers(0, 13), min_size=1, max_size=3))
def test_by_position_and_by_name(case: tuple[Graph, list[int]], wanted: list[int]) -> None:
    graph, tips = case
    oids = [name(place % len(graph.parents)) for place in wanted]
    store = store_of(graph, tips)
    ours = Namer(store, oids, NameSpec(), ctx=Context())
    with mock.patch("gitglass.revs.name_rev.by_position", lambda *words: None):
        plain = Namer(store, oids, NameSpec(), ctx=Context())
        store.odb.graph, levels = None, store.odb.generation
        pack = empty_pack()
        store.odb.numbering, store.odb.generation = Numbering(pack, graph.commit_facts), lambda oid: None
        numbered = Namer(store, oids, NameSpec(), ctx=Context())
        store.odb.numbering = None
        by_oid = Namer(store, oids, NameSpec(), ctx=Context())
        store.odb.graph, store.odb.generation = graph, levels
    assert [ours.name(oid) for oid in oids] == [plain.name(oid) for oid in oids]
    assert [numbered.name(oid) for oid in oids] == [by_oid.name(oid) for oid in oids]
    reached = graph.ancestors(tips)
    assert [ours.name(oid) is not None for oid in oids] == [number(oid) in reached for oid in oids]


def test_names_along_first_and_other_parents() -> None:
    graph = Graph([[], [0], [1], [1], [2, 3], [4], [0]], 5)
    store = store_of(graph, [5])
    namer = Namer(store, list(map(name, range(7))), NameSpec(), ctx=Context())
    shown = [namer.name(name(place)) for place in range(7)]
    assert shown == [b"tags/r0~4", b"tags/r0~3", b"tags/r0~2", b"tags/r0~1^2", b"tags/r0~1", b"tags/r0", None]


def test_a_text_is_annotated(unpack: Any) -> None:
    """Whole names within no other word of digits are named; a carriage return and what follows a NUL are lost."""
    repo = unpack("plain")
    head = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout.strip()
    name = gitglass.git(["name-rev", "--name-only", "HEAD"], cwd=repo).stdout.strip()

    def annotated(text: bytes, *words: str) -> bytes:
        done = gitglass.git(["name-rev", "--annotate-stdin", *words], cwd=repo, stdin=text)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    assert annotated(b"x %b,\r\ny" % head) == b"x %b (%b),\ny\n" % (head, name)
    assert annotated(b"%b\n" % head, "--name-only") == name + b"\n"
    same = b"%b0 %b %b\n" % (head, head.upper(), b"0" * 40)
    assert annotated(same) == same
    assert annotated(b"a\0%b\nb\n" % head) == b"ab\n"
    assert annotated(b"") == b""


def test_one_kind_of_what_is_named(unpack: Any) -> None:
    for words in (["--all", "HEAD"], ["--annotate-stdin", "HEAD"], ["--all", "--annotate-stdin"]):
        done = gitglass.git(["name-rev", *words], cwd=unpack("plain"), stdin=b"")
        assert done.returncode == 129 and done.stderr.startswith(b"error: Specify either a list, or --all, not both!\n")


def test_of_several_refs_to_a_tag_the_search_decides() -> None:
    """As git searches: from the place that the digits suggest, then by halves."""
    one, two, three = (bytes([number]) * 20 for number in (10, 60, 61))
    assert [_one_of([one, *[two] * 3, three], oid) for oid in (one, two, three)] == [0, 3, 4]
    assert [_one_of([two] * number, two) for number in (1, 2, 3)] == [0, 0, 0]
    assert [_one_of([one, three], oid) for oid in (two, bytes(20), b"\xff" * 20)] == [None] * 3
    assert _one_of([], one) is None and _one_of([one], two) is None
