"""The paths of a work tree that somebody depends on: which names of its directories bear on them.

What leads to a path bears on it, and so does all below it. Files that git goes by bear on every path of their directory
and below; here they matter where something leads to such a path.
"""

from collections.abc import Iterable

#: files that git goes by where it finds them (gitattributes(5), gitignore(5), gitmodules(5))
RULES = frozenset((b".gitattributes", b".gitignore", b".gitmodules"))
_NOTHING: frozenset[bytes] = frozenset()


class Scope:
    """Paths below the top of a work tree, with all that is below them; b"" is the whole of it."""

    __slots__ = ("_names", "_paths", "top")

    def __init__(self, top: bytes, paths: Iterable[bytes]) -> None:
        self.top, self._paths = top, frozenset(paths)
        self._names: dict[bytes, set[bytes]] = {}
        for path in self._paths:
            while path:
                folder, _, name = path.rpartition(b"/")
                names = self._names.setdefault(folder, set())
                if name in names:
                    break
                names.add(name)
                path = folder

    def names(self, folder: bytes) -> "frozenset[bytes] | None":
        """The names in a directory that matter, files that git goes by among them: none where nothing leads from it to
        a path; None: all there are."""
        front = folder
        while front not in self._paths:
            if not front:
                names = self._names.get(folder)
                return RULES.union(names) if names else _NOTHING
            front = front.rpartition(b"/")[0]
        return None
