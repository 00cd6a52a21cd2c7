"""The paths of ls-tree are no pathspecs."""

from gitglass.paths.tree_listing import _interesting, _opens, canonical_mode

TREE, BLOB, LINK = 0o040000, 0o100644, 0o160000


def test_a_slash_opens_a_directory() -> None:
    assert _interesting([b"src"], b"src", TREE)
    assert not _opens([b"src"], b"src")
    assert _opens([b"src/"], b"src")
    assert _opens([b"src/a/b"], b"src")
    assert _interesting([b"src/"], b"src/x", BLOB)
    assert not _interesting([b"src"], b"srcs", BLOB)


def test_a_file_is_no_directory_and_a_submodule_hardly_one() -> None:
    assert not _interesting([b"a/"], b"a", BLOB)
    assert _interesting([b"sub/"], b"sub", LINK)
    assert not _interesting([b"sub/x"], b"sub", LINK)


def test_modes_as_git_sees_them() -> None:
    assert [canonical_mode(mode) for mode in (0o100664, 0o100775, 0o120777, 0o040700, 0o160000)] == [
        0o100644,
        0o100755,
        0o120000,
        0o040000,
        0o160000,
    ]
