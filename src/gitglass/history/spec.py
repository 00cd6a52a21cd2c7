"""What a walk over history is asked for, as plain values: the tips it starts from, and the WalkSpec.

The names are those of git-rev-list(1)'s options; what one option switches on besides itself (`--graph` wants
topological order and rewritten parents) is spelled out where the request is turned into a WalkSpec, not here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from operator import attrgetter

from ..annotations import TYPE_CHECKING
from ..objects.parsed import Commit
from ..paths.pathspec import Pathspecs
from ..records import field, record

if TYPE_CHECKING:
    from ..refs.reflog import ReflogEntry

# What a walk knows of a commit, as bits.
SEEN = 1  # read, and put in the queue
UNINTERESTING = 2  # excluded, or an ancestor of something excluded
TREESAME = 4  # nothing that is asked about changed here
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
SIMPLIFIED = 16384  # it is known which commit stands for it, with --simplify-merges
FORKED = 32768  # it has several children among the commits put in order
LOADED = 8192  # its parents and date are known to the walk

MARKED = UNINTERESTING | BOUNDARY | LEFT | PATCHSAME  # what may show as a sign in front of a commit

SLOP = 5  # so many commits longer than its dates seem to ask for goes a walk that excludes something

GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER = "graph", "date", "author"


@record(frozen=True)
class Tip:
    """A commit the walk starts from, or ends at (UNINTERESTING). `name` is what --source shows."""

    oid: bytes
    flags: int = 0
    name: bytes = b""

    @classmethod
    def excluded(cls, oid: bytes) -> Tip:
        """A commit the walk ends at."""
        return cls(oid, UNINTERESTING | BOTTOM)


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
    rules_out: Callable[[bytes], bool] | None = None  # tells of a raw commit that the matcher would refuse it
    # which way
    first_parent: bool = False
    exclude_first_parent: bool = False
    no_walk: str = ""  # "", "sorted", "unsorted"
    order: str = ""  # "", or topological with GRAPH_ORDER, DATE_ORDER, AUTHOR_ORDER deciding among siblings
    reverse: bool = False
    limited: bool = False  # the whole list is made before the first commit is shown
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
    # history simplification
    paths: Pathspecs | None = None  # limits the walk (not only the diff)
    prune: bool = False
    simplify_history: bool = True
    dense: bool = True
    simplify_merges: bool = False
    decorated: Collection[bytes] | None = None  # --simplify-by-decoration: the commits worth showing
    show_pulls: bool = False
    remove_empty: bool = False
    full_diff: bool = False
    line_level: Callable[[bytes], bool] | None = None  # -L: decides which commits touch the lines
    line_parents: Mapping[bytes, bytes] | None = None  # merges for which one parent answers alone
    # what goes with each commit
    rewrite_parents: bool = False
    children: bool = False
    graph: bool = False
    track_linear: bool = False
    sources: bool = False
    ignore_missing: bool = False
    raw: bool = True  # the entries' raw commits will be wanted

    @property
    def want_ancestry(self) -> bool:
        """Whether parents (or children) are shown, so that the history shown must hang together."""
        return self.rewrite_parents or self.children

    def remembers_sameness(self) -> bool:
        """Whether a commit may become TREESAME late, when some of its parents turn out to be excluded."""
        return self.prune and self.dense and not self.simplify_history and not self.first_parent


_USUAL = WalkSpec()


class Honoured:
    """What makes a loop fit for a spec; called with one it says whether it is."""

    __slots__ = ("others", "usual")

    def __init__(self, others: Callable[[WalkSpec], object]) -> None:
        self.others = others  # the values of the fields that the loop does not honour
        self.usual = others(_USUAL)  # and what they are where nothing is said

    def __call__(self, spec: WalkSpec) -> bool:
        return bool(self.others(spec) == self.usual)


def honours(*fields: str) -> Honoured:
    """The test whether a loop is fit for a spec: every field has its default value, apart from those that the loop
    honours, or that cannot change what it finds.

    A loop names the fields it knows; a field that it does not name, one added later included, sends the walk that
    sets it to the general machinery (history.py).
    """
    unknown = set(fields).difference(WalkSpec.__match_args__)
    if unknown:
        raise ValueError(f"not fields of WalkSpec: {', '.join(sorted(unknown))}")
    others = attrgetter(*(name for name in WalkSpec.__match_args__ if name not in fields))
    return Honoured(others)


#: what decides which of the commits met are shown, one by one, and how many
CHOSEN = ("min_parents", "max_parents", "matcher", "left_out", "rules_out", "skip", "max_count")
#: no walk is another one for these: how commits are printed, how their diffs are limited, what is done without a commit
SHOWN_ONLY = ("raw", "left_right", "ignore_missing", "full_diff", "line_parents", "patch_id")
#: these say how history is simplified, which happens with `prune` only
SIMPLIFYING = ("simplify_history", "dense", "simplify_merges", "decorated", "show_pulls", "remove_empty")
#: what a walk may ask that compares no trees, if all that is left to do is to choose among the commits met
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


class ReflogPlace:
    """Where in a reflog a commit of the walk stands."""

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
        self.diff_parents = parents  # what the commit is compared with: not always the parents shown
        self.graph_parents: tuple[bytes, ...] = ()  # the parents that will be shown
        self.flags = flags
        self.source: bytes | None = None
        self.children: tuple[bytes, ...] = ()
        self.linear = False
        self.reflog: ReflogPlace | None = None

    def mark(self, *, sides: bool = False, cherry: bool = False, graph: bool = False) -> bytes:
        """The sign in front of this commit, as `mark` has it."""
        return mark(self.flags, sides=sides, cherry=cherry, graph=graph)
