"""Addresses: what they are, what is refused by name, what a grant covers, and that no password is shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.errors import BadRequest, GitError, NotGranted, Unsupported
from gitglass.mutate.grant import ALL_EFFECTS, WriteGrant
from gitglass.mutate.remote.addresses import need_granted, parse_address

TOP = b"/srv/work"


@pytest.mark.parametrize(
    ("raw", "kind", "path"),
    [
        (b"/a/b", "local", b"/a/b"), (b"../b", "local", b"/srv/b"), (b"b", "local", b"/srv/work/b"),
        (b"./x:y", "local", b"/srv/work/x:y"), (b"/x:y", "local", b"/x:y"), (b"file:///a//b/../c", "local", b"/a/c"),
        (b"file://host/a", "local", b"/a"), (b"https://h/x.git", "https", b""), (b"HTTP://localhost:80/x", "http", b""),
    ],
)  # fmt: skip
def test_what_an_address_is(raw: bytes, kind: str, path: bytes) -> None:
    made = parse_address(raw, TOP)
    assert (made.kind, made.path) == (kind, path)


@pytest.mark.parametrize(
    "raw",
    [b"host:x", b"git@host:x/y.git", b"ssh://h/x", b"git+ssh://h/x", b"ext::sh -c id", b"fd::7", b"git://h/x", b"ftp://h/x",
     b"a:b/c"],
)  # fmt: skip
def test_what_would_run_a_program_is_refused_by_name(raw: bytes) -> None:
    with pytest.raises(Unsupported):
        parse_address(raw, TOP)


@pytest.mark.parametrize(
    "raw", [b"", b"a\nb", b"a\0b", b"file://", b"https:///x", b"https://h:x/", b"https://h/?a", b"https://h/a b"]
)
def test_what_makes_no_sense(raw: bytes) -> None:
    with pytest.raises(BadRequest):
        parse_address(raw, TOP)


def test_a_password_is_never_shown() -> None:
    made = parse_address(b"https://me%40x:s%3Acret@h:8443/r.git", TOP)
    assert made.full == b"https://me%40x@h:8443/r.git" and made.shown == b"https://h:8443/r.git"
    assert made.bare == "https://h:8443/r.git" and made.login == ("me@x", "s:cret") and made.host == "h"
    with pytest.raises(NotGranted) as info:
        need_granted(made, WriteGrant(effects=ALL_EFFECTS))
    assert "cret" not in str(info.value) + repr(info.value.data)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"git@host:x/y.git", b"host:x/y.git"),
        (b"host:x/y.git", b"host:x/y.git"),
        (b"host:a@b", b"host:a@b"),
        (b"git@host:a@b", b"host:a@b"),
        (b"ssh://git@host/x", b"ssh://host/x"),
        (b"ssh://git@host:22/x", b"ssh://host:22/x"),
        (b"ssh://host/a@b:c", b"ssh://host/a@b:c"),
        (b"https://me@h/x", b"https://h/x"),
        (b"https://h/x@y", b"https://h/x@y"),
        (b"./a@b:c", b"./a@b:c"),
    ],
)
def test_the_user_is_left_out_where_git_says_or_writes_an_address(raw: bytes, shown: bytes) -> None:
    assert parse_address(raw, TOP, ssh=True).shown == shown


def grant(*remotes: str, plain: bool = False, network: bool = True) -> WriteGrant:
    effects = ALL_EFFECTS if network else WriteGrant().effects
    return WriteGrant(remotes=remotes, plain_http=plain, effects=effects)


@pytest.mark.parametrize(
    ("raw", "given", "fine"),
    [
        (b"/srv/a", grant(), False), (b"/srv/a", grant("/srv/*"), True), (b"/srv/../etc", grant("/srv/*"), False),
        (b"/srv/a", grant("/srv/*", network=False), True), (b"https://h/x", grant("https://h/*"), True),
        (b"https://h/x", grant("https://h/*", network=False), False), (b"https://h@evil/x", grant("https://h*"), False),
        (b"https://evil/x", grant("https://h/*"), False), (b"http://127.0.0.1:1/x", grant("*"), False),
        (b"http://127.0.0.1:1/x", grant("*", plain=True), True), (b"http://h/x", grant("*", plain=True), False),
        (b"http://localhost.evil/x", grant("*", plain=True), False), (b"https://u:p@h/x", grant("https://h/x"), True),
    ],
)  # fmt: skip
def test_what_a_grant_covers(raw: bytes, given: WriteGrant, fine: bool) -> None:
    address = parse_address(raw, TOP)
    if fine:
        need_granted(address, given)
    else:
        with pytest.raises(NotGranted):
            need_granted(address, given)


def test_where_a_link_leads_counts() -> None:
    address = parse_address(b"/srv/link", TOP)
    need_granted(address, grant("/srv/*"), b"/srv/real")
    with pytest.raises(NotGranted):
        need_granted(address, grant("/srv/*"), b"/etc/secret")


@given(st.text("ab:/@?#. %\x7f[]", max_size=24), st.sampled_from(["", "https://", "http://", "file://", "ssh://"]))
def test_any_word_is_an_address_or_refused(word: str, front: str) -> None:
    try:
        made = parse_address((front + word).encode(), TOP)
    except GitError:
        return
    assert (made.kind == "local" and made.path.startswith(b"/")) or made.host
