"""Renames, copies and rewrites, through the whole pipeline."""

from typing import Any

import pytest

from gitglass.diff.changes import MODIFIED, Change, Filespec
from gitglass.diff.diffcore import diffcore, follow_rename, warn_rename_limit
from gitglass.diff.similarity import Similarity, span_hash
from gitglass.diff.spec import DiffSpec, Pickaxe
from gitglass.diff.trees import diff_trees
from gitglass.errors import GitError


def text(seed: int, lines: int = 40) -> bytes:
    return b"".join(b"%d: some words of line %d\n" % (seed, at) for at in range(lines))


@pytest.fixture
def changes(odb, contents, ctx):
    def run(one, two, **options):
        spec = DiffSpec(**{"renames": 1, **options})
        found = diff_trees(odb.add_tree(one), odb.add_tree(two), odb, spec, ctx=ctx)
        run.spec = spec
        return [
            (c.status, c.score, c.old.path, c.new.path) if c.old.path != c.new.path else (c.status, c.score, c.new.path)
            for c in diffcore(found, contents, spec, ctx=ctx)
        ]

    return run


def test_exact_rename_prefers_an_equal_base_name(changes):
    one = {b"a": b"same\n", b"d": {b"x": b"same\n"}}
    assert changes(one, {b"e": {b"x": b"same\n"}}) == [("D", 0, b"a"), ("R", 100, b"d/x", b"e/x")]


def test_a_source_is_used_once_unless_copies_are_wanted(changes):
    one, two = {b"a": text(1)}, {b"b": text(1), b"c": text(1)}
    assert changes(one, two) == [("R", 100, b"a", b"b"), ("A", 0, b"c")]
    assert changes(one, two, renames=2) == [("C", 100, b"a", b"b"), ("R", 100, b"a", b"c")]


def test_inexact(changes):
    assert changes({b"a": text(1)}, {b"b": text(1) + b"and more\n"}) == [("R", 99, b"a", b"b")]
    assert changes({b"a": text(1)}, {b"b": text(2)}) == [("D", 0, b"a"), ("A", 0, b"b")]
    assert changes({b"a": text(1)}, {b"b": text(1) + b"and more\n"}, rename_score=60000) == [
        ("D", 0, b"a"), ("A", 0, b"b")
    ]  # fmt: skip


def test_sizes_that_are_just_in_reach(changes):
    lines = [b"line %04d\n" % at for at in range(200)]
    short, half, whole, more = (b"".join(lines[:count]) for count in (49, 50, 100, 101))
    others = {b"o%d" % at: b"".join(lines[150 - at :]) + b"other\n" * 90 * at for at in range(3)}  # of all sizes
    assert ("R", 50, b"a", b"b") in changes({b"a": whole, **others}, {b"b": half})
    assert ("R", 50, b"a", b"b") in changes({b"a": half, **others}, {b"b": whole})
    assert ("A", 0, b"b") in changes({b"a": whole}, {b"b": short})
    assert ("A", 0, b"b") in changes({b"a": half}, {b"b": more})


def test_an_equal_base_name_wins_over_a_better_score(changes):
    near, nearer = text(1) + b"x\n" * 5, text(1) + b"x\n"
    found = changes({b"d": {b"f": text(1)}}, {b"e": {b"f": near}, b"g": nearer})
    assert found == [("R", 99, b"d/f", b"e/f"), ("A", 0, b"g")]


def test_copies_come_from_changed_files_only_unless_harder(changes):
    one = {b"a": text(1), b"k": text(3)}
    two = {b"a": text(1) + b"x\n", b"k": text(3), b"c": text(1), b"m": text(3)}
    assert changes(one, two, renames=2) == [
        ("M", 0, b"a"), ("C", 100, b"a", b"c"), ("A", 0, b"m")
    ]  # fmt: skip
    assert changes(one, two, renames=2, find_copies_harder=True) == [
        ("M", 0, b"a"), ("C", 100, b"a", b"c"), ("C", 100, b"k", b"m")
    ]  # fmt: skip


def test_empty_files_are_renames_unless_not_wanted(changes):
    assert changes({b"a": b""}, {b"b": b""}) == [("R", 100, b"a", b"b")]
    assert changes({b"a": b""}, {b"b": b""}, rename_empty=False) == [("D", 0, b"a"), ("A", 0, b"b")]


def test_a_rewrite_is_broken_and_joined_again(changes):
    assert changes({b"a": text(1)}, {b"a": text(2)}) == [("M", 0, b"a")]
    [(status, score, path)] = changes({b"a": text(1)}, {b"a": text(2)}, break_score=0)
    assert (status, path) == ("M", b"a") and score > 90


