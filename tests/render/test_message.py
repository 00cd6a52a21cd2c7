"""render.message: text as git keeps it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.render import message
from gitglass.render.message import as_comments, beside_rows, sanitize, strip_space


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"", b""),
        (b" \n\n", b""),
        (b"\n\na  \n\n \n\nb", b"a\n\nb\n"),
        (b"a\n# x\n\n#y\nb\n", b"a\n\nb\n"),
        (b"\v\n", b"\v\n"),
    ],
)
def test_strip_space(text: bytes, found: bytes) -> None:
    assert strip_space(text, b"#") == found


def test_without_a_sign_comments_are_text() -> None:
    assert strip_space(b"# x \n") == b"# x\n"


def test_comments() -> None:
    assert as_comments(b"a\n\n\tb\nc", b";") == b"; a\n;\n;\tb\n; c\n" and as_comments(b"", b"#") == b""


@given(st.binary(max_size=80))
def test_stripped_text_stays(text: bytes) -> None:
    once = strip_space(text, b"#")
    assert (
        strip_space(once, b"#") == once
        and b"\n\n\n" not in once
        and as_comments(once, b"#").count(b"\n") == once.count(b"\n")
    )


@given(st.text("a-. _\n", max_size=40).map(str.encode))
def test_a_long_subject_is_a_file_name_part_by_part(text: bytes) -> None:
    whole = sanitize(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message, "_STRETCH", 3)
        assert sanitize(text) == whole


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b"", [b""]),
        (b"a\n\nb", [b"a", b"", b"b"]),
        (b"a\0b\nc", [b"a\0b\nc"]),
        (b"a\nb\0c\nd", [b"a", b"b\0c\nd"]),
        (b"a\nb\n\0c\nd", [b"a", b"b\n\0c\nd"]),
        (b"a\n\0", [b"a\n\0"]),
    ],
)
def test_from_a_nul_on_there_are_no_rows(text: bytes, parts: list[bytes]) -> None:
    assert beside_rows(text) == parts
