"""Declared classes stand where pydantic models stood: the same instances, methods and schemas, without pydantic."""

import copy
import pickle
import subprocess
import sys
import typing
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from gitglass import annotations
from gitglass.annotations import typed
from gitglass.commands.command import Command
from gitglass.commands.log import LogRequest, LogResult
from gitglass.commands.registry import NAMES, load
from gitglass.request.declared import BeforeValidator, Declared, Field, _form, accepted, altered, fields_of
from gitglass.request.flag import Flag
from gitglass.request.grep import GrepRequest, Term
from gitglass.request.rows.status import StatusResult


def commands() -> list[Command]:
    modules = [load(name) for name in sorted(NAMES)]
    return [
        command
        for module in modules
        if module is not None
        for command in (module.COMMAND, *getattr(module, "SUBCOMMANDS", {}).values())
    ]


SAMPLES: dict[object, list[Any]] = {
    bool: [True, False],
    int: [0, 7],
    str: ["", "word"],
    bool | None: [None, True],
    int | None: [None, 3],
    str | None: [None, "x"],
    list[str]: [[], ["a", "b"]],
    list[int]: [[], [4]],
    list[str | None]: [[None, "a"]],
}


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_instances_are_those_that_pydantic_makes(command: Command) -> None:
    model = command.request
    needed = {name: SAMPLES[field.annotation][-1] for name, field in model.model_fields.items() if field.is_required()}
    sets = [needed]
    for name, field in model.model_fields.items():
        if all(isinstance(item, Flag) for item in field.metadata):
            sets += [{**needed, name: value} for value in SAMPLES.get(field.annotation, ())]
    for values in sets:
        made, expected = accepted(model, dict(values)), model.model_validate(values)
        assert made == expected and made is not None
        assert type(made) is type(expected) is model
        assert made.model_fields_set == expected.model_fields_set == set(values)
        assert made.model_copy(update={}) == expected and repr(made) == repr(expected)
        assert made.model_dump() == expected.model_dump() == dict(made)


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_the_fields_are_those_of_the_derived_model_in_its_order(command: Command) -> None:
    for declared in (command.request, command.result):
        fields, theirs = fields_of(declared), declared.model_fields
        assert list(fields) == list(theirs)
        for name, field in fields.items():
            assert typed(field.annotation) == theirs[name].annotation and field.description == theirs[name].description
            assert field.is_required() == theirs[name].is_required()
            assert field.default_factory is not None or field.is_required() or field.default == theirs[name].default
        assert declared.model_json_schema()["properties"].keys() == {*fields}


class Spelled(Declared):
    """What pydantic's own model is compared with."""

    model_config = {"extra": "forbid"}

    count: Annotated[int, Flag("-n")] = 0
    least: Annotated[int, Flag("-l")] = Field(0, ge=3, le=9, description="At least three.")
    words: list[str] = Field(default_factory=list)
    kind: str | list[int] = ""
    mode: Literal["a", "b", 1] | None = None
    doubled: Annotated[int, BeforeValidator(lambda value: 2 * value if isinstance(value, int) else value)] = 0
    long: str = Field("abc", max_length=3)
    shared: list[int] = [1]
    flag: bool = False
    wanted: str


class Standard(BaseModel):
    """What pydantic's own model is compared with."""

    model_config = {"extra": "forbid", "title": "Spelled"}

    count: int = 0
    least: int = pydantic.Field(0, ge=3, le=9, description="At least three.")
    words: list[str] = pydantic.Field(default_factory=list)
    kind: str | list[int] = ""
    mode: Literal["a", "b", 1] | None = None
    doubled: Annotated[int, pydantic.BeforeValidator(lambda value: 2 * value if isinstance(value, int) else value)] = 0
    long: str = pydantic.Field("abc", max_length=3)
    shared: list[int] = [1]
    flag: bool = False
    wanted: str


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from(["", "3", "a", "abcd"]),
    st.lists(st.sampled_from(["a", 1, None])),
)


@given(st.dictionaries(st.sampled_from([*Standard.model_fields, "other"]), VALUES))
def test_a_declared_class_takes_and_refuses_what_a_model_does(values: dict[str, Any]) -> None:
    try:
        expected = Standard.model_validate(values)
    except ValidationError as error:
        with pytest.raises(ValidationError) as caught:
            Spelled(**values)
        ours, theirs = ({(one["loc"], one["type"]) for one in e.errors()} for e in (caught.value, error))
        assert ours == theirs
        return
    made = Spelled(**values)
    assert dict(made) == dict(expected) and made.model_fields_set == expected.model_fields_set
    assert [type(value) for value in dict(made).values()] == [type(value) for value in dict(expected).values()]
    assert made.model_dump_json() == expected.model_dump_json() and str(made) == str(expected)
    assert made.model_dump(exclude_unset=True) == expected.model_dump(exclude_unset=True)
    assert Spelled.model_validate_json(made.model_dump_json(exclude={"doubled"})) is not made


def test_the_schema_is_a_model_s() -> None:
    assert Spelled.model_json_schema() == Standard.model_json_schema()
    assert TypeAdapter(Spelled).json_schema() == Standard.model_json_schema()


def test_what_needs_pydantic_is_not_accepted_without() -> None:
    assert accepted(Spelled, {"wanted": "x", "least": 5}) is not None
    for values in ({}, {"least": 2}, {"least": 10}, {"count": "3"}, {"mode": "c"}, {"mode": True}, {"long": "a"},
                   {"kind": 1}, {"other": 1}, {"words": ("a",)}, {"flag": 1}):  # fmt: skip
        assert accepted(Spelled, {"wanted": "x", **values} if values else {}) is None, values
    assert Spelled(wanted="x", count="3", kind=[1]).count == 3  # type: ignore[arg-type]  # pydantic converts


