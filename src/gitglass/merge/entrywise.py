"""A merge of three trees, entry by entry and without renames: what `git merge-tree --trivial-merge` lists.

No tree comes of it. Listed is each path that a merge would change in our tree, with what becomes of it
(git-merge-tree(1), "DEPRECATED DESCRIPTION"; words and rules are as observed).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..diff.changes import Contents, Filespec
from ..limits import Context
from ..records import record
from .content import GITLINK, ContentMerge
from .made import TREE, Made
from .messages import Messages
from .spec import GONE, MergeSpec, Side
from .three_way import MYERS

__all__ = ["EntryMerge", "Outcome"]

_FILE = 0o100644
_SPEC = MergeSpec(labels=(b".our", b".their", b""), lines=MYERS)
#: (whether the base, ours and theirs have the path as a file) → what happened to it
_KINDS = {
    (False, True, True): b"added in both",
    (False, True, False): b"added in local",
    (False, False, True): b"added in remote",
    (True, False, False): b"removed in both",
    (True, True, True): b"changed in both",
    (True, True, False): b"removed in remote",
    (True, False, True): b"removed in local",
}


@record
class Outcome:
    """What becomes of one path: git's word for it, the sides that are told ("result", "base", "our", "their"), and our
    content before and after."""

    kind: bytes
    path: bytes
    sides: list[tuple[bytes, Side]]
    before: bytes
    after: bytes


class EntryMerge:
    """Compares three trees; `warnings` are about binary files that both sides changed."""

    def __init__(self, contents: Contents, *, ctx: Context) -> None:
        self._contents, self._ctx = contents, ctx
        self._made, self._messages = Made(contents), Messages(_SPEC)
        self._merge = ContentMerge(contents, self._made, _SPEC, self._messages, ctx=ctx)

    @property
    def warnings(self) -> list[bytes]:
        """What git says of files that cannot be merged, so far."""
        lines = (message.text for messages in self._messages.by_path.values() for message in messages)
        return [line for line in lines if line.startswith(b"warning: ")]

    def outcomes(self, trees: Sequence[bytes | None], folder: bytes = b"") -> Iterator[Outcome]:
        """The paths that change, below a folder, of the trees of base, ours and theirs (None: there is none)."""
        names = set[bytes]().union(*map(self._made.names, trees))
        rows = [(name, [self._side(tree, name) for tree in trees]) for name in names]
        rows = [row for row in rows if any(mode for mode, _ in row[1])]
        rows.sort(key=lambda row: min(row[0] + b"/" if mode == TREE else row[0] for mode, _ in row[1] if mode))
        for name, sides in rows:
            self._ctx.tick()
            base, ours, theirs = sides
            path = folder + name
            if theirs in (ours, base):
                continue
            if base == ours and ours[0] and theirs[0] not in (0, TREE):
                yield self._taken(path, ours, theirs)
                continue
            if any(mode == TREE for mode, _ in sides):
                yield from self.outcomes([oid if mode == TREE else None for mode, oid in sides], path + b"/")
            files = [side if side[0] != TREE else (0, None) for side in sides]
            if any(mode for mode, _ in files):
                yield self._undecided(path, files)

    def _side(self, tree: bytes | None, name: bytes) -> Side:
        side = self._made.entry(tree, name)
        return side if side[1] is not None and any(side[1]) else GONE  # the null name is nothing

    def _taken(self, path: bytes, ours: Side, theirs: Side) -> Outcome:
        sides = [(b"result", theirs), (b"our", ours)]
        return Outcome(b"merged", path, sides, self._content(path, ours), self._content(path, theirs))

    def _undecided(self, path: bytes, sides: list[Side]) -> Outcome:
        base, ours, theirs = sides
        kind = _KINDS[bool(base[0]), bool(ours[0]), bool(theirs[0])]
        sides_shown = [(word, side) for word, side in zip((b"base", b"our", b"their"), sides) if side[0]]
        after = b""
        if ours[0] and theirs[0]:
            after = self._merged(path, sides)
        elif not base[0]:
            after = self._content(path, ours if ours[0] else theirs)
        return Outcome(kind, path, sides_shown, self._content(path, ours), after)

    def _merged(self, path: bytes, sides: list[Side]) -> bytes:
        odb = self._contents.odb
        if any(mode == GITLINK and oid is not None and not odb.has(oid) for mode, oid in sides):
            return b""
        # strange but git's: a link is merged as the text that it holds, a submodule as the text of its commit
        texts = [(_FILE, oid) if mode else GONE for mode, oid in sides]
        for at, (mode, _) in enumerate(sides):
            if mode == GITLINK:
                texts[at] = _FILE, self._made.blob(self._content(path, sides[at]))
        side, _ = self._merge.merge(path, texts, [path] * 3, 0)
        return self._content(path, side)

    def _content(self, path: bytes, side: Side) -> bytes:
        """The content of a side. Strange but git's: of a directory that a file is put in place of it is the raw tree,
        of a submodule its commit, if the repository has that."""
        mode, oid = side
        if oid is None:
            return b""
        if mode not in (TREE, GITLINK):
            return self._contents.read(Filespec(path, mode, oid))
        return self._contents.odb.read(oid)[1] if self._contents.odb.has(oid) else b""
