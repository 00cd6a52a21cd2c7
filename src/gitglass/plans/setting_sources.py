"""Which settings a `git config` reads: all of them, or those of one file, scope, blob or standard input. Mirrors
git-config(1), OPTIONS and FILES."""

from ..annotations import Protocol
from ..config.config import Config
from ..config.load import Standpoint, load_file, load_text, shown_worktree_file
from ..errors import BadRequest, GitError, NotFound, Unsupported, text
from ..limits import Context
from ..paths.lexical import normal_path
from ..records import record
from ..repo.named import named_git_dir
from ..repo.store import Store
from ..request.text import to_bytes
from ..revs.resolve import try_resolve

_MISSING = "No such file or directory"
_SHARED = """--worktree cannot be used with multiple working trees unless the config
extension worktreeConfig is enabled. Please read "CONFIGURATION FILE"
section in "git help worktree" for details"""


class Selecting(Protocol):
    """The part of a request that names its source."""

    @property
    def scope(self) -> list[str]: ...
    @property
    def file(self) -> str | None: ...
    @property
    def blob(self) -> str | None: ...
    @property
    def includes(self) -> bool | None: ...
    @property
    def stdin(self) -> str | None: ...


@record
class _Named:
    """One file: its path, its name in messages, and the scope of its settings."""

    path: bytes
    shown: bytes
    scope: str


def read_source(
    store: Store, request: Selecting, ctx: Context, *, missing_is_error: bool
) -> tuple[Config, GitError | None]:
    """The settings, and the error behind them. Strange but git's: a blob's errors end no command but a list.

    Includes of one file are only followed if that is asked for, those of a blob and of standard input if that is not
    forbidden.
    """
    if request.scope[-1:] in (["local"], ["worktree"]) or request.blob is not None:
        _need_repository(store, "blob" if request.blob is not None else request.scope[-1])
    if request.blob is not None:
        return _blob(store, request.blob, request.includes is not False, ctx)
    if request.file == "-":
        if request.stdin is None:
            raise Unsupported("there is no standard input to read", status=129, prefix="error", option="-")
        standpoint, data = _standpoint(store), to_bytes(request.stdin)
        return load_text(store.jail, data, b"standard input:", standpoint, includes=request.includes is not False)
    if request.file is None and not request.scope:
        return store.config if request.includes is not False else _own(store.config), None
    named = _named(store, request, missing_is_error)
    config = None
    if named is not None:
        jail = store.jail if request.file is None else store.named
        config, error = load_file(
            jail, named.path, named.shown, _standpoint(store), scope=named.scope, includes=request.includes is True
        )
        if config is not None:
            return config, error
        if missing_is_error:
            raise NotFound(f"unable to read config file '{text(named.shown)}': {_MISSING}")
    return Config(), None


def _standpoint(store: Store) -> Standpoint:
    """Where a source is read on its own."""
    home, homeless = store.config.home, store.config.homeless
    if not store.exists:
        return Standpoint(home=home, homeless=homeless)
    return Standpoint(
        store.git_dir, home, lambda: store.refs.head()[0],
        lambda: named_git_dir(store.layout, store.where, store.jail), homeless,
    )  # fmt: skip


def _need_repository(store: Store, option: str) -> None:
    if not store.exists:
        raise BadRequest(f"--{option} can only be used inside a git repository")


def _named(store: Store, request: Selecting, missing_is_error: bool) -> _Named | None:
    """The only file to read; None if there is none to name."""
    config = store.config
    if request.file is not None:
        path = to_bytes(request.file)
        return _Named(normal_path(store.cwd, path), path if path.startswith(b"/") else store.prefix + path, "command")
    scope = request.scope[-1]
    if scope == "system":
        path = config.system or b"/etc/gitconfig"
        return _Named(path, path, scope) if config.system or missing_is_error else None
    if scope == "global":
        if not config.user and (config.homeless or missing_is_error):
            raise NotFound("$HOME not set")
        there = [path for path in config.user if store.jail.stat(path) is not None]
        # the user's main file, or the other one if only that exists
        path = next(reversed(there or config.user), b"")
        return _Named(path, path, scope) if path else None
    shown = store.config_shown()
    if scope == "worktree":
        if config.get_bool("extensions.worktreeconfig", False):
            folder = store.git_dir
            return _Named(
                folder + b"/config.worktree", shown_worktree_file(shown, folder, store.common_dir), "worktree"
            )
        if store.linked or any(True for _ in store.jail.scandir(store.common_dir + b"/worktrees")):
            raise BadRequest(_SHARED)
    return _Named(store.common_dir + b"/config", shown, "local")


def _own(config: Config) -> Config:
    own = Config([entry for entry in config.entries if not entry.source.included], config.home)
    own.homeless = config.homeless
    return own


def _blob(store: Store, name: str, includes: bool, ctx: Context) -> tuple[Config, GitError | None]:
    try:
        oid = try_resolve(store, name, ctx=ctx)
    except NotFound:
        oid = None
    if oid is None:
        return Config(), BadRequest(f"unable to resolve config blob '{name}'", prefix="error")
    kind, data = store.odb.read(oid)
    if kind != b"blob":
        return Config(), BadRequest(f"reference '{name}' does not point to a blob", prefix="error")
    config, error = load_text(store.jail, data, b"blob:" + to_bytes(name), _standpoint(store), includes=includes)
    if error is not None:
        if not error.message.endswith(f" in blob {name}"):
            raise error  # about a file that the blob includes
        error.prefix, error.message = "error", error.message.replace("\nfatal: ", "\nerror: ")
    return config, error
