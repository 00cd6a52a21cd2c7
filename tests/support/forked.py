"""A script's `main` as a process of its own, forked from this one: what it reads and prints, how it ends, what it leaves.

As good as a new Python wherever the test is about what the script does, at a twentieth of the processor time: nothing
is imported once more. Where the start itself is tested (what is imported, isolation, the script that was installed),
`subprocess` is.
"""

from __future__ import annotations

import locale
import os
import pty
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

Main = Callable[[list[str]], int]


def forked(main: Main, words: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> tuple[int, str, str]:
    """Without a terminal and without input: the exit status (negative: the signal), standard output, standard error."""
    status, out, err = forked_bytes(main, words, env, cwd)
    return status, out.decode(), err.decode()


def forked_bytes(
    main: Main, words: Sequence[str], env: Mapping[str, str], cwd: Path | None = None, given: bytes = b""
) -> tuple[int, bytes, bytes]:
    """The same in bytes, with `given` as standard input."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(given)
        stdin.seek(0)
        child = os.fork()
        if not child:
            for number, stream in enumerate((stdin, out, err)):
                os.dup2(stream.fileno(), number)
            _become(main, words, env, cwd)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def forked_on_terminal(
    main: Main, words: Sequence[str], env: Mapping[str, str], question: bytes, answer: bytes
) -> tuple[int, str]:
    """On a terminal, where `answer` is typed in once `question` is shown: the exit status, and what was shown."""
    child, terminal = pty.fork()
    if not child:
        _become(main, words, env, None)
    shown, asked = b"", False
    try:
        while chunk := _shown_next(terminal, child):
            shown += chunk
            if question in shown and not asked:
                asked = True
                time.sleep(0.05)  # Python does not notice a signal that comes just before it waits for a line
                os.write(terminal, answer)
    except OSError:  # the other side is closed
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode().replace("\r\n", "\n")


def _shown_next(terminal: int, child: int) -> bytes:
    """What comes next; a child that is silent for a minute is ended."""
    if not select.select([terminal], [], [], 60)[0]:
        os.kill(child, signal.SIGKILL)
    return os.read(terminal, 4096)


def _become(main: Main, words: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> NoReturn:
    """In the fork: what a new process has, in place of what pytest put there."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(env)
        time.tzset()
        locale.setlocale(locale.LC_CTYPE, "")  # Python's first step
        if cwd is not None:
            os.chdir(cwd)
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")
        status = main(list(words))
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
