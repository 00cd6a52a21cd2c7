"""Command: the declaration of a command; and execute(), the common gate of all doors.

pydantic is imported only when a request has to be checked: a command whose words need no grammar (rev-parse) then
starts without it, which saves most of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from ..annotations import TYPE_CHECKING, Any, cast
from ..deferred import deferred
from ..errors import BadRequest, GitError, InvalidArgs, Unsupported, UsageError
from ..limits import Context
from ..plans.positionals import Positionals
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import accepted, fields_of
from ..request.flag import spellings

if TYPE_CHECKING:
    from ..plans.settings import judge_settings
    from ..request.declared import Declared
    from ..request.request import Request
    from ..revs.tip import Tips
else:
    judge_settings = deferred(__name__, "..plans.settings", "judge_settings")


class Access:
    """The effect of a command. Only READ is carried out."""

    READ = "read"
    WRITE = "write"


class Words:
    """The request of a command that parses its command line itself (`raw`)."""

    __slots__ = ("args",)

    def __init__(self, args: list[str]) -> None:
        self.args = args

    @property
    def reads_stdin(self) -> bool:
        """Whether a program declares its options on standard input: git reads them after it has seen `--`."""
        return self.args[:1] == ["--parseopt"] and "--" in self.args


#: The usage of log, show and whatchanged: for git they are one command.
LOG_USAGE = "git log [<options>] [<revision-range>] [[--] <path>...]\n   or: git show [<options>] <object>..."
#: The options that git log, show and reflog look for before they read revisions and paths.
LOG_ANYWHERE = frozenset(
    {"quiet", "hush", "source", "mailmap", "decorate", "decorate_refs", "decorate_refs_exclude", "clear_decorations",
     "line_ranges"}
)  # fmt: skip

Binder = Callable[[Positionals, dict[str, Any], Store | None, Context], None]


def no_arguments(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """The binder of commands without arguments."""
    for word in words.before + words.after:
        raise InvalidArgs(f"unexpected argument '{word}'")


def unknown_option(word: str) -> UsageError:
    """git's error for an unknown option, in commands that use its parse-options."""
    if word.startswith("--"):
        return UsageError(f"unknown option `{word[2:]}'")
    return UsageError(f"unknown switch `{word[1:2]}'")


def unknown_word(word: str) -> GitError:
    """git's error in commands that pass options unknown to parse-options on to the revision walk (shortlog)."""
    return UsageError(f"unknown option `{word}'")


def unrecognized_argument(word: str) -> GitError:
    """git's error in commands that walk revisions (log, show)."""
    return BadRequest(f"unrecognized argument: {word}")


#: options refused by commands on which walk options have no effect (plans/idle_options): these would have one
NAMES_REVISIONS = dict.fromkeys(
    ["--all", "--branches", "--tags", "--remotes", "--glob", "--exclude", "--exclude-hidden", "--reflog",
     "--indexed-objects", "--alternate-refs", "--bisect", "--ignore-missing", "--single-worktree", "--not", "--stdin",
     "--merge",
     "--ancestry-path", "--walk-reflogs", "-g", "--grep-reflog", "--default", "--filter"],
    "it says which revisions are meant",
)  # fmt: skip

#: Options that are refused in every command, with the reason (SECURITY.md, "What is promised").
REFUSED = {
    "--output": "it writes a file",
    "--ext-diff": "it runs a program",
    "--textconv": "it runs a program",
    "--filters": "it runs a program",
    "--no-index": "it reads files outside of the repository",
    "-O": "it names a file that this command does not read",
    "--show-signature": "it runs a program",
    "--exec-path": "it names programs to run",
    "--output-directory": "it writes files",
}


def _loaded(path: str) -> type[Any]:
    module, _, name = path.partition(":")
    declared: type[Any] = getattr(import_module(f"gitglass.{module}"), name)
    return declared


