"""git config: reads settings. No setting is changed here."""

from collections.abc import Callable, Iterator

from ..annotations import Annotated, Any
from ..config.config import Config, Entry, Source, bad_boolean, canonical, check_key, parse_bool
from ..config.urlmatch import Rank, parse_url, rank
from ..errors import BadRequest, GitError, Unsupported, UsageError
from ..limits import Context
from ..plans.positionals import Positionals
from ..plans.setting_sources import read_source
from ..records import field, replace, typed_row
from ..regex.matcher import BadPattern, compile_pattern
from ..render.color import configured_when, parse_color, want_color
from ..render.config import TYPES, shown, typed
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import BeforeValidator, Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command


def _kind(value: str) -> str:
    if value not in TYPES:
        raise BadRequest(f"unrecognized --type argument, {value}")
    return value


def _one_kind(value: object) -> object:
    """The type that the options select: only one, unless `--no-type` cancels it."""
    if not isinstance(value, list):
        return value
    chosen = ""
    for kind in value:
        if kind and chosen and kind != chosen:
            raise UsageError("only one type at a time")
        chosen = kind
    return chosen or None


def _action(*names: str, do: str) -> Flag:
    return Flag(*names, const=do, append=True, no=True, no_const=f"-{do}")


def _left(chosen: list[str]) -> list[str]:
    """The remaining selection when `-NAME` cancels every NAME before it."""
    left: list[str] = []
    for name in chosen:
        left = [one for one in left if f"-{one}" != name] if name.startswith("-") else [*left, name]
    return left


@typed_row
class SettingRow:
    """One setting: its key, its value (None without `=`), and where it comes from."""

    key: str
    value: str | None
    scope: str
    origin: str


class ConfigResult(Result):
    """Settings."""

    settings: list[SettingRow] = Field(description="What was found, in rising precedence.")


class ConfigRequest(Request[ConfigResult]):
    """`git config`, its reading forms."""

    words: list[str] = Field(default_factory=list, description="The key or pattern, and a pattern of values.")
    action: Annotated[
        list[str],
        _action("-l", "--list", do="list"),
        _action("--get", do="get"),
        _action("--get-all", do="get_all"),
        _action("--get-regexp", do="get_regexp"),
        _action("--get-urlmatch", do="get_urlmatch"),
        _action("--get-color", do="get_color"),
        _action("--get-colorbool", do="get_colorbool"),
    ] = Field(default_factory=list, description="At most one of: list, get, get_all, get_regexp, get_urlmatch.")
    scope: Annotated[
        list[str],
        _action("--system", do="system"),
        _action("--global", do="global"),
        _action("--local", do="local"),
        _action("--worktree", do="worktree"),
    ] = Field(default_factory=list, description="Only this scope: system, global, local or worktree.")
    file: Annotated[str | None, Flag("-f", "--file", value="file", no=True)] = Field(
        None, description="Only this file; '-' is what `stdin` holds."
    )
    stdin: str | None = Field(None, description="The content of the file '-'.")
    blob: Annotated[str | None, Flag("--blob", value="blob-id", no=True)] = Field(None, description="Only this blob.")
    type: Annotated[
        str | None,
        BeforeValidator(_one_kind),
        Flag("-t", "--type", value="type", parse=_kind, no=True, no_const="", append=True),
        Flag("--bool", const="bool", append=True),
        Flag("--int", const="int", append=True),
        Flag("--bool-or-int", const="bool-or-int", append=True),
        Flag("--bool-or-str", const="bool-or-str", append=True),
        Flag("--path", const="path", append=True),
        Flag("--expiry-date", const="expiry-date", append=True),
    ] = Field(None, description="Show values as this type: bool, int, path …")
    default: Annotated[str | None, Flag("--default", value="value", no=True)] = Field(
        None, description="With get: if it is not set."
    )
    null: Annotated[bool, Flag("-z", "--null", no=True)] = Field(False, description="NUL after each record.")
    name_only: Annotated[bool, Flag("--name-only", no=True)] = Field(False, description="Keys without values.")
    includes: Annotated[bool | None, Flag("--includes", no=True)] = Field(
        None, description="Follow includes of a file."
    )
    show_origin: Annotated[bool, Flag("--show-origin", no=True)] = Field(False, description="Say which file.")
    show_scope: Annotated[bool, Flag("--show-scope", no=True)] = Field(False, description="Say which scope.")
    fixed_value: Annotated[bool, Flag("--fixed-value", no=True)] = Field(False, description="Values match literally.")


