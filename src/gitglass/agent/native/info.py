"""git_info: which repositories can be read, and facts about one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ...commands.log import LogRequest
from ...deferred import deferred
from ...errors import NotARepository, NotFound
from ...repo.store import Store
from ...request.text import to_text
from ...revs.resolve import resolve_commit
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .params import Paged, Rev
from .paths import tracked_count

if TYPE_CHECKING:
    from ...commands.describe import DescribeRequest
    from ...commands.status import StatusRequest
else:
    StatusRequest = deferred(__name__, "...commands.status", "StatusRequest")
    DescribeRequest = deferred(__name__, "...commands.describe", "DescribeRequest")

__all__ = ["TOOL"]

_LONGEST = 4096  # bytes of the line about a commit


class InfoParams(Paged):
    """Arguments of git_info."""

    rev: Rev | None = Field(None, description="Instead: git describe of it, and --contains.")


def answer(call: Call, asked: InfoParams) -> Uncut:
    """One line for each fact."""
    roots = call.host.roots
    listed = roots.repositories(call.ctx)
    facts: list[tuple[str, Any]] = [("repositories", listed)]
    store: Store | None = None
    try:
        store = roots.store(asked.repo, call.host.cwd, limits=call.host.limits)
    except NotARepository:
        if asked.repo or (len(roots.named) == 1 and listed == list(roots.named)):
            raise
    if store is not None:
        here = Call(call.host, store, call.ctx)
        call.ctx.voices.append(store.complaints)
        facts = _named(here, asked.rev) if asked.rev is not None else facts + _facts(here, store)
    units = [Unit(lambda fact=fact: _line(call, *fact)) for fact in facts if fact[1] not in (None, [], "")]  # type: ignore[misc]
    state = repr(facts).encode("utf-8", "surrogateescape")
    return Uncut(units, "facts", fields=lambda: dict(facts), total=len(units), state=state)


def _line(call: Call, name: str, value: Any) -> str:
    words = ", ".join(value) if isinstance(value, list) else str(value)
    return call.text(f"{name}: {' '.join(words.splitlines())}\n".encode("utf-8", "surrogateescape"))


def _facts(call: Call, store: Store) -> list[tuple[str, Any]]:
    roots = call.host.roots
    root = store.work_tree or store.git_dir
    facts: list[tuple[str, Any]] = [
        ("repository", roots.short_name(root)),
        ("path", os.fsdecode(root)),
        ("bare", "yes" if store.bare else None),
        ("object_format", store.hash_name),
        ("shallow", "yes: history is cut off" if store.shallow else None),
    ]
    branch, head = store.refs.head()
    facts.append(("branch", _name(branch) if branch else "detached HEAD"))
    if head is None:
        facts.append(("head", "no commits yet"))
    else:
        request = LogRequest(revs=["HEAD"], pretty="tformat:%h %as %aN %s", max_count=1, color="never")
        facts.append(("head", _commit_line(call.chunks("log", request)).decode("utf-8", "backslashreplace").strip()))
    if store.work_tree is not None:
        facts += _status(call)
    names = [name for name, _ in store.refs.iterate()]
    for label, prefix in (("branches", b"refs/heads/"), ("remote_branches", b"refs/remotes/"), ("tags", b"refs/tags/")):
        facts.append((label, sum(name.startswith(prefix) for name in names)))
    remotes = []
    for name in store.config.subsections("remote"):
        remotes.append(
            f"{_text(name)} {_without_password(_text(store.config.get(f'remote.{_text(name)}.url') or b''))}"
        )
    facts.append(("remotes", remotes))
    facts.append(("tracked_files", tracked_count(store) if store.work_tree is not None else None))
    return facts


def _named(call: Call, rev: str) -> list[tuple[str, Any]]:
    """A commit in the terms of git describe: the nearest tag that it reaches, and a tag that contains it."""
    oid = resolve_commit(call.store, rev, ctx=call.ctx)
    request = LogRequest(revs=[oid.hex()], pretty="tformat:%h %as %aN %s", max_count=1, color="never", no_walk="sorted")
    shown = to_text(_commit_line(call.chunks("log", request))).strip()
    facts: list[tuple[str, Any]] = [("commit", shown)]
    for name, asked, nothing in (
        ("describe", DescribeRequest(revs=[oid.hex()], tags=True), "no tag behind it"),
        ("contained_in", DescribeRequest(revs=[oid.hex()], contains=True), "no tag has it"),
    ):
        try:
            value = to_text(b"".join(call.chunks("describe", asked))).strip()
        except NotFound:
            value = nothing
        facts.append((name, value))
    return facts


def _status(call: Call) -> list[tuple[str, Any]]:
    request = StatusRequest(form="porcelain-v2", branch=True, show_stash=True)
    command, entries = call.run("status", request)
    result: Any = command.collect(entries, request)
    upstream = None
    if result.branch.upstream:
        counts = "gone" if result.branch.gone else f"ahead {result.branch.ahead}, behind {result.branch.behind}"
        upstream = f"{result.branch.upstream} ({counts})"
    changed = len(result.entries)
    state = "clean" if result.clean else f"{changed} changed, {len(result.untracked)} untracked"
    return [
        ("upstream", upstream),
        ("work_tree", state),
        ("in_progress", result.operation),
        ("stashes", result.stashes or None),
    ]


def _commit_line(chunks: Iterable[bytes]) -> bytes:
    """The line about a commit; a subject of megabytes is cut."""
    line = b"".join(chunks)
    return line if len(line) <= _LONGEST else line[:_LONGEST] + b"..."


def _name(ref: bytes) -> str:
    return _text(ref.removeprefix(b"refs/heads/"))


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _without_password(url: str) -> str:
    """A remote's address without the part before the host, which may be a password."""
    scheme, sep, rest = url.partition("://")
    if not sep:
        return url
    host, slash, path = rest.partition("/")
    return scheme + sep + host.rpartition("@")[2] + slash + path


TOOL = Tool(
    "git_info",
    "Repositories (repo: path or short name of one); its branch, HEAD, upstream, state, remotes, counts.",
    InfoParams,
    answer,
    title="Info",
    rows="",
    needs_repository=False,
    other_names={"repo": ("path", "name")},
)
