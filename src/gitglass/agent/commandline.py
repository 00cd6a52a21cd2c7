"""Turns git's argv into the typed request, reading or writing, with the command line's own grammar.

`branch -D x` is the deletion of a branch, however it is spelled (`-vD x`, `--delete --force x`); `commit -m "reset
--hard"` is a commit. The policy judges the request, so no spelling can evade it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from ..cli.argv import parse
from ..cli.globals import parse_bare
from ..cli.unknown import is_command, unknown_command
from ..commands.branch import BranchRequest
from ..commands.command import Access, Command, Words, make_request, unknown_option
from ..commands.registry import find, writes
from ..commands.tag import TagRequest
from ..errors import BadRequest, GitError, InvalidArgs
from ..limits import Context
from ..repo.store import Store
from ..request.flag import Flag
from ..request.init import InitRequest
from ..request.mutations import (
    AddRequest,
    CheckoutRequest,
    CleanRequest,
    CommitRequest,
    Kind,
    MoveRequest,
    Mutation,
    RemoveRequest,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
    followed_mode,
)
from ..request.pick_mutations import CherryPickRequest, RevertRequest
from ..request.ref_mutations import (
    BranchChange,
    FetchRequest,
    LsRemoteRequest,
    MergeRequest,
    OtherMutation,
    PullRequest,
    PushRequest,
    RebaseRequest,
    TagChange,
    UpdateRefRequest,
    one_ref,
)
from ..request.request import Request, Result
from ..revs.resolve import one_merge_base, try_resolve
from ..revs.tip import Tips

__all__ = ["Asked", "asked_for", "parse_command", "writer"]


class Asked:
    """The meaning of a command line: the command's name, the command object if it reads, and the request.

    `named` are the objects that the request's revisions were resolved to when the command line was read.
    """

    __slots__ = ("command", "name", "named", "request")

    def __init__(self, name: str, command: Command, request: Request[Any] | Words, named: Tips | None = None) -> None:
        self.name, self.command, self.request, self.named = name, command, request, named


def asked_for(change: Mutation) -> Asked:
    """The same for a request that was not made from argv."""
    return Asked(change.git, _command(change.git, type(change)), change)


class BranchWords(BranchRequest):
    """`git branch` with its options that write."""

    delete: Annotated[bool, Flag("-d", "--delete", no=True)] = Field(False)
    force_delete: Annotated[bool, Flag("-D")] = Field(False)
    move: Annotated[bool, Flag("-m", "--move", no=True)] = Field(False)
    force_move: Annotated[bool, Flag("-M")] = Field(False)
    copy_branch: Annotated[bool, Flag("-c", "--copy", no=True)] = Field(False)
    force_copy: Annotated[bool, Flag("-C")] = Field(False)
    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(False)
    upstream: Annotated[str | None, Flag("-u", "--set-upstream-to", value="upstream")] = Field(None)
    unset_upstream: Annotated[bool, Flag("--unset-upstream")] = Field(False)
    configure: Annotated[bool, Flag("--edit-description")] = Field(False)
    track: Annotated[str, Flag("-t", "--track", value="(direct|inherit)", optional=True, const="direct",
                               parse=followed_mode), Flag("--no-track", const="no")] = Field("")  # fmt: skip
    create_reflog: Annotated[bool, Flag("--create-reflog", no=True)] = Field(False)
    recurse_submodules: Annotated[bool, Flag("--recurse-submodules", no=True)] = Field(False)


class TagWords(TagRequest):
    """`git tag` with its options that write."""

    delete: Annotated[bool, Flag("-d", "--delete", mode="action")] = Field(False)
    annotate: Annotated[bool, Flag("-a", "--annotate")] = Field(False)
    sign: Annotated[bool | None, Flag("-s", "--sign"), Flag("--no-sign", const=False)] = Field(None)
    edit: Annotated[bool, Flag("-e", "--edit")] = Field(False)
    create_reflog: Annotated[bool, Flag("--create-reflog")] = Field(False)
    message: Annotated[list[str], Flag("-m", "--message", value="message", append=True)] = Field(default_factory=list)
    file: Annotated[str | None, Flag("-F", "--file", value="file")] = Field(None)
    cleanup: Annotated[str | None, Flag("--cleanup", value="mode")] = Field(None)
    key: Annotated[str | None, Flag("-u", "--local-user", value="key-id")] = Field(None)
    force: Annotated[bool, Flag("-f", "--force", no=True)] = Field(False)


def _nothing(*_: object) -> Any:
    raise AssertionError("not served")


def _command(name: str, request: type[Request[Any]]) -> Command:
    usage, summary = _USAGES.get(name, ("", ""))
    return Command(
        name, request, Result, _nothing, _nothing, _nothing, access=Access.WRITE, usage=usage, summary=summary
    )


_MODELLED: dict[str, type[Mutation]] = {
    "add": AddRequest,
    "commit": CommitRequest,
    "restore": RestoreRequest,
    "checkout": CheckoutRequest,
    "switch": SwitchRequest,
    "reset": ResetRequest,
    "clean": CleanRequest,
    "push": PushRequest,
    "pull": PullRequest,
    "fetch": FetchRequest,
    "ls-remote": LsRemoteRequest,
    "rm": RemoveRequest,
    "mv": MoveRequest,
    "merge": MergeRequest,
    "cherry-pick": CherryPickRequest,
    "revert": RevertRequest,
    "rebase": RebaseRequest,
    "init": InitRequest,
    "update-ref": UpdateRefRequest,
}


#: What `gitglass-write <command> -h` shows of a command: its forms (without `git`), and its purpose.
_USAGES = {
    "add": ("[<options>] [--] [<pathspec>...]", "Put the content of files into the index."),
    "branch": ("[<options>] [-f] <branch> [<start-point>]\n   or: git branch [<options>] (-d | -D) <branch>...\n"
               "   or: git branch [<options>] (-m | -M | -c | -C) [<old>] <new>\n"
               "   or: git branch [<options>] (-u <upstream> | --unset-upstream) [<branch>]",
               "Make, delete, rename or copy branches; set their upstream."),
    "checkout": ("[<options>] [<branch> | <commit>]\n   or: git checkout [<options>] [<tree-ish>] [--] <pathspec>...",
                 "Go to another branch or commit, or take files of one."),
    "cherry-pick": ("[<options>] <commit>...\n   or: git cherry-pick (--continue | --skip | --abort | --quit)",
                    "Make the changes of other commits here."),
    "commit": ("[<options>] [--] [<pathspec>...]", "Record what is in the index as a commit."),
    "fetch": ("[<options>] [<repository> [<refspec>...]]", "Take commits and refs from another repository."),
    "init": ("[<options>] [<directory>]", "Make an empty repository."),
    "ls-remote": ("[--heads] [--tags] [--refs] [-q] [--exit-code] [--get-url] [--sort=<key>] [--symref] "
                  "[<repository> [<refs>...]]", "List what another repository has."),
    "merge": ("[<options>] [<commit>...]\n   or: git merge (--continue | --abort | --quit)",
              "Bring the changes of other branches into this one."),
    "mv": ("[<options>] <source>... <destination>", "Rename or move files, in the work tree and in the index."),
    "pull": ("[<options>] [<repository> [<refspec>...]]", "Fetch, and bring what came into this branch."),
    "push": ("[<options>] [<repository> [<refspec>...]]", "Give commits and refs to another repository."),
    "rebase": ("[<options>] [--onto <newbase>] [<upstream> [<branch>]]\n"
               "   or: git rebase (--continue | --skip | --abort | --quit)",
               "Make the commits of this branch again on top of another commit."),
    "reset": ("[--soft | --mixed | --keep | --merge | --hard] [<commit>]\n"
              "   or: git reset [<tree-ish>] [--] <pathspec>...",
              "Move the branch, or take entries of the index from a commit."),
    "restore": ("[<options>] [--source=<tree-ish>] [--] <pathspec>...", "Take files from the index or a commit."),
    "revert": ("[<options>] <commit>...\n   or: git revert (--continue | --skip | --abort | --quit)",
               "Turn the changes of commits round."),
    "rm": ("[<options>] [--] <pathspec>...", "Remove files from the work tree and from the index."),
    "stash": ("[push] [<options>] [--] [<pathspec>...]\n   or: git stash (pop | apply | drop) [<options>] [<stash>]\n"
              "   or: git stash clear\n   or: git stash branch <branch> [<stash>]",
              "Put local changes away, and take them back."),
    "switch": ("[<options>] (<branch> | -c <new-branch> [<start-point>] | --detach [<commit>])",
               "Go to another branch."),
    "tag": ("[<options>] <tag> [<object>]\n   or: git tag -d <tag>...", "Make or delete tags."),
    "update-ref": ("[<options>] <ref> <new> [<old>]\n   or: git update-ref -d <ref> [<old>]",
                   "Give one ref another value, where it has the old one."),
}  # fmt: skip


def writer(name: str) -> Command | None:
    """The command object for a command of `gitglass-write`: its name, options and forms. None for another name."""
    others: dict[str, type[Request[Any]]] = {"stash": StashRequest, "branch": BranchWords, "tag": TagWords}
    request = _MODELLED.get(name) or others.get(name)
    return None if request is None else _command(name, request)


def parse_command(argv: list[str], store: Store | None, ctx: Context) -> Asked:
    """The request of an argv without `git`. Raises InvalidArgs, Unsupported.

    Options before the command (`-c`, `-C`, `--exec-path`) are refused: they change the meaning of a command.
    """
    front = parse_bare(argv)
    if not argv:
        raise InvalidArgs("No git command provided")
    name, words = front.command, front.argv
    kind = _kinds(store, ctx)
    if name in _MODELLED:
        return _asked(name, _MODELLED[name], words, kind)
    if name == "stash":
        stash = _stash(words, kind)
        if stash is not None:
            return stash
    elif name in ("branch", "tag"):
        change = _branch(words) if name == "branch" else _tag(words)
        if change is not None:
            return Asked(name, _command(name, type(change)), change)
    elif writes(name, words):
        return Asked(name, _command(name, OtherMutation), OtherMutation(command=name, args=words))
    reader = find(name, words)
    if reader is None:
        if is_command(name):
            raise unknown_command(name)
        raise InvalidArgs(f"'{name}' is not a git command")
    command, rest = reader
    if command.raw:
        return Asked(name, command, Words(rest))
    command = command if store is None else command.meant(rest, store)
    values, positionals = parse(command, rest)
    if store is None and command.needs_repository:
        raise InvalidArgs(f"{command.name}: a repository is needed to read this command")
    command.bind(positionals, values, store, ctx)
    return Asked(command.name, command, make_request(command, values), positionals.named)


def _kinds(store: Store | None, ctx: Context) -> Kind:
    def kind(word: str) -> str | None:
        if store is None:
            return "commit" if word.startswith("HEAD") or "~" in word or "^" in word else "branch"
        name = word.encode("utf-8", "surrogateescape")
        if word == "-" or store.refs.read(b"refs/heads/" + name) is not None:
            return "branch"
        try:
            named = one_merge_base(store, word, ctx=ctx) or try_resolve(store, word, ctx=ctx)
            return None if named is None else "commit"
        except GitError:
            return None

    return kind


def _asked(name: str, request: type[Mutation], words: list[str], kind: Kind, **more: Any) -> Asked:
    command = _command(name, request)
    values, positionals = parse(command, words)
    if "spelled" in request.model_fields:
        more["spelled"] = words
    bound = _checked(
        command, lambda: request.bind({**values, **more}, positionals.before, positionals.after,
                                      positionals.dashdash, kind)
    )  # fmt: skip
    return Asked(name, command, bound)


def _checked(command: Command, make: Any) -> Any:
    try:
        return make()
    except ValueError as error:  # raised by pydantic
        raise InvalidArgs(f"{command.name}: {str(error).splitlines()[0]}") from None


#: the options of what is done with an entry of the stash (git-stash(1))
_STASH_OPTIONS = {
    "pop": ("--index", "-q", "--quiet"), "apply": ("--index", "-q", "--quiet"), "drop": ("-q", "--quiet"),
    "branch": (), "clear": (),
}  # fmt: skip


def _stash(words: list[str], kind: Kind) -> Asked | None:
    """The request of a stash that writes, or None for `list` and `show`."""
    first = words[0] if words else "push"
    if first in ("list", "show"):
        return None
    actions = ("push", "save", "pop", "apply", "drop", "clear", "branch", "create", "store")
    if first in actions:
        rest = words[1:]
    elif first.startswith("-"):
        first, rest = "push", words
    else:
        raise InvalidArgs(f"subcommand wasn't specified; 'push' can't be assumed due to unexpected token '{first}'")
    if not words:
        rest = []
    taken = _STASH_OPTIONS.get(first)
    for word in rest[: rest.index("--")] if "--" in rest else rest:
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if taken is not None and name.startswith("-") and not any(option.startswith(name) for option in taken):
            raise unknown_option(name)
    return _asked("stash", StashRequest, rest, kind, action=first)


#: what `git branch` does instead of making one → the options that say so; the second of two does it by force
_BRANCH_ACTIONS = {
    "delete": ("delete", "force_delete"), "rename": ("move", "force_move"), "copy": ("copy_branch", "force_copy"),
    "configure": ("configure",), "upstream": (), "none": ("unset_upstream",), "current": ("show_current",),
    "list": ("as_list", "contains", "no_contains", "merged", "no_merged", "points_at"),
}  # fmt: skip
_BRANCH_USAGE = (
    "git branch [<options>] [-f] <branch-name> [<start-point>]\n"
    "   or: git branch [<options>] (-d | -D) <branch-name>...\n"
    "   or: git branch [<options>] (-m | -M | -c | -C) [<old-branch>] <new-branch>"
)


def _branch(words: list[str]) -> BranchChange | None:
    """The change of a `git branch`, or None if it lists."""
    values, operands = parse(_command("branch", BranchWords), words)
    names = [one_ref(str(word)) for word in operands.before + operands.after]
    force, switches = bool(values.get("force")), ["-q"] if values.get("quiet") else []
    switches += [f"--{name.replace('_', '-')}" for name in ("recurse_submodules", "create_reflog") if values.get(name)]
    chosen = {name: any(values.get(field) for field in fields) for name, fields in _BRANCH_ACTIONS.items()}
    chosen["upstream"] = values.get("upstream") is not None
    chosen["list"] |= not names and not any(chosen.values())
    if sum(chosen.values()) > 1 or (not any(chosen.values()) and len(names) > 2):
        raise InvalidArgs(f"usage: {_BRANCH_USAGE}", prefix="")
    action = next((name for name, is_chosen in chosen.items() if is_chosen), "create")
    if action in ("list", "current") or (action == "create" and (values.get("all") or values.get("remotes"))):
        return None
    if action in ("upstream", "none"):
        return BranchChange(
            action="upstream", names=names, upstream=values.get("upstream"), unset_upstream=action == "none",
            switches=switches,
        )  # fmt: skip
    if action != "create":
        force = force or any(values.get(field) for field in _BRANCH_ACTIONS[action][1:])
        if action == "delete" and names and values.get("all"):
            raise BadRequest("cannot use -a with -d")
        remote = action == "delete" and bool(values.get("remotes"))
        return BranchChange(action=action, names=names, force=force, remote=remote, switches=switches)
    start = names[1] if len(names) > 1 else None
    made: BranchChange = _checked(
        _command("branch", BranchWords),
        lambda: BranchChange(
            names=names[:1], start=start, force=force, track=values.get("track", ""), switches=switches
        ),
    )
    return made


#: the handling of each option of `git tag`; the planner carries it out or refuses it by name
_TAG_WORDS = {
    "annotate": "-a", "sign": "-s", "edit": "-e", "create_reflog": "--create-reflog", "key": "-u",
}  # fmt: skip


_TAG_USAGE = (
    "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] <tagname> [<commit> | <object>]\n"
    "   or: git tag -d <tagname>...\n   or: git tag [-n[<num>]] -l [<pattern>...]"
)


def _joined(parts: list[str]) -> str:
    """Several `-m` of a tag as its message: an empty line between them, and nothing behind the last."""
    whole = ""
    for part in parts:
        whole += ("\n\n" if whole else "") + part
    return whole


def _tag(words: list[str]) -> TagChange | None:
    """The change of a `git tag`, or None if it lists."""
    values, operands = parse(_command("tag", TagWords), words)
    names = [one_ref(str(word)) for word in operands.before + operands.after]
    makes = [name for name in ("annotate", "sign", "message", "file", "key", "force") if values.get(name)]
    limits = [name for name in ("contains", "no_contains", "points_at", "merged", "no_merged") if values.get(name)]
    listing = bool(limits or values.get("as_list") or values.get("lines") is not None or not names)
    if makes and (values.get("delete") or listing):
        raise InvalidArgs(f"usage: {_TAG_USAGE}", prefix="")
    if values.get("delete") and (values.get("lines") is not None or limits):
        only = "-n" if values.get("lines") is not None else f"--{limits[0].replace('_', '-')}"
        raise BadRequest(f"the '{only}' option is only allowed in list mode")
    if values.get("delete"):
        return TagChange(action="delete", names=names)
    if listing:
        return None
    if values.get("message") and values.get("file") is not None:
        raise BadRequest("options '-F' and '-m' cannot be used together")
    switches = [word for name, word in _TAG_WORDS.items() if values.get(name)]
    return TagChange(
        names=[*names[:1], *names[2:]], target=names[1] if len(names) > 1 else None,
        message=_joined(values["message"]) if values.get("message") else None,
        file=values.get("file"), cleanup=values.get("cleanup"), force=bool(values.get("force")),
        switches=[*switches, "--no-sign"] if values.get("sign") is False else switches,
    )  # fmt: skip
