"""git blame and git annotate: which commit every line of a file comes from."""

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING, Annotated, Any, Literal
from ..blame.blame import Scoreboard
from ..blame.spec import BlameSpec
from ..deferred import deferred
from ..diff.lines.ranges import BadRange, Lines, merged, parse_line_range
from ..errors import BadRequest, GitError, InvalidArgs, NotFound, text
from ..limits import Context
from ..plans.blame import blame_start, ignored_commits
from ..plans.positionals import Positionals
from ..records import replace, typed_row
from ..render.blame import Annotated as Annotator
from ..render.blame import BlameStyle, Infos, Porcelain, age_colors, date_width, write_stats, zone_of
from ..render.color import Palette
from ..render.dates import ISO, dater, parse_date_mode
from ..render.style import Style
from ..repo.absolute import prefix_path
from ..repo.store import Store
from ..request.abbrev import digits_option
from ..request.declared import Field
from ..request.flag import Flag, leading_number
from ..request.request import Request
from ..request.rows.blame import BlameResult, BlameRun
from ..request.text import to_bytes, to_text
from ..revs.calendar import zone_minutes
from ..revs.tip import Tips
from .command import NAMES_REVISIONS, Command, unknown_word

if TYPE_CHECKING:
    from ..diff.changes import Contents, Filespec
    from ..diff.lines.spec import LineSpec
    from ..plans.diff import note_conversions
    from ..request.diff_values import diff_algorithm
    from ..revs.resolve import resolve_full
    from ..revs.tips import resolved_tips, tips
else:
    Contents, Filespec = deferred(__name__, "..diff.changes", "Contents", "Filespec")
    note_conversions = deferred(__name__, "..plans.diff", "note_conversions")
    LineSpec = deferred(__name__, "..diff.lines.spec", "LineSpec")
    diff_algorithm = deferred(__name__, "..request.diff_values", "diff_algorithm")
    resolve_full = deferred(__name__, "..revs.resolve", "resolve_full")
    resolved_tips, tips = deferred(__name__, "..revs.tips", "resolved_tips", "tips")


USAGE = "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>"
_ANNOTATE_USAGE = USAGE.replace("blame", "annotate")


def _epoch(value: str) -> str:
    """Seconds since 1970 in a form that is read as a date."""
    return f"@{leading_number(value)} +0000"


