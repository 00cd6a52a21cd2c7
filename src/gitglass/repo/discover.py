"""Finds the repository that contains a directory: git directory, common directory, work tree, prefix.

Follows gitrepository-layout(5) and git(1): `.git` directories and files, bare repositories, linked work trees,
submodules, `core.worktree`, `core.bare`, and the values of GIT_DIR, GIT_WORK_TREE, GIT_COMMON_DIR and
GIT_CEILING_DIRECTORIES, which arrive in a `Where` (no environment is read here).

There are two modes. *Trusting* (root `/`, used by the command line) follows git's own indirections to any directory.
*Jailed* never reads above or outside the root. If no root is given, the repository that is found becomes the jail, and
then a link out of it (a `.git` file, `commondir`, `core.worktree`) counts only if the other side links back: a linked
work tree by its `gitdir` file, a submodule by its `core.worktree`. A directory that only points at another repository
is refused.
"""

from collections.abc import Mapping
from stat import S_ISDIR

from ..config.config import MAX_FILE, Opened, parse_bool, parse_int
from ..config.file import Setting, parse_config
from ..disk.jail import Jail
from ..errors import BadConfig, Corrupt, NotARepository, NotFound, SandboxViolation, Unsupported, text
from ..memories import once_for_its_bytes
from ..records import field, record

MAX_SMALL = 1 << 20
_HEX = b"0123456789abcdefABCDEF"

_MAX_CONFIG = 16 << 20
# Extensions that any repository may have, and those that only version 1 may have.
_ANY_VERSION = frozenset({b"noop", b"preciousobjects", b"partialclone", b"worktreeconfig"})
_VERSION_1 = frozenset({b"noop-v1", b"objectformat", b"refstorage", b"relativeworktrees"})

NOT_FOUND = "not a git repository (or any of the parent directories): .git"


class BadGitFile(NotARepository):
    """A file `.git` that leads to no repository: an error of every command, also of those that need no repository."""


@record(frozen=True)
class Where:
    """The location of a command: its directory and the values of `--git-dir`, `--work-tree` and git's environment.

    `cwd` is absolute; other relative paths start there. `bare` is `--bare`. `index` is GIT_INDEX_FILE, relative to the
    top of the work tree. `steps` are the directories that -C changed to on the way to `cwd`, each with its argument.
    `across` is GIT_DISCOVERY_ACROSS_FILESYSTEM: the search for a repository goes on beyond the file system it began on.
    `started` is the directory before these, in which the process was started, None if that does not count.
    `shell_cwd` is what the shell calls the current directory (PWD): links are not resolved in it.
    `objects` and `alternates` are GIT_OBJECT_DIRECTORY and GIT_ALTERNATE_OBJECT_DIRECTORIES, `replace_base` is
    GIT_REPLACE_REF_BASE, `notes_ref` is GIT_NOTES_REF and `notes_refs` GIT_NOTES_DISPLAY_REF, `graft_file` is
    GIT_GRAFT_FILE, `config_file` is GIT_CONFIG, which only git config reads. `people` holds the variables that name
    author and committer (`PERSON_VARIABLES`). `patch_context` is the number of lines that GIT_DIFF_OPTS asks for around
    changes; `ellipsis` is whether GIT_PRINT_SHA1_ELLIPSIS asks for dots behind the abbreviated names of --raw. An empty
    variable is b"" here, an unset one is None. `namespace` is `--namespace` or GIT_NAMESPACE. `programs` holds the
    variables for editor and pager (`PROGRAM_VARIABLES`), None if no environment is read: `git var` prints them; none is
    run.
    """

    cwd: bytes
    git_dir: bytes | None = None
    work_tree: bytes | None = None
    common_dir: bytes | None = None
    ceilings: tuple[bytes, ...] = ()
    across: bool = False
    bare: bool = False
    index: bytes | None = None
    steps: tuple[tuple[bytes, bytes], ...] = ()
    started: bytes | None = None
    shell_cwd: bytes | None = None
    objects: bytes | None = None
    alternates: tuple[bytes, ...] = ()
    replace_base: bytes = b"refs/replace/"
    notes_ref: bytes | None = None
    notes_refs: tuple[bytes, ...] | None = None
    graft_file: bytes | None = None
    config_file: bytes | None = None
    patch_context: int | None = None
    ellipsis: bool = False
    namespace: bytes = b""
    people: Mapping[str, bytes] = field(default_factory=dict)
    programs: Mapping[str, bytes] | None = None


