"""Converts work-tree content to git's own form: line endings, `$Id$`, encodings, and the one filter that is built in.

Programs named in `filter.<x>.clean` or `filter.<x>.process` are never run: such content is used unchanged, with a note.
The exception is Git LFS, whose clean filter is only a hash and a size.

Mirrors gitattributes(5), "Effects", and the core.autocrlf, core.eol and core.safecrlf of git-config(1).
"""

from __future__ import annotations

import re

from ..annotations import TYPE_CHECKING
from ..deferred import deferred, lazy_pattern
from ..errors import BadConfig, BadRequest, GitError, Unsupported, text
from ..limits import Context
from ..memories import Slot
from ..objects.hashes import new_hash
from ..objects.parsed import object_name
from ..paths.attributes import Value, attributes_of
from ..records import record
from ..repo.store import Store

if TYPE_CHECKING:
    from ..repo.charsets import charset
else:
    charset = deferred(__name__, "..repo.charsets", "charset")


_NAMES = (b"text", b"crlf", b"eol", b"ident", b"filter", b"working-tree-encoding")
_AUTO = frozenset(("auto", "auto-crlf", "auto-input"))
_ID = lazy_pattern(rb"\$Id:[^$\n]*\$")
_ODD = bytes(c for c in (*range(32), 127) if c not in b"\b\t\n\r\x0c\x1b")  # bytes that are unusual in text
_UTF = lazy_pattern(rb"utf-?(16|32)(|[bl]e|le-bom)", re.IGNORECASE)
_MARKS = {b"16": (b"\xfe\xff", b"\xff\xfe"), b"32": (b"\0\0\xfe\xff", b"\xff\xfe\0\0")}
_POINTER = b"version https://git-lfs.github.com/spec/v1\n"


@record(frozen=True)
class Plan:
    """The conversions of a path's content on its way into the repository."""

    action: str  # binary, text, text-input, text-crlf, auto, auto-input, auto-crlf
    ident: bool
    driver: bytes | None  # the filter's name, if it is configured
    encoding: bytes | None
    attribute: str = ""  # the attributes' value for line endings, as `ls-files --eol` shows it


IDENTITY = Plan("binary", False, None, None)
_LINE_ENDS = {
    "binary": "-text",
    "text": "text",
    "text-input": "text eol=lf",
    "text-crlf": "text eol=crlf",
    "auto": "text=auto",
    "auto-input": "text=auto eol=lf",
    "auto-crlf": "text=auto eol=crlf",
}


@record(frozen=True)
class Endings:
    """Counts that decide whether content is text, and which line endings it has."""

    crlf: int
    lonelf: int
    lonecr: int
    binary: bool

    @classmethod
    def of(cls, data: bytes) -> Endings:
        """Count the line endings of some content."""
        some = b"\r" in data  # which is found out in no time: counting takes half of all this
        crlf = data.count(b"\r\n") if some else 0
        lonelf = data.count(b"\n") - crlf
        lonecr = data.count(b"\r") - crlf if some else 0
        if lonecr or b"\0" in data:
            return cls(crlf, lonelf, lonecr, True)
        odd = len(data) - len(data.translate(None, _ODD))
        if data.endswith(b"\x1a"):
            odd -= 1
        printable = len(data) - 2 * crlf - lonelf - odd - (1 if data.endswith(b"\x1a") else 0)
        return cls(crlf, lonelf, lonecr, (printable >> 7) < odd)

    @property
    def name(self) -> bytes:
        """The word that `ls-files --eol` prints."""
        if self.binary:
            return b"-text"
        if self.crlf and self.lonelf:
            return b"mixed"
        return b"crlf" if self.crlf else b"lf" if self.lonelf else b"none"


