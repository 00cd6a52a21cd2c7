"""Commits by what they say."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.history.matching import CommitMatcher, MatchSpec
from gitglass.limits import Context
from gitglass.objects.parsed import Commit
from gitglass.repo.mailmap import Mailmap

RAW = b"""tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904
author Ann Writer <ann@example.com> 1000000000 +0000
committer Carl Keeper <carl@example.com> 1000000000 +0000

Fix the parser

It was author Bob who broke it.
"""


def matches(**spec: Any) -> bool:
    store: Any = SimpleNamespace(mailmap=None)
    matcher = CommitMatcher(store, MatchSpec(**spec), Context())
    found = matcher(Commit(bytes(20), RAW))
    if found and matcher.rules_out is not None:
        assert not matcher.rules_out(RAW)
    return found


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"author": [b"Ann"]}, True),
        ({"author": [b"^Ann"]}, True),
        ({"author": [b"Bob"]}, False),  # the message is no header
        ({"author": [b"1000000000"]}, False),  # nor is the date looked at
        ({"committer": [b"carl@example"]}, True),
        ({"author": [b"Zoe", b"Ann"]}, True),  # any of one kind
        ({"author": [b"Ann"], "committer": [b"Ann"]}, False),  # all kinds
        ({"grep": [b"^It was"]}, True),  # lines are what is looked at
        ({"grep": [b"parser.*It"]}, False),
        ({"grep": [b"tree"]}, False),
        ({"grep": [b"parser", b"nothing"]}, True),
        ({"grep": [b"parser", b"nothing"], "all_match": True}, False),
        ({"grep": [b"parser", b"broke"], "all_match": True}, True),
        ({"grep": [b"nothing\nparser"]}, True),  # a newline in a pattern makes two of it
        ({"grep": [b"parser"], "invert": True}, False),
        ({"author": [b"Ann"], "grep": [b"nothing"], "invert": True}, True),  # only the message's part is turned around
        ({"grep": [b"PARSER"]}, False),
        ({"grep": [b"PARSER"], "ignore_case": True}, True),
        ({"grep": [b"parser|x"], "kind": "extended"}, True),
        ({"grep": [b"pars.r"], "kind": "fixed"}, False),
        ({"grep": [b"parser.*[[:space:]]"]}, False),  # a line is looked at without its newline
        ({"grep": [b"parser.It"], "kind": "perl"}, False),
        ({"grep": [rb"parser\s*It"], "kind": "perl"}, False),
        ({"grep": [rb"^\W"]}, False),
        ({"grep": [rb"it.$"], "kind": "perl"}, True),
        ({"grep": [rb"\AIt"], "kind": "perl"}, True),
        ({"grep": [rb"\W$"]}, True),
        ({"grep": [b"^$"]}, True),
    ],
)
def test_patterns(spec: dict[str, Any], expected: bool) -> None:
    assert matches(**spec) is expected


def test_the_line_between_headers_and_message_counts() -> None:
    """Strange but git's: an empty line is in every commit that has a message, even an empty one."""
    store: Any = SimpleNamespace(mailmap=None)
    header = RAW[: RAW.index(b"\n\n")]
    for spec, raw, expected in (
        ({"grep": [b"^$"]}, header + b"\n\n", True),
        ({"grep": [b"^$"]}, header + b"\n\nOne line\n", True),
        ({"grep": [b"^$"], "invert": True}, header + b"\n\nOne line\n", False),
        ({"grep": [b"^$"]}, header + b"\n", False),
        ({"grep": [b"^$"], "invert": True}, header + b"\n", True),
    ):
        assert CommitMatcher(store, MatchSpec(**spec), Context())(Commit(bytes(20), raw)) is expected


def test_a_committer_is_mapped_only_behind_an_author_that_the_map_has() -> None:
    def mapped(*lines: bytes) -> bool:
        store: Any = SimpleNamespace(mailmap=Mailmap.parse(b"Zoe <carl@example.com>\n", *lines))
        return CommitMatcher(store, MatchSpec(committer=[b"^Zoe"]), Context())(Commit(bytes(20), RAW))

    assert not mapped()
    assert mapped(b"Ann Writer <ann@example.com>\n")


def test_notes_are_looked_at_where_they_are_shown() -> None:
    assert not matches(grep=[b"reviewed"])
    assert matches(grep=[b"reviewed"], notes=lambda oid: b"reviewed by Zoe\n")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"author": [b"Zoe"]}, True),
        ({"author": [b"Zoe", b"Bob"]}, False),  # it is there: whether as the author is for a closer look
        ({"grep": [b"Zoe", b"Yan"]}, True),
        ({"author": [b"Ann"], "grep": [b"Zoe"]}, False),  # one kind is looked for
        ({"grep": [b"Zoe"], "invert": True}, None),
        ({"grep": [b"Zoe"], "notes": lambda oid: b"Zoe"}, None),
        ({"grep": [b"Z.e$"]}, True),
        ({"grep": [b"An*"], "author": [b"^A.*n"]}, False),
        ({"grep": [b"Z[o]e"]}, None),
        ({"grep": [b""]}, None),
        ({"author": [b"Zoe"], "encoding": "latin-1"}, None),
    ],
)
def test_what_is_ruled_out_unread(spec: dict[str, Any], expected: bool | None) -> None:
    store: Any = SimpleNamespace(mailmap=None)
    rules_out = CommitMatcher(store, MatchSpec(**spec), Context()).rules_out
    assert (None if rules_out is None else rules_out(RAW)) is expected
    if rules_out is not None:
        assert not rules_out(RAW.replace(b"+0000\n\n", b"+0000\nencoding latin-1\n\n"))


def test_words_of_a_message_are_looked_for_in_it() -> None:
    """What stands in a header only rules a commit out, and so does an empty message."""
    store: Any = SimpleNamespace(mailmap=None)
    matcher = CommitMatcher(store, MatchSpec(grep=[b"tree"]), Context())
    assert matcher.rules_out is not None
    for raw in (RAW, RAW[: RAW.index(b"\n\n")], RAW[: RAW.index(b"\n\n") + 2]):
        assert raw.startswith(b"tree ") and matcher.rules_out(raw) and not matcher(Commit(bytes(20), raw))
    named = RAW + b"\na tree\n"
    assert not matcher.rules_out(named) and matcher(Commit(bytes(20), named))


def test_people_called_otherwise_are_not_ruled_out() -> None:
    store: Any = SimpleNamespace(mailmap=Mailmap.parse(b"Zoe <zoe@example.com> <ann@example.com>\n"))
    matcher = CommitMatcher(store, MatchSpec(author=[b"Zoe"]), Context())
    assert matcher.rules_out is None and matcher(Commit(bytes(20), RAW))
