"""Imports, and regular expressions, that wait for their first use.

Starting takes longer than most commands do, and a module's seldom used parts import a good deal. What a module needs in
some of its answers only, it imports like this:

    if TYPE_CHECKING:
        from ..walk.linelog import LineLog, follow
    else:
        LineLog, follow = deferred(__name__, "..history.line_log", "LineLog", "follow")

Both names can be called, have their attributes looked at, and stand in annotations and behind `isinstance`. Constants
cannot be imported so. After the first use the module has the thing itself under the name: later uses cost nothing.

`lazy_pattern` is `re.compile` for the patterns of a module, which are compiled when they are first matched with.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module

from .annotations import TYPE_CHECKING, Any

__all__ = ["deferred", "lazy_pattern"]


class _Deferred:
    """A function or class of a module that is not imported yet."""

    __slots__ = ("_home", "_module", "_name")

    def __init__(self, home: str, module: str, name: str) -> None:
        self._home = home
        self._module = module
        self._name = name

    def _where(self) -> str:
        """The full name of the module."""
        above = len(self._module) - len(self._module.lstrip("."))
        if not above:
            return self._module
        package = sys.modules[self._home].__package__ or ""
        return f"{package.rsplit('.', above - 1)[0]}.{self._module[above:]}"

    def _load(self) -> Any:
        value = getattr(import_module(self._where()), self._name)
        home = sys.modules[self._home]
        if home.__dict__.get(self._name) is self:
            home.__dict__[self._name] = value
        return value

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        return self._load()(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what looks at the names of a module is not to import half of the package
            raise AttributeError(name)
        return getattr(self._load(), name)

    def __instancecheck__(self, value: object) -> bool:
        return self._where() in sys.modules and isinstance(value, self._load())  # else no instance can exist

    def __or__(self, other: object) -> _Deferred:
        return self  # in an annotation

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<deferred {self._module}.{self._name}>"


def deferred(home: str, module: str, *names: str) -> Any:
    """Stand-ins for names of a module, one for each; `home` is the `__name__` of the module that imports them."""
    made = [_Deferred(home, module, name) for name in names]
    return made if len(made) > 1 else made[0]


class _Pattern:
    """A regular expression that is not compiled yet; its methods are kept as they are asked for."""

    def __init__(self, source: str | bytes, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = getattr(re.compile(self._source, self._flags), name)
        return made


if TYPE_CHECKING:
    from re import compile as lazy_pattern
else:
    lazy_pattern = _Pattern
