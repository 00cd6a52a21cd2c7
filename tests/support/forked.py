"""A script's `main` as a process of its own, forked: what it reads and prints, how it ends, what it leaves.

As good as a new Python wherever the test is about what the script does, at a twentieth of the processor time: nothing
is imported once more. Where the start itself is tested (what is imported, isolation, the script that was installed),
`subprocess` is. It is forked from a process that has loaded what scripts need and nothing else: one that holds ten
thousand tests takes several times as long to fork.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import locale
import os
import pickle
import pkgutil
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

import gitglass
from gitglass.commands.registry import NAMES, forms

ROOT = Path(__file__).resolve().parents[2]
Main = Callable[[list[str]], int]
_LENGTH, _STATUS = struct.Struct("<I"), struct.Struct("<i")


def forked(main: Main, words: Sequence[str], env: Mapping[str, str], cwd: Path | None = None) -> tuple[int, str, str]:
    """Without a terminal and without input: the exit status (negative: the signal), standard output, standard error."""
    status, out, err = forked_bytes(main, words, env, cwd)
    return status, out.decode(), err.decode()


def forked_bytes(
    main: Main, words: Sequence[str], env: Mapping[str, str], cwd: Path | None = None, given: bytes = b""
) -> tuple[int, bytes, bytes]:
    """The same in bytes, with `given` as standard input. `main` is a function of a module, not of a class."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(given)
        stdin.seek(0)
        request = pickle.dumps((main.__module__, main.__name__, list(words), dict(env), cwd))
        server = _server()
        socket.send_fds(server, [_LENGTH.pack(len(request))], [stream.fileno() for stream in (stdin, out, err)])
        server.sendall(request)
        (status,) = _STATUS.unpack(_received(server, _STATUS.size))
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


# --------------------------------------------------------------------------------------- the process that is forked from
@cache
def _server() -> socket.socket:
    """A connection to the process that forks, which ends with this one."""
    ours, its = socket.socketpair()
    code = "import sys; from tests.support.forked import serve; serve(int(sys.argv[1]))"
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(its.fileno())],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, stdin=subprocess.DEVNULL, pass_fds=[its.fileno()],
    )  # fmt: skip
    its.close()
    atexit.register(process.wait)
    atexit.register(ours.close)  # the other way round
    return ours


def serve(number: int) -> None:
    """Fork for each request that comes over this connection, until it is closed."""
    for entry in pkgutil.walk_packages(gitglass.__path__, "gitglass."):
        if not re.match(r"gitglass\.(agent|bridge|workspace|__main__)", entry.name):
            importlib.import_module(entry.name)  # also what is imported when it is needed
    for command in NAMES:
        forms(command)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=number) as client:
        while True:
            head, streams, _, _ = socket.recv_fds(client, _LENGTH.size, 3)
            if not head:
                return
            module, name, words, env, cwd = pickle.loads(_received(client, *_LENGTH.unpack(head)))
            main = getattr(importlib.import_module(module), name)
            child = os.fork()
            if not child:
                client.close()
                for at, stream in enumerate(streams):
                    os.dup2(stream, at)
                    os.close(stream)
                _become(main, words, env, cwd)
            for stream in streams:
                os.close(stream)
            client.sendall(_STATUS.pack(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))


def _received(peer: socket.socket, size: int) -> bytes:
    data = peer.recv(size, socket.MSG_WAITALL)
    if len(data) < size:
        raise OSError("the other side is gone")
    return data


# -------------------------------------------------------------------------------------------------------- on a terminal
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
