"""The layers of a configuration, read in order of precedence, and what they include.

Includes go through the jail; an include that lies outside or is missing is ignored (git also ignores missing ones).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
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
from .config import (
    COMMAND,
    MAX_FILE,
    Config,
    Entry,
    Opened,
    Source,
    Table,
    bad_setting,
    check_key,
    expand_path,
    is_below_home,
    parse_bool,
)
from .file import Setting, parse_config

if TYPE_CHECKING:
    from .globs import compile_glob, path_glob
else:
    compile_glob, path_glob = deferred(__name__, ".globs", "compile_glob", "path_glob")


MAX_DEPTH = 10
MAX_FILES = 1000
_FEW = 1000  # the most settings of a file whose entries are kept


#: A setting of the command line: `key=value` after -c, or a key, which may have `=` in it, and its value.
Override = str | tuple[str, str | None]


def parse_override(word: Override) -> tuple[bytes, bytes | None]:
    """The key and value of a setting of the command line; a word without `=` is a key alone, for true."""
    if isinstance(word, str):
        key, equals, value = _raw(word).partition(b"=")
        return _given_key(key), value if equals else None
    return _given_key(_raw(word[0])), None if word[1] is None else _raw(word[1])


def _given_key(key: bytes) -> bytes:
    try:
        if not key:
            raise BadRequest("empty config key", prefix="error")
        return check_key(key)
    except GitError as error:
        message = f"{error.message}\nfatal: unable to parse command-line config"
        raise BadConfig(message, prefix="error", status=128) from None


@record
class Standpoint:
    """Where a configuration is read, for the conditions of its includes, and for paths below the home directory.

    `branch` gives the current branch's full name. `named` gives the git directory as the caller named it, with its
    links. `homeless`: the environment was asked for `home`, and has none.
    """

    git_dir: bytes = b""
    home: bytes | None = None
    branch: Callable[[], bytes | None] | None = None
    named: Callable[[], bytes] | None = None
    homeless: bool = False


class _Loader:
    """Reads the layers of a configuration into one list of entries, following includes.

    `layers` reads all of them into a loader. They are read twice if an include depends on remotes' URLs, which any
    layer may have.
    """

    def __init__(
        self,
        jail: Jail,
        standpoint: Standpoint,
        layers: "Callable[[_Loader], None]",
        opened: Mapping[bytes, Opened] | None = None,
        *,
        includes: bool = True,
    ) -> None:
        self.jail, self.standpoint, self.layers, self.includes = jail, standpoint, layers, includes
        self.opened = opened or {}
        self.stamps: list[tuple[bytes, object]] = []
        self.entries: list[Entry] = []
        self.table: Table | None = None  # the entries by key, if all are from one file that was read before
        self.skipped: list[bytes] = []
        self.files = 0
        self.urls: list[bytes] | None = None
        self.surveys = False  # whether only the remotes' URLs are wanted
        self.checked_out: list[bytes | None] = []  # the current branch, once a condition asks for it

    def file(self, path: bytes, scope: str, shown: bytes, depth: int = 0, *, by_url: bool = False) -> None:
        """Read one file and its includes; a missing or unreachable file is ignored.

        `by_url`: the file is included where a remote has a certain URL, so it must not have any.
        """
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
                self.add(opened[2], Source(scope, b"file:" + shown, depth > 0), path, depth, by_url=by_url)
            return
        try:
            stamped = self.jail.read_stamped(path, MAX_FILE)
        except SandboxViolation:
            self.skipped.append(path)
            return
        except (PermissionDenied, NotFound):
            stamped = None
        except TooLarge:
            raise Corrupt(f"file {text(shown)} is too large to be a configuration file") from None
        self.stamps.append((path, None if stamped is None else stamped[0]))
        if stamped is not None:
            source = Source(scope, b"file:" + shown, depth > 0)
            self.text(stamped[1], source, path, depth, by_url=by_url)

    def text(
        self, data: bytes, source: Source, path: bytes | None = None, depth: int = 0, *, by_url: bool = False
    ) -> None:
        """Add the settings of a text, those before its first bad line even if it has one."""
        settings: list[Setting] = []
        try:
            parse_config(data, source, settings)
        except Corrupt:
            self.add(settings, source, path, depth, by_url=by_url)
            raise
        self.add(settings, source, path, depth, by_url=by_url)

    def add(
        self, settings: Iterable[Setting], source: Source, path: bytes | None, depth: int, *, by_url: bool = False
    ) -> None:
        """Add settings in order; an include's content follows the line that includes it."""
        self.table = None
        for key, value, line in watched(settings):
            entry = Entry(key, value, line, source)
            self.entries.append(entry)
            if by_url and _is_remote_url(key):
                raise BadConfig(_URL_IN_INCLUDE)
            if self.includes and key.startswith(b"include") and key.endswith(b".path") and self.applies(key, path):
                self.include(entry, path, depth, by_url or key.startswith(_IF_URL))

    def include(self, entry: Entry, path: bytes | None, depth: int, by_url: bool) -> None:
        value, source = entry.value, entry.source
        if value is None:
            raise bad_setting(f"missing value for '{text(entry.key)}'", entry)
        if self.standpoint.homeless and is_below_home(value):
            raise bad_setting(f"could not expand include path '{text(value)}'", entry)
        target = shown = expand_path(value, self.standpoint.home)
        if not target.startswith(b"/"):
            if path is None:
                raise bad_setting("relative config includes must come from files", entry)
            shown = source.origin[5:]
            folder = shown[: shown.rfind(b"/") + 1]
            shown, target = folder + target, path[: path.rfind(b"/") + 1] + target
        if depth >= MAX_DEPTH:
            raise BadConfig(
                f"exceeded maximum include depth ({MAX_DEPTH}) while including\n\t{text(shown)}\nfrom\n\t"
                f"{str(source).removeprefix('file ')}\nThis might be due to circular includes."
            )
        self.file(target, source.scope, shown, depth + 1, by_url=by_url)

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
        if not key.startswith(_IF_URL):
            return False
        # A survey reads every such file, since none of them may have a remote's URL.
        return self.surveys or any(map(compile_glob(key[len(_IF_URL) : -5]), self.remote_urls()))

    def below(self, pattern: bytes, path: bytes | None, fold: bool) -> bool:
        """Whether the git directory fits, by its real path or as the caller named it (git-config(1), `gitdir`)."""
        standpoint = self.standpoint
        if not standpoint.git_dir:
            return False
        if is_below_home(pattern) and standpoint.home is not None:
            pattern = self.jail.resolve(standpoint.home) + pattern[1:]
        elif pattern.startswith(b"./") and path is not None:
            pattern = self.jail.resolve(path).rpartition(b"/")[0] + pattern[1:]
        elif not pattern.startswith(b"/"):
            pattern = b"**/" + pattern
        if pattern.endswith(b"/"):
            pattern += b"**"
        if fold:
            pattern = pattern.lower()

        def fits(folder: bytes) -> bool:
            return path_glob(pattern, folder.lower() if fold else folder)

        return fits(standpoint.git_dir) or (standpoint.named is not None and fits(standpoint.named()))

    def on_branch(self, pattern: bytes) -> bool:
        if not self.checked_out:
            self.checked_out.append(self.standpoint.branch() if self.standpoint.branch else None)
        branch = self.checked_out[0]
        if pattern.endswith(b"/"):
            pattern += b"**"
        if branch is None or not branch.startswith(b"refs/heads/"):
            return False
        return path_glob(pattern, branch[11:])

    def remote_urls(self) -> list[bytes]:
        """The remotes' URLs of all layers. Raises BadConfig if a file has one that is included for the URL of
        another, however that is."""
        if self.urls is None:
            survey = _Loader(self.jail, self.standpoint, self.layers, self.opened)
            survey.surveys = True
            self.layers(survey)
            self.urls = [e.value for e in survey.entries if e.value is not None and _is_remote_url(e.key)]
        return self.urls


