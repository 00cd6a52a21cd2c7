"""Idents: the `Name <mail> 1112911993 -0700` of commits, tags and reflogs, read as leniently as git reads them."""

from collections.abc import Mapping

from ..annotations import NamedTuple, Protocol
from ..deferred import lazy_pattern
from ..errors import BadRequest, NotFound, text

_USUAL = lazy_pattern(rb"([^<\n]*[^< \t\n\r]) <([^<>\n]*)> ([0-9]+) ([+-][0-9]{1,9})\Z")
_DATE = lazy_pattern(rb"[ \t\n\r]*([0-9]+)[ \t\n\r]*([+-][0-9]+)")

#: the largest time that git accepts; a larger one counts as the epoch
_MAX_TIME = (1 << 63) - 1
_MAX_NUMBER = (1 << 64) - 1


class Ident(NamedTuple):
    """One ident line; `date` holds its digits as written (b"" if there are none that git would use)."""

    name: bytes
    mail: bytes
    date: bytes
    zone: bytes

    @property
    def time(self) -> int:
        """Epoch seconds; 0 if the date is missing or overflows."""
        value = number_of(self.date)
        return value if value <= _MAX_TIME else 0

    @property
    def tz(self) -> int:
        """The time zone as git stores it: +0130 is 130; 0 if the date overflows."""
        if len(self.date) > 18 and number_of(self.date) > _MAX_TIME:
            return 0
        value = number_of(self.zone[1:])
        return 0 if value >= 2147483647 else -value if self.zone.startswith(b"-") else value


def number_of(digits: bytes) -> int:
    """The number that decimal digits write, clamped as C's strtoumax does; 0 if there are none."""
    if len(digits) < 20:
        return int(digits or b"0")
    significant = digits.lstrip(b"0")
    return min(int(significant or b"0"), _MAX_NUMBER) if len(significant) <= 20 else _MAX_NUMBER


def split_ident(line: bytes) -> Ident | None:
    """The parts of an ident line; None if git finds no name and mail in it.

    The name ends before the first `<` (white space stripped), the mail at the first `>` after it, and the date follows
    the last `>`. A date without a time zone is no date.
    """
    usual = _USUAL.match(line)
    if usual is not None:
        return Ident._make(usual.groups())
    opening = line.find(b"<")
    closing = line.find(b">", opening + 1)
    if opening < 0 or closing < 0:
        return None
    name, mail = line[:opening].rstrip(b" \t\n\r"), line[opening + 1 : closing]
    date = _DATE.match(line, line.rfind(b">") + 1)
    if date is None:
        return Ident(name, mail, b"", b"")
    return Ident(name, mail, date[1], date[2])


class Settings(Protocol):
    """The part of a configuration that is used here."""

    def get(self, key: str) -> bytes | None: ...


#: characters that git removes at both ends of a name or an address, and characters that it removes anywhere
_CRUD = bytes(range(33)) + b".,:;<>\"\\'"
_WITHIN = b"\n<>"


def configured_person(config: Settings, who: str, variables: Mapping[str, bytes]) -> tuple[bytes, bytes] | None:
    """The name and address of the "author" or "committer"; None if one of them is missing.

    `variables` are those of the environment, by the values of `PERSON_VARIABLES`. They override the configuration,
    except for EMAIL, which is only used if there is no `user.email` (git-commit(1), "Commit information").
    """
    name, mail = variables.get(f"{who}.name"), variables.get(f"{who}.email")
    if name is None:
        name = config.get(f"{who}.name") or config.get("user.name")
    if mail is None:
        mail = config.get(f"{who}.email") or config.get("user.email") or variables.get("email")
    if name is None or mail is None:
        return None
    name, mail = (part.strip(_CRUD).translate(None, _WITHIN) for part in (name, mail))
    return (name, mail) if name else None


def need_person(config: Settings, who: str, variables: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    """`configured_person`, but required. Raises NotFound; BadRequest if a variable has an empty or unusable name."""
    person = configured_person(config, who, variables)
    if person is None and (name := variables.get(f"{who}.name")) is not None:
        if name:
            raise BadRequest(f"name consists only of disallowed characters: {text(name)}")
        mail = variables.get(f"{who}.email")
        if mail is None:
            mail = config.get(f"{who}.email") or config.get("user.email") or variables.get("email") or b""
        raise BadRequest(f"empty ident name (for <{text(mail)}>) not allowed")
    if person is None:
        raise NotFound(
            f"unable to auto-detect the {who} identity: user.name and user.email are not configured", kind="no_identity"
        )
    return person
