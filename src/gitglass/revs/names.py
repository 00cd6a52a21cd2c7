"""Names of refs as people type them: `main`, `@`, `origin`, `@{-1}`, `topic@{upstream}`, `HEAD@{yesterday}`.

The meanings of a name before all `^` and `~` (gitrevisions(7)), and the upstream and push target of a branch.
"""

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import GitError, NotFound, text
from ..limits import Context, need
from ..memories import Facts
from ..refs.names import PLAIN, RULES
from ..refs.refs import check_refname, shorten
from ..refs.refspecs import fits, map_refspecs
from ..repo.store import Store
from .grammar import branch_mark, is_lone_at, prior_checkout, reflog_epoch, reflog_number
from .remotes import check_refspecs

if TYPE_CHECKING:
    from .calendar import rfc2822
    from .dates import approxidate_careful
else:
    rfc2822 = deferred(__name__, ".calendar", "rfc2822")
    approxidate_careful = deferred(__name__, ".dates", "approxidate_careful")


HEADS = b"refs/heads/"

Fits = list[tuple[bytes, bytes, bytes]]

_FITS: "Facts[tuple[bytes, bool], Fits]" = Facts("the refs that a word fits", most=1_000, each=400)
_DEEPEST = 8  # most repetitions of `@{-1}@{-1}…` in branch names of that form


def warns_of_ambiguity(store: Store) -> bool:
    """core.warnAmbiguousRefs."""
    return store.config.get_bool("core.warnambiguousrefs", True) is not False


# ------------------------------------------------------------------------------------------------- name -> refs


def expansions(name: bytes) -> list[bytes]:
    """All full ref names that `name` may be short for, in git's order of preference."""
    need(len(name) * len(RULES))
    names = [rule % name for rule in RULES]
    if PLAIN.fullmatch(name):
        return names
    return [full for full in names if check_refname(full, onelevel=True)]


def find_refs(store: Store, name: bytes, *, ctx: Context, all_of_them: bool = True) -> Fits:
    """The refs that `name` (already without marks) may mean: (the ref it leads to, its oid, the ref as expanded).

    A word is looked up twice in most commands, to distinguish it from a path and to use it. The second result is that
    of the first lookup, unless there were warnings: git repeats the lookup, and the warnings.
    """
    table = store.per_call.table(_FITS)
    earlier = table.get((name, all_of_them))
    if earlier is not None:
        return earlier
    rows: Fits = []
    warnings = len(ctx.stderr.lines)
    names = expansions(name)
    looked = store.refs.lookup_each(names) if all_of_them else zip(names, map(store.refs.lookup, names), strict=True)
    for full, led in looked:
        if led.oid is not None:
            rows.append((led.name, led.oid, full))
            if not all_of_them:
                break
        elif led.name != full and full != b"HEAD":
            ctx.warn(f"ignoring dangling symref {text(full)}")
        elif led.broken and b"/" in full:
            ctx.warn(f"ignoring broken ref {text(full)}")
    return table.put((name, all_of_them), rows) if len(ctx.stderr.lines) == warnings else rows


def dwim_ref(store: Store, name: bytes, *, ctx: Context, quiet: bool = False) -> tuple[bytes, bytes] | None:
    """`name` resolved by git's "do what I mean" rules: (full ref name, oid); warns if it may mean several refs."""
    plain = substitute(store, name, ctx=ctx, quiet=quiet)
    warn = warns_of_ambiguity(store)
    rows = find_refs(store, plain, ctx=ctx, all_of_them=warn)
    if not rows:
        return None
    if len(rows) > 1 and not quiet:
        ctx.warn(f"refname '{text(name)}' is ambiguous.")
    return rows[0][0], rows[0][1]


def warn_of_other_heads(store: Store, *, ctx: Context) -> None:
    """git's warning if it looks up HEAD as a word, and there is also a branch or tag of that name."""
    if warns_of_ambiguity(store) and len(find_refs(store, b"HEAD", ctx=ctx)) > 1:
        ctx.warn("refname 'HEAD' is ambiguous.")


