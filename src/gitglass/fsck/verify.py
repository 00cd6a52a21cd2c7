"""Is everything there, and is it what its name says? git-fsck(1)'s questions, in git's order and words.

Every file of objects is read to its end, hashed, judged (`fsckfiles`, `fsckjudge`); then everything that references,
reflogs and the index name is followed (`fsckroots`, `fsckreach`), in the order of `fsckslots`; then the commit-graph
and the multi-pack-index are compared with what they were made from (`fsckderived`). Each statement is made once. Unlike
git nothing ends where an object cannot be read: its words for that (`fatal: …`) are one statement among others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .derived import check_derived
from .files import Files
from .judge import Rules
from .objects import USUAL, Damage, Findings, FsckSpec, Objects
from .reach import Reach
from .roots import Roots

if TYPE_CHECKING:
    from ..limits import Context
    from ..repo.store import Store

__all__ = ["Damage", "FsckSpec", "verify"]


def verify(store: Store, *, ctx: Context, how: FsckSpec = USUAL) -> Iterator[Damage]:
    """Everything that git's fsck has to say of a repository."""
    store.odb.need_directory("fsck")
    found = Findings(store)
    objects = Objects(store, found, ctx)
    for line in store.complaints:  # of alternates and grafts; a multi-pack-index is judged last
        if "multi-pack-index" not in line:
            found.say("notice", found.path(line), is_error=False)
    rules = Rules(store, objects, strict=how.strict)
    Files(objects, rules, how).check()
    yield from found.drain()
    rules.finish()
    reach = Reach(objects, unreachable=how.unreachable)
    Roots(store, objects, reach).check(how)
    yield from found.drain()
    reach.follow()
    reach.judge()
    yield from found.drain()
    check_derived(store, objects)
    yield from found.drain()
