"""The configuration of a repository: all layers merged, typed lookups, git's errors about invalid values.

Layers in rising precedence: system, user, local, worktree, environment, command line; `load` reads them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ..deferred import lazy_pattern
from ..errors import BadConfig, BadRequest, GitError, text
from ..records import record
from .file import Setting

MAX_FILE = 4 << 20

#: A configuration file that was read before: its stamp, its content, its settings.
Opened = tuple[object, bytes, tuple[Setting, ...]]

_INT = lazy_pattern(rb"[ \t\n\v\f\r]*([+-]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))(.*)", re.DOTALL)
_UNITS = {b"": 1, b"k": 1 << 10, b"m": 1 << 20, b"g": 1 << 30}
_TRUE = frozenset((b"true", b"yes", b"on"))
_FALSE = frozenset((b"false", b"no", b"off", b""))
_NAME = lazy_pattern(rb"[A-Za-z][A-Za-z0-9-]*")
_SECTION = lazy_pattern(rb"[A-Za-z0-9-]+")


@record(frozen=True)
class Source:
    """The origin of settings. `scope` and `origin` have the form of `git config --show-scope` and `--show-origin`.

    `included`: the file was included by another one.
    """

    scope: str
    origin: bytes
    included: bool = False

    def __str__(self) -> str:
        """Its name in messages."""
        kind, _, name = self.origin.partition(b":")
        return f"{text(kind)} {text(name)}" if name else text(kind)


@record
class Entry:
    """One setting in its source."""

    key: bytes
    value: bytes | None
    line: int
    source: Source


_KEY = 200  # keys up to this length are remembered; a file may have longer ones
_ANSWERS = 1024
#: sections whose entries git always reads first, and values that are valid in all of them
_JUDGED = (
    b"advice", b"blame", b"branch", b"color", b"core", b"diff", b"format", b"grep", b"log", b"merge", b"notes", b"pack",
    b"index", b"push", b"stash", b"status", b"tag",
)  # fmt: skip
#: sections in which only a setting without a value is invalid; nearly every user has some of these
_WORDS = (b"author", b"committer", b"i18n", b"mailmap", b"user")
#: what `git init` writes, which nearly every repository has
_USUAL = frozenset([
    b"core.bare", b"core.filemode", b"core.ignorecase", b"core.logallrefupdates", b"core.precomposeunicode",
    b"core.repositoryformatversion", b"core.symlinks",
])  # fmt: skip
_FINE = frozenset([b"true", b"false", b"0", b"1"])
COMMAND = Source("command", b"command line:")
_UNASKED = Entry(b"", None, 0, COMMAND)


def canonical(key: str | bytes) -> bytes:
    """A key in the form used here: section and name in lower case, subsection unchanged."""
    return _canonical_once(key) if len(key) <= _KEY else _canonical(key)


def _canonical(key: str | bytes) -> bytes:
    raw = key.encode("utf-8", "surrogateescape") if isinstance(key, str) else key
    first, last = raw.find(b"."), raw.rfind(b".")
    return raw.lower() if first == last else raw[:first].lower() + raw[first:last] + raw[last:].lower()


_canonical_once = lru_cache(maxsize=4096)(_canonical)


def parse_int(value: bytes | None) -> int | None:
    """A number by git's rules: C's bases, an optional unit k, m or g; None if it is invalid."""
    match = _INT.fullmatch(value or b"")
    if match is None:
        return None
    sign, hexa, octal, decimal, unit = match.groups()
    factor = _UNITS.get(unit.lower())
    if factor is None:
        return None
    number = int(hexa, 16) if hexa else int(octal, 8) if octal else int(decimal[:30])
    return -number * factor if sign == b"-" else number * factor


def parse_bool(value: bytes | None) -> bool | None:
    """A truth value by git's rules (a setting without `=` is true); None if it is invalid."""
    if value is None:
        return True
    lowered = value.lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    number = parse_int(value)
    return None if number is None or abs(number) >= 1 << 31 else number != 0


def bad_number(value: bytes, key: bytes, where: str = "") -> GitError:
    """git's error about an invalid number."""
    whole = parse_int(value)
    reason = "invalid unit" if whole is None else "out of range"
    return BadConfig(f"bad numeric config value '{text(value)}' for '{text(key)}'{where}: {reason}", key=text(key))


def bad_boolean(value: bytes, key: bytes) -> GitError:
    """git's error about an invalid truth value."""
    return BadConfig(f"bad boolean config value '{text(value)}' for '{text(key)}'", key=text(key))


