"""git version: which program answers."""

from collections.abc import Iterator

from pydantic import Field

from ..limits import Context
from ..model.request import Request, Result
from ..render.style import Style
from ..store.store import Store
from .command import Command

#: the release of git whose answers these are
MIRRORED = "2.39.5"


class VersionResult(Result):
    """What answers."""

    version: str = Field(description="The version of git that is mirrored.")


class VersionRequest(Request[VersionResult]):
    """`git version`."""


def run(store: Store, request: VersionRequest, ctx: Context) -> str:
    """The version of git whose answers are given."""
    return MIRRORED


def collect(entries: str, request: VersionRequest) -> VersionResult:
    """The typed form."""
    return VersionResult(version=entries)


def render(entries: str, request: VersionRequest, style: Style) -> Iterator[bytes]:
    """`git version 2.39.5`, which scripts parse."""
    yield f"git version {entries}\n".encode()


COMMAND = Command("version", VersionRequest, VersionResult, run, collect, render, needs_repository=False)
