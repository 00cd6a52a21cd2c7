"""Refs as reftables: a stack of small immutable files, where later ones override earlier ones.

Tables are only read, and in a simple way: each is scanned once from start to end and remembered by its name (a table
never changes), so that its indexes and its object section are not needed. Mirrors gitformat-reftable(5), versions 1
and 2.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence

from ..disk.jail import Jail
from ..errors import Corrupt, TooLarge, text
from ..limits import holding, pause, step
from .names import Raw, is_per_worktree

MAX_TABLE = 256 << 20
MAX_NAME = 1 << 12
MAX_TOTAL = 64 << 20
_RECORD_BYTES = 400  # bytes of memory for a record besides its name
MAX_BLOCK = 1 << 24
MAX_TABLES = 10_000

#: (update index, ref) → (old, new, name, mail, time, zone, message); None for a deleted entry
LogRecords = dict[tuple[bytes, int], "tuple[bytes, bytes, bytes, bytes, int, int, bytes] | None"]


def _broken(why: str) -> Corrupt:
    return Corrupt(f"reftable: {why}")


class _Cursor:
    """Bytes with a position; every read is checked against the end."""

    __slots__ = ("data", "end", "position")

    def __init__(self, data: bytes, position: int, end: int) -> None:
        self.data, self.position, self.end = data, position, end

    def take(self, count: int) -> bytes:
        start = self.position
        if count < 0 or start + count > self.end:
            raise _broken("a record runs over its block")
        self.position = start + count
        return self.data[start : start + count]

    def varint(self) -> int:
        """A number in groups of seven bits; each continuation adds one."""
        byte = self.take(1)[0]
        value = byte & 0x7F
        while byte & 0x80:
            byte = self.take(1)[0]
            value = (value + 1 << 7) | byte & 0x7F
            if value >> 64:
                raise _broken("a number is too large")
        return value

    def text(self) -> bytes:
        return self.take(self.varint())


class Table:
    """One file of the stack: its refs (None for a deleted ref) and, when needed, its log records."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        if len(data) < 24 or data[:4] != b"REFT":
            raise _broken("bad signature")
        version = data[4]
        if version not in (1, 2):
            raise _broken(f"unknown version {version}")
        self.header = 24 if version == 1 else 28
        self.hash_len = 32 if version == 2 and data[24:28] == b"s256" else 20
        self.block_size = int.from_bytes(data[5:8], "big")
        self.min_update = int.from_bytes(data[8:16], "big")
        footer = 68 if version == 1 else 72
        self.end = len(data) - footer
        if self.end < self.header and self.end != 0:
            raise _broken("file is too short")
        tail = data[self.end :]
        if tail[:4] != b"REFT" or struct.unpack(">I", tail[-4:])[0] != zlib.crc32(tail[:-4]):
            raise _broken("bad footer")
        self.log_position = int.from_bytes(tail[self.header + 24 : self.header + 32], "big")
        self.refs: dict[bytes, Raw | None] = {}
        self.peels: dict[bytes, bytes] = {}
        self._logs: LogRecords | None = None
        #: may be larger than the file: names share prefixes, and logs are compressed
        self._room = MAX_TOTAL + 64 * len(data)
        self._held = holding()
        self._read_refs()

    def _read_refs(self) -> None:
        data, position = self.data, 0
        while position < self.end:
            step()
            start = position + (self.header if not position else 0)
            if start + 4 > self.end or data[start : start + 1] != b"r":
                return
            size = int.from_bytes(data[start + 1 : start + 4], "big")
            end = position + size
            if end > self.end or end < start + 6:
                raise _broken("a block runs over the file")
            for key, kind, cursor in self._records(data, start + 4, end):
                self._ref(key, kind, cursor)
            position = self._next(position, end)

    def _next(self, position: int, end: int) -> int:
        """The position of the next block: blocks are padded to the block size, or follow directly."""
        if self.block_size and end - position < self.block_size and not any(self.data[end : end + 1]):
            return position + self.block_size
        return end

    def _records(self, data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, _Cursor]]:
        """(key, three bits of type, cursor) of each record. The caller has to move the cursor past the value."""
        restarts = int.from_bytes(data[end - 2 : end], "big")
        cursor = _Cursor(data, start, end - 2 - 3 * restarts)
        key = b""
        while cursor.position < cursor.end:
            step()
            prefix = cursor.varint()
            suffix = cursor.varint()
            if prefix > len(key):
                raise _broken("a prefix is longer than the name before")
            key = key[:prefix] + cursor.take(suffix >> 3)
            self._room -= len(key)
            self._held.count(len(key) + _RECORD_BYTES)
            if len(key) > MAX_NAME or self._room < 0:
                raise TooLarge("reftable: the names are too long")
            yield key, suffix & 7, cursor

    def _ref(self, name: bytes, kind: int, cursor: _Cursor) -> None:
        cursor.varint()
        if kind == 0:
            self.refs[name] = None
        elif kind in (1, 2):
            oid = cursor.take(self.hash_len)
            self.refs[name] = Raw(oid)
            if kind == 2:
                self.peels[oid] = cursor.take(self.hash_len)
        elif kind == 3:
            self.refs[name] = Raw(None, cursor.text())
        else:
            raise _broken(f"unknown kind of record {kind}")

    @property
    def logs(self) -> LogRecords:
        """The log records. Their blocks are compressed, so they are read on first use."""
        if self._logs is None:
            self._logs = {}
            position = self.log_position
            if position or self.data[self.header : self.header + 1] == b"g":
                self._read_logs(position)
        return self._logs

    def _read_logs(self, position: int) -> None:
        while position < self.end:
            start = position + (self.header if not position else 0)
            if self.data[start : start + 1] != b"g":
                return
            size = int.from_bytes(self.data[start + 1 : start + 4], "big") - (start - position)
            if size > MAX_BLOCK:
                raise _broken("a log block is too large")
            self._room -= size
            if self._room < 0:
                raise TooLarge("reftable: the logs are too large")
            self._held.count(size)
            pause()
            inflate = zlib.decompressobj()
            # zlib needs at most so many bytes for a block of this size: the rest of the file is not copied
            packed = self.data[start + 4 : min(start + 4 + size + (size >> 8) + 64, self.end)]
            try:
                body = inflate.decompress(packed, max(size - 4, 1))
                rest = inflate.decompress(inflate.unconsumed_tail, 1) if not inflate.eof else b""
            except zlib.error as error:
                raise _broken(f"bad log block: {error}") from None
            if rest or not inflate.eof or len(body) != size - 4 or len(body) < 2:
                raise _broken("bad log block")
            for key, kind, cursor in self._records(body, 0, len(body)):
                self._log(key, kind, cursor)
            position = start + 4 + len(packed) - len(inflate.unused_data)

    def _log(self, key: bytes, kind: int, cursor: _Cursor) -> None:
        name, reverse = key[:-9], key[-8:]
        if len(key) < 9 or key[-9] != 0:
            raise _broken("bad log key")
        entry = (name, 0xFFFFFFFFFFFFFFFF - int.from_bytes(reverse, "big"))
        assert self._logs is not None
        if kind == 0:
            self._logs[entry] = None
            return
        if kind != 1:
            raise _broken(f"unknown kind of log record {kind}")
        old, new = cursor.take(self.hash_len), cursor.take(self.hash_len)
        person, mail, time = cursor.text(), cursor.text(), cursor.varint()
        zone = int.from_bytes(cursor.take(2), "big", signed=True)
        self._logs[entry] = (old, new, person, mail, time, zone, cursor.text())


