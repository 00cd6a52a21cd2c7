"""`ls-remote`: the refs of another repository, as it says them. Mirrors git-ls-remote(1).

Nothing changes, here or there; but the other repository is asked, which takes the host's grant of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import BadRequest, MissingObject, text
from ...paths.wildmatch import any_of
from ...refs.names import check_refname
from ...render.refs.fields import Fields
from ...render.refs.format import RefOrder
from ...request.ref_mutations import LsRemoteRequest
from ...request.text import to_bytes
from ...revs.names import current_branch
from ...revs.ref_filter import EVERY, RefItem
from ..changes import Changes
from ..plan import Answer, Plan, Preview
from ..view import View
from .conversation import Conversation
from .listing import Listing
from .ref_map import HEADS, TAGS
from .settings import Peer, check_word, default_fetch, has_address, peer_named

_NOTHING_LISTED = 2


def plan_ls_remote(request: LsRemoteRequest, view: View) -> Plan:
    """What is asked for, in the answer of a plan that changes nothing. Raises git's words where there is no such
    repository, NotGranted where the host's grant does not name it."""
    peer = _peer(request, view)
    if "--get-url" in request.switches:
        return _plan(request, view, Answer(peer.urls[0] + b"\n"))
    address = peer.address(view.store, ssh=view.services.has_ssh)
    listing = Conversation(view, address).listing()
    fits = any_of([b"*/" + to_bytes(pattern) for pattern in request.patterns] or [b"*"])
    items = [item for item in _items(listing) if _is_meant(item.name, request.switches) and fits(b"/" + item.name)]
    _sort(items, request, view)
    lines = []
    for item in items:
        if "--symref" in request.switches and item.target is not None:
            lines.append(b"ref: %b\t%b\n" % (item.target, item.name))
        lines.append(b"%b\t%b\n" % (item.oid.hex().encode(), item.name))
    quiet = request.remote is not None or "--quiet" in request.switches
    err = b"" if quiet else b"From %b\n" % address.full
    status = _NOTHING_LISTED if "--exit-code" in request.switches and not items else 0
    return _plan(request, view, Answer(b"".join(lines), err, status))


def _plan(request: LsRemoteRequest, view: View, answer: Answer) -> Plan:
    """A plan that changes nothing; there need not be a repository here."""
    preview = Preview(request.summary(), request.risk, (), [])
    return Plan(request, Changes(), answer, preview, view.moment, b"")


def _peer(request: LsRemoteRequest, view: View) -> Peer:
    store = view.store
    if request.remote is not None:
        if not request.remote:
            raise BadRequest("no path specified; see 'git help pull' for valid url syntax")
        return peer_named(store, check_word(request.remote))
    branch = current_branch(store) if store.exists else None
    named = None if branch is None else store.config.get(b"branch." + branch + b".remote")
    name = named or (default_fetch(store) if store.exists else b"origin")
    if named is None and not has_address(store.config, name):
        raise BadRequest("No remote configured to list refs from.")
    return peer_named(store, name)


def _items(listing: Listing) -> Iterator[RefItem]:
    """Each ref in the order of the other side, what a tag stands for behind it."""
    for name, oid in listing.refs.items():
        yield RefItem(name, oid, EVERY, listing.symrefs.get(name))
        if (peeled := listing.peeled.get(name)) is not None:
            yield RefItem(name + b"^{}", peeled, EVERY)


def _is_meant(name: bytes, switches: list[str]) -> bool:
    """Whether a ref is of the kinds asked for. git takes a name of one part (`refs/stash`) for none of a real ref."""
    fronts = [front for word, front in (("--heads", HEADS), ("--tags", TAGS)) if word in switches]
    if "--refs" in switches and not (name.startswith(b"refs/") and check_refname(name[5:])):
        return False
    return not fronts or name.startswith(tuple(fronts))


def _sort(items: list[RefItem], request: LsRemoteRequest, view: View) -> None:
    """By the keys asked for; without any the order is the other side's."""
    if not request.sort:
        return
    order = RefOrder(request.sort, Fields(view.store, ctx=view.ctx))
    items.sort(key=lambda item: item.name)
    try:
        order.sort(items)
    except MissingObject:
        lacked = next(item for item in items if not view.odb.has(item.oid))
        raise MissingObject(f"missing object {lacked.oid.hex()} for {text(lacked.name)}") from None
