"""The files of a diff with the largest changes first: `mode=largest` of git_diff, git_show and git_compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...request.rows.diff import FileChange
from ...request.text import to_bytes
from ..budget import Unit
from ..tool import Call

__all__ = ["DIRSTAT", "LARGEST", "directory_units", "no_directory", "size_units"]

#: git's option for each of the two views of sizes
LARGEST: dict[str, Any] = {"numstat": True}
DIRSTAT: dict[str, Any] = {"dirstat": [""]}


def size_units(call: Call, files: Sequence[FileChange]) -> Iterator[Unit]:
    """The totals, in the format of `git diff --shortstat` (not counted); then a line of `git diff --numstat` for each
    file.

    The file with most changed lines comes first; files of equal size are sorted by name, as are binary ones (`-`), at
    the end.
    """
    if not files:
        return
    yield Unit(lambda: _totals(files), counted=False)
    for file in sorted(files, key=_size):
        yield Unit(lambda file=file: call.text(_line(call, file)), lambda file=file: file)  # type: ignore[misc]


def directory_units(call: Call, raw: bytes, *, kind: str | None = None) -> list[Unit]:
    """A unit for each line of git's dirstat, with a row: the share in percent and the path; `kind` is added to it."""
    units = call.line_units(raw)
    more = {} if kind is None else {"kind": kind}
    for unit, line in zip(units, raw.splitlines(), strict=True):
        share, _, path = line.decode("utf-8", "replace").strip().partition("% ")
        unit.row = lambda share=share, path=path: {**more, "percent": float(share), "path": path}
    return units


def no_directory(files: int) -> str:
    """Why git's dirstat has no line although files differ."""
    return f"no directory has 3% of the changes; files changed: {files:,} (mode=largest lists them)"


def _size(file: FileChange) -> tuple[bool, int, str]:
    return file.added is None, -((file.added or 0) + (file.deleted or 0)), file.path


def _line(call: Call, file: FileChange) -> bytes:
    counts = b"-\t-" if file.added is None else b"%d\t%d" % (file.added, file.deleted or 0)
    quote = call.style.quote
    old = quote(to_bytes(file.old_path)) + b" => " if file.old_path and file.old_path != file.path else b""
    return counts + b"\t" + old + quote(to_bytes(file.path)) + b"\n"


def _totals(files: Sequence[FileChange]) -> str:
    added = sum(file.added or 0 for file in files)
    deleted = sum(file.deleted or 0 for file in files)
    count = sum(file.status != "U" for file in files)  # a conflict without a version to compare with is not counted
    words = [f" {count} file{'s' if count != 1 else ''} changed"]
    if added or not deleted:
        words.append(f"{added} insertion{'s' if added != 1 else ''}(+)")
    if deleted or not added:
        words.append(f"{deleted} deletion{'s' if deleted != 1 else ''}(-)")
    return ", ".join(words) + "\n"
