"""git notes: which objects have notes, and the text of notes. All other subcommands write."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import GitError, InvalidArgs, NotFound, Unsupported, UsageError, text
from ..limits import Context
from ..plans.positionals import Positionals
from ..plans.settings import judge_settings
from ..records import field, typed_row
from ..render.style import Style
from ..repo.notes import default_ref, expand_notes_ref
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.resolve import try_resolve
from .command import Command
from .show import ShowRequest
from .show import render as render_show
from .show import run as run_show

_USAGE = {
    "list": "usage: git notes [list [<object>]]",
    "show": "usage: git notes show [<object>]",
    "get-ref": "usage: git notes get-ref",
}
#: git's subcommands that write
WRITES = ("add", "append", "copy", "edit", "merge", "prune", "remove")


@typed_row
class NoteRow:
    """A note: the object that it is attached to, and the note's own oid."""

    object: str
    note: str


class NotesResult(Result):
    """The requested notes."""

    ref: str = Field(description="The ref that keeps the notes.")
    rows: list[NoteRow] = Field(default_factory=list, description="The notes.")
    note: str | None = Field(None, description="What the note says, where it was asked for.")


class NotesRequest(Request[NotesResult]):
    """`git notes list`, `show` and `get-ref`."""

    ref: Annotated[str | None, Flag("--ref", value="notes-ref", no=True, no_const=None)] = Field(
        None, description="The ref that keeps the notes, 'x' for 'refs/notes/x' (core.notesRef)."
    )
    action: str = Field("list", description="'list', 'show' or 'get-ref'.")
    object: str | None = Field(None, description="The object whose note is meant; HEAD for 'show'.")


@typed_row
class Answer:
    """The result: the ref, pairs (object, note), and the text of a requested note."""

    ref: bytes
    pairs: list[tuple[bytes, bytes]] = field(default_factory=list)
    text: bytes | None = None


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind the subcommand, and after it the object; options are before the subcommand."""
    given = words.before
    action = given[0] if given else "list"
    if not given and words.after:
        raise UsageError(f"unknown subcommand: `{words.after[0]}'")
    if action in WRITES:
        raise Unsupported(
            f"gitglass only reads: 'notes {action}' is not available", status=129, prefix="error", command="notes"
        )
    if action not in _USAGE:
        raise UsageError(f"unknown subcommand: `{action}'")
    rest = given[1:]
    if "--" in rest:
        at = rest.index("--")
        rest, after = rest[:at], rest[at + 1 :]
    else:
        after = words.after
    for word in rest:
        if word.startswith("--"):
            raise InvalidArgs(f"unknown option `{word[2:]}'\n{_USAGE[action]}\n")
        if word.startswith("-") and len(word) > 1:
            raise InvalidArgs(f"unknown switch `{word[1]}'\n{_USAGE[action]}\n")
    objects = [*rest, *after]
    if len(objects) > (action != "get-ref"):
        raise InvalidArgs(f"too many arguments\n{_USAGE[action]}\n")
    values["action"] = action
    values["object"] = objects[0] if objects else None


def run(store: Store, request: NotesRequest, ctx: Context) -> Answer:
    """Look up the notes. Raises NotFound (status 1) if an object has none."""
    ref = (
        default_ref(store.config, store.where.notes_ref)
        if request.ref is None
        else expand_notes_ref(to_bytes(request.ref))
    )
    answer = Answer(ref)
    if request.action == "get-ref":
        return answer
    if request.action not in _USAGE:
        raise UsageError(f"unknown subcommand: `{request.action}'")
    name = "HEAD" if request.object is None and request.action == "show" else request.object
    oid = None if name is None else try_resolve(store, name, ctx=ctx)
    if name is not None and oid is None:
        raise NotFound(f"failed to resolve '{name}' as a valid ref.", revision=name)
    if not ref.startswith(b"refs/notes/"):
        raise GitError(f"refusing to {request.action} notes in {text(ref)} (outside of refs/notes/)")
    notes = store.notes(ref)
    if oid is None:
        answer.pairs = [] if notes is None else sorted(notes.items(ctx))
        return answer
    note = None if notes is None else notes.get(oid)
    if notes is None or note is None:
        raise NotFound(f"no note found for object {oid.hex()}.", status=1, prefix="error")
    answer.pairs = [(oid, note)]
    if request.action == "show":
        answer.text = store.odb.blob(note) if (had := notes.read(oid)) is None or had[0] != b"blob" else had[1]
    return answer


def collect(answer: Answer, request: NotesRequest) -> NotesResult:
    """The typed result."""
    rows = [NoteRow(oid.hex(), note.hex()) for oid, note in answer.pairs]
    return NotesResult(ref=to_text(answer.ref), rows=rows, note=None if answer.text is None else to_text(answer.text))


def render(answer: Answer, request: NotesRequest, style: Style) -> Iterator[bytes]:
    """git's lines: `<note> <object>`, for one object only its note; or the note's text."""
    if request.action == "get-ref":
        yield answer.ref + b"\n"
    elif answer.text is not None:  # git runs its show of the note, which reads its own settings
        judge_settings("show", style.config)
        shown = ShowRequest(revs=[answer.pairs[0][1].hex()])
        yield from render_show(run_show(style.store, shown, style.ctx), shown, style)
    elif request.object is not None:
        yield b"".join([note.hex().encode() + b"\n" for _, note in answer.pairs])
    else:
        for oid, note in answer.pairs:
            yield b"%s %s\n" % (note.hex().encode(), oid.hex().encode())


COMMAND = Command(
    "notes",
    NotesRequest,
    NotesResult,
    run,
    collect,
    render,
    bind=bind,
    stop=True,
    refused=dict.fromkeys(WRITES, "it writes notes"),
    summary="notes about objects",
    usage="[--ref <notes-ref>] [list [<object>] | show [<object>] | get-ref]",
)
