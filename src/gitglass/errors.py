"""The exception tree. Everything that can go wrong for a caller is a `GitError`.

    GitError                    code                status  on the command line
    │                           internal            128     a bug in gitglass, not a fault of caller or repository
    ├── InvalidArgs             invalid_args        129     error: …            (usage)
    │   └── UsageError          invalid_args        129     error: …, and the command's usage
    ├── BadRequest              invalid_args        128     fatal: …            (understood, and makes no sense)
    ├── BadConfig               bad_config          128     a setting that cannot be what it should be
    ├── NotFound                not_found           128     fatal: …
    │   └── MissingObject       missing_object      128
    ├── NotFetched              not_fetched         128     a partial clone has left the object on the server
    ├── Ambiguous               ambiguous           128
    ├── NotARepository          not_a_repository    128
    ├── NoWorkTree              no_work_tree        128     a bare repository, or a directory outside of the work tree
    ├── SandboxViolation        sandbox_violation   128     outside the jail
    ├── PermissionDenied        permission_denied   128
    ├── Unsupported             unsupported         128     (129 where an option is refused by name)
    ├── Corrupt                 corrupt             128
    ├── Unreadable              unreadable          128     the operating system failed to read a file
    ├── TooLarge                too_large           128     a limit of the caller's was met
    ├── Timeout                 timeout             124
    ├── Cancelled               cancelled           130
    ├── Conflict                conflict            1
    └── CommandFailed           failed              any     what `Completed.check_returncode` raises

Each error carries a machine's `code`, `data` about the case, a `hint` for a person or a model (the remedy), and git's
own words and exit status for the command line. Text that came from a repository may hold any bytes; it travels in
`str` through `text()` and leaves through `words()` unchanged but for control characters, see `report`.
"""

_REPORT = 4096  # git writes a report through a buffer of this size, and what does not fit is cut
_REPORTS = (b"fatal: ", b"error: ", b"warning: ")
_SHOWN = bytes(byte if byte in b"\t\n" or (byte >= 32 and byte != 127) else 63 for byte in range(256))


def text(raw: bytes) -> str:
    """Bytes from a repository as text that `GitError.words` turns back into the same bytes."""
    return raw.decode("utf-8", "surrogateescape")


def report(line: bytes) -> bytes:
    """A line for stderr as git writes it, with its newline: in reports `?` stands for a control character, so that
    what a name holds does not reach the terminal, and what does not fit git's buffer is cut. Other lines are as given.
    """
    if line.startswith(_REPORTS):
        line = line.translate(_SHOWN)
        if len(line) >= _REPORT:
            line = b"\n".join(part[: _REPORT - 1] for part in _reports(line))
    return line + b"\n"


def _reports(lines: bytes) -> list[bytes]:
    """Lines cut where git begins another report."""
    parts: list[list[bytes]] = []
    for line in lines.split(b"\n"):
        if not parts or line.startswith(_REPORTS) or line == b"Aborting" or line.startswith(b"Merge with strategy "):
            parts.append([])
        parts[-1].append(line)
    return [b"\n".join(part) for part in parts]


class GitError(Exception):
    """The root of the tree.

    `message` is git's sentence without its prefix; an empty message prints nothing (git sometimes only exits).
    `status` is the exit status, `prefix` the word git puts in front (`fatal`, `error`, or "" for a bare line).
    """

    code = "internal"
    status = 128
    prefix = "fatal"
    remedy: str | None = None  # what to do about errors of this class, where one brings no hint of its own

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        prefix: str | None = None,
        **data: object,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.remedy if hint is None else hint
        self.data = data
        if status is not None:
            self.status = status
        if prefix is not None:
            self.prefix = prefix

    def words(self) -> bytes:
        """The line or lines for stderr, as git would write them."""
        if not self.message:
            return b""
        line = f"{self.prefix}: {self.message}" if self.prefix else self.message
        return report(line.encode("utf-8", "surrogateescape"))

    def streams(self) -> tuple[bytes, bytes]:
        """What git says on both streams: some refusals print the state of the work tree."""
        out, err = self.data.get("stdout"), self.data.get("stderr")
        return out if isinstance(out, bytes) else b"", err if isinstance(err, bytes) else self.words()

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.status, self.prefix, self.data)


def _rebuild(
    kind: type[GitError], message: str, hint: str | None, status: int, prefix: str, data: dict[str, object]
) -> GitError:
    error = kind(message, hint=hint, status=status, prefix=prefix)
    error.data = data
    return error


