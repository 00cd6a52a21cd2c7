"""Executes a whole command line: from argv to bytes and an exit status; used for every argv, in process or in a
shell."""

import sys
from collections.abc import Callable, Iterable

from ..annotations import TYPE_CHECKING, Any
from ..commands.command import Command, Words, execute, judge, make_request
from ..commands.registry import NAMES, find
from ..config.config import bad_value
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import (
    BadConfig,
    BadRequest,
    GitError,
    InvalidArgs,
    NotARepository,
    NoWorkTree,
    TooLarge,
    Unsupported,
    UsageError,
    report,
    text,
)
from ..limits import Context, Limits
from ..records import field, record, replace
from ..render.style import Style
from ..repo.discover import BadGitFile, UnknownFormat, Where
from ..repo.store import Store, open_store
from .argv import HelpAsked, check_words, parse
from .globals import SYNOPSIS, Globals, parse_globals

if TYPE_CHECKING:
    from ..paths.lexical import normal_path
    from ..revs.tip import Tips
    from .aliases import alias_words, loop
else:
    alias_words, loop = deferred(__name__, ".aliases", "alias_words", "loop")
    normal_path = deferred(__name__, "..paths.lexical", "normal_path")


Write = Callable[[bytes], object]


@record
class Session:
    """The environment of a command line: directory, jail, configuration, terminal.

    `root` is the jail (b"/": git's own reach; None: the repository found). `config` holds keyword arguments for the
    loader of the configuration, besides the repository's own. `store`, if given, is an open handle for `where.cwd`.
    `stdin_blocks` reads standard input in pieces, for programs that wait for an answer before they write more.
    `confined`: files named on the command line must be in the repository, whatever the jail.
    """

    where: Where
    root: bytes | None
    config: dict[str, Any] = field(default_factory=dict)
    store: Store | None = None
    is_tty: bool = False
    columns: int = 80
    read_stdin: Callable[[], bytes] | None = None
    stdin_blocks: Callable[[], Iterable[bytes]] | None = None
    piped: bool = False
    pathspecs: frozenset[str] = frozenset()
    confined: bool = False
    dumb: bool = False
    variable: Callable[[str], str | None] | None = None

    def input(self) -> Iterable[bytes] | None:
        """Standard input in the pieces in which it comes, each read when it is asked for; None if there is none."""
        if self.stdin_blocks is not None:
            return self.stdin_blocks()
        return None if self.read_stdin is None else (read() for read in [self.read_stdin])


def answer(argv: "list[str] | Globals", session: Session, ctx: Context, write: Write, complain: Write) -> int:
    """Answer one command line; git's bytes go to `write`, its warnings and errors to `complain`. Returns the status.

    `argv` are its words, or the result of `front_of` for them.

    No exception is raised except KeyboardInterrupt and those of `write` (a closed pipe).
    """
    try:
        with ctx:
            status = _answer(argv, session, ctx, write)
    except GitError as error:
        _flush(ctx, complain)
        complain_of(error, complain)
        return error.status
    except RecursionError:
        return _failed(ctx, complain, "the data is nested too deeply")
    except MemoryError:
        return _failed(ctx, complain, "out of memory")
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _failed(ctx, complain, f"cannot read the repository: {error.strerror or error}")
    except Exception as error:
        if sys.flags.dev_mode:  # python -X dev: developers want the traceback
            raise
        return _failed(ctx, complain, f"internal error in gitglass: {type(error).__name__}: {error}")
    _flush(ctx, complain)
    return status


def answered(argv: list[str], session: Session, ctx: Context) -> tuple[int, bytes, bytes]:
    """(status, output, stderr) of a command that a call needs the answer of: the deadline, and who cancels, are those
    of that call. Raises `Timeout`, `Cancelled` and `TooLarge`."""
    out: list[bytes] = []
    err: list[bytes] = []
    within = Context(ctx.limits.replace(timeout=ctx.remaining()), cancelled=ctx.cancelled)
    status = answer(argv, session, within, out.append, err.append)
    ctx.check()  # which names the whole call's deadline
    within.finish()
    return status, b"".join(out), b"".join(err)


def front_of(argv: list[str], *, ours: bool = False, variable: Callable[[str], str | None] | None = None) -> Globals:
    """The command of a line, and the options before it (`parse_globals`); most lines have none."""
    check_words(argv)
    if argv and not argv[0].startswith("-"):
        return Globals(argv[0], argv[1:])
    return parse_globals(argv, ours=ours, variable=variable)


