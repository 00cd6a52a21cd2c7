"""paths/lexical.py: words as absolute paths, by their text alone."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from gitglass.paths.lexical import directories_above, normal_path

WORDS = st.lists(st.sampled_from([b"a", b"b.c", b".", b"..", b"", b"..."]), max_size=8).map(b"/".join)


@given(WORDS, WORDS)
def test_as_the_standard_library_reads_them(base: bytes, word: bytes) -> None:
    found = normal_path(b"/" + base, word)
    assert found == b"/" + posixpath.normpath(posixpath.join(b"/" + base, word)).lstrip(b"/")


@given(st.lists(st.sampled_from([b"a", b"b.c", b".git"]), max_size=6).map(b"/".join))
def test_the_directories_above_a_path(path: bytes) -> None:
    walked = []
    while path := posixpath.dirname(path):
        walked.append(path)
    assert list(directories_above(b"a/b/c")) == [b"a", b"a/b"]
    assert walked[::-1] == list(directories_above(walked[0] + b"/x" if walked else b"x"))
