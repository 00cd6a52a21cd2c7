"""The input of a walk over history, as plain values: the tips it starts from, and the WalkSpec.

Fields are named after git-rev-list(1)'s options; what an option implies (`--graph` implies topological order and
rewritten parents) is added where the request is turned into a WalkSpec, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter

from ..annotations import TYPE_CHECKING
from ..objects.parsed import Commit
from ..paths.pathspec import Pathspecs
from ..records import field, record

if TYPE_CHECKING:
    from ..refs.reflog import ReflogEntry

# The flags of a commit in a walk.
SEEN = 1  # read, and put in the queue
UNINTERESTING = 2  # excluded, or an ancestor of something excluded
TREESAME = 4  # nothing changed in the paths of the walk
SHOWN = 8
BOUNDARY = 16  # shown although excluded, with --boundary
CHILD_SHOWN = 32
ADDED = 64  # its parents are in the queue
LEFT = 128  # reached from the left side of A...B
BOTTOM = 256  # named as excluded (and so still "relevant" as a parent)
PATCHSAME = 512  # the other side has the same change
PULL_MERGE = 1024  # a merge that differs from its first parent
LINEAR = 2048  # continues the entry before it (--show-linear-break)
ON_ANCESTRY_PATH = 4096
SIMPLIFIED = 16384  # its replacement is known, with --simplify-merges
FORKED = 32768  # it has several children among the commits put in order
LOADED = 8192  # its parents and date are known to the walk

MARKED = UNINTERESTING | BOUNDARY | LEFT | PATCHSAME  # flags that may show as a sign in front of a commit

SLOP = 5  # a walk that excludes commits goes on for this many commits longer than the dates require

GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER = "graph", "date", "author"


@record(frozen=True)
class Tip:
    """A commit that the walk starts from, or ends at (UNINTERESTING). `name` is what --source shows; `tag` is the tag
    that it was named through."""

    oid: bytes
    flags: int = 0
    name: bytes = b""
    tag: bytes = b""

    @classmethod
    def excluded(cls, oid: bytes) -> Tip:
        """A commit the walk ends at."""
        return cls(oid, UNINTERESTING | BOTTOM)


def excludes(tips: Sequence[Tip]) -> bool:
    """Whether some tips are excluded, and all are ends of ranges and nothing else."""
    some = any(tip.flags & UNINTERESTING for tip in tips)
    return some and not any(tip.flags & ~(UNINTERESTING | BOTTOM | LEFT) for tip in tips)


class Quota:
    """How many commits are still to be shown, where their diffs decide which of those that the walk gives are."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


@record(frozen=True)
class WalkSpec:
    """Everything that decides which commits come, in which order, and with which parents."""

    # how many, how old, of what kind
    max_count: int = -1
    skip: int = 0
    max_age: int | None = None
    min_age: int | None = None
    max_age_as_filter: int | None = None
    min_parents: int = 0
    max_parents: int = -1
    matcher: Callable[[Commit], bool] | None = None  # --grep, --author, --committer
    left_out: Callable[[bytes], bool] | None = None  # commits that are not shown because of where they are stored
    rules_out: Callable[[bytes], bool] | None = None  # whether the matcher would reject a raw commit
    quota: Quota | None = None  # when it is used up, only the boundary of the commits given comes
    # which way
    first_parent: bool = False
    exclude_first_parent: bool = False
    no_walk: str = ""  # "", "sorted", "unsorted"
    order: str = ""  # "", or topological with GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER deciding among siblings
    reverse: bool = False
    limited: bool = False  # the complete list is made before the first commit is shown
    boundary: bool = False
    # sides
    left_right: bool = False
    left_only: bool = False
    right_only: bool = False
    cherry_pick: bool = False
    cherry_mark: bool = False
    patch_id: Callable[[bytes], bytes | None] | None = None
    # ancestry path
    ancestry_path: bool = False
    ancestry_bottoms: list[bytes] = field(default_factory=list)  # empty: the excluded tips
    ancestry_tagged: Collection[bytes] = frozenset()  # of these, those whose ancestors are not on the path
    # history simplification
    paths: Pathspecs | None = None  # limits the walk (not only the diff)
    prune: bool = False
    simplify_history: bool = True
    dense: bool = True
    simplify_merges: bool = False
    decorated: Collection[bytes] | None = None  # --simplify-by-decoration: the commits to keep
    show_pulls: bool = False
    remove_empty: bool = False
    full_diff: bool = False
    line_level: Callable[[bytes], bool] | None = None  # -L: decides which commits touch the lines
    line_parents: Mapping[bytes, bytes] | None = None  # merges whose line ranges all went to one parent
    # what goes with each commit
    rewrite_parents: bool = False
    children: bool = False
    graph: bool = False
    track_linear: bool = False
    sources: bool = False
    timed: bool = False  # rows may have the commit time beside them, in decimal
    rooted: bool = False  # rows may have trees beside them: the commit's own, and those of its parents
    ignore_missing: bool = False
    raw: bool = True  # the raw commits of the entries will be needed

    @property
    def want_ancestry(self) -> bool:
        """Whether parents (or children) are shown, so that the history shown must be connected."""
        return self.rewrite_parents or self.children

    @property
    def skips_parents(self) -> bool:
        """Whether some parents are not followed, so that they may be left unread."""
        return self.first_parent or self.exclude_first_parent

    def remembers_sameness(self) -> bool:
        """Whether a commit may become TREESAME later, when some of its parents turn out to be excluded."""
        return self.prune and self.dense and not self.simplify_history and not self.first_parent


