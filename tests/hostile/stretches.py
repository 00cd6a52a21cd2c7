"""How long a question works without a look at the clock, and how much it grows: measured from another process.

A batch of questions is asked in a forked child. There `Context.look` writes the processor time that the child has used
into memory that the parent shares. The child measures the stretch between two looks; the stretch before the first look
and the one after the last count too. The parent compares the child's processor clock with the last look every 20
milliseconds: a stretch that goes beyond the bound has its stack printed, one of `KILL_NS` is ended and named, and so
is a question that goes on after its deadline although it looks at the clock (the error was taken for another). The
child goes on with the next question in a new process. Processor time is what counts: other processes take no part in
it. They do slow it down, though (shared caches, pages that a virtual machine gets from its host when they are first
touched): a question that came to its end beyond a bound is asked `TRIES` times, and its shortest stretch counts.
"""

import contextlib
import ctypes
import faulthandler
import gc
import mmap
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

from tests.support.pace import slowness

from gitglass import limits
from gitglass.limits import Context, Limits
from gitglass.regex import search as patternsearch

MEBIBYTE = 1 << 20
#: The longest stretch of processor time between two looks at the clock, in nanoseconds.
STRETCH_NS = 250_000_000
#: A stretch of this length is taken for a loop without end, and the child is killed.
KILL_NS = 3_000_000_000
#: Seconds by the clock without a look, after which a child is killed that uses no processor time: it waits.
WAIT_SECONDS = 60.0
#: How much later than its deadline a question may end: looks that were made, and made nothing of, are no stretches.
LATE_SECONDS = 1.0
#: How often the parent looks, in seconds.
SAMPLE_SECONDS = 0.02
#: How often a question is asked that breaks a bound and comes to its end.
TRIES = 3
#: What a process may grow by, as a share of the ceiling of memory.
GROWTH = 1.2
#: Growth below this is noise: arenas of the allocator, and modules that were not loaded yet.
SMALL = 48 * MEBIBYTE
LIMITS = Limits(timeout=2.0, max_memory_bytes=256 * MEBIBYTE)
#: Whether the bounds of time are those of this machine at the moment.
PACED = False

_PR_SET_PDEATHSIG = 1  # prctl(2)

# the words of the shared memory: where the child is, then a row for each question
_CURRENT, _LAST, _BEGAN, _HEADER = 0, 1, 2, 3
_LONGEST, _GROWN, _LOOKS, _USED, _DONE, _PACE, _ROW = 0, 1, 2, 3, 4, 5, 6
_WHOLE_PACE = 1000  # the usual pace, as it is written there


@dataclass(frozen=True)
class Question:
    """What is asked, under a name for the report; `ceiling` is the memory that the answer may use, in bytes, `seconds`
    its deadline."""

    name: str
    ask: Callable[[], object]
    ceiling: int = LIMITS.max_memory_bytes
    seconds: float | None = None


@dataclass
class Seen:
    """What was measured of one question: nanoseconds of processor time (of the longest stretch, and of all of it),
    bytes, and how a process ended that was ended. `pace` is how much slower than usual the machine was."""

    name: str
    ceiling: int
    seconds: float | None = None
    stretch: int = 0
    used: int = 0
    grown: int = 0
    looks: int = 0
    ended: str = ""
    stack: str = ""
    pace: float = 1.0

    @property
    def is_long(self) -> bool:
        """Whether a stretch went beyond the bound."""
        return self.stretch > STRETCH_NS * self.pace

    @property
    def is_late(self) -> bool:
        """Whether it went on after its deadline."""
        return self.seconds is not None and self.used > (self.seconds + LATE_SECONDS) * 1e9 * self.pace

    def faults(self) -> Iterator[str]:
        """The bounds that were broken, in words."""
        if self.ended:
            yield f"{self.name}: {self.ended}"
        if self.is_long:
            yield f"{self.name}: {self.stretch // 1_000_000} ms without a look at the clock\n{self.stack}"
        if self.is_late:
            yield f"{self.name}: {self.used / 1e9:.1f} s under a deadline of {self.seconds:g} s\n{self.stack}"
        if self.grown > max(GROWTH * self.ceiling, SMALL):
            yield f"{self.name}: grew by {self.grown >> 20} MiB under a ceiling of {self.ceiling >> 20} MiB"


# ------------------------------------------------------------------------------------------------------------ the child
#: `time` with processor time in place of the monotonic clock; all else the engines may use of it is as it was.
_PROCESSOR_CLOCK = SimpleNamespace(**{**vars(time), "monotonic": time.process_time})


