"""Search with one compiled pattern, checking the deadline on the way.

No call into either engine may take long: the standard `re` only gets work that provably is bounded (`regex.cost`), the
third-party `regex` gets a timeout. A text is searched in stretches: of whole lines if no match crosses a line; a long
line from a window of start positions at a time; and if `regex` does not finish in time, from each position in turn.
If the attempt at a single position takes too long, `Timeout` is raised.
"""

import re
import time
from collections.abc import Callable, Iterator

from ..annotations import Any, Protocol
from ..errors import Timeout, TooLarge
from ..limits import running
from .cost import Cost, cost_of

__all__ = ["Budget", "Search", "Translation"]

_DEFAULT_SECONDS = 10.0
#: Comparisons in one call into `re`: the slowest take ten nanoseconds each, most take one.
_CALL_STEPS = 8_000_000
#: Seconds of processor time after which `regex` stops. It checks its clock every thousand steps, and one step can run
#: through the whole text; that is why `_MOST_TIMED` bounds the text. In that time `regex` can allocate up to 90 MB.
_SLICE = 0.08
_MOST_TIMED = 1 << 18
_MOST_ATTEMPT = 20_000_000  # comparisons of one attempt in a long text
_OF_GROUP = 4  # for repeated groups `re` takes a hundred bytes of memory a character, too
_PIECE = 1 << 18
_STRETCH = 1 << 14
_DEEP = "the groups of the regular expression are nested too deeply"
_WINDOW = 1 << 15


class Budget(Protocol):
    """The part of `limits.Context` that is used here. If there is a method `look`, it checks for cancellation too."""

    def remaining(self) -> float | None: ...


class _Alone:
    """The deadline of a search outside of any call, or with a budget that has no method `look`."""

    def __init__(self, budget: Budget | None) -> None:
        seconds = _DEFAULT_SECONDS if budget is None else budget.remaining()
        self._end = None if seconds is None else time.monotonic() + seconds

    def look(self) -> float:
        now = time.monotonic()
        if self._end is not None and now > self._end:
            raise Timeout("the time limit has passed in a regular expression")
        return now


