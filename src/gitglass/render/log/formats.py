"""Formats by name: the values of `--pretty=<name>`, including aliases of the configuration."""

from collections.abc import Iterable

from ...annotations import Protocol
from ...errors import BadConfig, BadRequest, text
from ...records import record

_REFERENCE = b"%C(auto)%h (%s, %ad)"


class Settings(Protocol):
    """The part of a configuration that is used here."""

    def section_items(self, front: bytes) -> Iterable[tuple[bytes, bytes | None]]: ...


class Options(Protocol):
    """The options read by `pretty`: those of `request.pretty.PrettyOptions`."""

    @property
    def pretty(self) -> str | None: ...
    @property
    def overruled_formats(self) -> list[str]: ...
    @property
    def abbrev_commit(self) -> bool | None: ...
    @property
    def by_oneline(self) -> bool: ...
    @property
    def abbrev(self) -> int | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def decorate(self) -> str | None: ...
    @property
    def decorate_refs(self) -> list[str]: ...
    @property
    def decorate_refs_exclude(self) -> list[str]: ...
    @property
    def clear_decorations(self) -> bool: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def mailmap(self) -> bool | None: ...
    @property
    def encoding(self) -> str | None: ...
    @property
    def expand_tabs(self) -> int | None: ...
    @property
    def color(self) -> str | None: ...


@record(frozen=True)
class PrettyFormat:
    """A format: its kind, the user format if it is one, whether it ends entries (or separates them)."""

    kind: str
    form: bytes = b""
    terminator: bool = False
    tabs: int = 0
    short_dates: bool = False


#: in the order in which git searches them: the shortest name that matches is taken, the first among equals
BUILTIN = {
    b"raw": PrettyFormat("raw"),
    b"medium": PrettyFormat("medium", tabs=8),
    b"short": PrettyFormat("short"),
    b"email": PrettyFormat("email"),
    b"mboxrd": PrettyFormat("mboxrd"),
    b"fuller": PrettyFormat("fuller", tabs=8),
    b"full": PrettyFormat("full", tabs=8),
    b"oneline": PrettyFormat("oneline", terminator=True),
    b"reference": PrettyFormat("user", _REFERENCE, terminator=True, short_dates=True),
}


def find_format(value: bytes, aliases: dict[bytes, bytes]) -> PrettyFormat:
    """The format that a value of --pretty or format.pretty names. Raises GitError in git's words."""
    if value.startswith(b"format:"):
        return PrettyFormat("user", value[7:])
    if not value or value.startswith(b"tformat:") or b"%" in value:
        return PrettyFormat("user", value.removeprefix(b"tformat:"), terminator=True)
    sought, steps = value, 0
    while True:
        full_name = _named(sought, aliases)
        if full_name is None:
            raise BadRequest(f"invalid --pretty format: {text(value)}")
        builtin = BUILTIN.get(full_name)
        if builtin is not None:
            return builtin
        form = aliases[full_name]
        if form.startswith(b"format:"):
            return PrettyFormat("user", form[7:])
        if form.startswith(b"tformat:") or b"%" in form:
            return PrettyFormat("user", form.removeprefix(b"tformat:"), terminator=True)
        sought, steps = form, steps + 1
        if steps > len(BUILTIN) + len(aliases):
            raise BadConfig(f"invalid --pretty format: '{text(value)}' references an alias which points to itself")


def _named(sought: bytes, aliases: dict[bytes, bytes]) -> bytes | None:
    """The shortest name that begins with the text."""
    best: bytes | None = None
    for name in (*BUILTIN, *aliases):
        if name.startswith(sought) and (best is None or len(name) < len(best)):
            best = name
    return best


def pretty_aliases(config: Settings) -> dict[bytes, bytes]:
    """The aliases pretty.<name> of the configuration; built-in names cannot be changed."""
    items = config.section_items(b"pretty")
    return {name: value for name, value in items if name not in BUILTIN and value is not None}
