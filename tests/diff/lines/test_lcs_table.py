"""Cuts read from a table are those of the search, whatever the lists and the cost it gives up at."""

from __future__ import annotations

import random

import pytest

from gitglass.diff.lines import lcs_table as tables
from gitglass.diff.lines import myers
from gitglass.limits import Context


def _lists(seed: int) -> tuple[list[int], list[int]]:
    """Two lists of few or many different items, related or not, that begin and end differently."""
    draw = random.Random(seed)
    kinds, most = draw.choice([2, 3, 6, 40, 200]), draw.choice([1, 3, 12, 60, 150])
    a = [draw.randrange(kinds) for _ in range(draw.randint(1, most))]
    b = [item for item in a if draw.random() < 0.7]
    for _ in range(draw.randint(0, 9)):
        b.insert(draw.randint(0, len(b)), draw.randrange(kinds))
    if seed % 3 == 0:  # a block that moved
        b = b[len(b) // 2 :] + b[: len(b) // 2]
    return [-1, *a, -2], [-3, *b, -4]


@pytest.mark.parametrize("give_up", [2, 3, 8, 30, 256])
@pytest.mark.parametrize("exact", [True, False])
def test_tables_cut_where_the_search_does(
    give_up: int, exact: bool, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(myers, "worth_from", lambda rows, columns, exact: 0)
    seen = set()
    for seed in range(120):
        a, b = _lists(seed)
        searched = myers._cut(a, b, 0, len(a), 0, len(b), exact, give_up, ctx)
        assert tables.cut_by_table(a, b, exact, give_up, ctx) == searched
        seen.add(searched[2:])
    assert seen == {(True, True)} if exact or give_up == 256 else len(seen) > 1


def test_long_searches_end_in_tables(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(7)
    a, b = ([draw.randrange(90) for _ in range(300)] for _ in range(2))
    cuts = []

    def counted(*args: object) -> tables.Cut:
        cuts.append(args)
        return tables.cut_by_table(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(myers, "cut_by_table", counted)
    by_tables = myers.mark_changes(a, b, False, ctx)
    assert cuts
    monkeypatch.setattr(myers, "worth_from", lambda rows, columns, exact: 0)
    assert myers.mark_changes(a, b, False, ctx) == by_tables


def test_tables_are_not_made_of_what_is_too_large() -> None:
    assert tables.worth_from(300, 300, False)
    assert not tables.worth_from(5000, 5000, False)
    assert tables.worth_from(5000, 5000, True)
    assert not tables.worth_from(50_000, 50_000, True)
