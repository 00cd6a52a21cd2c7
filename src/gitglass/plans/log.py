"""Plans a log: from the options that git log, show, stash list and reflog share to commits, diffs and git's bytes.

`LogOptions` are the options, `plan_log` puts walk, filters and diffs together, `write_log` prints. The walk begins with
the first of the plan's entries.
"""

from collections.abc import Callable, Iterator
from functools import partial

from ..annotations import TYPE_CHECKING, Annotated, Protocol
from ..deferred import deferred
from ..diff.spec import CHECK_FAILED, DiffSpec, Formats
from ..errors import BadRequest, NotFound, text
from ..history.log_diff import LogDiffs, LogDiffSpec, LogEntry, Part, log_entries
from ..history.pipeline import walk, walk_rows
from ..history.spec import BOUNDARY, Quota, Tip, WalkEntry, WalkRow, WalkSpec
from ..limits import Context
from ..paths.pathspec import Pathspecs as PathMatcher
from ..records import replace, typed_row
from ..render.log.formats import PrettyFormat
from ..render.log.log import DiffWriter, LogShape, LogWriter
from ..render.log.pretty import Printer, chosen_format, make_printer, output_encoding, shown_notes, template_of
from ..render.log.rows import RowPrinter, batches
from ..render.message import join_lines, split_subject
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field, altered
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..request.pretty import PrettyOptions
from ..request.request import Pathspecs
from ..request.revision import WalkOptions
from ..request.text import to_bytes
from ..revs.abbrev import Abbreviator
from ..revs.tip import Tips
from .diff import DIFF_FIELDS, LOG_SETTINGS, check_log_settings, diff_spec
from .ignored_diff_options import named_objects
from .walk import commit_matcher, parse_pathspecs, walk_spec, walk_tips
from .words import order_of

if TYPE_CHECKING:
    from ..diff.changes import Change, Contents
    from ..diff.combined import CombinedPath
    from ..diff.diffcore import warn_rename_limit
    from ..history.line_log import LineHit, LineLog
    from ..history.matching import CommitMatcher, MatchSpec
    from ..history.reflogs import walk_reflogs
    from ..render.diff.combined import write_combined
    from ..render.diff.formats import write_diff
    from ..render.log.decorate import decorations_of
    from ..render.log.graph import Graph
    from ..render.log.line_log import write_line_log
    from ..render.log.placeholders import needs
    from ..render.submodule_merges import opener
    from ..revs.reflogs import reflog_cursors, walked_beside
    from .conflict import conflict_sides
    from .log_rows import with_changes
else:
    Change, Contents = deferred(__name__, "..diff.changes", "Change", "Contents")
    CombinedPath = deferred(__name__, "..diff.combined", "CombinedPath")
    warn_rename_limit = deferred(__name__, "..diff.diffcore", "warn_rename_limit")
    decorations_of = deferred(__name__, "..render.log.decorate", "decorations_of")
    needs = deferred(__name__, "..render.log.placeholders", "needs")
    opener = deferred(__name__, "..render.submodule_merges", "opener")
    write_combined = deferred(__name__, "..render.diff.combined", "write_combined")
    write_diff = deferred(__name__, "..render.diff.formats", "write_diff")
    write_line_log = deferred(__name__, "..render.log.line_log", "write_line_log")
    conflict_sides = deferred(__name__, ".conflict", "conflict_sides")
    with_changes = deferred(__name__, ".log_rows", "with_changes")
    reflog_cursors, walked_beside = deferred(__name__, "..revs.reflogs", "reflog_cursors", "walked_beside")
    CommitMatcher, MatchSpec = deferred(__name__, "..history.matching", "CommitMatcher", "MatchSpec")
    LineHit, LineLog = deferred(__name__, "..history.line_log", "LineHit", "LineLog")
    walk_reflogs = deferred(__name__, "..history.reflogs", "walk_reflogs")
    Graph = deferred(__name__, "..render.log.graph", "Graph")


