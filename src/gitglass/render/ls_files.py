"""The output of git ls-files."""

from __future__ import annotations

import struct
from binascii import hexlify
from collections.abc import Callable, Iterable, Iterator, Mapping

from ..annotations import TYPE_CHECKING, TypeVar
from ..deferred import deferred, lazy_pattern
from ..errors import BadRequest, GitError, MissingObject, text
from ..index.index import STAGE_OF
from ..index.rows import gathered, joined, without_padding
from ..limits import paced, pause, slices
from ..memories import Slot
from ..records import record
from ..repo.store import Store
from ..worktree.convert import Endings, converter_of
from ..worktree.listing import Listed, Staged
from .quote import PLAIN, relative_path
from .style import Style

if TYPE_CHECKING:
    from ..revs.abbrev import Abbreviator
else:
    Abbreviator = deferred(__name__, "..revs.abbrev", "Abbreviator")


_HEX = lazy_pattern(rb"[0-9a-fA-F]{2}")
_LINES: Slot[bytes] = Slot("the paths of an index, one a line")
_MAX_FILE = 512 << 20
_PART, _MOST_BYTES = 1 << 11, 16 << 20  # paths, and bytes of them, that are written as one text
_MANY = 1 << 11  # lines that are joined at once: few enough to stay in the processor's cache


@record(frozen=True)
class ListLook:
    """How each line is written. `abbrev` None: whole object names, -1: git's automatic length; `lower`: lower-case tags
    of assume-unchanged files."""

    null: bool = False
    tags: bool = False
    lower: bool = False
    stage: bool = False
    eol: bool = False
    full_name: bool = False
    abbrev: int | None = None
    format: bytes | None = None


def write_paths(paths: list[bytes], look: ListLook, style: Style) -> Iterator[bytes]:
    """Paths alone, one a line: checked all together first, since quotes are very rarely needed. They may have the zero
    bytes after them that the index file has. The lines of a whole index are kept with it, where they are not very many
    bytes; those are written in parts. With tags, all of them have the usual one."""
    plain = not look.null and (not style.prefix or look.full_name)
    tag = _index_tag(0, lower=look.lower) if look.tags else b""
    if plain:
        index = style.store.index
        kept = paths is index.names and not tag
        lines = index.derived.made(_LINES, lambda: _lines(paths, tag)) if kept else _lines(paths, tag)
        if lines or not paths:
            yield lines
            return
    end, shown = b"\0" if look.null else b"\n", _shower(look, style)
    for start in range(0, len(paths), _PART):
        pause()
        part = paths[start : start + _PART]
        lines = _lines(part, tag) if plain and len(paths) > _PART else b""
        if not lines:
            part = without_padding(part)
            if look.null and all(part) and (not style.prefix or look.full_name):
                lines = tag + (end + tag).join(part) + end
            else:
                lines = b"".join([tag + shown(path) + end for path in paced(part)])
        yield lines


def _lines(paths: list[bytes], tag: bytes) -> bytes:
    """One path a line behind a tag; b"" where one of them needs quoting or is empty, and where they are too long for
    one text."""
    if not paths or sum([sum(map(len, part)) for part in slices(paths)]) > _MOST_BYTES:
        return b""
    between = b"\n" + tag
    lines = tag + joined(paths, between) + b"\n"
    if b"\0" in lines:
        lines = lines.translate(None, b"\0")
    if lines.translate(None, PLAIN) != b"\n" * len(paths):
        return b""
    return b"" if lines.startswith((b"\n", tag + b"\n")) or between + b"\n" in lines else lines


def write_staged(parts: Iterable[Staged], look: ListLook, style: Style) -> Iterator[bytes]:
    """Entries of the index, none of which has extended flags: in `look.format` if that `has_columns`, else with tags if
    these are wanted, and with mode, object name and stage."""
    width = 42 + style.store.hash_len
    write: Callable[[list[bytes], bytes], bytes] | None = None
    for part in parts:
        for start in range(0, len(part.names), _MANY):
            pause()
            if write is None:  # git parses a format when it has an entry to write
                usual = look.stage and not look.tags and look.abbrev is None and look.format is None
                write = _staged_writer(look, style) if usual else _column_writer(look, style)
            stop = start + _MANY
            yield write(part.names[start:stop], part.fixed[start * width : stop * width])


