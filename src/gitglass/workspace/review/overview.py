"""The overview of a review: the files as a tree, the notes and the decision on each.

The page and the app are made of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

from ...limits import Context
from ...objects.idents import split_ident
from ...records import record
from ...revs.calendar import zone_minutes
from ..views import size_words
from ..workspace import Workspace
from .box import shown
from .lines import Row, file_rows, is_generated, what_is_no_text
from .model import Review, ReviewFile

State = Literal["", "accept", "reject", "part"]

#: the decisions in words
WORDS = {"": "", "accept": "accepted", "reject": "rejected", "part": "accepted in part"}
_FOLDED = 400  # lines: a longer file is folded until the reader opens it


@record(frozen=True)
class Shown:
    """A file as it is shown: its lines (as many as there was room for), the numbers of added and removed ones, further
    notes, and whether it is folded at first."""

    file: ReviewFile
    rows: tuple[Row, ...]
    added: int
    gone: int
    notes: tuple[str, ...]
    is_folded: bool
    is_cut: bool = False

    @property
    def counts(self) -> str:
        """`+8 −7`, or nothing for a file without lines."""
        words = [f"+{self.added}"] if self.added else []
        return " ".join([*words, f"−{self.gone}"] if self.gone else words)

    @property
    def nothing(self) -> str:
        """The text shown instead of lines if there are none."""
        if self.file.file.operation == "mode":
            return "Only the mode changes; the content stays as it is."
        return "There are no lines to show."


def room_of(row: Row) -> int:
    """How much room a row takes: a long one takes as much as several lines."""
    return 1 + len(row.words) // 200


def shown_file(workspace: Workspace, file: ReviewFile, ctx: Context, *, room: int) -> Shown:
    """A file with as many lines as there is room for: a line of usual length takes 1."""
    rows: list[Row] = []
    is_cut = False
    for row in file_rows(workspace, file, ctx):
        room -= room_of(row)
        if room < 0:
            is_cut = True
            break
        rows.append(row)
    added, gone = (sum(row.sign == sign for row in rows) for sign in "+-")
    folded = is_generated(file.path) or len(rows) > _FOLDED
    return Shown(file, tuple(rows), added, gone, _notes(file), folded, is_cut)


def _notes(file: ReviewFile) -> tuple[str, ...]:
    facts = file.file
    notes = [{"create": "new", "update": "changed", "delete": "deleted", "mode": "mode"}[facts.operation]]
    if what_is_no_text(file):
        notes.append(what_is_no_text(file))
    elif facts.operation != "delete":
        notes.append(f"{facts.size} bytes" if facts.size < 1024 else size_words(facts.size))
    if file.line_ends:
        notes.append(f"line endings changed: {file.line_ends} lines")
    if facts.old_mode and facts.new_mode and facts.old_mode != facts.new_mode:
        notes.append(f"mode {facts.old_mode} → {facts.new_mode}")
    elif facts.operation == "create" and facts.new_mode != "100644":
        notes.append({"100755": "executable", "120000": "symbolic link"}.get(facts.new_mode, f"mode {facts.new_mode}"))
    if is_generated(file.path):
        notes.append("generated")
    return tuple(notes)


def state_of(review: Review, file: ReviewFile) -> State:
    """The decision on a file: on all of it, or on a part."""
    if not file.hunks:
        return review.decisions.get(file.id, "")
    states = {review.decisions.get(hunk.id, "") for hunk in file.hunks}
    if "reject" in states:
        return "reject" if len(states) == 1 else "part"
    return "accept" if states == {"accept"} else ""


@record(frozen=True)
class Branch:
    """A line of a tree: a directory (its name ends with `/`; joined with those below it that are alone), or a file."""

    depth: int
    name: str
    file: ReviewFile | None = None


def tree_of(files: Iterable[ReviewFile]) -> list[Branch]:
    """Files as a tree, in their order: directories before their files; directories that hold one entry are joined with
    it."""
    root: dict[str, object] = {}
    for file in files:
        at = root
        *folders, name = file.path.split("/")
        for folder in folders:
            at = at.setdefault(folder + "/", {})  # type: ignore[assignment]
        at[name] = file
    return _branches(root, 0)


def _branches(folder: dict[str, object], depth: int) -> list[Branch]:
    out: list[Branch] = []
    for name, item in folder.items():
        while isinstance(item, dict) and len(item) == 1:
            (inner, one), *_ = item.items()
            if not isinstance(one, dict):
                break
            name, item = name + inner, one
        if isinstance(item, dict):
            out += [Branch(depth, shown(name)), *_branches(item, depth + 1)]
        elif isinstance(item, ReviewFile):
            out.append(Branch(depth, shown(name), item))
    return out


def person(line: str) -> tuple[str, str]:
    """The name and the time in an author's or committer's line, for a reader."""
    ident = split_ident(line.encode("utf-8", "surrogateescape"))
    if ident is None:
        return shown(line), ""
    words = f"{ident.name.decode('utf-8', 'surrogateescape')} <{ident.mail.decode('utf-8', 'surrogateescape')}>"
    return shown(words), moment(ident.time, zone_minutes(ident.tz))


def moment(seconds: int, minutes: int = 0) -> str:
    """A time for a reader: `2023-11-14 23:13 +0100`."""
    try:
        zone = timezone(timedelta(minutes=minutes)) if minutes else UTC
        return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%d %H:%M %z")
    except (ValueError, OverflowError, OSError):
        return str(seconds)
