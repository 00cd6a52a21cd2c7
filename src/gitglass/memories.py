"""The three memories: what is remembered, for how long, how much of it, and by which threads.

`PerCall`  what one question worked out. It hangs on the store of a call (or on what lives shorter) and is emptied when
           the next call begins. One thread works on a call at a time, so nothing in it is locked.
`ByOid`    what follows from the name of an object alone, and so stays true. It belongs to a handle, whose threads share
           it, and to no other: what one jail has read serves no other jail.
`ByBytes`  what follows from a file's bytes. It belongs to the process, and is given to callers that have the file: the
           same bytes, or the same status to the nanosecond, read by the same user. A part of it, `Derived`, hangs on
           one parsed file.

A module declares what it remembers once, as a constant that carries the type: `Slot` one value, `Facts` values by key,
`Files` values by path. No other module can read it, and two engines cannot use one name for different things.

Threads. A look-up is one operation on one dict. That it is whole, with or without an interpreter lock, is what Python
promises of its dicts; nothing else is taken for granted. What takes more than one operation (counting, making room,
taking one in place of another) is done under a lock. The one store that is not is that of `Table.rows` in loops over
whole histories: there every row weighs the same, so that the dict's own length is the count and no counter can be off;
as many rows more than may be as threads store at once is the worst that comes of it. No value is changed after it has
been put, but for what belongs to one call, and for tables of a file that take up more of it as it is read.
"""

from __future__ import annotations

import os
from _thread import allocate_lock as Lock
from _weakref import ref  # weakref, which has it from there, takes a millisecond more
from collections.abc import Callable, Hashable
from functools import lru_cache, update_wrapper
from operator import call

from .annotations import Any, Concatenate, Generic, ParamSpec, TypeVar
from .limits import Limits, running

__all__ = ["BY_BYTES", "ByBytes", "ByOid", "Derived", "Facts", "Files", "ObjectCache", "PerCall", "Slot", "Table",
           "once_for_its_bytes"]  # fmt: skip

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_S = TypeVar("_S")
_P = ParamSpec("_P")

_USUAL = Limits().max_cache_bytes
_SMALL = 64 << 10
_CHUNK = 256 << 10
_LARGE_TREES = 8  # so many directories at least are kept in either half of the objects
_TREE = 2  # git's number for it in a pack
_TABLE = 4  # rows that an empty table of a family counts for
_LEAST = 16  # the part of its room that a table has, however little a handle may keep: a walk needs some


# ------------------------------------------------------------------------------------------------------- declarations


