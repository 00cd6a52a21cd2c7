import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store
from gitglass.worktree.convert import Converter, Endings, lfs_pointer, read_work_file


def convert(repo: Any, ctx: Context, rules: str, data: bytes, config: str = "") -> bytes:
    repo.write(".gitattributes", rules.encode())
    repo.config(config)
    return Converter(repo.store()).to_git(b"f", data, ctx=ctx)


def with_user(repo: Any, user: Path) -> Store:
    """The repository as the command line opens it: the user's configuration is read."""
    return open_store(Where(cwd=os.fsencode(repo.top)), root=b"/", config={"user": (os.fsencode(user),)})


@pytest.mark.parametrize(
    ("rules", "config", "data", "want", "warned"),
    [
        ("", "", b"a\r\n", b"a\r\n", False),
        ("f text", "", b"a\r\nb\n", b"a\nb\n", True),
        ("f text", "", b"a\rb\r\n", b"a\rb\n", True),  # a lone CR stays
        ("f -text", "[core]\n\tautocrlf = true\n", b"a\r\n", b"a\r\n", False),
        ("", "[core]\n\tautocrlf = input\n", b"a\r\n", b"a\n", True),
        ("", "[core]\n\tautocrlf = true\n", b"a\r\n", b"a\n", False),  # it would come back as it is
        ("", "[core]\n\tautocrlf = true\n", b"a\n", b"a\n", True),
        ("f text=auto", "", b"a\r\n\0", b"a\r\n\0", False),
        ("f eol=crlf", "", b"a\r\n", b"a\n", False),
        ("f text", "[core]\n\tsafecrlf = false\n", b"a\r\n", b"a\n", False),
        ("f ident", "", b"$Id: 123 $ $Id$ $Id:\n$", b"$Id$ $Id$ $Id:\n$", False),
        ("f working-tree-encoding=UTF-16LE", "", "é".encode("utf-16-le"), "é".encode(), False),
    ],
)
def test_rules(repo: Any, ctx: Context, rules: str, config: str, data: bytes, want: bytes, warned: bool) -> None:
    assert convert(repo, ctx, rules, data, config) == want
    assert bool(ctx.stderr) is warned


def test_auto_leaves_a_file_alone_whose_staged_form_has_crlf(repo: Any, ctx: Context) -> None:
    repo.add("f", b"a\r\n")
    assert convert(repo, ctx, "f text=auto", b"a\r\nb\r\n") == b"a\r\nb\r\n"


def test_filters_are_not_run_but_noted(repo: Any, ctx: Context) -> None:
    assert convert(repo, ctx, "f filter=x", b"abc", '[filter "x"]\n\tclean = rm -rf /\n') == b"abc"
    assert ctx.notes == ["filter 'x' is not run: 'f' is taken as it is"]


def test_lfs(repo: Any, ctx: Context) -> None:
    pointer = convert(repo, ctx, "f filter=lfs", b"big", '[filter "lfs"]\n\tclean = git-lfs clean\n')
    assert pointer.splitlines()[1:] == [b"oid sha256:" + hashlib.sha256(b"big").hexdigest().encode(), b"size 3"]
    assert lfs_pointer(pointer) == pointer
    assert lfs_pointer(b"") == b""


def test_lfs_configured_by_the_user_only(repo: Any, ctx: Context) -> None:
    assert convert(repo, ctx, "f filter=lfs", b"big") == lfs_pointer(b"big")
    assert ctx.notes == [
        "files with filter=lfs are compared by the pointers that Git LFS would store; no filter is run"
    ]


def test_lfs_where_the_users_configuration_is_read(repo: Any, ctx: Context, tmp_path: Path) -> None:
    (repo.top / ".gitattributes").write_text("f filter=lfs\n")
    user = tmp_path / "gitconfig"
    user.write_text("")
    without = Converter(with_user(repo, user))
    assert without.to_git(b"f", b"big", ctx=ctx) == b"big" and ctx.notes == []
    user.write_text('[filter "lfs"]\n\tclean = git-lfs clean\n')
    assert Converter(with_user(repo, user)).to_git(b"f", b"big", ctx=ctx) == lfs_pointer(b"big")


def test_content_committed_without_lfs_is_unchanged(repo: Any, ctx: Context) -> None:
    repo.add("f", b"big")
    assert convert(repo, ctx, "f filter=lfs", b"big") == b"big"
    assert convert(repo, ctx, "f filter=lfs", b"other") == lfs_pointer(b"other")


def test_links_are_their_targets(repo: Any, ctx: Context) -> None:
    (repo.top / "l").symlink_to("/etc/passwd")
    assert read_work_file(repo.store(), b"l", 0o120000, ctx=ctx) == b"/etc/passwd"
    assert read_work_file(repo.store(), b"l", 0o100644, ctx=ctx) is None


@given(st.binary(max_size=200))
def test_counts(data: bytes) -> None:
    found = Endings.of(data)
    assert 2 * found.crlf + found.lonelf + found.lonecr == data.count(b"\r") + data.count(b"\n")
    assert found.binary or b"\0" not in data


@pytest.mark.parametrize(
    ("encoding", "data", "want", "words"),
    [
        ("UTF-16LE-BOM", b"\xff\xfe\xe9\0", "é".encode(), b""),  # git's own word for what Windows writes
        ("utf16le", b"\xe9\0", "é".encode(), b""),
        ("UTF-16", b"\xe9\0", b"\xe9\0", b"error: BOM is required in 'f' if encoded as UTF-16\n"),
        ("UTF-16LE", b"\xff\xfe\xe9\0", b"\xff\xfe\xe9\0", b"error: BOM is prohibited in 'f' if encoded as UTF-16LE\n"),
    ],
)
def test_byte_order_marks(repo: Any, ctx: Context, encoding: str, data: bytes, want: bytes, words: bytes) -> None:
    assert convert(repo, ctx, f"f working-tree-encoding={encoding}", data) == want
    assert b"".join(ctx.stderr).endswith(words)
    assert bool(ctx.stderr) is bool(words)


def test_an_encoding_needs_a_name(repo: Any, ctx: Context) -> None:
    with pytest.raises(GitError, match="true/false are no valid working-tree-encodings"):
        convert(repo, ctx, "f working-tree-encoding", b"x")


@pytest.mark.parametrize(
    ("line", "count"),
    [("diff", 1), ("diff --stat", 1), ("diff HEAD", 1), ("diff --raw", 1), ("diff -p --stat", 2), ("diff-files -p", 1)],
)
def test_a_warning_for_each_time_git_reads_a_file(repo: Any, line: str, count: int) -> None:
    """What was compared is at hand for the first output, and read again for the next."""
    repo.write(".gitattributes", b"* text\n")
    repo.add("a", b"one\n")
    repo.commit()
    repo.write("a", b"one\r\ntwo\r\n")
    repo.write_index()
    done = gitglass.git(line.split(), cwd=os.fspath(repo.top))
    assert done.returncode == 0
    assert done.stderr.count(b"CRLF will be replaced by LF") == count
