"""Patches as units, one for each file; of lock files and generated files only names and counts are shown."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...limits import paced, pause
from ...paths.attributes import attributes_of, unquoted
from ...repo.store import Store
from ...request.rows.diff import FileChange
from ...request.text import to_bytes, to_text
from ..budget import Unit
from ..tool import Call
from ..visible import MARK

__all__ = ["LeftOut", "file_units"]

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
_BODY = re.compile(r"^(?:--- |@@)", re.MULTILINE)
_COMBINED = re.compile(r"diff --(?:cc|combined) (.*)")
_BEGINS = b"diff --"
_ATTRIBUTE = b"linguist-generated"
_STRETCH = 1 << 20  # bytes of a text that are searched between two looks at the clock


class LeftOut:
    """Which files' lines are left out: lock files, generated ones by their names, and those with the attribute.

    If `.gitattributes` sets the attribute, it decides, either way (`linguist-generated`, `-linguist-generated`). Files
    that were requested by name (`named`) are shown.
    """

    __slots__ = ("_named", "_store")

    def __init__(self, named: Iterable[str] | None, store: Store | None = None) -> None:
        self._named = {path.rstrip("/") for path in named or ()}
        self._store = store

    def why(self, path: bytes) -> str | None:
        """Why a file's lines are left out ("lock file", "generated"), or None."""
        generated = None if self._store is None else attributes_of(self._store).get(path, _ATTRIBUTE)
        if generated is not None:
            why = None if generated is False or generated == b"false" else "generated"
        else:
            name = to_text(posixpath.basename(path))
            why = "lock file" if name in _LOCKS else "generated" if _GENERATED.search(name) else None
        return None if why is None or self._is_named(to_text(path)) else why

    def _is_named(self, path: str) -> bool:
        return path in self._named or posixpath.basename(path) in {posixpath.basename(name) for name in self._named}

    def shortened(self, text: str) -> str:
        """A text with patches, in which the lines of such files are replaced by their counts."""
        starts = list(_text_starts(text))
        if not starts:
            return text
        out = [text[: starts[0]]]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            out.append(self._short(text[start:end]))
        return "".join(out)

    def _short(self, part: str) -> str:
        begin = _BODY.search(part)
        if begin is None:
            return part
        head = part[: begin.start()]
        path = _path(head, _first_lines(part, begin.start()))
        why = None if path is None else self.why(path)
        if why is None:
            return part
        added, deleted = _counts(part[begin.start() :])
        left = f"{MARK} {why} left out, +{added:,} -{deleted:,} lines; name it in paths to see it]\n"
        return head + left

    def row(self, row: FileChange) -> Any:
        """A file's typed row, without its hunks if its lines are left out."""
        why = self.why(to_bytes(row.path))
        if why is None:
            return row
        fields = {name: getattr(row, name) for name in row.__dataclass_fields__}
        return fields | {"hunks": None, "left_out": why}


def _first_lines(text: str, at: int) -> str:
    """The first two lines from an offset on: copying all the rest could take long."""
    end = text.find("\n", at)
    end = text.find("\n", end + 1) if end >= 0 else -1
    return text[at:] if end < 0 else text[at:end]


def _path(head: str, body: str) -> bytes | None:
    """The path of a file's patch: that of the new side, or of the old side for a deleted file."""
    match = _COMBINED.match(head)
    if match is not None:
        return _bare(match[1])
    old, new = (line[4:].partition("\t")[0] for line in [*body.split("\n", 2), "", ""][:2])
    name = old if new == "/dev/null" else new
    path = _bare(name)
    return path[2:] if path is not None and path[:2] in (b"a/", b"b/") else None


def _bare(name: str) -> bytes | None:
    """An unquoted path as patches write it."""
    raw = to_bytes(name)
    if not raw.startswith(b'"'):
        return raw
    word = unquoted(raw)
    return None if word is None else word[0]


def _counts(body: str) -> tuple[int, int]:
    """Lines added and deleted; of a combined patch, against any of the parents."""
    added = deleted = columns = 0
    for line in paced(body.split("\n")):
        if line.startswith("@@"):
            columns = len(line) - len(line.lstrip("@")) - 1
        elif columns:
            signs = line[:columns]
            added += "+" in signs
            deleted += "-" in signs
    return added, deleted


def file_units(
    call: Call, chunks: Iterable[bytes], left_out: LeftOut, rows: Iterable[FileChange] = ()
) -> Iterator[Unit]:
    """The text before the first file (not counted), then a unit for each file, while the chunks arrive.

    `rows` are the files' typed rows in the same order; a row without a patch (a merge took the file of one side) is
    skipped.
    """
    coming = iter(rows)
    head = True
    for part in _files(chunks):
        raw = part
        if head and not _FILE.match(raw):
            if raw:
                yield Unit(lambda raw=raw: call.text(raw), counted=False)  # type: ignore[misc]
        else:
            unit = Unit(lambda raw=raw: left_out.shortened(call.text(raw)), patch=True)  # type: ignore[misc]
            row = _row_of(call, raw, coming)
            if row is not None:
                unit.row = lambda row=row: left_out.row(row)
            yield unit
        head = False


def _row_of(call: Call, part: bytes, rows: Iterator[FileChange]) -> FileChange | None:
    """The row of a file's patch: the next row, or for a combined patch the next with its path."""
    for row in rows:
        match = re.match(rb"diff --(?:cc|combined) (.*)", part)
        if match is None or match[1] == call.style.quote(to_bytes(row.path)):
            return row
    return None


def _files(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks joined, and divided at the beginning of each file."""
    pending: list[bytes] = []
    for chunk in chunks:
        if not chunk:
            continue
        pending.append(chunk)
        if b"diff --" not in chunk:
            continue
        whole = b"".join(pending)
        at = 0
        for start in _starts(whole):
            if start > at:
                yield whole[at:start]
                at = start
        pending = [whole[at:]]
    yield b"".join(pending)


def _text_starts(text: str) -> Iterator[int]:
    """The same offsets in a text for a model."""
    begins = _BEGINS.decode()
    for base in range(0, len(text), _STRETCH):
        if base:
            pause()
        end = base + _STRETCH + len(begins) - 1
        at = text.find(begins, base, end)
        while at >= 0:
            if _FILE_TEXT.match(text, at):
                yield at
            at = text.find(begins, at + 1, end)


def _starts(text: bytes) -> Iterator[int]:
    """The offsets where files begin, with a look at the clock now and then."""
    for base in range(0, len(text), _STRETCH):
        if base:
            pause()
        end = base + _STRETCH + len(_BEGINS) - 1
        at = text.find(_BEGINS, base, end)
        while at >= 0:
            if _FILE.match(text, at):
                yield at
            at = text.find(_BEGINS, at + 1, end)
