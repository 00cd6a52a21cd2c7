"""What the story of a workspace takes place in: repositories below a temporary directory, a person with answers, and
an agent whose model is scripted. No git is run and nothing but loopback is reached.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

import gitglass
from gitglass.agent import Roots, ToolContext
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant
from gitglass.workspace.desk import Desk
from gitglass.workspace.model import Identities
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.terminal import TerminalReview
from gitglass.workspace.targets.local import LocalTarget
from gitglass.workspace.targets.named import Targets
from gitglass.workspace.tools.ws import tools
from gitglass.workspace.workspace import Workspace

#: yields (tool, arguments), receives the tool's text, returns what it has to say in the end
Work = Generator[tuple[str, dict[str, Any]], str, str]

AGENT, OLIVE = Identity("Report Agent", "agent@example.org"), Identity("Olive Owner", "olive@example.org")
CERTIFICATES = Path(__file__).resolve().parent.parent / "fixtures" / "certificates"
MAIN = {
    "README.md": "# Figures of the quarter\n",
    "analysis.json": '{\n  "period": "Q4-2024",\n  "status": "draft",\n  "source": "ledger",\n  "metrics": {}\n}\n',
}
TEMPLATES = {"templates/report.md": "# {quarter} Report\n\n## Summary\n\n{summary}\n"}


def say(words: str, indent: int = 0) -> None:
    """Print a text, every line of it indented."""
    print("".join(f"{' ' * indent}{line}\n" for line in words.rstrip("\n").split("\n")), end="")


# --- repositories ---------------------------------------------------------------------------------------------------


def target(name: str, path: Path, **options: Any) -> LocalTarget:
    """A repository of this machine that commits may be pushed to."""
    return LocalTarget(name, gitglass.open(path), WriteGrant(identity=OLIVE), where=str(path), **options)


def commit(workspace: Workspace, files: Mapping[str, str], message: str, to: LocalTarget, branch: str) -> None:
    """Somebody's commit, pushed at once: what an owner does to a repository of their own."""
    for name, content in files.items():
        workspace.write(name, content.encode())
    word = workspace.stage(list(files), message).id
    Desk(workspace, Targets([to]), approver=lambda _: True).push(workspace, word, {"branch": branch})


def repositories(top: Path) -> tuple[Path, Path]:
    """`project`, with work on `main` and templates on a branch of their own, and `backup.git`, which is empty."""
    project, backup = top / "project", top / "backup.git"
    Repo.init(str(project), mkdir=True, default_branch=b"main").close()
    Repo.init_bare(str(backup), mkdir=True, default_branch=b"reports").close()
    for files, branch in ((MAIN, "main"), (TEMPLATES, "templates")):
        owner = Workspace.empty(identity=Identities(OLIVE))
        commit(owner, files, f"Begin {branch}", target("project", project, update_worktree=True), branch)
    return project, backup


@contextmanager
def https_target(name: str, path: Path) -> Iterator[Any]:
    """A target on https: an empty repository that dulwich's server in this process has on loopback, under the
    certificate of fixtures/. Where this gitglass has no such target, why there is none, as a text."""
    if find_spec("gitglass.workspace.targets.remote") is None or not (CERTIFICATES / "ca.pem").is_file():
        yield "this gitglass has no target for https yet"
        return
    served: Any = Repo.init_bare(str(path), mkdir=True, default_branch=b"reports")
    server = make_server("127.0.0.1", 0, make_wsgi_chain(DictBackend({"/": served})), handler_class=_Quiet)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    more: dict[str, Any] = {"authorities": (CERTIFICATES / "ca.pem").read_text()}
    grant = WriteGrant(identity=OLIVE, effects=ALL_EFFECTS, remotes=("https://127.0.0.1:*",), **more)
    try:
        made = import_module("gitglass.workspace.targets.remote").RemoteTarget
        yield made(name, f"https://127.0.0.1:{server.server_port}/", grant)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        served.close()


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


# --- the person -----------------------------------------------------------------------------------------------------


class Person:
    """Somebody at the terminal box who answers each review with the keys that are lined up, and stops at the end."""

    def __init__(self) -> None:
        self.answers: list[list[str]] = []
        self.reviews: list[Review] = []
        self.workspace: Workspace | None = None

    def __call__(self, review: Review) -> None:
        """Decide about a review, as `Desk(approver=…)` asks for it."""
        assert self.workspace is not None
        answers = iter(self.answers.pop(0) if self.answers else [])

        def read(prompt: str) -> str | None:
            answer = next(answers, None)
            say(f"{prompt}{'' if answer is None else answer}", 6)
            return answer

        TerminalReview(self.workspace, review, read, lambda words: say(str(words), 6)).run()
        review.by = "olive"
        self.reviews.append(review)


# --- the agent ------------------------------------------------------------------------------------------------------


class Agent:
    """A loop around the tools of a workspace, as `plain_loop.py` has one; each call and its answer are printed."""

    def __init__(self, workspace: Workspace, targets: list[Any], person: Callable[[Review], object]) -> None:
        self.workspace = workspace
        self._tools = {tool.name: tool for tool in tools()}
        self._desk = Desk(workspace, Targets(targets), approver=person, worker="report-writer")

    def does(self, work: Work) -> str:
        """Have the scripted model do a piece of work; what it says of it."""
        ctx = ToolContext(Roots(()), desk=self._desk, caller_id="example")
        name, arguments = next(work)
        while True:
            say(f"agent: {name}({', '.join(f'{key}={_short(value)}' for key, value in arguments.items())})", 2)
            answer = self._tools[name].call(arguments, ctx)  # an error is an answer too
            say(_few(answer.text), 6)
            try:
                name, arguments = work.send(answer.text)
            except StopIteration as done:
                say(f"agent says: {done.value}", 2)
                return str(done.value)


def _short(value: object) -> str:
    words = repr(value)
    return words if len(words) <= 60 else f"{words[:56]}…{words[-1]}"


def _few(text: str, most: int = 12) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join(lines if len(lines) <= most else [*lines[:most], f"… and {len(lines) - most} lines more"])
