"""Messages: lines for a reader, in the order they came in; and a scope that holds back those of one step."""

from collections.abc import Iterator

from .annotations import Generic, TypeVar
from .records import field, record

__all__ = ["Messages", "Scope"]

L = TypeVar("L", str, bytes)


@record(eq=False)
class Messages(Generic[L]):
    """Lines in order. They are added, read, and taken by the code that prints them; none is cut out by its position.

    What should leave no trace is done in a `scope`. `lines` are for reading only.
    """

    lines: list[L] = field(default_factory=list)

    def append(self, line: L) -> None:
        """One more line."""
        self.lines.append(line)

    def append_once(self, line: L) -> None:
        """The line, unless it is there already."""
        if line not in self.lines:
            self.lines.append(line)

    def take(self) -> list[L]:
        """All lines; there are none afterwards."""
        lines = self.lines
        self.lines = []
        return lines

    def scope(self) -> "Scope[L]":
        """A `with` block whose lines are passed on at its end, except those that are dropped before."""
        return Scope(self)

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[L]:
        return iter(self.lines)

    def __eq__(self, other: object) -> bool:
        """Whether these are the lines of `other`, which may be a list."""
        return list(self) == list(other) if isinstance(other, Messages | list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Messages({self.lines!r})"


class Scope(Generic[L]):
    """The lines of one `with` block. Scopes may stand in each other: an inner one passes on to the outer one.

    An error that leaves the block changes nothing: what was not dropped is passed on before it.
    """

    __slots__ = ("_dropped", "_messages", "_outer")

    def __init__(self, messages: Messages[L]) -> None:
        self._messages: Messages[L] = messages
        self._outer: list[L] = []
        self._dropped = False

    def __enter__(self) -> "Scope[L]":
        self._outer = self._messages.take()
        return self

    def __exit__(self, *_: object) -> None:
        inner = self._messages.take()
        self._messages.lines = self._outer if self._dropped else self._outer + inner

    def __len__(self) -> int:
        return len(self._messages)

    def drop(self) -> None:
        """None of the block's lines is passed on, nor what comes until its end."""
        self._dropped = True
