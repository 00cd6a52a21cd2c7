"""request/rev_parse.py: words in, lines out."""

from typing import Any

import pytest
from pydantic import ValidationError

import gitglass
from gitglass.request.rev_parse import RevParseRequest, RevParseResult


def test_words_are_kept_in_order() -> None:
    assert RevParseRequest(args=["--short", "HEAD", "--", "-x"]).args == ["--short", "HEAD", "--", "-x"]
    first, second = RevParseRequest(), RevParseRequest()
    assert first.args == [] and first.args is not second.args


def test_what_is_not_asked_like_this() -> None:
    with pytest.raises(ValidationError):
        RevParseRequest(args="HEAD")  # type: ignore[arg-type]
    with pytest.raises(ValidationError):
        RevParseRequest(revs=["HEAD"])
    with pytest.raises(ValidationError):
        RevParseResult()


def test_an_answer(unpack: Any) -> None:
    result = gitglass.open(unpack("plain")).rev_parse("--abbrev-ref", "HEAD", "--is-bare-repository")
    assert isinstance(result, RevParseResult) and result.lines == ["main", "false"]
