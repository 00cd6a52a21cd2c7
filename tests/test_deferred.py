"""gitglass/deferred.py: nothing is imported before the first use, and afterwards the module has the thing itself."""

import importlib
import re
import sys
from types import ModuleType
from typing import Any

import pytest

from gitglass.deferred import deferred, lazy_pattern


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module that defers `fractions.Fraction` and `fractions.gcd_of_nothing`, with the first not imported yet."""
    made = ModuleType("deferring_home")
    made.__package__ = "deferring"
    monkeypatch.setitem(sys.modules, "deferring_home", made)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    made.rgb_to_hsv, made.nothing = deferred("deferring_home", "colorsys", "rgb_to_hsv", "nothing")  # type: ignore[attr-defined]
    made.Fraction = deferred("deferring_home", "fractions", "Fraction")  # type: ignore[attr-defined]
    return made


def test_imported_at_the_first_call_and_replaced(home: Any) -> None:
    stands_in = home.rgb_to_hsv
    assert "colorsys" not in sys.modules and repr(stands_in) == "<deferred colorsys.rgb_to_hsv>"
    assert stands_in(1, 1, 1) == (0.0, 0.0, 1)
    assert home.rgb_to_hsv is sys.modules["colorsys"].rgb_to_hsv
    assert stands_in(0, 0, 0) == (0.0, 0.0, 0)  # one that somebody kept goes on


def test_classes_are_made_asked_and_annotated_with(home: Any) -> None:
    annotation = home.Fraction | None
    assert annotation is home.Fraction
    one = home.Fraction(1, 2)
    assert isinstance(one, annotation) and not isinstance(1, annotation) and type(one) is home.Fraction
    assert deferred("deferring_home", "fractions", "Fraction").from_float(0.5) == one


def test_what_nobody_imported_has_no_instances(home: Any) -> None:
    assert not isinstance(1, home.rgb_to_hsv) and "colorsys" not in sys.modules


def test_a_module_beside_and_one_above(monkeypatch: pytest.MonkeyPatch) -> None:
    for home, module in (("gitglass.history.fast", ".spec"), ("gitglass.agent.native.log", "...history.spec")):
        space = sys.modules[home] if home in sys.modules else importlib.import_module(home)
        spec = deferred(home, module, "WalkSpec")
        assert type(spec()).__module__ == "gitglass.history.spec" and isinstance(spec(), spec) and space is not None


def test_a_name_that_is_not_there_is_an_error_at_its_first_use(home: Any) -> None:
    with pytest.raises(AttributeError, match="nothing"):
        home.nothing()
    with pytest.raises(AttributeError):
        home.Fraction.__wrapped__  # noqa: B018


def test_a_pattern_is_compiled_when_it_is_matched_with(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    compile_now = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or compile_now(*given))
    one = lazy_pattern(rb"(a+)b", re.IGNORECASE)
    assert not compiled
    match = one.match(b"AAB")
    assert match is not None and match[1] == b"AA" and one.match is one.match and one.pattern == rb"(a+)b"
    assert compiled[0] == (rb"(a+)b", re.IGNORECASE)