_IF_URL = b"includeif.hasconfig:remote.*.url:"
_URL_IN_INCLUDE = (
    "remote URLs cannot be configured in file directly or indirectly included by includeIf.hasconfig:remote.*.url"
)


def _is_remote_url(key: bytes) -> bool:
    return key.startswith(b"remote.") and key.endswith(b".url") and key.find(b".", 7) > 0


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
    no_system: bool = False,
    user: Sequence[bytes] = (),
    home: bytes | None = None,
    environment: Sequence[tuple[str, str]] = (),
    overrides: Sequence[Override] = (),
    branch: Callable[[], bytes | None] | None = None,
    named: Callable[[], bytes] | None = None,
    opened: Mapping[bytes, Opened] | None = None,
) -> Config:
    """Read all layers that the caller names; `git_dir` None reads no repository's.

    `shown` is the repository's file in git's messages; `branch` and `named` are those of `Standpoint`; `opened` holds
    files that were just read. `no_system`: the system's file is only for who asks for it. Raises GitError with git's
    message for a file that cannot be parsed.
    """
    isolated = (system is None or no_system) and not user

    def layers(loader: _Loader) -> None:
        if system is not None and not no_system:
            loader.file(system, "system", system)
        for path in user:
            loader.file(path, "global", path)
        if common_dir is not None:
            loader.file(common_dir + b"/config", "local", shown)
            if _worktree_config(loader):
                path = (git_dir or common_dir) + b"/config.worktree"
                loader.file(path, "worktree", shown_worktree_file(shown, git_dir, common_dir))
        if environment:
            loader.add([(_given_key(_raw(key)), _raw(value), 0) for key, value in environment], COMMAND, None, 0)
        if overrides:
            loader.add([(*parse_override(word), 0) for word in overrides], COMMAND, None, 0)

    standpoint = Standpoint(git_dir or b"", home, branch, named, home is None and system is not None)
    loader = _Loader(jail, standpoint, layers, opened)
    layers(loader)
    config = _made(loader)
    config.system, config.user, config.user_dir, config.isolated = system, user, _user_dir(user, home), isolated
    return config


