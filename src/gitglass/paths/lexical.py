"""Paths as text, before anything is looked at on disk."""

from collections.abc import Iterator


def normal_path(base: bytes, word: bytes) -> bytes:
    """A word as an absolute path without `.` and `..`, as written: symbolic links are not looked at."""
    parts: list[bytes] = []
    for part in (word if word.startswith(b"/") else base + b"/" + word).split(b"/"):
        if part == b"..":
            if parts:
                parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return b"/" + b"/".join(parts)


def directories_above(path: bytes) -> Iterator[bytes]:
    """The directories on the way to a relative path, from the top down: `a`, `a/b` of `a/b/c`."""
    at = path.find(b"/")
    while at >= 0:
        yield path[:at]
        at = path.find(b"/", at + 1)
