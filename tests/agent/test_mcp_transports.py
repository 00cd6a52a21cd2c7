"""The scripts as processes: stdio and HTTP, both eras, start-up, cancelling on a large repository, what HTTP refuses."""

import contextlib
import io
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from gitglass.agent import tools

from ..support.pace import slowness

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")

SRC = str(Path(__file__).resolve().parents[2] / "src")
ENVIRONMENT = {"PYTHONPATH": SRC, "PATH": os.environ.get("PATH", "")}
ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "2026-07-28"])
START = [sys.executable, "-m", "gitglass.agent.mcp.main"]


def client(era: str, *argv: str, log: Any = None) -> Any:
    """The SDK's client of a server started for it over stdio."""
    parameters = mcp.StdioServerParameters(command=START[0], args=[*START[1:], *argv], env=ENVIRONMENT)
    if log is None:
        return mcp.Client(parameters, mode=era)
    return mcp.Client(mcp.stdio_client(parameters, errlog=log), mode=era)


# --------------------------------------------------------------------------------------------------------------- stdio
@ERAS
def test_over_stdio(unpack: Any, era: str) -> None:
    async def run() -> tuple[Any, Any]:
        async with client(era, "-r", f"plain={unpack('plain')}", "-r", f"dirty={unpack('dirty')}") as session:
            return await session.list_tools(), await session.call_tool("git_status", {"repo": "dirty"})

    listed, status = anyio.run(run)
    assert [tool.name for tool in listed.tools] == [tool.name for tool in tools()]
    assert status.content[0].text.startswith("## ") and not status.is_error


def test_it_lists_its_tools_within_a_second_and_a_half(unpack: Any) -> None:
    """In the server's own processor time, in one of three tries: the machine may be busy."""

    async def run() -> None:
        async with client("legacy", "-r", str(unpack("plain"))) as session:
            await session.list_tools()

    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        anyio.run(run)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if took[-1] < 1.5:
            break
    assert 0.05 < min(took) < 1.5, took


HELLO = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{no json", -32700), ("", -32700), ('{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32600), ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 5, "method": 5}', -32600), ('[{"jsonrpc": "2.0", "id": 5, "method": "ping"}]', -32600),
    ],
)  # fmt: skip
def test_a_line_that_is_no_message_is_answered(unpack: Any, line: str, code: int) -> None:
    """And what comes after it is, too."""
    ping = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
    sent = [*map(json.dumps, HELLO), line, json.dumps(ping)]
    with subprocess.Popen(
        [*START, "-r", str(unpack("plain"))], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write("".join(one + "\n" for one in sent))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(3)]
        server.stdin.close()
    assert {answer["id"] for answer in answers} == {1, None, 9}
    assert [answer["error"]["code"] for answer in answers if answer["id"] is None] == [code]


def test_stdout_carries_the_protocol_alone(unpack: Any) -> None:
    requests = [
        *HELLO,
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "git_log", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nosuch"}},
        {"jsonrpc": "2.0", "id": 4, "method": "ping"},
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    with subprocess.Popen(
        [*START, "-r", str(unpack("plain"))], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        server.stdin.write(lines)
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(4)]
        server.stdin.close()
        assert server.stdout.read() == ""
        said = server.stderr.read()
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4]
    assert server.returncode == 0
    assert said.startswith("gitglass-mcp ") and said.count("\n") == 1


def test_a_wrong_option_ends_it_with_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [*START, "-r", str(tmp_path), "--http", "0.0.0.0:1"], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("gitglass-mcp: ") and done.stderr.count("\n") == 1


# ---------------------------------------------------------------------------------------------------------- cancelling
def write_object(git: Path, kind: bytes, body: bytes) -> str:
    """Write a loose object; returns its name."""
    raw = kind + b" %d\0" % len(body) + body
    name = sha1(raw).hexdigest()
    place = git / "objects" / name[:2]
    place.mkdir(exist_ok=True)
    (place / name[2:]).write_bytes(zlib.compress(raw, 0))
    return name


