"""cli/argv.py: git's parse-options grammar over a request's own spellings."""

import time
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from gitglass.cli.argv import HelpAsked, parse
from gitglass.commands.command import Command, unrecognized_argument
from gitglass.errors import GitError, InvalidArgs, Unsupported
from gitglass.plans.positionals import Positionals, Token
from gitglass.request.flag import Flag, number
from gitglass.request.request import Request, Result


class Answer(Result):
    pass


class Ask(Request[Answer]):
    count: Annotated[
        int | None,
        Flag("-n", "--max-count", value="number", parse=number("max-count")),
        Flag("-NUM", value="number", parse=number("n")),
    ] = Field(None, description="How many.")
    short: Annotated[bool, Flag("-s", "--short", no=True)] = Field(False, description="Short.")
    branch: Annotated[bool, Flag("-b", "--branch")] = Field(False, description="Branch.")
    order: Annotated[str | None, Flag("--topo-order", const="topo"), Flag("--date-order", const="date")] = None
    abbrev: Annotated[int | None, Flag("--abbrev", value="n", optional=True, const=-1, parse=number("abbrev"))] = None
    find: Annotated[str | None, Flag("-M", "--find-renames", value="n", optional=True, const="")] = None
    oneline: Annotated[bool, Flag("--oneline", sets={"abbrev": 7})] = False
    who: Annotated[list[str], Flag("--author", value="pattern", append=True, exact=True)] = Field(default_factory=list)
    every: Annotated[bool, Flag("--all", token=True), Flag("--branches", value="glob", optional=True, token=True)] = (
        False
    )


def nothing(*_: Any) -> Any:
    raise AssertionError("not run")


COMMAND = Command("ask", Ask, Answer, nothing, nothing, nothing, refused={"-d": "it deletes"})


def values(*argv: str) -> dict[str, Any]:
    return parse(COMMAND, list(argv))[0]


def words(*argv: str) -> Positionals:
    return parse(COMMAND, list(argv))[1]


@pytest.mark.parametrize("argv", [["-n5"], ["-n", "5"], ["--max-count=5"], ["--max-count", "5"], ["-5"], ["--max-c=5"]])
def test_a_value_in_all_its_spellings(argv: list[str]) -> None:
    assert values(*argv) == {"count": 5}


def test_short_switches_bundle_and_the_last_may_take_a_value() -> None:
    assert values("-sbn3") == {"short": True, "branch": True, "count": 3}


def test_the_last_one_wins() -> None:
    assert values("--short", "--no-short", "--topo-order", "--date-order") == {"short": False, "order": "date"}


def test_an_optional_value_must_stick() -> None:
    found, rest = parse(COMMAND, ["--abbrev", "8", "-M", "-M50%"])
    assert found == {"abbrev": -1, "find": "50%"} and rest.before == ["8"]


def test_a_value_never_becomes_an_option() -> None:
    assert values("-n", "-1") == {"count": -1}
    assert values("--author", "--short") == {"who": ["--short"]}


def test_dashdash_ends_options() -> None:
    found = words("a", "--", "--short", "-x")
    assert (found.before, found.after, found.dashdash) == (["a"], ["--short", "-x"], True)
    assert words("--end-of-options", "--short", "--", "p").before == ["--short"]


def test_pseudo_revisions_keep_their_place() -> None:
    found = words("^a", "--all", "b", "--branches=x*").before
    assert found == ["^a", "--all", "b", "--branches=x*"]
    assert [type(word) is Token for word in found] == [False, True, False, True]


def test_a_flag_may_set_other_fields() -> None:
    assert values("--oneline") == {"oneline": True, "abbrev": 7}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--nosuch"], "unknown option `nosuch'"),
        (["--nosuch=3"], "unknown option `nosuch=3'"),
        (["-q"], "unknown switch `q'"),
        (["-n"], "switch `n' requires a value"),
        (["-nx"], "expects a numerical value"),
        (["--short=1"], "takes no value"),
        (["--auth=x"], "unknown option"),
        (["--b"], "ambiguous option"),
        (["a\0b"], "NUL"),
    ],
)
def test_what_is_not_taken(argv: list[str], said: str) -> None:
    with pytest.raises(InvalidArgs, match=said) as caught:
        values(*argv)
    assert caught.value.status == 129


class Whole(Request[Answer]):
    """Options that a command takes in full only; git knows a negation of the first by itself."""

    plain: Annotated[bool, Flag("--no-paint", exact=True, negation=True)] = False
    deep: Annotated[bool, Flag("--deep", no=True, exact=True)] = False
    force: Annotated[bool, Flag("--format", value="form", exact=True)] = False


