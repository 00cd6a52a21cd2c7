"""The settings of a server: the options of `gitglass-mcp`, as values. Does not import `mcp`."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NoReturn

from ...commands.policy import Level, Policy
from ...errors import GitError, NotARepository
from ...limits import Limits
from ...version import __version__
from ..budget import Budget
from ..profiles import ELSEWHERE, PROFILES
from ..roots import Roots
from ..tool import Tool, tools
from ..writing import Access

__all__ = ["DROP_IN", "Http", "Settings", "UsageError", "read_options", "tools_of"]

#: the profile that imitates `mcp-server-git`
DROP_IN = "mcp-server-git"
#: the key, in the scope of an HTTP request, of the event that its client has disconnected
GONE = "gitglass.gone"

#: default bytes of an answer: native ones fit what agents' hosts show, other profiles have their own limits
_BYTES = {"native": 40_000, DROP_IN: 1_000_000}
_OTHERS_BYTES = 200_000

#: profile → its option that lists the tools that make changes
_WRITERS = {"native": "write", "forge": "mutating", DROP_IN: "mutating", "nexus": "write", "openharness": "write"}

_LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


@dataclass(frozen=True, slots=True)
class Http:
    """The address of streamable HTTP, and the Host and Origin headers that it accepts."""

    host: str = "127.0.0.1"
    port: int = 8000
    path: str = "/mcp"
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def netloc(self) -> str:
        """The host in the form used in addresses."""
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True)
class Settings:
    """One server: its tools, its callers, and the size of its answers.

    `max_bytes` and `max_items` are None if each profile keeps its own limits. `http` is None for stdio.
    `server_version` is the serverInfo.version that clients see: a host may expect that of mcp-server-git. `write`
    carries changes out; None: no tool that writes is listed, and nothing is changed. With `approve_by_meta` a plan's
    token in a call's `_meta` approves that plan: the client puts it there, never a model. `desk` has the workspaces of
    the profiles `ws` and `workspace`. `patches`: `write` allows the profile forge's git_diff to write, and its hints
    then say so.
    """

    roots: Roots
    profiles: tuple[str, ...] = ("native",)
    only: tuple[str, ...] | None = None
    limits: Limits = field(default_factory=Limits)
    max_bytes: int | None = None
    max_items: int | None = None
    level: Level | None = None
    structured: bool = False
    raw: bool = False
    audit: bool = False
    verbose: int = 0
    http: Http | None = None
    server_version: str = __version__
    write: Access | None = None
    desk: object | None = None
    approve_by_meta: bool = False
    patches: bool = False

    @property
    def drop_in(self) -> bool:
        """Whether the server replaces `mcp-server-git`, and uses its name."""
        return self.profiles == (DROP_IN,)

    def budget(self, profile: str) -> Budget:
        """The budget of answers of a profile."""
        usual = Budget(_BYTES.get(profile, _OTHERS_BYTES))
        return Budget(self.max_bytes or usual.max_bytes, usual.max_stderr_bytes, self.max_items)

    def policy(self) -> Policy | None:
        """What callers may do; None: each profile's own default."""
        return None if self.level is None else Policy(level=self.level)


class UsageError(Exception):
    """The command line is wrong; `status` is the exit status."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


def tools_of(settings: Settings) -> dict[str, tuple[Tool, str]]:
    """The tools by name, each with its profile, in the order of the list.

    Raises UsageError if two profiles define one name, and for an unknown name.
    """
    pairs: dict[str, tuple[Tool, str]] = {}
    for profile in settings.profiles:
        for tool in tools(profile, **_options_of(profile, settings)):
            if tool.name in pairs:
                raise UsageError(f"profiles '{pairs[tool.name][1]}' and '{profile}' both define the tool '{tool.name}'")
            pairs[tool.name] = (tool, profile)
    if settings.only is None:
        return pairs
    for name in settings.only:
        if name not in pairs:
            raise UsageError(f"unknown tool '{name}'; there are {', '.join(pairs)}")
    return {name: pair for name, pair in pairs.items() if name in settings.only}


def _options_of(profile: str, settings: Settings) -> dict[str, Any]:
    """The profile's option that lists the tools that only make changes, if changes are possible."""
    if settings.write is None or profile not in _WRITERS:
        return {}
    more = {"forge": ("patches", settings.patches), "native": ("network", settings.write.reaches_others)}
    name, is_granted = more.get(profile, ("", False))
    return {_WRITERS[profile]: True, **({name: True} if is_granted else {})}


