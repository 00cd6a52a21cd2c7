"""request/pathspecs.py: the words of a request as pathspecs of a store."""

from typing import Any

import pytest

from gitglass.paths.pathspec import Pathspecs
from gitglass.request.pathspecs import parse_pathspecs


class FakeStore:
    """What is read of a store."""

    work_tree = b"/top"

    def __init__(self, *settings: str, prefix: bytes = b"") -> None:
        self.pathspecs, self.prefix = frozenset(settings), prefix


def parsed(words: list[str], *settings: str, below: bytes = b"", **more: Any) -> Pathspecs:
    store: Any = FakeStore(*settings, prefix=below)
    return parse_pathspecs(store, words, **more)


def matches(specs: Pathspecs, *paths: bytes) -> list[bytes]:
    return [path for path in paths if specs.match(path)]


PATHS = (b"a.c", b"A.C", b"*.c", b"src/a.c", b"src/deep/a.c", b"caf\xe9")


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ((), [b"a.c", b"*.c", b"src/a.c", b"src/deep/a.c"]),
        (("literal",), [b"*.c"]),
        (("noglob",), [b"*.c"]),
        (("glob",), [b"a.c", b"*.c"]),
        (("icase",), [b"a.c", b"A.C", b"*.c", b"src/a.c", b"src/deep/a.c"]),
    ],
)
def test_global_settings_hold(settings: tuple[str, ...], found: list[bytes]) -> None:
    assert matches(parsed(["*.c"], *settings), *PATHS) == found


def test_words_are_read_in_the_current_directory_or_in_the_one_given() -> None:
    assert matches(parsed(["a.c"], below=b"src/"), *PATHS) == [b"src/a.c"]
    assert matches(parsed(["a.c"], below=b"src/", prefix=b""), *PATHS) == [b"a.c"]
    assert matches(parsed(["caf\udce9"]), *PATHS) == [b"caf\xe9"]


def test_only_exclusions_mean_the_whole_or_the_current_directory() -> None:
    assert matches(parsed([":!a.c"], below=b"src/"), *PATHS) == [b"a.c", b"A.C", b"*.c", b"src/deep/a.c", b"caf\xe9"]
    assert matches(parsed([":!a.c"], below=b"src/", prefer_cwd=True), *PATHS) == [b"src/deep/a.c"]
