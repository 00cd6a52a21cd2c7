"""git var: git's logical variables, from the configuration and, for the identity, the environment."""

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, InvalidArgs, NotFound, text
from ..limits import Context
from ..objects.idents import configured_person, need_person
from ..plans.positionals import Positionals
from ..render.dates import local_zone
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_text
from ..revs.dates import strict_date
from .command import Command

_USAGE = "usage: git var (-l | <variable>)"
_NAMES = ("GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT", "GIT_EDITOR", "GIT_PAGER", "GIT_DEFAULT_BRANCH")


class VarResult(Result):
    """Variables by name."""

    variables: dict[str, str] = Field(description="What they hold.")


class VarRequest(Request[VarResult]):
    """`git var`."""

    name: str | None = Field(None, description="The variable; none for all.")
    all: Annotated[bool, Flag("-l")] = Field(False, description="Settings and variables.")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind one name, or -l."""
    names = words.before + words.after
    if len(names) + bool(values.get("all")) != 1:
        raise InvalidArgs(_USAGE, prefix="")
    values["name"] = names[0] if names else None


def run(store: Store, request: VarRequest, ctx: Context) -> dict[str, bytes]:
    """The values. Raises GitError if an ident is not configured."""
    if request.name is None:
        return {name: value for name in _NAMES if (value := _value(store, name, ctx, strict=False)) is not None}
    if request.name not in _NAMES:
        raise InvalidArgs(_USAGE, prefix="")
    value = _value(store, request.name, ctx, strict=True)
    if value is None:
        raise NotFound("", status=1)
    return {request.name: value}


def _value(store: Store, name: str, ctx: Context, *, strict: bool) -> bytes | None:
    config = store.config
    if name == "GIT_DEFAULT_BRANCH":
        return config.get("init.defaultBranch") or b"master"
    if name == "GIT_EDITOR":
        return _editor(store, strict=strict)
    if name == "GIT_PAGER":
        return _pager(store)
    who = "author" if name == "GIT_AUTHOR_IDENT" else "committer"
    people = store.where.people
    person = need_person(config, who, people) if strict else configured_person(config, who, people)
    if person is None:
        return None
    given = people.get(f"{who}.date")
    if not given:
        return b"%b <%b> %d %+05d" % (*person, ctx.now, local_zone(ctx.now))
    date = strict_date(given, ctx.now)
    if date is None:
        raise BadRequest(f"invalid date format: {text(given)}")
    zone = abs(date[1]) // 60 * 100 + abs(date[1]) % 60
    return b"%b <%b> %d %+05d" % (*person, date[0], -zone if date[1] < 0 else zone)


def _editor(store: Store, *, strict: bool) -> bytes | None:
    """The editor (git-var(1)); if none is configured, None on a dumb terminal, or BadRequest."""
    programs = store.where.programs
    given = programs or {}
    dumb = programs is not None and given.get("TERM", b"dumb") == b"dumb"
    visual = None if dumb else given.get("VISUAL")
    for value in (given.get("GIT_EDITOR"), store.config.get("core.editor"), visual, given.get("EDITOR")):
        if value is not None:
            return value
    if dumb and strict:
        raise BadRequest("Terminal is dumb, but EDITOR unset")
    return None if dumb else b"vi"


def _pager(store: Store) -> bytes:
    """The pager (git-var(1)); `cat` if it is disabled."""
    given = store.where.programs or {}
    for value in (given.get("GIT_PAGER"), store.config.get("core.pager"), given.get("PAGER")):
        if value is not None:
            return value or b"cat"
    return b"less"


def collect(variables: dict[str, bytes], request: VarRequest) -> VarResult:
    """The typed result."""
    return VarResult(variables={name: to_text(value) for name, value in variables.items()})


def render(variables: dict[str, bytes], request: VarRequest, style: Style) -> Iterator[bytes]:
    """The value; with -l every setting and variable as `name=value`."""
    if request.name is not None:
        yield variables[request.name] + b"\n"
        return
    for key, value in style.config.items():
        yield key + (b"" if value is None else b"=" + value) + b"\n"
    for name, value in variables.items():
        yield b"%b=%b\n" % (name.encode(), value)


COMMAND = Command(
    "var",
    VarRequest,
    VarResult,
    run,
    collect,
    render,
    bind=bind,
    needs_repository=False,
    settings="var",
    summary="git's own variables.",
    unknown=lambda word: InvalidArgs(_USAGE, prefix=""),
    usage=_USAGE,
)