class Table:
    """Entries by key, and by section; each list in order of precedence. `answers` are the entries in effect, by the
    spelling of the key in the lookup."""

    __slots__ = ("_odd", "answers", "keys", "sections")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._odd: bool | None = None
        self.answers: dict[str | bytes, Entry | None] = {}
        self.keys: dict[bytes, list[Entry]] = {}
        self.sections: dict[bytes, list[Entry]] = {}
        for entry in entries:
            self.keys.setdefault(entry.key, []).append(entry)
            self.sections.setdefault(entry.key.partition(b".")[0], []).append(entry)

    @property
    def has_odd_settings(self) -> bool:
        """Whether it may have a setting that ends a command that does not use it: see `judge_settings`."""
        odd = self._odd
        if odd is None:
            there = [entry for name in _JUDGED if name in self.sections for entry in self.sections[name]]
            words = [entry for name in _WORDS if name in self.sections for entry in self.sections[name]]
            odd = self._odd = any(entry.value is None for entry in words) or any(
                not (entry.key in _USUAL and entry.value in _FINE) and not _is_of_branch(entry.key) for entry in there
            )
        return odd

    def look_up(self, key: str | bytes) -> Entry | None:
        """The entry in effect for a key; the result is remembered."""
        entries = self.keys.get(canonical(key))
        entry = entries[-1] if entries else None
        if len(key) <= _KEY and len(self.answers) < _ANSWERS:
            self.answers[key] = entry
        return entry


def _is_of_branch(key: bytes) -> bool:
    """Whether a setting is that of one branch (`branch.<name>.merge`): nearly every repository has these."""
    return key.startswith(b"branch.") and key.find(b".", 7) > 0


class Config:
    """Merged settings. Keys are `str` or `bytes` in any case: `config.get("core.quotePath")`.

    `user_dir` is the directory of the user's own files (`ignore`, `attributes`); None if the user's files are not read.
    `user` are the user's own configuration files and `system` is the system's, existing or not, or left out of what was
    read (`git config --system` reads it then, too). `isolated`: neither the system's nor the user's files were read.
    `stamps` are the files that were read, with their stamps at that time. `homeless`: the environment was asked for a
    home directory, and has none.
    """

    __slots__ = ("_table", "entries", "home", "homeless", "isolated", "skipped", "stamps", "system", "user", "user_dir")

    def __init__(self, entries: Iterable[Entry] = (), home: bytes | None = None, table: Table | None = None) -> None:
        self.entries: list[Entry] = list(entries)
        self.home = home
        self.homeless = False
        self.system: bytes | None = None
        self.user: Sequence[bytes] = ()
        self.user_dir: bytes | None = None
        self.isolated = True
        self.skipped: list[bytes] = []
        self.stamps: list[tuple[bytes, object]] = []
        self._table = table

    @property
    def table(self) -> Table:
        """The entries in the form for lookups."""
        if self._table is None:
            self._table = Table(self.entries)
        return self._table

    def entry(self, key: str | bytes) -> Entry | None:
        """The entry in effect, or None."""
        table = self._table or self.table
        entry = table.answers.get(key, _UNASKED)
        return table.look_up(key) if entry is _UNASKED else entry

    def has(self, key: str | bytes) -> bool:
        """Whether the key is set anywhere."""
        return canonical(key) in self.table.keys

    def get(self, key: str | bytes) -> bytes | None:
        """The value in effect, or None; a setting without `=` reads as `true`."""
        entry = self.entry(key)
        if entry is None:
            return None
        return b"true" if entry.value is None else entry.value

    def get_all(self, key: str | bytes) -> list[bytes]:
        """All values, lowest precedence first."""
        return [b"true" if e.value is None else e.value for e in self.table.keys.get(canonical(key), ())]

    def strings(self, key: str | bytes) -> Iterator[bytes]:
        """As `get_all`, but a setting without `=` is an error as soon as it is reached."""
        return map(_string, self.table.keys.get(canonical(key), ()))

    def get_text(self, key: str | bytes) -> str | None:
        """The value as text."""
        value = self.get(key)
        return None if value is None else text(value)

    def get_string(self, key: str | bytes) -> bytes | None:
        """As `get`, but a setting without `=` is an error, as in git for values that are strings."""
        entry = self.entry(key)
        return None if entry is None else _string(entry)

    def get_bool(self, key: str | bytes, default: bool | None = None) -> bool | None:
        """A truth value; raises GitError (`bad boolean config value …`)."""
        entry = self.entry(key)
        if entry is None:
            return default
        value = parse_bool(entry.value)
        if value is None:
            raise bad_boolean(entry.value or b"", entry.key)
        return value

    def get_int(self, key: str | bytes, default: int | None = None, *, bits: int = 32) -> int | None:
        """A number with an optional unit; raises GitError (`bad numeric config value …`)."""
        entry = self.entry(key)
        if entry is None:
            return default
        value = parse_int(given := _string(entry))
        if value is None or abs(value) >= 1 << (bits - 1):
            raise bad_number(given, entry.key)
        return value

    def get_bool_or_int(self, key: str | bytes, default: bool | int | None = None) -> bool | int | None:
        """A truth value in words, or a number (`0` and `1` are numbers)."""
        entry = self.entry(key)
        if entry is None:
            return default
        word = (entry.value or b"").lower()
        if entry.value is None or word in _TRUE:
            return True
        return False if word in _FALSE else self.get_int(key)

    def get_path(self, key: str | bytes) -> bytes | None:
        """A path; `~/` stands for the home directory, if the caller gave one. Raises GitError where git cannot know
        it."""
        value = self.get_string(key)
        return None if value is None else self.expanded(value)

    def get_paths(self, key: str | bytes) -> list[bytes]:
        """Every path that the key has, expanded."""
        return [self.expanded(value) for value in self.get_all(key)]

    def expanded(self, value: bytes) -> bytes:
        """The path of a setting, as in `get_path`."""
        if self.homeless and is_below_home(value):
            raise BadConfig(f"failed to expand user dir in: '{text(value)}'")
        return expand_path(value, self.home)

    def items(self) -> Iterator[tuple[bytes, bytes | None]]:
        """Every (key, value) in order."""
        return ((entry.key, entry.value) for entry in self.entries)

    def subsections(self, section: str | bytes) -> list[bytes]:
        """The subsections of a section in order of first appearance: the remotes of `remote`."""
        name = canonical(section)
        size = len(name) + 1
        seen: dict[bytes, None] = {}
        for entry in self.section(name):
            last = entry.key.rfind(b".")
            if last >= size:
                seen[entry.key[size:last]] = None
        return list(seen)

    def section(self, name: bytes) -> Sequence[Entry]:
        """Every entry of a section (its name in lower case), in order."""
        return self.table.sections.get(name, ())

    def section_items(self, front: bytes) -> list[tuple[bytes, bytes | None]]:
        """(name, value) of every entry below `section` or `section.sub`, in order."""
        section, dot, sub = front.partition(b".")
        section = section.lower()
        entries = self.section(section)
        if not entries:
            return []
        front = section + dot + sub + b"."
        size = len(front)
        return [(e.key[size:], e.value) for e in entries if e.key.startswith(front) and e.key.find(b".", size) < 0]


