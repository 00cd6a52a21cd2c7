"""The one place where a socket is opened: requests to one origin, bounded in time and bytes.

A pool of our own: no proxy of the environment, no `.netrc`, no cookies, no redirect (a server that sends elsewhere is
refused by name), certificates always verified. A body larger than the limit ends the conversation, and so does one that
comes more slowly than the deadline allows. What is raised never holds a credential.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import urllib3
from dulwich.client import AbstractHttpGitClient, HTTPUnauthorized
from dulwich.errors import GitProtocolError, NotGitRepository, SendPackError
from urllib3.exceptions import HTTPError

from ...errors import GitError, NotFound, PermissionDenied, Timeout, TooLarge
from ...limits import running
from ..grant import WriteGrant
from .addresses import Address
from .credentials import NO_TOKEN, credential_for, is_github
from .wire.connections import pools

_MOST_WORDS = 2000
#: what dulwich's client trips over where a server does not speak the protocol
_ODD = (ValueError, AssertionError, LookupError, OSError, EOFError, TypeError, AttributeError)
ADVERTISEMENT = 64 << 20


class RemoteFailed(GitError):
    """The other repository could not be asked, or answered with something else than git's protocol. `sent` says whether
    a request that changes something was on its way."""

    code = "remote_failed"
    status = 128


class Client(AbstractHttpGitClient):
    """dulwich's smart HTTP client over our own pool."""

    def __init__(self, address: Address, grant: WriteGrant) -> None:
        super().__init__(address.bare, thin_packs=True, quiet=True, include_tags=False)
        self._address, self._limit = address, grant.limits.total_bytes
        self._end = time.monotonic() + grant.limits.network_timeout
        self._pool = urllib3.PoolManager(
            num_pools=1, retries=False, cert_reqs="CERT_REQUIRED", headers={"User-Agent": "git/gitglass"},
            ca_cert_data=grant.authorities,
        )  # fmt: skip
        self._pool.pool_classes_by_scheme = pools(self._left)
        self._credential = credential_for(address, grant)
        self._took = 0
        self.posted = False

    def _http_request(
        self, url: str, headers: dict[str, str] | None = None, data: Any = None, raise_for_status: bool = True
    ) -> tuple[Any, Callable[[int], bytes]]:
        """One request. Raises RemoteFailed, NotFound, PermissionDenied, Timeout, TooLarge."""
        base = self._base_url
        if not url.startswith(base):
            raise RemoteFailed(f"'{self._shown}' sends to another place: that is not followed")
        sent = dict(self._pool.headers) | dict(headers or {}) | {"Pragma": "no-cache", "Accept-Encoding": "identity"}
        if self._credential is not None:
            basic = f"{self._credential.user}:{self._credential.password}"
            sent["Authorization"] = urllib3.make_headers(basic_auth=basic)["authorization"]
        left = self._left()
        self.posted = self.posted or (data is not None and url.endswith("git-receive-pack"))
        try:
            response: Any = self._pool.request(
                "GET" if data is None else "POST", url, body=data, headers=sent, preload_content=False, redirect=False,
                timeout=urllib3.Timeout(connect=min(left, 20.0), read=left),
            )  # fmt: skip
        except HTTPError as error:
            raise self._failed(error) from None
        self._check(response)
        response.content_type = response.headers.get("Content-Type")
        if data is None and not str(response.content_type).startswith("application/x-git-"):
            response.close()
            raise RemoteFailed(f"'{self._shown}/' does not speak git's smart protocol")
        response.redirect_location = ""
        return response, self._reader(response, ADVERTISEMENT if data is None else self._limit)

    def refs_for_push(self) -> tuple[Any, Any, Any]:
        """(refs, symbolic ones, what tags stand for), as it says them to who wants to push."""
        refs, _, _, symrefs, peeled = self._discover_references(b"git-receive-pack", self._get_url(""))
        return refs, symrefs, peeled

    @property
    def _shown(self) -> str:
        return self._address.shown.decode("utf-8", "replace")

    def _left(self) -> float:
        """Seconds that are left. Raises Timeout, and what ends the running call."""
        ctx = running()
        if ctx is not None:
            ctx.look()
        left = self._end - time.monotonic()
        if left <= 0:
            raise Timeout(f"'{self._shown}' did not answer in time")
        return left

    def _failed(self, error: HTTPError) -> GitError:
        """An error of the connection, without what was sent."""
        kind = type(error).__name__
        return RemoteFailed(f"unable to access '{self._shown}/': {kind}")

    def _check(self, response: Any) -> None:
        """Raise for every answer that is not git's."""
        status = response.status
        if status == 200:
            return
        words = b""
        if response.headers.get("Content-Type", "").startswith("text/plain"):
            words = response.read(_MOST_WORDS) or b""
        response.close()
        shown = " ".join(words.decode("utf-8", "replace").split())
        tail = f": {shown}" if shown else ""
        if 300 <= status < 400:
            raise RemoteFailed(f"'{self._shown}' sends elsewhere (HTTP {status}): that is not followed")
        if status in (401, 403):
            words_for = "Authentication failed" if status == 401 else "access denied"
            lacks = status == 401 and self._credential is None and is_github(self._address.bare)
            raise PermissionDenied(
                f"{words_for} for '{self._shown}/'{tail}", status=128, prefix="fatal", hint=NO_TOKEN if lacks else None
            )
        if status == 404:
            raise NotFound(f"repository '{self._shown}/' not found", status=128, prefix="fatal")
        wait = response.headers.get("Retry-After")
        more = f" (again after {wait[:40]})" if wait else ""
        words_of = f"unable to access '{self._shown}/': the server answered {status}{more}{tail}"
        raise RemoteFailed(words_of, wait=int(wait) if wait and wait.isdecimal() else None)

    def _reader(self, response: Any, most: int) -> Callable[[int], bytes]:
        took = 0

        def read(size: int) -> bytes:
            nonlocal took
            self._left()
            try:
                part: bytes = response.read(size)
            except HTTPError as error:
                raise self._failed(error) from None
            took += len(part)
            if took > most:
                response.close()
                raise TooLarge(f"'{self._shown}' sends more than {most} bytes", limit=most)
            return part

        return read


class asked:
    """What dulwich's client raises, as errors of ours."""

    def __init__(self, address: Address) -> None:
        self._shown = address.shown.decode("utf-8", "replace")

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None or isinstance(error, GitError | KeyboardInterrupt | RecursionError):
            return
        if isinstance(error, NotGitRepository):
            raise NotFound(f"repository '{self._shown}/' not found", status=128, prefix="fatal") from None
        if isinstance(error, HTTPUnauthorized):
            raise PermissionDenied(f"Authentication failed for '{self._shown}/'", status=128) from None
        if isinstance(error, SendPackError):
            return
        if isinstance(error, (GitProtocolError, *_ODD)):
            words = str(error)[:200] if isinstance(error, GitProtocolError) else "it does not speak git's protocol"
            raise RemoteFailed(f"unable to access '{self._shown}/': {words}") from None
