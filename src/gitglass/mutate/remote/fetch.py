"""`fetch`: refs of another repository, with what they need, put where the refspecs say. Mirrors git-fetch(1).

The other repository is asked and its objects are brought while the plan is made, into memory: the preview says exactly
what will be there, and carrying it out writes that. Objects are judged and connected before any ref is planned.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import BadRequest, GitError, Unsupported, text
from ...records import field, record
from ...refs.refspecs import Refspec, parse_fetch
from ...request.ref_mutations import FetchRequest
from ...worktree.checkouts import checkouts
from ..changes import ABSENT, Changes, GitFile, LogChange
from ..operations.branch import check_free
from ..operations.common import check_hooks, finished, last_word, refused_switches
from ..plan import Answer, Plan
from ..view import View
from .addresses import Address
from .conversation import Conversation
from .fetch_head import fetch_head, kind_and_name, short_url
from .lines import fetch_line, moved, name_width, summary_width
from .listing import Listing
from .local import is_forward
from .packs.quarantine import check_connected
from .ref_map import (
    ALL_TAGS,
    HEADS,
    MERGE,
    NOT_FOR_MERGE,
    TAGS,
    UNLISTED,
    Fetched,
    asked_map,
    default_map,
    followed_tags,
    matched,
    pretty,
    stale,
    without_doubles,
)
from .settings import Peer, check_word, default_fetch, has_default, is_configured, merges_of, peer_named, wants_prune

#: the last ones change nothing here: packs are not gathered after a fetch, and who shows progress is the host
_TAKEN = (
    "--all", "--tags", "--no-tags", "--prune", "--no-prune", "--dry-run", "--force", "--no-recurse-submodules",
    "--progress", "--no-progress", "--no-auto-gc", "--no-auto-maintenance",
)  # fmt: skip


@record
class Brought:
    """What a fetch comes to: changes, words, and the commits that a pull merges, with where each is from."""

    changes: Changes
    answer: Answer
    peer: Peer
    address: Address
    merges: list[Fetched] = field(default_factory=list)


def plan_fetch(request: FetchRequest, view: View) -> Plan:
    """The plan of a fetch. Raises git's words for what is not there, NotGranted where the host's grant does not name
    the other repository, Corrupt for objects that are refused."""
    refused_switches(request, _TAKEN)
    check_hooks(view, ())
    remote = _only_remote(request, view) if "--all" in request.switches else request.remote
    if remote == "" or (remote is None and not has_default(view.store, default_fetch(view.store))):
        return finished(
            request, view, Changes() if "--dry-run" in request.switches else nothing_fetched(view), Answer()
        )
    brought = Fetching(view, request.switches, remote, request.refs, request.line).run()
    if "--dry-run" in request.switches:
        view.new.held.clear()
        view.packs.clear()
        return finished(request, view, Changes(), brought.answer)
    plan = finished(request, view, brought.changes, brought.answer)
    plan.preview.lines.insert(0, f"from {text(brought.address.full)}: {_count(view)} new object(s)")
    return plan


def _only_remote(request: FetchRequest, view: View) -> str:
    """The remote that `--all` means; "" where there is none. Raises Unsupported for several: git fetches from one after
    the other."""
    if request.remote is not None:
        why = "does not make sense with refspecs" if request.refs else "does not take a repository argument"
        raise BadRequest(f"fetch --all {why}")
    config = view.config
    names = [name for name in config.subsections("remote") if is_configured(config, name)]
    names = [name for name in names if not config.get_bool(b"remote." + name + b".skipdefaultupdate", False)]
    if len(names) > 1:
        raise Unsupported("git fetch: gitglass takes --all only where there is one remote", option="--all")
    return text(names[0]) if names else ""


def nothing_fetched(view: View) -> Changes:
    """What a fetch leaves that no remote is there for: an empty `FETCH_HEAD`."""
    before = view.git_file(b"FETCH_HEAD")
    changes = Changes()
    if before != b"":
        changes.git_files.append(GitFile(b"FETCH_HEAD", before, b""))
    return changes


def _count(view: View) -> int:
    return len(view.new.held) + sum(pack.count for pack in view.packs)


def _activates(key: bytes) -> bool:
    """Whether a setting is one that `git submodule init` makes, or names active submodules (gitsubmodules(7))."""
    return key.startswith(b"submodule.") and key.endswith((b".url", b".active"))


class Fetching:
    """One fetch being planned. `words` are its command line, as logs say it; `head_too` allows the current branch."""

    def __init__(
        self,
        view: View,
        switches: Sequence[str],
        remote: str | None,
        refs: list[str],
        words: list[str],
        *,
        head_too: bool = False,
    ) -> None:
        self._view, self._switches, self._head_too = view, frozenset(switches), head_too
        asked = last_word(switches, "--prune", "--no-prune")
        self._prunes = None if asked is None else asked == "--prune"
        self.peer = peer_named(view.store, default_fetch(view.store) if remote is None else check_word(remote))
        self.address = self.peer.address(view.store, ssh=view.services.has_ssh)
        self._specs = [parse_fetch(word, view.store.hex_len) for word in _with_tags(refs)]
        self._default = self.peer.fetch  # what is fetched where no refspec is named
        if not refs and self._prunes_tags():
            # git takes it for one more refspec, whether it prunes or not; of an address it is the only one
            self._default = (*self.peer.fetch, ALL_TAGS)
            self._specs = [] if self.peer.name else [ALL_TAGS]
        shown = [text(self.address.shown) if word == remote and not self.peer.name else word for word in words]
        self._words = " ".join(shown).encode("utf-8", "surrogateescape")
        self._talk = Conversation(view, self.address)
        self._changes, self._lines, self._status = Changes(), list[bytes](), 0
        self._local = {ref.name: ref.oid or ABSENT for ref in view.store.refs.entries()}

    def run(self) -> Brought:
        """Ask, bring, and plan what changes."""
        view, listing = self._view, self._talk.listing()
        if view.store.shallow:
            raise Unsupported("fetching into a shallow repository is not offered")
        rows = self._wanted(listing)
        self._check_heads(rows)
        self._prune(listing)
        follows = self._follows_tags()
        tips = {row.oid for row in rows}
        present = {oid for oid in _tag_targets(listing) if view.odb.has(oid)} if follows else set[bytes]()
        local = set(self._local)
        if follows:
            rows += [row for row in followed_tags(listing, tips, local, present) if not _has(rows, row)]
        rows = without_doubles(rows)
        self._bring(rows)
        later: list[Fetched] = []
        if follows:
            present = {oid for oid in _tag_targets(listing) if view.odb.has(oid)}
            later = followed_tags(listing, tips, local, present)
            if "--dry-run" not in self._switches:  # Strange but git's: where it writes none it says them twice
                later = [row for row in later if not _has(rows, row)]
            self._bring(later)
        self._check_free(rows + later)
        for batch in (rows, later):
            self._say(batch)
        self._head_file(rows + later)
        if any(_activates(entry.key) for entry in view.config.entries):
            view.notes.append("submodules are not fetched")  # git does, where new commits name others of theirs
        merges = [row for row in rows if row.status == MERGE]
        quiet = bool({"-q", "--quiet"} & self._switches)
        front = b"From %b\n" % short_url(self.address.shown) if self._lines else b""
        err = b"" if quiet else front + b"".join(self._lines)
        return Brought(self._changes, Answer(err=err, status=self._status), self.peer, self.address, merges)

    # --- which ------------------------------------------------------------------------------------------------------

    def _wanted(self, listing: Listing) -> list[Fetched]:
        """The refs that are fetched, tags that only follow left out."""
        peer = self.peer
        if self._specs:
            rows = asked_map(self._specs, peer.fetch, listing)
        else:
            merges = merges_of(self._view.store, peer.name or peer.word)
            if self._default or merges:
                rows = default_map(self._default, listing, merges)
            else:
                rows = matched(Refspec(b"HEAD"), listing)
                rows[0].status = MERGE
        if self._tags() == "all":
            tags = [row for row in matched(ALL_TAGS, listing) if not _has(rows, row)]
            at = next((number for number, row in enumerate(rows) if row.status == UNLISTED), len(rows))
            rows[at:at] = tags
        return rows

    def _prunes_tags(self) -> bool:
        """Whether tags that are gone there are to go here (git-config(1), `remote.<name>.pruneTags`)."""
        own = self.peer.prune_tags
        return bool(self._view.config.get_bool("fetch.prunetags", False) if own is None else own)

    def _tags(self) -> str:
        """ "all", "none", or "auto": those that come along."""
        if "--tags" in self._switches:
            return "all"
        if "--no-tags" in self._switches:
            return "none"
        return {b"--tags": "all", b"--no-tags": "none"}.get(self.peer.tags, "auto")

    def _follows_tags(self) -> bool:
        specs = self._specs or self._default
        return self._tags() == "auto" and any(spec.target for spec in specs)

    def _check_heads(self, rows: list[Fetched]) -> None:
        """Raise BadRequest where a branch would change that is checked out."""
        if self._head_too:
            return
        taken = {one.branch: one.path for one in checkouts(self._view.store) if one.branch and not one.bare}
        for row in rows:
            if row.local.startswith(HEADS) and row.local in taken:
                shown = text(taken[row.local])
                raise BadRequest(f"refusing to fetch into branch '{text(row.local)}' checked out at '{shown}'")

    def _check_free(self, rows: list[Fetched]) -> None:
        gone = {change.name for change in self._changes.refs if change.after == ABSENT}
        for row in rows:
            new = row.local and self._local.get(row.local, ABSENT) == ABSENT
            if new and not any(name.startswith(row.local + b"/") or row.local.startswith(name + b"/") for name in gone):
                check_free(self._view, row.local)

    def _prune(self, listing: Listing) -> None:
        """Refs here whose refs there are gone."""
        view = self._view
        if not wants_prune(view.store, self.peer, self._prunes):
            return
        specs = self._specs or self._default
        symbolic = {ref.name for ref in view.store.refs.entries() if ref.target is not None}
        names = stale(specs, listing, [name for name in self._local if name not in symbolic])
        width = summary_width(view.store, listing.refs.values())
        for name in names:
            change = view.move_ref(name, ABSENT)
            self._changes.refs.append(change)
            log = view.git_file(b"logs/" + name)
            if log is not None:
                self._changes.logs.append(LogChange(name, whole=True, before=log, content=None))
            self._lines.append(fetch_line(b"-", b"[deleted]", b"(none)", pretty(name), b"", (width, 10)))
            self._local.pop(name)
        for ref in view.store.refs.entries():
            if ref.target in names:
                self._lines.append(b"   (%b has become dangling)\n" % pretty(ref.name))

    # --- objects ----------------------------------------------------------------------------------------------------

    def _bring(self, rows: list[Fetched]) -> None:
        odb = self._view.odb
        wants = list(dict.fromkeys(row.oid for row in rows))
        lacked = [oid for oid in wants if not odb.has(oid)]
        if lacked:
            self._talk.bring(lacked)
        tips = set(self._local.values())
        check_connected(self._view, [], [oid for oid in wants if oid not in tips and not self._view.new.has(oid)])

    # --- refs -------------------------------------------------------------------------------------------------------

    def _say(self, batch: list[Fetched]) -> None:
        """The changes and lines of one batch, what is merged first."""
        store = self._view.store
        ordered = [row for status in (MERGE, NOT_FOR_MERGE, UNLISTED) for row in batch if row.status == status]
        shown = [(pretty(row.name), pretty(row.local)) for row in ordered if row.local and (
            self._local.get(row.local) != row.oid or self._is_verbose)]  # fmt: skip
        widths = summary_width(store, [row.oid for row in batch]), name_width(shown)
        for row in ordered:
            if row.local:
                self._update(row, widths)
            elif row.status != UNLISTED:
                kind, name = kind_and_name(row.name)
                line = fetch_line(b"*", kind or b"branch", name or b"HEAD", b"FETCH_HEAD", b"", widths)
                self._lines.append(line)

    @property
    def _is_verbose(self) -> bool:
        return bool({"-v", "--verbose"} & self._switches)

    def _update(self, row: Fetched, widths: tuple[int, int]) -> None:
        """One ref here, by git's rules for what may change without force."""
        old, new = self._local.get(row.local, ABSENT), row.oid
        name = kind_and_name(row.name)[1] or b"HEAD"
        force = row.force or "--force" in self._switches
        if old == new:
            if self._is_verbose:
                self._lines.append(fetch_line(b"=", b"[up to date]", name, pretty(row.local), b"", widths))
            return
        code, summary, message, error = self._judged(row, old, new, force)
        self._lines.append(fetch_line(code, summary, name, pretty(row.local), error, widths))
        if code == b"!":
            self._status = 1
            return
        if row.local.startswith(HEADS) and self._kind(new) != b"commit":
            words = f"cannot update ref '{text(row.local)}': trying to write non-commit object {new.hex()}"
            raise BadRequest(f"{words} to branch '{text(row.local)}'")
        self._changes.refs.append(self._view.move_ref(row.local, new))
        self._changes.logs.append(LogChange(row.local, old, new, self._words + b": " + message))
        if "--dry-run" not in self._switches:  # which leaves every ref as it was, for a second batch too
            self._local[row.local] = new

    def _judged(self, row: Fetched, old: bytes, new: bytes, force: bool) -> tuple[bytes, bytes, bytes, bytes]:
        """(sign, summary, words for the log, reason) of a ref that would change."""
        store = self._view.store
        if old != ABSENT and row.local.startswith(TAGS):
            if force:
                return b"t", b"[tag update]", b"updating tag", b""
            return b"!", b"[rejected]", b"", b"would clobber existing tag"
        ends = (self._commit(old) if old != ABSENT else None), self._commit(new)
        if ends[0] is None or ends[1] is None:
            if row.name.startswith(TAGS):
                return b"*", b"[new tag]", b"storing tag", b""
            if row.name.startswith(HEADS):
                return b"*", b"[new branch]", b"storing head", b""
            return b"*", b"[new ref]", b"storing ref", b""
        if is_forward(store, ends[0], ends[1], self._view.ctx):
            return b" ", moved(store, old, new, forced=False), b"fast-forward", b""
        if force:
            return b"+", moved(store, old, new, forced=True), b"forced-update", b"forced update"
        return b"!", b"[rejected]", b"", b"non-fast-forward"

    def _commit(self, oid: bytes) -> bytes | None:
        """The commit that an object stands for."""
        try:
            return self._view.odb.peel(oid, b"commit")
        except GitError:
            return None

    def _kind(self, oid: bytes) -> bytes:
        return self._view.odb.kind(oid)

    def _head_file(self, rows: list[Fetched]) -> None:
        """`FETCH_HEAD`, which every fetch writes anew."""
        commits = {row.oid: commit for row in rows if (commit := self._commit(row.oid)) is not None}
        before = self._view.git_file(b"FETCH_HEAD")
        after = fetch_head(rows, self.address.shown, commits)
        if before != after:
            self._changes.git_files.append(GitFile(b"FETCH_HEAD", before, after))


def _has(rows: list[Fetched], row: Fetched) -> bool:
    return any(other.local == row.local for other in rows)


def _tag_targets(listing: Listing) -> set[bytes]:
    """Tags there, and what they stand for."""
    names = [name for name in listing.refs if name.startswith(TAGS)]
    return {oid for name in names for oid in (listing.refs[name], listing.peeled.get(name, listing.refs[name]))}


def _with_tags(words: list[str]) -> list[bytes]:
    """Refspecs as they were typed; `tag NAME` is one."""
    specs: list[bytes] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "tag":
            if not rest:
                raise BadRequest("You need to specify a tag name.")
            name = rest.pop(0)
            word = f"refs/tags/{name}:refs/tags/{name}"
        specs.append(word.encode("utf-8", "surrogateescape"))
    return specs
