"""Searching in bounded calls: the proof of what `re` may do, and that stretches and windows change no answer."""

import random
import re
import time
from collections.abc import Iterable

import pytest

from gitglass.errors import Cancelled, Timeout, TooLarge
from gitglass.limits import Context, Limits
from gitglass.regex import search as patternsearch
from gitglass.regex.cost import cost_of
from gitglass.regex.matcher import BadPattern, compile_pattern

from ..support.pace import is_too_long


class Watch:
    """A budget that measures the processor time of this thread between two looks at the clock."""

    def __init__(self, seconds: float | None = None) -> None:
        self.longest = 0.0
        self.looks = 0
        self._seen = time.thread_time()
        self._end = None if seconds is None else self._seen + seconds

    def remaining(self) -> float | None:
        return None

    def look(self) -> float:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._seen)
        self._seen = now
        self.looks += 1
        if self._end is not None and now > self._end:
            raise Timeout("enough")
        return now


@pytest.mark.parametrize(
    ("source", "steps", "degree", "crosses", "prefix"),
    [
        ("foo", 4, 0, False, "foo"),
        ("foo[^\\0\\n]*bar", 14, 1, False, "foo"),
        ("x*y", 7, 1, False, ""),
        ("a?b?", 4, 0, False, ""),
        ("(a|b)*c", 13, 1, False, ""),
        ("(foo|bar)+", 19, 1, False, ""),
        ("[^\\n]*[^\\n]*", 13, 2, False, ""),
        ("a[^b]", 3, 0, True, "a"),
        ("a\\sb", 4, 0, True, "a"),
        ("[ -~]", 2, 0, False, ""),
        ("[\\x00-\\x1f]", 2, 0, True, ""),
        ("a\\.b{2}", 5, 0, False, "a."),
        ("\\bfoo", 5, 0, False, ""),
        ("[^\\n\\udc80-\\udcff]x", 3, 0, False, ""),
        ("\\u00e9x", 3, 0, False, "\u00e9x"),
        ("[^\\U0001f600]", 2, 0, True, ""),
    ],
)
def test_bounds_that_are_proved(source: str, steps: int, degree: int, crosses: bool, prefix: str) -> None:
    cost = cost_of(source, fold=False)
    assert (cost.steps, cost.degree, cost.crosses, cost.prefix) == (steps, degree, crosses, prefix)


@pytest.mark.parametrize(
    "source",
    [
        "(a*)*",
        "(a|ab)*",
        "(a|aa)+$",
        "(a?){20}b",
        "(a)\\1",
        "(?=a)b",
        "a*a*a*a*a*a*a*b",
        "(?:a|a)" * 31 + "b",
        "(a{0,60}){6}",
        "(?P<n>a)",
    ],
)
def test_patterns_without_a_bound_stay_away_from_re(source: str) -> None:
    assert cost_of(source, fold=False).degree is None


def test_the_case_of_letters_doubles_the_work_and_hides_the_prefix() -> None:
    cost = cost_of("foo", fold=True)
    assert (cost.steps, cost.prefix) == (8, "")


WORDS = [
    "a",
    "b",
    "x",
    "ab",
    ".*",
    ".",
    "[ab]",
    "[^a]",
    "a*",
    "b+",
    "^",
    "$",
    "(a|b)",
    "(ab|x)*",
    "\\w",
    "\\s",
    "\\b",
    "x?",
    "{2}",
]


@pytest.mark.parametrize("steps", [40, 300, 3000])
@pytest.mark.parametrize("timed", [0, 1 << 18])
def test_stretches_and_windows_change_no_answer(monkeypatch: pytest.MonkeyPatch, steps: int, timed: int) -> None:
    monkeypatch.setattr(patternsearch, "_CALL_STEPS", steps)
    monkeypatch.setattr(patternsearch, "_MOST_TIMED", timed)
    monkeypatch.setattr(patternsearch, "_STRETCH", 5)
    monkeypatch.setattr(patternsearch, "_WINDOW", 4)
    monkeypatch.setattr(patternsearch, "_PIECE", 7)
    choose = random.Random(steps)
    compared = 0
    for _ in range(1500):
        pattern = "".join(choose.choice(WORDS) for _ in range(choose.randint(1, 5))).encode()
        data = "".join(choose.choice("aabbx \n\n") for _ in range(choose.randint(0, 40))).encode()
        pos = choose.randint(0, len(data))
        try:
            matcher = compile_pattern(pattern, "extended", newline=choose.random() < 0.8)
        except Exception:
            continue
        form = matcher._narrow
        if form is None or matcher.literal is not None:
            continue
        whole = form.standard().search(data, pos)
        every = [match.span() for match in form.standard().finditer(data)]
        try:
            assert matcher.search(data, pos) == (whole and whole.span()), (pattern, data, pos)
            assert matcher.all(data) == every, (pattern, data)
            assert first_of_lines(data, matcher.each(data, lined=True)) == first_of_lines(data, every), (pattern, data)
        except TooLarge:
            assert timed == 0  # too long for `regex` as well
            continue
        compared += 1
    assert compared > 300


