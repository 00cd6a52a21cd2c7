import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs, PathspecSpec

FILES = [b"README.md", b"a/b/c.py", b"a/b.py", b"a/x", b"src/lib/util.c", b"src/main.c", b"top.c"]


def chosen(*words: bytes, prefix: bytes = b"", **spec: bool) -> list[bytes]:
    parsed = Pathspecs.parse(words, prefix, PathspecSpec(**spec), work_tree=b"/w")
    return [path for path in FILES if parsed.match(path)]


@pytest.mark.parametrize(
    ("words", "prefix", "want"),
    [
        ([b"a"], b"", [b"a/b/c.py", b"a/b.py", b"a/x"]),
        ([b"a/b/"], b"", [b"a/b/c.py"]),
        ([b"a/x/"], b"", []),  # a file is no directory
        ([b"*.c"], b"", [b"src/lib/util.c", b"src/main.c", b"top.c"]),
        ([b":(glob)*.c"], b"", [b"top.c"]),
        ([b":(glob)**/*.c"], b"", [b"src/lib/util.c", b"src/main.c", b"top.c"]),
        ([b":!a", b":^*.c"], b"", [b"README.md"]),
        ([b"src", b":!src/lib"], b"", [b"src/main.c"]),
        ([b":(icase)readme*"], b"", [b"README.md"]),
        ([b":/top.c"], b"src/", [b"top.c"]),
        ([b"../a/x", b"."], b"src/", [b"a/x", b"src/lib/util.c", b"src/main.c"]),
        ([b":(icase)LIB"], b"src/", [b"src/lib/util.c"]),
        ([b":(literal)*.c"], b"", []),
        ([b"/w/src/main.c"], b"a/", [b"src/main.c"]),
        ([b":/./top.c"], b"", []),  # below the top nothing is normalized
        ([b"src**"], b"", [b"src/lib/util.c", b"src/main.c"]),
    ],
)
def test_what_is_meant(words: list[bytes], prefix: bytes, want: list[bytes]) -> None:
    assert chosen(*words, prefix=prefix) == want


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ([b"src/main.c"], [b"src"]),
        ([b"src/nosuch"], [b"src"]),
        ([b"src/lib/*.c"], [b"src", b"src/lib"]),
        ([b"*.c"], []),
        ([b"s*"], [b"src", b"src/lib"]),
        ([b":(icase)SRC/MAIN.C"], [b"src"]),
        ([b".", b":!src"], [b"a", b"src", b"src/lib"]),
        ([b"sr"], []),
    ],
)
def test_directories_shown_where_a_walk_does_not_recurse(words: list[bytes], shown: list[bytes]) -> None:
    """As `git diff-tree A B -- WORDS` lists trees that changed."""
    parsed = Pathspecs.parse(words, b"", PathspecSpec(), work_tree=b"/w")
    assert [name for name in (b"a", b"src", b"src/lib") if parsed.touches(name)] == shown


def test_global_settings() -> None:
    assert chosen(b":/top.c", literal=True) == []
    assert chosen(b"*.c", noglob=True) == []
    assert chosen(b"*.c", glob=True) == [b"top.c"]
    with pytest.raises(GitError, match="incompatible"):
        chosen(b"x", literal=True, icase=True)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (b"../../x", "'../../x' is outside repository at '/w'"),
        (b"/etc/passwd", "'/etc/passwd' is outside repository at '/w'"),
        (b"", "empty string is not a valid pathspec"),
        (b":(nope)x", "Invalid pathspec magic 'nope' in ':(nope)x'"),
        (b":(top", "Missing ')' at the end of pathspec magic in ':(top'"),
        (b":@x", "Unimplemented pathspec magic '@' in ':@x'"),
        (b":(literal,glob)x", "'literal' and 'glob' are incompatible"),
        (b":(attr:)x", "attr spec must not be empty"),
    ],
)
def test_git_words(word: bytes, message: str) -> None:
    with pytest.raises(GitError) as caught:
        Pathspecs.parse([word], b"a/", work_tree=b"/w")
    assert message in caught.value.message
    assert caught.value.status == 128


def test_unmatched_words_in_order() -> None:
    parsed = Pathspecs.parse([b"nope", b"*.c", b"gone", b":!a"])
    for path in FILES:
        parsed.match_seen(path)
    assert parsed.unmatched() == [b"nope", b"gone"]


def test_nothing_said() -> None:
    assert not Pathspecs.parse([])
    assert not Pathspecs.parse([b"."])
    assert Pathspecs.parse([], b"src/", PathspecSpec(prefer_cwd=True)).common_dir() == b"src"
    assert not Pathspecs.parse([], b"", PathspecSpec(literal=True, glob=True))  # git looks at them with words only


WORD = st.text("ab*/!:^.", min_size=1, max_size=6)


