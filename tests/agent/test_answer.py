"""agent/answer.py: errors as answers of a tool."""

import pytest

from gitglass.agent.answer import Internal, error_answer, error_object
from gitglass.errors import BadRequest, GitError, InvalidArgs, MissingObject, NotFound, SandboxViolation


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadRequest("bad revision 'x'"), "not_found"),
        (BadRequest("file a has only 3 lines"), "not_found"),
        (BadRequest("No such path"), "not_found"),
        (BadRequest("options '-a' and '-b' cannot be used together"), "invalid_args"),
        (GitError("whatever"), "invalid_args"),
        (MissingObject("missing"), "not_found"),
        (NotFound("x"), "not_found"),
        (InvalidArgs("no such option"), "invalid_args"),
        (SandboxViolation("x"), "sandbox_violation"),
        (Internal("x"), "internal"),
    ],
)
def test_codes(error: GitError, code: str) -> None:
    assert error_object(error)["code"] == code


def test_an_error_as_plain_data() -> None:
    found = error_object(NotFound("no\nx", hint="try\ny", path="a\x1b[m", score=object()), partial=True)
    assert found["details"]["path"] != "a\x1b[m" and set(found["details"]) == {"path"}
    del found["details"]
    assert found == {"code": "not_found", "message": "no x", "hint": "try y", "partial": True}
    assert "details" not in error_object(BadRequest("x"))


def test_an_error_without_a_hint_or_words_gets_some() -> None:
    found = error_object(SandboxViolation("x"))
    assert found["hint"] == "Only repositories and paths within the granted roots can be read; see git_info."
    assert error_object(InvalidArgs(""))["message"] == "invalid_args"


def test_an_answer_that_is_only_an_error() -> None:
    answer = error_answer(NotFound("no x", hint="try y"))
    assert (answer.text, answer.body, answer.is_error, answer.untrusted) == (
        "not_found: no x\nhint: try y", "", True, False,
    )  # fmt: skip
    assert answer.error == {"code": "not_found", "message": "no x", "hint": "try y", "partial": False}
    assert error_answer(Internal("x")).text == "internal: x"
