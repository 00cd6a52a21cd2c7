"""Lines that were moved or copied: the order in which they are settled is git's (`blame --incremental`)."""

import json
from pathlib import Path

import pytest

import gitglass
from gitglass.blame.blame import Scoreboard

from ..support.moved_lines import ASKED, made, on_disk, order

RECORD: dict[str, list[list[str]]] = json.loads(
    Path(__file__).parents[2].joinpath("fixtures/recorded/blame-order.json").read_text(encoding="utf-8")
)
CASES = [(options, seed) for options, count in ASKED.items() for seed in range(count)]


def settled(options: str, seed: int, place: Path) -> list[str]:
    names = on_disk(made(seed), place)
    words = ["blame", "--incremental", *options.split(), "main", "--", "f"]
    return order(gitglass.git(words, cwd=str(place)).stdout, names)


@pytest.mark.parametrize(("options", "seed"), CASES)
def test_lines_are_settled_in_gits_order(options: str, seed: int, tmp_path: Path) -> None:
    assert settled(options, seed, tmp_path / "repo") == RECORD[options][seed]


def test_an_origin_that_nothing_leads_to_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would keep its place among the origins of its commit."""
    monkeypatch.setattr(Scoreboard, "release", lambda self, origin: None)
    answers = [settled(options, seed, tmp_path / f"{options}{seed}") for options, seed in CASES]
    assert answers != [RECORD[options][seed] for options, seed in CASES]
