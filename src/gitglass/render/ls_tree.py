"""The output of git ls-tree, and of cat-file -p for a tree."""

from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, repeat

from ..errors import BadRequest, GitError, NotFetched, NotFound
from ..limits import pause, watched
from ..objects.heads import ManyHeads
from ..paths.tree_listing import Entry, Run
from ..records import record
from ..repo.store import Store
from .quote import Quoter, relative_path

_FILES = frozenset((0o100644, 0o100755, 0o120000, b"100644", b"100755", b"120000"))
_KINDS = {0o040000: b"tree", 0o160000: b"commit"}
_head = {
    mode: b"%06o %b " % (mode, _KINDS.get(mode, b"blob")) for mode in (0o100644, 0o100755, 0o120000, 0o040000, 0o160000)
}.__getitem__


@record(frozen=True)
class TreeStyle:
    """`form`: "", "long", "name" or "object", or `custom` holds a --format; paths are relative to `prefix`."""

    form: str = ""
    custom: bytes | None = None
    null: bool = False
    prefix: bytes = b""


_RUN_HEADS = {
    b"%o" % mode: b"\n%06o %b " % (mode, _KINDS.get(mode, b"blob"))
    for mode in (0o100644, 0o100755, 0o120000, 0o040000, 0o160000)
}
_RUNS_AT_ONCE = 1 << 16  # bytes, approximately
_PORTION = 1 << 20
_LINE_BYTES = 64  # memory of a line besides its path
_ENTRIES = 1 << 14  # at most so many lines are made at once


