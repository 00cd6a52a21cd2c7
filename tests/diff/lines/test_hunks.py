"""Hunks: context, joining, headers, function names, what may be ignored."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.diff.lines import hunks
from gitglass.diff.lines.hunks import Hunk, count_changes, default_finder, diff_lines
from gitglass.diff.lines.spec import LineSpec
from gitglass.limits import Context


def _shown(old: bytes, new: bytes, spec: LineSpec | None = None) -> list[bytes]:
    return [hunk.header() for hunk in diff_lines(old, new, spec or LineSpec(), ctx=Context())]


def _numbered(*changed: int, count: int = 40) -> tuple[bytes, bytes]:
    old = [b"    %d" % n for n in range(count)]
    new = [b"    x%d" % n if n in changed else line for n, line in enumerate(old)]
    return b"\n".join(old) + b"\n", b"\n".join(new) + b"\n"


def test_near_changes_share_a_hunk() -> None:
    assert _shown(*_numbered(10, 17)) == [b"@@ -8,14 +8,14 @@"]
    assert _shown(*_numbered(10, 18)) == [b"@@ -8,7 +8,7 @@", b"@@ -16,7 +16,7 @@"]
    assert _shown(*_numbered(10, 18), LineSpec(inter_hunk=1)) == [b"@@ -8,15 +8,15 @@"]


def test_empty_sides_count_from_nought() -> None:
    assert _shown(b"", b"a\nb\n") == [b"@@ -0,0 +1,2 @@"]
    assert _shown(b"a\n", b"") == [b"@@ -1 +0,0 @@"]
    assert _shown(*_numbered(3), LineSpec(context=0)) == [b"@@ -4 +4 @@"]


def test_names_of_functions() -> None:
    old = b"int main(void)  \n{\n" + b"".join(b"  %d;\n" % n for n in range(30)) + b"}\n"
    new = old.replace(b"  9;", b"  nine;").replace(b"  25;", b"  25.0;")
    assert _shown(old, new) == [b"@@ -9,7 +9,7 @@ int main(void)", b"@@ -25,7 +25,7 @@ int main(void)"]


def test_a_name_is_cut_between_characters() -> None:
    name = b"f" + "é".encode() * 60
    old = name + b"\n" + b" x\n" * 5 + b" y\n"
    header = _shown(old, old.replace(b"y", b"z"))[0]
    assert header.endswith("é".encode()) and len(header.split(b"@@ ")[-1]) == 79


def test_a_name_above_the_window_is_found() -> None:
    old = b"start {\n" + b"".join(b"  some longer line %d\n" % n for n in range(900))
    assert _shown(old, old.replace(b" 800\n", b" 801!\n"))[0].endswith(b"@@ start {")


@given(
    st.lists(st.sampled_from([b"", b"name(x)", b" x", b"\tlonger line", b"9", b"_v\r", b"$", b"{"]), min_size=1),
    st.data(),
)
def test_the_name_above_is_that_of_the_last_line_that_has_one(lines: list[bytes], data: st.DataObject) -> None:
    """The text above a window is searched a stretch at a time."""
    count = data.draw(st.integers(0, len(lines)))
    pair = SimpleNamespace(
        old=b"".join(line + b"\n" for line in lines), offset=sum(len(line) + 1 for line in lines[:count])
    )
    names = filter(None, map(default_finder, reversed(lines[:count])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hunks, "_STRETCH", 12)
        assert hunks._Names(cast(Any, pair), None)._above() == next(names, b"")


def test_blank_lines_may_be_ignored() -> None:
    spec = LineSpec(ignore_blank_lines=True)
    assert _shown(b"a\n", b"a\n\n", spec) == []
    old, new = _numbered(10)
    assert count_changes(old, new + b"\n\n", spec, ctx=Context()) == (1, 1)


def test_lines_may_be_ignored_by_pattern() -> None:
    spec = LineSpec(ignore_regex=(b"^#",))
    assert _shown(b"a\n# one\n", b"a\n# two\n", spec) == []
    assert _shown(b"a\n# one\n", b"b\n# two\n", spec) == [b"@@ -1,2 +1,2 @@"]


def test_whole_functions() -> None:
    body = b"".join(b"  %d;\n" % n for n in range(20))
    old = b"void a(void)\n{\n" + body + b"}\n\nvoid b(void)\n{\n" + body + b"}\n"
    at = old.index(b"  10;", len(old) // 2)
    new = old[:at] + b"  ten;" + old[at + 5 :]
    hunks = diff_lines(old, new, LineSpec(function_context=True), ctx=Context())
    assert [(hunk.old_start, hunk.old_count) for hunk in hunks] == [(24, 23)]


def _apply(old: list[bytes], hunks: list[Hunk]) -> list[bytes]:
    out: list[bytes] = []
    at = 0
    for hunk in hunks:
        assert hunk.old_start >= at
        out += old[at : hunk.old_start]
        assert len(out) == hunk.new_start
        at = hunk.old_start
        for kind, lines in hunk.parts:
            if kind != b"+":
                # Context is printed from the new file; with white space ignored it may differ from the old one.
                assert kind == b" " or old[at : at + len(lines)] == lines
                at += len(lines)
            if kind != b"-":
                out += lines
    return out + old[at:]


_LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"{", b"}", b"  c"]), max_size=40)
_TEXT = _LINES.map(lambda lines: b"".join(line + b"\n" for line in lines))


@settings(max_examples=150, deadline=None)
@given(_TEXT, _TEXT, st.integers(0, 4), st.integers(0, 3), st.booleans(), st.booleans())
def test_hunks_make_new_of_old(old: bytes, new: bytes, context: int, inter: int, whole: bool, blank: bool) -> None:
    spec = LineSpec(context=context, inter_hunk=inter, function_context=whole, ignore_blank_lines=blank)
    hunks = diff_lines(old, new, spec, ctx=Context())
    rebuilt = _apply(old.split(b"\n")[:-1], hunks) if not blank else None
    assert rebuilt is None or rebuilt == new.split(b"\n")[:-1]