class Converter:
    """The conversions of one work tree: its settings read once, its plans kept by path.

    `staged`: the index's version of a file affects its line endings.
    """

    __slots__ = ("_autocrlf", "_crlf_native", "_plans", "_staged", "_store", "_warns", "compared", "refuses")

    def __init__(self, store: Store, *, staged: bool = True) -> None:
        self._staged = staged
        config = store.config
        self._store = store
        auto = config.get("core.autocrlf")
        input_only = auto is not None and auto.lower() == b"input"
        self._autocrlf = "input" if input_only else "true" if auto and config.get_bool("core.autocrlf") else ""
        eol = (config.get("core.eol") or b"").lower()
        self._crlf_native = self._autocrlf == "true" or (not self._autocrlf and eol == b"crlf")
        safe = config.get("core.safecrlf")
        self.compared: set[bytes] = set()  # files that git still has in memory, and shows without converting them again
        only_warns = safe is None or safe.lower() == b"warn"
        self.refuses = not only_warns and bool(config.get_bool("core.safecrlf"))
        self._warns = only_warns or self.refuses
        self._plans: dict[bytes, Plan] = {}

    def plan(self, path: bytes) -> Plan:
        """The conversions that apply to a path."""
        plan = self._plans.get(path)
        if plan is None:
            attributes = attributes_of(self._store)
            named = attributes.named_in(path.rpartition(b"/")[0])  # usually none of these is set
            values = [] if named.isdisjoint(_NAMES) else attributes.lookup(path, _NAMES)
            if values.count(None) < len(values):
                plan = self._decide(*values)
            else:
                plan = IDENTITY if not self._autocrlf else Plan(self._default(), False, None, None)
            self._plans[path] = plan
        return plan

    def is_plain_in(self, directory: bytes) -> bool:
        """Whether git stores every file of a directory (no slash at its end) unchanged, whatever its name is."""
        return not self._autocrlf and attributes_of(self._store).named_in(directory).isdisjoint(_NAMES)

    def _default(self) -> str:
        return {"true": "auto-crlf", "input": "auto-input"}.get(self._autocrlf, "binary")

    def _decide(self, txt: Value, crlf: Value, eol: Value, ident: Value, driver: Value, encoding: Value) -> Plan:
        action = _text_action(txt) or _text_action(crlf)
        if action != "binary" and eol in (b"lf", b"crlf"):
            kind = "auto" if action == "auto" else "text"
            action = kind + ("-input" if eol == b"lf" else "-crlf")
        line_ends = _LINE_ENDS.get(action, "")
        if action == "text":
            action = "text-crlf" if self._crlf_native else "text-input"
        named = driver if isinstance(driver, bytes) and self._applies(driver) else None
        if encoding is True:
            raise BadConfig("true/false are no valid working-tree-encodings")
        coded = encoding if isinstance(encoding, bytes) and encoding.lower() not in (b"utf-8", b"utf8", b"") else None
        return Plan(action or self._default(), ident is True, named, coded, line_ends)

    def attribute(self, path: bytes) -> str:
        """The attributes' value for a path's line endings."""
        return self.plan(path).attribute

    def _applies(self, driver: bytes) -> bool:
        """Whether the filter named by the attributes is configured.

        `git lfs install` configures its filter in the user's own file. If that is not read (the library, --jail), the
        filter is assumed to be configured, because otherwise a clean work tree would differ from every pointer.
        """
        return self._configured(driver) or (driver == b"lfs" and self._store.config.isolated)

    def _configured(self, driver: bytes) -> bool:
        config = self._store.config
        return config.has(b"filter." + driver + b".clean") or config.has(b"filter." + driver + b".process")

    def cleans(self, driver: bytes) -> bool:
        """Whether a filter's result for content on its way in is available here: not by reading alone."""
        return False

    def smudges(self, driver: bytes) -> bool:
        """The same for content on its way out."""
        return False

    def smudged(self, path: bytes, data: bytes, driver: bytes, ctx: Context) -> bytes:
        """A filter's result for content that is checked out. Raises Unsupported: no program is run here."""
        raise Unsupported(f"'{text(path)}' goes through the filter '{text(driver)}'", path=text(path))

    def is_at_hand(self, path: bytes) -> bool:
        """Whether git still has a file in memory after comparing it, and shows it without another conversion and
        warning.

        git drops a file after showing it: the result is True only once for each file.
        """
        at_hand = path in self.compared
        self.compared.discard(path)
        return at_hand

    def to_git(
        self, path: bytes, data: bytes, *, ctx: Context, warn: bool = True, indexed: bool = True, stored: bool = False
    ) -> bytes:
        """A file's content in the form in which it would be stored.

        `warn`: print on stderr what would not survive a round trip; `indexed`: the index's version of the path counts.
        `stored`: it becomes an object, and BadRequest is raised if it does not have its declared encoding, or would not
        survive a round trip and `core.safecrlf` is true.
        """
        plan = self.plan(path)
        if plan is IDENTITY:
            return data
        if plan.driver is not None:
            data = self._filtered(path, data, plan.driver, ctx)
        if plan.encoding is not None:
            data = _recoded(path, data, plan.encoding, ctx, stored)
        data = self._line_endings(path, data, plan.action, ctx, warn, indexed, stored)
        return _ID.sub(b"$Id$", data) if plan.ident else data

    def _filtered(self, path: bytes, data: bytes, driver: bytes, ctx: Context) -> bytes:
        if driver == b"lfs":
            return self._lfs(path, data, ctx)
        ctx.note(f"filter '{text(driver)}' is not run: '{text(path)}' is taken as it is")
        return data

    def _lfs(self, path: bytes, data: bytes, ctx: Context) -> bytes:
        """The pointer that Git LFS would store; content that was committed without LFS stays unchanged."""
        ctx.note("files with filter=lfs are compared by the pointers that Git LFS would store; no filter is run")
        if not self._configured(b"lfs"):
            at = self._store.index.find(path)
            if at >= 0 and self._store.index.oids[at] == blob_oid(data, self._store.hash_name):
                return data
        return lfs_pointer(data)

    def _line_endings(
        self, path: bytes, data: bytes, action: str, ctx: Context, warn: bool, indexed: bool, stored: bool
    ) -> bytes:
        if action == "binary" or not data:
            return data
        endings = Endings.of(data)
        shorten = endings.crlf > 0
        if action in _AUTO:
            if endings.binary:
                return data
            shorten = shorten and not (indexed and self._crlf_in_index(path))
        if warn and self._warns:
            words = self._replaced(endings, shorten, action)
            if words and stored and self.refuses:
                raise BadRequest(f"{words[0]} would be replaced by {words[1]} in {text(path)}")
            if words:
                change = f"{words[0]} will be replaced by {words[1]} the next time Git touches it"
                ctx.warn(f"in the working copy of '{text(path)}', {change}")
        if not shorten:
            return data
        return data.replace(b"\r\n", b"\n")

    def _replaced(self, endings: Endings, shorten: bool, action: str) -> tuple[str, str] | None:
        """What line endings would be others, and which, once the file is checked out again; None where none would."""
        lonelf, crlf = (endings.lonelf + endings.crlf, 0) if shorten else (endings.lonelf, endings.crlf)
        if self.writes_crlf(action) and lonelf and not (action in _AUTO and (endings.lonecr or crlf or endings.binary)):
            lonelf, crlf = 0, crlf + lonelf
        if endings.crlf and not crlf:
            return "CRLF", "LF"
        return ("LF", "CRLF") if endings.lonelf and not lonelf else None

    def writes_crlf(self, action: str) -> bool:
        """Whether a plan's action writes checked-out files with CRLF."""
        return action in ("text-crlf", "auto-crlf") or (action == "auto" and self._crlf_native)

    def _crlf_in_index(self, path: bytes) -> bool:
        """The safety rule of `text=auto`: a file whose staged content has CRLF stays unchanged."""
        if not self._staged:
            return False
        index = self._store.index
        at = index.find(path)
        if at < 0 and path in index.unmerged:
            at = index.unmerged[path].get(2, -1)
        if at < 0:
            return False
        try:
            data = self._store.odb.blob(index.oids[at])
        except GitError:
            return False
        if b"\r\n" not in data:
            return False
        return not Endings.of(data).binary


