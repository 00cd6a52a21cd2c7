"""GitHub by GraphQL: `createCommitOnBranch`, which moves a branch by compare-and-swap and signs the commit.

GitHub makes the commit from paths and contents: its author is the owner of the token, its id is not the staged one, and
it can only hold plain files. So one commit is sent at a time, a file with a mode other than 100644 is refused
before anything is sent, and the tree has to be the one that was approved. A new branch is made first, at the staged
commit's parent, by the REST interface. Mirrors "createCommitOnBranch" of GitHub's GraphQL documentation.
"""

from __future__ import annotations

import base64
from typing import Any, NoReturn

from ....mutate.remote.api.client import JsonAnswer, JsonClient
from ....mutate.remote.credentials import GitAuthError
from ...model import StagedCommit, StagedFile
from ..protocol import LostAnswer, Outgoing, RefMoved, Rejected, Sent, Unreachable
from ..remote import need_ref
from .calls import SECONDARY, asked, refuse
from .rest import RestTarget

_HEADS = "refs/heads/"
MUTATION = """\
mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) {
    clientMutationId
    commit { oid message tree { oid } parents(first: 2) { nodes { oid } } }
  }
}
"""


class GraphqlTarget(RestTarget):
    """A repository on GitHub whose commits GitHub makes."""

    def _reach(self, api: str) -> None:
        super()._reach(api)
        self._client = JsonClient(api.rstrip("/").removesuffix("/v3") + "/graphql", self.grant)
        self._begun: dict[str, str] = {}  # branches that were made here for a commit that has not arrived yet

    def notes(self, ref: str) -> tuple[str, ...]:
        """See `Target`."""
        return ("GitHub makes the commit: it is signed, its author is the token's owner, and its id another one",)

    def head(self, ref: str) -> str | None:
        """See `Target`. A branch that was made for a commit whose answer was lost counts as missing."""
        head = super().head(ref)
        return None if head is not None and self._begun.get(ref) == head else head

    def send(self, outgoing: Outgoing) -> Sent:
        """See `Target`."""
        need_ref(self.grant, outgoing.ref)
        one = self._only(outgoing)
        changes = self._changes(one, outgoing)
        assert one.parent is not None
        if self.head(outgoing.ref) != outgoing.expected:
            raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref)
        if outgoing.expected is None:
            self._begin(outgoing.ref, one.parent)
        headline, _, body = one.message.rstrip("\n").partition("\n")
        message = {"headline": headline, **({"body": body.strip("\n")} if body.strip() else {})}
        branch = {"repositoryNameWithOwner": self.repo, "branchName": outgoing.ref.removeprefix(_HEADS)}
        value = {
            "branch": branch, "message": message, "expectedHeadOid": one.parent, "fileChanges": changes,
            "clientMutationId": one.commit,
        }  # fmt: skip
        if not self._client.has_token:
            raise GitAuthError()
        answer = asked(self._client, "POST", "", {"query": MUTATION, "variables": {"input": value}}, changes=True)
        made = self._made(answer, outgoing)
        self._begun.pop(outgoing.ref, None)
        oid, tree = str(made["oid"]), str(made["tree"]["oid"])
        if tree != one.tree:
            raise LostAnswer(f"GitHub made the commit {oid} of the tree {tree}, and {one.tree} was approved")
        return Sent((), {one.commit: oid})

    def _only(self, outgoing: Outgoing) -> StagedCommit:
        """The one commit to send. Raises Rejected if there are more, or if it cannot be expressed as paths and
        contents."""
        going = [oid.hex() for oid, (kind, _) in outgoing.objects.items() if kind == b"commit"]
        staged = [one for one in outgoing.commits if one.commit in going]
        if len(going) != 1 or len(staged) != 1:
            _refused("createCommitOnBranch makes one commit at a time, on one that is there", "Push one by one.")
        one = staged[0]
        if one.parent is None or one.merged is not None:
            _refused("createCommitOnBranch makes commits with one parent")
        return one

    def _changes(self, one: StagedCommit, outgoing: Outgoing) -> dict[str, list[dict[str, str]]]:
        assert outgoing.read is not None
        changes: dict[str, list[dict[str, str]]] = {"additions": [], "deletions": []}
        for file in one.files:
            if file.operation == "delete":
                changes["deletions"].append({"path": _path(file)})
                continue
            if file.operation == "mode" or file.new_mode != "100644":
                _refused(f"'{file.path}' has the mode {file.new_mode}, which createCommitOnBranch does not set")
            content = base64.b64encode(outgoing.read(bytes.fromhex(file.blob))[1]).decode()
            changes["additions"].append({"path": _path(file), "contents": content})
        return changes

    def _begin(self, ref: str, parent: str) -> None:
        """Make the branch at the commit's parent; an existing branch at that very commit is accepted."""
        if super().head(ref) == parent:
            self._begun[ref] = parent
            return
        answer = self.hub.write("POST", "/git/refs", {"ref": ref, "sha": parent}, moves=True)
        if answer.status != 201:
            if super().head(ref) is not None:
                raise RefMoved(f"'{ref}' is there by now", ref=ref)
            refuse(answer)
        self._begun[ref] = parent

    def _made(self, answer: JsonAnswer, outgoing: Outgoing) -> Any:
        """The commit that GitHub made. Raises RefMoved, Rejected, Unreachable, LostAnswer."""
        value: Any = answer.value if isinstance(answer.value, dict) else {}
        errors = value.get("errors")
        if answer.status != 200 or errors:
            kinds = {str(one.get("type", "")) for one in errors or () if isinstance(one, dict)}
            if "RATE_LIMITED" in kinds:
                raise Unreachable(
                    f"GitHub: {errors[0].get('message')}", wait=SECONDARY if answer.wait is None else answer.wait
                )
            if "STALE_DATA" in kinds or self.head(outgoing.ref) != outgoing.expected:
                raise RefMoved(f"'{outgoing.ref}' has moved", ref=outgoing.ref)
            if not errors:
                refuse(answer)
            words = tuple(f"GitHub: {str(one.get('message', ''))[:300]}" for one in errors if isinstance(one, dict))
            raise Rejected(words[0] if words else "GitHub refuses", server=words)
        try:
            made = value["data"]["createCommitOnBranch"]["commit"]
            return {"oid": made["oid"], "tree": made["tree"]}
        except (KeyError, TypeError):
            raise LostAnswer("GitHub: the answer has no commit") from None


def _refused(words: str, hint: str = "Push by git's protocol (via git).") -> NoReturn:
    raise Rejected(words, server=(words,), hint=hint)


def _path(file: StagedFile) -> str:
    try:
        file.path.encode()
    except UnicodeEncodeError:
        _refused(f"{file.path!r} is not UTF-8: GitHub's interfaces do not take it")
    return file.path
