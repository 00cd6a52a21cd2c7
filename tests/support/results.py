"""Rows of a matrix that are kept in a file, one JSON line each, so that a run goes on where another one ended."""

from __future__ import annotations

import json
from pathlib import Path

Row = tuple[list[int], list[str]]  # numbers, faults


class Results:
    """What a file holds, and what is added to it; without a file, what is added."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.rows: dict[str, Row] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                name, numbers, faults = json.loads(line)
                self.rows[name] = numbers, faults

    def add(self, name: str, numbers: list[int], faults: list[str]) -> None:
        """One more."""
        self.rows[name] = numbers, faults
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps([name, numbers, faults]) + "\n")
