"""The two doors that are processes of their own, measured from outside: `gitglass-mcp` over stdio, and `gitglass`.

Looks at the clock cannot be seen there. What a client of the server sees instead is silence: while a tool answers, pings
are sent one after another, and the processor time that the server uses between a ping and its answer is the stretch.
The answer itself may take the deadline and `LATE_SECONDS`; memory is what /proc/PID/status says of the peak, which
begins anew with each question. Of a command line its processor time and its peak are known when it has ended.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gitglass.limits import Limits

from .observer import may_end
from .stretches import LATE_SECONDS, SAMPLE_SECONDS, WAIT_SECONDS, Seen, best_of_tries, memory_of, pace_now

BIN = Path(sys.executable).parent
CEILING = Limits().max_memory_bytes  # neither door has an option for it
#: bytes of a line of JSON that a server sends at most: its budget, as JSON escapes it, and twice (text and result)
LONGEST_LINE = 4 << 20


def clock_of(pid: int) -> int:
    """The processor clock of another process (clock_getcpuclockid(3))."""
    return ~pid << 3 | 2


class Server:
    """A `gitglass-mcp` under way, asked over its stdin."""

    def __init__(self, root: Path, *options: str) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        words = [os.fspath(BIN / "gitglass-mcp"), "--root", f"zoo={root}", *options]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._held, self._number = b"", 0
        info = {"name": "watchdog", "version": "1"}
        asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        self.answer(self.send("initialize", asked))
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method: str, params: dict[str, Any]) -> int:
        """Send a request; its number."""
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def _write(self, message: dict[str, Any]) -> None:
        raw = json.dumps(message).encode() + b"\n"
        while raw:
            raw = raw[os.write(self.stdin, raw) :]

    def answer(self, number: int, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        """The answer to one request, where nothing else is under way. Raises TimeoutError."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for message in self.read():
                if message.get("id") == number:
                    return message
        raise TimeoutError

    def read(self) -> list[dict[str, Any]]:
        """The messages that have come, within one sample. Raises EOFError where the server has ended."""
        if not select.select([self.stdout], [], [], SAMPLE_SECONDS)[0]:
            return []
        raw = os.read(self.stdout, 1 << 16)
        if not raw:
            raise EOFError
        *lines, self._held = (self._held + raw).split(b"\n")
        if max(map(len, [*lines, self._held])) > LONGEST_LINE:
            raise OverflowError(f"a line of more than {LONGEST_LINE} bytes")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """End it, at once."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def used(self) -> int:
        """Nanoseconds of processor time up to now."""
        return time.clock_gettime_ns(clock_of(self.process.pid))

    def measure(self, name: str, tool: str, arguments: dict[str, Any], seconds: float) -> Seen:
        """Ask a tool, pinging meanwhile. `Seen.ended` says why where the server has to be started anew."""
        seen = Seen(f"mcp {name}", CEILING, seconds, pace=pace_now())
        pid = self.process.pid
        with contextlib.suppress(OSError), open(f"/proc/{pid}/clear_refs", "w") as stream:
            stream.write("5")  # the peak begins anew (proc(5))
        before, began, until = memory_of("VmRSS", str(pid)), self.used(), time.monotonic() + seconds + WAIT_SECONDS
        asked = self.send("tools/call", {"name": tool, "arguments": arguments})
        ping, pinged, answered = self.send("ping", {}), began, False
        try:
            while not (answered and not ping):
                for message in self.read():
                    if message.get("id") == asked:
                        answered, seen.used = True, self.used() - began
                        if "error" in message:
                            seen.ended = f"an error of the protocol: {message['error']}"
                        elif "internal error" in json.dumps(message):
                            seen.ended = json.dumps(message)[:400]
                    if message.get("id") == ping:
                        seen.stretch, seen.looks = max(seen.stretch, self.used() - pinged), seen.looks + 1
                        ping = 0
                if not ping and not answered:
                    ping, pinged = self.send("ping", {}), self.used()
                if time.monotonic() > until or self.used() - began > (seconds + 10 * LATE_SECONDS) * 1e9 * seen.pace:
                    seen.stretch = max(seen.stretch, self.used() - pinged if ping else 0)
                    seen.used = self.used() - began
                    raise TimeoutError("no answer")
        except (TimeoutError, EOFError, OverflowError, OSError) as error:
            seen.ended = f"the server had to be ended: {error!r}"
        seen.grown = max(memory_of("VmHWM", str(pid)) - before, 0)
        return seen


class Servers:
    """One server, started anew where a question has ended it; all repositories are below one root."""

    def __init__(self, root: Path, seconds: float) -> None:
        self.root, self.seconds = root, seconds
        self._server: Server | None = None

    def ask(self, repo: Path, questions: Sequence[tuple[str, dict[str, Any]]]) -> list[Seen]:
        """Ask the tools about a repository."""
        return [best_of_tries(partial(self._one, repo, *question)) for question in questions]

    def _one(self, repo: Path, tool: str, arguments: dict[str, Any]) -> Seen:
        if self._server is None:
            self._server = Server(self.root, f"--timeout={self.seconds:g}")
            self._server.measure("warm", "git_info", {"repo": os.fspath(repo)}, self.seconds)
        given = {**arguments, "repo": os.fspath(repo)}
        seen = self._server.measure(f"{tool} {str(arguments)[:200]}", tool, given, self.seconds)
        if seen.ended:
            self.close()
        return seen

    def close(self) -> None:
        """End the server that is left."""
        if self._server is not None:
            self._server.close()
        self._server = None


def run_process(repo: Path, argv: list[str], seconds: float) -> Seen:
    """Ask the installed `gitglass --jail`. What it does before it begins (importing, for one) is not subtracted."""
    return best_of_tries(partial(_run_once, repo, argv, seconds))


def _run_once(repo: Path, argv: list[str], seconds: float) -> Seen:
    seen = Seen(f"process {' '.join(argv)}", CEILING, seconds, pace=pace_now())
    words = [os.fspath(BIN / "gitglass"), "--jail", "-C", os.fspath(repo), f"--timeout={seconds:g}", *argv]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        until = time.monotonic() + seconds + WAIT_SECONDS
        while True:
            gone, status, usage = os.wait4(process.pid, os.WNOHANG)
            if gone:
                break
            if time.monotonic() > until:
                seen.ended = "killed: no answer"
                process.kill()
            time.sleep(SAMPLE_SECONDS / 4)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read(1 << 16).decode("utf-8", "replace")
    seen.used, seen.grown = int((usage.ru_utime + usage.ru_stime) * 1e9), max((usage.ru_maxrss << 10) - _EMPTY, 0)
    if not seen.ended and (not may_end(argv, process.returncode) or "Traceback" in said or "Exception ign" in said):
        seen.ended = f"the process ended with {process.returncode} {said[-400:]}"
    return seen


_EMPTY = 24 << 20  # what `gitglass version` takes