def _usage_of(command: Any) -> bytes:
    """The usage of the command that an error refers to, if the error occurred while the command was looked up."""
    from .usage import usage

    return b"" if command is None else usage(command) + b"\n"


def complain_of(error: GitError, complain: Write) -> None:
    """Report an error as the command line does: the usage or the hint follow, if there is one."""
    complain(error.words())
    if isinstance(error, UsageError):
        if error.message and error.prefix == "fatal":  # git's `usage_msg_opt` puts an empty line between the two
            complain(b"\n")
        complain(error.usage or _usage_of(error.about))
    if error.hint and isinstance(error, Unsupported):
        complain(b"hint: " + error.hint.encode("utf-8", "surrogateescape") + b"\n")


def _failed(ctx: Context, complain: Write, why: str) -> int:
    _flush(ctx, complain)
    complain(report(f"fatal: {why}".encode("utf-8", "replace")))
    return 128


def _flush(ctx: Context, complain: Write) -> None:
    for line in ctx.spoken():
        complain(line)


def _answer(argv: "list[str] | Globals", session: Session, ctx: Context, write: Write) -> int:
    line = argv if isinstance(argv, Globals) else front_of(argv, variable=session.variable)
    if not line.command:
        write(overview())
        return 0 if line.help else 1
    if line.command == "help" or line.argv[:1] == ["--help"]:
        return _page(line, session, ctx, write)
    named = find(line.command, line.argv)
    if named is None:
        line = unaliased(line, session, ctx)
        named = find(line.command, line.argv)
    if named is None:
        raise unknown(line, session, ctx)
    command, words = named
    if words == ["-h"]:
        return _help(command, write, ctx)
    store = open_meant(line, session, ctx.limits, needed=command.needs_repository, sought=_seeks(line))
    ctx.voices.append(store.complaints)
    command = command.meant(words, store)
    try:
        if command.needs_work_tree and store.work_tree is None:
            raise NoWorkTree("this operation must be run in a work tree")
        try:
            request, tips = _request(command, words, store, session, ctx)
        except HelpAsked:
            return _help(command, write, None)
        except GitError:
            judge(command, store)  # git reads the settings before it looks at the words
            raise
        blocks = session.input() if request.reads_stdin else None
        style = Style(store, ctx, is_tty=session.is_tty, columns=session.columns, blocks=blocks, dumb=session.dumb)
        _print(command, execute(command, store, request, ctx, tips), request, style, write)
    except GitError as error:
        if isinstance(error, UsageError) and error.about is None:
            error.about = command
        if isinstance(error, NoWorkTree) and store.layout.warnings:
            error.message = "unable to set up work tree using invalid config"
        if command.failure is not None and not isinstance(error, Unsupported | NoWorkTree):
            error.status = command.failure
        raise
    finally:
        if store is not session.store:
            store.close()  # a handle of this call only: free its caches now, not in the garbage collector
    return ctx.exit_status


def _request(
    command: Command, words: list[str], store: Store, session: Session, ctx: Context
) -> "tuple[Any, Tips | None]":
    """The request, and the objects that its revisions were resolved to, if the binder did that."""
    if command.raw:
        return Words(words), None
    try:
        values, positionals = parse(command, words)
        positionals.read_stdin, positionals.piped = session.read_stdin, session.piped
        command.bind(positionals, values, store, ctx)
    except UsageError as error:
        from .usage import usage  # only needed for errors and `-h`

        error.usage = usage(command) + b"\n"
        raise
    return make_request(command, values), positionals.named


def _print(command: Command, entries: Any, request: Any, style: Style, write: Write) -> None:
    budget = style.ctx.limits.max_output_bytes
    for chunk in command.render(entries, request, style):
        style.ctx.tick()
        if budget is not None:
            budget -= len(chunk)
            if budget < 0:
                raise TooLarge("the answer is larger than the limit of this call", limit="max_output_bytes")
        write(chunk)
    style.ctx.finish()


