"""The configuration of a repository: all layers merged, typed lookups, git's errors about invalid values.

Layers in rising precedence: system, user, local, worktree, environment, command line. The caller decides which of them
are read: the command line reads the user's own files as git does, the library only the repository's. Includes go
through the jail; an include that lies outside or is missing is ignored (git also ignores missing ones).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ..annotations import TYPE_CHECKING
from ..deferred import deferred, lazy_pattern
from ..disk.jail import Jail
from ..errors import (
    BadConfig,
    BadRequest,
    Corrupt,
    GitError,
    NotFound,
    PermissionDenied,
    SandboxViolation,
    TooLarge,
    text,
)
from ..limits import watched
from ..records import record
from .file import Setting, parse_config

if TYPE_CHECKING:
    from .globs import compile_glob, path_glob
else:
    compile_glob, path_glob = deferred(__name__, ".globs", "compile_glob", "path_glob")


MAX_FILE = 4 << 20
MAX_DEPTH = 10
MAX_FILES = 1000
_FEW = 1000  # the most settings of a file whose entries are kept

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
    b"push", b"stash", b"status", b"tag",
)  # fmt: skip
_FINE = frozenset([b"true", b"false", b"0", b"1"])
_COMMAND = Source("command", b"command line:")
_UNASKED = Entry(b"", None, 0, _COMMAND)


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
            odd = self._odd = any(entry.value not in _FINE and not _is_of_branch(entry.key) for entry in there)
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
    `user` are the user's own configuration files, existing or not. `isolated`: neither the system's nor the user's
    files were read. `stamps` are the files that were read, with their stamps at that time.
    """

    __slots__ = ("_table", "entries", "home", "isolated", "skipped", "stamps", "user", "user_dir")

    def __init__(self, entries: Iterable[Entry] = (), home: bytes | None = None, table: Table | None = None) -> None:
        self.entries: list[Entry] = list(entries)
        self.home = home
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
        """A path; `~/` stands for the home directory, if the caller gave one."""
        value = self.get_string(key)
        return None if value is None else expand_path(value, self.home)

    def get_paths(self, key: str | bytes) -> list[bytes]:
        """Every path that the key has, expanded."""
        return [expand_path(value, self.home) for value in self.get_all(key)]

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
    if entry.source.scope == "command":
        return BadConfig(f"unable to parse '{key}' from command-line config", key=key)
    file = str(entry.source).removeprefix("file ")
    return BadConfig(f"bad config variable '{key}' in file '{file}' at line {entry.line}", key=key)


def expand_path(value: bytes, home: bytes | None) -> bytes:
    """`~/x` below the home directory, `%(prefix)/x` below /usr; any other path unchanged."""
    if home is not None and (value == b"~" or value.startswith(b"~/")):
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


def parse_override(word: str) -> tuple[bytes, bytes | None]:
    """The argument of `git -c`: `key=value`, or `key` alone for true."""
    key, equals, value = _raw(word).partition(b"=")
    return _given_key(key), value if equals else None


def _given_key(key: bytes) -> bytes:
    try:
        if not key:
            raise BadRequest("empty config key", prefix="error")
        return check_key(key)
    except GitError as error:
        message = f"{error.message}\nfatal: unable to parse command-line config"
        raise BadConfig(message, prefix="error", status=128) from None


