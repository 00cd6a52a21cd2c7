"""Where tests write."""

import os

#: What a run of all tests needs at a time is an eighth of this: what a test that passed has written is removed.
ROOM = 2 << 30


def has_room(folder: str, room: int = ROOM) -> bool:
    """Whether a directory can hold what tests write, and the programs that they write can be started there."""
    try:
        space = os.statvfs(folder)
    except OSError:
        return False
    if space.f_flag & os.ST_NOEXEC or space.f_bavail * space.f_frsize < room:
        return False
    return os.access(folder, os.R_OK | os.W_OK | os.X_OK)
