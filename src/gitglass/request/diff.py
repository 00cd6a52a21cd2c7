"""The options of a diff (git-diff(1)).

`DiffOptions` is mixed into the requests of every command that shows changes. Commands turn a request into the engine's
`DiffSpec` with `diff_spec` (in `plans/diff.py`), which also reads the configuration. `diff_values` parses the values,
`rows/diff.py` has the rows of results.
"""

from collections.abc import Mapping

from ..annotations import TYPE_CHECKING, Annotated, Literal
from ..deferred import deferred
from . import diff_values as values
from .declared import Declared, Field
from .flag import Flag, parse_when, unchanged

if TYPE_CHECKING:
    from .abbrev import walk_digits
else:
    walk_digits = deferred(__name__, ".abbrev", "walk_digits")


def _wants_color(mode: str) -> Mapping[str, object]:
    return {"color": "always"} if mode == "color" else {}


def _implies_stat(wanted: bool) -> Mapping[str, object]:
    return {"stat_implied": True} if wanted else {}


def _copies(score: int) -> Mapping[str, object]:
    return {"rename_score": score, "detect": "copies"}


def _as_configured(held: str | None) -> str:
    """--color-moved without a mode: one that was chosen before stays where none is configured."""
    return "default" if held in (None, "no") else f"default:{held.rpartition(':')[2]}"


def _option(*names: str, **more: object) -> Flag:
    """A diff option: git does not allow abbreviations of these."""
    return Flag(*names, exact=True, **more)  # type: ignore[arg-type]


_PATCH = {"patch": True, "no_patch": False}
# Each option for merges resets the ones before: `--combined-all-paths` only counts after the last of them.
_QUIETLY = {"merges_imply_patch": False, "combined_all_paths": False}
_WITH_PATCH = {"merges_imply_patch": True, "combined_all_paths": False}