@pytest.fixture(scope="session")
def large(tmp_path_factory: Any) -> Path:
    """A repository whose history takes ten seconds to compare: 60 commits that shuffle one file of 3,000 lines."""
    git = tmp_path_factory.mktemp("large") / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    dice = random.Random(1)
    lines = [b"line %d of the file\n" % number for number in range(3000)]
    parent = ""
    for number in range(60):
        dice.shuffle(lines)
        blob = write_object(git, b"blob", b"".join(lines))
        tree = write_object(git, b"tree", b"100644 file\0" + bytes.fromhex(blob))
        ident = f"A <a@example.com> {1700000000 + number} +0000"
        said = f"tree {tree}\n{parent}author {ident}\ncommitter {ident}\n\nChange {number}\n"
        name = write_object(git, b"commit", said.encode())
        parent = f"parent {name}\n"
    (git / "refs" / "heads" / "main").write_text(name + "\n")
    return git.parent


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.clock
def test_a_cancelled_call_stops_within_a_tenth_of_a_second(large: Path, tmp_path: Path, era: str) -> None:
    """Told by the server's own audit on stderr. Three times, of which the best counts, and in seconds of an idle machine:
    this one may be busy."""
    log = tmp_path / "stderr"
    took: list[float] = []

    async def run() -> None:
        with log.open("w") as stderr:
            async with client(era, "-r", str(large), "--audit", log=stderr) as session:
                await session.call_tool("git_status", {})
                for nth in range(3):
                    with anyio.move_on_after(0.25 + nth / 10):
                        await session.call_tool("git_log", {"mode": "stat", "max_count": 1000})
                        pytest.fail("the call was over too soon to be cancelled")
                    began = time.monotonic()
                    while log.read_text().count('"cancelled"') <= nth:
                        assert time.monotonic() - began < 5
                        await anyio.sleep(0.001)
                    took.append((time.monotonic() - began) / slowness(time.monotonic))
                quick = await session.call_tool("git_log", {"max_count": 1})  # and it goes on serving
                assert not quick.is_error

    anyio.run(run)
    assert min(took) < 0.1, took


