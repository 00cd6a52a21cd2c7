"""The revision grammar: from text to a small syntax tree, without a repository (gitrevisions(7)).

git parses a revision from its end: the last suffix is removed and the rest is parsed the same way. This parser does
the same in a loop instead of by recursion, which keeps `HEAD^^^^…` linear and off the Python stack.

    revision  = search | staged | object [ ":" path ]
    search    = ":/" text                       the youngest commit, from any ref, whose message matches
    staged    = ":" [ digit ":" ] path          an entry of the index
    object    = base { step }
    step      = "^" [ number ]                  the n-th parent; ^0 is the commit itself
              | "~" [ number ]                  the n-th first-parent ancestor
              | "^{" [ kind ] "}"               peel; without a kind through tags only
              | "^{/" text "}"                  the youngest ancestor whose message matches
    base      = name [ "@{" select "}" ]        a ref, an abbreviated object name, or what describe prints
    select    = number | date                   an entry of the ref's reflog

Only a repository can tell whether a name is a ref, and what a leading `@{-1}`, `@{upstream}` or `@{push}` stands for;
`prior_checkout`, `branch_mark` and `is_lone_at` recognise their syntax for `revs.resolve`.

A token of the command line may stand for more than one revision:

    token     = [ revision ] ".." [ revision ] | [ revision ] "..." [ revision ]
              | revision "^@" | revision "^!" | revision "^-" [ number ] | [ "^" ] revision
"""

from ..deferred import lazy_pattern
from ..records import record

KINDS = {b"commit": b"commit", b"tree": b"tree", b"blob": b"blob", b"tag": b"tag", b"object": b"object", b"": b""}
NAME = lazy_pattern(rb"[A-Za-z][A-Za-z0-9_./-]*")  # without special characters: the most common case
_DIGITS = b"0123456789"
_UPSTREAM = (b"@{upstream}", b"@{u}")
_PUSH = (b"@{push}",)
_LARGEST = (1 << 31) - 1


@record(frozen=True)
class Step:
    """One suffix. `op` is b"^" or b"~" with `number`, b"{" with `kind` (b"" = through tags), b"/" with `pattern`.

    `end` is the end of the step in the revision's text, for messages.
    """

    op: bytes
    number: int = 0
    kind: bytes = b""
    pattern: bytes = b""
    end: int = 0


@record(frozen=True)
class Base:
    """The name before all suffixes; `select` is the content of its own `@{…}` (None: no reflog entry)."""

    name: bytes
    select: bytes | None = None


@record(frozen=True)
class Object:
    """`base { step }`; `impossible` if a number overflows, for which git reports "no such object"."""

    text: bytes
    base: Base
    steps: tuple[Step, ...] = ()
    impossible: bool = False


@record(frozen=True)
class TreePath:
    """`object ":" path`: an entry of a tree; the path is unchanged."""

    text: bytes
    object: Object
    path: bytes


@record(frozen=True)
class IndexPath:
    """`:[stage:]path`: an entry of the index."""

    text: bytes
    path: bytes
    stage: int


@record(frozen=True)
class Search:
    """`:/text`."""

    text: bytes
    pattern: bytes


Spec = Object | TreePath | IndexPath | Search


def parse(text: bytes) -> Spec:
    """Parse a `revision`: any text is valid syntax; it need not name an object."""
    if NAME.fullmatch(text):
        return Object(text, Base(text))
    if text[:1] == b":":
        if text[1:2] == b"/" and len(text) > 2:
            return Search(text, text[2:])
        if len(text) >= 3 and text[2:3] == b":" and b"0" <= text[1:2] <= b"3":
            return IndexPath(text, text[3:], text[1] - 48)
        return IndexPath(text, text[1:], 0)
    colon = _colon(text)
    if colon >= 0:
        return TreePath(text, parse_object(text[:colon]), text[colon + 1 :])
    return parse_object(text)


def _colon(text: bytes) -> int:
    """The position of the first colon outside of braces, or -1."""
    colon = text.find(b":")
    if colon < 0 or text.find(b"{", 0, colon) < 0:
        return colon
    depth = 0
    for at, char in enumerate(text):
        if char == 0x7B:
            depth += 1
        elif depth and char == 0x7D:
            depth -= 1
        elif not depth and char == 0x3A:
            return at
    return -1


def parse_object(text: bytes) -> Object:
    """Parse an `object`: steps are removed from the end until a base is left."""
    steps: list[Step] = []
    end = len(text)
    while end:
        cut = _step(text, end)
        if cut is None:
            break
        if isinstance(cut, int):
            return Object(text, Base(text), impossible=True)
        steps.append(cut[1])
        end = cut[0]
    steps.reverse()
    return Object(text, parse_base(text[:end]), tuple(steps))


