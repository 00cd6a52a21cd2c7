"""`pull`: a fetch, and what it brought merged into the branch, or the branch rebased onto it. Mirrors git-pull(1).

One plan: what the fetch changes and what the merge does of it, shown before either happens. A fast-forward is what
happens by itself; a merge or a rebase is made where it is asked for. Where git would fetch and then refuse to merge,
the plan is that fetch, and its answer the refusal.
"""

from __future__ import annotations

from ...config.config import parse_bool
from ...errors import BadRequest, CommandFailed, GitError, NotFound, Timeout, Unsupported, text
from ...graph.merge_base import is_ancestor, octopus_bases
from ...records import replace
from ...request.ref_mutations import MergeRequest, PullRequest, RebaseRequest
from ...revs.names import current_branch
from ..changes import ABSENT, Changes
from ..checkout.local_changes import need_no_recursion
from ..merging.autostash import uncommitted
from ..merging.laid import need_settled
from ..operations.common import ask, check_hooks, finished, last_word, refused_switches
from ..operations.merge import plan_pulled
from ..operations.rebase.plan import plan_pulled_rebase
from ..plan import Answer, Plan
from ..view import View
from .fetch import Brought, Fetching, nothing_fetched
from .fetch_head import described
from .ref_map import Fetched
from .settings import default_fetch, has_default, merges_of
from .web import RemoteFailed

_MERGE = ("--ff", "--no-ff", "--ff-only", "--squash", "--no-edit", "--autostash", "--no-autostash")
_REBASE = ("--rebase", "-r")
_FETCH = ("--tags", "--no-tags", "--prune", "--no-prune", "--no-recurse-submodules")
_RECONCILE_HINT = """\
hint: You have divergent branches and need to specify how to reconcile them.
hint: You can do so by running one of the following commands sometime before
hint: your next pull:
hint: \nhint:   git config pull.rebase false  # merge
hint:   git config pull.rebase true   # rebase
hint:   git config pull.ff only       # fast-forward only
hint: \nhint: You can replace "git config" with "git config --global" to set a default
hint: preference for all repositories. You can also pass --rebase, --no-rebase,
hint: or --ff-only on the command line to override the configured default per
hint: invocation.
"""
_HEADLESS = """\
You are not currently on a branch.
Please specify which branch you want to merge with.
See git-pull(1) for details.

    git pull <remote> <branch>
"""
#: what is said otherwise where a rebase was asked for
_WORDS = (
    ("There are no candidates for merging among", "There is no candidate for rebasing against among"),
    ("you want to merge with.", "you want to rebase against."),
)
_UNTRACKED = """\
There is no tracking information for the current branch.
Please specify which branch you want to merge with.
See git-pull(1) for details.

    git pull <remote> <branch>

If you wish to set tracking information for this branch you can do so with:

    git branch --set-upstream-to={remote}/<branch> {branch}
"""


def plan_pull(request: PullRequest, view: View) -> Plan:
    """The plan of a pull. Raises git's words, NotGranted and Corrupt as a fetch does."""
    refused_switches(request, (*_MERGE, *_FETCH, *_REBASE, "--no-rebase"))
    check_hooks(view, ())
    view.need_work_tree()
    need_settled(view, "Pulling")
    rebases = _rebases(request, view)
    only = not {"--ff", "--no-ff"} & set(request.switches) and _ff_only(request, view)
    if rebases:
        _need_clean(request, view)
    if request.remote is None and not has_default(view.store, default_fetch(view.store)):
        out, err = _nothing(request, view, b"origin").streams()
        return finished(request, view, nothing_fetched(view), Answer(out, err, 1))
    try:
        brought = Fetching(view, request.switches, request.remote, request.refs, request.line, head_too=True).run()
    except (BadRequest, CommandFailed, RemoteFailed) as error:
        error.status = 1  # it was the fetch that failed
        raise
    fetched = finished(request, view, brought.changes, brought.answer)
    if brought.answer.status:
        return fetched
    try:
        merged = _rebased(request, view, brought) if rebases and not only else _merged(request, view, brought, rebases)
    except (Unsupported, Timeout):
        raise
    except GitError as error:
        out, err = error.streams()
        return replace(fetched, answer=Answer(out, brought.answer.err + err, error.status, kind=_kind(error)))
    need_no_recursion(view, merged.changes, discards=False)  # a `git submodule update` ends it
    return _both(request, view, brought, merged)


def _kind(error: GitError) -> str:
    return str(error.data.get("kind", ""))


