"""The text that declares a program's options to `git rev-parse --parseopt`: its usage, a line `--`, one option a line.

A line is `NAMES FLAGS HINT`, space, help. NAMES is `a`, `all` or `a,all`; FLAGS are any of `=` (a value must follow),
`?` (one may), `!` (no negation) and `*` (hidden). What begins with a space, or has none, is the heading of a group.
"""

import re

from ..errors import BadRequest
from ..limits import Context
from ..records import record
from .options import Option

_SPACES = b" \t\n\r"
_FLAGS = re.compile(rb"[*=?!]")
_SPACE = re.compile(rb"[ \t\n\r]")


@record(frozen=True)
class Spec:
    """What a program says of itself: the lines of its usage, and its options in order."""

    usage: list[bytes]
    options: list[Option]


def read_spec(data: bytes, *, ctx: Context) -> Spec:
    """The declarations in a text. Raises BadRequest where there is no `--`, nothing in front of it, or no name."""
    lines = _lines(data)
    usage: list[bytes] = []
    at = 0
    while True:
        ctx.tick()
        if at >= len(lines):
            raise BadRequest("premature end of input")
        line = lines[at].split(b"\0", 1)[0]
        at += 1
        if line == b"--":
            break
        usage.append(line)
    if not usage:
        raise BadRequest("no usage string given before the `--' separator")
    options = []
    for line in lines[at:]:
        ctx.tick()
        if line:
            options.append(_option(line.split(b"\0", 1)[0]))
    return Spec(usage, options)


def _lines(data: bytes) -> list[bytes]:
    """The lines without their ends, which are those of Unix or of Windows."""
    lines = data.split(b"\n")
    last = lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    return [*lines, last] if last else lines


def _option(line: bytes) -> Option:
    space = _SPACE.search(line)
    if space is None or space.start() == 0:
        return Option(heading=True, help=line.lstrip(_SPACES))
    spec, help_text = line[: space.start()], line[space.end() :].lstrip(_SPACES)
    first = _FLAGS.search(spec)
    end = len(spec) if first is None else first.start()
    if not end:
        raise BadRequest("missing opt-spec before option flags")
    names, rest = spec[:end], spec[end:]
    hint = rest.lstrip(b"*=?!")
    flags = rest[: len(rest) - len(hint)]
    short, long = _names(names)
    return Option(
        short,
        long,
        value=_value(flags),
        negatable=b"!" not in flags,
        hidden=b"*" in flags,
        hint=hint or None,
        help=help_text,
    )


def _names(names: bytes) -> tuple[bytes, bytes | None]:
    if len(names) == 1:
        return names, None
    return (names[:1], names[2:]) if names[1:2] == b"," else (b"", names)


def _value(flags: bytes) -> str:
    return "may" if b"?" in flags else "must" if b"=" in flags else "no"
