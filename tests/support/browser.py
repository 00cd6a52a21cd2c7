"""A browser without a window, where one is installed: what a page looks like in it."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

_SPARE = 300  # the lowest part of a window without a screen is not always painted: it is cut off
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser() -> str | None:
    """The program, or None."""
    return next((path for path in map(shutil.which, NAMES) if path is not None), None)


def screenshot(page: bytes, *, width: int, height: int, dark: bool = False, fragment: str = "") -> bytes:
    """A page as it is first seen in a window of this size, as PNG. Nothing of the network can be reached."""
    program = browser()
    assert program is not None, "no browser"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_bytes(page)
        subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--window-size={width},{height + _SPARE}",
             f"--screenshot={folder}/page.png", f"file://{folder}/page.html{fragment}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=120, check=True,
        )  # fmt: skip
        return cut((Path(folder) / "page.png").read_bytes(), height)


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    at, made = 8, []
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        made.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    return made


def cut(png: bytes, height: int) -> bytes:
    """The upper part of a PNG of eight bits a channel: its lines only build on those above them."""
    chunks = _chunks(png)
    head = chunks[0][1]
    width = struct.unpack_from(">I", head)[0]
    line = 1 + width * {2: 3, 6: 4}[head[9]]
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))[: line * height]
    out = [b"\x89PNG\r\n\x1a\n"]
    made = [
        (b"IHDR", struct.pack(">II", width, len(data) // line) + head[8:]),
        (b"IDAT", zlib.compress(data, 9)),
        (b"IEND", b""),
    ]
    for kind, body in made:
        out.append(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)))
    return b"".join(out)


def size_of(png: bytes) -> tuple[int, int]:
    """The size of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack_from(">II", png, 16)
    return width, height


def corner(png: bytes) -> tuple[int, int, int]:
    """The colour of its first pixel, of which every filter of PNG leaves the value as it is."""
    assert png[24] == 8 and png[25] in (2, 6), "eight bits of red, green and blue"
    data = b"".join(body for kind, body in _chunks(png) if kind == b"IDAT")
    red, green, blue = zlib.decompress(data)[1:4]
    return red, green, blue