@pytest.mark.parametrize("how", ["end of stdin", "SIGINT", "SIGTERM"])
@pytest.mark.clock
def test_it_ends_in_the_middle_of_a_call(large: Path, how: str) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "git_log", "arguments": {"mode": "stat", "max_count": 1000}}}  # fmt: skip
    with subprocess.Popen(
        [*START, "-r", str(large)], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        server.stdin.write("".join(json.dumps(message) + "\n" for message in [*HELLO, call]))
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        time.sleep(0.2)
        if how == "end of stdin":
            server.stdin.close()
        else:
            server.send_signal(signal.Signals[how])
        server.wait(8)  # the call alone would take longer
        assert server.stderr.read().count("\n") == 1
    assert server.returncode == (0 if how == "end of stdin" else -signal.Signals[how])


# ---------------------------------------------------------------------------------------------------------------- HTTP
@pytest.fixture(scope="session")
def listening(unpack: Any) -> Iterator[str]:
    """The address of a server over HTTP."""
    with subprocess.Popen(
        [*START, "-r", f"plain={unpack('plain')}", "--http", "0"], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("gitglass-mcp ") and "10 tools, http://127.0.0.1:" in line
        yield line.split(", ")[2].split(";")[0]
        server.terminate()


@ERAS
def test_over_http(listening: str, era: str) -> None:
    async def run() -> tuple[Any, Any]:
        async with mcp.Client(listening, mode=era) as session:
            return await session.list_tools(), await session.call_tool("git_show", {"rev": "nosuch"})

    listed, shown = anyio.run(run)
    assert len(listed.tools) == 10
    assert shown.is_error and shown.content[0].text.startswith("not_found: ")


def test_two_clients_over_http_at_once(listening: str) -> None:
    texts: list[str] = []

    async def one(era: str) -> None:
        async with mcp.Client(listening, mode=era) as session:
            for _ in range(5):
                texts.append((await session.call_tool("git_log", {"max_count": 3})).content[0].text)

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for era in ("legacy", "auto", "legacy", "auto"):
                tasks.start_soon(one, era)

    anyio.run(run)
    assert len(texts) == 20
    assert len({text.partition("[gitglass:")[0] for text in texts}) == 1  # cursors hold the time


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:80.evil.example"}, 421),
        ({"Host": "localhost:80@evil.example"}, 421),
        ({"Host": "localhost:"}, 421),
        ({"Host": "localhost:80"}, 200),
        ({"Origin": "http://127.0.0.1:8741@evil.com"}, 403),
        ({"Origin": "http://localhost:8741.evil.com"}, 403),
        ({"Origin": "http://localhost:80/"}, 403),
        ({"Origin": "http://localhost:"}, 403),
        ({"Content-Type": "text/plain"}, 400),
        ({"Origin": "http://localhost:5173"}, 200),
        ({}, 200),
    ],
)
def test_foreign_hosts_and_origins_are_refused(listening: str, headers: dict[str, str], status: int) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(listening, json.dumps(body).encode(), usual | headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            found = answer.status
            answer.read()
    except urllib.error.HTTPError as error:
        found = error.code
        error.read()
    assert found == status


def test_a_large_request_is_refused(listening: str) -> None:
    request = urllib.request.Request(
        listening,
        io.BytesIO(b" " * (2 << 20)).read(),
        {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
    )
    with pytest.raises(urllib.error.URLError) as caught:  # where it hangs up before all is sent, that is the error
        urllib.request.urlopen(request, timeout=10)
    assert getattr(caught.value, "code", 413) == 413


def connected(address: str) -> socket.socket:
    host, _, port = address.split("/")[2].rpartition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def test_two_hosts_in_a_request_are_refused(listening: str) -> None:
    with connected(listening) as client:
        client.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\r\nOrigin: http://localhost\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 403 ")


HTTP_WITH = """
import sys
from gitglass.agent.mcp import doors, main
doors.Connection.patience, doors.Connection.most = float(sys.argv[1]), int(sys.argv[2])
sys.exit(main.main(sys.argv[3:]))
"""


@contextlib.contextmanager
def serving(patience: float, most: int, *argv: str) -> Iterator[tuple[str, Any]]:
    """(address, stderr) of a server that is less patient, or takes fewer connections."""
    command = [sys.executable, "-c", HTTP_WITH, str(patience), str(most), *argv, "--http", "0"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        yield server.stderr.readline().split(", ")[2].split(";")[0], server.stderr
        server.terminate()


def test_a_request_that_never_ends_is_put_off(unpack: Any) -> None:
    with serving(0.3, 10, "-r", str(unpack("plain"))) as (address, _):
        begun = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
        for sent in (b"", begun, begun + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"):
            with connected(address) as client:
                client.sendall(sent)
                assert client.recv(100).startswith(b"HTTP/1.1 408 ")
                assert client.recv(100) == b""


def test_no_traceback_is_shown_of_what_a_client_does(unpack: Any) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"  # fmt: skip
    with serving(20, 10, "-r", str(unpack("plain"))) as (address, stderr):
        for sent in (b"Content-Length: 9\r\n\r\n{", b"Content-Length: x\r\n\r\n"):  # leaves in the middle; is no HTTP
            with connected(address) as client:
                client.sendall(head + sent)
                client.shutdown(socket.SHUT_WR)
                client.recv(1000)
        lines = [stderr.readline() for _ in range(2)]
    assert sorted(line.split(":")[0] for line in lines) == ["ERROR", "WARNING"]
    assert any(line.endswith("(ClientDisconnect)\n") for line in lines), lines


def test_connections_are_bounded(unpack: Any) -> None:
    with serving(20, 2, "-r", str(unpack("plain"))) as (address, _), contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(address)) for _ in range(3)]
        assert clients[2].recv(100).startswith(b"HTTP/1.1 503 ")
        clients[0].sendall(b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert clients[0].recv(100).startswith(b"HTTP/1.1 404 ")


def test_work_ends_when_its_client_leaves(large: Path) -> None:
    """In the older era too: the server's own audit tells that the call was cancelled."""
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with serving(20, 10, "-r", str(large), "--audit") as (address, stderr):
        request = urllib.request.Request(address, json.dumps(HELLO[0]).encode(), usual)
        with urllib.request.urlopen(request, timeout=10) as answer:
            answer.read()
            session = answer.headers.get("mcp-session-id")
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "git_log", "arguments": {"mode": "stat", "max_count": 1000}}}  # fmt: skip
        headers = usual | {"Host": "localhost", "Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}
        for message in (HELLO[1], call):
            body = json.dumps(message).encode()
            lines = [f"{name}: {value}" for name, value in (headers | {"Content-Length": str(len(body))}).items()]
            client = connected(address)
            client.sendall("\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body)
            assert client.recv(200).startswith((b"HTTP/1.1 202", b"HTTP/1.1 200"))
            time.sleep(0.3)
            client.close()
        assert '"cancelled"' in stderr.readline()


def test_sessions_nobody_asks_are_ended_and_streams_leave_room_for_requests(unpack: Any) -> None:
    """Of the SDK's own: the first of many gets a 404, and others get answers while streams are open."""
    opening = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening}).encode()
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def ask(address: str, name: str = "") -> tuple[int, str]:
        request = urllib.request.Request(address, body, kinds | ({"Mcp-Session-Id": name} if name else {}))
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.headers["Mcp-Session-Id"] or ""
        except urllib.error.HTTPError as error:
            return error.code, ""

    with serving(10.0, 140, "-r", f"plain={unpack('plain')}") as (address, _), contextlib.ExitStack() as streams:
        names = [ask(address)[1] for _ in range(258)]
        assert len(set(names)) == 258 and ask(address, names[0])[0] == 404
        assert ask(address, names[-1])[0] != 404
        statuses = []
        for name in names[-70:]:
            stream = streams.enter_context(connected(address))
            words = (
                f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: {name}\r\n\r\n"
            )
            stream.sendall(words.encode())
            statuses.append(stream.recv(12)[-3:])
        assert statuses == [b"200"] * 64 + [b"503"] * 6
        assert ask(address)[0] == 200
