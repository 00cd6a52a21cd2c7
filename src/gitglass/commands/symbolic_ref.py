"""git symbolic-ref: the ref that a symbolic ref points at. Only the form that reads."""

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, InvalidArgs, NotFound, Unsupported
from ..limits import Context
from ..plans.positionals import Positionals
from ..refs.names import shorten
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command


class SymbolicRefResult(Result):
    """The ref that it points at."""

    target: str = Field(description="The ref that the name finally stands for.")


class SymbolicRefRequest(Request[SymbolicRefResult]):
    """`git symbolic-ref <name>`."""

    name: str = Field("HEAD", description="The symbolic ref.")
    short: Annotated[bool, Flag("--short", no=True)] = Field(False, description="As short as still unambiguous.")
    recurse: Annotated[bool, Flag("--recurse", no=True)] = Field(
        True, description="Go on to the end; otherwise only to what the ref itself names."
    )
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(
        False, description="No complaint where the ref is not symbolic."
    )


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind one word, the name; a second one would be written."""
    names = words.before + words.after
    if len(names) == 2:
        raise Unsupported("gitglass symbolic-ref <name> <ref> would write; refused", status=129, prefix="error")
    if len(names) != 1:
        raise InvalidArgs("usage: git symbolic-ref [-q] [--short] [--no-recurse] <name>", prefix="")
    values["name"] = names[0]


def run(store: Store, request: SymbolicRefRequest, ctx: Context) -> bytes:
    """The name that it points at, shortened on request."""
    name = to_bytes(request.name)
    ref = store.refs.lookup(name)
    end = ref.name
    if not request.recurse and ref.symbolic:
        raw = store.refs.backend.raw(name)
        end = raw.target if raw is not None and raw.target is not None else end
    if ref.broken and (request.recurse or not ref.symbolic):
        raise NotFound(f"No such ref: {request.name}")
    if not ref.symbolic:
        if request.quiet:
            raise NotFound("", status=1)
        raise BadRequest(f"ref {request.name} is not a symbolic ref")
    return shorten(end, store.refs.exists, False) if request.short else end


def collect(target: bytes, request: SymbolicRefRequest) -> SymbolicRefResult:
    """The typed result."""
    return SymbolicRefResult(target=to_text(target))


def render(target: bytes, request: SymbolicRefRequest, style: Style) -> Iterator[bytes]:
    """The name on a line."""
    yield target + b"\n"


COMMAND = Command(
    "symbolic-ref",
    SymbolicRefRequest,
    SymbolicRefResult,
    run,
    collect,
    render,
    bind=bind,
    refused={"-d": "it deletes the ref", "--delete": "it deletes the ref", "-m": "it writes a reflog"},
    summary="What a symbolic ref stands for.",
    usage="git symbolic-ref [-q] [--short] [--no-recurse] <name>",
)
