"""--find-copies-harder in what looks at files or the index: copies of files that nobody changed.

The answers were compared with git 2.39.5 over the same files.
"""

from typing import Any

import pytest

import gitglass

TEXT = b"".join(b"line %d\n" % at for at in range(40))
OTHER = b"".join(b"word %d\n" % at for at in range(40))
INTENT = 0x2000


@pytest.fixture
def copied(repo: Any) -> Any:
    """`kept` is unmodified, `edited` is edited; `staged` and `wished` (of `git add -N`) are copies of `kept`."""
    repo.add("kept", TEXT)
    repo.add("edited", OTHER)
    repo.commit()
    repo.add("staged", TEXT)
    empty = repo.put("blob", b"")
    repo.entry("wished", empty, special=INTENT)
    repo.write("wished", TEXT)
    repo.write("edited", b"other\n")
    repo.write_index()
    return gitglass.open(str(repo.top))


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["diff-index", "-C", "--find-copies-harder", "HEAD"], ["M edited", "C100 kept staged", "C100 kept wished"]),
        (["diff-index", "-C", "-C", "HEAD", "--", "staged", "kept"], ["C100 kept staged"]),
        (["diff-index", "-c", "-C", "-C", "HEAD"], ["MM edited", "C100 kept staged", "C100 kept wished"]),
        (["diff-index", "-C", "HEAD"], ["M edited", "A staged", "A wished"]),
        (["diff-index", "-C", "-C", "--cached", "HEAD"], ["C100 kept staged", "A wished"]),
        (["diff-files", "-C", "-C"], ["M edited", "C100 kept wished"]),
        (["diff-files", "-C"], ["M edited", "A wished"]),
        (["diff", "-C", "-C", "--cached", "HEAD"], ["C100 kept staged"]),
    ],
)
def test_copies_of_unmodified_files(copied: Any, argv: list[str], expected: list[str]) -> None:
    done = copied.git([argv[0], "--name-status", *argv[1:]])
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().replace("\t", " ").splitlines() == expected


def test_a_file_that_is_shown_combined_is_no_source(copied: Any, repo: Any) -> None:
    repo.write("wished", OTHER)  # what `edited` held
    done = copied.git(["diff-index", "-c", "-C", "-C", "--name-status", "HEAD"])
    assert done.stdout == b"MM\tedited\nC100\tkept\tstaged\nA\twished\n"
