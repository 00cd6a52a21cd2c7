"""Trees compared: against a naive comparison of flattened trees, whatever their size."""

from itertools import count, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.diff import trees as trees_room
from gitglass.diff.spec import DiffSpec
from gitglass.diff.tree_delta import OFFSETS, TreeCutter, common_head, common_tail
from gitglass.diff.trees import Trees, diff_trees
from gitglass.errors import Corrupt
from gitglass.memories import ByOid
from gitglass.paths.pathspec import Pathspecs

from ..support.memory_odb import MemoryOdb

NAMES = st.sampled_from([b"a", b"a.c", b"a-b", b"b", b"lib", b"lib.c", b"100644 x", b"z"])
FILES = st.one_of(st.binary(max_size=2), st.tuples(st.sampled_from([0o100755, 0o120000]), st.binary(max_size=2)))
FILE, LINK = 0o100644, 0o160000
TREES = st.recursive(
    st.dictionaries(NAMES, FILES, max_size=5),
    lambda below: st.dictionaries(NAMES, st.one_of(FILES, below.filter(bool)), max_size=6),
    max_leaves=12,
)
QUIET = settings(
    max_examples=75, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def flat(tree, base=b""):
    out = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            out.update(flat(value, base + name + b"/"))
        else:
            out[base + name] = value if isinstance(value, tuple) else (0o100644, value)
    return out


def expected(one, two):
    one, two = flat(one), flat(two)
    return [
        (path, one.get(path, (0, None))[0], two.get(path, (0, None))[0])
        for path in sorted(one.keys() | two.keys())
        if one.get(path) != two.get(path)
    ]


@pytest.mark.parametrize("large", [0, 3000])
@QUIET
@given(one=TREES, two=TREES)
def test_equals_a_naive_comparison(large, one, two, ctx):
    odb = MemoryOdb()
    old, new = odb.add_tree(one), odb.add_tree(two)
    was, trees_room.LARGE = trees_room.LARGE, large
    try:
        seen = Trees(odb)
        for _ in range(2):  # the second time from what was remembered
            rows = seen.rows(old, new, ctx=ctx)
            assert [(row[0], row[1], row[3]) for row in rows] == expected(one, two)
        back = seen.rows(new, old, ctx=ctx)
        assert [(row[0], row[1], row[3]) for row in back] == expected(two, one)
    finally:
        trees_room.LARGE = was


@QUIET
@given(st.lists(st.binary(min_size=20, max_size=20), min_size=30, max_size=30), st.data())
def test_versions_of_a_large_directory(oids, data):
    """Offsets learnt from one version serve the next, also where entries come and go."""
    import re

    cut = re.compile(rb"[^\0]+\0.{20}", re.DOTALL).findall
    cutter = TreeCutter(cut, 20, ByOid(1 << 20).table(OFFSETS))
    entries = [b"100644 f%03d\0" % at + oid for at, oid in enumerate(oids)]
    versions, fresh = [entries], count()
    for _ in range(4):
        made = list(versions[-1])
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(made) - 1))
            change = data.draw(st.sampled_from("mda"))
            if change == "m":
                made[at] = made[at][:-20] + data.draw(st.binary(min_size=20, max_size=20))
            elif change == "d":
                del made[at]
            else:
                made.insert(
                    at,
                    made[at].split(b"\0")[0] + b"-%d\0" % next(fresh) + data.draw(st.binary(min_size=20, max_size=20)),
                )
        versions.append(made)
    for number, (one, two) in enumerate(pairwise(versions)):
        found = cutter.differ(b"%d" % number, b"".join(one), b"%d" % (number + 1), b"".join(two))
        assert found is not None
        assert sorted(found[0]) == sorted(set(one) - set(two))
        assert sorted(found[1]) == sorted(set(two) - set(one))


@pytest.mark.parametrize("bit", [0, 7])
@pytest.mark.parametrize("size", [3, 400])
def test_versions_that_differ_in_one_byte_of_a_name(size: int, bit: int) -> None:
    cut = trees_room._CUT[20].findall
    entries = [b"100644 f%03d\0" % nth + bytes(20) for nth in range(size)]
    for nth in {0, 1, size - 1}:
        for at in range(20):
            cutter = TreeCutter(cut, 20, ByOid(1 << 20).table(OFFSETS))
            oid = bytearray(20)
            oid[at] = 1 << bit
            changed = [*entries[:nth], entries[nth][:-20] + oid, *entries[nth + 1 :]]
            assert cutter.differ(b"1", b"".join(entries), b"2", b"".join(changed)) == ([entries[nth]], [changed[nth]])


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=600))
def test_common_ends(one, two, shared):
    assert common_head(shared + one, shared + two) >= len(shared)
    assert common_tail(one + shared, two + shared, len(shared)) == len(shared)