def _text_action(value: Value) -> str:
    if value is True:
        return "text"
    if value is False:
        return "binary"
    return {b"input": "text-input", b"auto": "auto"}.get(value, "") if value is not None else ""


def _recoded(path: bytes, data: bytes, encoding: bytes, ctx: Context, stored: bool) -> bytes:
    utf = _UTF.fullmatch(encoding)
    try:
        if utf is not None and not _mark_is_right(path, data, encoding, utf, ctx, stored):
            return data
        codec = charset(_codec_name(utf) if utf is not None else encoding)
        if codec is None:
            raise LookupError
        return data.decode(codec).encode("utf-8")
    except (LookupError, UnicodeError, ValueError):
        words = b"failed to encode '%s' from %s to UTF-8" % (path, encoding)
        if stored:
            raise BadRequest(text(words), path=text(path)) from None
        ctx.say(b"error: %b\n" % words)
        return data


def _mark_is_right(path: bytes, data: bytes, encoding: bytes, utf: re.Match[bytes], ctx: Context, stored: bool) -> bool:
    """Whether the byte order mark is present if the encoding needs one, and absent if the encoding names the byte
    order."""
    width, order = utf[1], utf[2].upper()
    marked = data.startswith(_MARKS[width])
    if order in (b"BE", b"LE") and marked:
        has, use, must = b"contains a", b"UTF-%s" % width, b"prohibited"
    elif not order and not marked:
        has, must = b"is missing a", b"required"
        use = b"UTF-%sBE or UTF-%sLE (depending on the byte order)" % (width, width)
    else:
        return True
    ctx.say(
        b"hint: The file '%s' %s byte order mark (BOM). Please use %s as working-tree-encoding.\n" % (path, has, use)
    )
    words = b"BOM is %s in '%s' if encoded as %s" % (must, path, encoding)
    if stored:
        raise BadRequest(text(words), path=text(path))
    ctx.say(b"error: %b\n" % words)
    return False


