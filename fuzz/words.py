"""Targets: what people write: configuration, patterns, names, dates, options, and the text that diffs are made of."""

import re
import tarfile
from functools import lru_cache
from pathlib import Path

from harness import PLACE, ctx, must, target, tried

import gitglass
from gitglass.cli.argv import parse
from gitglass.cli.globals import parse_globals
from gitglass.commands.registry import load
from gitglass.config import file as configfile
from gitglass.config.globs import path_glob
from gitglass.config.load import load_blob
from gitglass.config.urlmatch import parse_url, rank
from gitglass.diff.combined import weave
from gitglass.diff.lines.compare import compare
from gitglass.diff.lines.hunks import count_changes, diff_lines, hunks_of
from gitglass.diff.lines.spec import LineSpec
from gitglass.diff.lines.userdiff import driver_for
from gitglass.diff.lines.whitespace import NO_EOL
from gitglass.diff.lines.words import WordCutter, match_words
from gitglass.diff.patch_id import patch_ids
from gitglass.limits import Context, Limits
from gitglass.merge.three_way import Sides, merge_texts
from gitglass.paths.attributes import parse_attributes
from gitglass.paths.ignore import Pattern, body_matcher, parse_ignore
from gitglass.paths.pathspec import Pathspecs, PathspecSpec
from gitglass.paths.wildmatch import CASEFOLD, PATHNAME, wildmatch
from gitglass.refs.files import Packed
from gitglass.refs.names import check_refname
from gitglass.refs.reflog import parse_entry
from gitglass.regex.matcher import BadPattern, compile_pattern
from gitglass.render.log.trailers import DEFAULT_RULES, find_block, format_trailers, parse_trailer_options, signed_off
from gitglass.render.message import strip_space
from gitglass.repo.mailmap import Mailmap
from gitglass.revs.dates import approxidate, approxidate_careful, expiry
from gitglass.revs.grammar import parse as parse_spec
from gitglass.revs.grammar import parse_object, parse_parents, parse_range

