"""The columns of a commit-graph: what its rows say, also where they are odd or broken."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.graph import columns
from gitglass.graph.columns import ONE, OTHER, columns_of
from gitglass.graph.positions import MORE, NONE

LATE = (1 << 33) + 5  # a time after the year 2106

ROWS = [
    (NONE, NONE, 1 << 34 | 7),  # a root
    (0, NONE, 2 << 34 | 8),
    (0, 1, 3 << 34 | 9),
    (2, MORE | 4, 4 << 34 | 10),  # an octopus
    (9, NONE, 2 << 34 | 11),  # no such position
    (MORE, NONE, 2 << 34 | 12),
    (3, 77, 5 << 34 | 13),  # no such second parent
]


def table(rows: list[tuple[int, int, int]], outside: list[tuple[int, int, int]], width: int = 20) -> Any:
    raw = b"".join(bytes([0x70]) * width + struct.pack(">IIQ", *row) for row in rows)
    return SimpleNamespace(size=width + 16, width=width, tables=lambda: (raw, outside))


@pytest.mark.parametrize("width", [20, 32])
@pytest.mark.parametrize("step", [1, 3, 4096])
def test_columns_say_what_the_rows_do(monkeypatch: pytest.MonkeyPatch, width: int, step: int) -> None:
    monkeypatch.setattr(columns, "_STEP", step)
    looks: list[int] = []
    found = columns_of(table(ROWS, [(6, NONE, 6 << 34 | 14), (NONE, NONE, 15)], width), lambda: looks.append(1))
    assert found is not None
    first, second, times, levels = found
    assert [level >> 2 for level in levels] == [1, 2, 3, 4, 2, 2, 5, 6, 0]
    assert list(times) == [7, 8, 9, 10, 11, 12, 13, 14, 15]
    told = [(one, two) for one, two in zip(first, second, strict=True)]
    assert told[1:3] == [(0, ONE), (0, 1)]
    assert told[7] == (6, ONE)
    # of these the row is asked: roots, octopuses, and what is broken
    assert all(two >= len(ROWS) + 2 and two != ONE for _, two in (told[0], *told[3:7], told[8]))
    assert told[0][1] == told[4][1] == told[5][1] == told[8][1] == OTHER
    assert len(looks) == -(-len(ROWS) // step)


@pytest.mark.parametrize("step", [1, 2, 4096])
def test_times_after_2106(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    monkeypatch.setattr(columns, "_STEP", step)
    rows = [(NONE, NONE, 1 << 34 | 7), (0, NONE, 2 << 34 | LATE), (1, NONE, 3 << 34 | 9)]
    found = columns_of(table(rows, []), lambda: None)
    assert found is not None and list(found[2]) == [7, LATE, 9]
    found = columns_of(table(rows[:1], [(0, NONE, 2 << 34 | LATE)]), lambda: None)
    assert found is not None and list(found[2]) == [7, LATE]


def test_a_table_that_is_too_large() -> None:
    assert columns_of(SimpleNamespace(tables=lambda: (None, [])), lambda: None) is None  # type: ignore[arg-type]
