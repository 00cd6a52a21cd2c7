"""git's regular expressions on bytes."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitglass.errors import GitError, Timeout
from gitglass.limits import Context, Limits
from gitglass.regex.matcher import BadPattern, compile_pattern


@pytest.mark.parametrize(
    ("kind", "pattern", "data", "expected"),
    [
        ("basic", b"a\\+b", b"xaab", (1, 4)),
        ("basic", b"a+b", b"aab a+b", (4, 7)),
        ("basic", b"*a", b"x*a", (1, 3)),
        ("basic", b"x\\|b", b"ab", (1, 2)),
        ("basic", b"\\(o\\)\\1", b"foo", (1, 3)),
        ("basic", b"a$b", b"a$b", (0, 3)),
        ("basic", b"x\\{2\\}", b"axxx", (1, 3)),
        ("extended", b"a$b", b"a$b", None),
        ("extended", b"(a|ab)c?)", b"ab)", (0, 3)),
        ("extended", b"b)", b"ab)", (1, 3)),
        ("extended", b"\\<two\\>", b"onetwo two", (7, 10)),
        ("extended", b"[[:digit:]]{2,}", b"a1b234", (3, 6)),
        ("extended", b"[]x]+", b"a]x]", (1, 4)),
        ("extended", b"caf.$", "café".encode(), (0, 5)),
        ("extended", b"^f.$", b"f\xe9", None),
        ("extended", "é+".encode(), "aééb".encode(), (1, 5)),
        ("extended", b"[[:alpha:]]+", "1 été".encode(), (2, 7)),
        ("fixed", b"a.b", b"aab a.b", (4, 7)),
        ("perl", b"(?<=a)b\\d", b"b1ab2", (3, 5)),
        ("perl", b"a\\Kb", b"ab", (1, 2)),
    ],
)
def test_dialects(kind: str, pattern: bytes, data: bytes, expected: tuple[int, int] | None) -> None:
    assert compile_pattern(pattern, kind).search(data) == expected


def test_longest_wins_over_first() -> None:
    assert compile_pattern(b"a|ab", "extended", longest=True).search(b"ab") == (0, 2)


def test_case_is_folded_beyond_ascii() -> None:
    assert compile_pattern("É".encode(), "fixed", ignore_case=True).test("été".encode())


@pytest.mark.parametrize(
    ("kind", "pattern", "reason"),
    [
        ("extended", b"*a", "Invalid preceding regular expression"),
        ("basic", b"a**", "Invalid preceding regular expression"),
        ("extended", b"a{1", "Unmatched \\{"),
        ("extended", b"a{2,1}", "Invalid content of \\{\\}"),
        ("extended", b"(a", "Unmatched ( or \\("),
        ("basic", b"[a", "Unmatched [, [^, [:, [., or [="),
        ("basic", b"[", "Invalid regular expression"),
        ("basic", b"[[:foo:]]", "Invalid character class name"),
        ("basic", b"\\1", "Invalid back reference"),
        ("basic", b"a\\", "Trailing backslash"),
        ("extended", "[[.é.]]".encode(), "Invalid collation character"),
        ("extended", "[[=é=]]".encode(), "Invalid collation character"),
        ("extended", b"a{40000}", "Regular expression too big"),
        ("extended", b"((b+){3333,}b+){3333,}", "Regular expression too big"),  # a gigabyte, written out
        ("perl", b"(?:(?:ab){1000}c){1000}", "regular expression is too large"),
        ("perl", b"(a|(?R))*b", "recursion that matches no character before it calls itself"),
        ("perl", b"(?<x>b?(?&y))(?<y>a*(?&x))", "recursion that matches no character before it calls itself"),
        ("perl", b"a(", "missing closing parenthesis"),
    ],
)
def test_the_words_for_bad_patterns(kind: str, pattern: bytes, reason: str) -> None:
    with pytest.raises(BadPattern) as caught:
        compile_pattern(pattern, kind)
    assert caught.value.reason == reason


class _Hurry:
    def remaining(self) -> float:
        return 0.2


def test_exponential_patterns_end_at_the_deadline() -> None:
    matcher = compile_pattern(b"(a|aa)+$", "extended", ctx=_Hurry())
    with pytest.raises(Timeout):
        matcher.test(b"a" * 60 + b"b")


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="ab.*+?()[]{}|^$\\12,-:é", max_size=9),
    st.sampled_from(["basic", "extended", "perl"]),
    st.binary(max_size=12),
)
def test_any_pattern_compiles_or_is_refused(pattern: str, kind: str, data: bytes) -> None:
    try:
        matcher = compile_pattern(pattern.encode(), kind, newline=True, ctx=_Hurry())
    except BadPattern:
        return
    for subject in (data, "ab aé\n()".encode()):
        found = matcher.search(subject)
        assert found is None or 0 <= found[0] <= found[1] <= len(subject)


@settings(max_examples=400)
@given(
    st.text(alphabet="ab.*^$+", max_size=7),
    st.sampled_from(["basic", "extended", "fixed"]),
    st.booleans(),
    st.text(alphabet="ab.*^$+\n", max_size=9),
)
def test_what_a_pattern_needs_is_in_all_that_it_matches(pattern: str, kind: str, fold: bool, text: str) -> None:
    try:
        matcher = compile_pattern(pattern.encode(), kind, newline=True, ignore_case=fold)
    except BadPattern:
        return
    if matcher.needed is not None and matcher.test(text.encode()):
        assert matcher.needed in text.encode()


@pytest.mark.parametrize(
    ("kind", "pattern", "needed"),
    [
        ("basic", b"^fix.*crash$", b"crash"), ("basic", b"fix.+", b"fix"), ("extended", b"fix.+", None),
        ("extended", b"a|b", None), ("basic", b"..*", None), ("basic", b"99$", b"99"), ("basic", b"a\\$", None),
    ],
)  # fmt: skip
def test_what_a_pattern_needs(kind: str, pattern: bytes, needed: bytes | None) -> None:
    assert compile_pattern(pattern, kind).needed == needed
    assert compile_pattern(pattern, kind, ignore_case=True).needed is None


def test_repetitions_of_repetitions_do_not_explode() -> None:
    """Found by fuzzing: each level doubles what the engine's compiler does."""
    many = compile_pattern(b"^x" + b"+" * 60 + b"$", "extended")
    assert many.test(b"xxx") and not many.test(b"xy")
    assert compile_pattern(b"^x+?$", "extended").test(b"")
    assert compile_pattern(b"^(x+?)*$", "extended").test(b"xx")
    for pattern in (b"(" * 40 + b"a" + b"+)" * 40 + b"+", b"(?:" * 40 + b"a" + b")+" * 40):
        with pytest.raises(BadPattern):
            compile_pattern(pattern, "perl" if b"?" in pattern else "extended")


