"""Parameters of the `ws_*` tools."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from .tool import WsParams


def _one(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_one)]


Mode = Literal["100644", "100755", "120000"]


class Paging(WsParams):
    """Parameters of an answer that may be cut."""

    cursor: str | None = None


class FilesParams(Paging):
    path: str = ""
    recursive: bool = False
    changed_only: bool = False


class ReadParams(Paging):
    path: str
    base64: bool = False


class WriteParams(WsParams):
    path: str
    content: str | None = None
    content_base64: str | None = None
    mode: Mode | None = None
    if_oid: str | None = Field(None, description="The blob there now; '': none.")


class PathParams(WsParams):
    path: str
    if_oid: str | None = None


class MoveParams(PathParams):
    to: str


class EditParams(PathParams):
    old: str | None = None
    new: str | None = None
    count: int = Field(1, description="How often old is there.")
    patch: str | None = Field(None, description="Unified diff.")


class DiffParams(Paging):
    commit: str | None = Field(None, description="A staged one; none: what is not staged.")
    paths: Names = []
    context_lines: int | None = None


class StageParams(WsParams):
    files: Names = []
    message: str | None = None
    amend: bool | str = Field(False, description="The last commit, or the one named.")
    co_authors: Names = Field([], description="Name <email>")


class DiscardParams(WsParams):
    commit: str | None = None
    paths: Names = []


class PullParams(WsParams):
    source: str | None = None
    branch: str | None = None
    paths: Names = []
    dest: str = ""
    strategy: Literal["merge", "ours", "theirs"] = "merge"


class MergeParams(WsParams):
    path: str
    base: str | None = None
    ours: str
    theirs: str
    algorithm: Literal["histogram", "myers"] = "histogram"


class ResolveParams(WsParams):
    path: str
    take: Literal["ours", "theirs", "base", "content"]
    content: str | None = None
    keep_markers: bool = False


class BranchesParams(WsParams):
    target: str | None = None


class PushParams(WsParams):
    commit: str
    target: str | None = None
    branch: str | None = None
    on_moved: Literal["report", "rebase", "merge"] = "report"
    dry_run: bool = False


def named(target: str | None, branch: str | None = None) -> dict[str, str] | str | None:
    """A target, and a branch of it, in the form that a desk takes."""
    if branch is None:
        return target
    return {"branch": branch} if target is None else {"name": target, "branch": branch}