class BlameRequest(Request[BlameResult]):
    """`git blame`: a file, the version, and the lines."""

    path: str = Field(description="The file, from the current directory.")
    revisions: Annotated[
        list[str],
        Flag("--all", "--reflog", "--not", "--bisect", "--indexed-objects", "--alternate-refs", walk=True, token=True),
        Flag("--branches", "--tags", "--remotes", value="pattern", optional=True, walk=True, token=True),
        Flag("--glob", "--exclude", value="glob-pattern", stuck=True, walk=True, token=True),
        Flag("--exclude-hidden", value="receive|uploadpack", stuck=True, walk=True, token=True),
    ] = Field(
        default_factory=list,
        description="The version to blame, e.g. ['v1.0'], or a range ['v1.0..main']: older lines count as v1.0's. "
        "None: the file as it is in the work tree.",
    )
    default: Annotated[str | None, Flag("--default", value="revision", apart=True, walk=True)] = Field(
        None, description="The version to blame where none is named."
    )
    lines: Annotated[list[str] | tuple[int, int] | str, Flag("-L", value="range", append=True)] = Field(
        default_factory=list,
        description="Only these lines: '10,20', '10,+5', '/regex/,+3', ':function'; or a pair of numbers (10, 40).",
    )
    ignore_space: Annotated[bool, Flag("-w")] = Field(False, description="White space changes do not count.")
    moves: Annotated[list[str | None], Flag("-M", value="score", optional=True, const=None, append=True)] = Field(
        default_factory=list, description="Find lines moved within the file; an entry is the least score, or None."
    )
    copies: Annotated[list[str | None], Flag("-C", value="score", optional=True, const=None, append=True)] = Field(
        default_factory=list,
        description="Find lines copied from other files of the commit; two entries: from any file when the file was "
        "created; three: always.",
    )
    first_parent: Annotated[bool, Flag("--first-parent", walk=True)] = Field(
        False, description="Follow first parents only."
    )
    since: Annotated[
        str | None,
        Flag("--since", "--after", value="date", exact=True),
        Flag("--max-age", value="epoch", exact=True, parse=_epoch),
    ] = Field(None, description="Lines older than this count as boundary.")
    reverse: Annotated[bool, Flag("--reverse", exact=True)] = Field(
        False, description="Forward: the last commit of the range that still has each line."
    )
    follow: Annotated[bool, Flag("--follow", no=True, exact=True)] = Field(
        True, description="Follow renames of the whole file."
    )
    minimal: Annotated[bool, Flag("--minimal", no=True)] = Field(False, description="Find the smallest diffs.")
    algorithm: Annotated[
        Literal["myers", "minimal", "patience", "histogram"] | None,
        Flag("--diff-algorithm", value="algorithm", parse=diff_algorithm, exact=True),
        Flag("--patience", const="patience", exact=True),
        Flag("--histogram", const="histogram", exact=True),
    ] = Field(None, description="Nothing: git reads the option, and blames by its usual algorithm.")
    indent_heuristic: Annotated[
        bool | None,
        Flag("--indent-heuristic", no=True, exact=True),
    ] = Field(None, description="Slide changes to where they read best.")
    ignore_rev: Annotated[list[str], Flag("--ignore-rev", value="rev", append=True, no=True)] = Field(
        default_factory=list, description="Look past these commits."
    )
    ignore_revs_file: Annotated[
        list[str], Flag("--ignore-revs-file", value="file", append=True, no=True, no_const="")
    ] = Field(
        default_factory=list, description="Look past the commits that these files list; an empty name forgets them."
    )
    textconv: Annotated[bool | None, Flag("--textconv", no=True, exact=True)] = Field(
        None, description="Blame converted text. Programs never run: contents are taken as they are."
    )
    contents: Annotated[str | None, Flag("--contents", value="file", no=True)] = Field(
        None, description="Blame this file's content in place of the work tree's."
    )
    root: Annotated[bool | None, Flag("--root", no=True)] = Field(None, description="Root commits are no boundary.")
    blank_boundary: Annotated[bool | None, Flag("-b")] = Field(None, description="Blank object names for boundaries.")
    form: Annotated[
        Literal["porcelain", "line-porcelain"] | None,
        Flag("-p", "--porcelain", const=lambda have: have or "porcelain", no=True, no_const=None),
        Flag("--line-porcelain", const="line-porcelain", no=True, no_const=None),
    ] = Field(None, description="For programs: details with each commit, or with each line.")
    incremental: Annotated[bool, Flag("--incremental", no=True)] = Field(
        False, description="For programs: entries as they are found."
    )
    annotate: Annotated[bool, Flag("-c")] = Field(False, description="The layout of git annotate.")
    long: Annotated[bool, Flag("-l")] = Field(False, description="Whole object names.")
    raw_time: Annotated[bool, Flag("-t")] = Field(False, description="Raw timestamps.")
    no_author: Annotated[bool, Flag("-s")] = Field(False, description="Neither author nor date.")
    email: Annotated[bool | None, Flag("-e", "--show-email", no=True)] = Field(
        None, description="E-mail, not the name."
    )
    show_name: Annotated[bool, Flag("-f", "--show-name", no=True)] = Field(False, description="Always show the path.")
    show_number: Annotated[bool, Flag("-n", "--show-number", no=True)] = Field(
        False, description="Show the line's number in its commit."
    )
    show_stats: Annotated[bool, Flag("--show-stats", no=True)] = Field(False, description="Tell how much work it was.")
    score_debug: Annotated[bool, Flag("--score-debug", no=True)] = Field(
        False, description="Show the scores of entries."
    )
    color_lines: Annotated[bool, Flag("--color-lines", no=True)] = Field(
        False, description="Colour lines that repeat the line before."
    )
    color_by_age: Annotated[bool, Flag("--color-by-age", no=True)] = Field(
        False, description="Colour lines by their age."
    )
    progress: Annotated[bool, Flag("--progress", no=True)] = Field(False, description="Accepted; nothing is shown.")
    date: Annotated[
        str | None, Flag("--date", value="format", exact=True), Flag("--relative-date", const="relative", walk=True)
    ] = Field(None, description="How dates are shown, as in git log.")
    encoding: Annotated[str | None, Flag("--encoding", value="encoding", exact=True)] = Field(
        None, description="The encoding of names and summaries."
    )
    abbrev: Annotated[
        int | None, Flag("--abbrev", value="n", optional=True, const=None, no=True, no_const=0, parse=digits_option())
    ] = Field(None, description="Digits of object names.")