class Command:
    """The declaration of a command; a command file ends with `COMMAND = Command(…)`.

    run      runs the engines: (store, request, ctx) → entries, lazily where that makes sense. If `bind` resolved the
             revisions (`Positionals.named`), these are a fourth argument: they are looked up once
    collect  entries → typed result: (entries, request) → result
    render   entries → git's bytes: (entries, request, style) → chunks
    bind     positional words → request values: (words, values, store, ctx) → None
    refused  options that git has and we refuse by name, with the reason ("-d": "it deletes a branch")
    unknown  makes the error for an unknown option, which git words differently from command to command
    stop     options end at the first positional word (git's PARSE_OPT_STOP_AT_NON_OPTION)
    anywhere the fields whose options may follow a path; None if all may. (git's revision walk takes every word after
             the first path for a path, and rejects those that look like options.)
    needs_repository  False for commands that also work outside of a repository
    needs_work_tree   True for commands that do not even read their options in a bare repository
    sifted   words with a dash are options, all others arguments: no option takes the next word as its value
    abbreviates  its options may be abbreviated, including those that other commands accept only in full
    instead  another form of the command that its words may select: (words, store) → "module:COMMAND", or None
    patient  the binder handles the error of an option (`Positionals.trouble`), which ends the parsing of options
    behind   words that git appends to the given ones, in place of `--`: an option without its value takes the first
    aside    the class ("module:Class") of options that git parses for the command and that have no effect: those that
             were given are in `Positionals.aside`, for the binder to check
    fixed    the refused options that have no negation; the negation of all others (`--no-force`) has no effect. None
             for no negations at all, which is usual if git's parse-options does not read all words
    failure  the status of every failure, if git runs another command and exits with a status of its own
    settings  the name by which invalid settings are looked for before it runs, if that is not its own, or if it runs
             without a repository
    raw      the request takes argv unchanged (field `args`): rev-parse, whose options depend on their order

    `request` and `result` are classes, or "module:Class" within this package, loaded on first use.
    """

    __slots__ = (
        "_aside",
        "_instead",
        "_request",
        "_result",
        "abbreviates",
        "access",
        "anywhere",
        "behind",
        "bind",
        "collect",
        "failure",
        "fixed",
        "name",
        "needs_repository",
        "needs_work_tree",
        "patient",
        "raw",
        "refused",
        "render",
        "run",
        "settings",
        "sifted",
        "stop",
        "summary",
        "unknown",
        "usage",
    )

    def __init__(
        self,
        name: str,
        request: type[Request[Any]] | str,
        result: type[Declared] | str,
        run: Callable[..., Any],
        collect: Callable[[Any, Any], Declared],
        render: Callable[[Any, Any, Style], Iterator[bytes]],
        *,
        access: str = Access.READ,
        bind: Binder = no_arguments,
        refused: dict[str, str] | None = None,
        unknown: Callable[[str], GitError] = unknown_option,
        summary: str = "",
        usage: str = "",
        stop: bool = False,
        needs_repository: bool = True,
        needs_work_tree: bool = False,
        raw: bool = False,
        anywhere: frozenset[str] | None = None,
        sifted: bool = False,
        abbreviates: bool = False,
        instead: Callable[[list[str], Store], str | None] | None = None,
        patient: bool = False,
        behind: tuple[str, ...] = (),
        aside: str | None = None,
        fixed: frozenset[str] | None = None,
        failure: int | None = None,
        settings: str | None = None,
    ) -> None:
        self.name = name
        self._request = request
        self._result = result
        self.run = run
        self.collect = collect
        self.render = render
        self.access = access
        self.bind = bind
        self.refused = refused or {}
        self.unknown = unknown
        self.summary = summary
        self.usage = usage
        self.stop = stop
        self.needs_repository = needs_repository
        self.needs_work_tree = needs_work_tree
        self.raw = raw
        self.anywhere = anywhere
        self.sifted = sifted
        self.abbreviates = abbreviates
        self._instead = instead
        self.patient = patient
        self.behind = behind
        self._aside = aside
        self.failure = failure
        self.settings = settings
        self.fixed = frozenset() if fixed is None and unknown is unknown_option else fixed

    @property
    def request(self) -> type[Request[Any]]:
        """The class of the command's requests, loaded on first use."""
        declared = self._request
        if isinstance(declared, str):
            declared = self._request = _loaded(declared)
        return declared

    @property
    def result(self) -> type[Declared]:
        """The class of the command's results, loaded on first use."""
        declared = self._result
        if isinstance(declared, str):
            declared = self._result = _loaded(declared)
        return declared

    @property
    def aside(self) -> type[Declared] | None:
        """The class of the ignored options."""
        return None if self._aside is None else _loaded(self._aside)

    def meant(self, words: list[str], store: Store) -> Command:
        """The command for these words: this one, or another form of it."""
        path = None if self._instead is None else self._instead(words, store)
        if path is None:
            return self
        form: Any = _loaded(path)
        return cast(Command, form)

    def asks_nothing(self, word: str) -> bool:
        """Whether a word is the negation of a refused option: `--no-force` where `--force` is refused."""
        if not word.startswith("--no-") or self.fixed is None:
            return False
        name = f"--{word[5:]}"
        return name in self.refused and name not in self.fixed

    def refuse(self, word: str) -> GitError | None:
        """The error for an option that git has and that is refused here, or None."""
        name = word.split("=", 1)[0]
        reason = self._reason(name)
        if reason is None and len(name) > 2 and name[0] == "-" and name[1] != "-":
            name = name[:2]
            reason = self._reason(name)
        if reason is None:
            return None
        return Unsupported(
            f"gitglass {self.name} does not take {name}: {reason}", status=129, prefix="error", option=name
        )

    def _reason(self, name: str) -> str | None:
        """The reason why an option is refused, or None if the command has it."""
        reason = self.refused.get(name)
        if reason is not None or name not in REFUSED or name in spellings(self.request):
            return reason
        aside = self.aside
        return REFUSED[name] if aside is None or name not in spellings(aside) else None


def make_request(command: Command, values: dict[str, Any]) -> Request[Any]:
    """Validate values and make the command's request; a ValidationError becomes InvalidArgs with the field's name."""
    made = accepted(command.request, values)
    if made is not None:
        return made
    from pydantic import ValidationError

    try:
        return command.request.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or command.name
        hint = None
        if first["type"] == "extra_forbidden":
            near = import_module("difflib").get_close_matches(where, fields_of(command.request), 3)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            hint += f"The keywords of {command.name} are listed beside git's options in its page of the reference."
        raise InvalidArgs(f"{where}: {first['msg']}", hint=hint, errors=error.error_count()) from None


def judge(command: Command, store: Store) -> None:
    """Raise BadConfig for a setting that the command reads, as git does whether it uses the setting or not."""
    asks = command.needs_repository or command.settings is not None
    if asks and store.config.table.has_odd_settings:
        judge_settings(command.settings or command.name, store.config)


def execute(
    command: Command, store: Store, request: Request[Any] | Words, ctx: Context, named: Tips | None = None
) -> Any:
    """Run a command: first the policy, then the engines. Returns the entries, which may be lazy.

    `named` are the objects that the request's revisions were resolved to when its command line was bound in this call.
    """
    if ctx.policy is not None:
        ctx.policy.enforce(request)
    if command.access is not Access.READ:
        raise Unsupported(f"gitglass only reads: {command.name} is not available", status=129, prefix="error")
    ctx.look()
    judge(command, store)
    return command.run(store, request, ctx) if named is None else command.run(store, request, ctx, named)
