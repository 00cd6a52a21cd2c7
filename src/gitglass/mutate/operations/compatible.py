"""Options that git does not take together, and what it says of them.

git-commit(1), git-checkout(1), git-cherry-pick(1) and git-revert(1) say little of it; what is said and in which order
is what git 2.39 was seen to do.
"""

from __future__ import annotations

from ...errors import BadConfig, BadRequest, InvalidArgs
from ...merge.settings import STYLES
from ...request.mutations import CheckoutRequest, CommitRequest, RestoreRequest, SwitchRequest
from ...request.pick_mutations import Picking

_ENDS = ("--abort", "--continue", "--skip", "--quit")


def need_one(*options: tuple[str, bool]) -> None:
    """Raise BadRequest in git's words where more than one of these options is given."""
    names = [f"'{name}'" for name, given in options if given]
    if len(names) > 1:
        front = ", ".join(names[:-1]) + "," * (len(names) > 2)
        raise BadRequest(f"options {front} and {names[-1]} cannot be used together")


def check_commit(request: CommitRequest, doing: str, *, is_first: bool) -> None:
    """Raise BadRequest in git's words for options of a commit that go against each other, or against what the commit
    would conclude (`doing`: "merge", "cherry-pick", "rebase" or ""). `is_first`: HEAD has no commit."""
    switches = set(request.switches)
    new_author = "--reset-author" in switches
    includes, only = bool(switches & {"-i", "--include"}), bool(switches & {"-o", "--only"})
    need_one(("--reset-author", new_author), ("--author", request.author is not None))
    if request.amend and is_first:
        raise BadRequest("You have nothing to amend.")
    if request.amend and doing:
        raise BadRequest(f"You are in the middle of a {doing} -- cannot amend.")
    reuse, file = ("-C", request.reuse is not None), ("-F", request.file is not None)
    need_one(reuse, file, ("--fixup", request.fixup is not None))
    need_one(("-m", bool(request.message)), reuse, file)
    if new_author and not request.amend and request.reuse is None and doing in ("", "merge"):
        raise BadRequest("--reset-author can be used only with -C, -c or --amend.")
    need_one(("-i/--include", includes), ("-o/--only", only), ("-a/--all", request.all))
    if request.all and request.paths:
        raise BadRequest(f"paths '{request.paths[0]} ...' with -a does not make sense")
    if not request.paths and (includes or (only and not request.amend and "--allow-empty" not in switches)):
        raise BadRequest("No paths with --include/--only does not make sense.")


def ends_of(switches: list[str]) -> list[str]:
    """The words among these that continue or end what was begun. Raises InvalidArgs in git's words for different
    ones."""
    ends = [word for word in switches if word in _ENDS]
    if len(set(ends)) > 1:
        raise InvalidArgs(f"option `{ends[1][2:]}' is incompatible with {ends[0]}", prefix="error")
    return ends


def check_picking(request: Picking) -> None:
    """Raise InvalidArgs, BadRequest in git's words for options of a series that exclude each other."""
    ends = ends_of(request.switches)
    common = [("--no-commit", request.no_commit), ("--signoff", request.signoff)]
    origin, ff = getattr(request, "record_origin", False), getattr(request, "ff", False)
    merges = [
        ("--mainline", request.mainline is not None),
        ("--strategy", bool(request.strategy)),
        ("--strategy-option", bool(request.options)),
    ]
    pairs = {
        "".join(ends[:1]): [*common, *merges, ("-x", origin), ("--ff", ff)],
        "--ff" * ff: [("--signoff", request.signoff), ("--no-commit", request.no_commit), ("-x", origin)],
    }
    for base, others in pairs.items():
        taken = next((name for name, is_given in others if is_given), None)
        if base and taken is not None:
            raise BadRequest(f"{request.git}: {taken} cannot be used with {base}")
    if bool(ends) == bool(request.commits):
        usage = "usage: git {0} [<options>] <commit>...\n   or: git {0} (--continue | --skip | --abort | --quit)"
        raise InvalidArgs(usage.format(request.git), prefix="")