class InvalidArgs(GitError):
    """The request cannot be read: an unknown option, a bad value, too few arguments."""

    code = "invalid_args"
    status = 129
    prefix = "error"


class UsageError(InvalidArgs):
    """A command line that the command's usage does not have: an unknown option, say. git prints the usage behind it."""

    remedy = "`gitglass <command> -h` lists the options."
    usage = b""
    about: object = None  # the command whose usage follows, where none was being read yet


class BadRequest(GitError):
    """The request can be read, and asks for what cannot be: options that contradict each other, a value out of range,
    a pattern or format that makes no sense."""

    code = "invalid_args"
    remedy = "Change the argument that the message names."


class BadConfig(GitError):
    """A setting has a value that it cannot have."""

    code = "bad_config"
    remedy = "Correct or remove the setting that the message names, or override it with -c <name>=<value>."


class NotFound(GitError):
    """A revision, path, remote or file that was named does not exist."""

    code = "not_found"


class MissingObject(NotFound):
    """An object that is referred to is not in the object database. Nothing is ever fetched."""

    code = "missing_object"


class NotFetched(GitError):
    """An object that a partial clone has left on the server (gitglossary(7), "partial clone").

    git would fetch it. It is no NotFound: where git goes on without an object that does not exist, it would have had
    this one. `data["oid"]` is the object.
    """

    code = "not_fetched"
    remedy = "Let git fetch the object (any git command that reads it does), or ask for other paths."


class Ambiguous(GitError):
    """A name that fits several things; `data["candidates"]` lists them where known."""

    code = "ambiguous"


class NotARepository(GitError):
    """No repository at the place asked for, or above it within the root."""

    code = "not_a_repository"


class NoWorkTree(GitError):
    """What was asked needs a work tree, and there is none here."""

    code = "no_work_tree"
    remedy = "The repository is bare, or the place lies outside of its work tree: name revisions."


class SandboxViolation(GitError):
    """Something asked for, or pointed to by the repository, lies outside the jail."""

    code = "sandbox_violation"


class PermissionDenied(GitError):
    """The operating system or a policy does not allow it."""

    code = "permission_denied"


class Unsupported(GitError):
    """A thing git can do and gitglass does not, refused by name."""

    code = "unsupported"


class Corrupt(GitError):
    """Data of the repository that cannot be what it claims to be."""

    code = "corrupt"


class WrongKind(Corrupt):
    """An object is of another kind than what refers to it says."""


class Unreadable(GitError):
    """The operating system failed to open or read a file that is there."""

    code = "unreadable"
    remedy = "Look at the file and its file system; it is not the request that is wrong."


class TooLarge(GitError):
    """More than the limits of this call allow."""

    code = "too_large"


class Timeout(GitError):
    """The deadline of this call passed."""

    code = "timeout"
    status = 124


class Cancelled(GitError):
    """The caller cancelled."""

    code = "cancelled"
    status = 130


class Conflict(GitError):
    """The state of the repository contradicts the request."""

    code = "conflict"
    status = 1


class CommandFailed(GitError):
    """A command line ended with a status other than 0, and the caller wanted that raised.

    `returncode`, `stdout` and `stderr` are those of the answer, as in `subprocess.CalledProcessError`.
    """

    code = "failed"

    @property
    def returncode(self) -> int:
        """The exit status."""
        return self.status

    @property
    def stdout(self) -> object:
        """What was printed, as bytes or text."""
        return self.data.get("stdout")

    @property
    def stderr(self) -> object:
        """What was reported, as bytes or text."""
        return self.data.get("stderr")


class Locked(Conflict):
    """Somebody else holds the lock of a file that would be written; `data` has its `path` and `age` in seconds.

    A lock of others is waited for a moment and never removed.
    """

    code = "locked"
    status = 128
    prefix = "fatal"
    remedy = "Another git process may be at work: wait for it. If none is, remove the lock file by hand."


class StaleApproval(Conflict):
    """What was approved is not what would be done now; `data["changed"]` names what moved, `data["plan"]` is the new
    plan's digest."""

    code = "stale_approval"
    remedy = "Look at the new plan and approve that one."


class NotGranted(PermissionDenied):
    """The host's grant does not cover what an operation would do."""

    code = "not_granted"
    remedy = "The host decides what may be written: ask for a wider grant, or do less."
