"""Headers of a new commit: the author that was named, what git keeps of a commit that is amended, and the signed tags
that were merged (`mergetag`, gitformat-signature(5)), which stand after `encoding`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import BadRequest
from ...limits import lines_in
from ...objects.idents import need_person, split_ident
from ...objects.parsed import Tag
from ...render.refs.text import signature_start
from ...revs.dates import approxidate_careful, written_date
from ..grant import Moment
from ..operations.common import ask
from ..view import View

_NOT_KEPT = frozenset((b"tree", b"parent", b"author", b"committer", b"encoding", b"gpgsig", b"gpgsig-sha256"))


def named_person(view: View, words: str) -> bytes:
    """What `--author` says, `Name <mail>`: where it is part of the name or mail of an author that there is already,
    that one (git-commit(1)). Raises BadRequest in git's words."""
    if ">" in words:
        return words.encode("utf-8", "surrogateescape")
    author = ask(view, ["log", "-1", "--all", "-i", f"--author={words}", "--format=%aN <%aE>"]).rstrip(b"\n")
    if not author:
        raise BadRequest(f"--author '{words}' is not 'Name <email>' and matches no existing author")
    return author


def written_person(view: View, words: bytes) -> bytes:
    """The same as a commit has it. Raises BadRequest in git's words for what is none."""
    ident = split_ident(words)
    if ident is None:
        raise BadRequest("malformed --author parameter")
    name, mail = need_person(view.config, "author", {"author.name": ident.name, "author.email": ident.mail})
    return b"%b <%b>" % (name, mail)


def named_date(words: str, now: int) -> bytes:
    """A date of the request as a commit has it: `<seconds> <zone>`. Raises BadRequest."""
    given = words.encode("utf-8", "surrogateescape")
    date = written_date(given, now)
    if date is None:
        meant = approxidate_careful(given, now)
        raise BadRequest(f"invalid date format: {words if meant is None else f'@{meant}'}")
    return Moment(*date).words()


def kept_headers(head: bytes) -> bytes:
    """Of the headers of a commit (its bytes up to the message), those that an amended one has as well: all but the
    usual ones, and signatures, which are of the old one."""
    lines: list[bytes] = []
    kept = False
    for line in lines_in(head):
        if not line:
            break
        if not line.startswith(b" "):
            kept = line.partition(b" ")[0] not in _NOT_KEPT
        if kept:
            lines.append(line + b"\n")
    return b"".join(lines)


def merged_tags(tags: Iterable[Tag]) -> bytes:
    """The header of each signed tag that is merged: the whole tag."""
    headers: list[bytes] = []
    for tag in tags:
        if signature_start(tag.raw) < len(tag.raw):
            headers.append(b"mergetag" + b"".join(b" %b\n" % line for line in lines_in(tag.raw.removesuffix(b"\n"))))
    return b"".join(headers)