def _rebases(request: PullRequest, view: View) -> bool | None:
    """Whether the branch is rebased; None where nobody has said. Raises Unsupported for a rebase with merges or with an
    editor, BadRequest for a setting that is none."""
    asked = last_word(request.switches, *_REBASE, "--no-rebase")
    if asked is not None:
        return asked != "--no-rebase"
    branch = current_branch(view.store)
    name = b"pull.rebase"
    if branch is not None and view.config.get(b"branch." + branch + b".rebase") is not None:
        name = b"branch." + branch + b".rebase"
    value = view.config.get(name)
    if value is None:
        return None
    word = value.lower()
    if word in (b"merges", b"m", b"interactive", b"i", b"preserve", b"p"):
        raise Unsupported(f"{text(name)} is '{text(value)}': gitglass rebases neither with merges nor with an editor",
                          option="--rebase")  # fmt: skip
    flag = parse_bool(value)
    if flag is None:
        raise BadRequest(f"invalid value for '{text(name)}': '{text(value)}'")
    return flag


def _ff_only(request: PullRequest, view: View) -> bool:
    return "--ff-only" in request.switches or _configured(request, view) == "--ff-only"


def _stashes(request: PullRequest, view: View) -> bool:
    """Whether a rebase puts away what is uncommitted."""
    asked = last_word(request.switches, "--autostash", "--no-autostash")
    return view.config.get_bool("rebase.autostash", False) is True if asked is None else asked == "--autostash"


def _need_clean(request: PullRequest, view: View) -> None:
    """Raise BadRequest in git's words where a rebase is asked for and anything is uncommitted."""
    if view.head()[1] is None and view.index.paths:
        raise BadRequest("Updating an unborn branch with changes added to the index.")
    if view.head()[1] is None or _stashes(request, view):
        return
    unstaged, staged = uncommitted(view)
    if not (unstaged or staged):
        return
    what = "You have unstaged changes." if unstaged else "Your index contains uncommitted changes."
    lines = [f"cannot pull with rebase: {what}"]
    lines += ["additionally, your index contains uncommitted changes."] if unstaged and staged else []
    lines.append("please commit or stash them.")
    unmerged = b"".join(b"%b: needs merge\n" % path for path in view.index.unmerged)
    raise CommandFailed("\nerror: ".join(lines), status=128, prefix="error", kind="conflict", stdout=unmerged)


def _rebased(request: PullRequest, view: View, brought: Brought) -> Plan:
    """The branch rebased onto what was fetched, or moved there where it has nothing of its own."""
    heads = _heads(request, view, brought)
    if len(heads) > 1:
        raise BadRequest("Cannot rebase onto multiple branches.")
    row, head = heads[0], view.head()[1]
    base = view.odb.peel(row.oid, b"commit")
    if head is None or is_ancestor(view.store, head, base, ctx=view.ctx):
        stashes = ["--autostash"] if _stashes(request, view) else []  # though it is a merge
        only = request.model_copy(update={"switches": [*request.switches, "--ff-only", *stashes]})
        return _merged(only, view, brought, False)
    fork = _fork_point(request, view, brought, head)
    if fork is not None and octopus_bases(view.store, [head, base, fork], ctx=view.ctx) == [fork]:
        fork = None
    taken = ("-q", "--quiet", "-v", "--verbose", "--autostash", "--no-autostash")
    rebase = RebaseRequest(
        commits=[(fork or base).hex()], onto=base.hex(), switches=[word for word in request.switches if word in taken]
    )
    return plan_pulled_rebase(rebase, view, " ".join(request.line).encode("utf-8", "surrogateescape"))


def _fork_point(request: PullRequest, view: View, brought: Brought, head: bytes) -> bytes | None:
    """Where the branch forked from what the followed branch was before this pull, as far as its log tells."""
    branch = current_branch(view.store)
    names: list[bytes | None] = [row.name for row in brought.merges]  # of this repository itself, these are followed
    if brought.peer.word != b".":
        names = [spec.mapped(row.name) for row in brought.merges for spec in brought.peer.fetch if not spec.negative]
    name = next((name for name in names if name), None)
    if branch is None or name is None or view.store.refs.read(name) is None:
        return None
    try:
        point = ask(view, ["merge-base", "--fork-point", text(name), head.hex()]).strip()
    except (BadRequest, NotFound):
        return None
    return bytes.fromhex(point.decode()) if point else None


def _heads(request: PullRequest, view: View, brought: Brought) -> list[Fetched]:
    """What was fetched for the branch. Raises git's words where that is nothing."""
    heads = [row for row in brought.merges if view.odb.kind(view.odb.peel(row.oid)) == b"commit"]
    if not heads:
        raise _nothing(request, view, brought.peer.name or brought.peer.word)
    return heads