@given(st.lists(WORD, min_size=1, max_size=3), st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4))
def test_pruning_never_loses_a_path(words: list[str], parts: list[str]) -> None:
    path = "/".join(parts).encode()
    try:
        parsed = Pathspecs.parse([word.encode() for word in words], b"", work_tree=b"/w")
    except GitError:
        return
    above = path
    while b"/" in above:
        above = above.rpartition(b"/")[0]
        if parsed.match(path):
            assert parsed.could_match_below(above)
        elif parsed.matches_all_below(above):
            raise AssertionError(above)
    if parsed.match(path):
        common = parsed.common_dir()
        assert not common or path.startswith(common + b"/")


NAMES = st.text(alphabet="ab/", min_size=1, max_size=6).map(lambda text: text.strip("/").encode()).filter(bool)


ODD = st.sampled_from([b"a*", b"*b", b":(icase)AA", b":!a/b", b":!b*", b"a/", b"b/a/"])


@given(
    st.lists(NAMES, min_size=17, max_size=40), st.lists(ODD, max_size=3), st.lists(NAMES, max_size=20), st.booleans()
)
def test_many_plain_words_are_looked_up_and_mean_what_few_mean(
    names: list[bytes], others: list[bytes], paths: list[bytes], are_folders: bool
) -> None:
    words = names[:9] + others + names[9:]
    many, one_by_one = Pathspecs.parse(words), Pathspecs.parse(words)
    one_by_one._above = one_by_one._names = frozenset()
    one_by_one._others = one_by_one._positive
    assert many._above and len(many._others) <= len(others)
    for path in paths:
        for question in ("could_match_below", "touches", "matches_all_below"):
            assert getattr(many, question)(path) == getattr(one_by_one, question)(path), (question, path)
        for question in ("match", "match_seen"):
            assert getattr(many, question)(path, are_folders) == getattr(one_by_one, question)(path, are_folders)
        assert many.unmatched() == one_by_one.unmatched()


def test_a_hundred_thousand_words_cost_no_more_for_a_path_than_a_few() -> None:
    many = Pathspecs.parse([b"d%d/p%d" % (at % 7, at) for at in range(100_000)])
    start = time.process_time()
    count = sum(many.match(b"d3/p%d/x" % at) + many.could_match_below(b"d9/e%d" % at) for at in range(20_000))
    assert count == len([at for at in range(20_000) if at % 7 == 3])
    seen = Pathspecs.parse([b"d%d/p%d" % (at % 7, at) for at in range(100_000)] + [b"x*y"])
    assert sum(seen.match_seen(b"d3/p%d/x" % at) for at in range(20_000)) == count
    assert len(seen.unmatched()) == 100_001 - count
    assert time.process_time() - start < 2  # one by one it takes minutes


def test_the_clock_is_looked_at_while_one_path_meets_very_many_words() -> None:
    looks: list[int] = []

    def cancelled() -> bool:
        looks.append(1)
        return False

    many, several = (Pathspecs.parse([b"d/p%d*" % at for at in range(count)]) for count in (2000, 100))
    with Context(cancelled=cancelled):
        many.match(b"e/x")
        many.match_seen(b"e/x")
        many.could_match_below(b"f")
        assert len(looks) == 3
        for _ in range(50):
            several.match(b"e/x")
    assert len(looks) > 6


@given(
    st.lists(WORD, min_size=1, max_size=2),
    st.lists(st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1), max_size=9),
)
def test_many_paths_at_once(words: list[str], parts: list[list[str]]) -> None:
    paths = ["/".join(names).encode() for names in parts]
    try:
        parsed = Pathspecs.parse([word.encode() for word in words])
    except GitError:
        return
    assert parsed.select(paths) in (None, [path for path in paths if parsed.match(path)])


@pytest.mark.parametrize(
    "word", [b"a", b"*.c", b"src/*.c", b":(glob)**/*.c", b"s*", b"*.[c]", b"s*\\.c", b"*?c", b"*\\c"]
)
def test_one_word_is_asked_about_all_paths_at_once(word: bytes) -> None:
    assert Pathspecs.parse([word]).select(FILES) == chosen(word)


def test_words_that_each_path_is_asked_about() -> None:
    for words in ([b":(icase)A"], [b"a*", b"top.c"], [b"a/"], [b":!a/"], [b"a/", b":!top.c"], [b":!a*", b":!top.c"]):
        assert Pathspecs.parse(words).select(FILES) is None


@pytest.mark.parametrize(
    "words",
    [[b":!a"], [b"a", b":!a/b"], [b":!*.c"], [b"*.c", b":!src"], [b":!a", b":!src"], [b":!."], [b"src", b":!src"]],
)
def test_words_that_leave_out(words: list[bytes]) -> None:
    parsed = Pathspecs.parse(words)
    assert parsed.select(FILES) == [path for path in FILES if parsed.match(path)]
