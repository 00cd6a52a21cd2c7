"""Requests made from values that have the right types already, without building pydantic's validator for them.

What the argv parser gives is typed: true and false, numbers, words and lists of words. For fields of these plain types
there is nothing left to check, and the validator of a class with a hundred fields costs more to build than most
commands take. Everything else (a value of another type, a field with constraints, a field that is missing) is left to
pydantic, which then says what is wrong.
"""

from types import NoneType
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .flag import Flag

M = TypeVar("M", bound=BaseModel)
_WORDS = "words"  # stands for list[str] among the types of a field

_PLAIN: dict[object, frozenset[object]] = {
    bool: frozenset((bool,)),
    int: frozenset((int,)),
    str: frozenset((str,)),
    bool | None: frozenset((bool, NoneType)),
    int | None: frozenset((int, NoneType)),
    str | None: frozenset((str, NoneType)),
    list[str]: frozenset((_WORDS,)),
}
_NOTHING: frozenset[object] = frozenset()


class _Shape:
    """What a class of requests consists of: its defaults, and which types its fields take as they are."""

    __slots__ = ("defaults", "lists", "required", "types")

    def __init__(self, fields: dict[str, FieldInfo], plain: bool) -> None:
        self.defaults: dict[str, Any] = {}
        self.lists: list[str] = []
        self.required: set[str] = set()
        self.types: dict[str, frozenset[object]] = {}
        for name, field in fields.items():
            self.defaults[name] = None  # in the order of the fields
            if field.default_factory is list:
                self.lists.append(name)
            elif field.is_required() or field.default_factory is not None:
                self.required.add(name)
            else:
                self.defaults[name] = field.default
            if plain and all(isinstance(item, Flag) for item in field.metadata):
                self.types[name] = _PLAIN.get(field.annotation, _NOTHING)


_SHAPES: dict[type[BaseModel], _Shape] = {}


def _shape(model: type[BaseModel]) -> _Shape:
    known = _SHAPES.get(model)
    if known is None:
        checks = model.__pydantic_decorators__
        own = checks.field_validators or checks.validators or checks.model_validators or checks.root_validators
        known = _SHAPES[model] = _Shape(model.model_fields, not own)
    return known


def make_quickly(model: type[M], values: dict[str, Any]) -> M | None:
    """The model of these values, or None where only pydantic can tell whether they fit."""
    shape = _shape(model)
    types = shape.types
    for name, value in values.items():
        accepted = types.get(name, _NOTHING)
        if type(value) is list:
            if _WORDS not in accepted or any(type(word) is not str for word in value):
                return None
        elif type(value) not in accepted:
            return None
    if not shape.required <= values.keys():
        return None
    fields = shape.defaults.copy()
    for name in shape.lists:
        fields[name] = []
    fields.update(values)
    return _made(model, fields, set(values))


def altered(request: M, **values: Any) -> M:
    """The same request with some fields changed; the values are right, as for `model_copy`."""
    return _made(type(request), {**request.__dict__, **values}, {*request.model_fields_set, *values})


def _made(model: type[M], fields: dict[str, Any], given: set[str]) -> M:
    made = model.__new__(model)
    put = object.__setattr__
    put(made, "__dict__", fields)
    put(made, "__pydantic_fields_set__", given)
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)
    return made
