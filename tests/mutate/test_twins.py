"""Recorded twins: sequences of operations whose every step leaves what git left, and says what git said."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from ..support.twins import START, Refused, attempt, do_edit, picture
from ..support.writing import copy_of

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
RECORD = json.loads((FIXTURES / "recorded" / "twins.json").read_text())
CHOSEN = json.loads((FIXTURES / "recorded" / "chosen_twins.json").read_text())

pytestmark = pytest.mark.writes


def digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


@pytest.mark.parametrize("sequence", RECORD["sequences"] + CHOSEN["sequences"], ids=lambda one: str(one["seed"]))
def test_every_step_is_gits(sequence: dict[str, Any], tmp_path: Path) -> None:
    repo = copy_of(sequence["base"], tmp_path / "repo")
    home = os.fsencode(str(repo))
    for number, step in enumerate(sequence["steps"]):
        for edit in step["edits"]:
            do_edit(repo, tuple(edit))
        answer = attempt(repo, step["argv"], START + 60 * (number + 1))
        assert isinstance(answer, Refused) == (step["said"] is None), (number, step["argv"], answer)
        if isinstance(answer, Refused):  # by name; the next step shows that nothing changed
            continue
        status, out, err = answer
        said = [status, *(one.replace(home, b"REPO").decode("utf-8", "surrogateescape") for one in (out, err))]
        if status:
            (repo / ".git/COMMIT_EDITMSG").unlink(missing_ok=True)
        assert said == step["said"], (number, step["argv"])
        found = picture(repo, home)
        unlike = {
            key: found.get(key)
            for key in found.keys() | step["picture"].keys()
            if (digest(found[key]) if key in found else None) != step["picture"].get(key)
        }
        assert not unlike, (number, step["argv"], unlike)


def test_the_record_has_every_operation() -> None:
    words = {
        step["argv"][0] for one in RECORD["sequences"] for step in one["steps"] if step["said"] and not step["said"][0]
    }
    assert words == {
        "add",
        "commit",
        "stash",
        "switch",
        "checkout",
        "reset",
        "branch",
        "rm",
        "mv",
        "restore",
        "tag",
        "merge",
        "cherry-pick",
        "revert",
    }
    assert len(RECORD["sequences"]) >= 40
