"""From a change script to hunks: context, merging of near changes, function names, ignorable changes.

Mirrors what git-diff(1) says of `-U`, `--inter-hunk-context`, `-W`, `--ignore-blank-lines` and `-I`, and what it does
not say: which changes are joined if some of them may be ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...annotations import TYPE_CHECKING
from ...deferred import deferred, lazy_pattern
from ...errors import GitError
from ...limits import pause, step
from ...records import replace
from .spec import LineSpec
from .whitespace import NO_EOL, bare, is_blank

if TYPE_CHECKING:
    from ...limits import Context
    from ...regex.matcher import BadPattern, Matcher, compile_pattern
    from .compare import Pair, Script, compare, match_lines
    from .counts import count_lines
else:
    BadPattern, compile_pattern = deferred(__name__, "...regex.matcher", "BadPattern", "compile_pattern")
    compare, match_lines = deferred(__name__, ".compare", "compare", "match_lines")
    count_lines = deferred(__name__, ".counts", "count_lines")

__all__ = ["Finder", "Hunk", "count_changes", "default_finder", "diff_lines", "hunks_of", "shown_changes"]

#: What a hunk header shows for a line, or None if the line begins no function.
Finder = Callable[[bytes], "bytes | None"]

_NAME_START = frozenset(bytes([c]) for c in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$")
_NAME_BYTES = 80
_STRETCH = 1 << 15  # bytes above a hunk that are searched at once
#: matches from a line's start to the last line that default_finder accepts: `.*` runs to the end and backtracks
_LAST_NAME = lazy_pattern(rb"(?s:.*\n)?([A-Za-z_$][^\n]{0,%d})" % _NAME_BYTES)
_SPACE = b" \t\n\r"


class Hunk:
    """One hunk. Starts count from 0; `parts` are (b" ", b"-" or b"+", lines without newline) in order."""

    __slots__ = ("func", "new_count", "new_start", "old_count", "old_start", "parts")

    def __init__(
        self,
        old_start: int,
        old_count: int,
        new_start: int,
        new_count: int,
        func: bytes,
        parts: list[tuple[bytes, list[bytes]]],
    ) -> None:
        self.old_start = old_start
        self.old_count = old_count
        self.new_start = new_start
        self.new_count = new_count
        self.func = func
        self.parts = parts

    def header(self) -> bytes:
        """`@@ -1,3 +1,4 @@ function`, without the newline."""
        n, m = self.old_count, self.new_count
        old = b"%d" % (self.old_start + 1) if n == 1 else b"%d,%d" % (self.old_start + 1 if n else self.old_start, n)
        new = b"%d" % (self.new_start + 1) if m == 1 else b"%d,%d" % (self.new_start + 1 if m else self.new_start, m)
        func = self.func
        if func:
            if not func.isascii():
                func = _whole_characters(func)
            return b"@@ -%s +%s @@ %s" % (old, new, func)
        return b"@@ -%s +%s @@" % (old, new)


def _whole_characters(text: bytes) -> bytes:
    """The text up to its first byte that is not UTF-8 (a header may be cut within a character)."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return text[: error.start]
    return text


def default_finder(line: bytes) -> bytes | None:
    """git's rule if no driver defines another: a line that begins with a letter, `_` or `$`."""
    if line[:1] in _NAME_START:
        return bare(line)[:_NAME_BYTES].rstrip(_SPACE) if b"\n" in line else line[:_NAME_BYTES].rstrip(_SPACE)
    return None


def diff_lines(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context, finder: Finder | None = None) -> list[Hunk]:
    """The hunks of a diff of two texts. `finder` names functions (a driver's `xfuncname`); None is git's default."""
    return list(hunks_of(compare(old, new, spec, ctx=ctx), spec, ctx=ctx, finder=finder))


def count_changes(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context) -> tuple[int, int]:
    """How many lines were added and deleted, as `git diff --numstat` counts them."""
    ignores = spec.ignore_blank_lines or spec.ignore_regex
    if not ignores and spec.algorithm == "myers" and not spec.folds_space:
        counts = count_lines(old, new, spec, ctx=ctx)
        if counts is not None:
            return counts
    if spec.function_context:  # git does not apply -W when it counts: whole functions would show ignored changes
        spec = replace(spec, function_context=False)
    script = shown_changes(old, new, spec, ctx=ctx)
    return sum([one[3] for one in script]), sum([one[1] for one in script])


def shown_changes(old: bytes, new: bytes, spec: LineSpec, *, ctx: Context) -> Script:
    """The changes that the hunks of a diff show, each as (old start, old count, new start, new count), counted from 0:
    all of them but what --ignore-blank-lines and -I leave out."""
    if not spec.ignore_blank_lines and not spec.ignore_regex:
        return match_lines(old, new, spec, ctx)
    pair = compare(old, new, spec, ctx=ctx)
    base, shown = pair.base, [pair.script[begin:end] for begin, end, *_ in _grouped(pair, spec, ctx)]
    return [(i + base, n, j + base, m) for changes in shown for i, n, j, m in changes]