class LogOptions(WalkOptions, DiffOptions, PrettyOptions, Pathspecs):
    """History, filtered, ordered and formatted."""

    graph: Annotated[bool, Flag("--graph", walk=True), Flag("--no-graph", const=False, walk=True)] = Field(
        False, description="Draw the lines of history beside the commits."
    )
    follow: Annotated[bool | None, Flag("--follow", no=True, exact=True)] = Field(
        None, description="Go on with a file's history under its former names (one path only)."
    )
    root: Annotated[bool | None, Flag("--root", walk=True)] = Field(
        None, description="Show the first commit as a big creation (log.showRoot)."
    )
    line_ranges: Annotated[list[str], Flag("-L", value="start,end:file", append=True, exact=True)] = Field(
        default_factory=list,
        description="Follow lines of a file: 'start,end:file' or ':function:file'; numbers or '/regex/'.",
    )
    hush: Annotated[bool, Flag("-q", sets={"quiet": True})] = Field(False, description="No diffs.")
    commit_order: Annotated[
        bool,
        Flag("--in-commit-order", "--objects", "--objects-edge", "--objects-edge-aggressive", walk=True),
        Flag("--verify-objects", "--no-filter", "--count", "-v", walk=True),
    ] = Field(False, description="Nothing: it is for lists of objects.")
    unsigned: Annotated[bool, Flag("--no-show-signature", walk=True)] = Field(
        False, description="Nothing: what gpg says of a signature is never asked for."
    )
    encode_headers: Annotated[
        bool | None,
        Flag("--encode-email-headers", walk=True),
        Flag("--no-encode-email-headers", const=False, walk=True),
    ] = Field(None, description="Headers of mails that are not ASCII are encoded (format.encodeEmailHeaders).")
    always: Annotated[bool, Flag("--always", walk=True)] = Field(
        False, description="Show commits without a diff as well, where whatchanged leaves them out."
    )
    no_commit_id: Annotated[bool, Flag("--no-commit-id", walk=True)] = Field(
        False, description="What is said of a commit stands behind its diff."
    )


@typed_row(frozen=True)
class LogPlan:
    """A planned log: its lazy entries, and the data for printing them.

    `again` makes the plan of another request from the same commits; that is cheap until an entry is requested.
    """

    request: LogOptions
    entries: Iterator[LogEntry]
    spec: DiffSpec
    diffs: LogDiffs
    shape: LogShape
    again: Callable[[LogOptions, Context], "LogPlan"]
    chosen: PrettyFormat
    matched: MatchSpec | None = None  # the patterns that selected the commits
    rows: Iterator[WalkRow] | None = None  # the same commits as bare values, if nothing else of them is needed
    compared: bool = False  # the commits of the rows are shown with what they changed
    max_count: int = -1  # commits shown, if their diffs decide which are


