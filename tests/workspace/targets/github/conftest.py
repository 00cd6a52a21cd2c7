"""A server that speaks GitHub's interfaces over a bare repository, and targets for it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant, WriteLimits
from gitglass.mutate.remote.credentials import github_credentials
from gitglass.workspace.push import Patience
from gitglass.workspace.targets.github.hub import GitHubTarget
from gitglass.workspace.targets.github.ways import github
from gitglass.workspace.workspace import Workspace

from ....support.github import NAME, TOKEN, Hub
from ....support.servers import Server, serving
from ....support.workspaces import FILES, bare_repository
from ...conftest import PEOPLE, clock

PLAIN = {path: value for path, value in FILES.items() if path != b"sub"}
Make = Callable[..., GitHubTarget]


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    bare_repository(tmp_path / "bare.git", PLAIN)
    made = Hub(tmp_path / "bare.git")
    yield made
    assert made.wrong == [], "not as GitHub has published it"


@pytest.fixture
def server(hub: Hub) -> Iterator[Server]:
    with serving(hub) as made:
        yield made


@pytest.fixture
def make(server: Server) -> Make:
    def target_of(
        via: Any = "git", *, token: str | None = TOKEN, branch: str | None = None, **more: Any
    ) -> GitHubTarget:
        credentials = github_credentials(token, hosts=("127.0.0.1",))
        options: dict[str, Any] = {"remotes": ("*",), "effects": ALL_EFFECTS, "plain_http": True, **more}
        grant = WriteGrant(
            identity=Identity("Host", "host@example.com"), credentials=credentials, limits=WriteLimits(network_timeout=20.0),
            **options,
        )  # fmt: skip
        url = server.url.rstrip("/")
        return github("reports", NAME, grant, via=via, branch=branch, url=url, api=url + "/api/v3")

    return target_of


def workspace_of(target: GitHubTarget) -> Workspace:
    return Workspace.over_target(target, "main", identity=PEOPLE, clock=clock())


def staged(workspace: Workspace, path: str = "docs/new.md", content: bytes = b"new\n") -> str:
    workspace.write(path, content)
    return workspace.stage([path], f"Write {path}\n\nWith a reason.").id


def patience(waits: list[float] | None = None) -> Patience:
    return Patience(pause=(lambda _: None) if waits is None else waits.append)


def head(hub: Hub, branch: str = "main") -> str:
    return str(hub.repo.refs[b"refs/heads/" + branch.encode()].decode())


def messages(hub: Hub, branch: str = "main") -> list[str]:
    """The subjects of a branch, the newest first."""
    oid = hub.repo.refs[b"refs/heads/" + branch.encode()]
    return [entry.commit.message.decode().splitlines()[0] for entry in hub.repo.get_walker([oid])]
