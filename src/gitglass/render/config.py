"""The values that `git config` prints: unchanged, or converted to a type. Mirrors git-config(1), "--type" and
OPTIONS."""

from ..config.config import Config, Entry, bad_boolean, bad_number, bad_setting, parse_bool, parse_int
from ..errors import GitError, text
from ..revs.dates import approxidate_careful
from .color import parse_color
from .quote import c_quote

TYPES = ("bool", "int", "bool-or-int", "bool-or-str", "path", "expiry-date", "color")
_WORDS = {True: b"true", False: b"false"}
_TRUTHS = {b"true": True, b"yes": True, b"on": True, b"false": False, b"no": False, b"off": False, b"": False}


def typed(entry: Entry, kind: str | None, config: Config, now: int) -> bytes | None:
    """An entry's value converted to a type; None if it has none. Raises GitError in git's words."""
    value = entry.value
    if kind is None:
        return value
    if kind == "bool":
        truth = parse_bool(value)
        if truth is None:
            raise bad_boolean(value or b"", entry.key)
        return _WORDS[truth]
    if kind in ("bool-or-int", "bool-or-str"):
        if value is None:
            return b"true"
        word = _TRUTHS.get(value.lower()) if kind == "bool-or-int" else parse_bool(value)
        if word is not None:
            return _WORDS[word]
        return _number(entry, bits=32) if kind == "bool-or-int" else value
    if kind == "int":
        return _number(entry)
    if value is None:
        raise bad_setting(f"missing value for '{text(entry.key)}'", entry)
    if kind == "path":
        return config.expanded(value)
    if kind == "color":
        try:
            return parse_color(value)
        except GitError as error:
            raise bad_setting(error.message, entry) from None
    return _expiry(entry, now)


def _number(entry: Entry, *, bits: int = 64) -> bytes:
    value = entry.value or b""
    number = parse_int(value)
    if number is None or abs(number) >= 1 << (bits - 1):
        position = f" in {entry.source}" if entry.line else ""
        raise bad_number(value, entry.key, position)
    return b"%d" % number


def _expiry(entry: Entry, now: int) -> bytes:
    value = entry.value or b""
    if value in (b"never", b"false"):
        return b"0"
    if value in (b"all", b"now"):
        return b"18446744073709551615"
    moment = approxidate_careful(value, now)
    if moment is None:
        raise bad_setting(f"'{text(value)}' for '{text(entry.key)}' is not a valid timestamp", entry)
    return b"%d" % moment


def shown(
    entry: Entry,
    value: bytes | None,
    *,
    key: bool,
    name_only: bool,
    null: bool,
    origin: bool,
    scope: bool,
    list_form: bool,
) -> bytes:
    """One line of output, with its terminator. Key and value are joined by `=` in lists, a space, or (-z) a newline.
    The name of a source is in quotes if it needs them, whatever core.quotePath is, but not with -z."""
    end, mark = (b"\0", b"\0") if null else (b"\n", b"\t")
    out = entry.source.scope.encode() + mark if scope else b""
    if origin:
        kind, colon, name = entry.source.origin.partition(b":")
        out += kind + colon + (name if null else c_quote(name)) + mark
    out += entry.key if key else b""
    if not name_only:
        if key and value is not None:
            out += b"\n" if null else b"=" if list_form else b" "
        out += value or b""
    return out + end
