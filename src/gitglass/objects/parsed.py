"""Commits, tags and tree entries as views over the raw bytes of an object.

Nothing is parsed before it is used: a walk over forty thousand commits needs parents and a time, a log needs an author
and a message, and neither should pay for the other. Bytes stay bytes; what an object claims is shown as it is. Where
git is strict (the order of `tree`, `parent`, `author`, `committer`), a broken object is `Corrupt`.
"""

import re
from binascii import unhexlify
from collections.abc import Callable, Container, Iterator
from itertools import compress

from ..deferred import lazy_pattern
from ..errors import Corrupt, MissingObject, WrongKind, text
from ..limits import lines_in, need, pause, uncollected
from .hashes import new_hash

REGULAR = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
GITLINK = 0o160000
TREE = 0o040000
_FORMAT = 0o170000
_LARGE_TREE, _STRETCH = 1 << 20, 1 << 18

_MAX_TIME = (1 << 64) - 1
_NUMBER = lazy_pattern(rb"[ \t\r\v\f]*([-+]?)([0-9]+)")

Split = Callable[[bytes], list[bytes]]
Columns = tuple[list[bytes], list[bytes], list[bytes]]  # modes in octal, names, oids

KINDS = (b"commit", b"tree", b"blob", b"tag")
COMMIT_ROW = 150  # bytes of memory for a remembered commit besides its content


def object_name(kind: bytes, data: bytes, hash_name: str) -> bytes:
    """The oid of content as an object of this kind."""
    digest = new_hash(hash_name, b"%s %d\0" % (kind, len(data)), size=len(data))
    digest.update(data)  # not joined with the header: content may be large
    return digest.digest()


def is_tree(mode: int) -> bool:
    """Whether an entry of this mode is a directory."""
    return mode & _FORMAT == TREE


def is_gitlink(mode: int) -> bool:
    """Whether an entry of this mode is a submodule's commit."""
    return mode & _FORMAT == GITLINK


def is_symlink(mode: int) -> bool:
    """Whether an entry of this mode is a symbolic link."""
    return mode & _FORMAT == SYMLINK


def tree_entries(raw: bytes, hash_len: int) -> list[tuple[int, bytes, bytes]]:
    """(mode, name, oid) of each entry of a raw tree, in its order. Raises `Corrupt` if it cannot be parsed."""
    columns = tree_columns(raw, hash_len)
    if columns is None:
        return list(odd_entries(raw, hash_len))
    modes, names, oids = columns
    try:
        with uncollected(len(names)):
            return list(zip(map(_MODES.__getitem__, modes), names, oids))
    except KeyError:
        return list(odd_entries(raw, hash_len))


def fresh_entries(
    raw: bytes, hash_len: int, files: Container[bytes], trees: Container[bytes]
) -> list[tuple[int, bytes, bytes]]:
    """`tree_entries` without the files in `files` and the directories in `trees`: of a large tree that is similar to an
    earlier one, few entries are left. A directory that is only in `files` is not left out."""
    columns = tree_columns(raw, hash_len)
    if columns is not None:
        modes, names, oids = columns
        fresh = [oid not in files for oid in oids]
        at = -1
        for _ in range(modes.count(b"40000")):
            at = modes.index(b"40000", at + 1)
            fresh[at] = oids[at] not in trees
        try:
            return list(
                zip(map(_MODES.__getitem__, compress(modes, fresh)), compress(names, fresh), compress(oids, fresh))
            )
        except KeyError:
            pass
    return [entry for entry in odd_entries(raw, hash_len) if entry[2] not in (trees if is_tree(entry[0]) else files)]


