"""DiffSpec: all options of a diff, as plain values for the engines.

The options are declared in `request/diff.py`, which fills a DiffSpec from a request and the configuration. The options
of the line diff and of the patch text are records of their own (`LineSpec`, `PatchSpec`); this one concerns files.
"""

from __future__ import annotations

from collections.abc import Callable

from ..paths.pathspec import Pathspecs
from ..records import field, record, replace
from .lines.spec import LineSpec, PatchSpec

__all__ = ["MAX_SCORE", "DiffSpec", "Dirstat", "Formats", "Pickaxe", "RenameReport", "StatWidths"]

#: git counts similarity in sixty-thousandths.
MAX_SCORE = 60000


CHECK_FAILED = 2  # the bit that --check sets in the exit status


@record(frozen=True)
class Formats:
    """Which outputs are wanted. git prints them in a fixed order, whatever the order of the options."""

    raw: bool = False
    patch: bool = False
    stat: bool = False
    numstat: bool = False
    shortstat: bool = False
    dirstat: bool = False
    summary: bool = False
    name_only: bool = False
    name_status: bool = False
    check: bool = False
    nothing: bool = False  # -s

    @property
    def any(self) -> bool:
        """True if something is to be printed, or any format option was given (`-s` counts as no output)."""
        return (
            self.raw
            or self.patch
            or self.stat
            or self.numstat
            or self.shortstat
            or self.dirstat
            or self.summary
            or self.name_only
            or self.name_status
            or self.check
        )

    @property
    def needs_lines(self) -> bool:
        """True if the added and deleted lines of each file have to be counted."""
        return self.stat or self.numstat or self.shortstat

    @property
    def only_names(self) -> bool:
        """True if no file's content has to be read."""
        return not (self.patch or self.needs_lines or self.dirstat or self.check)


@record(frozen=True)
class Pickaxe:
    """`-S`, `-G` and `--find-object`: which changes are kept because of their content."""

    kind: str  # "S" | "G" | "object"
    needle: bytes = b""
    regex: bool = False  # --pickaxe-regex
    ignore_case: bool = False  # -i of git log
    all: bool = False  # --pickaxe-all
    objects: frozenset[bytes] = frozenset()  # --find-object


@record(frozen=True)
class StatWidths:
    """`--stat=<width>,<name>,<count>`; 0 and -1 mean that the option was not given, so that git's defaults apply."""

    width: int = -1
    name: int = 0
    graph: int = 0
    count: int = 0


@record(frozen=True)
class Dirstat:
    """`--dirstat=<param>,…`"""

    by: str = "changes"  # "changes" | "lines" | "files"
    cumulative: bool = False
    permille: int = 30


@record
class RenameReport:
    """How the search for renames was restricted.

    It is not part of the request, but is handed along with it, since a command reports it at its end for all its diffs
    together (diffcore.warn_rename_limit).
    """

    needed_limit: int = 0  # the rename limit that would have been enough
    degraded: bool = False  # -C -C looked only at modified files


@record(frozen=True)
class DiffSpec:
    """All options of one diff. Mirrors git-diff(1)."""

    formats: Formats = field(default_factory=Formats)
    lines: LineSpec = field(default_factory=LineSpec)
    patch: PatchSpec = field(default_factory=PatchSpec)
    pathspecs: Pathspecs = Pathspecs.ALL

    # which files, and how they are paired
    recursive: bool = True
    show_trees: bool = False  # -t
    renames: int = 0  # 0 none, 1 renames, 2 copies as well
    rename_score: int = 0  # -M<n>, of MAX_SCORE; 0 = git's default of one half
    rename_limit: int = -1  # -l<n>, diff.renameLimit; -1 = git's default of 1000, 0 = none
    rename_empty: bool = True
    find_copies_harder: bool = False
    break_score: int | None = None  # -B: None = off; of MAX_SCORE, 0 = git's default
    merge_score: int = 0  # -B/<m>
    report: RenameReport = field(default_factory=RenameReport, compare=False)
    follow: bytes | None = None  # --follow: the one path whose origin is searched for
    pickaxe: Pickaxe | None = None
    keep: frozenset[str] | None = None  # --diff-filter: statuses that are kept ("B" = broken); None = all
    keep_all: bool = False  # --diff-filter=...*: all or nothing
    reverse: bool = False  # -R
    relative: bytes | None = None  # --relative: prefix with its slash; files outside of it are not shown
    # diff.orderFile, read if there is something to order: files that match an earlier pattern come first
    order: Callable[[], tuple[bytes, ...]] | None = None
    rotate_to: bytes | None = None
    rotate_strict: bool = False  # git diff: the path must exist
    skip_to: bytes | None = None
    skip_stat_unmatch: bool = True  # files whose content turns out to be equal are left out
    ignore_submodules: bytes | None = None  # --ignore-submodules=<when>
    ignore_default: bytes | None = None  # diff.ignoreSubmodules: for submodules without a setting of their own
    ita_invisible: bool = True

    # how it is printed
    nul: bool = False  # -z
    divider: bytes = b""  # printed between the other formats and the patch: mails with attachments have one
    abbrev: int | None = None  # of raw lines: None = automatic, 0 = whole hash
    compact_summary: bool = False
    stat: StatWidths = field(default_factory=StatWidths)
    dirstat: Dirstat = field(default_factory=Dirstat)
    exit_code: bool = False  # --exit-code, --quiet
    quiet: bool = False
    color: str | None = None  # --color=<when>; None = configuration decides

    # merges (git log, git show)
    # None = the command's default; "off" "first-parent" "separate" "combined" "dense" "remerge"
    merges: str | None = None
    merges_explicit: bool = False  # an option said so, not a default
    combined_all_paths: bool = False
    full_diff: bool = False  # --full-diff: paths choose commits, not files
    show_root: bool = True  # log.showRoot, --root

    def unreported(self) -> DiffSpec:
        """The same options with a report of their own: git compares for a combined diff in a copy of its options, and
        does not say afterwards that the search for renames was restricted."""
        return replace(self, report=RenameReport())

    @property
    def by_content(self) -> bool:
        """Whether a file that differs counts as changed only if its lines do."""
        return self.lines.folds_space or bool(self.lines.ignore_regex)

    @property
    def first_only(self) -> bool:
        """--quiet ends at the first change, unless its content or kind may still turn it into none.

        Strange but git's: -S does not prevent that, so that a later file with the string is ignored.
        """
        return self.quiet and self.keep is None and not self.by_content
