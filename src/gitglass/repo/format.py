"""The format that a repository declares in its own configuration: version and extensions, `bare`, and its work tree.

Follows gitrepository-layout(5) and git-config(1), `core.repositoryFormatVersion` and `extensions.*`.
"""

from ..config.config import MAX_FILE, Opened, parse_bool, parse_int
from ..config.file import Setting, parse_config
from ..disk.jail import Jail
from ..errors import BadConfig, Unsupported, text
from ..memories import once_for_its_bytes
from ..records import field, record

_MAX_CONFIG = 16 << 20

# Extensions that any repository may have, and those that only version 1 may have.
_ANY_VERSION = frozenset({b"noop", b"preciousobjects", b"partialclone", b"worktreeconfig"})
_VERSION_1 = frozenset({b"noop-v1", b"objectformat", b"refstorage", b"relativeworktrees"})


@record
class Format:
    """The format and the work tree that the repository's own config declares."""

    hash_name: str = "sha1"
    reftable: bool = False
    partial: bool = False
    bare: bool | None = None
    work_tree: bytes | None = None
    opened: dict[bytes, Opened] = field(default_factory=dict)


class UnknownFormat(Unsupported):
    """The repository has a format that git does not know: for git there is none then, where a command needs none."""


def read_format(common: bytes, git_dir: bytes, jail: Jail, *, linked: bool, name: bytes) -> Format:
    """The format and location settings of `config`, in the directory that messages call `name`; or `UnknownFormat`."""
    shown = text(name) + "/config"
    path = common + b"/config"
    stamped = jail.read_stamped(path, _MAX_CONFIG)
    if stamped is None:
        return Format()
    data = stamped[1]
    settings, declared, per_worktree = _declared(data, shown, linked)
    form = Format(declared.hash_name, declared.reftable, declared.partial, declared.bare, declared.work_tree)
    if len(data) <= MAX_FILE:
        form.opened[path] = *stamped, settings
    if per_worktree:
        _own_config(form, git_dir, jail)
    return form


@once_for_its_bytes(16)
def _declared(data: bytes, shown: str, linked: bool) -> tuple[tuple[Setting, ...], Format, bool]:
    """A config file's settings, the format that they declare, and whether the work tree has a file of its own."""
    form = Format()
    settings = parse_config(data, f"file {shown}")
    version = 0
    unknown: list[str] = []
    only_1: list[str] = []
    per_worktree = False
    for key, value, line in settings:
        if not key.startswith((b"core.", b"extensions.")):
            continue
        section, _, name = key.partition(b".")
        if section == b"core":
            if name == b"repositoryformatversion":
                version = _version(value, shown)
            elif name == b"bare":
                form.bare = parse_bool(value)
            elif name == b"worktree":
                form.work_tree = value
        elif section == b"extensions":
            per_worktree = per_worktree or (name == b"worktreeconfig" and bool(parse_bool(value)))
            _extension(form, name, value or b"", line, shown, unknown, only_1)
    if linked and not per_worktree:
        form.bare = form.work_tree = None  # those of the main work tree (git-worktree(1), CONFIGURATION FILE)
    if version > 1:
        raise UnknownFormat(f"Expected git repo version <= 1, found {version}", version=version)
    if version == 1 and unknown:
        plural = "s" if len(unknown) > 1 else ""
        raise UnknownFormat(f"unknown repository extension{plural} found:" + "".join(f"\n\t{name}" for name in unknown))
    if version == 0 and only_1:
        plural = "s" if len(only_1) > 1 else ""
        raise UnknownFormat(
            f"repo version is 0, but v1-only extension{plural} found:" + "".join(f"\n\t{name}" for name in only_1)
        )
    return tuple(settings), form, per_worktree


def _version(value: bytes | None, shown: str) -> int:
    number = parse_int(value)
    if number is None:
        raise BadConfig(
            f"bad numeric config value '{text(value or b'')}' for 'core.repositoryformatversion'"
            f" in file {shown}: invalid unit"
        )
    return number


def _extension(
    form: Format, name: bytes, value: bytes, line: int, shown: str, unknown: list[str], only_1: list[str]
) -> None:
    if name in _VERSION_1:
        only_1.append(text(name))
        if name == b"objectformat":
            if value not in (b"sha1", b"sha256"):
                raise Unsupported(
                    f"invalid value for 'extensions.objectformat': '{text(value)}'\n"
                    f"fatal: bad config line {line} in file {shown}",
                    prefix="error",
                )
            form.hash_name = value.decode()
        elif name == b"refstorage":
            if value not in (b"files", b"reftable"):
                raise Unsupported(
                    f"invalid value for 'extensions.refstorage': '{text(value)}'\n"
                    f"fatal: bad config line {line} in file {shown}",
                    prefix="error",
                )
            form.reftable = value == b"reftable"
    elif name == b"partialclone":
        form.partial = True
    elif name not in _ANY_VERSION:
        unknown.append(text(name))


def _own_config(form: Format, git_dir: bytes, jail: Jail) -> None:
    """Apply `config.worktree`, the settings of this work tree that the common config cannot hold: bare, or another
    location."""
    data = jail.read_optional(git_dir + b"/config.worktree", _MAX_CONFIG)
    for key, value, _ in parse_config(data or b"", "file config.worktree"):
        if key == b"core.bare":
            form.bare = parse_bool(value)
        elif key == b"core.worktree":
            form.work_tree = value
