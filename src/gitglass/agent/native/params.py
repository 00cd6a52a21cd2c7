"""What the parameters of tools have in common: words that are checked, and the three that every page takes."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

__all__ = ["Date", "Lines", "Paged", "Params", "Path", "Paths", "Rev"]

_LONGEST = 1024


def _rev(value: str) -> str:
    if not value:
        raise ValueError("empty; leave it out instead")
    if value.startswith("-"):
        raise ValueError(f"'{value[:80]}' begins with '-': a revision is expected, not an option")
    if len(value.encode("utf-8", "replace")) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST} bytes")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in value):
        raise ValueError("contains control characters")
    return value


def _one(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _path(value: str) -> str:
    if not value:
        raise ValueError("an empty path; '.' is the whole repository")
    if "\0" in value or len(value) > 4096:
        raise ValueError("not a path")
    return value


def _size(value: int) -> int:
    """Checked here and not in the schema: ten tools repeat it on every turn."""
    if not 200 <= value <= 5_000_000:
        raise ValueError("200 to 5,000,000 bytes")
    return value


_DATE_WORDS = re.compile(
    r"(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*|(mon|tues?|wed|thur?s?|fri|sat|sun)[a-z]*"
    r"|(second|sec|minute|min|hour|day|week|fortnight|month|year)s?|ago|last|now|today|yesterday|noon|midnight|tea|never"
    r"|am|pm|at|on|of|the|and|a|an|one|two|three|four|five|six|seven|eight|nine|ten|st|nd|rd|th|t|z|utc|gmt|[ecmp][sd]t",
    re.IGNORECASE,
)


def _date(value: str) -> str:
    """git takes any text for a date, and what it does not know for now; a model is better told."""
    words = re.findall(r"[^\W\d_]+", value)
    if len(value) > 100 or not (words or re.search(r"\d", value)):
        raise ValueError("not a date; e.g. '2026-10-01', '2 weeks ago', 'yesterday'")
    for word in words:
        if _DATE_WORDS.fullmatch(word) is None:
            raise ValueError(f"'{word}' is no word of a date; e.g. '2026-10-01', '2 weeks ago', 'yesterday'")
    return value


Date = Annotated[str, AfterValidator(_date)]
Rev = Annotated[str, AfterValidator(_rev)]
Path = Annotated[str, AfterValidator(_path)]
Paths = Annotated[
    list[Path], BeforeValidator(_one), Field(description="Files, dirs, globs (*.c).")
]
Lines = Annotated[str, Field(pattern=r"^\d+(,\+?\d*)?$|^,\d+$")]


class Params(BaseModel):
    """The root of parameters: closed, and with the repository."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repo: str | None = None  # said once, in git_info's description


class Paged(Params):
    """Parameters of an answer that may be cut."""

    max_bytes: Annotated[int, AfterValidator(_size)] | None = None
    cursor: str | None = Field(None, description="next_cursor")
