"""The patches of `git log -L`."""

from types import SimpleNamespace
from typing import Any

from tests.support.specs import changed

from gitglass.config.config import Config
from gitglass.diff.changes import Filespec, absent
from gitglass.diff.spec import DiffSpec
from gitglass.history.line_log import LineFile, LineHit
from gitglass.render.color import Palette
from gitglass.render.log.line_log import write_line_log

OLD, NEW = bytes([1]) * 20, bytes([2]) * 20
Ranges = list[tuple[int, int]]


def write(
    old: bytes | None,
    new: bytes,
    ranges: Ranges,
    gone: Ranges,
    come: Ranges,
    *,
    color: bool = False,
    prefix: bytes = b"",
) -> list[bytes]:
    file = LineFile(b"f", ranges)
    file.old = absent(b"f") if old is None else Filespec(b"f", 0o100644, OLD)
    file.new = Filespec(b"f", 0o100644, NEW)
    file.gone, file.come = gone, come
    contents: Any = SimpleNamespace(read=lambda side: {OLD: old, NEW: new}.get(side.oid, b""))
    palette = Palette(Config(), color)
    style: Any = SimpleNamespace(color=lambda group, when=None: palette)
    spec = DiffSpec()
    spec = changed(spec, patch__line_prefix=prefix)
    hit = LineHit([LineFile(b"unchanged", [(0, 1)]), file])
    return b"".join(write_line_log(hit, contents, spec, style)).split(b"\n")[:-1]


def test_a_changed_line_in_a_range() -> None:
    assert write(b"a\nb\nc\nd\n", b"a\nB\nc\nd\n", [(0, 3)], [(1, 2)], [(1, 2)]) == [
        b"",
        b"diff --git a/f b/f",
        b"--- a/f",
        b"+++ b/f",
        b"@@ -1,3 +1,3 @@",
        b" a",
        b"-b",
        b"+B",
        b" c",
    ]


def test_a_new_file() -> None:
    assert write(None, b"a\nb", [(0, 2)], [(0, 0)], [(0, 2)])[2:] == [
        b"--- /dev/null",
        b"+++ b/f",
        b"@@ -0,0 +1,2 @@",
        b"+a",
        b"+b",
        b"\\ No newline at end of file",
    ]


def test_what_was_added_behind_the_range_is_not_shown() -> None:
    lines = write(b"a\nz\n", b"a\n1\n2\n3\nz\n", [(0, 3)], [(1, 1)], [(1, 4)])
    assert lines[4:] == [b"@@ -1,1 +1,3 @@", b" a", b"+1", b"+2"]


def test_each_range_has_a_hunk_of_its_own_if_it_was_touched() -> None:
    old, new = b"a\nb\nc\nd\ne\nf\n", b"A\nb\nc\nd\ne\nF\n"
    lines = write(old, new, [(0, 1), (2, 3), (5, 6)], [(0, 1), (5, 6)], [(0, 1), (5, 6)])
    assert lines[4:] == [b"@@ -1,1 +1,1 @@", b"-a", b"+A", b"@@ -6,1 +6,1 @@", b"-f", b"+F"]


def test_prefix_and_colours() -> None:
    lines = write(b"a\n", b"b\n", [(0, 1)], [(0, 1)], [(0, 1)], color=True, prefix=b"| ")
    assert lines[0] == b"| "
    assert lines[2] == b"| \x1b[1m--- a/f\x1b[m"
    assert lines[4:] == [b"| \x1b[36m@@ -1,1 +1,1 @@\x1b[m", b"| \x1b[31m-a\x1b[m", b"| \x1b[32m+b\x1b[m"]
