"""Options that git parses for a command, and that have no effect there.

git blame and the plumbing of diffs read their words with the parser of git log. Options that only control which commits
are walked, in which order and how they are written are parsed, checked for valid values, and ignored. The names come
from the requests that declare the options, so none is written twice. Options that name revisions are not among them,
because they would change the answer. `-g` is among those of git blame, which walks no reflogs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import Annotated, Any
from ..errors import BadRequest, InvalidArgs
from ..limits import Context
from ..render.log.formats import find_format, pretty_aliases
from ..repo.store import Store
from ..request.declared import Declared
from ..request.diff import DiffOptions
from ..request.flag import Flag, spellings
from ..request.pretty import ScriptFormat
from ..request.revision import WalkOptions
from ..request.text import to_bytes
from .diff import judge_dirstat
from .ignored_diff_options import named_objects

_FORMATS = ("--pretty", "--format")
_DIRSTATS = ("-X", "--dirstat", "--dirstat-by-file")
_LIMITS = ("-n", "--max-count", "-NUM", "--since", "--after", "--until", "--before", "--max-age", "--min-age")


class _Filters(Declared):
    """Options that git blame does not have."""

    idle: Annotated[bool, Flag("--no-filter", walk=True)] = False


class _Extra(Declared):
    """Switches of git log's parser that none of our walk requests has."""

    idle: Annotated[
        bool,
        Flag("--objects", "--objects-edge", "--objects-edge-aggressive", "--verify-objects", walk=True),
        Flag(
            "--count", "--in-commit-order", "--graph", "--no-graph", "--root", "--no-commit-id", "--always", walk=True
        ),
        Flag("--encode-email-headers", "--no-encode-email-headers", "--no-show-signature", "-v", walk=True),
        Flag("--follow", no=True, exact=True),
    ] = False


def _reader(name: str, parse: Callable[[str], object] | None) -> Callable[[str], object]:
    def read(value: str) -> object:
        if parse is not None:
            parse(value)
        return (name, value)

    return read


def _forgotten(name: str, flag: Flag) -> Flag:
    """The same option, reduced to its name and value."""
    return Flag(
        name,
        value=flag.value,
        optional=flag.optional,
        last=flag.last,
        const=(name, ""),
        append=True,
        parse=_reader(name, flag.parse) if flag.value is not None else None,
        no=flag.no,
        no_const=(f"--no-{name[2:]}", ""),
        exact=flag.exact,
        negation=flag.negation,
        apart=flag.apart,
        stuck=flag.stuck,
        walk=flag.walk,
    )


def _flags(*requests: type[Declared]) -> list[Flag]:
    table = {name: flag for request in requests for name, (_, flag) in spellings(request).items() if not flag.token}
    return [_forgotten(name, flag) for name, flag in table.items()]


class _Idle(Declared):
    """The options that were given."""

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """Return no values for the request. Raises GitError if git rejects a value."""
        given: list[Any] = getattr(self, "forgotten", [])
        for name, value in given:
            if name in _FORMATS and value:
                find_format(to_bytes(value), pretty_aliases(store.config))
            if name in _DIRSTATS and value:
                judge_dirstat(value)
            if name == "--find-object":
                named_objects(store, [value], ctx=ctx)
            if usage and name in _LIMITS:
                raise InvalidArgs(usage, prefix="")
        names = {name for name, _ in given}
        if "--combined-all-paths" in names and not names & {"-c", "--cc"}:
            raise BadRequest("--combined-all-paths makes no sense without -c or --cc")
        follows = [name for name, _ in given if name in ("--follow", "--no-follow")]
        if follows[-1:] == ["--follow"] and len(paths) != 1:
            raise BadRequest("--follow requires exactly one pathspec")
        if "--grep-reflog" in names and not names & {"-g", "--walk-reflogs"}:
            raise BadRequest("the option '--grep-reflog' requires '--walk-reflogs'")
        return {}


class IdleForDiffs(_Idle):
    """For git diff-tree, diff-index and diff-files: the options of walks."""

    forgotten: Annotated[list[Any], *_flags(_Filters, _Extra, WalkOptions, ScriptFormat)] = []


class IdleForBlame(_Idle):
    """For git blame and annotate: the options of walks and of diffs."""

    forgotten: Annotated[list[Any], *_flags(_Extra, WalkOptions, ScriptFormat, DiffOptions)] = []
