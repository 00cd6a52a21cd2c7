"""compare: merge base, ahead and behind, and changed files of two commits. gitglass's own; git has no such command.

It shows the merge base, how many commits each has since, which commits only one of them has, and which files `head`
changed since then: the output of `git merge-base`, `git rev-list --left-right --count BASE...HEAD`, `git log
BASE..HEAD` and `git diff BASE...HEAD` in one answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import InvalidArgs
from ..graph.merge_base import ahead_behind, merge_bases
from ..limits import Context, shorten
from ..plans.positionals import Positionals
from ..plans.words import split
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag, number
from ..request.request import Pathspecs, Request
from ..request.rows.commit import CommitRow
from ..request.rows.diff import DiffTotals, FileChange
from ..request.rows.page import Page
from ..request.text import to_bytes
from ..revs.abbrev import abbrev
from ..revs.resolve import resolve_commit
from ..revs.tip import Tip, Tips
from . import diff, log
from .command import Command


class CompareResult(Page):
    """The relation of `head` to `base`. `truncated` says that there are more commits than were listed."""

    base: str = Field(description="The commit that `base` names.")
    head: str = Field(description="The commit that `head` names.")
    merge_bases: list[str] = Field(description="Where their histories parted, best first; none: they share nothing.")
    ahead: int = Field(description="How many commits only head has.")
    behind: int = Field(description="How many commits only base has.")
    commits: list[CommitRow] = Field(description="Commits that only head has, in the order of git log.")
    behind_commits: list[CommitRow] = Field(description="Commits that only base has.")
    files: list[FileChange] = Field(description="What head changed since the first merge base (without one: to base).")
    totals: DiffTotals = Field(description="Sums over all files.")


class CompareRequest(Request[CompareResult], Pathspecs):
    """The relation of two commits. `paths` limit the files and the commits listed, not the counts."""

    base: str = Field(description="The commit to compare with, e.g. 'main'.")
    head: str = Field("HEAD", description="The commit that is compared, e.g. 'topic'.")
    max_count: Annotated[int, Flag("-n", "--max-count", value="number", parse=number("max-count"))] = Field(
        100, ge=0, description="At most so many commits on each side."
    )
    find_renames: Annotated[bool, Flag("--renames", no=True)] = Field(True, description="Tell renames of files.")


@typed_row
class Comparison:
    """The result. The files are compared when they are requested."""

    store: Store
    ctx: Context
    base: bytes
    head: bytes
    bases: list[bytes]
    ahead: int
    behind: int

    def commits(self, request: CompareRequest, since: bytes, until: bytes) -> list[CommitRow]:
        """Commits that `until` reaches and `since` does not; one more than requested, if there is one."""
        most = request.max_count + 1
        asked = log.LogRequest(revs=[f"{since.hex()}..{until.hex()}"], paths=request.paths, max_count=most)
        plan = log.run(self.store, asked, self.ctx, _range(since, until))
        row = log.row_maker(self.store, asked, self.ctx)
        return [row(entry.walked.commit) for entry in plan.entries if not entry.hidden]

    def files(self, request: CompareRequest) -> diff.DiffResult:
        """The changes from the first merge base to `head`."""
        since = self.bases[0] if self.bases else self.base
        revs = [since.hex(), self.head.hex()]
        detect = "renames" if request.find_renames else "no"
        asked = diff.DiffRequest.model_validate({"revs": revs, "paths": request.paths, "detect": detect})
        return diff.collect(diff.run(self.store, asked, self.ctx, _range(since, self.head, exclude=False)), asked)


def _range(one: bytes, other: bytes, *, exclude: bool = True) -> Tips:
    """Two commits in the form of resolved names."""
    first = Tip(one, one, one.hex().encode(), exclude=exclude, bottom=exclude)
    return Tips((first, Tip(other, other, other.hex().encode())), ranged=exclude)


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind BASE [HEAD] [--] [PATH…]; BASE...HEAD is one word for both."""
    assert store is not None
    first = words.before[0] if words.before else ""
    left, dots, right = first.partition("...")
    if dots and left:
        words.before[:1] = [left, right or "HEAD"]
    revs, paths = split(words, store, ctx)
    if not 1 <= len(revs) <= 2:
        raise InvalidArgs("one or two commits are compared: compare <base> [<head>] [--] [<path>...]")
    values["base"], values["paths"] = revs[0], paths
    if len(revs) == 2:
        values["head"] = revs[1]


def run(store: Store, request: CompareRequest, ctx: Context, named: Tips | None = None) -> Comparison:
    """Resolve both, if they are not resolved yet, and count. Raises NotFound for a word that names no commit."""
    commits = {} if named is None else {tip.name: tip.commit for tip in named.entries if not tip.exclude}
    words = (to_bytes(request.base), to_bytes(request.head))
    base, head = (commits.get(word) or resolve_commit(store, word, ctx=ctx) for word in words)
    bases = merge_bases(store, head, [base], ctx=ctx)
    ahead, behind = ahead_behind(store, head, base, ctx=ctx)
    return Comparison(store, ctx, base, head, bases, ahead, behind)


def collect(comparison: Comparison, request: CompareRequest) -> CompareResult:
    """The typed result."""
    commits = comparison.commits(request, comparison.base, comparison.head) if comparison.ahead else []
    others = comparison.commits(request, comparison.head, comparison.base) if comparison.behind else []
    files = comparison.files(request)
    cut = max(len(commits), len(others)) > request.max_count
    shorten(commits, request.max_count)
    shorten(others, request.max_count)
    return CompareResult(
        base=comparison.base.hex(),
        head=comparison.head.hex(),
        merge_bases=[oid.hex() for oid in comparison.bases],
        ahead=comparison.ahead,
        behind=comparison.behind,
        commits=commits,
        behind_commits=others,
        files=files.files,
        totals=files.totals,
        truncated=cut,
        reason="max_count" if cut else None,
        notes=list(comparison.ctx.notes),
    )


def render(comparison: Comparison, request: CompareRequest, style: Style) -> Iterator[bytes]:
    """gitglass's own lines: the commits, the counts, `>` commits of head, `<` commits of base, then the files."""
    answer = collect(comparison, request)
    yield b"base %s\nhead %s\n" % (answer.base.encode(), answer.head.encode())
    yield from (b"merge-base %s\n" % oid.encode() for oid in answer.merge_bases)
    yield b"ahead %d, behind %d\n" % (comparison.ahead, comparison.behind)
    for sign, rows in ((b">", answer.commits), (b"<", answer.behind_commits)):
        if rows:
            yield b"\n"
        for row in rows:
            name = abbrev(comparison.store, bytes.fromhex(row.oid), None)
            yield b"%s %s %s\n" % (sign, name, to_bytes(row.subject))
    if answer.files:
        yield b"\n"
    for one in answer.files:
        counts = b"+%d -%d" % (one.added, one.deleted) if one.added is not None and one.deleted is not None else b"-"
        path = style.quote(to_bytes(one.path))
        old = style.quote(to_bytes(one.old_path)) + b" => " if one.old_path and one.old_path != one.path else b""
        yield b"%s\t%s\t%s%s\n" % (to_bytes(one.status), counts, old, path)


COMMAND = Command(
    "compare",
    CompareRequest,
    CompareResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="how two commits stand to each other (gitglass's own)",
    usage="git compare [-n <number>] <base> [<head>] [--] [<path>...]",
)