def test_a_byte_of_no_character_as_a_collating_element() -> None:
    for pattern in (b"[a[.\xd3.]]", b"[[=\xd3=]a]"):
        found = compile_pattern(pattern, "extended")
        assert found.search(b"xay") == (1, 2)
        assert found.search(b"xyz") is None


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        (b"a{,5}", b"aa a{,5}", (3, 8)),  # no count to PCRE
        (b"(?:fo){e}", b"fo fo{e}", (3, 8)),  # ... and no nearly equal text either
        (b"{{i2,3}", b"i {{i2,3}", (2, 9)),
        (b"b{", b"b b{", (2, 4)),
        (b"x{2}", b"x xx", (2, 4)),
        (b"x{2,}y", b"xy xxxy", (3, 7)),
        (b"[{]i{2}", b"{i {ii", (3, 6)),
        (b"[]{x]{2}", b"{ ]{", (2, 4)),
        (b"\\{2}", b"22 {2}", (3, 6)),
        (b"\\x{78}{2}", b"x xx", (2, 4)),
        (b"\\Qa.{\\Ex", b"aa{x a.{x", (5, 9)),
        (b"a\\E\\Q(", b"a a(", (2, 4)),
        (b"[[:digit:]{]{2}", b"1 {2", (2, 4)),
    ],
)
def test_braces_of_perl(pattern: bytes, text: bytes, span: tuple[int, int]) -> None:
    found = compile_pattern(pattern, "perl")
    assert found.search(text) == span
    assert found._narrow is None or found._narrow.bounded().search(text).span() == span


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        ("(?i)ÜNÏ", "xünï", (1, 6)),
        ("(?i:ÜN)ï", "xünï", (1, 6)),
        ("(?i)\\wNÏ", "xünï", None),  # \w is ASCII all the same
        ("(?i)ÜNÏ\\b", "ünïx", (0, 5)),  # ... so that a word ends before the x
        ("[\\w]ü", "xü", (0, 3)),
        ("[\\w]ü", "éü", None),
    ],
)
def test_case_folds_beyond_ascii_where_classes_do_not(pattern: str, text: str, span: tuple[int, int] | None) -> None:
    assert compile_pattern(pattern.encode(), "perl").search(text.encode()) == span


@pytest.mark.parametrize(
    ("kind", "pattern", "fold"),
    [
        ("extended", b"[a-z]" * 4000, True),
        ("perl", b"(?i)" + b"[a-z]" * 4000, False),
        ("extended", b"[^a-z]" * 5000, False),
        ("perl", b"(a|b)" * 6000, False),
        ("extended", b"(a|b)" * 6000, False),
    ],
)
def test_what_is_compiled_in_one_stretch_has_a_bound(kind: str, pattern: bytes, fold: bool) -> None:
    with pytest.raises(GitError, match=r"too (large|big)"):
        compile_pattern(pattern, kind, ignore_case=fold)
    small = pattern[: len(pattern) // 8]
    small = small[: max(small.rfind(b"]"), small.rfind(b")")) + 1]
    compile_pattern(small, kind, ignore_case=fold).search(b"abc")


def test_the_clock_is_looked_at_while_a_pattern_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(Context, "look", lambda self: looks.append(0) or 0.0)
    with Context(Limits()) as ctx:
        compile_pattern(b"(a)" * 4000, "extended", ctx=ctx)
    assert len(looks) > 3 * 4000 // 32  # translating it, and two readings of the translation


@given(
    st.lists(st.sampled_from(["a", "é", "中", "\U0001f600", "\udcff", "\n"]), max_size=20).map("".join),
    st.integers(0, 8),
)
def test_spans_are_places_in_bytes(text: str, skipped: int) -> None:
    """Of characters of one to four bytes, and of a byte that is no character."""
    data = text.encode("utf-8", "surrogateescape")
    pos = len(text[:skipped].encode("utf-8", "surrogateescape"))
    matcher = compile_pattern("[aé中]+".encode(), "extended", newline=True)
    spans = [match.span() for match in re.finditer("(?:a|é|中)+".encode(), data)]
    assert matcher.all(data) == spans
    rest = [match.span() for match in re.compile("(?:a|é|中)+".encode()).finditer(data, pos)]
    assert list(matcher.each(data, pos)) == rest
