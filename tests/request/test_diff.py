"""Diff options: how git reads their values, and what excludes what."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.cli.argv import parse
from gitglass.commands.registry import load
from gitglass.config.config import Config, Entry, Source, Table
from gitglass.errors import GitError, InvalidArgs
from gitglass.limits import Context
from gitglass.plans.diff import SETTINGS, diff_spec
from gitglass.request.diff import DiffOptions
from gitglass.request.diff_values import parse_score

SOURCE = Source("local", b"file:.git/config")


def configured(**values: bytes) -> Config:
    return Config(Entry(key.replace("_", ".").encode(), value, 1, SOURCE) for key, value in values.items())


def spec_of(options=None, config=None, **more):
    return diff_spec(options or DiffOptions(), config or Config(), ctx=Context(now=0), **more)


def test_scores_as_git_reads_them():
    assert parse_score("50%") == (30000, "")
    assert parse_score("5") == (30000, "")  # a fraction: .5
    assert parse_score("50") == (30000, "")
    assert parse_score(".5") == (30000, "")
    assert parse_score("100%") == (60000, "")
    assert parse_score("100") == (6000, "")  # .100
    assert parse_score("") == (0, "")
    assert parse_score("60/70") == (36000, "/70")


@given(st.text(alphabet="0123456789.%/x", max_size=12))
def test_any_score_is_in_range(text):
    score, rest = parse_score(text)
    assert 0 <= score <= 60000 and text.endswith(rest)


def test_a_name_format_puts_the_others_out():
    formats = spec_of(DiffOptions(name_only=True, stat="", patch=True)).formats
    assert formats.name_only and not formats.stat and not formats.patch
    with pytest.raises(GitError, match="cannot be used together"):
        spec_of(DiffOptions(name_only=True, check=True))


def test_quiet_is_an_exit_code():
    spec = spec_of(DiffOptions(quiet=True, stat=""))
    assert spec.exit_code and spec.formats.nothing and not spec.formats.any


def test_copies_twice_look_harder_and_so_does_the_configuration():
    assert not spec_of(DiffOptions(detect="copies", copies=[0])).find_copies_harder
    assert spec_of(DiffOptions(detect="copies", copies=[0, 0])).find_copies_harder
    assert spec_of(DiffOptions(detect="copies", copies=[0]), configured(diff_renames=b"copies")).find_copies_harder


def test_filters():
    assert spec_of(DiffOptions(diff_filter=["AM"])).keep == {"A", "M"}
    assert spec_of(DiffOptions(diff_filter=["d"])).keep == set("ACMRTUXB")
    assert spec_of(DiffOptions(diff_filter=["ADa"])).keep == {"D"}
    assert spec_of(DiffOptions(diff_filter=["D*"])).keep_all


def test_one_pickaxe_at_a_time():
    with pytest.raises(GitError, match="cannot be used together"):
        spec_of(DiffOptions(pickaxe="a", pickaxe_grep="b"))
    with pytest.raises(InvalidArgs):
        spec_of(DiffOptions(pickaxe=""))


def test_prefixes():
    patch = spec_of(config=configured(diff_noprefix=b"true", diff_mnemonicprefix=b"true")).patch
    assert (patch.src_prefix, patch.dst_prefix, patch.mnemonic) == (b"", b"", False)
    assert spec_of(config=configured(diff_noprefix=b"true"), porcelain=False).patch.src_prefix == b"a/"


def test_dirstat_words():
    dirstat = spec_of(DiffOptions(dirstat=["files,10.5,cumulative"])).dirstat
    assert (dirstat.by, dirstat.permille, dirstat.cumulative) == ("files", 105, True)
    with pytest.raises(GitError, match="Unknown dirstat parameter 'x'"):
        spec_of(DiffOptions(dirstat=["x"]))


def test_relative_without_a_prefix_is_nothing():
    assert spec_of(DiffOptions(relative="")).relative is None
    assert spec_of(DiffOptions(relative=""), prefix=b"src/").relative == b"src/"
    assert spec_of(config=configured(diff_relative=b"true"), prefix=b"src/").relative == b"src/"
    assert spec_of(DiffOptions(no_relative=True), configured(diff_relative=b"true"), prefix=b"src/").relative is None


def test_schema_does_not_show_spellings():
    assert "Flag" not in str(SimpleNamespace(schema=DiffOptions.model_json_schema()))


def values_of(record):
    """All there is in a record and those below it."""
    names = getattr(type(record), "__record_fields__", None)
    return record if names is None else {name: values_of(getattr(record, name)) for name in names}


class Watched(Config):
    """Remembers what it was asked for."""

    asked: set[bytes] = set()

    @property
    def table(self):
        asked, made = self.asked, Table(())

        class Keys(dict):
            def get(self, key, default=None):
                asked.add(key)

            def __contains__(self, key):
                asked.add(key)
                return False

        made.keys = Keys()
        return made


@pytest.mark.parametrize("porcelain", [True, False])
@pytest.mark.parametrize("formats", [{}, {"patch": True}, {"stat": ""}, {"numstat": True, "summary": True}])
def test_where_nothing_is_said_the_spec_is_the_one_that_would_be_put_together(formats, porcelain):
    quick = spec_of(DiffOptions(**formats), porcelain=porcelain)
    slow = spec_of(DiffOptions(**formats, exit_code=False), porcelain=porcelain)  # said, to no effect
    assert values_of(quick) == values_of(slow)


def test_every_setting_that_is_looked_at_is_known_as_one():
    config = Watched()
    config.asked.clear()
    spec_of(DiffOptions(diff_merges="m"), config, prefix=b"src/")
    assert config.asked == SETTINGS


def test_a_setting_alone_is_enough_to_be_looked_at():
    assert spec_of(config=configured(diff_context=b"7")).lines.context == 7
    assert spec_of(DiffOptions(stat="40,20")).stat.width == 40


def _read(*argv: str) -> DiffOptions:
    values, _ = parse(load("diff").COMMAND, list(argv))
    return DiffOptions(**values)


@pytest.mark.parametrize(
    ("argv", "stat", "alone"),
    [
        (["--stat-width=30", "--stat=60"], "60", (None, None, None)),
        (["--stat=60", "--stat-width=30"], "", (30, None, None)),
        (["--stat=60,20", "--stat-name-width=10", "--stat=50"], "50,", (None, 10, None)),
        (["--stat-count=1", "--stat=80,30,2", "--stat"], "80,30,2", (None, None, None)),
        (["--stat-width=30", "--stat=,15"], "0,15", (None, None, None)),
        (["--stat-width=30"], None, (30, None, None)),
    ],
)
def test_of_two_options_for_a_width_of_the_diffstat_the_later_counts(
    argv: list[str], stat: str | None, alone: tuple[int | None, ...]
) -> None:
    asked = _read(*argv)
    assert (asked.stat, (asked.stat_width, asked.stat_name_width, asked.stat_count)) == (stat, alone)


@pytest.mark.parametrize(
    ("argv", "relative", "off"),
    [
        (["--no-relative", "--relative"], "", False),
        (["--relative", "--no-relative"], "", True),
        (["--relative=sub/", "--no-relative", "--relative"], "sub/", False),
        (["--relative=sub/", "--relative=other/"], "other/", False),
    ],
)
def test_the_last_option_on_relative_paths_counts(argv: list[str], relative: str, off: bool) -> None:
    asked = _read(*argv)
    assert (asked.relative, asked.no_relative) == (relative, off)


def test_patience_forgets_the_anchors_in_front_of_it() -> None:
    assert _read("--anchored=a", "--patience").anchored == []
    assert _read("--anchored=a", "--patience", "--anchored=b").anchored == ["b"]
    assert _read("--patience", "--anchored=a").anchored == ["a"]
    assert _read("--anchored=a", "--diff-algorithm=patience").anchored == ["a"]