class ReftableBackend:
    """The stack of the repository and, in a linked work tree, the one of that work tree."""

    __slots__ = ("_merged", "_stacks", "_tables", "common_dir", "git_dir", "hash_len", "jail")

    def __init__(self, jail: Jail, git_dir: bytes, common_dir: bytes, hash_len: int) -> None:
        self.jail, self.git_dir, self.common_dir, self.hash_len = jail, git_dir, common_dir, hash_len
        self._tables: dict[bytes, Table] = {}
        self._stacks: dict[bytes, tuple[bytes, list[Table]]] = {}
        self._merged: dict[bytes, tuple[bytes, dict[bytes, Raw], dict[bytes, bytes]]] = {}

    def _stack(self, folder: bytes) -> tuple[bytes, list[Table]]:
        """The content of `tables.list` and its tables, oldest first."""
        names = self.jail.read_optional(folder + b"/reftable/tables.list", 1 << 20) or b""
        stack = self._stacks.get(folder)
        if stack is not None and stack[0] == names:
            return stack
        lines = names.split()
        if len(lines) > MAX_TABLES:
            raise _broken("too many tables")
        if len(set(lines)) < len(lines):  # git never writes such a list
            raise _broken("a table is named twice")
        tables = []
        for name in lines:
            step()
            path = folder + b"/reftable/" + name
            table = self._tables.get(path)
            if table is None:
                data = self.jail.read_optional(path, MAX_TABLE) if b"/" not in name else None
                if data is None:
                    raise _broken(f"table {text(name)} is missing")
                table = self._tables[path] = Table(data)
                if table.hash_len != self.hash_len:
                    raise _broken("table of another hash algorithm")
            tables.append(table)
        self._stacks[folder] = names, tables
        return names, tables

    def _refs(self, folder: bytes) -> tuple[dict[bytes, Raw], dict[bytes, bytes]]:
        """The merged refs of a stack without deleted ones, and the objects that its tags peel to."""
        names, tables = self._stack(folder)
        cached = self._merged.get(folder)
        if cached is None or cached[0] != names:
            merged: dict[bytes, Raw | None] = {}
            peels: dict[bytes, bytes] = {}
            with holding() as held:
                for table in tables:
                    pause()
                    held.count((len(table.refs) + len(table.peels)) * 100)
                    merged.update(table.refs)
                    peels.update(table.peels)
            live = {name: raw for name, raw in merged.items() if raw is not None}
            cached = self._merged[folder] = (names, live, peels)
        return cached[1], cached[2]

    def _home(self, name: bytes) -> tuple[bytes, bytes]:
        """The directory whose stack has a ref, and the name of the ref in it."""
        if name.startswith(b"main-worktree/"):
            return self.common_dir, name[14:]
        if name.startswith(b"worktrees/") and name.count(b"/") > 1:
            _, which, rest = name.split(b"/", 2)
            return self.common_dir + b"/worktrees/" + which, rest
        return (self.git_dir if is_per_worktree(name) else self.common_dir), name

    def raw(self, name: bytes) -> Raw | None:
        """See refs.RefSource."""
        folder, local_name = self._home(name)
        return self._refs(folder)[0].get(local_name)

    def raws(self, names: Sequence[bytes]) -> dict[bytes, Raw | None]:
        """See refs.RefSource."""
        return {name: self.raw(name) for name in names}

    def refresh(self) -> None:
        """See refs.RefSource."""
        self._tables, self._stacks, self._merged = {}, {}, {}

    def listing(self, prefix: bytes) -> list[tuple[bytes, bytes | None, bytes | None]]:
        """See refs.RefSource."""
        rows = {n: raw for n, raw in self._refs(self.common_dir)[0].items() if n.startswith(prefix)}
        if self.git_dir != self.common_dir:
            rows = {name: raw for name, raw in rows.items() if not is_per_worktree(name)}
            own_refs = self._refs(self.git_dir)[0].items()
            rows.update({n: raw for n, raw in own_refs if n.startswith(prefix) and is_per_worktree(n)})
        return [(name, raw.oid, raw.target) for name, raw in sorted(rows.items())]

    def peels(self) -> Mapping[bytes, bytes | None]:
        """See refs.RefSource."""
        return self._refs(self.common_dir)[1]

    def is_packed(self, name: bytes) -> bool:
        """See refs.RefSource."""
        return False

    def is_plain(self, name: bytes) -> bool:
        """See refs.RefSource."""
        return False

    def outside(self) -> set[bytes] | None:
        """See refs.RefSource."""
        return None

    def _log_records(self, folder: bytes) -> LogRecords:
        merged: LogRecords = {}
        for table in self._stack(folder)[1]:
            pause()
            merged.update(table.logs)
        return merged

    def log(self, name: bytes) -> list[bytes] | None:
        """See refs.RefSource."""
        folder, local_name = self._home(name)
        rows = []
        records = self._log_records(folder)
        for (ref, number), record in records.items():
            if ref == local_name and record is not None:
                rows.append((number, record))
        if not rows:
            return None
        lines = []
        for _, (old, new, person, mail, time, zone, message) in sorted(rows, key=lambda row: row[0]):
            if old == new == bytes(self.hash_len):
                continue
            sides = old.hex() + " " + new.hex()
            line = b"%b %b <%b> %d %+05d" % (sides.encode("ascii"), person, mail, time, zone)
            lines.append(line + b"\t" + message.rstrip(b"\n"))
        return lines

    def logs(self) -> list[bytes]:
        """See refs.RefSource."""
        names: set[bytes] = set()
        for folder in {self.common_dir, self.git_dir}:
            names.update(name for (name, _), record in self._log_records(folder).items() if record is not None)
        return sorted(names)