def test_lists_are_shared_with_nobody() -> None:
    mine = ["a"]
    one, other = Spelled(wanted="", words=mine), Spelled(wanted="")
    mine.append("b")
    other.words.append("x")
    other.shared.append(2)
    assert one.words == ["a"] and Spelled(wanted="").words == [] and Spelled(wanted="").shared == [1]


def test_an_altered_request_is_a_copy() -> None:
    request = LogRequest(revs=["v1"], max_count=3)
    changed = altered(request, patch=True, max_count=None)
    assert changed == request.model_copy(update={"patch": True, "max_count": None})
    assert changed.model_fields_set == {"revs", "max_count", "patch"} and changed.max_count is None
    assert request == LogRequest(revs=["v1"], max_count=3) != changed


def test_requests_are_frozen_and_pickle() -> None:
    request = LogRequest(revs=["v1"])
    for change in (lambda: setattr(request, "max_count", 3), lambda: delattr(request, "revs")):
        with pytest.raises(ValidationError, match="frozen"):
            change()
    for again in (pickle.loads(pickle.dumps(request)), copy.copy(request), copy.deepcopy(request)):
        assert again == request and type(again) is LogRequest and again.model_fields_set == {"revs"}
    assert copy.deepcopy(request).revs is not request.revs
    assert request.model_copy(deep=True).revs is not request.revs is request.model_copy().revs
    with pytest.raises(TypeError, match="unhashable"):
        hash(request)
    assert hash(Term(op="and")) == hash(Term(op="and"))


def test_what_is_not_frozen_may_change() -> None:
    one = Spelled(wanted="x")
    one.count = 4
    assert one.count == 4 and one.model_fields_set == {"wanted", "count"}
    with pytest.raises(ValueError, match='"Spelled" object has no field "nothing"'):
        one.nothing = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(one)


def test_a_request_is_a_type_to_pydantic() -> None:
    class Job(BaseModel):
        request: LogRequest
        terms: list[Term] = []

    job = Job.model_validate({"request": {"max_count": "3"}, "terms": [{"op": "and"}]})
    assert type(job.request) is LogRequest and job.request == LogRequest(max_count=3) and type(job.terms[0]) is Term
    assert Job(request=job.request).request is job.request
    assert Job.model_validate_json(job.model_dump_json()) == job
    assert job.model_dump(exclude_unset=True) == {"request": {"max_count": 3}, "terms": [{"op": "and"}]}
    assert {"LogRequest", "Term"} <= Job.model_json_schema()["$defs"].keys()
    assert TypeAdapter(list[LogRequest]).validate_python([{"skip": 2}])[0].skip == 2
    with pytest.raises(ValidationError, match=r"request\.max_count"):
        Job.model_validate({"request": {"max_count": "x"}})


def test_rows_in_a_result_are_validated_and_dumped() -> None:
    given = {"branch": {"head": "main", "oid": None}, "entries": [], "untracked": ["a"], "ignored": [], "clean": False}
    made = StatusResult.model_validate(given)
    assert made.branch.head == "main" and type(made.branch).__name__ == "StatusBranch"
    assert made.model_dump(include={"branch"})["branch"]["head"] == "main"
    assert StatusResult.model_validate_json(made.model_dump_json()) == made


def test_constructed_without_checks() -> None:
    made = LogRequest.model_construct(max_count="many", strange=1)
    assert made.max_count == "many" and made.revs == [] and made.model_fields_set == {"max_count"}
    assert not hasattr(made, "strange")


def test_words_of_an_expression_need_no_pydantic() -> None:
    made = accepted(GrepRequest, {"expression": [{"op": "pattern", "text": "x"}, {"op": "and"}]})
    assert made is not None and made.expression == [Term(text="x"), Term(op="and")]
    assert accepted(GrepRequest, {"expression": [{"op": "strange"}]}) is None


def test_results_are_made_and_read_without_pydantic() -> None:
    code = (
        "import sys; from gitglass.commands.log import LogRequest, LogResult;"
        "made = LogResult(commits=[]); LogRequest(max_count=3).model_copy(update={'skip': 1});"
        "print(made.truncated, made, 'pydantic' in sys.modules, 'dataclasses' in sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == f"False {LogResult(commits=[])} False False\n"


@pytest.mark.parametrize(
    ("hint", "form", "parts"),
    [
        (annotations.Literal["a", "b"], "Literal", ("a", "b")),
        (typing.Literal["a", "b"], "Literal", ("a", "b")),
        (annotations.Annotated[int, "flag"], "Annotated", (int, "flag")),
        (typing.Annotated[int, "flag"], "Annotated", (int, "flag")),
        (int | None, "Union", (int, type(None))),
        (typing.Optional[typing.List[int]], "Union", (typing.List[int], type(None))),  # noqa: UP006, UP045 - a host's
        (annotations.ClassVar[int], "ClassVar", (int,)),
        (typing.ClassVar[int], "ClassVar", (int,)),
        (annotations.ClassVar, "ClassVar", ()),
        (typing.ClassVar, "ClassVar", ()),
        (list[int], "list", (int,)),
        (int, "", ()),
        ("int", "", ()),
    ],
    ids=repr,
)
def test_both_spellings_are_read_alike(hint: Any, form: str, parts: tuple[Any, ...]) -> None:
    assert _form(hint) == (form, parts)
