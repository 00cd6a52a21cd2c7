"""Lines beyond ASCII are found byte by byte."""

import time

from hypothesis import given
from hypothesis import strategies as st

from gitglass.grep.lines import blanked, odd_lines

Data = st.lists(st.sampled_from([b"a", b"\n", b"\xc3\xa9", b"\xff", b"\0"]), max_size=30).map(b"".join)


@given(Data)
def test_lines_beyond_ascii(data: bytes) -> None:
    spans = odd_lines(data)
    assert [data[start:end] for start, end in spans] == [line for line in data.split(b"\n") if not line.isascii()]
    rows = b"\n".join(line if line.isascii() else bytes(len(line)) for line in data.split(b"\n"))
    assert blanked(data, spans) == rows


def test_long_lines_take_no_longer() -> None:
    start = time.process_time()
    assert len(odd_lines(b"x" * 3_000_000 + b"\n\xe9\n" + b"y" * 3_000_000)) == 1
    assert time.process_time() - start < 1
