"""Typed rows of blame."""

from ...records import typed_row
from ..declared import Field
from .page import Page


@typed_row
class BlameRun:
    """A run of lines that come from one commit.

    `time` is the author's, in epoch seconds, `zone` the time zone as minutes east of Greenwich.
    `line` and `original_line` count from one: in the file as it is, and in the commit's version of it (`path` may be an
    older name). `boundary`: the search ended here, the lines may be older. `oid` is all zeros, and `committed` False,
    for lines that no commit has yet. `lines` holds their text.
    """

    oid: str
    author: str
    mail: str
    time: int
    zone: int
    summary: str
    path: str
    line: int
    original_line: int
    count: int
    boundary: bool
    committed: bool
    lines: list[str]


class BlameResult(Page):
    """The last change of each line, in runs of neighbouring lines of one commit."""

    path: str = Field(description="The file.")
    runs: list[BlameRun] = Field(description="The runs, in the order of the file.")

    def by_commit(self) -> dict[str, list[BlameRun]]:
        """The runs of each commit, commits in the order of their first line."""
        groups: dict[str, list[BlameRun]] = {}
        for run in self.runs:
            groups.setdefault(run.oid, []).append(run)
        return groups
