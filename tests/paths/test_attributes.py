from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.paths.attributes import Attributes, parse_attributes

NAMES = [b"text", b"diff", b"binary", b"eol"]


def lookup(repo: Any, path: str, rules: str, **more: str) -> list[object]:
    repo.write(".gitattributes", rules.encode())
    for place, text in more.items():
        repo.write(place.replace("__", "/"), text.encode())
    return Attributes(repo.store()).lookup(path.encode(), NAMES)


def test_states(repo: Any) -> None:
    assert lookup(repo, "a.c", "*.c text -diff eol=lf\n") == [True, False, None, b"lf"]
    assert lookup(repo, "a.c", "* text\n*.c !text\n") == [None, None, None, None]
    assert lookup(repo, "a.c", "*.c text=auto\n*.c text=\n")[0] == b""


def test_the_binary_macro(repo: Any) -> None:
    assert lookup(repo, "x.png", "*.png binary\n") == [False, False, True, None]
    # a later word on the line wins over the macro's states, an earlier one does not
    assert lookup(repo, "x.png", "*.png binary diff\n")[1] is True
    assert lookup(repo, "x.png", "*.png -binary\n") == [None, None, False, None]


def test_own_macros_only_at_the_top(repo: Any) -> None:
    rules = "[attr]mine text eol=crlf\nx mine\nsub/y mine\n"
    assert lookup(repo, "x", rules) == [True, None, None, b"crlf"]
    store = repo.store()
    repo.write("sub/.gitattributes", b"[attr]mine -text\ny diff\n")
    assert Attributes(store).lookup(b"sub/y", NAMES) == [True, True, None, b"crlf"]
    assert store.complaints == ["[attr]mine -text not allowed: sub/.gitattributes:1"]


def test_deeper_files_and_info_win(repo: Any) -> None:
    repo.write("d/.gitattributes", b"*.c diff=deep\n")
    assert lookup(repo, "d/a.c", "*.c diff=top text\n")[:2] == [True, b"deep"]
    repo.write(".git/info/attributes", b"a.c diff=info\n")
    assert Attributes(repo.store()).get(b"d/a.c", b"diff") == b"info"


def test_rules_of_other_attributes_take_nothing_away(repo: Any) -> None:
    """Only rules that bear on what is asked for are tried, and those that set a macro of them."""
    rules = "[attr]one two\n[attr]two text\n*.c one\n*.[ch] whitespace\nlib/*.c -two\nx/** eol=lf\n*.C diff\n"
    assert lookup(repo, "a.c", rules) == [True, None, None, None]
    assert lookup(repo, "lib/a.c", rules) == [None, None, None, None]
    assert lookup(repo, "x/a.c", rules) == [True, None, None, b"lf"]
    assert lookup(repo, "x/deep/a.d", rules) == [None, None, None, b"lf"]
    attributes = Attributes(repo.store())
    assert attributes.all(b"lib/a.c") == {b"one": True, b"two": False, b"whitespace": True}
    assert attributes.lookup(b"a.c", [b"two", b"whitespace"]) == [True, True]
    assert attributes.named_in(b"x/deep") == attributes.named_in(b"") >= {b"text", b"eol", b"whitespace"}
    repo.write("x/.gitattributes", b"*.d sub\n")
    assert Attributes(repo.store()).named_in(b"x/deep") >= {b"sub", b"text"}


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*.sh", "d/a.sh"), ("a\\*b", "a*b"), ("a[.]c", "a.c"), ("d/*", "d/x"), ("d/**/x.y", "d/e/x.y"), ("?", "x"),
     ("*a", "ba"), ("name", "d/name"), ("/d/name", "d/name"), ("*\\a", "xa"), ("**/name", "name"),
     ("**/name", "d/name"), ("**/**/name", "name"), ("/**/d/name", "d/name"), ("d/**/name", "d/name")],
)  # fmt: skip
def test_what_a_pattern_matches_ends_as_it_does(repo: Any, pattern: str, path: str) -> None:
    assert lookup(repo, path, f"{pattern} text\n")[0] is True
    assert lookup(repo, path + "y", f"{pattern} text\n")[0] is (True if pattern == "d/*" else None)
    repo.config("[core]\n\tignorecase = true\n")
    assert lookup(repo, path.upper(), f"{pattern} text\n")[0] is True


def test_the_index_where_the_work_tree_has_none(repo: Any) -> None:
    repo.add(".gitattributes", b"* diff=indexed\n")
    store = repo.store()
    (repo.top / ".gitattributes").unlink()
    assert Attributes(store).get(b"x", b"diff") is None  # no index is read for attributes alone
    assert store.index.has_path(b".gitattributes")
    assert Attributes(store).get(b"x", b"diff") == b"indexed"
    repo.write(".gitattributes", b"* diff=file\n")
    assert Attributes(store).get(b"x", b"diff") == b"file"
    assert Attributes(store, index_only=True).get(b"x", b"diff") == b"indexed"


def test_order_of_all(repo: Any) -> None:
    repo.write(".gitattributes", b"*.x zeta alpha binary\n")
    assert list(Attributes(repo.store()).all(b"a.x")) == [b"binary", b"diff", b"merge", b"text", b"zeta", b"alpha"]


def test_quoted_and_odd_lines() -> None:
    parsed = parse_attributes(b'"a b" text\n"\\303\\251" diff\n# c\n!no text\nx bad/name\n' + b"y" * 3000 + b" text\n")
    assert [rule.body for rule in parsed.rules] == [b"a b", b"\xc3\xa9"]
    assert len(parsed.complaints) == 3


@given(st.binary(max_size=80))
def test_never_fails(data: bytes) -> None:
    for rule in parse_attributes(data).rules:
        if rule.macro is None:
            rule.compiled(False)(b"b" if rule.name_only else b"a/b")


def test_an_escape_that_is_no_octal_number() -> None:
    """Found by fuzzing: such a word is no pattern in quotes, and no error."""
    one, other = (parse_attributes(b'"\\%s" text\n' % digits).rules for digits in (b"338", b"3"))
    assert len(one) == len(other)


def test_an_indexed_file_that_is_missing_has_no_rules(repo: Any) -> None:
    repo.entry(".gitattributes", b"\7" * 20)
    repo.entry("d/.gitattributes", repo.put("blob", b"* text\n"))
    repo.write_index()
    done = gitglass.git(["check-attr", "--cached", "text", "a", "d/a"], cwd=repo.top)
    assert (done.returncode, done.stdout) == (0, b"a: text: unspecified\nd/a: text: set\n")
