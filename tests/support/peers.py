"""Two repositories that know each other, made without git: a bare one, and clones that our own writer works in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.support.writing import CLOCK, writer_of

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.mutate.calls import Calls
from gitglass.mutate.grant import ALL_EFFECTS
from gitglass.mutate.plan import Plan
from gitglass.mutate.writer import MutationResult, approve
from gitglass.request.mutations import Mutation

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = {bare}\n\tlogallrefupdates = {logs}\n"
_ORIGIN = '[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def empty(place: Path, *, bare: bool, origin: str | None = None) -> Path:
    """A repository without commits."""
    git = place if bare else place / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    config = _CONFIG.format(bare=str(bare).lower(), logs=str(not bare).lower())
    (git / "config").write_text(config + ("" if origin is None else _ORIGIN.format(url=origin)))
    return place


def planned(repo: Path, *argv: str, moment: int = CLOCK, **granted: Any) -> tuple[Any, Plan]:
    """(writer, plan) of a command line; every other repository is granted."""
    given: dict[str, Any] = {"remotes": ("*",), "effects": ALL_EFFECTS, "plain_http": True, "clock": lambda: moment}
    calls: Calls | None = granted.pop("calls", None)
    writer = writer_of(repo, calls, **{**given, **granted})
    with Context(Limits()) as ctx:
        request = parse_command(list(argv), gitglass.open(repo).store, ctx).request
    assert isinstance(request, Mutation)
    return writer, writer.plan(request)


def run(repo: Path, *argv: str, **granted: Any) -> MutationResult:
    """A command line, planned, approved and carried out."""
    writer, plan = planned(repo, *argv, **granted)
    result: MutationResult = writer.apply(plan, approve(plan, "test"))
    assert result.verified, result.unexpected
    return result


def said(repo: Path, *argv: str, **granted: Any) -> tuple[int, str, str]:
    """(status, stdout, stderr) of a command line, refused or not."""
    try:
        answer = run(repo, *argv, **granted).answer
    except GitError as error:
        out, err = error.streams()
        return error.status, out.decode(), err.decode()
    return answer.status, answer.out.decode(), answer.err.decode()


def commit(repo: Path, message: str, *, name: str = "f", text: str | None = None) -> str:
    """A commit of one file; its id."""
    (repo / name).write_text(message if text is None else text)
    run(repo, "add", name)
    run(repo, "commit", "-q", "-m", message)
    return read(repo, "rev-parse", "HEAD")


def read(repo: Path, *argv: str) -> str:
    """What our reader prints, without the last newline."""
    return gitglass.git(list(argv), cwd=repo).stdout.decode().rstrip("\n")


def refs(repo: Path) -> dict[str, str]:
    """Every ref and its object."""
    rows = (line.split(" ") for line in read(repo, "for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    return {row[0]: row[1] for row in rows}


def everything(repo: Path) -> dict[str, bytes]:
    """Every file of a repository but for the operation log."""
    files = {}
    for at, folders, names in os.walk(repo):
        for entries in (folders, names):
            entries[:] = [name for name in entries if name != "gitglass"]
        for path in (f"{at}/{name}" for name in names):
            if os.path.isfile(path):
                with open(path, "rb") as stream:
                    files[os.path.relpath(path, repo)] = stream.read()
    return files
