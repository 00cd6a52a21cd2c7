"""Diff drivers."""

import pytest

from gitglass.diff.lines.userdiff import BUILTIN, driver_for, is_binary, make_finder
from gitglass.errors import GitError, Timeout
from gitglass.limits import Context, Limits


class _Config:
    def __init__(self, **values: bytes) -> None:
        self.values = {key.replace("_", "."): value for key, value in values.items()}

    def get(self, key: str | bytes) -> bytes | None:
        return self.values.get(key.decode() if isinstance(key, bytes) else key)

    def get_bool(self, key: str | bytes, default: bool | None = None) -> bool | None:
        value = self.get(key)
        return default if value is None else value == b"true"


@pytest.mark.parametrize(
    ("name", "line", "shown"),
    [
        (b"python", b"    async def run(self):  ", b"async def run(self):"),
        (b"python", b"x = def_", None),
        (b"cpp", b"label:", None),
        (b"cpp", b"int main(void)", b"int main(void)"),
        (b"perl", b"sub foo($x) {", b"($x)"),
        (b"fortran", b"      subroutine Foo(x)", b"subroutine Foo(x)"),
        (b"golang", b"\tfunc (a *B) C() {", b"func (a *B) C() {"),
        (b"java", b"  return x;", None),
        (b"markdown", b"## Title", b"## Title"),
        (b"css", b".rule {\r", b".rule {"),
        (b"html", b"  <h1>Title</h1>", b"<h1>Title</h1>"),
    ],
)
def test_hunk_headers_by_language(name: bytes, line: bytes, shown: bytes | None) -> None:
    finder = BUILTIN[name].finder
    assert finder is not None and finder(line) == shown


def test_every_built_in_driver_compiles() -> None:
    for driver in BUILTIN.values():
        assert (driver.finder is None) == (driver.name == b"default")


def test_attributes() -> None:
    assert driver_for(True).binary is False
    assert driver_for(False).binary is True
    assert driver_for(b"nobody").name == b"default"
    assert driver_for(None, _Config(diff_default_xfuncname=b"^x")).names_functions


def test_configured_drivers() -> None:
    config = _Config(diff_mine_xfuncname=b"!^no\n^(y[a-z]+).*$", diff_mine_binary=b"auto", diff_python_binary=b"true")
    mine = driver_for(b"mine", config)
    assert mine.finder is not None
    assert (mine.finder(b"yes and more"), mine.finder(b"no"), mine.binary) == (b"yes", None, None)
    python = driver_for(b"python", config)
    assert python.binary is True and python.finder is not None


def test_the_last_rule_must_accept() -> None:
    with pytest.raises(GitError, match="Last expression must not be negated"):
        make_finder(b"!a")
    with pytest.raises(GitError, match="Invalid regexp to look for hunk header"):
        make_finder(b"(")


def test_a_nul_makes_binary_only_early_on() -> None:
    assert is_binary(b"x" * 7999 + b"\0") and not is_binary(b"x" * 8000 + b"\0")


def test_patterns_of_a_repository_end_at_the_deadline() -> None:
    config = _Config(diff_slow_xfuncname=b"^(a|aa)+$")
    finder = driver_for(b"slow", config, ctx=Context(Limits(timeout=0.3))).finder
    assert finder is not None
    with pytest.raises(Timeout):
        finder(b"a" * 80 + b"b")
