"""What a call may spend, and the context that keeps count.

`Limits` is the caller's wish and travels in pickles; `Context` lives for one call: it holds the moment "now", the
deadline, the cancel flag, the progress callback, and gathers what is to be said beside the answer. Engines call
`ctx.tick()` in every loop over repository data; the clock is looked at every `_STRIDE` ticks only, so that a tick
costs some forty nanoseconds.

Where no context is at hand (the object database, a file being read) the one of the running call is found through
`current`: the code that begins a call enters its context (`with ctx:`).

Memory is held to its ceiling in two ways. What is large is announced before it is made and refused while it is only a
number: `hold` for what lives as long as something does that can carry the `Hold`, `keep` for what stays until the call
ends, `need` for the rest, of which nothing tells when it is freed. What is small and many is measured: whenever the
clock is looked at, so is the growth of the process's peak, by a system call that opens nothing, and now and then the
number of small objects. A growth counts where this call can have caused it: by what it announced, by its steps, or by
the pages that its thread was given since it began. What the process was ever seen to grow by beyond all that was held
is taken to be in use still.
"""

import gc
import io
import sys
import time
from _thread import get_ident
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from itertools import chain, islice, repeat

from .annotations import Any, TypeVar
from .errors import Cancelled, GitError, Timeout, TooLarge, report
from .messages import Messages, Scope
from .records import record, replace

try:
    import resource
except ImportError:  # Windows: what is announced counts, nothing is measured
    resource = None  # type: ignore[assignment]

_STRIDE = 32
_PACE = 1024
_STRETCH = 1 << 17  # bytes of a text whose lines are looked at in one go
_PIECES = 1 << 14  # of a text that are put together in one go, where there are more than eight times as many
_T = TypeVar("_T")

#: Seconds between two calls of the progress callback, from the beginning of a long call to its end.
REPORT_SECONDS = 0.5

#: What is smaller than this need not be announced.
LARGE = 1 << 20
#: Text shorter than this has few lines, whatever it holds: they need not be counted.
MANY_LINES = 1 << 16

_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
MANY_OBJECTS = 2000
_BLOCK_BYTES = 64  # a small object with its share of the lists and tables that refer to it
_WEIGH_SECONDS = 0.02
_PEAK_SECONDS = 0.002  # fresh memory comes at some megabytes in that time; asking takes as long as reading a file
LINE_BYTES = 56  # what a short line takes beside its bytes: an object, and its place in a list
_PORTION = 1 << 20  # so much is announced at once of what is counted thing by thing
_STEP_BYTES = 4096  # what one tick of work is taken to leave behind at most, when a growth looks for who caused it


_THREAD = None if resource is None else getattr(resource, "RUSAGE_THREAD", None)
_PAGE = 4096 if resource is None else resource.getpagesize()


def _touched() -> tuple[int, int]:
    """(which thread this is, bytes of the pages it was ever given); 0 bytes where that cannot be known."""
    if resource is None or _THREAD is None:
        return get_ident(), 0
    return get_ident(), resource.getrusage(_THREAD).ru_minflt * _PAGE


