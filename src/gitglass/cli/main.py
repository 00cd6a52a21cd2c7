"""The `gitglass` script: only this module reads the environment, and passes it on as values."""

import os
import sys
from _locale import CODESET, nl_langinfo
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import GitError, NotFound
from ..limits import Context, Limits
from ..records import replace
from ..repo.discover import Where
from .answer import Session, answer, complain_of, front_of
from .globals import Globals, shorter

if TYPE_CHECKING:
    from ..config.quoted import listed_paths
    from .belts import Alarm
    from .environment import counted_settings, patch_context, quoted_settings, truth
    from .input import input_blocks
    from .meter import Meter
    from .terminal import plain, visible
else:
    Alarm = deferred(__name__, ".belts", "Alarm")
    counted_settings, patch_context, quoted_settings, truth = deferred(
        __name__, ".environment", "counted_settings", "patch_context", "quoted_settings", "truth"
    )
    input_blocks = deferred(__name__, ".input", "input_blocks")
    Meter = deferred(__name__, ".meter", "Meter")
    plain, visible = deferred(__name__, ".terminal", "plain", "visible")
    listed_paths = deferred(__name__, "..config.quoted", "listed_paths")


PATHSPEC_VARIABLES = {
    "GIT_LITERAL_PATHSPECS": "literal",
    "GIT_GLOB_PATHSPECS": "glob",
    "GIT_NOGLOB_PATHSPECS": "noglob",
    "GIT_ICASE_PATHSPECS": "icase",
}
#: git's variables for author and committer and their dates → the keys of `Where.people`
PERSON_VARIABLES = {
    "GIT_AUTHOR_NAME": "author.name", "GIT_AUTHOR_EMAIL": "author.email", "GIT_COMMITTER_NAME": "committer.name",
    "GIT_COMMITTER_EMAIL": "committer.email", "EMAIL": "email", "GIT_AUTHOR_DATE": "author.date",
    "GIT_COMMITTER_DATE": "committer.date",
}  # fmt: skip
#: git's variables for the user's editor and pager
PROGRAM_VARIABLES = ("GIT_EDITOR", "VISUAL", "EDITOR", "GIT_PAGER", "PAGER", "TERM")
#: the value that Python puts into LC_CTYPE in the C locale (PEP 538)
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
#: The deadline of a command line in a jail, because its repository is not trusted.
JAIL_SECONDS = 8.0
FALSE = ("", "0", "false", "no", "off")


def _stand_in_for_closed_streams() -> None:
    """Open /dev/null in place of a standard stream that was closed before the start, as git does.

    Python has None for such a stream. Otherwise the next file to be opened would get its number, and the output.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None and os.open(os.devnull, os.O_RDWR) == number:
            raw = FileIO(number, "w" if number else "r")
            buffer: Any = BufferedWriter(raw) if number else BufferedReader(raw)
            setattr(sys, name, TextIOWrapper(buffer))


def main(argv: list[str] | None = None) -> int:
    """Run one command line; returns its exit status (141 if the reader is gone, 130 after Ctrl-C).

    With `--jail` the process may end inside of this call: see `belts.Alarm`.
    """
    words = sys.argv[1:] if argv is None else argv
    _stand_in_for_closed_streams()
    out, err = sys.stdout.buffer, sys.stderr.buffer
    is_tty, err_tty = sys.stdout.isatty(), sys.stderr.isatty()
    meter = Meter(err) if err_tty else None
    alarm: Alarm | None = None
    write = (lambda chunk: out.write(visible(chunk))) if is_tty else out.write

    def complain(line: bytes) -> None:
        if alarm is not None:
            alarm.stop()  # the error that ends the command is being reported: the alarm must not report another
        out.flush()
        if meter is not None:
            meter.clear()
        err.write(plain(line) if err_tty else line)
        err.flush()

    try:
        try:
            front = front_of(words, ours=True, variable=os.environ.get)
            session = session_of(os.environ, front, is_tty=is_tty)
            front = with_variables(front, os.environ)
        except GitError as error:
            complain_of(error, complain)
            return error.status
        limits = limits_of(front)
        if front.jail:
            alarm = Alarm(out, before=b"\r\x1b[K" if err_tty else b"")
            alarm.start(limits)
        ctx = Context(limits, progress=meter.show if meter is not None and not is_tty else None)
        ctx.byte_patterns = not front.jail and byte_patterns(os.environ, nl_langinfo(CODESET))
        status = answer(front, session, ctx, write, complain)
        if alarm is not None:
            alarm.stop()
        out.flush()
        if meter is not None:
            meter.clear()
        return status
    except BrokenPipeError:
        return reader_left()
    except KeyboardInterrupt:
        return 130
    finally:
        if alarm is not None:
            alarm.end()


def with_variables(front: Globals, env: "os._Environ[str]") -> Globals:
    """The options before the command, with those that the environment gives. With a jail it is not read."""
    return replace(front, replace=False) if not front.jail and "GIT_NO_REPLACE_OBJECTS" in env else front


def reader_left() -> int:
    """The exit status if the reader of standard output closed it; unflushed output goes to /dev/null."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def limits_of(front: Globals) -> Limits:
    """The limits of a command line: in a jail those of `Limits()` with `JAIL_SECONDS`, or less by `--timeout`."""
    if front.jail:
        return Limits(timeout=shorter(JAIL_SECONDS, front.timeout or 0))
    return Limits.generous().replace(timeout=front.timeout or None)


def _cwd(front: Globals) -> bytes:
    """The current directory; if it was removed, that is only an error for a path relative to it."""
    try:
        return os.fsencode(os.getcwd())
    except OSError as error:
        absolute = any(front.directories) and next(filter(None, front.directories)).startswith("/")
        if absolute or front.command in ("", "version"):
            return b"/"
        raise NotFound(f"Unable to read current working directory: {error.strerror}") from None


