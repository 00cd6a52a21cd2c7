"""Which refs a push changes: refspecs of a command line or of the configuration against the refs of both sides.

Mirrors git-push(1), "<refspec>", and `push.default` of git-config(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import BadRequest, CommandFailed, GitError, text
from ...records import record
from ...refs.names import candidates
from ...refs.refspecs import Refspec, is_left_out, parse_push
from ...repo.store import Store
from ...revs.names import current_branch
from ...revs.resolve import try_resolve
from ..operations.common import ask
from ..view import View
from .ref_map import HEADS, TAGS
from .settings import Peer, default_fetch, merges_of

_ZERO = b""


@record
class Pushed:
    """One ref that a push is about: its full name there, the name and object here (b"" for a deletion)."""

    name: bytes
    source: bytes
    new: bytes
    old: bytes = b""
    force: bool = False


def _failed(words: str) -> CommandFailed:
    return CommandFailed(words, status=1, prefix="error")


class Mapping:
    """Refspecs to push by, against what both sides have."""

    def __init__(self, view: View, remote: dict[bytes, bytes]) -> None:
        self._view, self._remote = view, remote
        refs = view.store.refs
        self._local = dict(refs.iterate(b"refs/"))

    def rows(self, specs: Sequence[Refspec], *, prune: bool = False) -> list[Pushed]:
        """Every ref once, in the order of the other side's names, then new ones. Raises CommandFailed in git's words
        for what makes no sense; what else is asked for is not done either then."""
        rows: list[Pushed] = []
        wrong: list[str] = []
        for spec in specs:
            if spec.negative:
                continue
            try:
                rows += self._pattern(spec) if spec.pattern or spec.matching else [self._single(spec)]
            except CommandFailed as error:
                wrong.append(error.message)
        if wrong:
            raise _failed("\nerror: ".join(wrong))
        rows = [row for row in rows if not is_left_out(specs, row.source)]
        by_name: dict[bytes, Pushed] = {}
        for row in rows:
            if row.name in by_name:
                raise _failed(f"dst ref {text(row.name)} receives from more than one src")
            by_name.setdefault(row.name, row)
        if prune:
            for name in self._remote:
                if name not in by_name and any(spec.pattern and _made_by(spec, name) for spec in specs):
                    by_name[name] = Pushed(name, b"", b"")
        for row in by_name.values():
            row.old = self._remote.get(row.name, b"")
        there = [by_name[name] for name in self._remote if name in by_name]
        return there + [row for name, row in by_name.items() if name not in self._remote]

    def following_tags(self, rows: Sequence[Pushed]) -> list[Pushed]:
        """The annotated tags that the other side lacks, of commits that it has or gets."""
        odb, after = self._view.odb, self._remote | {row.name: row.new or row.old for row in rows}
        lacked = {
            name: oid for name, oid in self._local.items()
            if name.startswith(TAGS) and name not in after and odb.kind(oid) == b"tag"
        }  # fmt: skip
        tips = {oid for oid in after.values() if odb.has(oid) and odb.kind(odb.peel(oid)) == b"commit"}
        if not lacked or not tips:
            return []
        merged = [f"--merged={oid.hex()}" for oid in sorted(tips)]
        names = ask(self._view, ["for-each-ref", *merged, "--format=%(refname)", "refs/tags"]).splitlines()
        return [Pushed(name, name, lacked[name]) for name in names if name in lacked]

    def check_sources(self, specs: Sequence[Refspec]) -> None:
        """Raise CommandFailed for refspecs that name nothing here, which git finds out before it asks the other
        side."""
        wrong = []
        for spec in specs:
            try:
                if spec.source and not (spec.negative or spec.pattern or spec.matching):
                    self._source(spec.source)
            except CommandFailed as error:
                wrong.append(error.message)
        if wrong:
            raise _failed("\nerror: ".join(wrong))

    def _pattern(self, spec: Refspec) -> list[Pushed]:
        if spec.matching:
            return [
                Pushed(name, name, oid, force=spec.force)
                for name, oid in self._local.items()
                if name.startswith(HEADS) and name in self._remote
            ]
        rows = []
        for name, oid in self._local.items():
            target = spec.mapped(name) if spec.target else name if spec.takes(name) else None
            if target:
                rows.append(Pushed(target, name, oid, force=spec.force))
        return rows

    def _single(self, spec: Refspec) -> Pushed:
        """One refspec without a star."""
        source, full, oid = b"", b"", _ZERO
        if spec.source:
            source, full, oid = self._source(spec.source)
        word = spec.target or (full if spec.target is None else b"")
        if spec.target is None and not word:
            raise _failed(f"{text(spec.source)} cannot be resolved to branch")
        fits = [name for name in candidates(word) if name in self._remote]
        if len(fits) == 1 or (fits and word in fits):
            return Pushed(fits[0], source, oid, force=spec.force)
        if fits:
            raise _failed(f"dst refspec {text(word)} matches more than one")
        if word.startswith(b"refs/"):
            if not spec.source:
                return Pushed(word, b"", b"", force=spec.force)
            return Pushed(word, source, oid, force=spec.force)
        if not spec.source:
            raise _failed(f"unable to delete '{text(word)}': remote ref does not exist")
        for front in (HEADS, TAGS):
            if full.startswith(front):
                return Pushed(front + word, source, oid, force=spec.force)
        raise _failed(self._unqualified(text(word), text(spec.source), oid))

    def _source(self, word: bytes) -> tuple[bytes, bytes, bytes]:
        """(the name as it is shown, the full ref, the object) of what is pushed."""
        fits = [name for name in candidates(word) if name in self._local]
        strong = [name for name in fits if name.startswith((HEADS, TAGS)) or name == word]
        if word == b"HEAD":
            target, oid = self._view.store.refs.head()
            if oid is None:
                raise _failed("src refspec HEAD does not match any")
            return word, target or b"", oid
        if len(strong) > 1 and word not in strong:
            raise _failed(f"src refspec {text(word)} matches more than one")
        name = strong[0] if strong else fits[0] if len(fits) == 1 else None
        if name is not None:
            return name, name, self._local[name]
        try:
            oid = try_resolve(self._view.store, text(word), ctx=self._view.ctx)
        except GitError:
            oid = None
        if oid is None:
            raise _failed(f"src refspec {text(word)} does not match any")
        return word, b"", oid

    def _unqualified(self, word: str, source: str, oid: bytes) -> str:
        """git's words for a new name that may be a branch, a tag, or anything."""
        kind = self._view.odb.kind(oid).decode()
        folder = "heads" if kind == "commit" else "tags"
        verb = "create a new branch by pushing to" if kind == "commit" else f"{_VERBS[kind]} to"
        return (
            "The destination you provided is not a full refname (i.e.,\n"
            'starting with "refs/"). We tried to guess what you meant by:\n\n'
            f"- Looking for a ref that matches '{word}' on the remote side.\n"
            f"- Checking if the <src> being pushed ('{source}')\n"
            '  is a ref in "refs/{heads,tags}/". If so we add a corresponding\n'
            "  refs/{heads,tags}/ prefix on the remote side.\n\n"
            "Neither worked, so we gave up. You must fully qualify the ref.\n"
            f"hint: The <src> part of the refspec is a {kind} object.\n"
            f"hint: Did you mean to {verb}\n"
            f"hint: '{source}:refs/{folder}/{word}'?"
        )  # fmt: skip