def _peak() -> int:
    """The most memory this process ever had, in bytes; 0 where that cannot be known."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PEAK_UNIT


@record(frozen=True)
class Limits:
    """Ceilings of one call; None means none.

    `timeout` is in seconds; the sizes are in bytes. `max_memory_bytes` is what a call may add to the process,
    `max_commits` how many commits one walk may visit. The defaults suit an agent's host and repositories of strangers;
    `Limits.generous()` suits a person at a terminal.
    """

    timeout: float | None = 30.0
    max_object_bytes: int = 256 << 20
    max_memory_bytes: int = 768 << 20
    max_output_bytes: int | None = 256 << 20
    max_cache_bytes: int = 96 << 20
    max_commits: int | None = None

    def replace(self, **changes: Any) -> "Limits":
        """The same ceilings with some changed."""
        return replace(self, **changes)

    @classmethod
    def generous(cls) -> "Limits":
        """No deadline and no bound on the output: what the command line uses."""
        return cls(timeout=None, max_object_bytes=4 << 30, max_memory_bytes=8 << 30, max_output_bytes=None)


class Context:
    """One call's budget and voice.

    `now` is the moment the call began, in epoch seconds; whatever needs "now" takes it from here. Where a stranger
    gives it (a cursor repeats that of its first page), `wall` is given as well, the system's clock: that alone says
    whether a file is so young that it may still be changing. `exit_status` is what the command line ends with when no
    error is raised (`git diff --exit-code` sets 1). `stderr` gathers git's warnings as whole lines, beside the lists
    of a handle's own complaints in `voices`; `notes` gathers what the typed result should mention (a setting that was
    not honoured, say). `progress` is told (what is counted, how many, of how many or None) at the beginning, every
    half second of a long call, and at the end. `byte_patterns`: regular expressions are about bytes, not about the
    characters of UTF-8.
    """

    __slots__ = (
        "_announced", "_base", "_blocks", "_count", "_deadline", "_kept", "_most", "_next_peak", "_next_report",
        "_next_weighing", "_tokens", "_touched", "byte_patterns", "cancelled", "exit_status", "limits", "notes", "now",
        "policy", "progress", "reader", "stderr", "stopped", "voices", "wall",
    )  # fmt: skip

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        now: float | None = None,
        wall: float | None = None,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.now = int(time.time() if now is None else now)
        self.wall = self.now if wall is None else int(wall)
        self.cancelled = cancelled
        self.progress = progress
        self.policy: Any = None
        self.reader: tuple[int, int, tuple[int, ...]] | None = None  # as whom files are read: see `memories.ByBytes`
        self.exit_status = 0
        self.byte_patterns = False
        self.stopped: GitError | None = None
        self.stderr: Messages[bytes] = Messages()
        self.notes: Messages[str] = Messages()
        self.voices: list[Messages[str]] = []
        self._count = 0
        begun = time.monotonic()
        timeout = self.limits.timeout
        self._deadline = None if timeout is None else begun + timeout
        self._next_report = begun + REPORT_SECONDS
        self._base = _peak()
        self._blocks: int | None = None
        self._next_peak = begun
        self._next_weighing = begun + _WEIGH_SECONDS
        self._announced = self._kept = self._most = 0
        self._tokens: list[Token[Context | None]] = []
        self._touched: tuple[int, int] | None = None

    def __enter__(self) -> "Context":
        self._tokens.append(_CURRENT.set(self))
        if self._touched is None:
            self._touched = _touched()
        return self

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._tokens.pop())

    def tick(self) -> None:
        """One step of work. Raises `Timeout`, `Cancelled` or `TooLarge`.

        After one of them the next step looks again: where it was taken for an error of some object, which is passed
        over, the loop that goes on to the next object ends there.
        """
        self._count += 1
        if not self._count % _STRIDE:
            self.check()

    def look(self) -> float:
        """Look at the clock and the cancel flag now. Returns the time."""
        now = time.monotonic()
        if self._deadline is not None and now > self._deadline:
            whole = self.limits.timeout  # None: a part of the work had a limit of its own
            words = "the time limit has passed" if whole is None else f"the time limit of {whole:g} seconds has passed"
            # not the one that is raised: that knows every frame it passed, and they would wait for the collector
            self.stopped = Timeout(words, limit=self.limits.timeout)
            self._count |= _STRIDE - 1
            raise Timeout(words, limit=self.limits.timeout)
        if self.cancelled is not None and self.cancelled():
            self.stopped = Cancelled("cancelled")
            self._count |= _STRIDE - 1
            raise Cancelled("cancelled")
        return now

    def check(self) -> None:
        """Look at the clock, the cancel flag and the memory now; for steps that are long in themselves."""
        now = self.look()
        if self.progress is not None:
            self._report(self.progress)
        if self._base and now >= self._next_peak:
            self._next_peak = now + _PEAK_SECONDS
            grown = _peak() - self._base
            if grown > self.limits.max_memory_bytes and self._may_have_caused(grown):
                raise self._too_much(grown)
        if now > self._next_weighing:
            self._weigh(now)

    def _weigh(self, now: float) -> None:
        """Count the small objects, as often as costs a fiftieth of the time.

        The peak of a process is blind below what it was before: earlier calls, and on Linux even the process that
        started this one.
        """
        blocks = sys.getallocatedblocks()
        if self._blocks is None:
            self._blocks = blocks
        grown = (blocks - self._blocks) * _BLOCK_BYTES
        if grown > self.limits.max_memory_bytes and self._may_have_caused(grown):
            raise self._too_much(grown)
        after = time.monotonic()
        self._next_weighing = after + max(50 * (after - now), _WEIGH_SECONDS)

    def finish(self) -> None:
        """The answer is complete: raises what ended a part of it, where that was taken for one of git's errors."""
        if self.stopped is not None:
            raise self.stopped

    def _may_have_caused(self, grown: int) -> bool:
        """Whether a growth of the process can be this call's doing: another thread's must not end it."""
        if 16 * self._announced + _STEP_BYTES * self._count > grown:
            return True
        if self._touched is None:
            return False
        thread, before = self._touched
        now, touched = _touched()
        return now == thread and 2 * (touched - before) > grown  # steps that were few and large

    def _too_much(self, size: int) -> TooLarge:
        limit = self.limits.max_memory_bytes
        words = f"the answer needs more memory than this call may use ({limit} bytes)"
        self.stopped = TooLarge(words, limit=limit, size=size)
        self._count |= _STRIDE - 1
        return TooLarge(words, limit=limit, size=size)

    def need(self, size: int) -> None:
        """Announce memory that is about to be used. Raises `TooLarge` before it is."""
        limit = self.limits.max_memory_bytes
        self._announced += size
        total = self._kept + size
        # growth not covered by any Hold may have been freed or not: it is counted as used
        strange = max(_peak() - self._base - self._most, 0) if self._base and size * 16 > limit else 0
        if total + strange > limit:
            raise self._too_much(total + strange)
        self.check()

    def keep(self, size: int) -> None:
        """Announce memory that stays in use until the call ends. Raises `TooLarge` before it is used."""
        self.need(size)
        self.adopt(size)

    def adopt(self, size: int) -> None:
        """Memory that was announced, and made, is kept; what is negative goes."""
        self._kept += size
        if self._kept > self._most:
            self._most = self._kept

    def visits(self) -> Callable[[], None]:
        """`ticks` for a walk: called once a commit, it counts them as well where `Limits.max_commits` is set."""
        return self.ticks(self.limits.max_commits)

    def ticks(self, most: int | None = None) -> Callable[[], None]:
        """`tick` for one loop of many short rounds: half the price, since in most of them no Python code runs. What it
        has raised it raises again. `most`: so many commits may be visited."""

        def look() -> None:
            self._count += _STRIDE
            self.check()

        def end() -> None:
            raise TooLarge(f"the history is longer than this call may walk ({most} commits)", limit=most)

        def rounds() -> Iterator[Iterator[None]]:
            for left in range(sys.maxsize if most is None else most, 0, -_STRIDE):
                yield iter(look, None)  # which yields nothing; what raises is asked again, as a generator would not be
                yield repeat(None, min(left, _STRIDE))
            yield iter(end, None)

        return chain.from_iterable(rounds()).__next__

    def pause(self) -> None:
        """`check` for what stands for many steps of work."""
        self._count += _PACE
        self.check()

    def report(self) -> None:
        """Report to `progress` now: a call does so at its beginning, and once more when the answer is there."""
        if self.progress is not None:
            self.progress("steps", self._count, None)

    def _report(self, progress: Callable[[str, int, int | None], None]) -> None:
        now = time.monotonic()
        if now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            progress("steps", self._count, None)

    def remaining(self) -> float | None:
        """Seconds until the deadline (never below a millisecond), or None where there is none."""
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.001)

    @contextmanager
    def no_longer_than(self, seconds: float) -> Iterator[None]:
        """A nearer deadline for a part of the work that the answer can do without.

        Whoever catches the `Timeout`, or another error, goes on with the rest of the call.
        """
        whole = self._deadline
        self._deadline = min(time.monotonic() + seconds, float("inf") if whole is None else whole)
        stopped = self.stopped
        try:
            yield
        except GitError:
            self.stopped = stopped
            raise
        finally:
            self._deadline = whole

    def warn(self, message: str) -> None:
        """A line `warning: …` on stderr."""
        self.say(b"warning: " + message.encode("utf-8", "surrogateescape") + b"\n")

    def say(self, line: bytes) -> None:
        """A line (with its newline) on stderr; what begins as one of git's reports is shown as they are."""
        self.stderr.append(report(line.removesuffix(b"\n")))

    def warnings(self) -> Scope[bytes]:
        """A `with` block whose lines on stderr are passed on at its end, except where they are dropped before."""
        return self.stderr.scope()

    def spoken(self) -> list[bytes]:
        """All lines that are due on stderr, each once: what handles complain of (`voices`), then the warnings."""
        if not self.stderr.lines and not any(voice.lines for voice in self.voices):
            return []
        lines = [report(line.encode("utf-8", "surrogateescape")) for voice in self.voices for line in voice.take()]
        return lines + self.stderr.take()

    def note(self, message: str) -> None:
        """Something a typed result should mention; said once."""
        self.notes.append_once(message)