def tree_columns(raw: bytes, hash_len: int) -> Columns | None:
    """(modes in octal, names, oids) of a raw tree, in its order; None if it contains anything unusual."""
    split = _SPLITTERS.get(hash_len)
    if split is None:
        split = _SPLITTERS[hash_len] = re.compile(_ENTRY % hash_len, re.DOTALL).split
    if len(raw) > _LARGE_TREE:
        return _columns_long(raw, split)
    parts = split(raw)
    # the parts between the entries are bytes that the pattern did not match: there must be none
    return None if any(parts[::4]) else (parts[1::4], parts[2::4], parts[3::4])


#: Possessive repetition never gives anything back, and names are bounded (longer ones are unusual): in bytes that are
#: no tree the search starts again at every byte, and each attempt has to end soon.
_ENTRY = rb"([0-7]{5,6}+) ([^\0]{1,255}+)\0(.{%d})"


def _columns_long(raw: bytes, split: Split) -> Columns | None:
    """`tree_columns` for a very large tree: one stretch at a time, looking at the clock between them.

    The bytes after the last complete entry of a stretch are split again with the next stretch. They contain no complete
    entry: they end before the oid that follows their first zero byte is complete."""
    need(len(raw) * 6)
    columns: Columns = ([], [], [])
    at = 0
    while at < len(raw):
        pause()
        stretch = raw[at : at + _STRETCH]
        parts = split(stretch)
        rest = parts.pop()
        if not parts or any(parts[::4]):
            return None
        for column, first in zip(columns, (1, 2, 3), strict=True):
            column += parts[first::4]
        at += len(stretch) - len(rest)
    return columns


def odd_entries(raw: bytes, hash_len: int) -> Iterator[tuple[int, bytes, bytes]]:
    """`tree_entries` one by one, for trees with unusual modes; raises the error for a broken tree."""
    at, end = 0, len(raw)
    if end and (end < hash_len + 3 or raw[end - hash_len - 1]):  # the NUL after the last name precedes the last oid
        raise Corrupt("too-short tree object", prefix="error")
    while at < end:
        nul = raw.find(b"\0", at)
        end_of_oid = nul + 1 + hash_len
        if nul < 0 or end_of_oid > end:
            raise Corrupt("too-short tree object", prefix="error")
        mode, space, name = raw[at:nul].partition(b" ")
        value = _mode(mode if space else b"")
        if not name:
            raise Corrupt("empty filename in tree entry", prefix="error")
        yield value, name, raw[nul + 1 : end_of_oid]
        at = end_of_oid


def _mode(digits: bytes) -> int:
    """The octal mode of a tree entry; git accepts any mode, however odd."""
    if not digits or digits.startswith(b" ") or digits.strip(b"01234567"):
        raise Corrupt("malformed mode in tree entry", prefix="error")
    return int(digits[-12:], 8) & 0o177777


_MODES = {
    b"100644": REGULAR,
    b"100755": EXECUTABLE,
    b"40000": TREE,
    b"120000": SYMLINK,
    b"160000": GITLINK,
    b"100664": 0o100664,
}


_SPLITTERS: dict[int, Callable[[bytes], list[bytes]]] = {}


def find_entry(raw: bytes, name: bytes, hash_len: int) -> tuple[int, bytes] | None:
    """(mode, oid) of one name in a raw tree, without parsing the tree; None if the tree does not have the name.

    A match for ` name\\0` can be false: inside an oid, or as the end of a longer name. Then the tree is parsed.
    """
    at = raw.find(b" " + name + b"\0")
    if at < 0 or not name:
        return None
    # the mode is before the blank: 5 or 6 digits, at the start of the tree or after a complete entry
    for digits in (6, 5):
        start = at - digits
        value = _MODES.get(raw[start:at]) if start >= 0 else None
        if value is not None and _begins(raw, start, hash_len):
            oid_at = at + len(name) + 2
            oid = raw[oid_at : oid_at + hash_len]
            if len(oid) == hash_len:
                return value, oid
    for value, entry_name, oid in tree_entries(raw, hash_len):
        if entry_name == name:
            return value, oid
    return None


