"""Looks up objects one by one or in batches, as git cat-file does."""

from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter

from ..errors import BadRequest, Corrupt, GitError, NotFound, text
from ..limits import Context, paced
from ..objects.loose import BadHead
from ..records import record
from ..repo.store import Store
from .resolve import Resolver, relative_path

DEFAULT_FORMAT = b"%(objectname) %(objecttype) %(objectsize)"
_SYMLINK = 0o120000
_MOST_LINKS = 40
_MOST_COLUMNS = 8
_TOGETHER = 256  # lines that are written at once
_MANY = 1 << 14  # from this many objects on, lines are made column by column
_first = itemgetter(0)
#: An answer: short lines, or content that is written in pieces
Answer = bytes | Iterator[bytes]


@record(frozen=True)
class BatchSpec:
    """`contents`: print the object itself after its line. `commands`: lines are `info X`, `contents X`, `flush`.

    `convert` makes the printed text from a path and a blob's content; the path follows each name.
    """

    form: bytes = DEFAULT_FORMAT
    contents: bool = False
    commands: bool = False
    all_objects: bool = False
    unordered: bool = False  # in the order in which they are stored
    follow_symlinks: bool = False
    buffer: bool = False
    mailmap: bool = False
    convert: Callable[[bytes, bytes], bytes] | None = None


def lines_of(data: bytes, null: bool) -> Iterator[bytes]:
    """Standard input, line by line (or NUL by NUL), without the terminators."""
    end = b"\0" if null else b"\n"
    lines = data.split(end)
    if not lines[-1]:
        lines.pop()
    for line in lines:
        yield line.removesuffix(b"\r") if not null else line


def batch(store: Store, lines: Iterable[bytes], spec: BatchSpec, *, ctx: Context, expected: int = 0) -> Iterator[bytes]:
    """The output of `cat-file --batch…` for each line; `expected`: how many lines there are, about."""
    machine = _Batch(store, spec, ctx)
    machine.expect(expected)
    if spec.all_objects:
        yield from machine.all()
        return
    out: list[bytes] = []
    oids: list[bytes] = []  # whole names, one after another: their lines are made together
    try:
        for line in lines:
            ctx.tick()
            oid = machine.whole(line)
            if oid is not None:
                oids.append(oid)
                if len(oids) < _TOGETHER:
                    continue
            if oids:
                out.append(machine.asked_for(oids))
                oids.clear()
            if oid is not None:
                yield b"".join(out)
                out.clear()
                continue
            answer = machine.command(line) if spec.commands else machine.one(line, spec.contents)
            if isinstance(answer, bytes):
                out.append(answer)
                if len(out) > _TOGETHER:
                    yield b"".join(out)
                    out.clear()
                continue
            if out:
                yield b"".join(out)
                out.clear()
            yield from answer
        if oids:
            out.append(machine.asked_for(oids))
    except GitError:
        yield b"".join(out)  # the answers before the error
        raise
    yield b"".join(out)


class _Decimals(dict[int, bytes]):
    """Numbers as decimal text, remembered, because many objects share a few sizes."""

    __slots__ = ()

    def __missing__(self, number: int) -> bytes:
        digits = self[number] = b"%d" % number
        return digits


def stored_as(store: Store, oid: bytes) -> tuple[bytes, int]:
    """(kind, size) of an object or its replacement. Raises MissingObject if it does not exist."""
    return store.odb.kind_size_raw(store.odb.replaced.get(oid) or oid)


