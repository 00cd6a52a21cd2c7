"""Objects looked up one by one or in batches, as git cat-file does."""

from collections.abc import Callable, Iterable, Iterator

from ..errors import BadRequest, NotFound, text
from ..limits import Context, paced
from ..records import record
from ..repo.store import Store
from .resolve import Resolver

DEFAULT_FORMAT = b"%(objectname) %(objecttype) %(objectsize)"
_SYMLINK = 0o120000
_MOST_LINKS = 40


@record(frozen=True)
class BatchSpec:
    """`contents`: print the object itself behind its line. `commands`: lines are `info X`, `contents X`, `flush`.

    `convert` makes of a path and a blob's content what is printed in its place; the path follows each name.
    """

    form: bytes = DEFAULT_FORMAT
    contents: bool = False
    commands: bool = False
    all_objects: bool = False
    follow_symlinks: bool = False
    buffer: bool = False
    mailmap: bool = False
    convert: Callable[[bytes, bytes], bytes] | None = None


def lines_of(data: bytes, null: bool) -> Iterator[bytes]:
    """Standard input, line by line (or NUL by NUL), without the ends."""
    end = b"\0" if null else b"\n"
    lines = data.split(end)
    if not lines[-1]:
        lines.pop()
    for line in lines:
        yield line.removesuffix(b"\r") if not null else line


def batch(store: Store, lines: Iterable[bytes], spec: BatchSpec, *, ctx: Context) -> Iterator[bytes]:
    """What `cat-file --batch…` prints for each line."""
    machine = _Batch(store, spec, ctx)
    if spec.all_objects:
        for oid in store.odb.names.all():
            ctx.tick()
            yield from machine.object(oid, oid.hex().encode(), None, spec.contents)
    elif spec.commands:
        for line in lines:
            ctx.tick()
            yield from machine.command(line)
    else:
        for line in lines:
            ctx.tick()
            yield from machine.one(line, spec.contents)


