"""git's configuration grammar and values: the strange rules, each seen in git itself."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.config.config import Config, check_key, parse_bool, parse_int
from gitglass.config.file import _read, _written, parse_config
from gitglass.config.load import parse_override
from gitglass.errors import GitError


def pairs(data: bytes) -> list[tuple[bytes, bytes | None]]:
    return [(key, value) for key, value, _ in parse_config(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[core] bare = false ; hello\n", [(b"core.bare", b"false")]),
        (b'[a]\nk = "x ; y" z # foo\n', [(b"a.k", b"x ; y z")]),
        (b'[a]\nk = a\\tb\\n\\"q\\" \\\n  continued   \n', [(b"a.k", b'a\tb\n"q"   continued')]),
        (b'[a]\nk\nj =\nl = "" \n', [(b"a.k", None), (b"a.j", b""), (b"a.l", b"")]),
        (b'[Sub.Foo "Bar\\"B\\\\az"] X=1\n', [(b'sub.foo.Bar"B\\az.x', b"1")]),
        (b"[old.Style] Y = 2\n", [(b"old.style.y", b"2")]),
        (b"[a]k=1 #x\\\ny\n", [(b"a.k", b"1"), (b"a.y", None)]),
        (b"[a]\nk = x\t \ty\n", [(b"a.k", b"x   y")]),
        (b'[a]\nk = " lead" trail  \n', [(b"a.k", b" lead trail")]),
        (b"\xef\xbb\xbf[a]\r\nk = v \r\n j\r\n l = \\\r\nx", [(b"a.k", b"v"), (b"a.j", None), (b"a.l", b"x")]),
        (b"[a][b] k=v\n", [(b"b.k", b"v")]),
        (b"[a] ; [b] k=v\n", []),
        (b"[a] b = c [d] e = f\n", [(b"a.b", b"c [d] e = f")]),
        (b"k=v\n", [(b"k", b"v")]),
        (b'[a "x\0y"]\nk = v\0w\n', [(b"a.x", b"v")]),
    ],
)
def test_settings(data: bytes, expected: list[tuple[bytes, bytes | None]]) -> None:
    assert pairs(data) == expected


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"[a b]\n", 1), (b'[a"x"]\n', 1), (b'[a "x]\n', 1), (b"[a]\n1x = 3\n", 2), (b"[a]\nk v\n", 2),
        (b'[a]\nk = "abc\n', 2), (b"[a]\nk = a\\q\n", 2), (b"[a]\nk # comment\n", 2), (b"[]\nk=1\n", 1),
        (b"[a]\nk\n= 1\n", 3), (b"w \r", 1), (b"[a", 2), (b"[a\n", 1), (b'[a "x"\n', 2), (b'[a "x"\r\n', 2), (b'[a "x"', 2), (b"[a ", 1),
    ],
)  # fmt: skip
def test_bad_lines_are_named(data: bytes, line: int) -> None:
    with pytest.raises(GitError, match=f"bad config line {line} in file c"):
        parse_config(data, "file c")


@given(st.binary(max_size=60))
def test_the_grammar_never_crashes(data: bytes) -> None:
    try:
        parse_config(b"[a]\n" + data)
    except GitError:
        pass


@given(st.lists(st.tuples(st.from_regex(rb"[a-z][a-z0-9-]{0,5}", fullmatch=True), st.binary(max_size=12)), max_size=6))
def test_what_is_quoted_comes_back(rows: list[tuple[bytes, bytes]]) -> None:
    def quote(value: bytes) -> bytes:
        return b'"' + value.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'

    rows = [(key, value.replace(b"\r", b"").replace(b"\0", b"")) for key, value in rows]
    data = b"[s]\n" + b"".join(b"%b = %b\n" % (key, quote(value)) for key, value in rows)
    assert pairs(data) == [(b"s." + key, value) for key, value in rows]


LINES = ["[core]", '[remote "Ab.c"]', "[x", '[a ""]', "\tkey = value", "\tKey = a b", "\tk = a  b", "\tk =", "\tk", " k = v",
         "\tk = v # c", '\tk = "q"', "\tk = a\\", "\tk = v ", "", "; c", "\tk = [x]", "\tk = \v", "[A.b]"]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_git_writes_is_read_as_all_else(lines: list[str], end: str, ended: bool) -> None:
    data = (end.join(lines) + (end if ended else "")).encode()
    quick = _written(data)
    if quick is not None:
        assert quick == _read(data, "", [])


def test_what_git_writes_is_known_as_such() -> None:
    data = b'[core]\n\tbare = false\n[remote "a b"]\n\turl = https://x/y\n\tFetch = +refs/heads/*:refs/remotes/a/*\n'
    assert _written(data) == [
        (b"core.bare", b"false", 2),
        (b"remote.a b.url", b"https://x/y", 4),
        (b"remote.a b.fetch", b"+refs/heads/*:refs/remotes/a/*", 5),
    ]
    assert _written(b"# mine\n" + data) is None


def test_values() -> None:
    assert [parse_bool(v) for v in (None, b"", b"ON", b"no", b"0x0", b"-1", b"x")] == [
        True,
        False,
        True,
        False,
        False,
        True,
        None,
    ]
    assert [parse_int(v) for v in (b"3k", b"-2M", b"1g", b"010", b"0x1f", b" 7", b"7 ", b"1kk", b"")] == [
        3072, -(2 << 20), 1 << 30, 8, 31, 7, None, None, None,
    ]  # fmt: skip


def config(text: bytes) -> Config:
    from gitglass.config.config import Entry, Source

    source = Source("local", b"file:.git/config")
    return Config(Entry(key, value, line, source) for key, value, line in parse_config(text))


def test_lookups() -> None:
    made = config(b'[core]\nAbbrev = 7\n[remote "Or.i"]\nurl = a\nurl = b\n[x]\nflag\nbad = 3z\n')
    assert made.get("core.abbrev") == b"7" and made.get_int("CORE.ABBREV") == 7
    assert made.get_all("remote.Or.i.url") == [b"a", b"b"] and made.get("remote.or.i.url") is None
    assert made.subsections("remote") == [b"Or.i"]
    assert made.get_bool("x.flag") is True and made.get("x.flag") == b"true"
    assert list(made.section_items(b"remote.Or.i")) == [(b"url", b"a"), (b"url", b"b")]
    with pytest.raises(GitError, match=r"bad numeric config value '3z' for 'x.bad': invalid unit"):
        made.get_int("x.bad")
    with pytest.raises(GitError, match=r"bad boolean config value '3z' for 'x.bad'"):
        made.get_bool("x.bad")
    with pytest.raises(GitError, match=r"missing value for 'x.flag'\nfatal: bad config variable 'x.flag' in file"):
        made.get_string("x.flag")


def test_keys_as_people_type_them() -> None:
    assert check_key(b"Core.Sub.Name") == b"core.Sub.name"
    assert parse_override("a.b") == (b"a.b", None) and parse_override("a.b=c=d") == (b"a.b", b"c=d")
    for bad in ("foo", "=x", "a.", "a.b_c"):
        with pytest.raises(GitError, match="unable to parse command-line config"):
            parse_override(bad)


def test_many_odd_lines_take_linear_time() -> None:
    begin = time.process_time()
    parse_config(b"[a]\n" + b'k = "x"\n' * 100_000)
    assert time.process_time() - begin < 5


def test_blanks_before_an_odd_value_are_passed_once() -> None:
    """Twice as many used to take four times as long, and no deadline can come within a regular expression."""
    assert parse_config(b"[a]\nb =" + b" " * 300_000 + b'"x"') == [(b"a.b", b"x", 2)]


def test_a_setting_is_on_the_line_on_which_its_value_ends(tmp_path: Path) -> None:
    """That line is named where the value is of no use."""
    for text, line in (("a\\\nb\\\nc\n\n", 4), ("a\\\nb", 3), ('"a\\\nb" ; c\n', 3), ("a ; b\n", 2)):
        (tmp_path / "file").write_text(f"[color]\n\tx = {text}")
        done = gitglass.git(["config", "-f", "file", "--type=color", "color.x"], cwd=tmp_path)
        assert done.returncode == 128 and done.stderr.endswith(f"fatal: bad config line {line} in file file\n".encode())
