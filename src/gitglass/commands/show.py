"""git show: commits with their changes, the text of tags, the names in a tree, the content of a blob."""

from collections.abc import Iterator
from functools import partial

from ..errors import TooLarge, text
from ..history.log_diff import LogEntry
from ..limits import Context
from ..objects.parsed import Tag, is_tree, tree_entries
from ..plans.diff import check_log_settings
from ..plans.log import end_log, settle_status, write_entry
from ..plans.walk import refuse_combinations
from ..plans.words import revs_and_paths
from ..records import field, typed_row
from ..render.log.log import LogWriter
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field, altered
from ..request.request import Request
from ..request.rows.commit import Person, person
from ..request.rows.page import Page
from ..request.text import base64_unless_text, exact_bytes, to_base64, to_text
from ..revs.tip import Tip, Tips
from ..revs.tips import tips
from .command import LOG_ANYWHERE, LOG_USAGE, Command, unrecognized_argument
from .log import LogCommit, LogPlan, LogRequest, log_writer, plan_log, write_log
from .log import collect as collect_log

_DEEPEST_TAG = 1000
_LOOKS = ("log.date", "format.pretty", "notes.displayRef")  # settings that are judged with a log's look


@typed_row
class TagRow:
    """An annotated tag."""

    name: str
    oid: str
    target: str
    tagger: Person | None
    message: str


@typed_row
class TreeRow:
    """A directory: its entries' names, those of directories with a slash."""

    name: str
    oid: str
    entries: list[str] = field(default_factory=list)


@typed_row
class BlobRow:
    """A file's content: `text`, None for a binary file; and `base64` if the content is not UTF-8.

    `data` is the exact content.
    """

    name: str
    oid: str
    size: int
    text: str | None
    base64: str | None = None

    @property
    def data(self) -> bytes:
        """The exact content as bytes."""
        return exact_bytes(self.text, self.base64)


class ShowResult(Page):
    """The named objects by type; within a type in the order they were named."""

    commits: list[LogCommit] = Field(default_factory=list, description="Commits, with the files they changed.")
    tags: list[TagRow] = Field(default_factory=list, description="Annotated tags; what they point at is shown too.")
    trees: list[TreeRow] = Field(default_factory=list, description="Directories.")
    blobs: list[BlobRow] = Field(default_factory=list, description="Files.")


class ShowRequest(LogRequest, Request[ShowResult]):
    """`git show`: the named objects (HEAD if none is named), each in the format of its type."""


@typed_row
class Shown:
    """One object to show, with the name that was requested."""

    kind: bytes
    oid: bytes
    name: bytes
    data: bytes = b""


@typed_row(frozen=True)
class ShowPlan:
    """The objects to show, in order; `log` makes the commits among them (None: there are only blobs).

    A range is a walk, and has no other objects.
    """

    log: LogPlan | None
    objects: list[Shown]
    walks: bool = False


def run(store: Store, request: ShowRequest, ctx: Context, named: Tips | None = None) -> ShowPlan:
    """Look up the named objects. Raises NotFound with git's message."""
    changed: dict[str, object] = {} if request.names_format else {"patch": True}
    check_log_settings(store.config)
    named = tips(store, request.revs, ctx=ctx, default=request.default or "HEAD", named=named)
    counted = request.no_walk is None and request.max_count is not None
    if counted or request.no_walk == "" or any(tip.exclude for tip in named.entries):
        # As in `log`: a number of commits implies a walk, in which no other objects are shown.
        walked = altered(request, **changed, no_walk=None)
        starts = Tips(tuple(tip for tip in named.entries if tip.commit is not None), globbed=True)
        return ShowPlan(plan_log(store, walked, ctx, tips=starts, default_merges="dense"), [], walks=True)
    objects: list[Shown] = []
    commits: dict[bytes, Tip] = {}  # each is shown only once
    for tip in named.entries:
        for shown in _objects(store, tip, ctx):
            if shown.kind == b"commit":
                if shown.oid in commits:
                    continue
                commits[shown.oid] = Tip(shown.oid, shown.oid, tip.name)
            objects.append(shown)
    looks = any(map(store.config.has, _LOOKS))
    if objects and all(shown.kind == b"blob" for shown in objects) and _is_plain(request) and not looks:
        return ShowPlan(None, objects)
    asked = altered(request, **changed, no_walk="unsorted")
    if request.reverse:  # single objects have no order to reverse
        refuse_combinations(asked, store, graph=request.graph, lines=bool(request.line_ranges))
        asked = altered(asked, reverse=False)
    # without a walk there are no reflog entries to show
    one_by_one = Tips(() if request.walk_reflogs else tuple(commits.values()), globbed=True)
    return ShowPlan(
        plan_log(store, asked, ctx, tips=one_by_one, default_merges="dense", named=named, hidden=True), objects
    )


