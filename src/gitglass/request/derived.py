"""The pydantic model of a declared class: it validates, dumps and describes the class's instances.

The model itself is never instantiated. Its core schema names the declared class in place of the model, so that
validation makes instances of that class and serialization accepts them; `declared.py` has the methods that use it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from ..annotations import typed
from .declared import DeclaredField, fields_of


def derive(declared: type[Any]) -> type[BaseModel]:
    """The model with the fields, the name and the documentation of a declared class; its validator is made later."""

    def schema_of(cls: type[BaseModel], source: Any, handler: Any) -> Any:
        schema = handler(source)
        handler.resolve_ref_schema(schema)["cls"] = declared
        return schema

    fields = fields_of(declared)
    space: dict[str, Any] = {
        "__module__": declared.__module__,
        "__qualname__": declared.__qualname__,
        "__doc__": declared.__doc__,
        "__annotations__": {name: _annotation(field) for name, field in fields.items()},
        "__get_pydantic_core_schema__": classmethod(schema_of),
        "model_config": {**declared.model_config, "defer_build": True},
    }
    for name, field in fields.items():
        if not field.is_required() or field.description or field.constraints:
            space[name] = _info(field)
    metaclass: Any = type(BaseModel)
    model: type[BaseModel] = metaclass(declared.__name__, (BaseModel,), space)
    return model


def _annotation(field: DeclaredField) -> Any:
    hint = typed(field.annotation)
    return Annotated[(hint, *field.metadata)] if field.metadata else hint


def _info(field: DeclaredField) -> Any:
    """pydantic's form of a field. A default without a `Field(…)` stays unchanged, and so does pydantic's own field."""
    if type(field.given).__module__.startswith("pydantic"):
        return field.given
    more: dict[str, Any] = {"description": field.description, **field.constraints}
    if field.default_factory is not None:
        return Field(default_factory=field.default_factory, **more)
    return Field(field.default, **more)


def frozen_instance(name: str, of: object, value: object) -> ValidationError:
    """pydantic's error about changing a frozen instance."""
    error: Any = {"type": "frozen_instance", "loc": (name,), "input": value}
    return ValidationError.from_exception_data(type(of).__name__, [error])
