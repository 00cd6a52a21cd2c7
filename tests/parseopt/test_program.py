"""`git rev-parse --parseopt` as a shell script calls it."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.limits import Context
from gitglass.parseopt.program import parse_program

SPEC = b"p [options] [<args>...]\n\nwhat p does\n--\nh,help   show the help\n\nfoo   some option\nbar=  one with a value\nbaz?arg  one that may have it\nqux* hidden\n"


Ask = Callable[..., tuple[int, bytes, bytes]]


@pytest.fixture
def ask(unpack: Any) -> Ask:
    repo: Path = unpack("plain")

    def asked(*args: str, spec: bytes = SPEC) -> tuple[int, bytes, bytes]:
        done = gitglass.git(["rev-parse", "--parseopt", *args], input=spec, cwd=repo)
        return done.returncode, done.stdout, done.stderr

    return asked


def test_a_line_to_be_evaluated(ask: Ask) -> None:
    words = ["x", "--no-foo", "--ba=a'b!c", "-h", "--baz=1", "--baz", "--", "--foo"]
    assert ask("--", "x", "--foo", "--bar", "1", "-h") == (0, b"set -- --foo --bar '1' -h -- 'x'\n", b"")
    code, out, err = ask("--stuck-long", "--", *words[1:2], "--bar=a'b!c", *words[3:])
    assert (code, err) == (0, b"")
    assert out == b"set -- --no-foo --bar='a'\\''b'\\!'c' --help --baz='1' --baz -- '--foo'\n"
    assert ask("--keep-dashdash", "--", "--", "x")[1] == b"set -- -- '--' 'x'\n"
    assert ask("--stop-at-non-option", "--", "x", "--foo")[1] == b"set -- -- 'x' '--foo'\n"
    assert ask("--", "-h", "-hh")[1] == b"set -- -h -h -h --\n"


def test_the_usage(ask: Ask) -> None:
    usage = (
        b"usage: p [options] [<args>...]\n\n    what p does\n\n    -h, --help            show the help\n"
        b"    --foo                 some option\n    --bar ...             one with a value\n"
        b"    --baz[=<arg>]         one that may have it\n\n"
    )
    assert ask("--", "-h") == (129, b"cat <<\\EOF\n" + usage + b"EOF\n", b"")
    assert ask("--", "--nope") == (129, b"", b"error: unknown option `nope'\n" + usage)
    assert ask("--", "--foo=1") == (129, b"", b"error: option `foo' takes no value\n")
    assert ask("--", "--ba=1")[::2] == (129, b"error: ambiguous option: ba=1 (could be --bar or --baz)\n")
    assert b"--qux                 hidden\n" in ask("--", "--help-all")[1]


def test_its_own_options(ask: Ask) -> None:
    code, out, err = ask("x", "--")
    assert (code, out) == (129, b"")
    assert err.startswith(b"usage: git rev-parse --parseopt [<options>] -- [<args>...]\n\n    --keep-dashdash       ")
    assert ask("-h")[1:] == (err, b"")
    assert ask("--stuck=1", "--")[2] == b"error: option `stuck-long' takes no value\n"
    assert ask("--", spec=b"p\n")[::2] == (128, b"fatal: premature end of input\n")


def test_the_typed_call(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    answer = repo.rev_parse("--parseopt", "--", "--foo", declaration=SPEC.decode())
    assert answer.lines == ["set -- --foo --"]
    assert repo.rev_parse("--flags", "--parseopt", "--stdin").lines == ["--parseopt", "--stdin"]


NAMES = st.lists(st.from_regex(r"[a-z]{2,6}", fullmatch=True), min_size=1, max_size=5, unique=True)
VALUES = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=6)


@given(st.data())
def test_what_is_written_is_read_the_same(data: st.DataObject) -> None:
    """With --stuck-long the answer is a command line that is answered by itself; arguments stay in order."""
    names = data.draw(NAMES)
    kinds = {name: data.draw(st.sampled_from(["", "=", "?"])) for name in names}
    spec = "p\n--\n" + "".join(f"{name}{kind} help\n" for name, kind in kinds.items())
    line, plain = [], []
    for name in data.draw(st.lists(st.sampled_from(names), max_size=6)):
        kind = kinds[name]
        value = data.draw(VALUES) if kind == "=" or (kind == "?" and data.draw(st.booleans())) else None
        line.append(f"--{name}" + ("" if value is None else f"={value}"))
        if data.draw(st.booleans()):
            argument = data.draw(VALUES.filter(lambda word: not word.startswith("-")))
            line.append(argument)
            plain.append(argument)
    expected = [word for word in line if word.startswith("--") and word not in plain] + ["--", *plain]

    def parse(words: list[str]) -> list[str]:
        args = [word.encode() for word in ["--stuck-long", "--", *words]]
        out = b"".join(parse_program(args, spec.encode(), ctx=Context())).decode()
        return shlex.split(out)[2:]

    once = parse(line)
    assert once == expected
    assert parse(once) == once


def test_many_options_and_words_meet_the_deadline() -> None:
    count = 2000
    spec = b"p\n--\n" + b"".join(b"option%d help\n" % number for number in range(count)) + b"option help\n"
    ctx = Context(gitglass.Limits(timeout=0.05))
    with pytest.raises(gitglass.errors.Timeout), ctx:
        list(parse_program([b"--", *[b"--option"] * 500 * count], spec, ctx=ctx))
