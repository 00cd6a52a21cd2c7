"""Delta application: dulwich's compiled one where it is there, its pure one otherwise, and bounds around both.

dulwich is imported when the first delta comes: its package costs milliseconds, and many commands meet none.
"""

from collections.abc import Callable

from ..errors import Corrupt


def _load() -> Callable[[bytes, bytes], list[bytes]]:
    try:
        from dulwich._pack import apply_delta as compiled

        return compiled  # type: ignore[no-any-return]
    except ImportError:
        from dulwich.pack import apply_delta as pure

        return pure


_apply: Callable[[bytes, bytes], list[bytes]] | None = None


def delta_sizes(delta: bytes) -> tuple[int, int, int]:
    """(size of the base, size of the result, where the instructions begin) as a delta claims them."""
    sizes = []
    at = 0
    try:
        for _ in range(2):
            size = shift = 0
            while True:
                byte = delta[at]
                at += 1
                size |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
                if shift > 63:
                    raise Corrupt("delta size out of range")
            sizes.append(size)
    except IndexError:
        raise Corrupt("delta ends within its header") from None
    return sizes[0], sizes[1], at


def apply_delta(base: bytes, delta: bytes, limit: int) -> bytes:
    """The object a delta makes of its base; `Corrupt` when it does not fit the base or grows beyond `limit`.

    The claimed size is looked at first (the result is allocated from it) and the instructions cannot exceed it.
    """
    global _apply
    if _apply is None:
        _apply = _load()
    try:
        # two sizes that end within five bytes claim less than 64 MiB; most do, and need no closer look
        if not (delta[1:2] < b"\x80" and delta[3:4] < b"\x80" and limit >= 1 << 26) and delta_sizes(delta)[1] > limit:
            raise Corrupt("delta result exceeds the size limit")
        made = _apply(base, delta)
    except Corrupt:
        raise
    except Exception as error:
        raise Corrupt(f"failed to apply delta: {error}") from None
    return made[0] if len(made) == 1 else b"".join(made)
