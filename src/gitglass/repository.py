"""Repository: one opened repository, asked with typed requests or with git's argv.

`open` and `git` are the library's two doors. `git(argv, cwd=…)` stands where `subprocess.run(["git", …])` stood and has
git's own reach (alternates, linked worktrees and submodules are followed wherever they lie); `open(path)` is jailed: to
`root` where one is given, else to the repository that is found.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from .commands.command import execute
from .commands.registry import NAMES, load
from .errors import GitError, InvalidArgs
from .limits import Context, Limits
from .model.request import Request
from .store.discover import Where
from .store.store import Store, open_store

if TYPE_CHECKING:
    from .cli.answer import Session

R = TypeVar("R", bound=BaseModel)
StrPath = str | bytes | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Completed:
    """What a command line gave; the fields are those of `subprocess.CompletedProcess`."""

    args: list[str]
    returncode: int
    stdout: bytes
    stderr: bytes

    def check_returncode(self) -> None:
        """Raise GitError, with the text of stderr, where the status is not 0."""
        if self.returncode:
            words = self.stderr.decode("utf-8", "surrogateescape").strip() or f"exit status {self.returncode}"
            raise GitError(words, status=self.returncode, prefix="", args=self.args)


class Repository:
    """A handle on one repository: read-only, jailed, isolated from the user's own configuration.

    Threads may share it. It pickles as its path and options, and opens again where it arrives.
    """

    def __init__(self, path: StrPath, *, root: StrPath | None = None, limits: Limits | None = None) -> None:
        self._where = Where(cwd=_absolute(path))
        self._root = None if root is None else _absolute(root)
        self._limits = limits or Limits()
        self._store = open_store(self._where, root=self._root, config={})

    def __reduce__(self) -> tuple[object, ...]:
        return _reopen, (self._where.cwd, self._root, self._limits)

    def __repr__(self) -> str:
        return f"gitglass.open({os.fsdecode(self._where.cwd)!r})"

    @property
    def path(self) -> str:
        """The work tree's top directory, or the git directory of a bare repository."""
        return os.fsdecode(self._store.work_tree or self._store.git_dir)

    @property
    def store(self) -> Store:
        """The opened files, for those who build on the engines."""
        return self._store

    def run(
        self,
        request: Request[R],
        *,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> R:
        """Answer a typed request with its typed result.

        Raises a `GitError`; `cancelled` is asked now and then, `progress` is told (what, done, total).
        """
        command = _command_of(type(request))
        ctx = Context(self._limits, cancelled=cancelled, progress=progress)
        self._store.refresh()
        result: R = command.collect(execute(command, self._store, request, ctx), request)
        if ctx.notes and "notes" in type(result).model_fields:
            result = result.model_copy(update={"notes": [*getattr(result, "notes", ()), *ctx.notes]})
        return result

    def git(self, argv: Sequence[str], *, stdin: bytes = b"") -> Completed:
        """Answer git's argv with git's bytes and exit status; errors are in `stderr`, none is raised."""
        return _complete(argv, _session(self._where, self._root, self._store, stdin), self._limits)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`repo.log("v1..", paths=["src"])`: a method for each command, with the fields of its request as keywords."""
        command = name.replace("_", "-")
        if name.startswith("_") or command not in NAMES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

        def call(*revs: str, **fields: Any) -> Any:
            module = load(command)
            assert module is not None
            request_class = module.COMMAND.request
            if revs:
                target = "revs" if "revs" in request_class.model_fields else _first_field(request_class)
                fields[target] = list(revs) if target == "revs" else revs[0]
            return self.run(request_class.model_validate(fields))

        call.__name__ = name
        call.__doc__ = f"The typed answer of `git {command}`; keywords are the fields of its request."
        return call


def open(path: StrPath, *, root: StrPath | None = None, limits: Limits | None = None) -> Repository:
    """Open the repository at `path` or above it, never above `root`.

    Without `root` the repository that is found is the jail: its work tree, its git directory, and the common directory
    of a linked worktree whose link is reciprocal. Raises NotARepository, SandboxViolation, Unsupported (a repository
    format that is not known).
    """
    return Repository(path, root=root, limits=limits)


def git(
    argv: Sequence[str],
    *,
    cwd: StrPath = ".",
    stdin: bytes = b"",
    limits: Limits | None = None,
    root: StrPath | None = None,
) -> Completed:
    """Answer git's argv in a directory, as `subprocess.run(["git", *argv], cwd=cwd, capture_output=True)` would.

    Neither the environment nor the user's own configuration is read. What git would report on stderr is not raised.
    """
    jail = b"/" if root is None else _absolute(root)
    return _complete(argv, _session(Where(cwd=_absolute(cwd)), jail, None, stdin), limits or Limits.generous())


def _complete(argv: Sequence[str], session: "Session", limits: Limits) -> Completed:
    from .cli.answer import answer  # the terminal's door is loaded when argv is spoken

    out: list[bytes] = []
    err: list[bytes] = []
    words = list(argv)
    status = answer(words, session, Context(limits), out.append, err.append)
    return Completed(words, status, b"".join(out), b"".join(err))


def _session(where: Where, root: bytes | None, store: Store | None, stdin: bytes) -> "Session":
    from .cli.answer import Session

    return Session(where, root, store=store, read_stdin=lambda: stdin)


def _absolute(path: StrPath) -> bytes:
    return os.path.abspath(os.fsencode(path))


def _reopen(path: bytes, root: bytes | None, limits: Limits) -> Repository:
    return Repository(path, root=root, limits=limits)


def _command_of(request: type[Request[Any]]) -> Any:
    """The command that a request class belongs to: the one of the module it was written in."""
    home = request.__module__.rpartition(".")[2]
    for name in sorted(NAMES, key=lambda name: NAMES[name] != home):  # the module of that name first
        module = load(name)
        for command in (getattr(module, "COMMAND", None), *getattr(module, "SUBCOMMANDS", {}).values()):
            if command is not None and command.request is request:
                return command
    raise InvalidArgs(f"{request.__name__} is not a request of a command")


def _first_field(request: type[Request[Any]]) -> str:
    return next(iter(request.model_fields))
