"""How branches are printed: the label of a detached HEAD, lines, and the format of the options."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.render.color import Palette
from gitglass.render.refs.branches import branch_format, head_label, plain_lines
from gitglass.revs.ref_filter import DETACHED, HEADS, REMOTES, RefItem
from gitglass.worktree.state import Operation

OID = bytes(20)
ITEMS = [
    RefItem(b"HEAD", OID, DETACHED),
    RefItem(b"refs/heads/main", OID, HEADS),
    RefItem(b"refs/heads/other", OID, HEADS),
    RefItem(b"refs/heads/link", OID, HEADS, b"refs/heads/main"),
    RefItem(b"refs/remotes/o/m", OID, REMOTES),
]


def fields(head: bytes = b"refs/heads/main") -> Any:
    return SimpleNamespace(
        head=head, head_label=lambda: b"(no branch)", short=lambda name: name.removeprefix(b"refs/heads/"),
        worktree_path=lambda item: b"/there" if item.name.endswith(b"other") else b"",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (Operation(), b"(no branch)"),
        (Operation(rebase=True, branch=b"t"), b"(no branch, rebasing t)"),
        (Operation(interactive=True, detached_from=b"v1"), b"(no branch, rebasing detached HEAD v1)"),
        (Operation(bisect=True, bisect_from=b"main"), b"(no branch, bisect started on main)"),
        (Operation(detached_from=b"v1", detached_at=True), b"(HEAD detached at v1)"),
        (Operation(detached_from=b"v1"), b"(HEAD detached from v1)"),
    ],
)
def test_a_head_that_is_no_branch(state: Operation, expected: bytes) -> None:
    assert head_label(state) == expected


def test_plain_lines() -> None:
    off = Palette(Config(), False)
    assert plain_lines(ITEMS, fields(), off, remotes_only=False) == [
        b"* (no branch)", b"* main", b"+ other", b"  link -> main", b"  remotes/o/m",
    ]  # fmt: skip
    assert plain_lines(ITEMS[4:], fields(), off, remotes_only=True) == [b"  o/m"]
    colored = plain_lines(ITEMS, fields(), Palette(Config(), True), remotes_only=False)
    assert (colored[1], colored[4]) == (b"* \x1b[32mmain\x1b[m", b"  \x1b[31mremotes/o/m\x1b[m")


def formatted(verbose: int, abbrev: int | None = None, remotes_only: bool = False) -> bytes:
    return branch_format(ITEMS, fields(), Palette(Config(), False), verbose, abbrev, remotes_only=remotes_only)


def test_the_width_is_that_of_the_widest_name() -> None:
    assert formatted(1).count(b"%(align:11,left)") == 2  # as wide as `(no branch)` and `remotes/o/m`
    remote = branch_format(ITEMS[4:], fields(), Palette(Config(), False), 1, None, remotes_only=False)
    assert remote.count(b"%(align:11,left)") == 2
    only = branch_format(ITEMS[1:4], fields(), Palette(Config(), False), 1, None, remotes_only=False)
    assert only.count(b"%(align:5,left)") == 2


def test_what_the_options_add() -> None:
    assert b"%(objectname:short) " in formatted(1) and b"%(objectname:short=9) " in formatted(1, 9)
    assert b"%(objectname) " in formatted(1, 0)
    assert b"%(upstream:short)" in formatted(2) and b"%(upstream:short)" not in formatted(1)
    assert b"objectname" not in formatted(0) and b"align" not in formatted(0)
    assert b"  remotes/%(refname:lstrip=2)" in formatted(0) and b"remotes/%(" not in formatted(0, remotes_only=True)