def _step(text: bytes, end: int) -> tuple[int, Step] | int | None:
    """The last step of text[:end] and its start; None if there is none, 0 if its number is too large."""
    last = text[end - 1]
    if last == 0x7D:
        return _brace_step(text, end)
    at = end
    while at and text[at - 1] in _DIGITS:
        at -= 1
    if not at or text[at - 1] not in b"^~":
        return None
    digits = text[at:end]
    if len(digits) > 10 or (digits and int(digits) > _LARGEST):
        return 0
    return at - 1, Step(text[at - 1 : at], int(digits) if digits else 1, end=end)


def _brace_step(text: bytes, end: int) -> tuple[int, Step] | None:
    at = text.rfind(b"^{", 0, end)
    if at < 0:
        return None
    inner = text[at + 2 : end - 1]
    if inner[:1] == b"/":
        return at, Step(b"/", pattern=inner[1:], end=end)
    kind = text[at + 2 : end].partition(b"}")[0]
    if kind in KINDS:  # strange but git's: text from the first brace to the last is ignored
        return at, Step(b"{", kind=kind, end=end)
    return None


def parse_base(text: bytes) -> Base:
    """Parse a `base`: the last `@{…}` is a reflog selector unless it is a branch mark or counts checkouts."""
    if text[-1:] != b"}":
        return Base(text)
    at = text.rfind(b"@{", 0, max(len(text) - 2, 0))
    if at < 0 or text[at + 2 : at + 3] == b"-" or branch_mark(text, at):
        return Base(text)
    return Base(text[:at], text[at + 2 : -1])


def reflog_number(select: bytes) -> int | None:
    """The `n` of `@{n}`; None for a date. Numbers from 100,000,000 on are dates too: see `reflog_epoch`."""
    if not select.isdigit() or len(select) > 9:
        return None
    number = int(select)
    return number if number < 100_000_000 else None


def reflog_epoch(select: bytes) -> int | None:
    """The moment in epoch seconds for a number that is too large to count entries; otherwise None."""
    if not select.isdigit() or len(select) > 18:
        return None
    number = int(select)
    return number if number >= 100_000_000 else None


def prior_checkout(text: bytes) -> tuple[int, int] | None:
    """Parse `"@{-" n "}"` at the beginning: returns n and the length."""
    if not text.startswith(b"@{-"):
        return None
    end = text.find(b"}")
    digits = text[3:end] if end >= 0 else b""
    if not digits.isdigit() or len(digits) > 9 or not int(digits):
        return None
    return int(digits), end + 1


def branch_mark(text: bytes, at: int) -> tuple[bool, int] | None:
    """Parse `@{upstream}`, `@{u}` or `@{push}` at `at`, in any case: returns (whether it is push, length)."""
    head = text[at : at + 11].lower()
    for push, marks in ((False, _UPSTREAM), (True, _PUSH)):
        for mark in marks:
            if head.startswith(mark):
                return push, len(mark)
    return None


def is_lone_at(text: bytes) -> bool:
    """Whether the text begins with an `@` that stands for HEAD: alone, or before `@{…}`."""
    return text == b"@" or text.startswith(b"@@{")


@record(frozen=True)
class Range:
    """`left..right`, or with three dots; a missing end is HEAD."""

    left: bytes
    right: bytes
    symmetric: bool


@record(frozen=True)
class Parents:
    """`rev^@`, `rev^!` or `rev^-n`: `op` is b"@", b"!" or b"-"; `number` is 0 for all parents."""

    rev: bytes
    op: bytes
    number: int = 0


def parse_range(token: bytes) -> Range | None:
    """`[rev] ".." [rev]`: the first two dots split the token; ".." alone is the parent directory."""
    at = token.find(b"..")
    if at < 0 or token == b"..":
        return None
    symmetric = token[at + 2 : at + 3] == b"."
    return Range(token[:at] or b"HEAD", token[at + 2 + symmetric :] or b"HEAD", symmetric)


def parse_parents(token: bytes) -> Parents | None:
    """Parse `rev "^@" | rev "^!" | rev "^-" [n]`; None for any other token or an invalid number."""
    if token.endswith((b"^@", b"^!")):
        at = token.find(token[-2:])
        return Parents(token[:at], token[-1:]) if at == len(token) - 2 else None
    at = token.find(b"^-")
    if at < 0:
        return None
    digits = token[at + 2 :]
    if not digits:
        return Parents(token[:at], b"-", 1)
    if not digits.isdigit() or len(digits) > 9 or not int(digits):
        return None
    return Parents(token[:at], b"-", int(digits))


def describe_hex(text: bytes) -> bytes | None:
    """The abbreviated object name at the end of a description (`v1.0-3-gabcdef`), if there is one."""
    at = text.rfind(b"-g")
    if at < 1:
        return None
    digits = text[at + 2 :]
    return digits if is_hex(digits) else None


HEX_DIGITS = b"0123456789abcdefABCDEF"
_HEX = frozenset(HEX_DIGITS)


def is_hex(text: bytes) -> bool:
    """Whether the text is not empty and has only hexadecimal digits."""
    return bool(text) and _HEX.issuperset(text)
