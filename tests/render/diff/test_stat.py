"""Diffstats: widths, graphs, names."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.config.load import load_blob
from gitglass.diff.changes import Change, Contents, Filespec
from gitglass.diff.lines.spec import LineSpec
from gitglass.diff.spec import DiffSpec, StatWidths
from gitglass.errors import TooLarge
from gitglass.limits import Context
from gitglass.render.diff import stat as module
from gitglass.render.diff.stat import (
    FileStat,
    count_stats,
    line_count,
    numstat,
    pretty_rename,
    shortstat,
    stat,
    totals_line,
)

from ...support.memory_odb import MemoryOdb

PLAIN = SimpleNamespace(diff_new=b"", diff_old=b"", reset=b"")


def one(name: bytes, added: int = 0, deleted: int = 0, source: bytes | None = None) -> FileStat:
    made = FileStat(name, source)
    made.added, made.deleted = added, deleted
    return made


def shown(stats, **options) -> list[bytes]:
    spec = DiffSpec(stat=StatWidths(**options))
    return b"".join(stat(stats, spec, bytes, PLAIN, 80)).split(b"\n")


def test_pretty_renames():
    assert pretty_rename(b"a/b/c", b"a/d/c", bytes) == b"a/{b => d}/c"
    assert pretty_rename(b"a/c", b"a/b/c", bytes) == b"a/{ => b}/c"
    assert pretty_rename(b"a/b/c", b"a/c", bytes) == b"a/{b => }/c"
    assert pretty_rename(b"x", b"y", bytes) == b"x => y"
    assert pretty_rename(b"x/f", b"y/f", bytes) == b"{x => y}/f"
    assert pretty_rename(b"d/f", b"d/g", bytes) == b"d/{f => g}"
    assert pretty_rename(b"f.c", b"d/f.c", bytes) == b"f.c => d/f.c"


@given(
    st.lists(st.sampled_from([b"a", b"b", b"/"]), min_size=1, max_size=8),
    st.lists(st.sampled_from([b"a", b"b", b"/"]), min_size=1, max_size=8),
)
def test_a_pretty_rename_holds_both_names(one, two):
    one, two = b"".join(one), b"".join(two)
    text = pretty_rename(one, two, bytes)
    head, brace, rest = text.partition(b"{")
    if not brace:
        assert text == one + b" => " + two
        return
    middle, _, tail = rest.partition(b"}")
    left, _, right = middle.partition(b" => ")
    for side, full in ((left, one), (right, two)):
        joined = head + side + tail
        assert joined == full or joined.replace(b"//", b"/") == full or len(joined) >= len(full)


def test_a_small_stat_is_not_scaled():
    lines = shown([one(b"a", 2, 1), one(b"long/name", 0, 10)])
    assert lines == [
        b" a         |  3 ++-",
        b" long/name | 10 ----------",
        b" 2 files changed, 2 insertions(+), 11 deletions(-)",
        b"",
    ]


def test_a_large_one_is():
    lines = shown([one(b"n" * 30, 1, 999), one(b"b", 1)])
    assert lines[0] == b" " + b"n" * 30 + b" | 1000 +" + b"-" * 39
    assert lines[1].endswith(b"|    1 +")


def test_long_names_are_cut_at_a_slash():
    name = b"directory/" * 8 + b"file.txt"
    line = shown([one(name, 200)])[0]
    assert line.startswith(b" .../directory/") and len(line) <= 80


def test_widths_by_option():
    assert shown([one(b"name-of-a-file", 100)], width=40)[0] == b" name-of-a-file | 100 " + b"+" * 17
    assert shown([one(b"name-of-a-file", 100)], graph=5)[0] == b" name-of-a-file | 100 +++++"
    assert shown([one(b"name-of-a-file", 3)], name=8)[0] == b" ...-file | 3 +++"
    assert shown([one(b"a", 1), one(b"b", 1)], count=1)[1:3] == [b" ...", b" 2 files changed, 2 insertions(+)"]


def test_binary_and_unmerged():
    binary, conflict = one(b"b", 20, 3), one(b"c")
    binary.binary = conflict.unmerged = True
    text = b"\n".join(shown([binary, conflict]))
    # git ends the line of an unmerged file without a newline
    assert text == b" b | Bin 3 -> 20 bytes\n c | Unmerged 1 file changed, 0 insertions(+), 0 deletions(-)\n"


def test_numstat_and_shortstat():
    stats = [one(b"d/new", 1, 2, b"d/old"), one(b"x", 3)]
    assert b"".join(numstat(stats, DiffSpec(), bytes)) == b"1\t2\td/{old => new}\n3\t0\tx\n"
    assert b"".join(numstat(stats, DiffSpec(nul=True), bytes)) == b"1\t2\t\0d/old\0d/new\x003\t0\tx\0"
    assert b"".join(shortstat(stats, DiffSpec())) == b" 2 files changed, 4 insertions(+), 2 deletions(-)\n"
    assert b"".join(shortstat([], DiffSpec())) == b""


def test_totals():
    assert totals_line(1, 1, 0) == b" 1 file changed, 1 insertion(+)\n"
    assert totals_line(1, 0, 1) == b" 1 file changed, 1 deletion(-)\n"
    assert totals_line(1, 0, 0) == b" 1 file changed, 0 insertions(+), 0 deletions(-)\n"
    assert totals_line(0, 0, 0) == b" 0 files changed\n"


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), min_size=1, max_size=6), st.integers(20, 200))
def test_no_line_is_wider_than_asked(counts, width):
    stats = [one(b"f%d" % at, *pair) for at, pair in enumerate(counts)]
    for line in shown(stats, width=width)[:-2]:
        assert len(line) <= max(width, 30)


@given(st.binary(max_size=20))
def test_lines(data):
    assert line_count(data) == len(data.split(b"\n")) - (data.endswith(b"\n") or not data)


def test_negative_widths_and_counts() -> None:
    """A negative count shows no file, a negative width of the graph limits nothing."""
    stats = [one(b"f", 200, 100), one(b"g", 1)]
    assert shown(stats, count=-1)[:-1] == [b" ...", b" 2 files changed, 201 insertions(+), 100 deletions(-)"]
    assert shown(stats, width=80, graph=-3)[0].endswith(b"+" * 200 + b"-" * 100)


TEXTS = [b"", b"one\n", b"one\ntwo", b"one\n\n\ntwo\n", b"a\0b\n", b"x\n" * 5000 + b"\0", b"x\n" * 90]


@pytest.mark.parametrize("threshold", [None, 100])
def test_files_with_one_side_are_counted_as_others_are(
    monkeypatch: pytest.MonkeyPatch, odb: MemoryOdb, contents: Contents, ctx: Context, threshold: int | None
) -> None:
    """Texts, binary files by content, attribute or size, links, submodules: new ones and deleted ones."""
    values = {b"bin": False, b"forced": True, b"c": b"cpp"}
    contents._attrs = SimpleNamespace(get=lambda path, name: values.get(path.partition(b".")[0]))  # type: ignore[assignment]
    if threshold is not None:
        contents._config = load_blob(b"[core]\n\tbigFileThreshold = %d\n" % threshold, b"config")
    changes = []
    for number, data in enumerate(TEXTS):
        for name in (b"plain", b"bin", b"forced", b"c"):
            for mode in (0o100644, 0o120000, 0o160000):
                path, oid = b"%s.%d.%o" % (name, number, mode), odb.add(b"blob", data)
                there, gone = Filespec(path, mode, oid), Filespec(path)
                changes += [Change("A", gone, there), Change("D", there, gone)]
    for ignoring in (False, True):
        spec = DiffSpec(lines=LineSpec(ignore_blank_lines=ignoring))
        counted = [count_stats(changes, contents, spec, ctx=ctx) for _ in range(2)]  # the second time from memory
        with monkeypatch.context() as patch:
            patch.setattr(module._Counter, "_text_lines", lambda self, side: None)
            counted.append(count_stats(changes, contents, spec, ctx=ctx))
        first, again, wanted = ([(one.name, one.added, one.deleted, one.binary) for one in some] for some in counted)
        assert first == again == wanted
        assert len(wanted) == len(changes)
        assert {True, False} == {row[3] for row in wanted}


def test_a_file_too_large_to_be_read_is_binary(
    monkeypatch: pytest.MonkeyPatch, odb: MemoryOdb, contents: Contents, ctx: Context
) -> None:
    side = Filespec(b"path", 0o100644, odb.add(b"blob", b"text\n"))

    def read(self: Contents, side: Filespec) -> bytes:
        raise TooLarge("path is too large")

    monkeypatch.setattr(Contents, "read", read)
    (row,) = count_stats([Change("A", Filespec(b"path"), side)], contents, DiffSpec(), ctx=ctx)
    assert (row.binary, row.added, row.deleted) == (True, 5, 0)
