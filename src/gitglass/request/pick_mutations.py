"""Requests that apply or revert single commits: cherry-pick and revert."""

from __future__ import annotations

from ..annotations import Annotated, Any, Literal
from ..errors import InvalidArgs
from .declared import Field
from .flag import Flag
from .mutations import INDEX, REFS, WORKTREE, Kind, Mutation, _switch

_CLEANUPS = ("default", "verbatim", "whitespace", "strip", "scissors")
_MESSAGE = "How the message is cleaned up (git-commit(1), --cleanup); None: as the settings have it."


def _parent(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value)):
        raise InvalidArgs("option `mainline' expects a number greater than zero", prefix="error")
    return int(value)


def _cleanup(value: str) -> str:
    if value not in _CLEANUPS:
        raise InvalidArgs(f"Invalid cleanup mode {value}", prefix="fatal", status=128)
    return value


class Picking(Mutation):
    """The common part of cherry-pick and revert."""

    effects = (REFS, INDEX, WORKTREE)
    always_asks = True

    commits: list[str] = Field(default_factory=list, description="The commits, or ranges of them.")
    mainline: Annotated[int | None, Flag("-m", "--mainline", value="parent-number", parse=_parent)] = Field(
        None, ge=1, description="Of merges: the parent whose changes are meant, counted from 1."
    )
    no_commit: Annotated[bool, Flag("-n", "--no-commit", no=True)] = Field(
        False, description="Change index and files, and make no commit."
    )
    signoff: Annotated[bool, Flag("-s", "--signoff", no=True)] = Field(False, description="Add a Signed-off-by line.")
    cleanup: Annotated[str | None, Flag("--cleanup", value="mode", parse=_cleanup)] = Field(None, description=_MESSAGE)
    strategy: Annotated[list[str], Flag("--strategy", value="strategy", append=True)] = Field(
        default_factory=list, description="'ort' is the only one there is here."
    )
    options: Annotated[list[str], Flag("-X", "--strategy-option", value="option", append=True)] = Field(
        default_factory=list, description="Of the strategy: 'ours', 'theirs', 'ignore-all-space' and their kin."
    )
    switches: Annotated[
        list[str], _switch("-e", "--edit"), _switch("--no-edit"), _switch("--abort"), _switch("--continue"),
        _switch("--skip"), _switch("--quit"), _switch("--no-gpg-sign"), _switch("--no-rerere-autoupdate"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "Medium"

    @property
    def ending(self) -> str | None:
        """The word that continues or ends a series; None if commits are named."""
        return next((word for word in self.switches if word in ("--abort", "--continue", "--skip", "--quit")), None)

    def summary(self) -> str:
        verb = "Revert" if self.git == "revert" else "Cherry-pick"
        return f"{verb} {', '.join(self.commits) or ' '.join(self.switches)}"

    def words(self) -> list[str]:
        return self.commits

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, commits=before + after)


class CherryPickRequest(Picking):
    """`git cherry-pick`."""

    git = "cherry-pick"

    record_origin: Annotated[bool, Flag("-x", no=True)] = Field(
        False, description="Say in the message which commit it comes from."
    )
    ff: Annotated[bool, Flag("--ff", no=True)] = Field(
        False, description="Move the branch where the commit's parent is what it is at."
    )
    allow_empty: Annotated[bool, Flag("--allow-empty", no=True)] = Field(
        False, description="Take commits that change nothing in their own history."
    )
    allow_empty_message: Annotated[bool, Flag("--allow-empty-message", no=True)] = Field(
        False, description="Take commits without a message."
    )
    keep_redundant: Annotated[bool, Flag("--keep-redundant-commits", no=True)] = Field(
        False, description="Take commits that change nothing here."
    )


class RevertRequest(Picking):
    """`git revert`."""

    git = "revert"

    reference: Annotated[bool | None, Flag("--reference", no=True)] = Field(
        None, description="Refer to the commit in short, with its subject and date; revert.reference unless given."
    )
