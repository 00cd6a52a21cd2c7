"""Review: the changes of a push plan as files and hunks, and a person's decision on each."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

from ...errors import NotFound
from ...limits import Context
from ...records import field, record
from ..model import StagedCommit, StagedFile
from ..push import PushPlan
from ..rules import is_binary
from ..workspace import Workspace
from .hunks import ReviewHunk, hunks_between

Decision = Literal["accept", "reject"]

_LARGE = 8 << 20  # bytes; a larger file is decided as a whole


@record(frozen=True)
class ReviewFile:
    """A changed file of one commit. A changed text has hunks; any other file is decided as a whole."""

    id: str
    commit: str
    file: StagedFile
    hunks: tuple[ReviewHunk, ...] = ()
    line_ends: int = 0  # lines that differ in their line ending only

    @property
    def path(self) -> str:
        """Its path in the repository."""
        return self.file.path


@record
class Review:
    """The decisions on a plan, and who made them. Open ones are accepted or rejected with the whole."""

    plan: PushPlan
    files: tuple[ReviewFile, ...]
    decisions: dict[str, Decision] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    verdict: Literal["", "approve", "reject"] = ""
    message: str | None = None
    comment: str = ""
    by: str = ""
    at: int = 0

    @classmethod
    def of(cls, workspace: Workspace, plan: PushPlan) -> Review:
        """The review of a plan without any decision."""
        with workspace.working() as ctx:
            files = [_file(workspace, one, file, ctx) for one in plan.commits for file in one.files]
        return cls(plan, tuple(files))

    # --- deciding ---------------------------------------------------------------------------------------------------

    def decide(self, id: str, decision: Decision, comment: str = "") -> None:
        """Decide on a hunk, or on a file with all its hunks. Raises NotFound."""
        owner = next((file for file in self.files if id == file.id), None)
        if owner is not None:
            ids = [owner.id, *(hunk.id for hunk in owner.hunks)]
        elif any(id == hunk.id for file in self.files for hunk in file.hunks):
            ids = [id]
        else:
            raise NotFound(f"no file and no hunk is called '{id}'", hunk=id)
        self.decisions.update(dict.fromkeys(ids, decision))
        if comment:
            self.comments[id] = comment

    def undecide(self, id: str) -> None:
        """Withdraw a decision."""
        self.decisions.pop(id, None)
        self.comments.pop(id, None)

    def approve(self, by: str = "", at: int = 0) -> None:
        """Accept all that is not rejected."""
        self.verdict, self.by, self.at = "approve", by, at

    def reject(self, comment: str = "", by: str = "", at: int = 0) -> None:
        """Reject the whole."""
        self.verdict, self.comment, self.by, self.at = "reject", comment, by, at

    def accepts(self, file: ReviewFile) -> frozenset[str] | None:
        """The accepted hunks of a file; None for all of the file, an empty set for none of it."""
        if not file.hunks:
            return frozenset() if self.decisions.get(file.id) == "reject" else None
        rejected = {hunk.id for hunk in file.hunks if self.decisions.get(hunk.id) == "reject"}
        if not rejected:
            return None
        return frozenset(hunk.id for hunk in file.hunks) - rejected

    @property
    def is_partial(self) -> bool:
        """Whether a part is rejected."""
        return any(self.accepts(file) is not None for file in self.files)

    def data(self) -> dict[str, object]:
        """The decisions as plain data, as they are kept with the workspace and given to the agent."""
        rejected = [
            {"path": file.path, "commit": file.commit, "hunk": id, "comment": self.comments.get(id, "")}
            for file in self.files
            for id in ([hunk.id for hunk in file.hunks] or [file.id])
            if self.decisions.get(id) == "reject"
        ]
        remarks = [
            {"path": file.path, "hunk": id, "comment": self.comments[id]}
            for file in self.files
            for id in (file.id, *(hunk.id for hunk in file.hunks))
            if id in self.comments and self.decisions.get(id) != "reject"
        ]
        return {
            "plan": self.plan.digest, "commits": [one.commit for one in self.plan.commits], "verdict": self.verdict,
            "partial": self.is_partial, "rejected": rejected, "remarks": remarks, "comment": self.comment,
            "message": self.message, "by": self.by, "at": self.at,
        }  # fmt: skip


def _file(workspace: Workspace, commit: StagedCommit, file: StagedFile, ctx: Context) -> ReviewFile:
    path = file.path.encode("utf-8", "surrogateescape")
    at = workspace.staged.index(commit)
    old = workspace.store.odb.entry(workspace.tree_before(at), path)
    old_name = "" if old is None else old[1].hex()
    if file.binary or file.size > _LARGE or "120000" in (file.old_mode, file.new_mode) or file.old_mode == "160000":
        return ReviewFile(_file_id(file, old_name), commit.commit, file)
    before = b"" if old is None else workspace.blob(old[1])
    after = workspace.blob(bytes.fromhex(file.blob)) if file.blob else b""
    hunks: tuple[ReviewHunk, ...] = ()
    if file.operation == "update" and not is_binary(before) and file.old_mode == file.new_mode:
        hunks = tuple(hunks_between(path, before, after, (old_name, file.blob), ctx))
    return ReviewFile(_file_id(file, old_name), commit.commit, file, hunks, _line_ends(before, after))


def _file_id(file: StagedFile, old: str) -> str:
    words = f"{file.path}\0{old}\0{file.blob}\0{file.old_mode}\0{file.new_mode}"
    return "f" + sha256(words.encode("utf-8", "surrogateescape")).hexdigest()[:11]


def _line_ends(before: bytes, after: bytes) -> int:
    """How many lines differ in their line ending, if nothing else differs; otherwise 0."""
    if before == after or before.replace(b"\r\n", b"\n") != after.replace(b"\r\n", b"\n"):
        return 0
    return abs(before.count(b"\r\n") - after.count(b"\r\n"))
