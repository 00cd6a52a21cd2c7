"""Dates: epoch seconds and a time zone as text, in every mode of `--date` (git-log(1)).

`dater(mode, now)` returns the function for loops; it caches the part of the text that does not change within a day,
since a log prints the same days over and over.
"""

import re
import time
from collections.abc import Callable

from ..deferred import lazy_pattern
from ..errors import BadRequest, Corrupt, text
from ..records import record

_WEEKDAYS = (b"Sun", b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat")
_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec")
_DAY = 86400
#: beyond this time the year no longer fits C's struct tm
_MAX_SECONDS = 67768036191676799
#: 2100-01-01
_END_OF_CALENDAR = 4102444800

#: shows a time: (epoch seconds, time zone as git keeps it) → text
Dater = Callable[[int, int], bytes]


@record(frozen=True)
class DateMode:
    """A mode of `--date`: its kind, whether the local time zone replaces the author's, the strftime format."""

    kind: str
    local: bool = False
    format: bytes = b""


DEFAULT = DateMode("default")
ISO = DateMode("iso")
ISO_STRICT = DateMode("iso-strict")
RFC = DateMode("rfc")
SHORT = DateMode("short")
RELATIVE = DateMode("relative")
HUMAN = DateMode("human")

#: longer spellings first: git compares prefixes
_KINDS = (
    (b"relative", "relative"),
    (b"iso8601-strict", "iso-strict"),
    (b"iso-strict", "iso-strict"),
    (b"iso8601", "iso"),
    (b"iso", "iso"),
    (b"rfc2822", "rfc"),
    (b"rfc", "rfc"),
    (b"short", "short"),
    (b"default", "default"),
    (b"human", "human"),
    (b"raw", "raw"),
    (b"unix", "unix"),
    (b"format", "format"),
)


def parse_date_mode(value: bytes, *, is_tty: bool = False) -> DateMode:
    """The mode that a value of `--date` or log.date names. Raises GitError in git's words."""
    word = value
    if word.startswith(b"auto:"):
        word = word[5:] if is_tty else b"default"
    if word == b"local":
        word = b"default-local"
    kind_of = next(((prefix, kind) for prefix, kind in _KINDS if word.startswith(prefix)), None)
    if kind_of is None:
        raise BadRequest(f"unknown date format {text(word)}")
    kind = kind_of[1]
    rest = word[len(kind_of[0]) :]
    local = rest.startswith(b"-local")
    if local:
        rest = rest[6:]
    if kind == "format":
        if not rest.startswith(b":"):
            raise BadRequest(f"date format missing colon separator: {text(word)}")
        return DateMode(kind, local, rest[1:])
    if rest:
        raise BadRequest(f"unknown date format {text(word)}")
    return DateMode(kind, local)


def dater(mode: DateMode, now: int) -> Dater:
    """The function that shows times in a mode, as seen at the time `now`."""
    kind = mode.kind
    if kind == "unix":
        return lambda epoch, tz: b"%d" % epoch
    if kind == "relative":
        return lambda epoch, tz: relative(epoch, now)
    if kind == "raw":
        return lambda epoch, tz: b"%d %+05d" % (epoch, local_zone(epoch) if mode.local else tz)
    if kind == "human":
        return _human(mode.local, now)
    if kind == "format":
        return _strftime(mode)
    show = _by_day(*_SHAPES[kind, mode.local and kind == "default"])
    if mode.local:
        return lambda epoch, tz: show(*_wall(epoch, tz, True))
    return _in_zone(show)


def zone_seconds(tz: int) -> int:
    """A time zone as git keeps it (-330 is three and a half hours west) in seconds."""
    size = abs(tz)
    seconds = (size // 100 * 60 + size % 100) * 60
    return -seconds if tz < 0 else seconds


def local_zone(epoch: int) -> int:
    """The offset of the local time zone at a time, as git keeps it; 0 outside of git's own calendar (1970 to 2099)."""
    moment = _localtime(epoch)
    if moment is None or not 1970 <= moment.tm_year <= 2099:
        return 0
    offset = moment.tm_gmtoff or 0
    minutes = abs(offset) // 60
    size = minutes % 60 + minutes // 60 * 100
    return -size if offset < 0 else size


def _localtime(epoch: int) -> time.struct_time | None:
    try:
        return time.localtime(epoch)
    except (OverflowError, OSError, ValueError):
        return None


def civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of month of a day counted from 1970-01-01, in the Gregorian calendar, for any year."""
    era, of_era = divmod(day + 719468, 146097)
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def _wall(epoch: int, tz: int, local: bool) -> tuple[int, int]:
    """(seconds of the wall clock in the zone, the zone to show); a time that does not fit becomes the epoch."""
    if local:
        moment = _localtime(epoch)
        return (0, 0) if moment is None else (epoch + (moment.tm_gmtoff or 0), local_zone(epoch))
    seconds = epoch + zone_seconds(tz)
    if seconds < 0:
        raise Corrupt(f"Timestamp before Unix epoch: {epoch} {tz:04d}")
    if seconds > _MAX_SECONDS:
        return 0, 0
    return seconds, tz


def _head_default(day: int) -> bytes:
    _, month, dom = civil(day)
    return b"%s %s %d " % (_WEEKDAYS[(day + 4) % 7], _MONTHS[month - 1], dom)


def _tail_default(day: int, tz: int) -> bytes:
    # for git, -0001 means that the zone is not to be shown
    return b" %d" % civil(day)[0] if tz == -1 else b" %d %+05d" % (civil(day)[0], tz)


def _tail_default_local(day: int, tz: int) -> bytes:
    return b" %d" % civil(day)[0]


def _head_iso(day: int) -> bytes:
    return b"%04d-%02d-%02d " % civil(day)


def _tail_iso(day: int, tz: int) -> bytes:
    return b" %+05d" % tz


def _head_strict(day: int) -> bytes:
    return b"%04d-%02d-%02dT" % civil(day)


def _tail_strict(day: int, tz: int) -> bytes:
    size = abs(tz)
    return b"%s%02d:%02d" % (b"-" if tz < 0 else b"+", size // 100, size % 100)


def _head_rfc(day: int) -> bytes:
    year, month, dom = civil(day)
    return b"%s, %d %s %d " % (_WEEKDAYS[(day + 4) % 7], dom, _MONTHS[month - 1], year)


def _head_short(day: int) -> bytes:
    return b"%04d-%02d-%02d" % civil(day)


_Shape = tuple[Callable[[int], bytes], Callable[[int, int], bytes] | None]
_SHAPES: dict[tuple[str, bool], _Shape] = {
    ("default", False): (_head_default, _tail_default),
    ("default", True): (_head_default, _tail_default_local),
    ("iso", False): (_head_iso, _tail_iso),
    ("iso-strict", False): (_head_strict, _tail_strict),
    ("rfc", False): (_head_rfc, _tail_iso),
    ("short", False): (_head_short, None),
}


def _by_day(head: Callable[[int], bytes], tail: Callable[[int, int], bytes] | None) -> Dater:
    """A function that shows wall clock seconds as head, time of day, tail (without a tail: head only). Heads and tails
    are cached."""
    heads: dict[tuple[int, int], tuple[bytes, bytes]] = {}

    def show(seconds: int, tz: int) -> bytes:
        day, second = divmod(seconds, _DAY)
        parts = heads.get((day, tz))
        if parts is None:
            if len(heads) > 20000:
                heads.clear()
            parts = heads[day, tz] = (head(day), b"" if tail is None else tail(day, tz))
        if tail is None:
            return parts[0]
        minute, second = divmod(second, 60)
        return b"%s%02d:%02d:%02d%s" % (parts[0], minute // 60, minute % 60, second, parts[1])

    return show


def _in_zone(show: Dater) -> Dater:
    """A dater of epoch times from one of wall clock seconds."""
    offsets: dict[int, int] = {}

    def dated(epoch: int, tz: int) -> bytes:
        offset = offsets.get(tz)
        if offset is None:
            offset = offsets[tz] = zone_seconds(tz)
        seconds = epoch + offset
        if 0 <= seconds <= _MAX_SECONDS:
            return show(seconds, tz)
        return show(*_wall(epoch, tz, False))

    return dated


def _count(number: int, unit: bytes) -> bytes:
    return b"%d %s%s" % (number, unit, b"" if number == 1 else b"s")


def relative(epoch: int, now: int) -> bytes:
    """The time that has passed, rounded as git does: `3 hours ago`, `1 year, 2 months ago`."""
    age = now - epoch
    if age < 0:
        return b"in the future"
    if age < 90:
        return _count(age, b"second") + b" ago"
    age = (age + 30) // 60
    if age < 90:
        return _count(age, b"minute") + b" ago"
    age = (age + 30) // 60
    if age < 36:
        return _count(age, b"hour") + b" ago"
    age = (age + 12) // 24
    if age < 14:
        return _count(age, b"day") + b" ago"
    if age < 70:
        return _count((age + 3) // 7, b"week") + b" ago"
    if age < 365:
        return _count((age + 15) // 30, b"month") + b" ago"
    if age >= 1825:
        return _count((age + 183) // 365, b"year") + b" ago"
    years, months = divmod((age * 24 + 365) // 730, 12)
    if months:
        return b"%s, %s ago" % (_count(years, b"year"), _count(months, b"month"))
    return _count(years, b"year") + b" ago"


def _human(local: bool, now: int) -> Dater:
    """The mode that leaves out what the reader can guess: less is shown of a date the closer it is to `now`."""
    today = _localtime(now) or time.gmtime(0)
    here_zone = local_zone(now)

    def show(epoch: int, tz: int) -> bytes:
        seconds, tz = _wall(epoch, tz, local)
        day, second = divmod(seconds, _DAY)
        year, month, dom = civil(day)
        clock = b"%02d:%02d" % (second // 3600, second // 60 % 60)
        weekday = _WEEKDAYS[(day + 4) % 7]
        if year != today.tm_year:
            return b"%s %d %d" % (_MONTHS[month - 1], dom, year)
        if month == today.tm_mon:
            if dom == today.tm_mday:
                return relative(epoch, now)
            if dom < today.tm_mday < dom + 5:
                zone = b"" if local or tz == here_zone else b" %+05d" % tz
                return b"%s %s%s" % (weekday, clock, zone)
        return b"%s %s %d %s" % (weekday, _MONTHS[month - 1], dom, clock)

    return show


#: a directive of strftime with glibc's flags, width and modifiers
_DIRECTIVE = lazy_pattern(rb"%[_\-0^#+]*[0-9]*[EO]?([\x00-\x7f])", re.DOTALL)


def _strftime(mode: DateMode) -> Dater:
    """`format:…`. %s, %z and %Z are replaced by git itself: they tell the zone shown; %Z only names the local one."""
    pieces = _split_strftime(mode.format)

    def show(epoch: int, tz: int) -> bytes:
        seconds, tz = _wall(epoch, tz, mode.local)
        moment = (_localtime(epoch) if mode.local else None) or _struct(seconds)
        out = []
        for literal, directive in pieces:
            if not directive:
                out.append(literal)
            elif directive == b"%s":
                out.append(b"%d" % _unsigned(seconds, tz))
            elif directive == b"%z":
                out.append(b"%+05d" % tz)
            elif directive != b"%Z":
                out.append(time.strftime(directive.decode("ascii"), moment).encode("utf-8", "surrogateescape"))
            elif mode.local:
                out.append((moment.tm_zone or "GMT").encode())
        return b"".join(out)

    return show


def _unsigned(seconds: int, tz: int) -> int:
    """%s as git computes it: its own calendar ends with 2099, and times before the epoch wrap around."""
    return ((seconds if 0 <= seconds < _END_OF_CALENDAR else -1) - zone_seconds(tz)) % (1 << 64)


def _split_strftime(form: bytes) -> list[tuple[bytes, bytes]]:
    """The literals (text, b"") and directives (b"", text) of a format."""
    pieces: list[tuple[bytes, bytes]] = []
    at = 0
    for match in _DIRECTIVE.finditer(form):
        if match.start() < at:
            continue
        pieces.append((form[at : match.start()], b""))
        literal = {b"%%": b"%", b"%n": b"\n", b"%t": b"\t"}.get(match[0])
        pieces.append((b"", match[0]) if literal is None else (literal, b""))
        at = match.end()
    pieces.append((form[at:], b""))
    return pieces


def _struct(seconds: int) -> time.struct_time:
    """The calendar fields of a wall clock, as C's gmtime gives them."""
    day, second = divmod(seconds, _DAY)
    year, month, dom = civil(day)
    first = _day_number(year)
    clock = (second // 3600, second // 60 % 60, second % 60)
    return time.struct_time((year, month, dom, *clock, (day + 3) % 7, day - first + 1, 0))


def _day_number(year: int) -> int:
    """The day, counted from 1970-01-01, on which a year begins."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 - 719162
