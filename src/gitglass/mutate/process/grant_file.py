"""What a host grants in a file of its own: remotes and programs by value, as JSON, for the command lines of hosts.

    {"remotes": ["https://github.com/me/*"],
     "hooks": {"pre-commit": "1f3c…"},
     "programs": {"filters": {"git-crypt": {"clean": {"argv": ["/usr/bin/git-crypt", "clean"]}}},
                  "signer": {"program": {"argv": ["/usr/bin/gpg"]}, "key": "me@example.org"},
                  "token": {"argv": ["/usr/bin/gh", "auth", "token"]}}}

The file lies in no root, and nobody else may write to it (`prove.py`). What it does not know it refuses: a word
that was mistyped grants nothing, and is not passed over either.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import InvalidArgs
from ...records import replace
from ..grant import LOCAL_EFFECTS, WriteGrant
from .granted import Filter, GrantedHooks, Program, Programs, Signer

Reader = Callable[[Any, str], Any]


def granted_by(data: bytes, grant: WriteGrant) -> WriteGrant:
    """The grant with what a file says. Raises InvalidArgs for what is no such file, with the words at fault."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidArgs("the grant is no JSON") from None
    fields = _fields(whole, "the grant", _GRANT)
    if "remotes" in fields:
        fields["effects"] = grant.effects | LOCAL_EFFECTS | {"network"}
    return replace(grant, **fields)


def _fields(value: Any, where: str, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """The members of an object, each read by its own reader."""
    if not isinstance(value, dict):
        raise InvalidArgs(f"{where}: an object is expected")
    for name in value:
        if name not in readers:
            raise InvalidArgs(f"{where}: unknown '{name}'", hint=f"There are {', '.join(sorted(readers))}.")
    return {name: readers[name](one, f"{where}: {name}") for name, one in value.items()}


def _words(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InvalidArgs(f"{where}: a list of texts is expected")
    return tuple(value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InvalidArgs(f"{where}: a text is expected")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgs(f"{where}: true or false is expected")
    return value


def _seconds(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 3600:
        raise InvalidArgs(f"{where}: a number of seconds is expected")
    return float(value)


def _named(reader: Reader) -> Reader:
    """An object of any names whose values are all of one kind."""

    def read(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InvalidArgs(f"{where}: an object is expected")
        return {name: reader(one, f"{where}: {name}") for name, one in value.items()}

    return read


def _variables(value: Any, where: str) -> tuple[tuple[str, str], ...]:
    return tuple(_named(_text)(value, where).items())


def _program(value: Any, where: str) -> Program:
    fields = _fields(value, where, {"argv": _words, "sha256": _text, "variables": _variables, "reads": _text})
    if "argv" not in fields:
        raise InvalidArgs(f"{where}: 'argv' is lacking")
    return Program(**fields)


def _filter(value: Any, where: str) -> Filter:
    return Filter(**_fields(value, where, {"clean": _program, "smudge": _program, "required": _flag}))


def _signer(value: Any, where: str) -> Signer:
    fields = _fields(value, where, {"program": _program, "key": _text, "format": _text})
    if not {"program", "key"} <= fields.keys() or fields.get("format", "openpgp") not in ("openpgp", "x509", "ssh"):
        raise InvalidArgs(f"{where}: 'program', 'key' and perhaps 'format' (openpgp, x509, ssh) are expected")
    return Signer(**fields)


def _hooks(value: Any, where: str) -> str | GrantedHooks:
    if value in ("refuse", "skip"):
        return str(value)
    return GrantedHooks(_named(_text)(value, where))


def _programs(value: Any, where: str) -> Programs:
    return Programs(**_fields(value, where, _PROGRAMS))


_PROGRAMS: dict[str, Reader] = {
    "filters": _named(_filter), "drivers": _named(_program), "signer": _signer, "ssh": _program, "token": _program,
    "path": _words, "rooms": _text, "seconds": _seconds,
}  # fmt: skip
_GRANT: dict[str, Reader] = {
    "remotes": _words, "plain_http": _flag, "refs": _words, "protected": _words, "folders": _words, "hooks": _hooks,
    "programs": _programs,
}  # fmt: skip
