"""Refspecs: git's verdict on odd ones, and what a well formed one does to names."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import BadRequest
from gitglass.refs.refspecs import Refspec, is_left_out, map_refspecs, parse_fetch, parse_push, turned

from ..support.worktrees import Repo

#: git 2.39.5, `git fetch -- <dir> <word>` and `git push -- <dir> <word>`: words that both take, and those that are
#: "invalid refspec" to both, to fetch alone, to push alone
BOTH = [
    "++:abababababababababababababababababababab",
    "++HEAD:a",
    "++refs/heads/x",
    "+:",
    "+:abababababababababababababababababababab",
    "+a:b",
    ":0000000000000000000000000000000000000000",
    "^+",
    "^++",
    "^+a",
    "^refs/heads/*",
    "a",
    "refs/heads/x",
]
NEITHER = [
    "++*::",
    "+++:*",
    "++-x:/x",
    "++.lock:@",
    "++::refs/heads/*:+",
    "++a.lock",
    "++a~",
    "++refs/heads/*:@:+",
    "++x..y:HEAD:a*b",
    "+0000000000000000000000000000000000000000:refs/tags/v*",
    "+@:refs/heads/*",
    "+^:refs/heads/*",
    "+^:refs/tags/v*",
    "+a**",
    "+a*b:a",
    "+a:*",
    "+a:b:",
    "+a~:a**",
    "+refs/heads/*:/x",
    "+refs/heads/*:@",
    "+refs/heads/x:x/",
    "+refs/tags/v*:refs/",
    "+x..y",
    "+x..y:^",
    "+x/:::a*b",
    "/x",
    "::@",
    "HEAD:refs/tags/v*",
    "^+/x:+:refs/heads/*",
    "^+:abababababababababababababababababababab",
    "^+^:.lock",
    "^+a*b:a:b",
    "^+abababababababababababababababababababab::",
    "^+abababababababababababababababababababab:::refs/",
    "^.lock",
    "^0000000000000000000000000000000000000000:a.lock:abababababababababababababababababababab",
    "^::a~",
    "^:x/",
    "^a**:-x",
    "^a**:a b",
    "^a.lock:@",
    "^a:b",
    "^refs/",
    "^refs/heads/x:x/",
    "a b",
    "a.lock:x..y:@",
    "a:a**",
    "refs/",
    "x..y",
]
NOT_FETCHED = [
    "++x/:0000000000000000000000000000000000000000",
    "+-x:a:+",
    "+::0000000000000000000000000000000000000000",
    "+^:abababababababababababababababababababab",
    "+a*b",
    "+a~:HEAD",
    "+refs/tags/v*",
    "+x..y:0000000000000000000000000000000000000000",
]
NOT_PUSHED = ["main:", "refs/heads/main:", "", "+", "HEAD:"]

NAMES = st.text("abz/*.-", min_size=1, max_size=12).map(str.encode)
WORDS = st.text("ab/*.:+^@~ ", max_size=16).map(str.encode)


def is_taken(parse: object, word: str) -> bool:
    try:
        parse(word.encode(), 40)  # type: ignore[operator]
    except BadRequest as error:
        assert error.message == f"invalid refspec '{word}'"
        return False
    return True


@pytest.mark.parametrize(
    ("words", "fetched", "pushed"),
    [(BOTH, True, True), (NEITHER, False, False), (NOT_FETCHED, False, True), (NOT_PUSHED, True, False)],
    ids=["both", "neither", "not fetched", "not pushed"],
)
def test_what_git_takes(words: list[str], fetched: bool, pushed: bool) -> None:
    assert words
    for word in words:
        assert (is_taken(parse_fetch, word), is_taken(parse_push, word)) == (fetched, pushed), word


@given(WORDS)
def test_any_word_is_read_or_refused(word: bytes) -> None:
    for parse in (parse_fetch, parse_push):
        try:
            spec = parse(word, 40)
        except BadRequest:
            continue
        assert parse(spec.raw(), 40) == spec
        assert not (spec.negative and (spec.force or spec.target is not None))


@given(
    NAMES, st.sampled_from([b"refs/heads/*", b"refs/*/x", b"a*b", b"*"]), st.sampled_from([b"refs/remotes/o/*", b"*"])
)
def test_a_pattern_keeps_what_the_star_takes(middle: bytes, source: bytes, target: bytes) -> None:
    middle = middle.replace(b"*", b"")
    spec = parse_fetch(b"+%b:%b" % (source, target), 40)
    name = source.replace(b"*", middle)
    assert spec.takes(name) and spec.mapped(name) == target.replace(b"*", middle) and spec.force
    assert name in turned([spec], target.replace(b"*", middle))


def test_what_is_put_nowhere() -> None:
    assert parse_fetch(b"main", 40).mapped(b"main") is None
    assert parse_fetch(b"main:", 40).mapped(b"main") is None
    assert parse_fetch(b"refs/heads/*:refs/x/*", 40).mapped(b"refs/tags/a") is None


def test_negative_ones_take_names_out() -> None:
    specs = [parse_fetch(b"refs/heads/*:refs/x/*", 40), parse_fetch(b"^refs/heads/no*", 40)]
    assert is_left_out(specs, b"refs/heads/nope") and not is_left_out(specs, b"refs/heads/yes")
    assert turned(specs, b"refs/x/yes") == [b"refs/heads/yes"]


def test_special_ones() -> None:
    assert parse_push(b"+:", 40) == Refspec(b"", b"", force=True, matching=True)
    assert parse_push(b":gone", 40) == Refspec(b"", b"gone")
    assert parse_fetch(b"@:x", 40).source == b"HEAD"
    assert parse_fetch(b"ab" * 20, 40).exact and not parse_fetch(b"ab" * 20, 64).exact


def test_a_name_is_mapped_by_the_first_that_fits() -> None:
    specs = [b"+refs/heads/*:refs/remotes/origin/*", b"refs/tags/v1:refs/tags/one"]
    assert map_refspecs(specs, b"refs/heads/a/b") == b"refs/remotes/origin/a/b"
    assert map_refspecs(specs, b"refs/tags/v1") == b"refs/tags/one"
    assert map_refspecs([*specs, b"^refs/heads/a/*"], b"refs/heads/a/b") is None
    assert map_refspecs(specs, b"refs/notes/x") is None


@pytest.mark.parametrize("line", ["fetch = +refs/*:refs/x", "fetch = ^refs/x:y", "push = x~1", "push ="])
def test_one_that_makes_no_sense_is_fatal_wherever_a_remote_is_asked_for(tmp_path: Path, line: str) -> None:
    repo = Repo(tmp_path)
    repo.commit()
    good = '[remote "good"]\nurl = x\nfetch = +refs/heads/*:refs/remotes/good/*\npush = HEAD\n'
    repo.write(".git/config", f'{good}[remote "bad"]\n{line}\n'.encode())
    words = f"fatal: invalid refspec '{line.partition('=')[2].strip()}'\n".encode()
    upstream = "--format=%(upstream)"
    for argv in (["status"], ["branch", "-v"], ["for-each-ref", upstream], ["rev-parse", "@{u}"], ["remote"]):
        answer = gitglass.git(argv, cwd=os.fspath(repo.top))
        assert (answer.returncode, answer.stdout, answer.stderr) == (128, b"", words), argv
    for argv in (["status", "--porcelain"], ["branch"], ["for-each-ref"], ["for-each-ref", upstream, "refs/tags"]):
        assert gitglass.git(argv, cwd=os.fspath(repo.top)).returncode == 0, argv