def find_path(read_tree: Callable[[bytes], bytes], tree: bytes, path: bytes, hash_len: int) -> tuple[int, bytes] | None:
    """(mode, oid) of a path below a tree, with trees read by `read_tree`; None if it, or a tree on the way, is missing.
    b"" is the tree itself."""
    entry: tuple[int, bytes] | None = (TREE, tree)
    for name in path.split(b"/") if path else ():
        if entry is None or entry[0] & 0o170000 != TREE:
            return None
        try:
            entry = find_entry(read_tree(entry[1]), name, hash_len)
        except (MissingObject, WrongKind):
            return None
    return entry


class DoubledName(Exception):
    """A tree has two entries with one name: callers have to search it entry by entry, as git does."""


def entry_finder(name: bytes, hash_len: int) -> Callable[[bytes], tuple[int, bytes] | None]:
    """`find_entry` for one name in many trees; raises `DoubledName` if the next entry has the same name."""
    needle = b" " + name + b"\0"
    skip = len(needle)
    entry = skip + hash_len

    def slowly(raw: bytes) -> tuple[int, bytes] | None:
        if raw.count(needle) > 1 and [entry_name for _, entry_name, _ in tree_entries(raw, hash_len)].count(name) > 1:
            raise DoubledName
        return find_entry(raw, name, hash_len)

    def find(raw: bytes) -> tuple[int, bytes] | None:
        at = raw.find(needle)
        if at < 0:
            return None
        mode = raw[at - 6 : at]
        value = TREE if mode[1:] == b"40000" else _MODES.get(mode)
        start = at - 5 if value == TREE else at - 6
        oid = raw[at + skip : at + skip + hash_len]
        if value is None or len(oid) != hash_len:
            return slowly(raw)
        if start:
            if start <= hash_len or raw[start - hash_len - 1]:
                return slowly(raw)
            oid_before = raw[start - hash_len : start]
            if 32 in oid_before or oid_before[-1] in _DIGITS:  # see `_begins`
                return slowly(raw)
        if raw.find(needle, at + entry, at + entry + 6 + skip) >= 0:
            raise DoubledName
        return value, oid

    return find


def _begins(raw: bytes, start: int, hash_len: int) -> bool:
    """Whether an entry really begins at `start`, where a search found what looks like one.

    The NUL of the entry before is one oid before `start`. But that could also be chance, or design, if `start` lies
    inside of another entry. That entry has no other NUL before the one after its name, so it begins within the bytes
    that should be an oid: they contain its mode, which reaches `start` or is followed by a blank. A real oid rarely
    contains such bytes. If it does, the tree is read entry by entry from the start.
    """
    if start <= hash_len or raw[start - hash_len - 1]:
        return start == 0
    if not _MODE_WITHIN.search(raw, start - hash_len, start):
        return True
    at = 0
    while at < start:
        at = raw.find(b"\0", at) + 1 + hash_len
    return at == start


_MODE_WITHIN = lazy_pattern(rb"[0-7](?: |\Z)")
_DIGITS = b"01234567"


