"""git's lock files: `<file>.lock`, made if it does not exist, renamed over the file to install what was written.

A lock is first a file among the operation's own, and is then linked to its name: whoever finds it after a crash
knows by its inode whose it is, and so does one that was written anew. A lock of somebody else's is waited for, then
reported with its age, and never removed. Mirrors git's lockfile protocol (gitrepository-layout(5); git waits 100 ms
for refs and 1 s for packed-refs, `core.filesRefLockTimeout`, `core.packedRefsTimeout`).
"""

from __future__ import annotations

import time

from ..errors import Locked, text
from .door import Door

_POLL = 0.01


class Lock:
    """The lock of one file below the git directory, from `take` until `install` or `release`."""

    __slots__ = ("_door", "_draft", "_rewritten", "held", "path")

    def __init__(self, door: Door, path: bytes, draft: bytes) -> None:
        self._door, self.path, self._draft, self.held = door, path, draft, False
        self._rewritten = False

    @property
    def name(self) -> bytes:
        """The lock file."""
        return self.path + b".lock"

    def take(self, content: bytes = b"", *, wait: float = 0.1, mode: int = 0o666) -> None:
        """Hold the lock, with `content` to be installed. Raises Locked when somebody else has it for all of `wait`
        seconds."""
        self._door.new_file(self._draft, content, mode)
        folder, draft = self._door.split(self._draft)
        into, name = self._door.split(self.name, make=True)
        assert folder is not None and into is not None
        end = time.monotonic() + wait
        while True:
            try:
                self._door.calls.link(folder.fd, draft, into.fd, name)
                break
            except FileExistsError:
                if time.monotonic() >= end:
                    self._door.calls.unlink(folder.fd, draft)
                    raise self._locked() from None
                time.sleep(_POLL)
            except FileNotFoundError:  # its directory was removed as empty meanwhile
                if time.monotonic() >= end + _POLL:
                    raise
                into, name = self._door.split(self.name, make=True)
                assert into is not None
        self.held = True

    def _locked(self) -> Locked:
        info = self._door.lstat(self.name)
        age = 0 if info is None else max(0, int(time.time() - info.st_mtime))
        return Locked(
            f"Unable to create '{text(self.name)}': File exists.\n\n"
            "Another git process seems to be running in this repository, e.g.\n"
            "an editor opened by 'git commit'. Please make sure all processes\n"
            "are terminated then try again. If it still fails, a git process\n"
            "may have crashed in this repository earlier:\n"
            "remove the file manually to continue.",
            path=text(self.name),
            age=age,
        )

    def rewrite(self, content: bytes, *, mode: int = 0o666, sync: bool = False) -> None:
        """Other content for the file that will be installed: a new file in the lock's place."""
        self._rewritten = True
        mark, fresh = self._draft.replace(b"/lock-", b"/rewritten-"), self._draft + b"-new"
        self._door.new_file(fresh, content, mode, sync=sync)
        folder, name = self._door.split(fresh)
        assert folder is not None
        self._door.calls.link(folder.fd, name, folder.fd, mark.rpartition(b"/")[2])
        self._door.rename(fresh, self.name)

    def install(self) -> None:
        """The lock becomes the file. An empty directory in its place is removed first, as git does."""
        try:
            self._door.rename(self.name, self.path)
        except (IsADirectoryError, FileExistsError, NotADirectoryError):
            self._door.clear_folders(self.path)
            self._door.rename(self.name, self.path)
        self.held = False
        self._forget()

    def _forget(self) -> None:
        """Remove what stood beside the lock."""
        self._door.remove(self._draft)
        if self._rewritten:
            self._door.remove(self._draft + b"-new")
            self._door.remove(self._draft.replace(b"/lock-", b"/rewritten-"))

    def release(self) -> None:
        """Let go without a change."""
        if self.held:
            self._door.remove(self.name)
            self.held = False
        self._forget()
