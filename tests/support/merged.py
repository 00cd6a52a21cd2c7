"""A merge by gitglass, written as `git merge-tree --write-tree -z` writes one."""

from __future__ import annotations

import gitglass
from gitglass.diff.changes import Contents
from gitglass.errors import Unsupported
from gitglass.limits import Context, Limits
from gitglass.merge.merge import Merger
from gitglass.merge.settings import merge_spec
from gitglass.merge.spec import MergeResult
from gitglass.revs.abbrev import Abbreviator


def written(result: MergeResult) -> bytes:
    """The tree, every stage of every path in conflict, every message."""
    out = [result.tree.hex().encode() + b"\0"]
    if result.clean:
        return out[0]
    for path in sorted(result.conflicts):
        for stage, (mode, oid) in enumerate(result.conflicts[path], 1):
            if mode and oid is not None:
                out.append(b"%06o %b %d\t%b\0" % (mode, oid.hex().encode(), stage, path))
    out.append(b"\0")
    for message in result.lines():
        words = (str(len(message.paths)).encode(), *message.paths, message.kind, message.text + b"\n")
        out += [word + b"\0" for word in words]
    return b"".join(out)


def merged(repo: gitglass.Repository, one: str, two: str) -> bytes | str:
    """The merge of two commits; a string says why it is refused."""
    ctx = Context(Limits(timeout=60))
    with ctx:
        store = repo.store
        merger = Merger(Contents(store, ctx=ctx), ctx=ctx, name=Abbreviator(store))
        try:
            return written(
                merger.commits(bytes.fromhex(one), bytes.fromhex(two), merge_spec(store, one.encode(), two.encode()))
            )
        except Unsupported as error:
            return error.message