def _merged(request: PullRequest, view: View, brought: Brought, rebases: bool | None) -> Plan:
    """The merge of what was fetched. Raises git's words for what cannot be merged."""
    heads = _heads(request, view, brought)
    merges = rebases is not None or bool({"--ff", "--no-ff", "--ff-only"} & {*request.switches})
    merges = merges or bool(view.config.get("pull.ff"))
    if len(heads) > 1:
        raise Unsupported("gitglass merges one commit at a time (no octopus)", option="octopus")
    row, head = heads[0], view.head()[1]
    switches = [word for word in request.switches if word in (*_MERGE, "-q", "--quiet", "-v", "--verbose")]
    commit = view.odb.peel(row.oid, b"commit")
    if head is not None and not is_ancestor(view.store, head, commit, ctx=view.ctx):
        parted = not is_ancestor(view.store, commit, head, ctx=view.ctx)
        if parted and _ff_only(request, view) and not {"--ff", "--no-ff"} & set(switches):
            raise BadRequest("Not possible to fast-forward, aborting.")
        if parted and not merges:
            error = BadRequest("Need to specify how to reconcile divergent branches.")
            error.data["stderr"] = _RECONCILE_HINT.encode() + error.words()
            raise error
    if not {"--ff", "--no-ff", "--ff-only"} & set(switches) and (wanted := _configured(request, view)) is not None:
        switches.append(wanted)
    words = " ".join(request.line).encode("utf-8", "surrogateescape")
    title = described(row.name, brought.address.shown) or b"commit '%b'" % row.oid.hex().encode()
    return plan_pulled(
        MergeRequest(switches=switches), view, row.oid, word=row.oid.hex(),
        title=title.removesuffix(b" of ."), action=words,  # of this repository itself: that is not said
    )  # fmt: skip


def _configured(request: PullRequest, view: View) -> str | None:
    """What `pull.ff` asks for; "only" means nothing where the command line says how histories are reconciled."""
    value = view.config.get("pull.ff")
    if value is None:
        return None
    word = text(value).lower()
    if word == "only" and {*_REBASE, "--no-rebase"} & {*request.switches}:
        return "--ff"
    return {"only": "--ff-only", "false": "--no-ff", "no": "--no-ff", "0": "--no-ff"}.get(word, "--ff")


def _nothing(request: PullRequest, view: View, peer: bytes) -> CommandFailed:
    """git's words where nothing was fetched of a remote that the branch merges."""
    branch = current_branch(view.store)
    name = text(peer)
    if request.refs:
        words = (
            "There are no candidates for merging among the refs that you just fetched.\n"
            "Generally this means that you provided a wildcard refspec which had no\nmatches on the remote end."
        )
    elif request.remote is not None and branch is not None and name != text(default_fetch(view.store)):
        words = _asked(name)
    elif branch is None:
        words = _HEADLESS
    elif not merges_of(view.store, peer) and view.config.get(b"branch." + branch + b".remote") is None:
        words = (
            _asked(name)
            if request.remote is not None
            else _UNTRACKED.format(remote=_only_remote(request, view), branch=text(branch))
        )
    else:
        merge = text(view.config.get(b"branch." + branch + b".merge") or b"")
        words = (
            f"Your configuration specifies to merge with the ref '{merge}'\n"
            "from the remote, but no such ref was fetched."
        )
    if _rebases(request, view):
        for merged, rebased in _WORDS:
            words = words.replace(merged, rebased)
    error = CommandFailed(words, status=1, prefix="")
    error.data["stderr"] = words.encode("utf-8", "surrogateescape") + b"\n"
    return error


def _only_remote(request: PullRequest, view: View) -> str:
    """The name of the only remote. A rebase has looked for `origin`, which stands for it where there is none."""
    names = [text(name) for name in view.config.subsections("remote")]
    names = names or (["origin"] if _rebases(request, view) else [])
    return names[0] if len(names) == 1 else "<remote>"


def _asked(name: str) -> str:
    return (
        f"You asked to pull from the remote '{name}', but did not specify\na branch. Because this is not the default "
        "configured remote\nfor your current branch, you must specify a branch on the command line."
    )


def _both(request: PullRequest, view: View, brought: Brought, merged: Plan) -> Plan:
    """One plan of the two."""
    first: Changes = brought.changes
    second = merged.changes
    names = {ref.name for ref in second.refs}
    second.refs[:0] = [ref for ref in first.refs if ref.after == ABSENT or ref.name not in names]
    second.logs[:0] = first.logs
    second.git_files[:0] = first.git_files
    answer = merged.answer
    answer.err = brought.answer.err + answer.err
    plan = finished(request, view, second, answer, merged.preview.risk)
    plan.preview.lines[:0] = [line for line in merged.preview.lines if line not in plan.preview.lines]
    plan.preview.lines.insert(0, f"from {text(brought.address.full)}")
    return plan
