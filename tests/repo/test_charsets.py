"""Which names of encodings are character sets."""

from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.repo.charsets import charset


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"UTF-8", "utf-8"),
        (b"latin1", "iso8859-1"),
        (b"ISO-8859-15", "iso8859-15"),
        (b"Shift_JIS", "shift_jis"),
        (b"utf-7", "utf-7"),
    ],
)
def test_character_sets_have_the_name_of_a_codec(name: bytes, expected: str) -> None:
    assert charset(name) == expected


@pytest.mark.parametrize(
    "name",
    [
        b"", b"no-such-set", b"zlib", b"bz2", b"hex", b"base64", b"rot13", b"uu", b"quopri", b"idna", b"punycode",
        b"undefined", "ütf-8".encode(), b"utf-8\0",
        b"utf-8" + b" " * 96,
    ],
)  # fmt: skip
def test_what_is_no_character_set_is_refused(name: bytes) -> None:
    assert charset(name) is None


@pytest.mark.parametrize("name", [b"unicode_escape", b"raw_unicode_escape", b"Unicode-Escape"])
def test_escapes_of_python_are_no_character_sets(name: bytes) -> None:
    assert charset(name) is None


@given(st.one_of(st.binary(max_size=120), st.sampled_from(sorted(aliases)).map(str.encode)))
def test_any_name_is_answered(name: bytes) -> None:
    found = charset(name)
    assert found is None or "é".encode(found, "replace").decode(found, "replace")
