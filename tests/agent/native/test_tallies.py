"""agent/native/tallies.py: how many commits, and how many of whom."""

from collections.abc import Iterator
from typing import Any

import pytest

from gitglass.agent import Roots, ToolContext
from gitglass.agent.native.tallies import author_counts, commit_count, counted_by_rev_list
from gitglass.agent.tool import Call, Uncut
from gitglass.commands.log import LogRequest
from gitglass.limits import Context


@pytest.fixture
def call(repo: Any) -> Iterator[Call]:
    """Three commits: A, B, A."""
    repo.add("file", b"1\n")
    tree, above = repo.tree().hex(), ""
    for time, who in enumerate(("A <a@x>", "B <b@x>", "A <a@x>")):
        body = f"tree {tree}\n{above}author {who} {time} +0000\ncommitter {who} {time} +0000\n\nc{time}\n"
        oid = repo.put("commit", body.encode()).hex()
        above = f"parent {oid}\n"
    (repo.git / "refs/heads/main").write_text(oid + "\n")
    ctx = Context(now=0)
    with ctx:
        yield Call(ToolContext(Roots(repo.top)), repo.store(), ctx)


def text(uncut: Uncut) -> str:
    return "".join(unit.text() for unit in uncut.units)


@pytest.mark.parametrize(
    ("asked", "count"),
    [({}, 3), ({"revs": ["HEAD~1"]}, 2), ({"max_count": 1}, 1), ({"author": ["B"]}, 1), ({"paths": ["file"]}, 1),
     ({"author": ["nobody"]}, 0)],
)  # fmt: skip
def test_how_many_commits(call: Call, asked: dict[str, Any], count: int) -> None:
    request = LogRequest(**asked)
    assert counted_by_rev_list(call, request) == count
    uncut = commit_count(call, request, None, b"state", lambda: "nothing")
    assert text(uncut) == (f"{count}\n" if count else "")
    assert uncut.fields is not None and uncut.fields() == {"count": count}
    assert (uncut.total, uncut.state, uncut.noun) == (count, b"state", "commits")
    assert uncut.empty is not None and uncut.empty() == "0: nothing"


def test_a_log_that_has_to_be_walked_is_counted_without_what_is_hidden(call: Call) -> None:
    class Entry:
        def __init__(self, hidden: bool) -> None:
            self.hidden = hidden

    class Log:
        entries = iter([Entry(False), Entry(True), Entry(False)])

    log: Any = Log()
    assert text(commit_count(call, LogRequest(), log, b"", str)) == "2\n"


def test_how_many_of_whom(call: Call) -> None:
    uncut = author_counts(call, LogRequest(), None, b"state", str, 7)
    assert text(uncut) == "     2\tA <a@x>\n     1\tB <b@x>\n"
    rows = [unit.row() for unit in uncut.units if unit.row is not None]
    assert rows == [{"name": "A <a@x>", "commits": 2}, {"name": "B <b@x>", "commits": 1}]
    assert (uncut.total, uncut.key, uncut.page_items, uncut.state) == (2, "authors", 7, b"state")


def test_authors_of_a_log_that_was_walked(call: Call) -> None:
    log = b"Author: B <b@x>\n\n.\nAuthor: C <c@x>\n\n.\nAuthor: C <c@x>\n\n.\n"
    assert text(author_counts(call, LogRequest(), log, b"", str, 7)) == "     2\tC <c@x>\n     1\tB <b@x>\n"