_VERBS = {
    "tag": "create a new tag by pushing", "tree": "tag a new tree by pushing", "blob": "tag a new blob by pushing",
}  # fmt: skip


def _made_by(spec: Refspec, name: bytes) -> bool:
    pattern = spec.target or spec.source
    before, _, after = pattern.partition(b"*")
    return name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)


def asked_specs(words: Iterable[str], *, delete: bool, hex_len: int) -> list[Refspec]:
    """The refspecs of a command line; `tag NAME` is one."""
    specs: list[Refspec] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "tag" and not delete:
            if not rest:
                raise BadRequest("tag shorthand without <tag>")
            word = f"refs/tags/{rest.pop(0)}"
        if delete:
            if word.startswith(":") or ":" in word:
                raise BadRequest("--delete only accepts plain target ref names")
            word = ":" + word
        specs.append(parse_push(word.encode("utf-8", "surrogateescape"), hex_len))
    return specs


def default_specs(store: Store, peer: Peer) -> tuple[list[Refspec], bool]:
    """(the refspecs where none are named, whether the branch is to follow what is pushed): the remote's, else by
    `push.default`. Raises BadRequest in git's words where it cannot be said."""
    if peer.push:
        return [parse_push(word, store.hex_len) for word in peer.push], False
    mode = store.config.get("push.default") or b"simple"
    if mode == b"matching":
        return [Refspec(b"", b"", matching=True)], False
    if mode == b"nothing":
        raise BadRequest('You didn\'t specify any refspecs to push, and push.default is "nothing".')
    branch = current_branch(store)
    remote = text(peer.name or peer.word)
    if branch is None:
        raise BadRequest(
            "You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\n"
            f"state now, use\n\n    git push {remote} HEAD:<name-of-remote-branch>\n"
        )
    full = HEADS + branch
    alone = store.config.get(b"branch." + branch + b".remote") is None and not store.config.subsections("remote")
    same = alone or default_fetch(store) == (peer.name or peer.word)
    if mode == b"current" or (mode == b"simple" and not same):
        return [Refspec(full, full)], False
    if not same:
        raise BadRequest(
            f"You are pushing to remote '{remote}', which is not the upstream of\nyour current branch "
            f"'{text(branch)}', without telling me what to push\nto update which remote branch."
        )
    merges = merges_of(store, peer.name or peer.word)
    if not merges:
        if store.config.get_bool("push.autosetupremote", False):
            return [Refspec(full, full)], True
        raise BadRequest(
            f"The current branch {text(branch)} has no upstream branch.\nTo push the current branch and set the remote "
            f"as upstream, use\n\n    git push --set-upstream {remote} {text(branch)}\n\n"
            "To have this happen automatically for branches without a tracking\n"
            "upstream, see 'push.autoSetupRemote' in 'git help config'.\n"
        )
    if len(merges) != 1:
        raise BadRequest(f"The current branch {text(branch)} has multiple upstream branches, refusing to push.")
    if mode == b"simple" and merges[0] != full:
        raise BadRequest(_unlike(remote, text(merges[0]).removeprefix("refs/heads/")))
    return [Refspec(full, merges[0])], False


def _unlike(remote: str, upstream: str) -> str:
    return (
        "The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the "
        f"upstream branch\non the remote, use\n\n    git push {remote} HEAD:{upstream}\n\nTo push to the branch of the "
        f"same name on the remote, use\n\n    git push {remote} HEAD\n\nTo choose either option permanently, see "
        "push.default in 'git help config'.\n\nTo avoid automatically configuring an upstream branch when its name\n"
        "won't match the local branch, see option 'simple' of branch.autoSetupMerge\nin 'git help config'.\n"
    )
