"""git status as text, of states that are given."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.config.config import Config
from gitglass.diff.changes import MODIFIED, UNTRACKED
from gitglass.render.color import Palette
from gitglass.render.quote import Quoter
from gitglass.render.status import (
    StatusLook,
    submodule_words,
    tracking_text,
    write_long,
    write_porcelain_v2,
    write_short,
)
from gitglass.worktree.state import Operation, Steps
from gitglass.worktree.status import Entry, Status, Tracking

A, B = bytes([0xAA]) * 20, bytes([0xBB]) * 20
HEX_A, HEX_B, NULL = b"aa" * 20, b"bb" * 20, b"00" * 20
CONFIG = Config()


def style(color: bool = False) -> Any:
    palette = Palette(CONFIG, color)
    store = SimpleNamespace(null=bytes(20))
    return SimpleNamespace(quote=Quoter(), color=lambda group, when=None: palette, columns=80, store=store)


def state(*entries: Entry, untracked: tuple[bytes, ...] = (), ignored: tuple[bytes, ...] = (), **more: Any) -> Status:
    index: Any = SimpleNamespace(modes=[0o100644, 0o100755], oids=[A, B])
    found: Any = SimpleNamespace(untracked=list(untracked), ignored=list(ignored))
    words: dict[str, Any] = {"branch": b"refs/heads/main", "head": A, "operation": Operation()}
    return Status(index=index, entries=list(entries), scan=found, **(words | more))


def long(status: Status, **look: Any) -> list[bytes]:
    return b"".join(write_long(status, StatusLook(**look), style())).split(b"\n")[:-1]


MOVED = Entry(
    b"n",
    index="R",
    source=b"o",
    renamed="R",
    score=90,
    mode_head=0o100644,
    mode_index=0o100644,
    oid_head=A,
    oid_index=A,
)
CHANGED = Entry(b"a b", work="M", mode_head=0o100644, mode_index=0o100644, mode_work=0o100755, oid_head=A, oid_index=A)
CONFLICT = Entry(b"c", conflict=6, mode_work=0o100644, stages={2: 0, 3: 1})


def short(status: Status, porcelain: bool = False, color: bool = False, **look: Any) -> bytes:
    return b"".join(write_short(status, StatusLook(**look), style(color), porcelain=porcelain))


def test_short_lines() -> None:
    status = state(MOVED, CHANGED, CONFLICT, untracked=(b"u",), ignored=(b"i/",))
    assert short(status) == b'R  o -> n\n M "a b"\nAA c\n?? u\n!! i/\n'
    assert short(status, null=True) == b"R  n\0o\0 M a b\0AA c\0?? u\0!! i/\0"
    assert short(status, prefix=b"d/").startswith(b"R  ../o -> ../n\n")
    assert short(status, porcelain=True, prefix=b"d/").startswith(b"R  o -> n\n")


def test_the_letters_of_conflicts() -> None:
    status = state(*(Entry(b"c", conflict=kind) for kind in range(1, 8)))
    assert short(status).split(b" c\n")[:-1] == [b"DD", b"AU", b"UD", b"UA", b"DU", b"AA", b"UU"]


@pytest.mark.parametrize(
    ("new_commits", "dirty", "letter"),
    [(True, MODIFIED, b"M"), (False, MODIFIED | UNTRACKED, b"m"), (False, UNTRACKED, b"?")],
)
def test_submodules_in_short_lines(new_commits: bool, dirty: int, letter: bytes) -> None:
    entry = Entry(b"s", work="M", mode_work=0o160000, new_commits=new_commits, dirty=dirty)
    assert short(state(entry)) == b" " + letter + b" s\n"
    assert short(state(entry), porcelain=True) == b" M s\n"


@pytest.mark.parametrize(
    ("tracking", "expected"),
    [
        (None, b"## main\n"),
        (Tracking(b"o/m", same=True), b"## main...o/m\n"),
        (Tracking(b"o/m", gone=True), b"## main...o/m [gone]\n"),
        (Tracking(b"o/m"), b"## main...o/m [different]\n"),
        (Tracking(b"o/m", ahead=2, behind=0), b"## main...o/m [ahead 2]\n"),
        (Tracking(b"o/m", ahead=0, behind=3), b"## main...o/m [behind 3]\n"),
        (Tracking(b"o/m", ahead=2, behind=3), b"## main...o/m [ahead 2, behind 3]\n"),
    ],
)
def test_the_short_line_of_the_branch(tracking: Tracking | None, expected: bytes) -> None:
    assert short(state(tracking=tracking), branch=True) == expected


def test_other_heads_in_the_short_line() -> None:
    assert short(state(branch=None), branch=True) == b"## HEAD (no branch)\n"
    assert short(state(head=None), branch=True) == b"## No commits yet on main\n"


def test_version_two() -> None:
    status = state(MOVED, CHANGED, CONFLICT, untracked=(b"u",), ignored=(b"i",), stashes=2)
    status.tracking = Tracking(b"o/m", ahead=1, behind=2)
    lines = b"".join(write_porcelain_v2(status, StatusLook(branch=True, stash=True), style())).split(b"\n")
    assert lines == [
        b"# branch.oid " + HEX_A,
        b"# branch.head main",
        b"# branch.upstream o/m",
        b"# branch.ab +1 -2",
        b"# stash 2",
        b"2 R. N... 100644 100644 000000 %b %b R90 n\to" % (HEX_A, HEX_A),
        b"1 .M N... 100644 100644 100755 %b %b a b" % (HEX_A, HEX_A),
        b"u AA N... 000000 100644 100755 100644 %b %b %b c" % (NULL, HEX_A, HEX_B),
        b"? u",
        b"! i",
        b"",
    ]


def test_version_two_of_heads_and_submodules() -> None:
    entry = Entry(b"s", work="M", mode_work=0o160000, new_commits=True, dirty=UNTRACKED)
    status = state(entry, head=None, branch=None, tracking=Tracking(b"o/m"))
    lines = b"".join(write_porcelain_v2(status, StatusLook(branch=True, null=True), style())).split(b"\0")
    assert lines[:4] == [
        b"# branch.oid (initial)",
        b"# branch.head (detached)",
        b"# branch.upstream o/m",
        b"# branch.ab +? -?",
    ]
    assert lines[4] == b"1 .M SC.U 000000 000000 160000 %b %b s" % (NULL, NULL)


def test_sections_of_the_long_form() -> None:
    gone = Entry(b"g", work="D")
    assert long(state(MOVED, gone, CONFLICT, untracked=(b"u",))) == [
        b"On branch main",
        b"Changes to be committed:",
        b'  (use "git restore --staged <file>..." to unstage)',
        b"\trenamed:    o -> n",
        b"",
        b"Unmerged paths:",
        b'  (use "git restore --staged <file>..." to unstage)',
        b'  (use "git add <file>..." to mark resolution)',
        b"\tboth added:      c",
        b"",
        b"Changes not staged for commit:",
        b'  (use "git add/rm <file>..." to update what will be committed)',
        b'  (use "git restore <file>..." to discard changes in working directory)',
        b"\tdeleted:    g",
        b"",
        b"Untracked files:",
        b'  (use "git add <file>..." to include in what will be committed)',
        b"\tu",
        b"",
    ]


def test_comments_and_no_hints() -> None:
    assert long(state(CHANGED), comment=b"#", hints=False) == [
        b"# On branch main",
        b"# Changes not staged for commit:",
        b"#\tmodified:   a b",
        b"#",
        b"no changes added to commit",
    ]


@pytest.mark.parametrize(
    ("conflicts", "how"),
    [
        ((1,), b'  (use "git rm <file>..." to mark resolution)'),
        ((7,), b'  (use "git add <file>..." to mark resolution)'),
        ((3,), b'  (use "git add/rm <file>..." as appropriate to mark resolution)'),
        ((1, 7), b'  (use "git add/rm <file>..." as appropriate to mark resolution)'),
    ],
)
def test_how_conflicts_are_resolved(conflicts: tuple[int, ...], how: bytes) -> None:
    status = state(*(Entry(b"c%d" % kind, conflict=kind) for kind in conflicts))
    assert long(status, during_commit=True)[2] == how


@pytest.mark.parametrize(
    ("more", "look", "last"),
    [
        ({}, {}, b"nothing to commit, working tree clean"),
        ({}, {"show_untracked": False}, b"nothing to commit (use -u to show untracked files)"),
        ({"head": None}, {}, b'nothing to commit (create/copy files and use "git add" to track)'),
        ({"untracked": (b"u",)}, {}, b'nothing added to commit but untracked files present (use "git add" to track)'),
        ({"stashes": 1}, {"stash": True}, b"Your stash currently has 1 entry"),
        ({"stashes": 2}, {"stash": True}, b"Your stash currently has 2 entries"),
    ],
)
def test_the_last_words(more: dict[str, Any], look: dict[str, Any], last: bytes) -> None:
    assert long(state(**more), **look)[-1] == last


@pytest.mark.parametrize(
    ("operation", "lines"),
    [
        (
            Operation(merge=True),
            [b"All conflicts fixed but you are still merging.", b'  (use "git commit" to conclude merge)'],
        ),
        (
            Operation(cherry_pick=A, commit=b"aaaa"),
            [
                b"You are currently cherry-picking commit aaaa.",
                b'  (all conflicts fixed: run "git cherry-pick --continue")',
                b'  (use "git cherry-pick --skip" to skip this patch)',
                b'  (use "git cherry-pick --abort" to cancel the cherry-pick operation)',
            ],
        ),
        (
            Operation(revert=b""),
            [b"Revert currently in progress.", b'  (run "git revert --continue" to continue)'],
        ),
        (
            Operation(bisect=True, bisect_from=b"main"),
            [
                b"You are currently bisecting, started from branch 'main'.",
                b'  (use "git bisect reset" to get back to the original branch)',
            ],
        ),
        (
            Operation(am=True, am_empty=True),
            [b"You are in the middle of an am session.", b"The current patch is empty."],
        ),
        (
            Operation(interactive=True, branch=b"t", onto=b"m", steps=Steps([b"a", b"b", b"c"], [b"d"], b"F")),
            [
                b"Last commands done (3 commands done):",
                b"   b",
                b"   c",
                b"  (see more in file F)",
                b"Next command to do (1 remaining command):",
                b"   d",
                b'  (use "git rebase --edit-todo" to view and edit)',
                b"You are currently editing a commit while rebasing branch 't' on 'm'.",
            ],
        ),
    ],
)
def test_what_is_under_way(operation: Operation, lines: list[bytes]) -> None:
    assert long(state(operation=operation))[1 : len(lines) + 1] == lines


def test_a_detached_head_and_a_sparse_checkout() -> None:
    detached = state(branch=None, operation=Operation(detached_from=b"v1", detached_at=True), sparse=40)
    assert long(detached)[:2] == [
        b"HEAD detached at v1",
        b"You are in a sparse checkout with 40% of tracked files present.",
    ]
    assert long(state(branch=None))[0] == b"Not currently on any branch."


def test_how_a_branch_stands_to_its_upstream() -> None:
    assert tracking_text(Tracking(b"o/m", ahead=1, behind=0), False) == b"Your branch is ahead of 'o/m' by 1 commit.\n"
    assert tracking_text(Tracking(b"o/m", ahead=0, behind=2), False) == (
        b"Your branch is behind 'o/m' by 2 commits, and can be fast-forwarded.\n"
    )
    assert tracking_text(Tracking(b"o/m", ahead=3, behind=2), True) == (
        b"Your branch and 'o/m' have diverged,\nand have 3 and 2 different commits each, respectively.\n"
        b'  (use "git pull" to merge the remote branch into yours)\n'
    )
    assert tracking_text(Tracking(b"o/m", same=True), True) == b"Your branch is up to date with 'o/m'.\n"


def test_words_for_submodules() -> None:
    entry = Entry(b"s", new_commits=True, dirty=MODIFIED | UNTRACKED)
    assert submodule_words(entry) == ["new commits", "modified content", "untracked content"]
    assert submodule_words(Entry(b"s", dirty=UNTRACKED)) == ["untracked content"]
