"""`@record` against the standard library's dataclass: the same constructor, equality, hash, text, pickles."""

import copy
import pickle
from dataclasses import asdict, dataclass, fields, is_dataclass
from dataclasses import field as standard_field
from dataclasses import replace as standard_replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from gitglass.records import field, own_annotations, record, replace, typed_row


@record
class Point:
    """Two numbers."""

    x: int
    y: int = 2
    marks: list[str] = field(default_factory=list)

    def moved(self) -> "Point":
        return replace(self, x=self.x + 1)


@record(frozen=True)
class Fixed:
    name: bytes
    seen: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    kind: str | None = field(default=None)


@record
class Point3(Point):
    z: int = 3
    y: int = 9


@record(eq=False, repr=False)
class Plain:
    x: int = 1


@record(frozen=True)
class Nothing:
    pass


@record
class Counted:
    x: int

    def __post_init__(self) -> None:
        self.x += 1


@record(frozen=True)
class Wide:
    """So many slots that they are set in an open class."""

    a: int
    b: int = 2
    marks: list[str] = field(default_factory=list)
    d: int = 4

    def __post_init__(self) -> None:
        assert isinstance(self, Wide)
        if self.a < 0:
            raise ValueError("negative")


class Wider(Wide):
    """Derived, and no record itself."""


@record(frozen=True)
class Widest(Wide):
    e: int = 5
    a: int = 1


@dataclass(slots=True)
class StandardPoint:
    x: int
    y: int = 2
    marks: list[str] = standard_field(default_factory=list)


def test_constructed_as_dataclasses_are() -> None:
    for arguments, named in (((1,), {}), ((1, 5), {}), ((), {"y": 7, "x": 0}), ((1, 2, ["a"]), {})):
        made, standard = Point(*arguments, **named), StandardPoint(*arguments, **named)
        assert repr(made) == repr(standard).replace("StandardPoint", "Point")
        assert (made == Point(*arguments, **named)) and made != Point(99)
    for arguments, named in (((), {}), ((1, 2, [], 4), {}), ((1,), {"w": 1}), ((1,), {"x": 1})):
        for kind in (Point, StandardPoint):
            with pytest.raises(TypeError):
                kind(*arguments, **named)


def test_lists_are_made_anew_and_names_are_slots() -> None:
    one, other = Point(1), Point(1)
    one.marks.append("x")
    assert other.marks == [] and one != other and one.moved() == Point(2, 2, ["x"])
    with pytest.raises(AttributeError):
        one.other = 1  # type: ignore[attr-defined]
    assert not hasattr(one, "__dict__") and Point.__doc__ == "Two numbers."
    with pytest.raises(TypeError):
        hash(one)
    assert one != StandardPoint(1, 2, ["x"])


def test_frozen_ones_can_be_keys_and_cannot_change() -> None:
    one = Fixed(b"a", {"n": 1})
    assert one == Fixed(b"a") and hash(one) == hash(Fixed(b"a")) and {one: 1}[Fixed(b"a", kind=None)] == 1
    assert repr(one) == "Fixed(name=b'a', kind=None)"
    for change in (lambda: setattr(one, "name", b"b"), lambda: delattr(one, "name")):
        with pytest.raises(AttributeError, match="frozen"):
            change()
    assert hash(Nothing()) == hash(Nothing()) and repr(Nothing()).endswith("Nothing()")


@pytest.mark.parametrize("kind", [Wide, Wider, Widest])
def test_frozen_ones_of_many_slots_are_as_those_of_few(kind: type[Wide]) -> None:
    """The first ones are made one slot after the other, all others by a compiled constructor."""
    for number in range(12):
        one = kind(number, marks=["x"], d=7)
        assert type(one) is kind and (one.a, one.b, one.marks, one.d) == (number, 2, ["x"], 7)
        assert one == kind(number, 2, ["x"], 7) != kind(number) and kind(0).marks is not kind(0).marks
        assert replace(one, b=3) == kind(number, 3, ["x"], 7)
        with pytest.raises(AttributeError, match="frozen"):
            one.a = 1  # type: ignore[misc]
        with pytest.raises(ValueError, match="negative"):
            kind(-1)
        with pytest.raises(TypeError):
            kind(1, 2, [], 4, 5, 6)  # type: ignore[call-arg]
    assert getattr(one, "e", 5) == 5


