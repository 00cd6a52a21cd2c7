"""Refs in requests and results: the options that branch, tag and for-each-ref share, and their rows."""

from ..annotations import Annotated, Literal
from ..records import typed_row
from .declared import Declared, Field
from .flag import Flag, parse_when
from .rows.page import Page


def _commit(*names: str) -> Flag:
    """An option with a commit; HEAD if it ends the command line."""
    return Flag(*names, value="commit", last=True, const="HEAD", append=True)


class RefFilter(Declared):
    """Which refs, in what order, and how each is printed (git-for-each-ref(1))."""

    contains: Annotated[list[str], _commit("--contains", "--with")] = Field(
        default_factory=list, description="Only refs that contain one of these commits."
    )
    no_contains: Annotated[list[str], _commit("--no-contains", "--without")] = Field(
        default_factory=list, description="Only refs that contain none of these commits."
    )
    merged: Annotated[list[str], _commit("--merged")] = Field(
        default_factory=list, description="Only refs reachable from one of these commits."
    )
    no_merged: Annotated[list[str], _commit("--no-merged")] = Field(
        default_factory=list, description="Only refs not reachable from any of these commits."
    )
    sort: Annotated[list[str], Flag("--sort", value="key", append=True)] = Field(
        default_factory=list, description="Sort keys, the last one first: `-committerdate`, `version:refname`."
    )
    configured_sort: Annotated[bool, Flag("--no-sort", const=False, sets={"sort": []})] = Field(
        True, description="Sort by the configured keys (`tag.sort`, `branch.sort`) where `sort` leaves refs equal."
    )
    format: Annotated[str | None, Flag("--format", value="format", no=True)] = Field(
        None, description="How each ref is printed: text with %(fieldname)."
    )
    color: Annotated[
        Literal["always", "never", "auto"] | None,
        Flag("--color", value="when", optional=True, const="always", no=True, no_const="never", parse=parse_when),
    ] = Field(None, description="always, never or auto.")
    ignore_case: Annotated[bool, Flag("-i", "--ignore-case", no=True)] = Field(
        False, description="Sort and match without regard to case."
    )


@typed_row
class RefRow:
    """One ref. `name` is the full name (`refs/heads/main`), `oid` the object it points at, `target` the ref that a
    symbolic ref points at.

    `kind` is the object's type (commit, tag, tree, blob); `time` is the moment it was made, in epoch seconds (the
    tagger's of an annotated tag, the committer's of a commit), and `subject` the first paragraph of its message; None
    if the object has none, or is missing. A branch that follows another ref has its full name in `upstream`, and the
    numbers of commits it is `ahead` and `behind`; both are None if that ref is gone.
    """

    name: str
    oid: str
    target: str | None = None
    kind: str | None = None
    time: int | None = None
    subject: str | None = None
    upstream: str | None = None
    ahead: int | None = None
    behind: int | None = None


class RefsResult(Page):
    """Refs, in order."""

    refs: list[RefRow] = Field(description="The refs that were asked for.")
