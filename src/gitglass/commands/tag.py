"""git tag: the list of tags. No tag is created, deleted or verified here."""

from collections.abc import Iterator
from operator import itemgetter

from ..annotations import Annotated
from ..errors import BadRequest, Unsupported
from ..limits import Context
from ..plans.refs import Listing, bind_patterns, check_format, collect, lines, listing, ref_spec, rows
from ..render.color import want_color
from ..render.columns import column_mode, lay_out
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag, number
from ..request.refs import RefFilter, RefsResult
from ..request.request import Request
from ..revs.ref_filter import TAGS, RefItem
from .command import Command

_NAME = itemgetter(0)


def _lines(value: str) -> int | None:
    """The value of -n; -1 is git's own for none."""
    lines = number("n")(value)
    return None if lines == -1 else lines


class TagRequest(RefFilter, Request[RefsResult]):
    """`git tag --list`."""

    patterns: list[str] = Field(default_factory=list, description="Only tags whose names match: `v1.*`.")
    as_list: Annotated[bool, Flag("-l", "--list", mode="action")] = Field(
        False, description="List (what happens anyway; needed for patterns on a command line)."
    )
    lines: Annotated[int | None, Flag("-n", value="n", optional=True, const=1, parse=_lines)] = Field(
        None, description="Also print this many lines of each message."
    )
    points_at: Annotated[
        list[str], Flag("--points-at", value="object", last=True, const="HEAD", append=True, no=True)
    ] = Field(default_factory=list, description="Only tags that are at this object, or at a tag of it.")
    column: Annotated[
        list[str], Flag("--column", value="style", optional=True, const="", no=True, no_const="no", append=True)
    ] = Field(default_factory=list, description="Lay the names out in columns: '', or words as in column.ui.")

    def wants_list(self) -> bool:
        """Whether words are patterns and not the name of a tag to create."""
        chosen = self.contains or self.no_contains or self.merged or self.no_merged or self.points_at
        return bool(self.as_list or chosen or self.lines is not None)


def run(store: Store, request: TagRequest, ctx: Context) -> Listing:
    """The selected tags, sorted."""
    if request.patterns and not request.wants_list():
        raise Unsupported("gitglass tag <name> would make a tag; refused", status=129, prefix="error")
    spec = ref_spec(store, request, request.points_at, request.patterns, ctx=ctx, kinds=TAGS)
    configured = store.config.get_all("tag.sort") if request.configured_sort else ()
    keys = [key.decode("utf-8", "surrogateescape") for key in configured]
    return listing(store, spec, keys + request.sort, ctx=ctx)


def _short_names(items: list[RefItem]) -> list[bytes]:
    """Their names below refs/tags/, all cut at once."""
    whole = b"\n".join([b"", *map(_NAME, items)])
    return whole.replace(b"\nrefs/tags/", b"\n").split(b"\n")[1:]


def render(listing: Listing, request: TagRequest, style: Style) -> Iterator[bytes]:
    """One line for each tag, or columns of them."""
    on = want_color(style.config, "tag", request.color, style.colors)
    check_format(request.format, listing, on)
    mode = column_mode(style.config, "tag", request.column, style.is_tty)
    if mode.on and request.column and request.lines is not None:
        raise BadRequest("options '--column' and '-n' cannot be used together")
    form = request.format
    if form is None and not request.lines:
        names = _short_names(listing.items)
        if request.lines is None:
            yield lay_out(names, mode, style.columns, padding=2)
        else:
            yield b"".join([name + b"\n" for name in names])
        return
    if form is None:
        form = f"%(align:15)%(refname:strip=2)%(end) %(contents:lines={request.lines})"
    if mode.on and request.lines is None:
        # git has `git column` lay them out, for which each line is an item
        items = [line for row in rows(listing, form, color=on) for line in row.split(b"\n")]
        yield lay_out(items, mode, style.columns, padding=2)
    else:
        yield from lines(listing, form, color=on)


_REFUSED = {
    "it makes or changes a tag": (
        "-a", "--annotate", "-s", "--sign", "-u", "--local-user", "-f", "--force", "-m", "--message", "-F",
        "--file", "-e", "--edit", "--cleanup", "--create-reflog",
    ),
    "it deletes tags": ("-d", "--delete"),
    "it runs a program": ("-v", "--verify"),
}  # fmt: skip
COMMAND = Command(
    "tag",
    TagRequest,
    RefsResult,
    run,
    collect,
    render,
    bind=bind_patterns,
    patient=True,
    fixed=frozenset({"--delete", "--verify", "--message"}),
    refused={name: reason for reason, names in _REFUSED.items() for name in names},
    summary="The list of tags.",
    usage="git tag [-n[<num>]] -l [--contains <commit>] [--points-at <object>] [--merged <commit>] [<pattern>...]",
)
