"""-S, -G and --find-object."""

import pytest

from gitglass.diff import diffcore as core
from gitglass.diff.diffcore import diffcore
from gitglass.diff.spec import DiffSpec, Pickaxe
from gitglass.diff.trees import diff_trees

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


def test_find_object(kept, odb):
    assert kept(Pickaxe("object", objects=frozenset([odb.add(b"blob", b"def 2\n")]))) == [b"b"]


def test_counts_are_remembered(kept, odb, contents):
    kept(Pickaxe("S", b"def"))
    axe = contents.per_call.get(core._AXE)
    assert len(axe._counts) == 6
