"""Git's shell patterns: `*`, `?`, `[...]`, and `**` between slashes.

A pattern is divided once into pieces that each take a single forward scan, so a match never backtracks: the classic
`*a*a*a*b` against a long run of `a` takes pattern times text, not exponential time. Python's `re` is used only for
single characters that are not literal, never for a star.

Mirrors the rules in gitignore(5) and gitglossary(7), "pathspec".
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import methodcaller

from ..deferred import lazy_pattern
from ..limits import paced, pause, step, watched

CASEFOLD = 1
PATHNAME = 2

_KEPT_LENGTH = 512
_COMPILED = 1000  # most single characters in one regular expression
_TRIED = 64  # patterns that are tried between two steps

Matcher = Callable[[bytes], bool]

_SPECIAL = lazy_pattern(rb"[*?\[\\]")
_WILDCARD = lazy_pattern(rb"\A(?:[^*?\[\\]|\\.)*[*?\[]", re.DOTALL)
_UPPER = frozenset(range(65, 91))
_LOWER = frozenset(range(97, 123))
_DIGIT = frozenset(range(48, 58))
_PUNCT = frozenset(c for c in range(33, 127)) - _UPPER - _LOWER - _DIGIT
_CLASSES: dict[bytes, frozenset[int]] = {
    b"alnum": _UPPER | _LOWER | _DIGIT,
    b"alpha": _UPPER | _LOWER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(32)) | {127},
    b"digit": _DIGIT,
    b"graph": frozenset(range(33, 127)),
    b"lower": _LOWER,
    b"print": frozenset(range(32, 127)),
    b"punct": _PUNCT,
    b"space": frozenset(b" \t\n\r\v\f"),
    b"upper": _UPPER,
    b"xdigit": _DIGIT | frozenset(b"abcdefABCDEF"),
}


class _Never(Exception):
    """The pattern is malformed and matches nothing."""


def has_wildcards(pattern: bytes) -> bool:
    """Whether a pattern contains any special character; a backslash is one."""
    return _SPECIAL.search(pattern) is not None


def is_glob(word: bytes) -> bool:
    """Whether a word contains a wildcard without a backslash before it: git takes such a word for a pathspec."""
    return _WILDCARD.search(word) is not None


def literal_length(pattern: bytes) -> int:
    """The number of bytes before a pattern's first special character."""
    match = _SPECIAL.search(pattern)
    return match.start() if match else len(pattern)


def wildmatch(pattern: bytes, text: bytes, flags: int = 0) -> bool:
    """Whether a text matches a pattern. PATHNAME: only `**` matches slashes; CASEFOLD: ASCII case is ignored."""
    return compile_wildmatch(pattern, flags)(text)


def any_of(patterns: Iterable[bytes], flags: int = 0) -> Matcher:
    """Some patterns as one function, which is true of a text that any of them matches. Where they are many each call
    is many steps: a loop over rows that counts a step for each row does not know that."""
    globs = [compile_wildmatch(pattern, flags) for pattern in watched(patterns)]
    if len(globs) <= _TRIED:
        return lambda text: any(glob(text) for glob in globs)
    parts = [globs[at : at + _TRIED] for at in range(0, len(globs), _TRIED)]

    def matches(text: bytes) -> bool:
        for part in parts:
            step()
            if any(glob(text) for glob in part):
                return True
        return False

    return matches


def compile_wildmatch(pattern: bytes, flags: int = 0) -> Matcher:
    """The pattern as a function from text to bool, for matching many texts."""
    # Only patterns of ordinary length are cached: a repository must not decide how much memory is kept between calls.
    return _cached(pattern, flags) if len(pattern) <= _KEPT_LENGTH else _folding(pattern, flags)


@lru_cache(maxsize=4096)
def _cached(pattern: bytes, flags: int) -> Matcher:
    return _folding(pattern, flags)


def _folding(pattern: bytes, flags: int) -> Matcher:
    if flags & CASEFOLD:
        # Classes and ranges must still see the pattern's upper case, so the tokens are folded, not the pattern's text.
        inner = _compile(pattern, flags)
        return lambda text: inner(text.lower())
    return _compile(pattern, flags)


def _compile(pattern: bytes, flags: int) -> Matcher:
    try:
        tokens = _tokens(pattern, flags)
    except _Never:
        return _never
    make = _path_matcher if flags & PATHNAME else _run_matcher
    return make(tokens) if len(tokens) <= _KEPT_LENGTH else _late(tokens, make)


def _never(text: bytes) -> bool:
    return False


# Tokens: an int is a literal byte, a frozenset one of several bytes, a str one of these two.
_STAR = "*"
_DEEP = "**"  # `**` alone between slashes or ends
Token = int | frozenset[int] | str

