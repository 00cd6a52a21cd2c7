"""`pull`: a fetch, and what it brought for the branch merged into it. Mirrors git-pull(1).

One plan: what the fetch changes and what the merge does of it, shown before either happens. A fast-forward is what
happens by itself; a merge is made where it is asked for. Where git would fetch and then refuse to merge, the plan is
that fetch, and its answer the refusal.
"""

from __future__ import annotations

from ...errors import BadRequest, CommandFailed, GitError, Timeout, Unsupported, text
from ...graph.merge_base import is_ancestor
from ...records import replace
from ...request.ref_mutations import MergeRequest, PullRequest
from ...revs.names import current_branch
from ..changes import ABSENT, Changes
from ..operations.common import check_hooks, finished, refused_switches
from ..operations.merge import plan_pulled
from ..plan import Answer, Plan
from ..view import View
from .fetch import Brought, Fetching
from .fetch_head import described
from .settings import default_fetch, merges_of

_MERGE = ("--ff", "--no-ff", "--ff-only", "--squash", "--no-edit")
_FETCH = ("--tags", "--no-tags", "--prune")
_HOW = """\
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
_UNTRACKED = """\
There is no tracking information for the current branch.
Please specify which branch you want to merge with.
See git-pull(1) for details.

    git pull <remote> <branch>

If you wish to set tracking information for this branch you can do so with:

    git branch --set-upstream-to={remote}/<branch> {branch}
"""


def plan_pull(request: PullRequest, view: View) -> Plan:
    """The plan of a pull. Raises git's words, NotGranted and Corrupt as a fetch does, and Unsupported for a rebase."""
    refused_switches(request, (*_MERGE, *_FETCH, "--no-rebase"))
    check_hooks(view, ())
    view.need_work_tree()
    merges_only = _merges_only(request, view)
    try:
        brought = Fetching(view, request.switches, request.remote, request.refs, request.line, head_too=True).run()
    except (BadRequest, CommandFailed) as error:
        error.status = 1  # it was the fetch that failed
        raise
    fetched = finished(request, view, brought.changes, brought.answer)
    if brought.answer.status:
        return fetched
    try:
        merged = _merged(request, view, brought, merges_only)
    except (Unsupported, Timeout):
        raise
    except GitError as error:
        out, err = error.streams()
        return replace(fetched, answer=Answer(out, brought.answer.err + err, error.status, kind=_kind(error)))
    return _both(request, view, brought, merged)


def _kind(error: GitError) -> str:
    return str(error.data.get("kind", ""))


def _merges_only(request: PullRequest, view: View) -> bool:
    """Whether a merge is asked for where the histories have parted. Raises Unsupported where a rebase is."""
    branch = current_branch(view.store) or b""
    value = view.config.get(b"branch." + branch + b".rebase") or view.config.get("pull.rebase")
    asked = {"--no-rebase", "--ff", "--no-ff", "--ff-only", "--squash"} & set(request.switches)
    if (
        value is not None
        and "--no-rebase" not in request.switches
        and value.lower() not in (b"false", b"no", b"off", b"0")
    ):
        raise Unsupported("pull.rebase is set, and pulling by a rebase is not available yet", option="--rebase")
    configured = text(view.config.get("pull.ff") or b"").lower()
    return bool(asked - {"--squash"}) or value is not None or configured != ""


def _merged(request: PullRequest, view: View, brought: Brought, merges_only: bool) -> Plan:
    """The merge of what was fetched. Raises git's words for what cannot be merged."""
    heads = [row for row in brought.merges if view.odb.kind(view.odb.peel(row.oid)) == b"commit"]
    if not heads:
        raise _nothing(request, view, brought)
    if len(heads) > 1:
        raise Unsupported("gitglass merges one commit at a time (no octopus)", option="octopus")
    row, head = heads[0], view.head()[1]
    switches = [word for word in request.switches if word in (*_MERGE, "-q", "--quiet", "-v", "--verbose")]
    commit = view.odb.peel(row.oid, b"commit")
    if head is not None and not is_ancestor(view.store, head, commit, ctx=view.ctx):
        parted = not is_ancestor(view.store, commit, head, ctx=view.ctx)
        only = "--ff-only" in switches or (view.config.get("pull.ff") or b"").lower() == b"only"
        if parted and only and not {"--ff", "--no-ff"} & set(switches):
            raise BadRequest("Not possible to fast-forward, aborting.")
        if parted and not merges_only:
            error = BadRequest("Need to specify how to reconcile divergent branches.")
            error.data["stderr"] = _HOW.encode() + error.words()
            raise error
    if not {"--ff", "--no-ff", "--ff-only"} & set(switches) and (wanted := _configured(view)) is not None:
        switches.append(wanted)
    words = " ".join(request.line).encode("utf-8", "surrogateescape")
    return plan_pulled(
        MergeRequest(switches=switches), view, row.oid, word=row.oid.hex(),
        title=described(row.name, brought.address.shown) or b"commit '%b'" % row.oid.hex().encode(), action=words,
    )  # fmt: skip


def _configured(view: View) -> str | None:
    """What `pull.ff` asks for."""
    value = view.config.get("pull.ff")
    if value is None:
        return None
    word = text(value).lower()
    return {"only": "--ff-only", "false": "--no-ff", "no": "--no-ff", "0": "--no-ff"}.get(word, "--ff")


def _nothing(request: PullRequest, view: View, brought: Brought) -> CommandFailed:
    """git's words where nothing was fetched that the branch merges."""
    branch = current_branch(view.store)
    peer = brought.peer.name or brought.peer.word
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
        words = _asked(name) if request.remote is not None else _UNTRACKED.format(remote=name, branch=text(branch))
    else:
        merge = text(view.config.get(b"branch." + branch + b".merge") or b"")
        words = (
            f"Your configuration specifies to merge with the ref '{merge}'\n"
            "from the remote, but no such ref was fetched."
        )
    error = CommandFailed(words, status=1, prefix="")
    error.data["stderr"] = words.encode("utf-8", "surrogateescape") + b"\n"
    return error


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
    plan = finished(request, view, second, answer)
    plan.preview.lines.insert(0, f"from {text(brought.address.shown)}")
    return plan
