"""Is everything there, and is it what its name says? git-fsck(1)'s questions, in git's order and words.

Every file of objects is read to its end, hashed, judged (`files`, `judge`); then everything that references, reflogs
and the index name is followed (`roots`, `reach`), in the order of `slots`; then the commit-graph and the
multi-pack-index are compared with what they were made from (`derived`). Each statement is made once. Unlike git nothing
ends where an object cannot be read: its words for that (`fatal: …`) are one statement among others.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING
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


def verify(store: Store, *, ctx: Context, spec: FsckSpec = USUAL) -> Iterator[Damage]:
    """Everything that git's fsck has to say of a repository."""
    store.odb.need_directory("fsck")
    findings = Findings(store)
    objects = Objects(store, findings, ctx)
    for line in store.complaints:  # of alternates and grafts; a multi-pack-index is judged last
        if "multi-pack-index" not in line:
            findings.say("notice", findings.path(line), is_error=False)
    rules = Rules(store, objects, strict=spec.strict)
    files = Files(objects, rules, spec)
    if spec.connectivity:
        for oid in files.names():
            objects.note(oid)
    else:
        files.check()
    yield from findings.drain()
    if not spec.connectivity:
        rules.finish()
    reach = Reach(objects, unreachable=spec.unreachable)
    Roots(store, objects, reach).check(spec)
    yield from findings.drain()
    reach.follow()
    if spec.connectivity and spec.dangling:
        reach.use(files.names())
    reach.judge()
    yield from findings.drain()
    check_derived(store, objects)
    yield from findings.drain()
