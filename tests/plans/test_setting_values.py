"""plans/setting_values.py: what git says of a value that it does not take, and of none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.config.config import Entry, Source
from gitglass.errors import GitError
from gitglass.plans import setting_values as values
from gitglass.plans.setting_values import Judge

_OF = Source("local", b"file:.git/config")
BAD = "fatal: bad config variable 'a.b' in file '.git/config' at line 3"


def judged(judge: Judge, value: bytes | None) -> str | None:
    wrong = judge(Entry(b"a.b", value, 3, _OF))
    return None if wrong is None else wrong.words().decode().rstrip("\n")


@pytest.mark.parametrize(
    ("judge", "fine"),
    [
        (values.boolean, [b"true", b"off", b"7", None]),
        (values.when, [b"always", b"NEVER", b"auto", b"yes"]),
        (values.abbrev, [b"auto", b"AUTO", b"no", b"off", b"4", b"40"]),
        (values.creation, [b"rename", b"link"]),
        (values.pushed, [b"nothing", b"matching", b"simple", b"upstream", b"tracking", b"current"]),
        (values.shared, [None, b"umask", b"group", b"world", b"true", b"0", b"2", b"0640", b"660"]),
        (values.cleanup, [b"default", b"verbatim", b"whitespace", b"strip", b"scissors"]),
        (values.style, [b"merge", b"diff3", b"zdiff3"]),
        (values.backend, [b"merge", b"APPLY"]),
        (values.one_of("no", b"x", b"y"), [b"x", b"y"]),
        (values.compression, [b"-1", b"9"]),
        (values.word, [b"", b"x"]),
    ],
)
def test_values_that_are_fine(judge: Judge, fine: list[bytes | None]) -> None:
    assert [judged(judge, value) for value in fine] == [None] * len(fine)


@pytest.mark.parametrize(
    ("judge", "value", "words"),
    [
        (values.boolean, b"x", "fatal: bad boolean config value 'x' for 'a.b'"),
        (values.when, b"x", "fatal: bad boolean config value 'x' for 'a.b'"),
        (values.word, None, f"error: missing value for 'a.b'\n{BAD}"),
        (values.abbrev, None, f"error: missing value for 'a.b'\n{BAD}"),
        (values.abbrev, b"3", f"error: abbrev length out of range: 3\n{BAD}"),
        (values.abbrev, b"true", "fatal: bad numeric config value 'true' for 'a.b': invalid unit"),
        (values.creation, b"x", "fatal: invalid mode for object creation: x"),
        (values.pushed, b"x",
         "error: malformed value for push.default: x\n"
         f"error: must be one of nothing, matching, simple, upstream or current\n{BAD}"),
        (values.shared, b"x", "fatal: bad boolean config value 'x' for 'a.b'"),
        (values.shared, b"0888", "fatal: bad boolean config value '0888' for 'a.b'"),
        (values.shared, b"0200",
         "fatal: problem with core.sharedRepository filemode value (0200).\n"
         "The owner of files must always have read and write permissions."),
        (values.cleanup, b"x", "fatal: Invalid cleanup mode x"),
        (values.cleanup, b"Strip", "fatal: Invalid cleanup mode Strip"),
        (values.style, b"x", "fatal: unknown style 'x' given for 'merge.conflictstyle'"),
        (values.backend, b"x", "fatal: Unknown rebase backend: x"),
        (values.one_of("no {value} for {key}", b"x"), b"y", f"error: no y for a.b\n{BAD}"),
        (values.one_of("no {value} for {key}", b"x"), None, f"error: missing value for 'a.b'\n{BAD}"),
        (values.compression, b"10", "fatal: bad zlib compression level 10"),
        (values.size, b"-1", "fatal: bad numeric config value '-1' for 'a.b': invalid unit"),
    ],
)  # fmt: skip
def test_what_is_said_of_others(judge: Judge, value: bytes | None, words: str) -> None:
    assert judged(judge, value) == words


JUDGES: list[Judge] = [
    values.boolean, values.when, values.number, values.size, values.compression, values.lines, values.threads,
    values.comment, values.moved_spaces, values.moved, values.algorithm, values.highlights, values.submodules,
    values.word, values.recent, values.abbrev, values.creation, values.pushed, values.shared, values.cleanup,
    values.style, values.backend, values.one_of("{value}", b"x"),
]  # fmt: skip


@given(st.sampled_from(JUDGES), st.none() | st.binary() | st.from_regex(rb"\A[0-9a-z,+-]{0,6}\Z"))
def test_every_value_is_taken_or_named(judge: Judge, value: bytes | None) -> None:
    wrong = judge(Entry(b"a.b", value, 3, _OF))
    assert wrong is None or (isinstance(wrong, GitError) and wrong.words().startswith((b"fatal: ", b"error: ")))
