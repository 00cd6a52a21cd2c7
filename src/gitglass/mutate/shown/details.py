"""The details of a plan: derived from its changes and the objects that they name, whenever somebody looks.

They are no part of what is approved: that are the changes themselves, which say it by object name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ...diff.lines.hunks import count_changes
from ...diff.lines.spec import LineSpec
from ...diff.lines.userdiff import is_binary
from ...errors import GitError, text
from ...graph.merge_base import is_ancestor
from ...history.pipeline import walk_oids
from ...history.reach import count_between
from ...history.spec import UNINTERESTING, Tip, WalkSpec
from ...limits import watched
from ...objects.parsed import Commit, object_name
from ...records import field, record
from ...render.status import CONFLICTS
from ..changes import ABSENT, Changes, EntryChange, FileChange, RefChange, Row
from ..view import View

MOST_PATHS = 500  # whose lines are counted
MOST_BYTES = 8 << 20  # of contents that are compared
MOST_COMMITS = 20  # that are made
MOST_LOST = 10  # commits that are named
MOST_LINES = 60  # of a conflict's text


@record(frozen=True)
class LineCount:
    """Lines that a file gains and loses. Of binary content both are None."""

    added: int | None
    deleted: int | None


@record(frozen=True)
class ShownCommit:
    """A commit that is made: people as `Name <mail> seconds zone`. `stat` is the diffstat against its first parent, as
    `git show --stat` prints it."""

    oid: bytes
    parents: tuple[bytes, ...]
    author: bytes
    committer: bytes
    message: bytes
    stat: bytes


@record(frozen=True)
class ShownRef:
    """A branch or tag that moves: whether it only gains commits, how many, and the first of those that no ref reaches
    afterwards, as (name, subject). `lost_count` is how many these are."""

    name: bytes
    fast_forward: bool
    gained: int
    lost_count: int
    lost: tuple[tuple[bytes, bytes], ...]


@record(frozen=True)
class Conflict:
    """A path that the plan leaves unmerged: what both sides did in `git status`' words ("both modified"), its stages,
    and the marked lines of its file, at most `MOST_LINES`."""

    path: bytes
    kind: str
    stages: tuple[Row, ...]
    marked: tuple[bytes, ...]


@record
class Details:
    """All of it, of commits the first `MOST_COMMITS`. `entries` and `files` are line counts by path, as far as they
    were worth counting."""

    refs: list[ShownRef] = field(default_factory=list)
    commits: list[ShownCommit] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    entries: dict[bytes, LineCount] = field(default_factory=dict)
    files: dict[bytes, LineCount] = field(default_factory=dict)


def details_of(changes: Changes, view: View, stat: Callable[[bytes], bytes]) -> Details:
    """The details of a plan's changes; `stat` gives the diffstat of a commit. Raises what reading an object does, and
    what the limits of the call do."""
    contents = _Contents(view)
    commits = [Commit(oid, raw) for oid, (kind, raw) in changes.objects.items() if kind == b"commit"]
    return Details(
        list(_refs(changes, view)),
        [
            ShownCommit(one.oid, tuple(one.parents), one.author, one.committer, one.message, stat(one.oid))
            for one in commits[:MOST_COMMITS]
        ],
        _conflicts(changes, contents),
        dict(_entry_counts(changes.entries, contents)),
        dict(_file_counts(changes.files, contents)),
    )


# --- refs and commits -----------------------------------------------------------------------------------------------


def _refs(changes: Changes, view: View) -> Iterator[ShownRef]:
    kept: list[Tip] | None = None
    for ref in changes.refs:
        if ref.symbolic or ref.was_symbolic or ref.before == ABSENT or not _is_commit(view, ref.before):
            continue
        gone = ref.after == ABSENT
        if not gone and not _is_commit(view, ref.after):
            continue
        forward = not gone and is_ancestor(view.store, ref.before, ref.after, ctx=view.ctx)
        tips = () if gone else (Tip(ref.after), Tip(ref.before, UNINTERESTING))
        gained = count_between(view.store, tips, view.ctx) if tips else 0
        lost: list[bytes] = []
        if not forward:
            kept = _kept(changes, view) if kept is None else kept
            lost = _lost(ref, kept, view)
        yield ShownRef(ref.name, forward, gained, len(lost), tuple(
            (oid, view.odb.commit(oid).message.lstrip().partition(b"\n")[0]) for oid in lost[:MOST_LOST]
        ))  # fmt: skip


def _is_commit(view: View, oid: bytes) -> bool:
    view.ctx.tick()
    return view.odb.has(oid) and view.odb.kind(oid) == b"commit"


def _lost(ref: RefChange, kept: list[Tip], view: View) -> list[bytes]:
    """The commits of a ref's old value that none of the others reaches, newest first."""
    return list(islice(walk_oids(view.store, [Tip(ref.before), *kept], WalkSpec(), ctx=view.ctx), 1000))


