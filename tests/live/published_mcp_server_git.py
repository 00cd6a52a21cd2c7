"""mcp-server-git's own published tests, carried out by our server: a plugin of pytest for a directory of these tests.

    pip download --no-deps --no-binary :all: mcp-server-git && tar xzf mcp_server_git-*.tar.gz
    PYTHONPATH=src:. python -m pytest -p tests.live.published_mcp_server_git -o asyncio_mode=auto mcp_server_git-*/tests

It needs the groups `compare` and `mcp`, pytest-asyncio, and git, which these tests run. `serve` of that package becomes
our server with its profile, writing without a question; its functions, which take a repository of GitPython's and raise
what GitPython does, become calls of our tools on that repository's directory, whose errors are raised. At the end the
tests are counted and named that came to nothing of ours: they are about that package's own code.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp.server.mcpserver.server as sdk
import mcp_server_git
import mcp_server_git.server as published
import pytest
from git import GitCommandError
from git.exc import BadName

from gitglass.agent import Roots, ToolContext, tools
from gitglass.agent.mcp.server import make_server
from gitglass.agent.mcp.settings import DROP_IN, read_options
from gitglass.commands.policy import Level, Policy
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

_SCRIPT = "gitglass-mcp-server-git"
#: the functions that the tests import, and the arguments that follow the repository
_FUNCTIONS = {
    "git_status": (), "git_diff_unstaged": ("context_lines",), "git_diff_staged": ("context_lines",),
    "git_diff": ("target", "context_lines"), "git_commit": ("message",), "git_add": ("files",), "git_reset": (),
    "git_log": ("max_count", "start_timestamp", "end_timestamp"), "git_create_branch": ("branch_name", "base_branch"),
    "git_checkout": ("branch_name",), "git_show": ("revision",),
    "git_branch": ("branch_type", "contains", "not_contains"),
}  # fmt: skip
#: what that server puts before the answers of its functions
_HEADS = re.compile(r"(?:Repository status|Unstaged changes|Staged changes|Diff with [^\n]*|Commit history):\n")
_NEXT = re.compile(r"\n(?=Commit: [0-9a-f]{40}\n)")
NAME, MAIL = "Published", "published@example.org"  # of who writes: those tests count on git's guess

_current = ""  # the test that runs
_reached: set[str] = set()  # those that came to our code
_passed: dict[str, bool] = {}


class Refused(ValueError, BadName):
    """An error of a tool, for tests that ask for either."""


class FailedCommand(Refused, GitCommandError):
    """The same for tests that ask for what git itself refuses."""

    def __init__(self, words: str) -> None:
        Exception.__init__(self, words)

    def __str__(self) -> str:
        return str(self.args[0])


async def serve(repository: Path | None) -> None:
    """Our server in the place of that package's, over the streams that the tests put in the place of stdio."""
    _reached.add(_current)
    argv = ["--write", "--level", "yolo", "--identity", f"{NAME} <{MAIL}>"]
    argv += ["--server-version", importlib.metadata.version("mcp-server-git")]
    settings = read_options([*argv, *(["--repository", str(repository)] if repository else [])], _SCRIPT, DROP_IN)
    server = make_server(settings)
    async with sdk.stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def called(name: str, words: tuple[str, ...]) -> Callable[..., Any]:
    """A function of that package that calls our tool of its name."""
    tool = next(tool for tool in tools("mcp-server-git", mutating=True) if tool.name == name)

    def call(repo: Any, *arguments: Any, **named: Any) -> Any:
        _reached.add(_current)
        given = {"repo_path": str(repo.working_dir), **dict(zip(words, arguments, strict=False)), **named}
        access = WriteAccess(WriteGrant(identity=Identity(NAME, MAIL)))
        host = ToolContext(Roots.anywhere(), policy=Policy(level=Level.YOLO), write=access)
        answer = tool.call({key: value for key, value in given.items() if value is not None}, host)
        if answer.is_error:
            raise FailedCommand(answer.text.removeprefix(f"Error executing tool {name}: "))
        text = _HEADS.sub("", answer.text, count=1)
        return text if name != "git_log" else _NEXT.split(text) if text else []

    return call


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Which test begins."""
    global _current
    _current = item.nodeid


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """How it ended."""
    _passed[report.nodeid] = _passed.get(report.nodeid, True) and report.outcome == "passed"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The counts, and the names of the rest."""
    write = terminalreporter.write_line
    ours = [name for name in _passed if name in _reached]
    write(f"{len(_passed)} tests; {len(ours)} come to our code, {sum(_passed[name] for name in ours)} of these pass")
    for words, names in (("does not pass", [name for name in ours if not _passed[name]]),
                         ("is about that package's own code", [name for name in _passed if name not in _reached])):  # fmt: skip
        for name in names:
            write(f"{words}: {name}")


for _name, _words in _FUNCTIONS.items():
    setattr(published, _name, called(_name, _words))
published.serve = mcp_server_git.serve = serve
