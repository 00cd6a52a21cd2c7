"""agent/native/paths.py: what the words mean that models write for paths."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gitglass.agent import Roots, ToolContext
from gitglass.agent.native.paths import (
    FileSet,
    Meant,
    files_of_trees,
    index_files,
    meant_paths,
    work_tree_files,
)
from gitglass.agent.tool import Call
from gitglass.errors import InvalidArgs, NotFound
from gitglass.limits import Context

FILES = (b"src/a.c", b"src/a.h", b"src/deep/b.c", b"a b,c", b"weird[1].txt", b"top.py")


def made_of(*files: bytes) -> FileSet:
    folders = {path[:at] for path in files for at in range(len(path)) if path[at : at + 1] == b"/"}
    return FileSet(lambda path: not path or path in files or path in folders, lambda: files)


@pytest.fixture
def call(repo: Any) -> Iterator[Call]:
    repo.add("tracked", b"1\n")
    repo.commit()
    repo.write("new", b"2\n")
    ctx = Context(now=0)
    with ctx:
        yield Call(ToolContext(Roots(repo.top)), repo.store(), ctx)


@pytest.mark.parametrize(
    ("words", "specs", "named"),
    [
        (["src"], [":(literal)src"], ["src"]),
        (["./src/a.c"], [":(literal)src/a.c"], ["src/a.c"]),
        (["`src/a.c`"], [":(literal)src/a.c"], ["src/a.c"]),
        (["/src/a.c"], [":(literal)src/a.c"], ["src/a.c"]),
        (["src\\a.c"], [":(literal)src/a.c"], ["src/a.c"]),
        (["."], [":(literal)."], [""]),
        (["weird[1].txt"], [":(literal)weird[1].txt"], ["weird[1].txt"]),
        (["a b,c"], [":(literal)a b,c"], ["a b,c"]),
        (["src/a.c, top.py"], [":(literal)src/a.c", ":(literal)top.py"], ["src/a.c", "top.py"]),
        (['["src/a.c", "top.py"]'], [":(literal)src/a.c", ":(literal)top.py"], ["src/a.c", "top.py"]),
        (["src/a.{c,h}"], [":(literal)src/a.c", ":(literal)src/a.h"], ["src/a.c", "src/a.h"]),
        (["*.c"], [":(top)*.c"], []),
        (["src/**/*.c"], [":(top)src/**/*.c", ":(glob)src/**/*.c"], []),
        ([":(top)x"], [":(top)x"], []),
        ([":!src"], [":!src"], []),
    ],
)
def test_what_words_mean(call: Call, words: list[str], specs: list[str], named: list[str]) -> None:
    meant = meant_paths(call, words, [made_of(*FILES)], "HEAD")
    assert (meant.specs, meant.named, meant.missing) == (specs, named, [])
    assert meant.magic == (words == [":(top)x"])


def test_a_path_that_is_nowhere_is_an_error_with_those_like_it(call: Call) -> None:
    with pytest.raises(NotFound, match=r"no such path in HEAD: 'src/A\.c'") as caught:
        meant_paths(call, ["src/A.c"], [made_of(*FILES)], "HEAD")
    assert caught.value.hint is not None and caught.value.hint.startswith("did you mean src/a.c")
    for outside in ("../tracked", "src/../../tracked", "/etc/tracked"):
        with pytest.raises(InvalidArgs, match=f"'{re.escape(outside)}' is outside of the repository"):
            meant_paths(call, [outside], [made_of(b"tracked")], "HEAD", required=False)


def test_one_that_is_nowhere_among_others_is_a_note(call: Call) -> None:
    meant = meant_paths(call, ["top.py", "zzzzzzzz"], [made_of(*FILES)], "HEAD")
    assert (meant.named, meant.missing) == (["top.py"], ["zzzzzzzz"])
    assert call.ctx.notes == ["no such path in HEAD: 'zzzzzzzz'; git_files lists the paths that there are."]
    left = meant_paths(call, ["zzzzzzzz"], [made_of(*FILES)], "HEAD", required=False)
    assert left.missing == ["zzzzzzzz"]
    assert meant_paths(call, ["zzzzzzzz"], [], "HEAD").named == ["zzzzzzzz"]


def test_patterns_that_match_nothing_are_named(call: Call) -> None:
    meant = meant_paths(call, ["*.c", "*.rs"], [made_of(*FILES)], "HEAD")
    assert meant.unmatched(call) == "no path in HEAD matches '*.rs'"
    assert meant_paths(call, ["*.c"], [made_of(*FILES)], "HEAD").unmatched(call) == ""
    assert meant.matches(call, "**/b.c") is True and meant.matches(call, "*.rs") is False
    assert Meant("HEAD", []).unmatched(call) == ""


def test_places(call: Call) -> None:
    (tree,) = files_of_trees(call, ["HEAD"])
    index, disk = index_files(call), work_tree_files(call)
    assert [place.has(b"tracked") for place in (tree, index, disk)] == [True, True, True]
    assert [place.has(b"new") for place in (tree, index, disk)] == [False, False, True]
    assert list(map(bytes, tree.names())) == list(map(bytes, index.names())) == [b"tracked"]
    assert list(disk.names()) == [b"new"]
    assert not disk.has(b"../outside") and tree.has(b"")


def test_a_revision_that_names_nothing_is_left_to_the_command(call: Call) -> None:
    assert files_of_trees(call, ["HEAD", "gone"]) == [] and call.ctx.stderr == []