@typed_row
class Blame:
    """A prepared blame."""

    board: Scoreboard
    work_name: bytes
    store: Store


# ------------------------------------------------------------------------------------------------- the command line


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind `[rev] [--] file`, and the old form `file rev`."""
    assert store is not None
    if values.get("progress") and (values.get("form") or values.get("incremental")):
        raise BadRequest("--progress can't be used with --incremental or porcelain formats")
    before, after = list(map(str, words.before)), words.after
    if words.aside is not None:
        words.aside.judge(store, words.after[-1:] or words.before[-1:], "", ctx=ctx)
    if words.dashdash:
        if len(after) == 2 and not before:
            before, after = [after[1]], [after[0]]
        if len(after) != 1:
            raise InvalidArgs(USAGE, prefix="usage")
        values["path"], values["revisions"] = after[0], before
        return
    if not before:
        raise InvalidArgs(USAGE, prefix="usage")
    if len(before) == 2:
        words.named = _named(store, before[1], ctx)
        if words.named is not None:
            before.reverse()
    if len(before) == 1 and store.work_tree is None and _named(store, before[0], ctx) is not None:
        raise BadRequest("missing <path> to blame")
    values["path"], values["revisions"] = before[-1], before[:-1]


def _named(store: Store, word: str, ctx: Context) -> Tips | None:
    """The object that one word names (a range is none); None, without a warning, if it names nothing."""
    with ctx.warnings() as warned:
        try:
            resolved = resolve_full(store, word, ctx=ctx)
        except GitError:
            resolved = None
        if resolved is None:
            warned.drop()
            return None
    return resolved_tips(store, word, resolved, ctx=ctx)


# --------------------------------------------------------------------------------------------------------- running


def run(store: Store, request: BlameRequest, ctx: Context, named: Tips | None = None) -> Blame:
    """Find the version to blame and the requested lines."""
    path = _path(store, request.path)
    if request.textconv:
        note_conversions(store.config, ctx=ctx)
    named = _revisions(store, request, ctx) if named is None else named
    ignored = ignored_commits(store, request.ignore_rev, request.ignore_revs_file, ctx)
    start, work, history = blame_start(
        store,
        path,
        named,
        reverse=request.reverse,
        first_parent=request.first_parent,
        contents=request.contents,
        since=request.since,
        ctx=ctx,
    )
    spec = BlameSpec(
        start_name=history.name,
        interesting=history.interesting,
        children=history.children,
        lines=_line_spec(store, request),
        first_parent=request.first_parent,
        show_root=_setting(store, request.root, "blame.showroot"),
        follow=request.follow,
        moves=bool(request.moves or request.copies),
        copies=min(len(request.copies), 3),
        ignored=ignored,
        move_score=_score(request.moves, BlameSpec().move_score),
        copy_score=_score(request.copies, BlameSpec().copy_score),
    )
    board = Scoreboard(store, path, start, spec, work, ctx=ctx)
    if spec.children is not None:
        board.boundary.add(start)
    ranges = _ranges(store, board.final, path, request, ctx)
    if ranges is not None:
        board.ranges = ranges
    name = path if request.contents is None else to_bytes(request.contents)
    return Blame(board, name, store)


def _path(store: Store, word: str) -> bytes:
    """The path from the top. Raises GitError "'x' is outside repository"."""
    raw = to_bytes(word)
    path = prefix_path(store, raw)
    return path + b"/" if path and raw.rpartition(b"/")[2] in (b"", b".", b"..") else path  # a word for a directory


def _setting(store: Store, given: bool | None, key: str) -> bool:
    return bool(store.config.get_bool(key, False)) if given is None else given


def _line_spec(store: Store, request: BlameRequest) -> LineSpec:
    indent = request.indent_heuristic
    if indent is None:
        indent = store.config.get_bool("diff.indentheuristic", True) is not False
    return LineSpec(context=0, minimal=request.minimal, ignore_all_space=request.ignore_space, indent_heuristic=indent)


def _score(given: list[str | None], default: int) -> int:
    for value in reversed(given):
        if value is not None:
            return (int(value[:9]) if value.isdigit() else 0) or default
    return default


def _revisions(store: Store, request: BlameRequest, ctx: Context) -> Tips:
    if not request.revisions and request.default is None:
        if not store.bare or request.contents:
            return Tips()  # the work tree's file, on top of HEAD
        if store.refs.read(b"HEAD") is None:
            raise NotFound("no such ref: HEAD")
        return tips(store, ["HEAD"], ctx=ctx)
    return tips(store, request.revisions, ctx=ctx, default=request.default)


# ------------------------------------------------------------------------------------------------- lines, ignoring


def _ranges(
    store: Store, lines: Lines, path: bytes, request: BlameRequest, ctx: Context
) -> list[tuple[int, int]] | None:
    given = request.lines
    if isinstance(given, tuple):
        words = [b"%d,%d" % given]
    elif isinstance(given, str):
        words = [to_bytes(given)]
    else:
        words = [to_bytes(word) for word in given]
    if not words:
        return None
    driver = Contents(store, ctx=ctx).driver(Filespec(path, 0o100644)) if any(b":" in word for word in words) else None
    count, anchor = lines.count, 1
    ranges: list[tuple[int, int]] = []
    for word in words:
        try:
            begin, end = parse_line_range(word, lines, anchor, driver, ctx=ctx)
        except BadRange:
            raise InvalidArgs(_ANNOTATE_USAGE if request.annotate else USAGE, prefix="usage") from None
        if (not count and (begin or end)) or count < begin:
            plural = "" if count == 1 else "s"
            raise NotFound(f"file {text(path)} has only {count} line{plural}")
        begin = max(begin, 1)
        if end < 1 or count < end:
            end = count
        ranges.append((begin - 1, end))
        anchor = end + 1
    return merged(ranges)


# ------------------------------------------------------------------------------------------------------- answering


def collect(blame: Blame, request: BlameRequest) -> BlameResult:
    """The typed result."""
    board = blame.board
    for _ in board.run():
        pass
    infos = Infos(board, blame.store.mailmap, BlameStyle(work_name=blame.work_name), board.ctx)
    runs = []
    for entry in board.entries():
        origin, info = entry.origin, infos.of(entry.origin.commit)
        lines = [board.final.line(at) for at in range(entry.final, entry.final + entry.num)]
        runs.append(
            BlameRun(
                oid=origin.commit.hex(),
                author=to_text(info.author),
                mail=to_text(info.author_mail.strip(b"<>")),
                time=info.author_time,
                zone=zone_minutes(zone_of(info.author_zone)),
                summary=to_text(info.summary),
                path=to_text(origin.path),
                line=entry.final + 1,
                original_line=entry.start + 1,
                count=entry.num,
                boundary=origin.commit in board.boundary,
                committed=not (board.work is not None and origin.commit == board.start),
                lines=[to_text(line.rstrip(b"\n")) for line in lines],
            )
        )
    return BlameResult(path=to_text(board.path), runs=runs, total=len(runs))


def render(blame: Blame, request: BlameRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    board, config, ctx = blame.board, style.config, style.ctx
    mode = _date_mode(request, style)
    date = dater(mode, ctx.now)
    look = _style(request, style, blame.work_name, date_width(mode.kind, lambda: date(0, 0)))
    infos = Infos(board, blame.store.mailmap, look, ctx)
    if request.incremental:
        yield from Porcelain(board, infos, style.quote, look).incremental(board.run())
    else:
        for _ in board.run():
            pass
        entries = board.entries()
        if request.form is not None:
            yield from Porcelain(board, infos, style.quote, look).entries(entries)
        else:
            repeated, ages = _colors(request, style)
            look = replace(
                look,
                repeated_color=repeated,
                age_colors=ages,
                mark_ignored=bool(config.get_bool("blame.markignoredlines", False)),
                mark_unblamable=bool(config.get_bool("blame.markunblamablelines", False)),
            )
            yield from Annotator(board, infos, date, look).entries(entries)
    if request.show_stats and not request.incremental:
        yield write_stats(board)


def _style(request: BlameRequest, style: Style, work_name: bytes, width: int) -> BlameStyle:
    store, config = style.store, style.config
    encoding = request.encoding
    if encoding is None:
        configured = config.get("i18n.logoutputencoding") or config.get("i18n.commitencoding") or b"UTF-8"
    else:
        configured = b"" if encoding == "none" else to_bytes(encoding)
    return BlameStyle(
        porcelain="" if request.incremental else request.form or "",
        date_width=width,
        annotate=request.annotate,
        long=request.long,
        raw_time=request.raw_time,
        no_author=request.no_author,
        email=_setting(store, request.email, "blame.showemail"),
        name=request.show_name,
        number=request.show_number,
        score=request.score_debug,
        blank_boundary=_setting(store, request.blank_boundary, "blame.blankboundary"),
        abbrev=request.abbrev,
        encoding=configured,
        work_name=work_name,
    )


def _date_mode(request: BlameRequest, style: Style) -> Any:
    if request.date is not None:
        return parse_date_mode(to_bytes(request.date), is_tty=style.is_tty)
    configured = style.config.get("blame.date")
    return ISO if configured is None else parse_date_mode(configured, is_tty=style.is_tty)


def _colors(request: BlameRequest, style: Style) -> tuple[bytes | None, list[tuple[int, bytes]] | None]:
    """--color-lines and --color-by-age, or else blame.coloring: the colour of repeated lines, and those of ages."""
    lines, age = request.color_lines, request.color_by_age
    coloring = style.config.get("blame.coloring")
    if coloring not in (None, b"repeatedLines", b"highlightRecent", b"none"):
        style.ctx.warn(f"invalid value for 'blame.coloring': '{text(coloring or b'')}'")
    if not lines and not age:
        lines, age = coloring == b"repeatedLines", coloring == b"highlightRecent"
    if request.annotate:
        return None, None
    palette = Palette(style.config, True)
    ages = age_colors(style.config, palette.blame_highlight_recent, style.ctx.now) if age else None
    return palette.blame_repeated_lines if lines else None, ages


def _annotate(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    try:
        bind(words, values, store, ctx)
    except InvalidArgs:
        raise InvalidArgs(_ANNOTATE_USAGE, prefix="usage") from None
    values["annotate"] = True
    if values.get("date") is not None:
        parse_date_mode(to_bytes(values["date"]))  # it is parsed, and has no effect
    values["date"] = "iso"


_REFUSED = {
    **{name: NAMES_REVISIONS[name] for name in ("--ignore-missing", "--merge", "--ancestry-path")},
    "-S": "it reads grafts from a file",
    "--simplify-by-decoration": "it changes which commits are the parents of which",
}

COMMAND = Command(
    "blame",
    BlameRequest,
    BlameResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    unknown=unknown_word,
    aside="plans.idle_options:IdleForBlame",
    refused=_REFUSED,
    summary="Which commit every line of a file comes from.", usage=USAGE,
)  # fmt: skip

ANNOTATE = Command(
    "annotate",
    BlameRequest,
    BlameResult,
    run=run,
    collect=collect,
    render=render,
    bind=_annotate,
    unknown=unknown_word,
    aside="plans.idle_options:IdleForBlame",
    refused=_REFUSED,
    summary="git blame in another layout.", usage=_ANNOTATE_USAGE,
)  # fmt: skip