@record(frozen=True)
class Layout:
    """A repository: the paths of its parts, and its format.

    All paths are absolute. `prefix` is the path from the work tree's top to `cwd`, ending in a slash, or b"". `bare` is
    the answer of `git rev-parse --is-bare-repository`: inside `.git` there is no work tree, but the repository is not
    bare. `absent` is the named work tree if it is no directory: there is only its name then. `opened` and `head` are
    the contents of the config file and HEAD that were read on the way, valid only for the first command. `at` is the
    directory whose `.git` led here, or the git directory itself if the search ended in one; None if the caller named
    the git directory. `chosen`: the caller named the work tree, or the current directory is the work tree.
    """

    git_dir: bytes
    common_dir: bytes
    work_tree: bytes | None
    bare: bool
    prefix: bytes
    cwd: bytes
    linked: bool
    hash_name: str = "sha1"
    reftable: bool = False
    partial: bool = False
    explicit: bool = False
    warnings: tuple[str, ...] = ()
    at: bytes | None = None
    chosen: bool = False
    absent: bytes | None = None
    opened: dict[bytes, Opened] = field(default_factory=dict, compare=False, repr=False)
    head: bytes | None = field(default=None, compare=False, repr=False)


@record
class _GitDir:
    """A git directory: its HEAD file, and the directory that its `commondir` file leads to."""

    path: bytes
    head: bytes | None
    common: bytes | None
    at: bytes | None = None


@record
class Format:
    """The format and the work tree that the repository's own config declares."""

    hash_name: str = "sha1"
    reftable: bool = False
    partial: bool = False
    bare: bool | None = None
    work_tree: bytes | None = None
    opened: dict[bytes, Opened] = field(default_factory=dict)


@record(frozen=True)
class _Shown:
    """The `config` of a directory, as messages name it."""

    folder: bytes

    def __str__(self) -> str:
        return f"file {text(self.folder)}/config"


class UnknownFormat(Unsupported):
    """The repository has a format that git does not know: for git there is none then, where a command needs none."""


def discover(where: Where, *, jail: Jail) -> Layout:
    """The repository at `where`; `NotARepository` if there is none, `UnknownFormat` for an unknown format."""
    cwd = jail.resolve(where.cwd)
    if len(where.steps) > 1:
        _must_exist(where, cwd, jail)
    if where.objects is not None and not (where.objects and jail.is_dir(from_base(cwd, where.objects))):
        named = NOT_FOUND if where.git_dir is None else f"not a git repository: '{text(where.git_dir)}'"
        raise NotARepository(named, path=text(where.objects))
    if where.work_tree == b"":
        raise NotFound("The empty string is not a valid path", path="")
    if where.git_dir is not None:
        _must_exist(where, cwd, jail)
        return _explicit(where, cwd, jail)
    top, directory = _search(where, cwd, jail)
    directory.at = top or directory.path
    if top is None:
        return _bare(where, cwd, directory, jail)
    common = _common_dir(directory, where, jail)
    name = b".git" if directory.path == top.rstrip(b"/") + b"/.git" else directory.path
    form = _format_of(directory, common, name, jail)
    if where.work_tree is not None or form.work_tree is not None:
        return _placed(where, cwd, directory, common, form, jail)
    if form.bare:
        return _layout(where, cwd, directory, common, None, form, bare=True)
    return _layout(where, cwd, directory, common, top, form)


def _must_exist(where: Where, cwd: bytes, jail: Jail) -> None:
    """Raises NotFound with git's message for the first -C that names no directory, or for such a `cwd`."""
    for path, word in where.steps or ((cwd, where.cwd),):
        status = jail.stat(path)
        if status is None:
            raise NotFound(f"cannot change to '{text(word)}': No such file or directory", path=text(path))
        if not S_ISDIR(status.st_mode):
            raise NotFound(f"cannot change to '{text(word)}': Not a directory", path=text(path))


def _layout(
    where: Where, cwd: bytes, directory: _GitDir, common: bytes, work_tree: bytes | None, form: Format, *,
    bare: bool = False, explicit: bool = False, warnings: tuple[str, ...] = (), chosen: bool = False,
    absent: bytes | None = None,
) -> Layout:  # fmt: skip
    prefix = b""
    if work_tree is not None and cwd != work_tree:
        start = work_tree if work_tree == b"/" else work_tree + b"/"
        if cwd.startswith(start):
            prefix = cwd[len(start) :] + b"/"
    return Layout(
        directory.path, common, work_tree, bare, prefix, cwd, common != directory.path, form.hash_name, form.reftable,
        form.partial, explicit, warnings, directory.at, chosen, absent, form.opened, directory.head,
    )  # fmt: skip


