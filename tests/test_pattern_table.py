"""git's dialects of regular expressions, pattern by pattern: recorded by fixtures/scripts/record_patterns.py."""

import json
import os
from pathlib import Path

import pytest

import gitglass

TABLE = json.loads((Path(__file__).parent.parent / "fixtures" / "recorded" / "patterns.json").read_text())
RECURSION = "recursion that matches no character before it calls itself"
TOO_LARGE = "regular expression is too large"
TOO_BIG_FOR_C = "Regular expression too big"

#: Perl syntax that git has and gitglass refuses by name.
NOT_SUPPORTED = {
    "a reference to a group that follows": ["(a)\\g{+1}(b)", "\\g{+1}(a)", "(?n)(a)\\1", "\\1(a)"],
    "(?J), two groups of the same name": ["(?J)(?<n>a)|(?<n>b)", "(?J)(?:(?<n>a)|(?<n>b))\\k<n>"],
    "a condition on a group that follows": ["(?(+1)b|c)(a)?"],
    "a condition other than a group": ["(?(R)a|b)", "(?(VERSION>=10.0)a|b)", "(?(VERSION>=99)a|b)"],
    "a back-reference in a look-behind": ["(?<=(a)\\1)a"],
    "a call of a group in a look-behind": ["(?<=(?1))b(a)"],
    "(*ACCEPT)": ["(?<=a(*ACCEPT)b)b", "a(*ACCEPT)b", "a(*ACCEPT:x)b", "(a(*ACCEPT)b)c"],
    "\\C": ["\\C", "\\C+"],
    "\\p{Xan}": ["\\p{Xan}+"],
    "\\p{Xsp}": ["\\p{Xsp}+"],
    "\\p{Xps}": ["\\p{Xps}+"],
    "\\p{Xwd}": ["\\p{Xwd}+"],
    "\\p{Xuc}": ["\\p{Xuc}+"],
    "\\p{bc=L}": ["\\p{bc=L}"],
    "\\p{bidi_class:R}": ["\\p{bidi_class:R}"],
    "\\p{Unknown}": ["\\p{Unknown}"],
    "\\p{sc=Foo}": ["\\p{sc=Foo}"],
    "(*UCP)": ["(*UCP)\\w+", "(*UCP)\\d+", "(*UCP)[[:alpha:]]+", "(*UCP)\\bé", "(*UTF)(*UCP)\\w+"],
    "(*CR)": ["(*CR)a"],
    "(*CRLF)": ["(*CRLF)a"],
    "(*ANY)": ["(*ANY)a."],
    "(*ANYCRLF)": ["(*ANYCRLF)a$"],
    "(*NUL)": ["(*NUL)a"],
    "(*BSR_ANYCRLF)": ["(*BSR_ANYCRLF)\\R"],
    "(*NOTEMPTY)": ["(*NOTEMPTY)a*"],
    "(*NOTEMPTY_ATSTART)": ["(*NOTEMPTY_ATSTART)a*"],
    "(*LIMIT_MATCH=100)": ["(*LIMIT_MATCH=100)ab"],
    "(*LIMIT_DEPTH=100)": ["(*LIMIT_DEPTH=100)ab"],
    "(*LIMIT_HEAP=100)": ["(*LIMIT_HEAP=100)ab"],
    "(*LIMIT_RECURSION=100)": ["(*LIMIT_RECURSION=100)ab"],
    "(*FAIL)": ["a(*FAIL:x)|b"],
    "(*COMMIT)": ["a+(*COMMIT)b"],
    "(*PRUNE)": ["a+(*PRUNE:x)b"],
    "(*MARK)": ["a(*MARK:x)b", "(*MARK:m)a+(*SKIP:m)b"],
    "(*MARK:...)": ["a(*:x)b"],
    "(*THEN)": ["a+(*THEN)b|a", "a(*THEN:x)b"],
    "(*napla:...)": ["(*napla:a)a"],
    "(*naplb:...)": ["(*naplb:a)b"],
    "(*non_atomic_positive_lookahead:...)": ["(*non_atomic_positive_lookahead:a)a"],
    "(?*...) and (?<*...), look-around that is not atomic": ["(?*a)a", "(?<*a)b"],
    "(*sr:...)": ["(*sr:\\w+)"],
    "(*script_run:...)": ["(*script_run:\\w+)"],
    "(*asr:...)": ["(*asr:\\w+)"],
    "a reference to a group from within it": ["(\\1)", "(a\\1)"],
}
#: Where git fails while it matches (a full stack, a length below zero), and with which words gitglass refuses, if so.
GIT_FAILS = {
    "-P": {"(?R)": RECURSION, "(a|(?R))*b": RECURSION, "(a|b|(?1))c": RECURSION, "(?i)[^k]+": "", "(?i)[^s]+": ""},
    "-Pi": {"[^k]+": "", "[^\\x6b]+": ""},
}
#: What git compiles into more than gitglass does in a while.
TOO_BIG = {
    "-P": {"(a{1000}){1000}": TOO_LARGE, "(a{65535}){2}": TOO_LARGE},
    "-E": dict.fromkeys(
        [
            "(a{1000}){1000}",
            "((a{100}){100}){100}",
            "((((((((((a+)+)+)+)+)+)+)+)+)+)+b",
            "(((((((((((a+)+)+)+)+)+)+)+)+)+)+)+b",
        ],
        TOO_BIG_FOR_C,
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("patterns")
    for name in ("objects", "refs"):
        (top / ".git" / name).mkdir(parents=True)
    (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (top / "lines").write_bytes(os.fsencode("\n".join(TABLE["lines"]) + "\n"))
    return top


def answer(flags: str, pattern: str, cwd: Path) -> list[object]:
    """The same as the record holds of git."""
    common = ["grep", "--no-index", "-h", "-n", *(f"-{flag}" for flag in flags[1:])]
    whole = gitglass.git([*common, "-e", pattern, "lines"], cwd=cwd)
    parts = gitglass.git([*common, "--column", "-o", "-e", pattern, "lines"], cwd=cwd)
    numbers = [int(row.split(b":")[0]) for row in whole.stdout.split(b"\n") if row]
    found: list[object] = [whole.returncode, numbers, os.fsdecode(parts.stdout), os.fsdecode(whole.stderr)]
    while not found[-1] and len(found) > 1:
        found.pop()
    return found


@pytest.mark.parametrize("flags", ["-P", "-Pi", "-E", "-Ei", "-G", "-Gi"])
def test_every_pattern_means_what_it_means_in_git(flags: str, place: Path) -> None:
    refused = {pattern: words for words, group in NOT_SUPPORTED.items() for pattern in group} if flags == "-P" else {}
    compared = 0
    for pattern, expected in TABLE[flags].items():
        got = answer(flags, pattern, place)
        words = str(got[3]).strip() if len(got) > 3 else ""
        if pattern in refused:
            assert got[0] == 128, (pattern, got)
            assert f"gitglass does not support {refused[pattern]}" in words, (pattern, got)
        elif pattern in TOO_BIG.get(flags, {}):
            assert got[0] == 128, (pattern, got)
            assert words.endswith(f"': {TOO_BIG[flags][pattern]}"), (pattern, got)
        elif pattern in GIT_FAILS.get(flags, {}):
            failing = GIT_FAILS[flags][pattern]
            assert words.endswith(failing), (pattern, got)
            assert bool(words) == bool(failing), (pattern, got)
        else:
            assert got == expected, (flags, pattern)
            compared += 1
    assert compared > 0.8 * len(TABLE[flags])


def test_the_table_is_of_some_size() -> None:
    assert len(TABLE["-P"]) > 800
    assert len(TABLE["-E"]) + len(TABLE["-G"]) > 400
    assert len(TABLE["lines"]) > 40