def unaliased(line: Globals, session: Session, ctx: Context) -> Globals:
    """The command line that an alias stands for; unchanged if there is no alias. Raises GitError, Unsupported."""
    from .unknown import is_command  # most command lines name a command, and do not get here

    names: list[str] = []
    while not is_command(line.command):
        value = _alias(line, session, ctx)
        if value is None:
            break
        if value.startswith(b"!"):
            raise Unsupported(
                f"gitglass runs nothing: the alias '{line.command}' is a program", status=129, prefix="error"
            )
        names.append(line.command)
        if line.argv[:1] == ["-h"]:
            ctx.say(f"'{line.command}' is aliased to '{text(value)}'\n".encode("utf-8", "surrogateescape"))
        inner = parse_globals([*alias_words(line.command, value), *line.argv], variable=session.variable)
        if replace(inner, command="", argv=[], overrides=[]) != Globals():
            raise BadConfig(
                f"alias '{line.command}' changes environment variables.\nYou can use '!git' in the alias to do this"
            )
        if inner.command in names:
            raise loop(names, inner.command)
        line = replace(line, command=inner.command, argv=inner.argv, overrides=[*line.overrides, *inner.overrides])
    if names and not is_command(line.command):
        why = f"expansion of alias '{names[-1]}' failed; '{line.command}' is not a git command"
        raise InvalidArgs(why, status=1, prefix="")
    return line


def _alias(line: Globals, session: Session, ctx: Context) -> bytes | None:
    if not line.command:
        return None
    store = open_meant(line, session, ctx.limits, needed=False)
    try:
        return store.config.get_string("alias." + line.command)
    finally:
        if store is not session.store:
            store.close()


def unknown(line: Globals, session: Session, ctx: Context) -> GitError:
    """The error for an unknown command; git suggests similar ones, unless `help.autocorrect` is "never"."""
    from .unknown import is_command, unknown_command

    if is_command(line.command):
        return unknown_command(line.command)
    store = open_meant(line, session, ctx.limits, needed=False)
    try:
        aliases = [text(name) for name, _ in store.config.section_items(b"alias")]
        return unknown_command(line.command, aliases, suggests=store.config.get_text("help.autocorrect") != "never")
    finally:
        if store is not session.store:
            store.close()


def _page(line: Globals, session: Session, ctx: Context, write: Write) -> int:
    """`help [<command>]`, and `<command> --help`: both are the same, except that only the former explains an alias."""
    from .help import guides, listing, named_page, own_usage, page
    from .unknown import is_command

    if line.command == "help" and line.argv in (["-h"], ["-g"], ["--guides"]):
        write(own_usage() if line.argv == ["-h"] else guides())
        return 0 if line.argv != ["-h"] else 129
    name = named_page(line.argv) if line.command == "help" else line.command
    if name in ("", "git"):
        write(listing() if line.argv and not name else overview())
        return 0
    alias = None if is_command(name) else _alias(replace(line, command=name), session, ctx)
    if alias is None:
        write(page(name))
        return 0
    about = f"'{name}' is aliased to '".encode() + alias + b"'\n"
    if line.command == "help" or alias.startswith(b"!"):
        write(about)
        return 0
    ctx.say(about)
    write(page(alias_words(name, alias)[0]))
    return 0


def _help(command: Command, write: Write, ctx: Context | None) -> int:
    """Print the usage, on the stream that git uses for it; `ctx` is given if the line has nothing else."""
    from .usage import ON_STDERR, usage  # only needed for `-h`

    if ctx is not None and command.name in ON_STDERR:
        ctx.say(usage(command))
    else:
        write(usage(command))
    return 0 if ctx is not None and command.name == "submodule" else 129  # a shell script in git


def overview() -> bytes:
    """The output of `gitglass` alone."""
    names: Iterable[str] = sorted(NAMES)
    return (
        f"{SYNOPSIS}\n"
        "git repositories, read in pure Python: " + ", ".join(names) + "\n"
        "`gitglass <command> -h` lists a command's options.\n"
    ).encode()


def _seeks(line: Globals) -> bool:
    """Whether a command line looks for a repository at all, be it that it can do without one."""
    first = line.argv[0] if line.argv else ""
    match line.command:
        case "rev-parse":
            return first not in ("--sq-quote", "--parseopt", "--local-env-vars", "--resolve-git-dir")
        case "check-ref-format":
            return first == "--branch"
        case "stripspace":
            return any(word.startswith(("-s", "-c", "--s", "--c")) for word in line.argv)
        case name:
            return name != "version"


