"""The rules of git's fsck for a single object: its message ids, its messages, its severities.

Mirrors git-fsck(1) and the list in git-config(1), `fsck.<msg-id>`. Each rule yields (message id, message, is an error).
"""

import re
from collections.abc import Iterator
from itertools import islice
from operator import gt

from ..errors import Corrupt, text
from ..limits import LARGE, lines_in, paced, pause
from ..objects.parsed import odd_entries, tree_entries
from ..refs.names import check_refname

Complaint = tuple[str, str, bool]
Readable = tuple[list[tuple[int, bytes, bytes]], bool]

#: every message id that `fsck.<msg-id>` accepts, in lower case
IDS = frozenset(
    """
    badDate badDateOverflow badEmail badFilemode badName badObjectSha1 badParentSha1 badTagName badTimezone
    badTree badTreeSha1 badType duplicateEntries emptyName extraHeaderEntry fullPathname gitattributesBlob
    gitattributesLarge gitattributesLineLength gitattributesMissing gitattributesSymlink gitignoreSymlink
    gitmodulesBlob gitmodulesLarge gitmodulesMissing gitmodulesName gitmodulesParse gitmodulesPath
    gitmodulesSymlink gitmodulesUpdate gitmodulesUrl hasDot hasDotdot hasDotgit mailmapSymlink missingAuthor
    missingCommitter missingEmail missingNameBeforeEmail missingObject missingSpaceBeforeDate
    missingSpaceBeforeEmail missingTag missingTagEntry missingTaggerEntry missingTree missingType missingTypeEntry
    multipleAuthors nulInCommit nulInHeader nullSha1 treeNotSorted unknownType unterminatedHeader zeroPaddedDate
    zeroPaddedFilemode
    """.lower().split()
)
#: warnings that --strict turns into errors; other warnings it leaves alone
WARNINGS = frozenset(
    ["emptyName", "fullPathname", "hasDot", "hasDotdot", "hasDotgit", "nullSha1", "zeroPaddedFilemode", "nulInCommit"]
)
_TREE = re.compile(rb"tree ([0-9a-fA-F]+)\n")
_PARENT = re.compile(rb"parent ([0-9a-fA-F]+)\n")
_TAG = re.compile(rb"object ([0-9a-fA-F]+)\ntype ([a-z]+)\ntag ([^\n]*)\n")
_USUAL_MODES = frozenset((0o100644, 0o100755, 0o120000, 0o040000, 0o160000))
_FORGIVEN_MODES = _USUAL_MODES | {0o100664}  # written by old versions of git
_PADDED = re.compile(rb"(?:^|\0.{20}|\0.{32})0[0-7]* ", re.DOTALL)
_INVISIBLE = re.compile(rb"\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf")
_NTFS_GIT = re.compile(rb"(?:\.git|git~1)[ .]*(?:[:/].*)?", re.IGNORECASE | re.DOTALL)
_LIKE_GIT = re.compile(rb"(?i)git|[\xe2\xef]")  # is in all names that are taken for `.git`
_LINE = "invalid author/committer line - "
_LAST_DATE = (1 << 63) - 1


def person(line: bytes) -> Complaint | None:
    """The first thing that is wrong with an ident line, or None."""
    name, _, rest = _cut(line)
    if line.startswith(b"<"):
        return "missingNameBeforeEmail", _LINE + "missing space before email", True
    if rest[:1] == b">":
        return "badName", _LINE + "bad name", True
    if rest[:1] != b"<":
        return "missingEmail", _LINE + "missing email", True
    if not name.endswith(b" "):
        return "missingSpaceBeforeEmail", _LINE + "missing space before email", True
    _, _, rest = _cut(rest[1:])
    if rest[:1] != b">":
        return "badEmail", _LINE + "bad email", True
    rest = rest[1:]
    if rest[:1] != b" ":
        return "missingSpaceBeforeDate", _LINE + "missing space before date", True
    return _moment(rest[1:])


def _cut(text: bytes) -> tuple[bytes, bytes, bytes]:
    """The text before the first angle bracket, an empty text, and the rest that begins with the bracket."""
    brackets = [at for at in (text.find(b"<"), text.find(b">")) if at >= 0]
    at = min(brackets) if brackets else len(text)
    return text[:at], b"", text[at:]


def _moment(rest: bytes) -> Complaint | None:
    if rest[:1] == b"0" and rest[1:2] != b" ":
        return "zeroPaddedDate", _LINE + "zero-padded date", True
    match = re.match(rb"\s*([-+]?)([0-9]+)", rest)
    if match is not None and (match[1] == b"-" or len(match[2]) > 19 or int(match[2]) > _LAST_DATE):
        return "badDateOverflow", _LINE + "date causes integer overflow", True
    if match is None or rest[match.end() : match.end() + 1] != b" ":
        return "badDate", _LINE + "bad date", True
    if not re.fullmatch(rb"[+-][0-9]{4}", rest[match.end() + 1 :]):
        return "badTimezone", _LINE + "bad time zone", True
    return None


