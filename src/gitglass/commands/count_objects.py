"""git count-objects: the number of objects, and their size on disk."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import InvalidArgs, text
from ..limits import Context
from ..objects.statistics import Census, count_loose, count_packs, find_garbage
from ..plans.positionals import Positionals
from ..records import field, typed_row
from ..render.rev_list import human_size
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_text
from .command import Command

_USAGE = "usage: git count-objects [-v] [-H | --human-readable]"


class CountObjectsResult(Result):
    """The counts; sizes in bytes."""

    count: int = Field(description="Loose objects.")
    size: int = Field(description="What they take on the disk.")
    in_pack: int | None = Field(None, description="Objects in packs.")
    packs: int | None = Field(None, description="Packs.")
    size_pack: int | None = Field(None, description="What packs and their indexes take.")
    prune_packable: int | None = Field(None, description="Loose objects that are in a pack as well.")
    garbage: int | None = Field(None, description="Files that are no objects and no packs.")
    size_garbage: int | None = Field(None, description="What those take.")
    alternates: list[str] = Field(default_factory=list, description="Other places objects are borrowed from.")


class CountObjectsRequest(Request[CountObjectsResult]):
    """`git count-objects`."""

    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="Packs and garbage as well.")
    human: Annotated[bool, Flag("-H", "--human-readable", no=True)] = Field(
        False, description="Sizes in units that fit them."
    )


@typed_row
class Counted:
    """The figures, and the directories of borrowed objects."""

    census: Census
    alternates: list[bytes] = field(default_factory=list)


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Raise git's error for any argument."""
    if words.before or words.after:
        raise InvalidArgs(_USAGE, prefix="")


def run(store: Store, request: CountObjectsRequest, ctx: Context) -> Counted:
    """Count the objects. With `verbose`, there are warnings about unexpected files."""
    store.odb.need_directory("count-objects")
    jail, places = store.jail, store.odb.dirs
    home = places[0]

    def tell(why: str, path: bytes) -> None:
        if request.verbose:
            ctx.warn(f"{why}: {text(store.shown(path))}")

    def in_a_pack(oid: bytes) -> bool:
        return any(directory.find(oid) is not None for directory in places)

    census = count_loose(home, jail, in_a_pack if request.verbose else None, tell, ctx=ctx)
    if not request.verbose:
        return Counted(census)
    for directory in places:
        find_garbage(directory, jail, census, tell, ctx=ctx)
    count_packs(home, jail, census, ctx=ctx)
    return Counted(census, [directory.path for directory in places[1:]])


def collect(counted: Counted, request: CountObjectsRequest) -> CountObjectsResult:
    """The typed result."""
    census = counted.census
    if not request.verbose:
        return CountObjectsResult(count=census.count, size=census.size)
    return CountObjectsResult(
        count=census.count,
        size=census.size,
        in_pack=census.in_pack,
        packs=census.packs,
        size_pack=census.size_pack,
        prune_packable=census.prune_packable,
        garbage=census.garbage,
        size_garbage=census.size_garbage,
        alternates=list(map(to_text, counted.alternates)),
    )


def render(counted: Counted, request: CountObjectsRequest, style: Style) -> Iterator[bytes]:
    """One line, or with `verbose` one for each figure."""
    census = counted.census

    def size(number: int) -> bytes:
        return human_size(number) if request.human else b"%d" % (number // 1024)

    if not request.verbose:
        yield b"%d objects, %s\n" % (census.count, size(census.size) + (b"" if request.human else b" kilobytes"))
        return
    for name, value in (
        (b"count", b"%d" % census.count),
        (b"size", size(census.size)),
        (b"in-pack", b"%d" % census.in_pack),
        (b"packs", b"%d" % census.packs),
        (b"size-pack", size(census.size_pack)),
        (b"prune-packable", b"%d" % census.prune_packable),
        (b"garbage", b"%d" % census.garbage),
        (b"size-garbage", size(census.size_garbage)),
        *((b"alternate", style.quote(path)) for path in counted.alternates),
    ):
        yield name + b": " + value + b"\n"


COMMAND = Command(
    "count-objects",
    CountObjectsRequest,
    CountObjectsResult,
    run,
    collect,
    render,
    bind=bind,
    summary="how many objects there are, and what they take",
    usage="[-v] [-H | --human-readable]",
)