def test_replace_refuses_what_is_no_field() -> None:
    with pytest.raises(TypeError, match="Point has no field 'z'"):
        replace(Point(1), z=2)
    assert replace(Nothing()) == Nothing() and replace(Plain(2), x=3).x == 3


@pytest.mark.parametrize("made", [Point(1, 2, ["a"]), Fixed(b"x", {"a": 1}, "k"), Point3(1, z=4), Nothing()], ids=repr)
def test_copied_and_pickled(made: Any) -> None:
    for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made), replace(made)):
        assert again == made and type(again) is type(made) and repr(again) == repr(made)
    assert getattr(pickle.loads(pickle.dumps(made)), "seen", None) == getattr(made, "seen", None)


def test_inherited_identical_and_after_construction() -> None:
    assert repr(Point3(1)) == "Point3(x=1, y=9, marks=[], z=3)" and Point3(1) != Point(1, 9)
    one = Plain()
    assert one == one and one != Plain() and len({one, Plain()}) == 2 and "object at" in repr(one)
    assert Counted(1).x == 2
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)


@typed_row
class Row:
    """A row, as typed results have them."""

    name: str
    marks: list[int] = field(default_factory=list)


@typed_row
class LongRow(Row):
    size: int | None = None


@typed_row(frozen=True)
class FixedRow:
    name: str = "x"


def test_rows_are_standard_dataclasses() -> None:
    one = LongRow("a", [1])
    assert is_dataclass(LongRow) and [one.name for one in fields(LongRow)] == ["name", "marks", "size"]
    assert asdict(one) == {"name": "a", "marks": [1], "size": None} and standard_replace(one, size=3).size == 3
    assert [about.type for about in fields(Row)] == [str, list[int]] and not is_dataclass(Point)
    assert repr(one) == "LongRow(name='a', marks=[1], size=None)" and one == LongRow("a", [1]) != LongRow("b")
    assert not hasattr(one, "__dict__") and pickle.loads(pickle.dumps(one)) == one
    assert FixedRow.__dataclass_params__.frozen and hash(FixedRow()) == hash(FixedRow())  # type: ignore[attr-defined]


def test_rows_are_types_to_pydantic() -> None:
    adapter = TypeAdapter(list[LongRow])
    made = adapter.validate_python([{"name": "a", "marks": ["2"]}])
    assert made == [LongRow("a", [2])] and type(made[0]) is LongRow
    assert adapter.dump_json(made) == b'[{"name":"a","marks":[2],"size":null}]'
    assert adapter.validate_python(made)[0] is made[0]
    assert adapter.json_schema()["$defs"]["LongRow"]["required"] == ["name"]


def test_a_dataclass_may_derive_from_a_row() -> None:
    @dataclass(slots=True)
    class Longer(LongRow):
        more: int = 3

    assert Longer("a").more == 3 and [about.name for about in fields(Longer)] == ["name", "marks", "size", "more"]


@pytest.mark.parametrize("frozen", [False, True])
def test_the_first_instances_are_as_the_later_ones(frozen: bool) -> None:
    @record(frozen=frozen)
    class Late:
        x: int
        marks: list[int] = field(default_factory=list)
        y: int = 2

        def __post_init__(self) -> None:
            self.marks.append(self.x)

    first = Late.__init__
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((1,), {}), ((1, [5]), {"y": 3}), ((), {"y": 4, "x": 1}), ((1, [], 7), {}),
    ]  # fmt: skip
    made = [Late(*copy.deepcopy(values), **named) for values, named in calls]
    assert Late.__init__ is first
    for _ in range(9):
        Late(0)
    assert Late.__init__ is not first
    assert made == [Late(*copy.deepcopy(values), **named) for values, named in calls]
    assert [repr(one).partition("(")[2] for one in made[:2]] == ["x=1, marks=[1], y=2)", "x=1, marks=[5, 1], y=3)"]


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_wrong_arguments_are_refused_from_the_first(values: Any, named: Any) -> None:
    @record
    class Wrong:
        x: int
        y: int = 2

    with pytest.raises(TypeError, match="__init__"):
        Wrong(*values, **named)
    assert Wrong(1).y == 2


def test_own_annotations_are_those_of_the_class_itself() -> None:
    class First:
        a: int

    class Second(First):
        pass

    assert list(own_annotations(First)) == ["a"] and own_annotations(Second) == {}