def _portions(runs: Iterator[Run]) -> Iterator[Run]:
    """Runs in pieces of a megabyte of text, the clock checked before each: every line contains its directory."""
    for run in runs:
        base, modes, names, oids = run
        if len(names) * (len(base) + _LINE_BYTES) <= _PORTION:
            if names:
                yield run
            continue
        each = max(_PORTION // (len(base) + _LINE_BYTES), 1)
        for at in range(0, len(names), each):
            if at:
                pause()
            yield base, modes[at : at + each], names[at : at + each], oids[at : at + each]


def _measured(runs: Iterator[Run], heads: ManyHeads | None) -> Iterator[tuple[Run, list[bytes] | None]]:
    """Runs, and if `heads` is given the sizes of their entries, which are looked up for many runs together."""
    if heads is None:
        yield from zip(runs, repeat(None))
        return
    some, count = list[Run](), 0
    try:
        for run in runs:
            some.append(run)
            count += len(run[2])
            if count >= _ENTRIES:
                yield from _with_sizes(some, heads)
                some, count = [], 0
    except GitError:
        yield from _with_sizes(some, heads)
        raise
    yield from _with_sizes(some, heads)


def _with_sizes(runs: list[Run], heads: ManyHeads) -> Iterator[tuple[Run, list[bytes]]]:
    pause()
    modes, oids = chain.from_iterable([run[1] for run in runs]), chain.from_iterable([run[3] for run in runs])
    sizes = iter(_sizes(heads, list(modes), list(oids)))
    return ((run, list(islice(sizes, len(run[2])))) for run in runs)


def write_runs(runs: Iterator[Run], quote: Quoter, heads: ManyHeads | None = None) -> Iterator[bytes]:
    """The usual lines of whole runs, with sizes if `heads` is given: their parts are arranged column by column and
    joined once, instead of line by line."""
    width = 4 if heads is None else 5
    out: list[bytes] = []
    size = 0
    skip = 1  # each line begins with the newline of the one before
    try:
        for (base, modes, names, oids), sizes in _measured(_portions(runs), heads):
            before = b"\t" + base
            joined = b"".join(names)
            if quote.needs(base) or quote.needs(joined):
                before, names = b"\t", [quote(base + name) for name in names]
            parts = [before] * (width * len(names))
            parts[::width] = map(_RUN_HEADS.__getitem__, modes)
            parts[1::width] = _names(oids, None)
            if sizes is not None:
                parts[2::width] = sizes
            parts[width - 1 :: width] = names
            out.append(b"".join(parts))
            size += len(joined) + (len(base) + _LINE_BYTES) * len(names)
            if size > _RUNS_AT_ONCE:
                yield b"".join(out)[skip:]
                out, size, skip = [], 0, 0
    except GitError:
        if out:
            yield b"".join(out)[skip:] + b"\n"  # the text before the first directory is cut off
        raise
    out.append(b"\n" if out or not skip else b"")
    yield b"".join(out)[skip:]


def write_run_names(runs: Iterator[Run], quote: Quoter) -> Iterator[bytes]:
    """The names of whole runs (--name-only)."""
    for base, _, names, _ in _portions(runs):
        if quote.needs(base) or quote.needs(b"".join(names)):
            yield b"".join([quote(base + name) + b"\n" for name in names])
        else:
            yield base + (b"\n" + base).join(names) + b"\n"


def entry_kind(mode: int) -> bytes:
    """blob, tree or commit, by the mode alone."""
    return _KINDS.get(mode & 0o170000, b"blob")


def write_entries(
    batches: Iterator[list[Entry]],
    store: Store,
    style: TreeStyle,
    quote: Quoter,
    name_oid: Callable[[bytes], bytes] | None = None,
) -> Iterator[bytes]:
    """One line an entry; `name_oid` abbreviates object names, if they are to be abbreviated."""
    if style.custom is not None:
        yield from _write_custom(batches, store, style, quote, name_oid or hexlify)
        return
    end = b"\0" if style.null else b"\n"
    form = style.form
    heads = store.odb.many_heads() if form == "long" else None
    for batch in _parts(batches):
        modes, paths, oids = zip(*batch)
        if style.prefix:
            paths = tuple([relative_path(path, style.prefix) for path in paths])
        if not style.null and quote.needs(b"".join(paths)):
            paths = tuple(map(quote, paths))
        lines: Iterable[bytes]
        if form == "name":
            lines = paths
        elif form == "object":
            lines = _names(oids, name_oid)
        elif heads is not None:
            sizes = _sizes(heads, modes, oids)
            lines = map(b"%b%b%b\t%b".__mod__, zip(map(_head, modes), _names(oids, name_oid), sizes, paths))
        else:
            lines = map(b"%b%b\t%b".__mod__, zip(map(_head, modes), _names(oids, name_oid), paths))
        yield end.join(lines) + end


def _parts(batches: Iterator[list[Entry]]) -> Iterator[list[Entry]]:
    """The batches in lists of bounded length, none of them empty, the clock checked between two parts of one."""
    for batch in batches:
        for at in range(0, len(batch), _ENTRIES):
            if at:
                pause()
            yield batch[at : at + _ENTRIES]


def _names(oids: Sequence[bytes], name_oid: Callable[[bytes], bytes] | None) -> list[bytes]:
    """Object names in hex; whole ones are converted all at once."""
    if name_oid is not None:
        return list(map(name_oid, oids))
    return hexlify(b"".join(oids), b" ", len(oids[0])).split(b" ")


def _sizes(heads: ManyHeads, modes: Sequence[int] | Sequence[bytes], oids: Sequence[bytes]) -> list[bytes]:
    """The sizes of entries, with a blank before them; modes are numbers, or their octal text."""
    sizes = heads.sizes(oids)
    if -1 not in sizes and _FILES.issuperset(modes):
        texts = {size: b" %7d" % size for size in set(sizes)}
        return [texts[size] for size in sizes]
    numbers = [mode if isinstance(mode, int) else int(mode, 8) for mode in modes]
    return [b" " + _shown_size(heads.size, mode, oid, 7) for mode, oid in watched(zip(numbers, oids))]


def _size(size_of: Callable[[bytes], int], mode: int, oid: bytes, width: int) -> bytes:
    """The size of a blob; "-" for others. Raises NotFound for one that is missing."""
    if entry_kind(mode) != b"blob":
        return b"-".rjust(width)
    try:
        return b"%*d" % (width, size_of(oid))
    except NotFetched:
        raise
    except GitError:
        raise NotFound(f"could not get object info about '{oid.hex()}'") from None


def _shown_size(size_of: Callable[[bytes], int], mode: int, oid: bytes, width: int) -> bytes:
    """The size as `--long` has it, "BAD" for a blob that is missing."""
    try:
        return _size(size_of, mode, oid, width)
    except NotFound:
        return b"BAD".rjust(width)


def _write_custom(
    batches: Iterator[list[Entry]], store: Store, style: TreeStyle, quote: Quoter, name_oid: Callable[[bytes], bytes]
) -> Iterator[bytes]:
    pieces: list[bytes | str] | None = None
    end, size_of = b"\0" if style.null else b"\n", None
    size_text = _shown_size if style.custom == _LONG else _size
    for mode, path, oid in chain.from_iterable(batches):
        if pieces is None:  # git parses the format when it has an entry to write
            pieces = parse_format(style.custom or b"")
        line = b""
        for piece in pieces:
            if isinstance(piece, bytes):
                line += piece
            elif piece == "objectmode":
                line += b"%06o" % mode
            elif piece == "objecttype":
                line += entry_kind(mode)
            elif piece == "objectname":
                line += name_oid(oid)
            elif piece == "path":
                line += quote(relative_path(path, style.prefix) if style.prefix else path)
            else:
                size_of = size_of or store.odb.many_heads().size
                line += size_text(size_of, mode, oid, 7 if piece.endswith("padded") else 0)
        yield line + end


#: the format that says what `--long` does, of which git makes that option
_LONG = b"%(objectmode) %(objecttype) %(objectname) %(objectsize:padded)%x09%(path)"
_ATOMS = ("objectmode", "objecttype", "objectname", "objectsize", "objectsize:padded", "path")


def parse_format(form: bytes) -> list[bytes | str]:
    """`--format` as literal bytes and names of fields. Raises GitError "bad ls-tree format: …"."""
    pieces: list[bytes | str] = []
    at = 0
    while at < len(form):
        percent = form.find(b"%", at)
        if percent < 0:
            pieces.append(form[at:])
            break
        pieces.append(form[at:percent])
        after = form[percent + 1 :]
        if after.startswith(b"n"):
            pieces.append(b"\n")
            at = percent + 2
        elif after.startswith(b"%"):
            pieces.append(b"%")
            at = percent + 2
        elif after.startswith(b"x") and _hex_pair(after[1:3]) is not None:
            pieces.append(bytes((_hex_pair(after[1:3]) or 0,)))
            at = percent + 4
        elif not after.startswith(b"("):
            raise BadRequest(f"bad ls-tree format: element '{_show(after)}' does not start with '('")
        else:
            end = after.find(b")")
            if end < 0:
                raise BadRequest(f"bad ls-tree format: element '{_show(after)}' does not end in ')'")
            name = _show(after[1:end])
            if name not in _ATOMS:
                raise BadRequest(f"bad ls-tree format: %({name})")
            pieces.append(name)
            at = percent + end + 2
    return pieces


def _show(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _hex_pair(pair: bytes) -> int | None:
    try:
        return int(pair, 16) if len(pair) == 2 and pair.isalnum() else None
    except ValueError:
        return None
