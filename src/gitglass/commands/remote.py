"""git remote: the remotes, their addresses, and what is known about one without contacting it."""

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import InvalidArgs, NotFound, Unsupported, UsageError
from ..limits import Context
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.remotes import show_remote
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.remotes import Remote, address, check_refspecs, pulls_from, remote, remotes, tracked_branches
from .command import Command


@typed_row
class RemoteRow:
    """One remote: its name, its addresses for fetching and pushing, and what is fetched."""

    name: str
    urls: list[str]
    push_urls: list[str]
    fetch: list[str]


class RemoteResult(Result):
    """Remotes."""

    remotes: list[RemoteRow] = Field(description="The remotes, by name.")


class RemoteRequest(Request[RemoteResult]):
    """`git remote`, `git remote -v`."""

    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="With addresses.")


class RemoteShowRequest(Request[RemoteResult]):
    """`git remote show [-n <name>...]`."""

    names: list[str] = Field(default_factory=list, description="Which remotes; none: the list of all.")
    no_query: Annotated[bool, Flag("-n")] = Field(False, description="Do not ask the remote (it is never asked).")
    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="With addresses.")


class RemoteGetUrlRequest(Request[RemoteResult]):
    """`git remote get-url <name>`."""

    name: str = Field(description="The remote.")
    push: Annotated[bool, Flag("--push", no=True)] = Field(False, description="The addresses that are pushed to.")
    all: Annotated[bool, Flag("--all", no=True)] = Field(False, description="Every address, not only the first.")
    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="Changes nothing.")


BEFORE = FRONT = frozenset(["-v", "--verbose", "--no-verbose"])  # only before a subcommand
WRITES = frozenset(["add", "rename", "rm", "remove", "set-head", "set-branches", "set-url", "prune", "update"])


def bind_list(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind no words: a word would be a subcommand."""
    for word in words.before + words.after:
        if word in WRITES:
            raise Unsupported(f"gitglass remote {word} would write; refused", status=129, prefix="error")
        raise UsageError(f"unknown subcommand: `{word}'")


def bind_show(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind words as names."""
    values["names"] = words.before + words.after


def bind_get_url(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind one word, the name."""
    names = words.before + words.after
    if len(names) != 1:
        raise InvalidArgs("usage: git remote get-url [--push] [--all] <name>", prefix="")
    values["name"] = names[0]


def run_list(store: Store, request: RemoteRequest, ctx: Context) -> list[Remote]:
    """Every remote."""
    check_refspecs(store.config, store.hex_len)
    return remotes(store.config)


def run_show(store: Store, request: RemoteShowRequest, ctx: Context) -> list[Remote]:
    """The named remotes, or all of them."""
    check_refspecs(store.config, store.hex_len)
    if not request.names:
        return remotes(store.config)
    if not request.no_query:
        raise Unsupported(
            "gitglass remote show asks no remote: use 'remote show -n <name>'", status=129, prefix="error", option="-n"
        )
    return [remote(store.config, to_bytes(name)) for name in request.names]


def run_get_url(store: Store, request: RemoteGetUrlRequest, ctx: Context) -> list[Remote]:
    """The named remote; raises GitError (status 2) if the repository has none of that name."""
    check_refspecs(store.config, store.hex_len)
    one = remote(store.config, to_bytes(request.name))
    if not one.own:
        raise NotFound(f"No such remote '{request.name}'", prefix="error", status=2)
    return [one]


def collect(remotes: list[Remote], request: Request[RemoteResult]) -> RemoteResult:
    """The typed result of all three."""
    rows = [
        RemoteRow(
            to_text(one.name), list(map(to_text, one.urls)), list(map(to_text, one.push_urls or one.urls)),
            list(map(to_text, one.fetch)),
        )
        for one in remotes
    ]  # fmt: skip
    return RemoteResult(remotes=rows)


def render_list(remotes: list[Remote], request: RemoteRequest, style: Style) -> Iterator[bytes]:
    """Names, or a line for each address."""
    yield from _names(remotes, request.verbose)


def _names(remotes: list[Remote], verbose: bool) -> Iterator[bytes]:
    for one in remotes:
        if not verbose:
            yield one.name + b"\n"
        elif not one.urls and not one.push_urls:
            yield one.name + b"\t\n"
        else:
            note = b"" if one.filter is None else b" [%b]" % one.filter
            if one.urls:
                yield b"%b\t%b (fetch)%b\n" % (one.name, one.urls[0], note)
            else:
                yield one.name + b"\t\n"
            for url in one.push_urls or one.urls:
                yield b"%b\t%b (push)\n" % (one.name, url)


def render_show(remotes: list[Remote], request: RemoteShowRequest, style: Style) -> Iterator[bytes]:
    """The known facts about each remote; without names, the list."""
    if not request.names:
        yield from _names(remotes, request.verbose)
        return
    store = style.store
    for one in remotes:
        if not one.urls:
            one.urls = [address(store.config, one.name)]
        yield from show_remote(one, tracked_branches(store.refs, one), pulls_from(store.config, one.name))


def render_get_url(remotes: list[Remote], request: RemoteGetUrlRequest, style: Style) -> Iterator[bytes]:
    """The first address, or all."""
    one = remotes[0]
    urls = (one.push_urls or one.urls) if request.push else one.urls
    urls = urls or [address(style.config, one.name)]
    for url in urls if request.all else urls[:1]:
        yield url + b"\n"


SUBCOMMANDS = {
    "show": Command(
        "remote show",
        RemoteShowRequest,
        RemoteResult,
        run_show,
        collect,
        render_show,
        bind=bind_show,
        summary="What is known of a remote without asking it.",
        usage="git remote [-v] show [-n <name>...]",
    ),
    "get-url": Command(
        "remote get-url",
        RemoteGetUrlRequest,
        RemoteResult,
        run_get_url,
        collect,
        render_get_url,
        bind=bind_get_url,
        summary="The addresses of a remote.",
        usage="git remote get-url [--push] [--all] <name>",
    ),
}
COMMAND = Command(
    "remote",
    RemoteRequest,
    RemoteResult,
    run_list,
    collect,
    render_list,
    bind=bind_list,
    stop=True,
    summary="The remotes.",
    usage="git remote [-v] [show [-n <name>...] | get-url [--push] [--all] <name>]",
)