_USUAL = WalkSpec()


class Honoured:
    """The test whether a loop supports a spec: call it with the spec."""

    __slots__ = ("others", "usual")

    def __init__(self, others: Callable[[WalkSpec], object]) -> None:
        self.others = others  # gives the values of the fields that the loop does not honour
        self.usual = others(_USUAL)  # their default values

    def __call__(self, spec: WalkSpec) -> bool:
        return bool(self.others(spec) == self.usual)


def honours(*fields: str) -> Honoured:
    """The test whether a loop supports a spec: all fields have their default values, except those that the loop honours
    and those that cannot change its result.

    A loop names the fields it honours; any other field, also one added later, sends a walk that sets it to the general
    code (walk.py).
    """
    unknown = set(fields).difference(WalkSpec.__match_args__)
    if unknown:
        raise ValueError(f"not fields of WalkSpec: {', '.join(sorted(unknown))}")
    others = attrgetter(*(name for name in WalkSpec.__match_args__ if name not in fields))
    return Honoured(others)


#: fields that decide which of the walked commits are shown, one by one, and how many
CHOSEN = ("min_parents", "max_parents", "matcher", "left_out", "rules_out", "skip", "max_count")
#: fields that do not change the walk: how commits are printed, how diffs are limited, the answer without a commit
SHOWN_ONLY = ("raw", "timed", "rooted", "left_right", "ignore_missing", "full_diff", "line_parents", "patch_id")
#: fields of history simplification, which only has an effect with `prune`
SIMPLIFYING = ("simplify_history", "dense", "simplify_merges", "decorated", "show_pulls", "remove_empty")
#: fields of a walk that compares no trees, if the only thing left to do is to select among the walked commits
BARE = (*CHOSEN, *SHOWN_ONLY, *SIMPLIFYING)


def mark(flags: int, *, sides: bool = False, cherry: bool = False, graph: bool = False) -> bytes:
    """The sign in front of a commit: `-` boundary, `^` excluded, `=` same change, `<` `>` sides, `+` or `*`."""
    if flags & BOUNDARY:
        return b"o" if graph else b"-"
    if flags & UNINTERESTING:
        return b"^"
    if flags & PATCHSAME:
        return b"="
    if sides:
        return b"<" if flags & LEFT else b">"
    if graph:
        return b"*"
    return b"+" if cherry else b""


def is_read(flags: int) -> bool:
    """Whether the walk has read the commit: all but some at the boundary (a second parent, with --first-parent)."""
    return flags & (BOUNDARY | LOADED) != BOUNDARY


#: a commit of a walk as bare values: its oid, its parents, the raw commit if it was read, its flags, and what is shown
#: beside it: the parents that a graph has lines to, its children, the name that it was reached by, its time, or trees
WalkRow = tuple[bytes, tuple[bytes, ...], bytes | None, int, tuple[bytes, ...]]


class ReflogPlace:
    """The position of a walk's commit in a reflog."""

    __slots__ = ("by_date", "entry", "name", "number")

    def __init__(self, name: bytes, number: int, entry: ReflogEntry, by_date: bool | None) -> None:
        self.name, self.number, self.entry, self.by_date = name, number, entry, by_date


class WalkEntry:
    """One commit of a walk: its parents as rewritten, and how it was reached."""

    __slots__ = (
        "children",
        "commit",
        "diff_parents",
        "flags",
        "graph_parents",
        "linear",
        "oid",
        "parents",
        "reflog",
        "source",
    )

    def __init__(self, oid: bytes, commit: Commit, parents: tuple[bytes, ...], flags: int) -> None:
        self.oid = oid
        self.commit = commit
        self.parents = parents
        self.diff_parents = parents  # the commits it is compared with: not always the parents shown
        self.graph_parents: tuple[bytes, ...] = ()  # the parents that will be shown
        self.flags = flags
        self.source: bytes | None = None
        self.children: tuple[bytes, ...] = ()
        self.linear = False
        self.reflog: ReflogPlace | None = None

    def parents_in(self, *, user_format: bool) -> tuple[bytes, ...]:
        """The parents that a format shows. Those of a commit at the boundary that the walk did not read are known to a
        user's format alone: git reads the commit for its placeholders."""
        return self.diff_parents if user_format and self.flags & BOUNDARY else self.parents

    def mark(self, *, sides: bool = False, cherry: bool = False, graph: bool = False) -> bytes:
        """The sign in front of this commit, as `mark` has it."""
        return mark(self.flags, sides=sides, cherry=cherry, graph=graph)
