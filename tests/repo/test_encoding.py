"""Commits in one encoding shown in another."""

import pytest

from gitglass.objects.parsed import Commit
from gitglass.render.message import subject_line
from gitglass.repo.encoding import is_utf8, reencode, reencode_commit, same_encoding

HEAD = b"tree " + b"0" * 40 + b"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000"
LATIN = HEAD + b"\nencoding ISO-8859-1\n\ncaf\xe9\n\nbody\n"
PLAIN = HEAD + b"\n\ncaf\xc3\xa9\n"


def body_at(raw: bytes) -> int:
    return raw.index(b"\n\n") + 2


def test_names_of_utf8_and_of_one_encoding() -> None:
    assert [is_utf8(name) for name in (None, b"UTF-8", b"utf8", b"", b"utf-16")] == [True, True, True, False, False]
    assert same_encoding(b"utf8", b"UTF-8") and same_encoding(b"latin1", b"LATIN1")
    assert not same_encoding(b"latin1", b"iso-8859-1")


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        (b"caf\xe9", b"ISO-8859-1", b"UTF-8", b"caf\xc3\xa9"),
        (b"caf\xc3\xa9", b"UTF-8", b"ISO-8859-1", b"caf\xe9"),
        (b"\xff", b"UTF-8", b"ISO-8859-1", None),
        ("漢".encode(), b"UTF-8", b"ISO-8859-1", None),
        (b"a", b"no-such", b"UTF-8", None),
        (b"a", b"UTF-8", b"no-such", None),
    ],
)
def test_text_in_another_encoding(text: bytes, source: bytes, target: bytes, expected: bytes | None) -> None:
    assert reencode(text, source, target) == expected


def test_the_header_goes_where_the_target_is_utf8_and_names_any_other() -> None:
    assert reencode_commit(LATIN, body_at(LATIN), b"UTF-8") == HEAD + b"\n\ncaf\xc3\xa9\n\nbody\n"
    assert reencode_commit(LATIN, body_at(LATIN), b"cp437") == HEAD + b"\nencoding cp437\n\ncaf\x82\n\nbody\n"
    assert reencode_commit(LATIN, body_at(LATIN), b"iso-8859-1") == LATIN.replace(b"ISO", b"iso")


def test_what_stays_as_it_is() -> None:
    assert reencode_commit(LATIN, body_at(LATIN), b"") == LATIN
    assert reencode_commit(PLAIN, body_at(PLAIN), b"UTF-8") == PLAIN
    unknown = LATIN.replace(b"ISO-8859-1", b"no-such")
    assert reencode_commit(unknown, body_at(unknown), b"UTF-8") == unknown


def test_a_commit_without_header_is_taken_for_utf8() -> None:
    assert reencode_commit(PLAIN, body_at(PLAIN), b"ISO-8859-1") == HEAD + b"\n\ncaf\xe9\n"


def test_the_word_encoding_in_a_message_is_no_header() -> None:
    raw = PLAIN + b"encoding ISO-8859-1\n"
    assert reencode_commit(raw, body_at(raw), b"UTF-8") == raw
    assert reencode_commit(raw, body_at(raw), b"ISO-8859-1") == HEAD + b"\n\ncaf\xe9\nencoding ISO-8859-1\n"


def test_the_subject_is_one_line_in_the_encoding_asked_for() -> None:
    commit = Commit(bytes(20), HEAD + b"\nencoding ISO-8859-1\n\ncaf\xe9\nau lait\n\nbody\n")
    assert subject_line(commit, b"UTF-8") == b"caf\xc3\xa9 au lait"
    assert subject_line(commit, b"") == b"caf\xe9 au lait"
