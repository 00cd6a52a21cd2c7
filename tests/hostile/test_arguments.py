"""Arguments that a hijacked model may choose: every option with absurd values, under the guard (`GITGLASS_SEED`: others)."""

import os
from pathlib import Path
from typing import Any

from tests.support.copies import copy_tree

from gitglass.limits import Limits

from .arguments import GLOBALS, OUTSIDE, REVISIONS, check, commands, options, vectors
from .craft import SECRET
from .observer import ask, snapshot


def test_nasty_arguments(unpack: Any, tmp_path: Path, watched: Any, monkeypatch: Any) -> None:
    repo, outside = tmp_path / "jail" / "repo", tmp_path / "outside"
    copy_tree(unpack("plain"), repo)
    outside.mkdir()
    (outside / "secret").write_bytes(SECRET + b"\n")
    monkeypatch.chdir(repo)  # what is wrongly taken relative to the process would be written here
    before = snapshot(tmp_path)
    watched(os.path.realpath(repo))
    seed = int(os.environ.get("GITGLASS_SEED", "0"))
    assert check(repo, seed, 1500, Limits(timeout=1.0), 8.0) == []
    assert snapshot(tmp_path) == before


def test_every_word_in_every_place(unpack: Any, tmp_path: Path, watched: Any) -> None:
    repo = tmp_path / "jail" / "repo"
    copy_tree(unpack("plain"), repo)
    watched(os.path.realpath(repo))
    found: list[str] = []
    asked = [
        ["log", "-n", "1"],
        ["show"],
        ["diff"],
        ["blame"],
        ["ls-files"],
        ["cat-file", "-p"],
        ["rev-parse"],
        ["grep", "x"],
    ]
    for at, word in enumerate(REVISIONS + OUTSIDE):
        argv = asked[at % len(asked)]
        found += ask(repo, [*argv, word], Limits(timeout=1.0), 8.0)
        found += ask(repo, [*argv, "--", word], Limits(timeout=1.0), 8.0)
    for words in GLOBALS:
        found += ask(repo, [*words, "log", "-n", "1"], Limits(timeout=1.0), 8.0)
    assert not found


def test_the_generator_reaches_every_option() -> None:
    made = {word.split("=")[0] for argv in vectors(1, 12_000) for word in argv}
    missing = [
        name for _, command in commands() for name, _ in options(command) if name.startswith("--") and name not in made
    ]
    assert len(missing) < 40, missing
