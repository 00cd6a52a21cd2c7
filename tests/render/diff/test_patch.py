"""Patches, without a repository: sides whose contents are given."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.specs import changed

from gitglass.diff.changes import Change, Filespec, absent
from gitglass.diff.lines.userdiff import DEFAULT, Driver, is_binary
from gitglass.diff.spec import DiffSpec
from gitglass.limits import Context
from gitglass.memories import ByOid, PerCall
from gitglass.render.color import Palette
from gitglass.render.diff.check import check_whitespace
from gitglass.render.diff.patch import PatchWriter
from gitglass.render.quote import Quoter
from gitglass.repo.discover import Where

FILE, LINK = 0o100644, 0o120000


class _Config:
    def get(self, key: str) -> bytes | None:
        return None

    def get_int(self, key: str, default: int | None = None) -> int | None:
        return default


class _Contents:
    def __init__(self, texts: dict[bytes, bytes]) -> None:
        self.texts = texts
        self.per_call = PerCall()
        self.memory = ByOid(1 << 20)

    def read(self, side: Filespec) -> bytes:
        return self.texts[side.oid] if side.mode and side.oid else b""

    def is_binary(self, side: Filespec) -> bool:
        return is_binary(self.read(side))

    def driver(self, side: Filespec) -> Driver:
        return DEFAULT

    def whitespace(self, path: bytes) -> None:
        return None

    def _attribute(self, path: bytes, name: bytes) -> None:
        return None


class _Desk:
    """Makes sides and writes patches of them."""

    def __init__(self, color: bool = False) -> None:
        self.texts: dict[bytes, bytes] = {}
        self.spec = DiffSpec()
        self.spec = changed(self.spec, patch__full_index=True)
        self.ctx = Context()
        config = _Config()
        palette = Palette(config, color)
        store = SimpleNamespace(null=bytes(20), hash_name="sha1", config=config, where=Where(b"/"))
        self.style: Any = SimpleNamespace(
            store=store, quote=Quoter(), config=config, color=lambda group, when=None: palette
        )
        self.contents: Any = _Contents(self.texts)

    def side(self, path: bytes, text: bytes, mode: int = FILE) -> Filespec:
        oid = bytes([len(self.texts) + 1]) * 20
        self.texts[oid] = text
        return Filespec(path, mode, oid)

    def modified(self, old: bytes, new: bytes, path: bytes = b"f") -> Change:
        return Change("M", self.side(path, old), self.side(path, new))

    def write(self, *changes: Change) -> list[bytes]:
        writer = PatchWriter(self.contents, self.spec, self.style, ctx=self.ctx)
        return b"".join(writer.write(changes)).split(b"\n")[:-1]

    def body(self, *changes: Change) -> list[bytes]:
        """What follows the first hunk header."""
        lines = self.write(*changes)
        return lines[next(at for at, line in enumerate(lines) if b"@@" in line) + 1 :]


def test_a_modified_file() -> None:
    desk = _Desk()
    assert desk.write(desk.modified(b"a\n", b"b")) == [
        b"diff --git a/f b/f",
        b"index " + b"01" * 20 + b".." + b"02" * 20 + b" 100644",
        b"--- a/f",
        b"+++ b/f",
        b"@@ -1 +1 @@",
        b"-a",
        b"+b",
        b"\\ No newline at end of file",
    ]


def test_new_deleted_and_empty_files() -> None:
    desk = _Desk()
    lines = desk.write(
        Change("A", absent(b"n"), desk.side(b"n", b"")),
        Change("D", desk.side(b"d", b"x\n"), absent(b"d")),
    )
    assert lines[:2] == [b"diff --git a/n b/n", b"new file mode 100644"] and lines[2].startswith(b"index 0000")
    assert lines[3:5] == [b"diff --git a/d b/d", b"deleted file mode 100644"]
    assert lines[6:] == [b"--- a/d", b"+++ /dev/null", b"@@ -1 +0,0 @@", b"-x"]


def test_names_with_blanks_and_quotes() -> None:
    desk = _Desk()
    lines = desk.write(desk.modified(b"a\n", b"b\n", b"a b"), desk.modified(b"a\n", b"b\n", b'a"b'))
    assert lines[2:4] == [b"--- a/a b\t", b"+++ b/a b\t"]
    assert lines[7] == b'diff --git "a/a\\"b" "b/a\\"b"'


def test_reversing_swaps_the_prefixes() -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__reverse=True)
    assert desk.write(desk.modified(b"a\n", b"b\n"))[0] == b"diff --git b/f a/f"


def test_a_rename_with_a_mode_change() -> None:
    desk = _Desk()
    old, new = desk.side(b"old", b"a\n"), desk.side(b"new", b"a\n", 0o100755)
    new.oid = old.oid
    change = Change("R", old, new, score=100)
    assert desk.write(change) == [
        b"diff --git a/old b/new",
        b"old mode 100644",
        b"new mode 100755",
        b"similarity index 100%",
        b"rename from old",
        b"rename to new",
    ]


def test_a_file_that_becomes_a_link_is_deleted_and_made_anew() -> None:
    desk = _Desk()
    lines = desk.write(Change("T", desk.side(b"f", b"a\n"), desk.side(b"f", b"target", LINK)))
    assert [line for line in lines if b"mode" in line] == [b"deleted file mode 100644", b"new file mode 120000"]


def test_a_rewrite_shows_all_of_both() -> None:
    desk = _Desk()
    change = Change("M", desk.side(b"f", b"a\nb\n"), desk.side(b"f", b"a\n"), score=80, broken=True)
    assert desk.write(change)[1] == b"dissimilarity index 80%"
    assert desk.write(change)[5:] == [b"@@ -1,2 +1 @@", b"-a", b"-b", b"+a"]


def test_binary_files() -> None:
    desk = _Desk()
    assert desk.write(desk.modified(b"\0a", b"\0b"))[2:] == [b"Binary files a/f and b/f differ"]
    desk.spec = changed(desk.spec, patch__text=True)
    assert desk.write(desk.modified(b"\0a", b"\0b"))[-3] == b"\\ No newline at end of file"


def test_nothing_is_shown_where_only_ignored_space_differs() -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, lines__ignore_all_space=True)
    assert desk.write(desk.modified(b"a\n", b" a\n")) == []


def test_colours_stand_where_git_puts_them() -> None:
    desk = _Desk(color=True)
    lines = desk.write(desk.modified(b"def f\n\n a\n a\n a\n a\n x\n", b"def f\n\n a\n a\n a\n a\n\ty \n"))
    assert lines[0] == b"\x1b[1mdiff --git a/f b/f\x1b[m"
    assert lines[4:] == [
        b"\x1b[36m@@ -4,4 +4,4 @@\x1b[m \x1b[mdef f\x1b[m",
        b"  a\x1b[m",
        b"  a\x1b[m",
        b"  a\x1b[m",
        b"\x1b[31m- x\x1b[m",
        b"\x1b[32m+\x1b[m\t\x1b[32my\x1b[m\x1b[41m \x1b[m",
    ]


def test_a_carriage_return_stays_outside_of_the_colour() -> None:
    desk = _Desk(color=True)
    assert desk.body(desk.modified(b"a\r\n", b"b\n"))[0] == b"\x1b[31m-a\x1b[m\r"


def test_indicators_and_the_line_prefix() -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__indicator_new=b">", patch__line_prefix=b"| ")
    assert desk.write(desk.modified(b"a\n", b"b\n"))[-2:] == [b"| -a", b"| >b"]


def test_blank_context_may_be_bare() -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__suppress_blank_empty=True)
    assert desk.body(desk.modified(b"\n\n\na\n", b"\n\n\nb\n"))[:3] == [b"", b"", b""]


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("plain", [b"one [-two-]{+2+} three", b"same", b"[-gone-]"]),
        ("color", [b"one two2 three", b"same", b"gone"]),
        ("porcelain", [b" one ", b"-two", b"+2", b"  three", b"~", b" same", b"~", b"-gone", b"~"]),
    ],
)
def test_word_diffs(style: str, expected: list[bytes]) -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__word_diff=style)
    assert desk.body(desk.modified(b"one two three\nsame\ngone\n", b"one 2 three\nsame\n")) == expected


def test_words_end_at_a_nul_with_their_marks() -> None:
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__word_diff="plain", patch__text=True)
    assert desk.body(desk.modified(b"one t\0wo\nlast\n", b"one 2\nlast\n")) == [b"one [-t{+2+}", b"last"]


_BLOCK = b"a line with enough letters\nand another one\n"


def test_moved_blocks_have_colours_of_their_own() -> None:
    desk = _Desk(color=True)
    desk.spec = changed(desk.spec, patch__color_moved="zebra")
    lines = desk.body(desk.modified(_BLOCK + b"x\ny\nz\n", b"x\ny\nz\n" + _BLOCK))
    assert [line[:7] for line in lines if b"another" in line] == [b"\x1b[1;35m", b"\x1b[1;36m"]


@pytest.mark.parametrize(("when", "moved", "first"), [(None, "zebra", True), ("auto", "plain", True),
                                                       ("never", "zebra", False), (None, "no", False)])  # fmt: skip
def test_unmerged_paths_come_first_where_lines_are_held_back(when: str | None, moved: str, first: bool) -> None:
    """git holds them back unless colours are off by name, whether any are used or not."""
    desk = _Desk()
    desk.spec = changed(desk.spec, patch__color_moved=moved, color=when)
    lines = desk.write(desk.modified(b"a\n", b"b\n"), Change("U", absent(b"u"), absent(b"u"), unmerged=True))
    assert (lines.index(b"* Unmerged path u") == 0) is first


def test_short_moves_do_not_count() -> None:
    desk = _Desk(color=True)
    desk.spec = changed(desk.spec, patch__color_moved="zebra")
    lines = desk.body(desk.modified(b"short\nx\ny\nz\n", b"x\ny\nz\nshort\n"))
    assert lines[0].startswith(b"\x1b[31m-short")
    desk.spec = changed(desk.spec, patch__color_moved="plain")
    assert desk.body(desk.modified(b"short\nx\ny\nz\n", b"x\ny\nz\nshort\n"))[0].startswith(b"\x1b[1;35m-short")


def test_moves_across_files_and_indentation() -> None:
    desk = _Desk(color=True)
    desk.spec = changed(desk.spec, patch__color_moved="dimmed-zebra")
    desk.spec = changed(desk.spec, patch__color_moved_ws=("allow-indentation-change",))
    block = _BLOCK + b"a third line\n"
    moved = b"".join(b"    " + line + b"\n" for line in block.split(b"\n")[:-1])
    lines = desk.write(desk.modified(b"k\n" + block, b"k\n", b"one"), desk.modified(b"k\n", b"k\n" + moved, b"two"))
    assert [line[:4] for line in lines if b"third" in line] == [b"\x1b[2m", b"\x1b[2m"]


def test_check() -> None:
    desk = _Desk()
    change = desk.modified(b"a\n", b"a \n<<<<<<< x\nb\n\n\n")
    lines = b"".join(check_whitespace(change, desk.contents, desk.spec, desk.style, ctx=desk.ctx)).split(b"\n")
    assert lines[:-1] == [
        b"f:1: trailing whitespace.",
        b"+a ",
        b"f:2: leftover conflict marker",
        b"f:4: new blank line at EOF.",
    ]
    assert desk.ctx.exit_status == 2


def test_check_ends_every_line() -> None:
    """An incomplete line, too; and paths are told as --relative wants them."""
    desk = _Desk()
    desk.spec = changed(desk.spec, relative=b"lib/")
    change = desk.modified(b"a\n", b"a\n ", b"lib/f")
    lines = b"".join(check_whitespace(change, desk.contents, desk.spec, desk.style, ctx=desk.ctx))
    assert lines == b"f:2: trailing whitespace.\n+ \nf:2: new blank line at EOF.\n"
