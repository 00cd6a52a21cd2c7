"""What blame begins with: the file as it is now, and the commits to pass over."""

from collections.abc import Sequence

from ..blame.spec import WorkFile
from ..errors import BadRequest, InvalidArgs, NotFound, NoWorkTree, SandboxViolation
from ..limits import Context
from ..paths.lexical import normal_path
from ..repo.store import Store
from ..request.text import to_bytes, to_text
from ..revs.resolve import Resolver, try_resolve
from ..worktree.convert import blob_oid, converter_of, read_work_file

__all__ = ["ignored_commits", "work_file"]

_MOST_IGNORED = 1 << 24  # bytes of one file


def ignored_commits(store: Store, revs: Sequence[str], files: Sequence[str], ctx: Context) -> frozenset[bytes]:
    """The commits that `revs` name, and those that `files` and blame.ignoreRevsFile list.

    An empty name forgets the files before it. Raises NotFound for a revision, a file or an object name that is none.
    Mirrors git-blame(1), `--ignore-rev` and `--ignore-revs-file`.
    """
    config = store.config
    ignored: set[bytes] = set()
    configured = [(to_text(name), True) for name in config.get_all("blame.ignorerevsfile")]
    for name, from_config in [*configured, *((name, False) for name in files)]:
        if not name:
            ignored.clear()
            continue
        try:
            ignored |= _listed(store, name, from_config, ctx)
        except SandboxViolation:
            if not from_config:
                raise
            ctx.note(f"blame.ignoreRevsFile was not read: {name} lies outside of the repository")
    for name in revs:
        oid = try_resolve(store, name, ctx=ctx, want="committish")
        commit = None if oid is None else Resolver(store, ctx=ctx, quiet=True).commit_of(oid)
        if commit is None:
            raise NotFound(f"cannot find revision {name} to ignore", name=name)
        ignored.add(commit)
    return frozenset(ignored)


def _listed(store: Store, name: str, configured: bool, ctx: Context) -> set[bytes]:
    base = store.work_tree if configured and store.work_tree is not None else store.cwd
    full = normal_path(base, to_bytes(name))
    data = (store.jail if configured else store.named).read_optional(full, _MOST_IGNORED)
    if data is None:
        raise NotFound(f"could not open object name list: {name}")
    listed = set()
    for line in data.split(b"\n"):
        ctx.tick()
        word = line.partition(b"#")[0].strip()
        if not word:
            continue
        try:
            oid = bytes.fromhex(word.decode())
        except ValueError:
            oid = b""
        if len(oid) != store.hash_len:
            raise NotFound(f"invalid object name: {to_text(word)}")
        listed.add(store.odb.peel(oid) if store.odb.has(oid) else oid)
    return listed


def work_file(store: Store, path: bytes, contents: str | None, ctx: Context) -> WorkFile:
    """The file as it is now, or with the `contents` of another, on top of HEAD and of what is being merged.

    Raises GitError in git's words where there is no such file, or where neither HEAD nor the index knows it. Mirrors
    git-blame(1), `--contents`.
    """
    if store.work_tree is None and contents is None:
        raise NoWorkTree("this operation must be run in a work tree")
    head = store.refs.read(b"HEAD")
    if head is None:
        raise NotFound("no such ref: HEAD")
    merging = store.jail.read_optional(store.git_path(b"MERGE_HEAD"), 1 << 16) or b""
    others = tuple(bytes.fromhex(line.decode()) for line in merging.split() if len(line) == store.hex_len)
    parents = (head, *others)
    _must_be_tracked(store, path, parents)
    if contents is not None:
        data, mode = _given_contents(store, path, contents, ctx)
    else:
        data, mode = _on_disk(store, path, ctx)
    return WorkFile(data, blob_oid(data, store.hash_name), mode, parents, lambda: frozenset(store.index.paths))


def _must_be_tracked(store: Store, path: bytes, parents: tuple[bytes, ...]) -> None:
    for parent in parents:
        entry = store.odb.entry(store.odb.commit_facts(parent)[2], path)
        if entry is not None and entry[0] & 0o170000 not in (0o040000, 0o160000):
            return
    if not store.index.has_path(path):
        raise NotFound(f"no such path '{to_text(path)}' in HEAD", path=to_text(path))


def _on_disk(store: Store, path: bytes, ctx: Context) -> tuple[bytes, int]:
    assert store.files is not None
    status = store.files.lstat(path)
    if status is None:
        raise NotFound(f"Cannot lstat '{to_text(path)}': No such file or directory", path=to_text(path))
    kind = status.st_mode & 0o170000
    if kind not in (0o100000, 0o120000):
        raise BadRequest(f"unsupported file type {to_text(path)}")
    mode = 0o120000 if kind == 0o120000 else 0o100755 if status.st_mode & 0o100 else 0o100644
    data = read_work_file(store, path, mode, ctx=ctx, warn=False)
    if data is None:
        raise NotFound(f"cannot open or read '{to_text(path)}'", path=to_text(path))
    return data, mode


def _given_contents(store: Store, path: bytes, name: str, ctx: Context) -> tuple[bytes, int]:
    if name == "-":
        raise InvalidArgs("gitglass blame does not take --contents -: standard input is not read")
    full = normal_path(store.work_tree or store.cwd, to_bytes(name))  # from the top: git has gone there already
    status = store.named.stat(full)
    if status is None:
        raise NotFound(f"Cannot stat '{name}': No such file or directory")
    if status.st_mode & 0o170000 != 0o100000:
        raise BadRequest(f"unsupported file type {name}")
    data = bytes(store.named.read(full, ctx.limits.max_object_bytes))
    mode = 0o100755 if status.st_mode & 0o100 else 0o100644
    return converter_of(store).to_git(path, data, ctx=ctx), mode