def open_meant(line: Globals, session: Session, limits: Limits, *, needed: bool, sought: bool = False) -> Store:
    """The repository of a command line: the session's own handle, if no option before the command names another.

    Raises NotARepository if there is none and one is `needed`; where one is `sought`, for a bad file `.git` only.
    """
    named = any(word is not None for word in (line.git_dir, line.work_tree, line.namespace))
    unpaged = not line.pager and session.where.programs is not None
    plain = not (any(line.directories) or line.overrides or named or line.bare or unpaged)
    pathspecs = session.pathspecs | line.pathspecs
    if plain and line.replace and session.store is not None:
        session.store.refresh()
        session.store.pathspecs = pathspecs
        return session.store
    where = session.where if plain else located(line, session.where)
    config = dict(session.config)
    if line.overrides:
        config["overrides"] = (*config.get("overrides", ()), *line.overrides)
    if line.jail or line.isolated:
        config = {"overrides": config.get("overrides", ())}
    root = jail_root(line, session.where) if line.jail else session.root
    # A handle keeps its jail: options before a command move within it, and never to another repository.
    opened = open_store if session.store is None else session.store.reopen
    try:
        store = opened(where, root=root, config=config, limits=limits)
    except (NotARepository, UnknownFormat) as error:
        unknown_format = isinstance(error, UnknownFormat)
        if needed or (sought and isinstance(error, BadGitFile)) or (unknown_format and line.command == "rev-parse"):
            raise
        store = opened(where, root=root, config=config, optional=True, limits=limits)
        if unknown_format:
            store.complaints.append(f"warning: {error.message}")
    if (needed or line.command == "rev-parse") and store.layout.at == store.git_dir:
        _check_standing(store)
    store.pathspecs = pathspecs
    store.once = True
    store.confined = session.confined
    store.replace = line.replace and (session.store is None or session.store.replace)
    return store


def _check_standing(store: Store) -> None:
    """Raises BadRequest in a git directory that was not named explicitly, if safe.bareRepository requires that.

    Only the setting of the user, the system or the command line counts (git-config(1)).
    """
    word = b"all"
    for entry in store.config.entries:
        if entry.key == b"safe.barerepository" and entry.source.scope not in ("local", "worktree"):
            if entry.value not in (b"explicit", b"all"):
                raise bad_value(entry)
            word = entry.value
    if word == b"explicit":
        raise BadRequest(f"cannot use bare repository '{text(store.git_dir)}' (safe.bareRepository is 'explicit')")


def jail_root(line: Globals, where: Where) -> bytes:
    """The root for `--jail`: the directory of the first -C of the line, or the current one without -C.

    An empty first -C (from an unset shell variable) also means the current directory: the next -C does not replace it.
    Raises InvalidArgs for the root of the file system, which would be no jail.
    """
    first = line.directories[0].encode("utf-8", "surrogateescape") if line.directories else b""
    root = _below(where.cwd, first)
    if not normal_path(b"/", root).strip(b"/") or Jail(b"/").resolve(root) == b"/":
        raise InvalidArgs("--jail: '/' is the whole file system; name a directory with -C", prefix="error")
    return root


def _below(cwd: bytes, word: bytes) -> bytes:
    """A directory named relative to another; `..` is kept, because the system resolves links before it."""
    return word if word.startswith(b"/") else cwd + b"/" + word if word else cwd


def located(line: Globals, where: Where) -> Where:
    """The location of a command line after -C, --git-dir and --work-tree; each -C is relative to the one before."""
    cwd, steps = where.cwd, list(where.steps)
    for directory in filter(None, line.directories):
        word = directory.encode("utf-8", "surrogateescape")
        cwd = _below(cwd, word)
        steps.append((cwd, word))
    git_dir, work_tree = where.git_dir, where.work_tree
    if line.git_dir is not None:
        git_dir = line.git_dir.encode("utf-8", "surrogateescape")
    if line.work_tree is not None:
        work_tree = line.work_tree.encode("utf-8", "surrogateescape")
    if line.bare and git_dir is None:
        git_dir = cwd
    namespace = where.namespace
    if line.namespace is not None:
        namespace = line.namespace.encode("utf-8", "surrogateescape")
    programs = where.programs
    if not line.pager and programs is not None:
        programs = {**programs, "GIT_PAGER": b"cat"}
    return replace(
        where, cwd=cwd, git_dir=git_dir, work_tree=work_tree, bare=line.bare, steps=tuple(steps), programs=programs,
        namespace=namespace,
    )  # fmt: skip
