"""The paths of ls-tree are no pathspecs."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.paths.tree_listing import _Wanted, canonical_mode

TREE, BLOB, LINK = 0o040000, 0o100644, 0o160000


def test_a_slash_opens_a_directory() -> None:
    assert _Wanted([b"src"]).covers(b"src", TREE)
    assert not _Wanted([b"src"]).opens(b"src")
    assert _Wanted([b"src/"]).opens(b"src")
    assert _Wanted([b"src/a/b"]).opens(b"src")
    assert _Wanted([b"src/"]).covers(b"src/x", BLOB)
    assert not _Wanted([b"src"]).covers(b"srcs", BLOB)


def test_a_file_is_no_directory_and_a_submodule_hardly_one() -> None:
    assert not _Wanted([b"a/"]).covers(b"a", BLOB)
    assert _Wanted([b"sub/"]).covers(b"sub", LINK)
    assert not _Wanted([b"sub/x"]).covers(b"sub", LINK)


def wanted_by_one(match: bytes, path: bytes, mode: int) -> bool:
    """git's rule for one requested path: it names the entry, a directory above it, or something below it."""
    if not match or match == path or path.startswith(match if match.endswith(b"/") else match + b"/"):
        return True
    return match.startswith(path + b"/") and (mode == TREE or (mode == LINK and match == path + b"/"))


PARTS = st.lists(st.sampled_from(["a", "ab", "b", "-"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.tuples(PARTS, st.sampled_from(["", "/"])), max_size=6), PARTS, st.sampled_from([TREE, BLOB, LINK]))
def test_many_paths_are_asked_at_once(paths: list[tuple[str, str]], path: str, mode: int) -> None:
    matches, entry = [(name + end).encode() for name, end in paths], path.encode()
    wanted = _Wanted(matches)
    assert wanted.covers(entry, mode) == any(wanted_by_one(match, entry, mode) for match in matches)
    assert wanted.opens(entry) == any(match.startswith(entry + b"/") for match in matches)


def test_modes_as_git_sees_them() -> None:
    assert [canonical_mode(mode) for mode in (0o100664, 0o100775, 0o120777, 0o040700, 0o160000)] == [
        0o100644,
        0o100755,
        0o120000,
        0o040000,
        0o160000,
    ]
