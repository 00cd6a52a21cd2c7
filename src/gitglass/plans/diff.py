"""From a request's diff options and the configuration to the engine's DiffSpec.

The configuration keys are those of git-config(1) under `diff.`, and `core.whitespace`. What names a program
(`diff.external`) is not looked at; `diff.orderFile` is read by the commands.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..config.config import Config, bad_value, parse_bool
from ..diff.lines.spec import LineSpec, PatchSpec
from ..diff.spec import DiffSpec, Dirstat, Formats, Pickaxe, StatWidths
from ..errors import BadConfig, BadRequest, InvalidArgs, text
from ..limits import Context
from ..request.declared import fields_of
from ..request.diff import DiffOptions
from ..request.diff_values import MERGES, parse_moved, parse_score
from ..request.text import to_bytes

__all__ = ["check_log_settings", "diff_spec", "set_mnemonic"]

_ALL = frozenset("ACDMRTUXB")
_HIGHLIGHTS = frozenset(["none", "default", "all", "new", "old", "context"])
#: what `_formats` reads of a request: the rest of the answer is the same for all of them
_FORMATS = frozenset(
    ["raw", "patch", "stat", "numstat", "shortstat", "summary", "name_only", "name_status", "check", "no_patch"]
)  # fmt: skip
_OPTIONS = frozenset(fields_of(DiffOptions)) - _FORMATS
#: every setting that is looked at here
SETTINGS = frozenset(
    [
        b"core.whitespace", b"diff.algorithm", b"diff.colormoved", b"diff.colormovedws", b"diff.context",
        b"diff.dirstat", b"diff.external", b"diff.ignoresubmodules", b"diff.indentheuristic",
        b"diff.interhunkcontext", b"diff.mnemonicprefix", b"diff.noprefix", b"diff.relative",
        b"diff.renamelimit", b"diff.renames", b"diff.statgraphwidth", b"diff.submodule",
        b"diff.suppressblankempty", b"diff.wordregex", b"diff.wserrorhighlight", b"log.diffmerges",
    ]
)  # fmt: skip
_NOT_HONOURED = {
    "diff.external": "diff.external is not run",
}


def diff_spec(
    request: DiffOptions,
    config: Config,
    *,
    ctx: Context,
    prefix: bytes = b"",
    objects: frozenset[bytes] = frozenset(),
    ignore_case: bool = False,
    porcelain: bool = True,
) -> DiffSpec:
    """The DiffSpec of a request.

    `prefix` is the current directory below the top (for --relative); `objects` what --find-object named, resolved;
    `porcelain` False leaves out the configuration that plumbing (diff-tree …) does not read. Formats are as asked: the
    caller adds its default. Raises GitError and InvalidArgs with git's words for options that exclude each other.
    """
    if (
        _OPTIONS.isdisjoint(request.model_fields_set)
        and SETTINGS.isdisjoint(config.table.keys)
        and not (objects or request.stat)
    ):  # nothing is said of how: what git does by itself
        return DiffSpec(formats=_formats(request), renames=int(porcelain))
    spec = DiffSpec()
    spec.formats = _formats(request)
    spec.lines = _lines(request, config, porcelain)
    spec.patch = _patch(request, config, porcelain, ctx)
    _renames(spec, request, config, porcelain)
    spec.pickaxe = _pickaxe(request, objects, ignore_case)
    _filter(spec, request.diff_filter)
    _stat(spec, request, config, porcelain)
    if request.dirstat or spec.formats.dirstat or config.has("diff.dirstat"):
        spec.dirstat = _dirstat(request.dirstat, config, ctx)
    spec.relative = _relative(request, config, prefix, porcelain)
    spec.reverse = request.reverse_sides
    spec.rotate_to = None if request.rotate_to is None else to_bytes(request.rotate_to)
    spec.skip_to = None if request.skip_to is None else to_bytes(request.skip_to)
    spec.show_trees = request.show_trees or bool(objects)  # --find-object finds trees as well
    if request.ita_invisible is not None:
        spec.ita_invisible = request.ita_invisible
    spec.nul = request.null
    spec.abbrev = _abbrev(request.abbrev)
    spec.exit_code = request.exit_code or request.quiet
    spec.quiet = request.quiet
    spec.color = request.color
    _submodules(spec, request, config, porcelain, ctx)
    if porcelain:
        for key, remark in _NOT_HONOURED.items():
            if config.has(key):
                ctx.note(remark)
    if request.textconv:
        note_conversions(config, ctx=ctx)
    _merges(spec, request, config)
    return spec


def note_conversions(config: Config, *, ctx: Context) -> None:
    """Say that no `diff.<name>.textconv` is run, where one is configured and `--textconv` asks for it."""
    names = [text(name) for name in config.subsections("diff") if config.has(b"diff." + name + b".textconv")]
    if names:
        ctx.note(f"textconv of {', '.join(names)} is not run: contents are compared as they are")


def _formats(request: DiffOptions) -> Formats:
    formats = Formats(
        raw=request.raw,
        patch=request.patch,
        stat=request.stat is not None or request.stat_implied,
        numstat=request.numstat,
        shortstat=request.shortstat,
        dirstat=bool(request.dirstat),
        summary=request.summary,
        name_only=request.name_only,
        name_status=request.name_status,
        check=request.check,
        nothing=request.no_patch,
    )
    if sum((request.name_only, request.name_status, request.check, request.no_patch)) > 1:
        raise BadRequest("options '--name-only', '--name-status', '--check', and '-s' cannot be used together")
    if request.quiet:
        return Formats(nothing=True)
    if formats.name_only or formats.name_status or formats.check or formats.nothing:
        return Formats(
            name_only=formats.name_only, name_status=formats.name_status, check=formats.check, nothing=formats.nothing
        )
    return formats


def _lines(request: DiffOptions, config: Config, porcelain: bool) -> LineSpec:
    lines = LineSpec()
    algorithm = request.algorithm
    if algorithm is None and porcelain:
        raw = config.get_text("diff.algorithm")
        if raw is not None:
            algorithm = raw.lower()
            if algorithm not in ("myers", "default", "minimal", "patience", "histogram"):
                raise BadConfig(f"unknown value for config 'diff.algorithm': {raw}")
    if algorithm == "minimal":
        lines.minimal = True
    elif algorithm in ("patience", "histogram"):
        lines.algorithm = algorithm
    lines.minimal = lines.minimal or request.minimal
    lines.anchors = tuple(map(to_bytes, request.anchored)) if lines.algorithm == "patience" else ()
    context = request.context
    if context is None and porcelain:
        context = config.get_int("diff.context")
        if context is not None and context < 0:
            raise BadConfig("bad config variable 'diff.context'")
    if context is not None:
        lines.context = max(context, 0)
    inter = request.inter_hunk_context
    if inter is None and porcelain:
        inter = config.get_int("diff.interhunkcontext")
    lines.inter_hunk = inter or 0
    lines.function_context = request.function_context
    if request.indent_heuristic is None:
        lines.indent_heuristic = config.get_bool("diff.indentheuristic", True) is not False
    else:
        lines.indent_heuristic = request.indent_heuristic
    lines.ignore_all_space = request.ignore_all_space
    lines.ignore_space_change = request.ignore_space_change
    lines.ignore_space_at_eol = request.ignore_space_at_eol
    lines.ignore_cr_at_eol = request.ignore_cr_at_eol
    lines.ignore_blank_lines = request.ignore_blank_lines
    lines.ignore_regex = tuple(map(to_bytes, request.ignore_matching_lines))
    return lines


def _patch(request: DiffOptions, config: Config, porcelain: bool, ctx: Context) -> PatchSpec:
    patch = PatchSpec()
    noprefix = porcelain and config.get_bool("diff.noprefix", False)
    patch.mnemonic = bool(porcelain and not noprefix and config.get_bool("diff.mnemonicprefix", False))
    default = (b"", b"") if noprefix else (b"a/", b"b/")
    patch.src_prefix = default[0] if request.src_prefix is None else to_bytes(request.src_prefix)
    patch.dst_prefix = default[1] if request.dst_prefix is None else to_bytes(request.dst_prefix)
    patch.full_index = request.full_index
    patch.abbrev = _abbrev(request.abbrev)
    patch.binary = request.binary
    patch.text = request.text
    patch.irreversible_delete = request.irreversible_delete
    patch.line_prefix = to_bytes(request.line_prefix)
    patch.indicator_new = to_bytes(request.indicator_new)
    patch.indicator_old = to_bytes(request.indicator_old)
    patch.indicator_context = to_bytes(request.indicator_context)
    patch.word_diff = request.word_diff or ("plain" if request.word_diff_regex is not None else "none")
    if request.word_diff_regex is not None:
        patch.word_regex = to_bytes(request.word_diff_regex)
    elif porcelain:
        patch.word_regex_default = config.get("diff.wordregex")
    _moved(patch, request, config, porcelain)
    highlight = request.ws_error_highlight
    if highlight is None and porcelain:
        highlight = config.get_text("diff.wserrorhighlight")
        if highlight and any(word not in _HIGHLIGHTS for word in highlight.split(",")):
            raise BadConfig("unable to parse 'diff.wserrorhighlight'")
    patch.ws_error_highlight = _highlight(highlight)
    patch.whitespace = config.get("core.whitespace") or b""
    patch.suppress_blank_empty = bool(config.get_bool("diff.suppressblankempty", False))
    patch.combined_all_paths = request.combined_all_paths
    patch.reverse = request.reverse_sides
    return patch


def _moved(patch: PatchSpec, request: DiffOptions, config: Config, porcelain: bool) -> None:
    mode = request.color_moved
    if mode is None and porcelain:
        raw = config.get_text("diff.colormoved")
        if raw is not None:
            mode = parse_moved(raw)
            if mode is None:
                raise BadRequest(
                    "color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'"
                )
    patch.color_moved = mode or "no"
    spaces = request.color_moved_ws
    if spaces is None and porcelain:
        spaces = config.get_text("diff.colormovedws")
    if spaces and spaces != "no":
        patch.color_moved_ws = tuple(word.strip() for word in spaces.split(",") if word.strip() != "no")


def _highlight(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ("new",)
    kinds: set[str] = set()
    for word in text.split(","):
        if word == "none":
            kinds = set()
        elif word == "default":
            kinds = {"new"}
        elif word == "all":
            kinds = {"old", "new", "context"}
        else:
            kinds.add(word)
    return tuple(sorted(kinds))


def _renames(spec: DiffSpec, request: DiffOptions, config: Config, porcelain: bool) -> None:
    configured = _configured_renames(config) if porcelain else 0
    detect = {"no": 0, "renames": 1, "copies": 2, None: configured}[request.detect]
    spec.renames = detect
    spec.find_copies_harder = request.find_copies_harder
    if len(request.copies) > 1 or (request.copies and configured == 2):
        spec.find_copies_harder = True
    if spec.find_copies_harder:
        spec.renames = 2
    spec.rename_score = request.rename_score or 0
    spec.rename_empty = request.rename_empty
    limit = request.rename_limit
    if limit is None:
        limit = config.get_int("diff.renamelimit")
    spec.rename_limit = -1 if limit is None else limit
    if request.break_rewrites is not None:
        spec.break_score, rest = parse_score(request.break_rewrites)
        spec.merge_score = parse_score(rest[1:])[0] if rest else 0


def _configured_renames(config: Config) -> int:
    value = config.get("diff.renames")
    if value is None:
        return 1
    if value.lower() in (b"copies", b"copy"):
        return 2
    answer = parse_bool(value)
    if answer is None:
        answer = config.get_bool("diff.renames")  # raises with git's words
    return 1 if answer else 0


def _pickaxe(request: DiffOptions, objects: frozenset[bytes], ignore_case: bool) -> Pickaxe | None:
    kinds = (request.pickaxe is not None) + (request.pickaxe_grep is not None) + bool(request.find_object)
    if kinds > 1:
        raise BadRequest("options '-G', '-S', and '--find-object' cannot be used together")
    if request.pickaxe_grep is not None and request.pickaxe_regex:
        raise BadRequest("options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'")
    if request.find_object and request.pickaxe_all:
        raise BadRequest(
            "options '--pickaxe-all' and '--find-object' cannot be used together, "
            "use '--pickaxe-all' with '-G' and '-S'"
        )
    if request.pickaxe is not None:
        needle = to_bytes(request.pickaxe)
        if not needle:
            raise InvalidArgs("-S requires a non-empty argument")
        return Pickaxe("S", needle, request.pickaxe_regex, ignore_case, request.pickaxe_all)
    if request.pickaxe_grep is not None:
        needle = to_bytes(request.pickaxe_grep)
        if not needle:
            raise InvalidArgs("-G requires a non-empty argument")
        return Pickaxe("G", needle, True, ignore_case, request.pickaxe_all)
    if request.find_object:
        return Pickaxe("object", objects=objects)
    return None


def _filter(spec: DiffSpec, words: Iterable[str]) -> None:
    letters = "".join(words)
    if not letters:
        return
    wanted = {letter for letter in letters if letter.isupper()}
    unwanted = {letter.upper() for letter in letters if letter.islower()}
    spec.keep_all = "*" in letters
    if unwanted and not wanted and not spec.keep_all:
        wanted = set(_ALL)
    spec.keep = frozenset(wanted - unwanted)


def _stat(spec: DiffSpec, request: DiffOptions, config: Config, porcelain: bool) -> None:
    widths = StatWidths()
    if porcelain:
        widths.graph = config.get_int("diff.statgraphwidth") or 0
    parts = (request.stat or "").split(",")
    numbers = [int(part) if part.lstrip("+-").isdigit() else None for part in parts]
    for name, value in zip(("width", "name", "count"), numbers):
        if value is not None:
            setattr(widths, name, value)
    if request.stat_width is not None:
        widths.width = request.stat_width
    if request.stat_name_width is not None:
        widths.name = request.stat_name_width
    if request.stat_graph_width is not None:
        widths.graph = request.stat_graph_width
    if request.stat_count is not None:
        widths.count = request.stat_count
    spec.stat = widths
    spec.compact_summary = request.compact_summary


def _dirstat(words: list[str], config: Config, ctx: Context) -> Dirstat:
    dirstat = Dirstat()
    configured = config.get_text("diff.dirstat")
    if configured is not None:
        complaints = _dirstat_words(dirstat, configured)
        if complaints:
            ctx.warn("Found errors in 'diff.dirstat' config variable:\n" + "".join(complaints))
    for word in words:
        complaints = _dirstat_words(dirstat, word)
        if complaints:
            raise BadRequest("Failed to parse --dirstat/-X option parameter:\n" + "".join(complaints))
    return dirstat


def _dirstat_words(dirstat: Dirstat, text: str) -> list[str]:
    complaints = []
    for word in text.split(",") if text else ():
        if word in ("changes", "lines", "files"):
            dirstat.by = word
        elif word == "noncumulative":
            dirstat.cumulative = False
        elif word == "cumulative":
            dirstat.cumulative = True
        elif word[:1].isdigit():
            whole, dot, fraction = word.partition(".")
            digit = fraction[:1] if fraction[:1].isdigit() else ""
            if not whole.isdigit() or (dot and not fraction.isdigit()):
                complaints.append(f"  Failed to parse dirstat cut-off percentage '{word}'\n")
            else:
                dirstat.permille = int(whole) * 10 + int(digit or "0")
        else:
            complaints.append(f"  Unknown dirstat parameter '{word}'\n")
    return complaints


def _relative(request: DiffOptions, config: Config, prefix: bytes, porcelain: bool) -> bytes | None:
    if request.no_relative:
        return None
    if request.relative is not None:
        return to_bytes(request.relative) or prefix or None
    if porcelain and prefix and config.get_bool("diff.relative", False):
        return prefix
    return None


def _abbrev(value: int | None) -> int | None:
    return None if value is None or value == -1 else value


def _submodules(spec: DiffSpec, request: DiffOptions, config: Config, porcelain: bool, ctx: Context) -> None:
    form = request.submodule
    if form is None and porcelain:
        form = config.get_text("diff.submodule")
        if form is not None and form not in ("short", "log", "diff"):
            ctx.warn(f"Unknown value for 'diff.submodule' config variable: '{form}'")
            form = None
    spec.patch.submodule = form or "short"
    ignore = request.ignore_submodules
    spec.ignore_submodules = None if ignore is None else ignore.encode()
    if porcelain:
        spec.ignore_default = config.get("diff.ignoresubmodules")
        if spec.ignore_default is not None and spec.ignore_default not in (b"all", b"untracked", b"dirty", b"none"):
            raise BadConfig(f"bad --ignore-submodules argument: {text(spec.ignore_default)}")


def _merges(spec: DiffSpec, request: DiffOptions, config: Config) -> None:
    mode = request.diff_merges
    if mode in ("m", "on"):
        from_config = config.get_text("log.diffmerges")
        configured = MERGES.get(from_config or "", "on")
        mode = "separate" if configured == "on" else configured
    spec.merges = mode
    spec.merges_explicit = request.diff_merges is not None
    spec.combined_all_paths = request.combined_all_paths
    spec.patch.dense_combined = mode != "combined"
    spec.patch.combined_all_paths = request.combined_all_paths
    if request.combined_all_paths and mode not in ("combined", "dense"):
        raise BadRequest("--combined-all-paths makes no sense without -c or --cc")


def check_log_settings(config: Config) -> None:
    """What git log, show, reflog and format-patch die of in log.diffMerges, in every file that has it. BadConfig."""
    for entry in config.table.keys.get(b"log.diffmerges", ()):
        if entry.value is None or text(entry.value) not in MERGES:
            raise bad_value(entry)


def set_mnemonic(spec: DiffSpec, request: DiffOptions, old: bytes, new: bytes) -> None:
    """With diff.mnemonicPrefix: names for the sides (`i/` index, `w/` work tree, `c/` commit, `o/` object)."""
    if not spec.patch.mnemonic:
        return
    if request.src_prefix is None:
        spec.patch.src_prefix = old
    if request.dst_prefix is None:
        spec.patch.dst_prefix = new
