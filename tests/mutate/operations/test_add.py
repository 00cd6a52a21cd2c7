"""What `add` says of paths that are ignored."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, said

pytestmark = pytest.mark.writes


@pytest.mark.parametrize(
    "rules, shown",
    [
        ("out\n", ["out"]), ("out/deep\n*.o\n", ["out/deep", "out/x.o"]), ("*.o\nf\n", ["out/deep/f", "out/x.o"]),
    ],
    ids=repr,
)  # fmt: skip
def test_the_topmost_directory_that_is_ignored_is_named_once(tmp_path: Path, rules: str, shown: list[str]) -> None:
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "out/deep").mkdir(parents=True)
    (repo / "out/deep/f").write_text("")
    (repo / "out/x.o").write_text("")
    commit(repo, "rules", name=".gitignore", text=rules)
    status, out, err = said(repo, "add", "out/deep/f", "out/x.o")
    head, *names = err.splitlines()
    assert (status, out) == (1, "") and head == "The following paths are ignored by one of your .gitignore files:"
    assert names[: -len(names) + len(shown)] == shown and names[len(shown)].startswith("hint: ")