def tracks(request: CheckoutRequest) -> bool:
    """Whether it is said which branch a new one follows, or that it follows none: then there is a new one
    (git-switch(1), `--track`)."""
    return bool(request.track)


def new_branch(request: CheckoutRequest) -> str | None:
    """The branch that `checkout` or `switch` makes or moves. Raises BadRequest in git's words where more than one is
    named, or `--track` leaves no name."""
    names = request.create_branch, request.reset_branch, request.orphan
    letter = "c" if isinstance(request, SwitchRequest) else "b"
    if sum(name is not None for name in names) > 1:
        raise BadRequest(f"options '-{letter}', '-{letter.upper()}', and '--orphan' cannot be used together")
    named = next((name for name in names if name is not None), None)
    if named is not None or not tracks(request):
        return named
    start = request.commit or request.branch or (request.paths[0] if request.paths and request.counted else None)
    if start is None:
        raise BadRequest("--track needs a branch name")
    name = start.removeprefix("refs/").removeprefix("remotes/").partition("/")[2]
    if not name:
        raise BadRequest(f"missing branch name; try -{letter}")
    return name


def merges(request: CheckoutRequest | RestoreRequest) -> bool:
    """Whether changes, or the sides of conflicts, are merged: `--conflict` says so too."""
    return "--merge" in request.switches or request.conflict is not None


def check_style(request: CheckoutRequest | RestoreRequest) -> None:
    """Raise BadConfig in git's words for a style of conflicts that there is none of."""
    if request.conflict is not None and request.conflict not in STYLES:
        raise BadConfig(f"unknown style '{request.conflict}' given for 'merge.conflictstyle'")


def check_move(request: CheckoutRequest) -> None:
    """Raise BadRequest in git's words for options that do not go with a change of branches."""
    if {"--ours", "--theirs"} & set(request.switches):
        raise BadRequest("'--ours/--theirs' cannot be used with switching branches")
    if request.discards and merges(request):
        pair = ("-f", "-m") if request.force else ("--discard-changes", "--merge")
        raise BadRequest(f"'{pair[0]}' cannot be used with '{pair[1]}'")
    if request.detach and new_branch(request) is not None:
        raise BadRequest("'--detach' cannot be used with '-b/-B/--orphan'")
    if request.orphan and tracks(request):
        raise BadRequest("'--orphan' cannot be used with '-t'")
    if request.orphan and isinstance(request, SwitchRequest) and (request.commit or request.branch):
        raise BadRequest("'--orphan' cannot take <start-point>")


def need_one_way(request: CheckoutRequest | RestoreRequest) -> None:
    """Raise BadRequest in git's words where more than one thing is to be done with conflicts."""
    force = isinstance(request, CheckoutRequest) and request.force
    if force + merges(request) + bool({"--ours", "--theirs"} & set(request.switches)) > 1:
        words = "git checkout: --ours/--theirs, --force and --merge are incompatible when\nchecking out of the index."
        raise BadRequest(words)


def check_paths(request: CheckoutRequest) -> None:
    """Raise BadRequest in git's words for options that do not go with `checkout` of paths."""
    new, paths = new_branch(request), request.paths
    if new is not None and len(paths) == 1 and request.commit is None:
        raise BadRequest(f"'{paths[0]}' is not a commit and a branch '{new}' cannot be created from it")
    if request.detach:
        raise BadRequest(f"git checkout: --detach does not take a path argument '{paths[0]}'")
    need_one_way(request)


def check_new_with_paths(request: CheckoutRequest) -> None:
    """The same, which git says once it knows that a new branch could have its name."""
    if tracks(request):
        raise BadRequest("'--track' cannot be used with updating paths")
    if (new := new_branch(request)) is not None:
        raise BadRequest(f"Cannot update paths and switch to branch '{new}' at the same time.")