class Hold:
    """Memory that is in use as long as this lives, or until its `with` ends."""

    __slots__ = ("_ctx", "_room", "_size")

    def __init__(self, ctx: Context | None) -> None:
        self._ctx = ctx
        self._size = 0
        self._room = 0

    def take(self, size: int) -> None:
        """Announce more. Raises `TooLarge` before it is used."""
        if self._ctx is not None:
            self._ctx.keep(size)
            self._size += size

    def count(self, size: int) -> None:
        """One of many small things that add up: announced in portions. Raises `TooLarge` like `take`."""
        self._room -= size
        if self._room < 0:
            portion = max(-self._room, _PORTION)
            self.take(portion)
            self._room += portion

    def adopt(self, size: int) -> None:
        """More that was announced, and made, already."""
        if self._ctx is not None:
            self._ctx.adopt(size)
            self._size += size

    def end(self) -> None:
        """All of it is free again."""
        if self._ctx is not None:
            self._ctx.adopt(-self._size)
            self._size = 0

    def __del__(self) -> None:
        self.end()

    def __enter__(self) -> "Hold":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


#: nanoseconds: the coarsest clock of a file system in use (FAT), some ticks of a system's, and one of its longest
_COARSE_CLOCK, _FINE_CLOCK, _FINE_PART = 2_000_000_000, 100_000_000, 10_000_000
_CURRENT: ContextVar[Context | None] = ContextVar("gitglass", default=None)
_NOTHING = Hold(None)