# ------------------------------------------------------------------------------------------------------------- options
class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


_OPTIONS: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (
        ("--profile",),
        {"action": "append", "default": [], "metavar": "NAME", "help": f"{', '.join(PROFILES)}; repeatable"},
    ),
    (("--tools",), {"metavar": "NAMES", "help": "only these tools, separated by commas"}),
    (("--level",), {"metavar": "LEVEL", "help": "sandboxed, trusted, yolo"}),
    (
        ("--write",),
        {"action": "store_true", "help": "tools that change something too; a person approves each plan (see --level)"},
    ),
    (("--identity",), {"metavar": "NAME <EMAIL>", "help": "--write: who commits (default: the repository's user)"}),
    (
        ("--hooks",),
        {"choices": ("refuse", "skip"), "help": "--write: where a hook is installed (default: refuse the operation)"},
    ),
    (
        ("--patches",),
        {
            "action": "append",
            "default": [],
            "metavar": "FOLDER",
            "help": "--write: a folder of the work tree into which forge's git_diff may write; a pattern; repeatable",
        },
    ),
    (
        ("--remote",),
        {
            "action": "append",
            "default": [],
            "metavar": "PATTERN",
            "help": "--write: other repositories that may be asked and pushed to: addresses, paths; repeatable",
        },
    ),
    (("--grant",), {"metavar": "FILE", "help": "--write: JSON that grants remotes and programs; in no root"}),
    (
        ("--approve-by-meta",),
        {"action": "store_true", "help": "a plan's token in a call's _meta (gitglass/approved) approves it"},
    ),
    (("--workspace",), {"metavar": "FILE", "help": "profiles ws, workspace: as [tools.git.workspace] of FILE says"}),
    (("--timeout",), {"metavar": "SECONDS", "help": "deadline of a call (default: 30)"}),
    (("--max-bytes",), {"metavar": "N", "help": "bytes of an answer"}),
    (("--max-items",), {"metavar": "N", "help": "items (commits, files, lines) of an answer"}),
    (("--structured",), {"action": "store_true", "help": "the typed result beside the text"}),
    (("--raw",), {"action": "store_true", "help": "text as it is in the repository, control characters included"}),
    (("--audit",), {"action": "store_true", "help": "a line of JSON on stderr for each call"}),
    (("--http",), {"nargs": "?", "const": "8000", "metavar": "[HOST:]PORT", "help": "streamable HTTP, not stdio"}),
    (("--path",), {"default": "/mcp", "metavar": "PATH", "help": "HTTP: the endpoint's path (default: /mcp)"}),
    (("--allow-remote",), {"action": "store_true", "help": "HTTP: listen where other machines can reach it"}),
    (
        ("--allow-host",),
        {"action": "append", "default": [], "metavar": "HOST", "help": "HTTP: a Host header to accept"},
    ),
    (
        ("--allow-origin",),
        {"action": "append", "default": [], "metavar": "ORIGIN", "help": "HTTP: an Origin to accept"},
    ),
    (
        ("--server-version",),
        {"default": __version__, "metavar": "VERSION", "help": "serverInfo.version (default: that of gitglass)"},
    ),
    (("-v", "--verbose"), {"action": "count", "default": 0, "help": "more of the SDK's log on stderr"}),
]


def _parser(script: str, profile: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=script,
        description="Serve git repositories over MCP: read only but for --write, jailed to the roots, no git binary.",
        allow_abbrev=False,
    )
    without = "any that a call names" if profile == DROP_IN else "the one that the current directory is in"
    parser.add_argument(
        "-r", "--root", "--repository", action="append", default=[], metavar="[NAME=]PATH", dest="roots",
        help=f"a directory that may be read, and its short name; repeatable. Without it: {without}",
    )  # fmt: skip
    for flags, options in _OPTIONS:
        parser.add_argument(*flags, **options)
    parser.add_argument("--version", action="version", version=f"{script} {__version__}")
    return parser


def _positive(option: str, word: str | None) -> int | None:
    if word is None:
        return None
    if not word.isdecimal() or not int(word):
        raise UsageError(f"{option}: '{word}' is not a number above 0")
    return int(word)


def _seconds(word: str | None) -> float:
    try:
        value = 30.0 if word is None else float(word)
    except ValueError:
        value = 0.0
    if not 0 < value <= 600:
        raise UsageError(f"--timeout: '{word}' is not a number of seconds up to 600")
    return value


