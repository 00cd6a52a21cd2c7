"""plans/words.py: which words are revisions and which are paths."""

import re
from typing import Any

import pytest

import gitglass
from gitglass.errors import BadRequest, GitError
from gitglass.limits import Context
from gitglass.plans.positionals import Positionals, Token
from gitglass.plans.words import (
    in_work_tree,
    lines_of,
    looks_like_pathspec,
    order_of,
    revs_and_paths,
    split,
    stdin_words,
)
from gitglass.repo.store import Store


@pytest.fixture
def store(repo: Any) -> Store:
    repo.add("file", b"1\n")
    repo.add("dir/other", b"2\n")
    repo.commit()
    (repo.git / "refs/heads/dir").write_text((repo.git / "refs/heads/main").read_text())
    made: Store = repo.store()
    return made


def parted(store: Store, *before: str, after: list[str] | None = None, ctx: Context) -> tuple[list[str], list[str]]:
    return split(Positionals(list(before), after or [], after is not None), store, ctx)


def test_the_first_word_that_is_no_revision_is_a_path_and_so_are_those_behind_it(store: Store, ctx: Context) -> None:
    assert parted(store, "main", "HEAD", "file", "dir/other", ctx=ctx) == (["main", "HEAD"], ["file", "dir/other"])
    assert parted(store, "*.c", "gone*", ctx=ctx) == ([], ["*.c", "gone*"])
    assert parted(store, Token("--all"), "file", ctx=ctx) == (["--all"], ["file"])


def test_behind_two_dashes_everything_is_a_path(store: Store, ctx: Context) -> None:
    assert parted(store, "dir", after=["main", "gone"], ctx=ctx) == (["dir"], ["main", "gone"])


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (["dir"], None, "ambiguous argument 'dir': both revision and filename"),
        (["gone"], None, "ambiguous argument 'gone': unknown revision or path not in the working tree"),
        (["file", "gone"], None, "gone: no such path in the working tree"),
        (["gone"], ["file"], "bad revision 'gone'"),
        (["^gone"], None, "bad revision '^gone'"),
        (["file", "-x"], None, "option '-x' must come before non-option arguments"),
    ],
)
def test_words_that_cannot_be_told_apart(
    store: Store, ctx: Context, before: list[str], after: list[str] | None, words: str
) -> None:
    with pytest.raises(GitError, match=re.escape(words)):
        parted(store, *before, after=after, ctx=ctx)


def stdin(data: bytes, *before: str) -> Positionals:
    made = Positionals([Token(word) if word.startswith("-") else word for word in before])
    made.read_stdin = lambda: data
    return made


def test_revisions_and_paths_on_standard_input(store: Store, ctx: Context) -> None:
    values: dict[str, Any] = {}
    revs_and_paths(stdin(b"main\r\nHEAD\n--\na\nb\n", "--not", "--stdin", "main"), values, store, ctx)
    assert values == {"revs": ["--not", "--not", "main", "HEAD", "--not", "main"], "paths": ["a", "b"]}
    values = {"revs": ["x"]}
    revs_and_paths(stdin(b"main\n\nnot read\n", "--stdin"), values, store, ctx)
    assert values == {"revs": ["x", "main"], "paths": []}


@pytest.mark.parametrize(
    ("data", "before", "words"),
    [
        (b"", ["--stdin", "--stdin"], "--stdin given twice?"),
        (b"-x\n", ["--stdin"], "options not supported in --stdin mode"),
        (b"gone\n", ["--stdin"], "bad revision 'gone'"),
    ],
)
def test_what_is_wrong_with_standard_input(
    store: Store, ctx: Context, data: bytes, before: list[str], words: str
) -> None:
    with pytest.raises(GitError, match=re.escape(words)):
        revs_and_paths(stdin(data, *before), {}, store, ctx)


def test_lines_of_standard_input() -> None:
    assert lines_of(b"a\r\nb\0c\n\n\xff\r") == ["a", "b", "", "\udcff"]
    assert lines_of(b"") == []
    assert list(stdin_words(b'a\n"b\\tc"\n', null=False)) == [b"a", b"b\tc"]
    assert list(stdin_words(b'a\n\0"b"\0', null=True)) == [b"a\n", b'"b"']
    with pytest.raises(BadRequest, match="line is badly quoted"):
        list(stdin_words(b'"b\n', null=False))


def test_what_can_only_be_a_pathspec_and_what_is_there(store: Store) -> None:
    words = ["*.c", "a?", "[a]", ":(top)x", "a.c", ":/x"]
    assert list(map(looks_like_pathspec, words)) == [True] * 4 + [False] * 2
    found = ["file", "dir", "dir/other", ":/file", ":!file", ":^dir", ":/", ":!", "./file"]
    missing = ["gone", ":/gone", ":!gone", ""]
    assert [word for word in found + missing if in_work_tree(word, store)] == found


def test_the_patterns_of_an_order(repo: Any, store: Store) -> None:
    repo.write("order", b"*.h\n# no pattern\n\n*.c\n")
    given = order_of(store, "order")
    assert given is not None and given() == (b"*.h", b"*.c")
    assert order_of(store, "/dev/null") is None and order_of(store, None) is None
    for name, why in (("gone", "No such file or directory"), ("dir", "Is a directory")):
        missing = order_of(store, name)
        with pytest.raises(GitError, match=f"failed to read orderfile '{name}': {why}"):
            assert missing is not None and missing()


def test_the_configured_order(repo: Any) -> None:
    repo.config("[diff]\n\torderFile = order\n")
    repo.write("order", b"x\n")
    configured = order_of(repo.store(), None)
    assert configured is not None and configured() == (b"x",)


@pytest.mark.parametrize("command", ["log", "show", "diff", "diff-tree", "diff-index"])
def test_an_object_to_be_found_is_looked_up_before_revisions(unpack: Any, command: str) -> None:
    done = gitglass.git([command, "--find-object=gone", "nowhere"], cwd=unpack("plain"))
    assert (done.returncode, done.stderr) == (129, b"error: unable to resolve 'gone'\n")


@pytest.mark.parametrize("command", ["log", "show", "diff"])
@pytest.mark.parametrize("target", ["nowhere", "HEAD", "HEAD:README.md", "HEAD^{tree}"])
@pytest.mark.parametrize(
    ("option", "status", "words"),
    [
        ("-I(", 129, b"error: invalid regex given to -I: '('\n"),
        (
            "--dirstat=x",
            128,
            b"fatal: Failed to parse --dirstat/-X option parameter:\n  Unknown dirstat parameter 'x'\n\n",
        ),
        ("--format=none", 128, b"fatal: invalid --pretty format: none\n"),
        ("--diff-filter=Q", 129, b"error: unknown change class 'Q' in --diff-filter=Q\n"),
    ],
)
def test_a_wrong_value_comes_before_revisions_whatever_is_shown(
    unpack: Any, command: str, target: str, option: str, status: int, words: bytes
) -> None:
    if command == "diff" and (option == "--format=none" or ":" in target):
        return
    done = gitglass.git([command, option, target], cwd=unpack("plain"))
    assert (done.returncode, done.stdout) == (status, b"") and done.stderr.startswith(words)