class DiffOptions(Declared):
    """Options for finding and showing changes, which git diff, log, show, stash show … have in common."""

    # ---------------------------------------------------------------- what is shown
    patch: Annotated[bool, _option("-p", "-u", "--patch", sets={"no_patch": False})] = Field(
        False, description="The changes as a patch."
    )
    no_patch: Annotated[bool, _option("-s", "--no-patch")] = Field(False, description="No diff at all.")
    context: Annotated[
        int | None,
        _option(
            "-U", "--unified", value="n", optional=True, const=unchanged, parse=values.number("--unified"), sets=_PATCH
        ),
    ] = Field(None, description="Lines of context around a change (3).")
    raw: Annotated[bool, _option("--raw"), _option("--patch-with-raw", sets=_PATCH)] = Field(
        False, description="Modes, object names and paths, one line a file."
    )
    stat: Annotated[
        str | None,
        _option(
            "--stat",
            value="width[,name-width[,count]]",
            optional=True,
            const=values.same_widths,
            parse=values.stat_widths,
            sets=values.stat_overrules,
        ),
        _option("--patch-with-stat", const=values.same_widths, sets=_PATCH),
    ] = Field(None, description="A diffstat; the value is 'width[,name-width[,count]]', empty for the default widths.")
    stat_width: Annotated[
        int | None,
        _option("--stat-width", value="width", parse=values.number("stat-width"), sets=values.overrules_stat(0)),
    ] = Field(None, description="Width of the diffstat.")
    stat_name_width: Annotated[
        int | None,
        _option(
            "--stat-name-width", value="width", parse=values.number("stat-name-width"), sets=values.overrules_stat(1)
        ),
    ] = Field(None, description="Width of the names in the diffstat.")
    stat_graph_width: Annotated[
        int | None,
        _option(
            "--stat-graph-width", value="width", parse=values.number("stat-graph-width"), sets={"stat_implied": True}
        ),
    ] = Field(None, description="Width of the graph in the diffstat.")
    stat_count: Annotated[
        int | None,
        _option("--stat-count", value="count", parse=values.number("stat-count"), sets=values.overrules_stat(2)),
    ] = Field(None, description="At most this many lines of diffstat.")
    stat_implied: bool = Field(False, description="A --stat-… option asked for the diffstat.")
    compact_summary: Annotated[bool, _option("--compact-summary", no=True, sets=_implies_stat)] = Field(
        False, description="Creations, deletions and mode changes within the diffstat."
    )
    numstat: Annotated[bool, _option("--numstat")] = Field(False, description="Added and deleted lines, for machines.")
    shortstat: Annotated[bool, _option("--shortstat")] = Field(False, description="Only the totals of the diffstat.")
    dirstat: Annotated[
        list[str],
        _option("-X", "--dirstat", value="param,…", optional=True, const="", append=True),
        _option("--cumulative", const="cumulative", append=True),
        _option(
            "--dirstat-by-file",
            value="param,…",
            optional=True,
            const="files",
            append=True,
            parse=lambda s: "files," + s if s else "files",
        ),
    ] = Field(
        default_factory=list, description="Share of the change by directory; parameters as git-diff(1) names them."
    )
    summary: Annotated[bool, _option("--summary")] = Field(
        False, description="Creations, deletions, renames, mode changes."
    )
    name_only: Annotated[bool, _option("--name-only")] = Field(False, description="Only the names of changed files.")
    name_status: Annotated[bool, _option("--name-status")] = Field(False, description="Names and status letters.")
    check: Annotated[bool, _option("--check")] = Field(
        False, description="Warn of conflict markers and white-space errors."
    )
    null: Annotated[bool, _option("-z")] = Field(False, description="NUL-terminated records, unquoted paths.")

    # ---------------------------------------------------------------- how a patch looks
    color: Annotated[
        Literal["always", "never", "auto"] | None,
        Flag("--color", value="when", optional=True, const="always", parse=parse_when, exact=True),
        Flag("--no-color", const="never", exact=True),
    ] = Field(None, description="'always', 'never' or 'auto'.")
    abbrev: Annotated[
        int | None,
        Flag("--abbrev", value="n", optional=True, const=-1, parse=walk_digits, exact=True),
        Flag("--no-abbrev", const=0, exact=True),
    ] = Field(None, description="Length of abbreviated object names; -1 default length, 0 unabbreviated.")
    full_index: Annotated[bool, _option("--full-index", no=True)] = Field(
        False, description="Whole object names in patches."
    )
    binary: Annotated[bool, _option("--binary", sets=_PATCH)] = Field(
        False, description="Binary changes as applicable patches."
    )
    text: Annotated[bool, _option("-a", "--text", no=True)] = Field(False, description="Treat every file as text.")
    reverse_sides: Annotated[bool, _option("-R")] = Field(False, description="Swap the two sides.")
    src_prefix: Annotated[
        str | None, _option("--src-prefix", value="prefix"), _option("--no-prefix", const="", sets={"dst_prefix": ""})
    ] = Field(None, description="Prefix of the old side ('a/').")
    dst_prefix: Annotated[str | None, _option("--dst-prefix", value="prefix")] = Field(
        None, description="Prefix of the new side ('b/')."
    )
    line_prefix: Annotated[str, _option("--line-prefix", value="prefix")] = Field(
        "", description="In front of every line."
    )
    inter_hunk_context: Annotated[
        int | None, _option("--inter-hunk-context", value="n", parse=values.number("option `inter-hunk-context'", ""))
    ] = Field(None, description="Join hunks that are up to this many lines apart.")
    function_context: Annotated[bool, _option("-W", "--function-context", no=True)] = Field(
        False, description="Whole functions as context."
    )
    indicator_new: Annotated[
        str, _option("--output-indicator-new", value="char", parse=values.character("output-indicator-new"))
    ] = Field("+", description="Mark of added lines.")
    indicator_old: Annotated[
        str, _option("--output-indicator-old", value="char", parse=values.character("output-indicator-old"))
    ] = Field("-", description="Mark of deleted lines.")
    indicator_context: Annotated[
        str, _option("--output-indicator-context", value="char", parse=values.character("output-indicator-context"))
    ] = Field(" ", description="Mark of unchanged lines.")
    word_diff: Annotated[
        Literal["plain", "color", "porcelain", "none"] | None,
        _option(
            "--word-diff",
            value="mode",
            optional=True,
            const=values.some_word_diff,
            parse=values.word_diff,
            sets=_wants_color,
        ),
    ] = Field(None, description="Changed words: 'plain', 'color', 'porcelain' or 'none'.")
    word_diff_regex: Annotated[
        str | None,
        _option("--word-diff-regex", value="regex"),
        _option(
            "--color-words",
            value="regex",
            optional=True,
            const=None,
            sets={"word_diff": "color", "color": "always"},
        ),
    ] = Field(None, description="What a word is.")
    color_moved: Annotated[
        str | None,
        _option("--color-moved", value="mode", optional=True, const=_as_configured, parse=values.moved),
        _option("--no-color-moved", const="no"),
    ] = Field(
        None,
        description="Colour moved lines: 'no', 'plain', 'blocks', 'zebra' or 'dimmed-zebra'; 'default': as configured, "
        "or else 'zebra'.",
    )
    color_moved_ws: Annotated[
        str | None,
        _option("--color-moved-ws", value="mode,…", parse=values.moved_ws),
        _option("--no-color-moved-ws", const="no"),
    ] = Field(None, description="White space to ignore when looking for moved lines.")
    ws_error_highlight: Annotated[
        str | None, _option("--ws-error-highlight", value="kind,…", parse=values.highlight)
    ] = Field(None, description="Where white-space errors are coloured: 'old', 'new', 'context', 'all', 'none'.")
    irreversible_delete: Annotated[bool, _option("-D", "--irreversible-delete")] = Field(
        False, description="Leave out the content of deleted files."
    )
    submodule: Annotated[
        Literal["short", "log", "diff"] | None,
        _option("--submodule", value="format", optional=True, const="log", parse=values.submodule),
    ] = Field(None, description="Submodules as 'short', 'log' or 'diff'.")
    ignore_submodules: Annotated[
        Literal["none", "untracked", "dirty", "all"] | None,
        _option("--ignore-submodules", value="when", optional=True, const="all", parse=values.ignore_submodules),
    ] = Field(None, description="'none', 'untracked', 'dirty' or 'all'.")

    # ---------------------------------------------------------------- which lines differ
    algorithm: Annotated[
        Literal["myers", "minimal", "patience", "histogram"] | None,
        _option("--diff-algorithm", value="algorithm", parse=values.diff_algorithm),
        _option("--patience", const="patience", sets={"anchored": []}),
        _option("--histogram", const="histogram"),
    ] = Field(None, description="'myers', 'minimal', 'patience' or 'histogram'.")
    minimal: Annotated[bool, _option("--minimal", no=True)] = Field(False, description="Look for the smallest diff.")
    anchored: Annotated[list[str], _option("--anchored", value="text", append=True, sets={"algorithm": "patience"})] = (
        Field(default_factory=list, description="Keep lines that start so in place.")
    )
    indent_heuristic: Annotated[bool | None, _option("--indent-heuristic", no=True)] = Field(
        None, description="Shift hunk boundaries to where people would put them."
    )
    ignore_all_space: Annotated[bool, _option("-w", "--ignore-all-space")] = Field(
        False, description="Ignore white space altogether."
    )
    ignore_space_change: Annotated[bool, _option("-b", "--ignore-space-change")] = Field(
        False, description="Ignore changes in the amount of white space."
    )
    ignore_space_at_eol: Annotated[bool, _option("--ignore-space-at-eol")] = Field(
        False, description="Ignore white space at the ends of lines."
    )
    ignore_cr_at_eol: Annotated[bool, _option("--ignore-cr-at-eol")] = Field(
        False, description="Ignore carriage returns at the ends of lines."
    )
    ignore_blank_lines: Annotated[bool, _option("--ignore-blank-lines")] = Field(
        False, description="Ignore changes that only concern blank lines."
    )
    ignore_matching_lines: Annotated[
        list[str],
        _option("-I", "--ignore-matching-lines", value="regex", append=True, no=True, no_const=values.not_negated),
    ] = Field(default_factory=list, description="Ignore changes all of whose lines match.")

    # ---------------------------------------------------------------- which files
    detect: Annotated[Literal["renames", "copies", "no"] | None, _option("--no-renames", const="no")] = Field(
        None, description="'renames', 'copies' or 'no' (diff.renames)."
    )
    rename_score: Annotated[
        int | None,
        _option(
            "-M",
            "--find-renames",
            value="n",
            optional=True,
            const=0,
            parse=values.score("find-renames"),
            sets={"detect": "renames"},
        ),
    ] = Field(None, description="Least similarity of a rename, of 60000; 0 for git's half.")
    copies: Annotated[
        list[int],
        _option(
            "-C",
            "--find-copies",
            value="n",
            optional=True,
            const=0,
            parse=values.score("find-copies"),
            append=True,
            sets=_copies,
        ),
    ] = Field(default_factory=list, description="Look for copies; given twice, in unchanged files as well.")
    find_copies_harder: Annotated[bool, _option("--find-copies-harder", no=True)] = Field(
        False, description="Look for copies in unchanged files as well."
    )
    rename_empty: Annotated[bool, _option("--rename-empty", no=True)] = Field(
        True, description="Empty files may be renames."
    )
    rename_limit: Annotated[int | None, _option("-l", value="n", parse=values.number("switch `l'", ""))] = Field(
        None, description="Look for inexact renames only up to this many files (diff.renameLimit)."
    )
    break_rewrites: Annotated[
        str | None, _option("-B", "--break-rewrites", value="n[/m]", optional=True, const="", parse=values.rewrites)
    ] = Field(None, description="Split rewritten files into deletion and creation.")
    pickaxe: Annotated[str | None, _option("-S", value="string")] = Field(
        None, description="Only changes in the number of occurrences of this."
    )
    pickaxe_grep: Annotated[str | None, _option("-G", value="regex")] = Field(
        None, description="Only changes with added or deleted lines that match."
    )
    find_object: Annotated[list[str], _option("--find-object", value="object-id", append=True)] = Field(
        default_factory=list, description="Only changes in the number of occurrences of this object."
    )
    pickaxe_all: Annotated[bool, _option("--pickaxe-all")] = Field(False, description="Show all changes of a match.")
    pickaxe_regex: Annotated[bool, _option("--pickaxe-regex")] = Field(
        False, description="-S takes a regular expression."
    )
    diff_filter: Annotated[list[str], _option("--diff-filter", value="letters", append=True, parse=values.classes)] = (
        Field(default_factory=list, description="Only these statuses (ACDMRTUXB), or in lower case all but these.")
    )
    relative: Annotated[
        str | None,
        _option("--relative", value="path", optional=True, const=lambda have: have or "", sets={"no_relative": False}),
    ] = Field(
        None, description="Only what is below this directory (empty: the current one), with paths relative to it."
    )
    no_relative: Annotated[bool, _option("--no-relative")] = Field(
        False, description="Not even where diff.relative says so."
    )
    rotate_to: Annotated[str | None, _option("--rotate-to", value="path", sets={"skip_to": None})] = Field(
        None, description="Begin with this path."
    )
    skip_to: Annotated[str | None, _option("--skip-to", value="path", sets={"rotate_to": None})] = Field(
        None, description="Leave out what comes before this path."
    )
    order_file: Annotated[str | None, _option("-O", value="orderfile")] = Field(
        None, description="A file of patterns: paths that match an earlier one come first; '/dev/null' for no order."
    )
    exit_code: Annotated[bool, _option("--exit-code", no=True)] = Field(
        False, description="Exit status 1 where there are differences."
    )
    quiet: Annotated[bool, _option("--quiet", no=True)] = Field(False, description="No output, only the exit status.")
    ita_invisible: Annotated[
        bool | None, _option("--ita-invisible-in-index"), _option("--ita-visible-in-index", const=False)
    ] = Field(None, description="How files added with intent-to-add count.")
    no_programs: Annotated[bool, _option("--no-ext-diff", negation=True)] = Field(
        True, description="External diffs never run; this says so."
    )
    textconv: Annotated[bool | None, _option("--textconv", no=True)] = Field(
        None, description="Compare converted text. Programs never run: contents are compared as they are, with a note."
    )

    # ---------------------------------------------------------------- trees and merges
    show_trees: Annotated[bool, _option("-t", sets={"recursive": True})] = Field(
        False, description="Show trees as well."
    )
    recursive: Annotated[bool, _option("-r")] = Field(False, description="Recurse into trees (porcelain always does).")
    diff_merges: Annotated[
        Literal["off", "first-parent", "separate", "combined", "dense", "remerge", "on", "m"] | None,
        _option("-m", const="m", sets=_QUIETLY),
        _option("-c", const="combined", sets=_WITH_PATCH),
        Flag("--cc", const="dense", sets=_WITH_PATCH, walk=True),
        Flag("--remerge-diff", const="remerge", sets=_WITH_PATCH, walk=True),
        Flag("--no-diff-merges", const="off", sets=_QUIETLY, walk=True),
        Flag("--diff-merges", value="format", parse=values.merges, sets=_QUIETLY, walk=True),
    ] = Field(
        None, description="Merges: 'off', 'first-parent', 'separate', 'combined', 'dense', 'remerge', 'on' (default)."
    )
    merges_imply_patch: bool = Field(
        False, description="The option on merges asks for a patch where no format is given."
    )
    combined_all_paths: Annotated[bool, Flag("--combined-all-paths", walk=True)] = Field(
        False, description="Combined diffs name the file in every parent."
    )

    @property
    def names_format(self) -> bool:
        """Whether any output format was requested, or none at all (`-s`)."""
        return bool(
            self.patch
            or self.no_patch
            or self.quiet
            or self.raw
            or self.stat is not None
            or self.stat_implied
            or self.numstat
            or self.shortstat
            or self.dirstat
            or self.summary
            or self.name_only
            or self.name_status
            or self.check
        )
