"""The `gitglass-write` script: git's command lines that change something, each with its preview and a yes.

    gitglass-write [-C DIR] [-c NAME=VALUE] [--dry-run | --yes | --approve TOKEN] commit -m "fix: …"
    gitglass-write [--remote PATTERN]... [--grant FILE] [-C DIR] push origin main
    gitglass-write [-C DIR] operations
    gitglass-write [-C DIR] [--dry-run | --yes | --approve TOKEN] undo [ID] | redo [ID] | recover [--forward]

The words in front of a command are git's (`--git-dir`, `-c`, …), and its aliases count.
On a terminal the preview is shown and a yes asked for. Elsewhere it is printed with a token, and the exit status is 77:
the same command line with `--approve TOKEN` carries out that very plan, once and for 15 minutes, or says what has moved
since. `--yes` asks nobody. With `--remote` only repositories are asked whose address fits one of the patterns;
`--grant` names a file of the host's that says which remotes and programs are granted (`process/grant_file.py`). The
reader's script, `gitglass`, has none of this.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import TextIO

from ..agent.commandline import parse_command, writer
from ..agent.writing import operation_meant
from ..cli.answer import Session, located, open_meant, unaliased, unknown
from ..cli.argv import HelpAsked
from ..cli.globals import Globals, parse_globals
from ..cli.main import reader_left, session_of, with_variables
from ..cli.meter import Meter
from ..cli.unknown import is_command, unknown_command
from ..cli.usage import usage
from ..commands.registry import find
from ..config.config import Config
from ..config.load import load_config
from ..disk.jail import Jail
from ..errors import GitError, InvalidArgs, StaleApproval, Unsupported, UsageError, text
from ..limits import Context, Limits
from ..records import record, replace
from ..render.color import RESET
from ..repo.discover import Where
from ..repo.store import Store
from ..request.init import NEW_REPOSITORY, InitRequest
from ..request.mutations import Mutation, RecoverRequest, UndoRequest
from ..request.ref_mutations import LsRemoteRequest
from ..visible import plain_bytes, visible_bytes, visible_line
from .access import SECONDS, Opened, recovery, rows_of, was_done
from .grant import ALL_EFFECTS, Moment, WriteGrant
from .init import approve_init, create, plan_init
from .operations.message import STANDARD_INPUT
from .plan import Plan, parse_token, token_of
from .process.grant_file import granted_by
from .process.prove import folders_of, host_file
from .remote.credentials import first_of, program_tokens, variable_tokens
from .writer import Writer, approve

NEEDS_APPROVAL = 77
_USAGE = (
    "usage: gitglass-write [-C <path>] [-c <name>=<value>] [--remote <pattern>]... [--grant <file>]\n"
    "                      [--dry-run | --yes | --approve <token>] <git command>\n"
    "   or: gitglass-write [-C <path>] operations\n"
    "   or: gitglass-write [-C <path>] [--dry-run | --yes | --approve <token>] undo [<id>] | redo [<id>]\n"
    "   or: gitglass-write [-C <path>] [--dry-run | --yes | --approve <token>] recover [--forward]\n"
    "\n"
    "`gitglass-write <git command> -h` lists the options of a command.\n"
)


#: The options of this script, and whether each takes a value.
_OWN = {"--yes": False, "--dry-run": False, "--approve": True, "--remote": True, "--grant": True}
#: Of them those that say how a plan is approved.
_APPROVAL = {"--yes", "--dry-run", "--approve"}
#: git's other names of commands.
_SAME = {"stage": "add"}
#: What this script has beside git's commands.
_LOG_COMMANDS = ("operations", "undo", "redo", "recover")


@record
class Words:
    """A command line: git's words in front, how it is approved, and the command with its words."""

    front: Globals
    command: list[str]
    dry_run: bool = False
    yes: bool = False
    token: str = ""
    remotes: tuple[str, ...] = ()
    grant: str = ""