def abbreviate_ref(store: Store, fullname: bytes, *, strict: bool = False) -> bytes:
    """The shortest name that still means this ref: `%(refname:short)`, `--abbrev-ref`."""
    refs = store.refs
    present: dict[bytes, bool] = {}

    def exists(name: bytes) -> bool:
        if name not in present:  # look up all refs that a short form could mean at once
            short = _shortest(fullname)
            names = [full for full in expansions(short) if full != fullname]
            present.update(dict.fromkeys(names, False))
            present.update((full, led.oid is not None) for full, led in refs.lookup_each(names))
        return present[name] if name in present else refs.exists(name)

    return shorten(fullname, exists, strict)


def similar_branches(store: Store, name: str) -> str:
    """git's addition to the error for a missing branch: the remote-tracking ones that end in its name."""
    end = b"/" + name.encode("utf-8", "surrogateescape")
    similar = [
        text(abbreviate_ref(store, ref))
        for ref, _ in store.refs.iterate(b"refs/remotes/")
        if ref.endswith(end) and b"/" not in end[1:]
    ]
    if not similar:
        return ""
    return (
        "\n\nDid you mean "
        + ("this?" if len(similar) == 1 else "one of these?")
        + "".join(f"\n\t{ref}" for ref in similar)
    )


def _shortest(fullname: bytes) -> bytes:
    """A ref's name without the prefix of its kind."""
    for front in (b"refs/remotes/", HEADS, b"refs/tags/", b"refs/"):
        if fullname.startswith(front):
            return fullname[len(front) :]
    return fullname


# --------------------------------------------------------------------------------------- @, @{-n}, @{u}, @{push}


def substitute(store: Store, name: bytes, *, ctx: Context, quiet: bool = False) -> bytes:
    """`name` with the parts replaced that depend on the repository: a branch left before, an upstream, HEAD for `@`."""
    if b"@" not in name:
        return name
    done = interpret(store, name, ctx=ctx, quiet=quiet)
    return done[1] if done is not None and done[0] == len(name) else name


def interpret(
    store: Store, name: bytes, *, ctx: Context, quiet: bool = False, depth: int = 0
) -> tuple[int, bytes] | None:
    """The length of the interpreted beginning of `name`, and its meaning; None if nothing is interpreted."""
    prior = prior_checkout(name)
    if prior is not None:
        branch = prior_branch(store, prior[0])
        if branch is None:
            return 0, b""
        return _continued(store, name, prior[1], branch, ctx=ctx, quiet=quiet, depth=depth)
    at = name.find(b"@")
    while at >= 0:
        if not at and is_lone_at(name):
            return _continued(store, name, 1, b"HEAD", ctx=ctx, quiet=quiet, depth=depth)
        mark = branch_mark(name, at)
        if mark is not None and b":" not in name[:at]:
            check_refspecs(store.config, store.hex_len)
            try:
                full = upstream(store, name[:at], push=mark[0], ctx=ctx)
            except GitError:
                if not quiet:
                    raise
            else:
                return at + mark[1], abbreviate_ref(store, full)
        at = name.find(b"@", at + 1)
    return None


def _continued(
    store: Store, name: bytes, used: int, meant: bytes, *, ctx: Context, quiet: bool, depth: int
) -> tuple[int, bytes]:
    """`meant` is the meaning of the first `used` bytes; the rest may have a mark of its own (`@{-1}@{upstream}`)."""
    rest = name[used:]
    if not rest or depth >= _DEEPEST:
        return used, meant
    again = interpret(store, meant + rest, ctx=ctx, quiet=quiet, depth=depth + 1)
    if again is None or again[0] < len(meant):
        return used, meant
    return again[0] - len(meant) + used, again[1]


def prior_branch(store: Store, back: int) -> bytes | None:
    """`@{-n}`: the branch (or detached commit, in hex) that was left n checkouts ago, according to HEAD's reflog."""
    for entry in store.reflog(b"HEAD").entries:
        message = entry.message
        if message.startswith(b"checkout: moving from "):
            left = message[22:].partition(b" to ")
            if left[1]:
                back -= 1
                if not back:
                    return left[0]
    return None


# ------------------------------------------------------------------------------------------- upstream and push


def current_branch(store: Store) -> bytes | None:
    """The short name of HEAD's branch, even an unborn one; None if HEAD is detached."""
    target = store.refs.symref(b"HEAD")
    return target[len(HEADS) :] if target is not None and target.startswith(HEADS) else None


