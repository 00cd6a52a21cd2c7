"""What annotations are written with, without importing `typing`.

`typing` takes two fifths of the time in which Python itself starts, as long as a dozen modules of ours; classes that
derive from its `Protocol`, `NamedTuple` and `Generic` take some more. A short command needs none of what it does: only
that a class body with annotations can be executed. What the command line loads imports these names from here:

    from ..annotations import TYPE_CHECKING, Annotated, Any

Type checkers see the names of `typing`. When the program runs, `Annotated[int | None, Flag("-n")]`,
`Literal["a", "b"]` and their unions are kept as they were written (`TypeHint`). `request.declared` reads
them; where pydantic or `dataclasses` shall read them, `typed` makes the objects of `typing` that they stand for.
"""

from __future__ import annotations

from collections import namedtuple
from functools import reduce
from operator import or_
from types import GenericAlias, UnionType

__all__ = [
    "TYPE_CHECKING",
    "Annotated",
    "Any",
    "ClassVar",
    "Concatenate",
    "Generic",
    "Literal",
    "NamedTuple",
    "NoReturn",
    "ParamSpec",
    "Protocol",
    "TypeAlias",
    "TypeHint",
    "TypeVar",
    "TypedDict",
    "cast",
    "dataclass_transform",
    "overload",
    "typed",
]  # fmt: skip

TYPE_CHECKING = False  # type checkers take any variable of this name for true

if TYPE_CHECKING:
    from typing import (
        Annotated,
        Any,
        ClassVar,
        Concatenate,
        Generic,
        Literal,
        NamedTuple,
        NoReturn,
        ParamSpec,
        Protocol,
        TypeAlias,
        TypedDict,
        TypeVar,
        cast,
        dataclass_transform,
        overload,
    )
else:

    class Any:
        """Stands for `typing.Any`."""

    class Generic:
        """A base class with parameters: `class Table(Generic[K, V])`, `Table[bytes, int]`."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)

    class Protocol(Generic):
        """A base class that only type checkers look at."""

        __slots__ = ()

    class TypedDict(dict):
        """A base class that only type checkers look at."""

        def __init_subclass__(cls, total: bool = True) -> None:
            """`total` is for type checkers."""

    class _NamedTuples(type):
        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
            written = super().__new__(cls, name, bases, space)
            if not bases:
                return written
            fields: dict[str, Any] = written.__annotations__
            defaults = [space[field] for field in fields if field in space]
            made = namedtuple(name, fields, defaults=defaults, module=space["__module__"])
            for word, value in space.items():
                if word not in fields and word not in ("__dict__", "__weakref__"):
                    setattr(made, word, value)
            return made

    class NamedTuple(metaclass=_NamedTuples):
        """A base class: what derives from it is a `collections.namedtuple` of its annotated names."""

    def cast(_: object, value: Any) -> Any:
        """The value as it is."""
        return value

    def overload(function: Any) -> Any:
        """The function as it is; the next of its name takes its place."""
        return function

    def dataclass_transform(**_: Any) -> Any:
        """A decorator that changes nothing."""
        return overload


class TypeHint:
    """`form[parts]`: a hint as it was written. `form` is the name that it has in `typing`."""

    __slots__ = ("form", "parts")

    def __init__(self, form: str, parts: tuple[Any, ...]) -> None:
        self.form = form
        self.parts = parts

    def __getitem__(self, parts: Any) -> TypeHint:
        return TypeHint(self.form, parts if type(parts) is tuple else (parts,))

    def __or__(self, other: Any) -> TypeHint:
        return TypeHint("Union", (*_alternatives(self), *_alternatives(other)))

    def __ror__(self, other: Any) -> TypeHint:
        return TypeHint("Union", (*_alternatives(other), *_alternatives(self)))

    def _key(self) -> tuple[Any, ...]:
        return self.form, tuple((type(part), part) for part in self.parts)  # Literal[1] is not Literal[True]

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeHint and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"{self.form}[{', '.join(map(repr, self.parts))}]" if self.parts else self.form


if not TYPE_CHECKING:

    def TypeVar(name: str, *bounds: Any, **more: Any) -> TypeHint:
        """A name that annotations can hold."""
        return TypeHint(name, ())

    ParamSpec = TypeVar
    Annotated, ClassVar, Concatenate, Literal, NoReturn, TypeAlias = (
        TypeHint(name, ()) for name in ("Annotated", "ClassVar", "Concatenate", "Literal", "NoReturn", "TypeAlias")
    )


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if type(hint) is UnionType:
        return hint.__args__
    return hint.parts if type(hint) is TypeHint and hint.form == "Union" else (hint,)


def typed(hint: Any) -> Any:
    """The hint with the objects of `typing` for the stand-ins in it."""
    import typing

    if hint is Any:
        return typing.Any
    if type(hint) is TypeHint:
        parts, real = hint.parts, getattr(typing, hint.form)
        if hint.form == "Annotated":
            return real[(typed(parts[0]), *parts[1:])]
        if hint.form != "Literal":
            parts = tuple(map(typed, parts))
        return real[parts[0] if len(parts) == 1 else parts] if parts else real
    if type(hint) is GenericAlias:
        origin: Any = hint.__origin__
        return GenericAlias(origin, tuple(map(typed, hint.__args__)))
    if type(hint) is UnionType:
        return reduce(or_, map(typed, hint.__args__))
    return hint