class _Batch:
    __slots__ = (
        "_columns", "_ctx", "_decimals", "_fields", "_form", "_heads", "_look", "_needs_heads", "_read", "_resolver",
        "_rest", "_spec", "_store", "_width",
    )  # fmt: skip

    def __init__(self, store: Store, spec: BatchSpec, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        pieces = _compile(spec.form)
        self._fields = [_FIELDS[piece] for piece in pieces if isinstance(piece, str)]
        self._form = b"".join(
            [b"%b" if isinstance(piece, str) else piece.replace(b"%", b"%%") for piece in paced(pieces)]
        )
        self._columns = None if spec.contents else _columns(pieces)
        self._needs_heads = not {"objecttype", "objectsize"}.isdisjoint(pieces)  # otherwise git looks at no object
        self._width = store.hex_len
        self._decimals = _Decimals()
        self._rest = "rest" in pieces or (spec.convert is not None and not spec.commands)
        self._resolver = Resolver(store, ctx=ctx, hex_warning=False)
        self._read = store.odb.read
        self._look: Callable[[bytes], tuple[bytes, int]] = partial(stored_as, store)
        self._heads = store.odb.many_heads()

    def expect(self, lines: int) -> None:
        """So many lines will come."""
        if self._needs_heads and not self._spec.contents:
            self._heads.expect(lines)

    def all(self) -> Iterator[bytes]:
        """Every object as it is stored: replacements are not applied here (git-cat-file(1))."""
        odb = self._store.odb
        self._read, self._look = odb.read_raw, odb.kind_size_raw
        if self._columns is None:
            names = odb.names
            for oid in chain.from_iterable(map(_first, names.stored())) if self._spec.unordered else names.all():
                self._ctx.tick()
                answer = self.object(oid, oid.hex().encode(), None, self._spec.contents)
                yield from (answer,) if isinstance(answer, bytes) else answer
            return
        if self._spec.unordered:
            yield from self._stored()
            return
        heads_of = odb.heads() if self._needs_heads else None
        for oids in odb.names.by_first():
            if heads_of is None:
                yield from (self._joined(oids[start : start + _MANY], {}) for start in range(0, len(oids), _MANY))
                continue
            kinds, sizes = heads_of(oids) if oids else ([], [])
            for start in range(0, len(oids), _MANY):
                stop = start + _MANY
                yield self._lines(oids[start:stop], kinds[start:stop], sizes[start:stop])

    def _stored(self) -> Iterator[bytes]:
        """The lines of `all` in the order in which the objects are stored."""
        for oids, heads in self._store.odb.names.stored(heads=self._needs_heads):
            yield self._lines(oids, *heads) if self._needs_heads else self._joined(oids, {})

    def _lines(self, oids: list[bytes], kinds: Sequence[bytes], sizes: Sequence[int]) -> bytes:
        """The lines of many objects, column by column; one by one if an object is missing. Unknown kinds are looked
        up."""
        try:
            if not all(kinds):
                heads = zip(oids, kinds, sizes, strict=True)
                kinds, sizes = zip(*[(kind, size) if kind else self._asked(oid) for oid, kind, size in heads])
        except (NotFound, BadHead):
            return b"".join([self._line(oid, oid.hex().encode(), b"") for oid in oids])
        decimal = self._decimals
        if len(decimal) > _MANY:
            decimal.clear()
        return self._joined(oids, {"objecttype": kinds, "objectsize": map(decimal.__getitem__, sizes)})

    def _joined(self, oids: list[bytes], columns: dict[str, Iterable[bytes]]) -> bytes:
        """The lines of objects from the columns of their fields."""
        self._ctx.pause()
        columns["objectname"] = hexlify(b"".join(oids), b"\n", len(oids[0])).split(b"\n")
        names, between = self._columns or ([], [])
        width = 2 * len(names) + 1
        words = between * len(oids)
        for at, name in enumerate(names):
            words[2 * at + 1 :: width] = columns[name]
            if name in names[at + 1 :]:
                columns[name] = words[2 * at + 1 :: width]
        return b"".join(words)

    def whole(self, line: bytes) -> bytes | None:
        """The oid of a line that is a whole object name, if the answer is made of columns; otherwise None."""
        if len(line) != self._width or self._columns is None or self._spec.commands:
            return None
        try:
            oid = bytes.fromhex(line.decode("ascii"))
        except ValueError:
            return None
        return oid if oid.hex().encode() == line else None  # not one in capitals, or with blanks in it

    def asked_for(self, oids: list[bytes]) -> bytes:
        """The lines of named objects."""
        if not self._needs_heads:
            return b"".join([self._line(oid, oid.hex().encode(), b"") for oid in oids])
        return self._lines(oids, *self._heads.heads(oids))

    def _asked(self, oid: bytes) -> tuple[bytes, int]:
        self._ctx.tick()
        return self._look(oid)

    def command(self, line: bytes) -> Answer:
        """`contents X`, `info X` or `flush`."""
        if not line:
            raise BadRequest("empty command in input")
        if line[:1].isspace():
            raise BadRequest(f"whitespace before command: '{text(line)}'")
        name, space, rest = line.partition(b" ")
        if name == b"flush":
            if not self._spec.buffer:
                raise BadRequest("flush is only for --buffer mode")
            if rest:
                raise BadRequest("flush takes no arguments")
            return b""
        if name not in (b"contents", b"info"):
            raise BadRequest(f"unknown command: '{text(line)}'")
        if not space:
            raise BadRequest(f"{text(name)} requires arguments")
        return self.one(rest, name == b"contents")

    def one(self, line: bytes, contents: bool) -> Answer:
        """Answer one name; the text after its first blank is %(rest), if the format uses that."""
        name, rest = line, None
        if self._rest:
            cut = min((at for at in (line.find(b" "), line.find(b"\t")) if at >= 0), default=-1)
            if cut >= 0:
                name, rest = line[:cut], line[cut:].lstrip(b" \t")
        if self._spec.follow_symlinks and name.find(b":") > 0:  # what is in the index is no tree
            return self._followed(name, rest, contents)
        self._resolver.ambiguous = False
        resolved = self._resolver.find(name)
        if resolved is None:
            return name + (b" ambiguous\n" if self._resolver.ambiguous else b" missing\n")
        return self.object(resolved.oid, name, rest, contents)

    def object(self, oid: bytes, name: bytes, rest: bytes | None, contents: bool) -> Answer:
        """The lines for an object whose name was resolved. `rest` is None if nothing followed the name."""
        if not contents:
            return self._line(oid, name, rest or b"")
        return self._contents(oid, name, rest)

    def _line(self, oid: bytes, name: bytes, rest: bytes) -> bytes:
        try:
            kind, size = self._look(oid)
        except NotFound:
            return name + b" missing\n"
        except BadHead as error:
            if not self._needs_heads:
                return self._shown(oid, b"", 0, rest)
            return self._unread(name, error)
        return self._shown(oid, kind, size, rest)

    def _unread(self, name: bytes, error: BadHead) -> bytes:
        """The line for an object whose header git does not read. Strange but git's: it counts as missing."""
        if not error.lines:
            raise error
        for line in error.lines:
            self._ctx.say(f"error: {line}\n".encode("utf-8", "surrogateescape"))
        return name + b" missing\n"

    def _shown(self, oid: bytes, kind: bytes, size: int, rest: bytes) -> bytes:
        store = self._store
        return self._form % tuple([field(store, oid, kind, size, rest) for field in paced(self._fields)]) + b"\n"

    def _contents(self, oid: bytes, name: bytes, rest: bytes | None) -> Iterator[bytes]:
        try:
            kind, data = self._read(oid)
        except NotFound:
            yield name + b" missing\n"
            return
        except Corrupt:
            try:
                self._look(oid)
            except BadHead as error:
                yield self._unread(name, error)
                return
            raise
        if self._spec.mailmap:
            data = with_mailmap(self._store, kind, data)
        line = self._shown(oid, kind, len(data), rest or b"")
        convert = self._spec.convert
        if convert is None or kind != b"blob":
            yield line + data + b"\n"
            return
        yield line
        if rest is None:
            raise BadRequest(f"missing path for '{oid.hex()}'")
        yield convert(rest, data) + b"\n"

    def _followed(self, name: bytes, rest: bytes | None, contents: bool) -> Answer:
        """`--follow-symlinks`: links inside the tree are followed; one that leads out of it is reported as such."""
        top, _, path = name.partition(b":")
        tree = self._resolver.find(top + b"^{tree}")
        if tree is None:
            return name + b" missing\n"
        state, value = follow(self._store, tree.oid, relative_path(self._store, path), self._ctx)
        if isinstance(state, bytes):
            return self.object(state, name, rest, contents)
        if state == "missing":
            return name + b" missing\n"
        shown = value if state == "symlink" else name
        return b"%b %d\n%b\n" % (state.encode(), len(shown), shown)


def follow(store: Store, tree: bytes, path: bytes, ctx: Context) -> tuple[str | bytes, bytes]:
    """Walk `path` below `tree` through symbolic links: (oid, b"") or a state with its text.

    States: "missing", "dangling", "loop", "notdir", "symlink" (with the rest of the path, which leads out). As in git
    the rest is what is left of the text when the walk reaches it, with all of its slashes, and "." is no directory.
    """
    folders, rest, links = [tree], path, 0
    while True:
        ctx.tick()
        rest = rest.lstrip(b"/")
        part, slash, behind = rest.partition(b"/")
        if part == b"..":
            if len(folders) == 1:
                return "symlink", rest
            folders.pop()
            rest = behind
            continue
        if not part:
            return folders[-1], b""
        entry = store.odb.entry(folders[-1], part)
        if entry is None:
            return ("dangling" if links else "missing"), path
        mode, oid = entry
        if mode & 0o170000 == _SYMLINK:
            links += 1
            if links > _MOST_LINKS:
                return "loop", path
            target = store.odb.blob(oid)
            if target.startswith(b"/"):
                return "symlink", target
            rest = target + slash + behind
        elif mode & 0o170000 == 0o040000:
            if not slash:
                return oid, b""
            folders.append(oid)
            rest = behind
        else:
            return ("notdir", path) if slash else (oid, b"")


def with_mailmap(store: Store, kind: bytes, data: bytes) -> bytes:
    """A commit or tag with the people in its header replaced by .mailmap."""
    mailmap = store.mailmap
    if kind not in (b"commit", b"tag") or not mailmap:
        return data
    return mailmap.in_object(data)


_FIELDS: dict[str, Callable[[Store, bytes, bytes, int, bytes], bytes]] = {
    "objectname": lambda store, oid, kind, size, rest: oid.hex().encode(),
    "objecttype": lambda store, oid, kind, size, rest: kind,
    "objectsize": lambda store, oid, kind, size, rest: b"%d" % size,
    "objectsize:disk": lambda store, oid, kind, size, rest: b"%d" % store.odb.disk_size(oid),
    "deltabase": lambda store, oid, kind, size, rest: store.odb.delta_base(oid).hex().encode(),
    "rest": lambda store, oid, kind, size, rest: rest,
}


def _columns(pieces: list[bytes | str]) -> tuple[list[str], list[bytes]] | None:
    """The fields of a format, and its text with placeholders between; None if a field cannot be made as a column."""
    names, between = list[str](), [b""]
    for piece in paced(pieces):
        if isinstance(piece, bytes):
            between[-1] += piece
        elif piece in ("objectname", "objecttype", "objectsize") and len(names) < _MOST_COLUMNS:
            names.append(piece)
            between += [b"", b""]
        else:
            return None
    between[-1] += b"\n"
    return names, between


def _compile(form: bytes) -> list[bytes | str]:
    """The format as literal bytes and field names."""
    pieces: list[bytes | str] = []
    at = 0
    while True:
        percent = form.find(b"%", at)
        if percent < 0:
            pieces.append(form[at:])
            return pieces
        pieces.append(form[at:percent])
        if form[percent + 1 : percent + 2] == b"%":
            pieces.append(b"%")
            at = percent + 2
        elif form[percent + 1 : percent + 2] != b"(":
            pieces.append(b"%")
            at = percent + 1
        else:
            end = form.find(b")", percent)
            if end < 0:
                raise BadRequest(f"format element '{text(form[percent + 1 :])}' does not end in ')'")
            name = text(form[percent + 2 : end])
            if name not in _FIELDS:
                raise BadRequest(f"unknown format element: {name}")
            pieces.append(name)
            at = end + 1