def _kept(changes: Changes, view: View) -> list[Tip]:
    """The commits that a ref or HEAD stands at once all has changed."""
    moved = {one.name: one for one in changes.refs}
    after = [one.after for one in changes.refs if not one.symbolic and one.after != ABSENT]
    others = [oid for name, oid in watched(view.store.refs.iterate()) if name not in moved]
    head = view.head()
    if head[0] is None and head[1] is not None and b"HEAD" not in moved:
        others.append(head[1])
    return [Tip(oid, UNINTERESTING) for oid in {*after, *others} if _is_commit(view, oid)]


# --- conflicts ------------------------------------------------------------------------------------------------------


def _conflicts(changes: Changes, contents: _Contents) -> list[Conflict]:
    files = {file.path: file for file in changes.files}
    rows = []
    for entry in changes.entries:
        stages = tuple(row for row in entry.after if row.stage)
        if stages:
            kind = CONFLICTS[sum(1 << (row.stage - 1) for row in stages)][0]
            rows.append(Conflict(entry.path, kind, stages, tuple(_marked(files.get(entry.path), contents))))
    return rows


def _marked(file: FileChange | None, contents: _Contents) -> Iterable[bytes]:
    """The lines between the marks of a conflict, and the marks."""
    data = None if file is None else contents.after(file)
    if data is None or is_binary(data):
        return []
    lines: list[bytes] = []
    inside = False
    for line in data.split(b"\n"):
        inside = inside or line.startswith(b"<<<<<<<")
        if inside:
            lines.append(line)
        inside = inside and not line.startswith(b">>>>>>>")
    return lines[:MOST_LINES] if not inside else []


# --- lines ----------------------------------------------------------------------------------------------------------


def _entry_counts(entries: list[EntryChange], contents: _Contents) -> Iterator[tuple[bytes, LineCount]]:
    for entry in entries[:MOST_PATHS]:
        if any(row.stage for row in (*entry.before, *entry.after)):
            continue
        sides = [contents.blob(rows[0].oid) if rows else b"" for rows in (entry.before, entry.after)]
        count = contents.count(*sides)
        if count is not None:
            yield entry.path, count


def _file_counts(files: list[FileChange], contents: _Contents) -> Iterator[tuple[bytes, LineCount]]:
    for file in files[:MOST_PATHS]:
        count = contents.count(contents.before(file), contents.after(file))
        if count is not None:
            yield file.path, count


class _Contents:
    """Bytes of blobs and files, as many as the bound allows; None for what is not there or too much."""

    def __init__(self, view: View) -> None:
        self._view, self._left = view, MOST_BYTES

    def blob(self, oid: bytes) -> bytes | None:
        """A blob's content."""
        odb = self._view.odb
        try:
            if odb.kind_size(oid)[1] > self._left:
                return None
            kind, data = odb.read(oid)
            self._left -= len(data)
        except GitError:
            return None
        return bytes(data) if kind == b"blob" else None

    def before(self, file: FileChange) -> bytes | None:
        """What a file holds now, where that is what the plan was made for."""
        if file.before is None:
            return b""
        if file.stored:
            return self.blob(file.before.oid)
        files = self._view.store.files
        try:
            data = None if files is None else files.read_optional(file.path, self._left)
        except GitError:
            return None
        if data is None:
            return None
        self._left -= len(data)
        same = object_name(b"blob", bytes(data), self._view.store.hash_name) == file.before.oid
        return bytes(data) if same else None

    def after(self, file: FileChange) -> bytes | None:
        """What it will hold, before any conversion for the work tree."""
        if file.after is None:
            return b""
        return file.data if file.blob is None else self.blob(file.blob)

    def count(self, old: bytes | None, new: bytes | None) -> LineCount | None:
        """The lines that come and go; None where a side could not be read."""
        if old is None or new is None:
            return None
        if is_binary(old) or is_binary(new):
            return LineCount(None, None)
        return LineCount(*count_changes(old, new, LineSpec(), ctx=self._view.ctx))


def people(commit: ShownCommit) -> list[str]:
    """Who wrote a commit, and who commits it where that is somebody else."""
    author, committer = (text(one.rpartition(b" ")[0].rpartition(b" ")[0]) for one in (commit.author, commit.committer))
    return [author] if author == committer else [author, committer]
