"""git format-patch --stdout: commits as mails, each with its patch. Without --stdout git writes files, which is
refused."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Any
from ..diff.diffcore import diffcore, warn_rename_limit
from ..diff.spec import DiffSpec, Formats
from ..diff.trees import diff_trees
from ..errors import BadRequest, Unsupported, text
from ..graph.merge_base import merge_bases
from ..history.cherry import PatchIds
from ..history.log_diff import LogDiffs, LogDiffSpec, LogEntry, Part
from ..history.patch_base import check_base, prerequisites
from ..history.pipeline import walk
from ..history.spec import BOTTOM, BOUNDARY, UNINTERESTING, WalkEntry, WalkSpec
from ..history.spec import Tip as Start
from ..history.walk import Walk
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..plans.conflict import conflict_sides
from ..plans.diff import check_log_settings, diff_spec
from ..plans.file_changes import file_changes
from ..plans.ignored_diff_options import named_objects
from ..plans.log import diff_writer
from ..plans.mail import WIDTH, Mailing, check, committer, read_mailing, sign_off
from ..plans.positionals import Positionals
from ..plans.walk import commit_matcher, parse_pathspecs, walk_spec, walk_tips
from ..plans.words import log_words, order_of
from ..records import replace as changed
from ..records import typed_row
from ..render.dates import RFC, dater, local_zone
from ..render.diff.formats import write_diff
from ..render.log.log import LogShape, LogWriter
from ..render.log.mail_text import has_eight_bits
from ..render.log.mails import cover_text, signature_block
from ..render.log.placeholders import compile_format
from ..render.log.pretty import make_printer, output_encoding
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import altered
from ..request.diff import DiffOptions
from ..request.format_patch import (
    OWN,
    REFUSED_FORMS,
    REFUSED_WRITES,
    FormatPatchRequest,
    FormatPatchResult,
    MailedPatch,
)
from ..request.rows.commit import commit_row
from ..revs.dates import strict_date
from ..revs.names import current_branch, upstream_or_none
from ..revs.resolve import named_commit, try_resolve
from ..revs.tip import Tip, Tips
from ..revs.tips import tips
from .command import Command, unrecognized_argument
from .shortlog import Shortlog, ShortlogRequest
from .shortlog import render as write_shortlog


@typed_row
class Series:
    """Mails to be printed: their commits, the oldest first, and their base."""

    store: Store
    ctx: Context
    entries: list[WalkEntry]
    origin: bytes | None
    branch: bytes
    spec: DiffSpec
    diffs: LogDiffs


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind revisions and paths."""
    if not values.get("stdout"):
        raise Unsupported(
            "gitglass format-patch is there with --stdout only: without it, it writes files",
            status=129,
            prefix="error",
            option="--stdout",
        )
    log_words(words, values, store, ctx)


def run(store: Store, request: FormatPatchRequest, ctx: Context, named: Tips | None = None) -> Series:
    """The commits of the series. Raises errors as git does."""
    check(request, store)
    named = tips(store, request.revs, ctx=ctx, default=request.default or "HEAD", committish=True, named=named)
    paths = parse_pathspecs(store, request.paths) if request.paths else None
    if request.merge:
        named, paths = conflict_sides(store, named, paths, ctx=ctx)
    spec = _diff_spec(store, request, ctx, None if request.full_diff else paths)
    named, branch = _since(store, request, named, ctx)
    encoding = output_encoding(store, request.encoding)
    matcher = commit_matcher(request, store, ctx=ctx, mailmap=False, encoding=encoding)
    starts = walk_tips(named)
    walk_options = walk_spec(request, store, ctx=ctx, paths=paths, matcher=matcher, tips=starts, boundary=True)
    theirs = _Upstream(store, named, ctx) if request.not_upstream else None
    met = list(walk(store, starts, walk_options, ctx=ctx))
    edge = [entry.oid for entry in met if entry.flags & BOUNDARY]
    entries = [entry for entry in met if not entry.flags & BOUNDARY and (theirs is None or not theirs.has(entry.oid))]
    entries.reverse()
    shown = LogDiffSpec(diff=True, merges=spec.merges or "off", first_parent=request.first_parent)
    diffs = LogDiffs(store, spec, shown, ctx)
    return Series(store, ctx, entries, edge[0] if len(edge) == 1 else None, branch, spec, diffs)


