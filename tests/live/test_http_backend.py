"""Fetch, push and ls-remote against git's own server: `git http-backend` behind a small CGI server on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.faulty import Fault, Proxy
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said
from tests.support.servers import Server, looks_soon  # noqa: F401

from gitglass.errors import GitError
from gitglass.mutate.grant import WriteLimits
from gitglass.mutate.writer import approve

BACKEND = "/usr/lib/git-core/git-http-backend"
pytestmark = [
    pytest.mark.live, pytest.mark.writes, pytest.mark.loopback,
    pytest.mark.skipif(not os.path.exists(BACKEND) or shutil.which("git") is None, reason="no git installed"),
]  # fmt: skip


class Backend(Server):
    """`git http-backend` over a bare repository."""

    def __init__(self, up: Path) -> None:
        super().__init__(self._cgi)
        self._up = up

    def _cgi(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        names = ("REQUEST_METHOD", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH", "PATH_INFO", "HTTP_GIT_PROTOCOL")
        variables = {name: environ[name] for name in names if environ.get(name)}
        if (version := variables.pop("HTTP_GIT_PROTOCOL", None)) is not None:
            variables["GIT_PROTOCOL"] = version
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        done = subprocess.run(
            [BACKEND], input=body, capture_output=True, timeout=60,
            env={**variables, "GIT_PROJECT_ROOT": str(self._up), "GIT_HTTP_EXPORT_ALL": "1", "PATH": os.environ["PATH"],
                 "REMOTE_USER": "me", "HOME": str(self._up)},
        )  # fmt: skip
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        start(status, [pair for pair in headers if pair[0] != "Status"])
        return [answer]


def git(*argv: str, cwd: Path) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.version=2", *argv], cwd=cwd,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def up(tmp_path: Path) -> Path:
    made = tmp_path / "up.git"
    git("init", "-q", "--bare", "-b", "main", str(made), cwd=tmp_path)
    git("config", "http.receivepack", "true", cwd=made)
    return made


@pytest.fixture
def backend(up: Path) -> Iterator[Backend]:
    made = Backend(up)
    yield made
    made.close()


@pytest.fixture
def me(tmp_path: Path, backend: Backend) -> Path:
    made = empty(tmp_path / "me", bare=False, origin=backend.url)
    commit(made, "one")
    return made


def test_there_and_back(backend: Backend, me: Path, up: Path, tmp_path: Path) -> None:
    run(me, "tag", "-a", "-m", "x", "v1")
    assert said(me, "push", "-u", "origin", "main", "v1")[0] == 0
    assert "error" not in git("fsck", "--strict", cwd=up)
    listed = git("ls-remote", "--symref", backend.url, cwd=tmp_path)
    assert said(me, "ls-remote", "--symref", "origin")[1] == listed and "refs/tags/v1^{}" in listed
    for argv in (["--heads"], ["--tags"], ["--refs"], ["--sort=-refname"]):
        assert said(me, "ls-remote", *argv, backend.url)[1] == git("ls-remote", *argv, backend.url, cwd=tmp_path)
    other = empty(tmp_path / "other", bare=False, origin=backend.url)
    run(other, "pull", "origin", "main")
    two = commit(other, "two", name="g")
    assert said(other, "push", "origin", "main")[0] == 0 and refs(up)["refs/heads/main"] == two
    mine = commit(me, "mine")
    status, _, err = said(me, "push")
    assert status == 1 and "fetch first" in err and refs(up)["refs/heads/main"] == two
    assert said(me, "pull", "--rebase")[0] == 0 and read(me, "rev-parse", "HEAD") != mine
    assert said(me, "push")[0] == 0 and refs(up)["refs/heads/main"] == read(me, "rev-parse", "HEAD")
    assert said(me, "push", "origin", ":v1")[0] == 0 and "refs/tags/v1" not in refs(up)
    assert "error" not in git("fsck", "--strict", cwd=up)


def test_a_large_history(backend: Backend, me: Path, up: Path, tmp_path: Path) -> None:
    for number in range(150):
        (me / f"n{number}").write_text(f"{number}\n" * 2000)
    run(me, "add", "-A")
    run(me, "commit", "-q", "-m", "many")
    run(me, "push", "origin", "main")
    git("repack", "-q", "-adf", cwd=up)
    other = empty(tmp_path / "other", bare=False, origin=backend.url)
    run(other, "fetch")
    assert "error" not in git("fsck", "--strict", cwd=other)
    assert refs(other)["refs/remotes/origin/main"] == read(me, "rev-parse", "HEAD")


def test_what_the_server_refuses(backend: Backend, me: Path, up: Path) -> None:
    hook = up / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no thanks >&2\nexit 1\n")
    hook.chmod(0o755)
    status, _, err = said(me, "push", "origin", "main")
    assert status == 1 and "remote: no thanks" in err and "(pre-receive hook declined)" in err and refs(up) == {}
    assert "refs/remotes/origin/main" not in refs(me)


def test_four_at_once(backend: Backend, me: Path, up: Path, tmp_path: Path) -> None:
    run(me, "push", "origin", "main")
    plans = []
    for number in range(4):
        one = empty(tmp_path / f"c{number}", bare=False, origin=backend.url)
        run(one, "pull", "-q", "origin", "main")
        plans.append((commit(one, f"by {number}"), one, *planned(one, "push", "origin", "main")))
    told: dict[str, tuple[int, bytes]] = {}
    start = threading.Barrier(4)

    def push(oid: str, writer: Any, plan: Any) -> None:
        start.wait()
        answer = writer.apply(plan, approve(plan, "t")).answer
        told[oid] = answer.status, answer.err

    threads = [threading.Thread(target=push, args=(oid, writer, plan)) for oid, _, writer, plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winner = refs(up)["refs/heads/main"]
    assert sorted(status for status, _ in told.values()) == [0, 1, 1, 1] and told[winner][0] == 0
    for oid, one, _, _ in plans:
        assert (refs(one)["refs/remotes/origin/main"] == oid) == (oid == winner)
        assert oid == winner or b"failed to update ref" in told[oid][1] or b"cannot lock ref" in told[oid][1]


@pytest.mark.parametrize("kind", ["lose", "forget", "cut", "hang", "500"])
@pytest.mark.parametrize("request_number", [0, 1, 2, 3])
def test_a_push_with_a_fault(
    backend: Backend, me: Path, up: Path, tmp_path: Path, kind: str, request_number: int
) -> None:
    proxy = Proxy(backend.port, Fault(request_number, kind))
    limits = WriteLimits(network_timeout=0.5 if kind == "hang" else 1.5)
    try:
        status = run(me, "push", proxy.url, "main", limits=limits).answer.status
    except GitError as error:
        status = error.status
        assert refs(up) == {}
    finally:
        proxy.close()
    assert (status == 0) == (refs(up) == {"refs/heads/main": read(me, "rev-parse", "HEAD")})


def test_a_fetch_that_is_cut_changes_nothing(backend: Backend, me: Path, tmp_path: Path) -> None:
    run(me, "push", "origin", "main")
    for number in range(3):
        proxy = Proxy(backend.port, Fault(number, "cut"))
        other = empty(tmp_path / f"other{number}", bare=False, origin=proxy.url)
        before = everything(other)
        with pytest.raises(GitError):
            run(other, "fetch")
        assert everything(other) == before
        proxy.close()
