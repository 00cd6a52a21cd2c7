"""Shortens object names, and resolves short object names.

Shortening: git shows as many digits as make a collision unlikely for the number of objects (at least 7), and more if
that is not unique among all objects. Only the two neighbours in each sorted index can share more digits than any other
object, so the set of all names is never built.

Resolving: if a short name fits several objects, the kind needed by the caller decides, otherwise core.disambiguate,
otherwise it is ambiguous and the candidates are listed.
"""

from binascii import hexlify

from ..annotations import TYPE_CHECKING, Literal
from ..deferred import deferred
from ..errors import BadRequest, GitError, text
from ..limits import Context
from ..memories import Slot
from ..objects.pack_index import Spot
from ..repo.store import Store

if TYPE_CHECKING:
    from .calendar import ident_day
    from .grammar import is_hex
else:
    ident_day = deferred(__name__, ".calendar", "ident_day")
    is_hex = deferred(__name__, ".grammar", "is_hex")


MINIMUM = 4
FALLBACK = 7
_MANY_BITS = 7  # n oids are many if there are at most n * 2**7 objects


# -------------------------------------------------------------------------------------------------- to short


def automatic_length(count: int) -> int:
    """Digits for `count` objects: among 2^n objects a collision is likely with 2^2n names, that is n / 2 hex digits; at
    least 7."""
    return max(FALLBACK, (count.bit_length() + 1) // 2)


def default_length(store: Store) -> int:
    """The length for `--abbrev` without a value: core.abbrev, or the automatic length."""
    return store.per_call.made(_LENGTH, lambda: _default_length(store))


def _default_length(store: Store) -> int:
    wanted = store.config.get_string("core.abbrev")
    if wanted is None or wanted.lower() == b"auto":
        return automatic_length(store.odb.names.count_estimate())
    number = store.config.get_bool_or_int("core.abbrev", True)
    if number is False:
        return store.hex_len
    if number is True:
        return automatic_length(store.odb.names.count_estimate())
    if number is None or number < MINIMUM or number > store.hex_len:
        raise BadRequest(f"abbrev length out of range: {number}", prefix="error")
    return number


def abbrev(store: Store, oid: bytes, n: int | None = None) -> bytes:
    """The shortest unique name of at least `n` digits (None: the default length; 0: all of them)."""
    return Abbreviator(store, n)(oid)


_LENGTH: Slot[int] = Slot("automatic length of abbreviated names")


class Abbreviator:
    """`abbrev` for many objects of one repository: made once for a command, called for every line."""

    __slots__ = ("_all", "_asked", "_crowded", "_names", "_odb", "_spots", "_whole", "_width", "length")

    def __init__(self, store: Store, n: int | None = None) -> None:
        length = default_length(store) if n is None else n
        if length <= 0 or length >= store.hex_len:
            length = store.hex_len
        self.length = length
        self._odb = store.odb
        self._names: dict[bytes, bytes] = {}
        self._whole = length // 2
        self._width = store.hash_len
        #: all existing names by first byte, if one index has all of them
        self._spots: dict[int, Spot] = {}
        self._asked = self._all = 0
        #: the ambiguous names of our length; False if they cannot be computed, None before that
        self._crowded: set[bytes] | Literal[False] | None = None

    def __call__(self, oid: bytes) -> bytes:
        spot = self._spots.get(oid[0])
        if spot is None:
            beside = self._odb.names.beside(oid, self._whole) if self._whole < self._width else None
            if beside is True:
                return hexlify(oid)[: self.length]
            if beside is None:
                return self._looked_up(oid)
            spot = self._spots[oid[0]] = beside
        names, count, spread = spot
        width, whole = self._width, self._whole
        guess = ((oid[1] << 8 | oid[2]) * count >> 16) * width
        at = names.find(oid, guess - spread if guess > spread else 0, guess + spread)
        start = oid[:whole]
        if (
            at < 0
            or at % width
            or (at and names[at - width : at - width + whole] == start)
            or names.startswith(start, at + width)
        ):
            return self._looked_up(oid)  # another name begins with these digits: find the length
        return hexlify(oid)[: self.length]

    def many(self, oids: list[bytes]) -> list[bytes]:
        """The same for a list. For many names, those that are not unique are found beforehand."""
        length, step = self.length, 2 * self._width
        if self._crowded is None and length < step:
            self._asked += len(oids)
            if not self._all:
                self._all = self._odb.names.count_estimate()
            if self._asked << _MANY_BITS > self._all:
                ambiguous = self._odb.names.crowded(length)
                self._crowded = False if ambiguous is None else ambiguous
        crowded: set[bytes] | Literal[False] | None = set() if length == step else self._crowded
        if crowded is None or crowded is False:
            return [self(oid) for oid in oids]
        digits = hexlify(b"".join(oids))
        short = [digits[at : at + length] for at in range(0, len(digits), step)]
        if not crowded.isdisjoint(short):
            short = [self(oid) if name in crowded else name for name, oid in zip(short, oids, strict=True)]
        return short

    def _looked_up(self, oid: bytes) -> bytes:
        name = self._names.get(oid)
        if name is None:
            digits = hexlify(oid)
            if self.length < len(digits):
                digits = digits[: self._odb.names.unique_length(oid, self.length)]
            self._names[oid] = name = digits
        return name


# ------------------------------------------------------------------------------------------------ from short

_LEADS_TO = {  # the kinds a tag may lead to in order to satisfy a hint, and the kinds that satisfy it themselves
    "commit": ((b"commit",), ()),
    "committish": ((b"commit",), (b"commit",)),
    "tree": ((b"tree",), ()),
    "treeish": ((b"tree", b"commit"), (b"tree", b"commit")),
    "blob": ((b"blob",), ()),
}
_ORDER = {b"tag": 0, b"commit": 1, b"tree": 2, b"blob": 3}


def find_short(store: Store, digits: bytes, *, ctx: Context, want: str = "", quiet: bool = False) -> bytes | None:
    """The only object whose name begins with `digits`; if there are several, the only one of the kind `want`.

    None if there is none, b"" if it stays ambiguous (the candidates are then listed on stderr, unless `quiet`).
    """
    if not MINIMUM <= len(digits) <= store.hex_len or not is_hex(digits):
        return None
    oids = store.odb.names.beginning(digits.decode().lower())
    if len(oids) < 2:
        return oids[0] if oids else None
    wanted = want or _configured(store)
    fitting = oids
    if wanted:
        fitting = []
        for oid in oids:
            ctx.tick()
            if is_wanted(store, oid, wanted):
                fitting.append(oid)
    if len(fitting) == 1:
        return fitting[0]
    if not quiet:
        _list_candidates(store, digits, fitting or oids, ctx)
    return b""


def _configured(store: Store) -> str:
    value = store.config.get("core.disambiguate")
    name = text(value).lower() if value else ""
    return name if name in _LEADS_TO else ""


def is_wanted(store: Store, oid: bytes, want: str) -> bool:
    """Whether the object is of the kind `want` ("commit", "committish", "tree", "treeish", "blob")."""
    direct, through_tag = _LEADS_TO[want]
    try:
        kind = store.odb.kind(oid)
        if kind == b"tag" and through_tag:
            kind = store.odb.kind(store.odb.peel(oid))
            return kind in through_tag
        return kind in direct
    except GitError:
        return False


def _list_candidates(store: Store, digits: bytes, oids: list[bytes], ctx: Context) -> None:
    shown = digits.lower()
    ctx.say(b"error: short object ID " + shown + b" is ambiguous\n")
    short = Abbreviator(store)
    rows = []
    for oid in oids:
        ctx.tick()
        try:
            kind = store.odb.kind(oid)
        except GitError:
            kind = b""
        rows.append((_ORDER.get(kind, 4), oid, kind))
    ctx.say(b"hint: The candidates are:\n")
    for _, oid, kind in sorted(rows):
        ctx.tick()
        ctx.say(b"hint:   " + short(oid) + b" " + (kind or b"[bad object]") + _about(store, oid, kind) + b"\n")


def _about(store: Store, oid: bytes, kind: bytes) -> bytes:
    """The description of a candidate: date and subject of a commit, date and name of a tag."""
    try:
        if kind == b"commit":
            commit = store.odb.commit(oid)
            subject = commit.message.lstrip(b"\n").partition(b"\n\n")[0].replace(b"\n", b" ").rstrip()
            return b" " + ident_day(commit.author).encode() + b" - " + subject
        if kind == b"tag":
            tag = store.odb.tag(oid)
            return b" " + ident_day(tag.tagger or b"").encode() + b" - " + tag.tag
    except GitError:
        pass
    return b""
