"""What a host grants a writer. Nothing of it can come from a request, a model or a repository."""

from __future__ import annotations

import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Literal

from ..errors import InvalidArgs, NotGranted
from ..records import field, record
from ..request.mutations import INDEX, NETWORK, REFS, WORKTREE
from .process.granted import GrantedHooks, Programs

#: `refs`, `index` and work tree: what an operation without a network and without programs may change
LOCAL_EFFECTS = frozenset({INDEX, REFS, WORKTREE})
#: these, and asking other machines
ALL_EFFECTS = LOCAL_EFFECTS | {NETWORK}


@record(frozen=True)
class Identity:
    """A person or a program, as a commit names them."""

    name: str
    email: str

    def __post_init__(self) -> None:
        if not self.name.strip() or any(sign in self.name + self.email for sign in "<>\n\0"):
            raise InvalidArgs(f"'{self.name} <{self.email}>' is no identity")


@record(frozen=True)
class Credential:
    """User and password (or token) for one address. Neither is ever printed."""

    user: str
    password: str = field(repr=False)


#: asked with an address without user and password, each time anew; None: there is nothing for it
CredentialProvider = Callable[[str], Credential | None]


@record(frozen=True)
class WriteLimits:
    """How much one operation may write. Sizes are in bytes, times in seconds. The memory that it takes,
    and the size of an object, are bounded by the limits of the handle."""

    paths: int = 5_000
    file_bytes: int = 64 << 20
    total_bytes: int = 512 << 20
    message_bytes: int = 64 << 10
    timeout: float = 30.0
    network_timeout: float = 120.0


@record(frozen=True)
class WriteGrant:
    """What may be changed, by whom, and with what.

    effects     of "write_index", "write_refs", "write_worktree", "network"
    refs        patterns of the refs that may change, their full names
    protected   names of branches whose change is a High risk
    identity    author and committer; None: `user.name` and `user.email` of the configuration that the handle reads
    committer   the committer, where it is another than the author
    folders     patterns of the directories of the work tree in which files of gitglass's own may be made (patches)
    remotes     patterns of the other repositories that may be read and pushed to: absolute paths, https addresses
                without user and password; none: no other repository
    plain_http  whether http:// may be used on this very machine (127.0.0.1, ::1, localhost)
    credentials who is asked for user and password of an http address; None: nobody
    authorities certificates (PEM) of those who vouch for https servers, in the place of this machine's; None: these
    hooks       "refuse": an operation whose hook is installed is refused; "skip": it is not run, and that is said;
                GrantedHooks: those of `commit` that are granted by their bytes are run, any other refuses
    programs    the programs that may be run, by value; none by default
    clock       seconds since the epoch, asked once a plan; `zone` is minutes east of UTC (None: this machine's)
    """

    effects: frozenset[str] = LOCAL_EFFECTS
    refs: tuple[str, ...] = ("refs/heads/*", "refs/tags/*", "refs/remotes/*", "refs/stash", "HEAD", "ORIG_HEAD")
    protected: tuple[str, ...] = ("main", "master", "production")
    folders: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    plain_http: bool = False
    credentials: CredentialProvider | None = None
    authorities: str | None = None
    identity: Identity | None = None
    committer: Identity | None = None
    hooks: Literal["refuse", "skip"] | GrantedHooks = "refuse"
    programs: Programs = field(default_factory=Programs)
    limits: WriteLimits = field(default_factory=WriteLimits)
    clock: Callable[[], float] = time.time
    zone: int | None = None

    def need_effect(self, effect: str) -> None:
        """Raise NotGranted unless this kind of change is granted."""
        if effect not in self.effects:
            raise NotGranted(f"the grant does not cover '{effect}'", effect=effect)

    def need_folder(self, name: str) -> None:
        """Raise NotGranted unless files may be made in this directory."""
        if not any(fnmatchcase(name, pattern) for pattern in self.folders):
            raise NotGranted(f"the grant does not cover files in the directory '{name}'", path=name)

    def need_ref(self, name: str) -> None:
        """Raise NotGranted unless this ref may change."""
        if not any(fnmatchcase(name, pattern) for pattern in self.refs):
            raise NotGranted(f"the grant does not cover the ref '{name}'", ref=name)


@record(frozen=True)
class Moment:
    """When a plan was made: seconds since the epoch, and minutes east of UTC. Every date of the plan is this one."""

    seconds: int
    zone: int

    @classmethod
    def now(cls, grant: WriteGrant) -> Moment:
        """The moment by the grant's clock."""
        seconds = int(grant.clock())
        zone = grant.zone
        if zone is None:
            zone = (time.localtime(seconds).tm_gmtoff or 0) // 60
        return cls(seconds, zone)

    def words(self) -> bytes:
        """As git writes it: `1700000000 +0130`."""
        sign = b"-" if self.zone < 0 else b"+"
        hours, minutes = divmod(abs(self.zone), 60)
        return b"%d %b%02d%02d" % (self.seconds, sign, hours, minutes)
