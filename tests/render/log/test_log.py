"""What stands around commits and between them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from tests.support.specs import changed

from gitglass.config.config import Config
from gitglass.diff.spec import DiffSpec
from gitglass.history.log_diff import LogEntry, Part
from gitglass.history.spec import BOUNDARY, LEFT, WalkEntry
from gitglass.limits import Context
from gitglass.objects.parsed import Commit
from gitglass.render.color import Palette
from gitglass.render.dates import DEFAULT, dater
from gitglass.render.log.commit_parts import Env
from gitglass.render.log.formats import find_format
from gitglass.render.log.graph import Graph
from gitglass.render.log.log import LogShape, LogWriter
from gitglass.render.log.pretty import Printer

WHO = b"tree %b\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\n" % (b"0" * 40)


def oid(number: int) -> bytes:
    return bytes([number]) * 20


def hexed(number: int) -> bytes:
    return b"%02x" % number * 20


def walked(number: int, message: bytes = b"", flags: int = 0, parents: tuple[bytes, ...] = ()) -> WalkEntry:
    commit = Commit(oid(number), WHO + (message or b"c%d\n" % number))
    return WalkEntry(oid(number), commit, parents, flags)


class Log:
    """Writes entries in a format; a diff is the word DIFF behind its prefix."""

    def __init__(self, form: str, color: bool = False, **shape: Any) -> None:
        palette = Palette(Config(), color)
        store: Any = SimpleNamespace(config=Config(), mailmap=None, hash_name="sha1")
        ctx = Context(now=100)
        decorations: Any = SimpleNamespace(text=lambda *words: b"")
        env = Env(
            store, ctx=ctx, abbrev=lambda oid: oid.hex()[:4].encode(), dater=dater(DEFAULT, 100), palette=palette,
            decorations=decorations,
        )  # fmt: skip
        chosen = find_format(form.encode(), {})
        self.printer = Printer(chosen, env, tabs=chosen.tabs, mailmap=False, decorated=False)
        self.spec = DiffSpec()
        style: Any = SimpleNamespace(color=lambda group, when=None: palette)
        self.writer = LogWriter(self.printer, style, LogShape(**shape), self.spec, self.diff)

    def diff(self, entry: WalkEntry, part: Part, prefix: bytes) -> Iterator[bytes]:
        yield prefix + b"DIFF\n"

    def write(self, *entries: WalkEntry | LogEntry) -> bytes:
        wrapped = [one if isinstance(one, LogEntry) else LogEntry(one, ()) for one in entries]
        return b"".join(piece for entry in wrapped for piece in self.writer.entry(entry))


def test_formats_end_or_separate_entries() -> None:
    first, second = walked(1), walked(2)
    assert Log("tformat:%s").write(first, second) == b"c1\nc2\n"
    assert Log("format:%s").write(first, second) == b"c1\nc2"
    assert Log("format:%s", nul=True).write(first, second) == b"c1\0c2"
    assert Log("oneline").write(first, second) == hexed(1) + b" c1\n" + hexed(2) + b" c2\n"
    short = b"commit %b\nAuthor: A <a@x>\n\n    c%d\n"
    assert Log("short").write(first, second) == short % (hexed(1), 1) + b"\n" + short % (hexed(2), 2)


def test_the_header_line() -> None:
    entry = walked(1, parents=(oid(8), oid(9)))
    entry.children, entry.source = (oid(7),), b"main"
    assert Log("oneline", parents=True).write(entry) == b" ".join((hexed(1), hexed(8), hexed(9), b"c1\n"))
    assert Log("oneline", children=True).write(entry) == b" ".join((hexed(1), hexed(7), b"c1\n"))
    assert Log("oneline", source=True).write(entry) == hexed(1) + b"\tmain c1\n"
    assert Log("oneline", color=True).write(entry) == b"\x1b[33m" + hexed(1) + b"\x1b[m c1\n"


def test_marks() -> None:
    left, edge = walked(1, flags=LEFT), walked(2, flags=BOUNDARY)
    assert Log("oneline", sides=True).write(left, walked(3), edge) == b"".join(
        b"%b %b c%d\n" % (mark, hexed(number), number) for mark, number in ((b"<", 1), (b">", 3), (b"-", 2))
    )
    assert Log("oneline", cherry=True).write(walked(3)) == b"+ " + hexed(3) + b" c3\n"
    assert Log("tformat:%m").write(left, edge) == b"<\n-\n"


def test_line_breaks_between_stretches() -> None:
    linear = walked(2)
    linear.linear = True
    assert Log("tformat:%s", line_break=b"...").write(walked(1), linear) == b"\n...\nc1\nc2\n"
    assert Log("tformat:%s", line_break=b"...", reverse=True).write(walked(1), linear) == b"c1\n\n...\nc2\n"


def test_prefix_and_size() -> None:
    assert Log("short", line_prefix=b"| ").write(walked(1)).split(b"\n")[:-1] == [
        b"| commit " + hexed(1),
        b"| Author: A <a@x>",
        b"| ",
        b"|     c1",
    ]
    assert Log("tformat:%s", log_size=True).write(walked(1)) == b"log size 2\nc1\n"


def parted(number: int, *parts: Part) -> LogEntry:
    return LogEntry(walked(number), parts)


def test_the_line_in_front_of_a_diff() -> None:
    log = Log("tformat:%s")
    assert log.write(parted(1, Part([]))) == b"c1\nDIFF\n"
    log.writer.spec = changed(log.writer.spec, formats__patch=True)
    assert log.write(parted(1, Part([]))) == b"c1\n\nDIFF\n"
    log.writer.spec = changed(log.writer.spec, formats__stat=True)
    assert log.write(parted(1, Part([]))) == b"c1\n---\nDIFF\n"
    oneline = Log("oneline")
    oneline.writer.spec = changed(oneline.writer.spec, formats__patch=True)
    assert oneline.write(parted(1, Part([]))) == hexed(1) + b" c1\nDIFF\n"
    assert oneline.write(parted(1, Part([], combined=[]))) == hexed(1) + b" c1\n\nDIFF\n"


def test_several_diffs_of_a_commit_and_a_notice() -> None:
    log = Log("oneline")
    said = Part([])
    said.notice = b"notice\n"
    got = log.write(parted(1, Part([], parent=oid(8)), said), LogEntry(walked(2), (), hidden=True))
    assert got == b"%b (from %b) c1\nDIFF\n%b c1\nnotice\n" % (hexed(1), hexed(8), hexed(1))


def test_a_merge_that_is_shown_again_has_the_prefix_twice() -> None:
    """Strange but git's: once for the commit, once for the row of the graph (-m --graph --line-prefix)."""
    log = Log("oneline", line_prefix=b">", graph=Graph())
    entry = walked(1, parents=(oid(2), oid(3)))
    entry.graph_parents = (oid(2), oid(3))
    parts = [Part([], oid(2)), Part([], oid(3))]
    lines = log.write(LogEntry(entry, parts)).split(b"\n")
    heads = [line for line in lines if b"(from" in line]
    assert heads[0].startswith(b">*   ") and heads[1].startswith(b">>| | ")
