"""Requests that would change something: modelled so that the policy sees what they are; nothing here carries them out.

A request has git's options (the same `Flag`s as reading requests), binds its words, and names its effects (`effects`),
their severity (`risk`), and its sentence for an approval dialog (`summary`). `commands/policy.py` assesses requests;
`agent/commandline.py` makes them from argv.
"""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import Annotated, Any, ClassVar, Literal
from ..errors import InvalidArgs
from .declared import Field
from .flag import Flag
from .request import Request, Result

#: the meaning of a word in a repository: "branch", "commit", or None (no revision)
Kind = Callable[[str], str | None]

READ, INDEX, REFS, WORKTREE, FILES, NETWORK = (
    "read", "write_index", "write_refs", "write_worktree", "write_files", "network",
)  # fmt: skip


def _switch(*names: str) -> Flag:
    """An option that does not change the kind of the request; it is kept as a word."""
    return Flag(*names, const=names[-1], append=True)


def followed_mode(value: str) -> str:
    """The value of `--track=`. Raises InvalidArgs in git's words."""
    if value in ("direct", "inherit"):
        return value
    raise InvalidArgs('option `--track\' expects "direct" or "inherit"')


_QUIET = (_switch("-q", "--quiet"), _switch("-v", "--verbose"))


class Mutation(Request[Result]):
    """The base class of all requests that would change something."""

    git: ClassVar[str] = ""
    effects: ClassVar[tuple[str, ...]] = (REFS,)
    always_asks: ClassVar[bool] = False  # TRUSTED always asks, whatever the policy says about medium risks

    switches: Annotated[list[str], *_QUIET] = Field(
        default_factory=list, description="Options that matter little here."
    )

    @property
    def risk(self) -> Literal["Medium", "High"]:
        """How severe its effects can be."""
        return "Medium"

    @property
    def refused(self) -> str | None:
        """The reason why not even an approval is enough (except at the level YOLO), or None."""
        return None

    @property
    def what(self) -> tuple[str, ...]:
        """All effects of this particular request."""
        return self.effects

    def summary(self) -> str:
        """One line for a person who has to say yes or no."""
        return " ".join(["git", self.git, *self.words()])

    def words(self) -> list[str]:
        """The words after the command's name that are no options."""
        return []

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        """Make the request from parsed options and words."""
        raise NotImplementedError


def _one(words: list[str], what: str) -> str:
    if len(words) != 1:
        raise InvalidArgs(f"{what}: one is expected, not {len(words)}")
    return words[0]