class Slot(Generic[_V]):
    """One value of a type, made by one engine."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Facts(Slot[_V], Generic[_K, _V]):
    """Values by key. `most` counts rows, or what is given as their weight; one takes about `each` bytes."""

    __slots__ = ("each", "most")

    def __init__(self, name: str, *, most: int, each: int) -> None:
        super().__init__(name)
        self.most, self.each = most, each


class Files(Slot[_V], Generic[_S, _V]):
    """Values by path, each with what tells that the file is still the same: of so many files and bytes of files."""

    __slots__ = ("files", "size")

    def __init__(self, name: str, *, files: int, size: int) -> None:
        super().__init__(name)
        self.files, self.size = files, size


# ------------------------------------------------------------------------------------------------------------- tables


class Table(Generic[_K, _V]):
    """Rows of one declaration; when these are too many, or too heavy, all are dropped and it starts empty.

    `get` is that of the dict. `rows` and `most` are for loops that store by themselves, rows of weight 1 only: they
    call `make_room` when there are `most` rows; or that `reserve` what their rows weigh beforehand.
    """

    __slots__ = ("_lock", "get", "held", "most", "rows")

    def __init__(self, most: int) -> None:
        self._lock = Lock()
        self.most = most or 1
        self.held = 0  # the weight of all rows
        self.rows: dict[_K, _V] = {}
        self.get: Callable[[_K], _V | None] = self.rows.get

    def put(self, key: _K, value: _V, weight: int = 1) -> _V:
        """Remember a value, and hand it back."""
        with self._lock:
            self.held += weight
            if self.held > self.most or len(self.rows) >= self.most:
                self._drop(weight)
            if weight <= self.most:
                self.rows[key] = value
        return value

    def reserve(self, weight: int) -> None:
        """Have room for rows of this weight, which a loop stores by itself in `rows`."""
        with self._lock:
            self.held += weight
            if self.held > self.most:
                self._drop(weight)

    def make_room(self) -> None:
        """Drop all rows, unless another thread just did."""
        with self._lock:
            if len(self.rows) >= self.most:
                self._drop(0)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._drop(0)

    def _drop(self, held: int) -> None:
        """Drop all rows; `held` is what is there from now on. For a caller that holds the lock."""
        self.rows.clear()
        self.held = held


class _Family:
    """What the tables of one declaration may hold together, a table for each name.

    Its list of tables is replaced, never changed; who makes tables takes care that only one thread does.
    """

    __slots__ = ("held", "lock", "most", "tables")

    def __init__(self, most: int) -> None:
        self.lock = Lock()
        self.most, self.held = most or 1, 0
        self.tables: list[ref[_Member[Any, Any]]] = []  # those that a walk still has in hand among them

    def drop(self, held: int) -> None:
        """Drop the rows of all of them; for a caller that holds the lock."""
        for there in self.tables:
            if (table := there()) is not None:
                table.rows.clear()
        self.held = held


class _Member(Table[_K, _V]):
    """A table of a family: it has lock, bound and account in common with the others, and is dropped with them."""

    __slots__ = ("__weakref__", "_family")

    def __init__(self, family: _Family) -> None:
        self._family, self._lock, self.most = family, family.lock, family.most
        self.rows = {}
        self.get = self.rows.get
        family.tables = [*filter(call, family.tables), ref(self)]  # without those that are gone

    @property
    def held(self) -> int:
        """The weight of the rows of all tables."""
        return self._family.held

    @held.setter
    def held(self, held: int) -> None:
        self._family.held = held

    def _drop(self, held: int) -> None:
        self._family.drop(held)


# ----------------------------------------------------------------------------------------------------------- per call


class PerCall:
    """What one question worked out, for the thread that answers it."""

    __slots__ = ("_tables", "_values")

    def __init__(self) -> None:
        self._values: dict[Slot[Any], Any] = {}
        self._tables: dict[Facts[Any, Any], Table[Any, Any]] = {}

    def get(self, slot: Slot[_V]) -> _V | None:
        """The value, if there is one."""
        return self._values.get(slot)

    def put(self, slot: Slot[_V], value: _V) -> _V:
        """Have this be the value until the call ends, and hand it back."""
        self._values[slot] = value
        return value

    def made(self, slot: Slot[_V], make: Callable[[], _V]) -> _V:
        """The value, made if there is none."""
        value: _V | None = self._values.get(slot)
        return self.put(slot, make()) if value is None else value

    def table(self, facts: Facts[_K, _V]) -> Table[_K, _V]:
        """The rows of a declaration."""
        table = self._tables.get(facts)
        if table is None:
            table = self._tables[facts] = Table(facts.most)
        return table

    def clear(self) -> None:
        """Another call begins."""
        self._values.clear()
        self._tables.clear()


# ------------------------------------------------------------------------------------------------------------- by oid


class ObjectCache:
    """Objects by an int that names a pack and an offset in it, as (kind, content), bounded in bytes.

    Two generations, the older one dropped when the younger is full: nearly as good as least recently used, with nothing
    to write down at a hit.
    """

    __slots__ = ("_half", "_large_tree", "_lock", "_size", "old", "young")

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._large_tree = max(_CHUNK, self._half // _LARGE_TREES)
        self._lock = Lock()
        self._size = 0
        self.young: dict[int, tuple[int, bytes]] = {}
        self.old: dict[int, tuple[int, bytes]] = {}

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self.young, self.old, self._size = {}, {}, 0

    def most(self, kind: int) -> int:
        """Objects of that kind are kept below so many bytes. Large directories are, since a history goes through their
        versions one by one, each a delta against the one before."""
        return self._large_tree if kind == _TREE else _CHUNK

    def get(self, key: int) -> tuple[int, bytes] | None:
        """An object; one of the older generation is young again."""
        value = self.young.get(key)
        if value is None:
            value = self.old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: int, value: tuple[int, bytes]) -> None:
        """Remember an object."""
        size = len(value[1]) + 200
        with self._lock:
            self.young[key] = value
            self._size += size
            if self._size > self._half:
                self.old, self.young, self._size = self.young, {}, 0


class ByOid:
    """What is known of objects by their names, and the objects themselves.

    `limit` is `Limits.max_cache_bytes`: `objects` take no more; a declaration has the room that it asks for, in
    proportion less where the limit is below what it is by default.
    """

    __slots__ = ("_families", "_lock", "_members", "_tables", "limit", "objects")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.objects = ObjectCache(limit)
        self._lock = Lock()
        self._tables: dict[Facts[Any, Any], Table[Any, Any]] = {}
        self._families: dict[Facts[Any, Any], _Family] = {}
        self._members: dict[tuple[Facts[Any, Any], Hashable], _Member[Any, Any]] = {}

    def table(self, facts: Facts[_K, _V]) -> Table[_K, _V]:
        """The rows of a declaration."""
        table = self._tables.get(facts)
        if table is None:
            with self._lock:
                table = self._tables.get(facts)
                if table is None:
                    table = self._tables[facts] = Table(self._share(facts))
        return table

    def member(self, facts: Facts[_K, _V], name: Hashable) -> Table[_K, _V]:
        """The rows of a declaration that are about a name: one of a family of tables, which share the bound."""
        table = self._members.get((facts, name))
        return self._member(facts, name) if table is None else table

    def _member(self, facts: Facts[_K, _V], name: Hashable) -> Table[_K, _V]:
        with self._lock:
            family = self._families.get(facts)
            if family is None:
                family = self._families[facts] = _Family(self._share(facts))
            table = self._members.get((facts, name))
            if table is None:
                self._count(facts, family)
                table = self._members[facts, name] = _Member(family)
        return table

    def _count(self, facts: Facts[Any, Any], family: _Family) -> None:
        """One more table of a family: where there are too many, all earlier ones are dropped."""
        with family.lock:
            family.held += _TABLE
            if family.held > family.most:
                family.drop(_TABLE)
                for key in [key for key in self._members if key[0] is facts]:
                    del self._members[key]

    def _share(self, facts: Facts[Any, Any]) -> int:
        if self.limit >= _USUAL:
            return facts.most
        return max(facts.most * self.limit // _USUAL, facts.most // _LEAST)

    def clear(self) -> None:
        """Forget everything, what a walk still has in hand too."""
        self.objects.clear()
        with self._lock:
            for table in self._tables.values():
                table.clear()
            for family in self._families.values():
                with family.lock:
                    family.drop(0)
            self._members.clear()


# ----------------------------------------------------------------------------------------------------------- by bytes

_Reader = tuple[int, int, tuple[int, ...]]


def _identity() -> _Reader:
    """As whom the process opens files now: user, group and further groups, none of them where there are no such."""
    if not hasattr(os, "geteuid"):  # Windows
        return 0, 0, ()
    return os.geteuid(), os.getegid(), tuple(os.getgroups())


def _reader() -> _Reader:
    """The same, asked once for each call: a host does not change its user within one."""
    ctx = running()
    if ctx is None:
        return _identity()
    if ctx.reader is None:
        ctx.reader = _identity()
    return ctx.reader


class ByBytes:
    """What the last files of each kind held, or were parsed to, for the next handle that has the same in hand.

    A host that asks again and again through fresh handles reads and parses a file once. Every handle looks at the file
    itself: what it gets here was made of the very same bytes, or of a file whose status is the same to the nanosecond
    (`Jail.read_stamped`), so it is never stale and says nothing that the asker could not know. A process that changes
    its user or groups may know less from then on: what was read before is not given to it.
    """

    __slots__ = ("_lock", "_rows")

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: dict[Files[Any, Any], dict[bytes, tuple[Any, Any, int, _Reader]]] = {}

    def get(self, files: Files[_S, _V], path: bytes, same: _S) -> _V | None:
        """What was last made of this file, if it is the same."""
        rows = self._rows.get(files)
        row = None if rows is None else rows.get(path)
        return row[1] if row is not None and row[0] == same and row[3] == _reader() else None

    def put(self, files: Files[_S, _V], path: bytes, same: _S, value: _V, size: int) -> None:
        """Remember what was made of a file of `size` bytes, in place of the oldest ones; not if it is too large."""
        reader = _reader()
        with self._lock:
            rows = self._rows.setdefault(files, {})
            rows.pop(path, None)
            if size > files.size:
                return
            held = sum(row[2] for row in rows.values())
            while rows and (len(rows) >= files.files or held > files.size - size):
                held -= rows.pop(next(iter(rows)))[2]
            rows[path] = (same, value, size, reader)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._rows.clear()


#: the one of this process
BY_BYTES = ByBytes()


class Derived:
    """What engines made of one parsed file, for all who have that file; it ends with the value it hangs on."""

    __slots__ = ("_lock", "_values")

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Slot[Any], Any] = {}

    def made(self, slot: Slot[_V], make: Callable[[], _V]) -> _V:
        """The value; where there is none it is made, and should two threads do so, both get the first."""
        value: _V | None = self._values.get(slot)
        if value is None:
            made = make()
            with self._lock:
                value = self._values.setdefault(slot, made)
        return value


def once_for_its_bytes(
    most: int,
) -> Callable[[Callable[Concatenate[bytes, _P], _V]], Callable[Concatenate[bytes, _P], _V]]:
    """A parser that makes of small content the same thing for all who ask, and of the last `most` contents only once.

    Callers must not change what they get. (`lru_cache` is safe for threads by its documentation.)
    """

    def keeping(parse: Callable[Concatenate[bytes, _P], _V]) -> Callable[Concatenate[bytes, _P], _V]:
        once = lru_cache(maxsize=most)(parse)

        def parsed(data: bytes, /, *args: _P.args, **kwargs: _P.kwargs) -> _V:
            if len(data) > _SMALL:
                return parse(data, *args, **kwargs)
            return once(data, *args, **kwargs)  # type: ignore[arg-type]

        update_wrapper(parsed, parse)
        return parsed

    return keeping
