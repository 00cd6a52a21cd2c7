"""Blobs as they would be checked out. The expected bytes are what git 2.39.5 wrote (`cat-file --filters`)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest, Unsupported
from gitglass.limits import Context
from gitglass.worktree.smudge import _expanded, refuse_conversion, to_work_tree


def out(repo: Any, ctx: Context, rules: str, data: bytes, config: str = "") -> bytes:
    repo.write(".gitattributes", rules.encode())
    repo.config(config)
    return to_work_tree(repo.store(), b"f", data, ctx=ctx)


@pytest.mark.parametrize(
    ("rules", "config", "data", "want"),
    [
        ("", "", b"a\n", b"a\n"),
        ("f text", "", b"a\n", b"a\n"),
        ("f text eol=crlf", "", b"a\r\nb\n", b"a\r\nb\r\n"),
        ("f eol=crlf", "", b"a\0b\n", b"a\0b\r\n"),
        ("f text=auto eol=crlf", "", b"a\r\nb\n", b"a\r\nb\n"),
        ("f text=auto eol=crlf", "", b"a\rb\n", b"a\rb\n"),
        ("f text=auto eol=crlf", "", b"a\0b\n", b"a\0b\n"),
        ("", "[core]\n\tautocrlf = true\n", b"a\n", b"a\r\n"),
        ("", "[core]\n\tautocrlf = input\n", b"a\n", b"a\n"),
        ("f -text", "[core]\n\tautocrlf = true\n", b"a\n", b"a\n"),
        ("f text", "[core]\n\teol = crlf\n", b"a\n", b"a\r\n"),
        ("f working-tree-encoding=UTF-16", "", b"h\xc3\xa4\n", b"\xff\xfeh\0\xe4\0\n\0"),
        ("f working-tree-encoding=UTF-16LE", "", b"a", b"a\0"),
        ("f working-tree-encoding=UTF-16BE-BOM", "", b"a", b"\xfe\xff\0a"),
        ("f working-tree-encoding=utf-16le-bom", "", b"a", b"\xff\xfea\0"),
        ("f working-tree-encoding=UTF-32", "", b"a", b"\xff\xfe\0\0a\0\0\0"),
        ("f working-tree-encoding=latin1", "", b"h\xc3\xa4", b"h\xe4"),
        ("f working-tree-encoding=nope", "", b"", b""),
        ("f text eol=crlf working-tree-encoding=UTF-16", "", b"a\n", b"\xff\xfea\0\r\0\n\0"),
    ],
)
def test_rules(repo: Any, ctx: Context, rules: str, config: str, data: bytes, want: bytes) -> None:
    assert out(repo, ctx, rules, data, config) == want
    assert ctx.stderr == []


@pytest.mark.parametrize(
    ("name", "data"), [("UTF-16", b"\xe4"), ("latin1", "\u20ac".encode()), ("nope", b"a"), ("UTF-32LE-BOM", b"a")]
)
def test_what_cannot_be_encoded_stays_and_is_complained_of(repo: Any, ctx: Context, name: str, data: bytes) -> None:
    assert out(repo, ctx, f"f working-tree-encoding={name}", data) == data
    assert ctx.stderr == [b"error: failed to encode 'f' from UTF-8 to %s\n" % name.encode()]


def test_an_encoding_that_python_writes_otherwise_is_refused(repo: Any, ctx: Context) -> None:
    with pytest.raises(Unsupported, match="UTF-7 is not written"):
        out(repo, ctx, "f working-tree-encoding=UTF-7", b"$")


def test_ident(repo: Any, ctx: Context) -> None:
    data = b"$Id$ $Id: x $ $Id:x$ $Id: a b $ $Id:$ $Id:  $ $Id: x  $ $Id x$\n$Id: a\n$"
    got = out(repo, ctx, "f ident", data)
    name = b"$Id: " + got[5:45] + b" $"
    assert got == (
        name + b" " + name + b" " + name + b" $Id: a b $ " + name + b" " + name + b" $Id: x  $ $Id x$\n$Id: a\n$"
    )
    assert out(repo, ctx, "f ident", b"$Id$\n") == b"$Id: 055c8729cdcc372500a08db659c045e16c4409fb $\n"
    assert out(repo, ctx, "f ident text eol=crlf", b"$Id$\n") == b"$Id: 055c8729cdcc372500a08db659c045e16c4409fb $\r\n"


@given(st.text(alphabet="$Id: x\n", max_size=60))
def test_ident_changes_nothing_but_between_dollars(text: str) -> None:
    data = text.encode()
    grown = _expanded(data, "sha1")
    if b"$Id$" not in data and b"$Id:" not in data:
        assert grown == data
    assert grown.count(b"\n") == data.count(b"\n") and grown.count(b"$") == data.count(b"$")


@pytest.mark.parametrize("setting", ["smudge = cat", "process = cat"])
def test_a_configured_filter_is_refused_by_name(repo: Any, ctx: Context, setting: str) -> None:
    with pytest.raises(Unsupported, match="filter 'q' of 'f' runs a program") as caught:
        out(repo, ctx, "f filter=q", b"a", f'[filter "q"]\n\t{setting}\n')
    assert caught.value.status == 129


def test_filters_that_run_nothing(repo: Any, ctx: Context) -> None:
    assert out(repo, ctx, "f filter=q", b"a\n") == b"a\n"
    assert out(repo, ctx, "f filter=q", b"a\n", '[filter "q"]\n\tclean = cat\n\tsmudge =\n') == b"a\n"
    with pytest.raises(BadRequest, match="f: smudge filter q failed"):
        out(repo, ctx, "f filter=q", b"a\n", '[filter "q"]\n\trequired = true\n')
    with pytest.raises(Unsupported, match="filter 'lfs' of 'f'"):  # the user's configuration is not read
        out(repo, ctx, "f filter=lfs", b"a\n")


def test_conversion_to_text_is_refused_where_a_program_is_configured(repo: Any) -> None:
    repo.write(".gitattributes", b"a diff=x\nb -diff\nc diff\nd diff=python\ne diff=y\n")
    repo.config('[diff "x"]\n\ttextconv = cat\n[diff "y"]\n\tbinary = true\n')
    store = repo.store()
    for path in (b"b", b"c", b"d", b"e", b"other"):
        refuse_conversion(store, path, "grep")
    with pytest.raises(Unsupported, match="a program is configured for 'a'"):
        refuse_conversion(store, b"a", "grep")
    repo.config('[diff "default"]\n\ttextconv = cat\n[diff "y"]\n\tbinary = true\n')
    store = repo.store()
    for path in (b"b", b"c", b"d", b"e"):  # a driver of its own, even without a conversion
        refuse_conversion(store, path, "grep")
    for path in (b"a", b"other"):
        with pytest.raises(Unsupported):
            refuse_conversion(store, path, "grep")
