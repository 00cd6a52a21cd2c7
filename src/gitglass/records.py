"""`@record` and `@typed_row`: `dataclass(slots=True)`, made in a fraction of its time.

The standard library's decorator compiles four to eight functions a class and imports `inspect`; a hundred small classes
take longer to make than most commands take to run. Here only `__init__` is compiled, when the first instance is made;
everything else is shared. Engines use `@record`. Rows of typed results are `@typed_row`s: standard dataclasses to
whoever looks (`dataclasses.fields`, `asdict`, pydantic), and made so at the first look.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter

from .annotations import Any, Generic, TypeVar, dataclass_transform, overload, typed

T = TypeVar("T")
_MISSING: Any = object()
_FEW = 6  # instances of a class that are made before its constructor is compiled
_SEVERAL = 4  # slots, which are set faster in another class
#: a class is only exchanged under the interpreter lock: Python without it stops all threads to do so
_ONE_THREAD_RUNS = not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled()
_become: Any = object.__dict__["__class__"].__set__


class lazy(Generic[T]):
    """`functools.cached_property` as it is from Python 3.12 on: 3.11's takes a lock at each first look."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, of: None, owner: type) -> "lazy[T]": ...
    @overload
    def __get__(self, of: object, owner: type) -> T: ...
    def __get__(self, of: object | None, owner: type) -> "T | lazy[T]":
        if of is None:
            return self
        made: T = self._make(of)
        of.__dict__[self._name] = made
        return made


class _Field:
    """A field with more to say than its default: see `field`."""

    __slots__ = ("compare", "default", "factory", "repr")

    def __init__(self, default: Any, factory: Callable[[], Any] | None, compare: bool, repr: bool) -> None:
        self.default, self.factory, self.compare, self.repr = default, factory, compare, repr


def field(
    *,
    default: Any = _MISSING,
    default_factory: Callable[[], Any] | None = None,
    compare: bool = True,
    repr: bool = True,
) -> Any:
    """A field that is made for each record (`default_factory`), or left out of `==` and `repr`."""
    return _Field(default, default_factory, compare, repr)