class _Batch:
    __slots__ = ("_ctx", "_pieces", "_resolver", "_rest", "_spec", "_store")

    def __init__(self, store: Store, spec: BatchSpec, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._pieces = _compile(spec.form)
        self._rest = "rest" in self._pieces or (spec.convert is not None and not spec.commands)
        self._resolver = Resolver(store, ctx=ctx, hex_warning=False)

    def command(self, line: bytes) -> Iterable[bytes]:
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
            return ()
        if name not in (b"contents", b"info"):
            raise BadRequest(f"unknown command: '{text(line)}'")
        if not space:
            raise BadRequest(f"{text(name)} requires arguments")
        return self.one(rest, name == b"contents")

    def one(self, line: bytes, contents: bool) -> Iterable[bytes]:
        """One name, with what follows its first blank as %(rest) where the format asks for that."""
        name, rest = line, None
        if self._rest:
            cut = min((at for at in (line.find(b" "), line.find(b"\t")) if at >= 0), default=-1)
            if cut >= 0:
                name, rest = line[:cut], line[cut:].lstrip(b" \t")
        if self._spec.follow_symlinks and b":" in name:
            return self._followed(name, rest, contents)
        self._resolver.ambiguous = False
        found = self._resolver.find(name)
        if found is None:
            return (name + (b" ambiguous\n" if self._resolver.ambiguous else b" missing\n"),)
        return self.object(found.oid, name, rest, contents)

    def object(self, oid: bytes, name: bytes, rest: bytes | None, contents: bool) -> Iterator[bytes]:
        """The lines for an object that a name was found for. `rest` is None where nothing followed the name."""
        odb = self._store.odb
        try:
            if contents:
                kind, data = odb.read(oid)
                if self._spec.mailmap:
                    data = with_mailmap(self._store, kind, data)
                size = len(data)
            else:
                kind, size = odb.kind_size(oid)
                data = b""
        except NotFound:
            yield name + b" missing\n"
            return
        line = b"".join(
            piece if isinstance(piece, bytes) else _FIELDS[piece](self._store, oid, kind, size, rest or b"")
            for piece in paced(self._pieces)
        )
        convert = self._spec.convert
        if contents and convert is not None and kind == b"blob":
            yield line + b"\n"
            if rest is None:
                raise BadRequest(f"missing path for '{oid.hex()}'")
            yield convert(rest, data) + b"\n"
        else:
            yield line + b"\n" + (data + b"\n" if contents else b"")

    def _followed(self, name: bytes, rest: bytes | None, contents: bool) -> Iterable[bytes]:
        """`--follow-symlinks`: links inside the tree are walked; one that leads out is told as such."""
        top, _, path = name.partition(b":")
        tree = self._resolver.find(top + b"^{tree}")
        if tree is None:
            return (name + b" missing\n",)
        state, value = follow(self._store, tree.oid, path, self._ctx)
        if isinstance(state, bytes):
            return self.object(state, name, rest, contents)
        if state == "missing":
            return (name + b" missing\n",)
        shown = value if state == "symlink" else name
        return (b"%b %d\n%b\n" % (state.encode(), len(shown), shown),)


def follow(store: Store, tree: bytes, path: bytes, ctx: Context) -> tuple[str | bytes, bytes]:
    """Walk `path` below `tree` through symbolic links: (oid, b"") or a state with what it is about.

    States: "missing", "dangling", "loop", "notdir", "symlink" (with the rest of the path, which leads out).
    """
    waiting = [part for part in path.split(b"/") if part]
    done: list[bytes] = []
    links = 0
    mode, oid = 0o040000, tree
    while waiting:
        ctx.tick()
        part = waiting.pop(0)
        if part == b".":
            continue
        if part == b"..":
            if not done:
                return "symlink", b"/".join([b"..", *waiting])
            done.pop()
            continue
        if mode & 0o170000 != 0o040000 and done:
            return "notdir", path
        entry = store.odb.entry(tree, b"/".join([*done, part]))
        if entry is None:
            return ("dangling" if links else "missing"), path
        mode, oid = entry
        if mode & 0o170000 == _SYMLINK:
            links += 1
            if links > _MOST_LINKS:
                return "loop", path
            target = store.odb.blob(oid)
            if target.startswith(b"/"):
                return "symlink", b"/".join([target, *waiting])
            waiting = [piece for piece in target.split(b"/") if piece] + waiting
            mode = 0o040000
            continue
        if mode & 0o170000 != 0o040000 and waiting:
            return "notdir", path
        done.append(part)
    if not done:
        return tree, b""
    entry = store.odb.entry(tree, b"/".join(done))
    return (entry[1], b"") if entry is not None else ("missing", path)


def with_mailmap(store: Store, kind: bytes, data: bytes) -> bytes:
    """A commit or tag with the people in its header as .mailmap names them."""
    mailmap = store.mailmap
    if kind not in (b"commit", b"tag") or not mailmap:
        return data
    header, blank, body = data.partition(b"\n\n")
    lines = header.split(b"\n")
    for at, line in enumerate(lines):
        role, _, ident = line.partition(b" ")
        if role in (b"author", b"committer", b"tagger"):
            person, close, when = ident.rpartition(b">")
            name, _, mail = person.partition(b" <")
            if close:
                name, mail = mailmap.map(name, mail)
                lines[at] = role + b" " + name + b" <" + mail + b">" + when
    return b"\n".join(lines) + blank + body


_FIELDS: dict[str, Callable[[Store, bytes, bytes, int, bytes], bytes]] = {
    "objectname": lambda store, oid, kind, size, rest: oid.hex().encode(),
    "objecttype": lambda store, oid, kind, size, rest: kind,
    "objectsize": lambda store, oid, kind, size, rest: b"%d" % size,
    "objectsize:disk": lambda store, oid, kind, size, rest: b"%d" % store.odb.disk_size(oid),
    "deltabase": lambda store, oid, kind, size, rest: store.odb.delta_base(oid).hex().encode(),
    "rest": lambda store, oid, kind, size, rest: rest,
}


def _compile(form: bytes) -> list[bytes | str]:
    """The format as literal bytes and names of fields."""
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
