"""From a whole command line to bytes and an exit status: the path every argv takes, in process or in a shell."""

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..commands.command import Command, Words, execute, make_request
from ..commands.registry import NAMES, WRITERS, find
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import (
    BadConfig,
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
from ..repo.discover import Where
from ..repo.store import Store, open_store
from .argv import HelpAsked, parse
from .globals import Globals, parse_globals

if TYPE_CHECKING:
    from ..paths.lexical import normal_path
    from ..revs.tips import Tips
    from .aliases import alias_words, loop
else:
    alias_words, loop = deferred(__name__, ".aliases", "alias_words", "loop")
    normal_path = deferred(__name__, "..paths.lexical", "normal_path")


Write = Callable[[bytes], object]


@record
class Session:
    """Where a command line is answered: the place, how far it may look, and the terminal.

    `root` is the jail (b"/": git's own reach; None: the repository found). `config` holds keyword arguments for the
    configuration's loader beside the repository's own. `store`, where given, is a warm handle for `where.cwd`.
    `confined`: its words name files of the repository only, whatever the jail.
    """

    where: Where
    root: bytes | None
    config: dict[str, Any] = field(default_factory=dict)
    store: Store | None = None
    is_tty: bool = False
    columns: int = 80
    read_stdin: Callable[[], bytes] | None = None
    piped: bool = False
    pathspecs: frozenset[str] = frozenset()
    confined: bool = False
    dumb: bool = False
    variable: Callable[[str], str | None] | None = None


def answer(argv: "list[str] | Globals", session: Session, ctx: Context, write: Write, complain: Write) -> int:
    """Answer one command line; git's bytes go to `write`, its warnings and errors to `complain`. Returns the status.

    `argv` is its words, or what `parse_globals` made of them.

    No exception leaves but KeyboardInterrupt and what `write` raises (a closed pipe).
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


def _usage_of(command: Any) -> bytes:
    """The usage of the command that an error found while looking for it is about."""
    from .usage import usage

    return b"" if command is None else usage(command) + b"\n"


def complain_of(error: GitError, complain: Write) -> None:
    """Report an error as the command line does: the usage or the hint follow, where there is one."""
    complain(error.words())
    if isinstance(error, UsageError):
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
    found = argv if isinstance(argv, Globals) else parse_globals(argv, variable=session.variable)
    if not found.command:
        write(overview())
        return 0 if found.help else 1
    named = find(found.command, found.argv)
    if named is None:
        if found.command not in WRITERS:
            found = _unaliased(found, session, ctx)
        named = lookup(found)
    command, words = named
    if "-h" in words[:1] and len(words) == 1:
        return _help(command, write)
    store = _open(found, session, command, ctx.limits)
    ctx.voices.append(store.complaints)
    command = command.meant(words, store)
    try:
        if command.needs_work_tree and store.work_tree is None:
            raise NoWorkTree("this operation must be run in a work tree")
        try:
            request, tips = _request(command, words, store, session, ctx)
        except HelpAsked:
            return _help(command, write)
        stdin = session.read_stdin() if request.reads_stdin and session.read_stdin else None
        style = Style(store, ctx, is_tty=session.is_tty, columns=session.columns, stdin=stdin, dumb=session.dumb)
        _print(command, execute(command, store, request, ctx, tips), request, style, write)
    except GitError as error:
        if command.failure is not None and not isinstance(error, Unsupported | NoWorkTree):
            error.status = command.failure
        raise
    finally:
        if store is not session.store:
            store.close()  # a handle of this call only: its caches must not wait for the collector
    return ctx.exit_status


def _request(
    command: Command, words: list[str], store: Store, session: Session, ctx: Context
) -> "tuple[Any, Tips | None]":
    """The request, and what its revisions were resolved to, where the binder did that."""
    if command.raw:
        return Words(words), None
    try:
        values, positionals = parse(command, words)
        positionals.read_stdin, positionals.piped = session.read_stdin, session.piped
        command.bind(positionals, values, store, ctx)
    except UsageError as error:
        from .usage import usage  # only errors and `-h` need it

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


def _unaliased(found: Globals, session: Session, ctx: Context) -> Globals:
    """The command line that an alias stands for; as it is where there is none. Raises GitError, Unsupported."""
    names: list[str] = []
    while find(found.command, found.argv) is None and found.command not in WRITERS:
        value = _alias(found, session, ctx)
        if value is None:
            break
        if value.startswith(b"!"):
            raise Unsupported(
                f"gitglass runs nothing: the alias '{found.command}' is a program", status=129, prefix="error"
            )
        names.append(found.command)
        if found.argv[:1] == ["-h"]:
            ctx.say(f"'{found.command}' is aliased to '{text(value)}'\n".encode("utf-8", "surrogateescape"))
        inner = parse_globals([*alias_words(found.command, value), *found.argv], variable=session.variable)
        if replace(inner, command="", argv=[], overrides=[]) != Globals():
            raise BadConfig(
                f"alias '{found.command}' changes environment variables.\nYou can use '!git' in the alias to do this"
            )
        if inner.command in names:
            raise loop(names, inner.command)
        found = replace(found, command=inner.command, argv=inner.argv, overrides=[*found.overrides, *inner.overrides])
    if names and find(found.command, found.argv) is None and found.command not in WRITERS:
        why = f"expansion of alias '{names[-1]}' failed; '{found.command}' is not a git command"
        raise InvalidArgs(why, status=1, prefix="")
    return found


def _alias(found: Globals, session: Session, ctx: Context) -> bytes | None:
    if not found.command:
        return None
    store = _open(found, session, None, ctx.limits)
    try:
        return store.config.get_string("alias." + found.command)
    finally:
        if store is not session.store:
            store.close()


def lookup(found: Globals) -> tuple[Command, list[str]]:
    """The command named. Raises Unsupported for what git writes, InvalidArgs (status 1) for what is no command."""
    named = find(found.command, found.argv)
    if named is not None:
        return named
    if found.command in WRITERS:
        raise Unsupported(
            f"gitglass only reads: '{found.command}' is not available",
            status=129,
            prefix="error",
            command=found.command,
        )
    raise InvalidArgs(f"'{found.command}' is not a git command. See 'git --help'.", status=1, prefix="git")


def _help(command: Command, write: Write) -> int:
    from .usage import usage  # only `-h` needs it

    write(usage(command))
    return 129


def overview() -> bytes:
    """What `gitglass` alone prints."""
    names: Iterable[str] = sorted(NAMES)
    return (
        "usage: gitglass [-C <path>] [-c <name>=<value>] [--no-pager] [--git-dir=<path>] [--work-tree=<path>]\n"
        "                [--bare] [--jail] [--isolated] [--timeout=<seconds>] <command> [<args>]\n\n"
        "git repositories, read in pure Python: " + ", ".join(names) + "\n"
        "`gitglass <command> -h` lists a command's options.\n"
    ).encode()


def _open(found: Globals, session: Session, command: Command | None, limits: Limits) -> Store:
    """The repository meant: the session's own handle where nothing was said in front of the command."""
    named = found.git_dir is not None or found.work_tree is not None
    plain = not (any(found.directories) or found.overrides or named or found.bare)
    pathspecs = session.pathspecs | found.pathspecs
    if plain and found.replace and session.store is not None:
        session.store.refresh()
        session.store.pathspecs = pathspecs
        return session.store
    where = session.where if plain else place(found, session.where)
    config = dict(session.config)
    if found.overrides:
        config["overrides"] = (*config.get("overrides", ()), *found.overrides)
    if found.jail or found.isolated:
        config = {"overrides": config.get("overrides", ())}
    root = jail_root(found, session.where) if found.jail else session.root
    # A handle keeps its reach: what is said in front of a command moves within it, and never to another repository.
    opened = open_store if session.store is None else session.store.reopen
    try:
        store = opened(where, root=root, config=config, limits=limits)
    except NotARepository:
        if command is not None and command.needs_repository:
            raise
        store = opened(where, root=root, config=config, optional=True, limits=limits)
    store.pathspecs = pathspecs
    store.once = True
    store.confined = session.confined
    if not found.replace:
        store.replace = False
    return store


def jail_root(found: Globals, where: Where) -> bytes:
    """The root that `--jail` holds to: the directory of the first -C of the line, the current one without -C.

    An empty first -C (a shell variable that is not set) is the current directory too: the next one does not take its
    place. Raises InvalidArgs for the root of the file system, which would be no jail.
    """
    first = found.directories[0].encode("utf-8", "surrogateescape") if found.directories else b""
    root = _below(where.cwd, first)
    if not normal_path(b"/", root).strip(b"/") or Jail(b"/").resolve(root) == b"/":
        raise InvalidArgs("--jail: '/' is the whole file system; name a directory with -C", prefix="error")
    return root


def _below(cwd: bytes, word: bytes) -> bytes:
    """A directory named from another; `..` stays, for links are followed before it, as the system does it."""
    return word if word.startswith(b"/") else cwd + b"/" + word if word else cwd


def place(found: Globals, where: Where) -> Where:
    """Where a command line works, after -C, --git-dir and --work-tree; each -C is relative to the one before."""
    cwd, steps = where.cwd, list(where.steps)
    for directory in filter(None, found.directories):
        word = directory.encode("utf-8", "surrogateescape")
        cwd = _below(cwd, word)
        steps.append((cwd, word))
    git_dir, work_tree = where.git_dir, where.work_tree
    if found.git_dir is not None:
        git_dir = found.git_dir.encode("utf-8", "surrogateescape")
    if found.work_tree is not None:
        work_tree = found.work_tree.encode("utf-8", "surrogateescape")
    if found.bare and git_dir is None:
        git_dir = cwd
    return replace(where, cwd=cwd, git_dir=git_dir, work_tree=work_tree, bare=found.bare, steps=tuple(steps))