def _path_column(look: ListLook, style: Style) -> Callable[[list[bytes]], list[bytes]]:
    """A function from names to the paths that are shown."""
    usual, shown = look.full_name or not style.prefix, _shower(look, style)

    def column(names: list[bytes]) -> list[bytes]:
        paths = without_padding(names) if names[0][-1:] == b"\0" else names
        if usual and all(paths) and (look.null or not b"".join(paths).translate(None, PLAIN)):
            return paths
        return list(map(shown, paths))

    return column


def _staged_writer(look: ListLook, style: Style) -> Callable[[list[bytes], bytes], bytes]:
    """A function from names and fixed parts of entries to their lines with mode, whole object name and stage."""
    size, end = style.store.hash_len, b"\0" if look.null else b"\n"
    paths_of = _path_column(look, style)

    def write(names: list[bytes], fixed: bytes) -> bytes:
        words = [b""] * (2 * len(names))
        words[0::2] = _fronts(fixed, size, end)
        words[1::2] = paths_of(names)
        return b"".join(words)[len(end) :] + end

    return write


def _fronts(fixed: bytes, size: int, end: bytes) -> list[bytes]:
    """Of each entry what its line has in front of the path: the end of the line before, mode, object name, stage."""
    width = 42 + size
    modes, stages = gathered(fixed, 24, 4, width), fixed[40 + size :: width].translate(STAGE_OF)
    names = hexlify(gathered(fixed, 40, size, width), b",", size)
    common = int.from_bytes(modes[:4], "big")
    front = end + b"%06o " % common
    lines = (front + names.replace(b",", b" 0\t," + front) + b" 0\t").split(b",")
    if modes != modes[:4] * len(lines) or stages.strip(b"\0"):  # most entries are alike in both
        name = slice(len(front), len(front) + 2 * size)
        for at, (mode, stage) in enumerate(zip(struct.unpack(f">{len(lines)}I", modes), stages)):
            if mode != common or stage:
                lines[at] = end + b"%06o %b %d\t" % (mode, lines[at][name], stage)
    return lines


_COLUMNS = lazy_pattern(rb"(?:[^%]|%(?:%|n|x[0-9a-fA-F]{2}|\((?:objectmode|objectname|stage|path)\)))*")
#: (names, fixed parts) → a text for each entry, or for all of them
Column = Callable[[list[bytes], bytes], "list[bytes] | bytes"]


def has_columns(form: bytes) -> bool:
    """Whether `write_staged` knows all that a format names."""
    return _COLUMNS.fullmatch(form) is not None


def _column_writer(look: ListLook, style: Style) -> Callable[[list[bytes], bytes], bytes]:
    """A function from names and fixed parts of entries to their lines, put together from columns."""
    pieces: list[bytes | Column] = []
    columns = _columns(look, style)
    if look.format is not None:
        pieces += _parsed(look.format, columns)
    else:
        if look.tags:
            pieces.append(columns[b"tag"])
        if look.stage:
            pieces += (columns[b"objectmode"], b" ", columns[b"objectname"], b" ", columns[b"stage"], b"\t")
        pieces.append(columns[b"path"])
    pieces.append(b"\0" if look.null else b"\n")
    width = len(pieces)

    def write(names: list[bytes], fixed: bytes) -> bytes:
        count = len(names)
        columns = [piece if isinstance(piece, bytes) else piece(names, fixed) for piece in pieces]
        varied = [column for column in columns if not isinstance(column, bytes)]
        if len(varied) == 1:
            at = columns.index(varied[0])
            before, after = b"".join(columns[:at]), b"".join(columns[at + 1 :])  # type: ignore[arg-type]
            return before + (after + before).join(varied[0]) + after
        words = [b""] * (width * count)
        for nth, column in enumerate(columns):
            words[nth::width] = [column] * count if isinstance(column, bytes) else column
        return b"".join(words)

    return write


