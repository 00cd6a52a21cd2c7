"""Binary patches."""

import zlib
from base64 import b85decode

from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.limits import Context
from gitglass.render.diff.binary import binary_patch, make_delta


def _apply(source: bytes, delta: bytes) -> bytes:
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = delta[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    assert number() == len(source)
    size = number()
    out = b""
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            offset = length = 0
            for bit in range(7):
                if code & 1 << bit:
                    if bit < 4:
                        offset |= delta[at] << 8 * bit
                    else:
                        length |= delta[at] << 8 * (bit - 4)
                    at += 1
            length = length or 0x10000
            out += source[offset : offset + length]
        else:
            out += delta[at : at + code]
            at += code
    assert len(out) == size
    return out


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([b"abcdefghijklmnopqr", b"0123456789" * 4, b"x", bytes(64)]), max_size=12), st.data())
def test_a_delta_makes_the_target(parts: list[bytes], data: st.DataObject) -> None:
    source = b"".join(parts) or b"?"
    target = b"".join(data.draw(st.permutations(parts))) + b"!"
    delta = make_delta(source, target, 1 << 20, Context())
    assert delta is not None and _apply(source, delta) == target


def test_the_text() -> None:
    text = binary_patch(b"", b"\0" * 60, 1, Context())
    head, literal, line, blank, back, *_ = text.split(b"\n")
    assert (head, literal, blank, back) == (b"GIT binary patch", b"literal 60", b"", b"literal 0")
    size = line[0] - 64
    assert zlib.decompress(b85decode(line[1:])[:size]) == b"\0" * 60
