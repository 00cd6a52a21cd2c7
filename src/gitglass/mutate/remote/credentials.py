"""Who an http server is told that we are: a host's provider; for GitHub a token of the environment, or of a program.

Asked for each time, kept for one conversation, sent in the `Authorization` header to the one origin of the address, and
never part of an address, an error, a log or an audit record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ...deferred import deferred
from ...errors import PermissionDenied
from ...limits import Context, Limits
from ..grant import Credential, CredentialProvider, WriteGrant
from ..process.granted import Program, Programs
from .addresses import LOOPBACK, Address

if TYPE_CHECKING:
    from ..process.tokens import token_of
else:  # loads what starts programs
    token_of = deferred(__name__, "..process.tokens", "token_of")

_GITHUB = ("github.com", "api.github.com")
_USER = "x-access-token"
#: what helps where GitHub asks who is there, and nobody has said
NO_TOKEN = (
    "GitHub authentication required.\nEither:\n  - Set GITHUB_TOKEN environment variable, or\n"
    "  - Run `gh auth login` to authenticate with GitHub CLI"
)


class GitAuthError(PermissionDenied):
    """GitHub wants to know who asks, and the host has no token for it."""

    def __init__(self) -> None:
        super().__init__(NO_TOKEN, status=128)


def environment_tokens(*tokens: str | None) -> CredentialProvider:
    """A provider for GitHub's own host of the first token that there is (`GITHUB_TOKEN`, `GH_TOKEN`); the values are
    handed in by the door that may read the environment."""
    token = next((one.strip() for one in tokens if one and one.strip()), None)

    def provide(url: str) -> Credential | None:
        return Credential(_USER, token) if token is not None and is_github(url) else None

    return provide


def variable_tokens(variable: Callable[[str], str | None], *names: str) -> CredentialProvider:
    """The same of variables that are looked up each time, by the door that may read the environment."""

    def provide(url: str) -> Credential | None:
        return environment_tokens(*map(variable, names))(url) if is_github(url) else None

    return provide


def program_tokens(programs: Programs, folders: tuple[bytes, ...]) -> CredentialProvider:
    """A provider for GitHub's own host of what the granted program prints (`gh auth token`), run each time. No program
    lies in one of `folders`. A program that fails, or prints nothing, has no token to give."""

    def provide(url: str) -> Credential | None:
        if programs.token is None or not is_github(url):
            return None
        with Context(Limits(timeout=programs.seconds)) as ctx:
            token = token_of(programs.token, programs, folders, ctx)
        return None if token is None else Credential(_USER, token)

    return provide


def github_credentials(
    token: str | None = None,
    gh: Program | None = None,
    *,
    programs: Programs | None = None,
    hosts: tuple[str, ...] = _GITHUB,
) -> CredentialProvider:
    """A provider for a GitHub: the token that is given (of `GITHUB_TOKEN`, by the door that may read the environment),
    or else what the GitHub CLI prints, which the host grants as a program and which is run each time anew:

        Program(("/usr/bin/gh", "auth", "token"), variables=(("GH_CONFIG_DIR", "/home/me/.config/gh"),))

    Nothing is kept. `hosts` are those that the token is for. Raises NotGranted, when it is asked, for a program that
    may not be run; one that fails has no token.
    """
    given = (token or "").strip()

    def provide(url: str) -> Credential | None:
        parts = urlsplit(url)
        if parts.hostname not in hosts or (parts.scheme != "https" and parts.hostname not in LOOPBACK):
            return None
        word: str | None = given
        if not word and gh is not None:
            granted = programs or Programs()
            with Context(Limits(timeout=granted.seconds)) as ctx:
                word = token_of(gh, granted, (), ctx)
        return Credential(_USER, word) if word else None

    return provide


def first_of(*providers: CredentialProvider | None) -> CredentialProvider:
    """The first answer that one of these providers has."""

    def provide(url: str) -> Credential | None:
        answers = (provider(url) for provider in providers if provider is not None)
        return next((answer for answer in answers if answer is not None), None)

    return provide


def is_github(url: str) -> bool:
    """Whether an address is of GitHub's own host, asked under its certificate."""
    parts = urlsplit(url)
    return parts.scheme == "https" and parts.hostname in _GITHUB


def credential_for(address: Address, grant: WriteGrant) -> Credential | None:
    """What stands in the address itself, else the host's answer."""
    login = address.login
    if login is not None and login[1]:
        return Credential(*login)
    given = grant.credentials(address.bare) if grant.credentials is not None else None
    if given is None and login is not None:
        return Credential(login[0], "")
    return given
