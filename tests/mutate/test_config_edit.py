"""Sections of branches in the config file."""

from gitglass.mutate.config_edit import (
    repeated,
    with_branch_copied,
    with_branch_renamed,
    with_upstream,
    without_branch,
    without_upstream,
)

FILE = b'[core]\n\tbare = false\n[branch "a"]\n\tremote = origin\n\tmerge = refs/heads/a\n; kept\n[remote "origin"]\n\turl = x\n'


def test_every_other_byte_stays() -> None:
    assert without_branch(FILE, b"a") == b'[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n'
    assert without_branch(FILE, b"b") == FILE
    assert with_branch_renamed(FILE, b"a", b'q"b') == FILE.replace(b'"a"', b'"q\\"b"')
    assert with_branch_copied(FILE, b"a", b"c").count(b"remote = origin") == 2


def test_an_upstream_is_set_and_taken_away() -> None:
    fresh = with_upstream(b"[core]\n\tbare = false", b"t", b"origin", [b"refs/heads/t"])
    assert fresh == b'[core]\n\tbare = false\n[branch "t"]\n\tremote = origin\n\tmerge = refs/heads/t\n'
    moved = with_upstream(fresh, b"t", b"up stream", [b"refs/heads/x"], rebase=True)
    assert moved.endswith(b'[branch "t"]\n\tremote = up stream\n\tmerge = refs/heads/x\n\trebase = true\n')
    again = with_upstream(moved + b"\n; kept\n", b"t", b"origin", [b"refs/heads/y"])
    assert again.endswith(b"\tremote = origin\n\trebase = true\n\tmerge = refs/heads/y\n\n; kept\n")
    both = with_upstream(again, b"t", b".", [b"refs/heads/y", b"refs/heads/z"])
    assert both.endswith(b"\trebase = true\n\tmerge = refs/heads/y\n\tmerge = refs/heads/z\n\n; kept\n")
    assert without_upstream(fresh, b"t") == b"[core]\n\tbare = false\n"


DOTTED = b"[core]\n\tbare = false\n[Branch.Topic]\n\tremote = .\n\tmerge = refs/heads/main\n"


def test_a_section_may_have_its_name_behind_a_dot() -> None:
    """As git 2.39 edits such a section, whose name it reads in lower case."""
    plain = DOTTED.partition(b"[Branch")[0]
    assert without_branch(DOTTED, b"topic") == without_upstream(DOTTED, b"topic") == plain
    assert without_branch(DOTTED, b"Topic") == DOTTED
    assert with_branch_renamed(DOTTED, b"topic", b"t") == DOTTED.replace(b"[Branch.Topic]", b'[branch "t"]')
    assert with_branch_copied(DOTTED, b"topic", b"t").endswith(
        b'[branch "t"]\n\tremote = .\n\tmerge = refs/heads/main\n'
    )
    assert with_upstream(DOTTED, b"topic", b".", [b"refs/heads/x"]) == DOTTED.replace(b"/main", b"/x")


def test_of_several_values_all_stay_and_another_is_added() -> None:
    """As git 2.39, which warns of it."""
    data = b'[branch "a"]\n\tmerge = refs/heads/m\n\tremote = .\n\tremote = o\n\tmerge = refs/heads/x\n'
    assert repeated(data, b"a") == [b"remote", b"merge"] and repeated(FILE, b"a") == []
    assert with_upstream(data, b"a", b".", [b"refs/heads/m"]) == data + b"\tmerge = refs/heads/m\n"


def test_a_carriage_return_ends_no_line() -> None:
    data = b'[x]\n\ty = "a\r[branch "a"]\r"\n'
    assert without_branch(data, b"a") == data
