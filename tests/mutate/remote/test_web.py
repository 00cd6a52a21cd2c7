"""Fetch and push over http against dulwich's server on loopback; servers that lie, stall, redirect and break off."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dulwich.repo import Repo
from tests.support.peers import commit, empty, everything, planned, read, refs, run, said
from tests.support.servers import App, Server, smart_app, whole_answer

from gitglass.errors import GitError, NotGranted
from gitglass.mutate.grant import Credential, WriteLimits
from gitglass.mutate.remote.credentials import environment_tokens
from gitglass.mutate.writer import approve

pytestmark = [pytest.mark.writes, pytest.mark.loopback]


@pytest.fixture
def up(tmp_path: Path) -> Path:
    return empty(tmp_path / "up.git", bare=True)


@pytest.fixture
def server(up: Path) -> Iterator[Server]:
    made = Server(smart_app(Repo(str(up))))
    yield made
    made.close()


@pytest.fixture
def me(tmp_path: Path, server: Server) -> Path:
    made = empty(tmp_path / "me", bare=False, origin=server.url)
    commit(made, "one")
    return made


def test_there_and_back(server: Server, me: Path, up: Path, tmp_path: Path) -> None:
    run(me, "tag", "-a", "-m", "x", "v1")
    assert said(me, "push", "-u", "origin", "main", "v1") == (
        0, "branch 'main' set up to track 'origin/main'.\n",
        f"To {server.url}\n * [new branch]      main -> main\n * [new tag]         v1 -> v1\n",
    )  # fmt: skip
    assert refs(up)["refs/heads/main"] == read(me, "rev-parse", "HEAD") and read(up, "fsck", "--full") == ""
    other = empty(tmp_path / "other", bare=False, origin=server.url)
    assert said(other, "fetch")[2].splitlines() == [
        f"From {server.url.rstrip('/')}", " * [new branch]      main       -> origin/main",
        " * [new tag]         v1         -> v1",
    ]  # fmt: skip
    assert read(other, "fsck", "--full") == "" and refs(other)["refs/tags/v1"] == refs(me)["refs/tags/v1"]
    two = commit(me, "two")
    assert said(me, "push")[0] == 0
    assert f"..{two[:7]}  main       -> origin/main" in said(other, "fetch")[2]
    assert said(me, "push", "origin", ":main", "HEAD:x")[0] == 0 and set(refs(up)) == {"refs/heads/x", "refs/tags/v1"}


def test_a_large_fetch(server: Server, me: Path, tmp_path: Path) -> None:
    for number in range(130):
        (me / f"n{number}").write_text(f"{number}\n" * 40)
    run(me, "add", "-A")
    run(me, "commit", "-q", "-m", "many")
    run(me, "push", "origin", "main")
    other = empty(tmp_path / "other", bare=False, origin=server.url)
    run(other, "fetch")
    assert len(list((other / ".git/objects/pack").glob("*.idx"))) == 1 and read(other, "fsck", "--full") == ""


def test_four_writers_one_wins(server: Server, me: Path, up: Path, tmp_path: Path) -> None:
    run(me, "push", "origin", "main")
    plans = []
    for number in range(4):
        one = empty(tmp_path / f"c{number}", bare=False, origin=server.url)
        run(one, "fetch", "-q")
        run(one, "checkout", "-q", "-b", "main", "origin/main")
        commit(one, f"by {number}")
        plans.append((one, *planned(one, "push", "origin", "main")))
    statuses = [writer.apply(plan, approve(plan, "t")).answer.status for _, writer, plan in plans]
    assert sorted(statuses) == [0, 1, 1, 1]
    assert refs(up)["refs/heads/main"] == read(plans[statuses.index(0)][0], "rev-parse", "HEAD")


def test_grants_and_credentials(server: Server, me: Path) -> None:
    for granted in ({"remotes": ()}, {"plain_http": False}, {"effects": frozenset({"write_refs"})}):
        with pytest.raises(NotGranted):
            planned(me, "fetch", **granted)
    asked: list[str] = []

    def provide(url: str) -> Credential:
        asked.append(url)
        return Credential("me", "s3cret")

    run(me, "push", "origin", "main", credentials=provide)
    assert set(asked) == {server.url}
    assert all(one.get("HTTP_AUTHORIZATION") == "Basic bWU6czNjcmV0" for one in server.seen)
    assert "s3cret" not in repr(Credential("me", "s3cret"))
    kept = b"".join(path.read_bytes() for path in (me / ".git").rglob("*") if path.is_file())
    assert b"s3cret" not in kept and b"bWU6czNjcmV0" not in kept
    tokens = environment_tokens(None, " t ")
    assert tokens("https://github.com/a/b") == Credential("x-access-token", "t")
    assert tokens("https://github.com.evil/a") is tokens("http://github.com/a") is None


def answering(status: str, body: bytes = b"", *headers: tuple[str, str]) -> Any:
    def around(_: App, __: dict[str, Any], start: Any) -> list[bytes]:
        start(status, [("Content-Type", "text/plain"), *headers])
        return [body]

    return around


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        ("401 no", (), "Authentication failed"), ("403 no", (), "access denied"), ("404 no", (), "not found"),
        ("429 slow", (("Retry-After", "7"),), "again after 7"), ("500 bad", (), "answered 500"),
        ("302 there", (("Location", "http://127.0.0.1:9/x"),), "not followed"), ("200 ok", (), "smart protocol"),
    ],
)  # fmt: skip
def test_what_servers_answer(server: Server, me: Path, up: Path, status: str, headers: Any, words: str) -> None:
    server.around = answering(status, b"words of the server", *headers)
    before = everything(me), everything(up)
    for argv in (["fetch"], ["push", "origin", "main"]):
        have = said(me, *argv)
        assert have[0] and words in have[2]
    assert (everything(me), everything(up)) == before


@pytest.mark.parametrize(
    "body",
    [
        b"", b"junk", b"001e# service=git-upload-pack\n0000zzzz", b"001e# service=git-upload-pack\n0000" + b"fff0" + b"a" * 90,
        b"001e# service=git-upload-pack\n0000" + b"003d" + b"1" * 40 + b" refs/heads/../../x\0\n0000",
        b"001e# service=git-upload-pack\n0000" + b"0036" + b"z" * 40 + b" refs/heads\0\n0000",
    ],
)  # fmt: skip
def test_advertisements_that_lie(server: Server, me: Path, body: bytes) -> None:
    def around(_: App, __: dict[str, Any], start: Any) -> list[bytes]:
        start("200 ok", [("Content-Type", "application/x-git-upload-pack-advertisement")])
        return [body]

    server.around = around
    before = everything(me)
    assert said(me, "fetch")[0]
    assert everything(me) == before


def test_an_endless_stream(server: Server, me: Path) -> None:
    def around(_: App, __: dict[str, Any], start: Any) -> Iterator[bytes]:
        start("200 ok", [("Content-Type", "application/x-git-upload-pack-advertisement")])
        yield b"001e# service=git-upload-pack\n0000"
        number = 0
        while True:
            number += 1
            line = b"%040x refs/heads/b%d\n" % (number, number)
            yield b"%04x%b" % (len(line) + 4, line)

    server.around = around
    limits = WriteLimits(network_timeout=2.0)
    before = everything(me)
    assert said(me, "fetch", limits=limits)[0]
    assert everything(me) == before


def changed(body: Callable[[bytes], bytes], suffix: str) -> Any:
    """The server, but for the bodies of one kind of answer."""

    def around(inner: App, environ: dict[str, Any], start: Any) -> list[bytes]:
        whole = whole_answer(inner, environ, start)
        return [body(whole)] if environ["PATH_INFO"].endswith(suffix) else [whole]

    return around


@pytest.mark.parametrize(
    "body",
    [lambda raw: raw[: len(raw) // 2], lambda raw: raw[:-30], lambda raw: raw.replace(b"PACK", b"PAKC"),
     lambda raw: raw[:-60] + bytes(60), lambda _: b"", lambda _: b"0000"],
)  # fmt: skip
def test_packs_that_break_off(server: Server, me: Path, tmp_path: Path, body: Any) -> None:
    run(me, "push", "origin", "main")
    other = empty(tmp_path / "other", bare=False, origin=server.url)
    server.around = changed(body, "git-upload-pack")
    before = everything(other)
    with pytest.raises(GitError):
        run(other, "fetch")
    assert everything(other) == before


@pytest.mark.parametrize("done", [False, True], ids=["lost on the way", "answer lost"])
@pytest.mark.parametrize("kind", ["500", "cut", "empty"])
def test_a_push_whose_answer_is_lost(server: Server, me: Path, up: Path, kind: str, done: bool) -> None:
    """What is said is what is there."""

    def around(inner: App, environ: dict[str, Any], start: Any) -> list[bytes]:
        if not environ["PATH_INFO"].endswith("git-receive-pack") or environ["REQUEST_METHOD"] == "GET":
            return list(inner(environ, start))
        data = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(data)
        whole = whole_answer(inner, environ) if done else b""
        if kind == "500":
            start("500 bad", [("Content-Type", "text/plain")])
            return [b"oh"]
        start("200 ok", [("Content-Type", "application/x-git-receive-pack-result")])
        return [whole[: len(whole) // 2] if kind == "cut" else b""]

    server.around = around
    status, _, err = said(me, "push", "origin", "main")
    assert (status == 0) == done == ("refs/heads/main" in refs(up)), err
    assert ("refs/remotes/origin/main" in refs(me)) == done
    assert ("remote rejected" in err) == (not done)


def test_a_push_nobody_can_say_of(server: Server, me: Path) -> None:
    gone: list[bool] = []

    def around(inner: App, environ: dict[str, Any], start: Any) -> list[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            gone.append(True)
        if gone:
            start("503 away", [("Content-Type", "text/plain")])
            return [b""]
        return list(inner(environ, start))

    server.around = around
    status, _, err = said(me, "push", "origin", "main")
    assert status == 1 and "[unknown]" in err and "refs/remotes/origin/main" not in refs(me)