def test_negations_are_abbreviated_where_nothing_else_is() -> None:
    command = Command("whole", Whole, Answer, nothing, nothing, nothing)
    assert parse(command, ["--no-pai", "--no-de"])[0] == {"plain": True, "deep": False}
    for word in ("--dee", "--for=x", "--no-for"):
        with pytest.raises(InvalidArgs, match="unknown option"):
            parse(command, [word])


class Own(Request[Answer]):
    """A command that parses some options itself, and leaves the others to what it is made of."""

    map: Annotated[bool, Flag("--mailmap", no=True)] = True
    least: Annotated[bool, Flag("--minimal", no=True)] = False


def test_options_of_the_command_itself_are_abbreviated_first() -> None:
    command = Command("own", Own, Answer, nothing, nothing, nothing, anywhere=frozenset(["map"]))
    assert parse(command, ["--no-m"])[0] == {"map": False}
    assert parse(command, ["--no-mi"])[0] == {"least": False}
    with pytest.raises(InvalidArgs, match=r"ambiguous option: no-m \(could be --no-mailmap or --no-minimal\)"):
        parse(Command("own", Own, Answer, nothing, nothing, nothing), ["--no-m"])


class Listed(Request[Answer]):
    form: Annotated[str | None, Flag("--format", value="form", no=True)] = None
    again: Annotated[bool, Flag("--first"), Flag("--second", "--third")] = False
    other: Annotated[bool, Flag("--fifth")] = False


def test_refused_options_are_abbreviated_as_all_are() -> None:
    refused = {"--force": "it writes", "--delete": "it deletes", "--local": "it writes"}
    command = Command(
        "listed", Listed, Answer, nothing, nothing, nothing, refused=refused, fixed=frozenset(["--local"])
    )
    assert parse(command, ["--no-forc", "--no-d", "--forma=x"])[0] == {"form": "x"}
    with pytest.raises(Unsupported, match="does not take --delete"):
        parse(command, ["--del"])
    for word, named in (
        ("--fo", r"fo \(could be --format or --force\)"),
        ("--no-fo", r"no-fo \(could be --no-format or --no-force\)"),
        ("--f=1", r"f=1 \(could be --fifth or --force\)"),  # the last two
        ("--fi", r"fi \(could be --first or --fifth\)"),
    ):
        with pytest.raises(InvalidArgs, match=f"^ambiguous option: {named}$"):
            parse(command, [word])
    with pytest.raises(InvalidArgs, match="unknown option"):
        parse(command, ["--no-loc"])


class Moded(Request[Answer]):
    """Two fields that choose one mode; the third option has a letter alone."""

    kind: Annotated[str | None, Flag("-t", const="t", mode="what"), Flag("-s", "--size", const="s", mode="what")] = None
    everything: Annotated[bool, Flag("--all-objects", mode="what")] = False
    other: Annotated[bool, Flag("--other", mode="else")] = False


def test_modes_exclude_each_other_in_the_words_they_were_given_in() -> None:
    command = Command("moded", Moded, Answer, nothing, nothing, nothing)
    assert parse(command, ["-s", "--size", "--other", "-s"])[0] == {"kind": "s", "other": True}
    for argv, words in (
        (["-t", "-s"], "switch `s' is incompatible with -t"),
        (["-s", "-t"], "switch `t' is incompatible with --size"),
        (["-st"], "switch `t' is incompatible with --size"),
        (["--siz", "--all"], "option `all-objects' is incompatible with --size"),
        (["--all-objects", "--si", "--nonsense"], "option `size' is incompatible with --all-objects"),
        (["-t", "--other", "-t", "--size", "-t"], "option `size' is incompatible with -t"),
    ):
        with pytest.raises(InvalidArgs) as caught:
            parse(command, argv)
        assert caught.value.message == words


class Silent(Request[Answer]):
    quiet: Annotated[bool, Flag("--no-progress")] = False


def test_a_negation_that_is_there_beside_its_refused_option_is_one_word() -> None:
    command = Command(
        "silent",
        Silent,
        Answer,
        nothing,
        nothing,
        nothing,
        refused={"--progress": "it is not shown"},
        fixed=frozenset(),
    )
    assert parse(command, ["--no-prog"])[0] == {"quiet": True}


@pytest.mark.parametrize(
    "argv", [["-d"], ["-dx"], ["-sd"], ["--output=x"], ["--ext-diff"], ["--filters"], ["--output-directory=x"]]
)
def test_writing_and_running_forms_are_refused_by_name(argv: list[str]) -> None:
    with pytest.raises(Unsupported) as caught:
        values(*argv)
    assert caught.value.status == 129 and "does not take" in caught.value.message


