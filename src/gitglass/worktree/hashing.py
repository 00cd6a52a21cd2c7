"""Oids of objects that are not stored yet: git-hash-object(1) without writing.

Content that is declared a tree, a commit or a tag has to be a valid one. Files are converted to git's own form by
`convert`, except for filters that would have to be run: those are refused.
"""

from __future__ import annotations

import re

from ..annotations import TYPE_CHECKING
from ..errors import BadRequest, Unsupported, text
from ..limits import step
from ..objects.parsed import object_name
from .convert import converter_of

if TYPE_CHECKING:
    from ..limits import Context
    from ..repo.store import Store

_MODE = re.compile(rb"[0-7]+ ")
_KINDS = (b"blob", b"tree", b"commit", b"tag")


def name_of(store: Store, kind: bytes, data: bytes, *, literally: bool = False) -> bytes:
    """The oid of content as an object of a type. Raises BadRequest for invalid content.

    `literally`: any content and any type is accepted.
    """
    if not literally:
        if kind not in _KINDS:
            raise BadRequest(f'invalid object type "{text(kind)}"')
        _check(kind, data, store.hash_len)
    return object_name(kind, data, store.hash_name)


def _check(kind: bytes, data: bytes, hash_len: int) -> None:
    if kind == b"tree":
        fault = _tree_fault(data, hash_len)
        if fault:
            raise BadRequest(fault)
    elif kind == b"commit":
        fault = _commit_fault(data, hash_len)
        if fault:  # git names it as it does not have a name yet
            raise BadRequest(f"{fault} {'0' * 2 * hash_len}\nfatal: corrupt commit", prefix="error")
    elif kind == b"tag" and not _is_tag(data, hash_len):
        raise BadRequest("corrupt tag")


def _tree_fault(data: bytes, hash_len: int) -> str:
    """The error of a tree, in git's words; "" for a valid one: any number of `<octal mode> <name> NUL <oid>`."""
    at, end = 0, len(data)
    while at < end:
        step()
        # git checks the last entry's NUL before each entry, so that every name is known to end
        if end - at < hash_len + 3 or data[end - hash_len - 1]:
            return "too-short tree object"
        mode = _MODE.match(data, at)
        if mode is None:
            return "malformed mode in tree entry"
        name_end = data.index(b"\0", mode.end())
        if name_end == mode.end():
            return "empty filename in tree entry"
        at = name_end + 1 + hash_len
    return ""


def _commit_fault(data: bytes, hash_len: int) -> str:
    """git's word for a commit without a tree, or with a parent without a full name; "" otherwise: it checks no more."""
    width = 2 * hash_len
    tree = re.match(rb"tree [\0-\xff]{%d}\n" % width, data)
    if tree is None or tree.end() == len(data):
        return "bogus commit object"
    if re.fullmatch(rb"[0-9a-fA-F]+", data[5 : 5 + width]) is None:
        return "bad tree pointer in commit"
    parent = re.compile(rb"parent [0-9a-fA-F]{%d}\n" % width)
    at = tree.end()
    while data.startswith(b"parent ", at) and at + width + 7 < len(data):
        match = parent.match(data, at)
        if match is None:
            return "bad parents in commit"
        at = match.end()
    return ""


def _is_tag(data: bytes, hash_len: int) -> bool:
    """Whether it has an object, its type, and a name."""
    width = 2 * hash_len
    if len(data) < width + 24:
        return False
    head = rb"object [0-9a-fA-F]{%d}\ntype (?:blob|tree|commit|tag)\ntag [^\n]*\n" % width
    return re.match(head, data) is not None


def cleaned(store: Store, path: bytes, data: bytes, *, ctx: Context) -> bytes:
    """Content in the form in which it would be stored at a path. Raises Unsupported if a program would have to be run.

    The index's version of the path does not matter here, as in git.
    """
    converter = converter_of(store)
    driver = converter.plan(path).driver
    if driver is not None and driver != b"lfs" and not converter.cleans(driver):
        raise Unsupported(
            f"gitglass runs nothing: '{text(path)}' goes through the filter '{text(driver)}'",
            status=129,
            prefix="error",
        )
    return converter.to_git(path, data, ctx=ctx, warn=False, indexed=False)
