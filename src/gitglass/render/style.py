"""Style: what rendering needs to know of the output and its reader."""

from collections.abc import Iterable, Iterator

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..limits import Context
from ..repo.store import Store

if TYPE_CHECKING:
    from .color import Palette, want_color
    from .quote import Quoter
else:
    Palette, want_color = deferred(__name__, ".color", "Palette", "want_color")
    Quoter = deferred(__name__, ".quote", "Quoter")


class Style:
    """One call's terminal and repository, as renderers need them.

    `columns` is the terminal's width (80 if there is none); `is_tty` tells whether stdout is a terminal,
    and `colors` whether it is one that shows colours. Palettes and the path quoter are made on first use.
    `blocks` are the pieces of standard input as they come; None if the request does not read it.
    """

    __slots__ = (
        "_blocks",
        "_palettes",
        "_quote",
        "colors",
        "columns",
        "config",
        "ctx",
        "dumb",
        "is_tty",
        "prefix",
        "store",
    )

    def __init__(
        self,
        store: Store,
        ctx: Context,
        *,
        is_tty: bool = False,
        columns: int = 80,
        blocks: Iterable[bytes] | None = None,
        dumb: bool = False,
    ) -> None:
        self.store = store
        self.ctx = ctx
        self.config = store.config
        self.is_tty = is_tty
        self.dumb = dumb
        self.colors = is_tty and not dumb
        self.columns = columns
        self.prefix = store.prefix
        self._blocks = blocks
        self._palettes: dict[tuple[str, str | None], Palette] = {}
        self._quote: Quoter | None = None

    @property
    def stdin(self) -> bytes | None:
        """All of standard input, which is read here; None if the request does not read it."""
        return None if self._blocks is None else b"".join(self._blocks)

    def blocks(self, end: bytes = b"\n") -> Iterator[bytes]:
        """Standard input in blocks of whole lines, each with all lines that are there at a time.

        A program may wait for the answers to a block before it writes the next one. Only the last block can have an
        unfinished line.
        """
        rest: list[bytes] = []
        for data in self._blocks or ():
            lines, last, start = data.rpartition(end)
            if last:
                yield b"".join([*rest, lines, last])
                rest.clear()
            rest.append(start)
        if tail := b"".join(rest):
            yield tail

    def fresh_blocks(self, end: bytes = b"\n") -> Iterator[bytes]:
        """`blocks`, for answers that follow what other programs write meanwhile: objects, refs, files."""
        for number, block in enumerate(self.blocks(end)):
            if number:
                before = self.store.complaints
                self.store.refresh()
                kept = [voice for voice in self.ctx.voices if voice is not before or before.lines]
                self.ctx.voices = [*kept, self.store.complaints]
            yield block

    def color(self, group: str, when: str | None = None) -> Palette:
        """The palette of a group of slots ("diff", "branch", "status", …).

        `when` is the value of `--color` ("always", "never", "auto"), None if it was not given. A palette that is off
        (falsy) has b"" for every colour.
        """
        key = (group, when)
        palette = self._palettes.get(key)
        if palette is None and when is None and not self.colors and not self.config.section(b"color"):
            from .color import NO_COLORS

            palette = self._palettes[key] = NO_COLORS
        if palette is None:
            palette = self._palettes[key] = Palette(self.config, want_color(self.config, group, when, self.colors))
        return palette

    @property
    def quote(self) -> Quoter:
        """The path quoter, honouring core.quotePath."""
        if self._quote is None:
            self._quote = Quoter(self.config.get_bool("core.quotepath", True) is not False)
        return self._quote
