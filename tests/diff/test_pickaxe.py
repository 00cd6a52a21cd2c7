"""-S, -G and --find-object."""

import pytest

from gitglass.diff import diffcore as core
from gitglass.diff.diffcore import diffcore, sifter
from gitglass.diff.spec import DiffSpec, Pickaxe
from gitglass.diff.trees import diff_trees, trees_of
from gitglass.errors import MissingObject

ONE = {b"a": b"def one\n", b"b": b"def two\n", b"bin": b"\0def\n"}
TWO = {b"a": b"def one\ndef more\n", b"b": b"def 2\n", b"bin": b"\0def def\n"}


@pytest.fixture
def kept(odb, contents, ctx):
    def run(pickaxe, one=ONE, two=TWO, **options):
        spec = DiffSpec(pickaxe=pickaxe, **options)
        found = diff_trees(odb.add_tree(one), odb.add_tree(two), odb, spec, ctx=ctx)
        return [change.path for change in diffcore(found, contents, spec, ctx=ctx)]

    return run


def test_s_counts(kept):
    assert kept(Pickaxe("S", b"def")) == [b"a", b"bin"]
    assert kept(Pickaxe("S", b"DEF")) == []
    assert kept(Pickaxe("S", b"DEF", ignore_case=True)) == [b"a", b"bin"]
    assert kept(Pickaxe("S", b"def [a-z]+", regex=True)) == [b"a", b"b", b"bin"]


def test_case_is_that_of_ascii_or_of_the_c_library(kept):
    one, two = {b"k": b""}, {b"k": "\u212a \u1e9e".encode()}  # the Kelvin sign, a capital sharp s
    assert kept(Pickaxe("S", b"k", ignore_case=True), one=one, two=two) == []
    assert kept(Pickaxe("S", "ß".encode(), ignore_case=True), one=one, two=two) == []
    assert kept(Pickaxe("G", b"k", ignore_case=True), one=one, two=two) == []
    assert kept(Pickaxe("S", "é".encode(), ignore_case=True), one=one, two={b"k": "É".encode()}) == [b"k"]


def test_all_shows_the_whole_change(kept):
    assert kept(Pickaxe("S", b"two", all=True)) == [b"a", b"b", b"bin"]
    assert kept(Pickaxe("S", b"nowhere", all=True)) == []


def test_g_greps_changed_lines_of_text(kept):
    assert kept(Pickaxe("G", b"^def [0-9]")) == [b"b"]
    assert kept(Pickaxe("G", b"def")) == [b"a", b"b"]
    assert kept(Pickaxe("G", b"one")) == []
    assert kept(Pickaxe("G", b"one"), one={}) == [b"a"]


def test_g_takes_the_mark_of_an_incomplete_line_for_no_text(kept):
    assert kept(Pickaxe("G", b"newline"), one={b"a": b"def\n"}, two={b"a": b"def\nx"}) == []
    assert kept(Pickaxe("G", b"x$"), one={b"a": b"def newline\n"}, two={b"a": b"def newline\nx"}) == [b"a"]


def test_g_searches_a_line_with_its_newline(kept):
    one = {b"a": b"def\n", b"b": b"one\n"}
    assert kept(Pickaxe("G", rb"x\s"), one=one, two={b"a": b"def\nx\n", b"b": b"one\nx"}) == [b"a", b"b"]
    assert kept(Pickaxe("G", b"^$"), one=one, two={b"a": b"def\nx\n", b"b": b"one\n"}) == [b"a"]
    assert kept(Pickaxe("G", b"^[[:space:]]$"), one=one, two={b"a": b"def\nx\n", b"b": b"one\n\n"}) == [b"b"]


def test_g_searches_the_lines_of_a_new_file(kept):
    two = {b"a": b"", b"b": b"x\n\ny", b"c": b"x\ny"}
    assert kept(Pickaxe("G", b"z*"), one={}, two=two) == [b"b", b"c"]
    assert kept(Pickaxe("G", b"^[[:space:]]$"), one={}, two=two) == [b"b"]
    assert kept(Pickaxe("G", rb"y\s"), one=two, two={}) == [b"b", b"c"]
    assert kept(Pickaxe("G", rb"x\sy"), one={}, two=two) == []