def _is_plain(request: ShowRequest) -> bool:
    """Whether nothing is asked but objects: options are judged, also where they have nothing to say of these."""
    return request == ShowRequest(revs=request.revs)


def _objects(store: Store, tip: Tip, ctx: Context) -> Iterator[Shown]:
    """An object and, if it is a tag, the objects that it leads to."""
    odb, oid = store.odb, tip.oid
    for _ in range(_DEEPEST_TAG):
        ctx.tick()
        kind = odb.kind(oid)
        if kind == b"commit":
            yield Shown(kind, oid, tip.name)
            return
        data = odb.read(oid)[1]
        if kind != b"tag":
            yield Shown(kind, oid, tip.name, data)
            return
        tag = Tag(oid, data)
        yield Shown(kind, oid, tag.tag, data)
        oid = tag.object
    raise TooLarge(f"too many levels of tags: {text(tip.name)}")


# -------------------------------------------------------------------------------------------- typed result and output
def collect(plan: ShowPlan, request: ShowRequest) -> ShowResult:
    """The typed result."""
    result = ShowResult()
    if plan.log is not None:
        log = collect_log(plan.log, request)
        result = ShowResult(commits=log.commits, truncated=log.truncated, reason=log.reason, notes=log.notes)
    for shown in plan.objects:
        name, oid = to_text(shown.name), shown.oid.hex()
        if shown.kind == b"tag":
            tag = Tag(shown.oid, shown.data)
            tagger = person(tag.tagger) if tag.tagger else None
            result.tags.append(TagRow(name, oid, tag.object.hex(), tagger, to_text(tag.message)))
        elif shown.kind == b"tree":
            result.trees.append(TreeRow(name, oid, [to_text(entry) for entry in _names(shown.data, len(shown.oid))]))
        elif shown.kind == b"blob":
            result.blobs.append(_blob_row(name, oid, shown.data))
    return result


def _blob_row(name: str, oid: str, data: bytes) -> BlobRow:
    encoded = base64_unless_text(data)
    if b"\0" not in data[:8000]:
        return BlobRow(name, oid, len(data), to_text(data), encoded)
    return BlobRow(name, oid, len(data), None, encoded or to_base64(data))


def render(plan: ShowPlan, request: ShowRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if plan.log is None:
        for shown in plan.objects:
            yield shown.data
        return
    if plan.walks:
        yield from write_log(plan.log, style)
    else:
        yield from _write_objects(plan.log, plan.objects, style)
        end_log(plan.log, style.ctx)


def _write_objects(log: LogPlan, objects: list[Shown], style: Style) -> Iterator[bytes]:
    """The log's entries, with the other objects between them. The log may omit commits (-S, --max-count)."""
    writer = log_writer(log, style)
    entry: LogEntry | None = None
    for shown in objects:
        if shown.kind != b"commit":
            yield _write_object(shown, writer, style)
            continue
        if entry is None:  # not before its turn: what comes before a commit is printed even if that cannot be compared
            entry = next(log.entries, None)
        if entry is None or entry.walked.oid != shown.oid:
            continue
        yield from write_entry(log, entry, writer, style)
        entry = None
        settle_status(log, style.ctx)
        if style.ctx.exit_status:  # --exit-code: git stops at the first object with a difference
            return


def _write_object(shown: Shown, writer: LogWriter, style: Style) -> bytes:
    """A tag without its object, a tree's names, or an unchanged blob."""
    if shown.kind == b"blob":
        return shown.data
    palette = style.color("diff", writer.spec.color)
    before = b"\n" if writer.shown_one else b""
    writer.shown_one = True
    head = before + palette.diff_commit + shown.kind + b" " + shown.name + palette.reset + b"\n"
    if shown.kind == b"tag":
        return head + _tag_text(shown.data, writer)
    return head + b"\n" + b"".join([name + b"\n" for name in _names(shown.data, style.store.hash_len)])


def _names(raw: bytes, hash_len: int) -> list[bytes]:
    return [name + b"/" if is_tree(mode) else name for mode, name, _ in tree_entries(raw, hash_len)]


def _tag_text(raw: bytes, writer: LogWriter) -> bytes:
    """The tagger, and everything from the empty line on, including a signature."""
    out = []
    at = 0
    while at < len(raw) and raw[at] != 10:
        end = raw.find(b"\n", at)
        end = len(raw) if end < 0 else end
        line = raw[at:end]
        if line.startswith(b"tagger "):
            out.append(writer.printer.tagger(line[7:]))
        at = end + 1
    return b"".join(out) + raw[at:]


COMMAND = Command(
    "show",
    ShowRequest,
    ShowResult,
    run,
    collect,
    render,
    bind=partial(revs_and_paths, default="HEAD"),
    anywhere=LOG_ANYWHERE,
    unknown=unrecognized_argument,
    refused={"--filter": "it is for lists of objects"},
    summary="objects: commits with their changes, tags, trees, blobs",
    usage=LOG_USAGE,
)