def uncollected(count: int) -> "_Uncollected | _Collected":
    """Python's collector of circular garbage is put off while very many objects are made that form no circles.

    It would go through all of them again and again, for up to a third of the time. For stretches of work between two
    looks at the clock only: other threads of the process must not go without it for long. Of a few objects it is not
    worth the while.
    """
    return _COLLECTED if count < MANY_OBJECTS else _Uncollected()


class _Collected:
    __slots__ = ()

    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: object, trace: object) -> None: ...


_COLLECTED = _Collected()


class _Uncollected:
    __slots__ = ("_paused",)

    def __enter__(self) -> None:
        self._paused = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._paused:
            gc.enable()


def running() -> Context | None:
    """The context of the call that runs, if one does."""
    return _CURRENT.get()


def step() -> None:
    """A step of work where no context is at hand: a tick of the running call's, if one runs."""
    ctx = _CURRENT.get()
    if ctx is not None:
        ctx.tick()


def settled(moment: int) -> bool:
    """Whether what was written last at a moment (in nanoseconds) can be told from what is written now by its time.

    Times of files are coarse; one with a part below a hundredth of a second is of a clock that ticks as often. Without
    a running call there is no clock to compare with.
    """
    ctx = _CURRENT.get()
    slack = _FINE_CLOCK if moment % _FINE_PART else _COARSE_CLOCK
    return ctx is not None and moment < ctx.wall * 1_000_000_000 - slack


def pause() -> None:
    """The same for a step that is long in itself: the clock is looked at now."""
    ctx = _CURRENT.get()
    if ctx is not None:
        ctx.pause()


def need(size: int) -> None:
    """Announce memory to the running call, if one runs; what is not `LARGE` need not be announced."""
    if size >= LARGE:
        ctx = _CURRENT.get()
        if ctx is not None:
            ctx.need(size)


