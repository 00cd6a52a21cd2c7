"""Path patterns of configuration conditions: `*` matches within one component of a path, `**` across components.

`paths.wildmatch` is the full matcher; this package may not import it and only needs the few forms of includeIf's
conditions. Time is proportional to pattern times text: positions are kept as a set, without backtracking.
"""


def path_glob(pattern: bytes, path: bytes, *, whole: bool = False) -> bool:
    """Whether a path matches a pattern of `*`, `**`, `?`, `[…]`; `whole`: a star crosses slashes."""
    steps = _steps(pattern)
    final = len(steps)
    states = _close({0}, steps)
    for char in path:
        following = set()
        for state in states:
            if state == final:
                continue
            kind, wanted = steps[state]
            if kind == "many" or (kind == "some" and (whole or char != 47)):
                following.add(state)
            elif kind == "one" and char in wanted:
                following.add(state + 1)
            elif kind == "skip" and (char == 47):
                following.update((state, state + 1))
            elif kind == "skip":
                following.add(state)
        states = _close(following, steps, char)
        if not states:
            return False
    return final in states


_Step = tuple[str, frozenset[int]]
_NOT_SLASH = frozenset(range(256)) - {47}
_NONE: frozenset[int] = frozenset()


def _close(states: set[int], steps: list[_Step], last: int = 47) -> set[int]:
    """Add the states reachable without reading a character: past a star; past `**/` only at the start of a path
    component."""
    queue = list(states)
    while queue:
        state = queue.pop()
        kind = steps[state][0] if state < len(steps) else ""
        passes = kind in ("some", "many") or (kind == "skip" and last == 47)
        if passes and state + 1 not in states:
            states.add(state + 1)
            queue.append(state + 1)
    return states


def _steps(pattern: bytes) -> list[_Step]:
    steps: list[_Step] = []
    position, end = 0, len(pattern)
    while position < end:
        char = pattern[position]
        position += 1
        if char == 42:
            start = position - 1
            while position < end and pattern[position] == 42:
                position += 1
            whole = position - start > 1 and (start == 0 or pattern[start - 1] == 47)
            if whole and pattern[position : position + 1] == b"/":
                position += 1
                steps.append(("skip", _NONE))
            else:
                steps.append(("many" if whole and position == end else "some", _NONE))
        elif char == 63:
            steps.append(("one", _NOT_SLASH))
        elif char == 91 and (close := pattern.find(b"]", position + 1)) > 0:
            steps.append(("one", _members(pattern[position:close])))
            position = close + 1
        else:
            if char == 92 and position < end:
                char = pattern[position]
                position += 1
            steps.append(("one", frozenset((char,))))
    return steps


def _members(text: bytes) -> frozenset[int]:
    """The characters of a bracket expression, without the slash."""
    negated = text[:1] in (b"!", b"^")
    text = text[1:] if negated else text
    members: set[int] = set()
    position = 0
    while position < len(text):
        if text[position + 1 : position + 2] == b"-" and position + 2 < len(text):
            members.update(range(text[position], text[position + 2] + 1))
            position += 3
        else:
            members.add(text[position])
            position += 1
    return (_NOT_SLASH - members) if negated else frozenset(members) - {47}
