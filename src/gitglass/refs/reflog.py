"""Reflogs: the objects a ref has pointed at. Kept as lines and parsed on demand, as most callers need the last few.

Mirrors git-reflog(1). Malformed lines are skipped, as git does.
"""

import re
from collections.abc import Iterator

from ..limits import pause
from ..records import record
from .refs import Refs

_LINE = re.compile(rb"([0-9a-f]+) ([0-9a-f]+) ([^>]*>) ([0-9]+) ([+-][0-9]{4})(?:\t?)(.*)", re.DOTALL)


@record
class ReflogEntry:
    """One entry: `ident` is `Name <mail>`, `tz` the zone as a number (-0330 is -330), `message` has no newline."""

    old: bytes
    new: bytes
    ident: bytes
    time: int
    tz: int
    message: bytes


def parse_entry(line: bytes, hash_len: int) -> ReflogEntry | None:
    """Parse a line of a log (without its newline); None if it is malformed."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    old, new, ident, time, zone, message = match.groups()
    if len(old) != 2 * hash_len or len(new) != 2 * hash_len or not time.strip(b"0"):  # git takes 0 for no time
        return None
    return ReflogEntry(
        bytes.fromhex(old.decode()),
        bytes.fromhex(new.decode()),
        ident,
        min(int(time[:20]), 1 << 63),
        int(zone),
        message,
    )


class Reflog:
    """The log of one ref, newest entry first. False if there is no log, or if it has no entries."""

    __slots__ = ("_lines", "_parsed", "exists", "hash_len", "name")

    def __init__(self, name: bytes, lines: list[bytes] | None, hash_len: int) -> None:
        self.name = name
        self.hash_len = hash_len
        self.exists = lines is not None
        self._lines = lines or []
        self._parsed: list[ReflogEntry] = []

    def __bool__(self) -> bool:
        return self.at(0) is not None

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[ReflogEntry]:
        number = 0
        while (entry := self.at(number)) is not None:
            yield entry
            number += 1

    @property
    def entries(self) -> list[ReflogEntry]:
        """All entries, newest first."""
        while self._lines:
            self._parse_one()
        return self._parsed

    def _parse_one(self) -> None:
        entry = parse_entry(self._lines.pop(), self.hash_len)
        if not len(self._lines) & 1023:
            pause()
        if entry is not None:
            self._parsed.append(entry)

    def at(self, number: int) -> ReflogEntry | None:
        """The entry `number` steps back (0 is the newest), or None if the log is shorter."""
        while len(self._parsed) <= number and self._lines:
            self._parse_one()
        return self._parsed[number] if number < len(self._parsed) else None

    def at_time(self, moment: int) -> int | None:
        """How many steps back the newest entry is that was made no later than `moment`; None if all are later."""
        for number, entry in enumerate(self):
            if entry.time <= moment:
                return number
        return None


def read_reflog(refs: Refs, name: bytes) -> Reflog:
    """The log of a ref by its full name; an empty one if the ref has no log."""
    return Reflog(name, refs.backend.log(name), refs.hash_len)
