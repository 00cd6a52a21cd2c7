"""Requests made without pydantic's validator are those that it would have made."""

from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError, field_validator

from gitglass.commands.command import Command
from gitglass.commands.log import LogRequest
from gitglass.commands.registry import NAMES, load
from gitglass.model.flag import Flag
from gitglass.model.quick import altered, make_quickly


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
}


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_as_pydantic_makes_them(command: Command) -> None:
    model = command.request
    needed = {name: SAMPLES[field.annotation][-1] for name, field in model.model_fields.items() if field.is_required()}
    sets = [needed]
    for name, field in model.model_fields.items():
        if all(isinstance(item, Flag) for item in field.metadata):
            sets += [{**needed, name: value} for value in SAMPLES.get(field.annotation, ())]
    for values in sets:
        made, expected = make_quickly(model, dict(values)), model.model_validate(values)
        assert made == expected and made is not None
        assert made.model_fields_set == expected.model_fields_set
        assert made.model_copy(update={}) == expected and repr(made) == repr(expected)


class Odd(BaseModel):
    count: Annotated[int, Flag("-n")] = 0
    least: Annotated[int, Flag("-l")] = Field(0, ge=3)
    words: list[str] = Field(default_factory=list)
    kind: str | list[int] = ""
    flag: bool = False
    wanted: str


class Checked(BaseModel):
    word: str = ""

    @field_validator("word")
    @classmethod
    def never(cls, value: str) -> str:
        raise ValueError("never")


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from(["", "3", "a"]),
    st.lists(st.sampled_from(["a", 1, None])),
)


@given(st.dictionaries(st.sampled_from([*Odd.model_fields, "other"]), VALUES))
def test_only_what_needs_no_check_is_made(values: dict[str, Any]) -> None:
    made = make_quickly(Odd, dict(values))
    if made is not None:
        assert made == Odd.model_validate(values)


def test_checks_of_a_class_are_not_passed_over() -> None:
    assert make_quickly(Checked, {"word": "x"}) is None and make_quickly(Odd, {"wanted": "x", "least": 5}) is None
    with pytest.raises(ValidationError, match="never"):
        Checked.model_validate({"word": "x"})


def test_lists_are_not_shared() -> None:
    one, other = make_quickly(Odd, {"wanted": ""}), make_quickly(Odd, {"wanted": ""})
    assert one is not None and other is not None
    one.words.append("x")
    assert other.words == []


def test_an_altered_request_is_the_copy_that_pydantic_makes():
    request = LogRequest(revs=["v1"], max_count=3)
    changed = altered(request, patch=True, max_count=None)
    assert changed == request.model_copy(update={"patch": True, "max_count": None})
    assert changed.model_fields_set == {"revs", "max_count", "patch"}
    assert request == LogRequest(revs=["v1"], max_count=3)
