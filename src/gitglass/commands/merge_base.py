"""git merge-base: the best common ancestors of commits."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any, Literal
from ..errors import BadRequest, InvalidArgs, NotFound
from ..graph.merge_base import independent, is_ancestor, merge_bases, octopus_bases
from ..limits import Context
from ..plans.positionals import Positionals
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..revs.names import dwim_ref
from ..revs.resolve import try_resolve
from .command import Command

USAGE = """\
usage: git merge-base [-a | --all] <commit> <commit>...
   or: git merge-base [-a | --all] --octopus <commit>...
   or: git merge-base --is-ancestor <commit> <commit>
   or: git merge-base --independent <commit>...
   or: git merge-base --fork-point <ref> [<commit>]

    -a, --all             output all common ancestors
    --octopus             find ancestors for a single n-way merge
    --independent         list revs not reachable from others
    --is-ancestor         is the first one ancestor of the other?
    --fork-point          find where <commit> forked from reflog of <ref>
"""

#: mode → (fewest, most) arguments
ARGUMENTS = {
    None: (2, None),
    "octopus": (0, None),
    "independent": (0, None),
    "is-ancestor": (2, 2),
    "fork-point": (1, 2),
}


def _mode(word: str) -> Flag:
    """An option that excludes the other modes."""

    return Flag(f"--{word}", const=word, mode="mode")


class MergeBaseResult(Result):
    """The common ancestors, best first; or the answer to --is-ancestor."""

    bases: list[str] = Field(default_factory=list, description="Object names of the commits found.")
    is_ancestor: bool | None = Field(None, description="Whether the first commit is an ancestor of the second.")


class MergeBaseRequest(Request[MergeBaseResult]):
    """`git merge-base`: the commits where lines of history diverged."""

    revs: list[str] = Field(default_factory=list, description="The commits, e.g. ['main', 'topic'].")
    all: Annotated[bool, Flag("-a", "--all", no=True)] = Field(False, description="Every best ancestor, not only one.")
    mode: Annotated[
        Literal["octopus", "independent", "is-ancestor", "fork-point"] | None,
        _mode("octopus"),
        _mode("independent"),
        _mode("is-ancestor"),
        _mode("fork-point"),
    ] = Field(
        None,
        description="'octopus': of all commits together; 'independent': those no other reaches; 'is-ancestor': whether "
        "the first is an ancestor of the second; 'fork-point': where the second left the reflog of the first, a ref.",
    )


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as commits."""
    values["revs"] = words.before + words.after


def run(store: Store, request: MergeBaseRequest, ctx: Context) -> list[bytes]:
    """The resulting commits, as oids. Raises NotFound "Not a valid object name x", InvalidArgs with the usage."""
    fewest, most = ARGUMENTS[request.mode]
    many = most is not None and len(request.revs) > most
    if len(request.revs) < fewest or (many and request.mode != "is-ancestor"):
        raise InvalidArgs(USAGE, prefix="")
    if request.mode in ("is-ancestor", "independent") and request.all:
        raise BadRequest(f"options '--{request.mode}' and '--all' cannot be used together")
    if many:
        raise BadRequest("--is-ancestor takes exactly two commits")
    commits = _find(store, request, ctx)
    if not commits:
        ctx.exit_status = 1
    return commits


def _find(store: Store, request: MergeBaseRequest, ctx: Context) -> list[bytes]:
    if request.mode == "fork-point":
        return _fork_point(store, request.revs, ctx)
    backwards = -1 if request.mode in ("octopus", "independent") else 1  # the order in which git reports errors
    commits = [_commit(store, rev, ctx) for rev in request.revs[::backwards]][::backwards]
    if request.mode == "is-ancestor":
        return commits[:1] if is_ancestor(store, commits[0], commits[1], ctx=ctx) else []
    if request.mode == "independent":
        return independent(store, commits, ctx=ctx)
    if request.mode == "octopus":
        bases = octopus_bases(store, commits, ctx=ctx)
    else:
        bases = merge_bases(store, commits[0], commits[1:], ctx=ctx)
    return bases if request.all else bases[:1]


def _commit(store: Store, rev: str, ctx: Context) -> bytes:
    oid = try_resolve(store, rev, ctx=ctx)
    if oid is None:
        raise NotFound(f"Not a valid object name {rev}", revision=rev)
    if not store.odb.has(oid):
        raise NotFound(f"Not a valid commit name {rev}", revision=rev)
    end = store.odb.peel(oid)
    kind = store.odb.kind(end)
    if kind != b"commit":
        ctx.say(f"error: object {end.hex()} is a {kind.decode()}, not a commit\n".encode())
        raise NotFound(f"Not a valid commit name {rev}", revision=rev)
    return end


def _fork_point(store: Store, revs: list[str], ctx: Context) -> list[bytes]:
    """The commit, among those that a ref has pointed at, from which another one forked."""
    name = revs[1] if len(revs) == 2 else "HEAD"
    derived = try_resolve(store, name, ctx=ctx)
    if derived is None:
        raise NotFound(f"Not a valid object name: '{name}'", revision=name)
    named = dwim_ref(store, revs[0].encode("utf-8", "surrogateescape"), ctx=ctx)
    if named is None:
        raise NotFound(f"No such ref: '{revs[0]}'", revision=revs[0])
    if not store.odb.has(derived):
        return []
    derived = store.odb.peel(derived)
    points: dict[bytes, None] = {}
    entries = list(store.reflog(named[0]).entries)
    for entry in reversed(entries):
        for oid in (entry.old, entry.new) if not points else (entry.new,):
            if oid != store.null and store.odb.has(oid) and store.odb.kind(oid) == b"commit":
                points[oid] = None
    if not points:
        if not store.odb.has(named[1]):
            ctx.say(b"error: Could not read %s\n" % named[1].hex().encode())
            return []
        if store.odb.kind(named[1]) != b"commit":  # git does not dereference a tag here
            ctx.say(b"error: Object %s not a commit\n" % named[1].hex().encode())
            return []
        points[named[1]] = None
    bases = merge_bases(store, derived, list(points), ctx=ctx)
    return bases if len(bases) == 1 and bases[0] in points else []


def collect(entries: list[bytes], request: MergeBaseRequest) -> MergeBaseResult:
    """The typed result."""
    if request.mode == "is-ancestor":
        return MergeBaseResult(is_ancestor=bool(entries))
    return MergeBaseResult(bases=[oid.hex() for oid in entries])


def render(entries: list[bytes], request: MergeBaseRequest, style: Style) -> Iterator[bytes]:
    """One object name on each line; --is-ancestor only sets the exit status."""
    if request.mode != "is-ancestor":
        for oid in entries:
            yield oid.hex().encode() + b"\n"


COMMAND = Command("merge-base", MergeBaseRequest, MergeBaseResult, run, collect, render, bind=bind, usage=USAGE)
