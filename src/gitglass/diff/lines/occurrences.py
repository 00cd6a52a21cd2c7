"""Where a run of lines stands in a text, in one pass however often a part of it is repeated.

After a mismatch the search goes on with the longest beginning of the run that ends there (Knuth, Morris and Pratt).
"""

from collections.abc import Iterator, Sequence

from ...limits import paced, watched


def occurrences(lines: Sequence[bytes | None], wanted: list[bytes], least: int = 0) -> Iterator[int]:
    """The positions, from `least` on, at which these lines (at least one) stand; they may overlap."""
    numbers: dict[bytes | None, int] = {line: number for number, line in enumerate(paced(wanted))}
    keys = [numbers[line] for line in paced(wanted)]
    shorter, length = [0], 0
    for key in watched(keys[1:]):
        while length and keys[length] != key:
            length = shorter[length - 1]
        length += keys[length] == key
        shorter.append(length)
    length = 0
    for at in watched(range(least, len(lines))):
        key = numbers.get(lines[at], -1)
        while length and (length == len(keys) or keys[length] != key):
            length = shorter[length - 1]
        length += keys[length] == key
        if length == len(keys):
            yield at - length + 1