def test_two_files_swapped(changes):
    one, two = {b"a": text(1), b"b": text(2)}, {b"a": text(2), b"b": text(1)}
    assert changes(one, two) == [("M", 0, b"a"), ("M", 0, b"b")]
    assert changes(one, two, break_score=0) == [("R", 100, b"b", b"a"), ("R", 100, b"a", b"b")]


def test_the_limit_is_noted_and_said_once(changes, ctx):
    one = {b"a%d" % at: text(at) for at in range(3)}
    two = {b"b%d" % at: text(at) + b"more\n" for at in range(3)}
    assert all(row[0] in "AD" for row in changes(one, two, rename_limit=1))
    warn_rename_limit(changes.spec, ctx)
    assert b"at least 3 and retry" in list(ctx.stderr)[-1]


def test_filter_keeps_all_or_none_with_a_star(changes):
    one, two = {b"a": b"1", b"b": b"1"}, {b"a": b"2"}
    assert changes(one, two, keep=frozenset("D")) == [("D", 0, b"b")]
    assert len(changes(one, two, keep=frozenset("D"), keep_all=True)) == 2
    assert changes(one, two, keep=frozenset("R"), keep_all=True) == []


def test_reverse_swaps_before_renames_are_looked_for(changes):
    assert changes({b"a": text(1)}, {b"b": text(1)}, reverse=True) == [("R", 100, b"b", b"a")]


def test_relative_hides_renames_from_outside(changes):
    found = changes({b"a": text(1)}, {b"d": {b"b": text(1)}}, relative=b"d/")
    assert found == [("A", 0, b"d/b")]


def test_rotate_and_skip(changes):
    one, two = {b"a": b"1", b"b": b"1", b"c": b"1"}, {b"a": b"2", b"b": b"2", b"c": b"2"}
    assert [row[2] for row in changes(one, two, rotate_to=b"b")] == [b"b", b"c", b"a"]
    assert [row[2] for row in changes(one, two, skip_to=b"bb")] == [b"c"]
    with pytest.raises(GitError, match="No such path 'bb' in the diff"):
        changes(one, two, skip_to=b"bb", rotate_strict=True)


def test_an_order_file_puts_what_fits_its_first_patterns_first(changes):
    one = {b"a.c": b"1", b"b.h": b"1", b"d": {b"x.c": b"1"}, b"e": b"1"}
    two = {b"a.c": b"2", b"b.h": b"2", b"d": {b"x.c": b"2"}, b"e": b"2"}
    assert [row[2] for row in changes(one, two, order=lambda: (b"d", b"*.h"))] == [b"d/x.c", b"b.h", b"a.c", b"e"]


def test_follow_looks_at_every_file_of_the_old_tree(odb, contents, ctx):
    old = odb.add_tree({b"kept": text(1), b"other": text(2)})
    new = odb.add_tree({b"kept": text(1), b"other": text(2), b"copy": text(1) + b"x\n"})
    found = follow_rename(old, new, b"copy", contents, DiffSpec(), ctx=ctx)
    assert found is not None and (found.status, found.old.path) == ("C", b"kept")
    assert follow_rename(old, new, b"kept", contents, DiffSpec(), ctx=ctx) is None


def test_among_equals_the_slot_decides(changes):
    """The first of two equal sources takes the place of the worst of four, and chance agreements make one the worst."""
    seen: dict[int, bytes] = {}
    twins: list[tuple[bytes, bytes]] = []  # different lines of one hash
    at = 0
    while len(twins) < 3:
        line = b"line %05d\n" % at
        other = seen.setdefault(span_hash(line), line)
        if other is not line:
            twins.append((other, line))
        at += 1

    def file(seed: int, *lines: bytes) -> bytes:
        return b"".join([*lines, *(b"%s of %04d\n" % (b"abcdefghij"[n : n + 1], seed) for n in range(len(lines), 10))])

    near = [b"near %05d\n" % n for n in range(6)]
    there, here = [one for one, _ in twins], [two for _, two in twins]
    worse = [file(1, here[0]), file(2), file(3, *here[:2]), file(4, *here)]
    sources = {b"s%d" % n: data for n, data in enumerate([*worse, file(5, *near), file(6, *near)])}
    found = changes(sources, {**sources, b"t": file(7, *near, *there)}, renames=2, find_copies_harder=True)
    assert found == [("C", 60, b"s5", b"t")]


def test_a_crowd_is_compared_only_where_it_may_come_to_anything(changes, monkeypatch):
    compared = []
    of = Similarity.of

    def counted(self, old, *rest):
        compared.append(old.path)
        return of(self, old, *rest)

    monkeypatch.setattr(Similarity, "of", counted)
    licence = b"".join(b"clause %d of the licence\n" % at for at in range(4))
    one = {b"old%d" % seed: licence + text(seed) for seed in range(12)}
    two = {b"new%d" % seed: licence + text(seed) + b"and more\n" for seed in range(12)}
    found = changes(one, two)
    assert found == sorted([("R", 99, b"old%d" % seed, b"new%d" % seed) for seed in range(12)], key=lambda row: row[3])
    assert sorted(compared) == sorted(one)