def first_of_lines(data: bytes, spans: Iterable[tuple[int, int]]) -> list[int]:
    """Where the first match in each line begins, or each match that begins with a newline."""
    firsts: dict[int, int] = {}
    for start, _ in spans:
        firsts.setdefault(data.count(b"\n", 0, start), start)
    return list(firsts.values())


def test_a_line_is_done_with_at_its_first_match() -> None:
    data = b"one two\n\n  three four\n"
    words = compile_pattern(b"[a-z]+", "extended", newline=True)
    assert list(words.each(data, lined=True)) == [(0, 7), (11, 21)]
    assert [data[start:end] for start, end in words.each(data)] == [b"one", b"two", b"three", b"four"]
    spaces = compile_pattern(rb"\s+", "perl", newline=True)  # a match may go over the end of a line
    assert list(spaces.each(data, lined=True)) == spaces.all(data) == [(3, 4), (7, 11), (16, 17), (21, 22)]


@pytest.mark.parametrize(
    ("kind", "pattern", "piece", "count"),
    [
        ("extended", b"x*y", b"x", 32_000),
        ("extended", b"x*y", b"x", 900_000),
        ("extended", b"^x*y", b"x", 900_000),
        ("extended", b"x.*y", b"x", 900_000),
        ("perl", b"\\w+\\s*=\\s*\\w+", b"x", 900_000),
        ("perl", b"\\w+\\s*=\\s*\\w+", b"xx ", 300_000),
        ("extended", b"(x|y)+z", b"x", 400_000),
        ("extended", b"[ax]*[yz]w", b"x", 200_000),
        ("extended", b"(x|xx)+z\\b", b"x", 3_000),
        ("extended", b"(x*)*[yz]", b"x", 100_000),
        ("extended", b"x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?x?[yz]", b"x", 50_000),
        ("extended", b"x{0,16}x{0,16}x{0,16}x{0,16}x{0,16}x{0,16}[yz]", b"x", 50_000),
        ("extended", b"(.)(.*)\\1[yz]", b"x", 30_000),
        ("perl", b"(x|x(?R)x)*[yz]", b"x", 100_000),
        ("perl", b"(?:x+)+(?<=y)", b"x", 100_000),
        ("basic", b"\\(x*\\)*[yz]", b"x", 200_000),
    ],
)
def test_no_call_lasts(kind: str, pattern: bytes, piece: bytes, count: int) -> None:
    watch = Watch(0.6)
    matcher = compile_pattern(pattern, kind, newline=True, ctx=watch)
    line = piece * count + b"\n"
    try:
        for _ in range(20):
            assert not matcher.test(line)
    except (Timeout, TooLarge):
        pass
    assert not is_too_long(watch.longest, 0.25, time.thread_time)


LONG = b"<path d='" + b"M 12.5,3 L 4,5 " * 60_000 + b"'/><def name = value/>"


@pytest.mark.parametrize(
    ("kind", "pattern", "found"),
    [
        ("perl", b"^\\s*def", None),
        ("perl", b"^\\s*(def|class)\\s+\\w+", None),
        ("perl", b"\\bdef\\s+name\\w*", b"def name"),
        ("perl", b"\\w+\\s*=\\s*\\w+", b"name = value"),
        ("extended", b"<[a-z]+ name", b"<def name"),
        ("extended", b"[0-9]+\\.[0-9]+", b"12.5"),
        ("extended", b"def.*value", b"def name = value"),
        ("extended", b"function +[a-z]+\\(.*\\)", None),
    ],
)
def test_a_long_line_costs_what_its_runs_do(kind: str, pattern: bytes, found: bytes | None) -> None:
    """A line longer than `regex` may search: a loop repeats no more characters than the line has in a row."""
    assert len(LONG) > 3 * patternsearch._MOST_TIMED
    watch = Watch(10)
    matcher = compile_pattern(pattern, kind, newline=True, ctx=watch)
    span = None if found is None else (LONG.index(found), LONG.index(found) + len(found))
    assert matcher.search(LONG) == span
    assert list(matcher.each(LONG))[:1] == ([span] if span else [])
    assert not is_too_long(watch.longest, 0.25, time.thread_time)


