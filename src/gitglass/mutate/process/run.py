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
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from ...agent.audit import ProcessRun, note_run
from ...errors import Timeout, TooLarge, Unsupported
from ...limits import Context
from ...records import record

try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]

_PIECE = 1 << 16
_LOOK = 0.05  # seconds between two looks at the clock, the cancel flag and the program
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL
_FAREWELL = 5.0  # seconds for a program to end by itself that nobody says anything to any more
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
    ctx.check()
    began = time.monotonic()
    started = _start(argv, folder, variables, subprocess.DEVNULL if given is None else subprocess.PIPE)
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


def _start(
    argv: Sequence[str | bytes], folder: bytes, variables: Mapping[str, str], stdin: int
) -> subprocess.Popen[bytes]:
    if os.name != "posix":
        raise Unsupported("gitglass runs programs on POSIX systems only")
    return subprocess.Popen(
        argv, cwd=folder, env=dict(variables), shell=False, close_fds=True, start_new_session=True, umask=0o077,
        stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


class Talk:
    """One program that is talked with: what is said to it depends on what it answered. Confined like a run; all that it
    says is bounded by the allowance. Closed, nothing of its group is left, and `ended` is called.

    Raises OSError when it cannot be started; `read` and `write` raise Timeout, Cancelled and TooLarge.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        *,
        folder: bytes,
        variables: Mapping[str, str],
        may: Allowance,
        ctx: Context,
        sha256: str,
        ended: Callable[[], None],
    ) -> None:
        ctx.check()
        self._began = time.monotonic()
        self._may, self._ctx, self._sha256, self._ended = may, ctx, sha256, ended
        self._started = _start(argv, folder, variables, subprocess.PIPE)
        self._pipes, self._taken, self._closed = Pipes(self._started, b"", may, keep=True), 0, False
        _confine(self._started.pid, may)

    @property
    def words(self) -> bytes:
        """What it wrote to stderr so far."""
        return bytes(self._pipes.err)

    def _serve(self) -> None:
        now, until = self._ctx.look(), self._began + self._may.seconds
        if now >= until:
            raise Timeout(f"'{_name(self._started)}' took longer than it may", program=_name(self._started))
        self._pipes.serve(min(_LOOK, until - now))
        if self._pipes.cut or self._taken + len(self._pipes.out) > self._may.output:
            self._pipes.cut = True
            raise TooLarge(f"'{_name(self._started)}' says more than {self._may.output} bytes", limit=self._may.output)

    def read(self, size: int) -> bytes:
        """The next `size` bytes of what it says; fewer at its end."""
        out = self._pipes.out
        while len(out) < size and self._pipes.is_open and not self._pipes.silent:
            self._serve()
        piece = bytes(out[:size])
        del out[:size]
        self._taken += len(piece)
        return piece

    def is_ready(self) -> bool:
        """Whether it has said something that was not read."""
        self._pipes.serve(0)
        return bool(self._pipes.out)

    def write(self, data: bytes) -> int:
        """Say something to it."""
        self._pipes.give(data)
        while self._pipes.owes:
            self._serve()
        return len(data)

    def hush(self) -> None:
        """Say nothing more to it."""
        self._pipes.finish()

    def close(self) -> None:
        """Let it end by itself for a while, then end it."""
        if self._closed:
            return
        self._closed = True
        self._pipes.finish()
        until = min(time.monotonic() + _FAREWELL, self._began + self._may.seconds)
        try:
            while not _has_ended(self._started) and time.monotonic() < until and not self._pipes.cut:
                if self._pipes.is_open:
                    self._pipes.serve(_LOOK / 10)
                    self._pipes.out.clear()
                else:
                    time.sleep(_LOOK / 10)
        finally:
            _end(self._started)
            self._pipes.close()
            spent = round((time.monotonic() - self._began) * 1000, 3)
            note_run(ProcessRun(_name(self._started), self._sha256, self._started.returncode, spent))
            self._ended()


class Pipes:
    """The three streams of a program, served without ever waiting longer than asked."""

    def __init__(self, started: subprocess.Popen[bytes], given: bytes, may: Allowance, *, keep: bool = False) -> None:
        """`keep` the program's input open when all that is given was written."""
        self.silent = False  # the end of its output was seen
        self._input, self._keep = started.stdin, keep
        self.out, self.err, self.cut = bytearray(), bytearray(), False
        self._given, self._may = memoryview(given), may
        self._streams = [stream for stream in (started.stdin, started.stdout, started.stderr) if stream is not None]
        self._selector = selectors.DefaultSelector()
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
            if stream is not started.stdin:
                into = self.out if stream is started.stdout else self.err
                self._selector.register(stream, selectors.EVENT_READ, into)
        if started.stdin is not None and not keep:
            self._selector.register(started.stdin, selectors.EVENT_WRITE)

    @property
    def owes(self) -> bool:
        """Whether something given is still to be written."""
        return bool(self._given)

    def give(self, data: bytes) -> None:
        """More to be written; nothing of what was given before is left."""
        if data and self._input is not None and not self._input.closed:
            self._given = memoryview(bytes(data))
            self._selector.register(self._input, selectors.EVENT_WRITE)

    def finish(self) -> None:
        """Close the program's input, whatever was not written."""
        self._keep, self._given = False, self._given[:0]
        if self._input is not None and not self._input.closed:
            with contextlib.suppress(KeyError):
                self._selector.unregister(self._input)
            self._input.close()

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
            self._given, self._keep = self._given[:0], False
        except BlockingIOError:
            return
        if not self._given:
            self._selector.unregister(stream)
            if not self._keep:
                stream.close()

    def _read(self, stream: IO[bytes], into: bytearray) -> None:
        try:
            piece = os.read(stream.fileno(), _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self._selector.unregister(stream)
            self.silent = self.silent or into is self.out
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