@typed_row
class Selection:
    """The entries to print, only the last one for a single value; or a text that is the complete answer."""

    config: Config
    entries: list[Entry] = field(default_factory=list)
    keys: bool = False
    whole: bytes | None = None
    error: GitError | None = None  # behind the entries


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind words as a key and patterns."""
    values["words"] = words.before + words.after
    for name in ("action", "scope"):
        if name in values:
            values[name] = _left(values[name])
    if store is not None and store.where.config_file is not None:
        values.setdefault("file", to_text(store.where.config_file))
    if values.get("file") == "-" and words.read_stdin is not None:
        values["stdin"] = to_text(words.read_stdin())


def run(store: Store, request: ConfigRequest, ctx: Context) -> Selection:
    """The requested settings. The exit status is 1 if there are none."""
    action = _the_action(request)
    config, error = read_source(store, request, ctx, missing_is_error=action == "list")
    if error is not None and action != "list" and request.blob is None:
        raise error
    if error is not None and request.blob is not None:
        if action == "list":
            error.message += "\nfatal: error processing config file(s)"
        else:  # git goes on with the settings before
            ctx.say(error.words())
    if action == "list":
        return Selection(config, config.entries, keys=True, error=error)
    if action == "get_urlmatch":
        entries = _for_url(config, request)
        ctx.exit_status = 0 if entries else 1
        return Selection(config, entries, keys="." not in request.words[0])
    if action == "get_color":
        return Selection(config, whole=_color(config, request))
    if action == "get_colorbool":
        return Selection(config)
    wanted = _wanted_keys(request, action, ctx)
    fits = _value_filter(request, ctx)
    entries = [entry for entry in config.entries if wanted(entry.key) and fits(entry.value or b"")]
    if not entries and request.default is not None and action == "get":
        entries = [Entry(canonical(request.words[0]), to_bytes(request.default), 0, _UNKNOWN)]
    if not entries:
        ctx.exit_status = 1
    return Selection(config, entries, keys=action == "get_regexp")


def _the_action(request: ConfigRequest) -> str:
    """The action of the request; raises UsageError and Unsupported for an invalid one or one that writes."""
    if len(set(request.action)) > 1:
        raise UsageError("only one action at a time")
    action = request.action[0] if request.action else "get" if len(request.words) == 1 else ""
    count = len(request.words)
    if request.type and action in ("get_color", "get_colorbool"):
        raise UsageError("--get-color and variable type are incoherent")
    if not action:
        if count in (2, 3):
            raise Unsupported("gitglass config <key> <value> would write; refused", status=129, prefix="error")
        raise UsageError("")
    if action == "list" and count:
        raise UsageError("wrong number of arguments, should be 0")
    if action == "get_urlmatch" and count != 2:
        raise UsageError("wrong number of arguments, should be 2")
    if action != "list" and not 1 <= count <= 2:
        raise UsageError("wrong number of arguments, should be from 1 to 2")
    if request.name_only and action not in ("list", "get_regexp"):
        raise UsageError("--name-only is only applicable to --list or --get-regexp")
    if request.show_origin and action not in ("list", "get", "get_all", "get_regexp"):
        raise UsageError("--show-origin is only applicable to --get, --get-all, --get-regexp, and --list")
    if request.fixed_value and (count < 2 or action not in ("get", "get_all", "get_regexp")):
        raise UsageError("--fixed-value only applies with 'value-pattern'")
    if request.default is not None and action != "get":
        raise UsageError("--default is only applicable to --get")
    if len(set(request.scope)) + (request.file is not None) + (request.blob is not None) > 1:
        raise UsageError("only one config file at a time")
    return action


def _wanted_keys(request: ConfigRequest, action: str, ctx: Context) -> Callable[[bytes], bool]:
    word = to_bytes(request.words[0])
    if action != "get_regexp":
        key = check_key(word)
        return lambda name: name == key
    first, last = word.find(b"."), word.rfind(b".")
    pattern = word.lower() if first < 0 else word[:first].lower() + word[first:last] + word[last:].lower()
    try:
        matcher = compile_pattern(pattern, "extended", ctx=ctx)
    except BadPattern:
        raise BadRequest(f"invalid key pattern: {request.words[0]}", prefix="error", status=6) from None
    return lambda name: matcher.search(name) is not None


def _for_url(config: Config, request: ConfigRequest) -> list[Entry]:
    """The best entry for each key of a section, including general ones, in the order of the keys."""
    section, dot, name = to_bytes(request.words[0]).lower().partition(b".")
    url = parse_url(to_bytes(request.words[1]))
    best: dict[bytes, tuple[Rank, Entry]] = {}
    for entry in config.entries:
        first, last = entry.key.find(b"."), entry.key.rfind(b".")
        key = entry.key[last + 1 :]
        if entry.key[:first] != section or (dot and key != name):
            continue
        fit = (0, 0, False) if first == last else rank(entry.key[first + 1 : last], url)
        if fit is not None and (key not in best or fit >= best[key][0]):
            best[key] = fit, Entry(section + b"." + key, entry.value, entry.line, entry.source)
    return [best[key][1] for key in sorted(best)]


def _value_filter(request: ConfigRequest, ctx: Context) -> Callable[[bytes], bool]:
    if len(request.words) < 2:
        return lambda value: True
    word = to_bytes(request.words[1])
    if request.fixed_value:
        return lambda value: value == word
    try:
        matcher = compile_pattern(word.removeprefix(b"!"), "extended", ctx=ctx)
    except BadPattern:
        raise BadRequest(f"invalid pattern: {request.words[1]}", prefix="error", status=6) from None
    negated = word.startswith(b"!")
    return lambda value: (matcher.search(value) is not None) != negated


def _color(config: Config, request: ConfigRequest) -> bytes:
    """--get-color: the escape sequence for the setting, or for the given default."""
    value = config.get(to_bytes(request.words[0])) if request.words[0] else None
    if value is None:
        value = to_bytes(request.words[1]) if len(request.words) > 1 else b""
    try:
        return parse_color(value)
    except GitError as error:
        raise BadRequest(f"{error.message}\nfatal: unable to parse default color value", prefix="error") from None


def _colorbool(config: Config, request: ConfigRequest, style: Style) -> bytes:
    """--get-colorbool: whether to use colours; printed if the caller says whether stdout is a terminal, otherwise given
    by the exit status."""
    argument = to_bytes(request.words[1]) if len(request.words) > 1 else None
    is_tty = style.is_tty if argument is None else parse_bool(argument)
    if is_tty is None:
        raise bad_boolean(argument or b"", b"command line")
    on = want_color(config, "ui", configured_when(config, request.words[0]), is_tty and not style.dumb)
    if argument is None:
        style.ctx.exit_status = 0 if on else 1
        return b""
    return b"true\n" if on else b"false\n"


def collect(selection: Selection, request: ConfigRequest) -> ConfigResult:
    """The typed result."""
    if selection.error is not None:
        raise selection.error
    rows = [
        SettingRow(
            to_text(entry.key), None if entry.value is None else to_text(entry.value), entry.source.scope,
            to_text(entry.source.origin),
        )
        for entry in selection.entries
    ]  # fmt: skip
    return ConfigResult(settings=rows)


def render(selection: Selection, request: ConfigRequest, style: Style) -> Iterator[bytes]:
    """The values; all of them are converted to the type before the last is selected, as in git."""
    if selection.whole is not None:
        yield selection.whole
        return
    if request.action == ["get_colorbool"]:
        yield _colorbool(selection.config, request, style)
        return
    if "get_urlmatch" in request.action:
        yield from _for_a_url(selection, request, style)
        return
    lines = []
    is_list = "list" in request.action
    for entry in selection.entries:
        kind = None if is_list else request.type
        value = None if request.name_only else typed(entry, kind, selection.config, style.ctx.now)
        lines.append(_line(entry, value, selection, request))
    single = not is_list and not selection.keys and "get_all" not in request.action
    yield b"".join(lines[-1:] if single else lines)
    if selection.error is not None:
        raise selection.error


def _line(entry: Entry, value: bytes | None, selection: Selection, request: ConfigRequest) -> bytes:
    return shown(
        entry, value, key=selection.keys, name_only=request.name_only, null=request.null, origin=request.show_origin,
        scope=request.show_scope, list_form="list" in request.action,
    )  # fmt: skip


def _for_a_url(selection: Selection, request: ConfigRequest, style: Style) -> Iterator[bytes]:
    """The settings that apply to a URL. Strange but git's: where they come from is forgotten by then, and one whose
    value is no date or colour has its error, no value, and no end of its line."""
    for entry in selection.entries:
        entry = replace(entry, source=_UNKNOWN, line=0)
        end: int | None = None
        try:
            value = None if request.name_only else typed(entry, request.type, selection.config, style.ctx.now)
        except GitError as error:
            if error.prefix != "error":
                raise
            style.ctx.say(error.words().partition(b"\n")[0] + b"\n")
            value, end = b"", -1
        yield _line(entry, value, selection, request)[:end]


_UNKNOWN = Source("unknown", b"command line:")
_WRITES = "it changes the configuration"
COMMAND = Command(
    "config",
    ConfigRequest,
    ConfigResult,
    run,
    collect,
    render,
    bind=bind,
    stop=True,  # so an option after a key is a value, and would be written
    needs_repository=False,
    refused={
        **dict.fromkeys(
            ("--add", "--unset", "--unset-all", "--replace-all", "--rename-section", "--remove-section"), _WRITES
        ),
        **dict.fromkeys(("-e", "--edit"), "it runs a program"),
    },
    summary="Settings, read.",
    usage="git config [<scope>] [--type=<type>] (<key> | --get-all <key> | --get-regexp <pattern> | --list)",
)
