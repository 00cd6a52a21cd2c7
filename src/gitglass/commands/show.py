"""git show: commits with their changes, tags with what they say, the names in a tree, the content of a blob."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import Field

from ..errors import GitError, text
from ..limits import Context
from ..model.commit import Person, person
from ..model.page import Page
from ..model.request import Request
from ..model.text import to_text
from ..render.dates import RFC, show_date
from ..render.pretty import make_printer
from ..render.style import Style
from ..revs.tips import Tip, Tips, tips
from ..store.idents import split_ident
from ..store.objects import tree_entries
from ..store.store import Store
from .binding import revs_and_paths
from .command import Command, unrecognized_argument
from .log import LogCommit, LogPlan, LogRequest, log_writer, plan_log
from .log import collect as collect_log

TREE = 0o040000


@dataclass(slots=True)
class TagRow:
    """An annotated tag."""

    name: str
    oid: str
    target: str
    tagger: Person | None
    message: str


@dataclass(slots=True)
class TreeRow:
    """A directory: its entries' names, those of directories with a slash."""

    name: str
    oid: str
    entries: list[str] = field(default_factory=list)


@dataclass(slots=True)
class BlobRow:
    """A file's content. `text` is None where it is binary."""

    name: str
    oid: str
    size: int
    text: str | None


class ShowResult(Page):
    """What was named, by kind; within a kind in the order it was named."""

    commits: list[LogCommit] = Field(default_factory=list, description="Commits, with the files they changed.")
    tags: list[TagRow] = Field(default_factory=list, description="Annotated tags; what they point at is shown too.")
    trees: list[TreeRow] = Field(default_factory=list, description="Directories.")
    blobs: list[BlobRow] = Field(default_factory=list, description="Files.")


class ShowRequest(LogRequest, Request[ShowResult]):  # type: ignore[misc]
    """`git show`: the objects named (HEAD when none is), each in the way of its kind."""


@dataclass(slots=True)
class Shown:
    """One object to show: its kind, and for a commit the log of that one commit."""

    kind: bytes
    oid: bytes
    name: bytes
    data: bytes = b""
    plan: LogPlan | None = None


@dataclass(slots=True)
class ShowPlan:
    """What is to be shown: a walk, where a range was named, or objects one by one."""

    store: Store
    walk: LogPlan | None
    objects: Iterator[Shown]


def run(store: Store, request: ShowRequest, ctx: Context) -> ShowPlan:
    """Look up what was named. Raises NotFound with git's words."""
    changed: dict[str, object] = {}
    if not request.names_format:
        changed["patch"] = True
    if request.no_walk is None:
        changed["no_walk"] = "unsorted"
    asked = request.model_copy(update=changed)
    named = tips(store, request.revs, ctx=ctx, default="HEAD")
    if any(tip.exclude for tip in named.entries) or "--do-walk" in request.revs:
        walked = asked.model_copy(update={"no_walk": None})
        return ShowPlan(store, plan_log(store, walked, ctx, tips=named, default_merges="dense"), iter(()))
    return ShowPlan(store, None, _objects(store, asked, named, ctx))


def _objects(store: Store, request: LogRequest, named: Tips, ctx: Context) -> Iterator[Shown]:
    """The objects, a tag followed by what it points at."""
    odb = store.odb
    if not named.entries:  # only to complain of options that exclude each other
        plan_log(store, request, ctx, tips=named, default_merges="dense")
    for tip in named.entries:
        oid = tip.oid
        for _ in range(1000):
            ctx.tick()
            kind = odb.kind(oid)
            if kind == b"commit":
                one = Tips([Tip(oid, oid, tip.name)])
                yield Shown(kind, oid, tip.name, plan=plan_log(store, request, ctx, tips=one, default_merges="dense"))
                break
            data = odb.read(oid)[1]
            yield Shown(kind, oid, tip.name, data)
            if kind != b"tag":
                break
            oid = odb.tag(oid).object
        else:
            raise GitError(f"too many levels of tags: {text(tip.name)}")


# -------------------------------------------------------------------- both exits
def collect(plan: ShowPlan, request: ShowRequest) -> ShowResult:
    """The typed form."""
    if plan.walk is not None:
        return ShowResult(commits=collect_log(plan.walk, request).commits)
    result = ShowResult()
    store = plan.store
    for shown in plan.objects:
        name, oid = to_text(shown.name), shown.oid.hex()
        if shown.plan is not None:
            result.commits.extend(collect_log(shown.plan, request).commits)
        elif shown.kind == b"tag":
            tag = store.odb.tag(shown.oid)
            tagger = person(tag.tagger) if tag.tagger else None
            result.tags.append(TagRow(to_text(tag.tag), oid, tag.object.hex(), tagger, to_text(tag.message)))
        elif shown.kind == b"tree":
            names = [to_text(entry) for entry in _names(shown.data, store.hash_len)]
            result.trees.append(TreeRow(name, oid, names))
        else:
            content = None if b"\0" in shown.data[:8000] else to_text(shown.data)
            result.blobs.append(BlobRow(name, oid, len(shown.data), content))
    return result


def render(plan: ShowPlan, request: ShowRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if plan.walk is not None:
        writer = log_writer(plan.walk, style)
        for entry in plan.walk.entries:
            yield from writer.entry(entry)
        return
    began = False
    palette = style.color("diff", request.color)
    for shown in plan.objects:
        if shown.plan is not None:
            made = log_writer(shown.plan, style)
            made.shown_one = began
            for entry in shown.plan.entries:
                yield from made.entry(entry)
                began = True
        elif shown.kind == b"blob":
            yield shown.data
        else:
            if began:
                yield b"\n"
            began = True
            if shown.kind == b"tree":
                yield palette.diff_commit + b"tree " + shown.name + palette.reset + b"\n\n"
                yield b"".join(name + b"\n" for name in _names(shown.data, style.store.hash_len))
            else:
                yield _tag(shown, request, style)


def _names(raw: bytes, hash_len: int) -> list[bytes]:
    return [name + b"/" if mode & 0o170000 == TREE else name for mode, name, _ in tree_entries(raw, hash_len)]


def _tag(shown: Shown, request: ShowRequest, style: Style) -> bytes:
    """The head of an annotated tag: its name, who made it, its message (signature and all)."""
    palette = style.color("diff", request.color)
    tag = style.store.odb.tag(shown.oid)
    out = palette.diff_commit + b"tag " + tag.tag + palette.reset + b"\n"
    head, blank, body = shown.data.partition(b"\n\n")
    printer = make_printer(request, style.store, style=style, ctx=style.ctx)
    for line in head.split(b"\n")[1:]:
        if not line.startswith(b"tagger "):
            continue
        ident = split_ident(line[7:])
        if ident is None or printer.kind == "oneline":
            continue
        who = ident.name + b" <" + ident.mail + b">"
        date = printer.env.dater(ident.time, ident.tz)
        if printer.kind in ("email", "mboxrd"):
            out += b"From: " + who + b"\nDate: " + show_date(ident.time, ident.tz, RFC, style.ctx.now) + b"\n"
        elif printer.kind == "fuller":
            out += b"Tagger:     " + who + b"\nTaggerDate: " + date + b"\n"
        else:
            out += b"Tagger: " + who + b"\n"
            if printer.kind == "medium":
                out += b"Date:   " + date + b"\n"
    return out + (b"\n" + body if blank else b"")


COMMAND = Command(
    "show",
    ShowRequest,
    ShowResult,
    run,
    collect,
    render,
    bind=revs_and_paths,
    unknown=unrecognized_argument,
    refused={"--stdin": "it reads revisions from standard input"},
    summary="various types of objects",
)