_ALL = frozenset(range(256))
_NO_SLASH = _ALL - {47}


def _tokens(pattern: bytes, flags: int) -> list[Token]:
    fold, pathname = flags & CASEFOLD, flags & PATHNAME
    any_one = _NO_SLASH if pathname else _ALL
    out: list[Token] = []
    at, end = 0, len(pattern)
    while at < end:
        if not len(out) & 0xFFF:
            pause()
        char = pattern[at]
        if char == 42:
            start = at
            while at < end and pattern[at] == 42:
                at += 1
            opens = start == 0 or pattern[start - 1] == 47
            closes = at == end or pattern[at] == 47 or pattern[at : at + 2] == b"\\/"
            out.append(_DEEP if pathname and at - start > 1 and opens and closes else _STAR)
            continue
        at += 1
        if char == 63:
            out.append(any_one)
        elif char == 91:
            chosen, at = _bracket(pattern, at, fold)
            out.append(chosen & any_one)
        else:
            if char == 92:
                if at == end:
                    raise _Never
                char = pattern[at]
                at += 1
            out.append(char + 32 if fold and 65 <= char <= 90 else char)
    return out


def _bracket(pattern: bytes, at: int, fold: int) -> tuple[frozenset[int], int]:
    """Read a bracket expression whose `[` is before `at`: (the bytes that it accepts, the position after its `]`)."""
    end = len(pattern)
    negated = at < end and pattern[at] in b"!^"
    if negated:
        at += 1
    chosen: set[int] = set()
    first, previous = True, -1
    while True:
        if at >= end:
            raise _Never
        char = pattern[at]
        if char == 93 and not first:
            break
        first = False
        if char == 45 and previous >= 0 and at + 1 < end and pattern[at + 1] != 93:
            at += 1
            high = pattern[at]
            if high == 92:
                at += 1
                if at >= end:
                    raise _Never
                high = pattern[at]
            span = range(previous, high + 1)
            chosen.update(span)
            if fold:
                # Strange but git's: a range or class ignores case, a single letter in brackets does not.
                chosen.update(c + 32 for c in span if 65 <= c <= 90)
            previous = -1
        elif char == 91 and pattern[at + 1 : at + 2] == b":":
            close = pattern.find(b"]", at + 2)
            if close < 0:
                raise _Never
            if close - 1 < at + 2 or pattern[close - 1] != 58:
                # Without ":]" the "[" is a literal, and the text after it is read again.
                chosen.add(91)
                previous = 91
            else:
                name = pattern[at + 2 : close - 1]
                if name not in _CLASSES:
                    raise _Never
                chosen |= _CLASSES[name]
                if fold and name == b"upper":
                    chosen |= _LOWER
                at, previous = close, -1
        else:
            if char == 92:
                at += 1
                if at >= end:
                    raise _Never
                char = pattern[at]
            chosen.add(char)
            previous = char
        at += 1
    return frozenset(_ALL - chosen if negated else chosen), at + 1


def _late(tokens: list[Token], make: Callable[[list[Token]], Matcher]) -> Matcher:
    """The matcher of a very long pattern, built when a text is long enough to match: that is rare."""
    least = len(tokens) - tokens.count(_STAR) - 3 * tokens.count(_DEEP)  # `a/**/b` matches "a/b"
    matchers: list[Matcher] = []

    def matches(text: bytes) -> bool:
        if len(text) < least:
            return False
        if not matchers:
            matchers.append(make(tokens))
        return matchers[0](text)

    return matches


# ------------------------------------------------------------------------------------- a run without slash rules
def _run_matcher(tokens: list[Token]) -> Matcher:
    """Match one stretch in which every star means the same: fixed pieces, searched from left to right."""
    pieces: list[list[Token]] = [[]]
    for token in paced(tokens):
        if token in (_STAR, _DEEP):
            pieces.append([])
        else:
            pieces[-1].append(token)
    if len(pieces) == 1:
        return _fixed(pieces[0])
    head, tail, middle = pieces[0], pieces[-1], [piece for piece in pieces[1:-1] if piece]
    if not middle and all(isinstance(token, int) for token in head + tail):
        return _prefix_suffix(bytes(head), bytes(tail))  # type: ignore[arg-type]
    return _general(head, middle, tail)


def _fixed(piece: list[Token]) -> Matcher:
    if all(isinstance(token, int) for token in piece):
        return bytes(piece).__eq__  # type: ignore[arg-type]
    size, fits = len(piece), _fit(piece)
    return lambda text: len(text) == size and fits(text, 0)


def _prefix_suffix(head: bytes, tail: bytes) -> Matcher:
    if not head:
        return methodcaller("endswith", tail)
    if not tail:
        return methodcaller("startswith", head)
    least = len(head) + len(tail)
    return lambda text: text.startswith(head) and text.endswith(tail) and len(text) >= least


