"""What a merge is asked for, and what comes of it."""

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

    `labels` name our side, their side and the base in marks and messages. `favor` settles conflicts within texts
    ("ours", "theirs", "union"; "": not). `style` is `merge.conflictStyle`. `directory_renames` is
    `merge.directoryRenames`: "conflict", "true" or "false". `depth` is 0 for the merge itself, more for merges of merge
    bases.
    """

    labels: tuple[bytes, bytes, bytes]
    favor: str = ""
    style: str = "merge"
    lines: LineSpec = LineSpec(algorithm="histogram", indent_heuristic=False)
    rename_score: int = 0
    rename_limit: int = -1
    directory_renames: str = "conflict"
    depth: int = 0


@record(frozen=True)
class Message:
    """What is to be said of paths, the first of which it is listed under; `kind` is git's short name for it.

    A `hint` tells of no conflict, or of one that other messages tell of too: `--remerge-diff` leaves it out.
    """

    kind: bytes
    paths: tuple[bytes, ...]
    text: bytes
    hint: bool = False


@record
class MergeResult:
    """What a merge comes to.

    `tree` is its object name. `conflicts` are the stages of each path in conflict (merge base, ours, theirs);
    `messages` stand under their path, in git's order; `advice` is printed behind them, as it is. `clean` is False where
    anything is in conflict, also where no path is.
    """

    tree: bytes
    clean: bool
    changed: dict[bytes, Side] = field(default_factory=dict, repr=False)  # against our side
    conflicts: dict[bytes, Stages] = field(default_factory=dict)
    messages: dict[bytes, list[Message]] = field(default_factory=dict)
    advice: bytes = b""
    needed_limit: int = 0  # the rename limit that would have been needed, where there were too many files

    def lines(self) -> list[Message]:
        """All messages, path by path."""
        return [message for path in sorted(self.messages) for message in self.messages[path]]
