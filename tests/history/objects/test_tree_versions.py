"""What is new in the versions of a directory."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.tree_delta import OFFSETS
from gitglass.history.objects import tree_versions
from gitglass.history.objects.tree_versions import TreeVersions
from gitglass.memories import ByOid
from gitglass.objects.parsed import fresh_entries, tree_entries

NAMES = [b"%03d" % number for number in range(120)]
VERSIONS = st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), max_size=4), min_size=1, max_size=8)


def tree(entries: dict[bytes, int]) -> bytes:
    return b"".join(b"100644 %b\0" % name + bytes([entries[name]]) * 20 for name in sorted(entries))


@given(VERSIONS)
def test_all_that_was_not_there_before_is_left(changes: list[dict[bytes, int]]) -> None:
    versions, seen = TreeVersions(20, ByOid(1 << 20).table(OFFSETS)), set[bytes]()
    now = dict.fromkeys(NAMES[::2], 9)
    for number, change in enumerate(changes):
        for name, value in change.items():
            if value:
                now[name] = value
            else:
                now.pop(name, None)
        raw = tree(now)
        news = versions.news(b"lib", bytes([number]) * 20, raw)
        assert fresh_entries(news, 20, seen, set()) == fresh_entries(raw, 20, seen, set())
        seen.update(oid for _, _, oid in tree_entries(raw, 20))


def test_only_the_difference_is_taken_apart() -> None:
    versions = TreeVersions(20, ByOid(1 << 20).table(OFFSETS))
    one = tree(dict.fromkeys(NAMES, 1))
    two = tree(dict.fromkeys(NAMES, 1) | {b"050": 2})
    assert versions.news(b"a", b"1" * 20, one) == one
    assert versions.news(b"b", b"2" * 20, two) == two  # another directory
    assert versions.news(b"a", b"2" * 20, two) == tree({b"050": 2})
    assert versions.news(b"a", b"3" * 20, two[:-3]) == two[:-3]  # cut short: for others to complain of


def test_what_is_remembered_is_bounded(monkeypatch: object) -> None:
    versions = TreeVersions(20, ByOid(1 << 20).table(OFFSETS))
    raw = tree(dict.fromkeys(NAMES, 1)) * 50
    for number in range(600):
        versions.news(b"%d" % number, b"%020d" % number, raw)
    assert sum(len(kept) for _, kept in versions._last.values()) <= tree_versions._KEPT + len(raw)
