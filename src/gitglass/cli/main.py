"""The `gitglass` script: the only place that reads the environment, and passes it on as values."""

import os
import sys
from typing import Any

from ..errors import GitError, Timeout
from ..limits import Context, Limits
from ..store.discover import Where
from .answer import Session, answer
from .belts import fasten, loosen
from .environment import counted_settings, quoted_settings
from .globals import is_seconds
from .meter import Meter
from .terminal import visible

PATHSPEC_VARIABLES = {
    "GIT_LITERAL_PATHSPECS": "literal",
    "GIT_GLOB_PATHSPECS": "glob",
    "GIT_NOGLOB_PATHSPECS": "noglob",
    "GIT_ICASE_PATHSPECS": "icase",
}
#: The deadline of a command line in a jail: the repository is a stranger's.
JAIL_SECONDS = 8.0
FALSE = ("", "0", "false", "no", "off")


def main(argv: list[str] | None = None) -> int:
    """Run one command line; returns its exit status (141 where the reader went away, 130 after Ctrl-C)."""
    try:
        return _main(argv)
    except Timeout as error:  # the belt's alarm, come while an error was being told
        return _told(error)


def _told(error: GitError) -> int:
    loosen()
    sys.stderr.buffer.write(error.words())
    return error.status


def _main(argv: list[str] | None) -> int:
    words = sys.argv[1:] if argv is None else argv
    out = sys.stdout.buffer
    is_tty = sys.stdout.isatty()
    try:
        front = words[: _command_at(words)]
        session = _session(os.environ, jailed="--jail" in front, is_tty=is_tty)
        limits = limits_of(front)
        if "--jail" in front:
            fasten(limits)
        write = (lambda chunk: out.write(visible(chunk))) if is_tty else out.write

        meter = Meter(sys.stderr.buffer) if sys.stderr.isatty() else None

        def complain(line: bytes) -> None:
            out.flush()
            if meter is not None:
                meter.clear()
            sys.stderr.buffer.write(visible(line) if sys.stderr.isatty() else line)
            sys.stderr.buffer.flush()

        ctx = Context(limits, progress=meter.show if meter is not None and not is_tty else None)
        status = answer(words, session, ctx, write, complain)
        loosen()
        out.flush()
        if meter is not None:
            meter.clear()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except GitError as error:
        return _told(error)


def limits_of(front: list[str]) -> Limits:
    """What a command line may spend, by the words in front of the command: in a jail what `Limits()` allows, and soon.

    `--timeout=<seconds>` says otherwise (0: none). A value that is no number is refused by the grammar.
    """
    jailed = "--jail" in front
    limits = Limits(timeout=JAIL_SECONDS) if jailed else Limits.generous()
    for word in front:
        name, _, value = word.partition("=")
        if name == "--timeout" and is_seconds(value):
            limits = limits.replace(timeout=float(value) or None)
    return limits


def _command_at(words: list[str]) -> int:
    """Where the command's name stands, so that its own words are not taken for ours."""
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif word in ("-C", "-c", "--git-dir", "--work-tree"):
            skip = True
        elif not word.startswith("-"):
            return at
    return len(words)


def _session(env: "os._Environ[str]", *, jailed: bool, is_tty: bool) -> Session:
    cwd = os.fsencode(os.getcwd())
    columns = _number(env.get("COLUMNS")) or (os.get_terminal_size().columns if is_tty else 80)
    terminal: dict[str, Any] = {
        "is_tty": is_tty or _true(env.get("GIT_PAGER_IN_USE")),
        "dumb": env.get("TERM", "dumb") == "dumb",
        "columns": columns,
        "read_stdin": _stdin,
        "piped": sys.stdin is not None and not sys.stdin.isatty(),
    }
    if jailed:
        return Session(Where(cwd=cwd), b"/", ours=True, **terminal)
    return Session(
        _where(env, cwd),
        b"/",
        config=_config(env),
        pathspecs=frozenset(word for name, word in PATHSPEC_VARIABLES.items() if _true(env.get(name))),
        ours=True,
        variable=env.get,
        **terminal,
    )


def _stdin() -> bytes:
    return sys.stdin.buffer.read()


def _where(env: "os._Environ[str]", cwd: bytes) -> Where:
    def path(name: str) -> bytes | None:
        value = env.get(name)
        return os.fsencode(value) if value else None

    ceilings = tuple(os.fsencode(part) for part in env.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep) if part)
    return Where(
        cwd=cwd,
        git_dir=path("GIT_DIR"),
        work_tree=path("GIT_WORK_TREE"),
        common_dir=path("GIT_COMMON_DIR"),
        ceilings=ceilings,
        index=path("GIT_INDEX_FILE"),
    )


def _config(env: "os._Environ[str]") -> dict[str, Any]:
    """The user's and the system's configuration, and what the environment adds (git-config(1), FILES, ENVIRONMENT)."""
    home = env.get("HOME")
    if "GIT_CONFIG_GLOBAL" in env:
        user = [env["GIT_CONFIG_GLOBAL"]]
    else:
        xdg = env.get("XDG_CONFIG_HOME") or (os.path.join(home, ".config") if home else "")
        user = [os.path.join(xdg, "git", "config")] if xdg else []
        user += [os.path.join(home, ".gitconfig")] if home else []
    system = None if _true(env.get("GIT_CONFIG_NOSYSTEM")) else env.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    overrides = quoted_settings(env)
    overrides += [f"core.notesRef={env['GIT_NOTES_REF']}"] if env.get("GIT_NOTES_REF") else []
    return {
        "system": None if system is None else os.fsencode(system),
        "user": tuple(os.fsencode(os.path.abspath(path)) for path in user if path),
        "home": os.fsencode(home) if home else None,
        "environment": tuple(counted_settings(env)),
        "overrides": tuple(overrides),
    }


def _true(value: str | None) -> bool:
    return value is not None and value.lower() not in FALSE


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() else None
