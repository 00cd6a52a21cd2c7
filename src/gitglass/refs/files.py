"""Refs as files: loose refs, one file each, override `packed-refs`, one line each.

A look-up of a single name reads one small file, and at worst searches packed-refs for its line; no directory is listed.
Mirrors gitrepository-layout(5), "refs", and git-pack-refs(1).
"""

import re
import stat
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from operator import itemgetter

from ..disk.jail import Jail
from ..errors import Corrupt, GitError, SandboxViolation, TooLarge, text
from ..limits import LARGE, line_stretches, lines_weight, need, paced, pause, step
from ..memories import BY_BYTES, Files
from .names import Raw, check_refname, is_per_worktree

MAX_LOOSE = 1 << 16
MAX_PACKED = 256 << 20
MAX_LOG = 256 << 20

_BESIDE = (b"", b"#", b"^")
_MAX_TRAITS = 4096  # bytes of the first line that are read for traits; a trait only makes reading faster
_ROW_BYTES = 300  # bytes of memory for a line of packed-refs, besides its own, while it is parsed
_RUN = 1 << 16  # rows that are sorted in one call
_SAMPLES = 16  # names taken from each run to decide where the sorted runs are divided
_PREFIXES, _NAMES = 16, 256  # number of prefixes whose rows are remembered, and of names whose oids are
_NAME = itemgetter(0)
_HEX = b"0123456789abcdefABCDEF"
#: a ref of a listing: its name, its oid, the name that it points at; a broken ref has neither of the last two
Row = tuple[bytes, bytes | None, bytes | None]


