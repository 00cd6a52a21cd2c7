"""Requests and results as plain classes: declared like pydantic models, but made without pydantic.

A class that derives from `Declared` is written like a model, with its fields as annotated names with a default or a
`Field(…)`. Making the class costs as much as making an ordinary class; its fields are collected on first use. Values of
the plain types (booleans, numbers, strings, lists of them, literals) are checked here. Everything else is done by the
pydantic model that is derived from the class (`derived.py`): converting values, errors about invalid values, JSON,
schemas. So pydantic, which takes longer to import than most commands take to run, is loaded only if one of these is
needed.

In both cases the instances are of the declared class. They have the methods of a pydantic model, and the class can be
used as a type in pydantic: as a field of another model, in a `TypeAdapter`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import GenericAlias, NoneType, UnionType

from ..annotations import TYPE_CHECKING, Any, ClassVar, TypeHint, TypeVar
from ..records import own_annotations

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["BeforeValidator", "Declared", "DeclaredField", "Field", "accepted", "altered", "fields_of"]

M = TypeVar("M")
_MISSING: Any = ...  # as in pydantic: a field with this default has none


class _Unsure(Exception):
    """Only pydantic can decide whether a value is valid, or what it is converted to."""


def _form(hint: Any) -> tuple[str, tuple[Any, ...]]:
    """The name of a hint's form and its parts: ("Literal", its values), ("Union", its alternatives), ("Annotated", (the
    type, *metadata)), ("list", its item), …; ("", ()) for a class.

    Forms of `typing` are recognised as well as those of `annotations`: a host may derive from our classes.
    """
    kind = type(hint)
    if kind is TypeHint:
        return hint.form, hint.parts
    if kind is UnionType:
        return "Union", hint.__args__
    if isinstance(hint, GenericAlias):
        return hint.__origin__.__name__, hint.__args__
    if kind.__module__ != "typing":
        return "", ()
    import typing

    form: Any = typing.get_origin(hint) or hint
    name: str = getattr(form, "__name__", None) or getattr(form, "_name", None) or ""
    return name, (hint.__origin__, *hint.__metadata__) if name == "Annotated" else typing.get_args(hint)


class _Field:
    """The properties of a field besides its type: the default, a description, and constraints (`ge=0`)."""

    __slots__ = ("constraints", "default", "default_factory", "description")

    def __init__(
        self,
        default: Any = _MISSING,
        *,
        default_factory: Callable[[], Any] | None = None,
        description: str | None = None,
        **constraints: Any,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.description = description
        self.constraints = constraints


class _BeforeValidator:
    """In a field's `Annotated[…]`: a function that every value passes through before its type is checked."""

    __slots__ = ("func",)

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.func = func

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core.core_schema import no_info_before_validator_function

        return no_info_before_validator_function(self.func, handler(source))


class DeclaredField:
    """A field of a declared class. `annotation` is its type, `metadata` the rest of its `Annotated[…]`."""

    __slots__ = (
        "_accept", "annotation", "constraints", "default", "default_factory", "description", "given", "metadata",
    )  # fmt: skip

    def __init__(self, annotation: Any, given: Any) -> None:
        self.annotation = annotation
        self.metadata: tuple[Any, ...] = ()
        form, parts = _form(annotation)
        if form == "Annotated":
            self.annotation, self.metadata = parts[0], parts[1:]
        self.given = given
        self.default: Any = getattr(given, "default", given)
        self.default_factory: Callable[[], Any] | None = None
        self.description: str | None = None
        self.constraints: dict[str, Any] = {}
        self._accept: Callable[[Any], Any] | None = None
        if type(given) is _Field:
            self.default_factory, self.description = given.default_factory, given.description
            self.constraints = given.constraints
        elif type(given).__module__.startswith("pydantic"):  # a subclass outside of gitglass, with pydantic's own Field
            self.default_factory, self.description = given.default_factory, given.description
            self.default = _MISSING if given.is_required() else given.default
            self._accept = _unsure

    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default_factory is None and self.default is _MISSING

    def accept(self, value: Any) -> Any:
        """The value as the field holds it. Raises _Unsure if only pydantic can decide."""
        accept = self._accept
        if accept is None:
            accept = self._accept = _acceptor(self.annotation, self.metadata, self.constraints)
        return accept(value)