def session_of(env: "os._Environ[str]", front: Globals, *, is_tty: bool) -> Session:
    """Directory, jail and configuration, from the environment and the options before the command."""
    cwd = _cwd(front)
    columns = _number(env.get("COLUMNS")) or (os.get_terminal_size().columns if is_tty else 80)
    terminal: dict[str, Any] = {
        "is_tty": is_tty or _true(env.get("GIT_PAGER_IN_USE")),
        "dumb": env.get("TERM", "dumb") == "dumb",
        "columns": columns,
        "read_stdin": _stdin,
        "stdin_blocks": _stdin_blocks,
        "piped": sys.stdin is not None and not sys.stdin.isatty(),
    }
    if front.jail:
        return Session(Where(cwd=cwd), b"/", **terminal)
    return Session(
        _where(env, cwd),
        b"/",
        config=_config(env),
        pathspecs=frozenset(word for name, word in PATHSPEC_VARIABLES.items() if _true(env.get(name))),
        variable=env.get,
        **terminal,
    )


def _stdin() -> bytes:
    return sys.stdin.buffer.read()


def _stdin_blocks() -> "Iterator[bytes]":
    stream: Any = sys.stdin.buffer
    return input_blocks(stream, sys.stdout.buffer.flush)


def _where(env: "os._Environ[str]", cwd: bytes) -> Where:
    def path(name: str) -> bytes | None:
        value = env.get(name)
        return None if value is None else os.fsencode(value)

    def paths(name: str) -> tuple[bytes, ...]:
        return tuple(os.fsencode(part) for part in env.get(name, "").split(os.pathsep) if part)

    alternates = env.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    notes = None if "GIT_NOTES_DISPLAY_REF" not in env else paths("GIT_NOTES_DISPLAY_REF")
    return Where(
        cwd=cwd,
        started=cwd,
        shell_cwd=path("PWD"),
        git_dir=path("GIT_DIR"),
        work_tree=path("GIT_WORK_TREE"),
        common_dir=path("GIT_COMMON_DIR"),
        ceilings=_ceilings(env.get("GIT_CEILING_DIRECTORIES", "")),
        across=_is_set(env, "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
        index=path("GIT_INDEX_FILE"),
        objects=path("GIT_OBJECT_DIRECTORY"),
        alternates=tuple(listed_paths(os.fsencode(alternates), b":")) if alternates else (),
        replace_base=os.fsencode(env.get("GIT_REPLACE_REF_BASE", "refs/replace/")),
        notes_ref=path("GIT_NOTES_REF"),
        notes_refs=notes,
        graft_file=path("GIT_GRAFT_FILE"),
        config_file=path("GIT_CONFIG"),
        programs={name: os.fsencode(env[name]) for name in PROGRAM_VARIABLES if name in env},
        people={key: os.fsencode(env[name]) for name, key in PERSON_VARIABLES.items() if name in env},
        patch_context=patch_context(env["GIT_DIFF_OPTS"]) if "GIT_DIFF_OPTS" in env else None,
        namespace=path("GIT_NAMESPACE") or b"",
        ellipsis=env.get("GIT_PRINT_SHA1_ELLIPSIS", "").lower() == "yes",
    )


def _ceilings(value: str) -> tuple[bytes, ...]:
    """GIT_CEILING_DIRECTORIES: links are resolved, except after an empty entry; relative ones are ignored."""
    ceilings: list[bytes] = []
    resolve = True
    for part in value.split(os.pathsep):
        if not part:
            resolve = False
        elif part.startswith("/"):
            ceiling = os.fsencode(part)
            ceilings.append(Jail(b"/").resolve(ceiling) if resolve else ceiling)
    return tuple(ceilings)


def _config(env: "os._Environ[str]") -> dict[str, Any]:
    """The user's and the system's configuration, and the settings of the environment (git-config(1), FILES,
    ENVIRONMENT)."""
    home = env.get("HOME")
    if "GIT_CONFIG_GLOBAL" in env:
        user = [env["GIT_CONFIG_GLOBAL"]]
    else:
        xdg = env.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home is not None else "")
        user = [os.path.join(xdg, "git", "config")] if xdg else []
        user += [f"{home}/.gitconfig"] if home is not None else []
    system = env.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    overrides = quoted_settings(env) if "GIT_CONFIG_PARAMETERS" in env else []
    return {
        "system": os.fsencode(system),
        "no_system": _is_set(env, "GIT_CONFIG_NOSYSTEM"),
        "user": tuple(os.fsencode(os.path.abspath(path)) for path in user if path),
        "home": None if home is None else os.fsencode(home),
        "environment": tuple(counted_settings(env)) if "GIT_CONFIG_COUNT" in env else (),
        "overrides": tuple(overrides),
    }


def byte_patterns(env: "os._Environ[str]", codeset: str) -> bool:
    """Whether regular expressions match bytes, as in git with a locale that is not UTF-8.

    `codeset` is that of the current locale. In the C locale Python puts `LC_CTYPE=C.UTF-8` into its own environment
    (PEP 538) and works in that locale. Whether Python or the user set it cannot be seen; without a LANG it is assumed
    that Python did.
    """
    coerced = env.get("LC_CTYPE") in _COERCED and not env.get("LC_ALL") and env.get("LANG", "") in ("", "C", "POSIX")
    return coerced or codeset.upper().replace("-", "") != "UTF8"


def _is_set(env: "os._Environ[str]", name: str) -> bool:
    """Whether a variable is true; an unset one is not, and then the rules of truth values are not loaded."""
    return name in env and truth(env, name)


def _true(value: str | None) -> bool:
    return value is not None and value.lower() not in FALSE


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() else None
