"""The branch that a branch follows: set with a new branch, set or taken away by `branch -u` and `--unset-upstream`.
Mirrors git-branch(1), "--track" and "--set-upstream-to"."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import BadRequest, CommandFailed, text
from ...refs.names import check_refname
from ...request.ref_mutations import BranchChange
from ...revs.names import fetched_from, fetched_from_all, find_refs, substitute, warns_of_ambiguity
from ...revs.resolve import Resolver, one_merge_base
from .. import config_edit
from ..changes import ABSENT, Changes, GitFile
from ..plan import Answer
from ..view import View

_HEADS, _REMOTES = b"refs/heads/", b"refs/remotes/"
_ADVICE = """
hint: \nhint: If you are planning on basing your work on an upstream
hint: branch that already exists at the remote, you may need to
hint: run "git fetch" to retrieve it.
hint: \nhint: If you are planning to push out a new local branch that
hint: will track its remote counterpart, you may want to use
hint: "git push -u" to set the upstream config as you push.
hint: Disable this message with "git config advice.setUpstreamFailure false\""""
_SEVERAL = b"""\
hint: There are multiple remotes whose fetch refspecs map to the remote
hint: tracking ref '%b':
%bhint: \nhint: This is typically a configuration error.
hint: \nhint: To support setting up tracking branches, ensure that
hint: different remotes' fetch refspecs map into different
hint: tracking namespaces.
"""
_NO, _EXPLICIT, _ALWAYS, _SIMPLE, _INHERIT = "no", "direct", "always", "simple", "inherit"


def meant(view: View, word: str) -> str:
    """The branch that a word names where git wants a branch of this repository: `@{-1}` and its kin, and the upstream
    where that is one, stand for its name (git-check-ref-format(1), "--branch")."""
    name = substitute(view.store, word.encode("utf-8", "surrogateescape"), ctx=view.ctx)
    return word if name.startswith(b"refs/") and not name.startswith(_HEADS) else text(name.removeprefix(_HEADS))


def need_one_ref(view: View, word: str) -> None:
    """Raise BadRequest for the start of a branch that is the name of several refs."""
    name, everyone = word.encode("utf-8", "surrogateescape"), warns_of_ambiguity(view.store)
    if len(find_refs(view.store, substitute(view.store, name, ctx=view.ctx), ctx=view.ctx, all_of_them=everyone)) > 1:
        raise BadRequest(f"ambiguous object name: '{word}'")


def need_branch(view: View, word: str) -> bytes:
    """The ref that is to be followed explicitly, symbolic ones followed to their end. Raises BadRequest in git's words
    for what is missing or is no branch."""
    resolver = Resolver(view.store, ctx=view.ctx)
    start = resolver.find(word.encode("utf-8", "surrogateescape"))
    if start is None and one_merge_base(view.store, word, ctx=view.ctx) is None:
        advice = _ADVICE if view.config.get_bool("advice.setupstreamfailure", True) else ""
        raise BadRequest(f"the requested upstream branch '{word}' does not exist{advice}")
    need_one_ref(view, word)
    ref = None if start is None or start.ref is None else view.store.refs.lookup(start.ref).name
    if ref is None or not (ref.startswith(_HEADS) or fetched_from(view.store, ref) is not None):
        raise BadRequest(f"cannot set up tracking information; starting point '{word}' is not a branch")
    if start is None or resolver.commit_of(start.oid) is None:
        raise BadRequest(f"not a valid branch point: '{word}'")
    return ref


def set_up_tracking(
    view: View, changes: Changes, name: bytes, start: bytes | None, *, track: str = "", quiet: bool = False
) -> Answer:
    """A new branch `name` gets the ref `start` for upstream, or what that one follows, where `track` ("direct",
    "inherit", "no"; "": as the setting `branch.autoSetupMerge` has it) says so; git's words."""
    word = track or _mode(view)
    if start is None or word == _NO:
        return Answer()
    start = view.store.refs.lookup(start).name
    if word != _INHERIT and len(sources := fetched_from_all(view.store, start)) > 1:
        return Answer(err=_ambiguous(view, start, [remote for remote, _ in sources]), status=128)
    remote = fetched_from(view.store, start)
    if word == _INHERIT:
        return _inherit(view, changes, name, start, quiet=quiet) if remote or start.startswith(_HEADS) else Answer()
    if remote is None and not (word in (_ALWAYS, _EXPLICIT) and start.startswith(_HEADS)):
        return Answer()
    if word == _SIMPLE and remote is not None and remote[1] != name:
        return Answer()
    return follow(view, changes, name, start, remote, quiet=quiet)


def _ambiguous(view: View, start: bytes, remotes: list[bytes]) -> bytes:
    """What git says of a ref that the refspecs of several remotes lead to; the branch is made all the same."""
    words = b"fatal: not tracking: ambiguous information for ref '%b'\n" % start
    if not view.config.get_bool("advice.ambiguousfetchrefspec", True):
        return words
    return words + _SEVERAL % (start, b"".join(b"hint:   %b\n" % remote for remote in remotes))


