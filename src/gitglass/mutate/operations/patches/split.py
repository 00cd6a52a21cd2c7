"""The patches between two commits, one for each path, and the names of their files."""

from __future__ import annotations

import re

from ....errors import Conflict
from ....request.mutations import PatchFilesRequest
from ....revs.resolve import resolve
from ...view import View
from ..common import ask

_START = re.compile(rb"^diff --git ", re.MULTILINE)
_UNSAFE = re.compile(rb'[\x00-\x1f\x7f"*:<>?\\|]')  # what some file system or terminal does not take
_LONGEST = 240  # bytes of a name, the ending and a number apart


def patches_of(request: PatchFilesRequest, view: View) -> list[tuple[bytes, bytes]]:
    """(name of the file, patch) for each path that changed."""
    sides = [resolve(view.store, ref, ctx=view.ctx).hex() for ref in (request.from_ref, request.to_ref)]
    context = [] if request.unified is None else [f"-U{request.unified}"]
    asked = ["-r", "-M", *sides, "--", *request.paths]
    listed = ask(view, ["diff-tree", "--name-status", "-z", *asked]).split(b"\0")[:-1]
    patch = ask(view, ["diff-tree", "-p", "--no-color", "--no-ext-diff", "--no-textconv", *context, *asked])
    starts = [match.start() for match in _START.finditer(patch)]
    parts = [patch[start:end] for start, end in zip(starts, [*starts[1:], len(patch)], strict=True)]
    paths = _paths(listed)
    # a file that becomes a link, say, is taken away and made anew: two patches of one path
    if len(parts) != len(paths):
        parts = _joined(parts, paths)
    return list(zip(file_names(paths), parts, strict=True))


def _paths(listed: list[bytes]) -> list[bytes]:
    """The paths of `--name-status -z`; of a rename the new one."""
    paths, words = [], iter(listed)
    for status in words:
        path = next(words)
        paths.append(next(words) if status[:1] in (b"R", b"C") else path)
    return paths


def _joined(parts: list[bytes], paths: list[bytes]) -> list[bytes]:
    """The patches by path, where some path has two: its deletion, and what is made in its stead."""
    joined: list[bytes] = []
    for part in parts:
        made_anew = joined and b"\nnew file mode " in part[:4096] and b"\ndeleted file mode " in joined[-1][:4096]
        if made_anew and part.split(b"\n", 1)[0] == joined[-1].split(b"\n", 1)[0]:
            joined[-1] += part
        else:
            joined.append(part)
    if len(joined) != len(paths):
        raise Conflict("the patches cannot be told apart")
    return joined


def file_names(paths: list[bytes]) -> list[bytes]:
    """A name for the patch of each path: `__` for separators, and `~2` where two would be one on some file system."""
    names, taken = [], set()
    for path in paths:
        stem = _UNSAFE.sub(b"_", path.replace(b"/", b"__"))[:_LONGEST]
        number, name = 1, stem
        while name.decode("utf-8", "replace").casefold() in taken:
            number += 1
            name = b"%b~%d" % (stem, number)
        taken.add(name.decode("utf-8", "replace").casefold())
        names.append(name + b".patch")
    return names
