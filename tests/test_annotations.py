"""The stand-ins for `typing`: what they are read as, and that `typed` makes what they stand for."""

import os
import subprocess
import sys
import typing
from collections.abc import Callable
from types import GenericAlias
from typing import Any as TypingAny

import pytest

import gitglass.annotations as ours
from gitglass.annotations import TypeHint, typed

# What is written is evaluated as when the program runs: type checkers take these names for typing's.
ANY: TypingAny = ours.Any
ANNOTATED: TypingAny = ours.Annotated
LITERAL: TypingAny = ours.Literal
CLASS_VAR: TypingAny = ours.ClassVar

PAIRS = [
    (ANY, typing.Any),
    (ANY | None, typing.Any | None),
    (LITERAL["a", 1], typing.Literal["a", 1]),
    (LITERAL["a"] | None, typing.Literal["a"] | None),
    (None | LITERAL["a"], None | typing.Literal["a"]),
    (int | str | LITERAL["a"], int | str | typing.Literal["a"]),
    (LITERAL["a"] | (int | None), typing.Literal["a"] | (int | None)),
    (ANNOTATED[int | None, "flag"], typing.Annotated[int | None, "flag"]),
    (ANNOTATED[LITERAL["a", "b"] | None, "flag", 2], typing.Annotated[typing.Literal["a", "b"] | None, "flag", 2]),
    (list[ANY], list[typing.Any]),
    (dict[str, LITERAL["a"] | None], dict[str, typing.Literal["a"] | None]),  # noqa: F821 - ruff does not know the name
    (CLASS_VAR[int], typing.ClassVar[int]),
    (int, int),
    (Callable[[int], str], Callable[[int], str]),
    ("list[int]", "list[int]"),
]


@pytest.mark.parametrize(("written", "meant"), PAIRS, ids=map(repr, next(zip(*PAIRS, strict=True))))
def test_what_is_written_becomes_what_it_stands_for(written: TypingAny, meant: TypingAny) -> None:
    assert typed(written) == meant
    assert typed(meant) == meant


def test_hints_are_equal_where_their_parts_are_of_one_type() -> None:
    assert LITERAL[1] == LITERAL[1] and hash(LITERAL[1]) == hash(LITERAL[1])
    assert LITERAL[1] != LITERAL[True]
    assert {LITERAL["a"]: 1, LITERAL["a"] | None: 2}[LITERAL["a"]] == 1
    assert repr(LITERAL["a"] | None) == "Union[Literal['a'], None]"
    assert type(LITERAL["a"] | None) is TypeHint


def test_a_named_tuple_is_one_of_the_standard_library() -> None:
    class Point(ours.NamedTuple):
        """Where."""

        x: int
        y: int = 2

        @property
        def both(self) -> int:
            return self.x + self.y

    point = Point(1)
    assert point == (1, 2) and point.both == 3 and Point._fields == ("x", "y")
    assert point._replace(y=5) == Point(1, 5) and repr(point) == "Point(x=1, y=2)"
    assert Point.__doc__ == "Where." and Point.__module__ == __name__ and Point.__qualname__.endswith("Point")
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]


def test_base_classes_take_parameters() -> None:
    class Table(ours.Generic[ours.TypeVar("K")]):  # type: ignore[misc]
        pass

    assert isinstance(Table[int], GenericAlias) and isinstance(Table[int](), Table)


def test_the_module_does_not_import_typing() -> None:
    program = "import sys, gitglass.annotations; print('typing' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout == "False\n", done.stderr
