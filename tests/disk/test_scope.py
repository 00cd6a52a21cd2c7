"""Which names of a directory bear on some paths: what leads to them, what is below them, and files that git goes by."""

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