def _columns(look: ListLook, style: Style) -> dict[bytes, Column]:
    """The columns by the names that a format has for them, and the tags."""
    size, abbrev = style.store.hash_len, _abbreviator(look, style.store)
    width, paths_of = 42 + size, _path_column(look, style)

    texts = [_index_tag(byte, lower=look.lower) for byte in range(256)]

    def tags(names: list[bytes], fixed: bytes) -> list[bytes] | bytes:
        flags = fixed[40 + size :: width]
        here = {texts[byte] for byte in set(flags)}
        return here.pop() if len(here) == 1 else [texts[byte] for byte in flags]

    def modes(names: list[bytes], fixed: bytes) -> list[bytes]:
        numbers = struct.unpack(f">{len(names)}I", gathered(fixed, 24, 4, width))
        texts = {mode: b"%06o" % mode for mode in set(numbers)}
        return [texts[mode] for mode in numbers]

    def oids(names: list[bytes], fixed: bytes) -> list[bytes]:
        together = gathered(fixed, 40, size, width)
        if abbrev is None:
            return hexlify(together, b",", size).split(b",")
        return abbrev.many([together[at : at + size] for at in range(0, len(together), size)])

    def stages(names: list[bytes], fixed: bytes) -> list[bytes]:
        return [b"%d" % stage for stage in fixed[40 + size :: width].translate(STAGE_OF)]

    return {
        b"tag": tags,
        b"objectmode": modes,
        b"objectname": oids,
        b"stage": stages,
        b"path": lambda names, fixed: paths_of(names),
    }


def _index_tag(flags: int, *, lower: bool) -> bytes:
    """The tag of an entry that is checked out, by the first byte of its flags."""
    tag = b"M" if STAGE_OF[flags] else b"H"
    return (tag.lower() if lower and flags >= 0x80 else tag) + b" "


def _shower(look: ListLook, style: Style) -> Callable[[bytes], bytes]:
    prefix = b"" if look.full_name else style.prefix
    quote = bytes if look.null else style.quote
    if prefix:
        return lambda path: quote(relative_path(path, prefix))
    return lambda path: quote(path or b"./")


def write_listing(rows: Iterator[Listed], look: ListLook, style: Style) -> Iterator[bytes]:
    """One line for each row."""
    if look.format is not None:
        yield from _formatted(rows, look, style)
        return
    shown, end = _shower(look, style), b"\0" if look.null else b"\n"
    abbrev = _namer(look, style.store)
    for row in rows:
        line = _tag(row, look) if look.tags else b""
        if (look.stage and row.mode) or row.tag == "U":
            line += b"%06o %s %d\t" % (row.mode, abbrev(row.oid), row.stage)
        if look.eol and row.tag != "U":
            line += _eol(row, style.store)
        yield line + shown(row.path) + end + _facts(row)


def _facts(row: Listed) -> bytes:
    """With --debug: the stat data in the index, and git's flags."""
    if row.facts is None:
        return b""
    (ctime, ctime_ns, mtime, mtime_ns, dev, ino, _, uid, gid, size), flags = row.facts
    times = b"  ctime: %d:%d\n  mtime: %d:%d\n" % (ctime, ctime_ns, mtime, mtime_ns)
    owner = b"  dev: %d\tino: %d\n  uid: %d\tgid: %d\n" % (dev, ino, uid, gid)
    return times + owner + b"  size: %d\tflags: %x\n" % (size, flags)


def _abbreviator(look: ListLook, store: Store) -> Abbreviator | None:
    return None if look.abbrev is None else Abbreviator(store, None if look.abbrev < 0 else look.abbrev)


def _namer(look: ListLook, store: Store) -> Callable[[bytes], bytes]:
    return _abbreviator(look, store) or _hex


def _hex(oid: bytes) -> bytes:
    return oid.hex().encode()


def _tag(row: Listed, look: ListLook) -> bytes:
    tag = row.tag
    if look.lower and row.assume_valid:
        tag = tag.lower() if tag != "?" else "!"
    return tag.encode() + b" "


# ------------------------------------------------------------------------------------------------------- line endings
def _eol(row: Listed, store: Store) -> bytes:
    attribute = converter_of(row.store or store).attribute(_own_path(row, store)).encode()
    return b"i/%-5s w/%-5s attr/%-17s\t" % (_index_eol(row, store), _work_eol(row, store), attribute)