def _codec_name(utf: re.Match[bytes]) -> bytes:
    """Python's name of the encoding; for git's own `UTF-16LE-BOM`, the content's byte order mark decides."""
    order = utf[2].upper()
    return b"utf-%s%s" % (utf[1], b"-" + order if order in (b"BE", b"LE") else b"")


def lfs_pointer(data: bytes) -> bytes:
    """The result of `git lfs clean`: empty content and pointers stay unchanged."""
    if not data or (data.startswith(_POINTER) and len(data) < 1024):
        return data
    return _POINTER + b"oid sha256:%s\nsize %d\n" % (new_hash("sha256", data).hexdigest().encode(), len(data))


_CONVERTER: Slot[Converter] = Slot("converter")


def converter_of(store: Store) -> Converter:
    """The store's converter, made once for each refresh of the store."""
    return store.per_call.made(_CONVERTER, lambda: (store.conversions or Converter)(store))


def use_converter(store: Store, converter: Converter) -> Converter:
    """Make this the store's converter until the command ends."""
    return store.per_call.put(_CONVERTER, converter)


def read_work_file(store: Store, path: bytes, mode: int, *, ctx: Context, warn: bool = True) -> bytes | None:
    """The blob content of the file at a path: a link's target, or a file's content in git's form; None if it is
    missing."""
    files = store.files
    if files is None:
        return None
    if mode & 0o170000 == 0o120000:
        target = files.readlink(path)
        if target is not None:
            return bytes(target)
    data = files.read_optional(path, ctx.limits.max_object_bytes)
    return None if data is None else converter_of(store).to_git(path, bytes(data), ctx=ctx, warn=warn)


def blob_oid(data: bytes, hash_name: str) -> bytes:
    """The oid of content as a blob."""
    return object_name(b"blob", data, hash_name)
