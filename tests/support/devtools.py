"""A browser without a window that is asked about a page: what it loads, how it lays it out, what a reader is told.

Speaks the Chrome DevTools Protocol over two pipes (`--remote-debugging-pipe`): messages of JSON, each ended by a NUL.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .browser import browser

_SECONDS = 120.0
#: the second frame after everything is there: by then the first one has been painted
_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"


class Tab:
    """One tab. `requests` are the addresses that the page has asked for, itself included."""

    def __init__(self, to: int, answers: int, folder: Path) -> None:
        self._to, self._from, self._folder = to, answers, folder
        self._number, self._session, self._raw = 0, "", b""
        self._events: list[dict[str, Any]] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **words: Any) -> Any:
        """Ask the browser, and wait for its answer."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": words}
        if self._session:
            asked["sessionId"] = self._session
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            row = self._next()
            if row.get("id") == self._number:
                assert "error" not in row, row
                return row["result"]
            self._note(row)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._raw:
            left = end - time.monotonic()
            assert left > 0 and select.select([self._from], [], [], left)[0], "the browser does not answer"
            more = os.read(self._from, 1 << 20)
            assert more, "the browser has ended"
            self._raw += more
        line, _, self._raw = self._raw.partition(b"\0")
        row: dict[str, Any] = json.loads(line)
        return row

    def _note(self, row: dict[str, Any]) -> None:
        self._events.append(row)
        if row.get("method") == "Network.requestWillBeSent":
            self.requests.append(row["params"]["request"]["url"])

    # --- a page -----------------------------------------------------------------------------------------------------

    def show(self, page: bytes, *, width: int = 1200, height: int = 860, dark: bool = False) -> float:
        """Open a page in a window of this size; the milliseconds until it was painted."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        path = self._folder / "page.html"
        path.write_bytes(page)
        self.requests.clear()
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri())
        while not any(row.get("method") == "Page.loadEventFired" for row in self._events):
            self._note(self._next())
        return float(self.value(_PAINTED))

    def value(self, script: str) -> Any:
        """What a script comes to. The debugger may run it; the page's own policy lets nothing run."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key: str, *, times: int = 1, **words: Any) -> None:
        """A key, down and up: `Tab`, `Enter`."""
        codes = {"Tab": 9, "Enter": 13}
        more = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": codes[key],
            **({"text": "\r"} if key == "Enter" else {}),
        }
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", **more, **words)
            self.call("Input.dispatchKeyEvent", type="keyUp", **more, **words)

    def announced(self) -> list[tuple[str, str]]:
        """(role, name) of everything that a screen reader is told of, in its order."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(one["role"]["value"], one.get("name", {}).get("value", "")) for one in nodes if not one.get("ignored")]


@contextmanager
def tab() -> Iterator[Tab]:
    """A tab of a browser that can reach nothing of the network."""
    program = browser()
    assert program is not None, "no browser"
    with tempfile.TemporaryDirectory() as folder:
        reads, to = os.pipe()
        answers, writes = os.pipe()
        argv = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
                f"--user-data-dir={folder}/profile"]  # fmt: skip

        def numbered() -> None:  # the browser reads from 3 and writes to 4
            for number, end in zip((3, 4), [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (reads, writes)]):
                os.dup2(end, number)

        process = subprocess.Popen(
            argv, preexec_fn=numbered, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(reads)
        os.close(writes)
        try:
            made = Tab(to, answers, Path(folder))
            yield made
        finally:
            os.close(to)  # the browser ends with its pipe
            os.close(answers)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
