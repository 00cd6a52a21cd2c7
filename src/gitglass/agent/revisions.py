"""Advice on revisions that name nothing: similar refs, the branch that is meant by `master`, a path in a revision's
place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import GitError, text
from ..limits import Context
from ..objects.parsed import GITLINK
from ..repo.store import Store
from ..request.text import to_bytes, to_text
from ..revs.errors import closest
from ..revs.resolve import full_index, try_resolve

__all__ = ["revision_advice", "submodule_advice"]

#: the parameters of tools that are revisions or ranges
_PARAMETERS = ("rev", "from_ref", "to_ref", "contains", "merged")
#: a revision and the steps that go on from it
_STEPS = re.compile(r"(.+?)([~^])(\d{0,9})")
#: usual names of the branch that others start from
_USUAL = ("main", "master", "trunk", "develop", "default")


def revision_advice(store: Store, asked: Any, ctx: Context) -> str | None:
    """What may be meant by the first revision among a tool's arguments that names nothing; None if all name something,
    or nothing is similar."""
    for name in _PARAMETERS:
        rev, colon, path = str(getattr(asked, name, None) or "").partition(":")
        advice = submodule_advice(store, path) if rev and colon else None
        if advice is not None:
            return advice
    for word in _words(asked):
        try:
            if try_resolve(store, word, ctx=ctx) is not None:
                continue
            return _too_far(store, word, ctx) or _advice(store, word, ctx)
        except GitError:
            return None
    return None


def submodule_advice(store: Store, path: str) -> str | None:
    """Where a path below a submodule is to be asked for; None if it is below none."""
    index = full_index(store)
    parts = path.strip("/").split("/")
    for count in range(1, len(parts) + 1):
        name = "/".join(parts[:count])
        at = index.find(to_bytes(name))
        if at < 0 or index.mode(at) != GITLINK:
            continue
        try:
            there = store.files is not None and store.files.lstat(to_bytes(f"{name}/.git")) is not None
        except GitError:
            there = False
        if not there:
            return f"'{name}' is a submodule, and not checked out here."
        repo = f"{to_text(store.work_tree or b'').rstrip('/')}/{name}"
        return f"'{name}' is a submodule, a repository of its own: repo={repo}"
    return None


def _words(asked: Any) -> Iterator[str]:
    """Each side of each revision."""
    for name in _PARAMETERS:
        value = getattr(asked, name, None)
        if isinstance(value, str):
            sides = re.split(r"\.\.\.?", value.removeprefix("^"))
            yield from filter(None, (side.partition(":")[0] for side in sides))


def _too_far(store: Store, word: str, ctx: Context) -> str | None:
    """For `A~9`, `A^2` and `A^` of a root commit: how far it goes from A, if there is one."""
    match = _STEPS.fullmatch(word)
    start = try_resolve(store, match[1], ctx=ctx) if match is not None else None
    if match is None or start is None:
        return None
    parents, count = store.odb.parents_reader(), 0
    oid = store.odb.peel(start, b"commit")
    if match[2] == "^":
        return f"{match[1]} has so many parents: {len(parents(oid))}."
    while (above := parents(oid)) and count < int(match[3] or "1"):
        oid, count = above[0], count + 1
        ctx.tick()
    cut = ", where a shallow clone ends" if store.shallow else ""
    return f"along first parents, {match[1]} has so many ancestors: {count:,}{cut}."


def _advice(store: Store, word: str, ctx: Context) -> str | None:
    near = [text(name) for name in closest(store, to_bytes(word), ctx)]
    if near:
        return f"'{word}': did you mean {', '.join(near)}?"
    if word.upper() == "HEAD" != word:
        return "did you mean HEAD?"
    branch, _ = store.refs.head()
    if word in _USUAL and branch is not None:
        return f"'{word}': HEAD is at {text(branch).removeprefix('refs/heads/')}; git_refs kind=branches lists them."
    if full_index(store).has_path(to_bytes(word)):
        return f"'{word}' is a path: paths={word}, or rev=HEAD:{word} for the file itself"
    return None