def plan_log(
    store: Store,
    request: LogOptions,
    ctx: Context,
    *,
    tips: Tips,
    default_merges: str = "off",
    root: bool | None = None,
    changed_only: bool = False,
    named: Tips | None = None,
    hidden: bool = False,
) -> LogPlan:
    """Put walk, filters and diffs together.

    `named` are all revisions of the command line, if `tips` is not all of them (-L takes exactly one commit).
    `default_merges` is the diff of merges by default, `root` is whether a root commit shows a diff if the command
    decides that itself, `changed_only` leaves out commits without a diff, and shows raw lines by default (whatchanged).
    `hidden`: the commits that are left out are given, too.
    Raises GitError for options that exclude each other.
    """
    again = partial(
        plan_log,
        store,
        tips=tips,
        default_merges=default_merges,
        root=root,
        changed_only=changed_only,
        named=named,
        hidden=hidden,
    )
    paths = parse_pathspecs(store, request.paths) if request.paths else None
    if request.follow and (paths is None or len(paths.items) != 1 or request.full_diff):
        raise BadRequest("--follow requires exactly one pathspec")
    if request.merge:
        tips, paths = conflict_sides(store, tips, paths, ctx=ctx)
    chosen = chosen_format(request, store.config)
    # without diff options there is nothing to compute, and no diff is shown
    unasked = DIFF_FIELDS.isdisjoint(request.model_fields_set) and LOG_SETTINGS.isdisjoint(store.config.table.keys)
    spec = _diff_spec(store, request, ctx, paths, unasked=unasked)
    log_spec = _log_diff_spec(store, request, spec, default_merges, root, changed_only, unasked=unasked)
    formats = _formats(request, spec, log_spec, changed_only)
    spec = spec if formats is spec.formats else replace(spec, formats=formats)
    matcher = _matcher(store, request, ctx)
    starts = walk_tips(tips)
    # the walk decides which commits are shown, or else the diffs of the commits that it meets
    decided = log_spec.always_show or bool(request.line_ranges)
    late = not decided and not request.reverse  # then commits are counted when their diffs are made
    count = request.max_count if late and request.max_count is not None else -1
    headless = request.no_commit_id and count > 0  # strange but git's: without its header a commit does not count
    walk_options = _walk_spec(
        store,
        request,
        spec,
        log_spec,
        paths,
        starts,
        ctx,
        matcher=None if request.walk_reflogs else matcher,
        sources=_shows_sources(template_of(request, store.config, chosen)),
        raw=decided,  # otherwise only few of the walked commits are shown
        counted=not late,
    )
    lines = None
    if request.line_ranges:
        lines = _line_log(store, request, spec, named or tips, walk_options, ctx)
        walk_options = replace(walk_options, line_level=lines.touches, line_parents=lines.log.rewritten)
    if count > 0 and walk_options.boundary:
        walk_options = replace(walk_options, quota=Quota(count))
    cursors = reflog_cursors(store, tips, ctx=ctx) if request.walk_reflogs else None
    tag_sources = _tags_as_sources(tips) if request.walk_reflogs and walk_options.sources else None
    diffs = LogDiffs(store, spec, log_spec, ctx)
    compares = log_spec.diff or log_spec.merges_need_diff or _compares_anyway(request, spec, default_merges)

    def entries() -> Iterator[LogEntry]:
        if cursors is None:
            walked = walk(store, starts, walk_options, ctx=ctx)
            if walk_options.boundary and compares:
                walked = map(_read_for_its_diff, walked)
        else:
            beside = walk_tips(walked_beside(tips))
            walked = walk_reflogs(
                store,
                cursors,
                walk_options,
                matcher,
                beside=beside,
                sources=tag_sources,
                diffs=log_spec.diff,
                ctx=ctx,
            )
        if lines is not None:
            yield from lines.entries(walked)
        else:
            left_out, quota = hidden or request.graph or walk_options.track_linear, walk_options.quota
            yield from log_entries(walked, diffs, count, hidden=left_out, quota=quota, headless=headless)

    plain = (unasked and log_spec.always_show and not log_spec.diff) or diffs.makes_none()
    # rows do not have the parents of a commit at the boundary that is read for a user's format, or to be compared
    plain = plain and not (walk_options.boundary and (chosen.kind == "user" or compares))
    # rows have only the parents that are shown
    compared = not (plain or request.graph or request.no_commit_id or walk_options.boundary or walk_options.full_diff)
    wants_rows = lines is None and cursors is None and (plain or compared)
    if compared and not (walk_options.children or walk_options.sources):
        walk_options, diffs.rooted = replace(walk_options, rooted=True), True
    rows = walk_rows(store, starts, walk_options, ctx=ctx) if wants_rows else None
    matched = None if matcher is None else matcher.spec
    shape = _shape(request, spec, always=log_spec.always_show, sources=walk_options.sources)
    return LogPlan(request, entries(), spec, diffs, shape, again, chosen, matched, rows, compared, count)


def _read_for_its_diff(entry: WalkEntry) -> WalkEntry:
    """git reads a commit before it compares it, also one at the boundary that the walk did not read."""
    if entry.flags & BOUNDARY:
        entry.parents = entry.diff_parents
    return entry


def _tags_as_sources(tips: Tips) -> dict[bytes, bytes]:
    """Commit → name: in a walk of reflogs only annotated tags are sources, since their own names have no reflogs."""
    sources: dict[bytes, bytes] = {}
    for tip in tips.entries:
        if tip.kind == b"tag" and tip.commit is not None:
            sources.setdefault(tip.commit, tip.name)
    return sources


def _label(store: Store) -> Callable[[bytes], bytes]:
    """The name of a commit in conflict markers: its short name and its subject."""
    short = Abbreviator(store)
    return lambda oid: b"%b (%b)" % (short(oid), join_lines(split_subject(store.odb.commit(oid).message)[0]))


def _walk_spec(
    store: Store,
    request: LogOptions,
    spec: DiffSpec,
    log_spec: LogDiffSpec,
    paths: PathMatcher | None,
    starts: list[Tip],
    ctx: Context,
    *,
    matcher: CommitMatcher | None,
    sources: bool,
    raw: bool,
    counted: bool,
) -> WalkSpec:
    all_parents = spec.merges_explicit and log_spec.merges in ("separate", "remerge", "first-parent")
    return walk_spec(
        request,
        store,
        ctx=ctx,
        paths=paths,
        graph=request.graph,
        follow=bool(request.follow),
        lines=bool(request.line_ranges),
        decorated=lambda: decorations_of(store, request, ctx).oids(),
        matcher=matcher,
        rules_out=None if matcher is None else matcher.rules_out,
        tips=starts,
        sources=request.source or sources,
        raw=raw,
        counted=counted,
        simplify=not (request.find_object or all_parents),
    )


