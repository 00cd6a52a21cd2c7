"""git version: the version of the program."""

import os
from collections.abc import Iterator
from struct import calcsize

from ..annotations import Annotated
from ..limits import Context
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..version import MIRRORED
from .command import Command


class VersionResult(Result):
    """The version of git that gitglass imitates."""

    version: str = Field(description="The version of git that is mirrored.")


class VersionRequest(Request[VersionResult]):
    """`git version`."""

    build_options: Annotated[bool, Flag("--build-options", no=True)] = Field(
        False, description="Also the machine, and the sizes of its integers."
    )


def run(store: Store, request: VersionRequest, ctx: Context) -> str:
    """The version of git that gitglass imitates."""
    return MIRRORED


def collect(entries: str, request: VersionRequest) -> VersionResult:
    """The typed result."""
    return VersionResult(version=entries)


def render(entries: str, request: VersionRequest, style: Style) -> Iterator[bytes]:
    """`git version 2.39.5`, which scripts parse."""
    yield f"git version {entries}\n".encode()
    if request.build_options:
        yield _build_options().encode()


def _build_options() -> str:
    """git's description of its build, for this machine; `/bin/sh` is the shell that git would run programs with."""
    return (
        f"cpu: {os.uname().machine}\nno commit associated with this build\n"
        f"sizeof-long: {calcsize('l')}\nsizeof-size_t: {calcsize('N')}\nshell-path: /bin/sh\n"
    )


COMMAND = Command("version", VersionRequest, VersionResult, run, collect, render, needs_repository=False)
