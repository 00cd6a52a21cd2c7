"""Desks of a file: targets opened, the workspace over the default one, pulls at the start, kept from run to run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo

import gitglass
from gitglass.errors import BadConfig, NotFound
from gitglass.workspace.setup.desks import desk_of

from ...support.servers import AUTHORITY, Server, serving, smart_app
from ...support.workspaces import FILES, add_commit, bare_repository

pytestmark = [pytest.mark.writes, pytest.mark.loopback]

PLAIN = {path: value for path, value in FILES.items() if path != b"sub"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bare_repository(tmp_path / "project.git", PLAIN)
    bare_repository(tmp_path / "templates.git", {b"letter.txt": b"Dear\n", b"secret.env": b"x\n"})
    return tmp_path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(smart_app(bare_repository(tmp_path / "remote.git", {b"far.txt": b"far\n"})), tls=True) as made:
        yield made


def write(folder: Path, table: str) -> Path:
    file = folder / "worker.toml"
    file.write_text(f"[tools.git.workspace]\n{table}\n")
    return file


LOCAL = """
default_target = { type = "local-bare", path = "project.git", branch = "worker-{date}" }
auto_pull = [{ path = "letter.txt", source = { type = "local-bare", path = "templates.git" }, dest = "letters" }]
auto_approve = ["worker-*"]
sensitive = ["*.env"]
author = "Ann Lee <ann@example.com>"
agent = "Bot <bot@example.com>"
worker = "reports"
keep = "state.bundle"
"""


def test_a_desk_of_local_targets(folder: Path) -> None:
    desk = desk_of(write(folder, LOCAL))
    workspace = desk.workspace()
    assert desk.targets.names == ["default", "local-bare:templates.git"] and workspace.base.target == "default"
    assert workspace.read("letters/letter.txt").data == b"Dear\n" and workspace.read("README.md").data
    word = workspace.stage(["letters/letter.txt"], "Letters").id
    desk.saved(workspace)
    add_commit(Repo(str(folder / "templates.git")), {b"letter.txt": b"Hello\n"}, message=b"Moved\n", when=9)
    again = desk_of(folder / "worker.toml")  # kept: nothing is pulled a second time
    assert again.workspace().read("letters/letter.txt").data == b"Dear\n"
    assert [one.id for one in again.workspace().staged] == [word]
    done = again.push(again.workspace(), word, None)  # a new branch of the pattern needs nobody
    assert done.result is not None and done.result.created and done.plan.branch.startswith("worker-20")
    repo = gitglass.open(folder / "project.git")
    made = repo.git(["log", "-1", "--format=%an %cn %B", done.plan.branch]).stdout.decode()
    assert made.startswith("Ann Lee Ann Lee Letters") and "Co-authored-by: Bot <bot@example.com>" in made
    with pytest.raises(NotFound, match="unknown target"):
        again.plan(again.workspace(), word, {"type": "local", "path": "/etc"})


def test_a_desk_of_remote_targets(folder: Path, server: Server) -> None:
    (folder / "ca.pem").write_text(AUTHORITY)
    table = f"""
authorities = "ca.pem"
author = "Ann Lee <ann@example.com>"
[tools.git.workspace.targets.far]
type = "remote"
url = "{server.url}"
"""
    desk = desk_of(write(folder, table), approver=lambda review: True)
    workspace = desk.workspace()
    assert workspace.read("far.txt").data == b"far\n"
    workspace.write("new", b"new\n")
    done = desk.push(workspace, workspace.stage(["new"], "New").id, "far")
    assert done.result is not None and done.result.status == "success" and done.plan.branch == "main"


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('default_target = { type = "local", path = "none" }', "default_target"),
        ('default_target = { type = "local", path = "project.git" }', "default_target"),
        ('targets = { a = { type = "github", repo = "no" } }', "targets.a"),
        ('targets = { a = { type = "remote", url = "ssh://x/y" } }', "targets.a"),
        ('targets = { a = { type = "remote", url = "http://example.com/y" } }', "targets.a"),
        ('targets = { a = { type = "remote", url = "https://x/y" } }\nauthorities = "none.pem"', "authorities"),
        (
            'default_target = { type = "local-bare", path = "project.git" }\nauto_pull = [{ path = "none" }]',
            "auto_pull.0",
        ),
        ('keep = "none/x"', "keep"),
        ('mount = "x"', "mount"),
    ],
)
def test_what_cannot_be_opened_is_an_error_of_its_key(folder: Path, table: str, key: str) -> None:
    file = write(folder, table)
    with pytest.raises(BadConfig) as caught:
        desk_of(file)
    assert (caught.value.data["key"], caught.value.data["file"]) == (f"tools.git.workspace.{key}", str(file))


def test_only_the_token_of_the_environment(folder: Path) -> None:
    asked: list[str] = []

    class Environment(dict[str, str]):
        def get(self, key: str, default: Any = None) -> Any:
            asked.append(key)
            return super().get(key, default)

    table = """
default_target = { type = "local-bare", path = "project.git" }
[tools.git.workspace.targets.reports]
type = "github"
repo = "user/reports"
via = "rest"
"""
    desk = desk_of(write(folder, table), environment=Environment(GITHUB_TOKEN="t0ken"))
    target: Any = desk.targets.of("reports").target
    assert asked == ["GITHUB_TOKEN"] and target.grant.credentials("https://api.github.com/x").password == "t0ken"
    assert target.grant.credentials("https://example.com/x") is None
    assert target.grant.remotes[0] == "https://github.com/user/reports.git"


def test_a_server_of_the_file(folder: Path) -> None:
    pytest.importorskip("mcp")
    import anyio
    import mcp

    from gitglass.agent.mcp import server
    from gitglass.agent.mcp.settings import UsageError, read_options, tools_of

    file = write(folder, LOCAL.replace('keep = "state.bundle"', ""))
    settings = read_options(["--workspace", str(file), "--root", str(folder)])
    assert settings.profiles == ("ws",) and "ws_push" in tools_of(settings)
    shown: list[str] = []

    async def person(_: Any, params: Any) -> Any:
        import mcp_types as types

        shown.append(params.message)
        return types.ElicitResult(action="accept", content={"approve": True})

    async def run() -> str:
        async with mcp.Client(server.make_server(settings), elicitation_callback=person) as client:
            await client.call_tool("ws_stage", {"files": ["letters/letter.txt"], "message": "Letters"})
            word = settings.desk.workspace().staged[0].id  # type: ignore[union-attr,attr-defined]
            result: Any = await client.call_tool("ws_push", {"commit": word, "branch": "main"})
            return str(result.content[0].text)

    assert anyio.run(run).startswith("pushed ") and len(shown) == 1 and "git_push" in shown[0]
    with pytest.raises(UsageError, match="ws or workspace"):
        read_options(["--workspace", str(file), "--profile", "native", "-r", str(folder)])
    with pytest.raises(UsageError, match="no such file"):
        read_options(["--workspace", str(folder / "none.toml"), "-r", str(folder)])
