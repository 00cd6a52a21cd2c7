"""Operations on paths as text, without access to the disk."""

from collections.abc import Iterator


def normal_path(base: bytes, word: bytes) -> bytes:
    """`word` as an absolute path without `.` and `..`, relative to `base`; symbolic links are not resolved."""
    parts: list[bytes] = []
    for part in (word if word.startswith(b"/") else base + b"/" + word).split(b"/"):
        if part == b"..":
            if parts:
                parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return b"/" + b"/".join(parts)


def directories_above(path: bytes) -> Iterator[bytes]:
    """The directories above a relative path, from the top down: `a`, `a/b` for `a/b/c`."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)
