"""Questions about odd histories have git's answers: bytes of the output and exit status."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

import gitglass

from ..support.odd_histories import ENVIRONMENT, QUESTIONS, asked, on_disk, refs_of

RECORD = json.loads(Path(__file__).parents[2].joinpath("fixtures/recorded/odd-histories.json").read_text("utf-8"))


@pytest.mark.parametrize("seed", range(len(RECORD)))
def test_answers_are_gits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    on_disk(seed, tmp_path)
    graph = base64.b64decode(RECORD[seed]["graph"])
    if graph:
        (tmp_path / ".git/objects/info/commit-graph").write_bytes(graph)
    wrong, answers = [], RECORD[seed]["answers"]
    for words in asked(seed, refs_of(tmp_path)):
        done = gitglass.git(words, cwd=str(tmp_path))
        if f"{done.returncode} {hashlib.sha1(done.stdout).hexdigest()}" != answers[" ".join(words)]:
            wrong.append(" ".join(words))
    assert wrong == [] and len(answers) > len(QUESTIONS) * 9 // 10