# What follows was recorded from git 2.39.5 (tests/live/test_identical_files.py asks it about random trees).
def empties(*names: bytes) -> dict[bytes, bytes]:
    return dict.fromkeys(names, b"")


def test_identical_files_that_are_used_up_are_no_alternatives(changes):
    many = empties(*(b"n%d" % at for at in range(101, 211)))
    one = {b"old": {b"a": many, b"b": empties(b"k1"), b"c": empties(b"k2")}}
    two = {b"new": {b"a": many, b"b": empties(b"k2"), b"c": empties(b"k1")}}
    found = changes(one, two)
    assert len(found) == 112
    assert found[-2:] == [("R", 100, b"old/c/k2", b"new/b/k2"), ("R", 100, b"old/b/k1", b"new/c/k1")]


def test_identical_files_of_another_kind_are_no_alternatives(changes):
    links = {b"l%03d" % at: (0o120000, b"same") for at in range(120)}
    one = {b"a": links, b"old": {b"x": b"same", b"y": b"same"}}
    assert changes(one, {b"a": links, b"y": b"same"}, renames=2, find_copies_harder=True) == [
        ("D", 0, b"old/x"), ("R", 100, b"old/y", b"y")
    ]  # fmt: skip


@pytest.mark.parametrize(("unmodified", "origin"), [(98, b"zgone"), (99, b"zgone"), (100, b"e000"), (101, b"e000")])
def test_the_hundredth_alternative_is_the_last(changes, unmodified, origin):
    kept = empties(*(b"e%03d" % at for at in range(unmodified)))
    found = changes({**kept, **empties(b"zgone")}, {**kept, **empties(b"znew")}, renames=2, find_copies_harder=True)
    copied = [("D", 0, b"zgone"), ("C", 100, b"e000", b"znew")]
    assert found == (copied if origin == b"e000" else [("R", 100, b"zgone", b"znew")])


@pytest.mark.parametrize(("place", "origin"), [(99, b"d/e099"), (100, b"d/e000")])
def test_an_equal_base_name_behind_the_hundredth_alternative_counts_for_nothing(changes, place, origin):
    one = {b"d": empties(*(b"e%03d" % at for at in range(150)))}
    new = b"e%03d" % place
    assert ("R", 100, origin, new) in changes(one, empties(new))


@pytest.mark.parametrize(
    ("count", "first"), [(1, 0), (204, 0), (205, 204), (206, 0), (820, 0), (3276, 0), (3277, 3276), (3278, 0)]
)
def test_some_numbers_of_identical_files_are_taken_from_the_last(changes, count, first):
    one = empties(*(b"e%04d" % at for at in range(count)))
    assert [row for row in changes(one, empties(b"znew")) if row[0] != "D"] == [("R", 100, b"e%04d" % first, b"znew")]


def test_an_added_submodule_is_not_dirty_the_other_way_round(
    contents: Any, ctx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git diff -R: the content of a deleted side is what the commit says; that of a changed one keeps its mark."""
    monkeypatch.setattr("gitglass.diff.diffcore._ignored", lambda *words: False)
    gitlink, oids = 0o160000, (b"\1" * 20, b"\2" * 20)

    def sides(old: int) -> list[Change]:
        before = Filespec(b"s", gitlink, oids[0]) if old else Filespec(b"s")
        return [Change("M" if old else "A", before, Filespec(b"s", gitlink, oids[1], dirty=MODIFIED))]

    for old, status in ((0, "D"), (1, "M")):
        [change] = diffcore(sides(old), contents, DiffSpec(reverse=True), ctx=ctx)
        assert (change.status, change.old.oid, change.old.dirty) == (status, oids[1], MODIFIED * old)
        assert change.new.dirty == 0


def test_nothing_is_rotated_where_nothing_is_left(contents: Any, ctx: Any) -> None:
    assert diffcore([], contents, DiffSpec(rotate_to=b"x", rotate_strict=True), ctx=ctx) == []
    oids = [contents.odb.add(b"blob", data) for data in (b"1\n", b"2\n")]
    side = [Filespec(b"f", 0o100644, oid) for oid in oids]
    axe = Pickaxe("S", b"nowhere")
    spec = DiffSpec(skip_to=b"x", rotate_strict=True, pickaxe=axe)
    assert diffcore([Change("M", *side)], contents, spec, ctx=ctx) == []
    with pytest.raises(GitError, match="No such path 'x' in the diff"):
        diffcore([Change("M", *side)], contents, DiffSpec(skip_to=b"x", rotate_strict=True), ctx=ctx)