def _bare(where: Where, cwd: bytes, directory: _GitDir, jail: Jail) -> Layout:
    """The layout for a directory in a git directory, or that directory itself."""
    common = _common_dir(directory, where, jail)
    form = _format_of(directory, common, b".", jail)
    if where.work_tree is not None or form.work_tree is not None:
        return _placed(where, cwd, directory, common, form, jail)
    return _layout(where, cwd, directory, common, None, form, bare=form.bare is not False)


def _format_of(directory: _GitDir, common: bytes, name: bytes, jail: Jail) -> Format:
    """The format of a git directory; `name` is that of the directory in messages."""
    linked = common != directory.path
    return read_format(common, directory.path, jail, linked=linked, name=common if linked else name)


def _explicit(where: Where, cwd: bytes, jail: Jail) -> Layout:
    """GIT_DIR or --git-dir: no search; the current directory is the work tree's top by default."""
    assert where.git_dir is not None
    if not where.git_dir:
        raise NotARepository("not a git repository: ''", path="")
    git_dir = jail.resolve(from_base(cwd, where.git_dir))
    directory = _git_dir_at(git_dir, jail, where)
    if directory is None:
        directory = None if jail.is_dir(git_dir) else git_file_target(git_dir, jail, where, shown=where.git_dir)
        if directory is None:
            raise NotARepository(f"not a git repository: '{text(where.git_dir)}'", path=text(where.git_dir))
    common = _common_dir(directory, where, jail)
    form = _format_of(directory, common, where.git_dir if directory.path == git_dir else directory.path, jail)
    return _placed(where, cwd, directory, common, form, jail, explicit=True)


def _placed(
    where: Where, cwd: bytes, directory: _GitDir, common: bytes, form: Format, jail: Jail, *, explicit: bool = False
) -> Layout:
    """The layout if the git directory does not imply the work tree: it is named by the caller or by `core.worktree`, or
    is `cwd`."""
    bare = where.bare or form.bare is True
    warnings: tuple[str, ...] = ()
    if where.work_tree is not None:
        work_tree = _named_top(from_base(cwd, where.work_tree), jail)
    elif bare:
        if form.work_tree is not None:
            warnings = ("core.bare and core.worktree do not make sense",)
        return _layout(where, cwd, directory, common, None, form, bare=True, explicit=explicit, warnings=warnings)
    elif form.work_tree is not None:
        work_tree = _configured_top(form.work_tree, directory.path, jail)
    else:
        work_tree = cwd
    chosen = where.work_tree is not None or form.work_tree is None
    if work_tree != cwd and not jail.is_dir(work_tree):
        return _layout(where, cwd, directory, common, None, form, explicit=explicit, chosen=chosen, absent=work_tree)
    return _layout(where, cwd, directory, common, work_tree, form, explicit=explicit, chosen=chosen)


def _named_top(path: bytes, jail: Jail) -> bytes:
    """A work tree by its absolute path, links resolved. Raises NotFound if a directory of the path is missing.

    Strange but git's: the last part may be missing; only commands that need a work tree report that.
    """
    top = jail.resolve(path)
    if not jail.is_dir(top):
        first, reason = why_missing(top, jail)
        if first != top or reason == "Not a directory":
            raise NotFound(f"Invalid path '{text(first)}': {reason}", path=text(first))
    return top


def _configured_top(value: bytes, git_dir: bytes, jail: Jail) -> bytes:
    """The work tree of `core.worktree`; for a relative path git changes to it. Raises NotFound if it cannot."""
    if value.startswith(b"/"):
        return _named_top(value, jail)
    top = jail.resolve(from_base(git_dir, value))
    if not jail.is_dir(top):
        reason = "Not a directory" if jail.stat(top) is not None else why_missing(top, jail)[1]
        raise NotFound(f"cannot chdir to '{text(value)}': {reason}", path=text(top))
    return top


