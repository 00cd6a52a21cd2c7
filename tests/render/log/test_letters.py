"""What single placeholders stand for."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.limits import Context
from gitglass.objects.parsed import Commit
from gitglass.render.color import Palette
from gitglass.render.dates import DEFAULT, dater
from gitglass.render.log.commit_parts import Env, Parts, ReflogInfo
from gitglass.render.log.letters import LETTERS, person_piece, reflog_piece, signature_piece

TREE, ONE, TWO = b"11" * 20, b"22" * 20, b"33" * 20
RAW = (
    b"tree %b\nparent %b\nparent %b\n"
    b"author Ann <ann@home> 1700000000 +0130\ncommitter Bob <bob@work> 1700000060 -0200\n\n"
    b"The subject:\nwent on\n\nbody\n"
) % (TREE, ONE, TWO)
ODD = RAW.replace(b"<ann@home> 1700000000 +0130", b"<ann@home>")


def make_env(mailmap: Any = None) -> Env:
    ctx = Context(now=1_700_000_060)
    decorations: Any = None
    store: Any = SimpleNamespace(mailmap=mailmap, hash_name="sha1")
    return Env(
        store, ctx=ctx, abbrev=lambda oid: oid.hex()[:4].encode(), dater=dater(DEFAULT, ctx.now),
        palette=Palette(Config(), False), decorations=decorations,
    )  # fmt: skip


def parts(raw: bytes = RAW, env: Env | None = None) -> Parts:
    commit = Commit(bytes(20), raw)
    return Parts(commit, env or make_env(), commit.parents)


@pytest.mark.parametrize(
    ("letter", "expected"),
    [
        ("s", b"The subject: went on"), ("b", b"body\n"), ("B", b"The subject:\nwent on\n\nbody\n"),
        ("f", b"The-subject"), ("T", TREE), ("t", b"1111"), ("P", ONE + b" " + TWO), ("p", b"2222 3333"), ("n", b"\n"),
        ("e", b""), ("m", b">"), ("N", None), ("S", None),
    ],
)  # fmt: skip
def test_letters(letter: str, expected: bytes | None) -> None:
    assert LETTERS[letter](parts()) == expected


def test_what_the_surroundings_tell() -> None:
    env = make_env()
    env.mark, env.source, env.notes = b"<", b"main", lambda oid: b"note\n"
    assert [LETTERS[letter](parts(env=env)) for letter in "mSN"] == [b"<", b"main", b"note\n"]
    assert LETTERS["e"](parts(RAW.replace(b"-0200\n", b"-0200\nencoding latin1\n"))) == b"latin1"


def person(who: str, letter: str, raw: bytes = RAW, mailmap: Any = None) -> bytes | None:
    env = make_env(mailmap)
    piece = person_piece(who, letter, env)
    assert piece is not None
    shown = parts(raw, env)
    assert piece(shown) == piece(shown)
    return piece(shown)


@pytest.mark.parametrize(
    ("letter", "expected"),
    [
        ("n", b"Ann"), ("e", b"ann@home"), ("l", b"ann"), ("t", b"1700000000"), ("d", b"Tue Nov 14 23:43:20 2023 +0130"),
        ("i", b"2023-11-14 23:43:20 +0130"), ("I", b"2023-11-14T23:43:20+01:30"), ("s", b"2023-11-14"),
        ("D", b"Tue, 14 Nov 2023 23:43:20 +0130"), ("r", b"60 seconds ago"),
    ],
)  # fmt: skip
def test_the_author(letter: str, expected: bytes) -> None:
    assert person("a", letter) == expected


def test_the_committer_and_the_mailmap() -> None:
    mapped = SimpleNamespace(map=lambda name, mail: (b"Robert", b"rob@x"))
    assert [person("c", letter) for letter in "nelt"] == [b"Bob", b"bob@work", b"bob", b"1700000060"]
    assert [person("c", letter, mailmap=mapped) for letter in "nNELe"] == [
        b"Bob",
        b"Robert",
        b"rob@x",
        b"rob",
        b"bob@work",
    ]
    assert person("c", "N") == b"Bob"
    assert person_piece("a", "q", make_env()) is None


def test_an_author_without_a_date() -> None:
    assert [person("a", letter, ODD) for letter in "nletdis"] == [b"Ann", b"ann", b"ann@home", b"", b"", b"", None]


def test_reflog_entries() -> None:
    env = make_env()
    shown = parts(env=env)
    pieces = [reflog_piece(letter, env) for letter in "dDsne"]
    assert [piece and piece(shown) for piece in pieces] == [b""] * 5
    env.reflog = ReflogInfo(b"refs/heads/x@{0}", b"x@{0}", b"commit: y", b"Cyd <c@d>")
    assert [piece and piece(shown) for piece in pieces] == [b"x@{0}", b"refs/heads/x@{0}", b"commit: y", b"Cyd", b"c@d"]
    assert [reflog_piece(letter, env) for letter in ("t", "x", "")] == [None] * 3


def test_commits_without_a_signature() -> None:
    pieces = [signature_piece(letter) for letter in "?KTGSFP"]
    assert [piece and piece(parts()) for piece in pieces] == [b"N", b"", b"undefined", b"", b"", b"", b""]
    assert signature_piece("x") is None and signature_piece("") is None
