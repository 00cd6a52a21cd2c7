"""The typed rows of a diff: files, their hunks, the sums."""

from ...records import field, typed_row


@typed_row
class HunkRow:
    """One hunk of a patch. `lines` are marked ' ', '-' or '+' as in the patch."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    section: str
    lines: list[str]


@typed_row
class FileChange:
    """One changed file.

    `status` is git's letter; `path` the current path, `old_path` the former one if it was renamed or copied; `score`
    the similarity in percent. `added` and `deleted` count lines; None for binary files, or if not requested.
    """

    status: str
    path: str
    old_path: str | None = None
    score: int | None = None
    old_mode: str = "000000"
    new_mode: str = "000000"
    old_oid: str | None = None
    new_oid: str | None = None
    added: int | None = None
    deleted: int | None = None
    binary: bool = False
    hunks: list[HunkRow] | None = field(default=None)


@typed_row
class DiffTotals:
    """The sums of a diffstat; of lines None, if none were counted because only names were requested."""

    files: int = 0
    added: int | None = 0
    deleted: int | None = 0