def why_missing(path: bytes, jail: Jail) -> tuple[bytes, str]:
    """(the first missing directory of a path, or the path itself; the system's error message)."""
    above = path.rpartition(b"/")[0] or b"/"
    while above != b"/" and jail.allows(above) and jail.stat(above) is None:
        path, above = above, above.rpartition(b"/")[0] or b"/"
    return path, "No such file or directory" if jail.is_dir(above) else "Not a directory"


def from_base(base: bytes, path: bytes) -> bytes:
    """A path that may be relative to a directory."""
    return path if path.startswith(b"/") else base + b"/" + path


def _search(where: Where, cwd: bytes, jail: Jail) -> tuple[bytes | None, _GitDir]:
    """(top of the work tree or None, git directory) of the first repository at or above `cwd`."""
    here = cwd
    directory = _git_dir_at(cwd.rstrip(b"/") + b"/.git", jail, where)
    if directory is not None:
        return cwd, directory
    _must_exist(where, cwd, jail)
    roots = {jail.resolve(root) for root in jail.roots}
    stops = {ceiling.rstrip(b"/") or b"/" for ceiling in where.ceilings}
    device: int | None = None
    while True:
        dot = here.rstrip(b"/") + b"/.git"
        directory = _git_dir_at(dot, jail, where) if here != cwd else None
        if directory is not None:
            return here, directory
        directory = git_file_target(dot, jail, where)
        if directory is not None:
            return here, directory
        directory = _bare_at(here, jail, where)
        if directory is not None:
            return None, directory
        if here in roots or here == b"/":
            raise NotARepository(NOT_FOUND, path=text(cwd))
        parent = here.rpartition(b"/")[0] or b"/"
        if parent in stops or not jail.allows(parent):
            raise NotARepository(NOT_FOUND, path=text(cwd))
        if jail.trusting and not where.across:
            device = _same_device(here, parent, device, jail)
        here = parent


def _same_device(here: bytes, parent: bytes, device: int | None, jail: Jail) -> int | None:
    """Check the device of a parent directory: git does not search for a repository beyond the file system it starts
    on."""
    if device is None:
        status = jail.stat(here)
        device = None if status is None else status.st_dev
    status = jail.stat(parent)
    if status is None or device is None or status.st_dev == device:
        return device
    raise NotARepository(
        f"not a git repository (or any parent up to mount point {text(parent)})\n"
        "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set).",
        path=text(parent),
    )


def _bare_at(path: bytes, jail: Jail, where: Where | None = None) -> _GitDir | None:
    """`_git_dir_at` for a directory that need not be one: an unusable file called HEAD is no error then."""
    try:
        return _git_dir_at(path, jail, where)
    except (Corrupt, SandboxViolation):
        return None


def _git_dir_at(path: bytes, jail: Jail, where: Where | None = None) -> _GitDir | None:
    """The git directory at a path: it has a possible HEAD, `objects` and `refs`; otherwise None.

    The common directory of `where` replaces the directory's own, and its object directory may be missing if `where`
    names another.
    """
    try:
        head = jail.read_optional(path + b"/HEAD", MAX_SMALL)
    except SandboxViolation:
        head = None
        if not (jail.readlink(path + b"/HEAD") or b"").startswith(b"refs/"):
            raise
    if head is None:
        if not (jail.readlink(path + b"/HEAD") or b"").startswith(b"refs/"):
            return None
    elif not _head_is_valid(head) and not (jail.readlink(path + b"/HEAD") or b"").startswith(b"refs/"):
        return None
    shared = _read_common(path, jail)
    common = path if shared is None else shared
    elsewhere = where is not None and where.objects is not None
    if where is not None and where.common_dir is not None:
        if not where.common_dir:
            return None
        common = from_base(where.cwd, where.common_dir)
    if (elsewhere or jail.is_dir(common + b"/objects")) and jail.is_dir(common + b"/refs"):
        return _GitDir(path, head, shared)
    return None


def _head_is_valid(head: bytes) -> bool:
    if head.startswith(b"ref:"):
        return head[4:].lstrip(b" \t\n\r\v\f").startswith(b"refs/")
    return len(head) >= 40 and not head[:40].strip(_HEX)


def resolve_git_dir(word: bytes, base: bytes, jail: Jail) -> bytes | None:
    """The answer of `git rev-parse --resolve-git-dir` for a path below `base`: the word itself for a git directory, the
    target of a `.git` file, None for anything else. Raises NotARepository for a bad `.git` file."""
    path = from_base(base, word)
    if not word or _bare_at(path, jail) is not None:
        return word or None
    directory = None if jail.is_dir(path) else git_file_target(path, jail, shown=word)
    return None if directory is None else directory.path


