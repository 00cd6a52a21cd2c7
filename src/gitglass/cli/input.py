"""Standard input in pieces: a program may write a line, and wait for its answer before it writes the next one."""

from collections.abc import Callable, Iterator
from io import BufferedReader
from select import select

#: a piece is read at least in steps of this size, and has at most about as much as the second number says
_STEP, _MOST = 1 << 20, 1 << 24


def input_blocks(stream: BufferedReader, flush: Callable[[], object]) -> Iterator[bytes]:
    """What comes on a stream; in each piece as much as is there at a time.

    `flush` is called before each wait for more: the other side may wait for what was answered so far.
    """
    while True:
        flush()
        parts = [stream.read1(_STEP)]
        size = len(parts[0])
        while parts[-1] and size < _MOST and select([stream], [], [], 0)[0]:
            parts.append(stream.read1(_STEP))
            size += len(parts[-1])
        if size:
            yield b"".join(parts)
        if not parts[-1]:
            return
