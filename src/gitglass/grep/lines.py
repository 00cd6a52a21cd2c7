"""Lines of a file as places in its bytes: (start, end), the newline not included."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["Span", "all_lines", "blanked", "line_around", "lines_with", "odd_lines", "stretches"]

Span = tuple[int, int]

_STRETCH = 1 << 16  # bytes that are read as characters at a time
_ODD_BYTE = re.compile(rb"[\x80-\xff]")


def odd_lines(data: bytes) -> list[Span]:
    """The lines with bytes beyond ASCII. Byte by byte: a pattern for whole lines is slow where lines are long."""
    spans: list[Span] = []
    match = _ODD_BYTE.search(data)
    while match is not None:
        spans.append(line_around(data, match.start()))
        match = _ODD_BYTE.search(data, spans[-1][1])
    return spans


def lines_with(data: bytes, part: bytes) -> Iterator[Span]:
    """The lines that contain a text."""
    at = data.find(part)
    while at >= 0:
        span = line_around(data, at)
        yield span
        at = data.find(part, span[1])


def line_around(data: bytes, at: int) -> Span:
    """The line in which a byte stands; its newline is its last one."""
    end = data.find(b"\n", at)
    return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end


def stretches(data: bytes) -> Iterator[Span]:
    """(start, end) of some whole lines at a time."""
    start, size = 0, len(data)
    while start < size:
        end = data.rfind(b"\n", start, start + _STRETCH) + 1 or data.find(b"\n", start + _STRETCH) + 1 or size
        yield start, end
        start = end


def all_lines(data: bytes) -> Iterator[Span]:
    """(start, end) of every line."""
    start, size, find = 0, len(data), data.find
    while start < size:
        end = find(b"\n", start)
        if end < 0:
            end = size
        yield start, end
        start = end + 1


def blanked(data: bytes, lines: list[Span]) -> bytes:
    """The data with NULs in place of some lines."""
    out = bytearray(data)
    for start, end in lines:
        out[start:end] = bytes(end - start)
    return bytes(out)