def _string(entry: Entry) -> bytes:
    if entry.value is None:
        raise missing_value(entry)
    return entry.value


def missing_value(entry: Entry) -> GitError:
    """git's error about a setting that needs a value and has no `=`."""
    key = text(entry.key)
    return BadConfig(f"missing value for '{key}'\nfatal: {bad_value(entry).message}", prefix="error", key=key)


def bad_value(entry: Entry) -> GitError:
    """git's error about a setting with an invalid value."""
    key = text(entry.key)
    if not entry.line:
        return BadConfig(f"unable to parse '{key}' from command-line config", key=key)
    file = str(entry.source).removeprefix("file ")
    return BadConfig(f"bad config variable '{key}' in file '{file}' at line {entry.line}", key=key)


def bad_setting(complaint: str, entry: Entry) -> GitError:
    """git's error about a setting that stops the reading of its source: an include, or a value of `git config`."""
    if entry.line:
        reason = f"bad config line {entry.line} in {entry.source}"
    elif entry.source.scope == "command":
        reason = "unable to parse command-line config"
    else:  # what `--default` gives
        reason = f"failed to format default config value: {text(entry.value or b'')}"
    return BadConfig(f"{complaint}\nfatal: {reason}", prefix="error", key=text(entry.key))


def is_below_home(value: bytes) -> bool:
    """Whether a path begins with the home directory of the user."""
    return value == b"~" or value.startswith(b"~/")


def expand_path(value: bytes, home: bytes | None) -> bytes:
    """`~/x` below the home directory, `%(prefix)/x` below /usr; any other path unchanged."""
    if home is not None and is_below_home(value):
        return home + value[1:]
    return b"/usr" + value[9:] if value.startswith(b"%(prefix)/") else value


def check_key(key: bytes) -> bytes:
    """A key typed by the user, in canonical form; raises GitError (`key does not contain a section: foo`)."""
    shown = text(key)
    first, last = key.find(b"."), key.rfind(b".")
    if last <= 0:
        raise BadRequest(f"key does not contain a section: {shown}", prefix="error", status=1)
    if last == len(key) - 1:
        raise BadRequest(f"key does not contain variable name: {shown}", prefix="error", status=1)
    if not _SECTION.fullmatch(key, 0, first) or not _NAME.fullmatch(key, last + 1):
        raise BadRequest(f"invalid key: {shown}", prefix="error", status=1)
    if b"\n" in key:
        raise BadRequest(f"invalid key (newline): {shown}", prefix="error", status=1)
    return canonical(key)