def upstream_or_none(store: Store, branch: bytes, push: bool = False) -> bytes | None:
    """`upstream`, or None if there is none; the branch may be given by its full name."""
    try:
        return upstream(store, branch.removeprefix(HEADS), push=push)
    except GitError:
        return None


def upstream(store: Store, branch: bytes, *, push: bool = False, ctx: Context | None = None) -> bytes:
    """The full name of the ref that tracks `branch`@{upstream} (or @{push}); "" is the current branch.

    Raises `NotFound`, with git's message, if none is configured or tracked.
    """
    name: bytes | None = branch
    if not branch or branch == b"HEAD":
        name = current_branch(store)
    if name is None:
        raise NotFound("HEAD does not point to a branch")
    return _push_target(store, name) if push else _pull_target(store, name)


def _pull_target(store: Store, name: bytes) -> bytes:
    config = store.config
    remote = config.get(b"branch." + name + b".remote")
    merges = config.get_all(b"branch." + name + b".merge")
    if remote is None or not merges:
        if not store.refs.exists(HEADS + name):
            raise NotFound(f"no such branch: '{text(name)}'", branch=text(name))
        raise NotFound(f"no upstream configured for branch '{text(name)}'", branch=text(name))
    tracked = tracked_of(store, remote, merges[0])
    if tracked is None:
        raise NotFound(f"upstream branch '{text(merges[0])}' not stored as a remote-tracking branch", branch=text(name))
    return tracked


def tracked_of(store: Store, remote: bytes, source: bytes) -> bytes | None:
    """The local ref for a value of `branch.NAME.merge`; of the remote `.`, this repository, it is the value itself,
    whether there is such a ref or not. None where the remote's fetch refspecs have none."""
    tracked = tracking(store, remote, source)
    if tracked is None and remote == b".":
        refs = [full for full in expansions(source) if store.refs.read(full) is not None]
        tracked = refs[0] if len(refs) == 1 else source
    return tracked


def push_remote(store: Store, branch: bytes) -> bytes | None:
    """The remote that a branch is pushed to, where the configuration names it (a default one does not count)."""
    config = store.config
    return (
        config.get(b"branch." + branch + b".pushremote")
        or config.get(b"remote.pushdefault")
        or config.get(b"branch." + branch + b".remote")
    )


def _push_remote(store: Store, branch: bytes) -> bytes:
    """The same, or else the only remote there is, or else `origin`."""
    named = push_remote(store, branch)
    if named is not None:
        return named
    remotes = [name for name in store.config.subsections("remote") if name and not name.startswith(b"/")]
    return remotes[0] if len(remotes) == 1 else b"origin"


def pushed_as(store: Store, branch: bytes) -> bytes | None:
    """The name that a branch gets at the remote by the remote's push refspecs; None where these do not have it."""
    remote = _push_remote(store, branch)
    return map_refspecs(store.config.get_all(b"remote." + remote + b".push"), HEADS + branch)


def _push_target(store: Store, name: bytes) -> bytes:
    config = store.config
    remote = _push_remote(store, name)
    full = HEADS + name
    specs = config.get_all(b"remote." + remote + b".push")
    if specs:
        target = map_refspecs(specs, full)
        if target is None:
            raise NotFound(f"push refspecs for '{text(remote)}' do not include '{text(name)}'")
        return _tracked_push(store, remote, target)
    mode = config.get(b"push.default")
    if mode == b"nothing":
        raise NotFound("push has no destination (push.default is 'nothing')")
    if config.get_bool(b"remote." + remote + b".mirror", False) or mode in (b"matching", b"current"):
        return _tracked_push(store, remote, full)
    up = _pull_target(store, name)
    if mode in (b"upstream", b"tracking"):
        return up
    if _tracked_push(store, remote, full) != up:
        raise NotFound("cannot resolve 'simple' push to a single destination")
    return up


def _tracked_push(store: Store, remote: bytes, full: bytes) -> bytes:
    tracked = tracking(store, remote, full)
    if tracked is None:
        raise NotFound(f"push destination '{text(full)}' on remote '{text(remote)}' has no local tracking branch")
    return tracked


def tracking(store: Store, remote: bytes, source: bytes) -> bytes | None:
    """The local ref that follows `source` of `remote`, by the remote's fetch refspecs."""
    return map_refspecs(store.config.get_all(b"remote." + remote + b".fetch"), source)