def _mode(view: View) -> str:
    """What `branch.autoSetupMerge` says; "" for what it says if it is not set."""
    value = view.config.get("branch.autosetupmerge")
    if value in (b"always", b"inherit", b"simple"):
        return text(value)
    return "" if view.config.get_bool("branch.autosetupmerge", True) else _NO


def _rebases(view: View, *, is_local: bool) -> bool:
    """Whether `branch.autoSetupRebase` has a new branch rebased by `git pull`."""
    return view.config.get("branch.autosetuprebase") in (b"always", b"local" if is_local else b"remote")


def _inherit(view: View, changes: Changes, name: bytes, start: bytes, *, quiet: bool) -> Answer:
    """A branch follows what the branch `start` follows, if that is said of it."""
    short = start.removeprefix(_HEADS)
    remote, merges = view.config.get(b"branch.%b.remote" % short), view.config.get_all(b"branch.%b.merge" % short)
    if not remote or not merges:
        what = b"merge configuration" if remote else b"remote"
        return Answer(err=b"warning: asked to inherit tracking from '%b', but no %b is set\n" % (short, what))
    return _configured(view, changes, name, remote, merges, quiet=quiet)


def follow(
    view: View, changes: Changes, name: bytes, start: bytes, remote: tuple[bytes, bytes] | None, *, quiet: bool
) -> Answer:
    """The branch's section of the config file with the upstream in it; `remote` is (remote, ref there)."""
    if remote is None and start == name:
        return Answer(err=b"warning: not setting branch '%b' as its own upstream\n" % name.removeprefix(_HEADS))
    where, merge = (None, start) if remote is None else remote
    return _configured(view, changes, name, where, [merge], quiet=quiet)


def _configured(
    view: View, changes: Changes, name: bytes, remote: bytes | None, merges: Sequence[bytes], *, quiet: bool
) -> Answer:
    before = view.git_file(b"config") or b""
    after, words = followed(view, before, name, remote, merges)
    changes.git_files.append(GitFile(b"config", before, after))
    return Answer(b"" if quiet else words)


def followed(
    view: View, config: bytes, name: bytes, remote: bytes | None, merges: Sequence[bytes]
) -> tuple[bytes, bytes]:
    """(a config file in which a branch follows the refs `merges` of `remote`, or of this repository where that is None,
    git's words for it). Raises BadRequest where it would rebase onto several."""
    short = name.removeprefix(_HEADS)
    rebase = _rebases(view, is_local=remote is None)
    if rebase and len(merges) > 1:
        words = "cannot inherit upstream tracking configuration of multiple refs when rebasing is requested"
        raise BadRequest(words)
    for key in config_edit.repeated(config, short):
        view.ctx.warn(f"branch.{text(short)}.{text(key)} has multiple values")
    after = config_edit.with_upstream(config, short, remote or b".", merges, rebase=rebase)
    shown = [(b"" if remote is None else remote + b"/") + merge.removeprefix(_HEADS) for merge in merges]
    if len(shown) > 1:
        return after, b"branch '%b' set up to track:\n" % short + b"".join(b"  %b\n" % name for name in shown)
    return after, b"branch '%b' set up to track '%b'%b.\n" % (short, shown[0], b" by rebasing" if rebase else b"")


def plan_upstream(request: BranchChange, view: View, changes: Changes) -> Answer:
    """`branch -u UPSTREAM [BRANCH]`, or `--unset-upstream [BRANCH]`."""
    if len(request.names) > 1:
        verb = "unset upstream" if request.unset_upstream else "set new upstream"
        raise BadRequest(f"too many arguments to {verb}")
    name = _branch(request, view)
    short = name.removeprefix(_HEADS)
    if request.unset_upstream:
        if not view.config.get_all(b"branch.%b.merge" % short):
            raise BadRequest(f"Branch '{text(short)}' has no upstream information")
        before = view.git_file(b"config") or b""
        changes.git_files.append(GitFile(b"config", before, config_edit.without_upstream(before, short)))
        return Answer()
    word = request.upstream or ""
    if view.ref(name)[0] == ABSENT:
        if not request.names or request.names[0] == "HEAD":
            raise BadRequest(f"No commit on branch '{text(short)}' yet.")
        raise BadRequest(f"branch '{text(short)}' does not exist")
    start = need_branch(view, word)
    quiet = bool({"-q", "--quiet"} & set(request.switches))
    return follow(view, changes, name, start, fetched_from(view.store, start), quiet=quiet)


def _branch(request: BranchChange, view: View) -> bytes:
    """The branch whose upstream it is about: the current one where none is named."""
    word = request.names[0] if request.names else "HEAD"
    if word == "HEAD":
        current = view.head()[0]
        if current is None:
            if request.unset_upstream:
                raise BadRequest("could not unset upstream of HEAD when it does not point to any branch.")
            raise BadRequest(
                f"could not set upstream of HEAD to {request.upstream} when it does not point to any branch."
            )
        return current
    word = meant(view, word)
    name = _HEADS + word.encode("utf-8", "surrogateescape")
    if not check_refname(name):
        raise CommandFailed(f"no such branch '{word}'", status=128, prefix="fatal")
    return name
