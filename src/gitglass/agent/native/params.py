"""What the parameters of tools have in common: checks of values, and the three parameters of every page."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ...request.dates import check_date

__all__ = ["Count", "Date", "Lines", "Paged", "Params", "Path", "Paths", "Rev", "indented", "line_words", "within"]

_LONGEST = 1024


def _rev(value: str) -> str:
    if not value:
        raise ValueError("empty; leave it out instead")
    if value.startswith("-"):
        every = "; all refs are all=true in git_log" if value.strip() == "--all" else ""
        raise ValueError(f"'{value[:80]}' begins with '-': a revision is expected, not an option{every}")
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
    """The check of a size. It is not in the schema, because ten tools would repeat it on every turn."""
    if not 200 <= value <= 5_000_000:
        raise ValueError("200 to 5,000,000 bytes")
    return value


def within(least: int, most: int) -> AfterValidator:
    """A check that a number is in bounds; not in the schema, for the same reason."""

    def check(value: int) -> int:
        if not least <= value <= most:
            raise ValueError(f"{least:,} to {most:,}")
        return value

    return AfterValidator(check)


def _possible(value: str) -> str:
    """git guesses at what it cannot read as a date, and takes 2023-13-45 for a moment of today."""
    match = re.match(r"\s*\d{4}-(\d{1,2})-(\d{1,2})(?!\d)", value, re.ASCII)
    if match is not None and not _day(int(match[1]), int(match[2])) and not _day(int(match[2]), int(match[1])):
        raise ValueError(f"'{match[0].strip()}' is no day of a year")
    return value


def _day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _lines(value: str) -> str:
    if re.fullmatch(r"\d+(,\+?\d*)?|,\d+", value, re.ASCII) is None:
        raise ValueError(f"'{value[:80]}' is no range of lines")
    return value


Count = Annotated[int, within(1, 10_000)]
Date = Annotated[str, AfterValidator(check_date), AfterValidator(_possible)]
Rev = Annotated[str, AfterValidator(_rev)]
Path = Annotated[str, AfterValidator(_path)]
Paths = Annotated[list[Path], BeforeValidator(_one), Field(description="Files, dirs, globs.")]
Lines = Annotated[str, AfterValidator(_lines)]


def line_words(value: Any) -> Any:
    """Line ranges in git's syntax: `10-20`, `L10-L20`, `10:20`, `[10, 20]`; a bare name is a function, and a bare
    number that line alone, which in git's syntax is all from there on."""
    if isinstance(value, list) and 1 <= len(value) <= 2 and all(isinstance(item, int) for item in value):
        value = ",".join(map(str, value))
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return value
    span = re.fullmatch(r"\s*[lL]?(\d+)\s*(?:-|:|\.\.|,|\bto\b)\s*[lL]?(\d+)\s*", value)
    if span is not None:
        return f"{span[1]},{span[2]}"
    line = re.fullmatch(r"\s*[lL]?(\d+)\s*", value)
    if line is not None:
        return f"{line[1]},{line[1]}"
    return f":{value}" if re.fullmatch(r"[A-Za-z_~][\w:.~]*", value) else value


def indented(name: str) -> str:
    """A remedy for a function that is there and that git does not find: one in a class, say."""
    return (
        f"git takes unindented lines for functions, unless an attribute diff= says more; e.g. lines='/def {name}/,+20'"
    )


class Params(BaseModel):
    """The base class of parameters: closed, and with the repository."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repo: str | None = None  # described once, in git_info's description


class Paged(Params):
    """Parameters of an answer that may be cut."""

    max_bytes: Annotated[int, AfterValidator(_size)] | None = None
    cursor: str | None = None  # the marker of a cut answer calls it next_cursor
