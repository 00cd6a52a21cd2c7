"""The request of git rev-list, and its typed result."""

from __future__ import annotations

from ..annotations import Annotated, Literal
from ..errors import BadRequest
from .declared import Field
from .flag import Flag
from .pretty import ScriptFormat
from .request import Pathspecs, Request
from .revision import WalkOptions
from .rows.page import Page


def _human(value: str) -> str:
    if value != "human":
        raise BadRequest(f"invalid value for '--disk-usage=<format>': '{value}', the only allowed format is 'human'")
    return value


def _spec(value: str) -> str:
    if not value:
        raise BadRequest("invalid filter-spec ''")
    return value


def _and_vars(held: object) -> str:
    return "all vars" if held in ("all", "all vars") else "vars"


def _and_all(held: object) -> str:
    return "all vars" if held in ("vars", "all vars") else "all"


class RevListResult(Page):
    """Object names in git's order, or their numbers."""

    oids: list[str] = Field(default_factory=list, description="Commits (with objects: trees and blobs, too).")
    omitted: list[str] = Field(default_factory=list, description="With filter_print_omitted: what a filter left out.")
    missing: list[str] = Field(default_factory=list, description="With missing='print': what is not here.")
    left: int | None = Field(None, description="With count and left_right: commits on the left side.")
    right: int | None = Field(None, description="With count and left_right: commits on the right side.")
    disk_usage: int | None = Field(None, description="Bytes the objects take on disk.")


class RevListRequest(Request[RevListResult], WalkOptions, ScriptFormat, Pathspecs):
    """`git rev-list`: the commits that can be reached from some and not from others."""

    count: Annotated[bool, Flag("--count", walk=True)] = Field(False, description="Only the number of commits.")
    objects: Annotated[bool, Flag("--objects", walk=True)] = Field(False, description="Trees and blobs as well.")
    objects_edge: Annotated[
        Literal["", "aggressive"] | None,
        Flag("--objects-edge", const=lambda held: held or "", walk=True, sets={"objects": True}),
        Flag("--objects-edge-aggressive", const="aggressive", walk=True, sets={"objects": True}),
    ] = Field(None, description="With objects: the excluded commits at the edge too, with '-'; 'aggressive' for more.")
    verify_objects: Annotated[bool, Flag("--verify-objects", walk=True, sets={"objects": True})] = Field(
        False, description="With objects: complain of those that are not what their name says."
    )
    in_commit_order: Annotated[bool, Flag("--in-commit-order", walk=True)] = Field(
        False, description="With objects: those of each commit behind it."
    )
    filters: Annotated[
        list[str],
        Flag(
            "--filter",
            value="spec",
            append=True,
            exact=True,
            stuck=True,
            parse=_spec,
        ),
        Flag("--no-filter", const="", append=True, walk=True),
    ] = Field(
        default_factory=list,
        description="With objects: only those that pass, e.g. 'blob:none', 'blob:limit=1k', 'tree:1', "
        "'object:type=tree', 'combine:tree:3+blob:none'.",
    )
    filter_print_omitted: Annotated[bool, Flag("--filter-print-omitted", walk=True)] = Field(
        False, description="List what a filter left out as well, with '~'."
    )
    filter_provided: Annotated[bool, Flag("--filter-provided-objects", walk=True)] = Field(
        False, description="Filter what was named as well."
    )
    use_bitmap_index: Annotated[bool, Flag("--use-bitmap-index", walk=True)] = Field(
        False, description="Count with bitmaps, where there are any (refused then; without them it changes nothing)."
    )
    exclude_promisor: Annotated[bool, Flag("--exclude-promisor-objects", walk=True)] = Field(
        False, description="Leave out what a partial clone was promised (refused where there is any of it)."
    )
    missing: Annotated[str | None, Flag("--missing", value="action", stuck=True, exact=True)] = Field(
        None, description="What to do about missing objects: 'error', 'print', 'allow-any' or 'allow-promisor'."
    )
    bisect: Annotated[
        Literal["", "all", "vars", "all vars"] | None,
        Flag("--bisect-vars", const=_and_vars, walk=True),
        Flag("--bisect-all", const=_and_all, walk=True),
    ] = Field(
        None, description="Bisect what would be listed: '' the best commit, 'all' all of them, 'vars' for a shell."
    )
    object_names: Annotated[
        bool, Flag("--object-names", walk=True), Flag("--no-object-names", const=False, walk=True)
    ] = Field(True, description="With objects: the path of each.")
    disk_usage: Annotated[bool | str, Flag("--disk-usage", value="human", optional=True, parse=_human, exact=True)] = (
        Field(False, description="The bytes that what would be listed takes on disk; 'human' for a number with a unit.")
    )
    timestamp: Annotated[bool, Flag("--timestamp", walk=True)] = Field(False, description="The commit's time first.")
    header: Annotated[bool, Flag("--header", "-v", walk=True)] = Field(
        False, description="The raw commits, NUL-terminated."
    )
    commit_header: Annotated[
        bool, Flag("--commit-header", walk=True), Flag("--no-commit-header", const=False, walk=True)
    ] = Field(True, description="With a format of placeholders: a line with the commit's name first.")
    graph: Annotated[bool, Flag("--graph", walk=True), Flag("--no-graph", const=False, walk=True)] = Field(
        False, description="Draw the lines of history beside the commits."
    )
    progress: Annotated[str | None, Flag("--progress", value="header", stuck=True, exact=True)] = Field(
        None, description="Accepted; nothing is shown."
    )
    quiet: Annotated[bool, Flag("--quiet", walk=True, no=True)] = Field(
        False, description="No output, only the exit status."
    )
    named_elsewhere: bool = Field(
        False, description="What to list was named elsewhere (--stdin): naming nothing is allowed."
    )

    # fields that a walk reads, and that rev-list has no option for
    full_diff: bool = Field(False, description="Has no meaning here.")
