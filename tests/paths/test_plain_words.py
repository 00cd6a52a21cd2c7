"""Words of a standard input in runs of one directory, against the rules of pathspecs."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest, GitError
from gitglass.paths.pathspec import Pathspecs, PathspecSpec
from gitglass.paths.plain_words import runs_of

WORDS = st.lists(
    st.lists(
        st.sampled_from([b"a", b"b", b"a", b"*", b".", b"..", b"", b":", b":(top)a", b"a.", b".b"]), max_size=4
    ).map(b"/".join),
    max_size=12,
)


@given(WORDS, st.sampled_from([b"", b"src/", b"src/lib/"]))
def test_what_goes_in_a_run_is_what_the_rules_make_of_it(words: list[bytes], prefix: bytes) -> None:
    runs = list(runs_of(words, prefix))
    assert [word for run in runs for word in run.words] == words
    for run in runs:
        if run.folder is None:
            assert len(run.words) == 1
            continue
        for word, name in zip(run.words, run.names, strict=True):
            item = Pathspecs.parse([word], prefix, PathspecSpec()).items[0]
            assert (run.base + name, False, False) == (item.match, bool(item.attrs), item.exclude)
            assert b"/" not in name and (run.base + name).rpartition(b"/")[0] == run.folder


def test_usual_words_go_together() -> None:
    runs = list(runs_of([b"a/x", b"a/y", b"b/./x", b"z", b":z", b"a/"], b"src/"))
    assert [(run.words, run.folder) for run in runs] == [
        ([b"a/x", b"a/y"], b"src/a"), ([b"b/./x"], None), ([b"z"], None), ([b":z"], None), ([b"a/"], None),
    ]  # fmt: skip


def test_an_error_comes_behind_what_was_taken_before_it() -> None:
    def words() -> Iterator[bytes]:
        yield from (b"a", b"b")
        raise BadRequest("line is badly quoted")

    taken: list[bytes] = []
    with pytest.raises(GitError, match="badly quoted"):
        for run in runs_of(words(), b""):
            taken += run.words
    assert taken == [b"a", b"b"]
