"""Paths as text, before anything is looked at on disk."""


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
