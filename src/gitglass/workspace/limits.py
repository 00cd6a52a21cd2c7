"""How large a workspace may grow, which files it may have, and where agents see them."""

from __future__ import annotations

from typing import Literal

from ..errors import InvalidArgs, SandboxViolation, text
from ..records import record

_MIB = 1 << 20


@record(frozen=True)
class WsLimits:
    """The ceilings of one workspace; sizes are in bytes.

    files        paths that differ from the base
    warn_bytes   a file from which on a note says that it is large
    staged       commits in the stack
    depth        directories that a path may lead through
    log          operations that can be undone
    symlinks     whether symbolic links may be made
    lfs          "refuse": a path that Git LFS keeps cannot be written; "plain": its content becomes a plain blob
    """

    files: int = 5_000
    file_bytes: int = 64 * _MIB
    warn_bytes: int = 10 * _MIB
    total_bytes: int = 256 * _MIB
    pull_bytes: int = 256 * _MIB
    staged: int = 100
    message: int = 64 << 10
    path: int = 1024
    depth: int = 64
    log: int = 200
    symlinks: bool = False
    lfs: Literal["refuse", "plain"] = "refuse"


@record(frozen=True)
class Mount:
    """Where agents see the tree: `sandbox` stands for the directory `repo` of the repository (document 4 has
    `/workspace/` as its top)."""

    sandbox: str = "/workspace/"
    repo: str = ""

    def __post_init__(self) -> None:
        if not (self.sandbox.startswith("/") and self.sandbox.endswith("/")):
            raise InvalidArgs(f"'{self.sandbox}' does not begin and end with a slash")
        if self.repo and not self.repo.endswith("/"):
            raise InvalidArgs(f"'{self.repo}' does not end with a slash")

    def path_of(self, name: str) -> bytes:
        """The path in the repository that a name stands for: an absolute one in the sandbox, or one relative to its
        top.

        Raises SandboxViolation for an absolute name elsewhere.
        """
        if name == self.sandbox.rstrip("/"):
            name = ""
        elif name.startswith(self.sandbox):
            name = name[len(self.sandbox) :]
        elif name.startswith("/"):
            raise SandboxViolation(f"'{name}' lies outside of {self.sandbox}", path=name)
        return (self.repo + name).encode("utf-8", "surrogateescape")

    def name_of(self, path: bytes) -> str:
        """The name in the sandbox of a path of the repository; a path outside of the mounted directory keeps its own
        name."""
        whole = text(path)
        return self.sandbox + whole[len(self.repo) :] if whole.startswith(self.repo) else whole