def fetched_from(store: Store, ref: bytes) -> tuple[bytes, bytes] | None:
    """(remote, ref there) that a local ref follows, by the fetch refspecs of all remotes; None unless there is exactly
    one."""
    sources = fetched_from_all(store, ref)
    return sources[0] if len(sources) == 1 else None


def fetched_from_all(store: Store, ref: bytes) -> list[tuple[bytes, bytes]]:
    """Every (remote, ref there) that the fetch refspecs put at a local ref."""
    sources: list[tuple[bytes, bytes]] = []
    for remote in store.config.subsections("remote"):
        for spec in store.config.get_all(b"remote." + remote + b".fetch"):
            from_, colon, to = spec.removeprefix(b"+").partition(b":")
            middle = fits(to, ref) if colon and not spec.startswith(b"^") else None
            if middle is not None:
                sources.append((remote, from_.replace(b"*", middle, 1)))
    return sources


# ------------------------------------------------------------------------------------------------------ reflog


def find_log(store: Store, name: bytes, *, ctx: Context, quiet: bool = False) -> tuple[bytes, bytes, int] | None:
    """The ref of the reflog in `name@{…}`: (ref with the log, the ref's oid, the number of refs that the name may
    mean)."""
    plain = substitute(store, name, ctx=ctx, quiet=quiet)
    logs: list[tuple[bytes, bytes]] = []
    for full in expansions(plain):
        final, oid = store.refs.resolve(full)
        if oid is None:
            continue
        if store.reflog(full).exists:
            logs.append((full, oid))
        elif final != full and store.reflog(final).exists:
            logs.append((final, oid))
    return (*logs[0], len(logs)) if logs else None


def at_reflog(
    store: Store, name: bytes, ref: bytes, oid: bytes, select: bytes, *, ctx: Context, quiet: bool = False
) -> bytes | None:
    """The object that `ref` pointed at, `select` entries ago or at that time. `oid` is its current value, `name` the
    typed name.

    Raises `NotFound` ("log for 'x' only has n entries") and warns "log for 'x' only goes back to …"; None if the text
    in braces is no date.
    """
    entries = store.reflog(ref).entries
    number = reflog_number(select)
    if number == 0:
        return entries[0].new if entries else oid
    shown = text(name) if name else text(ref.removeprefix(HEADS)) if ref.startswith(HEADS) else "HEAD"
    if number is None:
        when = reflog_epoch(select)
        if when is None:
            when = approxidate_careful(select, ctx.now)
        if when is None:
            return None
        return _at_time(store, shown, ref, oid, when, ctx=ctx, quiet=quiet)
    return _at_time(store, shown, ref, oid, 0, number, ctx=ctx, quiet=quiet)


def _at_time(
    store: Store, shown: str, ref: bytes, oid: bytes, when: int, number: int = 0, *, ctx: Context, quiet: bool
) -> bytes:
    """The value at a time, or `number` entries ago. Strange but git's: of an entry that begins at nothing no value is
    taken but that of the next one that has any; and a time before such an entry gives the current value."""
    entries = store.reflog(ref).entries
    if not entries:
        raise NotFound("" if quiet else f"log for {text(ref)} is empty")
    later = store.null
    for at, entry in enumerate(entries, 1):
        ctx.tick()
        reached = 0 < number <= at and entry.old != store.null
        if reached or entry.time <= when:
            if later not in (store.null, entry.new):
                ctx.warn(f"log for ref {text(ref)} has gap after {rfc2822(entry.time, entry.tz)}")
            if reached:
                return entry.old
            if later != store.null or entry.time == when:
                return entry.new
            if entry.new != oid:
                ctx.warn(f"log for ref {text(ref)} unexpectedly ended on {rfc2822(entry.time, entry.tz)}")
            return oid
        later = entry.old
    if when == 0:  # strange but git's: `@{never}` is taken for a number
        raise NotFound("" if quiet else f"log for '{shown}' only has {len(entries)} entries", entries=len(entries))
    oldest = entries[-1]
    if not quiet:
        ctx.warn(f"log for '{shown}' only goes back to {rfc2822(oldest.time, oldest.tz)}")
    return oldest.new if oldest.old == store.null else oldest.old