class Translation:
    """A pattern in Python's syntax, compiled by `re` and by `regex` when each is first needed.

    `longest` asks for the longest of the leftmost matches. `odd`: `re` cannot run the pattern. `upper`: the pattern is
    to be compared with texts in upper case. `reach` is the length of the longest text that `re` may search in one call,
    -1 if it may not be used at all.
    """

    __slots__ = (
        "_lined",
        "_loops",
        "_re",
        "_regex",
        "_windows",
        "cost",
        "flags",
        "longest",
        "odd",
        "prefix",
        "proved",
        "reach",
        "text",
        "upper",
        "wide",
    )

    def __init__(self, text: str, *, wide: bool, flags: int, longest: bool, odd: bool, upper: bool = False) -> None:
        self.upper = upper
        self.text = text
        self.wide = wide
        self.flags = flags
        self.longest = longest
        self.odd = odd
        self.cost: Cost = cost_of(text, fold=bool(flags & re.IGNORECASE))
        self.proved = self.cost.degree is not None and not self.odd and not self.longest
        self.reach = -1
        if self.proved and self.cost.degree is not None:
            power = 1 / (self.cost.degree + 1)
            self.reach = int((_CALL_STEPS / self.cost.steps) ** power)
        self.prefix: Any = self.cost.prefix if wide else self.cost.prefix.encode("latin-1")
        self._re: re.Pattern[Any] | None = None
        self._lined: re.Pattern[Any] | None = None
        self._regex: Any = None
        self._windows: dict[int, re.Pattern[Any]] = {}
        self._loops: dict[str, re.Pattern[Any]] = {}

    def standard(self) -> re.Pattern[Any]:
        """The pattern compiled by `re`."""
        if self._re is None:
            self._re = self._compiled(lambda text: text)
        return self._re

    def lined(self) -> re.Pattern[Any]:
        """A pattern for `re` that matches from where a match begins to the end of its last line, so that it matches
        once in a line. It takes no more steps: what is added matches wherever it is tried."""
        if self._lined is None:
            self._lined = self._compiled(lambda text: f"(?:{text})[^\\n]*")
        return self._lined

    def bounded(self) -> Any:
        """The pattern compiled by `regex`."""
        if self._regex is None:
            import regex  # takes 20 ms: only for patterns that need it

            text = ("(?p)" if self.longest else "") + self.text
            flags = regex.V0 | (regex.IGNORECASE if self.flags & re.IGNORECASE else 0)
            flags |= regex.MULTILINE if self.flags & re.MULTILINE else 0
            try:
                self._regex = regex.compile(text if self.wide else text.encode("latin-1"), flags)
            except RecursionError:
                raise TooLarge(_DEEP) from None
        return self._regex

    def window(self, width: int) -> re.Pattern[Any]:
        """A pattern for `re` that matches if a match begins at most `width` characters later; group 1 is its start."""
        pattern = self._windows.get(width)
        if pattern is None:
            pattern = self._windows[width] = self._compiled(lambda text: f"(?s:.{{0,{width}}}?)(?=()(?:{text}))")
        return pattern

    def attempt_steps(self, size: int) -> int:
        """The bound of one attempt in a text of `size` characters."""
        assert self.cost.degree is not None
        return int(self.cost.steps * size**self.cost.degree)

    def run(self, character: str) -> re.Pattern[Any]:
        """A pattern for `re` that matches a run of characters which one of the pattern's loops repeats."""
        pattern = self._loops.get(character)
        if pattern is None:
            pattern = self._loops[character] = self._compiled(lambda _: f"(?:{character})+")
        return pattern

    def _compiled(self, make: Callable[[str], str]) -> re.Pattern[Any]:
        """What is made of the pattern's text, compiled by `re`; a flag at its front stays there."""
        rest = self.text.removeprefix("(?a)")
        text = self.text[: len(self.text) - len(rest)] + make(rest)
        try:
            return re.compile(text if self.wide else text.encode("latin-1"), self.flags)
        except RecursionError:
            raise TooLarge(_DEEP) from None


