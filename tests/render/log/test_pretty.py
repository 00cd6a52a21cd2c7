"""Odd commits in every format, as git 2.39.5 shows them (data/pretty.json holds its bytes)."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitglass.errors import Corrupt, GitError, TooLarge
from gitglass.history.spec import LEFT, mark
from gitglass.limits import Context, Limits
from gitglass.memories import PerCall
from gitglass.objects.parsed import Commit
from gitglass.render.color import Palette
from gitglass.render.dates import DEFAULT, dater
from gitglass.render.log.commit_parts import Env, ReflogInfo
from gitglass.render.log.formats import find_format
from gitglass.render.log.placeholders import compile_format, compile_rows, needs
from gitglass.render.log.pretty import Printer

DATA = json.loads((Path(__file__).parent / "data" / "pretty.json").read_text())
CASES = [(commit, form) for commit in DATA["commits"] for form in commit["shown"]]


class _Config:
    def get(self, key: str) -> bytes | None:
        return None

    def section_items(self, front: bytes) -> list[tuple[bytes, bytes | None]]:
        return []

    def subsections(self, section: bytes) -> list[bytes]:
        return []


def make_env(**more: object) -> Env:
    config = _Config()
    store = SimpleNamespace(config=config, mailmap=None, hash_name="sha1", per_call=PerCall())
    ctx = Context(now=1785000000)
    values = {
        "abbrev": lambda oid: oid.hex()[:7].encode(),
        "dater": dater(DEFAULT, ctx.now),
        "palette": Palette(config, False),
    }
    return Env(store, ctx=ctx, decorations=SimpleNamespace(text=lambda *a: b""), **values | more)  # type: ignore[arg-type]


def make_printer(form: str, **more: object) -> Printer:
    chosen = find_format(form.encode("latin-1"), {})
    return Printer(chosen, make_env(**more), tabs=chosen.tabs, mailmap=False, decorated=False)


def commit_of(raw: bytes) -> Commit:
    return Commit(bytes(20), raw)


@pytest.mark.parametrize("number", range(len(DATA["commits"])))
def test_formats(number: int) -> None:
    commit = DATA["commits"][number]
    view = Commit(bytes.fromhex(commit["oid"]), commit["raw"].encode("latin-1"))
    for form, shown in commit["shown"].items():
        printer = make_printer(form)
        got = printer.text(view).decode("latin-1")
        if form == "short" and len(view.parents) > 1:
            shown = shown.replace(shown.partition("\n")[0], got.partition("\n")[0], 1)
        assert got == shown or _without_merge(got) == _without_merge(shown), form


def _without_merge(text: str) -> str:
    """Real abbreviations need a repository."""
    return text.partition("\n")[2] if text.startswith("Merge:") else text


def test_aliases() -> None:
    aliases = {b"mine": b"%h", b"flat": b"format:%h", b"other": b"mine", b"loop": b"loop2", b"loop2": b"loop"}
    assert find_format(b"mine", aliases).terminator
    assert not find_format(b"flat", aliases).terminator
    assert find_format(b"oth", aliases).form == b"%h"
    assert find_format(b"o", aliases).form == b"%h", "the shortest name that fits wins"
    assert find_format(b"f", {}).kind == "full"
    with pytest.raises(GitError, match="references an alias which points to itself"):
        find_format(b"loop", aliases)
    with pytest.raises(GitError, match="invalid --pretty format: nosuch"):
        find_format(b"nosuch", aliases)


def test_reflog_and_marks() -> None:
    env = make_env()
    show = compile_format(b"%gd|%gD|%gs|%gn|%ge|%m|%S", env)
    commit = commit_of(b"tree " + b"1" * 40 + b"\n\nx\n")
    assert show(commit, ()) == b"|||||>|%S"
    env.reflog = ReflogInfo(b"refs/heads/x@{0}", b"x@{0}", b"commit: y", b"A <a@x>")
    env.mark, env.source = b"<", b"main"
    assert show(commit, ()) == b"x@{0}|refs/heads/x@{0}|commit: y|A|a@x|<|main"


def test_needs() -> None:
    assert needs(b"%h %+d %N") == {"d", "N"}
    assert needs(b"%%d %%S") == frozenset()


def test_bad_color_only_where_colors_are_on() -> None:
    assert make_printer("%C(nosuch)x").text(commit_of(b"tree 1\n\ns")) == b"x"
    printer = make_printer("%C(nosuch)x", palette=Palette(_Config(), True))  # git dies when it comes to it
    with pytest.raises(GitError, match="invalid color value: nosuch\nfatal: unable to parse --pretty format"):
        printer.text(commit_of(b"tree 1\n\ns"))


def test_a_padding_with_an_invalid_word_cuts_as_the_last_one() -> None:
    commit = commit_of(b"tree 1\n\nsubject")
    assert make_printer("%<(3,trunc)%s%<(4,x)|%s").text(commit) == b"s..%<(4,x)|su.."
    assert make_printer("%<(4,x)|%s").text(commit) == b"%<(4,x)|subject"


@pytest.mark.parametrize("colored", [False, True])
@pytest.mark.parametrize(
    "form",
    [
        b"%h",
        b"%H %m",
        b"%m%h|%an|%s",
        b"%C(auto)%h",
        b"%C(red)%H%C(reset)%%",
        b"%S%h",
        b"%<(9)%h|",
        b"%+s%h",
        b"%aX%cX",
        b"",
    ],
)
def test_many_commits_are_shown_as_each_is(form: bytes, colored: bool) -> None:
    env = make_env(
        abbrev_many=lambda oids: [oid.hex()[:7].encode() for oid in oids], palette=Palette(_Config(), colored)
    )
    raw = b"tree " + b"1" * 40 + b"\nauthor A <a@x> 1 +0000\ncommitter \n\ntext\n"
    rows = [
        (bytes([nth]) * 20, (), raw, flags, source) for nth, (flags, source) in enumerate([(0, ()), (LEFT, (b"s",))])
    ]
    show, expected = compile_format(form, env), []
    for oid, above, data, flags, source in rows:
        env.mark, env.source = mark(flags, sides=True), source[0] if source else None
        expected.append(show(Commit(oid, data), above))
    env.mark, env.source = b"?", b"?"
    assert compile_rows(form, env, sources=b"%S" in form)(rows) == expected  # type: ignore[arg-type]


FORMAT = st.lists(
    st.sampled_from(
        rb"""% %h %s %b %<(5) %>>(9,trunc) %<|(7,mtrunc) %w(10,2) %+ %- %an %C(red) %(trailers:key= ) %C(auto) x %x0 %x41
        %>(3,ltrunc) %cI ( %g %G? %e %f %gn""".split()
    ),
    max_size=8,
).map(b"".join)


@given(FORMAT, st.binary(max_size=80))
def test_any_format_and_message(form: bytes, message: bytes) -> None:
    raw = b"tree " + b"1" * 40 + b"\nauthor A <a@x> 1 +0000\ncommitter \n\n" + message
    show = compile_format(form, make_env())
    assert isinstance(show(commit_of(raw), ()), bytes)


@given(
    st.binary(max_size=200), st.sampled_from(["oneline", "short", "medium", "full", "fuller", "raw", "email", "mboxrd"])
)
def test_any_commit(raw: bytes, form: str) -> None:
    assert isinstance(make_printer(form).text(Commit(bytes(20), raw, ())), bytes)


@pytest.mark.parametrize("form", ["%w(20)%s", "%s", "%<(5)%s", "%w(0,1)%s"])
def test_a_long_subject_many_times_is_refused_before_it_is_made(form: str) -> None:
    commit = Commit(
        b"\1" * 20,
        b"tree " + b"0" * 40 + b"\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n" + b"word " * 600_000,
    )
    show = compile_format((form * 50).encode(), make_env())
    with Context(Limits(max_memory_bytes=64 << 20)), pytest.raises(TooLarge):
        show(commit, ())


#: what a commit in the usual form has, and what takes it out of that form
PIECES = st.lists(
    st.sampled_from([
        b"tree " + b"1" * 40 + b"\n", b"parent " + b"2" * 40 + b"\n", b"author A <a@x> 86400 +0130\n",
        b"author \n", b"author A <a@x> 1 +0000 \n", b"author <> 99999999999999 -9999\n", b"committer C <c@x> 2 -0200\n",
        b"committer \n", b"encoding ISO-8859-1\n", b"gpgsig a\n b\n", b"mergetag x\n y\n", b"\n", b"\n\n", b"subject",
        b" ", b"\t", b" \n", b"\0", b"\r\n", b"\xc3\xbc", b"\xff", b"a line\nanother\n", b"\n\nbody\n",
    ]),
    max_size=10,
).map(b"".join)  # fmt: skip
USUAL = b"tree " + b"1" * 40 + b"\nparent " + b"2" * 40 + b"\nauthor A <a@x> 86400 +0130\ncommitter C <c@x> 2 -0200\n"


@example(USUAL + b"\nsubject\n\0rest", "medium", (), None, b"UTF-8")
@example(USUAL + b"\nsubject\n", "medium", (), lambda oid: b"\nNotes:\n    one\n", b"UTF-8")
@example(USUAL + b"\n\xc3\xbc\n", "medium", (), None, b"ISO-8859-1")
@example(USUAL + b"encoding ISO-8859-1\n\n\xfc\n", "medium", (), None, b"UTF-8")
@example(USUAL + b"\nsubject\n", "fuller", (), None, b"UTF-8")
@given(
    st.one_of(PIECES, PIECES.map(lambda rest: USUAL + b"\n" + rest), PIECES.map(lambda rest: USUAL + rest)),
    st.sampled_from(["short", "medium", "full", "fuller", "raw"]),
    st.sampled_from([(), (b"\1" * 20,), (b"\1" * 20, b"\2" * 20)]),
    st.sampled_from([None, lambda oid: b"", lambda oid: b"\nNotes:\n    one\n"]),
    st.sampled_from([b"UTF-8", b"ISO-8859-1"]),
)
def test_blocks_are_the_texts_of_each(
    raw: bytes, form: str, parents: tuple[bytes], notes: object, encoding: bytes
) -> None:
    one, many = (make_printer(form, notes=notes, encoding=encoding) for _ in range(2))
    try:
        expected = one.text(Commit(bytes(20), raw), parents)
    except Corrupt as error:  # a time that no date has
        with pytest.raises(Corrupt, match=str(error)):
            many.blocks([(bytes(20), parents, raw, 0, ())])
        return
    assert many.blocks([(bytes(20), parents, raw, 0, ())] * 2) == [expected] * 2