class Packed:
    """One version of `packed-refs`: searched for single names, parsed when needed. Unless it claims to be sorted, its
    rows are sorted here."""

    __slots__ = ("_first", "_hex", "_items", "_oids", "_peels", "data", "fully", "hash_len", "is_sorted", "tags")

    def __init__(self, data: bytes, hash_len: int) -> None:
        self.hash_len = hash_len
        self._hex = hash_len * 2
        header = data[: data.find(b"\n") + 1] if data.startswith(b"#") else b""
        self._first = len(header)
        traits = header[:_MAX_TRAITS].split()
        if data and not data.endswith(b"\n"):
            raise _unterminated(data)
        if header and not header.startswith(b"# pack-refs with:"):
            raise Corrupt(f"unexpected line in .git/packed-refs: {text(header[:-1])}")
        self.data = data
        self.is_sorted = b"sorted" in traits
        self.fully = b"fully-peeled" in traits
        self.tags = b"peeled" in traits
        self._oids: dict[bytes, bytes] = {}
        self._items: dict[bytes, list[Row]] = {}
        self._peels: dict[bytes, bytes | None] | None = None

    def find(self, name: bytes) -> bytes | None:
        """The oid of a ref, or None."""
        oid = self._oids.get(name)
        if oid is None:
            oid = self._look_for(name) or b""
            if len(self._oids) >= _NAMES:
                self._oids.clear()
            self._oids[name] = oid
        return oid or None

    def _look_for(self, name: bytes) -> bytes | None:
        needle = b" %b\n" % name
        data, width = self.data, self._hex
        if len(data) >= LARGE:
            pause()
        at = data.find(needle, self._first)
        while at >= 0:
            step()
            start = data.rfind(b"\n", 0, at) + 1
            if at - start == width and data[start : start + 1] not in _BESIDE:
                return _unhex(data[start:at])
            at = data.find(needle, at + 1)
        return None

    def items(self, prefix: bytes) -> list[Row]:
        """The refs whose names start with `prefix`, sorted by name."""
        rows = self._items.get(prefix)
        if rows is None:
            if len(self._items) >= _PREFIXES:
                self._items.clear()
            rows = self._items[prefix] = self._parse(prefix)
        return rows

    def _parse(self, prefix: bytes) -> list[Row]:
        if len(self.data) >= LARGE:
            pause()
        data = self._stretch(prefix)
        need(2 * len(data) + data.count(b"\n") * _ROW_BYTES if len(data) >= LARGE else 0)
        rows: list[Row] = []
        for lines in line_stretches(data):
            peeled = [line for line in lines if line[:1] == b"^"]
            if peeled and set(map(len, peeled)) != {self._hex + 1}:
                raise self._complaint()
            rows += self._rows([line for line in lines if line[:1] != b"^"] if peeled else lines, prefix)
        if not self.is_sorted:
            rows = _sorted(rows)
        return rows

    def _stretch(self, prefix: bytes) -> bytes:
        """The lines that git reads for a listing: of all refs every line, else those of sorted rows with the prefix and
        the row behind them, at which it ends. What is malformed in them is an error, though no ref of the listing.
        """
        data = self.data
        if not self.is_sorted or b"refs/".startswith(prefix):
            return data[self._first :]
        first = data.find(b" " + prefix)
        if first < 0:
            return b""
        end = data.find(b"\n", data.rfind(b" " + prefix)) + 1
        while data[end : end + 1] == b"^":
            end = data.find(b"\n", end) + 1
        return data[data.rfind(b"\n", 0, first) + 1 : data.find(b"\n", end) + 1 or len(data)]

    def _rows(self, lines: list[bytes], prefix: bytes) -> list[Row]:
        """The refs of these lines whose names start with `prefix`."""
        width = self._hex
        if b"".join([line[width : width + 1] for line in lines]) != b" " * len(lines):
            raise self._complaint()
        oids = self._unhex_all([line[:width] for line in lines], 1)
        names = [line[width + 1 :] for line in lines]
        rows: list[Row] = list(zip(names, oids, repeat(None)))
        if not all(map(bytes.startswith, names, repeat(prefix))):
            rows = [row for row in rows if row[0].startswith(prefix)]
        return rows

    def _complaint(self) -> Corrupt:
        """git's error for the first malformed line."""
        line = re.compile(rb"[0-9a-fA-F]{%d} .+|\^[0-9a-fA-F]{%d}" % (self._hex, self._hex))
        rows = chain.from_iterable(line_stretches(self.data[self._first :]))
        odd = next((row for row in rows if not line.fullmatch(row)), b"")
        return Corrupt(f"unexpected line in .git/packed-refs: {text(odd)}")

    def peels(self) -> dict[bytes, bytes | None]:
        """The peeled objects of tags, by the oids in the lines; None for an object that is no tag."""
        if self._peels is None:
            self._peels = self._read_peels()
        return self._peels

    def _read_peels(self) -> dict[bytes, bytes | None]:
        """A line `^oid` gives the object that the tag in the line before it peels to."""
        need(2 * len(self.data) + self.data.count(b"\n") * _ROW_BYTES if len(self.data) >= LARGE else 0)
        peels: dict[bytes, bytes | None] = {}
        previous = b""
        for lines in line_stretches(self.data):
            self._add_peels(peels, previous, lines)
            previous = lines[-1]
        return peels

    def _add_peels(self, peels: dict[bytes, bytes | None], before: bytes, lines: list[bytes]) -> None:
        """Add the peeled objects of these lines; `before` is the line in front of them."""
        width = self._hex
        fronts = [before, *lines]
        tags = [fronts[at][:width] + line[1:] for at, line in enumerate(lines) if line[:1] == b"^"]
        try:
            all_ = self._unhex_all([line[:width] for line in lines if line[:1] not in _BESIDE], 1) if self.fully else []
            oids = self._unhex_all(tags, 2)
        except Corrupt:  # a line is malformed: use those that are well formed
            well = re.compile(rb"^([0-9a-f]{%d}) [^\n]*(?:\n\^([0-9a-f]{%d})$)?" % (width, width), re.M)
            part = b"\n".join(fronts)
            peels.update({_unhex(a): _unhex(b) if b else None for a, b in well.findall(part) if b or self.fully})
            return
        for oid in all_:
            peels.setdefault(oid)
        peels.update(zip(oids[::2], oids[1::2]))

    def _unhex_all(self, digits: list[bytes], each: int) -> list[bytes]:
        """Convert hex oids to bytes, all at once; each item of `digits` consists of `each` oids."""
        joined, size = b"".join(digits), self._hex // 2
        if len(joined) != len(digits) * each * self._hex or joined.translate(None, _HEX):
            raise self._complaint()
        raw = bytes.fromhex(joined.decode("ascii"))
        return [raw[at : at + size] for at in range(0, len(raw), size)]


