"""Commits in a line each; sizes with units, as git rev-list --disk-usage=human writes them."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.history.spec import BOUNDARY, LEFT, PATCHSAME, UNINTERESTING, WalkEntry
from gitglass.limits import Context
from gitglass.objects.parsed import Commit
from gitglass.render.color import Palette
from gitglass.render.dates import DEFAULT, dater
from gitglass.render.log.commit_parts import Env
from gitglass.render.log.formats import find_format
from gitglass.render.log.graph import Graph
from gitglass.render.log.pretty import Printer
from gitglass.render.rev_list import RevListShape, RevListWriter, human_size


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, b"0 bytes"), (1, b"1 byte"), (1024, b"1024 bytes"), (1025, b"1.00 KiB"), (25272, b"24.68 KiB"),
     (1 << 20, b"1024.00 KiB"), ((1 << 20) + 1, b"1.00 MiB"), (3 << 30, b"3.00 GiB"), ((1 << 30) * 5 // 2, b"2.49 GiB")],
)  # fmt: skip
def test_human_size(size: int, words: bytes) -> None:
    assert human_size(size) == words


@pytest.mark.parametrize("flags", [0, BOUNDARY, LEFT, PATCHSAME, UNINTERESTING])
@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"parents": True},
        {"sides": True},
        {"cherry": True, "parents": True},
        {"children": True},
        {"timestamp": True},
        {"timestamp": True, "parents": True},
        {"timestamp": True, "sides": True},
        {"named": False},
        {"beside": bytes},
    ],
)
def test_lines_of_several_commits_are_those_of_each(shown: dict[str, Any], flags: int) -> None:
    writer = RevListWriter(RevListShape(**shown), None, lambda oid: ((), oid[0], b""))
    rows = [
        (
            bytes([nth]) * 20,
            tuple(bytes([nth + more]) * 20 for more in range(1, nth)),
            None,
            flags * (nth % 2),
            (bytes([9]) * 20,),
        )
        for nth in range(1, 5)
    ]
    entries = []
    for oid, above, _, marks, children in rows:
        entry = WalkEntry(oid, None, above, marks)  # type: ignore[arg-type]
        entry.children = children
        entries.append(writer.entry(entry))
    assert writer.rows(rows) == b"".join(entries)


def test_times_that_the_walk_has_put_beside_commits() -> None:
    writer = RevListWriter(RevListShape(timestamp=True, timed=True), None, lambda oid: ((), 7, b""))
    rows: list[Any] = [(bytes(20), (), None, 0, (b"12",)), (bytes(20), (), None, 0, ())]
    assert writer.rows(rows) == b"12 %b\n7 %b\n" % (b"0" * 40, b"0" * 40)


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("sides", [False, True])
@pytest.mark.parametrize(
    "form",
    ["oneline", "short", "raw", "email", "tformat:%h %m %s", "tformat:%H", "format:", "tformat:%x0", "tformat:%P"],
)
def test_formats_of_several_commits_are_those_of_each(form: str, sides: bool, header: bool) -> None:
    config: Any = Config()
    env = Env(
        SimpleNamespace(config=config, mailmap=None, hash_name="sha1"), ctx=Context(now=100),  # type: ignore[arg-type]
        abbrev=lambda oid: oid.hex()[:4].encode(), dater=dater(DEFAULT, 100), palette=Palette(config, False),
        decorations=None, abbrev_many=lambda oids: [oid.hex()[:4].encode() for oid in oids],
    )  # fmt: skip
    chosen = find_format(form.encode(), {})
    printer = Printer(chosen, env, tabs=chosen.tabs, mailmap=False)
    shape = RevListShape(verbose=True, sides=sides, timestamp=sides, parents=header, header=header)
    writer = RevListWriter(shape, printer, lambda oid: ((), oid[0], b""))
    raw = b"tree " + b"1" * 40 + b"\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nsub\nject\n\nbody\n"
    rows: list[Any] = [
        (bytes([nth]) * 20, (bytes(20),) * nth, raw, flags, ()) for nth, flags in enumerate((0, 2, LEFT), 1)
    ]
    entries = [WalkEntry(oid, Commit(oid, data, above), above, flags) for oid, above, data, flags, _ in rows]
    assert writer.rows(rows) == b"".join(map(writer.entry, entries))


@pytest.mark.parametrize("colors", [(), (b"[1]", b"[2]")])
@pytest.mark.parametrize(
    "shown", [{}, {"sides": True}, {"cherry": True}, {"timestamp": True}, {"parents": True, "timestamp": True}]
)
def test_lines_beside_a_graph_are_those_of_each_commit(shown: dict[str, Any], colors: tuple[bytes, ...]) -> None:
    def name(nth: int) -> bytes:
        return bytes([nth]) * 20

    drawn = {1: (2, 3), 2: (4,), 3: (4,), 4: (6, 5), 5: (6,), 6: ()}
    flags = [0, LEFT, PATCHSAME, BOUNDARY, 0, LEFT]
    rows = [
        (name(nth), tuple(map(name, above)), b"", have, tuple(map(name, above)))
        for (nth, above), have in zip(drawn.items(), flags, strict=True)
    ]
    shapes = [RevListShape(graph=Graph(colors, b"[0]" if colors else b""), **shown) for _ in range(2)]
    written, each = (RevListWriter(shape, None, lambda oid: ((), oid[0], b"")) for shape in shapes)
    lines = []
    for oid, above, _, have, beside in rows:
        entry = WalkEntry(oid, None, above, have)  # type: ignore[arg-type]
        entry.graph_parents = beside
        lines.append(each.entry(entry))
    assert written.rows(rows[:2]) + written.rows(rows[2:]) == b"".join(lines)
    assert b"".join(lines).count(b"\n") > len(rows)
