"""What a target has to do: say where a branch is, take objects, and move the branch by compare-and-swap.

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
    """The branches of a target, sorted; the one that is checked out, or that HEAD names; those that are protected."""

    names: tuple[str, ...]
    current: str | None = None
    protected: tuple[str, ...] = ()


@record(frozen=True)
class Outgoing:
    """What is to happen to one ref: it names `expected` now (None: it does not exist) and is to name `commit`.

    `objects` are those that the target may lack, by name: (kind, content), what others need first. `commits` are what
    was staged, for targets that are told of files and not of objects, and `read` is any object of theirs.
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
    """The ref has moved. `server` are the target's own words; `renamed` are the staged commits that have another name
    there than here, by what they are called here."""

    server: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


class RefMoved(Conflict):
    """The ref did not name what was expected, and nothing was changed."""


class Rejected(GitError):
    """The target says no, whatever the ref names: a hook, a rule, a lock; `data["server"]` has its words."""

    code = "rejected"


class LostAnswer(GitError):
    """Nobody knows whether the ref has moved: the answer did not come. The ref has to be read again."""

    code = "unknown_outcome"


class Unreachable(LostAnswer):
    """The target could not be asked; nothing was sent. `data["wait"]` is how many seconds it asks to be left alone."""

    code = "remote_failed"


class Target(Protocol):
    """A repository that commits can be pushed to and pulled from."""

    @property
    def name(self) -> str:
        """What the host calls it."""
        ...

    @property
    def kind(self) -> Kind:
        """Document 4's type of it."""
        ...

    @property
    def where(self) -> str:
        """What agents may call it by, beside its name: its path, repository or address."""
        ...

    @property
    def branch(self) -> str | None:
        """Where pushes go that name no branch: a name or a template; None: the host has none in mind."""
        ...

    @property
    def hash_name(self) -> str:
        """The format of its object names: "sha1", "sha256"."""
        ...

    def head(self, ref: str) -> str | None:
        """What a ref names now, read anew; None where it does not exist. Raises LostAnswer where it cannot be read."""
        ...

    def branches(self) -> Branches:
        """Its branches now."""
        ...

    def is_protected(self, branch: str) -> bool:
        """Whether a push there is a high risk, and never approved by itself."""
        ...

    def incoming(self, branch: str | None) -> Incoming:
        """The commit that a branch (None: the target's own) names now. Raises NotFound."""
        ...

    def holds(self) -> Callable[[bytes], bool]:
        """A question: whether the target has an object for certain, by its name."""
        ...

    def notes(self, ref: str) -> tuple[str, ...]:
        """What a person should know before a push there: hooks that are not run, files that follow."""
        ...

    def send(self, outgoing: Outgoing) -> Sent:
        """Put the objects there, then move the ref. Raises RefMoved, Rejected, LostAnswer."""
        ...


@runtime_checkable
class Renaming(Protocol):
    """A target that makes commits of its own of what was staged: with the same files, under other names."""

    def arrived(self, commits: tuple[StagedCommit, ...], head: str) -> dict[str, str]:
        """Those of staged commits that the history of a head has, by what they are called here: the names there.
        Raises LostAnswer where that cannot be asked."""
        ...
