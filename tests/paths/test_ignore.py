from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import Timeout, TooLarge
from gitglass.limits import Context, Limits
from gitglass.paths import ignore as ignore_module
from gitglass.paths.attributes import parse_attributes
from gitglass.paths.ignore import Ignore, PatternList, Rules, _trimmed, parse_ignore
from gitglass.paths.wildmatch import PATHNAME, wildmatch


def ignored(rules: str, path: str, *, is_dir: bool = False, fold: bool = False) -> bool | None:
    found = parse_ignore(rules.encode(), fold).last_match(path.encode(), path.rpartition("/")[2].encode(), is_dir)
    return None if found is None else not found.negated


def test_kinds_of_patterns() -> None:
    assert ignored("*.o", "a/b.o") is True
    assert ignored("build", "x/build") is True
    assert ignored("/build", "x/build") is None
    assert ignored("build/", "build") is None
    assert ignored("build/", "build", is_dir=True) is True
    assert ignored("a/*.c", "a/x.c") is True
    assert ignored("a/*.c", "a/b/x.c") is None
    assert ignored("a/**/x", "a/b/c/x") is True
    assert ignored("x*y?z", "x--y-z") is True


def test_the_last_line_decides() -> None:
    rules = "*.log\n!keep.log\nkeep*\n!/sub/keep.log\n"
    assert ignored(rules, "debug.log") is True
    assert ignored(rules, "keep.log") is True
    assert ignored(rules, "sub/keep.log") is False


def test_lines_that_look_odd() -> None:
    assert ignored("# x\n\\#x\n", "#x") is True
    assert ignored("\\!x", "!x") is True
    assert ignored("x  \n", "x") is True
    assert ignored("x\\ \n", "x ") is True
    assert ignored("x\r\n", "x") is True
    assert ignored("\ufeffx\n", "x") is True
    assert ignored("X.TXT", "x.txt", fold=True) is True


def test_line_numbers_and_text() -> None:
    found = parse_ignore(b"\n# c\n!a/ \n").last_match(b"a", b"a", True)
    assert found is not None
    assert (found.line, found.text, found.negated) == (3, b"!a/", True)


LINE = st.text("ab*/!?.", min_size=1, max_size=5).filter(lambda line: line.strip("!/"))


@given(
    st.lists(LINE, max_size=6),
    st.lists(st.sampled_from(["a", "b", "ab", "a.b"]), min_size=1, max_size=3),
    st.booleans(),
)
def test_tables_agree_with_trying_each_line(lines: list[str], parts: list[str], is_dir: bool) -> None:
    listed: PatternList = parse_ignore("\n".join(lines).encode())
    path, name = "/".join(parts).encode(), parts[-1].encode()
    want = None
    for pattern in listed.patterns:
        if pattern.dir_only and not is_dir:
            continue
        plain = pattern.body.split(b"*")[0].split(b"?")[0]
        if pattern.name_only:
            hit = wildmatch(pattern.body, name)
        else:  # what stands before the first wildcard is compared by itself
            hit = path.startswith(plain) and wildmatch(pattern.body[len(plain) :], path[len(plain) :], PATHNAME)
        if hit:
            want = pattern
    assert listed.last_match(path, name, is_dir) is want


@given(st.binary(max_size=60))
def test_never_fails(data: bytes) -> None:
    parse_ignore(data).last_match(b"a/b", b"b", False)


def trimmed_by_steps(line: bytes) -> bytes:
    """Character by character: a backslash guards the next one."""
    keep, at = 0, 0
    while at < len(line):
        if line[at] == 92:
            at += 1
        elif line[at] == 32:
            at += 1
            continue
        at += 1
        keep = at
    return line[: min(keep, len(line))]


@given(st.text("a \\", max_size=12))
def test_trailing_blanks_go_unless_they_are_guarded(line: str) -> None:
    assert _trimmed(line.encode()) == trimmed_by_steps(line.encode())


@pytest.mark.parametrize("parse", [parse_ignore, parse_attributes])
def test_the_clock_is_looked_at_while_a_million_patterns_are_read(parse: Any) -> None:
    with Context(Limits(timeout=-1.0)), pytest.raises(Timeout):
        parse(b"a*b text\n" * 200_000)
    with Context(Limits(max_memory_bytes=4 << 20)), pytest.raises(TooLarge):
        parse(b"a*b text\n" * 200_000)