class _Meter:
    """The child's side of the shared memory."""

    def __init__(self, words: "memoryview[int]") -> None:
        self.words = words
        self.pace = whole_pace()
        self.longest = self.last = self.looks = 0

    def install(self) -> None:
        """Have every look at the clock recorded, and the deadline in processor time, for the rest of this process.

        So a question gets as far on a busy machine as on an idle one.
        """
        limits.time = patternsearch.time = _PROCESSOR_CLOCK  # type: ignore[attr-defined,assignment]
        Context.look = self._recorded(Context.look)  # type: ignore[method-assign,assignment]
        patternsearch._Alone.look = self._recorded(patternsearch._Alone.look)  # type: ignore[method-assign,assignment]

    def _recorded(self, look: Callable[[Any], float]) -> Callable[[Any], float]:
        def recorded(clock: Any) -> float:
            self.mark()
            return look(clock)

        return recorded

    def mark(self) -> None:
        now = time.process_time_ns()
        if now - self.last > self.longest:
            self.longest = now - self.last
        self.last = self.words[_LAST] = now
        self.looks += 1

    def measure(self, number: int, question: Question) -> None:
        words, row = self.words, _HEADER + number * _ROW
        words[row + _PACE] = self.pace
        gc.collect()  # the garbage of the question before is not this one's
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")  # the peak begins anew (proc(5))
        before = memory_of("VmRSS")
        self.longest = self.looks = 0
        self.last = words[_LAST] = words[_BEGAN] = began = time.process_time_ns()
        words[_CURRENT] = number
        try:
            question.ask()
        except (SystemExit, MemoryError):
            pass
        finally:
            self.mark()
            words[row + _LONGEST], words[row + _LOOKS] = self.longest, self.looks
            words[row + _USED] = time.process_time_ns() - began
            words[row + _GROWN] = max(memory_of("VmHWM") - before, 0)
            if self.longest > STRETCH_NS or _is_over(question, words[row + _USED]):
                words[row + _PACE] = max(self.pace, whole_pace(times=3))
            words[row + _DONE] = 1


def _is_over(question: Question, used: int) -> bool:
    """Whether a question used more than its deadline and what it may be late by."""
    return question.seconds is not None and used > (question.seconds + LATE_SECONDS) * 1e9


def pace_now(times: int = 1) -> float:
    """How much slower than usual this machine is; 1.0 where bounds are not to follow that."""
    return slowness(times=times) if PACED else 1.0


def whole_pace(times: int = 1) -> int:
    """The same in thousandths."""
    return int(_WHOLE_PACE * pace_now(times))


