"""Requests that would change refs or talk to remotes: branch, tag, push, pull, fetch, merge, rebase, and any other."""

from __future__ import annotations

from ..annotations import Annotated, Any, ClassVar, Literal
from ..config.config import parse_bool
from ..errors import InvalidArgs
from .declared import Field
from .flag import Flag
from .mutations import INDEX, NETWORK, REFS, WORKTREE, Kind, Mutation, _switch

_QUIET = (_switch("-q", "--quiet"), _switch("-v", "--verbose"))


class BranchChange(Mutation):
    """Create, move, rename, copy or delete branches. The options of the list belong to the reading request."""

    git = "branch"

    action: Literal["create", "delete", "rename", "copy", "upstream", "configure"] = "create"
    names: list[str] = Field(default_factory=list, description="Branches; old and new where it is renamed.")
    start: str | None = Field(None, description="Where a new branch starts.")
    track: Literal["", "direct", "inherit", "no"] = Field(
        "", description="Whether a new branch follows the one it starts from; empty: as the settings have it."
    )
    upstream: str | None = Field(None, description="The branch to follow (action upstream).")
    unset_upstream: bool = Field(False, description="Follow none any more (action upstream).")
    force: bool = Field(False, description="Whatever is lost by it.")
    remote: bool = Field(False, description="Remote-tracking branches (action delete).")

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.force else "Medium"

    def summary(self) -> str:
        first = self.names[0] if self.names else ""
        if self.action == "delete":
            what = "remote-tracking branch" if self.remote else "branch"
            return " · ".join(f"{'Force delete' if self.force else 'Delete'} {what} '{name}'" for name in self.names)
        if self.action in ("rename", "copy"):
            old = first if len(self.names) > 1 else "HEAD"
            return f"{self.action.capitalize()} branch '{old}' to '{self.names[-1]}'"
        if self.action == "upstream":
            if self.unset_upstream:
                return f"Branch '{first or 'HEAD'}' follows no other any more"
            return f"Branch '{first or 'HEAD'}' follows '{self.upstream}'"
        if self.action == "configure":
            return f"Configure branch '{first or 'HEAD'}'"
        return f"{'Create or reset' if self.force else 'Create'} branch '{first}'"

    def words(self) -> list[str]:
        letter = {"delete": "d", "rename": "m", "copy": "c"}.get(self.action, "")
        option = [f"-{letter.upper() if self.force else letter}"] if letter else ["-f"] if self.force else []
        if self.remote:
            option.append("-r")
        if self.track:
            option.append("--no-track" if self.track == "no" else f"--track={self.track}")
        if self.action == "upstream":
            option = ["--unset-upstream"] if self.unset_upstream else [f"--set-upstream-to={self.upstream}"]
        return option + self.names + ([self.start] if self.start else [])


class TagChange(Mutation):
    """Create or delete tags."""

    git = "tag"

    action: Literal["create", "delete"] = "create"
    names: list[str] = Field(default_factory=list, description="The tags.")
    target: str | None = Field(None, description="What a new tag names.")
    message: str | None = Field(None, description="The message of an annotated tag.")
    file: str | None = Field(None, description="The file that has it.")
    cleanup: str | None = Field(None, description="How it is cleaned up: 'strip', 'whitespace' or 'verbatim'.")
    force: bool = Field(False, description="Move a tag that is there.")

    @property
    def asks(self) -> bool:
        """Whether TRUSTED always asks, whatever the policy says."""
        return self.action == "delete" or self.force

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.force and self.action == "create" else "Medium"

    def summary(self) -> str:
        verb = "Delete" if self.action == "delete" else "Move" if self.force else "Create"
        return " · ".join(f"{verb} tag '{name}'" for name in self.names)

    def words(self) -> list[str]:
        option = ["-d"] if self.action == "delete" else ["-f"] if self.force else []
        return option + self.names + ([self.target] if self.target else [])


