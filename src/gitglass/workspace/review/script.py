"""`gitglass-review`: a person reviews what a saved workspace would push to a repository of this machine, and decides.

    gitglass-review -C /srv/project agent.bundle                 ask on the terminal, or on a pipe
    gitglass-review -C /srv/project --app agent.bundle           the app (gitglass[review])
    gitglass-review -C /srv/project --page agent.bundle          the page, to standard output

Accepted changes are pushed, and the workspace is saved without them; rejected ones stay in it, with the comments. The
exit status is 0 if something was pushed, otherwise 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, TextIO

from ...errors import GitError, InvalidArgs
from ...mutate.grant import Identity, WriteGrant
from ...objects.idents import split_ident
from ...repository import Repository
from ..desk import Approver, Desk, Pushed
from ..model import Identities
from ..push import plan_push
from ..targets.kept import KeptFile
from ..targets.local import LocalTarget
from ..targets.named import Targets
from ..workspace import Workspace
from .box import shown
from .model import Review
from .page import page
from .terminal import TerminalReview


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(shown(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="gitglass-review", description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("file", help="the workspace, as it was kept")
    parser.add_argument("-C", dest="repository", default=".", metavar="PATH", help="the repository to push to")
    parser.add_argument("--branch", metavar="NAME", help="where to (default: the branch that the workspace stands on)")
    parser.add_argument("--update-worktree", action="store_true", help="a branch that is checked out: files follow")
    parser.add_argument("--hooks", choices=("refuse", "skip"), default="refuse", help="where hooks are installed")
    parser.add_argument("--by", default="", metavar="NAME", help="who decides")
    parser.add_argument("--app", action="store_true", help="side by side, in the whole terminal (gitglass[review])")
    parser.add_argument("--light", action="store_true", help="the app on a light ground")
    parser.add_argument("--page", action="store_true", help="print the page, and decide nothing")
    return parser


def main(argv: Sequence[str] | None = None, stdin: TextIO | None = None, stdout: TextIO | None = None) -> int:
    """Run the script; returns its exit status."""
    given = _parser().parse_args(argv)
    source, out = stdin or sys.stdin, stdout or sys.stdout
    try:
        return _reviewed(given, source, out)
    except GitError as error:
        words = "\n".join(map(shown, error.message.split("\n")))
        sys.stderr.write(f"gitglass-review: {words}\n")
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        sys.stderr.write("gitglass-review: the extra 'review' is not installed: pip install 'gitglass[review]'\n")
        return 1
    except BrokenPipeError:
        return 1


def _reviewed(given: argparse.Namespace, source: TextIO, out: TextIO) -> int:
    repo = Repository(given.repository)
    kept = KeptFile(given.file)
    workspace = kept.load(repo)
    if not workspace.staged:
        raise InvalidArgs("nothing is staged in this workspace")
    workspace.identity = _people(workspace)
    name = workspace.base.target or "here"
    target = LocalTarget(
        name, repo, WriteGrant(identity=workspace.identity.author, hooks=given.hooks), where=str(given.repository),
        branch=given.branch, update_worktree=given.update_worktree,
    )  # fmt: skip
    desk = Desk(workspace, Targets([target]), changed=kept.save)
    word = workspace.staged[-1].id
    if given.page:
        branch = desk.meant(None, workspace)[1]
        out.write(page(workspace, Review.of(workspace, plan_push(workspace, word, target, branch))).decode("utf-8"))
        return 0
    desk.approver = _app(given, workspace) if given.app else _asking(given, workspace, source, out)
    try:
        done = desk.push(workspace, word, None)
    finally:
        kept.save(workspace)
    out.write("".join(f"{line}\n" for line in _outcome_lines(done)))
    return 0 if done.result is not None and done.result.status == "success" else 1


def _outcome_lines(done: Pushed) -> list[str]:
    """The result for the person who decided: hints for the agent are left out."""
    result, plan = done.result, done.plan
    assert result is not None
    lines = [f"  {shown(line)}" for line in result.server]
    if result.status == "success":
        remark = "; the branch is new" if result.created else "; it was there already" if result.already_there else ""
        lines.insert(0, f"pushed {result.commit} to {shown(plan.address)}, branch {shown(plan.branch)}{remark}")
    elif result.conflict is not None:
        lines.insert(0, f"not pushed: {shown(result.conflict.message)}")
        lines.append("the agent has to bring its commits up to what is there now; you are asked again then")
    elif result.status == "rejected":
        lines.insert(0, "not pushed: the target refuses it, and nothing was changed there")
    else:
        lines.insert(0, "nobody knows whether it arrived: run this again, it is never done twice")
    if done.review is not None and done.review.is_partial:
        lines.append("a part was rejected: it goes back to the agent, with your words")
    return lines


def _asking(given: argparse.Namespace, workspace: Workspace, source: TextIO, out: TextIO) -> Approver:
    def read(prompt: str) -> str | None:
        out.write(prompt)
        out.flush()
        line = source.readline()
        return line.rstrip("\r\n") if line else None

    def ask(review: Review) -> None:
        TerminalReview(workspace, review, read, out.write, color=out.isatty()).run()
        review.by, review.at = given.by, int(time.time())

    return ask


def _app(given: argparse.Namespace, workspace: Workspace) -> Approver:
    """The app, if it is installed. Raises ModuleNotFoundError."""
    decide = import_module(".app.review_app", __package__).decide_in_app

    def ask(review: Review) -> None:
        decide(workspace, review, dark=not given.light)
        review.by, review.at = given.by, int(time.time())

    return ask


def _people(workspace: Workspace) -> Identities:
    """The identities of the staged commits: commits that are made again from them keep these."""
    people = []
    for line in (workspace.staged[-1].author, workspace.staged[-1].committer):
        ident = split_ident(line.encode("utf-8", "surrogateescape"))
        if ident is None:
            raise InvalidArgs(f"'{line}' names nobody")
        people.append(Identity(ident.name.decode("utf-8", "replace"), ident.mail.decode("utf-8", "replace")))
    return Identities(people[0], people[1])
