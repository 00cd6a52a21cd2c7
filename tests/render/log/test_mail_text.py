"""Headers of mails."""

import pytest

from gitglass.render.log.mail_text import (
    encode_words,
    from_header,
    has_eight_bits,
    is_from,
    last_line,
    mime_header,
    needs_encoding,
    quoted,
    subject_header,
)


@pytest.mark.parametrize(
    ("text", "eight", "encoded"),
    [
        (b"plain", False, False),
        (b"caf\xc3\xa9", True, True),
        (b"\x1b[31m", True, True),
        (b"a\nb", False, True),
        (b"a=?b", False, True),
    ],
)
def test_what_needs_encoding(text: bytes, eight: bool, encoded: bool) -> None:
    assert (has_eight_bits(text), needs_encoding(text)) == (eight, encoded)


def test_names_in_quotes() -> None:
    assert [quoted(name) for name in (b"A B", b"A. B", b'A "x" (B)')] == [b"A B", b'"A. B"', b'"A \\"x\\" (B)"']


def test_senders() -> None:
    assert from_header(b"A B", b"a@b", b"UTF-8") == b"From: A B <a@b>\n"
    assert from_header(b"A. B", b"a@b", b"UTF-8") == b'From: "A. B" <a@b>\n'
    assert from_header(b"Caf\xc3\xa9 B'", b"a@b", b"UTF-8") == b"From: =?UTF-8?q?Caf=C3=A9=20B=27?= <a@b>\n"
    assert from_header(b"Caf\xc3\xa9", b"a@b", b"UTF-8", encode=False) == b"From: Caf\xc3\xa9 <a@b>\n"


def test_a_long_address_stands_on_a_line_of_its_own() -> None:
    fits, long = b"x" * 68, b"x" * 69  # `From: A <…>` has 78 columns at most
    assert from_header(b"A", fits, b"UTF-8") == b"From: A <" + fits + b">\n"
    assert from_header(b"A", long, b"UTF-8") == b"From: A\n <" + long + b">\n"


def test_subjects() -> None:
    assert subject_header(b"title", b"UTF-8") == b"Subject: [PATCH] title\n"
    assert subject_header(b"title", b"UTF-8", b"") == b"Subject: title\n"
    assert subject_header(b"caf\xc3\xa9 '_", b"UTF-8", b"") == b"Subject: =?UTF-8?q?caf=C3=A9=20'=5F?=\n"
    long = b" ".join([b"word"] * 20)
    assert subject_header(long, b"UTF-8", b"").split(b"\n") == [
        b"Subject: " + b" ".join([b"word"] * 14),
        b" " + b" ".join([b"word"] * 6),
        b"",
    ]


def test_encoded_words_are_folded_between_characters() -> None:
    lines = encode_words("é".encode() * 20, b"UTF-8", 9, address=False).split(b"\n ")
    assert lines == [
        b"=?UTF-8?q?" + b"=C3=A9" * 9 + b"?=",
        b"=?UTF-8?q?" + b"=C3=A9" * 10 + b"?=",
        b"=?UTF-8?q?=C3=A9?=",
    ]
    assert encode_words(b"\xe9\xe8", b"latin1", 0, address=False) == b"=?latin1?q?=E9=E8?="


def test_small_pieces() -> None:
    assert (last_line(b"ab\ncde"), last_line(b"ab"), last_line(b"ab\n")) == (3, 2, 0)
    assert [is_from(line) for line in (b"From x", b">>From x", b"From:", b" From x")] == [True, True, False, False]
    assert mime_header(b"UTF-8") == (
        b"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
    )


def test_no_line_of_encoded_words_is_longer_than_76_columns() -> None:
    lines = encode_words(b"a" * 128, b"UTF-8", 0, address=False).split(b"\n")
    assert [len(line) for line in lines] == [76, 76, 14]
