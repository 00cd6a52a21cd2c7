"""The renames of one side of a merge: exact ones, equal base names, suggestions of directory renames, and the rest.

This is the rename detection of a diff, restricted: only the sources that matter are compared (`Relevance`). If a base
name occurs more than once, the target is tried that lies in the directory most files of the source's directory went to.
"""

from __future__ import annotations

from ..diff.changes import Change, Contents
from ..diff.renames import RenameFinder, RenameTarget
from ..diff.spec import MAX_SCORE, DiffSpec
from ..limits import Context, paced
from .hash_order import hash_order
from .paths import parent
from .relevance import CONTENT, FOR_ABOVE, FOR_ITSELF, LOCATION, NOT_ASKED

__all__ = ["Counts", "SideFinder", "went_to"]

#: {old directory: {new directory: number of files}}
Counts = dict[bytes, dict[bytes, int]]


class SideFinder(RenameFinder):
    """Finds the renames of one side. Afterwards `counts` tells which directories the files of lost directories went
    to."""

    __slots__ = ("_folders", "_guess", "_places", "_wanted", "counts")

    def __init__(
        self,
        changes: list[Change],
        contents: Contents,
        spec: DiffSpec,
        wanted: dict[bytes, int],
        folders: dict[bytes, int],
        *,
        ctx: Context,
    ) -> None:
        super().__init__(changes, contents, spec, ctx)
        self._wanted, self._folders = wanted, dict(folders)
        self._guess: dict[bytes, bytes] = {}
        self._places: dict[bytes, RenameTarget] = {}
        self.counts: Counts = {}

    def run(self) -> None:
        """Find renames as for a diff, but drop files whose renames do not matter before they are compared."""
        self.start()
        minimum = self.minimum
        self.exact()
        if minimum == MAX_SCORE:
            return
        self.forget_used()
        self._learn()
        self.base_names(minimum + (MAX_SCORE - minimum) // 2)
        self.forget_used()
        self._leave_out()
        self.compare_all()

    def _learn(self) -> None:
        """Count the directories of the exact renames."""
        for target in paced(self.targets):
            if target.done:
                self._count(target.change.old.path, target.side.path)
            else:
                self._places[target.side.path] = target
        for old, counts in self.counts.items():
            self._guess[old] = max(hash_order(counts), key=counts.__getitem__)

    def usable(self, path: bytes) -> bool:
        """Whether the new path of a lost file matters."""
        return path in self._wanted

    def suggested(self, path: bytes) -> RenameTarget | None:
        """The target that the renames of a lost file's directory suggest, where its base name is not unique."""
        folder = self._guess.get(parent(path))
        if folder is None:
            return None
        name = path[path.rfind(b"/") + 1 :]
        return self._places.get(folder + b"/" + name if folder else name)

    def paired(self, old: bytes, new: bytes) -> None:
        """Count a rename that was found by comparing contents."""
        self._count(old, new)

    def _count(self, old: bytes, new: bytes) -> None:
        """Count a rename for its directory, and for the directories above as long as old and new one have the same
        name."""
        folder, to, first = old, new, True
        while True:
            folder_name, to_name = folder[folder.rfind(b"/") + 1 :], to[to.rfind(b"/") + 1 :]
            folder, to = parent(folder), parent(to)
            if folder not in self._folders or (not first and folder_name != to_name):
                return
            why = self._folders[folder]
            if why == FOR_ITSELF or first:
                counts = self.counts.setdefault(folder, {})
                counts[to] = counts.get(to, 0) + 1
            first = False
            if why == NOT_ASKED or not folder or not to:
                return

    def _leave_out(self) -> None:
        """Drop the files that matter only for the rename of their directory, where that is certain by now."""
        self._folders.update(dict.fromkeys(self._clear_folders(), FOR_ABOVE))
        kept = []
        for source in paced(self.sources):
            why = self._wanted.get(source.side.path, 0)
            if why == CONTENT or (why == LOCATION and not self._is_clear(parent(source.side.path))):
                kept.append(source)
        self.sources = kept

    def _clear_folders(self) -> set[bytes]:
        """Directories whose rename is certain: no further renames could change which directory got most of the
        files."""
        unknown: dict[bytes, int] = {}
        for source in paced(self.sources):
            folder = parent(source.side.path)
            while folder and self._folders.get(folder, NOT_ASKED) != NOT_ASKED:
                unknown[folder] = unknown.get(folder, 0) + 1
                folder = parent(folder)
        out = set()
        for folder in self.counts.keys() | unknown.keys():
            if self._folders.get(folder) == FOR_ITSELF:
                first, second, *_ = [*sorted(self.counts.get(folder, {}).values(), reverse=True), 0, 0]
                if first > second + unknown.get(folder, 0):
                    out.add(folder)
        return out

    def _is_clear(self, folder: bytes) -> bool:
        """Whether the new name of a directory, or of the ones above it, no longer matters."""
        while (why := self._folders.get(folder, NOT_ASKED)) == FOR_ABOVE:
            folder = parent(folder)
        return why == NOT_ASKED


def went_to(counts: dict[bytes, int]) -> bytes | None:
    """The directory that most files went to; None if two have equally many."""
    ordered = sorted(counts.values(), reverse=True)
    if len(ordered) > 1 and ordered[0] == ordered[1]:
        return None
    return max(counts, key=counts.__getitem__)