def _own_path(row: Listed, store: Store) -> bytes:
    """The path of a row within its repository: for a submodule's row, below the submodule."""
    owner = row.store
    if owner is None or owner is store or owner.work_tree is None or store.work_tree is None:
        return row.path
    return row.path[len(owner.work_tree) - len(store.work_tree) :]


def _index_eol(row: Listed, store: Store) -> bytes:
    if row.store is None or row.mode & 0o170000 != 0o100000:
        return b""
    oid = row.oid
    if row.stage and row.stage != 2:  # for a conflict, git reads our side, whatever stage is listed
        at = row.store.index.find(_own_path(row, store), 2)
        if at < 0:
            return b"none"
        oid = row.store.index.oids[at]
    try:
        return Endings.of(row.store.odb.blob(oid)).name
    except MissingObject:
        return b"none"
    except GitError:
        return b""


def _work_eol(row: Listed, store: Store) -> bytes:
    files = (row.store or store).files
    if files is None:
        return b""
    try:
        data = files.read_optional(_own_path(row, store), _MAX_FILE)
    except GitError:
        return b""
    return b"" if data is None else Endings.of(bytes(data)).name


# ------------------------------------------------------------------------------------------------------------ --format
Piece = Callable[[Listed], bytes]
P = TypeVar("P")


def _formatted(rows: Iterator[Listed], look: ListLook, style: Style) -> Iterator[bytes]:
    assert look.format is not None
    pieces: list[bytes | Piece] | None = None
    end = b"\0" if look.null else b"\n"
    for row in rows:
        if pieces is None:  # git parses the format when it has an entry to write
            pieces = _compile(look.format, look, style)
        yield b"".join([piece if isinstance(piece, bytes) else piece(row) for piece in pieces]) + end + _facts(row)


def _compile(form: bytes, look: ListLook, style: Style) -> list[bytes | Piece]:
    """A format's text and placeholders."""
    store, shown = style.store, _shower(look, style)
    abbrev = _namer(look, store)
    fields: dict[bytes, Piece] = {
        b"objectmode": lambda row: b"%06o" % row.mode,
        b"objectname": lambda row: abbrev(row.oid),
        b"stage": lambda row: b"%d" % row.stage,
        b"path": lambda row: shown(row.path),
        b"eolinfo:index": lambda row: _index_eol(row, store),
        b"eolinfo:worktree": lambda row: _work_eol(row, store),
        b"eolattr": lambda row: converter_of(row.store or store).attribute(_own_path(row, store)).encode(),
    }
    return _parsed(form, fields)


def _parsed(form: bytes, fields: Mapping[bytes, P]) -> list[bytes | P]:
    """A format's text and what its placeholders stand for. Raises GitError with git's words."""
    out: list[bytes | P] = []
    at = 0
    while (percent := form.find(b"%", at)) >= 0:
        out.append(form[at:percent])
        literal = _literal(form, percent + 1)
        if literal is not None:
            out.append(literal[0])
            at = literal[1]
            continue
        rest = form[percent + 1 :]
        if rest[:1] != b"(":
            raise BadRequest(f"bad ls-files format: element '{text(rest)}' does not start with '('")
        close = rest.find(b")")
        if close < 0:
            raise BadRequest(f"bad ls-files format: element '{text(rest)}' does not end in ')'")
        piece = fields.get(rest[1:close])
        if piece is None:
            raise BadRequest(f"bad ls-files format: %{text(rest[: close + 1])}")
        out.append(piece)
        at = percent + close + 2
    out.append(form[at:])
    return out


def _literal(form: bytes, at: int) -> tuple[bytes, int] | None:
    """The bytes of `%%`, `%n` and `%xNN`, and the position after them."""
    char = form[at : at + 1]
    if char == b"%":
        return b"%", at + 1
    if char == b"n":
        return b"\n", at + 1
    if char == b"x" and _HEX.fullmatch(form, at + 1, at + 3):
        return bytes([int(form[at + 1 : at + 3], 16)]), at + 3
    return None