def _diff_spec(store: Store, request: FormatPatchRequest, ctx: Context, paths: Pathspecs | None) -> DiffSpec:
    """Counts and a patch that can be applied, unless another format was requested."""
    check_log_settings(store.config)
    objects = named_objects(store, request.find_object, ctx=ctx)
    asked = altered(request, quiet=False, exit_code=False)
    spec = diff_spec(
        asked, store.config, ctx=ctx, prefix=store.prefix, objects=objects, ignore_case=request.ignore_case
    )
    formats = spec.formats
    if not request.no_stat and not formats.nothing and not changed(formats, patch=False).any:
        formats = Formats(stat=True, summary=True, patch=True)
    elif formats.nothing:
        formats = Formats(patch=True)
    else:
        formats = changed(formats, patch=True)
    binary = spec.patch.binary or not (request.text or request.no_binary)
    submodule = "short" if request.submodule is None else spec.patch.submodule
    stat = spec.stat if request.stat_graph_width is not None else changed(spec.stat, graph=0)  # not diff.statGraphWidth
    return changed(
        spec,
        formats=formats,
        stat=changed(stat, width=WIDTH) if stat.width <= 0 else stat,
        patch=changed(spec.patch, binary=binary, submodule=submodule),
        color=request.color or "never",  # settings do not colour mails
        order=order_of(store, request.order_file),
        pathspecs=spec.pathspecs if paths is None else paths,
    )


# -------------------------------------------------------------------------------------------------- which commits
def _since(store: Store, request: FormatPatchRequest, named: Tips, ctx: Context) -> tuple[Tips, bytes]:
    """With a single revision the series starts there and ends at HEAD; also gives the branch."""
    entries = named.entries
    alone = len(entries) == 1
    on_head = alone and entries[0].name == b"HEAD"
    counted = request.max_count is not None and request.max_count >= 0
    if alone and not counted and not request.root:
        on_head = True
        ends = [changed(entries[0], exclude=True, bottom=True)]
        oid = try_resolve(store, "HEAD", ctx=ctx)
        if oid is not None:
            ends.append(Tip(oid, store.odb.peel(oid, b"commit"), b"HEAD"))
        named = Tips(tuple(ends), named.symmetric, named.ranged, True)
    ref: bytes | None = b"HEAD"
    if not on_head:
        positive = [tip for tip in entries if not tip.exclude]
        ref = positive[0].ref if len(positive) == 1 else None
    full = b"" if ref is None else store.refs.resolve(ref)[0]
    return named, full.removeprefix(b"refs/heads/") if full.startswith(b"refs/heads/") else b""


class _Upstream:
    """The changes on the other side of a range, for --ignore-if-in-upstream."""

    __slots__ = ("_ids", "_outlines")

    def __init__(self, store: Store, named: Tips, ctx: Context) -> None:
        if len(named.entries) != 2:
            raise BadRequest("need exactly one range")
        if named.entries[0].exclude == named.entries[1].exclude:
            raise BadRequest("not a range")
        turned = [Start(oid) for oid in named.exclude]
        turned += [Start(oid, UNINTERESTING | BOTTOM) for oid in named.include]
        spec = WalkSpec(raw=False, max_parents=1)
        self._ids = PatchIds(Walk(store, WalkSpec(raw=False), ctx))
        self._outlines: dict[bytes, list[bytes]] = {}
        for entry in walk(store, turned, spec, ctx=ctx):
            self._outlines.setdefault(self._ids.outline(entry.oid), []).append(entry.oid)

    def has(self, oid: bytes) -> bool:
        """Whether a commit there makes the same change as this one."""
        there = self._outlines.get(self._ids.outline(oid), ())
        return any(self._ids.full(other) == self._ids.full(oid) for other in there)


