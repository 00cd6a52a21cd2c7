"""`push`: refs of another repository changed to what they are to be, each only from what it was seen to be.

Every update carries the value that the plan saw, and the other side compares: nobody's work is overwritten by a push
that did not know of it. What became of each ref is asked of the other side, said per ref, and only what it took moves
the tracking refs here. Mirrors git-push(1).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...config.config import parse_bool
from ...errors import BadRequest, CommandFailed, GitError, InvalidArgs, NotFound, Unsupported, text
from ...records import record, replace
from ...refs.names import candidates
from ...refs.refspecs import Refspec
from ...request.mutations import NETWORK
from ...request.ref_mutations import PushRequest
from ...revs.resolve import try_resolve
from ...worktree.stat_cache import gitlinks
from ..changes import ABSENT, Changes, GitFile, LogChange
from ..operations.common import check_hooks, finished, last_word, refused_switches
from ..operations.upstream import followed
from ..plan import Answer, Plan
from ..view import View
from .answers import Row, push_answer
from .conversation import destination_of
from .lines import summary_width
from .listing import Listing, Outcome, Prepared, Update
from .local import is_forward
from .mapping import Mapping, Pushed, asked_specs, default_specs
from .ref_map import HEADS, TAGS
from .settings import Peer, check_word, default_push, has_default_push, peer_named
from .web import RemoteFailed

_TAKEN = (
    "--set-upstream", "--all", "--tags", "--follow-tags", "--no-follow-tags", "--dry-run", "--porcelain", "--atomic",
    "--no-verify", "--progress", "--thin",
)  # fmt: skip
_BRANCHES = Refspec(b"refs/heads/*", b"refs/heads/*", pattern=True)
_TAGS = Refspec(b"refs/tags/*", b"refs/tags/*", pattern=True)

_NO_DESTINATION = (
    "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository "
    "using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n"
)


def plan_push(request: PushRequest, view: View) -> Plan:
    """The plan of a push. Raises git's words for refspecs that name nothing, NotGranted where the grant does not name
    the other repository. Refs that are rejected are part of the plan's answer; the others are pushed."""
    refused_switches(request, _TAKEN)
    check_hooks(view, () if "--no-verify" in request.switches else ("pre-push",))
    _need_no_submodules(view)
    return _Push(request, view).plan()


def _need_no_submodules(view: View) -> None:
    """Raise Unsupported where the submodules are to be looked at, or pushed, as well (git-config(1),
    `push.recurseSubmodules`)."""
    recurses = b"on-demand" if view.config.get_bool("submodule.recurse", False) else b"no"
    wanted = view.config.get("push.recursesubmodules") or recurses
    if parse_bool(wanted) is not False and gitlinks(view.index):
        words = f"push.recurseSubmodules is '{text(wanted)}', and gitglass does not look at submodules as it pushes"
        raise Unsupported(words, option="push.recurseSubmodules")


