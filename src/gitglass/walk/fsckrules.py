"""What git's fsck asks of a single object: its message ids, its words, its severities.

Mirrors git-fsck(1) and the list in git-config(1), `fsck.<msg-id>`. Each rule yields (message id, words, is an error).
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from ..errors import Corrupt
from ..limits import lines_in, paced
from ..store.objects import tree_entries

Complaint = tuple[str, str, bool]

_TREE = re.compile(rb"tree ([0-9a-fA-F]+)\n")
_PARENT = re.compile(rb"parent ([0-9a-fA-F]+)\n")
_TAG = re.compile(rb"object ([0-9a-fA-F]+)\ntype ([a-z]+)\ntag ([^\n]*)\n")
_USUAL_MODES = frozenset((0o100644, 0o100755, 0o120000, 0o040000, 0o160000, 0o100664))
_PADDED = re.compile(rb"(?:^|\0.{20}|\0.{32})0[0-7]* ", re.DOTALL)
_LINE = "invalid author/committer line - "
_LAST_DATE = (1 << 63) - 1


def person(line: bytes) -> Complaint | None:
    """The first thing that is wrong with the line of a person, if anything."""
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
    """What stands before the first angle bracket, nothing, and the rest from it on."""
    places = [at for at in (text.find(b"<"), text.find(b">")) if at >= 0]
    at = min(places) if places else len(text)
    return text[:at], b"", text[at:]


def _moment(rest: bytes) -> Complaint | None:
    if rest[:1] == b"0" and rest[1:2] != b" ":
        return "zeroPaddedDate", _LINE + "zero-padded date", True
    found = re.match(rb"\s*([-+]?)([0-9]+)", rest)
    if found is not None and (found[1] == b"-" or len(found[2]) > 19 or int(found[2]) > _LAST_DATE):
        return "badDateOverflow", _LINE + "date causes integer overflow", True
    if found is None or rest[found.end() : found.end() + 1] != b" ":
        return "badDate", _LINE + "bad date", True
    if not re.fullmatch(rb"[+-][0-9]{4}", rest[found.end() + 1 :]):
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
    """A commit that could be parsed."""
    if (found := _headers(raw)) is not None:
        yield found
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
    """A tag that could be parsed."""
    if (found := _headers(raw)) is not None:
        yield found
        return
    start = _TAG.match(raw)
    rest = raw[start.end() :] if start is not None else b""
    if not rest.startswith(b"tagger "):
        yield "missingTaggerEntry", "invalid format - expected 'tagger' line", False
        return
    complaint = person(rest[7:].split(b"\n", 1)[0])
    if complaint is not None:
        yield complaint


def tree(raw: bytes, hash_len: int) -> Iterator[Complaint]:
    """A tree, whether or not it parses."""
    try:
        entries = tree_entries(raw, hash_len)
    except Corrupt:
        yield "badTree", "cannot be parsed as a tree", True
        return
    names = [name for _, name, _ in entries]
    nothing = bytes(hash_len)
    if any(oid == nothing for _, _, oid in paced(entries)):
        yield "nullSha1", "contains entries pointing to null sha1", False
    if any(b"/" in name for name in paced(names)):
        yield "fullPathname", "contains full pathnames", False
    if b"." in names:
        yield "hasDot", "contains '.'", False
    if b".." in names:
        yield "hasDotdot", "contains '..'", False
    if any(_is_git(name) for name in paced(names)):
        yield "hasDotgit", "contains '.git'", False
    if _PADDED.search(raw) is not None and _padded(raw, hash_len):
        yield "zeroPaddedFilemode", "contains zero-padded file modes", False
    if any(mode not in _USUAL_MODES for mode, _, _ in paced(entries)):
        yield "badFilemode", "contains bad file modes", False
    if len(set(names)) != len(names):
        yield "duplicateEntries", "contains duplicate file entries", True
    keys = [name + b"/" if mode == 0o040000 else name for mode, name, _ in entries]
    if any(one > other for one, other in pairwise(keys)):
        yield "treeNotSorted", "not properly sorted", True


def _is_git(name: bytes) -> bool:
    """`.git` as some file system would take it."""
    plain = name.replace(b"\xe2\x80\x8c", b"").replace(b"\xe2\x80\x8d", b"").replace(b"\xef\xbb\xbf", b"").lower()
    return plain.split(b":")[0].rstrip(b" .") in (b".git", b"git~1") and plain not in (b".", b"..")


def _padded(raw: bytes, hash_len: int) -> bool:
    at = 0
    while at < len(raw):
        if raw[at : at + 1] == b"0":
            return True
        at = raw.find(b"\0", at) + 1 + hash_len
    return False


def links(kind: bytes, raw: bytes, hash_len: int) -> list[tuple[bytes, bytes]] | None:
    """(kind, oid) of what an object names; None where it cannot be parsed."""
    if kind == b"tree":
        try:
            entries = tree_entries(raw, hash_len)
        except Corrupt:
            return []
        kinds = {0o040000: b"tree", 0o160000: b""}
        return [(kinds.get(mode & 0o170000, b"blob"), oid) for mode, _, oid in entries if mode & 0o170000 != 0o160000]
    if kind == b"commit":
        return _commit_links(raw, hash_len)
    if kind == b"tag":
        found = _TAG.match(raw)
        if found is None or len(found[1]) != 2 * hash_len or found[2] not in (b"commit", b"tree", b"blob", b"tag"):
            return None
        return [(found[2], bytes.fromhex(found[1].decode("ascii")))]
    return []


def _commit_links(raw: bytes, hash_len: int) -> list[tuple[bytes, bytes]] | None:
    found = _TREE.match(raw)
    if found is None or len(found[1]) != 2 * hash_len or len(raw) <= found.end():
        return None
    named = [(b"tree", bytes.fromhex(found[1].decode("ascii")))]
    at = found.end()
    while raw.startswith(b"parent ", at):
        parent = _PARENT.match(raw, at)
        if parent is None or len(parent[1]) != 2 * hash_len:
            return None
        named.append((b"commit", bytes.fromhex(parent[1].decode("ascii"))))
        at = parent.end()
    return named