@given(
    st.lists(
        st.text(max_size=12)
        | st.sampled_from(["-n", "--", "-s", "--max-count", "--abbrev=", "-M", "--no-", "-", "--all"]),
        max_size=8,
    )
)
def test_any_words_end_in_values_or_a_typed_error(argv: list[str]) -> None:
    try:
        found, rest = parse(COMMAND, argv)
    except GitError as error:
        assert error.status == 129
    else:
        assert set(found) <= set(Ask.model_fields)
        assert all(word in argv or isinstance(word, Token) for word in rest.before + rest.after)


PATHS_LAST = Command("ask", Ask, Answer, nothing, nothing, nothing, anywhere=frozenset({"short"}))


def test_options_behind_a_word_are_told_where_paths_end_options() -> None:
    parsed = parse(PATHS_LAST, ["a", "-n2", "b", "-s", "--topo-order"])[1]
    assert (parsed.before, parsed.late) == (["a", "b"], [(1, "-n2"), (2, "--topo-order")])
    assert not parse(COMMAND, ["a", "-n2"])[1].late


def test_what_is_wrong_behind_a_word_waits_for_who_knows_the_paths() -> None:
    parsed = parse(PATHS_LAST, ["a", "--max-count=x", "b"])[1]
    assert parsed.trouble is not None and parsed.late == [(1, "--max-count=x")]
    for argv in (["--max-count=x", "a"], ["a", "--max-count=x", "--", "b"]):
        with pytest.raises(GitError):
            parse(PATHS_LAST, argv)
    parsed = parse(PATHS_LAST, ["a", "--nosuch", "b"])[1]
    assert parsed.unknown is not None and parsed.late == [(1, "--nosuch")] and parsed.before == ["a", "b"]


def test_sifted_words_are_no_values() -> None:
    found, parsed = parse(Command("ask", Ask, Answer, nothing, nothing, nothing, sifted=True), ["-s", "x", "-n", "5"])
    assert (found, parsed.before) == ({"short": True}, ["x", "5"])
    assert parsed.trouble is not None


def test_overruled_values_are_kept() -> None:
    assert words("--max-count=2", "-n3").overruled == {"count": [2]}


def test_very_many_letters_in_one_word() -> None:
    start = time.process_time()
    assert parse(COMMAND, ["-" + "sb" * 100_000])
    assert time.process_time() - start < 3


def test_help_is_asked_for_among_other_options() -> None:
    for argv in (["-s", "-h"], ["-sh", "--nope"], ["-h", "--nope"], ["word", "-h"]):
        with pytest.raises(HelpAsked):
            parse(COMMAND, argv)
    with pytest.raises(InvalidArgs) as caught:
        parse(COMMAND, ["--nope", "-h"])
    assert not isinstance(caught.value, HelpAsked)
    assert words("--", "-h").after == ["-h"]
    walker = Command("walk", Ask, Answer, nothing, nothing, nothing, unknown=unrecognized_argument)
    with pytest.raises(HelpAsked):
        parse(walker, ["-s", "-h"])
    with pytest.raises(GitError, match="unrecognized argument: -sh"):
        parse(walker, ["-sh"])  # without `anywhere` it is said at once


def test_a_lone_dash_is_a_word_but_to_what_walks_revisions() -> None:
    assert words("-").before == ["-"]
    walker = Command(
        "walk", Ask, Answer, nothing, nothing, nothing, unknown=unrecognized_argument, anywhere=frozenset()
    )
    assert str(parse(walker, ["-"])[1].unknown) == "unrecognized argument: -"
    assert parse(walker, ["--", "-"])[1].after == ["-"]


def test_what_walks_revisions_goes_on_behind_an_option_it_has_not() -> None:
    walker = Command(
        "walk", Ask, Answer, nothing, nothing, nothing, unknown=unrecognized_argument, anywhere=frozenset()
    )
    given, left = parse(walker, ["--nope", "-s", "word", "--other", "-Q", "more"])
    assert given == {"short": True} and left.before == ["word", "more"]
    assert str(left.unknown) == "unrecognized argument: --nope"


def test_who_asks_twice_gets_lists_of_their_own() -> None:
    for _ in range(3):
        found, rest = parse(COMMAND, ["--author", "a", "x", "--", "y"])
        assert (found, rest.before, rest.after, rest.dashdash) == ({"who": ["a"]}, ["x"], ["y"], True)
        found["who"].append("b")
        found["short"] = True
        rest.before.append("z")
        rest.after.clear()