def hunks_of(
    pair: Pair, spec: LineSpec, *, ctx: Context, finder: Finder | None = None, names: bool = True
) -> Iterator[Hunk]:
    """Cut a compared pair into hunks. With `names` off no function is looked for."""
    script = pair.script
    if not script:
        return
    base = pair.base
    a, b = pair.a, pair.b
    names_at = _Names(pair, finder)
    for first, last, s1, e1, s2, e2 in _grouped(pair, spec, ctx, names_at):
        parts: list[tuple[bytes, list[bytes]]] = []
        at = s2
        for i, n, j, m in script[first:last]:
            if j > at:
                parts.append((b" ", b[at:j]))
            if n:
                parts.append((b"-", a[i : i + n]))
            if m:
                parts.append((b"+", b[j : j + m]))
            at = j + m
        if e2 > at:
            parts.append((b" ", b[at:e2]))
        func = names_at.before(s1) if names else b""
        yield Hunk(s1 + base, e1 - s1, s2 + base, e2 - s2, func, parts)


class _Names:
    """Finds the line that names the function around a hunk. It has to be called for hunks from top to bottom."""

    __slots__ = ("asked", "finder", "last", "pair")

    def __init__(self, pair: Pair, finder: Finder | None) -> None:
        self.pair = pair
        self.finder = finder
        self.asked: int | None = None  # the line before the previous hunk: lines above it are not searched again
        self.last = b""

    def is_name(self, line: bytes) -> bool:
        finder = self.finder
        return line[:1] in _NAME_START if finder is None else finder(line) is not None

    def before(self, start: int) -> bytes:
        """The name for a hunk that begins at line `start` of the window."""
        lines = self.pair.a
        finder = self.finder
        stop = -1 if self.asked is None else self.asked
        self_at = start - 1
        fresh = self.asked is None
        self.asked = start - 1
        if finder is None:
            for at in range(self_at, stop, -1):
                if not at & 0xFFF:
                    pause()
                if lines[at][:1] in _NAME_START:
                    self.last = default_finder(lines[at]) or b""
                    return self.last
        else:
            for at in range(self_at, stop, -1):
                name = finder(lines[at])
                if name is not None:
                    self.last = name
                    return name
        if fresh and self.pair.offset:
            self.last = self._above()
        return self.last

    def _above(self) -> bytes:
        """Continue the search in the text before the window."""
        finder, offset = self.finder, self.pair.offset
        text = self.pair.old
        while offset:
            step()
            if finder is None:
                start = text.rfind(b"\n", 0, max(offset - _STRETCH, 0)) + 1
                header = _LAST_NAME.match(text, start, offset)
                name = None if header is None else default_finder(header[1]) or b""
            else:
                start = text.rfind(b"\n", 0, offset - 1) + 1
                name = finder(text[start : offset - 1])
            if name is not None:
                return name
            offset = start
        return b""


def _ignorable(pair: Pair, spec: LineSpec, ctx: Context) -> list[bool] | None:
    """Which changes may be left out; None if none may."""
    blank, patterns = spec.ignore_blank_lines, spec.ignore_regex
    if not blank and not patterns:
        return None
    folds = spec.folds_space
    matchers = [ignored_lines(pattern, ctx) for pattern in patterns]
    verdicts = []
    for i, n, j, m in pair.script:
        lines = pair.a[i : i + n] + pair.b[j : j + m]
        verdict = blank and all(is_blank(line, folds) for line in lines)
        if not verdict and matchers:
            verdict = all(any(matcher.test(_with_eol(line)) for matcher in matchers) for line in lines)
        verdicts.append(verdict)
    return verdicts


def ignored_lines(pattern: bytes, ctx: Context) -> Matcher:
    """The matcher of a pattern of -I. Raises BadPattern with git's words."""
    try:
        return compile_pattern(pattern, "extended", newline=True, ctx=ctx)
    except GitError as error:
        if not isinstance(error, BadPattern):
            raise
        error.message = f"invalid regex given to -I: '{pattern.decode('utf-8', 'surrogateescape')}'"
        error.prefix, error.status = "error", 129
        raise


def _with_eol(line: bytes) -> bytes:
    return line[: -len(NO_EOL)] if b"\n" in line else line + b"\n"


_Group = tuple[int, int, int, int, int, int]


