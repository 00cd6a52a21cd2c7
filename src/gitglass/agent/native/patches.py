"""Patches as units: a file each; lock files and generated ones are named with their counts in place of their lines."""

import posixpath
import re
from collections.abc import Iterable, Iterator

from ..budget import Unit
from ..tool import Call
from ..visible import MARK

__all__ = ["file_units", "generated", "without_generated"]

_LOCKS = frozenset(
    re.findall(
        r"\S+",
        """
    Cargo.lock Gemfile.lock Package.resolved Pipfile.lock Podfile.lock bun.lock bun.lockb composer.lock deno.lock
    flake.lock go.sum gradle.lockfile mix.lock npm-shrinkwrap.json package-lock.json packages.lock.json pdm.lock
    pixi.lock pnpm-lock.yaml poetry.lock pubspec.lock uv.lock yarn.lock .terraform.lock.hcl
        """,
    )
)
_GENERATED = re.compile(r"\.min\.(js|css)$|\.(js|css)\.map$|_pb2(_grpc)?\.py$|\.pb\.(go|cc|h)$|\.g\.dart$")

_FILE = re.compile(rb"^diff --(?:git|cc|combined) ", re.MULTILINE)
_FILE_TEXT = re.compile(r"^diff --(?:git|cc|combined) ", re.MULTILINE)
_HUNKS = re.compile(r"^(?:--- |@@)", re.MULTILINE)


def generated(path: str) -> str | None:
    """Why a file's lines are left out ("lock file", "generated"), or None."""
    name = posixpath.basename(path)
    if name in _LOCKS:
        return "lock file"
    return "generated" if _GENERATED.search(name) else None


def without_generated(text: str, named: Iterable[str]) -> str:
    """A text with patches, where the lines of lock and generated files are replaced by their counts.

    `named` are paths that were asked for by name: those are shown.
    """
    starts = [match.start() for match in _FILE_TEXT.finditer(text)]
    if not starts:
        return text
    wanted = {posixpath.basename(path) for path in named}
    out = [text[: starts[0]]]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        out.append(_short(text[start:end], wanted))
    return "".join(out)


def _short(part: str, wanted: set[str]) -> str:
    name = posixpath.basename(part[: part.find("\n")].rstrip('"'))
    why = generated(name)
    if why is None or name in wanted:
        return part
    begin = _HUNKS.search(part)
    if begin is None:
        return part
    lines = part[begin.start() :].split("\n")
    hunks = False
    added = deleted = 0
    for line in lines:
        hunks = hunks or line.startswith("@@")
        added += hunks and line.startswith("+")
        deleted += hunks and line.startswith("-")
    return f"{part[: begin.start()]}{MARK} {why} left out, +{added:,} -{deleted:,} lines; name it in paths to see it]\n"


def file_units(call: Call, chunks: Iterable[bytes], named: Iterable[str]) -> Iterator[Unit]:
    """What stands in front of the first file (not counted), then a unit for each file, as the chunks come in."""
    paths = list(named)
    head = True
    for part in _files(chunks):
        raw = part
        if head and not _FILE.match(raw):
            if raw:
                yield Unit(lambda raw=raw: call.text(raw), counted=False)  # type: ignore[misc]
        else:
            yield Unit(lambda raw=raw: without_generated(call.text(raw), paths), patch=True)  # type: ignore[misc]
        head = False


def _files(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks joined, and divided where a file begins."""
    pending: list[bytes] = []
    for chunk in chunks:
        if not chunk:
            continue
        pending.append(chunk)
        if b"diff --" not in chunk:
            continue
        whole = b"".join(pending)
        starts = [match.start() for match in _FILE.finditer(whole)]
        at = 0
        for start in starts:
            if start > at:
                yield whole[at:start]
                at = start
        pending = [whole[at:]]
    yield b"".join(pending)
