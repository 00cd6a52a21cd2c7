"""git check-mailmap: the names and addresses of people as .mailmap replaces them."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, text
from ..limits import Context, lines_in
from ..objects.idents import split_ident
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command


@typed_row
class Contact:
    """A name (which may be empty) and an address, as they are shown."""

    name: str
    mail: str


class CheckMailmapResult(Result):
    """The requested people, in their order."""

    contacts: list[Contact] = Field(description="One row for each.")


class CheckMailmapRequest(Request[CheckMailmapResult]):
    """`git check-mailmap`."""

    contacts: list[str] = Field(default_factory=list, description="'Name <address>' or '<address>', each.")
    stdin: Annotated[bool, Flag("--stdin", no=True)] = Field(False, description="Read more of them, a line each.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.stdin


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind every word as a contact."""
    values["contacts"] = words.before + words.after
    if not values["contacts"] and not values.get("stdin"):
        raise BadRequest("no contacts specified")


def run(store: Store, request: CheckMailmapRequest, ctx: Context) -> Iterator[tuple[bytes, bytes]]:
    """(name, address) of each contact of the request. Raises BadRequest for an invalid contact."""
    return _mapped(store, list(map(to_bytes, request.contacts)), ctx)


def _mapped(store: Store, contacts: list[bytes], ctx: Context) -> Iterator[tuple[bytes, bytes]]:
    mailmap = store.mailmap
    for word in contacts:
        ctx.tick()
        ident = split_ident(word)
        if ident is None:
            raise BadRequest(f"unable to parse contact: {text(word)}")
        yield mailmap.map(ident.name, ident.mail)


def collect(people: Iterator[tuple[bytes, bytes]], request: CheckMailmapRequest) -> CheckMailmapResult:
    """The typed result."""
    return CheckMailmapResult(contacts=[Contact(to_text(name), to_text(mail)) for name, mail in people])


def render(people: Iterator[tuple[bytes, bytes]], request: CheckMailmapRequest, style: Style) -> Iterator[bytes]:
    """One line for each contact, as soon as it is known."""
    for name, mail in people:
        yield _line(name, mail)
    if request.stdin:
        for block in style.blocks():
            for name, mail in _mapped(style.store, _lines(block), style.ctx):
                yield _line(name, mail)


def _lines(block: bytes) -> list[bytes]:
    return [line.partition(b"\0")[0] for line in lines_in(block.removesuffix(b"\n"))]


def _line(name: bytes, mail: bytes) -> bytes:
    return name + (b" " if name else b"") + b"<" + mail + b">\n"


COMMAND = Command(
    "check-mailmap",
    CheckMailmapRequest,
    CheckMailmapResult,
    run,
    collect,
    render,
    bind=bind,
    summary="what .mailmap makes of people",
    usage="[<options>] <contact>...",
)
