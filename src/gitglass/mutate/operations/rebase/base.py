"""What a rebase is asked for: which commits, of which branch, onto what (git-rebase(1), DESCRIPTION)."""

from __future__ import annotations

from ....errors import BadRequest, CommandFailed, NotFound, Unsupported, text
from ....graph.merge_base import merge_bases
from ....records import record
from ....request.ref_mutations import RebaseRequest
from ....revs.names import upstream_or_none
from ....revs.resolve import Resolver, one_merge_base
from ....worktree.checkouts import taken_by
from ...view import View
from ..common import ask, commit_tree

_HEADS = b"refs/heads/"


@record
class Asked:
    """`upstream` is the commit whose history is left out (None: only that of `onto`), `onto` the new base as it was
    named and its commit, `branch` the full name of the branch (None: none), `head` its commit, `name` how it is called;
    `is_named` says that it was named, `limit` that history of the upstream's log is left out too (a fork point)."""

    upstream: bytes | None
    onto: bytes
    onto_name: str
    branch: bytes | None
    head: bytes
    name: str
    is_named: bool
    limit: bytes | None
    reapply: bool


def what_is_asked(request: RebaseRequest, view: View) -> Asked:
    """Resolve the words of a request. Raises git's words for those that name nothing."""
    words = list(request.commits)
    upstream, upstream_name, by_default = None, "", False
    if not request.root:
        by_default = not words
        upstream_name = _default_upstream(view) if by_default else words.pop(0)
        upstream_name = "@{-1}" if upstream_name == "-" else upstream_name
        upstream = _commit(view, upstream_name)
        if upstream is None:
            raise BadRequest(f"invalid upstream '{upstream_name}'")
    branch, head, name, is_named = _branch(view, words)
    onto, onto_name = _onto(request, view, upstream_name, upstream, name, head)
    reapply = request.keep_base if request.reapply is None else request.reapply
    if request.keep_base and reapply:
        upstream = onto
    limit = _fork_point(
        request, view, upstream_name, head, by_default=by_default and not (request.keep_base and reapply)
    )
    return Asked(upstream, onto, onto_name, branch, head, name, is_named, limit, reapply)


def _commit(view: View, word: str) -> bytes | None:
    """The commit that a word names; None for anything else, a tree or blob said on stderr."""
    resolver = Resolver(view.store, ctx=view.ctx)
    if word.startswith(("^", "-")) or "..." in word or ".." in word:
        return None
    named = resolver.find(word.encode("utf-8", "surrogateescape"))
    return None if named is None else resolver.commit_of(named.oid)


def _default_upstream(view: View) -> str:
    """The upstream of the current branch, its full name. Raises CommandFailed with what git says where there is
    none."""
    branch = view.head()[0]
    front = None if branch is None else f"branch.{text(branch.removeprefix(_HEADS))}."
    if branch is not None and (tracked := upstream_or_none(view.store, branch)) is not None:
        return text(tracked)
    lines = ["There is no tracking information for the current branch." if front else
             "You are not currently on a branch.",
             "Please specify which branch you want to rebase against.", "See git-rebase(1) for details.", "",
             "    git rebase '<branch>'", "", ""]  # fmt: skip
    if branch is not None:
        remote = text(view.config.get(f"{front}remote") or b"<remote>")
        lines[-1:] = [
            "If you wish to set tracking information for this branch you can do so with:", "",
            f"    git branch --set-upstream-to={remote}/<branch> {text(branch.removeprefix(_HEADS))}", "", "",
        ]  # fmt: skip
    raise CommandFailed("no upstream", status=1, stdout="\n".join(lines).encode("utf-8", "surrogateescape"), stderr=b"")


def _branch(view: View, words: list[str]) -> tuple[bytes | None, bytes, str, bool]:
    """(full name, commit, name, whether it was named) of what is rebased."""
    if not words:
        branch, head = view.head()
        if head is None:
            raise BadRequest("Could not resolve HEAD to a commit")
        return branch, head, "HEAD" if branch is None else text(branch.removeprefix(_HEADS)), False
    word = words[0]
    full = _HEADS + word.encode("utf-8", "surrogateescape")
    commit = view.store.refs.read(full)
    if commit is None:
        commit, full = _commit(view, word), b""
    elif (there := taken_by(view.store, full, elsewhere=True)) is not None:
        raise BadRequest(f"'{word}' is already checked out at '{there}'")
    if commit is None:
        raise BadRequest(f"no such branch/commit '{word}'")
    return full or None, commit, word, True