def _matcher(store: Store, request: LogOptions, ctx: Context) -> CommitMatcher | None:
    """The matcher of commits. --grep also searches the notes, if they are shown."""
    notes = shown_notes(request, store) if request.grep else None
    encoding = output_encoding(store, request.encoding)
    mailmap = uses_mailmap(store, request)
    return commit_matcher(request, store, ctx=ctx, mailmap=mailmap, encoding=encoding, notes=notes)


class _Lines:
    """The walk of `-L`: the test whether a commit is shown also computes its changes of the lines."""

    __slots__ = ("hits", "log")

    def __init__(self, log: LineLog) -> None:
        self.log = log
        self.hits: dict[bytes, LineHit] = {}

    def touches(self, oid: bytes) -> bool:
        hit = self.log.visit(oid)
        if hit is not None:
            self.hits[oid] = hit
        return hit is not None

    def entries(self, walked: Iterator[WalkEntry]) -> Iterator[LogEntry]:
        """The commits with their changes of the lines: none for a commit that was not tested (--boundary)."""
        for entry in walked:
            yield LogEntry(entry, [], self.hits.get(entry.oid) or LineHit([]))


def _line_log(store: Store, request: LogOptions, spec: DiffSpec, tips: Tips, walk: WalkSpec, ctx: Context) -> _Lines:
    """Turn the walk into one along lines. Raises GitError if another option excludes -L."""
    formats = spec.formats
    if request.paths:
        raise BadRequest("-L<range>:<file> cannot be used with pathspec")
    if formats.any and replace(formats, patch=False).any:
        raise BadRequest("-L does not yet support diff formats besides -p and -s")
    tip = _line_log_tip(tips)
    ranges = [to_bytes(word) for word in request.line_ranges]
    contents = Contents(store, ctx=ctx)
    log = LineLog(
        store, ranges, tip, contents, spec, ctx=ctx, first_parent=request.first_parent, alone=bool(walk.no_walk)
    )
    return _Lines(log)


def _line_log_tip(tips: Tips) -> bytes:
    """The commit that -L starts from. Raises GitError if there is none or several, or for another object."""
    excluded = {tip.oid for tip in tips.entries if tip.exclude}
    named = None
    for tip in tips.entries:
        if tip.oid in excluded:
            continue
        if tip.commit is None:
            raise BadRequest(f"Non commit {text(tip.name)}?")
        if named is not None:
            raise BadRequest(f"More than one commit to dig from: {text(tip.name)} and {text(named.name)}?")
        named = tip
    if named is None or named.commit is None:
        raise NotFound("No commit specified?")
    return named.commit


def _shows_sources(template: bytes) -> bool:
    """Whether a format has %S, so that the name a commit was reached by has to be remembered."""
    return bool(template) and "S" in needs(template)


def uses_mailmap(store: Store, request: LogOptions) -> bool:
    """Whether .mailmap is applied to names."""
    wanted = request.mailmap
    if wanted is None:
        wanted = store.config.get_bool("log.mailmap", True) is not False
    return wanted


def _diff_spec(
    store: Store, request: LogOptions, ctx: Context, paths: PathMatcher | None, *, unasked: bool
) -> DiffSpec:
    spec = DiffSpec(renames=1) if unasked else _asked_spec(store, request, ctx)
    pathspecs = spec.pathspecs if paths is None or request.full_diff else paths
    order = order_of(store, request.order_file)
    if order is None and pathspecs is spec.pathspecs:
        return spec
    return replace(spec, order=order, pathspecs=pathspecs)


def _asked_spec(store: Store, request: LogOptions, ctx: Context) -> DiffSpec:
    check_log_settings(store.config)
    if request.quiet:  # git log has a --quiet of its own, which acts as an -s before all other options
        request = altered(request, quiet=False, no_patch=request.no_patch or not request.patch)
    return diff_spec(
        request,
        store.config,
        ctx=ctx,
        prefix=store.prefix,
        objects=named_objects(store, request.find_object, ctx=ctx) if request.find_object else frozenset(),
        ignore_case=request.ignore_case,
    )