def test_what_is_wrong_is_said_each_time() -> None:
    for _ in range(2):
        with pytest.raises(InvalidArgs, match="unknown option"):
            parse(COMMAND, ["--nothing-like-it"])


class Negated(Request[Answer]):
    lines: Annotated[int | None, Flag("-n", "--lines", value="n", parse=number("lines"), no=True, no_const=0)] = None
    file: Annotated[str | None, Flag("--file", value="file", no=True)] = None
    keys: Annotated[list[str], Flag("--key", value="key", append=True, no=True)] = Field(default_factory=list)
    plain: Annotated[bool, Flag("--plain", no=True)] = False
    empty: Annotated[bool, Flag("--rename-empty", exact=True, no=True)] = True
    color: Annotated[
        str | None,
        Flag("--color", value="when", exact=True),
        Flag("--no-color", const="never", exact=True),
    ] = None
    patch: Annotated[bool, Flag("--patch", exact=True), Flag("--no-patch", const=False, exact=True)] = False
    merges: Annotated[bool, Flag("--no-merges", walk=True)] = False
    forget: Annotated[bool, Flag("--forget", sets={"keys": []})] = False


NEGATED = Command(
    "ask", Negated, Answer, nothing, nothing, nothing,
    refused={"--force": "it writes", "--delete": "it deletes"}, fixed=frozenset({"--delete"}),
)  # fmt: skip


def negated(*argv: str) -> dict[str, Any]:
    return parse(NEGATED, list(argv))[0]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["-n5", "--no-lines"], {"lines": 0}),
        (["--no-lines", "-n5"], {"lines": 5}),
        (["--file=x", "--no-file"], {"file": None}),
        (["--key=a", "--key=b", "--no-key", "--key=c"], {"keys": ["c"]}),
        (["--key=a", "--no-key"], {"keys": []}),
        (["--plain", "--no-plain"], {"plain": False}),
        (["--no-force"], {}),  # it takes back what is refused
    ],
)
def test_a_negation_stores_what_its_kind_of_option_starts_with(argv: list[str], expected: dict[str, Any]) -> None:
    assert negated(*argv) == expected


@pytest.mark.parametrize("word", ["--no-delete", "--delete", "--force"])
def test_refused_options_without_a_negation(word: str) -> None:
    with pytest.raises((InvalidArgs, Unsupported)):
        negated(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("--no-rename-e", {"empty": False}), ("--no-re", {"empty": False}), ("--no-c", {"color": "never"})],
)
def test_negations_of_exact_options_may_be_abbreviated(word: str, expected: dict[str, Any]) -> None:
    assert negated(word) == expected


@pytest.mark.parametrize("word", ["--rename-em", "--colo=x", "--no-patc", "--no-merge"])
def test_other_exact_options_may_not(word: str) -> None:
    with pytest.raises(InvalidArgs):
        negated(word)


def test_what_an_option_sets_is_not_shared_between_command_lines() -> None:
    assert negated("--forget", "--key=a")["keys"] == ["a"]
    assert negated("--forget", "--key=b")["keys"] == ["b"]
    assert negated("--forget")["keys"] == []


class Walked(Request[Answer]):
    count: Annotated[int | None, Flag("-n", "-NUM", value="number", parse=int, walk=True)] = None
    left: Annotated[bool, Flag("--left-only", walk=True)] = False
    every: Annotated[list[bool], Flag("--all", token=True, walk=True)] = Field(default_factory=list)
    text: Annotated[bool, Flag("-a", exact=True)] = False
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = False


WALKED = Command("walked", Walked, Answer, nothing, nothing, nothing, unknown=unrecognized_argument)


@pytest.mark.parametrize("word", ["--left-only=1", "--left-only=", "--all=1", "-a1", "--no-quie=1"])
def test_a_switch_of_the_walk_is_a_whole_word(word: str) -> None:
    with pytest.raises(GitError, match="unrecognized argument: "):
        parse(WALKED, [word])


def test_a_number_among_letters() -> None:
    assert parse(WALKED, ["-q12"])[0] == {"quiet": True, "count": 12}
    assert parse(COMMAND, ["-s3b"])[0] == {"short": True, "count": 3, "branch": True}
    with pytest.raises(GitError, match="'12x': not a non-negative integer"):
        parse(WALKED, ["-12x"])


def test_a_negation_that_asks_for_nothing_has_no_value() -> None:
    with pytest.raises(InvalidArgs, match="option `no-quiet' takes no value"):
        parse(WALKED, ["--no-quiet=1"])
