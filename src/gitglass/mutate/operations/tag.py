"""`tag`: made, moved, deleted; light or annotated. Mirrors git-tag(1)."""

from __future__ import annotations

from itertools import chain

from ...errors import BadRequest, NotFound, text
from ...limits import line_stretches
from ...refs.names import check_refname
from ...render.dates import SHORT, dater
from ...render.width import SPACE
from ...request.ref_mutations import TagChange
from ...revs.abbrev import abbrev
from ...revs.resolve import try_resolve
from ..changes import ABSENT, Changes
from ..plan import Answer, Plan
from ..view import View
from .branch import check_free, move_branch, remove_ref
from .common import check_hooks, finished, need_once, nothing_done, refused_switches
from .message import cleaned, comment_char, message_in

_TAGS = b"refs/tags/"
_NESTED = """\
hint: You have created a nested tag. The object referred to by your new tag is
hint: already a tag. If you meant to tag the object that it points to, use:
hint: \nhint: \tgit tag -f {} {}^{{}}
hint: Disable this message with "git config advice.nestedTag false"
"""


def plan_tag(request: TagChange, view: View) -> Plan:
    """The plan of one change of tags. Raises what git says of names that are taken, missing or not well formed."""
    refused_switches(request, ("-a", "-s", "--no-sign"))
    if {"-a", "-s"} & set(request.switches) and not _is_annotated(request):
        raise BadRequest("a message is needed: gitglass opens no editor", hint="Give -m.")
    _signs(request, view)
    check_hooks(view, ())
    if request.cleanup not in (None, "strip", "whitespace", "verbatim"):
        raise BadRequest(f"Invalid cleanup mode {request.cleanup}")
    changes = Changes()
    answer = (_delete if request.action == "delete" else _create)(request, view, changes)
    return finished(request, view, changes, answer)


def _is_annotated(request: TagChange) -> bool:
    """Whether a message is given."""
    return request.message is not None or request.file is not None


def _signs(request: TagChange, view: View) -> bool:
    """Whether a new tag is signed (git-tag(1), `--sign`, and `tag.gpgSign`). Strange but git's: where
    `tag.forceSignAnnotated` has a tag signed for its message, `--annotate` is what says no, and `--no-sign` is not."""
    switches = set(request.switches)
    if request.action == "delete" or not _is_annotated(request):
        return False
    if not {"-a", "-s"} & switches and view.signs(False, "tag.forceSignAnnotated"):
        return True
    return "--no-sign" not in switches and view.signs("-s" in switches, "tag.gpgSign")


def _create(request: TagChange, view: View, changes: Changes) -> Answer:
    if len(request.names) != 1:
        raise BadRequest("too many arguments")
    word = request.names[0]
    name = _TAGS + word.encode("utf-8", "surrogateescape")
    target = try_resolve(view.store, request.target or "HEAD", ctx=view.ctx)
    if target is None:
        raise NotFound(f"Failed to resolve '{request.target or 'HEAD'}' as a valid ref.")
    if not check_refname(name) or word.startswith("-"):
        raise BadRequest(f"'{word}' is not a valid tag name.")
    before, is_symbolic = _value(view, name)
    if before != ABSENT and not request.force:
        raise BadRequest(f"tag '{word}' already exists")
    if before == ABSENT:
        check_free(view, name)
    oid = _object(request, view, target, word) if _is_annotated(request) else target
    if before == oid and not is_symbolic:
        return Answer()
    moved_ref = move_branch(view, changes, name, oid, _logged(view, target))
    if moved_ref.name.startswith(b"refs/heads/") and view.odb.kind(oid) != b"commit":
        end = text(moved_ref.name)
        words = f"trying to write non-commit object {oid.hex()} to branch '{end}'"
        raise BadRequest(f"cannot update ref '{end}': {words}")
    moved = before != ABSENT and before != oid
    shown = b"Updated tag '%b' (was %b)\n" % (name[len(_TAGS) :], abbrev(view.store, before)) if moved else b""
    nested = _is_annotated(request) and view.odb.kind(target) == b"tag"
    hint = nested and view.config.get_bool("advice.nestedtag", True)
    return Answer(
        shown, _NESTED.format(word, request.target or "HEAD").encode("utf-8", "surrogateescape") if hint else b""
    )


def _value(view: View, name: bytes) -> tuple[bytes, bool]:
    """(the object that a tag names, also by way of another ref, whether it does so); ABSENT for none."""
    value, is_symbolic = view.ref(name)
    return (view.store.refs.read(name) or ABSENT if is_symbolic else value), is_symbolic


def _logged(view: View, target: bytes) -> bytes:
    """The line of the reflog, where there is one: of a commit with the first line of its message and its day."""
    kind = view.odb.kind(target)
    what = {b"tree": b"tree object", b"blob": b"blob object", b"tag": b"other tag object"}.get(kind, b"")
    if kind == b"commit":
        commit = view.odb.commit(target)
        lines = chain.from_iterable(line_stretches(commit.message))
        subject = next((line for line in lines if line.strip(SPACE)), b"")
        what = b"%b, %b" % (subject, dater(SHORT, 0)(commit.commit_time, 0))
    return b"tag: tagging %b (%b)" % (abbrev(view.store, target), what)


def _object(request: TagChange, view: View, target: bytes, word: str) -> bytes:
    """The annotated tag."""
    raw = (request.message or "").encode("utf-8", "surrogateescape")
    if request.file is not None:
        raw = message_in(view, request.file, "tag")
    mode = "strip" if request.cleanup is None else request.cleanup  # whether or not it was edited (git-tag(1))
    message = cleaned(raw, mode, comment_char(view))
    kind = view.odb.kind(target)
    head = b"object %b\ntype %b\ntag %b\ntagger %b\n\n" % (
        target.hex().encode(), kind, word.encode("utf-8", "surrogateescape"), view.ident("committer"),
    )  # fmt: skip
    return view.new_object(b"tag", head + message, signed=_signs(request, view))


def _delete(request: TagChange, view: View, changes: Changes) -> Answer:
    answer, gone = Answer(), set[bytes]()
    for word in request.names:
        raw = word.encode("utf-8", "surrogateescape")
        name = _TAGS + raw
        value = _value(view, name)[0] if check_refname(name) else ABSENT
        if value == ABSENT:
            answer.err += b"error: tag '%b' not found.\n" % raw
            answer.status = 1
        else:
            gone.add(name)
            remove_ref(view, changes, name)
            answer.out += b"Deleted tag '%b' (was %b)\n" % (raw, abbrev(view.store, value))
    if answer.status and not gone:
        raise nothing_done(answer)
    need_once(changes, answer.err)
    return answer