@given(
    st.lists(st.lists(st.sampled_from("!/ab*d"), min_size=1, max_size=5).map("".join), max_size=6),
    st.lists(st.sampled_from(["a", "b", "ab", "d", "ad"]), min_size=1, max_size=5),
    st.sampled_from(["", "a", "d", "a/d"]),
    st.booleans(),
)
def test_a_file_is_looked_at_only_where_that_matters(
    lines: list[str], names: list[str], folder: str, is_dir: bool
) -> None:
    asked: list[bytes] = []

    def look(path: bytes) -> bool:
        asked.append(path)
        return is_dir

    rules = Ignore.__new__(Ignore)
    found = parse_ignore("\n".join(lines).encode())
    top = Rules(None, [(b"", b".gitignore", found)] if found.patterns else [])
    rules._rules, rules._per_dir, rules._words, rules._store = {b"": top}, [], [], SimpleNamespace(files=None)
    members = [name.encode() for name in names]
    paths = [f"{folder}/{name}".lstrip("/").encode() for name in names]
    expected = [rules.directory(folder.encode()).match(path, path.rpartition(b"/")[2], is_dir) for path in paths]
    decided = rules.decide(folder.encode(), members, look)
    assert (decided if decided is not None else [None] * len(names)) == expected
    assert not asked or any(line.endswith("/") for line in lines)


PIECES = ["a", "b", "/", "*", "**/", "?", ".", "[ab]", "\\a", "!"]


@given(
    st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), min_size=1, max_size=2),
    st.lists(
        st.lists(st.sampled_from(["a", "b", "ab", "a.b", "ad"]), min_size=1, max_size=3).map("/".join), max_size=6
    ),
    st.booleans(),
    st.integers(1, 3),
)
def test_no_path_that_is_ignored_is_passed_over(lines: list[str], names: list[str], fold: bool, near: int) -> None:
    rules = Ignore.__new__(Ignore)
    found = parse_ignore("\n".join(lines).encode(), fold)
    lists = [(b"", b".gitignore", found)] if found.patterns else []
    rules._rules, rules._per_dir, rules._words, rules._file_lists = {b"": Rules(None, lists)}, [], [], []
    rules._fold, rules._store = fold, SimpleNamespace(files=None)  # type: ignore[assignment]
    paths = [name.upper().encode() if fold else name.encode() for name in names]
    with mock.patch.object(ignore_module, "_AT_ONCE", near):
        places = list(rules.candidates(paths))
        assert list(rules.candidates([path + b"\0\0" for path in paths])) == places == sorted(places)
    chosen = set(places)
    assert chosen >= {at for at, path in enumerate(paths) if rules.ignored(path, False)}


def test_paths_without_the_text_of_a_pattern_are_passed_over() -> None:
    rules = Ignore.__new__(Ignore)
    rules._rules, rules._per_dir, rules._fold = {}, [], False
    rules._words, rules._file_lists = [(b"", b"-x", parse_ignore(b"*.c\n**/doc/\n!e"))], []
    assert list(rules.candidates([b"a.c", b"b.h", b"doc/x", b"x/doc", b"e"])) == [0, 2, 3]


@pytest.mark.parametrize(("pattern", "path"), [(b"[xy]z", b"xz"), (b"\\!x\\y", b"!xy"), (b"?z", b"xz")])
def test_text_of_a_pattern_is_not_searched_for_where_it_is_not_plain(pattern: bytes, path: bytes) -> None:
    rules = Ignore.__new__(Ignore)
    rules._rules, rules._per_dir, rules._fold = {}, [], False
    rules._words, rules._file_lists = [(b"", b"-x", parse_ignore(pattern))], []
    assert list(rules.candidates([path])) == [0]


def test_an_absent_file_whose_object_is_missing_ignores_nothing(repo: Any) -> None:
    repo.entry(".gitignore", b"\7" * 20, flags=0x4000, special=0x4000)
    repo.write("a")
    repo.write_index()
    assert gitglass.git(["ls-files", "-o", "--exclude-standard"], cwd=repo.top).stdout == b"a\n"
