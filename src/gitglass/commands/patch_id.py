"""git patch-id: ids of the patches on standard input: equal for the same change at other lines or on another commit."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any, Literal
from ..diff.patch_id import patch_ids
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes
from .command import Command


@typed_row
class PatchIdRow:
    """The id of a patch, and the commit that its text names (zeros if it names none)."""

    id: str
    commit: str


class PatchIdResult(Result):
    """The patches of a text."""

    patches: list[PatchIdRow] = Field(description="One row for each.")


class PatchIdRequest(Request[PatchIdResult]):
    """`git patch-id`."""

    text: str | None = Field(None, description="The patches; none for standard input.")
    mode: Annotated[
        Literal["unstable", "stable", "verbatim"] | None,
        Flag("--unstable", const="unstable", mode="mode"),
        Flag("--stable", const="stable", mode="mode"),
        Flag("--verbatim", const="verbatim", mode="mode"),
    ] = Field(None, description="'unstable', 'stable' (the order of files does not count), or 'verbatim' (blanks do).")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.text is None


@typed_row
class Reading:
    """The settings for reading a text."""

    ctx: Context
    hash_name: str
    stable: bool
    verbatim: bool

    def ids(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """(id, commit) of each patch in the text."""
        return patch_ids(data, self.hash_name, stable=self.stable, verbatim=self.verbatim, ctx=self.ctx)


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind no arguments. Words without a dash are ignored, as in git."""


def run(store: Store, request: PatchIdRequest, ctx: Context) -> Reading:
    """The settings of the options and of patchid.stable, patchid.verbatim."""
    config = store.config
    verbatim = request.mode == "verbatim"
    stable = request.mode == "stable"
    if request.mode is None:
        verbatim = config.get_bool("patchid.verbatim", False) is True
        stable = config.get_bool("patchid.stable", False) is True
    return Reading(ctx, store.hash_name, stable or verbatim, verbatim)


def collect(reading: Reading, request: PatchIdRequest) -> PatchIdResult:
    """The typed result."""
    rows = [PatchIdRow(made.hex(), commit.hex()) for made, commit in reading.ids(to_bytes(request.text or ""))]
    return PatchIdResult(patches=rows)


def render(reading: Reading, request: PatchIdRequest, style: Style) -> Iterator[bytes]:
    """`<id> <commit>`, one line for each patch."""
    data = style.stdin if request.text is None else to_bytes(request.text)
    for made, commit in reading.ids(data or b""):
        yield b"%s %s\n" % (made.hex().encode(), commit.hex().encode())


COMMAND = Command(
    "patch-id",
    PatchIdRequest,
    PatchIdResult,
    run,
    collect,
    render,
    bind=bind,
    needs_repository=False,
    settings="patch-id",
    summary="ids of patches that stay the same elsewhere",
)
