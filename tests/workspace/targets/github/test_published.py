"""The tests' server holds both sides against what GitHub has published: whatever differs is named."""

from pathlib import Path
from typing import Any

import pytest

from gitglass.mutate.grant import ALL_EFFECTS, WriteGrant
from gitglass.mutate.remote.api.client import JsonClient
from gitglass.mutate.remote.credentials import github_credentials

from ....support.github import NAME, TOKEN, Hub
from ....support.servers import serving
from ....support.workspaces import bare_repository
from .conftest import PLAIN

pytestmark = [pytest.mark.writes, pytest.mark.loopback]
SHA = "0" * 40


@pytest.mark.parametrize(
    ("method", "path", "body", "words"),
    [
        ("PATCH", "/git/refs/heads/main", {"sha": SHA, "forced": False}, "'forced' was unexpected"),
        ("PATCH", "/git/refs/heads/main", {"force": False}, "'sha' is a required property"),
        ("POST", "/git/refs", {"ref": 1, "sha": SHA}, "1 is not of type 'string'"),
        ("POST", "/git/trees", {"tree": [{"path": "a", "mode": "100664", "type": "blob"}]}, "is not one of ['100644'"),
        ("POST", "/git/commits", {"message": "", "tree": SHA, "author": {"name": "a", "email": "b", "date": "now"}}, "'now' is not a 'date-time'"),
        ("GET", "/branches?pages=2", None, "'pages'"),
        ("GET", "/branches?page=two", None, "invalid literal"),
        ("DELETE", "/git/refs/heads/main", None, "GitHub has no DELETE"),
    ],
)  # fmt: skip
def test_a_request_of_another_form(tmp_path: Path, method: str, path: str, body: Any, words: str) -> None:
    assert words in asked(tmp_path, method, path, body)


@pytest.mark.parametrize(
    ("status", "value", "words"),
    [
        (200, {"ref": "refs/heads/main"}, "is a required property"),
        (200, {"ref": "r", "node_id": "x", "url": "nowhere", "object": {"type": "commit", "sha": SHA, "url": "h://x"}}, "is not a 'uri'"),
        (409, {"message": 1}, "1 is not of type 'string'"),
        (418, {"message": "no"}, "GitHub does not answer 418"),
        (429, {"message": ["slow"]}, "is not of type 'string'"),
    ],
)  # fmt: skip
def test_an_answer_of_another_form(tmp_path: Path, status: int, value: Any, words: str) -> None:
    assert words in asked(tmp_path, "GET", "/git/ref/heads/main", None, (status, value))


@pytest.mark.parametrize("query", ["mutation { createCommitOnBranch { commit { oid } } }", "{ viewer { login } }"])
def test_a_query_of_another_form(tmp_path: Path, query: str) -> None:
    assert query in asked(tmp_path, "POST", "/api/graphql", {"query": query, "variables": {}})


def asked(tmp_path: Path, method: str, path: str, body: Any, answer: tuple[int, Any] | None = None) -> str:
    """What the server notes of one request."""
    bare_repository(tmp_path / "bare.git", PLAIN)
    hub = Hub(tmp_path / "bare.git")
    if answer is not None:
        hub.answers = [("", answer[0], {}, answer[1], False)]
    with serving(hub) as server:
        grant = WriteGrant(remotes=("*",), effects=ALL_EFFECTS, plain_http=True,
                           credentials=github_credentials(TOKEN, hosts=("127.0.0.1",)))  # fmt: skip
        base = "" if path.startswith("/api/") else f"/api/v3/repos/{NAME}"
        assert JsonClient(server.url.rstrip("/"), grant).ask(method, base + path, body).status == 500
    assert len(hub.wrong) == 1
    return hub.wrong[0]