def _general(head: list[Token], middle: list[list[Token]], tail: list[Token]) -> Matcher:
    first, last = _fit(head), _fit(tail)
    finders = [_finder(piece) for piece in paced(middle)]
    head_size, tail_size = len(head), len(tail)
    least = head_size + tail_size + sum(map(len, middle))

    def matches(text: bytes) -> bool:
        size = len(text)
        if size < least or not first(text, 0) or not last(text, size - tail_size):
            return False
        at, stop = head_size, size - tail_size
        for find in paced(finders):
            at = find(text, at, stop)
            if at < 0:
                return False
        return True

    return matches


#: whether a piece matches at a position
_Fit = Callable[[bytes, int], bool]
#: where a piece that is searched between two positions ends; -1 if it is not there
_Find = Callable[[bytes, int, int], int]


def _fit(piece: list[Token]) -> _Fit:
    if all(isinstance(token, int) for token in piece):
        literal = bytes(piece)  # type: ignore[arg-type]
        return lambda text, at: text.startswith(literal, at)
    if len(piece) <= _COMPILED:
        match = re.compile(_regex(piece), re.DOTALL).match
        return lambda text, at: match(text, at) is not None
    parts = [(at, _fit(piece[at : at + _COMPILED])) for at in range(0, len(piece), _COMPILED)]
    return lambda text, at: all(fits(text, at + start) for start, fits in parts)


def _finder(piece: list[Token]) -> _Find:
    size = len(piece)
    if all(isinstance(token, int) for token in piece):
        literal = bytes(piece)  # type: ignore[arg-type]

        def find_literal(text: bytes, at: int, stop: int) -> int:
            end = text.find(literal, at, stop)
            return end + size if end >= 0 else -1

        return find_literal
    if size <= _COMPILED:
        search = re.compile(_regex(piece), re.DOTALL).search

        def find(text: bytes, at: int, stop: int) -> int:
            match = search(text, at, stop)
            return match.end() if match is not None else -1

        return find
    fits = _fit(piece)

    def find_long(text: bytes, at: int, stop: int) -> int:
        for start in range(at, stop - size + 1):
            pause()
            if fits(text, start):
                return start + size
        return -1

    return find_long


def _regex(piece: list[Token]) -> bytes:
    return b"".join(_character(token) for token in piece)


def _character(token: Token) -> bytes:
    if isinstance(token, int):
        return b"\\x%02x" % token
    assert isinstance(token, frozenset)
    if len(token) == 256:
        return b"."
    if len(token) > 128:
        return b"[^" + b"".join(b"\\x%02x" % c for c in sorted(_ALL - token)) + b"]"
    if not token:
        return b"(?!)"
    return b"[" + b"".join(b"\\x%02x" % c for c in sorted(token)) + b"]"


# ------------------------------------------------------------------------------------------------ with slash rules
def _path_matcher(tokens: list[Token]) -> Matcher:
    """Match component by component. `**/` moves over whole components, which is again one scan to the right."""
    if 47 not in tokens and _DEEP not in tokens:
        run = _run_matcher(tokens)
        return lambda text: b"/" not in text and run(text)
    components: list[list[Token]] = [[]]
    for token in paced(tokens):
        if token == 47:
            components.append([])
        else:
            components[-1].append(token)
    # `a/**/b`: groups of components, with any number of components between the groups.
    groups: list[list[Matcher]] = [[]]
    for component in paced(components):
        if component == [_DEEP]:
            groups.append([])
        else:
            groups[-1].append(_run_matcher(component))
    return _anchored(groups[0]) if len(groups) == 1 else _sliding(groups)


def _anchored(group: list[Matcher]) -> Matcher:
    size = len(group)

    def matches(text: bytes) -> bool:
        parts = text.split(b"/")
        return len(parts) == size and _fits_at(group, parts, 0)

    return matches


def _fits_at(group: list[Matcher], parts: list[bytes], at: int) -> bool:
    for matcher in group:
        if not matcher(parts[at]):
            return False
        at += 1
    return True


def _sliding(groups: list[list[Matcher]]) -> Matcher:
    head, middle, tail = groups[0], [group for group in groups[1:-1] if group], groups[-1]
    open_end = not tail  # a trailing `**` matches at least one component, even an empty one

    def matches(text: bytes) -> bool:
        parts = text.split(b"/")
        stop = len(parts) - (1 if open_end else len(tail))
        at = len(head)
        if stop < at or not _fits_at(head, parts, 0) or not (open_end or _fits_at(tail, parts, stop)):
            return False
        for group in middle:
            size = len(group)
            while at + size <= stop and not _fits_at(group, parts, at):
                step()
                at += 1
            at += size
            if at > stop:
                return False
        return True

    return matches
