"""Random texts in three versions, and the options of `git merge-file` to merge them with."""

from __future__ import annotations

import random
from collections.abc import Iterator

WORDS = [b"a", b"b", b"c", b"", b"", b"}", b"{", b"int x;", b"foo", b"bar", b"  ", b"\t", b"--", b"\xc3\xa9", b"0"]
OPTIONS = [
    [], [], ["--diff3"], ["--zdiff3"], ["--union"], ["--ours"], ["--theirs"], ["--marker-size=9"], ["-L", "mine", "--diff3"],
]  # fmt: skip
Case = tuple[tuple[bytes, bytes, bytes], list[str]]


def cases(seed: int, count: int) -> Iterator[Case]:
    """(ours, base, theirs) and options, `count` times."""
    rnd = random.Random(seed)
    for _ in range(count):
        base = _text(rnd, rnd.choice([0, 1, 5, 12, 40]))
        windows = rnd.random() < 0.1
        sides = [_edited(rnd, base), base, _edited(rnd, base)]
        ours, original, theirs = (_joined(rnd, lines, windows=windows) for lines in sides)
        yield (ours, original, theirs), rnd.choice(OPTIONS)


def _text(rnd: random.Random, lines: int) -> list[bytes]:
    return [rnd.choice(WORDS) for _ in range(lines)]


def _edited(rnd: random.Random, lines: list[bytes]) -> list[bytes]:
    lines = list(lines)
    for _ in range(rnd.randint(0, 6)):
        at, kind = rnd.randint(0, len(lines)), rnd.random()
        if kind < 0.4:
            lines[at:at] = _text(rnd, rnd.randint(1, 4))
        elif kind < 0.8:
            del lines[at : at + rnd.randint(1, 4)]
        else:
            lines[at : at + 2] = _text(rnd, 2)
    return lines


def _joined(rnd: random.Random, lines: list[bytes], *, windows: bool) -> bytes:
    end = b"\r\n" if windows == (rnd.random() < 0.9) else b"\n"
    return end.join(lines) + (end if lines and rnd.random() < 0.85 else b"")
