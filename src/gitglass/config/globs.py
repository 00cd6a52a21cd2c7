"""Path patterns of configuration conditions: `*` matches within one component of a path, `**` across components.

`paths.wildmatch` is the full matcher; this package may not import it and only needs the few forms of includeIf's
conditions. The places in a pattern that a text has reached are the bits of a number, so that a character moves all of
them at once, without backtracking.
"""

from collections.abc import Callable

from ..limits import paced, pause, step

_STRETCH = 1 << 24  # bits of work between two looks at the clock
_LIGHT = 2048  # bits that are moved as quickly as one


def path_glob(pattern: bytes, path: bytes, *, whole: bool = False) -> bool:
    """Whether a path matches a pattern of `*`, `**`, `?`, `[…]`; `whole`: a star crosses slashes."""
    return compile_glob(pattern, whole=whole)(path)


def compile_glob(pattern: bytes, *, whole: bool = False) -> Callable[[bytes], bool]:
    """`path_glob` for many paths."""
    steps = _steps(pattern)
    pause()
    final, least = 1 << len(steps), sum(kind == "one" for kind, _ in paced(steps))
    some, many, skips = (
        _bits(len(steps), [at for at, (kind, _) in enumerate(paced(steps)) if kind == wanted])
        for wanted in ("some", "many", "skip")
    )
    stars = some | many
    across = many | skips | (some if whole else 0)
    accepts = _Accepting(steps)
    stride = max(_STRETCH // (len(steps) + _LIGHT), 1)

    def close(states: int, free: int) -> int:
        """Past a star, and past `**/` at the start of a component; never more than two follow one another."""
        states |= (states & free) << 1
        return states | (states & free) << 1

    def matches(path: bytes) -> bool:
        step()
        if len(path) < least:
            return False
        states = close(1, stars | skips)
        for start in range(0, len(path), stride):
            if start:
                pause()
            for char in path[start : start + stride]:
                moved = (states & accepts[char]) << 1
                if char == 47:
                    states = close(moved | states & across, stars | skips)
                else:
                    states = close(moved | states & (stars | skips), stars)
                if not states:
                    return False
        return bool(states & final)

    return matches


class _Accepting(dict[int, int]):
    """By character, the steps that it is one of; made when a text first has it."""

    __slots__ = ("_steps",)

    def __init__(self, steps: "list[_Step]") -> None:
        super().__init__()
        self._steps = steps

    def __missing__(self, char: int) -> int:
        bits = self[char] = _bits(len(self._steps), [at for at, one in enumerate(paced(self._steps)) if char in one[1]])
        return bits


def _bits(size: int, places: list[int]) -> int:
    """A number with these bits set."""
    marks = bytearray(size // 8 + 1)
    for at in paced(places):
        marks[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(marks, "little")


_Step = tuple[str, frozenset[int]]
_NOT_SLASH = frozenset(range(256)) - {47}
_NONE: frozenset[int] = frozenset()
_LETTERS = [("one", frozenset((char,))) for char in range(256)]


def _steps(pattern: bytes) -> list[_Step]:
    steps: list[_Step] = []
    position, end, last = 0, len(pattern), pattern.rfind(b"]")
    while position < end:
        if not position & 0xFFF:
            pause()
        char = pattern[position]
        position += 1
        if char == 42:
            start = position - 1
            while position < end and pattern[position] == 42:
                position += 1
            whole = position - start > 1 and (start == 0 or pattern[start - 1] == 47)
            if whole and pattern[position : position + 1] == b"/":
                position += 1
                if not steps or steps[-1][0] != "skip":  # two of them are no more than one
                    steps.append(("skip", _NONE))
            else:
                steps.append(("many" if whole and position == end else "some", _NONE))
        elif char == 63:
            steps.append(("one", _NOT_SLASH))
        elif char == 91 and position < last and (close := pattern.find(b"]", position + 1)) > 0:
            steps.append(("one", _members(pattern[position:close])))
            position = close + 1
        else:
            if char == 92 and position < end:
                char = pattern[position]
                position += 1
            steps.append(_LETTERS[char])
    return steps


def _members(text: bytes) -> frozenset[int]:
    """The characters of a bracket expression, without the slash."""
    negated = text[:1] in (b"!", b"^")
    text = text[1:] if negated else text
    members: set[int] = set()
    position = 0
    while position < len(text):
        if not position & 0xFFF:
            pause()
        if text[position + 1 : position + 2] == b"-" and position + 2 < len(text):
            members.update(range(text[position], text[position + 2] + 1))
            position += 3
        else:
            members.add(text[position])
            position += 1
    return (_NOT_SLASH - members) if negated else frozenset(members) - {47}