def read_options(
    argv: Sequence[str],
    script: str = "gitglass-mcp",
    profile: str = "native",
    variable: Callable[[str], str | None] | None = None,
) -> Settings:
    """The settings of a command line. `variable` looks up a token for GitHub, if one is needed. Raises UsageError;
    SystemExit after `--help` and `--version`."""
    given = _parser(script, profile).parse_args(list(argv))
    profiles = tuple(dict.fromkeys(given.profile or ["ws" if given.workspace else profile]))
    for name in profiles:
        if name not in PROFILES:
            raise UsageError(f"unknown profile '{name}'; there are {', '.join(PROFILES)}")
    try:
        level = None if given.level is None else Level.of(given.level)
        roots = _roots(given.roots, drop_in=profiles == (DROP_IN,))
        write = _access(given, roots, variable)
        desk = _desk(given.workspace, profiles)
    except NotARepository:
        raise UsageError("no repository here; --root names what may be read") from None
    except GitError as error:
        raise UsageError(error.message) from None
    return Settings(
        roots,
        profiles,
        None if given.tools is None else tuple(name for name in given.tools.split(",") if name),
        Limits(timeout=_seconds(given.timeout)),
        _positive("--max-bytes", given.max_bytes),
        _positive("--max-items", given.max_items),
        level,
        given.structured,
        given.raw,
        given.audit,
        given.verbose,
        _http(given),
        given.server_version,
        write,
        desk,
        given.approve_by_meta,
        bool(given.patches),
    )


def _access(given: argparse.Namespace, roots: Roots, variable: Callable[[str], str | None] | None) -> Access | None:
    """The write access that the command line grants. A server loads the write side only here, and only if it is
    granted."""
    if not given.write:
        if any((given.identity, given.hooks, given.patches, given.remote, given.grant)):
            raise UsageError("--identity, --hooks, --patches, --remote and --grant belong to --write")
        if given.approve_by_meta and not given.workspace:
            raise UsageError("--approve-by-meta belongs to --write and --workspace")
        return None
    access_of = import_module("gitglass.mutate.access").access_of
    made: Access = access_of(
        given.identity, given.hooks, tuple(given.patches), remotes=tuple(given.remote), grant_file=given.grant,
        variable=variable, folders=tuple(map(os.path.realpath, roots.named.values())),
    )  # fmt: skip
    return made


def _desk(file: str | None, profiles: tuple[str, ...]) -> object | None:
    """The desk of a configuration file: the code that works in memory, and pushes, is loaded only here."""
    if file is None:
        return None
    if not set(profiles) & set(ELSEWHERE):
        raise UsageError(f"--workspace: profile {' or '.join(ELSEWHERE)} has the tools for it")
    made: object = import_module("gitglass.workspace.setup.desks").desk_here(file)
    return made


def _roots(words: list[str], *, drop_in: bool) -> Roots:
    if not words:
        return Roots.anywhere() if drop_in else Roots.here(".")
    if drop_in:
        return _repository(words)
    roots = Roots(())
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or "/" in name or not name:
            name, path = "", word
        elif name in roots.named:
            raise UsageError(f"two roots are called '{name}'")
        roots.add(path, name)
    for name, directory in roots.named.items():
        if not Roots.is_directory(directory):
            raise UsageError(f"root '{name}': no such directory: {directory.decode('utf-8', 'replace')}", 1)
    return roots


def _repository(words: list[str]) -> Roots:
    """`--repository` as mcp-server-git interprets it: one repository, searched once in the parent directories."""
    if len(words) > 1:
        raise UsageError("one --repository only")
    path = words[0]
    if not Roots.is_directory(path):
        raise UsageError(f"{path} does not exist", 1)
    try:
        return Roots.here(path)
    except NotARepository:
        raise UsageError(f"{path} is not a valid Git repository", 0) from None


def _http(given: argparse.Namespace) -> Http | None:
    if given.http is None:
        if given.allow_remote or given.allow_host or given.allow_origin:
            raise UsageError("--allow-remote, --allow-host and --allow-origin belong to --http")
        return None
    host, colon, port = given.http.rpartition(":")
    host = (host if colon else "127.0.0.1").strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--http: '{given.http}' is not [HOST:]PORT")
    if not _LOOPBACK.fullmatch(host) and not given.allow_remote:
        raise UsageError(
            f"--http: {host} can be reached by other machines, and the server asks nobody who they are; "
            "--allow-remote says that this is meant"
        )
    if not given.path.startswith("/"):
        raise UsageError("--path begins with a slash")
    return Http(host, int(port), given.path, tuple(given.allow_host), tuple(given.allow_origin))