def test_find_object(kept, odb):
    assert kept(Pickaxe("object", objects=frozenset([odb.add(b"blob", b"def 2\n")]))) == [b"b"]


def test_counts_are_remembered(kept, odb, contents):
    kept(Pickaxe("S", b"def"))
    axe = contents.per_call.get(core._AXE)
    assert len(axe._counts) == 6


LINK = 0o160000
PAIRS = [
    (ONE, TWO),
    ({b"a": b"def\n", b"same": b"def\n"}, {b"a": b"def def\n", b"same": b"fed\ndef\n"}),
    ({}, {b"a": b"def\n", b"b": b"none\n"}),
    ({b"a": b"def\n", b"b": b"none\n"}, {}),
    ({b"old": b"def one\n" * 9, b"m": b"1\n"}, {b"new": b"def one\n" * 9, b"m": b"def\n"}),  # a rename: not shown
    ({b"old": b"one\n" * 9, b"m": b"1\n"}, {b"new": b"one\n" * 9 + b"def\n", b"m": b"def\n"}),
]


@pytest.mark.parametrize("pickaxe", [Pickaxe("S", b"def"), Pickaxe("S", b"DEF", ignore_case=True)])
@pytest.mark.parametrize("options", [{}, {"renames": 1}, {"renames": 1, "reverse": True}, {"keep": frozenset("AR")}])
def test_sifted_rows_come_to_the_same_changes(odb, contents, ctx, pickaxe, options):
    spec = DiffSpec(pickaxe=pickaxe, **options)
    sift = sifter(contents, spec, ctx=ctx)
    shown = []
    for one, two in PAIRS:
        trees = odb.add_tree(one), odb.add_tree(two)
        kept, plain = (
            [f"{c.status} {c.score} {c.old} {c.new}" for c in diffcore(changes, contents, spec, ctx=ctx)]
            for changes in (diff_trees(*trees, odb, spec, ctx=ctx, sift=how) for how in (sift, None))
        )
        assert kept == plain
        shown += kept
    assert shown


def test_rows_are_sifted_before_changes_are_made_of_them(odb, contents, ctx):
    def rows(one, two, **options):
        sift = sifter(contents, DiffSpec(pickaxe=Pickaxe("S", b"def"), **options), ctx=ctx)
        listed = trees_of(odb).rows(odb.add_tree(one), odb.add_tree(two), ctx=ctx)
        return None if sift is None else [row[0] for row in sift(listed)]

    assert rows(*PAIRS[1]) == [b"a"]
    assert rows(*PAIRS[5]) == [b"m", b"new"]
    assert rows(*PAIRS[5], renames=1) == [b"m", b"new", b"old"]  # what can be paired is left to diffcore
    for options in ({"renames": 2}, {"find_copies_harder": True}, {"break_score": 0}, {"quiet": True}):
        assert rows(*PAIRS[1], **options) is None
    for options in ({"relative": b"d/"}, {"rotate_to": b"a"}, {"skip_to": b"a"}):
        assert rows(*PAIRS[1], **options) is None
    for pickaxe in (Pickaxe("S", b"def", all=True), Pickaxe("G", b"def"), None):
        assert sifter(contents, DiffSpec(pickaxe=pickaxe), ctx=ctx) is None


def test_submodules_and_what_is_not_there_stay_for_the_pickaxe_to_judge(odb, contents, ctx):
    sift = sifter(contents, DiffSpec(pickaxe=Pickaxe("S", b"def")), ctx=ctx)
    blob, gone = odb.add(b"blob", b"none\n"), b"\1" * 20
    with pytest.raises(MissingObject):
        odb.read(gone)
    rows = [(b"link", LINK, gone, LINK, b"\2" * 20), (b"lost", 0o100644, blob, 0o100644, gone)]
    assert sift([*rows, (b"mode", 0o100644, gone, 0o100755, gone)]) == rows
