"""config/quoted.py: lists of paths, some of them quoted."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.config.quoted import listed_paths


def test_parts_comments_and_quotations() -> None:
    assert list(listed_paths(b"a::#b:c/d:", b":")) == [b"a", b"c/d"]
    assert list(listed_paths(b'"a:b":c', b":")) == [b"a:b", b"c"]
    assert list(listed_paths(b'"\\057a\\"\\\\\\n":"x\ny"', b":")) == [b'/a"\\\n', b"x\ny"]
    assert list(listed_paths(b'#x\n"a b"\n\nc\n', b"\n")) == [b"a b", b"c"]


def test_a_byte_behind_a_quotation_is_passed_over() -> None:
    """Strange but git's: it need not be the separator."""
    assert list(listed_paths(b'"a"bc:d', b":")) == [b"a", b"c", b"d"]


def test_a_broken_quotation_is_a_path_itself() -> None:
    assert list(listed_paths(b'"a:b\\q":"\\400"', b":")) == [b'"a', b'b\\q"', b'"\\400"']


def test_a_nul_is_the_end() -> None:
    """Of the list, as git keeps it as a C string; a quoted one of its path."""
    assert list(listed_paths(b"a\nb\0c\nd", b"\n")) == [b"a", b"b"]
    assert list(listed_paths(b'"a\\000b"\n"\\000c"\nd', b"\n")) == [b"a", b"d"]


@given(st.binary(max_size=60), st.sampled_from([b":", b"\n"]))
def test_any_list_ends(data: bytes, separator: bytes) -> None:
    found = list(listed_paths(data, separator))
    assert b"" not in found
    assert len(found) <= len(data)


@given(st.lists(st.binary(min_size=1, max_size=8)))
def test_quoted_paths_come_back(paths: list[bytes]) -> None:
    quoted = [b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"' for path in paths]
    whole = [path.partition(b"\0")[0] for path in paths]
    assert list(listed_paths(b":".join(quoted), b":")) == [path for path in whole if path]