class Commit:
    """A commit over its raw bytes. `parents` are those of its history: with grafts and the shallow boundary applied."""

    __slots__ = ("_body", "oid", "parents", "raw")

    def __init__(self, oid: bytes, raw: bytes, parents: tuple[bytes, ...] | None = None) -> None:
        self.oid = oid
        self.raw = raw
        #: the parents' oids, as a walk follows them
        self.parents = commit_parents(raw, oid) if parents is None else parents
        self._body = -1

    def __repr__(self) -> str:
        return f"<Commit {self.oid.hex()}>"

    @property
    def tree(self) -> bytes:
        """The tree's oid."""
        return commit_tree(self.raw, self.oid)

    @property
    def author(self) -> bytes:
        """The ident line `Name <mail> seconds zone`; b"" if there is none."""
        return _line(self.raw, b"\nauthor ")

    @property
    def committer(self) -> bytes:
        """The ident line `Name <mail> seconds zone`; b"" if there is none."""
        return _line(self.raw, b"\ncommitter ")

    @property
    def commit_time(self) -> int:
        """The committer's time in epoch seconds; 0 if it cannot be read, as in git."""
        return commit_time(self.raw)

    @property
    def author_time(self) -> int:
        """The author's time in epoch seconds; 0 if it cannot be read."""
        return ident_time(self.author)

    @property
    def encoding(self) -> bytes | None:
        """The encoding header; None if the commit has none (its encoding is UTF-8 then)."""
        values = self.header(b"encoding")
        return values[0] if values else None

    @property
    def body_at(self) -> int:
        """The position of the message in `raw`: after the first empty line."""
        if self._body < 0:
            at = self.raw.find(b"\n\n")
            self._body = len(self.raw) if at < 0 else at + 2
        return self._body

    @property
    def message(self) -> bytes:
        """Everything after the headers, as stored."""
        return self.raw[self.body_at :]

    def header(self, name: bytes) -> list[bytes]:
        """The values of a header, with continuation lines joined by newlines and without their leading blank."""
        if b"\n" + name + b" " not in self.raw:
            return []
        return [value for key, value in self.headers() if key == name]

    def headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Every header line as (name, value), in order."""
        return _headers(self.raw[: self.body_at])


class Tag:
    """An annotated tag over its raw bytes."""

    __slots__ = ("oid", "raw")

    def __init__(self, oid: bytes, raw: bytes) -> None:
        self.oid = oid
        self.raw = raw

    def __repr__(self) -> str:
        return f"<Tag {self.oid.hex()}>"

    @property
    def object(self) -> bytes:
        """The oid of the tagged object."""
        return tag_object(self.raw, self.oid)

    @property
    def type(self) -> bytes:
        """The kind of the tagged object, as the tag claims it."""
        return _line(self.raw, b"\ntype ")

    @property
    def tag(self) -> bytes:
        """The name inside the tag."""
        return _line(self.raw, b"\ntag ")

    @property
    def tagger(self) -> bytes | None:
        """The ident line, or None in a tag without one."""
        return _line(self.raw, b"\ntagger ") or None

    @property
    def message(self) -> bytes:
        """Everything after the headers, a signature included."""
        at = self.raw.find(b"\n\n")
        return b"" if at < 0 else self.raw[at + 2 :]

    def headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Every header line as (name, value), in order."""
        at = self.raw.find(b"\n\n")
        return _headers(self.raw if at < 0 else self.raw[:at])


