"""verify: what is damaged, in the words of git's fsck."""

import zlib
from pathlib import Path
from typing import Any

import pytest

import gitglass

from ..hostile.craft import blob, commit, entry, files, head, loose, object_path, pack, packed, put, tree
from ..support.copies import copy_tree


def damaged(repo: Path) -> list[str]:
    return sorted(damage.words for damage in gitglass.open(repo, root=repo).verify())


def fresh(unpack: Any, place: Path) -> Path:
    copy_tree(unpack("plain"), place / "repo")
    return place / "repo"


def test_nothing_is_wrong_with_good_repositories(unpack: Any) -> None:
    for name in ("plain", "packed", "sha256", "bare", "shallow", "sparse", "submodule", "dirty"):
        assert [damage for damage in gitglass.open(unpack(name)).verify() if damage.is_error] == [], name


def test_a_missing_object_is_named_with_who_names_it(unpack: Any, tmp_path: Path) -> None:
    repo = fresh(unpack, tmp_path)
    gone, parent = "aa" * 20, head(repo)
    name = commit(repo, tree(repo, (b"100644", b"README.md", gone)), parents=[parent])
    top = tree(repo, (b"100644", b"README.md", gone))
    assert damaged(repo) == [
        f"broken link from    tree {top}\n              to    blob {gone}",
        f"missing blob {gone}",
    ]
    put(repo / ".git/refs/heads/odd", gone.encode())
    assert f"error: refs/heads/odd: invalid sha1 pointer {gone}" in damaged(repo)
    assert name != parent


def test_a_hash_that_is_not_the_name_is_found_in_packs_too(unpack: Any, tmp_path: Path) -> None:
    repo = fresh(unpack, tmp_path)
    one, other = "aa" * 20, "ab" * 20
    pack(repo, [packed(3, b"hello")], [one])
    put(object_path(repo, other), zlib.compress(b"blob 5\0hello"))
    real = blob(repo, b"hello")
    path, name = f".git/objects/ab/{other[2:]}", next((repo / ".git/objects/pack").glob("*.pack")).name
    assert damaged(repo) == [
        f"dangling blob {real}",
        f"error: {real}: hash-path mismatch, found at: {path}",
        f"error: index CRC mismatch for object {one} from .git/objects/pack/{name} at offset 12",
        f"error: packed {one} from .git/objects/pack/{name} is corrupt",
    ]


def test_a_turned_bit_is_found_by_the_checksum(unpack: Any, tmp_path: Path) -> None:
    repo = fresh(unpack, tmp_path)
    name = blob(repo, b"hello")
    path = pack(repo, [packed(3, b"hello")], [name])
    raw = bytearray(path.read_bytes())
    raw[11 + 3] ^= 1
    put(path, bytes(raw))
    assert any("pack checksum mismatch" in words for words in damaged(repo))


def test_the_rules_of_objects(unpack: Any, tmp_path: Path) -> None:
    repo = fresh(unpack, tmp_path)
    inner = blob(repo, b"x\n")
    odd = loose(
        repo, b"tree", entry(b"100644", b"b", inner) + entry(b"0100644", b"a", inner) + entry(b"100644", b".git", inner)
    )
    commit(repo, odd, author=b"A 1 +0000", parents=[head(repo)])
    name = head(repo)
    assert damaged(repo) == [
        f"error in commit {name}: missingEmail: invalid author/committer line - missing email",
        f"error in tree {odd}: treeNotSorted: not properly sorted",
        f"warning in tree {odd}: hasDotgit: contains '.git'",
        f"warning in tree {odd}: zeroPaddedFilemode: contains zero-padded file modes",
    ]
    put(repo / ".git/refs/heads/main", loose(repo, b"commit", b"tree x\n").encode())
    assert any("object could not be parsed" in words for words in damaged(repo))


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        (b".git/x", True),
        (b".GIT . /x", True),
        (b"git~1/x", True),
        (b".git\xe2\x80\x8c/x", True),
        (b".gitx/.git", False),
    ],
)
def test_a_slash_ends_the_name_of_a_git_directory(unpack: Any, tmp_path: Path, name: bytes, odd: bool) -> None:
    repo = fresh(unpack, tmp_path)
    tree = loose(repo, b"tree", entry(b"100644", name, blob(repo, b"x\n")))
    commit(repo, tree, parents=[head(repo)])
    assert (f"warning in tree {tree}: hasDotgit: contains '.git'" in damaged(repo)) is odd


def test_what_the_index_names_must_be_there(unpack: Any, tmp_path: Path) -> None:
    repo = fresh(unpack, tmp_path)
    here = files(repo, (b"a", b"staged\n"))
    object_path(repo, "6f9c7314fba1f9078d594e760cbd64ddf9a2889e").unlink()
    assert any(words.endswith("missing blob 6f9c7314fba1f9078d594e760cbd64ddf9a2889e") for words in damaged(repo)), here
