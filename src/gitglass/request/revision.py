"""Which commits are selected: the options of git-rev-list(1) that git log, show, rev-list, shortlog … have in common.

`RevisionRange` sets the start, the direction and the order of the walk; `CommitFilter` selects which of its commits are
shown. `plans/walk.py` turns both into the input of the walk.
"""

from ..annotations import Annotated, Literal
from ..errors import BadRequest
from .declared import Declared, Field
from .flag import Flag, Unrecognized, leading_number

__all__ = ["CommitFilter", "RevisionRange", "WalkOptions"]


def _option(*names: str, **more: object) -> Flag:
    """An option of the revision walk: git does not allow abbreviations of these."""
    return Flag(*names, walk=True, **more)  # type: ignore[arg-type]


def _barred(option: str, **others: str) -> dict[str, str]:
    """git's message about an option after one that excludes it."""
    return {name: f"options '{option}' and '{other}' cannot be used together" for name, other in others.items()}


def _unpacked(pack: str) -> bool:
    """Raise git's error: `--unpacked=<packfile>` is no longer supported."""
    raise BadRequest("--unpacked=<packfile> no longer supported")


def _kept(kind: str) -> bool:
    """Check the value of --no-kept-objects: only a git that repacks keeps packs in memory. Other values have no
    effect."""
    return kind == "on-disk"


def _turned(held: object) -> bool:
    """A second --reverse cancels the first."""
    return not held


def check_walk_mode(mode: str) -> str:
    """The value of --no-walk."""
    if mode not in ("sorted", "unsorted"):
        raise Unrecognized("invalid argument to --no-walk")
    return mode


def _ancestor(value: str) -> str:
    if not value:  # an empty one in the request means the ends of the range
        raise BadRequest("could not get commit for ancestry-path argument ", prefix="error")
    return value


class RevisionRange(Declared):
    """The start, end and direction of a walk, and the order of its commits."""

    revs: Annotated[
        list[str],
        _option("--all", token=True),
        _option("--branches", "--tags", "--remotes", value="pattern", optional=True, token=True),
        _option("--glob", value="glob-pattern", token=True),
        _option("--exclude", value="glob-pattern", token=True),
        _option("--exclude-hidden", value="receive|uploadpack", token=True),
        _option(
            "--reflog",
            "--not",
            "--bisect",
            "--ignore-missing",
            "--indexed-objects",
            "--alternate-refs",
            "--single-worktree",
            token=True,
        ),
        _option("--stdin", token=True),
    ] = Field(
        default_factory=list,
        description="Revisions and ranges, e.g. ['main', 'v1.0..HEAD', '^topic', '--all']; HEAD when empty.",
    )

    default: Annotated[str | None, _option("--default", value="revision", apart=True)] = Field(
        None, description="The revision to start from where none is named."
    )

    # ---------------------------------------------------------------- order
    order: Annotated[
        Literal["topo", "date", "author-date"] | None,
        _option("--topo-order", const="topo"),
        _option("--date-order", const="date"),
        _option("--author-date-order", const="author-date"),
    ] = Field(None, description="'topo', 'date' or 'author-date'; newest first when not given.")
    reverse: Annotated[bool, _option("--reverse", const=_turned)] = Field(False, description="Oldest first.")
    no_walk: Annotated[
        Literal["sorted", "unsorted", ""] | None,
        _option("--no-walk", value="sorted|unsorted", optional=True, const="sorted", parse=check_walk_mode),
        _option("--do-walk", const=""),
    ] = Field(None, description="Only the revisions named, 'sorted' by time or 'unsorted'; '' for a walk all the same.")
    walk_reflogs: Annotated[bool, _option("-g", "--walk-reflogs", turns=True)] = Field(
        False, description="Walk reflog entries instead of ancestors."
    )

    # ---------------------------------------------------------------- which way
    first_parent: Annotated[bool, _option("--first-parent")] = Field(
        False, description="Follow only the first parent of merges."
    )
    exclude_first_parent_only: Annotated[bool, _option("--exclude-first-parent-only")] = Field(
        False, description="Exclude along first parents only."
    )
    ancestry_path: Annotated[
        list[str], _option("--ancestry-path", value="commit", optional=True, const="", append=True, parse=_ancestor)
    ] = Field(
        default_factory=list,
        description="Only commits on paths between the ends of the range, or those related to these commits.",
    )
    boundary: Annotated[bool, _option("--boundary")] = Field(
        False, description="Show the excluded commits at the edge as well."
    )
    left_right: Annotated[bool, _option("--left-right")] = Field(
        False, description="Mark which side of A...B a commit is on."
    )
    left_only: Annotated[
        bool, _option("--left-only", bars={"right_only": "--left-only is incompatible with --right-only or --cherry"})
    ] = Field(False, description="Only the left side of A...B.")
    right_only: Annotated[
        bool,
        _option("--right-only", bars=_barred("--right-only", left_only="--left-only")),
        _option(
            "--cherry",
            sets={"cherry_mark": True, "cherry_pick": False, "max_parents": 1},
            bars=_barred("--cherry", left_only="--left-only"),
        ),
    ] = Field(False, description="Only the right side of A...B.")
    cherry_pick: Annotated[
        bool, _option("--cherry-pick", bars=_barred("--cherry-pick", cherry_mark="--cherry-mark"))
    ] = Field(False, description="Leave out commits whose change is on the other side too.")
    cherry_mark: Annotated[
        bool, _option("--cherry-mark", bars=_barred("--cherry-mark", cherry_pick="--cherry-pick"))
    ] = Field(False, description="Mark commits whose change is on the other side too.")

    # ---------------------------------------------------------------- simplification of the history of paths
    full_history: Annotated[bool, _option("--full-history")] = Field(
        False, description="Do not prune side branches when limited to paths."
    )
    dense: Annotated[bool, _option("--dense"), _option("--sparse", const=False)] = Field(
        True, description="Only commits that change the paths (and merges that tie them together)."
    )
    simplify_merges: Annotated[bool, _option("--simplify-merges")] = Field(
        False, description="Full history without merges that tie nothing together."
    )
    simplify_by_decoration: Annotated[bool, _option("--simplify-by-decoration")] = Field(
        False, description="Only commits that some ref points at."
    )
    show_pulls: Annotated[bool, _option("--show-pulls")] = Field(
        False, description="Also merges that brought a change into their first parent."
    )
    remove_empty: Annotated[bool, _option("--remove-empty")] = Field(
        False, description="Stop where a path vanishes from the tree."
    )
    full_diff: Annotated[bool, _option("--full-diff")] = Field(
        False, description="Paths select commits; the diffs show all files."
    )
    unpacked: Annotated[bool, _option("--unpacked", value="packfile", optional=True, parse=_unpacked)] = Field(
        False, description="Only what is in no pack."
    )
    no_kept_objects: Annotated[bool, _option("--no-kept-objects", value="on-disk", optional=True, parse=_kept)] = Field(
        False, description="Leave out what is in packs marked to be kept."
    )
    merge: Annotated[bool, _option("--merge")] = Field(
        False, description="After a failed merge: commits that touch conflicted files."
    )

    # ---------------------------------------------------------------- what goes with a commit
    parents: Annotated[bool, _option("--parents")] = Field(False, description="Print the parents (rewritten).")
    children: Annotated[bool, _option("--children")] = Field(False, description="Print the children.")
    show_linear_break: Annotated[
        str | None, _option("--show-linear-break", value="barrier", optional=True, const=" " * 20 + "." * 10)
    ] = Field(None, description="A barrier between commits that do not follow each other.")


