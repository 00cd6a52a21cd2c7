"""The output of git merge-tree: the tree, the stages of paths in conflict, the messages."""

from __future__ import annotations

from collections.abc import Iterator

from ..merge.spec import MergeResult
from .quote import relative_path
from .style import Style


def write_merge(
    result: MergeResult, style: Style, *, nul: bool, names: bool = False, messages: bool | None = None
) -> Iterator[bytes]:
    """One merge (git-merge-tree(1), "OUTPUT").

    `nul` ends parts with NUL and splits messages into their fields; with `names` only the paths are listed, each once;
    `messages` None shows them only if there are conflicts.
    """
    end = b"\0" if nul else b"\n"
    yield result.tree.hex().encode() + end
    if not result.clean:
        yield b"".join(_conflicts(result, style, end, nul=nul, names=names))
    if messages if messages is not None else not result.clean:
        yield end
        for message in result.lines():
            if nul:
                words = (b"%d" % len(message.paths), *message.paths, message.kind, message.text + b"\n")
                yield b"".join([word + end for word in words])
            else:
                yield message.text + b"\n"
        yield result.advice


def _conflicts(result: MergeResult, style: Style, end: bytes, *, nul: bool, names: bool) -> Iterator[bytes]:
    for path in sorted(result.conflicts):
        name = relative_path(path, style.prefix) if style.prefix else path
        name = name if nul else style.quote(name)
        if names:
            yield name + end
            continue
        for stage, (mode, oid) in enumerate(result.conflicts[path], 1):
            if mode and oid is not None:
                yield b"%06o %b %d\t%b%b" % (mode, oid.hex().encode(), stage, name, end)