def _headers(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    name, value = b"", [b""]
    for line in lines_in(block):
        if line.startswith(b" ") and name:
            value.append(line[1:])
            continue
        if name:
            yield name, b"\n".join(value)
        name, _, first = line.partition(b" ")
        value = [first]
    if name:
        yield name, b"\n".join(value)


def _line(raw: bytes, start: bytes) -> bytes:
    """The rest of the first header line that begins with `start`; b"" if no header does."""
    at = raw.find(start)
    if at < 0:
        return b""
    end = raw.find(b"\n\n")
    if 0 <= end < at:
        return b""
    at += len(start)
    stop = raw.find(b"\n", at)
    return raw[at:] if stop < 0 else raw[at:stop]


def _oid(raw: bytes, start: int, end: int) -> bytes | None:
    """The oid in hex at a position of a header; None if there is none."""
    try:
        oid = unhexlify(raw[start:end])
    except ValueError:
        return None
    return oid if len(oid) * 2 == end - start else None


def commit_tree(raw: bytes, oid: bytes) -> bytes:
    """The tree of a raw commit. Raises `Corrupt` with git's message if the first line does not name one."""
    end = 5 + 2 * len(oid)
    tree = _oid(raw, 5, end) if raw.startswith(b"tree ") and raw[end : end + 1] == b"\n" else None
    if tree is None:
        raise Corrupt(f"bogus commit object {oid.hex()}", prefix="error", oid=oid.hex())
    return tree


def commit_parents(raw: bytes, oid: bytes) -> tuple[bytes, ...]:
    """The parents that a raw commit names."""
    width = 2 * len(oid)
    at = 6 + width
    if raw[at : at + 7] != b"parent ":
        return ()
    step = width + 8
    try:
        if raw[at + step : at + step + 7] != b"parent " and raw[at + step - 1] == 10:
            return (unhexlify(raw[at + 7 : at + step - 1]),)
        parents = []
        while raw[at : at + 7] == b"parent ":
            if raw[at + step - 1] != 10:
                raise ValueError
            parents.append(unhexlify(raw[at + 7 : at + step - 1]))
            at += step
        return tuple(parents)
    except (ValueError, IndexError):
        raise Corrupt(f"bad parents in commit {oid.hex()}", prefix="error", oid=oid.hex()) from None


def commit_time(raw: bytes) -> int:
    """The committer's time of a raw commit; 0 if git finds none."""
    at = raw.find(b"\ncommitter ")
    end = raw.find(b"\n", at + 11)
    digits = raw[end - 16 : end - 5]
    if (
        raw[end - 18 : end - 16] == b"> "
        and raw.find(b">", at) == end - 18
        and digits[-1:] == b" "
        and digits[:-1].isdigit()
    ):
        # nearly always `> 1700000000 +0100`, with the author's line before
        previous = raw.rfind(b"\n", 0, at) if at > 0 else -1
        if raw[previous + 1 : previous + 7] == b"author":
            return int(digits)
    return _odd_time(raw)


def _odd_time(raw: bytes) -> int:
    """`commit_time` as git computes it: headers in order, and the number is after the first `>`, wherever that is, and
    after blanks and ends of lines: of a committer without a date it may be the first word of the message."""
    at = raw.find(b"\n") + 1
    while raw.startswith(b"parent ", at):
        end = raw.find(b"\n", at)
        if end < 0:
            return 0
        at = end + 1
    end = raw.find(b"\n", at)
    if end < 0 or not raw.startswith(b"author", at) or not raw.startswith(b"committer", end + 1):
        return 0
    at = raw.find(b">", end + 1) + 1
    end = raw.find(b"\n", at)
    if not at or end < 0 or end + 1 == len(raw):
        return 0
    return _unsigned(raw[at:].lstrip(b" \t\n\v\f\r"))


def _unsigned(words: bytes) -> int:
    """The value that C's strtoumax gives a text: blanks, a sign, digits; clamped if too large, negated modulo 2**64."""
    match = _NUMBER.match(words)
    if match is None:
        return 0
    value = int(match[2]) if len(match[2]) < 40 else _MAX_TIME
    if value > _MAX_TIME:
        return _MAX_TIME
    return -value & _MAX_TIME if match[1] == b"-" else value


def ident_time(ident: bytes) -> int:
    """The seconds in an ident line: the digits after its last `>`; 0 if there are none."""
    words = ident[ident.rfind(b">") + 1 :].split(None, 1)
    if not words:
        return 0
    digits = words[0]
    length = len(digits) - len(digits.lstrip(b"0123456789"))
    return int(digits[:length]) if 0 < length < 20 else 0


def tag_object(raw: bytes, oid: bytes) -> bytes:
    """The oid that a raw tag points at. Raises `Corrupt` if its first line does not name one."""
    end = 7 + 2 * len(oid)
    target = _oid(raw, 7, end) if raw.startswith(b"object ") and raw[end : end + 1] == b"\n" else None
    if target is None:
        raise Corrupt(f"could not parse tag {oid.hex()}", oid=oid.hex())
    return target


def wrong_kind(oid: bytes, kind: bytes, wanted: bytes) -> WrongKind:
    """The error for an object that is not of the requested kind."""
    return WrongKind(f"object {oid.hex()} is a {text(kind)}, not a {text(wanted)}", prefix="error", oid=oid.hex())