class _Push:
    """One push being planned."""

    def __init__(self, request: PushRequest, view: View) -> None:
        self._request, self._view = request, view
        self._switches = frozenset(request.switches)
        store = view.store
        word = default_push(store) if request.remote is None else check_word(request.remote)
        self.peer = peer_named(store, word)
        if request.remote is None and not has_default_push(store, word):
            raise BadRequest(_NO_DESTINATION)
        if self.peer.mirror:
            raise Unsupported(f"'remote.{text(word)}.mirror' is set, which gitglass does not carry out")
        with self._announced(self.peer.word):
            self.address = self.peer.address(store, push=True, ssh=view.services.has_ssh)
        self._upstream = bool({"-u", "--set-upstream"} & self._switches)
        self._specs = self._asked()
        self._leases = [self._lease(word) for word in request.lease]
        try:
            Mapping(view, {}).check_sources(self._specs)
        except CommandFailed as error:
            raise self._failed(error) from None
        key = "pushed to", self.address
        with self._announced(self.address.shown):
            self._destination = destination_of(view, self.address)
            if key not in view.exchange:
                view.exchange[key] = self._destination.listing()
        listing: Listing = view.exchange[key]
        self._remote = {name: oid for name, oid in listing.refs.items() if name != b"HEAD"}

    def _failed(self, error: CommandFailed) -> CommandFailed:
        """What git says behind refspecs that name nothing."""
        words = f"{error.message}\nerror: failed to push some refs to '{text(self.address.shown)}'"
        failure = CommandFailed(words, status=1, prefix="error")
        self._announce(failure, self.address.shown)
        return failure

    def _announce(self, error: GitError, shown: bytes) -> None:
        """Put in front of an error where the push goes to, which git says first if it says more."""
        if {"-v", "--verbose"} & self._switches:
            error.data["stderr"] = b"Pushing to %b\n" % shown + error.words()

    @contextmanager
    def _announced(self, shown: bytes) -> Iterator[None]:
        try:
            yield
        except (CommandFailed, RemoteFailed, NotFound) as error:
            self._announce(error, shown)
            raise

    def _asked(self) -> list[Refspec]:
        """The refspecs. Raises BadRequest in git's words for options that do not go together."""
        request, hex_len = self._request, self._view.store.hex_len
        if request.delete and not request.refs:
            raise BadRequest("--delete doesn't make sense without any refs")
        if "--all" in self._switches and request.refs:
            raise BadRequest("--all can't be combined with refspecs")
        specs = asked_specs(request.refs, delete=request.delete, hex_len=hex_len)
        specs += [_BRANCHES] if "--all" in self._switches else []
        specs += [_TAGS] if "--tags" in self._switches else []
        if specs:
            return specs
        specs, follow = default_specs(self._view.store, self.peer)
        self._upstream = self._upstream or follow
        return specs

    def _lease(self, word: str) -> tuple[bytes, bytes | None]:
        """(a ref there, or b"" for all; what it has to be at, None for what was last seen of it) of an option
        `--force-with-lease`. Raises InvalidArgs for words that name no object."""
        name, colon, expected = word.partition(":")
        raw, oid = name.encode("utf-8", "surrogateescape"), None
        if not colon and self._view.config.get_bool("push.useforceifincludes", False):
            raise Unsupported("push.useForceIfIncludes is set, which gitglass does not carry out")
        if colon and expected.strip("0") == "" and len(expected) in (0, self._view.store.hex_len):
            oid = ABSENT
        elif colon:
            try:
                oid = try_resolve(self._view.store, expected, ctx=self._view.ctx)
            except GitError:
                oid = None
            if oid is None:
                raise InvalidArgs(f"cannot parse expected object name '{expected}'", status=129, prefix="error")
        return raw, oid

    def _expected(self, name: bytes) -> bytes | None:
        """What a ref there has to be at by `--force-with-lease`; None where there is no such option for it."""
        named = [oid for word, oid in self._leases if word and name in candidates(word)]
        leases = named or [oid for word, oid in self._leases if not word]
        if not leases:
            return None
        if leases[0] is not None:
            return leases[0]
        tracked = tracking_ref(self.peer, name)
        return (None if tracked is None else self._view.store.refs.read(tracked)) or ABSENT

    def plan(self) -> Plan:
        """Which refs change to what, what the other side would not take, and what moves here."""
        view = self._view
        try:
            mapping = Mapping(view, self._remote)
            pushed = mapping.rows(self._specs)
        except CommandFailed as error:
            raise self._failed(error) from None
        if self._follows_tags():
            pushed += mapping.following_tags(pushed)
        rows = [self._judged(one) for one in pushed]
        atomic = "--atomic" in self._switches
        first = next((row for row in rows if row.rejected), None)
        if atomic and first is not None:
            for row in rows:
                if not row.rejected and row.code != "=":
                    row.rejected = "atomic push failed"
        updates = [Update(row.name, row.old, row.new) for row in rows if not row.rejected and row.code != "="]
        dry = "--dry-run" in self._switches
        errand = None
        if updates and not dry:
            errand = Errand(self, rows, self._prepared(updates, atomic), updates)
        changes = Changes() if dry else self._changes(rows)
        plan = finished(self._request, view, changes, self.answer(rows, []), self._risk(rows))
        if errand is None:
            return plan
        errand.settle(plan, errand.prepared.expected)
        lines = [*errand.lines, *plan.preview.lines]
        preview = replace(plan.preview, lines=lines, effects=(*plan.preview.effects, NETWORK))
        return replace(plan, preview=preview, errand=errand if errand.is_needed else None)

    def _prepared(self, updates: list[Update], atomic: bool) -> Prepared:
        """The other side's plan; made once, however often this one is."""
        key = "prepared", self.address, tuple(updates), atomic
        if key not in self._view.exchange:
            self._view.exchange[key] = self._destination.prepare(self._view, updates, atomic=atomic)
        prepared: Prepared = self._view.exchange[key]
        return prepared

    def _risk(self, rows: list[Row]) -> str:
        protected = {HEADS + name.encode() for name in self._view.grant.protected}
        high = any(row.code in "+-" or row.name in protected for row in rows if row.code != "=")
        return "High" if high else self._request.risk

    def _follows_tags(self) -> bool:
        """Whether annotated tags come along with their commits (git-config(1), `push.followTags`)."""
        asked = last_word(self._request.switches, "--follow-tags", "--no-follow-tags")
        if asked is None:
            return bool(self._view.config.get_bool("push.followtags", False))
        return asked == "--follow-tags"

    def _judged(self, one: Pushed) -> Row:
        """What a ref would become, and why not, by git's rules for what may change without force."""
        view, old, new = self._view, one.old, one.new
        row = Row(one.name, one.source, old, new, code=" ")
        if old == new:
            row.code = "="
            return row
        reason = ""
        lease = self._expected(one.name)
        if lease is not None:
            reason = "" if lease == old else "stale info"
            row.code = self._sign(old, new)
        elif new and old:
            row.code = self._sign(old, new)
            if one.name.startswith(TAGS):
                reason = "already exists"
            elif not view.odb.has(old):
                reason = "fetch first"
            elif view.odb.kind(old) != b"commit" or view.odb.kind(new) != b"commit":
                reason = "needs force"
            elif row.code == "+":
                reason = "non-fast-forward"
        else:
            row.code = "-" if not new else "*"
        if reason and (one.force or self._request.force):
            row.code, reason = "+", ""
        row.rejected = reason
        return row

    def _sign(self, old: bytes, new: bytes) -> str:
        """How a move is shown: " " where it only adds commits."""
        odb = self._view.odb
        if not new or not old:
            return "*" if new else "-"
        if not odb.has(old) or odb.kind(old) != b"commit" or odb.kind(new) != b"commit":
            return "+"
        return " " if is_forward(self._view.store, old, new, self._view.ctx) else "+"

    # --- what moves here --------------------------------------------------------------------------------------------

    def _changes(self, rows: list[Row]) -> Changes:
        """Tracking refs, and the upstream of branches, of what the other side took or has."""
        view, changes = self._view, Changes()
        config = before = view.git_file(b"config") or b""
        for row in rows:
            if row.rejected:
                continue
            self._track(row, changes)
            branch = self._branch(row.source)
            if self._upstream and row.new and branch.startswith(HEADS) and row.name.startswith(HEADS):
                name = self.peer.name or self.peer.word
                config, row.upstream = followed(view, config, branch, name, [row.name])
        if config != before:
            changes.git_files.append(GitFile(b"config", before, config))
        return changes

    def _branch(self, name: bytes) -> bytes:
        """A ref here, HEAD followed to its branch."""
        return self._view.store.refs.head()[0] or b"" if name == b"HEAD" else name

    def _track(self, row: Row, changes: Changes) -> None:
        """The ref here that follows a ref there."""
        view = self._view
        name = tracking_ref(self.peer, row.name)
        if name is None:
            return
        now, symbolic = view.ref(name)
        row.tracked = name
        if symbolic or now == row.new:
            return
        changes.refs.append(view.move_ref(name, row.new))
        if row.new == ABSENT:
            log = view.git_file(b"logs/" + name)
            if log is not None:
                changes.logs.append(LogChange(name, whole=True, before=log, content=None))
        else:
            changes.logs.append(LogChange(name, now, row.new, b"update by push"))

    def answer(self, rows: list[Row], words: list[str]) -> Answer:
        """git's words for what became of the refs; `words` are the other side's."""
        store = self._view.store
        width = summary_width(store, [oid for row in rows for oid in (row.old, row.new) if oid])
        return push_answer(store, rows, words, self.address.shown, self._switches, self._branch(b"HEAD"), width)

    def settled(self, rows: list[Row], changes: Changes) -> None:
        """Take out of planned changes what follows refs that the other side did not take."""
        gone = {name for row in rows if row.rejected and (name := tracking_ref(self.peer, row.name)) is not None}
        changes.refs[:] = [ref for ref in changes.refs if ref.name not in gone]
        changes.logs[:] = [log for log in changes.logs if log.name not in gone]
        if any(row.rejected and row.upstream for row in rows):
            changes.git_files[:] = []
            for row in rows:
                row.upstream = b""


