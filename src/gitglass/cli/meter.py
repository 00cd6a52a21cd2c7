"""The progress line of a long command on a terminal's stderr."""

from __future__ import annotations

from ..annotations import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

_BAR = 20  # characters


class Meter:
    """A progress line, erased when the command ends.

    It has a bar if the total is known. A reading command shows it only if stdout is not a terminal (a file, a pipe): on
    a terminal the output itself shows progress.
    """

    __slots__ = ("_shown", "_stream")

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._shown = False

    def show(self, what: str, done: int, total: int | None) -> None:
        """Show how many steps are done."""
        text = f"{done:,} {what}" if total is None else f"{_bar(done, total)} {done:,} of {total:,} {what}"
        self._stream.write(b"\r\x1b[Kgitglass: " + text.encode())
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._stream.write(b"\r\x1b[K")
            self._stream.flush()
            self._shown = False


def _bar(done: int, total: int) -> str:
    """`[#####               ]`"""
    filled = _BAR * min(done, total) // total if total > 0 else _BAR
    return f"[{'#' * filled}{' ' * (_BAR - filled)}]"