# ------------------------------------------------------------------------------------------------ index and commits
class AddRequest(Mutation):
    """`git add`."""

    git = "add"
    effects = (INDEX,)

    paths: list[str] = Field(default_factory=list, description="Files to stage.")
    all: Annotated[bool, Flag("-A", "--all", no=True)] = Field(False, description="All changes.")
    update: Annotated[bool, Flag("-u", "--update", no=True)] = Field(False, description="Only files that are tracked.")
    chmod: Annotated[Literal["+x", "-x"] | None, Flag("--chmod", value="(+|-)x")] = Field(
        None, description="Make the staged files executable, or not."
    )
    switches: Annotated[
        list[str], *_QUIET, _switch("-f", "--force"), _switch("-n", "--dry-run"), _switch("-N", "--intent-to-add"),
        _switch("--refresh"), _switch("--ignore-errors"), _switch("--renormalize"), _switch("-p", "--patch"),
        _switch("-i", "--interactive"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def is_blind(self) -> bool:
        """Whether it stages without naming files."""
        return self.all or self.update or any(path in (".", "*", ":/", "./", ":") for path in self.paths)

    def summary(self) -> str:
        if self.all:
            return "Stage all changes"
        if self.update:
            return "Stage modified/deleted files"
        names = ", ".join(self.paths[:2]) + ("..." if len(self.paths) > 2 else "")
        return f"Stage {len(self.paths)} file(s): {names}"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


class CommitRequest(Mutation):
    """`git commit`. `type` and `scope` make document 3's conventional message."""

    git = "commit"
    effects = (INDEX, REFS)

    message: Annotated[list[str], Flag("-m", "--message", value="message", append=True)] = Field(
        default_factory=list, description="The message, a paragraph each."
    )
    type: str | None = Field(None, description="Kind of change: feat, fix, …")
    scope: str | None = Field(None, description="Area of the change.")
    all: Annotated[bool, Flag("-a", "--all", no=True)] = Field(False, description="Stage what is tracked first.")
    amend: Annotated[bool, Flag("--amend", no=True)] = Field(False, description="Replace the last commit.")
    no_verify: Annotated[bool, Flag("-n", "--no-verify")] = Field(False, description="Skip hooks.")
    author: Annotated[str | None, Flag("--author", value="author")] = Field(None, description="Another author.")
    date: Annotated[str | None, Flag("--date", value="date")] = Field(None, description="Another date.")
    reuse: Annotated[str | None, Flag("-C", "--reuse-message", value="commit")] = Field(
        None, description="Take message, author and date of this commit."
    )
    reedit: Annotated[str | None, Flag("-c", "--reedit-message", value="commit")] = Field(
        None, description="The same, with an editor."
    )
    fixup: Annotated[str | None, Flag("--fixup", value="commit")] = Field(
        None, description="A message that `rebase --autosquash` knows this commit by."
    )
    squash: Annotated[str | None, Flag("--squash", value="commit")] = Field(None, description="So, with an editor.")
    cleanup: Annotated[str | None, Flag("--cleanup", value="mode")] = Field(
        None, description="How the message is cleaned up: 'strip', 'whitespace', 'verbatim', 'scissors', 'default'."
    )
    file: Annotated[str | None, Flag("-F", "--file", value="file")] = Field(None, description="File with the message.")
    trailers: Annotated[list[str], Flag("--trailer", value="token", append=True)] = Field(
        default_factory=list, description="Lines `Token: value` at the message's end; `Token=value` does too."
    )
    exact: bool = Field(False, description="The message as it is: not cleaned up, and no newline put at its end.")
    paths: list[str] = Field(default_factory=list, description="Only these files.")
    switches: Annotated[
        list[str], *_QUIET, _switch("-s", "--signoff"), _switch("--allow-empty"), _switch("--allow-empty-message"),
        _switch("--no-edit"), _switch("-e", "--edit"), _switch("--dry-run"), _switch("-i", "--include"),
        _switch("-o", "--only"), _switch("-p", "--patch"), _switch("--no-gpg-sign"), _switch("--reset-author"),
        _switch("--gpg-sign", "-S"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def title(self) -> str:
        """The message as it would be recorded."""
        text = "\n\n".join(self.message)
        if self.type is None:
            return text
        return f"{self.type}({self.scope}): {text}" if self.scope else f"{self.type}: {text}"

    def summary(self) -> str:
        if self.type is None:
            return f"{'Amend' if self.amend else 'Commit'}: {' '.join(self.message)[:50]}"
        head = f"{self.type}({self.scope})" if self.scope else self.type
        return f"Commit: {head}: {' '.join(self.message)[:50]}"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


# --------------------------------------------------------------------------------------------------------- worktree
class RestoreRequest(Mutation):
    """`git restore`."""

    git = "restore"
    effects = (INDEX, WORKTREE)

    paths: list[str] = Field(default_factory=list, description="Files to restore.")
    staged: Annotated[bool, Flag("-S", "--staged", no=True)] = Field(False, description="The index.")
    worktree: Annotated[bool | None, Flag("-W", "--worktree", no=True)] = Field(None, description="The work tree.")
    source: Annotated[str | None, Flag("-s", "--source", value="tree-ish")] = Field(None, description="From here.")
    conflict: Annotated[str | None, Flag("--conflict", value="style")] = Field(
        None, description="Merge the sides of conflicts anew, and show them so: `merge`, `diff3` or `zdiff3`."
    )
    switches: Annotated[
        list[str], *_QUIET, _switch("--ours"), _switch("--theirs"), _switch("-m", "--merge"), _switch("-p", "--patch"),
        _switch("--overlay"), _switch("--no-overlay"), _switch("--ignore-unmerged"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High"

    def summary(self) -> str:
        count = len(self.paths)
        worktree = not self.staged if self.worktree is None else self.worktree
        if self.staged and worktree:
            return f"Restore and unstage {count} file(s)"
        return f"Unstage {count} file(s)" if self.staged else f"Restore {count} file(s) to worktree"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


class CheckoutRequest(Mutation):
    """`git checkout` and `git switch`: a branch, a commit, or paths."""

    git = "checkout"
    effects = (REFS, INDEX, WORKTREE)

    branch: str | None = Field(None, description="Branch to switch to.")
    create_branch: Annotated[str | None, Flag("-b", "-c", "--create", value="branch")] = Field(
        None, description="Branch to make and switch to."
    )
    reset_branch: Annotated[str | None, Flag("-B", "-C", "--force-create", value="branch")] = Field(
        None, description="Branch to make or move."
    )
    orphan: Annotated[str | None, Flag("--orphan", value="branch")] = Field(None, description="Branch without history.")
    commit: str | None = Field(None, description="Commit to be at, or to start from, or to take paths from.")
    paths: list[str] = Field(default_factory=list, description="Paths to restore.")
    spelled: list[str] = Field(default_factory=list, description="The words as typed: git tells `-b NAME` alone apart.")
    counted: bool = Field(False, description="Say how many paths were restored, as git does without `--`.")
    named: bool = Field(False, description="Whether the word before `--` can only be a revision.")
    detach: Annotated[bool, Flag("-d", "--detach", no=True)] = Field(False, description="Leave the branch.")
    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(
        False, description="Throw changes away, and untracked files that are in the way."
    )
    discard_changes: Annotated[bool, Flag("--discard-changes", no=True)] = Field(
        False, description="Throw changes away."
    )
    conflict: Annotated[str | None, Flag("--conflict", value="style")] = Field(
        None, description="Merge changes that are in the way, and show conflicts so: `merge`, `diff3` or `zdiff3`."
    )
    track: Annotated[
        Literal["", "direct", "inherit", "no"],
        Flag("-t", "--track", value="(direct|inherit)", optional=True, const="direct", parse=followed_mode),
        Flag("--no-track", const="no"),
    ] = Field("", description="Whether a new branch follows the one it starts from; empty: as the settings have it.")
    switches: Annotated[
        list[str], *_QUIET, _switch("--guess"), _switch("--no-guess"),
        _switch("--ours"), _switch("--theirs"), _switch("-m", "--merge"), _switch("-p", "--patch"), _switch("-l"),
        _switch("--progress"), _switch("--no-progress"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.paths or self.discards or self.reset_branch or self.orphan else "Medium"

    @property
    def discards(self) -> bool:
        """Whether changes are discarded."""
        return self.force or self.discard_changes

    @property
    def refused(self) -> str | None:
        return "checkout --orphan leaves the history behind" if self.orphan else None

    def summary(self) -> str:
        if self.orphan:
            return f"Switch to branch '{self.orphan}' without history"
        if self.create_branch:
            return f"Create and switch to branch '{self.create_branch}'"
        if self.reset_branch:
            return f"Create or reset and switch to branch '{self.reset_branch}'"
        if self.branch:
            return f"Switch to branch '{self.branch}'" + (" (discarding changes)" if self.discards else "")
        if self.paths:
            return f"Restore {len(self.paths)} file(s) from {self.commit or 'HEAD'}"
        return f"Checkout commit '{self.commit or 'HEAD'}'"

    def words(self) -> list[str]:
        head = [word for word in (self.branch, self.commit) if word]
        return head + (["--", *self.paths] if self.paths else [])

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        new = values.keys() & {"create_branch", "reset_branch", "orphan"}
        if after:
            return cls(**values, commit=_one(before, "commit") if before else None, paths=after)
        if not before:
            return cls(**values)
        values = values | {"named": True} if dashdash else values
        first, rest = before[0], before[1:]
        kind_named = kind(first)
        if rest:
            paths = rest if kind_named else before
            return cls(**values, commit=first if kind_named else None, paths=paths, counted=True)
        if new or values.get("detach"):
            return cls(**values, commit=first, counted=not (new or dashdash))
        if kind_named is None and not dashdash:
            return cls(**values, paths=[first], counted=True)
        return cls(**values, **{"commit" if kind_named == "commit" else "branch": first})


class SwitchRequest(CheckoutRequest):
    """`git switch`: a branch, or a commit without one."""

    git = "switch"

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        words = before + after
        if not words:
            return cls(**values)
        name = _one(words, "branch")
        if values.keys() & {"create_branch", "reset_branch", "orphan"} or values.get("detach"):
            return cls(**values, commit=name)
        return cls(**values, branch=name)


class StashRequest(Mutation):
    """The subcommands of `git stash` that write: `push`, `pop`, `apply`, `drop`, `clear`, …"""

    git = "stash"
    effects = (REFS, INDEX, WORKTREE)

    action: Literal["push", "save", "pop", "apply", "drop", "clear", "branch", "create", "store"] = "push"
    message: Annotated[str | None, Flag("-m", "--message", value="message")] = Field(None, description="What it is.")
    index: int = Field(0, ge=0, description="Which entry.")
    commit: str | None = Field(None, description="The entry by the id of its commit, or the beginning of it.")
    by_number: bool = Field(
        False, description="Whether the entry is named by its number, or the ref's whole name: so git calls it then."
    )
    include_untracked: Annotated[bool, Flag("-u", "--include-untracked", no=True)] = Field(
        False, description="Untracked files too."
    )
    paths: list[str] = Field(default_factory=list, description="Only these paths; or the branch to make.")
    switches: Annotated[
        list[str], *_QUIET, _switch("-k", "--keep-index"), _switch("--no-keep-index"), _switch("-S", "--staged"),
        _switch("-p", "--patch"), _switch("--index"), _switch("-a", "--all"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.action == "clear" else "Medium"

    def summary(self) -> str:
        if self.action in ("push", "save"):
            return f"Stash changes: {self.message}" if self.message else "Stash changes"
        if self.action == "clear":
            return "Clear ALL stashes (WARNING: destructive)"
        if self.action in ("create", "store"):
            return f"Stash {self.action}"
        if self.action == "branch":
            return f"Create branch '{''.join(self.paths[:1])}' from {self._entry}"
        return f"{self.action.capitalize()} {self._entry}"

    @property
    def _entry(self) -> str:
        return f"stash@{{{self.index}}}" if self.commit is None else f"stash entry {self.commit}"

    def words(self) -> list[str]:
        if self.action in ("pop", "apply", "drop"):
            return [self.action, self.commit or f"stash@{{{self.index}}}"]
        return [self.action, *self.paths]

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        action, words = values.get("action", "push"), before + after
        if action in ("pop", "apply", "drop") and words:
            return cls(**values, **_entry(words, kind))
        if action == "branch" and len(words) > 1:
            return cls(**values, paths=words[:1], **_entry(words[1:], kind))
        if action == "save" and words:
            return cls(**{**values, "message": " ".join(words)})
        if action == "clear" and words:
            raise InvalidArgs("git stash clear with arguments is unimplemented")
        return cls(**values, paths=words)


def _entry(words: list[str], kind: Kind) -> dict[str, Any]:
    """The fields that name a stash entry: `stash@{1}`, or `1`, or its commit. Raises InvalidArgs in git's words."""
    if len(words) > 1:
        listed = "".join(f" '{word}'" for word in words)
        raise InvalidArgs(f"Too many revisions specified:{listed}", status=1, prefix="")
    name = words[0]
    digits = name[name.find("{") + 1 : -1] if name.startswith(("stash@{", "refs/stash@{")) else name
    if digits.isascii() and digits.isdigit():
        return {"index": int(digits), "by_number": name == digits or name.startswith("refs/")}
    if kind(name) is None:
        raise InvalidArgs(f"{name} is not a valid reference", status=1)
    return {"commit": name}


class ResetRequest(Mutation):
    """`git reset`."""

    git = "reset"
    effects = (REFS, INDEX)

    mode: Annotated[
        Literal["soft", "mixed", "hard", "merge", "keep"], Flag("--soft", const="soft"), Flag("--mixed", const="mixed"),
        Flag("--hard", const="hard"), Flag("--merge", const="merge"), Flag("--keep", const="keep"),
    ] = Field("mixed", description="How far it goes.")  # fmt: skip
    commit: str | None = Field(None, description="Where to.")
    paths: list[str] = Field(default_factory=list, description="Only unstage these.")
    guessed: bool = Field(False, description="Whether the words were taken for paths as they are no revisions.")
    switches: Annotated[list[str], *_QUIET, _switch("-p", "--patch"), _switch("-N", "--intent-to-add"),
                        _switch("--refresh"), _switch("--no-refresh")] = Field(
        default_factory=list, description="Other options.")  # fmt: skip

    @property
    def what(self) -> tuple[str, ...]:
        return (*self.effects, WORKTREE) if self.mode in ("hard", "merge", "keep") else self.effects

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.mode in ("hard", "merge") else "Medium"

    def summary(self) -> str:
        if self.paths:
            return f"Unstage {len(self.paths)} file(s)"
        loss = " (WARNING: discards uncommitted work)" if self.mode == "hard" else ""
        return f"Reset ({self.mode}) to {self.commit or 'HEAD'}{loss}"

    def words(self) -> list[str]:
        return [word for word in (self.commit,) if word] + (["--", *self.paths] if self.paths else [])

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        at = 1 if before and (dashdash or kind(before[0]) is not None) else 0
        paths = before[at:] + after
        return cls(
            **values, commit=before[0] if at else None, paths=paths, guessed=bool(paths) and not (at or dashdash)
        )


class CleanRequest(Mutation):
    """`git clean`."""

    git = "clean"
    effects = (WORKTREE,)

    paths: list[str] = Field(default_factory=list, description="Only below these.")
    dry_run: Annotated[bool, Flag("-n", "--dry-run", no=True)] = Field(False, description="Only say what would go.")
    exclude: Annotated[list[str], Flag("-e", "--exclude", value="pattern", append=True)] = Field(default_factory=list)
    switches: Annotated[
        list[str], *_QUIET, _switch("-f", "--force"), _switch("-d"), _switch("-x"), _switch("-X"),
        _switch("-i", "--interactive"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High"

    @property
    def refused(self) -> str | None:
        return "clean deletes files that git does not have"

    def summary(self) -> str:
        return "Delete untracked files (WARNING: destructive)"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


class OperationsRequest(Request[Result]):
    """The content of the operation log; it only reads."""


class UndoRequest(Mutation):
    """Undo an operation of the operation log; undoing an undo is a redo."""

    git = "undo"
    effects = (INDEX, REFS, WORKTREE)

    operation: str = Field("", description="The operation's id, as the operation log has it.")

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High"

    def summary(self) -> str:
        return f"Undo operation {self.operation}"

    def words(self) -> list[str]:
        return [self.operation]


class RecoverRequest(Mutation):
    """Roll back or finish whatever interrupted operations have left."""

    git = "recover"
    effects = (INDEX, REFS, WORKTREE)

    forward: bool = Field(False, description="Finish them.")

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High"

    def summary(self) -> str:
        return f"{'Finish' if self.forward else 'Take back'} interrupted operations"

    def words(self) -> list[str]:
        return ["--forward"] if self.forward else []


class RemoveRequest(Mutation):
    """`git rm`."""

    git = "rm"
    effects = (INDEX, WORKTREE)

    paths: list[str] = Field(default_factory=list, description="Files to remove.")
    cached: Annotated[bool, Flag("--cached", no=True)] = Field(False, description="Only from the index.")
    recursive: Annotated[bool, Flag("-r")] = Field(False, description="Directories with all that is in them.")
    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(False, description="Whatever is lost by it.")
    dry_run: Annotated[bool, Flag("-n", "--dry-run", no=True)] = Field(False, description="Only say what would go.")
    ignore_unmatch: Annotated[bool, Flag("--ignore-unmatch", no=True)] = Field(
        False, description="A path that matches nothing is no error."
    )

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.force else "Medium"

    def summary(self) -> str:
        return f"{'Untrack' if self.cached else 'Remove'} {len(self.paths)} file(s)"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


class MoveRequest(Mutation):
    """`git mv`."""

    git = "mv"
    effects = (INDEX, WORKTREE)

    paths: list[str] = Field(default_factory=list, description="Sources, and where they go.")
    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(False, description="Replace what is there.")
    skip_errors: Annotated[bool, Flag("-k", no=True)] = Field(False, description="Leave out what cannot be moved.")
    dry_run: Annotated[bool, Flag("-n", "--dry-run", no=True)] = Field(False, description="Only say what would move.")

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.force else "Medium"

    def summary(self) -> str:
        return f"Move {', '.join(self.paths[:-1])} to {''.join(self.paths[-1:])}"

    def words(self) -> list[str]:
        return self.paths

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, paths=before + after)


class PatchFilesRequest(Mutation):
    """Write the changes between two commits to files: the patches of `git diff <from_ref>..<to_ref>`, each in a file of
    a directory in the work tree. It is no command of git's."""

    git = "patch-files"
    effects = (FILES,)

    from_ref: str = Field("HEAD", description="What it was.")
    to_ref: str = Field("HEAD", description="What it became.")
    folder: str = Field("", description="The directory, seen from the top of the work tree; made if it is missing.")
    paths: list[str] = Field(default_factory=list, description="Only these.")
    unified: int | None = Field(None, ge=0, description="Lines of context.")

    def summary(self) -> str:
        return f"Write patches of {self.from_ref}..{self.to_ref} into '{self.folder}'"

    def words(self) -> list[str]:
        return [f"{self.from_ref}..{self.to_ref}", self.folder, *self.paths]