def tracking_ref(peer: Peer, name: bytes) -> bytes | None:
    """The ref here that follows a ref of a remote."""
    if any(spec.negative and spec.takes(name) for spec in peer.fetch):
        return None
    return next((local for spec in peer.fetch if not spec.negative and (local := spec.mapped(name))), None)


@record
class Errand:
    """The push itself, done under the locks of this repository."""

    push: _Push
    rows: list[Row]
    prepared: Prepared
    updates: list[Update]

    @property
    def lines(self) -> list[str]:
        """What is approved: each ref there, from what to what."""
        shown = text(self.push.address.full)
        return [
            f"push to {shown}: {text(update.name)} {update.old.hex()[:12] or 'nothing'} -> "
            f"{update.new.hex()[:12] or 'nothing'}"
            for update in self.updates
        ]

    @property
    def is_needed(self) -> bool:
        """Whether the other side would take any of it."""
        refused = self.prepared.expected.rejected
        return any(refused.get(update.name) is None for update in self.updates)

    def run(self, plan: Plan) -> None:
        """See `plan.Errand`."""
        self.settle(plan, self.prepared.carry_out())

    def statuses(self) -> list[tuple[str, str, str, str]]:
        """See `plan.Errand`."""
        return [(text(row.name), row.old.hex(), row.new.hex(), row.status) for row in self.rows]

    def settle(self, plan: Plan, outcome: Outcome) -> None:
        """Make changes and answer those of an outcome."""
        for row in self.rows:
            if (reason := outcome.rejected.get(row.name)) is not None:
                row.rejected, row.remote = reason, True
            if row.name in outcome.unknown:
                row.rejected, row.remote, row.unknown = outcome.unknown[row.name], True, True
        self.push.settled(self.rows, plan.changes)
        answer = self.push.answer(self.rows, outcome.words)
        plan.answer.out, plan.answer.err, plan.answer.status = answer.out, answer.err, answer.status
