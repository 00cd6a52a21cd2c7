"""Notes: text attached to objects, kept in a commit's tree under the objects' names.

A name may be split into directories of two digits; the tree is never read completely: finding one name takes one lookup
per level. Mirrors git-notes(1).
"""

from collections.abc import Callable, Iterator

from ..annotations import TYPE_CHECKING, Protocol
from ..config.config import Config
from ..deferred import deferred, lazy_pattern
from ..errors import text
from ..limits import Context
from ..objects.parsed import object_name, tree_entries
from ..refs.names import check_refname
from ..refs.refs import Refs

if TYPE_CHECKING:
    from ..config.globs import compile_glob
else:
    compile_glob = deferred(__name__, "..config.globs", "compile_glob")


DEFAULT_REF = b"refs/notes/commits"
_DIRECTORY, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000
_HEX = lazy_pattern(rb"(?:[0-9a-fA-F]{2})+")


class _Odb(Protocol):
    hash_name: str

    def read(self, oid: bytes) -> tuple[bytes, bytes]: ...

    def entry(self, tree: bytes, path: bytes) -> tuple[int, bytes] | None: ...

    def tree(self, oid: bytes) -> bytes: ...

    def peel(self, oid: bytes, kind: bytes | None = None) -> bytes: ...


class Notes:
    """One notes ref at one commit."""

    __slots__ = ("_odb", "_tree", "ref")

    def __init__(self, odb: _Odb, commit: bytes, ref: bytes = DEFAULT_REF) -> None:
        self.ref = ref
        self._odb = odb
        self._tree = odb.peel(commit, b"tree")

    def items(self, ctx: Context) -> Iterator[tuple[bytes, bytes]]:
        """(object, blob of its note) of every note, in no order. Files that are no notes are skipped.

        A note that is stored at several depths comes once, joined (`read`).
        """
        seen: set[bytes] = set()
        for oid, note in self._files(ctx):
            if oid not in seen:
                yield oid, note if len(parts := self._parts(oid)) < 2 else self._joined(parts)[0]
            seen.add(oid)

    def _files(self, ctx: Context) -> Iterator[tuple[bytes, bytes]]:
        width = len(self._tree)
        waiting = [(self._tree, "")]
        while waiting:
            tree, front = waiting.pop()
            for mode, name, oid in tree_entries(self._odb.tree(tree), width):
                ctx.tick()
                if _HEX.fullmatch(name) is None:
                    continue
                path = front + name.decode()
                if len(path) == 2 * width and mode & _KIND == _REGULAR:
                    yield bytes.fromhex(path), oid
                elif len(name) == 2 and len(path) < 2 * width and mode & _KIND == _DIRECTORY:
                    waiting.append((oid, path))

    def get(self, oid: bytes) -> bytes | None:
        """The oid of the blob that holds the note of an object, or None.

        For a note joined from several blobs this is the oid of the joined content, which may not exist: see `read`.
        """
        parts = self._parts(oid)
        return self._joined(parts)[0] if len(parts) > 1 else parts[0] if parts else None

    def read(self, oid: bytes) -> tuple[bytes, bytes] | None:
        """(kind, content) of the note of an object, or None.

        If the tree has notes of one object at several depths, as after merges by hand, git shows them as one: the
        deepest first, with an empty line between them, and no repetition of the previous one.
        """
        parts = self._parts(oid)
        if not parts:
            return None
        return self._odb.read(parts[0]) if len(parts) == 1 else (b"blob", self._joined(parts)[1])

    def _parts(self, oid: bytes) -> list[bytes]:
        """The blobs of an object's notes, the deepest first."""
        rest = oid.hex().encode("ascii")
        tree, parts = self._tree, []
        while rest:
            entry = self._odb.entry(tree, rest)
            if entry is not None and entry[0] != _DIRECTORY:
                parts.append(entry[1])
            entry = self._odb.entry(tree, rest[:2])
            if entry is None or entry[0] != _DIRECTORY:
                break
            tree, rest = entry[1], rest[2:]
        parts.reverse()
        return parts

    def _joined(self, parts: list[bytes]) -> tuple[bytes, bytes]:
        """(oid, content) of several notes as one."""
        oid, whole = parts[0], self._odb.read(parts[0])[1]
        for part in parts[1:]:
            kind, more = (b"blob", b"") if part == oid else self._odb.read(part)
            if not more or kind != b"blob":
                continue
            whole = whole.removesuffix(b"\n") + b"\n\n" + more if whole else more
            oid = object_name(b"blob", whole, self._odb.hash_name)
        return oid, whole


def expand_notes_ref(name: bytes) -> bytes:
    """`x` or `notes/x` as `refs/notes/x` (the meaning of --notes=x)."""
    if name.startswith(b"refs/notes/"):
        return name
    return b"refs/" + name if name.startswith(b"notes/") else b"refs/notes/" + name


def default_ref(config: Config, variable: bytes | None) -> bytes:
    """The notes ref that is written and shown by default; the `variable` GIT_NOTES_REF overrides the setting."""
    ref = config.get("core.notesRef") if variable is None else variable
    return DEFAULT_REF if ref is None else ref


def glob_refs(pattern: bytes, refs: Refs) -> tuple[list[bytes], bool]:
    """(refs, valid) of a display pattern: a pattern with wildcards may match no ref, a plain name has to exist."""
    if any(char in pattern for char in b"*?["):
        full = pattern if pattern.startswith(b"refs/") else b"refs/" + pattern
        matches = compile_glob(full, whole=True)
        return [name for name, _ in refs.iterate() if matches(name)], True
    return [pattern], refs.exists(pattern)


def load_notes(
    odb: _Odb, refs: Refs, ref: bytes = DEFAULT_REF, complain: Callable[[str], None] | None = None
) -> Notes | None:
    """The notes of a ref (full name), or None if there is no such ref; `complain` is told of one that is broken."""
    end = refs.lookup(ref)
    if end.oid is not None:
        return Notes(odb, end.oid, ref)
    if complain is not None and check_refname(ref) and (end.symbolic or end.broken):
        complain(f"warning: ignoring {'dangling symref' if end.symbolic else 'broken ref'} {text(ref)}")
    return None