class _Loader:
    """Reads layers into one list of entries, following includes."""

    def __init__(
        self,
        jail: Jail,
        git_dir: bytes,
        home: bytes | None,
        branch: Callable[[], bytes | None] | None,
        opened: Mapping[bytes, Opened] | None = None,
    ) -> None:
        self.jail, self.git_dir, self.home, self.branch = jail, git_dir, home, branch
        self.opened = opened or {}
        self.stamps: list[tuple[bytes, object]] = []
        self.entries: list[Entry] = []
        self.table: Table | None = None  # the entries by key, if all are from one file that was read before
        self.skipped: list[bytes] = []
        self.files = 0
        self.urls: list[bytes] | None = None
        self.checked_out: list[bytes | None] = []  # the current branch, once a condition asks for it

    def file(self, path: bytes, scope: str, shown: bytes, depth: int = 0) -> None:
        """Read one file and its includes; a missing or unreachable file is ignored."""
        self.files += 1
        if self.files > MAX_FILES:
            raise TooLarge("too many configuration files are included")
        opened = self.opened.get(path)
        if opened is not None:
            self.stamps.append((path, opened[0]))
            kept = _kept(opened[2], scope, shown) if not depth and len(opened[2]) <= _FEW else None
            if kept is not None:
                self.table = None if self.entries else kept[1]
                self.entries += kept[0]
            else:
                self.add(opened[2], Source(scope, b"file:" + shown, depth > 0), path, depth)
            return
        try:
            stamped = self.jail.read_stamped(path, MAX_FILE)
        except SandboxViolation:
            self.skipped.append(path)
            return
        except (PermissionDenied, NotFound):
            self.stamps.append((path, None))
            return
        except TooLarge:
            raise Corrupt(f"file {text(shown)} is too large to be a configuration file") from None
        if stamped is None:
            self.stamps.append((path, None))
            return
        self.stamps.append((path, stamped[0]))
        source = Source(scope, b"file:" + shown, depth > 0)
        self.add(parse_config(stamped[1], source), source, path, depth)

    def add(self, settings: Iterable[Setting], source: Source, path: bytes | None, depth: int) -> None:
        """Add settings in order; an include's content follows the line that includes it."""
        self.table = None
        for key, value, line in watched(settings):
            self.entries.append(Entry(key, value, line, source))
            if key.startswith(b"include") and key.endswith(b".path") and self.applies(key, path):
                self.include(key, value, source, path, depth)

    def include(self, key: bytes, value: bytes | None, source: Source, path: bytes | None, depth: int) -> None:
        if value is None:
            raise missing_value(self.entries[-1])
        target = expand_path(value, self.home)
        if not target.startswith(b"/"):
            if path is None:
                raise BadConfig("relative config includes must come from files", prefix="error")
            shown = source.origin[5:]
            folder = shown[: shown.rfind(b"/") + 1]
            shown, target = folder + target, path[: path.rfind(b"/") + 1] + target
        else:
            shown = target
        if depth >= MAX_DEPTH:
            raise BadConfig(
                f"exceeded maximum include depth ({MAX_DEPTH}) while including\n\t{text(shown)}\nfrom\n\t"
                f"{str(source).removeprefix('file ')}\nThis might be due to circular includes."
            )
        self.file(target, source.scope, shown, depth + 1)

    def applies(self, key: bytes, path: bytes | None) -> bool:
        """Whether `include.path` or `includeIf.<condition>.path` applies here."""
        if key == b"include.path":
            return True
        if not key.startswith(b"includeif."):
            return False
        kind, colon, pattern = key[10:-5].partition(b":")
        if not colon:
            return False
        if kind in (b"gitdir", b"gitdir/i"):
            return self.below(pattern, path, kind == b"gitdir/i")
        if kind == b"onbranch":
            return self.on_branch(pattern)
        if kind == b"hasconfig":
            name, _, glob = pattern.partition(b":")
            return name == b"remote.*.url" and any(map(compile_glob(glob), self.remote_urls()))
        return False

    def below(self, pattern: bytes, path: bytes | None, fold: bool) -> bool:
        pattern = expand_path(pattern, self.home)
        if pattern.startswith(b"./") and path is not None:
            pattern = path[: path.rfind(b"/") + 1] + pattern[2:]
        elif not pattern.startswith(b"/"):
            pattern = b"**/" + pattern
        if pattern.endswith(b"/"):
            pattern += b"**"
        target = self.git_dir
        return path_glob(pattern.lower(), target.lower()) if fold else path_glob(pattern, target)

    def on_branch(self, pattern: bytes) -> bool:
        if not self.checked_out:
            self.checked_out.append(self.branch() if self.branch else None)
        branch = self.checked_out[0]
        if pattern.endswith(b"/"):
            pattern += b"**"
        if branch is None or not branch.startswith(b"refs/heads/"):
            return False
        return path_glob(pattern, branch[11:])

    def remote_urls(self) -> list[bytes]:
        """The remotes' URLs read so far (git forbids them in such includes)."""
        if self.urls is None:
            urls: dict[bytes, None] = {}
            data = self.jail.read_optional(self.git_dir + b"/config", MAX_FILE)
            for key, value, _ in watched(parse_config(data or b"")):
                if key.startswith(b"remote.") and key.endswith(b".url") and value is not None:
                    urls[value] = None
            self.urls = list(urls)
        return self.urls


