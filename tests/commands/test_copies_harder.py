"""--find-copies-harder in the plumbing that looks at files: copies of files that nobody changed.

The answers were recorded from git 2.39.5, with the same file written.
"""

import shutil

import pytest

import gitglass

COPY = ["C100\todd\tname\twish.txt"]
RENAME = ["R100\tsrc/topic.py\tsrc/moved.py"]


@pytest.fixture
def copied(unpack, tmp_path):
    """The archive `dirty`, where wish.txt (of `git add -N`) becomes a copy of a file that is as it was in HEAD."""
    place = tmp_path / "dirty"
    shutil.copytree(unpack("dirty"), place, symlinks=True)
    shutil.copyfile(place / "odd\tname", place / "wish.txt")
    return gitglass.open(str(place))


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["diff-index", "-C", "-C", "HEAD"], RENAME + COPY),
        (["diff-index", "-C", "--find-copies-harder", "HEAD", "--", "wish.txt", "odd*"], COPY),
        (["diff-index", "--find-copies-harder", "-c", "HEAD"], RENAME + COPY),
        (["diff-index", "-C", "HEAD"], RENAME),
        (["diff-index", "-C", "-C", "--cached", "HEAD"], RENAME),
        (["diff-files", "-C", "-C"], COPY),
        (["diff-files", "-C"], []),
    ],
)
def test_copies_of_unmodified_files(copied, argv, expected):
    done = copied.git([argv[0], "--name-status", "-z", *argv[1:]])
    assert (done.returncode, done.stderr) == (0, b"")
    words = done.stdout.decode().split("\0")
    found = []
    while words[0]:
        count = 3 if words[0][0] in "RC" else 2
        found.append("\t".join(words[:count]))
        words = words[count:]
    assert [row for row in found if row[0] in "RC"] == expected

