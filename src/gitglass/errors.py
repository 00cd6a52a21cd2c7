"""The exception tree. Everything that can go wrong for a caller is a `GitError`.

    GitError                    code                status  on the command line
    ├── InvalidArgs             invalid_args        129     error: …            (usage)
    ├── NotFound                not_found           128     fatal: …
    │   └── MissingObject       missing_object      128
    ├── Ambiguous               ambiguous           128
    ├── NotARepository          not_a_repository    128
    ├── SandboxViolation        sandbox_violation   128     outside the jail
    ├── PermissionDenied        permission_denied   128
    ├── Unsupported             unsupported         128     (129 where an option is refused by name)
    ├── Corrupt                 corrupt             128
    ├── TooLarge                too_large           128     a limit of the caller's was met
    ├── Timeout                 timeout             124
    ├── Cancelled               cancelled           130
    └── Conflict                conflict            1

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
            line = b"\nfatal: ".join(part[: _REPORT - 1] for part in line.split(b"\nfatal: "))
    return line + b"\n"


class GitError(Exception):
    """The root of the tree.

    `message` is git's sentence without its prefix; an empty message prints nothing (git sometimes only exits).
    `status` is the exit status, `prefix` the word git puts in front (`fatal`, `error`, or "" for a bare line).
    """

    code = "internal"
    status = 128
    prefix = "fatal"

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
        self.hint = hint
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


class NotFound(GitError):
    """A revision, path, remote or file that was named does not exist."""

    code = "not_found"


class MissingObject(NotFound):
    """An object that is referred to is not in the object database. Nothing is ever fetched."""

    code = "missing_object"


class Ambiguous(GitError):
    """A name that fits several things; `data["candidates"]` lists them where known."""

    code = "ambiguous"


class NotARepository(GitError):
    """No repository at the place asked for, or above it within the root."""

    code = "not_a_repository"


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
