"""The version that blame starts from, the range of commits, and the ignored commits (--ignore-rev,
blame.ignoreRevsFile)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING
from ..blame.spec import WorkFile
from ..deferred import deferred
from ..errors import BadRequest, Corrupt, InvalidArgs, MissingObject, NotFound, NoWorkTree, SandboxViolation, text
from ..limits import Context
from ..paths.lexical import normal_path
from ..records import record
from ..repo.store import Store
from ..request.text import to_bytes, to_text
from ..revs.tip import Tips
from ..worktree.convert import blob_oid, converter_of, read_work_file

if TYPE_CHECKING:
    from ..history.order.excluded import apart_test, excludes_only
    from ..history.pipeline import walk, walk_oids
    from ..history.spec import Tip, WalkSpec
    from ..revs.dates import approxidate
    from ..revs.resolve import Resolver, try_resolve
else:
    apart_test, excludes_only = deferred(__name__, "..history.order.excluded", "apart_test", "excludes_only")
    walk, walk_oids = deferred(__name__, "..history.pipeline", "walk", "walk_oids")
    Tip, WalkSpec = deferred(__name__, "..history.spec", "Tip", "WalkSpec")
    approxidate = deferred(__name__, "..revs.dates", "approxidate")
    Resolver, try_resolve = deferred(__name__, "..revs.resolve", "Resolver", "try_resolve")

__all__ = ["History", "blame_start", "ignored_commits"]

_MOST_IGNORED = 1 << 24  # bytes of one file


def ignored_commits(store: Store, revs: Sequence[str], files: Sequence[str], ctx: Context) -> frozenset[bytes]:
    """The commits that `revs` name, and those listed in `files` and blame.ignoreRevsFile.

    An empty name discards the files before it. Raises NotFound for an invalid revision, file or object name. Mirrors
    git-blame(1), `--ignore-rev` and `--ignore-revs-file`.
    """
    config = store.config
    ignored: set[bytes] = set()
    configured = [(to_text(name), True) for name in config.get_paths("blame.ignorerevsfile")]
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
    full = normal_path(store.work_tree or store.cwd, to_bytes(name))  # the option's too: git has changed to the top
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
            raise NotFound(f"invalid object name: {text(word)}")
        listed.add(store.odb.peel(oid) if store.odb.has(oid) else oid)
    return listed


# ------------------------------------------------------------------------------------------------- what it begins with


@record(frozen=True)
class History:
    """The part of history that blame looks at: see BlameSpec."""

    name: bytes = b""
    interesting: Callable[[bytes], bool] | None = None
    children: dict[bytes, list[bytes]] | None = None


def blame_start(
    store: Store,
    path: bytes,
    named: Tips,
    *,
    reverse: bool,
    first_parent: bool,
    contents: str | None,
    since: str | None,
    ctx: Context,
) -> tuple[bytes, WorkFile | None, History]:
    """The commit to start from, or the null oid with the work tree's file; and the part of history to look at.

    Raises BadRequest and NotFound, with git's messages, for an invalid start.
    """
    if reverse:
        if contents is not None:
            raise BadRequest("--contents and --reverse do not blend well.")
        start, children = _reversed_start(store, named, first_parent, ctx)
        name = next((tip.name for tip in named.entries if tip.commit == start), b"")
        return start, None, History(name, children=children)
    positive: list[tuple[bytes, bytes]] = []
    excluded = named.exclude
    hidden = {tip.oid for tip in named.entries if tip.exclude}
    for tip in named.entries:
        if tip.exclude or tip.oid in hidden:  # also if it is both; a tag of it is another object
            continue
        if tip.commit is None:
            raise BadRequest(f"Non commit {text(tip.name)}?")
        if positive:
            raise BadRequest(f"More than one commit to dig from {text(tip.name)} and {text(positive[0][1])}?")
        positive.append((tip.commit, tip.name))
    if contents is not None and (positive or (store.bare and store.refs.read(b"HEAD"))):  # a bare one begins at HEAD
        raise BadRequest("cannot use --contents with final commit object name")
    name = positive[0][1] if positive else b""
    work = None if positive else _work_file(store, path, contents, ctx)
    start = positive[0][0] if positive else store.null
    oldest = None if since is None else approxidate(to_bytes(since), ctx.now)
    if excluded or oldest is not None:
        begin = work.parents if work is not None else (start,)
        walk_tips = [Tip(oid) for oid in begin] + [Tip.excluded(oid) for oid in excluded]
        walked = WalkSpec(max_age=oldest, limited=True, first_parent=first_parent, raw=False)

        def all_of_them() -> set[bytes]:
            return set(walk_oids(store, walk_tips, walked, ctx=ctx))

        if not excludes_only(walk_tips, walked):
            return start, work, History(name, all_of_them().__contains__)
        return start, work, History(name, apart_test(store, walk_tips, ctx, all_of_them))
    return start, work, History(name)


def _reversed_start(
    store: Store, named: Tips, first_parent: bool, ctx: Context
) -> tuple[bytes, dict[bytes, list[bytes]]]:
    """--reverse: start from the only excluded commit; and the children of the commits after it."""
    hidden = {tip.oid for tip in named.entries if tip.exclude}
    excluded = [tip for tip in named.entries if tip.oid in hidden]  # a tag is another object than its commit
    bottoms = [tip.commit for tip in excluded if tip.commit is not None]
    include = named.include
    if len(excluded) > 1:  # Strange but git's: it names the second first
        raise BadRequest(
            f"More than one commit to dig up from, {to_text(excluded[1].name)} and {to_text(excluded[0].name)}?"
        )
    if not bottoms:
        head = store.refs.read(b"HEAD")
        if len(include) != 1 or head is None:
            raise NotFound("No commit to dig up from?")
        bottoms, include = include, [head]
    start = bottoms[0]
    children: dict[bytes, list[bytes]] = {}
    if first_parent:
        _first_parent_chain(store, start, include, children, ctx)
        return start, children
    tips_of_walk = [Tip.excluded(start)] + [Tip(oid) for oid in include]
    for entry in walk(store, tips_of_walk, WalkSpec(limited=True, raw=False), ctx=ctx):
        for parent in store.odb.commit_facts(entry.oid)[0]:
            children.setdefault(parent, []).insert(0, entry.oid)
    return start, children


def _first_parent_chain(
    store: Store, start: bytes, include: list[bytes], children: dict[bytes, list[bytes]], ctx: Context
) -> None:
    if len(set(include)) != 1:
        raise BadRequest("--reverse and --first-parent together require specified latest commit")
    commit = include[0]
    while commit != start:
        ctx.tick()
        parents = store.odb.commit_facts(commit)[0]
        if not parents:
            raise BadRequest("--reverse --first-parent together require range along first-parent chain")
        children[parents[0]] = [commit]
        commit = parents[0]


# ------------------------------------------------------------------------------------------------------- work tree


def _work_file(store: Store, path: bytes, contents: str | None, ctx: Context) -> WorkFile:
    """The file as it is now, on top of HEAD and of the commits being merged."""
    if store.work_tree is None and contents is None:
        raise NoWorkTree("this operation must be run in a work tree")
    head = store.refs.read(b"HEAD")
    if head is None:
        raise NotFound("no such ref: HEAD")
    merging = store.jail.read_optional(store.git_path(b"MERGE_HEAD"), 1 << 16) or b""
    others = [bytes.fromhex(line.decode()) for line in merging.split() if len(line) == store.hex_len]
    parents = tuple(_parent(store, oid) for oid in (head, *others))
    _must_be_tracked(store, path, parents)
    if contents is not None:
        data, mode = _given_contents(store, path, contents, ctx)
    else:
        data, mode = _on_disk(store, path, ctx)
    return WorkFile(data, blob_oid(data, store.hash_name), mode, parents, lambda: frozenset(store.index.paths))


def _parent(store: Store, oid: bytes) -> bytes:
    """The commit that HEAD or MERGE_HEAD names, perhaps by way of a tag; it is there, whatever a commit-graph says."""
    try:
        return store.odb.peel(oid, b"commit")
    except (Corrupt, MissingObject):
        raise NotFound(f"no such commit {oid.hex()}") from None


def _must_be_tracked(store: Store, path: bytes, parents: tuple[bytes, ...]) -> None:
    for parent in parents:
        entry = store.odb.entry(store.odb.commit_facts(parent)[2], path)
        if entry is not None and entry[0] & 0o170000 not in (0o040000, 0o160000):
            return
    if not store.index.has_path(path):
        raise NotFound(f"no such path '{text(path)}' in HEAD", path=to_text(path))


def _on_disk(store: Store, path: bytes, ctx: Context) -> tuple[bytes, int]:
    assert store.files is not None
    status = store.files.lstat(path)
    if status is None:
        raise NotFound(f"Cannot lstat '{text(path)}': No such file or directory", path=to_text(path))
    kind = status.st_mode & 0o170000
    if kind not in (0o100000, 0o120000):
        raise BadRequest(f"unsupported file type {text(path)}")
    mode = 0o120000 if kind == 0o120000 else 0o100755 if status.st_mode & 0o100 else 0o100644
    data = read_work_file(store, path, mode, ctx=ctx, warn=False)
    if data is None:
        raise NotFound(f"cannot open or read '{text(path)}'", path=to_text(path))
    return data, mode


def _given_contents(store: Store, path: bytes, name: str, ctx: Context) -> tuple[bytes, int]:
    if name == "-":
        raise InvalidArgs("gitglass blame does not take --contents -: standard input is not read")
    full = normal_path(store.work_tree or store.cwd, to_bytes(name))  # from the top, which git has changed to already
    status = store.named.stat(full)
    if status is None:
        raise NotFound(f"Cannot stat '{name}': No such file or directory")
    if status.st_mode & 0o170000 != 0o100000:
        raise BadRequest(f"unsupported file type {name}")
    data = bytes(store.named.read(full, ctx.limits.max_object_bytes))
    mode = 0o100755 if status.st_mode & 0o100 else 0o100644
    return converter_of(store).to_git(path, data, ctx=ctx), mode
