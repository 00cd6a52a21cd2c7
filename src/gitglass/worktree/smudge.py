"""Converts blobs to the form in which they are checked out: `$Id$` expanded, line endings, encodings; the reverse of
`convert`.

Programs are not run here: for `filter.<x>.smudge`, `filter.<x>.process` or `diff.<x>.textconv` the functions here raise
Unsupported, because the result without the program would not be git's. Only a converter that has the filter's result
(the write side's, with a grant) continues.

Mirrors gitattributes(5), "Checking-out and checking-in", and git-cat-file(1), `--filters` and `--textconv`.
"""

from __future__ import annotations

import re

from ..diff.lines.userdiff import converts
from ..errors import BadRequest, Unsupported, text
from ..limits import Context
from ..paths.attributes import attributes_of
from ..repo.charsets import charset
from ..repo.store import Store
from .convert import Converter, Endings, blob_oid, converter_of

_ID = re.compile(rb"\$Id(?:\$|:([^$\n]*)\$)")
_MARKED = {b"UTF-16": b"utf-16", b"UTF-32": b"utf-32"}  # begin with a byte order mark, in this machine's byte order
_BOM_NAMED = {b"UTF-16LE-BOM": (b"\xff\xfe", b"utf-16-le"), b"UTF-16BE-BOM": (b"\xfe\xff", b"utf-16-be")}
_UTF = re.compile(rb"UTF-?(7|16|32)(LE|BE|LE-BOM|BE-BOM|)")


def to_work_tree(store: Store, path: bytes, data: bytes, *, ctx: Context) -> bytes:
    """A blob's content as it would be written to a file at `path`.

    Raises Unsupported if a filter is configured for the path, or if the encoding cannot be written as git does.
    """
    converter = converter_of(store)
    plan = converter.plan(path)
    driver = _filter(store, path, converter)
    if plan.ident:
        data = _expanded(data, store.hash_name)
    if converter.writes_crlf(plan.action) and data:
        data = _with_crlf(data, automatic=plan.action.startswith("auto"))
    if plan.encoding is not None and data:
        data = _encoded(path, data, plan.encoding, ctx)
    return data if driver is None else converter.smudged(path, data, driver, ctx)


def _filter(store: Store, path: bytes, converter: Converter) -> bytes | None:
    """The filter for the last step, if there is one and the converter has it; otherwise it is refused."""
    driver = attributes_of(store).get(path, b"filter")
    if not isinstance(driver, bytes):
        return None
    name, config = b"filter." + driver, store.config
    runs = config.get(name + b".smudge") or config.get(name + b".process")
    if runs and converter.smudges(driver):
        return driver
    # `git lfs install` configures its filter in the user's file, which is not read in isolation
    if runs or (driver == b"lfs" and config.isolated):
        raise Unsupported(
            f"gitglass cat-file does not take --filters: filter '{text(driver)}' of '{text(path)}' runs a program",
            status=129,
            prefix="error",
            option="--filters",
        )
    if config.get_bool(name + b".required"):
        raise BadRequest(f"{text(path)}: smudge filter {text(driver)} failed")
    return None


def refuse_conversion(store: Store, path: bytes, command: str) -> None:
    """Raises Unsupported if git would run a program to convert the content at a path to text."""
    if converts(attributes_of(store).get(path, b"diff"), store.config):
        raise Unsupported(
            f"gitglass {command} does not take --textconv: a program is configured for '{text(path)}'",
            status=129,
            prefix="error",
            option="--textconv",
        )


def _expanded(data: bytes, hash_name: str) -> bytes:
    """Expand `$Id$` to include the blob's name. A value from another version control system stays."""
    if b"$Id" not in data:
        return data
    written = b"$Id: %s $" % blob_oid(data, hash_name).hex().encode()

    def expand(match: re.Match[bytes]) -> bytes:
        inner = (match[1] or b"")[1:]
        foreign = 0 <= inner.find(b" ") < len(inner) - 1  # git's own value has blanks only at its ends
        return match[0] if foreign else written

    return _ID.sub(expand, data)


def _with_crlf(data: bytes, *, automatic: bool) -> bytes:
    endings = Endings.of(data)
    if not endings.lonelf or (automatic and (endings.lonecr or endings.crlf or endings.binary)):
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _encoded(path: bytes, data: bytes, encoding: bytes, ctx: Context) -> bytes:
    """The content in the encoding of the work tree; unchanged, with git's error, if that encoding cannot represent
    it."""
    upper = encoding.upper()
    utf = _UTF.fullmatch(upper)
    mark = b""
    if utf is not None and utf[1] == b"7":
        raise Unsupported(f"working-tree-encoding {text(encoding)} is not written", option="--filters")
    try:
        mark, codec = _BOM_NAMED.get(upper, (b"", encoding))
        if utf is not None and not utf[2]:
            codec = _MARKED[b"UTF-" + utf[1]]
        elif utf is not None and not mark:
            codec = b"utf-%s-%s" % (utf[1], utf[2])
        name = charset(codec)
        if name is None:
            raise LookupError
        return mark + data.decode("utf-8").encode(name)
    except (LookupError, UnicodeError, ValueError):
        ctx.say(b"error: failed to encode '%s' from UTF-8 to %s\n" % (path, encoding))
        return data
