"""Whether all objects are present and have the content their names stand for, checked in git-fsck(1)'s order and words.

Every file that holds objects is read to its end, hashed and checked (`files`, `judge`). Then everything that refs,
reflogs and the index reach is followed (`roots`, `reach`), in the order of `graph.slots`. Last, the commit-graph and
the multi-pack-index are compared with what they were computed from (`derived`). Each report is made once. Unlike git,
fsck does not end at an object that cannot be read: git's message for it (`fatal: …`) is one report among others.
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
    """Every report of git's fsck about a repository."""
    store.odb.need_directory("fsck")
    findings = Findings(store)
    objects = Objects(store, findings, ctx)
    for line in store.complaints:  # about alternates and grafts; the multi-pack-index is checked last
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
