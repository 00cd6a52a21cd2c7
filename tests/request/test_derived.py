"""request/derived.py: the pydantic model of a declared class."""

from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel, ValidationError

from gitglass.request.declared import Declared, Field
from gitglass.request.derived import derive, frozen_instance


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


class Sample(Declared):
    """What is derived from here."""

    name: str = Field(description="A name.")
    size: Annotated[int, AfterValidator(_even)] = Field(2, ge=0, description="A size.")
    words: list[str] = Field(default_factory=list)
    plain: bool = False


def test_the_model_has_the_name_and_the_words_of_the_class() -> None:
    model = derive(Sample)
    assert issubclass(model, BaseModel) and (model.__name__, model.__doc__) == ("Sample", "What is derived from here.")
    schema = model.model_json_schema()
    assert schema["required"] == ["name"]
    assert schema["properties"]["name"]["description"] == "A name."
    assert (schema["properties"]["size"]["default"], schema["properties"]["size"]["minimum"]) == (2, 0)
    assert schema["properties"]["plain"]["default"] is False


def test_it_validates_into_instances_of_the_class() -> None:
    made = Sample.model_validate({"name": "x", "size": "4"})
    assert type(made) is Sample and (made.name, made.size, made.words, made.plain) == ("x", 4, [], False)
    assert made.words is not Sample.model_validate({"name": "x"}).words
    assert made.model_dump() == {"name": "x", "size": 4, "words": [], "plain": False}


@pytest.mark.parametrize(("values", "words"), [({"size": -2}, "greater than"), ({"size": 3}, "odd"), ({}, "required")])
def test_constraints_and_validators_hold(values: dict[str, int], words: str) -> None:
    named = {"name": "x", **values} if values else {}
    with pytest.raises(ValidationError, match=words):
        Sample.model_validate(named)


def test_the_complaint_about_a_change_is_pydantics() -> None:
    error = frozen_instance("size", Sample(name="x"), 7)
    assert error.title == "Sample"
    assert [(item["type"], item["loc"], item["input"]) for item in error.errors()] == [
        ("frozen_instance", ("size",), 7)
    ]