def _headers(raw: bytes) -> Complaint | None:
    end = raw.find(b"\n\n")
    nul = raw.find(b"\0", 0, end if end >= 0 else len(raw))
    if nul >= 0:
        return "nulInHeader", f"unterminated header: NUL at offset {nul}", True
    if end < 0 and not raw.endswith(b"\n"):
        return "unterminatedHeader", "unterminated header", True
    return None


def commit(raw: bytes) -> Iterator[Complaint]:
    """Complaints about a commit that could be parsed."""
    if (wrong := _headers(raw)) is not None:
        yield wrong
        return
    start = _TREE.match(raw)
    at = start.end() if start is not None else 0
    while (parent := _PARENT.match(raw, at)) is not None:
        at = parent.end()
    lines = lines_in(raw[at : raw.find(b"\n\n", at) + 1 or len(raw)])
    authors = 0
    while lines and lines[0].startswith(b"author "):
        authors += 1
        if (complaint := person(lines.pop(0)[7:])) is not None:
            yield complaint
            return
    if not authors:
        yield "missingAuthor", "invalid format - expected 'author' line", True
        return
    if authors > 1:
        yield "multipleAuthors", "invalid format - multiple 'author' lines", True
        return
    if not lines or not lines[0].startswith(b"committer "):
        yield "missingCommitter", "invalid format - expected 'committer' line", True
        return
    if (complaint := person(lines[0][10:])) is not None:
        yield complaint
        return
    if b"\0" in raw:
        yield "nulInCommit", "NUL byte in the commit object body", False


def tag(raw: bytes) -> Iterator[Complaint]:
    """Complaints about a tag that could be parsed."""
    if (wrong := _headers(raw)) is not None:
        yield wrong
        return
    start = _TAG.match(raw)
    rest = raw[start.end() :] if start is not None else b""
    if start is not None and not check_refname(b"refs/tags/" + start[3]):
        yield "badTagName", f"invalid 'tag' name: {text(start[3])}", False
    if not rest.startswith(b"tagger "):
        yield "missingTaggerEntry", "invalid format - expected 'tagger' line", False
        return
    complaint = person(rest[7:].split(b"\n", 1)[0])
    if complaint is not None:
        yield complaint


def tree(raw: bytes, readable: Readable, hash_len: int, *, strict: bool = False) -> Iterator[Complaint]:
    """Complaints about a tree, whether or not it can be parsed, of which `readable` was read (`readable_entries`)."""
    entries, is_whole = readable
    if not is_whole:
        yield "badTree", "cannot be parsed as a tree", True
    names = [name for _, name, _ in paced(entries)]
    together = b"\0".join(names)
    nothing = bytes(hash_len)
    if nothing in raw and any(oid == nothing for _, _, oid in paced(entries)):
        yield "nullSha1", "contains entries pointing to null sha1", False
    if b"/" in together:
        yield "fullPathname", "contains full pathnames", False
    if b"." in names:
        yield "hasDot", "contains '.'", False
    if b".." in names:
        yield "hasDotdot", "contains '..'", False
    # one search says of most trees that no name can be taken for `.git`; it does not look at the clock
    if (len(raw) >= LARGE or _LIKE_GIT.search(together) is not None) and any(_is_git(name) for name in paced(names)):
        yield "hasDotgit", "contains '.git'", False
    if _PADDED.search(raw) is not None and _padded(raw, hash_len):
        yield "zeroPaddedFilemode", "contains zero-padded file modes", False
    if {mode for mode, _, _ in paced(entries)} - (_USUAL_MODES if strict else _FORGIVEN_MODES):
        yield "badFilemode", "contains bad file modes", False
    if len(set(names)) != len(names):
        yield "duplicateEntries", "contains duplicate file entries", True
    keys = [name + b"/" if mode == 0o040000 else name for mode, name, _ in paced(entries)]
    if any(map(gt, paced(keys), islice(keys, 1, None))):
        yield "treeNotSorted", "not properly sorted", True


def readable_entries(raw: bytes, hash_len: int) -> Readable:
    """The entries of a tree as far as they can be read, and whether these are all entries."""
    try:
        entries = tree_entries(raw, hash_len)
        if len(raw) >= LARGE:
            pause()
        return entries, True
    except Corrupt:
        entries = []
        try:
            entries.extend(odd_entries(raw, hash_len))
        except Corrupt:
            pass
        return entries, False


def visible(name: bytes) -> bytes:
    """A name without the characters that HFS+ ignores."""
    return _INVISIBLE.sub(b"", name)


def _is_git(name: bytes) -> bool:
    """Whether some file system takes this name for `.git`."""
    if any(_NTFS_GIT.fullmatch(part) for part in name.split(b"\\")):
        return True
    return visible(name).partition(b"/")[0].lower() == b".git"


def _padded(raw: bytes, hash_len: int) -> bool:
    at = 0
    while at < len(raw):
        if raw[at : at + 1] == b"0":
            return True
        end = raw.find(b"\0", at)
        if end < 0:
            break
        at = end + 1 + hash_len
    return False