NOW = 1_700_000_000
NEVER = re.compile(rb"(?!)")
PATHS = (b"a", b"sub/a", b"a/b/c", b"sub/dir/b.c", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/" * 8 + b"b")
DRIVERS = (
    b"ada",
    b"bash",
    b"bibtex",
    b"cpp",
    b"csharp",
    b"css",
    b"golang",
    b"html",
    b"java",
    b"perl",
    b"python",
    b"tex",
)
ALGORITHMS = ("myers", "patience", "histogram")


@target
def config(data: bytes) -> None:
    """The regular expression that takes ordinary lines must read them as the whole grammar does."""
    quick, usual = tried(configfile.parse_config, data), configfile._LINE
    configfile._LINE = NEVER
    try:
        assert tried(configfile.parse_config, data) == quick
    finally:
        configfile._LINE = usual
    found = load_blob(data, b"fuzz")
    for key in (b"core.bare", *list(found.table.keys)[:8]):
        for ask in (found.get_int, found.get_bool, found.get_path, found.get_bool_or_int, found.get_string):
            tried(ask, key)
    for section in ("a", "x", "url"):
        for sub in found.subsections(section):
            list(found.section_items(section.encode() + b"." + sub))
    tried(lambda: rank(data[:200], parse_url(b"https://a@example.com:80/x")))
    path_glob(data[:200], b"/home/a/b/.git")


@target
def attributes(data: bytes) -> None:
    for fold in (False, True):
        for rule in parse_attributes(data, fold).rules:
            for path in PATHS:
                rule.compiled(fold)(path.rsplit(b"/", 1)[-1] if rule.name_only else path)


@target
def refs(data: bytes) -> None:
    """packed-refs, reflogs, mailmaps, names of refs."""
    people = Mailmap.parse(data)
    assert people.map(*people.map(b"A", b"a@b")) is not None
    for line in data.split(b"\n"):
        parse_entry(line, 20)
        check_refname(line)
        check_refname(line, onelevel=True, pattern=True)
    found = Packed(data, 20)
    tried(found.peels)
    rows = tried(found.items, b"")
    if isinstance(rows, list):
        names = [row[0] for row in rows]
        for name, oid, _ in rows[:20]:
            assert names.count(name) > 1 or tried(found.find, name) == oid
        below = tried(found.items, b"refs/t")
        assert found.is_sorted or below == [row for row in rows if row[0].startswith(b"refs/t")]


@target
def ignore(data: bytes) -> None:
    """The tables must say what asking the lines one by one, last first, says."""
    for fold in (False, True):
        found = parse_ignore(data, fold)
        for path in PATHS:
            name = path.rsplit(b"/", 1)[-1]
            for is_dir in (False, True):
                assert found.last_match(path, name, is_dir) is plainly(found.patterns, path, name, is_dir, fold)


def plainly(patterns: list[Pattern], path: bytes, name: bytes, is_dir: bool, fold: bool) -> Pattern | None:
    for one in reversed(patterns):
        if one.dir_only and not is_dir:
            continue
        if body_matcher(one.body, one.name_only, fold)(name if one.name_only else path):
            return one
    return None


@target
def wildmatches(data: bytes) -> None:
    pattern, _, text = data.partition(b"\n")
    for flags in (0, PATHNAME, PATHNAME | CASEFOLD):
        found = wildmatch(pattern, text, flags)
        wildmatch(pattern, b"a/" * 100 + b"a" * 100, flags)
        if not flags and b"[" not in pattern and b"\\" not in pattern:
            assert found is by_table(pattern, text)
        if found and flags == PATHNAME and b"**" not in pattern:
            assert b"[" in pattern or pattern.count(b"/") == text.count(b"/")


def by_table(pattern: bytes, text: bytes) -> bool:
    """`*` and `?` without slash rules: what the matcher has to agree with."""
    if len(pattern) * len(text) > 1 << 14:
        return wildmatch(pattern, text)
    row = [True] + [False] * len(text)
    for char in pattern:
        if char == 42:
            reached = row.index(True) if True in row else len(row)
            row = [at >= reached for at in range(len(row))]
        else:
            row = [False] + [row[at] and char in (63, text[at]) for at in range(len(text))]
    return row[-1]


@target
def pathspecs(data: bytes) -> None:
    words = data.split(b"\n")
    for spec in (PathspecSpec(), PathspecSpec(glob=True, icase=True), PathspecSpec(literal=True)):
        found = tried(Pathspecs.parse, words, b"sub/", spec)
        if isinstance(found, Pathspecs) and not any(item.match.startswith(b"/") for item in found.items):
            for path in (*PATHS, *[word.rpartition(b")")[2].strip(b"/") for word in words[:4]]):
                met = found.match(path)
                assert met == found.match_seen(path) or any(item.spent for item in found.items)
                for at, char in enumerate(path):
                    if char == 47 and path[:at]:
                        assert not met or found.could_match_below(path[:at]), (path, path[:at])
                        assert met or not found.matches_all_below(path[:at]), (path, path[:at])
            found.unmatched(), found.common_dir()


@target
def revisions(data: bytes) -> None:
    for function in (parse_spec, parse_object, parse_range, parse_parents):
        tried(function, data)
    word = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    answered(["rev-parse", word])
    answered(["rev-list", "-n3", word, "--"])


@target
def dates(data: bytes) -> None:
    for function in (approxidate, approxidate_careful, expiry):
        found = function(data, NOW)
        assert not isinstance(found, int) or found >= 0, found


@target
def patterns(data: bytes) -> None:
    kind, _, pattern = data.partition(b"\n")
    number = kind[0] if kind else 0
    named = ("basic", "extended", "perl", "fixed")[number % 4]
    try:
        found = compile_pattern(
            pattern, named, newline=bool(number & 4), ignore_case=bool(number & 8), ctx=Context(Limits(timeout=0.3))
        )
        for text in (b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\nb", pattern, "äöü\nabc".encode()):
            span = found.search(text)
            assert found.test(text) is (span is not None)
            spans = found.all(text)
            assert (spans[:1] or [None])[0] == span and all(0 <= a <= b <= len(text) for a, b in spans)
            if named == "fixed" and not number & 8 and pattern and b"\n" not in pattern:
                assert span == ((at, at + len(pattern)) if (at := text.find(pattern)) >= 0 else None)
    except BadPattern:
        pass


@lru_cache(maxsize=1)
def handle() -> gitglass.Repository:
    with tarfile.open(Path(__file__).resolve().parents[1] / "fixtures/archives/plain.tar.gz") as tar:
        tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
        tar.extractall(PLACE / "plain")
    return gitglass.open(PLACE / "plain", root=PLACE / "plain", limits=Limits(timeout=2.0))


def answered(words: list[str]) -> None:
    """A command line ends with an answer or with git's words."""
    done = handle().git(words)
    assert b"internal error" not in done.stderr and b"Traceback" not in done.stderr, (words, done.stderr)
    assert 0 <= done.returncode <= 255, (words, done.returncode)


@target
def formats(data: bytes) -> None:
    form = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    answered(["log", "-n2", f"--format={form}"])
    answered(["for-each-ref", f"--format={form}"])
    answered(["log", "-n1", f"--date=format:{form}", "--format=%ad"])
    answered(["cat-file", f"--batch-check={form}", "--batch-all-objects", "--unordered"])


@target
def argv(data: bytes) -> None:
    words = data.replace(b"\0", b"").decode("utf-8", "surrogateescape").split("\n")
    found = tried(lambda: parse_globals(words, ours=True))
    if isinstance(found, type):
        return
    module = load(found.command)  # type: ignore[attr-defined]
    if module is not None:
        if not module.COMMAND.raw:
            tried(parse, module.COMMAND, found.argv)  # type: ignore[attr-defined]
        answered(words)


@target
def diffs(data: bytes) -> None:
    """Every hunk's lines must be the files' own, what is between must be equal, and counting must agree."""
    one, _, two = data.partition(b"\0")
    for algorithm in ALGORITHMS:
        for context in (0, 3):
            spec = LineSpec(context=context, algorithm=algorithm, minimal=bool(len(data) & 1))
            applied(one, two, spec)
            applied(two, one, spec)
    for spec in (
        LineSpec(ignore_all_space=True, ignore_blank_lines=True),
        LineSpec(ignore_space_change=True, algorithm="histogram", function_context=True),
        LineSpec(ignore_space_at_eol=True, ignore_regex=(b"^a",), inter_hunk=2),
        LineSpec(ignore_cr_at_eol=True, algorithm="patience", anchors=(b"a",)),
        LineSpec(function_context=True),
    ):
        hunks = diff_lines(one, two, spec, ctx=ctx())
        assert (count(hunks, b"+"), count(hunks, b"-")) == count_changes(one, two, spec, ctx=ctx()) or ignoring(spec)
        for hunk in hunks:
            hunk.header()


def ignoring(spec: LineSpec) -> bool:
    return spec.ignore_blank_lines or bool(spec.ignore_regex)


def count(hunks: list, sign: bytes) -> int:  # type: ignore[type-arg]
    return sum(len(lines) for hunk in hunks for kind, lines in hunk.parts if kind == sign)


def lines_of(text: bytes) -> list[bytes]:
    """The lines as hunks show them: without their newline, the last one marked when it has none."""
    lines = text.split(b"\n")
    last = lines.pop()
    return [*lines, last + NO_EOL] if last else lines


def applied(one: bytes, two: bytes, spec: LineSpec) -> None:
    hunks = list(hunks_of(must(compare, one, two, spec, ctx=ctx()), spec, ctx=ctx()))
    old, new = lines_of(one), lines_of(two)
    at_old = at_new = 0
    for hunk in hunks:
        gap = hunk.old_start - at_old
        assert gap >= 0 and hunk.new_start - at_new == gap and old[at_old:][:gap] == new[at_new:][:gap]
        was = [line for kind, lines in hunk.parts if kind != b"+" for line in lines]
        now = [line for kind, lines in hunk.parts if kind != b"-" for line in lines]
        assert (len(was), len(now)) == (hunk.old_count, hunk.new_count)
        at_old, at_new = hunk.old_start + len(was), hunk.new_start + len(now)
        assert was == old[hunk.old_start : at_old] and now == new[hunk.new_start : at_new]
    assert old[at_old:] == new[at_new:]
    assert bool(hunks) == (one != two)
    assert (count(hunks, b"+"), count(hunks, b"-")) == must(count_changes, one, two, spec, ctx=ctx())


@target
def texts(data: bytes) -> None:
    """What else is made of two or three texts: merges, combined diffs, word diffs, trailers, names of functions."""
    one, _, rest = data.partition(b"\0")
    two, _, three = rest.partition(b"\0")
    labels = Sides((b"ours", b"theirs", b"base"))
    assert merge_texts(one, one, two, labels, ctx=ctx()).text == two
    assert merge_texts(one, two, one, labels, ctx=ctx()).text == two
    assert merge_texts(one, two, two, labels, ctx=ctx()).text == two
    merge_texts(one, two, three, labels, ctx=ctx())
    for dense in (False, True):
        woven = weave(one, [two, three, two], LineSpec(), ctx=ctx())
        woven.choose(3, dense)
    for regex in (None, b"[a-z]+|[^[:space:]]", three[:40] or None):
        cutter = tried(WordCutter, regex, ctx())
        if isinstance(cutter, WordCutter):
            spans = [cutter.cut(text + b"\n") for text in (one, two)]
            for text, found in zip((one + b"\n", two + b"\n"), spans, strict=True):
                assert all(0 <= start < end <= len(text) for start, end in found)
            match_words(one + b"\n", two + b"\n", cutter, ctx())
    for verbatim in (False, True):
        for made, commit in patch_ids(data, "sha1", stable=verbatim, verbatim=verbatim, ctx=ctx()):
            assert len(made) == len(commit) == 20
    stripped = strip_space(one, b"#")
    assert strip_space(stripped, b"#") == stripped
    signed = signed_off(b"t\n\n" + one, b"Signed-off-by: A <a@b>\n", DEFAULT_RULES)
    assert b"Signed-off-by: A <a@b>\n" in signed
    start, end = find_block(one)
    assert 0 <= start <= end <= len(one)
    options = parse_trailer_options(two + b")", 0)
    if options is not None:
        format_trailers(one, options[0])
    finder = driver_for(DRIVERS[len(data) % len(DRIVERS)], ctx=ctx()).finder
    if finder is not None:
        for line in one.split(b"\n"):
            finder(line)
