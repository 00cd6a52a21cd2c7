"""git diff-tree, diff-index and diff-files."""

import pytest

import gitglass


@pytest.fixture(scope="module")
def dirty(unpack):
    return gitglass.open(str(unpack("dirty")))


def test_a_commit_is_named_in_front_of_its_changes(dirty):
    head = dirty.git(["rev-parse", "HEAD~1"]).stdout
    lines = dirty.git(["diff-tree", "-r", "HEAD~1"]).stdout
    assert lines.startswith(head + b":")
    assert dirty.git(["diff-tree", "--no-commit-id", "-r", "HEAD~1"]).stdout == lines[len(head) :]


def test_directories_unless_told_to_descend(dirty):
    names = dirty.git(["diff-tree", "--name-only", "HEAD~2", "HEAD"]).stdout.split()
    deep = dirty.git(["diff-tree", "-r", "--name-only", "HEAD~2", "HEAD"]).stdout.split()
    assert {name.split(b"/")[0] for name in deep} == set(names)


def test_whole_object_names(dirty):
    line = dirty.git(["diff-index", "--cached", "HEAD"]).stdout.splitlines()[0]
    assert len(line.split()[2]) == 40


@pytest.mark.parametrize(
    "argv, status",
    [
        (["diff-index", "--quiet", "HEAD"], 1),
        (["diff-index", "--quiet", "--cached", "HEAD", "--", "nosuch"], 0),
        (["diff-files", "--quiet"], 1),
        (["diff-tree", "--quiet", "HEAD", "HEAD"], 0),
        (["diff-tree"], 129),
        (["diff-tree", "--stdin"], 129),
        (["diff-index"], 129),
    ],
)
def test_exit_status(dirty, argv, status):
    assert dirty.git(argv).returncode == status
