"""git_sync: fetches commits from other repositories, and pushes to them. Mirrors git-fetch(1), git-pull(1), git-push(1)
and git-ls-remote(1).

The host's grant decides which repositories can be contacted, and as which person. No parameter forces a push: commits
that only the other side has are never overwritten from here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ....errors import InvalidArgs
from ....repo.store import Store
from ....request.mutations import Mutation
from ....request.ref_mutations import FetchRequest, LsRemoteRequest, PullRequest, PushRequest
from ..params import Rev
from .change import ChangeParams, ChangeTool

__all__ = ["TOOL"]


def _one(value: object) -> object:
    return [value] if isinstance(value, str) else value


class SyncParams(ChangeParams):
    """Arguments of git_sync."""

    action: Literal["list", "fetch", "pull", "push"]
    remote: Rev | None = None
    refs: Annotated[list[str], BeforeValidator(_one)] | None = Field(None, description="Refspecs; list: patterns.")
    mode: Literal["ff", "merge", "rebase"] | None = Field(None, description="Pull: default ff only.")
    prune: bool = False
    tags: bool = False
    set_upstream: bool = False


#: parameter → the actions that take it
_TAKEN: dict[str, tuple[str, ...]] = {
    "mode": ("pull",), "prune": ("fetch", "pull"), "tags": ("list", "fetch", "pull", "push"), "set_upstream": ("push",),
}  # fmt: skip
_MODES = {None: "--ff-only", "ff": "--ff-only", "merge": "--no-rebase", "rebase": "--rebase"}


def _request(asked: SyncParams, _: Store) -> Mutation:
    for name, actions in _TAKEN.items():
        if getattr(asked, name) and asked.action not in actions:
            raise InvalidArgs(f"{name}: action {asked.action} does not take it")
    refs = asked.refs or []
    if refs and asked.remote is None and asked.action != "fetch":
        raise InvalidArgs("remote: needed where refs are named")
    if any(ref.startswith("-") for ref in refs):
        raise InvalidArgs("refs: they do not begin with '-'")
    if asked.action == "push" and any(ref.startswith("+") for ref in refs):
        raise InvalidArgs("refs: nothing is forced here; pull first, then push")
    remote = "origin" if asked.remote is None and refs else asked.remote
    switches = ["--tags"] * asked.tags + ["--prune"] * asked.prune
    if asked.action == "list":
        return LsRemoteRequest(remote=remote, patterns=refs, switches=switches)
    if asked.action == "fetch":
        return FetchRequest(remote=remote, refs=refs, switches=switches)
    if asked.action == "pull":
        return PullRequest(remote=remote, refs=refs, switches=[*switches, _MODES[asked.mode]])
    return PushRequest(remote=remote, refs=refs, switches=switches + ["--set-upstream"] * asked.set_upstream)


TOOL = ChangeTool(
    "git_sync",
    "List, fetch, pull, push.",
    SyncParams,
    _request,
    title="Sync",
    open_world=True,
    other_names={
        "remote": ("repository", "url", "origin"),
        "refs": ("refspecs", "refspec", "branch", "branches", "ref", "pattern", "patterns"),
        "mode": ("strategy", "how"),
        "set_upstream": ("u", "upstream", "track"),
    },
)
