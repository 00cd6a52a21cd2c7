"""Words read by declared options: abbreviations, negations, values, bundles, and the complaints."""

import pytest

from gitglass.limits import Context
from gitglass.parseopt.options import Option
from gitglass.parseopt.words import Complaint, Completion, Reader, Usage

OPTIONS = [
    Option(b"a", b"all"),
    Option(b"b", b"bar", value="must"),
    Option(b"c", b"color", value="may"),
    Option(long=b"no-quiet"),
    Option(long=b"once", negatable=False),
    Option(long=b"barrel"),
]


def read(*words: str, dashdash: bool = False, stop: bool = False) -> tuple[list[str], list[str]]:
    out: list[str] = []

    def take(option: Option, value: bytes | None, negated: bool) -> None:
        name = (option.long or option.short).decode()
        out.append(("!" if negated else "") + name + ("" if value is None else "=" + value.decode()))

    reader = Reader(OPTIONS, take, dashdash=dashdash, stop=stop, ctx=Context())
    return out, [word.decode() for word in reader.read([word.encode() for word in words])]


def complaint(*words: str) -> str:
    with pytest.raises((Usage, Complaint)) as caught:
        read(*words)
    error = caught.value
    if isinstance(error, Complaint):
        return error.line.decode()
    return error.complaint.decode() + (" USAGE" if error.is_error else " usage")


def test_long_options() -> None:
    assert read("--all", "x", "--bar", "1", "--bar=", "--color", "y", "--color=z", "--no-bar") == (
        ["all", "bar=1", "bar=", "color", "color=z", "!bar"],
        ["x", "y"],
    )
    assert read("--a", "--co=1", "--no-c", "--quiet", "--no-quiet", "--no-no-quiet", "--on") == (
        ["all", "color=1", "!color", "!no-quiet", "no-quiet", "!no-quiet", "once"],
        [],
    )


def test_switches() -> None:
    assert read("-ab1", "-b", "2", "-ac", "x", "-cx", "-") == (
        ["all", "bar=1", "bar=2", "all", "color", "color=x"],
        ["x", "-"],
    )


def test_where_options_end() -> None:
    assert read("-a", "--", "-b") == (["all"], ["-b"])
    assert read("-a", "--", "-b", dashdash=True) == (["all"], ["--", "-b"])
    assert read("--end-of-options", "--all") == ([], ["--all"])
    assert read("-a", "x", "-a", stop=True) == (["all"], ["x", "-a"])


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--all=1"], "error: option `all' takes no value"),
        (["--no-color=1"], "error: option `no-color' takes no value"),
        (["--bar"], "error: option `bar' requires a value"),
        (["-b"], "error: switch `b' requires a value"),
        (["--no-once"], "error: unknown option `no-once' USAGE"),
        (["-x"], "error: unknown switch `x' USAGE"),
        (["-ax"], "error: unknown switch `x' USAGE"),
        (["-a-b"], "error: unknown option `b' USAGE"),
        (["-é"], "error: unknown non-ascii option in string: `-é' USAGE"),
        (["-aé"], "error: unknown non-ascii option in string: `-é' USAGE"),
        (["--c=1", "--ba=1"], "error: ambiguous option: ba=1 (could be --bar or --barrel) usage"),
        (["--no-ba"], "error: ambiguous option: no-ba (could be --no-bar or --no-barrel) usage"),
        (["-all"], "error: did you mean `--all` (with two dashes)?"),
        (["-no-x"], "error: did you mean `--no-x` (with two dashes)?"),
        (["-h"], " usage"),
        (["x", "-h"], " usage"),
        (["--help"], " usage"),
    ],
)
def test_complaints(words: list[str], line: str) -> None:
    assert complaint(*words) == line


def test_completion_asks_with_a_lone_word() -> None:
    for word, every in (("--git-completion-helper", False), ("--git-completion-helper-all", True)):
        with pytest.raises(Completion) as caught:
            read(word)
        assert caught.value.every is every
        with pytest.raises(Usage):
            read(word, "x")