def test_pathspecs_limit_and_prune(odb, ctx):
    old = odb.add_tree({b"a": {b"x": b"1", b"y": b"1"}, b"b": {b"z": b"1"}})
    new = odb.add_tree({b"a": {b"x": b"2", b"y": b"2"}, b"b": {b"z": b"2"}})
    before = odb.reads
    spec = DiffSpec(pathspecs=Pathspecs.parse([b"a/x"]))
    assert [change.path for change in diff_trees(old, new, odb, spec, ctx=ctx)] == [b"a/x"]
    assert odb.reads - before == 4  # the tree b was never opened


@pytest.mark.parametrize("doubled", [False, True])
@pytest.mark.parametrize(
    ("word", "rows"),
    [
        ("s/", [(b"s", LINK, LINK)]),
        ("t/", [(b"t", 0, LINK)]),
        ("u/", [(b"u", LINK, 0)]),
        ("s/x", []),
        ("f/", []),
        (":(exclude)t/", [(b"f", FILE, FILE), (b"s", LINK, LINK), (b"t", FILE, 0), (b"u", LINK, FILE)]),
    ],
)
def test_a_name_with_a_slash_is_that_of_a_submodule(word, rows, doubled, ctx):
    """Each side is judged for itself (git diff-tree A B -- s/)."""
    odb = MemoryOdb()
    old = odb.add_tree({b"f": b"1", b"s": (LINK, b"1"), b"t": b"1", b"u": (LINK, b"1")})
    new = odb.add_tree({b"f": b"2", b"s": (LINK, b"2"), b"t": (LINK, b"2"), b"u": b"2"})
    seen = Trees(odb)
    found = (seen.rows_in_order if doubled else seen.rows)(old, new, Pathspecs.parse([word.encode()]), ctx=ctx)
    assert [(path, mode, other) for path, mode, _, other, _ in found] == rows


WORDS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map(b"/".join), min_size=1, max_size=3)


@QUIET
@given(one=TREES, two=TREES, words=WORDS, show_trees=st.booleans(), recursive=st.booleans())
def test_only_names_on_the_way_to_a_path_are_looked_at(one, two, words, show_trees, recursive, ctx):
    """The same rows as entry by entry, of which those off the way are not put into pairs."""
    odb = MemoryOdb()
    seen, paths = Trees(odb), Pathspecs.parse(words)
    how = {"ctx": ctx, "show_trees": show_trees, "recursive": recursive}
    old, new = odb.add_tree(one), odb.add_tree(two)
    paired: list[bytes] = []
    pairs = Trees._pairs

    def watched(self, gone, come):
        paired.extend([*gone, *come])
        return pairs(self, gone, come)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trees, "_pairs", watched)
        rows = seen.rows(old, new, paths, **how)
    assert rows == seen.rows_in_order(old, new, paths, **how)
    if all(b"/" not in word and not isinstance(tree.get(word), dict) for word in words for tree in (one, two)):
        assert {entry[:-21].partition(b" ")[2] for entry in paired} <= set(words)


def test_old_permission_bits_do_not_count(odb, ctx):
    blob = odb.add(b"blob", b"x")
    old = odb.add(b"tree", b"100664 f\0" + blob)
    new = odb.add(b"tree", b"100644 f\0" + blob)
    assert Trees(odb).rows(old, new, ctx=ctx) == []


def test_show_trees_puts_them_before_their_files(odb, ctx):
    old, new = odb.add_tree({b"d": {b"f": b"1"}, b"d.c": b"1"}), odb.add_tree({b"d": {b"f": b"2"}, b"d.c": b"2"})
    rows = Trees(odb).rows(old, new, ctx=ctx, show_trees=True)
    assert [row[0] for row in rows] == [b"d.c", b"d", b"d/f"]


@QUIET
@given(raw=st.binary(max_size=80))
def test_garbage_is_corrupt_or_read(raw, ctx):
    odb = MemoryOdb()
    try:
        Trees(odb).rows(None, odb.add(b"tree", raw), ctx=ctx)
    except Corrupt:
        pass
    except Exception as error:
        assert type(error).__name__ == "MissingObject"


def test_unchanged_files_come_along_for_copies(odb, ctx):
    old = odb.add_tree({b"a": b"1", b"k": b"kept"})
    new = odb.add_tree({b"a": b"2", b"k": b"kept"})
    changes = diff_trees(old, new, odb, DiffSpec(find_copies_harder=True, renames=2), ctx=ctx)
    assert [(change.status, change.path) for change in changes] == [("M", b"a"), ("=", b"k")]


@QUIET
@given(tree=TREES)
def test_a_tree_against_none_is_listed_without_sets(tree, ctx):
    odb = MemoryOdb()
    oid = odb.add_tree(tree)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Trees, "differing", lambda *_: pytest.fail("compared as sets"))
        come, gone = Trees(odb).rows(None, oid, ctx=ctx), Trees(odb).rows(oid, None, ctx=ctx)
    assert [(row[0], row[1], row[3]) for row in come] == expected({}, tree)
    assert [(row[0], row[1], row[3]) for row in gone] == expected(tree, {})
    assert [(path, new, old) for path, _, old, _, new in gone] == [(path, old, new) for path, _, old, _, new in come]
