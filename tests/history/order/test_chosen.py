"""Which commits of a walk in order are shown, and the lines of a graph; whole walks are compared in test_dispatch.py."""

from types import SimpleNamespace
from typing import Any

from gitglass.history.order.chosen import chooser, lines_of
from gitglass.history.spec import WalkSpec


class Reads:
    """A store whose commits have the message that their name is; it counts what is read."""

    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.once = True
        self.odb = SimpleNamespace(commit=None, raw_reader=lambda keep: self.raw)

    def raw(self, oid: bytes) -> bytes:
        self.read.append(oid)
        return b"tree %b\n\n%b\n" % (b"0" * 40, oid)


def has_a(commit: Any) -> bool:
    return b"a" in commit.message


def test_all_are_shown_where_nothing_is_asked() -> None:
    store: Any = Reads()
    assert chooser(WalkSpec(skip=1, max_count=1), store, bytes) is None


def test_a_message_is_read_once_beside_a_graph() -> None:
    for graph, times in ((True, 1), (False, 2)):
        store: Any = Reads()
        test = chooser(WalkSpec(matcher=has_a, graph=graph), store, bytes)
        assert test is not None
        assert [test(name, (), None) for name in (b"aa", b"b", b"aa")] == [True, False, True]
        assert store.read.count(b"aa") == times
        assert test(b"c", (), b"tree\n\nan a\n") and store.read[-1] != b"c"  # what was read is not read again


def test_what_is_ruled_out_is_not_matched() -> None:
    store: Any = Reads()
    spec = WalkSpec(matcher=lambda commit: True, rules_out=lambda raw: raw.endswith(b"b\n"))
    test = chooser(spec, store, bytes)
    assert test is not None
    assert [test(name, (), None) for name in (b"a", b"b")] == [True, False]


def test_parents_are_counted_without_reading() -> None:
    store: Any = Reads()
    test = chooser(WalkSpec(min_parents=1, max_parents=1), store, bytes)
    assert test is not None
    assert [test(b"x", above, None) for above in ((), (b"p",), (b"p", b"q"))] == [False, True, False]
    assert not store.read


def test_lines_go_to_the_parents_that_are_shown() -> None:
    above = (1, 2, 3)
    assert lines_of(WalkSpec(), None)(above) is above
    assert lines_of(WalkSpec(), lambda parent: True)(above) is above
    assert lines_of(WalkSpec(), lambda parent: parent != 2)(above) == (1, 3)
    assert lines_of(WalkSpec(first_parent=True), None)(above) == (1,)
    assert lines_of(WalkSpec(first_parent=True), lambda parent: parent != 1)(above) == ()
