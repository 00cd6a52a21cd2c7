"""What blame keeps of the changes between two blobs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.blame.facts import BlameFacts, facts_of
from gitglass.diff.lines.spec import LineSpec

ONE, TWO = b"1" * 20, b"2" * 20
SCRIPT = [(0, 1, 0, 2)]


def test_changes_are_kept_by_both_blobs_in_their_order() -> None:
    facts = BlameFacts()
    facts.keep_script(ONE, TWO, LineSpec(), SCRIPT)
    assert facts.script(ONE, TWO, LineSpec()) == SCRIPT
    assert facts.script(TWO, ONE, LineSpec()) is None


@pytest.mark.parametrize("option", ["minimal", "ignore_all_space", "indent_heuristic"])
def test_another_kind_of_diff_is_another_fact(option: str) -> None:
    facts, usual = BlameFacts(), LineSpec()
    other = LineSpec(**{option: not getattr(usual, option)})
    facts.keep_script(ONE, TWO, usual, SCRIPT)
    assert facts.script(ONE, TWO, other) is None
    facts.keep_script(ONE, TWO, other, [])
    assert (facts.script(ONE, TWO, usual), facts.script(ONE, TWO, other)) == (SCRIPT, [])
    assert facts.script(ONE, TWO, LineSpec(context=9)) == SCRIPT  # how much is shown changes nothing


def test_beyond_the_bound_all_that_was_kept_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitglass.blame.facts._HUNKS_KEPT", 10)
    facts = BlameFacts()
    names = [bytes([n]) * 20 for n in range(3)]
    for name in names[:2]:
        facts.keep_script(ONE, name, LineSpec(), SCRIPT)  # each counts for five
    assert facts.script(ONE, names[0], LineSpec()) == SCRIPT
    facts.keep_script(ONE, names[2], LineSpec(), SCRIPT)
    assert [facts.script(ONE, name, LineSpec()) for name in names] == [None, None, SCRIPT]


def test_the_facts_belong_to_the_store() -> None:
    store: Any = SimpleNamespace(memo={})
    assert facts_of(store) is facts_of(store)
    assert facts_of(SimpleNamespace(memo={})) is not facts_of(store)  # type: ignore[arg-type]
