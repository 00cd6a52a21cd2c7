"""One commit that is picked or reverted: the three trees of its merge, its message, and the commit that is made of it.

Mirrors git-cherry-pick(1), `-x`, `-m`, `--cleanup`, and git-revert(1), `--reference`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import CommandFailed
from ...objects.parsed import Commit
from ...records import record
from ...render.log.trailers import find_block, signed_off, trailer_rules
from ...request.pick_mutations import Picking, RevertRequest
from ...revs.abbrev import abbrev
from ..operations.common import ask, commit_tree, encoding_line, signs_commits
from ..operations.message import cleaned, cleanup_mode
from ..view import View
from .series import readable, subject


@record
class Picked:
    """A commit to take, or take back: `base_tree` and `tree` are merged into what is there, under these labels."""

    git: str
    commit: bytes
    parent: bytes | None
    base_tree: bytes | None
    base_label: bytes
    tree: bytes | None
    label: bytes
    source: Commit

    @property
    def is_empty(self) -> bool:
        """Whether the commit changes nothing in its own history."""
        return self.base_tree == self.tree


def read_picked(request: Picking, view: View, commit: bytes) -> Picked:
    """What a request means by a commit. Raises CommandFailed in git's words where its parent is not clear."""
    source = readable(view, commit)
    parent = _parent(request, source)
    before = view.store.empty_tree if parent is None else commit_tree(view, parent)
    after = commit_tree(view, commit)
    name = b"%b (%b)" % (abbrev(view.store, commit), subject(view, commit))
    of = b"parent of " + name
    if request.git == "revert":
        # a root commit has no parent to be named by
        label = of if parent is not None else b"(empty tree)"
        return Picked("revert", commit, parent, after, name, before, label, source)
    base = of if parent is not None else b"(empty tree)"
    return Picked("cherry-pick", commit, parent, before, base, after, name, source)


def _parent(request: Picking, source: Commit) -> bytes | None:
    name, number = source.oid.hex(), request.mainline
    failed = f"\nfatal: {request.git} failed"
    if len(source.parents) > 1 and number is None:
        words = f"commit {name} is a merge but no -m option was given."
        raise CommandFailed(words + failed, status=128, prefix="error")
    if not source.parents:
        return None
    if (number or 1) > len(source.parents):
        raise CommandFailed(f"commit {name} does not have parent {number}{failed}", status=128, prefix="error")
    return source.parents[(number or 1) - 1]


def message_of(request: Picking, view: View, picked: Picked) -> bytes:
    """The message before it is cleaned up."""
    message = picked.source.message.lstrip(b"\n")
    if isinstance(request, RevertRequest):
        message = _reverting(request, view, picked)
    rules = trailer_rules(view.store)
    if getattr(request, "record_origin", False):
        if message and not message.endswith(b"\n"):
            message += b"\n"
        start, end = find_block(message, rules)
        message += b"" if start < end else b"\n"
        message += b"(cherry picked from commit %b)\n" % picked.commit.hex().encode()
    if request.signoff:
        message = signed_off(message, b"Signed-off-by: %b <%b>\n" % view.person("committer"), rules, once=False)
    return message


def _reverting(request: RevertRequest, view: View, picked: Picked) -> bytes:
    title = b'Revert "%b"' % subject(view, picked.commit)
    if _refers_in_short(request, view):
        title = b"# *** SAY WHY WE ARE REVERTING ON THE TITLE LINE ***"
    message = title + b"\n\nThis reverts commit " + _named(request, view, picked.commit)
    if len(picked.source.parents) > 1 and picked.parent is not None:
        message += b", reversing\nchanges made to " + _named(request, view, picked.parent)
    return message + b".\n"


def _refers_in_short(request: RevertRequest, view: View) -> bool:
    if request.reference is not None:
        return request.reference
    return bool(view.config.get_bool("revert.reference", False))


def _named(request: RevertRequest, view: View, commit: bytes) -> bytes:
    if not _refers_in_short(request, view):
        return commit.hex().encode()
    return ask(view, ["show", "-s", "--format=reference", "--no-color", commit.hex()]).rstrip(b"\n")


def new_commit(
    request: Picking,
    view: View,
    picked: Picked,
    head: bytes | None,
    tree: bytes,
    message: bytes,
    merged: Sequence[bytes] = (),
) -> bytes:
    """The commit that is made: its name. It has the author of the one that is picked, unless it concludes a merge of
    `merged`."""
    asked = request.cleanup.encode() if request.cleanup is not None else view.config.get("commit.cleanup")
    if asked is not None:
        message = cleaned(message, cleanup_mode(asked), b"#")
    elif request.signoff or getattr(request, "record_origin", False):
        message = cleaned(message, "whitespace", b"#")
    author = view.ident("author") if picked.git == "revert" or merged else picked.source.author
    lines = [b"tree %b\n" % tree.hex().encode()]
    parents = [*([head] if head is not None else []), *merged]
    lines += [b"parent %b\n" % parent.hex().encode() for parent in dict.fromkeys(parents)]
    lines += [b"author %b\n" % author, b"committer %b\n" % view.ident("committer")]
    content = b"".join([*lines, *encoding_line(view), b"\n", message])
    return view.new_commit(content, signed=signs_commits(view, request.switches))
