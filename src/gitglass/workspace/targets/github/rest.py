"""GitHub by its REST interface: blobs, trees, commits, and a ref (the "Git database" of GitHub's documentation).

Trees are made from the innermost on, each whole, so that GitHub makes exactly the staged objects: a tree under
another name is refused. Commits keep author, committer, dates and message; if GitHub makes a different commit
nevertheless, the result names it.

A ref is moved with `force: false`: since the commit's parent is the ref's old value, GitHub refuses if it has advanced.
GitHub would not notice a branch that was set back meanwhile: so the ref is read right before, and afterwards.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from ....errors import NotFound, text
from ....objects.idents import split_ident
from ....objects.parsed import GITLINK, TREE, tree_entries
from ...model import StagedCommit
from ..protocol import Branches, LostAnswer, Outgoing, RefMoved, Rejected, Sent, Unreachable
from ..remote import need_ref
from .calls import Repository, in_path, refuse
from .hub import GitHubTarget

_INLINE = 64 << 10  # a text up to this size is sent along with its tree
_EMPTY = bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904")
_PAGE = 100
_PAGES = 30


class RestTarget(GitHubTarget):
    """A repository on GitHub that is written by the REST interface."""

    def _reach(self, api: str) -> None:
        self.hub = Repository(self.repo, api, self.grant)

    # --- reading ----------------------------------------------------------------------------------------------------

    def head(self, ref: str) -> str | None:
        """See `Target`."""
        answer = self.hub.read(f"/git/ref/{in_path(ref.removeprefix('refs/'))}")
        if answer.status != 200:
            self._about()
            return None
        return str(answer.value["object"]["sha"])

    def _about(self) -> Any:
        """GitHub's description of the repository. Raises NotFound, also if the token may not see it."""
        answer = self.hub.read("")
        if answer.status != 200:
            raise NotFound(f"GitHub: repository '{self.repo}': {answer.words}")
        return answer.value

    def branches(self) -> Branches:
        """See `Target`; protected branches are those that the grant or GitHub protects."""
        names: list[str] = []
        protected: list[str] = []
        for page in range(1, _PAGES + 1):
            answer = self.hub.read(f"/branches?per_page={_PAGE}&page={page}")
            rows = answer.value if answer.status == 200 else []
            names += [str(row["name"]) for row in rows]
            protected += [str(row["name"]) for row in rows if row["protected"] or self.is_guarded(str(row["name"]))]
            if len(rows) < _PAGE:
                break
        return Branches(tuple(sorted(names)), str(self._about()["default_branch"]), tuple(sorted(protected)))

    def is_protected(self, branch: str) -> bool:
        """See `Target`."""
        if self.is_guarded(branch):
            return True
        answer = self.hub.read(f"/branches/{in_path(branch)}")
        return answer.status == 200 and bool(answer.value["protected"])

    def holds(self) -> Callable[[bytes], bool]:
        """See `Target`."""
        self._listing()
        return super().holds()

    def arrived(self, commits: tuple[StagedCommit, ...], head: str) -> dict[str, str]:
        """See `Renaming`: a commit is ours if its parent is ours, and if it has the same tree and the same message."""
        names: dict[str, str] = {}
        parent = commits[0].parent
        if parent is None:
            return names
        answer = self.hub.read(f"/compare/{parent}...{head}?per_page={_PAGE}")
        rows = answer.value["commits"] if answer.status == 200 else []
        for one in commits:
            wanted = ([parent] if one.merged is None else [parent, one.merged], one.tree, one.message.strip())
            for row in rows:
                parents = [each["sha"] for each in row["parents"]]
                if (parents, row["commit"]["tree"]["sha"], row["commit"]["message"].strip()) == wanted:
                    parent = names[one.commit] = str(row["sha"])
                    break
            else:
                break
        return names

    # --- writing ----------------------------------------------------------------------------------------------------

    def send(self, outgoing: Outgoing) -> Sent:
        """See `Target`."""
        need_ref(self.grant, outgoing.ref)
        names = self._commits(outgoing)
        last = names.get(outgoing.commit, outgoing.commit)
        if self.head(outgoing.ref) != outgoing.expected:
            raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref)
        if outgoing.expected is None:
            body: dict[str, Any] = {"ref": outgoing.ref, "sha": last}
            answer = self.hub.write("POST", "/git/refs", body, moves=True)
        else:
            path = f"/git/refs/{in_path(outgoing.ref.removeprefix('refs/'))}"
            answer = self.hub.write("PATCH", path, {"sha": last, "force": False}, moves=True)
        if answer.status not in (200, 201):
            if self.head(outgoing.ref) != outgoing.expected:
                raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref)
            refuse(answer)
        try:
            now = self.head(outgoing.ref)
        except Unreachable as error:
            raise LostAnswer(error.message, wait=error.data.get("wait")) from error
        if now != last:
            raise RefMoved(f"'{outgoing.ref}' has moved since", ref=outgoing.ref)
        return Sent((), {old: new for old, new in names.items() if old != new})

    def _commits(self, outgoing: Outgoing) -> dict[str, str]:
        """Make the missing objects; returns the staged commits with their names at GitHub."""
        blobs: dict[bytes, bytes] = {}
        for oid, (kind, raw) in outgoing.objects.items():
            if kind == b"blob":
                blobs[oid] = raw
            elif kind == b"tree" and oid != _EMPTY:
                self._tree(oid, raw, blobs)
        names: dict[str, str] = {}
        staged = {one.commit: one for one in outgoing.commits}
        for oid, (kind, raw) in outgoing.objects.items():
            if kind == b"commit":
                if oid.hex() not in staged:
                    words = f"the commit {oid.hex()} is not there, and was not staged here"
                    raise Rejected(words, server=(words,), hint="Push by git's protocol (via git).")
                names[oid.hex()] = self._commit(staged[oid.hex()], raw, names)
        return names

    def _tree(self, oid: bytes, raw: bytes, blobs: dict[bytes, bytes]) -> None:
        rows: list[dict[str, str]] = []
        for mode, name, inner in tree_entries(raw, 20):
            kind = "tree" if mode == TREE else "commit" if mode == GITLINK else "blob"
            row = {"path": _utf8(name), "mode": f"{mode:06o}", "type": kind}
            content = _inline(blobs.get(inner)) if kind == "blob" else None
            if content is not None:
                row["content"] = content
            else:
                row["sha"] = inner.hex()
                if inner in blobs:
                    self._blob(inner, blobs.pop(inner))
            rows.append(row)
        made = str(self.hub.made("/git/trees", {"tree": rows}).get("sha"))
        if made != oid.hex():
            words = f"GitHub made the tree {made} of {oid.hex()}"
            raise Rejected(words, server=(words,))

    def _blob(self, oid: bytes, raw: bytes) -> None:
        body = {"content": base64.b64encode(raw).decode(), "encoding": "base64"}
        made = str(self.hub.made("/git/blobs", body).get("sha"))
        if made != oid.hex():
            words = f"GitHub made the blob {made} of {oid.hex()}"
            raise Rejected(words, server=(words,))

    def _commit(self, one: StagedCommit, raw: bytes, names: dict[str, str]) -> str:
        head, _, message = raw.partition(b"\n\n")
        rows = [line.partition(b" ")[::2] for line in head.split(b"\n")]
        parents = [text(value) for key, value in rows if key == b"parent"]
        body = {
            "message": _utf8(message), "tree": one.tree, "parents": [names.get(oid, oid) for oid in parents],
            **{text(key): _person(value) for key, value in rows if key in (b"author", b"committer")},
        }  # fmt: skip
        made = self.hub.made("/git/commits", body)
        if made["tree"]["sha"] != one.tree:
            words = f"GitHub made a commit of another tree than {one.tree}"
            raise Rejected(words, server=(words,))
        return str(made["sha"])


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        words = f"'{text(raw)[:80]}' is not UTF-8: GitHub's interfaces do not take it"
        raise Rejected(words, server=(words,), hint="Push by git's protocol (via git).") from None


def _inline(raw: bytes | None) -> str | None:
    """A content that can be sent along with its tree; None for others."""
    if raw is None or len(raw) > _INLINE or b"\0" in raw:
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _person(raw: bytes) -> dict[str, str]:
    """An identity of a commit as the interface has it: the date in ISO 8601, in its own zone."""
    ident = split_ident(raw)
    if ident is None:
        words = f"'{text(raw)[:80]}' is no identity"
        raise Rejected(words, server=(words,))
    hours, minutes = divmod(abs(ident.tz), 100)
    zone = timezone(timedelta(minutes=(hours * 60 + minutes) * (-1 if ident.tz < 0 else 1)))
    date = datetime.fromtimestamp(ident.time, zone).isoformat()
    return {"name": _utf8(ident.name), "email": _utf8(ident.mail), "date": date}
