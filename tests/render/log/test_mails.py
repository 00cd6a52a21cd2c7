"""render.mails, and the line that signs a message off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest
from gitglass.render.log.mails import Envelope, Threads, gather_headers, message_id
from gitglass.render.log.trailers import DEFAULT_RULES, TrailerRules, signed_off

SIGN = b"Signed-off-by: A <a@b>\n"


@pytest.mark.parametrize(
    ("message", "result"),
    [
        (b"t\n", b"t\n\n" + SIGN),
        (b"t\n\nbody", b"t\n\nbody\n\n" + SIGN),
        (b"t\n\nbody\n\nAcked-by: x\n", b"t\n\nbody\n\nAcked-by: x\n" + SIGN),
        (b"t\n\n" + SIGN, b"t\n\n" + SIGN),
        (b"t\n\n" + SIGN + b"Acked-by: x\n", b"t\n\n" + SIGN + b"Acked-by: x\n"),
        (b"t\n\n" + SIGN + b"\nmore\n", b"t\n\n" + SIGN + b"\nmore\n\n" + SIGN),
        (SIGN, SIGN),
    ],
)
def test_signed_off(message: bytes, result: bytes) -> None:
    assert signed_off(message, SIGN, DEFAULT_RULES) == result


def test_a_configured_trailer_makes_a_block_of_a_mixed_paragraph() -> None:
    """As git takes it in format-patch -s, commit -s and cherry-pick -s: trailer.<token>.ifexists names a token, too."""
    message, rules = b"t\n\nChecked: x\nmore text\n", TrailerRules(names=[(b"Checked", None)])
    assert signed_off(message, SIGN, DEFAULT_RULES) == message + b"\n" + SIGN
    assert signed_off(message, SIGN, rules) == message + SIGN
    assert signed_off(b"t\n\nSigned-off-by= A\n", SIGN, TrailerRules(b"=")) == b"t\n\nSigned-off-by= A\n" + SIGN


@given(st.binary(max_size=200))
def test_a_message_is_signed_off_once(message: bytes) -> None:
    once = signed_off(b"t\n\n" + message, SIGN, DEFAULT_RULES)
    assert SIGN in once and signed_off(once, SIGN, DEFAULT_RULES) == once


@pytest.mark.parametrize(("word", "found"), [(b"a@b", b"a@b"), (b" <<a@b>> \n", b"a@b"), (b"<a b>", b"a b")])
def test_message_id(word: bytes, found: bytes) -> None:
    assert message_id(word) == found


def test_an_id_of_brackets_alone() -> None:
    with pytest.raises(BadRequest, match="insane in-reply-to"):
        message_id(b" <> ")


def test_tags() -> None:
    assert Envelope().tag(1) == b"[PATCH] " and Envelope(prefix=b"").tag(1) == b""
    assert Envelope(total=12).tag(3) == b"[PATCH 03/12] " and Envelope(prefix=b"", total=2).tag(1) == b"[1/2] "
    assert Envelope(keep=True).tag(1) == b""


def test_file_names() -> None:
    assert Envelope().file_name(7, b"a-title") == b"0007-a-title.patch"
    assert Envelope(version=b"2 x", longest=20).file_name(7, b"a-title") == b"v2-x-0007-a-t.patch"
    assert Envelope(by_number=True).file_name(7, b"a-title") == b"7"


def test_threads() -> None:
    def ids(threads: Threads, count: int) -> list[bytes]:
        return [threads.above[-1] if len(threads.begin(b"%d" % n, n)) > 1 else b"" for n in range(1, count + 1)]

    assert ids(Threads("shallow"), 3) == [b"", b"1", b"1"] and ids(Threads("deep"), 3) == [b"", b"1", b"2"]
    assert Threads().begin(b"x", 1) == ()


@given(st.lists(st.sampled_from([b"To: a", b"cc: b", b"X: y\n", b"-", b"-to", b"-cc"])))
def test_headers_are_lines(lines: list[bytes]) -> None:
    found = gather_headers(lines)
    assert not found or (found.endswith(b"\n") and b"\n\n" not in found)