def _onto(
    request: RebaseRequest, view: View, upstream_name: str, upstream: bytes | None, name: str, head: bytes
) -> tuple[bytes, str]:
    """The new base, and how it is named."""
    if request.keep_base and upstream is not None:
        bases = merge_bases(view.store, upstream, [head], ctx=view.ctx)
        if len(bases) != 1:
            raise BadRequest(f"'{upstream_name}': need exactly one merge base with branch")
        return bases[0], f"{upstream_name}...{name}"
    word = request.onto if request.onto is not None else upstream_name
    if request.onto is None and upstream is not None:
        return upstream, word
    if "..." in word:
        base = one_merge_base(view.store, word, ctx=view.ctx)
        if base is None:
            raise BadRequest(f"'{word}': need exactly one merge base")
        return base, word
    onto = _commit(view, word)
    if onto is None:
        raise BadRequest(f"Does not point to a valid commit '{word}'")
    return onto, word


def _fork_point(
    request: RebaseRequest, view: View, upstream_name: str, head: bytes, *, by_default: bool
) -> bytes | None:
    """Where the branch forked from what the upstream was, as far as its log tells."""
    asked = next((word for word in reversed(request.switches) if word in ("--fork-point", "--no-fork-point")), None)
    if asked is None:
        asked = "--fork-point" if by_default and view.config.get_bool("rebase.forkpoint", True) is not False else None
    if asked != "--fork-point":
        return None
    try:
        point = ask(view, ["merge-base", "--fork-point", upstream_name, head.hex()]).strip()
    except (BadRequest, NotFound):
        return None
    return bytes.fromhex(point.decode()) if point else None


def is_up_to_date(view: View, asked: Asked) -> bool:
    """Whether the branch is a line of commits on the new base already, and the upstream has nothing beside it."""
    if asked.upstream is None or asked.limit not in (None, asked.onto):
        return False
    for commit in (asked.onto, asked.upstream):
        if merge_bases(view.store, commit, [asked.head], ctx=view.ctx) != [asked.onto]:
            return False
    at = asked.head
    while at != asked.onto:
        view.ctx.tick()
        parents = view.odb.commit_facts(at)[0]
        if len(parents) != 1:
            return False
        at = parents[0]
    return True


def commits_of(view: View, asked: Asked) -> tuple[list[bytes], list[bytes]]:
    """(the commits to make anew, oldest first; those that the upstream has as other commits). Merges are none of
    them."""
    words = ["rev-list", "--topo-order", "--reverse", "--no-merges"]
    upstream = (asked.onto if asked.upstream is None else asked.upstream).hex()
    # --right-only does nothing by itself where commits are ordered by a commit-graph, and would not be needed
    dots = ".." if asked.reapply else "..."
    words += [] if asked.reapply else ["--right-only", "--cherry-mark"]
    words.append(f"{upstream}{dots}{asked.head.hex()}")
    listed = ask(view, words + ([] if asked.limit is None else ["^" + asked.limit.hex()])).split()
    marked = [(line[:1] == b"=", bytes.fromhex(line.lstrip(b"=+").decode())) for line in listed]
    there = [commit for is_same, commit in marked if is_same and not is_empty(view, commit)]
    return [commit for _, commit in marked if commit not in there], there


def is_empty(view: View, commit: bytes) -> bool:
    """Whether a commit changes nothing in its own history: no other commit has its changes."""
    parents = view.odb.commit_facts(commit)[0]
    before = commit_tree(view, parents[0]) if parents else view.store.empty_tree
    return before == commit_tree(view, commit)


def pushed(view: View, commits: list[bytes]) -> list[bytes]:
    """Those of some commits that a remote-tracking ref leads to."""
    if not commits:
        return []
    hexes = [commit.hex() for commit in commits]
    new = set(ask(view, ["rev-list", *hexes, "--not", "--remotes"]).split())
    return [commit for commit in commits if commit.hex().encode() not in new]


def need_supported(request: RebaseRequest, view: View) -> None:
    """Raise Unsupported, by name, for what gitglass does not do."""
    if request.interactive:
        raise Unsupported("git rebase: gitglass does not take -i", option="-i", status=129)
    if request.run:
        raise Unsupported("git rebase: gitglass does not take --exec: it runs no programs", option="--exec", status=129)
    for name in ("rebase.updaterefs", "rebase.abbreviatecommands"):
        if view.config.get_bool(name, False):
            raise Unsupported(f"{name} is set, and gitglass does not do that", option=name)
    if (view.config.get("rebase.backend") or b"merge").lower() == b"apply":
        raise Unsupported("rebase.backend is 'apply', and gitglass has only the other one", option="rebase.backend")