def test_no_run_is_longer_than_the_bound_says(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random(5)
    run = re.compile(b"(?:a)+")
    for _ in range(500):
        data = "".join(choose.choice("aaab") for _ in range(choose.randint(0, 40))).encode()
        monkeypatch.setattr(patternsearch, "_PIECE", choose.randint(1, 12))
        bound = patternsearch.Search(True, None)._longest_run(run, data, 0, len(data))
        assert bound >= max(map(len, run.findall(data)), default=0)
        monkeypatch.setattr(patternsearch, "_PIECE", 100)
        exact = patternsearch.Search(True, None)._longest_run(run, data, 0, len(data))
        assert exact == max(map(len, run.findall(data)), default=0)


def test_the_bound_of_a_text_holds_for_its_parts_alone() -> None:
    search = patternsearch.Search(True, None)
    form = compile_pattern(b"[ab]+c", "extended", newline=True)._narrow
    assert form is not None
    short, long = b"ab-" * 10, b"ab" * 200
    low = search._attempt_steps(form, short, 0, len(short))
    assert search._attempt_steps(form, short, 5, len(short)) == low
    assert search._attempt_steps(form, long, 0, len(long)) > 100 * low
    assert search._attempt_steps(form, short, 0, len(short)) == low


def test_loops_are_told_with_what_they_repeat() -> None:
    cost = cost_of("(?m:^)[ab]*(?:x|y)+\\w{3,}z?q{2,5}", fold=False)
    assert (cost.loops, cost.anchored) == (("[ab]", "", "\\w"), True)
    assert not cost_of("(?m:^)a|b", fold=False).anchored


def test_a_file_of_long_lines_ends_at_the_deadline() -> None:
    with Context(Limits(timeout=0.5)) as ctx:
        matcher = compile_pattern(b"x*[yz]", "extended", newline=True, ctx=ctx)
        before = time.thread_time()
        with pytest.raises(Timeout):
            list(matcher.each((b"x" * 32_000 + b"\n") * 200))
        assert not is_too_long(time.thread_time() - before, 1.0, time.thread_time)


def test_short_lines_are_counted_together() -> None:
    watch = Watch()
    matcher = compile_pattern(b".*[a-f]+z", "extended", newline=True, ctx=watch)
    for _ in range(2000):
        matcher.test(b"the quick brown fox jumps over the lazy dog")
    assert watch.looks > 100


def test_cancelling_is_heard_of_in_a_long_search() -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 3

    with Context(Limits(timeout=None), cancelled=cancelled) as ctx:
        matcher = compile_pattern(b"(a*)*[yz]\\1", "extended", newline=True, ctx=ctx)
        with pytest.raises((Cancelled, Timeout)):
            matcher.test(b"a" * 5000)


def test_a_text_that_is_too_long_is_refused_or_read_line_by_line() -> None:
    lines = b"aaab\n" * 100_000
    matcher = compile_pattern(b"(a|a(?R)b)*b", "perl", newline=True, ctx=Watch())
    assert not matcher.takes(lines)
    assert matcher.takes(lines[: 1 << 18])
    with pytest.raises(TooLarge, match="500000 characters is too long for this regular expression"):
        matcher.test(lines)
    assert compile_pattern(b"(a|aa)*b", "extended", newline=True, ctx=Watch()).takes(lines)


def test_a_kept_pattern_has_no_clock_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern compiled once and kept (a driver's function names) is used long after, by call after call."""
    moment = [1000.0]
    monkeypatch.setattr("gitglass.regex.search.time.monotonic", lambda: moment[0])
    matcher = compile_pattern(b"x*y", "extended", newline=True)
    line = b"x" * 30_000 + b"y\n"
    assert matcher.test(line)
    moment[0] += 3600
    assert matcher.test(line)


def test_a_kept_pattern_heeds_the_call_that_runs() -> None:
    matcher = compile_pattern(b"x*y", "extended", newline=True)
    line = (b"x" * 30_000 + b"\n") * 4
    with Context(Limits(timeout=0.0)), pytest.raises(Timeout):
        matcher.test(line)
    with Context(Limits(timeout=None)):
        assert not matcher.test(b"z\n" * 20_000)


@pytest.mark.parametrize("kind", ["perl", "extended"])
def test_groups_nested_too_deeply_are_refused(kind: str) -> None:
    deep = b"(" * 240 + b"a" + b")*" * 240 + b"b"
    with pytest.raises(TooLarge, match="nested too deeply"):
        compile_pattern(deep, kind, newline=True, ctx=Watch()).search(b"a" * 50)


def test_a_long_translation_is_refused_before_it_is_compiled() -> None:
    with pytest.raises(BadPattern, match="regular expression is too large"):
        compile_pattern(b"\\w" * 10_000, "perl")