def shown_worktree_file(shown: bytes, git_dir: bytes | None, common_dir: bytes) -> bytes:
    """The name of `config.worktree` in git's messages, beside that of `config`; it is in full in a linked work tree."""
    if git_dir not in (None, common_dir):
        return git_dir + b"/config.worktree" if git_dir else b""
    return shown[: shown.rfind(b"/") + 1] + b"config.worktree"


def load_file(
    jail: Jail, path: bytes, shown: bytes, standpoint: Standpoint, *, scope: str = "command", includes: bool = False
) -> tuple[Config | None, GitError | None]:
    """One file alone (`git config --file`), None if it is missing; and what is wrong with it, or with what it
    includes, behind the settings."""
    if jail.stat(path) is None:
        return None, None
    return _read(jail, standpoint, lambda loader: loader.file(path, scope, shown), includes)


def load_text(
    jail: Jail, data: bytes, origin: bytes, standpoint: Standpoint, *, includes: bool = True
) -> tuple[Config, GitError | None]:
    """The settings of a text from elsewhere: a blob, or standard input. What is wrong with it is as in `load_file`."""
    source = Source("command", origin)
    return _read(jail, standpoint, lambda loader: loader.text(data, source), includes)


def _read(
    jail: Jail, standpoint: Standpoint, layers: Callable[[_Loader], None], includes: bool
) -> tuple[Config, GitError | None]:
    loader = _Loader(jail, standpoint, layers, includes=includes)
    try:
        layers(loader)
    except (BadConfig, Corrupt) as error:
        return _made(loader), error
    return _made(loader), None


def _made(loader: _Loader) -> Config:
    config = Config(loader.entries, loader.standpoint.home, loader.table)
    config.skipped, config.stamps, config.homeless = loader.skipped, loader.stamps, loader.standpoint.homeless
    return config


def load_blob(data: bytes, shown: bytes) -> Config:
    """The settings of a blob, without what it includes. Raises Corrupt."""
    source = Source("command", b"blob:" + shown)
    return Config(Entry(key, value, line, source) for key, value, line in parse_config(data, source))


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