def check_git_dir(base: bytes, word: bytes, jail: Jail) -> None:
    """Raises NotARepository, in git's words, for a `.git` that is there and is no git directory, nor leads to one.
    `word` is its name below `base`."""
    path = from_base(base, word)
    if not jail.is_dir(path):
        git_file_target(path, jail, shown=word)
    elif _bare_at(path, jail) is None:
        raise NotARepository(f"'{text(word)}' not recognized as a git repository", path=text(path))


def git_file_target(
    path: bytes, jail: Jail, where: Where | None = None, *, shown: bytes | None = None
) -> _GitDir | None:
    """The git directory that a `.git` file points at (path resolved); None if there is no such file. Raises git's
    errors for a bad one."""
    data = jail.read_optional(path, MAX_SMALL)
    if data is None:
        return None
    named = text(path if shown is None else shown)
    if not data.startswith(b"gitdir: "):
        raise BadGitFile(f"invalid gitfile format: {named}", path=text(path))
    target = data[8:].rstrip(b"\r\n")
    if not target:
        raise BadGitFile(f"no path in gitfile: {named}", path=text(path))
    full = from_base(path.rpartition(b"/")[0], target)
    directory = None if b"\0" in full else _git_dir_at(full, jail, where)
    if directory is None:
        above = b"" if shown is None else b"".join(shown.rpartition(b"/")[:2])
        seen = full if shown is None or target.startswith(b"/") else above + target
        raise BadGitFile(f"not a git repository: {text(seen)}", path=text(full))
    directory.path = jail.resolve(full)
    return directory


def _read_common(git_dir: bytes, jail: Jail) -> bytes | None:
    data = jail.read_optional(git_dir + b"/commondir", MAX_SMALL)
    if data is None:
        return None
    return from_base(git_dir, data.rstrip(b"\r\n"))


def _common_dir(directory: _GitDir, where: Where, jail: Jail) -> bytes:
    if where.common_dir is not None:
        return jail.resolve(from_base(where.cwd, where.common_dir))
    return directory.path if directory.common is None else jail.resolve(directory.common)


# --- the format ------------------------------------------------------------------------------------------------------


# --- the format -------------------------------------------------------------------------------------------------------


def read_format(common: bytes, git_dir: bytes, jail: Jail, *, linked: bool, name: bytes) -> Format:
    """The format and location settings of `config`, in the directory that messages call `name`; or `UnknownFormat`."""
    path = common + b"/config"
    stamped = jail.read_stamped(path, _MAX_CONFIG)
    if stamped is None:
        return Format()
    data = stamped[1]
    settings, declared, per_worktree = _declared(data, _Shown(name), linked)
    form = Format(declared.hash_name, declared.reftable, declared.partial, declared.bare, declared.work_tree)
    if len(data) <= MAX_FILE:
        form.opened[path] = *stamped, settings
    if per_worktree:
        _own_config(form, git_dir, jail)
    return form


@once_for_its_bytes(16)
def _declared(data: bytes, shown: _Shown, linked: bool) -> tuple[tuple[Setting, ...], Format, bool]:
    """A config file's settings, the format that they declare, and whether the work tree has a file of its own."""
    form = Format()
    settings = parse_config(data, shown)
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


def _version(value: bytes | None, shown: _Shown) -> int:
    number = parse_int(value)
    if number is None:
        raise BadConfig(
            f"bad numeric config value '{text(value or b'')}' for 'core.repositoryformatversion'"
            f" in {shown}: invalid unit"
        )
    return number


def _extension(
    form: Format, name: bytes, value: bytes, line: int, shown: _Shown, unknown: list[str], only_1: list[str]
) -> None:
    if name in _VERSION_1:
        only_1.append(text(name))
        if name == b"objectformat":
            if value not in (b"sha1", b"sha256"):
                raise Unsupported(
                    f"invalid value for 'extensions.objectformat': '{text(value)}'\n"
                    f"fatal: bad config line {line} in {shown}",
                    prefix="error",
                )
            form.hash_name = value.decode()
        elif name == b"refstorage":
            if value not in (b"files", b"reftable"):
                raise Unsupported(
                    f"invalid value for 'extensions.refstorage': '{text(value)}'\n"
                    f"fatal: bad config line {line} in {shown}",
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