def parse(argv: list[str]) -> Words:
    """The words of a command line; the options in front of the command are git's, and ours. Raises GitError."""
    front = with_variables(parse_globals(argv, variable=os.environ.get, more=_OWN), os.environ)
    if not front.command and not front.help:
        raise InvalidArgs("a command is needed")
    own = front.more
    if len(_APPROVAL & own.keys()) > 1:
        raise InvalidArgs("give one of --dry-run, --yes, --approve")
    token, grant = (own.get(name, [""])[-1] for name in ("--approve", "--grant"))
    command = [front.command, *front.argv]
    return Words(
        front, command, "--dry-run" in own, "--yes" in own, token, tuple(own.get("--remote", ())), grant
    )  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Run one command line; its exit status: git's, or 77 where a yes is lacking."""
    given = sys.argv[1:] if argv is None else argv
    if not given:
        sys.stderr.write(_USAGE)
        return 129
    words = Words(Globals(), [""])
    try:
        words = parse(given)
        if words.front.help or words.command == ["help"]:
            sys.stdout.write(_USAGE)
            return 0
        return _run(words)
    except HelpAsked:
        return _help(words.command[0])
    except GitError as error:
        out, err = error.streams()
        _say(out, sys.stdout)
        _say(err, sys.stderr)
        if isinstance(error, UsageError) and (command := writer(words.command[0])) is not None:
            _say(usage(command) + b"\n", sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return reader_left()
    except Exception as error:
        if sys.flags.dev_mode:  # python -X dev: developers want the traceback
            raise
        _say(
            f"fatal: internal error in gitglass: {type(error).__name__}: {error}\n".encode("utf-8", "replace"),
            sys.stderr,
        )
        return 128


#: a hint in the colour that the configuration always wants (`shown/hints.py`)
_HINT = re.compile(rb"^(\x1b\[[0-9;]*m)(hint: ?.*)\x1b\[m$", re.MULTILINE)


def _say(data: bytes, stream: TextIO, *, painted: bool = False) -> None:
    """Write to a stream; where that is a terminal, only what may be `painted` has colours, and hints."""
    stream.flush()
    if stream.isatty():
        data = visible_bytes(data) if painted else _unpainted(data)
    stream.buffer.write(data)
    stream.flush()


def _unpainted(data: bytes) -> bytes:
    out, at = b"", 0
    for hint in _HINT.finditer(data):
        out += plain_bytes(data[at : hint.start()]) + visible_bytes(hint[1]) + plain_bytes(hint[2]) + RESET
        at = hint.end()
    return out + plain_bytes(data[at:])


def _is_painted(store: Store) -> bool:
    """Whether what is said on a terminal may have colours: the configuration wants them always."""
    return sys.stdout.isatty() and any(entry.value == b"always" for entry in store.config.section(b"color"))


def _run(words: Words) -> int:
    session = session_of(os.environ, words.front, is_tty=False)
    with Context(Limits()) as ctx:
        front = words.front
        if words.command[0] not in _LOG_COMMANDS:
            front = unaliased(front, session, ctx)
            if not is_command(front.command):
                raise unknown(front, session, ctx)
        words.front, words.command = front, [_SAME.get(front.command, front.command), *front.argv]
        if words.command[0] == "init":
            return _init(words, located(front, session.where), session)
        if words.command[1:] in (["-h"], ["--help"]):
            return _help(words.command[0], status=129 if words.command[1] == "-h" else 0)
        store = open_meant(front, session, ctx.limits, needed=words.command[0] != "ls-remote")
    writer = Writer(Opened(store), _grant(words, store))
    if words.command[0] == "operations":
        _no_more(words.command[1:])
        return _operations(writer)
    if words.command[0] == "recover":
        return _recover(words, writer)
    return _change(words, writer, _request(words.command, writer, store), store)


def _help(name: str, status: int = 129) -> int:
    """`<command> -h`: the forms and options of a command that changes something, on standard output."""
    if name in _LOG_COMMANDS:
        sys.stdout.write(_USAGE)
        return status
    command = writer(name)
    if command is None:
        raise unknown_command(name) if find(name, []) is None else _no_change([name])
    _say(usage(command), sys.stdout)
    return status


def _no_change(command: list[str]) -> InvalidArgs:
    return InvalidArgs(f"'{' '.join(command)}' is no change that gitglass-write makes; what reads, gitglass answers")


def _grant(words: Words, store: Store) -> WriteGrant:
    """What a person at a terminal may: every repository can be asked, or those that the command line names, with the
    token of the environment; and what the host's file grants."""
    folders = folders_of(store) if store.exists else ()
    grant = WriteGrant(remotes=words.remotes or ("*",), effects=ALL_EFFECTS, plain_http=True)
    if words.grant:
        grant = granted_by(host_file(words.grant, folders), grant)
        if words.remotes:
            grant = replace(grant, remotes=words.remotes)
    tokens = first_of(
        variable_tokens(os.environ.get, "GITHUB_TOKEN", "GH_TOKEN"), program_tokens(grant.programs, folders)
    )
    return replace(grant, credentials=tokens)


def _no_more(words: list[str]) -> None:
    """Raise InvalidArgs for words behind a command that takes none."""
    if words:
        raise InvalidArgs(f"unknown {'option' if words[0].startswith('-') else 'argument'}: {words[0]}")


def _request(command: list[str], writer: Writer, store: Store) -> Mutation:
    if command[0] in ("undo", "redo"):
        _no_more(command[2:] or [word for word in command[1:] if word.startswith("-")])
        name = command[1] if len(command) > 1 else None
        return UndoRequest(operation=operation_meant(rows_of(writer.operations()), command[0], name))
    with Context(Limits()) as ctx:
        request = parse_command(command, store, ctx).request
    if not isinstance(request, Mutation):
        raise _no_change(command)
    return request


def _init(words: Words, where: Where, session: Session) -> int:
    """`git init`: there is no repository yet, so it has a plan of its own kind."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_TEMPLATE_DIR"):
        if os.environ.get(name):
            raise Unsupported(f"gitglass init does not take {name}", status=129)
    with Context(Limits()) as ctx:
        request = parse_command(words.command, None, ctx).request
    assert isinstance(request, InitRequest)
    request = request.model_copy(update={"directory": os.path.join(os.fsdecode(where.cwd), request.directory)})
    branch = _outside(words.front, session).get("init.defaultbranch")
    grant = WriteGrant(effects=frozenset({NEW_REPOSITORY}))
    plan = plan_init("/", request, grant, default_branch=None if branch is None else text(branch))
    if words.token and words.token != plan.digest:
        raise StaleApproval("the place has changed since the plan was made", plan=plan.digest)
    if not _agreed(words, plan.preview.render(), plan.digest, nothing=plan.is_empty):
        return 0 if words.dry_run else NEEDS_APPROVAL
    answer = create(plan, approve_init(plan, "terminal"))
    _say(answer.out, sys.stdout)
    _say(answer.err, sys.stderr)
    return answer.status


def _outside(front: Globals, session: Session) -> Config:
    """The configuration of no repository: the user's and the system's, the environment's, and `-c`."""
    options = dict(session.config)
    options["overrides"] = (*options.get("overrides", ()), *front.overrides)
    return load_config(Jail(b"/"), git_dir=None, common_dir=None, **options)


def _recover(words: Words, writer: Writer) -> int:
    """What was interrupted, taken back or finished: shown and approved like a change."""
    forward = words.command[1:] == ["--forward"]
    _no_more([] if forward else words.command[1:])
    plan = recovery(RecoverRequest(forward=forward), writer.interrupted())
    token = token_of(plan)
    if words.token and words.token != token:
        raise StaleApproval("what was interrupted is not what the plan was made for", plan=token)
    if not _agreed(words, plan.preview.render(), token, nothing=not plan.preview.lines):
        return 0 if words.dry_run else NEEDS_APPROVAL
    recovered = writer.recover(forward=forward) if plan.preview.lines else []
    _say("".join(f"{one}\n" for one in recovered).encode(), sys.stdout)
    return 0


def _change(words: Words, writer: Writer, request: Mutation, store: Store) -> int:
    digest, moment = _token(words.token)
    progress, clear = _meter()
    try:
        plan = writer.plan(request, moment=moment, exchange=_given(request, writer), progress=progress)
    finally:
        clear()
    if isinstance(request, LsRemoteRequest):  # nothing to do, and perhaps no repository to do it in
        _say(plan.answer.out, sys.stdout)
        _say(plan.answer.err, sys.stderr)
        return plan.answer.status
    if moment is not None:
        _check_token(plan, digest, moment, writer)
    if not _agreed(words, plan.preview.render(), token_of(plan), nothing=plan.is_empty):
        return 0 if words.dry_run else NEEDS_APPROVAL
    try:
        result = writer.apply(plan, approve(plan, "terminal"), progress=progress)
    finally:
        clear()
    painted = _is_painted(store)
    _say(result.answer.out, sys.stdout, painted=painted)
    _say(result.answer.err, sys.stderr, painted=painted)
    for line in result.unexpected:
        _say(f"warning: {line}\n".encode("utf-8", "surrogateescape"), sys.stderr)
    return result.answer.status


def _given(request: Mutation, writer: Writer) -> dict[object, object]:
    """The message that `-F -` takes from standard input. A terminal has a question to answer: nothing is read there."""
    if getattr(request, "file", None) != "-" or sys.stdin.isatty():
        return {}
    return {STANDARD_INPUT: sys.stdin.buffer.read(writer.grant.limits.message_bytes + 1)}


def _meter() -> tuple[Callable[[str, int, int | None], None] | None, Callable[[], None]]:
    """What tells of long work on a terminal, and takes the line away; nothing where stderr goes elsewhere."""
    if not sys.stderr.isatty():
        return None, lambda: None
    meter = Meter(sys.stderr.buffer)
    return meter.show, meter.clear


def _agreed(words: Words, preview: str, token: str, *, nothing: bool) -> bool:
    """Whether a plan is to be carried out: shown, and asked for where somebody can answer."""
    shown = preview.encode("utf-8", "surrogateescape")
    if words.dry_run:
        _say(shown, sys.stdout)
        return False
    if words.yes or words.token or nothing:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        _say(shown, sys.stdout)
        _say(f"To do this: --approve {token}\n".encode(), sys.stdout)
        return False
    _say(shown, sys.stderr)
    _say(b"Do this? [y/N] ", sys.stderr)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    _say(b"Nothing was changed.\n", sys.stderr)
    return False


def _token(word: str) -> tuple[str, Moment | None]:
    if not word:
        return "", None
    named = parse_token(word)
    if named is None:
        raise InvalidArgs(f"'{word}' is no token of a plan")
    return named


def _check_token(plan: Plan, digest: str, moment: Moment, writer: Writer) -> None:
    """Raise StaleApproval where a token is for another plan, has expired, or is of an operation that was done."""
    if plan.digest != digest:
        raise StaleApproval("the repository has changed since the plan was made", plan=token_of(plan))
    if not 0 <= writer.grant.clock() - moment.seconds <= SECONDS:
        raise StaleApproval("the approval has expired", plan=plan.digest)
    if was_done(plan, writer):
        raise StaleApproval("the approval was used already", plan=plan.digest)


def _operations(writer: Writer) -> int:
    for one in writer.operations():
        line = f"{one.id} {one.state:12} {visible_line(one.summary)}\n"
        _say(line.encode("utf-8", "surrogateescape"), sys.stdout)
    return 0
