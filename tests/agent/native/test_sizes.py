"""agent/native/sizes.py: the files of a diff, the largest changes first."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.agent.native.sizes import no_directory, size_units
from gitglass.request.rows.diff import FileChange

CALL: Any = SimpleNamespace(text=bytes.decode, style=SimpleNamespace(quote=lambda path: b"<" + path + b">"))


def told(files: Sequence[FileChange]) -> list[str]:
    return [unit.text() for unit in size_units(CALL, files)]


def change(path: str, added: int | None, deleted: int | None, old: str | None = None) -> FileChange:
    return FileChange("M", path, added=added, deleted=deleted, old_path=old)


def test_most_changed_lines_first_then_by_name_and_binary_ones_at_the_end() -> None:
    files = [
        change("bin", None, None),
        change("b", 1, 1),
        change("a", 2, 0),
        change("c", 0, 9, "old"),
        change("mode", 0, 0),
    ]
    units = list(size_units(CALL, files))
    assert told(files) == [
        " 5 files changed, 3 insertions(+), 10 deletions(-)\n",
        "0\t9\t<old> => <c>\n",
        "2\t0\t<a>\n",
        "1\t1\t<b>\n",
        "0\t0\t<mode>\n",
        "-\t-\t<bin>\n",
    ]
    assert [unit.counted for unit in units] == [False, True, True, True, True, True]
    assert units[1].row is not None and units[1].row() is files[3]


@pytest.mark.parametrize(
    ("added", "deleted", "words"),
    [
        (1, 0, " 1 file changed, 1 insertion(+)\n"),
        (0, 1, " 1 file changed, 1 deletion(-)\n"),
        (0, 0, " 1 file changed, 0 insertions(+), 0 deletions(-)\n"),
        (2, 2, " 1 file changed, 2 insertions(+), 2 deletions(-)\n"),
    ],
)
def test_totals_as_git_writes_them(added: int, deleted: int, words: str) -> None:
    assert told([change("a", added, deleted)])[0] == words


def test_no_files_and_no_directory() -> None:
    assert told([]) == []
    assert no_directory(1200) == "no directory has 3% of the changes; files changed: 1,200 (mode=largest lists them)"
