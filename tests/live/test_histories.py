"""Random histories are walked as git walks them, by number and by oid, also where clocks lie."""

import shutil
from pathlib import Path

import pytest
from tests.live.histories import compare

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]


@pytest.mark.parametrize("seed", range(1, 17))
def test_as_git(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HOME", "/nonexistent"), ("GIT_CONFIG_NOSYSTEM", "1"), ("TZ", "UTC")):
        monkeypatch.setenv(name, value)
    assert [argv for argv, same in compare(tmp_path / "history", seed, 25) if not same] == []
