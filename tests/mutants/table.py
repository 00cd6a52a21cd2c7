"""A mutant, and the tables read as mutants."""

import ast
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SOURCES = TESTS.parent / "src" / "gitglass"
DOCUMENT4 = "document 4, "


@dataclass(frozen=True)
class Mutant:
    """One breakage: `old` stands exactly once in `file` (below src/gitglass) and becomes `new`.

    `holds` is the requirement's number or words, or the promise; `tests` are ids of tests below tests/. `survives` is
    the reason why no test can notice it, if that is so.
    """

    file: str
    old: str
    new: str
    breaks: str
    holds: str
    tests: tuple[str, ...]
    survives: str = ""

    @property
    def applies(self) -> bool:
        """Whether `old` stands there exactly once."""
        return text_of(self.file).count(self.old) == 1

    @property
    def source(self) -> str | None:
        """The broken source; None where it does not apply, or the result is no Python."""
        if not self.applies:
            return None
        broken = text_of(self.file).replace(self.old, self.new)
        try:
            ast.parse(broken)
        except SyntaxError:
            return None
        return broken

    def __str__(self) -> str:
        return f"{self.holds[:60]}: {self.breaks} ({self.file}: {self.old!r} -> {self.new!r})"


@cache
def text_of(file: str) -> str:
    """A source of gitglass."""
    return (SOURCES / file).read_text(encoding="utf-8")


def mutants() -> Iterator[Mutant]:
    """All of the tables."""
    from .door import DOOR
    from .found import FOUND
    from .moving import MOVING
    from .rows import ROWS
    from .workspace_rows import WORKSPACE

    held = tests_of_rows()
    for row in ROWS:
        holds, file, old, new, breaks, *why = row
        yield Mutant(file, old, new, breaks, holds, tuple(held.get(holds, ())), *why)
    for test, file, old, new, breaks, *why in DOOR:
        tests = tuple(f"agent/{one}" for one in test.split())
        yield Mutant(file, old, new, breaks, f"the agent's door ({test})", tests, *why)
    for test, file, old, new, breaks, *why in MOVING:
        yield Mutant(file, old, new, breaks, f"what moves refs ({test})", (test,), *why)
    for test, file, old, new, breaks in FOUND:
        yield Mutant(file, old, new, breaks, f"found beside git ({test})", (test,))
    for holds, test, file, old, new, breaks, *why in WORKSPACE:
        path = posixpath.normpath(f"workspace/{file}")
        yield Mutant(path, old, new, breaks, DOCUMENT4 + holds, tuple(test.split()), *why)


def tests_of_rows() -> dict[str, list[str]]:
    """Requirement → its tests, by their names and marks (fixtures/scripts/requirements.py)."""
    import importlib.util

    script = TESTS.parent / "fixtures" / "scripts" / "requirements.py"
    spec = importlib.util.spec_from_file_location("requirements_script", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: tests for rows in module.named().values() for name, tests in rows.items()}


def rows_with_mutants() -> set[str]:
    """The requirements of documents 0 to 3 that have a mutant which is to be caught."""
    from .rows import ROWS

    return {row[0] for row in ROWS if len(row) == 5}


def rows_of_document4() -> dict[str, set[str]]:
    """The same of document 4, each with the tests that are to catch one (below tests/workspace/)."""
    from .workspace_rows import WORKSPACE

    out: dict[str, set[str]] = {}
    for holds, tests, *more in WORKSPACE:
        if len(more) == 4:
            out.setdefault(holds, set()).update(test.removeprefix("workspace/") for test in tests.split())
    return out
