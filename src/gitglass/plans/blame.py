"""The commits that blame passes over: --ignore-rev, --ignore-revs-file and blame.ignoreRevsFile."""

from collections.abc import Sequence

from ..errors import NotFound, SandboxViolation
from ..limits import Context
from ..paths.lexical import normal_path
from ..repo.store import Store
from ..request.text import to_bytes, to_text
from ..revs.resolve import Resolver, try_resolve

__all__ = ["ignored_commits"]

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
