"""The protocol of a target: it tells a branch's value, takes objects, and moves the branch by compare-and-swap.

A host makes targets; an agent only names them. Everything that opens a file or a socket is behind this protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

from ...errors import Conflict, GitError
from ...records import field, record
from ..incoming import Incoming
from ..model import StagedCommit

Kind = Literal["local", "local-bare", "remote", "github"]


@record(frozen=True)
class Branches:
    """The branches of a target, sorted; the one that is checked out, or that HEAD names; the protected ones."""

    names: tuple[str, ...]
    current: str | None = None
    protected: tuple[str, ...] = ()


@record(frozen=True)
class Outgoing:
    """The change of one ref: from `expected` (None: it does not exist) to `commit`.

    `objects` are those that the target may lack, by name: (kind, content), each after the objects that it refers to.
    `commits` are the staged commits, for targets that are sent files instead of objects, and `read` returns any object
    of theirs.
    """

    ref: str
    expected: str | None
    commit: str
    objects: dict[bytes, tuple[bytes, bytes]] = field(repr=False)
    approver: str = ""
    commits: tuple[StagedCommit, ...] = ()
    read: Callable[[bytes], tuple[bytes, bytes]] | None = field(default=None, repr=False)


@record(frozen=True)
class Sent:
    """The ref has moved. `server` is the target's own message; `renamed` maps the staged commits that have another name
    there to it."""

    server: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


class RefMoved(Conflict):
    """The ref did not name what was expected, and nothing was changed."""


class Rejected(GitError):
    """The target refuses, whatever the ref's value: a hook, a rule, a lock; `data["server"]` has its message."""

    code = "rejected"


class LostAnswer(GitError):
    """It is not known whether the ref has moved: no answer came. The ref has to be read again."""

    code = "unknown_outcome"


class Unreachable(LostAnswer):
    """The target could not be reached; nothing was sent. `data["wait"]` is the pause in seconds that it asks for."""

    code = "remote_failed"


class Target(Protocol):
    """A repository that commits can be pushed to and pulled from."""

    @property
    def name(self) -> str:
        """The host's name for it."""
        ...

    @property
    def kind(self) -> Kind:
        """Its type in document 4."""
        ...

    @property
    def where(self) -> str:
        """A name by which agents may refer to it, beside its own: its path, repository or address."""
        ...

    @property
    def branch(self) -> str | None:
        """The destination of pushes that name no branch: a name or a template; None: not set."""
        ...

    @property
    def hash_name(self) -> str:
        """The format of its object names: "sha1", "sha256"."""
        ...

    def head(self, ref: str) -> str | None:
        """The present value of a ref, always read again; None if it does not exist. Raises LostAnswer if it cannot be
        read."""
        ...

    def branches(self) -> Branches:
        """Its branches now."""
        ...

    def is_protected(self, branch: str) -> bool:
        """Whether a push to a branch is a high risk, and never approved automatically."""
        ...

    def incoming(self, branch: str | None) -> Incoming:
        """The commit that a branch (None: the target's own) names now. Raises NotFound."""
        ...

    def holds(self) -> Callable[[bytes], bool]:
        """A function that tells whether the target certainly has an object."""
        ...

    def notes(self, ref: str) -> tuple[str, ...]:
        """What a person should know before a push to the ref: hooks that are not run, files that are updated."""
        ...

    def send(self, outgoing: Outgoing) -> Sent:
        """Send the objects, then move the ref. Raises RefMoved, Rejected, LostAnswer."""
        ...


@runtime_checkable
class Renaming(Protocol):
    """A target that makes commits of its own from the staged ones: with the same files, under other names."""

    def arrived(self, commits: tuple[StagedCommit, ...], head: str) -> dict[str, str]:
        """The staged commits that are in the history of a head, with their names there. Raises LostAnswer if that
        cannot be read."""
        ...
