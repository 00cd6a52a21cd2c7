"""The format of commits: the options of git-log(1) under "Commit Formatting", for every command that prints commits."""

import re
from collections.abc import Callable

from ..annotations import TYPE_CHECKING, Annotated, Literal
from ..deferred import deferred, lazy_pattern
from ..errors import BadRequest
from .declared import Declared, Field
from .flag import Flag, parse_when, unless_false

if TYPE_CHECKING:
    from .abbrev import walk_digits
else:
    walk_digits = deferred(__name__, ".abbrev", "walk_digits")


__all__ = ["CommitFormat", "PrettyOptions", "ScriptFormat"]


def _option(*names: str, **more: object) -> Flag:
    """An option of the revision walk: git does not allow abbreviations of these."""
    return Flag(*names, walk=True, **more)  # type: ignore[arg-type]


_YES = ("true", "yes", "on", "1")
_NO = ("false", "off", "0", "")


def _decorate(value: str) -> str:
    """The value of `--decorate=`: `no`, `short`, `full` or `auto`."""
    if value in ("short", "full", "auto", "no"):
        return value
    if value.lower() in _YES:
        return "short"
    if value.lower() in _NO:
        return "no"
    raise BadRequest(f"invalid --decorate option: {value}")


def _tabs(value: str) -> int:
    number = value.lstrip(" \t").removeprefix("+")  # as C parses it
    if number.isascii() and number.isdigit():
        return int(number)
    raise BadRequest(f"'{value}': not a non-negative integer")


_DATE = lazy_pattern(
    r"(auto:)?(local|((relative|iso8601|iso|iso8601-strict|iso-strict|rfc2822|rfc|short|default|human|raw|unix)(-local)?)"
    r"|format(-local)?:.*)",
    re.DOTALL,
)


def _date(value: str) -> str:
    """Check a --date: git rejects an invalid one even if another one follows it."""
    if _DATE.fullmatch(value) is None and not value.startswith("auto:"):
        if value.startswith("format"):
            raise BadRequest(f"date format missing colon separator: {value}")
        raise BadRequest(f"unknown date format {value}")
    return value


def _prefixed(sign: str) -> Callable[[str], str]:
    return lambda value: sign + (value or "refs/notes/")  # the name of no ref, and not the default


class CommitFormat(Declared):
    """The format of commits, for every command that walks history."""

    pretty: Annotated[
        str | None,
        _option("--pretty", value="format", optional=True, const="medium"),
        _option("--format", value="format", stuck=True),
        _option("--oneline", const="oneline", sets={"abbrev_commit": True, "by_oneline": unless_false}),
    ] = Field(
        None,
        description="'oneline', 'short', 'medium', 'full', 'fuller', 'reference', 'email', 'mboxrd', 'raw', or a "
        "format with placeholders such as '%h %an %s' (git-log, PRETTY FORMATS).",
    )
    overruled_formats: list[str] = Field(default_factory=list, description="Formats named before it, as --format is.")
    abbrev_commit: Annotated[
        bool | None,
        _option("--abbrev-commit", sets={"by_oneline": False}),
        _option("--no-abbrev-commit", const=False),
    ] = Field(None, description="Abbreviate the commit's object name.")
    # whether only --oneline requested short names, and not --abbrev-commit: a later --pretty=raw cancels that
    by_oneline: bool = Field(False, description="But not in the format 'raw'.")
    abbrev: Annotated[
        int | None,
        _option("--abbrev", value="n", optional=True, const=-1, parse=walk_digits),
        _option("--no-abbrev", const=0),
    ] = Field(None, description="Length of abbreviated object names; -1 default length, 0 unabbreviated.")
    date: Annotated[
        str | None, _option("--date", value="format", parse=_date), _option("--relative-date", const="relative")
    ] = Field(
        None,
        description="'iso', 'iso-strict', 'rfc', 'short', 'relative', 'human', 'raw', 'unix', 'local', "
        "'<mode>-local' or 'format:<strftime>'.",
    )
    notes: Annotated[
        list[str],
        _option("--notes", value="ref", optional=True, const="+", append=True, parse=_prefixed("+")),
        _option("--show-notes", value="ref", optional=True, const="+", append=True, parse=_prefixed("&")),
        _option("--standard-notes", const="!", append=True),
        _option("--no-notes", const="-", append=True),
        _option("--no-standard-notes", const="~", append=True),
    ] = Field(
        default_factory=list,
        description="Notes shown: '+' the default ones, '+<ref>' those of a ref, '&<ref>' both, '-' none.",
    )
    encoding: Annotated[str | None, _option("--encoding", value="encoding")] = Field(
        None, description="Re-encode messages to this; 'none' shows them as they are stored."
    )
    expand_tabs: Annotated[
        int | None,
        _option("--expand-tabs", value="n", optional=True, const=8, parse=_tabs),
        _option("--no-expand-tabs", const=0),
    ] = Field(None, description="Align tabs in messages to this many columns; 0 leaves them.")
    log_size: Annotated[bool, _option("--log-size")] = Field(False, description="Print the size of the message first.")
    color: Annotated[
        Literal["always", "never", "auto"] | None,
        _option("--color", value="when", optional=True, const="always", parse=parse_when),
        _option("--no-color", const="never"),
    ] = Field(None, description="'always', 'never' or 'auto'.")


class ScriptFormat(CommitFormat):
    """The format of commits in a command for scripts: refs are named only by a format, people are not mapped."""

    @property
    def decorate(self) -> str:
        """Names of refs are not shown."""
        return "no"

    @property
    def decorate_refs(self) -> list[str]:
        """See `decorate`."""
        return []

    @property
    def decorate_refs_exclude(self) -> list[str]:
        """See `decorate`."""
        return []

    @property
    def clear_decorations(self) -> bool:
        """See `decorate`."""
        return False

    @property
    def mailmap(self) -> bool:
        """The mailmap is not used."""
        return False


class PrettyOptions(CommitFormat):
    """The format of a log's commits: also with refs, sources and mapped names."""

    decorate: Annotated[
        Literal["short", "full", "auto", "no"] | None,
        Flag(
            "--decorate",
            value="short|full|auto|no",
            optional=True,
            const="short",
            parse=_decorate,
            no=True,
            no_const="no",
            exact=True,
        ),
    ] = Field(None, description="Show the names of refs: 'short', 'full', 'auto' or 'no'.")
    decorate_refs: Annotated[list[str], Flag("--decorate-refs", value="pattern", append=True, no=True, exact=True)] = (
        Field(default_factory=list, description="Show only refs that match.")
    )
    decorate_refs_exclude: Annotated[
        list[str], Flag("--decorate-refs-exclude", value="pattern", append=True, no=True, exact=True)
    ] = Field(default_factory=list, description="Do not show refs that match.")
    clear_decorations: Annotated[
        bool, Flag("--clear-decorations", exact=True, sets={"decorate_refs": [], "decorate_refs_exclude": []})
    ] = Field(False, description="Show every ref, whatever was said before.")
    source: Annotated[bool, Flag("--source", no=True, exact=True)] = Field(
        False, description="Show by which name given a commit was reached."
    )
    mailmap: Annotated[bool | None, Flag("--mailmap", "--use-mailmap", no=True, exact=True)] = Field(
        None, description="Show names and addresses as .mailmap corrects them (default)."
    )