def hold(size: int) -> Hold:
    """Announce memory to the running call, if one runs, for as long as what is returned lives."""
    if size < LARGE:
        return _NOTHING
    held = Hold(_CURRENT.get())
    held.take(size)
    return held


def holding() -> Hold:
    """For things that are counted one by one (`Hold.count`), in the account of the running call, if one runs."""
    return Hold(_CURRENT.get())


def lines_weight(text: bytes) -> int:
    """What the lines of a text take when it is cut into them; 0 where that is little."""
    return len(text) + text.count(b"\n") * LINE_BYTES if len(text) >= MANY_LINES else 0


def lines_in(data: bytes) -> list[bytes]:
    """What stands between the newlines of a text, announced before it is made where it is much."""
    if len(data) >= MANY_LINES:
        need(lines_weight(data))
    return cut_lines(data)


def cut_lines(data: bytes) -> list[bytes]:
    """`data.split(b"\\n")`, of much text in stretches; for what was announced already."""
    if len(data) < LARGE:
        return data.split(b"\n")
    lines = list(chain.from_iterable(line_stretches(data)))
    if data.endswith(b"\n"):
        lines.append(b"")
    pause()
    return lines


def line_stretches(data: bytes) -> Iterator[list[bytes]]:
    """What stands between the newlines of a text, and after the last one if anything does, in stretches: lists of
    lines, the clock looked at before each."""
    at, size = 0, len(data)
    while at < size:
        pause()
        end = data.rfind(b"\n", at, at + _STRETCH) + 1
        if end:
            lines = data[at:end].split(b"\n")
            lines.pop()
            yield lines
        else:  # one line that is longer than a stretch, or the rest
            newline = data.find(b"\n", at + _STRETCH)
            end = newline + 1 or size
            pause()
            yield [data[at : newline if newline >= 0 else size]]
        at = end


def joined(pieces: list[bytes], between: bytes = b"") -> bytes:
    """`between.join(pieces)`. Joining takes eighty bytes a piece for as long as it lasts: many go in stretches."""
    if len(pieces) <= 8 * _PIECES:
        return between.join(pieces)
    out = io.BytesIO()
    for at in range(0, len(pieces), _PIECES):
        pause()
        if at:
            out.write(between)
        out.write(between.join(pieces[at : at + _PIECES]))
    return out.getvalue()


def whole(chunks: Iterable[bytes]) -> bytes:
    """All chunks as one text, announced as they come. Raises `TooLarge` before they are more than the call may hold."""
    pieces: list[bytes] = []
    with holding() as held:
        for chunk in chunks:
            held.count(len(chunk))
            pieces.append(chunk)
        need(sum(map(len, pieces)))
        return joined(pieces)


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    """`data.replace(old, new)`, `old` being one or two bytes; of much text in stretches."""
    if len(data) < LARGE:
        return data.replace(old, new)
    out, at = io.BytesIO(), 0
    while at < len(data):
        pause()
        end = at + LARGE
        end += len(old) == 2 and data[end - 1 : end + 1] == old
        out.write(data[at:end].replace(old, new))
        at = end
    return out.getvalue()


def shorten(items: list[Any], length: int) -> None:
    """`del items[length:]`, in stretches: to give up many things takes its time too."""
    while len(items) > length:
        del items[max(length, len(items) - _PACE) :]
        pause()


def slices(items: list[_T]) -> Iterator[list[_T]]:
    """A list in slices, the clock looked at before each; the list itself where it is not long."""
    if len(items) <= 8 * _PIECES:
        yield items
        return
    for at in range(0, len(items), _PIECES):
        pause()
        yield items[at : at + _PIECES]


def paced(items: Collection[_T]) -> Iterable[_T]:
    """The items, the clock looked at now and then where they are many; few are given back as they are."""
    return items if len(items) < _PACE else chain.from_iterable(_stretches(iter(items)))


def watched(items: Iterable[_T]) -> Iterator[_T]:
    """The items, as they are asked for and not before, the clock looked at now and then."""
    for number, item in enumerate(items, 1):
        if not number % _PACE:
            pause()
        yield item


def _stretches(rest: Iterator[_T]) -> Iterator[list[_T]]:
    while stretch := list(islice(rest, _PACE)):
        pause()
        yield stretch
