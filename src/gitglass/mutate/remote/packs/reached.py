"""Objects that some lead to and others do not, by name: what `git rev-list --objects` lists, without words to resolve.

Mirrors git-rev-list(1) and what git-pack-objects(1) and the check of connectivity ask of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....commands.rev_list import collect, run
from ....limits import Context, Limits
from ....objects.parsed import GITLINK, TREE, commit_parents, commit_tree, tree_entries
from ....repo.store import Store
from ....request.rev_list import RevListRequest
from ....revs.resolve import Resolved
from ....revs.tips import TipBuilder
from ...view import View


def reached(
    store: Store, wants: Iterable[bytes], haves: Iterable[bytes], limits: Limits, *, all_refs: bool = False
) -> list[bytes]:
    """The objects that lie behind `wants`, commits first, without those behind `haves` (and behind every ref, with
    `all_refs`). Raises NotFound, MissingObject and Corrupt for what is not there or cannot be read."""
    with Context(limits) as ctx:
        builder = TipBuilder(store, ctx=ctx)
        for oid in wants:
            builder.named(Resolved(oid), oid.hex().encode())
        builder.pseudo("--not")
        for oid in haves:
            builder.named(Resolved(oid), oid.hex().encode(), exclude=True)
        if all_refs:
            builder.pseudo("--all")
        request = RevListRequest(objects=True, named_elsewhere=True)
        oids = collect(run(store, request, ctx, builder.tips()), request).oids
    return list(dict.fromkeys(map(bytes.fromhex, oids or ())))


def beside_parents(view: View, tips: Iterable[bytes]) -> set[bytes]:
    """Of what new commits (`View.new`, one by one) name, the parents that are among `tips`, and whatever the trees of
    these have on the way that is compared: it is as whole as they are."""
    odb, hash_len, whole = view.odb, view.store.hash_len, set[bytes]()
    tips = set(tips)
    held = view.new.held
    stack: list[tuple[bytes, bytes]] = []
    for oid, (kind, content) in held.items():
        if kind != b"commit":
            continue
        tree = commit_tree(content, oid)
        for parent in commit_parents(content, oid):
            if parent in tips and parent not in held:
                whole.add(parent)
                stack.append((odb.commit_facts(parent)[2], tree))
    seen: set[tuple[bytes, bytes]] = set()
    while stack:
        view.ctx.tick()
        pair = stack.pop()
        if pair in seen:
            continue
        seen.add(pair)
        old, new = pair
        whole.add(old)
        if new not in held:
            continue
        below = {name: oid for mode, name, oid in tree_entries(held[new][1], hash_len) if mode == TREE}
        for mode, name, oid in tree_entries(odb.tree(old), hash_len):
            if mode != GITLINK:
                whole.add(oid)
            if mode == TREE and name in below and oid != below[name]:
                stack.append((oid, below[name]))
    return whole
