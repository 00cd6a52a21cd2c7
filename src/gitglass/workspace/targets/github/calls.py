"""The meaning of GitHub's answers for a push: done, moved, refused, to be tried later, or lost."""

from __future__ import annotations

from typing import Any, NoReturn
from urllib.parse import quote

from ....errors import NotFound, PermissionDenied, Timeout
from ....mutate.grant import WriteGrant
from ....mutate.remote.api.client import JsonAnswer, JsonClient
from ....mutate.remote.credentials import GitAuthError
from ....mutate.remote.web import RemoteFailed
from ..protocol import LostAnswer, Rejected, Unreachable

#: GitHub's documentation: wait a minute after a secondary limit that states no time
SECONDARY = 60.0


class Repository:
    """The requests to one repository by the REST interface."""

    def __init__(self, repo: str, api: str, grant: WriteGrant) -> None:
        self.repo = repo
        self._client = JsonClient(f"{api.rstrip('/')}/repos/{repo}", grant)

    def read(self, path: str) -> JsonAnswer:
        """The answer to a request that only reads; 404 and 409 are answers too. Raises Unreachable,
        PermissionDenied, NotFound."""
        answer = asked(self._client, "GET", path, None, changes=False)
        if answer.status in (200, 404, 409):
            return answer
        refused = PermissionDenied if answer.status in (401, 403) else NotFound
        raise refused(f"GitHub: {answer.words}", http=answer.status)

    def write(self, method: str, path: str, body: Any, *, moves: bool = False) -> JsonAnswer:
        """The answer to a request that makes objects, or (`moves`) moves a ref. Raises GitAuthError, Unreachable;
        LostAnswer only if a ref may have moved."""
        if not self._client.has_token:
            raise GitAuthError()
        return asked(self._client, method, path, body, changes=moves)

    def made(self, path: str, body: Any) -> Any:
        """GitHub's answer to a request that makes an object. Raises Unreachable, Rejected."""
        answer = self.write("POST", path, body)
        if answer.status not in (200, 201) or not isinstance(answer.value, dict):
            refuse(answer)
        return answer.value


def asked(client: JsonClient, method: str, path: str, body: Any, *, changes: bool) -> JsonAnswer:
    """Send one request. `changes`: if no answer comes, it is open whether a ref has moved."""
    lost = LostAnswer if changes else Unreachable
    try:
        answer = client.ask(method, path, body)
    except (RemoteFailed, Timeout) as error:
        raise lost(error.message) from error
    if is_limited(answer):
        wait = answer.wait
        raise Unreachable(f"GitHub: {answer.words}", wait=SECONDARY if wait is None else wait)
    if answer.status >= 500 or (answer.status < 300 and answer.value is None):
        raise lost(f"GitHub: {answer.words}", wait=answer.wait)
    return answer


def is_limited(answer: JsonAnswer) -> bool:
    """Whether GitHub refused the request because of a limit, primary or secondary."""
    if answer.status == 429:
        return True
    limited = answer.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in answer.headers
    return answer.status == 403 and (limited or "rate limit" in answer.words.lower())


def refuse(answer: JsonAnswer) -> NoReturn:
    """Raise Rejected with GitHub's words, and those about each field."""
    words = [f"GitHub: {answer.words} (HTTP {answer.status})"]
    errors = answer.value.get("errors") if isinstance(answer.value, dict) else None
    for one in errors if isinstance(errors, list) else ():
        words.append(str(one.get("message", one) if isinstance(one, dict) else one)[:300])
    raise Rejected(words[0], server=tuple(words), http=answer.status)


def in_path(name: str) -> str:
    """A branch's name or ref as a part of an address."""
    return quote(name.encode("utf-8", "surrogateescape"), safe="/")
