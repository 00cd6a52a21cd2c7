"""Conflict markers: their labels in workspaces, and whether a text has any that nobody has settled."""

from __future__ import annotations

OURS, THEIRS = "ours (sandbox)", "theirs (incoming)"
LABELS = (OURS, THEIRS)


def has_marks(content: bytes) -> bool:
    """Whether a text has the three markers of a conflict, in their order, each at the beginning of its line."""
    if b"<<<<<<< " not in content or b">>>>>>> " not in content:
        return False
    wanted = (b"<<<<<<< ", b"=======", b">>>>>>> ")
    at = 0
    for line in content.split(b"\n"):
        if line.startswith(wanted[at]) and (at != 1 or not line.strip(b"=\r")):
            at += 1
            if at == len(wanted):
                return True
    return False