def _sorted(rows: list[Row]) -> list[Row]:
    """The rows by name. Many rows are sorted in runs, and then the parts of all runs between two sample names are
    sorted together, so that the clock can be looked at in between."""
    if len(rows) <= _RUN:
        return sorted(rows)
    runs = [sorted(rows[at : at + _RUN]) for at in _paced_range(len(rows), _RUN)]
    sample = sorted(name for run in runs for name, _, _ in run[:: max(_RUN // _SAMPLES, 1)])
    ordered: list[Row] = []
    starts = [0] * len(runs)
    for last in (*sample[_SAMPLES::_SAMPLES], None):
        pause()
        ends = [len(run) if last is None else bisect_left(run, last, at, key=_NAME) for run, at in zip(runs, starts)]
        ordered += sorted(chain.from_iterable(map(_part, runs, starts, ends)), key=_NAME)
        starts = ends
    return ordered


def _part(rows: list[Row], start: int, end: int) -> list[Row]:
    return rows[start:end]


def _laid_between(rows: list[Row], more: list[Row]) -> list[Row]:
    """Merge a short sorted list into a long one."""
    merged: list[Row] = []
    start = 0
    for row in paced(more):
        at = bisect_left(rows, row[0], start, key=_NAME)
        merged += rows[start:at]
        merged.append(row)
        start = at
    return merged + rows[start:]


def _paced_range(size: int, run: int) -> Iterator[int]:
    for at in range(0, size, run):
        pause()
        yield at


#: once parsed, they take about four times their size for each prefix
_PACKED: Files[bytes, Packed] = Files("packed-refs", files=4, size=1 << 18)


def _unterminated(data: bytes) -> Corrupt:
    """git's error for a file that does not end in a newline: it looks at the last ref, with the line of its tag."""
    start = data.rfind(b"\n") + 1
    while start and data[start : start + 1] == b"^":
        start = data.rfind(b"\n", 0, start - 1) + 1
    line, newline, _ = data[start:].partition(b"\n")
    return Corrupt(f"{'unexpected' if newline else 'unterminated'} line in .git/packed-refs: {text(line)}")


def _unhex(digits: bytes) -> bytes:
    try:
        return bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        raise Corrupt(f"unexpected line in .git/packed-refs: {text(digits)}") from None


class FilesBackend:
    """Loose refs over packed refs."""

    __slots__ = ("_front", "_head", "_packed", "_stamp", "common_dir", "git_dir", "hash_len", "jail")

    def __init__(self, jail: Jail, git_dir: bytes, common_dir: bytes, hash_len: int, head: bytes | None = None) -> None:
        self.jail, self.git_dir, self.common_dir, self.hash_len = jail, git_dir, common_dir, hash_len
        #: the common start of the paths of all loose refs, if there is one
        self._front = git_dir + b"/" if git_dir == common_dir else None
        self._packed: Packed | None = None
        self._stamp: object = None  # stamp of the file that `_packed` was read from
        self._head = head

    def refresh(self) -> None:
        """A new command begins: HEAD is read again."""
        self._head = None

    def path(self, name: bytes) -> bytes:
        """The path of a loose ref's file."""
        if self._front is not None and not name.startswith(b"main-worktree/"):
            return self._front + name
        if name.startswith(b"main-worktree/"):
            return self.common_dir + b"/" + name[14:]
        if name.startswith(b"worktrees/"):
            return self.common_dir + b"/" + name
        return (self.git_dir if is_per_worktree(name) else self.common_dir) + b"/" + name

    def packed(self) -> Packed | None:
        """The current `packed-refs`, read again only if the file has changed."""
        path = self.common_dir + b"/packed-refs"
        if self._packed is None or self.jail.stamp(path) != self._stamp:
            stamped = self.jail.read_stamped(path, MAX_PACKED)
            self._stamp, self._packed = (
                (None, None) if stamped is None else (stamped[0], self._parsed(path, stamped[1]))
            )
        return self._packed

    def _parsed(self, path: bytes, data: bytes) -> Packed:
        packed = BY_BYTES.get(_PACKED, path, data)
        if packed is None or packed.hash_len != self.hash_len:
            packed = Packed(data, self.hash_len)
            BY_BYTES.put(_PACKED, path, data, packed, len(data))
        return packed

    def raw(self, name: bytes) -> Raw | None:
        loose = self._loose(self.path(name), name)
        if loose is not None:
            return loose
        shared = _packed_name(name)
        packed = self.packed() if shared else None
        oid = packed.find(shared) if packed else None
        return None if oid is None else Raw(oid)

    def raws(self, names: Sequence[bytes]) -> dict[bytes, Raw | None]:
        """`raw` of each name, most of which are expected to be missing. packed-refs is searched once, after all files.

        That order matters while git packs refs: when a loose file is gone, its line is already in packed-refs.
        """
        need(sum(map(len, names)))  # and as much for their paths
        raws: dict[bytes, Raw | None] = dict.fromkeys(names)
        missing = b"\n"  # the last missing path, with a slash: nothing exists below it
        for name in raws:
            path = self.path(name)
            if path.startswith(missing):
                continue
            if name == b"HEAD" and self._head is not None:
                raws[name] = self._loose(path, name)
                continue
            kind = self._kind(path)
            if kind == 0:
                missing = path + b"/"
            elif kind != stat.S_IFDIR:
                raws[name] = (self._link(path) if kind == stat.S_IFLNK else None) or self._loose(path, name)
        packed: Packed | None = None
        for name, raw in raws.items():
            if raw is None and (shared := _packed_name(name)):
                packed = packed or self.packed()
                if packed is None:
                    break
                oid = packed.find(shared)
                if oid is not None:
                    raws[name] = Raw(oid)
        return raws

    def _kind(self, path: bytes) -> int:
        """The type of file at a path (S_IF…), 0 if there is none: faster than a failed attempt to open it."""
        try:
            status = self.jail.lstat(path)
        except SandboxViolation:
            raise
        except GitError:
            return stat.S_IFREG  # opening it will fail, so that the ref is broken
        return 0 if status is None else stat.S_IFMT(status.st_mode)

    def is_packed(self, name: bytes) -> bool:
        """Whether a ref is only found in packed-refs."""
        return self._loose(self.path(name), name) is None

    def is_plain(self, name: bytes) -> bool:
        """See refs.RefSource."""
        packed = self._packed if self._packed is not None else self.packed()
        if not packed or not packed.tags or packed.fully or not name.startswith(b"refs/tags/"):
            return False
        return self.is_packed(name) and packed.find(name) is not None

    def _loose(self, path: bytes, name: bytes) -> Raw | None:
        data = self._head if name == b"HEAD" else None
        if data is None:
            try:
                data = self._read(path)
            except SandboxViolation:
                raise
            except GitError:
                return Raw()
        if data is None:
            return self._link(path) if name.endswith(b"HEAD") else None
        raw = parse_loose(data, self.hash_len)
        if raw.oid is not None and name.endswith(b"HEAD"):
            return self._link(path) or raw
        return raw

    def _read(self, path: bytes) -> bytes | None:
        """The content of a loose ref's file; of a long file only the start (FETCH_HEAD can list a thousand branches).

        Strange but git's: everything after the oid and one blank is ignored.
        """
        try:
            return self.jail.read_optional(path, MAX_LOOSE)
        except TooLarge:
            view = self.jail.view(path)
            data = b"" if view is None else view.read(0, MAX_LOOSE)
            if data.startswith(b"ref:"):
                raise  # a symbolic ref needs the whole file
            return data

    def _link(self, path: bytes) -> Raw | None:
        """The old form of a symbolic ref: a symbolic link whose target is the name of a ref."""
        link = self.jail.readlink(path)
        if link is not None and link.startswith(b"refs/") and check_refname(link):
            return Raw(None, link)
        return None

    def listing(self, prefix: bytes) -> list[Row]:
        loose = self._loose_listing(prefix)
        packed = self.packed()
        rows = packed.items(prefix) if packed else []
        if not loose:
            return rows
        merged = [row for row in paced(rows) if row[0] not in loose]
        loose_rows: list[Row] = sorted((name, raw.oid, raw.target) for name, raw in loose.items())
        if len(merged) > _RUN:
            return _laid_between(merged, loose_rows)
        merged += loose_rows
        merged.sort(key=_NAME)
        return merged

    def _loose_listing(self, prefix: bytes) -> dict[bytes, Raw]:
        """Loose refs by name. Directories are walked with a stack; refs of one work tree come from its own git
        directory."""
        raws: dict[bytes, Raw] = {}
        top = prefix[: prefix.rfind(b"/") + 1] or b"refs/"
        stack = [top]
        followed: set[bytes] = set()
        linked = self.git_dir != self.common_dir
        while stack:
            folder = stack.pop()
            own = linked and is_per_worktree(folder)
            base = (self.git_dir if own else self.common_dir) + b"/" + folder
            names = self._scan(base)
            if linked and folder == b"refs/":
                names += [n for n in self._scan(self.git_dir + b"/refs/") if n[1] == "d" and n not in names]
            for name, kind in names:
                full = folder + name
                if name.startswith(b".") or name.endswith(b".lock"):
                    continue
                if kind == "d":
                    inner = full + b"/"
                    if inner.startswith(prefix) or prefix.startswith(inner):
                        stack.append(inner)
                elif full.startswith(prefix):
                    self._read_into(raws, full, base + name, kind, stack, followed)
        return raws

    def _scan(self, folder: bytes) -> list[tuple[bytes, str]]:
        try:
            return self.jail.scandir(folder[:-1])
        except SandboxViolation:
            return []

    def _read_into(
        self, raws: dict[bytes, Raw], full: bytes, path: bytes, kind: str, stack: list[bytes], followed: set[bytes]
    ) -> None:
        """Read one file of a listing. A link to a directory is walked once; a link out of the jail is a broken ref."""
        try:
            link = self._link(path) if kind == "l" else None
            data = None if link else self._read(path)
            if link is None and data is None and kind == "l" and self.jail.is_dir(path):
                real = self.jail.resolve(path)
                if real not in followed:
                    followed.add(real)
                    stack.append(full + b"/")
                return
        except GitError:
            raws[full] = Raw()
            return
        if link is not None:
            raws[full] = link
        elif data is not None:
            raws[full] = parse_loose(data, self.hash_len)
        elif kind == "l":
            raws[full] = Raw()

    def outside(self) -> set[bytes] | None:
        names = {name for name, _ in self.jail.scandir(self.git_dir)}
        return names.union(name for name, _ in self.jail.scandir(self.common_dir)) | {b"main-worktree"}

    def log(self, name: bytes) -> list[bytes] | None:
        data = self.jail.read_optional(self._log_path(name), MAX_LOG)
        if data is None:
            return None
        if len(data) < LARGE:
            lines = data.split(b"\n")
            lines.pop()
            return lines
        need(lines_weight(data))
        # a last line without a newline is ignored
        return list(chain.from_iterable(line_stretches(data[: data.rfind(b"\n") + 1])))

    def _log_path(self, name: bytes) -> bytes:
        path = self.path(name)
        top = self.git_dir if path.startswith(self.git_dir + b"/") else self.common_dir
        if name.startswith(b"worktrees/"):
            top = self.common_dir + b"/" + b"/".join(name.split(b"/", 2)[:2])
        return top + b"/logs" + path[len(top) :]

    def logs(self) -> list[bytes]:
        names: set[bytes] = set()
        for top in {self.git_dir, self.common_dir}:
            stack = [b""]
            while stack:
                folder = stack.pop()
                for name, kind in self.jail.scandir(top + b"/logs" + (b"/" + folder[:-1] if folder else b"")):
                    full = folder + name
                    if kind == "d":
                        stack.append(full + b"/")
                    elif (
                        kind == "f"
                        and self._log_path(full).startswith(top + b"/logs/")
                        and check_refname(full, onelevel=True)
                    ):
                        names.add(full)
        return sorted(names)

    def peels(self) -> dict[bytes, bytes | None]:
        packed = self._packed if self._packed is not None else self.packed()
        return packed.peels() if packed else {}


def _packed_name(name: bytes) -> bytes:
    """The name of a ref in packed-refs; b"" if the ref cannot be in it."""
    if name.startswith(b"refs/"):
        return name
    if not name.startswith((b"main-worktree/refs/", b"worktrees/")):
        return b""
    name = name[name.find(b"refs/") :]
    return b"" if is_per_worktree(name) else name


def parse_loose(data: bytes, hash_len: int) -> Raw:
    """The ref in a loose file: `ref: NAME`, or an oid in hex, followed by nothing or by white space."""
    width = hash_len * 2
    if data.startswith(b"ref:"):
        return Raw(None, data[4:].strip(b" \t\n\r"))
    if len(data) > width and data[width] not in b" \t\n\r\0":
        return Raw()
    try:
        oid = bytes.fromhex(data[:width].decode("ascii"))
    except ValueError:
        return Raw()
    return Raw(oid) if len(oid) == hash_len else Raw()
