"""Paths in quotes."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from gitglass.render.quote import Quoter, c_quote, needs_quotes, relative_path

PATHS = st.binary(min_size=1, max_size=12)


@given(PATHS, st.booleans())
def test_quoting_can_be_undone(path, high):
    quoted = c_quote(path, high=high)
    if quoted == path:
        assert not needs_quotes(path, high=high)
    else:
        assert quoted[:1] == quoted[-1:] == b'"'
        assert ast.literal_eval("b" + quoted.decode("latin-1")) == path if high else True


def test_what_needs_quotes():
    high, low = Quoter(True), Quoter(False)
    assert high("ü".encode()) == b'"\\303\\274"'
    assert low("ü".encode()) == "ü".encode()
    assert low(b'a"b\\c\td\n\x7f') == b'"a\\"b\\\\c\\td\\n\\177"'
    assert high(b"a b") == b"a b" and high.spaced(b"a b") == b'"a b"'
    assert high.joined(b"a/", b"\t") == b'"a/\\t"'


def test_relative_paths():
    assert relative_path(b"a/b/c", b"a/b/") == b"c"
    assert relative_path(b"a/x", b"a/b/") == b"../x"
    assert relative_path(b"z", b"a/b/") == b"../../z"
    assert relative_path(b"a/b", b"") == b"a/b"


def test_a_path_without_a_name_is_shown_as_the_directory():
    """Only a damaged index has one; git prints `./` wherever it is seen from."""
    assert relative_path(b"", b"") == relative_path(b"", b"/") == relative_path(b"", b"src/lib/") == b"./"
