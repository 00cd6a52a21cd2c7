"""operations/paths.py: what pathspecs name, as git 2.39 reads them. More of it is in test_twins."""

from pathlib import Path

import pytest
from tests.support.peers import empty, read, run, said

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Files whose names are patterns too, changed since the commit, and two that are new."""
    repo = empty(tmp_path / "repo", bare=False)
    (repo / "d").mkdir()
    for name in ("[f]", "d/x.c", "f", "f*"):
        (repo / name).write_text("one\n")
    run(repo, "add", ".")
    run(repo, "commit", "-q", "-m", "one")
    for name in ("[f]", "d/x.c", "f", "f*"):
        (repo / name).write_text("two\n")
    for name in ("u*", "ux"):
        (repo / name).write_text("new\n")
    return repo


def status(repo: Path) -> set[str]:
    return set(read(repo, "status", "--short").splitlines())


ALL = {" M [f]", " M d/x.c", " M f", " M f*", "?? u*", "?? ux"}


@pytest.mark.parametrize(
    ("words", "gone", "come"),
    [
        (["rm", "-q", "-f", "[f]"], {" M [f]"}, {"D  [f]"}),
        (["rm", "-q", "-f", "f*"], {" M f", " M f*"}, {"D  f", "D  f*"}),  # which comes behind f
        (["commit", "-q", "-m", "x", "[f]"], {" M [f]"}, set()),
        (["restore", "[f]"], {" M [f]"}, set()),
        (["restore", "-s", "HEAD", "-SW", "[f]"], {" M [f]"}, set()),
        (["checkout", "HEAD", "--", "[f]"], {" M [f]"}, set()),
        (["add", "u*"], {"?? u*"}, {"A  u*"}),
        (["stash", "push", "-q", "-u", "--", "u*"], {"?? u*"}, set()),
        (["add", "[f]"], {" M [f]", " M f"}, {"M  [f]", "M  f"}),  # what is tracked is compared, and not listed
        (["stash", "push", "-q", "--", "[f]"], {" M [f]", " M f"}, set()),
    ],
    ids=lambda value: " ".join(value if isinstance(value, list) else sorted(value)) or "none",
)  # fmt: skip
def test_a_word_that_is_a_name_is_no_pattern_behind_it(
    repo: Path, words: list[str], gone: set[str], come: set[str]
) -> None:
    run(repo, *words)
    assert status(repo) == ALL - gone | come


def test_of_a_tree_the_index_gets_what_the_pattern_names(repo: Path) -> None:
    """Files are written of what the word names alone."""
    run(repo, "commit", "-q", "-a", "-m", "two")
    assert said(repo, "checkout", "HEAD~1", "[f]") == (
        0,
        "",
        f"Updated 1 path from {read(repo, 'rev-parse', '--short', 'HEAD~1^{tree}')}\n",
    )
    assert status(repo) == {"M  [f]", "MM f", "?? u*", "?? ux"}


@pytest.mark.parametrize(
    "words",
    [
        ["add", "*.c", ":!d"], ["rm", "-q", "-f", "*.c", ":!d"],
        ["stash", "push", "-q", "--", "*.c", ":!d"],
    ],
    ids=str,
)  # fmt: skip
def test_words_that_name_what_is_excluded_name_something(repo: Path, words: list[str]) -> None:
    assert said(repo, *words) == (0, "", "")
    assert status(repo) == ALL


@pytest.mark.parametrize("words", [["add"], ["add", "-u"], ["add", "-A"], ["add", "-N"]], ids=str)
@pytest.mark.parametrize("name", ["f/", "ux/", "f*/"])
def test_a_file_is_not_named_as_a_directory(repo: Path, words: list[str], name: str) -> None:
    assert said(repo, *words, name, "d") == (128, "", f"fatal: pathspec '{name}' did not match any files\n")
    assert status(repo) == ALL


def test_a_directory_of_nothing_but_a_pattern_needs_r(repo: Path) -> None:
    (repo / "x*").mkdir()
    (repo / "x*/in").write_text("")
    run(repo, "add", "x[*]/in")
    for name in ("x*", ":(icase)D"):
        refused = (128, "", f"fatal: not removing '{name}' recursively without -r\n")
        assert said(repo, "rm", "-q", "-f", name) == refused
    (repo / "xx").write_text("")
    run(repo, "add", "xx")
    assert said(repo, "rm", "-q", "-f", "x*") == (0, "", "")


def test_reset_takes_no_file_for_a_directory(repo: Path) -> None:
    status, out, err = said(repo, "reset", "-q", "f/", "d")
    assert (status, out) == (128, "") and err.startswith("fatal: ambiguous argument 'f/': unknown revision or path")