@overload
def record(made: type[T], /) -> type[T]: ...
@overload
def record(*, frozen: bool = False, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def record(
    made: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """A class whose annotated names are slots, set by its constructor in their order.

    As the standard library's: `frozen` ones cannot be changed and can be hashed, equal ones are of one class.
    """
    if made is not None:
        return _made(made, frozen, eq, repr)
    return lambda plain: _made(plain, frozen, eq, repr)


@overload
def typed_row(made: type[T], /) -> type[T]: ...
@overload
def typed_row(*, frozen: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def typed_row(made: type[T] | None = None, /, *, frozen: bool = False) -> type[T] | Callable[[type[T]], type[T]]:
    """A record of a typed result: one that `dataclasses` and pydantic take for a dataclass with slots."""
    if made is not None:
        return _made(made, frozen, True, True, standard=True)
    return lambda plain: _made(plain, frozen, True, True, standard=True)


class _Standard:
    """An attribute that `dataclasses` puts on a class, made at the first look, from its decorator's work on a copy."""

    def __init__(self, frozen: bool) -> None:
        self._frozen = frozen

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, of: object, owner: type) -> Any:
        made = self._owner
        standard = import_module("dataclasses")
        hints = {name: typed(hint) for name, hint in own_annotations(made).items()}
        space: dict[str, Any] = {"__annotations__": hints, "__module__": made.__module__, "__doc__": made.__doc__ or ""}
        if "__orig_bases__" in made.__dict__:
            space["__orig_bases__"] = made.__dict__["__orig_bases__"]
        for name in hints:
            about: _Field = made.__record_fields__[name]  # type: ignore[attr-defined]
            start = {} if about.default is _MISSING else {"default": about.default}
            start = {"default_factory": about.factory} if about.factory is not None else start
            space[name] = standard.field(compare=about.compare, repr=about.repr, **start)
        kind: Any = type(made)
        twin = standard.dataclass(kind(made.__name__, made.__bases__, space), frozen=self._frozen)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(made, name, twin.__dict__[name])
        return made.__dict__[self._name]


def replace(of: T, /, **changes: Any) -> T:
    """The same record with some fields changed. Raises TypeError for a name that is no field's."""
    made: Any = type(of)
    read, places = made.__dict__.get("__record_values__") or _reader(made)
    values = list(read(of))
    del values[len(places) :]
    for name, value in changes.items():
        if name not in places:
            raise TypeError(f"{made.__qualname__} has no field {name!r}")
        values[places[name]] = value
    result: T = made(*values)
    return result


def _reader(made: Any) -> tuple[Callable[[object], tuple[Any, ...]], dict[str, int]]:
    """What reads all fields of a record, and their places; made at the first `replace`."""
    names = made.__record_fields__
    read = attrgetter(*names, "__class__", "__class__")  # which returns a tuple only of two or more
    made.__record_values__ = read, {name: at for at, name in enumerate(names)}
    values: tuple[Callable[[object], tuple[Any, ...]], dict[str, int]] = made.__record_values__
    return values


def _made(plain: type[T], frozen: bool, eq: bool, repr: bool, standard: bool = False) -> type[T]:
    space = dict(plain.__dict__)
    own = {name: space.pop(name, _MISSING) for name in own_annotations(plain)}
    for name in ("__dict__", "__weakref__"):
        space.pop(name, None)
    inherited = getattr(plain, "__record_fields__", {})
    space["__slots__"] = tuple(name for name in own if name not in inherited)
    fields = {**inherited, **{n: d if type(d) is _Field else _Field(d, None, True, True) for n, d in own.items()}}
    space["__record_fields__"] = fields
    space["__match_args__"] = tuple(fields)
    compared = [name for name, about in fields.items() if about.compare]
    space["__record_key__"] = staticmethod(attrgetter(*compared) if compared else _nothing)
    if repr:
        space.setdefault("__repr__", _repr)
    if eq and "__eq__" not in space:
        space["__eq__"] = _eq
        space.setdefault("__hash__", _hash if frozen else None)
    if frozen:
        space.update(__setattr__=_refuse, __delattr__=_refuse, __getstate__=_state, __setstate__=_set_state)
    if standard:
        space.update(__dataclass_fields__=_Standard(frozen), __dataclass_params__=_Standard(frozen))
    kind: Any = type(plain)
    made: Any = kind(plain.__name__, plain.__bases__, space)
    made.__qualname__ = plain.__qualname__
    made.__init__ = _first_initializer(made, fields, frozen)
    result: type[T] = made
    return result


def own_annotations(of: type) -> dict[str, Any]:
    """What a class annotates itself; from Python 3.14 on annotations are made when asked for (PEP 649)."""
    if sys.version_info < (3, 14):
        own: dict[str, Any] = of.__dict__.get("__annotations__", {})  # noqa: RUF063 - the other way imports inspect
        return own
    library: Any = import_module("annotationlib")  # names that only a type checker imports stay unresolved in it
    annotations: dict[str, Any] = library.get_annotations(of, format=library.Format.FORWARDREF)
    return annotations


def _first_initializer(made: Any, fields: dict[str, _Field], frozen: bool) -> Callable[..., None]:
    """The `__init__` of the first instances of a class, which puts the compiled one in its own place after a few.

    Most records of a short command are made once or twice, in less time than it takes to compile a function.
    """
    left = _FEW
    put = object.__setattr__ if frozen else setattr
    after = getattr(made, "__post_init__", None)

    def __init__(self: object, /, *values: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        held = _held(fields, values, named) if left > 0 else None
        if held is None:  # enough of them, or arguments that the compiled one has to complain of
            initialize = made.__init__ = _initializer(made, fields, frozen)
            initialize(self, *values, **named)
            return
        for name, value in zip(fields, held, strict=True):
            put(self, name, value)
        if after is not None:
            after(self)

    return __init__


def _held(fields: dict[str, _Field], values: tuple[Any, ...], named: dict[str, Any]) -> list[Any] | None:
    """The values of all fields, or None where the arguments are not right."""
    if len(values) > len(fields):
        return None
    held = list(values)
    taken = 0
    for name in list(fields)[len(values) :]:
        about = fields[name]
        if name in named:
            held.append(named[name])
            taken += 1
        elif about.factory is not None:
            held.append(about.factory())
        elif about.default is not _MISSING:
            held.append(about.default)
        else:
            return None
    return held if taken == len(named) else None


def _initializer(made: type, fields: dict[str, _Field], frozen: bool) -> Callable[..., None]:
    """`__init__`, compiled. A frozen record's slots are set by their descriptors; where there are several, the record
    is of an open class of the same slots meanwhile: a call a slot is what most of the time would go into."""
    namespace: dict[str, Any] = {"_new": _MISSING}
    words, values = ["self"], []
    for name, about in fields.items():
        value = name
        if about.factory is not None:
            namespace[f"_make_{name}"] = about.factory
            words.append(f"{name}=_new")
            value = f"_make_{name}() if {name} is _new else {name}"
        elif about.default is not _MISSING:
            namespace[f"_default_{name}"] = about.default
            words.append(f"{name}=_default_{name}")
        else:
            words.append(name)
        values.append(value)
    stores = [f" self.{name} = {value}" for name, value in zip(fields, values, strict=True)]
    if frozen and len(fields) >= _SEVERAL and _ONE_THREAD_RUNS:
        namespace.update(_made=made, _open=_opened(made), _become=_become, _set_each=_set_each)
        lines = [f" if self.__class__ is not _made: _set_each(self, _made, ({', '.join(values)},))", " else:"]
        lines += ["  _become(self, _open)", *[f" {store}" for store in stores], "  self.__class__ = _made"]
    elif frozen:
        namespace.update((f"_set_{name}", getattr(made, name).__set__) for name in fields)
        lines = [f" _set_{name}(self, {value})" for name, value in zip(fields, values, strict=True)]
    else:
        lines = stores
    if hasattr(made, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec(f"def __init__({', '.join(words)}):\n" + ("\n".join(lines) or " pass"), namespace)
    init: Callable[..., None] = namespace["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _opened(made: Any) -> type:
    """A class with the slots of a frozen one, which its instances can be of for a while."""
    slots = made.__dict__["__slots__"]
    space = {"__slots__": slots, "__module__": made.__module__, "__setattr__": object.__setattr__}
    kind: Any = type(made)
    opened: type = kind(made.__name__, made.__bases__, space)
    return opened


def _set_each(self: object, made: Any, values: tuple[Any, ...]) -> None:
    """Set the slots of an instance of a class that was derived from a record."""
    for name, value in zip(made.__record_fields__, values, strict=True):
        object.__setattr__(self, name, value)


def _nothing(of: object) -> tuple[()]:
    return ()


def _repr(self: Any) -> str:
    shown = [f"{name}={getattr(self, name)!r}" for name, about in self.__record_fields__.items() if about.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    return self.__record_key__(self) == self.__record_key__(other)


def _hash(self: Any) -> int:
    return hash(self.__record_key__(self))


def _refuse(self: object, name: str, *value: object) -> None:
    raise AttributeError(f"cannot change {name!r}: the record is frozen")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__record_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__record_fields__, state, strict=True):
        object.__setattr__(self, name, value)
