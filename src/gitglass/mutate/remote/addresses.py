"""Addresses of other repositories: what they are, and which of them a host has granted (git-fetch(1), "GIT URLS").

A path or `file://` is opened natively; `http://` and `https://` by a client of ours; `ssh://` and `host:path` by the
program that the host granted for it. What else would start a program (`ext::` and other helpers, `git://` through a
proxy command) is refused by name. Passwords never stay in an address: `shown` is what is printed, logged and
remembered, as by git without the user; `full` has the user, for the person who approves.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import Literal
from urllib.parse import unquote, urlsplit

from ...errors import BadRequest, NotGranted, Unsupported, text
from ...records import record
from ..grant import WriteGrant

_SCHEME = re.compile(rb"([A-Za-z0-9][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(rb"([A-Za-z0-9]+)::")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
_SSH = ("ssh", "git+ssh", "ssh+git")
_MACHINE = re.compile(rb"((?:[A-Za-z0-9_.][A-Za-z0-9_.+-]*@)?[A-Za-z0-9_.][A-Za-z0-9_.-]*)(?::([0-9]{0,5}))?")


@record(frozen=True)
class Address:
    """Where another repository is. `raw` is the address as git has it after `insteadOf`; `path` the directory of a
    local one, absolute, or of one behind ssh, as that side has it; `machine` is `[user@]host` of such a one."""

    kind: Literal["local", "http", "https", "ssh"]
    raw: bytes
    path: bytes = b""
    machine: bytes = b""
    port: int = 0

    @property
    def shown(self) -> bytes:
        """The address as git says and writes it down: without the user. Strange but git's: where there is no scheme,
        what stands in front of the first `@` goes, be it in the path."""
        if self.kind == "local":
            return self.raw
        scheme, has_scheme, rest = self.raw.partition(b"://")
        if has_scheme:
            authority, slash, path = rest.partition(b"/")
            return scheme + b"://" + authority.rpartition(b"@")[2] + slash + path
        rest = self.raw.partition(b"@")[2]
        return rest if b":" in rest else self.raw

    @property
    def full(self) -> bytes:
        """The address with its user, but never a password: what a host is asked to approve."""
        if self.kind == "local":
            return self.raw
        scheme, _, rest = self.raw.partition(b"://")
        authority, slash, path = rest.partition(b"/")
        user, at, host = authority.rpartition(b"@")
        if not at:
            return self.raw
        return scheme + b"://" + user.partition(b":")[0] + b"@" + host + slash + path

    @property
    def bare(self) -> str:
        """An http address without user and password, as it is asked; one of ssh as it stands."""
        if self.kind == "ssh":
            return text(self.raw)
        scheme, _, rest = text(self.raw).partition("://")
        authority, slash, path = rest.partition("/")
        return f"{scheme.lower()}://{authority.rpartition('@')[2]}{slash}{path}"

    @property
    def host(self) -> str:
        """The host of an http address."""
        return urlsplit(self.bare).hostname or ""

    @property
    def login(self) -> tuple[str, str] | None:
        """User and password that stand in the address, decoded."""
        authority = text(self.raw).partition("://")[2].partition("/")[0]
        user, at, _ = authority.rpartition("@")
        if self.kind == "local" or not at:
            return None
        name, _, password = user.partition(":")
        return unquote(name), unquote(password)

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this very machine."""
        return self.host in LOOPBACK


def parse_address(raw: bytes, top: bytes, *, ssh: bool = False) -> Address:
    """What an address is; a path is seen from `top`. With `ssh` there is a program for addresses of ssh. Raises
    Unsupported for what runs another one or is not offered, BadRequest for one that makes no sense."""
    if not raw or b"\0" in raw or b"\n" in raw:
        raise BadRequest(f"invalid address '{text(raw)}'")
    helper = _HELPER.match(raw)
    if helper is not None:
        raise _refused(raw, f"the transport helper '{text(helper[1])}' is a program, which gitglass does not run")
    scheme = _SCHEME.match(raw)
    if scheme is None:
        colon, slash = raw.find(b":"), raw.find(b"/")
        if colon > 0 and (slash < 0 or colon < slash):
            return _behind_ssh(raw, raw[:colon], raw[colon + 1 :], ssh=ssh)
        return Address("local", raw, normpath(raw if raw.startswith(b"/") else top + b"/" + raw))
    name = text(scheme[1]).lower()
    if name == "file":
        path = raw[scheme.end() :]
        if not path.startswith(b"/"):
            path = path[path.find(b"/") :] if b"/" in path else b""
        if not path:
            raise BadRequest(f"no path specified; see 'git help pull' for valid url syntax: '{text(raw)}'")
        return Address("local", raw, normpath(path))
    if name == "http" or name == "https":
        made = Address("http" if name == "http" else "https", raw)
        _check_http(made)
        return made
    if name in _SSH:
        machine, _, there = raw[scheme.end() :].partition(b"/")
        return _behind_ssh(raw, machine, there if there.startswith(b"~") else b"/" + there, ssh=ssh)
    raise _refused(raw, f"the transport '{name}' is not offered")


def _behind_ssh(raw: bytes, machine: bytes, path: bytes, *, ssh: bool) -> Address:
    """An address of ssh; git too refuses a host or path that ssh could take for an option."""
    if not ssh:
        raise _refused(raw, "ssh is a program, and none is granted for it (Programs.ssh)")
    host = _MACHINE.fullmatch(machine if b"://" in raw else machine + b":")
    if host is None or not path or path.startswith(b"-"):
        raise BadRequest(f"invalid address '{text(raw)}'")
    return Address("ssh", raw, path, host[1], int(host[2] or 0))


def _check_http(address: Address) -> None:
    """Raise BadRequest for an http address that cannot be one."""
    try:
        parts = urlsplit(address.bare)
        port = parts.port
    except ValueError:
        raise BadRequest(f"invalid address '{text(address.full)}'") from None
    clean = parts.hostname and not parts.query and not parts.fragment and port != 0
    if not clean or any(ord(sign) <= 32 or ord(sign) == 127 for sign in address.bare):
        raise BadRequest(f"invalid address '{text(address.full)}'")


def _refused(raw: bytes, reason: str) -> Unsupported:
    return Unsupported(
        f"'{text(raw)}': {reason}",
        hint="Paths, file://, https:// and http:// are offered, and ssh:// where it is granted.",
    )


def need_granted(address: Address, grant: WriteGrant, real: bytes | None = None) -> None:
    """Raise NotGranted unless the host's grant names this address. `real` is where a path leads to in truth."""
    words = [text(address.path)] if address.kind == "local" else [address.bare, address.bare.rstrip("/")]
    if real is not None:
        words = [text(real)]
    if not any(fnmatchcase(word, pattern) for word in words for pattern in grant.remotes):
        raise NotGranted(f"the grant does not cover the repository '{text(address.full)}'", remote=text(address.full))
    if address.kind != "local":
        grant.need_effect("network")
    if address.kind == "http" and not (address.is_loopback and grant.plain_http):
        raise NotGranted(
            f"'{text(address.full)}' is not encrypted", remote=text(address.full),
            hint="https:// always is; http:// on this machine itself can be granted (`plain_http`).",
        )  # fmt: skip