@lru_cache(maxsize=16)
def _kept(settings: tuple[Setting, ...], scope: str, shown: bytes) -> tuple[list[Entry], Table] | None:
    """The settings of a file without includes: made once, and never changed."""
    if any(key.startswith(b"include") for key, _, _ in settings):
        return None
    source = Source(scope, b"file:" + shown)
    entries = [Entry(key, value, line, source) for key, value, line in settings]
    return entries, Table(entries)


def load_config(
    jail: Jail,
    *,
    git_dir: bytes | None,
    common_dir: bytes | None,
    shown: bytes = b".git/config",
    system: bytes | None = None,
    user: Sequence[bytes] = (),
    home: bytes | None = None,
    environment: Sequence[tuple[str, str]] = (),
    overrides: Sequence[str] = (),
    branch: Callable[[], bytes | None] | None = None,
    opened: Mapping[bytes, Opened] | None = None,
) -> Config:
    """Read all layers that the caller names; `git_dir` None reads no repository's.

    `shown` is the repository's file in git's messages; `branch` gives the current branch's full name for
    `includeIf.onbranch`; `opened` holds files that were just read. Raises GitError with git's message for a file that
    cannot be parsed.
    """
    loader = _Loader(jail, git_dir or b"", home, branch, opened)
    if system is not None:
        loader.file(system, "system", system)
    for path in user:
        loader.file(path, "global", path)
    if common_dir is not None:
        loader.file(common_dir + b"/config", "local", shown)
        if _worktree_config(loader):
            path = (git_dir or common_dir) + b"/config.worktree"
            folder = shown[: shown.rfind(b"/") + 1]
            linked = git_dir not in (None, common_dir)  # git names the file of a linked work tree in full
            loader.file(path, "worktree", path if linked else folder + b"config.worktree")
    if environment:
        loader.add([(_given_key(_raw(key)), _raw(value), 0) for key, value in environment], _COMMAND, None, 0)
    if overrides:
        loader.add([(*parse_override(word), 0) for word in overrides], _COMMAND, None, 0)
    config = Config(loader.entries, home, loader.table)
    config.skipped, config.stamps = loader.skipped, loader.stamps
    config.user, config.user_dir = user, _user_dir(user, home)
    config.isolated = system is None and not user
    return config


def load_file(jail: Jail, path: bytes, shown: bytes, *, includes: bool, home: bytes | None = None) -> Config | None:
    """One file alone (`git config --file`); None if it is missing."""
    if jail.stat(path) is None:
        return None
    loader = _Loader(jail, b"", home, None)
    loader.file(path, "command", shown)
    entries = loader.entries if includes else [entry for entry in loader.entries if not entry.source.included]
    return Config(entries, home)


def load_blob(data: bytes, shown: bytes) -> Config:
    """The settings of a blob (`git config --blob`). Raises Corrupt."""
    config, error = read_blob(data, shown)
    if error is not None:
        raise error
    return config


def read_blob(data: bytes, shown: bytes) -> tuple[Config, Corrupt | None]:
    """The settings of a blob up to the first line that is none, and the error about that line."""
    source, settings, wrong = Source("command", b"blob:" + shown), list[Setting](), None
    try:
        parse_config(data, source, settings)
    except Corrupt as error:
        wrong = error
    return Config(Entry(key, value, line, source) for key, value, line in settings), wrong


def _user_dir(user: Sequence[bytes], home: bytes | None) -> bytes | None:
    """$XDG_CONFIG_HOME/git if the user's files show it, otherwise ~/.config/git."""
    for path in user:
        if path.endswith(b"/git/config"):
            return path[:-7]
    return None if home is None else home + b"/.config/git"


def _raw(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")


def _worktree_config(loader: _Loader) -> bool:
    key = b"extensions.worktreeconfig"
    entries = loader.entries if loader.table is None else loader.table.keys.get(key, ())
    values = [e.value for e in entries if e.key == key and e.source.scope == "local"]
    return bool(values) and bool(parse_bool(values[-1]))
