"""Advice on revisions that name nothing: similar refs, the branch that is meant by `master`, a path in a revision's
place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import GitError, text
from ..limits import Context
from ..repo.store import Store
from ..request.text import to_bytes
from ..revs.errors import closest
from ..revs.resolve import full_index, try_resolve

__all__ = ["revision_advice"]

#: the parameters of tools that are revisions or ranges
_PARAMETERS = ("rev", "from_ref", "to_ref", "contains", "merged")
#: usual names of the branch that others start from
_USUAL = ("main", "master", "trunk", "develop", "default")


def revision_advice(store: Store, asked: Any, ctx: Context) -> str | None:
    """What may be meant by the first revision among a tool's arguments that names nothing; None if all name something,
    or nothing is similar."""
    for word in _words(asked):
        try:
            if try_resolve(store, word, ctx=ctx) is not None:
                continue
            return _advice(store, word, ctx)
        except GitError:
            return None
    return None


def _words(asked: Any) -> Iterator[str]:
    """Each side of each revision."""
    for name in _PARAMETERS:
        value = getattr(asked, name, None)
        if isinstance(value, str):
            sides = re.split(r"\.\.\.?", value.removeprefix("^"))
            yield from filter(None, (side.partition(":")[0] for side in sides))


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
