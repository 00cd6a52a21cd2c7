"""The words of a command line that are no options, as the grammar passes them to a command's binder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING, Any, Protocol
from ..errors import GitError
from ..records import field, record

if TYPE_CHECKING:
    from ..limits import Context
    from ..repo.store import Store
    from ..revs.tip import Tips


class Aside(Protocol):
    """Ignored options, which the binder checks."""

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """The values of the request that follow from them. Raises GitError if git rejects them."""


@record
class Positionals:
    """The words of a command line that are no options.

    `before` are the words before `--` (a pseudo revision such as `--all` is among them as `Token`), `after` those after
    it; `dashdash` is whether there was one. `late` are the options after a positional word, each with the number of
    words before it, and `trouble` is the error of the last of them; `unknown` is the error about the first unknown
    option, reported after those about words. `overruled` are the values of options that a later one replaced, by field.
    `aside` are options that git's parser accepts and the command ignores, if any were given (Command.aside).
    `read_stdin` reads more words; `turn` is the number of words before the last option that switches to reflogs (`-g`).
    `piped`: there is input that no option asks for. `named` is set by the binder: the objects
    that the revisions were resolved to, which `Command.run` uses as they are.
    """

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    dashdash: bool = False
    late: list[tuple[int, str]] = field(default_factory=list)
    trouble: GitError | None = None
    unknown: GitError | None = None
    overruled: dict[str, list[Any]] = field(default_factory=dict)
    aside: Aside | None = None
    read_stdin: Callable[[], bytes] | None = None
    piped: bool = False
    named: Tips | None = None
    turn: int = 0


class Token(str):
    """A pseudo revision among the positional arguments: `--all`, `--not`, `--glob=…`."""

    __slots__ = ()