def _unsure(value: Any) -> Any:
    raise _Unsure


def _acceptor(annotation: Any, metadata: tuple[Any, ...], constraints: dict[str, Any]) -> Callable[[Any], Any]:
    """The function that accepts a value for a field of this type; lists are copied, as pydantic's validators do."""
    least, most = constraints.get("ge"), constraints.get("le")
    if constraints.keys() - {"ge", "le"}:
        return _unsure
    accept = _kind(annotation)
    before = []
    for item in metadata:
        if type(item) is _BeforeValidator:
            before.append(item.func)
        elif type(item).__module__.startswith(("pydantic", "annotated_types")):
            return _unsure
    if not before and least is None and most is None:
        return accept

    def checked(value: Any) -> Any:
        for change in reversed(before):
            try:
                value = change(value)
            except ValueError:
                raise _Unsure from None
        value = accept(value)
        if value is not None and ((least is not None and value < least) or (most is not None and value > most)):
            raise _Unsure
        return value

    return checked


_KINDS: dict[Any, Callable[[Any], Any]] = {}


def _kind(annotation: Any) -> Callable[[Any], Any]:
    """The function that accepts a value of a type, or raises _Unsure; made once for each type. A hint with words of
    its own is that of one field, which keeps its function: to look it up takes as long as to make it."""
    if type(annotation) is TypeHint:
        return _kind_of(annotation)
    try:
        accept = _KINDS.get(annotation)
    except TypeError:  # an unhashable type
        return _unsure
    if accept is None:
        accept = _KINDS[annotation] = _kind_of(annotation)
    return accept


def _kind_of(annotation: Any) -> Callable[[Any], Any]:
    types: set[type] = set()
    literals: set[tuple[type, Any]] = set()
    others: list[Callable[[Any], Any]] = []
    form, alternatives = _form(annotation)
    for part in alternatives if form == "Union" else (annotation,):
        form, parts = _form(part)
        if form == "Literal":
            literals.update((type(value), value) for value in parts)
        elif part in (bool, int, str, NoneType):
            types.add(part)
        elif part is None:
            types.add(NoneType)
        elif isinstance(part, GenericAlias) and form == "list":
            others.append(_list_of(parts[0]))
        elif isinstance(part, type) and issubclass(part, _Declared):
            others.append(_instance_of(part))
    if len(others) > 1:
        return _unsure  # pydantic decides which of several types a value is converted to
    exact = frozenset(types)
    other = others[0] if others else _unsure

    def accept(value: Any) -> Any:
        kind = type(value)
        if kind in exact or (literals and kind in (str, int, bool) and (kind, value) in literals):
            return value
        return other(value)

    return accept


def _list_of(item: Any) -> Callable[[Any], Any]:
    accept = _kind(item)

    def accept_list(value: Any) -> Any:
        if type(value) is not list:
            raise _Unsure
        return [accept(one) for one in value]

    return accept_list


def _instance_of(model: type[_Declared]) -> Callable[[Any], Any]:
    def accept_instance(value: Any) -> Any:
        if isinstance(value, model):
            return value
        made = accepted(model, value) if type(value) is dict else None
        if made is None:
            raise _Unsure
        return made

    return accept_instance


# ---------------------------------------------------------------------------------------------------- a class's fields
def fields_of(model: type[Any]) -> dict[str, DeclaredField]:
    """The fields of a declared class, in pydantic's order: those of the last base first. Made once for each class."""
    fields: dict[str, DeclaredField] | None = model.__dict__.get("_declared_fields")
    if fields is None:
        fields = {}
        for base in reversed(model.__mro__[:-1]):
            if base is not _Declared and issubclass(base, _Declared):
                fields.update(_own_fields(base))
        model._declared_fields = fields
    return fields


