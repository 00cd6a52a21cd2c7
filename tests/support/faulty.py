"""A proxy on loopback between a client of http and a server: it drops, cuts, delays or answers one of the requests."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field

_PIECE = 1 << 16


@dataclass
class Fault:
    """What happens to which request (counted from 0), once: "refuse" (closed unread), "lose" (closed before the server
    sees it), "forget" (closed behind the server), "cut" (half of the answer), "hang" (the answer does not come),
    "drip" (a byte of it now and then), "reset", or the status of an answer that is not the server's."""

    request: int
    kind: str
    seconds: float = 30.0


@dataclass
class Proxy:
    """One proxy; `lines` are the requests that it saw."""

    port: int
    fault: Fault | None = None
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self._count, self._lock, self._over = 0, threading.Lock(), threading.Event()
        self._threads: list[threading.Thread] = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    def close(self) -> None:
        """End it."""
        self._over.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(5)

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._one, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _one(self, client: socket.socket) -> None:
        with self._lock:
            number, self._count = self._count, self._count + 1
        fault = self.fault if self.fault is not None and self.fault.request == number else None
        kind = "" if fault is None else fault.kind
        with client, contextlib.suppress(OSError):
            client.settimeout(30)
            if kind == "refuse":
                return
            request = _request(client)
            self.lines.append(request.split(b"\r\n", 1)[0].decode())
            if kind == "lose":
                return
            if kind == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                return
            if kind.isdigit():
                words = b"words of the proxy"
                head = b"HTTP/1.1 %b no\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n" % (
                    kind.encode(),
                    len(words),
                )
                client.sendall(head + b"Retry-After: 1\r\nConnection: close\r\n\r\n" + words)
                return
            answer = self._forwarded(request)
            if kind == "forget":
                return
            if kind == "cut":
                client.sendall(answer[: (answer.index(b"\r\n\r\n") + 4 + len(answer)) // 2])
            elif kind in ("hang", "drip"):
                self._slowly(client, answer if kind == "drip" else b"", fault.seconds if fault else 0)
            else:
                client.sendall(answer)

    def _slowly(self, client: socket.socket, answer: bytes, seconds: float) -> None:
        until = time.monotonic() + seconds
        for at in range(1 << 30):
            if self._over.wait(0.1) or time.monotonic() > until:
                return
            client.sendall(answer[at : at + 1])

    def _forwarded(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), 30) as server:
            server.sendall(request)
            parts = []
            while piece := server.recv(_PIECE):
                parts.append(piece)
        return b"".join(parts)


def _request(client: socket.socket) -> bytes:
    """One whole request, to be answered on a connection that is closed then."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(client)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    named = {line.split(b":", 1)[0].lower(): line.split(b":", 1)[1].strip() for line in lines[1:]}
    if named.get(b"transfer-encoding") == b"chunked":
        while not body.endswith(b"0\r\n\r\n"):
            body += _more(client)
    while len(body) < int(named.get(b"content-length", b"0")):
        body += _more(client)
    return b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body


def _more(client: socket.socket) -> bytes:
    piece = client.recv(_PIECE)
    if not piece:
        raise OSError("the client has left")
    return piece
