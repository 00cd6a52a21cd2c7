"""One program, run: nothing inherited, a session of its own, its output capped, its whole group gone afterwards.

The only code of gitglass that starts anything. A run ends when the program has ended, when its time or the call's is
over, or when the call is cancelled; in every case whatever the program left in its group is killed before the answer is
handed on, and nobody waits for a pipe that a survivor holds open.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from ...agent.audit import ProcessRun, note_run
from ...errors import Timeout, Unsupported
from ...limits import Context
from ...records import record

try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]

_PIECE = 1 << 16
_LOOK = 0.05  # seconds between two looks at the clock, the cancel flag and the program
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL
_DRAIN = 0.2  # seconds for what is left in the pipes when the program has ended
_FILES = 256


@record(frozen=True)
class Allowance:
    """What one run may take: seconds, bytes of stdout and stderr, bytes of a file that it writes."""

    seconds: float
    output: int
    words: int
    file_bytes: int = 1 << 30


@record(frozen=True)
class Ended:
    """How a program ended: its status (negative: the signal), and what it wrote, cut at the allowance."""

    status: int
    out: bytes
    err: bytes
    cut: bool = False
    seconds: float = 0.0


def run(
    argv: Sequence[str | bytes],
    *,
    folder: bytes,
    variables: Mapping[str, str],
    given: bytes | None,
    may: Allowance,
    ctx: Context,
    sha256: str,
) -> Ended:
    """Run a command line in `folder`, with exactly these variables, `given` as its input (None: none at all). `sha256`
    is what was proven of the program's file, for the record of the call.

    Raises Timeout when its time is over, Cancelled and Timeout as the context does, and OSError when it cannot be
    started. In every case nothing of its process group is left.
    """
    if os.name != "posix":
        raise Unsupported("gitglass runs programs on POSIX systems only")
    ctx.check()
    began = time.monotonic()
    started = subprocess.Popen(
        argv, cwd=folder, env=dict(variables), shell=False, close_fds=True, start_new_session=True, umask=0o077,
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    pipes = Pipes(started, given or b"", may)
    try:
        _confine(started.pid, may)
        _watch(started, pipes, began + may.seconds, ctx)
    finally:
        _end(started)
        pipes.drain(_DRAIN)
        pipes.close()
        note_run(ProcessRun(_name(started), sha256, started.returncode, round((time.monotonic() - began) * 1000, 3)))
    return Ended(started.returncode, bytes(pipes.out), bytes(pipes.err), pipes.cut, time.monotonic() - began)


class Pipes:
    """The three streams of a program, served without ever waiting longer than asked."""

    def __init__(self, started: subprocess.Popen[bytes], given: bytes, may: Allowance) -> None:
        self.out, self.err, self.cut = bytearray(), bytearray(), False
        self._given, self._may = memoryview(given), may
        self._streams = [stream for stream in (started.stdin, started.stdout, started.stderr) if stream is not None]
        self._selector = selectors.DefaultSelector()
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
            if stream is not started.stdin:
                into = self.out if stream is started.stdout else self.err
                self._selector.register(stream, selectors.EVENT_READ, into)
        if started.stdin is not None:
            self._selector.register(started.stdin, selectors.EVENT_WRITE)

    @property
    def is_open(self) -> bool:
        """Whether a stream is still to be served."""
        return bool(self._selector.get_map())

    def serve(self, seconds: float) -> bool:
        """Move what can be moved now, or within so many seconds; whether anything was."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
            if key.events == selectors.EVENT_WRITE:
                self._write(stream)
            else:
                self._read(stream, key.data)
        return bool(ready)

    def _write(self, stream: IO[bytes]) -> None:
        try:
            self._given = self._given[os.write(stream.fileno(), self._given[:_PIECE]) :]
        except BrokenPipeError:  # a program need not read all of its input
            self._given = self._given[:0]
        except BlockingIOError:
            return
        if not self._given:
            self._selector.unregister(stream)
            stream.close()

    def _read(self, stream: IO[bytes], into: bytearray) -> None:
        try:
            piece = os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self._selector.unregister(stream)
            return
        room = (self._may.output if into is self.out else self._may.words) - len(into)
        into += piece[:room]
        self.cut = self.cut or (len(piece) > room and into is self.out)

    def drain(self, seconds: float) -> None:
        """What the program wrote before it ended."""
        until = time.monotonic() + seconds
        while self.is_open and (left := until - time.monotonic()) > 0 and self.serve(left):
            pass

    def close(self) -> None:
        """Close what is still open."""
        self._selector.close()
        for stream in self._streams:
            with contextlib.suppress(OSError):
                stream.close()


def _confine(pid: int, may: Allowance) -> None:
    """Limits of the system's own; a program that has ended meanwhile needs none."""
    prlimit = getattr(resource, "prlimit", None)
    if prlimit is None:
        return
    seconds = int(may.seconds) + 1
    for which, most in (
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, may.file_bytes),
        (resource.RLIMIT_NOFILE, _FILES),
    ):  # fmt: skip
        with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
            hard = prlimit(pid, which)[1]
            low = most if hard == resource.RLIM_INFINITY else min(most, hard)
            prlimit(pid, which, (low, low))


def _watch(started: subprocess.Popen[bytes], pipes: Pipes, until: float, ctx: Context) -> None:
    """Serve the program until it has ended."""
    while not _has_ended(started):
        now = ctx.look()
        if now >= until:
            raise Timeout(f"'{_name(started)}' took longer than it may", program=_name(started))
        if pipes.is_open:
            pipes.serve(min(_LOOK, until - now))
        else:
            time.sleep(min(_LOOK / 10, until - now))


def _has_ended(started: subprocess.Popen[bytes]) -> bool:
    """Whether the program has ended. It is not waited for yet: until then its number belongs to nobody else."""
    return os.waitid(os.P_PID, started.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(started: subprocess.Popen[bytes]) -> None:
    """End the group: with a word of warning where the program itself still runs, without one for what it left."""
    if not _has_ended(started):
        _signal(started.pid, signal.SIGTERM)
        until = time.monotonic() + _GRACE
        while not _has_ended(started) and time.monotonic() < until:
            time.sleep(_LOOK / 10)
    _signal(started.pid, signal.SIGKILL)
    started.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _name(started: subprocess.Popen[bytes]) -> str:
    words: Any = started.args
    return os.fsdecode(words[0])