def _own_fields(model: type[Any]) -> dict[str, DeclaredField]:
    """The fields that a class itself declares."""
    own: dict[str, DeclaredField] | None = model.__dict__.get("_own_declared_fields")
    if own is None:
        own = {}
        space = vars(sys.modules[model.__module__])
        for name, annotation in own_annotations(model).items():
            if isinstance(annotation, str):
                annotation = eval(annotation, space, vars(model))
            if name[0] != "_" and _form(annotation)[0] != "ClassVar":
                own[name] = DeclaredField(annotation, model.__dict__.get(name, _MISSING))
        model._own_declared_fields = own
    return own


class _Shape:
    """The data for making instances of a class: the defaults in field order, and the required fields."""

    __slots__ = ("defaults", "factories", "fields", "required")

    def __init__(self, model: type[Any]) -> None:
        self.fields = fields_of(model)
        self.defaults: dict[str, Any] = dict.fromkeys(self.fields)
        self.factories: list[tuple[str, Callable[[], Any]]] = []
        self.required: set[str] = set()
        for name, field in self.fields.items():
            if field.default_factory is not None:
                self.factories.append((name, field.default_factory))
            elif field.is_required():
                self.required.add(name)
            elif type(field.default) in (list, dict, set):
                self.factories.append((name, field.default.copy))
            else:
                self.defaults[name] = field.default


def _shape(model: type[Any]) -> _Shape:
    shape: _Shape | None = model.__dict__.get("_declared_shape")
    if shape is None:
        shape = model._declared_shape = _Shape(model)
    return shape


def _values(model: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    """The values of all fields. Raises _Unsure if pydantic has to check the given values."""
    shape = _shape(model)
    fields = shape.fields
    values = shape.defaults.copy()
    for name, make in shape.factories:
        if name not in given:
            values[name] = make()
    try:
        for name, value in given.items():
            values[name] = fields[name].accept(value)
    except KeyError:
        raise _Unsure from None
    if not shape.required <= given.keys():
        raise _Unsure
    return values


def accepted(model: type[M], given: dict[str, Any]) -> M | None:
    """The instance with these values, or None if only pydantic can decide whether they are valid."""
    try:
        return _made(model, _values(model, given), set(given))
    except _Unsure:
        return None


def altered(request: M, **values: Any) -> M:
    """The same request with some fields changed; the values are not checked, as for `model_copy`."""
    held: Any = request
    return _made(type(request), {**held.__dict__, **values}, {*held.model_fields_set, *values})


def _made(model: type[M], values: dict[str, Any], given: set[str]) -> M:
    made = model.__new__(model)
    _set(made, values, given)
    return made


def _set(made: Any, values: dict[str, Any], given: set[str]) -> None:
    put = object.__setattr__
    put(made, "__dict__", values)
    put(made, "__pydantic_fields_set__", given)
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)


# --------------------------------------------------------------------------------------------------------- the classes
class _Derived:
    """A class attribute that is the derived model's attribute of the same name, and a method of a pydantic model."""

    __slots__ = ("_name",)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, of: Any, owner: type[_Declared]) -> Any:
        return getattr(owner.model(), self._name)


class _Inherited(_Derived):
    """A method of an instance that is the derived model's."""

    __slots__ = ()

    def __get__(self, of: Any, owner: type[_Declared]) -> Any:
        method = getattr(owner.model(), self._name)
        return method if of is None else method.__get__(of)