def _compares_anyway(request: LogOptions, spec: DiffSpec, default_merges: str) -> bool:
    """Whether commits are compared although no diff is shown. git show always compares, so that with -s, too, -m shows
    a merge once for each parent; git log does so if -s hides a requested format."""
    return default_merges == "dense" or (
        spec.formats.nothing and altered(request, no_patch=False, quiet=False).names_format
    )


def _formats(request: LogOptions, spec: DiffSpec, log_spec: LogDiffSpec, changed_only: bool) -> Formats:
    """The formats of a diff: the requested ones, or else those that an option or the command implies."""
    formats = spec.formats
    patch = request.merges_imply_patch or log_spec.merges_need_diff  # by --diff-merges alone: only for merges
    raw = changed_only and not patch and not request.line_ranges
    if not (patch or raw) or formats.any or formats.nothing:
        return formats
    return replace(formats, patch=bool(patch), raw=raw)


def _log_diff_spec(
    store: Store,
    request: LogOptions,
    spec: DiffSpec,
    default_merges: str,
    root: bool | None,
    changed_only: bool,
    *,
    unasked: bool,
) -> LogDiffSpec:
    """Which commits get a diff, and of what kind; mirrors "Diff Formatting" of git-log(1)."""
    formats = spec.formats
    first_parent = request.first_parent and not changed_only  # git whatchanged ignores it for merges
    show_root = request.root if root is None else root
    if show_root is None:
        show_root = store.config.get_bool("log.showroot", True) is not False
    merges = spec.merges or default_merges
    explicit = spec.merges_explicit and merges != "off"
    if first_parent and (not spec.merges_explicit or merges == "separate"):
        merges = "first-parent"
    asked_for = _compares_anyway(request, spec, default_merges)
    follow = bool(request.follow)
    always_show = spec.pickaxe is None and spec.keep is None and not follow
    always_show = always_show and (request.always or not changed_only)
    # With only lower-case letters, --diff-filter makes git look for diffs that it then does not make:
    # without a format nothing is shown.
    chosen = bool(request.diff_filter) and any(
        letter.isupper() or letter == "*" for letter in "".join(request.diff_filter)
    )
    filters = spec.pickaxe is not None or chosen or follow
    looks = request.exit_code or request.recursive or request.full_diff  # -r, -t: git compares, printed or not
    looks = looks or (asked_for and spec.order is not None)  # and reports a missing diff.orderFile
    return LogDiffSpec(
        diff=filters
        or looks
        or changed_only
        or (asked_for and not always_show)  # by --diff-filter, beside a format that -s hides
        or (not unasked and formats.any)
        or (request.merges_imply_patch and merges != "off"),
        merges=merges,
        merges_need_diff=explicit and (request.diff_merges != "m" or asked_for),
        first_parent=first_parent,
        show_root=show_root,
        always_show=always_show,
        silent=always_show and formats.nothing and not request.exit_code,
        follow=follow,
        label=_label(store) if merges == "remerge" else bytes,
        abbrev=Abbreviator(store) if merges == "remerge" else bytes,
        opener=opener if merges == "remerge" else None,
    )


def _shape(request: LogOptions, spec: DiffSpec, *, always: bool, sources: bool) -> LogShape:
    return LogShape(
        sides=request.left_right,
        cherry=request.cherry_mark,
        parents=request.parents,
        children=request.children,
        source=sources,
        log_size=request.log_size,
        line_break=None if request.show_linear_break is None else to_bytes(request.show_linear_break),
        reverse=request.reverse,
        nul=request.null,
        line_prefix=spec.patch.line_prefix,
        behind=request.no_commit_id,
        always=always,
        dated=request.date is not None,
    )


def write_log(plan: LogPlan, style: Style) -> Iterator[bytes]:
    """The entries of a plan in the format of git log."""
    yield from _entries(plan, style)
    if plan.rows is None or plan.compared:  # otherwise no diff was made
        end_log(plan, style.ctx)


def settle_status(plan: LogPlan, ctx: Context) -> None:
    """--exit-code describes the last comparison only; if lines are compared, all comparisons."""
    if plan.spec.exit_code:
        plan.diffs.settle(ctx)


