"""Edits fit exactly, or not at all."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hostile.paced import assert_paced

from gitglass.errors import Conflict, InvalidArgs, TooLarge
from gitglass.limits import Context, Limits
from gitglass.workspace import edits
from gitglass.workspace.edits import Edit, edited, patched

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"longer line"]), max_size=12)


def text_of(lines: list[bytes], ending: bool) -> bytes:
    return b"\n".join(lines) + (b"\n" if ending and lines else b"")


def diff(old: bytes, new: bytes) -> bytes:
    """A diff by Python's own library, with git's mark for a missing newline."""
    rows = []
    for line in difflib.diff_bytes(
        difflib.unified_diff, old.splitlines(True), new.splitlines(True), b"a/f", b"b/f", lineterm=b"\n"
    ):
        rows.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(rows)


@given(LINES, st.booleans(), LINES, st.booleans())
def test_a_diff_leads_from_one_text_to_the_other(one: list[bytes], first: bool, two: list[bytes], second: bool) -> None:
    old, new = text_of(one, first), text_of(two, second)
    if old != new:
        assert patched(old, diff(old, new)) == new


def test_a_hunk_that_moved_is_taken_where_it_fits_once() -> None:
    patch = b"@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    assert patched(b"more\nx\ny\n", patch) == b"more\nx\nz\n"
    with pytest.raises(Conflict, match="hunk 1 does not fit"):
        patched(b"m\nx\ny\nx\ny\n", patch)  # twice, and not where it says


def test_what_is_no_diff() -> None:
    for patch in (b"", b"hello", b"@@ -1,2 +1 @@\n x\n", b"@@ -1 +1 @@\n-a\n-b\n"):
        with pytest.raises(InvalidArgs):
            patched(b"x\n", patch)
    with pytest.raises(InvalidArgs, match="more than one file"):
        patched(b"x\n", b"@@ -1 +1 @@\n-x\n+y\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n")


def test_replacements_are_counted() -> None:
    assert edited(b"a b a", [Edit(b"a", b"c", 2), Edit(b"b", b"")]) == b"c  c"
    with pytest.raises(Conflict, match="2 times, not 1"):
        edited(b"a b a", [Edit(b"a", b"c")])
    with pytest.raises(Conflict) as caught:
        edited(b"def one():\n    return 1\n", [Edit(b"def on():", b"")])
    assert caught.value.hint == "Nearest lines: 1: def one():"
    with pytest.raises(InvalidArgs, match="empty"):
        edited(b"a", [Edit(b"", b"x")])


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=4), st.sampled_from(["", "a", "xyz"]))
def test_what_is_replaced_in_stretches_is_replaced_as_at_once(content: str, old: str, new: str) -> None:
    times = content.count(old)
    for stretch in (1, 2, 5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(edits, "LARGE", stretch)
            edit = Edit(old.encode(), new.encode(), times)
            assert not times or edited(content.encode(), [edit]).decode() == content.replace(old, new)


def test_a_result_that_is_too_large_is_refused_before_it_is_made() -> None:
    grow = [Edit(b"a", b"b" * (10 << 20), 100)]
    with Context(Limits(max_memory_bytes=256 << 20)), pytest.raises(TooLarge):
        edited(b"a" * 100, grow)
    with pytest.raises(TooLarge, match="more than 1000 bytes"):
        edited(b"a" * 100, grow, 1000)
    with pytest.raises(TooLarge, match="more than 3 bytes"):
        patched(b"x\n", b"@@ -1 +1 @@\n-x\n+xyz\n", 3)


def test_a_head_with_a_number_of_thousands_of_digits() -> None:
    with pytest.raises(InvalidArgs, match="hunk 1: its head has a number of more than 18 digits"):
        patched(b"x\n", b"@@ -%b +1 @@\n-x\n+y\n" % (b"1" * 5000))


def test_a_hunk_is_searched_for_in_one_pass() -> None:
    wanted = b"@@ -5,20001 +5,1 @@\n" + b"-x\n" * 20_000 + b"-y\n+z\n"
    assert_paced(lambda: patched(b"x\n" * 200_000, wanted), error=Conflict)


def test_the_search_for_similar_lines_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hint is not worth the deadline."""
    monkeypatch.setattr(edits, "_HINT_SECONDS", 0.1)
    content = b"".join(b"abcdefgh %s\n" % (b"%05d" % number * 20) for number in range(19_000))
    assert_paced(lambda: edited(content, [Edit(b"hgfedcba " + b"12345" * 20_000, b"")]), error=Conflict)
