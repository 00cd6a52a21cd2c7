"""Where tests write."""

import os
import tempfile

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


def write_into_memory() -> None:
    """Have temporary files of this process, and of those it starts, be made in memory, unless the environment says
    where. The tests make and remove some hundred thousand, which a disk takes longer for than the tests for all else."""
    if not {"TMPDIR", "TEMP", "TMP"} & os.environ.keys() and has_room("/dev/shm"):
        os.environ["TMPDIR"] = tempfile.tempdir = "/dev/shm"