def end_log(plan: LogPlan, ctx: Context) -> None:
    """The end of a log: its exit status, which a failed --check sets completely, and a warning."""
    spec = plan.spec
    settle_status(plan, ctx)
    if spec.formats.check and ctx.exit_status & CHECK_FAILED:
        ctx.exit_status = CHECK_FAILED
    warn_rename_limit(spec, ctx)


def _entries(plan: LogPlan, style: Style) -> Iterator[bytes]:
    printer, shape = _printer(plan, style), _drawn(plan, style)
    if plan.rows is not None:
        palette, general = style.color("diff", plan.spec.color), partial(_writer, printer, shape, plan, style)
        rows = RowPrinter(printer, shape, palette, plan.spec.formats, general)
        if not plan.compared:
            reader = partial(style.store.odb.raw_reader, keep=not style.store.once) if printer.reads else None
            yield from map(rows.write, batches(plan.rows, reader))
            return
        if rows.writes_changes:
            write = diff_writer(plan.spec, plan.diffs, style)
            yield from with_changes(plan.rows, rows, plan.diffs, plan.max_count, style, write)
            return
    writer = _writer(printer, shape, plan, style)
    for entry in plan.entries:
        yield from write_entry(plan, entry, writer, style)


def write_entry(plan: LogPlan, entry: LogEntry, writer: LogWriter, style: Style) -> Iterator[bytes]:
    """One commit with its diff, or with the lines of -L."""
    yield from writer.entry(entry)
    spec = plan.spec
    if entry.lines is not None and isinstance(entry.lines, LineHit) and not spec.formats.nothing:
        yield from write_line_log(entry.lines, plan.diffs.contents, _prefixed(spec, writer.prefix()), style)


def _prefixed(spec: DiffSpec, prefix: bytes, divider: bytes = b"") -> DiffSpec:
    """The spec with the prefix of each line of this diff, and the divider between its parts."""
    if (prefix, divider) == (spec.patch.line_prefix, spec.divider):
        return spec
    return replace(spec, patch=replace(spec.patch, line_prefix=prefix), divider=divider)


def log_writer(plan: LogPlan, style: Style) -> LogWriter:
    """The object that prints the entries of a plan one by one."""
    return _writer(_printer(plan, style), _drawn(plan, style), plan, style)


def _writer(printer: Printer, shape: LogShape, plan: LogPlan, style: Style) -> LogWriter:
    return LogWriter(printer, style, shape, plan.spec, diff_writer(plan.spec, plan.diffs, style))


def _printer(plan: LogPlan, style: Style) -> Printer:
    matched, chosen = plan.matched, plan.chosen
    encode = plan.request.encode_headers
    return make_printer(
        plan.request, style.store, style=style, ctx=style.ctx, chosen=chosen, matched=matched, encode=encode
    )


def _drawn(plan: LogPlan, style: Style) -> LogShape:
    """The text around the commits, with the graph if there is one."""
    if not plan.request.graph:
        return plan.shape
    palette = style.color("diff", plan.request.color)
    return replace(plan.shape, graph=Graph(palette.graph(style.store.config, style.ctx), palette.reset))


class Comparing(Protocol):
    """Provides the content of both sides of changes."""

    @property
    def contents(self) -> Contents: ...


def diff_writer(spec: DiffSpec, diffs: Comparing, style: Style, divider: Callable[[], bytes] = bytes) -> DiffWriter:
    """The writer of the diff of one part of an entry: the counts of a combined diff first, as in git.

    `divider` gives the text between the counts and the patch of this entry.
    """
    last = spec  # successive entries usually have the same prefix

    def write(walked: WalkEntry, part: Part, prefix: bytes) -> Iterator[bytes]:
        nonlocal last
        last = _prefixed(last, prefix, divider())
        if part.combined is None:
            again = spec.merges == "remerge" and len(walked.diff_parents) > 1
            return write_diff(part.changes, diffs.contents, last, style, style.ctx, remerged=again)
        return combined(part.changes, part.combined, last)

    def combined(changes: list[Change], paths: list[CombinedPath], spec: DiffSpec) -> Iterator[bytes]:
        formats = replace(spec.formats, raw=False, patch=False, name_only=False, name_status=False)
        counts = replace(spec, formats=formats, exit_code=False)  # git compares in a copy of its options
        yield from write_diff(changes, diffs.contents, counts, style, style.ctx)
        yield from write_combined(paths, diffs.contents, spec, style, ctx=style.ctx, separate=counts.formats.any)

    return write
