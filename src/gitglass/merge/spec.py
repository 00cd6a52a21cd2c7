"""The specification of a merge, and its result."""

from __future__ import annotations

from ..diff.lines.spec import LineSpec
from ..records import field, record

__all__ = ["GONE", "MergeResult", "MergeSpec", "Message", "Side", "Stages"]

Side = tuple[int, bytes | None]  # mode (0: absent) and object name
Stages = tuple[Side, Side, Side]  # merge base, ours, theirs

GONE: Side = (0, None)


@record(frozen=True)
class MergeSpec:
    """How two sides are merged (git-merge(1), "merge strategies", `ort`; git-config(1), `merge.*`).

    `labels` name our side, their side and the base in conflict markers and messages. `favor` settles conflicts within
    texts ("ours", "theirs", "union"; "": not). `style` is `merge.conflictStyle`. `directory_renames` is
    `merge.directoryRenames`: "conflict", "true" or "false". `depth` is 0 for the merge itself, more for merges of merge
    bases. `all_renames` has every lost file be compared, as git's older strategy does (`recursive`, which `checkout
    --merge` still uses), where `ort` leaves out those that do not matter; renames of directories are not followed then.
    """

    labels: tuple[bytes, bytes, bytes]
    favor: str = ""
    style: str = "merge"
    lines: LineSpec = LineSpec(algorithm="histogram", indent_heuristic=False)
    rename_score: int = 0
    rename_limit: int = -1
    directory_renames: str = "conflict"
    depth: int = 0
    all_renames: bool = False


@record(frozen=True)
class Message:
    """A message on some paths; it is listed under the first. `kind` is git's short name for it.

    A `hint` is no conflict, or one that other messages report too: `--remerge-diff` leaves it out.
    """

    kind: bytes
    paths: tuple[bytes, ...]
    text: bytes
    hint: bool = False


@record
class MergeResult:
    """The result of a merge.

    `tree` is its object name. `conflicts` are the stages of each path in conflict (merge base, ours, theirs);
    `messages` are listed by path, in git's order; `advice` is printed after them, unchanged. `clean` is False if there
    is any conflict, even one that belongs to no path.
    """

    tree: bytes
    clean: bool
    changed: dict[bytes, Side] = field(default_factory=dict, repr=False)  # differences from our side's tree
    conflicts: dict[bytes, Stages] = field(default_factory=dict)
    messages: dict[bytes, list[Message]] = field(default_factory=dict)
    advice: bytes = b""
    needed_limit: int = 0  # the rename limit that would have been needed, if there were too many files

    def lines(self) -> list[Message]:
        """All messages, path by path."""
        return [message for path in sorted(self.messages) for message in self.messages[path]]
