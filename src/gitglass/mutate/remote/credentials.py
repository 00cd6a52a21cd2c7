"""Who an http server is told that we are: a host's provider, or the token of the environment for GitHub.

Asked for each time, kept for one conversation, sent in the `Authorization` header to the one origin of the address, and
never part of an address, an error, a log or an audit record.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from ..grant import Credential, CredentialProvider, WriteGrant
from .addresses import Address

_GITHUB = ("github.com", "api.github.com")


def environment_tokens(*tokens: str | None) -> CredentialProvider:
    """A provider for GitHub's own host of the first token that there is (`GITHUB_TOKEN`, `GH_TOKEN`); the values are
    handed in by the door that may read the environment."""
    token = next((one.strip() for one in tokens if one and one.strip()), None)

    def provide(url: str) -> Credential | None:
        parts = urlsplit(url)
        if token is None or parts.scheme != "https" or parts.hostname not in _GITHUB:
            return None
        return Credential("x-access-token", token)

    return provide


def credential_for(address: Address, grant: WriteGrant) -> Credential | None:
    """What stands in the address itself, else the host's answer."""
    login = address.login
    if login is not None and login[1]:
        return Credential(*login)
    given = grant.credentials(address.bare) if grant.credentials is not None else None
    if given is None and login is not None:
        return Credential(login[0], "")
    return given