def _parts(series: Series) -> Iterator[tuple[int, WalkEntry, list[Part]]]:
    """(number, commit, diffs) of each."""
    for nth, entry in enumerate(series.entries):
        series.ctx.check()
        yield nth, entry, series.diffs.of(entry)


# -------------------------------------------------------------------------------------------------- answers
def collect(series: Series, request: FormatPatchRequest) -> FormatPatchResult:
    """The typed result."""
    rows = []
    mails = read_mailing(series.store, request, len(series.entries), series.ctx)
    for nth, entry, parts in _parts(series):
        if not parts and not request.always:
            continue
        row = commit_row(entry.commit)
        changes = [change for part in parts for change in part.changes]
        files = file_changes(changes, series.diffs.contents, series.spec, ctx=series.ctx)
        rows.append(
            MailedPatch(
                row.oid,
                row.parents,
                row.tree,
                row.author,
                row.committer,
                row.subject,
                row.body,
                number=mails.first + nth,
                files=files,
            )
        )
    return FormatPatchResult(patches=rows, total=len(rows))


def render(series: Series, request: FormatPatchRequest, style: Style) -> Iterator[bytes]:
    """git's bytes: the cover letter if there is one, and a mail for each commit that changes something."""
    if not series.entries:
        return
    store, ctx = series.store, series.ctx
    mails = read_mailing(store, request, len(series.entries), ctx)
    envelope, form = mails.envelope, mails.form
    asked = altered(request, pretty=request.pretty or "email", notes=mails.notes)
    printer = make_printer(asked, store, style=style, ctx=ctx, configured=False, mail=form)
    shape = LogShape(nul=request.null, line_prefix=series.spec.patch.line_prefix)
    divider = b""
    diffs = diff_writer(series.spec, series.diffs, style, lambda: divider)
    writer = LogWriter(printer, style, shape, series.spec, diffs)
    based = _base_lines(series, request)
    if mails.threads.cover:
        yield from _cover(series, mails, style)
        yield based + signature_block(envelope.signature)
        based = b""
    file_name = compile_format(b"%f", printer.env)
    for nth, entry, parts in _parts(series):
        number = mails.first + nth
        form.tag, form.headers = envelope.tag(number), envelope.headers
        form.ids = mails.threads.begin(entry.oid.hex().encode(), number)
        if not parts and not request.always:
            continue
        if mails.signs:
            sign_off(form, store)
        if envelope.boundary is not None:
            form.headers += envelope.parts()
            title = file_name(entry.commit, entry.parents)
            divider = envelope.attachment(envelope.file_name(number, title))
        yield from writer.entry(LogEntry(entry, parts))
        yield based
        based = b""
        yield envelope.end()
    warn_rename_limit(series.spec, ctx)


def _written(store: Store, ctx: Context) -> tuple[int, int]:
    """The time of the cover letter: now, or GIT_COMMITTER_DATE; with its zone. Raises BadRequest for an invalid
    date."""
    given = store.where.people.get("committer.date")
    if not given:
        return ctx.now, local_zone(ctx.now)
    date = strict_date(given, ctx.now)
    if date is None:
        raise BadRequest(f"invalid date format: {text(given)}")
    zone = abs(date[1]) // 60 * 100 + abs(date[1]) % 60
    return date[0], -zone if date[1] < 0 else zone


