"""plans/status_patches.py: git status -v and -vv."""

from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.plans.status_patches import patches
from gitglass.render.style import Style
from gitglass.repo.store import Store
from gitglass.worktree.status import StatusSpec, status

STAGED, WORK = b"-1\n+2\n", b"-2\n+3\n"


@pytest.fixture
def store(repo: Any) -> Store:
    """`file` is 1 in HEAD, 2 in the index, 3 in the work tree."""
    repo.add("file", b"1\n")
    repo.commit()
    repo.add("file", b"2\n")
    repo.write("file", b"3\n")
    made: Store = repo.store()
    return made


def shown(store: Store, ctx: Context, verbose: int, comment: bytes = b"") -> bytes:
    found = status(store, StatusSpec(), ctx=ctx)
    return b"".join(patches(found, verbose, comment, Style(store, ctx)))


def test_once_what_is_staged(store: Store, ctx: Context) -> None:
    out = shown(store, ctx, 1)
    assert out.startswith(b"diff --git a/file b/file\n") and out.endswith(
        b"--- a/file\n+++ b/file\n@@ -1 +1 @@\n" + STAGED
    )
    assert WORK not in out


def test_twice_what_is_not_staged_as_well_under_headings(store: Store, ctx: Context) -> None:
    out = shown(store, ctx, 2, b"#")
    head, _, rest = out.partition(b"# " + b"-" * 50 + b"\n")
    assert head.startswith(b"# Changes to be committed:\ndiff --git c/file i/file\n") and head.endswith(STAGED)
    assert rest.startswith(b"# Changes not staged for commit:\ndiff --git i/file w/file\n") and rest.endswith(WORK)


def test_mnemonic_prefixes_are_the_users_choice_once(repo: Any, store: Store, ctx: Context) -> None:
    repo.config("[diff]\n\tmnemonicPrefix = true\n")
    assert shown(repo.store(), ctx, 1).startswith(b"diff --git c/file i/file\n")


def test_nothing_staged_has_no_heading(repo: Any, ctx: Context) -> None:
    repo.add("file", b"1\n")
    repo.commit()
    assert shown(repo.store(), ctx, 2) == b""
    repo.write("file", b"33\n")
    out = shown(repo.store(), ctx, 2)
    assert out.startswith(b"-" * 50 + b"\nChanges not staged for commit:\n") and out.endswith(b"-1\n+33\n")
