"""Lines that count as equal although their white space differs: `-w`, `-b` and kin fold each line to a key."""

from __future__ import annotations

import re
from collections.abc import Callable

from .linespec import LineSpec

__all__ = ["NO_EOL", "bare", "folder", "is_blank"]

#: What follows an incomplete last line in a patch; `lines` keeps it on that line, so that joining lines prints it.
NO_EOL = b"\n\\ No newline at end of file"

_SPACE = b" \t\n\r"  # what git calls white space: no \v, no \f
_RUN = re.compile(rb"[ \t\n\r]+")


def bare(line: bytes) -> bytes:
    """A line without the mark of an incomplete one."""
    return line[: -len(NO_EOL)] if b"\n" in line else line


def folder(spec: LineSpec) -> Callable[[bytes], bytes] | None:
    """The function that makes equal keys of lines that count as equal; None where only equal lines are."""
    if spec.ignore_all_space:
        return lambda line: bare(line).translate(None, _SPACE)
    if spec.ignore_space_change:
        return lambda line: _RUN.sub(b" ", bare(line)).rstrip(b" ")
    if spec.ignore_space_at_eol:
        return lambda line: bare(line).rstrip(_SPACE)
    if spec.ignore_cr_at_eol:
        # The carriage return of an incomplete line is text.
        return lambda line: line[: -len(NO_EOL)] if b"\n" in line else line.removesuffix(b"\r")
    return None


def is_blank(line: bytes, folds: bool) -> bool:
    """Is this line blank for `--ignore-blank-lines`? White space counts as nothing only where some is ignored."""
    if not folds:
        return len(bare(line)) == 0 if b"\n" not in line else len(bare(line)) <= 1
    return not bare(line).strip(_SPACE)
