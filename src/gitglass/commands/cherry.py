"""git cherry: which commits of a branch are already upstream, compared by their changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, MissingObject, NotFound, WrongKind
from ..history.cherry import PatchIds
from ..history.pipeline import walk
from ..history.spec import Tip, WalkSpec
from ..history.walk import Walk
from ..limits import Context
from ..objects.parsed import Commit
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.message import subject_line
from ..render.style import Style
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_text
from ..revs.abbrev import Abbreviator, automatic_length
from ..revs.names import current_branch, upstream_or_none
from ..revs.resolve import try_resolve
from .command import Command

USAGE = "usage: git cherry [-v] [<upstream> [<head> [<limit>]]]"


@typed_row
class CherryRow:
    """A commit; `upstream` says whether its change is already there."""

    oid: str
    upstream: bool
    subject: str


class CherryResult(Result):
    """The commits of the branch, oldest first."""

    commits: list[CherryRow] = Field(default_factory=list, description="Commits that are not in upstream by name.")


class CherryRequest(Request[CherryResult]):
    """`git cherry`: the commits that are not yet applied upstream."""

    upstream: str | None = Field(None, description="Where to look; the upstream of the current branch.")
    head: str = Field("HEAD", description="The branch.")
    limit: str | None = Field(None, description="Leave out commits up to this one.")
    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="Show the subjects.")
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=-1, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Abbreviate object names.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind up to three words: upstream, head, limit. Strange but git's: more words count as none."""
    given = words.before + words.after
    if len(given) > 3:
        return
    values.update(zip(("upstream", "head", "limit"), given, strict=False))


class Cherries:
    """(oid of a commit, whether upstream has the change), oldest first. Commits are read only if their content is
    needed."""

    __slots__ = ("commit", "rows")

    def __init__(self, rows: list[tuple[bytes, bool]], commit: Callable[[bytes], Commit]) -> None:
        self.rows, self.commit = rows, commit


def run(store: Store, request: CherryRequest, ctx: Context) -> Cherries:
    """The commits of the branch that are not in upstream. Raises NotFound "unknown commit x"."""
    name = _upstream(store, request)
    head = _commit(store, request.head, ctx)  # git reports an error of this one first
    upstream = _commit(store, name, ctx)
    if upstream == head:
        return Cherries([], store.odb.commit)
    excluded = [upstream]
    if request.limit is not None:
        excluded.append(_commit(store, request.limit, ctx))
    theirs, edge = _between(store, [upstream], [head], ctx)
    mine = _not_common(store, _between(store, [head], excluded, ctx)[0], edge | {upstream}, ctx)
    ids = PatchIds(Walk(store, WalkSpec(raw=False), ctx))
    outlines: dict[bytes, list[bytes]] = {}
    for oid in theirs:
        outlines.setdefault(ids.outline(oid), []).append(oid)

    def is_there(oid: bytes) -> bool:
        alike = outlines.get(ids.outline(oid), ()) if outlines else ()
        return any(ids.full(other) == ids.full(oid) for other in alike)

    return Cherries([(oid, is_there(oid)) for oid in reversed(mine)], store.odb.commit)


def _upstream(store: Store, request: CherryRequest) -> str:
    if request.upstream is not None:
        return request.upstream
    branch = current_branch(store)
    name = None if branch is None else upstream_or_none(store, branch)
    if name is None:
        raise BadRequest(
            f"Could not find a tracked remote branch, please specify <upstream> manually.\n{USAGE}",
            prefix="",
            status=129,
        )
    return to_text(name)


def _commit(store: Store, name: str, ctx: Context) -> bytes:
    oid = try_resolve(store, name, ctx=ctx)
    if oid is None:
        raise NotFound(f"unknown commit {name}", revision=name)
    try:
        return store.odb.peel(oid, b"commit")
    except (WrongKind, MissingObject) as error:
        if isinstance(error, WrongKind):
            ctx.say(error.words())
        raise NotFound(f"unknown commit {name}", revision=name) from None


def _between(store: Store, include: list[bytes], exclude: list[bytes], ctx: Context) -> tuple[list[bytes], set[bytes]]:
    """Commits without merges, newest first; and the parents of all, merges as well."""
    tips = [Tip(oid) for oid in include] + [Tip.excluded(oid) for oid in exclude]
    listed, above = list[bytes](), set[bytes]()
    for entry in walk(store, tips, WalkSpec(raw=False), ctx=ctx):
        above.update(entry.parents)
        if len(entry.parents) < 2:
            listed.append(entry.oid)
    return listed, above


def _not_common(store: Store, commits: list[bytes], edge: set[bytes], ctx: Context) -> list[bytes]:
    """The commits without those that upstream reaches (the `edge`, and what is above it): where dates lie, a walk may
    show some; but git walks from upstream before, so that it knows all of these then."""
    common = edge.intersection(commits)
    if not common:
        return commits
    parents_of = store.odb.parents_reader()
    waiting, shown = list(common), set(commits)
    while waiting:
        ctx.tick()
        fresh = shown.intersection(parents_of(waiting.pop())) - common
        common |= fresh
        waiting += fresh
    return [oid for oid in commits if oid not in common]


def collect(cherries: Cherries, request: CherryRequest) -> CherryResult:
    """The typed result."""
    commit = cherries.commit
    rows = [CherryRow(oid.hex(), there, to_text(subject_line(commit(oid), b""))) for oid, there in cherries.rows]
    return CherryResult(commits=rows)


def render(cherries: Cherries, request: CherryRequest, style: Style) -> Iterator[bytes]:
    """`+ <hash>` for changes that upstream lacks, `- <hash>` for changes that it has."""
    store = style.store
    length = request.abbrev or 0
    if length < 0:  # core.abbrev is ignored here, as in git
        length = automatic_length(store.odb.names.count_estimate())
    name, encoding = Abbreviator(store, length), b"UTF-8"  # git reads no settings here
    for oid, there in cherries.rows:
        line = (b"- " if there else b"+ ") + name(oid)
        if request.verbose:
            line += b" " + subject_line(cherries.commit(oid), encoding)
        yield line + b"\n"


COMMAND = Command("cherry", CherryRequest, CherryResult, run, collect, render, bind=bind, usage=USAGE)