def _cover(series: Series, mails: Mailing, style: Style) -> Iterator[bytes]:
    store, ctx, envelope = series.store, series.ctx, mails.envelope
    head = series.entries[-1]
    sender, written = committer(store), _written(store, ctx)
    described = store.config.get(b"branch." + series.branch + b".description") if series.branch else None
    ids = mails.threads.begin(b"cover", 0)
    name = bytes(len(head.oid)) if mails.form.anonymous else head.oid
    for line in (b"From %s Mon Sep 17 00:00:00 2001\n" % name.hex().encode(), *ids):
        yield line + series.spec.patch.line_prefix
    yield cover_text(
        sender,
        dater(RFC, ctx.now)(*written),
        envelope.tag(0),
        envelope.headers,
        description=b"" if described is None else described + b"\n",
        mode=mails.cover_from,
        eight=any(has_eight_bits(entry.commit.raw) for entry in series.entries),
    )
    listed = Shortlog(store, ctx, iter(series.entries[::-1]))
    yield from write_shortlog(listed, ShortlogRequest(wrapped=f"{WIDTH},2,4"), style)
    if series.origin is not None:
        spec = changed(series.spec, formats=Formats(stat=True, summary=True))
        old, new = (store.odb.commit_facts(oid)[2] for oid in (series.origin, head.oid))
        contents = series.diffs.contents
        changes = diffcore(diff_trees(old, new, store.odb, spec, ctx=ctx), contents, spec, ctx=ctx)
        yield from write_diff(changes, contents, spec, style, ctx)
        yield b"\n"


def _base_lines(series: Series, request: FormatPatchRequest) -> bytes:
    """The base of the series, as the first mail names it."""
    store, ctx = series.store, series.ctx
    oids = [entry.oid for entry in reversed(series.entries)]
    base = _base(store, request, oids, ctx)
    if base is None:
        return b""
    spec = diff_spec(DiffOptions(), store.config, ctx=ctx)
    ids = prerequisites(store, base, oids, series.diffs.contents, spec, ctx=ctx)
    lines = [b"prerequisite-patch-id: %s\n" % made.hex().encode() for made in ids]
    return b"\nbase-commit: %s\n" % base.hex().encode() + b"".join(lines)


def _base(store: Store, request: FormatPatchRequest, oids: list[bytes], ctx: Context) -> bytes | None:
    """--base, or format.useAutoBase. Raises errors as git does; with `whenAble` there is no base instead."""
    word, must = request.base, True
    if word is None:
        value = store.config.get("format.useautobase")
        must = value is None or value.lower() != b"whenable"
        word = "auto" if not must or store.config.get_bool("format.useautobase", False) else ""
    if not word:
        return None
    if request.paths:  # git then names and counts along the history of the paths, as far as it was simplified
        raise Unsupported("gitglass format-patch does not take --base with paths", status=129, prefix="error")
    try:
        base = _upstream_base(store, oids, ctx) if word == "auto" else _named_base(store, word, ctx)
        check_base(store, base, oids, ctx=ctx)
    except BadRequest:
        if must:
            raise
        return None
    return base


def _named_base(store: Store, word: str, ctx: Context) -> bytes:
    commit = named_commit(store, word, ctx=ctx)
    if commit is None:
        raise BadRequest(f"unknown commit {word}")
    return commit


def _upstream_base(store: Store, oids: list[bytes], ctx: Context) -> bytes:
    branch = current_branch(store)
    name = None if branch is None else upstream_or_none(store, branch)
    tip = None if name is None else store.refs.read(name)
    if tip is None:
        raise BadRequest(
            "failed to get upstream, if you want to record base commit automatically,\n"
            "please use git branch --set-upstream-to to track a remote branch.\n"
            "Or you could specify base commit by --base=<base-commit-id> manually"
        )
    bases = merge_bases(store, tip, oids, ctx=ctx)
    if len(bases) != 1:
        raise BadRequest("could not find exact merge base")
    return bases[0]


COMMAND = Command(
    "format-patch",
    FormatPatchRequest,
    FormatPatchResult,
    run,
    collect,
    render,
    bind=bind,
    refused={**REFUSED_FORMS, **REFUSED_WRITES},
    unknown=unrecognized_argument,
    fixed=frozenset({*REFUSED_FORMS, "--output-directory", "--creation-factor"}),
    anywhere=OWN,
    summary="commits as mails, each with its patch",
    usage="--stdout [<options>] [<since> | <revision-range>]",
)
