"""The input of formats: the parts of one commit, and the environment that all commits share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import lazy_pattern
from ...limits import Context
from ...objects.idents import Ident, split_ident
from ...objects.parsed import Commit
from ...records import record
from ...repo.encoding import reencode_commit
from ...repo.store import Store

if TYPE_CHECKING:
    from ..color import Palette
    from ..dates import Dater
    from .decorate import Decorations

#: ident lines as git writes them; all others are parsed by the tolerant, slower way
USUAL_AUTHOR = lazy_pattern(rb"\nauthor ([^<\n]*<[^\n]*>) ([0-9]{1,18}) ([+-][0-9]{1,9})\n")
USUAL_COMMITTER = lazy_pattern(rb"\ncommitter ([^<\n]*<[^\n]*>) ([0-9]{1,18}) ([+-][0-9]{1,9})\n")


@record
class ReflogInfo:
    """The reflog entry a commit came from: `refs/heads/main@{0}`, `main@{0}`, its message, `Name <mail>`."""

    selector: bytes
    short: bytes
    message: bytes
    ident: bytes


@record(eq=False)
class Env:
    """What placeholders need besides the commit; `mark`, `source`, `reflog`, `graph_width` change with each entry.

    `decorations` is None if no refs are shown beside commits.
    """

    store: Store
    ctx: Context
    abbrev: Callable[[bytes], bytes]
    dater: Dater
    palette: Palette
    decorations: Decorations | None
    notes: Callable[[bytes], bytes] | None = None
    encoding: bytes = b"UTF-8"
    columns: int = 80
    mark: bytes = b">"
    source: bytes | None = None
    reflog: ReflogInfo | None = None
    graph_width: int = 0
    abbrev_many: Callable[[list[bytes]], list[bytes]] | None = None  # `abbrev` for a list


class Parts:
    """The parts of one commit, each read on first use. All text is UTF-8, whatever encoding the commit has."""

    __slots__ = (
        "_author",
        "_body_at",
        "_committer",
        "_raw",
        "_usual_author",
        "_usual_committer",
        "commit",
        "env",
        "parents",
    )

    def __init__(self, commit: Commit, env: Env, parents: Sequence[bytes]) -> None:
        self.commit, self.env, self.parents = commit, env, parents
        self._raw: bytes | None = None
        self._author: Ident | bool | None = False
        self._committer: Ident | bool | None = False
        self._usual_author: re.Match[bytes] | bool | None = False
        self._usual_committer: re.Match[bytes] | bool | None = False

    @property
    def raw(self) -> bytes:
        """The whole commit, re-encoded."""
        raw = self._raw
        if raw is None:
            raw = self.commit.raw
            at = self.commit.body_at
            if raw.find(b"\nencoding ", 0, at) >= 0:
                raw = reencode_commit(raw, at, b"UTF-8")
                at = raw.find(b"\n\n") + 2
                at = at if at > 1 else len(raw)
            nul = raw.find(b"\0")
            if nul >= 0:  # where C strings end
                raw, at = raw[:nul], min(at, nul)
            self._raw, self._body_at = raw, at
        return raw

    @property
    def message(self) -> bytes:
        """The message unchanged (%B)."""
        raw = self.raw
        return raw[self._body_at :]

    @property
    def encoding(self) -> bytes:
        """The encoding that the commit states; b"" without."""
        return self.commit.encoding or b""

    @property
    def author(self) -> Ident | None:
        """The author, parsed tolerantly."""
        ident = self._author
        if ident is False:
            raw = self.raw
            ident = self._author = split_ident(_header(raw, b"\nauthor ", self._body_at))
        return ident  # type: ignore[return-value]

    @property
    def committer(self) -> Ident | None:
        """The committer, parsed tolerantly."""
        ident = self._committer
        if ident is False:
            raw = self.raw
            ident = self._committer = split_ident(_header(raw, b"\ncommitter ", self._body_at))
        return ident  # type: ignore[return-value]

    def usual_author(self) -> re.Match[bytes] | None:
        """The author line if it is as git writes it: `Name <mail>`, seconds, zone."""
        author = self._usual_author
        if author is False:
            raw = self.raw
            author = self._usual_author = USUAL_AUTHOR.search(raw, 0, self._body_at)
        return author  # type: ignore[return-value]

    def usual_committer(self) -> re.Match[bytes] | None:
        """The committer line if it is as git writes it."""
        committer = self._usual_committer
        if committer is False:
            raw = self.raw
            committer = self._usual_committer = USUAL_COMMITTER.search(raw, 0, self._body_at)
        return committer  # type: ignore[return-value]


def _header(raw: bytes, name: bytes, stop: int) -> bytes:
    at = raw.find(name, 0, stop)
    if at < 0:
        return b""
    end = raw.find(b"\n", at + 1)
    return raw[at + len(name) :] if end < 0 else raw[at + len(name) : end]


#: the result of a step: bytes, or None if git leaves the placeholder as it stands
Piece = Callable[[Parts], bytes | None]
