"""Requests in JSON to one origin, under the rules that git's own requests have: see `web`.

The token goes into the `Authorization` header and nowhere else. Every answer is handed on with its status: what it
means is for whoever asks. Mirrors "Getting started with the REST API" of GitHub's documentation.
"""

from __future__ import annotations

import json
import time
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError

from ....errors import Timeout, TooLarge
from ....records import field, record
from ...grant import WriteGrant
from ..addresses import Address, need_granted, parse_address
from ..credentials import credential_for
from ..web import RemoteFailed

_VERSION = "2022-11-28"
_MOST = 32 << 20
_WORDS = 500


@record(frozen=True)
class JsonAnswer:
    """An answer: its status, its headers by their names in lower case, and what its body says (None: no JSON)."""

    status: int
    headers: dict[str, str] = field(repr=False)
    value: Any = field(repr=False)

    @property
    def words(self) -> str:
        """What the server says in its own words."""
        message = self.value.get("message") if isinstance(self.value, dict) else None
        words = " ".join(str(message).split())[:_WORDS] if message else ""
        return words or f"the server answered {self.status}"

    @property
    def wait(self) -> float | None:
        """Seconds that the server asks to be left alone; None: it does not say."""
        after, reset = self.headers.get("retry-after", ""), self.headers.get("x-ratelimit-reset", "")
        if after.isdecimal():
            return float(after)
        if self.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
            return max(0.0, float(reset) - time.time())
        return None


class JsonClient:
    """What is asked below one address, within the grant. Raises NotGranted for one that it does not cover."""

    def __init__(self, url: str, grant: WriteGrant) -> None:
        self._address: Address = parse_address(url.rstrip("/").encode("utf-8", "surrogateescape"), b"/")
        need_granted(self._address, grant)
        self._grant = grant

    @property
    def has_token(self) -> bool:
        """Whether the host has a token for it."""
        return credential_for(self._address, self._grant) is not None

    def ask(self, method: str, path: str = "", body: Any = None) -> JsonAnswer:
        """One request. Raises RemoteFailed, Timeout, TooLarge; after any of them nobody knows what was done."""
        shown, left = self._address.bare, self._grant.limits.network_timeout
        headers = {
            "User-Agent": "gitglass", "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": _VERSION,
            "Accept-Encoding": "identity",
        }  # fmt: skip
        credential = credential_for(self._address, self._grant)
        if credential is not None:
            headers["Authorization"] = f"Bearer {credential.password}"
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        end = time.monotonic() + left
        with urllib3.PoolManager(
            num_pools=1, retries=False, cert_reqs="CERT_REQUIRED", ca_cert_data=self._grant.authorities
        ) as pool:
            try:
                answer: Any = pool.request(
                    method, shown + path, body=data, headers=headers, preload_content=False, redirect=False,
                    timeout=urllib3.Timeout(connect=min(left, 20.0), read=left),
                )  # fmt: skip
                raw = _read(answer, end, shown)
            except HTTPError as error:
                raise RemoteFailed(f"unable to access '{shown}': {type(error).__name__}") from None
        if 300 <= answer.status < 400:
            raise RemoteFailed(f"'{shown}' sends elsewhere (HTTP {answer.status}): that is not followed")
        names = {name.lower(): value for name, value in answer.headers.items()}
        return JsonAnswer(answer.status, names, _parsed(raw))


def _read(answer: Any, end: float, shown: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := answer.read(1 << 16):
        if time.monotonic() > end:
            raise Timeout(f"'{shown}' did not answer in time")
        size += len(part)
        if size > _MOST:
            raise TooLarge(f"'{shown}' sends more than {_MOST} bytes", limit=_MOST)
        parts.append(part)
    return b"".join(parts)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