class UpdateRefRequest(Mutation):
    """`git update-ref`: a compare-and-swap of one ref. `old` is the ref's expected value: an object, all zeros or
    nothing at all ("") for a ref that must not exist, None for the value it has when the plan is made."""

    git = "update-ref"
    always_asks = True

    ref: str = Field("", description="The ref, its full name; a symbolic one stands for the ref that it names.")
    new: str | None = Field(None, description="The object it is to name; all zeros delete it.")
    old: str | None = Field(None, description="The object it has to name now; empty: it must not exist.")
    delete: Annotated[bool, Flag("-d")] = Field(False, description="Delete it.")
    message: Annotated[str | None, Flag("-m", value="reason")] = Field(None, description="The words for its log.")
    no_deref: Annotated[bool, Flag("--no-deref")] = Field(False, description="The ref itself, not what it stands for.")

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High"

    def summary(self) -> str:
        return f"Delete ref '{self.ref}'" if self.delete else f"Update ref '{self.ref}' to '{self.new}'"

    def words(self) -> list[str]:
        option = ["-d"] if self.delete else ["--no-deref"] if self.no_deref else []
        return option + [word for word in (self.ref, self.new, self.old) if word is not None]

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        words, needed = before + after, 1 if values.get("delete") else 2
        if not needed <= len(words) <= needed + 1:
            usage = (
                "usage: git update-ref -d <refname> [<old-val>]\n   or: git update-ref <refname> <new-val> [<old-val>]"
            )
            raise InvalidArgs(usage, prefix="")
        old = words[needed] if len(words) > needed else None
        return cls(**values, ref=one_ref(words[0]), new=None if needed == 1 else words[1], old=old)


class _Remote(Mutation):
    """The common part of push, pull and fetch."""

    effects: ClassVar[tuple[str, ...]] = (REFS, NETWORK)

    remote: str | None = Field(None, description="The remote.")
    refs: list[str] = Field(default_factory=list, description="Refspecs.")
    spelled: list[str] = Field(
        default_factory=list, description="The command line as it was typed, which logs repeat; empty: as modelled."
    )

    @property
    def line(self) -> list[str]:
        """The words after `git` as logs show them."""
        return [self.git, *(self.spelled or [*self.switches, *self.words()])]

    def words(self) -> list[str]:
        return ([self.remote] if self.remote else []) + self.refs

    def summary(self) -> str:
        what = f" ({' '.join(self.refs)})" if self.refs else ""
        way = {"push": "Push to", "pull": "Pull from", "fetch": "Fetch from"}[self.git]
        return f"{way} {self.remote or 'the default remote'}{what}"

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        words = before + after
        return cls(**values, remote=words[0] if words else None, refs=words[1:])