def _grouped(pair: Pair, spec: LineSpec, ctx: Context, names: _Names | None = None) -> Iterator[_Group]:
    """Groups of changes that share a hunk: (first change, one past the last, s1, e1, s2, e2), all in window lines."""
    script = pair.script
    ignored = _ignorable(pair, spec, ctx)
    context = spec.context
    joined = 2 * context + spec.inter_hunk
    count = len(script)
    a_size = len(pair.a)
    b_size = len(pair.b)
    at = 0
    while at < count:
        ctx.tick()
        floor = at
        if ignored is None:
            last = at
            end = script[at][0] + script[at][1]
            while last + 1 < count:
                i, n, _, _ = script[last + 1]
                if i - end > joined:
                    break
                end = i + n
                last += 1
        else:
            joined_group = _joined_some_ignored(script, ignored, at, context, joined)
            if joined_group is None:
                return
            at, last = joined_group
        if spec.function_context:
            group = _whole_functions(pair, spec, names or _Names(pair, None), floor, at, last)
            yield group
            at = group[1]
            continue
        i, _, j, _ = script[at]
        i2, n2, j2, m2 = script[last]
        # At the window's edges the files go on only if the window has enough context anyway.
        after = min(context, a_size - i2 - n2, b_size - j2 - m2)
        yield at, last + 1, max(i - context, 0), i2 + n2 + after, max(j - context, 0), j2 + m2 + after
        at = last + 1


def _joined_some_ignored(
    script: list[tuple[int, int, int, int]], ignored: list[bool], at: int, context: int, joined: int
) -> tuple[int, int] | None:
    """The next hunk's first and last change if changes may be left out; None if nothing is left to show.

    Ignorable changes before the first real one are dropped, except for those within the context of what follows. After
    it, one is kept if it is nearer than the context; real changes beyond ignorable ones are joined if everything
    between would be shown anyway.
    """
    count = len(script)
    probe = at
    while probe < count and ignored[probe]:
        i, n, _, _ = script[probe]
        if probe + 1 >= count:
            at = count
        elif script[probe + 1][0] - (i + n) >= context:
            at = probe + 1
        probe += 1
    if at >= count:
        return None
    last = at
    left_out = 0
    for probe in range(at + 1, count):
        i0, n0, _, _ = script[probe - 1]
        i, _, _, m = script[probe]
        distance = i - (i0 + n0)
        if distance > joined:
            break
        if distance < context and (not ignored[probe] or last == probe - 1):
            last = probe
            left_out = 0
        elif distance < context:
            left_out += m
        elif last != probe - 1 and i + left_out - (script[last][0] + script[last][1]) > joined:
            break
        elif not ignored[probe]:
            last = probe
            left_out = 0
        else:
            left_out += m
    return at, last


def _whole_functions(pair: Pair, spec: LineSpec, names: _Names, floor: int, first: int, last: int) -> _Group:
    """Grow a hunk to the functions it touches (`-W`). The window is the whole of both files.

    `floor` is the first change that may be included again when the hunk grows upwards: the ignorable ones before it.
    """
    a, b, script, context = pair.a, pair.b, pair.script, spec.context
    size1, size2 = len(a), len(b)
    start = first
    while True:
        i, _, j, _ = script[start]
        s1, s2 = max(i - context, 0), max(j - context, 0)
        look: int | None = i
        if i >= size1:
            # Appended: no context is needed when a whole function was added.
            look = None if any(names.is_name(line) for line in b[j:]) else size1 - 1
        if look is None:
            break
        top = _name_line(a, names, look, -1)
        while top > 0 and bare(a[top - 1]).strip(_SPACE) and not names.is_name(a[top - 1]):
            top -= 1
        top = max(top, 0)
        if top >= s1:
            break
        s2 = max(s2 - (s1 - top), 0)
        s1 = top
        # If it grew into a change that was being ignored, that one is shown after all.
        while floor != start:
            i, n, j, m = script[floor]
            if i + n > s1 or j + m > s2:
                break
            floor += 1
        if floor == start:
            break
        start = floor
    while True:
        i, n, j, m = script[last]
        after = min(context, size1 - (i + n), size2 - (j + m))
        e1, e2 = i + n + after, j + m + after
        bottom = _name_line(a, names, i + n, size1)
        while bottom > 0 and not bare(a[bottom - 1]).strip(_SPACE):
            bottom -= 1
        if bottom < 0:
            bottom = size1
        if bottom > e1:
            e2 = min(e2 + (bottom - e1), size2)
            e1 = bottom
        if last + 1 < len(script):
            following = min(script[last + 1][0], size1 - 1)
            if following - context <= e1 or _name_line(a, names, following, e1) < 0:
                last += 1
                continue
        return start, last + 1, s1, e1, s2, e2


def _name_line(lines: list[bytes], names: _Names, start: int, stop: int) -> int:
    """The nearest line from `start` towards `stop` (not included) that names a function; -1 if there is none."""
    step = -1 if start > stop else 1
    for at in range(start, stop, step):
        if not 0 <= at < len(lines):
            return -1
        if names.is_name(lines[at]):
            return at
    return -1
