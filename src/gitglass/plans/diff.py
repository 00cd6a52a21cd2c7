"""Turns a request's diff options and the configuration into the engine's DiffSpec.

The configuration keys are those of git-config(1) under `diff.`, and `core.whitespace`. Settings that name a program
(`diff.external`) are ignored; `diff.orderFile` is read by the commands.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..annotations import TYPE_CHECKING, TypedDict
from ..config.config import Config, bad_value, parse_bool
from ..deferred import deferred
from ..diff.lines.spec import LineSpec, PatchSpec
from ..diff.spec import DiffSpec, Dirstat, Formats, Pickaxe, StatWidths
from ..errors import BadConfig, BadRequest, InvalidArgs, text
from ..limits import Context
from ..records import replace
from ..request.declared import fields_of
from ..request.diff import DiffOptions
from ..request.diff_values import MERGES, parse_moved, parse_score
from ..request.text import to_bytes

if TYPE_CHECKING:
    from ..diff.lines.hunks import ignored_lines
else:
    ignored_lines = deferred(__name__, "..diff.lines.hunks", "ignored_lines")

__all__ = ["PATCH", "check_log_settings", "diff_spec", "with_mnemonic"]

_ALL = frozenset("ACDMRTUXB")
_HIGHLIGHTS = frozenset(["none", "default", "all", "new", "old", "context"])
#: fields of a request that `_formats` reads: the rest of the spec is the same for all of them
_FORMATS = frozenset(
    ["raw", "patch", "stat", "numstat", "shortstat", "summary", "name_only", "name_status", "check", "no_patch"]
)  # fmt: skip
#: all diff options
DIFF_FIELDS = frozenset(fields_of(DiffOptions))
_OPTIONS = DIFF_FIELDS - _FORMATS
NOTHING_ASKED, PATCH = Formats(), Formats(patch=True)
#: all settings that are read here
SETTINGS = frozenset(
    [
        b"core.whitespace", b"diff.algorithm", b"diff.colormoved", b"diff.colormovedws", b"diff.context",
        b"diff.dirstat", b"diff.external", b"diff.ignoresubmodules", b"diff.indentheuristic",
        b"diff.interhunkcontext", b"diff.mnemonicprefix", b"diff.noprefix", b"diff.relative",
        b"diff.renamelimit", b"diff.renames", b"diff.statgraphwidth", b"diff.submodule",
        b"diff.suppressblankempty", b"diff.wordregex", b"diff.wserrorhighlight", b"log.diffmerges",
    ]
)  # fmt: skip
#: and those that `check_log_settings` judges
LOG_SETTINGS = SETTINGS | {b"grep.patterntype"}
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
    default: Formats = NOTHING_ASKED,
    settles_again: bool = False,
    rotate_strict: bool = False,
) -> DiffSpec:
    """The DiffSpec of a request.

    `prefix` is the current directory below the top (for --relative); `objects` are the resolved arguments of
    --find-object; `porcelain` False ignores the settings that plumbing (diff-tree …) does not read; `default` is the
    format if none was requested, and `settles_again` says that git goes over the options again where it sets that
    format. Raises GitError and InvalidArgs with git's messages for options that exclude each other.
    """
    if (
        _OPTIONS.isdisjoint(request.model_fields_set)
        and SETTINGS.isdisjoint(config.table.keys)
        and not (objects or request.stat)
    ):  # without options and settings: git's default
        unasked = _FORMATS.isdisjoint(request.model_fields_set)
        formats = default if unasked else _formats(request, default)
        return DiffSpec(formats=formats, renames=int(porcelain), rotate_strict=rotate_strict)
    formats = _formats(request, default)
    lines = _lines(request, config, porcelain)
    for pattern in lines.ignore_regex:  # git refuses it where it stands, whether lines are compared or not
        ignored_lines(pattern, ctx)
    patch = _patch(request, config, porcelain)
    renames = _renames(request, config, porcelain)
    pickaxe = _pickaxe(request, objects, ignore_case)
    stat = _stat(request, config, porcelain)
    wanted = bool(request.dirstat) or formats.dirstat or config.has("diff.dirstat")
    dirstat = _dirstat(request.dirstat, config, ctx) if wanted else Dirstat()
    form, ignore_default = _submodules(request, config, porcelain, ctx)
    if porcelain:
        for key, remark in _NOT_HONOURED.items():
            if config.has(key):
                ctx.note(remark)
    if request.textconv:
        note_conversions(config, ctx=ctx)
    merges = _merges(request, config)
    return DiffSpec(
        formats=formats,
        lines=lines,
        patch=replace(patch, submodule=form, dense_combined=merges != "combined"),
        pickaxe=pickaxe,
        keep=_kept(request.diff_filter, again=settles_again and formats is default),
        keep_all=any("*" in word for word in request.diff_filter),
        stat=stat,
        compact_summary=request.compact_summary,
        dirstat=dirstat,
        relative=_relative(request, config, prefix, porcelain),
        reverse=request.reverse_sides,
        rotate_to=None if request.rotate_to is None else to_bytes(request.rotate_to),
        skip_to=None if request.skip_to is None else to_bytes(request.skip_to),
        show_trees=request.show_trees or bool(objects),  # --find-object also finds trees
        ita_invisible=True if request.ita_invisible is None else request.ita_invisible,
        nul=request.null,
        abbrev=_abbrev(request.abbrev),
        exit_code=request.exit_code or request.quiet,
        quiet=request.quiet,
        color=request.color,
        ignore_submodules=None if request.ignore_submodules is None else request.ignore_submodules.encode(),
        ignore_default=ignore_default,
        merges=merges,
        merges_explicit=request.diff_merges is not None,
        combined_all_paths=request.combined_all_paths,
        rotate_strict=rotate_strict,
        **renames,
    )


def note_conversions(config: Config, *, ctx: Context) -> None:
    """Print a note that no `diff.<name>.textconv` is run, if one is configured and `--textconv` asks for it."""
    names = [text(name) for name in config.subsections("diff") if config.has(b"diff." + name + b".textconv")]
    if names:
        ctx.note(f"textconv of {', '.join(names)} is not run: contents are compared as they are")


def _formats(request: DiffOptions, default: Formats) -> Formats:
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
    return formats if formats.any else default


def _lines(request: DiffOptions, config: Config, porcelain: bool) -> LineSpec:
    algorithm: str | None = request.algorithm
    if algorithm is None and porcelain:
        raw = config.get_text("diff.algorithm")  # checked before, like the other settings: plans.settings
        algorithm = None if raw is None else raw.lower()
    context = request.context
    if context is None and porcelain:
        context = config.get_int("diff.context")
    inter = request.inter_hunk_context
    if inter is None and porcelain:
        inter = config.get_int("diff.interhunkcontext")
    indent = request.indent_heuristic
    if indent is None:
        indent = config.get_bool("diff.indentheuristic", True) is not False
    return LineSpec(
        algorithm=algorithm if algorithm in ("patience", "histogram") else "myers",
        minimal=algorithm == "minimal" or request.minimal,
        anchors=tuple(map(to_bytes, request.anchored)) if algorithm == "patience" else (),
        context=3 if context is None else max(context, 0),
        inter_hunk=inter or 0,
        function_context=request.function_context,
        indent_heuristic=indent,
        ignore_all_space=request.ignore_all_space,
        ignore_space_change=request.ignore_space_change,
        ignore_space_at_eol=request.ignore_space_at_eol,
        ignore_cr_at_eol=request.ignore_cr_at_eol,
        ignore_blank_lines=request.ignore_blank_lines,
        ignore_regex=tuple(map(to_bytes, request.ignore_matching_lines)),
    )


def _patch(request: DiffOptions, config: Config, porcelain: bool) -> PatchSpec:
    noprefix = porcelain and config.get_bool("diff.noprefix", False)
    default = (b"", b"") if noprefix else (b"a/", b"b/")
    mnemonic = bool(porcelain and not noprefix and config.get_bool("diff.mnemonicprefix", False))
    regex = None if request.word_diff_regex is None else to_bytes(request.word_diff_regex)
    moved, moved_spaces = _moved(request, config, porcelain)
    highlight = request.ws_error_highlight
    if highlight is None and porcelain:
        highlight = config.get_text("diff.wserrorhighlight")
    return PatchSpec(
        mnemonic=mnemonic,
        src_prefix=default[0] if request.src_prefix is None else to_bytes(request.src_prefix),
        dst_prefix=default[1] if request.dst_prefix is None else to_bytes(request.dst_prefix),
        full_index=request.full_index,
        abbrev=_abbrev(request.abbrev),
        binary=request.binary,
        text=request.text,
        irreversible_delete=request.irreversible_delete,
        line_prefix=to_bytes(request.line_prefix),
        indicator_new=to_bytes(request.indicator_new),
        indicator_old=to_bytes(request.indicator_old),
        indicator_context=to_bytes(request.indicator_context),
        word_diff=request.word_diff or ("none" if regex is None else "plain"),
        word_regex=regex,
        word_regex_default=config.get("diff.wordregex") if regex is None and porcelain else None,
        color_moved=moved,
        color_moved_ws=moved_spaces,
        ws_error_highlight=_highlight(highlight),
        whitespace=config.get("core.whitespace") or b"",
        suppress_blank_empty=bool(config.get_bool("diff.suppressblankempty", False)),
        combined_all_paths=request.combined_all_paths,
        reverse=request.reverse_sides,
    )


def _moved(request: DiffOptions, config: Config, porcelain: bool) -> tuple[str, tuple[str, ...]]:
    """How moved lines are coloured, and which white space is ignored in them."""
    mode = request.color_moved
    if mode is None or mode.startswith("default"):
        raw = config.get_text("diff.colormoved") if porcelain else None
        configured = "no" if raw is None else parse_moved(raw)
        chosen = None if mode is None else mode.partition(":")[2] or "zebra"
        mode = configured if configured != "no" else chosen
    spaces = request.color_moved_ws
    if spaces is None and porcelain:
        spaces = config.get_text("diff.colormovedws")
    words = spaces.split(",") if spaces and spaces != "no" else ()
    return mode or "no", tuple(word.strip() for word in words if word.strip() != "no")


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


class _Renames(TypedDict):
    """The fields of DiffSpec that control how files are paired."""

    renames: int
    rename_score: int
    rename_limit: int
    rename_empty: bool
    find_copies_harder: bool
    break_score: int | None
    merge_score: int


def _renames(request: DiffOptions, config: Config, porcelain: bool) -> _Renames:
    configured = _configured_renames(config) if porcelain else 0
    detect = {"no": 0, "renames": 1, "copies": 2, None: configured}[request.detect]
    harder = request.find_copies_harder or len(request.copies) > 1 or bool(request.copies and configured == 2)
    limit = request.rename_limit
    if limit is None:
        limit = config.get_int("diff.renamelimit")
    broken, rest = (None, "") if request.break_rewrites is None else parse_score(request.break_rewrites)
    return _Renames(
        renames=2 if harder else detect,
        rename_score=request.rename_score or 0,
        rename_limit=-1 if limit is None else limit,
        rename_empty=request.rename_empty,
        find_copies_harder=harder,
        break_score=broken,
        merge_score=parse_score(rest[1:])[0] if rest else 0,
    )


def _configured_renames(config: Config) -> int:
    value = config.get("diff.renames")
    if value is None:
        return 1
    if value.lower() in (b"copies", b"copy"):
        return 2
    answer = parse_bool(value)
    if answer is None:
        answer = config.get_bool("diff.renames")  # raises with git's message
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


def _kept(words: Iterable[str], *, again: bool) -> frozenset[str] | None:
    """The statuses that --diff-filter keeps; None for all. `again`: git goes over the options twice.

    Strange but git's: a filter that takes back each letter it asked for is no filter, and the second time one without
    letters, which begins with every status.
    """
    letters = "".join(words)
    if not letters:
        return None
    wanted = {letter for letter in letters if letter.isupper()}
    unwanted = {letter.upper() for letter in letters if letter.islower()}
    if "*" in letters:
        return frozenset(wanted - unwanted)
    kept = frozenset(wanted - unwanted)
    if not wanted or (again and not kept):
        return frozenset(_ALL) - unwanted
    return kept or None


def _stat(request: DiffOptions, config: Config, porcelain: bool) -> StatWidths:
    parts = (request.stat or "").split(",")
    numbers = [int(part) if part.lstrip("+-").isdigit() else None for part in parts] + [None, None, None]
    width, name, count = (
        given if own is None else own
        for own, given in zip((request.stat_width, request.stat_name_width, request.stat_count), numbers)
    )
    graph = (config.get_int("diff.statgraphwidth") or 0) if porcelain else 0
    if request.stat_graph_width is not None and request.stat_graph_width != -1:  # strange but git's: as if not given
        graph = request.stat_graph_width
    return StatWidths(-1 if width is None else width, name or 0, graph, count or 0)


def _dirstat(words: list[str], config: Config, ctx: Context) -> Dirstat:
    dirstat = Dirstat()
    for configured in config.get_all("diff.dirstat"):  # what one leaves open is as the ones before have it
        dirstat, wrong = _dirstat_words(dirstat, text(configured))
        if wrong:
            ctx.warn("Found errors in 'diff.dirstat' config variable:\n" + "".join(wrong))
    for word in words:
        dirstat = judge_dirstat(word, dirstat)
    return dirstat


def judge_dirstat(word: str, before: Dirstat = Dirstat()) -> Dirstat:  # noqa: B008  (it is frozen)
    """The value of --dirstat, applied to the one before. Raises BadRequest for parameters that git does not have."""
    dirstat, wrong = _dirstat_words(before, word)
    if wrong:
        raise BadRequest("Failed to parse --dirstat/-X option parameter:\n" + "".join(wrong))
    return dirstat


def _dirstat_words(before: Dirstat, text: str) -> tuple[Dirstat, list[str]]:
    """The dirstat with these parameters applied, and a message for each unknown one."""
    wrong = []
    by, cumulative, permille = before.by, before.cumulative, before.permille
    for word in text.split(",") if text else ():
        if word in ("changes", "lines", "files"):
            by = word
        elif word in ("cumulative", "noncumulative"):
            cumulative = word == "cumulative"
        elif word[:1].isdigit():
            whole, dot, fraction = word.partition(".")
            digit = fraction[:1] if fraction[:1].isdigit() else ""
            if not whole.isdigit() or (dot and not fraction.isdigit()):
                wrong.append(f"  Failed to parse dirstat cut-off percentage '{word}'\n")
            else:
                permille = int(whole) * 10 + int(digit or "0")
        else:
            wrong.append(f"  Unknown dirstat parameter '{word}'\n")
    return Dirstat(by, cumulative, permille), wrong


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


def _submodules(request: DiffOptions, config: Config, porcelain: bool, ctx: Context) -> tuple[str, bytes | None]:
    """How a submodule is shown, and diff.ignoreSubmodules."""
    form: str | None = request.submodule
    if form is None and porcelain:
        form = config.get_text("diff.submodule")
        if form is not None and form not in ("short", "log", "diff"):
            ctx.warn(f"Unknown value for 'diff.submodule' config variable: '{form}'")
            form = None
    default = config.get("diff.ignoresubmodules") if porcelain else None
    if default is not None and default not in (b"all", b"untracked", b"dirty", b"none"):
        raise BadConfig(f"bad --ignore-submodules argument: {text(default)}")
    return form or "short", default


def _merges(request: DiffOptions, config: Config) -> str | None:
    """The diff of a merge; None for the command's default."""
    mode: str | None = request.diff_merges
    if mode in ("m", "on"):
        configured = MERGES.get(config.get_text("log.diffmerges") or "", "on")
        mode = "separate" if configured == "on" else configured
    if request.combined_all_paths and mode not in ("combined", "dense"):
        raise BadRequest("--combined-all-paths makes no sense without -c or --cc")
    return mode


_PATTERN_TYPES = (b"default", b"basic", b"extended", b"fixed", b"perl")


def check_log_settings(config: Config) -> None:
    """Check log.diffMerges and grep.patternType in every file, as git log, show, reflog and format-patch do. Raises
    BadConfig."""
    for entry in config.table.keys.get(b"grep.patterntype", ()):
        if entry.value is not None and entry.value not in _PATTERN_TYPES:
            raise BadConfig(f"bad grep.patterntype argument: {text(entry.value)}")
    for entry in config.table.keys.get(b"log.diffmerges", ()):
        if entry.value is None or text(entry.value) not in MERGES:
            raise bad_value(entry)


def with_mnemonic(spec: DiffSpec, request: DiffOptions, old: bytes, new: bytes) -> DiffSpec:
    """The spec with diff.mnemonicPrefix: prefixes of the sides (`i/` index, `w/` work tree, `c/` commit, `o/`
    object)."""
    if not spec.patch.mnemonic:
        return spec
    src = old if request.src_prefix is None else spec.patch.src_prefix
    dst = new if request.dst_prefix is None else spec.patch.dst_prefix
    return replace(spec, patch=replace(spec.patch, src_prefix=src, dst_prefix=dst))
