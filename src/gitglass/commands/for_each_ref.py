"""git for-each-ref: refs, sorted and printed by a format."""

from collections.abc import Iterator

from ..annotations import Annotated
from ..errors import UsageError
from ..limits import Context, shorten
from ..plans.refs import Listing, bind_patterns, check_format, collect, lines, listing, ref_spec
from ..render.refs.format import QUOTES
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag, number
from ..request.refs import RefFilter, RefsResult
from ..request.request import Request
from .command import Command

_DEFAULT = "%(objectname) %(objecttype)\t%(refname)"


class ForEachRefRequest(RefFilter, Request[RefsResult]):
    """`git for-each-ref`."""

    patterns: list[str] = Field(
        default_factory=list, description="Only refs in these directories or matching these patterns: `refs/tags/v1*`."
    )
    count: Annotated[int, Flag("--count", value="n", parse=number("count"), no=True, no_const=0)] = Field(
        0, description="At most this many refs; 0 means all."
    )
    points_at: Annotated[list[str], Flag("--points-at", value="object", append=True, no=True)] = Field(
        default_factory=list, description="Only refs that are at this object, or at a tag of it."
    )
    shell: Annotated[bool, Flag("-s", "--shell", no=True)] = Field(False, description="Quote fields for sh.")
    perl: Annotated[bool, Flag("-p", "--perl", no=True)] = Field(False, description="Quote fields for Perl.")
    python: Annotated[bool, Flag("--python", no=True)] = Field(False, description="Quote fields for Python.")
    tcl: Annotated[bool, Flag("--tcl", no=True)] = Field(False, description="Quote fields for Tcl.")
    ignore_case: Annotated[bool, Flag("--ignore-case", no=True)] = Field(
        False, description="Sort and match without regard to case."
    )


def run(store: Store, request: ForEachRefRequest, ctx: Context) -> Listing:
    """The selected refs, sorted, cut to the count."""
    if request.count < 0:
        raise UsageError(f"invalid --count argument: `{request.count}'")
    if sum((request.shell, request.perl, request.python, request.tcl)) > 1:
        raise UsageError("more than one quoting style?")
    spec = ref_spec(store, request, request.points_at, request.patterns, ctx=ctx, as_paths=True)
    refs = listing(store, spec, request.sort, ctx=ctx)
    if request.count:
        refs.total = len(refs.items)
        shorten(refs.items, request.count)
    return refs


def render(listing: Listing, request: ForEachRefRequest, style: Style) -> Iterator[bytes]:
    """One line for each ref."""
    form = _DEFAULT if request.format is None else request.format
    on = request.color == "always" or (request.color in (None, "auto") and style.colors)
    quote = next((QUOTES[name] for name in QUOTES if getattr(request, name)), None)
    check_format(request.format, listing, on, dies=False)
    yield from lines(listing, form, color=on, quote=quote)


COMMAND = Command(
    "for-each-ref",
    ForEachRefRequest,
    RefsResult,
    run,
    collect,
    render,
    bind=bind_patterns,
    patient=True,
    summary="Refs, sorted and printed by a format.",
    usage="git for-each-ref [<options>] [<pattern>...]",
)
