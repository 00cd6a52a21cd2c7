"""agent/native/params.py: words of arguments that are checked, and what models write for ranges of lines."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from gitglass.agent.native.params import Count, Date, Lines, Paged, Params, Path, Paths, Rev, line_words


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        (Rev, "HEAD~2", "HEAD~2"),
        (Rev, "x" * 1024, "x" * 1024),
        (Count, 1, 1),
        (Count, 10_000, 10_000),
        (Date, "2 weeks ago", "2 weeks ago"),
        (Path, ".", "."),
        (Paths, "a", ["a"]),
        (Paths, ["a", "b"], ["a", "b"]),
        (Lines, "3", "3"),
        (Lines, "3,+4", "3,+4"),
        (Lines, ",4", ",4"),
        (Lines, "3,", "3,"),
    ],
)
def test_what_is_taken(kind: Any, value: Any, kept: Any) -> None:
    assert TypeAdapter(kind).validate_python(value) == kept


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (Rev, "", "empty; leave it out instead"),
        (Rev, "-x", "'-x' begins with '-': a revision is expected, not an option"),
        (Rev, "é" * 513, "longer than 1024 bytes"),
        (Rev, "a\nb", "contains control characters"),
        (Rev, "a\x7f", "contains control characters"),
        (Count, 0, "1 to 10,000"),
        (Count, 10_001, "1 to 10,000"),
        (Date, "soon", "'soon' is no word of a date"),
        (Date, "2023-13-45", "'2023-13-45' is no day of a year"),
        (Date, "2023-00-10 12:00", "'2023-00-10' is no day of a year"),
        (Path, "", "an empty path; '.' is the whole repository"),
        (Path, "a\0", "not a path"),
        (Path, "x" * 4097, "not a path"),
        (Lines, "a", "'a' is no range of lines"),
        (Lines, "٣", "is no range of lines"),
        (Lines, ",", "is no range of lines"),
    ],
)
def test_what_is_refused(kind: Any, value: Any, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("10-20", "10,20"), ("L10-L20", "10,20"), ("10:20", "10,20"), ("10..20", "10,20"), (" 10 to 20 ", "10,20"),
     ([10, 20], "10,20"), ([10], "10,10"), (10, "10,10"), ("L10", "10,10"), ("10,20", "10,20"), ("main", ":main"), ("~Foo::bar", ":~Foo::bar"),
     ("/x/,+3", "/x/,+3"), ([1, 2, 3], [1, 2, 3]), (True, True), (None, None)],
)  # fmt: skip
def test_ranges_of_lines_as_models_write_them(written: Any, meant: Any) -> None:
    assert line_words(written) == meant


def test_the_parameters_of_every_tool() -> None:
    assert Paged(max_bytes=200).max_bytes == 200 and Paged(max_bytes=5_000_000).cursor is None
    for size in (199, 5_000_001):
        with pytest.raises(ValidationError, match="200 to 5,000,000 bytes"):
            Paged(max_bytes=size)
    with pytest.raises(ValidationError):
        Params(repos="x")
    with pytest.raises(ValidationError):
        Params().repo = "x"  # type: ignore[misc]