def memory_of(field: str, pid: str = "self") -> int:
    """Bytes of a field of /proc/PID/status; 0 where there is none any more."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as stream:
        for line in stream:
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
    return 0


def _be_child(words: "memoryview[int]", questions: Sequence[Question], first: int, stacks: int) -> None:
    """Ask from the question `first` on; does not return."""
    status = 70
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # a child in an endless loop ends with its watchdog
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        faulthandler.register(signal.SIGUSR1, file=stacks, all_threads=False)
        meter = _Meter(words)
        meter.install()
        for number in range(first, len(questions)):
            meter.measure(number, questions[number])
        status = 0
    except BaseException as error:
        os.write(stacks, f"(raised {error!r:.300})\n".encode())
    finally:
        os._exit(status)


# ----------------------------------------------------------------------------------------------------------- the parent
class _Watch:
    """The parent's side: children, one after another, until every question has been asked."""

    def __init__(self, questions: Sequence[Question], kill: int) -> None:
        self.questions = questions
        self.seen = [Seen(question.name, question.ceiling, question.seconds) for question in questions]
        self._kill = kill
        self._shared = mmap.mmap(-1, 8 * (_HEADER + _ROW * len(questions)))
        self._words = memoryview(self._shared).cast("Q")

    def run(self) -> list[Seen]:
        at = 0
        while at < len(self.questions):
            at = self._one_child(at)
        for number, seen in enumerate(self.seen):
            row = _HEADER + number * _ROW
            seen.stretch = max(seen.stretch, self._words[row + _LONGEST])
            seen.grown = max(seen.grown, self._words[row + _GROWN])
            seen.used = max(seen.used, self._words[row + _USED])
            seen.looks = self._words[row + _LOOKS]
            seen.pace = max(self._words[row + _PACE] / _WHOLE_PACE, 1.0)
        return self.seen

    def _one_child(self, first: int) -> int:
        """Have questions asked from `first` on, until the child ends; the number of the first that was not asked."""
        words = self._words
        words[_CURRENT], words[_LAST], words[_BEGAN] = first, 0, 0
        with tempfile.TemporaryFile() as stacks:
            pid = os.fork()
            if not pid:
                _be_child(words, self.questions, first, stacks.fileno())
            asked: list[int] = []
            status, used, verdict = self._follow(pid, asked)
            stacks.seek(0)
            said = stacks.read().decode("utf-8", "replace")
        for number, stack in zip(asked, said.split("Stack (most recent call first):\n")[1:]):
            self.seen[number].stack = "\n".join(stack.splitlines()[:14])
        if not status and not verdict:
            return len(self.questions)
        number = words[_CURRENT]
        seen = self.seen[number]
        seen.stretch = max(seen.stretch, used - words[_LAST])
        seen.used = used - words[_BEGAN]
        code = os.waitstatus_to_exitcode(status)
        if code != 124:  # the command line's alarm ends its process so
            seen.ended = verdict or f"the process ended with {code} {said[-400:]}"
        return number + 1

    def _is_late(self, number: int, used: int) -> bool:
        """Whether a question goes on so long after its deadline that nothing will end it."""
        seconds = self.questions[number].seconds
        return seconds is not None and used > seconds * 1e9 + self._kill

    def _follow(self, pid: int, asked: list[int]) -> tuple[int, int, str]:
        """(wait status, processor time used in nanoseconds, why it was killed); `asked` gets whose stacks were asked for."""
        clock = ~pid << 3 | 2  # the processor clock of another process (clock_getcpuclockid(3))
        words, verdict, quiet = self._words, "", (-1, time.monotonic())
        while True:
            time.sleep(SAMPLE_SECONDS)
            gone, status, usage = os.wait4(pid, os.WNOHANG)
            if gone:
                return status, int((usage.ru_utime + usage.ru_stime) * 1e9), verdict
            number, last = words[_CURRENT], words[_LAST]
            with contextlib.suppress(OSError):
                now = time.clock_gettime_ns(clock)
                stretch = now - last
                if last and not verdict and self._is_late(number, now - words[_BEGAN]):
                    if number not in asked:
                        asked.append(number)
                        os.kill(pid, signal.SIGUSR1)
                        time.sleep(SAMPLE_SECONDS)
                    verdict = "killed: it goes on after its deadline, looking at the clock"
                    self.seen[number].grown = memory_of("VmHWM", str(pid))
                    os.kill(pid, signal.SIGKILL)
                if words[_LAST] != last or not last or verdict:
                    continue  # it has looked in between, or has not begun, or is ending
                if stretch > STRETCH_NS and number not in asked:
                    asked.append(number)
                    os.kill(pid, signal.SIGUSR1)
                if last != quiet[0]:
                    quiet = (last, time.monotonic())
                if stretch > self._kill:
                    verdict = f"killed after {stretch // 1_000_000} ms without a look at the clock"
                elif time.monotonic() - quiet[1] > WAIT_SECONDS:
                    verdict = f"killed: it waits, {WAIT_SECONDS:.0f} s by the clock without a look"
                if verdict:
                    self.seen[number].grown = memory_of("VmHWM", str(pid))
                    os.kill(pid, signal.SIGKILL)


def best_of_tries(ask: Callable[[], Seen], first: Seen | None = None) -> Seen:
    """What counts of a question: the first answer where it keeps the bounds or was ended, otherwise the best of `TRIES`."""
    best = first or ask()
    for _ in range(1, TRIES):
        if best.ended or not any(best.faults()):
            return best
        best = min(best, ask(), key=lambda seen: (bool(seen.ended), seen.stretch))
    return best


def _alone(question: Question, kill: int) -> Seen:
    return _Watch([question], kill).run()[0]


def watch(questions: Sequence[Question], *, kill: int = KILL_NS) -> list[Seen]:
    """Ask in a child and measure: one `Seen` a question. Needs a process without other threads, and Linux."""
    gc.collect()
    gc.freeze()  # what is there before is not walked through by the child's collections
    try:
        return [
            best_of_tries(partial(_alone, question, kill), seen)
            for question, seen in zip(questions, _Watch(questions, kill).run())
        ]
    finally:
        gc.unfreeze()
