"""Which names of a directory bear on some paths: what leads to them, what is below them, and files that git goes by."""

import tracemalloc

from gitglass.disk.scope import RULES, Scope


def test_what_leads_to_a_path_and_what_is_below_it() -> None:
    scope = Scope(b"/top", [b"one", b"a/b/two", b"a/three"])
    assert scope.names(b"") == RULES | {b"one", b"a"}
    assert scope.names(b"a") == RULES | {b"b", b"three"}
    assert scope.names(b"a/b") == RULES | {b"two"}
    assert scope.names(b"a/b/two") is None and scope.names(b"one/deep/er") is None
    assert scope.names(b"b") == scope.names(b"a/c") == scope.names(b"one more") == frozenset()


def test_the_whole_and_nothing() -> None:
    assert Scope(b"/top", [b""]).names(b"any/where") is None
    assert Scope(b"/top", []).names(b"") == frozenset()


def test_deep_paths_take_memory_by_their_length() -> None:
    paths = [b"%02d/" % number + b"a/" * 3000 + b"x" for number in range(20)]
    tracemalloc.start()
    try:
        scope = Scope(b"/top", paths)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20  # by its square it would be 180 MB
    finally:
        tracemalloc.stop()
    assert scope.names(b"07/" + b"a/" * 2999 + b"a") == RULES | {b"x"}
