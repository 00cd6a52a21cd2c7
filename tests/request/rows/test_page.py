"""request/rows/page.py: a list answer that says whether it was cut."""

import pytest
from pydantic import ValidationError

from gitglass.request.request import Result
from gitglass.request.rows.page import Page


def test_an_answer_is_whole_unless_it_says_otherwise() -> None:
    assert Page().model_dump() == {"notes": [], "truncated": False, "reason": None, "total": None}
    assert issubclass(Page, Result)


def test_what_a_cut_answer_says() -> None:
    page = Page.model_validate({"truncated": True, "reason": "max_output_bytes", "total": 7})
    assert (page.truncated, page.reason, page.total) == (True, "max_output_bytes", 7)
    assert Page.model_validate_json(page.model_dump_json()) == page


@pytest.mark.parametrize("wrong", [{"total": "many"}, {"truncated": "perhaps"}, {"reason": 3}])
def test_other_kinds_of_values(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Page.model_validate(wrong)
