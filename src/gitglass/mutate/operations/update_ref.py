"""`update-ref`: one ref is given another value if it still has the expected one. Mirrors git-update-ref(1).

The plan names the ref that moves and the value that it has now, so that every update is a compare-and-swap, whether an
old value was asked for or not. Names outside of `refs/` are refused but for HEAD; git takes them, and writes files of
any name into the git directory.
"""

from __future__ import annotations

import re

from ...errors import BadRequest, CommandFailed, GitError, Unsupported, text
from ...refs.names import check_refname
from ...request.ref_mutations import UpdateRefRequest
from ...revs.resolve import try_resolve
from ...worktree.checkouts import taken_by
from ..changes import ABSENT, Changes, GitFile, LogChange
from ..plan import Answer, Plan
from ..view import View
from .branch import check_free, remove_ref
from .common import check_hooks, finished, refused_switches

_HEADS = b"refs/heads/"


def plan_update_ref(request: UpdateRefRequest, view: View) -> Plan:
    """The plan of one compare-and-swap. Raises what git says of names that are not well formed, of objects that are
    missing, and of a ref that has another value than the expected one."""
    refused_switches(request, ())
    check_hooks(view, ())
    if request.message == "":
        raise BadRequest("Refusing to perform update with empty message.")
    new = ABSENT if request.delete or request.new is None else _object(view, request.new, "not a valid SHA1")
    old = _expected(request, view)
    changes = Changes()
    try:
        _plan(request, view, changes, new, old)
    except CommandFailed as error:
        if request.delete:
            raise CommandFailed(error.message, status=1, prefix="error") from None
        raise BadRequest(f"update_ref failed for ref '{request.ref}': {error.message}") from None
    return finished(request, view, changes, Answer())


def _object(view: View, word: str, otherwise: str) -> bytes:
    """The object that a word names; ABSENT for zeros."""
    if word and not word.strip("0") and len(word) == view.store.hex_len:
        return ABSENT
    try:
        oid = try_resolve(view.store, word, ctx=view.ctx)
    except GitError:
        oid = None
    if oid is None and len(word) == view.store.hex_len and not word.strip("0123456789abcdefABCDEF"):
        oid = bytes.fromhex(word)  # an object that there may be none of
    if oid is None:
        raise BadRequest(f"{word}: {otherwise}")
    return oid


def _expected(request: UpdateRefRequest, view: View) -> bytes | None:
    """The value that the ref has to have; None where any will do. A deletion takes zeros for any, as git does."""
    if request.old is None:
        return None
    old = ABSENT if not request.old else _object(view, request.old, "not a valid old SHA1")
    return None if request.delete and old == ABSENT else old


def _plan(request: UpdateRefRequest, view: View, changes: Changes, new: bytes, old: bytes | None) -> None:
    asked = request.ref.encode("utf-8", "surrogateescape")
    if not check_refname(asked, onelevel=True) or not (asked.startswith(b"refs/") or asked == b"HEAD"):
        if new == ABSENT and _forgotten(view, changes, asked, old):
            return
        if new == ABSENT and old is None and (asked.startswith(b"refs/") or re.fullmatch(rb"[A-Z_]+", asked)):
            return
        if new == ABSENT and re.fullmatch(rb"[A-Z_]+", asked):
            raise _refused(f"cannot lock ref '{request.ref}': unable to resolve reference '{request.ref}'")
        if new == ABSENT or not check_refname(asked, onelevel=True):
            raise _refused(f"refusing to update ref with bad name '{request.ref}'")
        words = f"git update-ref: gitglass writes no ref outside of refs/ but HEAD, so not '{request.ref}'"
        raise Unsupported(words, path=request.ref)
    links = [] if request.no_deref else view.links(asked)
    name = view.ref(links[-1])[0] if links else asked
    before, symbolic = view.ref(name)
    value = before
    if symbolic:  # only with --no-deref: what it stands for is compared
        value = view.store.refs.read(name) or ABSENT
    words = text(asked)
    if old is not None and old != value:
        if value == ABSENT and symbolic:
            raise _refused(f"cannot lock ref '{words}': reference is missing but expected {old.hex()}")
        if value == ABSENT:
            raise _refused(f"cannot lock ref '{words}': unable to resolve reference '{text(name)}'")
        if old == ABSENT:
            raise _refused(f"cannot lock ref '{words}': reference already exists")
        raise _refused(f"cannot lock ref '{words}': is at {value.hex()} but expected {old.hex()}")
    if before == ABSENT:
        try:
            check_free(view, name)
        except BadRequest as error:
            raise _refused(error.message) from None
    if new == ABSENT:
        if name == b"HEAD":
            raise Unsupported("git update-ref: gitglass does not delete HEAD", option="--no-deref")
        if before != ABSENT:
            remove_ref(view, changes, name)
        _link_logs(request, view, changes, [*links, name], value, new)
        return
    _need_object(view, name, new)
    if (taken := taken_by(view.store, name)) is not None:
        view.notes.append(f"'{text(name)}' is checked out at '{taken}'; its index and files stay as they are")
    if new != before:
        changes.refs.append(view.move_ref(name, new))
        changes.logs.append(LogChange(name, value, new, _message(request)))
    _link_logs(request, view, changes, [*links, name], value, new)


def _forgotten(view: View, changes: Changes, name: bytes, old: bytes | None) -> bool:
    """Whether a name is that of a file of the git directory that is read like a ref (ORIG_HEAD, FETCH_HEAD): it goes,
    if it has the value that it is to have."""
    path = view.store.git_path(name)
    before = view.store.jail.read_optional(path) if re.fullmatch(rb"[A-Z_]+_HEAD", name) else None
    if before is None:
        return False
    if before.startswith(b"ref:"):
        raise Unsupported(f"git update-ref: gitglass deletes no ref by way of '{text(name)}'", path=text(name))
    match = re.match(rb"([0-9a-f]{%d})(?:\s|$)" % view.store.hex_len, before)
    if match is None:
        words = f"unable to resolve reference '{text(name)}': reference broken"
        raise _refused(f"cannot lock ref '{text(name)}': {words}")
    if old is not None and match[1] != old.hex().encode():
        raise _refused(f"cannot lock ref '{text(name)}': is at {text(match[1])} but expected {old.hex()}")
    changes.git_files.append(GitFile(name, before, None))
    return True


def _need_object(view: View, name: bytes, oid: bytes) -> None:
    """Raise where there is no such object, or a branch would name anything but a commit."""
    front = f"cannot update ref '{text(name)}': trying to write"
    if not view.odb.has(oid):
        raise _refused(f"{front} ref '{text(name)}' with nonexistent object {oid.hex()}")
    if (name.startswith(_HEADS) or name == b"HEAD") and view.odb.kind(oid) != b"commit":
        raise _refused(f"{front} non-commit object {oid.hex()} to branch '{text(name)}'")


def _link_logs(
    request: UpdateRefRequest, view: View, changes: Changes, names: list[bytes], old: bytes, new: bytes
) -> None:
    """The logs of symbolic refs tell of what they stand for, even where it is given the value that it has; HEAD's
    always does."""
    links = names[:-1]
    target, symbolic = view.ref(b"HEAD")
    if symbolic and target in names and b"HEAD" not in links:
        links.append(b"HEAD")
    changes.logs += [LogChange(link, old, new, _message(request)) for link in links]


def _message(request: UpdateRefRequest) -> bytes:
    return (request.message or "").encode("utf-8", "surrogateescape")


def _refused(words: str) -> CommandFailed:
    return CommandFailed(words, status=128, prefix="fatal")
