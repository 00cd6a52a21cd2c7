"""The paths of a work tree that somebody depends on: which names of its directories bear on them.

What leads to a path bears on it, and so does all below it. Files that git goes by bear on every path of their directory
and below; here they matter where something leads to such a path.
"""

from collections.abc import Iterable

#: files that git goes by where it finds them (gitattributes(5), gitignore(5), gitmodules(5))
RULES = frozenset((b".gitattributes", b".gitignore", b".gitmodules"))
_NOTHING: frozenset[bytes] = frozenset()
#: what is in a directory by name: the same of a directory that leads to a path, None for a path
_Names = dict[bytes, "_Names | None"]


class Scope:
    """Paths below the top of a work tree, with all that is below them; b"" is the whole of it."""

    __slots__ = ("_names", "top")

    def __init__(self, top: bytes, paths: Iterable[bytes]) -> None:
        self.top = top
        self._names: _Names | None = {}
        for path in paths:
            self._add(path)

    def _add(self, path: bytes) -> None:
        """Keep a path name by name: the paths of its directories would take memory by the square of its length."""
        if not path:
            self._names = None
        *above, last = path.split(b"/")
        names = self._names
        for name in above:
            if names is None:
                return
            names = names.setdefault(name, {})
        if names is not None:
            names[last] = None

    def names(self, folder: bytes) -> "frozenset[bytes] | None":
        """The names in a directory that matter, files that git goes by among them: none where nothing leads from it to
        a path; None: all there are."""
        names: _Names | None = self._names
        for name in folder.split(b"/") if folder else ():
            if names is None:
                return None
            if name not in names:
                return _NOTHING
            names = names[name]
        return None if names is None else RULES.union(names) if names else _NOTHING