class _Declared:
    """The base of declared classes: it has a pydantic model's interface, mostly from the model derived from the
    class."""

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")

    #: `frozen`, and "forbid" for `extra`: as in pydantic
    model_config: ClassVar[dict[str, Any]] = {}

    def __init__(self, /, **given: Any) -> None:
        try:
            _set(self, _values(type(self), given), set(given))
        except _Unsure:
            type(self).__pydantic_validator__.validate_python(given, self_instance=self)

    @classmethod
    def model(cls) -> type[BaseModel]:
        """The pydantic model of this class: its validation makes instances of the class. Made on first use."""
        model: type[BaseModel] | None = cls.__dict__.get("_derived_model")
        if model is None:
            from .derived import derive

            model = cls._derived_model = derive(cls)  # type: ignore[attr-defined]
        return model

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return handler.generate_schema(cls.model())

    __pydantic_validator__ = _Derived()
    __pydantic_serializer__ = _Derived()
    __signature__ = _Derived()
    model_fields = _Derived()
    model_computed_fields = _Derived()
    model_json_schema = _Derived()
    model_rebuild = _Derived()
    model_validate = _Derived()
    model_validate_json = _Derived()
    model_validate_strings = _Derived()
    model_dump = _Inherited()
    model_dump_json = _Inherited()

    @classmethod
    def model_construct(cls: type[M], _fields_set: set[str] | None = None, **values: Any) -> M:
        """An instance with unchecked values, and the defaults of the missing ones."""
        shape = _shape(cls)
        held = {**shape.defaults, **{name: make() for name, make in shape.factories if name not in values}}
        for name in shape.required:
            del held[name]
        held.update((name, value) for name, value in values.items() if name in shape.fields)
        return _made(cls, held, set(values) & shape.fields.keys() if _fields_set is None else _fields_set)

    @property
    def model_fields_set(self) -> set[str]:
        """The names of the fields that were given explicitly."""
        given: set[str] = self.__pydantic_fields_set__  # type: ignore[attr-defined]
        return given

    @property
    def model_extra(self) -> dict[str, Any] | None:
        """None: there are no undeclared fields."""
        return None

    def model_copy(self: M, *, update: dict[str, Any] | None = None, deep: bool = False) -> M:
        """A copy with some fields changed; the new values are not checked."""
        held: Any = self.__deepcopy__() if deep else self  # type: ignore[attr-defined]
        update = update or {}
        return _made(type(self), {**held.__dict__, **update}, {*held.model_fields_set, *update})

    def __copy__(self: M) -> M:
        held: Any = self
        return _made(type(self), dict(held.__dict__), set(held.model_fields_set))

    def __deepcopy__(self: M, memo: dict[int, Any] | None = None) -> M:
        from copy import deepcopy

        held: Any = self
        return _made(type(self), deepcopy(held.__dict__, memo), set(held.model_fields_set))

    def __getstate__(self) -> dict[Any, Any]:
        return {"__dict__": self.__dict__, "__pydantic_fields_set__": self.model_fields_set}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        _set(self, state["__dict__"], state["__pydantic_fields_set__"])

    def __setattr__(self, name: str, value: Any) -> None:
        self._change(name, value)
        self.__dict__[name] = value
        self.model_fields_set.add(name)

    def __delattr__(self, name: str) -> None:
        self._change(name, None)
        del self.__dict__[name]

    def _change(self, name: str, value: Any) -> None:
        """Raises pydantic's error if a field is frozen or does not exist."""
        if self.model_config.get("frozen"):
            from .derived import frozen_instance

            raise frozen_instance(name, self, value)
        if name not in fields_of(type(self)):
            raise ValueError(f'"{type(self).__name__}" object has no field "{name}"')

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Declared):
            return NotImplemented
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        if not self.model_config.get("frozen"):
            raise TypeError(f"unhashable type: {type(self).__name__!r}")
        return hash(tuple(self.__dict__.values()))

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from self.__dict__.items()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __str__(self) -> str:
        return " ".join(f"{name}={value!r}" for name, value in self.__dict__.items())


# For type checkers a declared class is the model it stands for: its constructor takes the fields by name, and it
# has a model's methods. At run time it is no subclass of BaseModel.
if TYPE_CHECKING:
    from pydantic import BaseModel as Declared
    from pydantic import BeforeValidator, Field
else:
    Declared, BeforeValidator, Field = _Declared, _BeforeValidator, _Field
    Declared.__name__ = Declared.__qualname__ = "Declared"
