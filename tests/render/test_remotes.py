"""`git remote show -n`."""

from gitglass.render.remotes import show_remote
from gitglass.revs.remotes import Pull, Remote

PUSHES = b"  Local ref configured for 'git push' (status not queried):\n"
HEAD = b"  HEAD branch: (not queried)\n"


def test_addresses_and_the_push_that_is_usual() -> None:
    assert list(show_remote(Remote(b"o", [b"u", b"v"]), [], [])) == [
        b"* remote o\n",
        b"  Fetch URL: u\n",
        b"  Push  URL: u\n",
        b"  Push  URL: v\n",
        HEAD,
        PUSHES,
        b"    (matching) pushes to (matching)\n",
    ]


def test_no_address_and_one_to_push_to() -> None:
    assert list(show_remote(Remote(b"o"), [], []))[1:3] == [b"  Fetch URL: (no URL)\n", b"  Push  URL: (no URL)\n"]
    lines = list(show_remote(Remote(b"o", [b"u"], [b"p"]), [], []))
    assert lines[1:4] == [b"  Fetch URL: u\n", b"  Push  URL: p\n", HEAD]


def test_branches_of_the_remote() -> None:
    remote = Remote(b"o", mirror=True)
    mirrored = b"  Local refs will be mirrored by 'git push'\n"
    assert list(show_remote(remote, [b"a"], []))[4:] == [
        b"  Remote branch: (status not queried)\n",
        b"    a\n",
        mirrored,
    ]
    assert list(show_remote(remote, [b"a", b"b"], []))[4] == b"  Remote branches: (status not queried)\n"


def pulls(*given: Pull) -> list[bytes]:
    return list(show_remote(Remote(b"o", mirror=True), [], given))[4:-1]


def test_what_branches_pull() -> None:
    assert pulls(Pull(b"a", [b"m"], "")) == [
        b"  Local branch configured for 'git pull':\n",
        b"    a merges with remote m\n",
    ]
    assert pulls(Pull(b"long", [b"m", b"n"], ""), Pull(b"r", [b"m"], "true"), Pull(b"i", [b"m"], "interactive")) == [
        b"  Local branches configured for 'git pull':\n",
        b"    long  merges with remote m\n",
        b"             and with remote n\n",
        b"    r    rebases onto remote m\n",
        b"    i    rebases interactively onto remote m\n",
    ]
    assert pulls(Pull(b"a", [b"m"], "merges"))[1] == b"    a rebases interactively (with merges) onto remote m\n"


def test_pushes_are_sorted_and_aligned() -> None:
    remote = Remote(b"o", push=[b"+b:c", b":gone", b"a", b"+:"])
    assert list(show_remote(remote, [], []))[4:] == [
        b"  Local refs configured for 'git push' (status not queried):\n",
        b"    (delete)   pushes to gone\n",
        b"    (matching) forces to (matching)\n",
        b"    a          pushes to a\n",
        b"    b          forces to c\n",
    ]