class Search:
    """Searches texts with translations of one pattern. `newline`: `^` and `$` match at lines."""

    __slots__ = ("_alone", "_bound", "_budget", "_look_at_clock", "_newline", "_spent")

    def __init__(self, newline: bool, budget: Budget | None) -> None:
        self._budget = budget
        self._look_at_clock: Callable[[], float] | None = getattr(budget, "look", None)
        self._newline = newline
        self._spent = 0
        self._bound: tuple[Translation, int, int, int, int] | None = None  # of the last long text
        self._alone: _Alone | None = None

    def first(self, form: Translation, data: Any, pos: int) -> Any:
        """The leftmost match at or after `pos`, or None."""
        self._alone = None
        size = len(data) - pos
        self._spent += size
        if self._spent > form.reach:  # all text searched since the last look at the clock counts as one call
            self._spent = size
            self._look()
        if size <= form.reach:
            return form.standard().search(data, pos)
        for start, end in self._stretches(form, data, pos):
            match = self._within(form, data, start, end)
            if match is not None:
                return match
        return None

    def takes(self, form: Translation, size: int) -> bool:
        """Whether a text of `size` characters can be searched, however its lines are divided."""
        return size <= max(_MOST_TIMED, form.reach) or (self._newline and not form.cost.crosses)

    def each(self, form: Translation, data: Any, pos: int = 0, *, lined: bool = False) -> Iterator[Any]:
        """All matches at or after `pos` from left to right, not overlapping, empty ones included.

        If an empty and a longer match begin at the same position, the longer one may be left out. `lined`: of the
        matches in one line only the first is asked for, and it may be given to the end of the line.
        """
        self._alone = None
        lined = lined and not form.cost.crosses
        for start, end in self._stretches(form, data, pos):
            if self._fits(form, data, start, end):
                yield from (form.lined() if lined else form.standard()).finditer(data, start, end)
            elif not form.proved and end - start <= _MOST_TIMED:
                yield from self._each_timed(form, data, start, end)
            else:
                yield from self._one_by_one(form, data, start, end)

    def _look(self) -> None:
        look = self._look_at_clock
        if look is not None:
            look()
            return
        ctx = running() if self._budget is None else None
        if ctx is not None:  # a pattern cached across calls uses the clock of the current call
            ctx.look()
            return
        if self._alone is None:
            self._alone = _Alone(self._budget)
        self._alone.look()

    # --------------------------------------------------------------------------------------------------- stretches
    def _stretches(self, form: Translation, data: Any, pos: int) -> Iterator[tuple[int, int]]:
        """The stretches to search: cut at ends of lines if no match crosses a line, otherwise the whole text."""
        size = len(data)
        if form.cost.crosses or not self._newline:
            self._look()
            yield pos, size
            return
        newline = "\n" if form.wide else b"\n"
        limit = max(form.reach, 1) if form.proved else _STRETCH
        prefix = form.prefix
        while pos <= size:
            self._look()
            if prefix:
                at = data.find(prefix, pos)
                if at < 0:
                    return
                pos = max(pos, data.rfind(newline, pos, at) + 1)
            if size - pos <= limit:
                end = size
            else:
                end = data.rfind(newline, pos, pos + limit + 1)
                if end < 0:
                    end = data.find(newline, pos + limit)
                if end < 0:
                    end = size
            yield pos, end
            pos = end + 1

    def _fits(self, form: Translation, data: Any, start: int, end: int) -> bool:
        """Whether `re` may search this stretch in one call. It makes at most one attempt for each occurrence of the
        prefix."""
        if not form.proved:
            return False
        size = end - start
        if size <= form.reach:
            return True
        attempt = form.attempt_steps(size)
        if not form.prefix or attempt > _CALL_STEPS or size > 16 * _CALL_STEPS:
            return False
        starts = data.count(form.prefix, start, end) * len(form.prefix)
        return bool(starts * attempt + size // 4 <= _CALL_STEPS)

    def _within(self, form: Translation, data: Any, start: int, end: int) -> Any:
        """The leftmost match in one stretch."""
        if self._fits(form, data, start, end):
            return form.standard().search(data, start, end)
        size = end - start
        if size <= _MOST_TIMED:
            match, ended = self._timed(form, data, start, end)
            if ended:
                return match
        if form.prefix and data.find(form.prefix, start, end) < 0:
            return None
        if form.proved:
            attempt = form.attempt_steps(size)
            if attempt > _CALL_STEPS or size > _MOST_TIMED:
                attempt = self._attempt_steps(form, data, start, end)
            if attempt <= _MOST_ATTEMPT and (form.cost.anchored or form.prefix):
                return self._from_starts(form, data, start, end)
            if attempt <= _MOST_ATTEMPT:
                return self._windowed(form, data, start, end, attempt)
        if size > _MOST_TIMED:
            raise TooLarge(
                f"a line or text of {size} characters is too long for this regular expression",
                limit=_MOST_TIMED,
                size=size,
            )
        return self._position_by_position(form, data, start, end)

    def _attempt_steps(self, form: Translation, data: Any, start: int, end: int) -> int:
        """The bound of one attempt in this text: a loop repeats no more characters than there are in a row. For
        repeated groups `re` takes memory."""
        earlier, text = self._bound, hash(data)  # not the text itself: a pattern may be kept for long
        if earlier is not None and earlier[:2] == (form, text) and earlier[2] <= start and earlier[3] == end:
            return earlier[4]  # of a part of the text it is no higher
        bound, loops = form.cost.steps, form.cost.loops
        for character in dict.fromkeys(loops):
            longest = self._longest_run(form.run(character), data, start, end) + 1 if character else 0
            bound *= (longest or _OF_GROUP * (end - start)) ** loops.count(character)
            if bound > _MOST_ATTEMPT:
                break
        self._bound = form, text, start, end, bound
        return bound

    def _longest_run(self, run: re.Pattern[Any], data: Any, start: int, end: int) -> int:
        """No run is longer; one over the end of a piece of the text counts as if the longest ones met there."""
        longest = before = 0  # `before`: of a run that the piece before may end with
        for at in range(start, end, _PIECE):
            self._look()
            last = min(at + _PIECE, end)
            here = max((match.end() - match.start() for match in run.finditer(data, at, last)), default=0)
            longest = max(longest, before + here)
            before = before + here if here == last - at else here
        return longest

    def _from_starts(self, form: Translation, data: Any, start: int, end: int) -> Any:
        """The leftmost match, searched by `re` at each place where one can begin."""
        match_at, what, behind = form.standard().match, form.prefix, 0
        at = data.find(what, start, end) if what else start
        if not what:
            what, behind = "\n" if form.wide else b"\n", 1  # a line begins behind the newline
        while at >= 0:
            self._look()
            match = match_at(data, at, end)
            if match is not None:
                return match
            at = data.find(what, at + 1 - behind, end)
            if at >= 0:
                at += behind
        return None

    def _windowed(self, form: Translation, data: Any, start: int, end: int, attempt: int) -> Any:
        """The leftmost match, searched by `re` from a window of start positions at a time."""
        width = max(min(_CALL_STEPS // attempt, _WINDOW) - 1, 0)
        width = 1 << (width.bit_length() - 1) if width else 0
        search = form.window(width).match
        while start <= end:
            self._look()
            match = search(data, start, end)
            if match is not None:
                return form.standard().match(data, match.start(1), end)
            start += width + 1
        return None

    # ------------------------------------------------------------------------------------------------------- regex
    def _timed(self, form: Translation, data: Any, start: int, end: int) -> tuple[Any, bool]:
        """(the leftmost match, whether the search finished)."""
        try:
            return form.bounded().search(data, start, end, timeout=_SLICE), True
        except TimeoutError:
            self._look()
            return None, False

    def _position_by_position(self, form: Translation, data: Any, start: int, end: int) -> Any:
        for at in range(start, end + 1):
            self._look()
            match = self._attempt(form, data, at, end)
            if match is not None:
                return match
        return None

    def _attempt(self, form: Translation, data: Any, at: int, end: int) -> Any:
        """The match at one position. The timeout of `regex` counts the whole process's time, so a timeout that other
        threads caused is tried again."""
        match, seconds = form.bounded().match, _SLICE
        while True:
            started = time.thread_time()
            try:
                return match(data, at, end, timeout=seconds)
            except TimeoutError:
                self._look()
                if time.thread_time() - started > _SLICE / 2:
                    raise Timeout("a regular expression takes too long at one place of a text") from None
                seconds *= 2

    def _each_timed(self, form: Translation, data: Any, start: int, end: int) -> Iterator[Any]:
        """All matches by `regex`. After a timeout it restarts at the last match, which is not reported again."""
        last: tuple[int, int] | None = None
        at = start
        while True:
            moved = False
            try:
                for match in form.bounded().finditer(data, at, end, timeout=_SLICE):
                    if match.span() == last:
                        continue
                    moved, last, at = True, match.span(), match.end()
                    yield match
                return
            except TimeoutError:
                self._look()
            if not moved:
                at = at + 1 if last == (at, at) else at
                match = self._position_by_position(form, data, at, end) if at <= end else None
                if match is None:
                    return
                last, at = match.span(), match.end()
                yield match

    def _one_by_one(self, form: Translation, data: Any, start: int, end: int) -> Iterator[Any]:
        while start <= end:
            self._look()
            match = self._within(form, data, start, end)
            if match is None:
                return
            yield match
            start = match.end() + (match.start() == match.end())
