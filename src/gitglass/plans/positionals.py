"""The words of a command line that are no options, as the grammar hands them to a command's binder."""

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
    """Options put aside, for the binder to judge."""

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """What they come to, as values of the request. Raises GitError where git dies of them."""


@record
class Positionals:
    """The words of a command line that are no options.

    `before` are those in front of `--` (a pseudo revision such as `--all` is among them as `Token`), `after` those
    behind it; `dashdash` tells whether there was one. `late` are the options met behind a positional word, each with
    the number of words in front of it, and `trouble` what is wrong with the last of them; `unknown` is the complaint
    about the first option that the command has not, due after those about words. `overruled` are values of
    options that a later one took the place of, by field. `aside` are the options that git's parser takes and the
    command has no use for, where such were given (Command.aside). `read_stdin` is where more words can be read from;
    `turn` is the number of words in front of the last option that turns to reflogs (`-g`).
    `piped`: something was put there without being asked for, as standard input is no terminal. `named` is set by the
    binder: what the revisions among the words were resolved to, which `Command.run` takes as it is.
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