class PushRequest(_Remote):
    """`git push`. A refspec with `+` is a forced one, one with an empty source or `--delete` deletes."""

    git = "push"
    always_asks = True

    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(False, description="Rewrite the remote's history.")
    lease: Annotated[
        list[str], Flag("--force-with-lease", value="ref", optional=True, const="", append=True),
    ] = Field(
        default_factory=list,
        description="Rewrite refs of the remote that are where they are said to be, 'ref:object', or were last seen.",
    )  # fmt: skip
    delete: Annotated[bool, Flag("-d", "--delete", no=True)] = Field(False, description="Delete remote refs.")
    switches: Annotated[
        list[str], *_QUIET, _switch("-u", "--set-upstream"), _switch("--all"), _switch("--tags"),
        _switch("--follow-tags"), _switch("--no-follow-tags"), _switch("-n", "--dry-run"), _switch("--porcelain"),
        _switch("--atomic"), _switch("--no-verify"), _switch("--progress"), _switch("--thin"), _switch("--mirror"),
        _switch("--prune"), _switch("--force-if-includes"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def forced(self) -> bool:
        """Whether refs are overwritten, whatever values the remote has by then."""
        blind = any(":" not in lease for lease in self.lease) or {"--mirror", "--force-if-includes"} & {*self.switches}
        return self.force or bool(blind) or any(ref.startswith("+") for ref in self.refs)

    @property
    def deletes(self) -> bool:
        """Whether a remote ref is deleted."""
        gone = any(ref.startswith(":") and ref != ":" for ref in self.refs)
        return self.delete or gone or bool({"--mirror", "--prune"} & {*self.switches})

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.forced or self.deletes or self.lease else "Medium"

    @property
    def refused(self) -> str | None:
        return "a forced push rewrites the remote's history" if self.forced else None

    def summary(self) -> str:
        return ("Force push: " if self.forced else "Delete on remote: " if self.deletes else "") + super().summary()


class ReceiveRequest(Mutation):
    """The changes in the repository that is pushed to; no command line makes this request. `updates` are (ref, object
    before, object after), in hex, empty for none."""

    git = "receive-pack"

    updates: list[tuple[str, str, str]] = Field(default_factory=list, description="Refs, and what they change to.")
    atomic: bool = Field(False, description="All of them, or none.")

    def summary(self) -> str:
        return f"Receive {len(self.updates)} ref(s)"

    def words(self) -> list[str]:
        return [name for name, _, _ in self.updates]


def _reconciling(value: str) -> str:
    """The switch that the value of `--rebase=` stands for. Raises InvalidArgs in git's words."""
    flag = parse_bool(value.encode("utf-8", "surrogateescape"))
    if flag is not None:
        return "--rebase" if flag else "--no-rebase"
    if value in ("merges", "m", "interactive", "i"):
        return f"--rebase={value}"
    raise InvalidArgs(f"invalid value for '--rebase': '{value}'")


_REBASE = Flag(
    "-r", "--rebase", value="false|true|merges|interactive", optional=True, const="--rebase", append=True,
    parse=_reconciling,
)  # fmt: skip


class PullRequest(_Remote):
    """`git pull`."""

    git = "pull"
    effects = (REFS, INDEX, WORKTREE, NETWORK)
    always_asks = True

    switches: Annotated[
        list[str], *_QUIET, _REBASE, _switch("--no-rebase"), _switch("--ff-only"), _switch("--ff"),
        _switch("--no-ff"), _switch("--all"), _switch("-t", "--tags"), _switch("-p", "--prune"), _switch("--autostash"),
        _switch("--no-autostash"), _switch("--no-edit"), _switch("--squash"), _switch("--no-tags"),
        _switch("--no-prune"), _switch("--no-recurse-submodules"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip


class FetchRequest(_Remote):
    """`git fetch`."""

    git = "fetch"

    switches: Annotated[
        list[str], *_QUIET, _switch("--all"), _switch("-t", "--tags"), _switch("--no-tags"), _switch("-p", "--prune"),
        _switch("--dry-run"), _switch("--unshallow"), _switch("-f", "--force"), _switch("--no-prune"),
        _switch("--no-recurse-submodules"), _switch("--progress"), _switch("--no-progress"), _switch("--no-auto-gc"),
        _switch("--no-auto-maintenance"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip


class LsRemoteRequest(Mutation):
    """`git ls-remote`: it changes nothing, but contacts another machine, which needs the host's grant."""

    git = "ls-remote"
    effects = (NETWORK,)

    remote: str | None = Field(None, description="The remote, or the address of a repository.")
    patterns: list[str] = Field(default_factory=list, description="Only refs whose names end so; with wildcards.")
    sort: Annotated[list[str], Flag("--sort", value="key", append=True)] = Field(
        default_factory=list, description="Sort keys, the last one first."
    )
    switches: Annotated[
        list[str], _switch("-q", "--quiet"), _switch("-t", "--tags"), _switch("-h", "--heads"), _switch("--refs"),
        _switch("--get-url"), _switch("--exit-code"), _switch("--symref"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    def words(self) -> list[str]:
        return ([self.remote] if self.remote is not None else []) + self.patterns

    def summary(self) -> str:
        return f"List refs of {self.remote or 'the default remote'}"

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        words = before + after
        return cls(**values, remote=words[0] if words else None, patterns=words[1:])


def _strategy(value: str) -> str:
    """The name of a merge strategy. Raises InvalidArgs in git's words for one that git does not have."""
    if value in ("octopus", "ort", "ours", "recursive", "resolve", "subtree"):
        return value
    have = "Available strategies are: octopus ours recursive resolve subtree."
    raise InvalidArgs(f"Could not find merge strategy '{value}'.\n{have}", prefix="", status=1)


class MergeRequest(Mutation):
    """`git merge`."""

    git = "merge"
    effects = (REFS, INDEX, WORKTREE)
    always_asks = True

    commits: list[str] = Field(default_factory=list, description="What to merge; none: the branch's upstream.")
    message: Annotated[list[str], Flag("-m", "--message", value="message", append=True)] = Field(
        default_factory=list, description="The message, in paragraphs."
    )
    strategy: Annotated[list[str], Flag("-s", "--strategy", value="strategy", append=True, parse=_strategy)] = Field(
        default_factory=list, description="'ort' is the only one there is here."
    )
    options: Annotated[list[str], Flag("-X", "--strategy-option", value="option", append=True)] = Field(
        default_factory=list, description="Of the strategy: 'ours', 'theirs', 'ignore-all-space' and their kin."
    )
    switches: Annotated[
        list[str], *_QUIET, _switch("--ff"), _switch("--no-ff"), _switch("--ff-only"), _switch("--squash"),
        _switch("--no-squash"), _switch("--commit"), _switch("--no-commit"), _switch("--no-edit"),
        _switch("-e", "--edit"), _switch("--abort"), _switch("--continue"), _switch("--quit"), _switch("--autostash"),
        _switch("--no-autostash"), _switch("--no-verify"), _switch("--stat", "--summary"),
        _switch("-n", "--no-summary", "--no-stat"), _switch("--signoff"), _switch("--no-signoff"),
        _switch("--allow-unrelated-histories"),
        _switch("--no-verify-signatures"), _switch("--no-gpg-sign"), _switch("--no-log"), _switch("--no-progress"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    def summary(self) -> str:
        return f"Merge {', '.join(self.commits) or ' '.join(self.switches)}"

    def words(self) -> list[str]:
        return self.commits

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, commits=before + after)


def _empty(value: str) -> str:
    if value not in ("drop", "keep", "ask"):
        words = f'unrecognized empty type \'{value}\'; valid values are "drop", "keep", and "ask".'
        raise InvalidArgs(words, prefix="fatal", status=128)
    return value


class RebaseRequest(Mutation):
    """`git rebase`."""

    git = "rebase"
    effects = (REFS, INDEX, WORKTREE)
    always_asks = True

    commits: list[str] = Field(default_factory=list, description="Upstream, and the branch.")
    onto: Annotated[str | None, Flag("--onto", value="commit")] = Field(None, description="New base.")
    keep_base: Annotated[bool, Flag("--keep-base", no=True)] = Field(
        False, description="Onto the merge base of upstream and branch: what they have in common stays as it is."
    )
    root: Annotated[bool, Flag("--root", no=True)] = Field(
        False, description="All commits of the branch, also the first one; needs `onto`."
    )
    force: Annotated[bool, Flag("-f", "--force-rebase"), Flag("--no-ff")] = Field(
        False, description="Make all commits anew, also where nothing has changed below them."
    )
    reapply: Annotated[bool | None, Flag("--reapply-cherry-picks", no=True)] = Field(
        None, description="Also take commits whose changes the upstream has already."
    )
    empty: Annotated[Literal["drop", "keep", "ask"], Flag("--empty", value="(drop|keep|ask)", parse=_empty)] = Field(
        "drop", description="What becomes of commits whose changes are there already: 'ask' stops at them."
    )
    signoff: Annotated[bool, Flag("--signoff", no=True)] = Field(False, description="Add a Signed-off-by line.")
    strategy: Annotated[list[str], Flag("-s", "--strategy", value="strategy", append=True)] = Field(
        default_factory=list, description="'ort' is the only one there is here."
    )
    options: Annotated[list[str], Flag("-X", "--strategy-option", value="option", append=True)] = Field(
        default_factory=list, description="Of the strategy: 'ours', 'theirs', 'ignore-all-space' and their kin."
    )
    interactive: Annotated[bool, Flag("-i", "--interactive", no=True)] = Field(False, description="With an editor.")
    run: Annotated[list[str], Flag("-x", "--exec", value="command", append=True)] = Field(
        default_factory=list, description="Programs to run in between."
    )
    switches: Annotated[
        list[str], *_QUIET, _switch("--abort"), _switch("--continue"), _switch("--skip"), _switch("--quit"),
        _switch("--autosquash"), _switch("--no-autosquash"), _switch("--autostash"), _switch("--no-autostash"),
        _switch("-r", "--rebase-merges"), _switch("-m", "--merge"), _switch("--apply"), _switch("--stat"),
        _switch("-n", "--no-stat"), _switch("--no-verify"), _switch("--verify"), _switch("--fork-point"),
        _switch("--no-fork-point"), _switch("-k", "--keep-empty"), _switch("--no-keep-empty"),
        _switch("--allow-empty-message"), _switch("--ignore-whitespace"), _switch("--no-gpg-sign"),
        _switch("--committer-date-is-author-date"), _switch("--ignore-date", "--reset-author-date"),
        _switch("--update-refs"), _switch("--no-update-refs"), _switch("--edit-todo"), _switch("--show-current-patch"),
        _switch("--no-rerere-autoupdate"),
    ] = Field(default_factory=list, description="Other options.")  # fmt: skip

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "High" if self.interactive or self.run else "Medium"

    @property
    def refused(self) -> str | None:
        return "an interactive rebase rewrites history" if self.interactive else None

    @property
    def ending(self) -> str | None:
        """The word that continues or ends a rebase; None if one begins."""
        return next((word for word in self.switches if word in ("--abort", "--continue", "--skip", "--quit")), None)

    def summary(self) -> str:
        if self.ending:
            return f"Rebase {self.ending}"
        what = f"branch '{self.commits[-1]}' " if len(self.commits) > 1 or (self.root and self.commits) else ""
        onto = self.onto or ("its merge base" if self.keep_base else "".join(self.commits[:1]) or "its upstream")
        return f"Rebase {'interactively ' if self.interactive else ''}{what}onto {onto}"

    def words(self) -> list[str]:
        return self.commits

    @classmethod
    def bind(cls, values: dict[str, Any], before: list[str], after: list[str], dashdash: bool, kind: Kind) -> Mutation:
        return cls(**values, commits=before + after)


class OtherMutation(Mutation):
    """A command that writes and has no model of its own: assessed as the worst case, whatever its words are."""

    effects = (REFS, INDEX, WORKTREE, NETWORK)

    command: str = Field(description="git's name of it.")
    args: list[str] = Field(default_factory=list, description="Its words, as they stand.")

    #: commands that are known to do no more harm than a commit
    MILD: ClassVar[frozenset[str]] = frozenset({"mv", "notes"})

    @property
    def risk(self) -> Literal["Medium", "High"]:
        return "Medium" if self.command in self.MILD else "High"

    def summary(self) -> str:
        return " ".join(["git", self.command, *self.args])[:120]

    def words(self) -> list[str]:
        return self.args


def one_ref(text: str) -> str:
    """The name of one ref to be created or deleted. Raises InvalidArgs for one that begins with `-` or holds control
    characters."""
    if text.startswith("-") or not text or len(text) > 1024 or any(ord(c) < 32 or c == "\x7f" for c in text):
        raise InvalidArgs(f"'{text}' is not a valid name")
    return text
