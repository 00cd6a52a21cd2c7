"""Others at work: none of their compare-and-swaps is lost, no link leads the door outside, no saved version is lost.

A small part of `python -m tests.live.races --swaps 10000 --links 10000 --edits 3000`.
"""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.editors import Editor, edit, lost_versions
from tests.support.races import REF, Swapped, chain_faults, link_all_the_time, link_at_every_call, race_refs
from tests.support.writing import copy_of

pytestmark = pytest.mark.writes
SEED = int(os.environ.get("GITGLASS_SEED", "0"))


def test_competing_writers(tmp_path: Path, guarded: Any) -> None:
    told, faults = race_refs(tmp_path, 45, writers=3)
    assert faults == [] and told["won"] > 2
    assert told.keys() <= {"won", "invalid_args", "stale_approval", "locked"}
    guarded.seen.clear()  # children are forked by the test


def test_one_writer_always_wins(tmp_path: Path, guarded: Any) -> None:
    told, faults = race_refs(tmp_path, 8, writers=1)
    assert faults == [] and told == {"won": 8}
    guarded.seen.clear()


def test_the_judge_of_writers_sees(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    values = ["1" * 40, "2" * 40, "3" * 40]
    (repo / ".git/refs/race").mkdir()
    (repo / ".git" / REF).write_text(values[2])
    (log := repo / ".git/logs" / REF).parent.mkdir()
    log.write_text("".join(f"{old} {new} A <a@b> 1 +0000\n" for old, new in pairwise(values)))
    won = dict(pairwise(values))
    assert chain_faults(repo, values[0], won, 2) == []
    assert chain_faults(repo, values[0], won, 3)  # one more was told that it won
    assert chain_faults(repo, values[0], {**won, "4" * 40: values[0]}, 3)  # from a value that the ref did not have
    assert chain_faults(repo, values[0], {values[0]: values[1]}, 1)  # one that won was told that it had not
    (repo / ".git" / REF).write_text(values[1])
    assert chain_faults(repo, values[0], won, 2)  # the last one who won was overwritten


def test_links_swapped_in_before_calls(tmp_path: Path, guarded: Any) -> None:
    told, faults = link_at_every_call(tmp_path, 200 + SEED % 100)
    assert faults == [] and told["done"] and told["sandbox_violation"]
    guarded.seen.clear()


def test_links_swapped_in_all_the_time(tmp_path: Path, guarded: Any) -> None:
    told, faults = link_all_the_time(tmp_path, 150 + SEED % 100)
    assert faults == [] and told["swaps"]
    guarded.seen.clear()


def test_the_canary_sees(tmp_path: Path, guarded: Any) -> None:
    swapped = Swapped(tmp_path)
    assert swapped.swap("docs", tmp_path / "link") and swapped.touched() == []
    (swapped.repo / "docs/written").write_bytes(b"")
    assert swapped.touched() == ["docs", "docs/written"]
    swapped.back("docs", tmp_path / "link")
    assert not (swapped.repo / "docs").is_symlink() and (swapped.repo / "docs/nonl.txt").exists()
    guarded.seen.clear()


def test_an_editor_loses_no_version(tmp_path: Path, guarded: Any) -> None:
    told, faults = edit(tmp_path, 40, SEED)
    assert faults == [] and told["saved"] > 10
    guarded.seen.clear()


def test_the_judge_of_versions_sees(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")
    editor = Editor(repo, tmp_path / "notes", 1)
    for _ in range(12):
        editor.save()
    assert lost_versions(repo, tmp_path / "notes") == ([], 12)
    (repo / "README.md").write_bytes(b"by nobody who keeps anything\n")
    assert len(lost_versions(repo, tmp_path / "notes")[0]) == 1