class CommitFilter(Declared):
    """The selection of the commits to show."""

    max_count: Annotated[
        int | None, _option("-n", "--max-count", "-NUM", value="number", parse=leading_number, sets={"no_walk": None})
    ] = Field(None, description="At most this many commits.")
    skip: Annotated[int, _option("--skip", value="number", parse=leading_number)] = Field(
        0, description="Leave out so many commits first."
    )
    since: Annotated[str | None, _option("--since", "--after", value="date")] = Field(
        None, description="Commits more recent than a date, e.g. '2 weeks ago'."
    )
    until: Annotated[str | None, _option("--until", "--before", value="date")] = Field(
        None, description="Commits older than a date."
    )
    max_age: Annotated[int | None, _option("--max-age", value="timestamp", parse=leading_number)] = Field(
        None, description="Like since, in epoch seconds."
    )
    min_age: Annotated[int | None, _option("--min-age", value="timestamp", parse=leading_number)] = Field(
        None, description="Like until, in epoch seconds."
    )
    since_as_filter: Annotated[str | None, _option("--since-as-filter", value="date")] = Field(
        None, description="Like since, but goes on behind the first commit that is older."
    )
    min_parents: Annotated[
        int,
        _option("--min-parents", value="number", parse=leading_number, stuck=True),
        _option("--merges", const=2),
        _option("--no-min-parents", const=0),
    ] = Field(0, description="Only commits with at least so many parents (2: only merges).")
    max_parents: Annotated[
        int,
        _option("--max-parents", value="number", parse=leading_number, stuck=True),
        _option("--no-merges", const=1),
        _option("--no-max-parents", const=-1),
    ] = Field(-1, description="Only commits with at most so many parents (1: no merges); -1: any.")
    author: Annotated[list[str], _option("--author", value="pattern", append=True)] = Field(
        default_factory=list, description="Author name or mail matches one of these regular expressions."
    )
    committer: Annotated[list[str], _option("--committer", value="pattern", append=True)] = Field(
        default_factory=list, description="Committer matches one of these."
    )
    grep: Annotated[list[str], _option("--grep", value="pattern", append=True)] = Field(
        default_factory=list, description="The message matches one of these."
    )
    grep_reflog: Annotated[list[str], _option("--grep-reflog", value="pattern", append=True)] = Field(
        default_factory=list, description="The reflog message matches one of these (with walk_reflogs)."
    )
    all_match: Annotated[bool, _option("--all-match")] = Field(False, description="All patterns of grep must match.")
    invert_grep: Annotated[bool, _option("--invert-grep")] = Field(False, description="No pattern of grep may match.")
    ignore_case: Annotated[bool, _option("-i", "--regexp-ignore-case")] = Field(
        False, description="Patterns match without regard to case."
    )
    pattern_type: Annotated[
        Literal["basic", "extended", "fixed", "perl"] | None,
        _option("--basic-regexp", const="basic"),
        _option("-E", "--extended-regexp", const="extended"),
        _option("-F", "--fixed-strings", const="fixed"),
        _option("-P", "--perl-regexp", const="perl"),
    ] = Field(None, description="How patterns are read: 'basic', 'extended', 'fixed' or 'perl'.")


class WalkOptions(RevisionRange, CommitFilter):
    """Both: the options of a request that walks history."""
