"""Typed rows of commits: the results of log, show and similar commands."""

from itertools import count

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...limits import pause
from ...objects.idents import split_ident
from ...objects.parsed import Commit
from ...records import field, typed_row
from ...repo.encoding import reencode_commit
from ...revs.calendar import zone_minutes
from ..text import to_text

if TYPE_CHECKING:
    from ...repo.mailmap import Mailmap
else:
    Mailmap = deferred(__name__, "...repo.mailmap", "Mailmap")


__all__ = ["CommitRow", "Person", "commit_row", "person"]

_SPACE = b" \t\r\n"  # what git takes for white space
_LINES = 1024  # lines of a subject that are read between two looks at the clock


@typed_row
class Person:
    """An author or committer and the moment: epoch seconds, and the time zone as minutes east of Greenwich."""

    name: str
    mail: str
    time: int
    zone: int


@typed_row
class CommitRow:
    """One commit. `subject` is the first paragraph on one line, `body` the rest; `mark` its side, or boundary."""

    oid: str
    parents: list[str]
    tree: str
    author: Person
    committer: Person
    subject: str
    body: str
    refs: list[str] = field(default_factory=list)
    mark: str = ""


def person(line: bytes, mailmap: Mailmap | None = None) -> Person:
    """The typed form of an ident line; empty if git finds no name and mail in it."""
    ident = split_ident(line)
    if ident is None:
        return Person("", "", 0, 0)
    name, mail = ident.name, ident.mail
    if mailmap:
        name, mail = mailmap.map(name, mail)
    return Person(to_text(name), to_text(mail), ident.time, zone_minutes(ident.tz))


def commit_row(
    commit: Commit, *, mailmap: Mailmap | None = None, refs: list[str] | None = None, mark: str = ""
) -> CommitRow:
    """A commit as a row; `refs` are the names of the refs that point at it. Text of another encoding, as the commit's
    header names it, is converted."""
    commit = Commit(commit.oid, reencode_commit(commit.raw, commit.body_at, b"UTF-8"), commit.parents)
    subject, body = split_message(commit.message)
    return CommitRow(
        commit.oid.hex(),
        [parent.hex() for parent in commit.parents],
        commit.tree.hex(),
        person(commit.author, mailmap),
        person(commit.committer, mailmap),
        to_text(subject),
        to_text(body),
        refs or [],
        mark,
    )


def split_message(message: bytes) -> tuple[bytes, bytes]:
    """Subject (its lines joined by blanks) and body of a message, without the blank lines before and between them; as
    for git a message ends with its first NUL."""
    nul = message.find(b"\0")
    size = len(message) if nul < 0 else nul
    subject: list[bytes] = []
    at, in_body = 0, False
    for read in count(1):
        if at >= size:
            break
        end = message.find(b"\n", at, size)
        end = size if end < 0 else end
        line = message[at:end].rstrip(_SPACE)
        if line and in_body:
            break
        if line:
            subject.append(line)
        in_body = bool(subject) and not line
        at = end + 1
        if not read % _LINES:
            pause()
    return b" ".join(subject), message[at:size].strip(b"\n")
