"""Our refs as dulwich's, compared with dulwich's own reading of the same directory; writers refuse."""

from pathlib import Path
from typing import Any

import pytest
from dulwich.objects import Tag
from dulwich.refs import RefsContainer
from dulwich.repo import Repo

import gitglass
from gitglass.bridge.errors import ReadOnly
from gitglass.errors import GitError

ZERO = b"0" * 40


@pytest.fixture
def both(disk: Path) -> tuple[RefsContainer, RefsContainer]:
    """(ours, dulwich's), with a loose ref beside the packed ones."""
    theirs = Repo(str(disk)).refs
    theirs[b"refs/heads/topic/new"] = theirs[b"refs/heads/side"]
    theirs[b"refs/headstones/one"] = theirs[b"refs/heads/side"]
    return gitglass.open(disk).dulwich().refs, theirs


def test_all_refs_are_what_dulwich_reads(both: tuple[RefsContainer, RefsContainer]) -> None:
    ours, theirs = both
    assert ours.allkeys() == theirs.allkeys() and len(ours.allkeys()) == 7
    assert ours.as_dict() == theirs.as_dict()
    assert ours.get_symrefs() == theirs.get_symrefs() != {}
    assert ours.get_packed_refs() == theirs.get_packed_refs() != {}
    for name in ours.allkeys():
        assert ours[name] == theirs[name] and name in ours
        assert ours.read_ref(name) == theirs.read_ref(name)
        assert ours.read_loose_ref(name) == theirs.read_loose_ref(name)
        assert ours.follow(name) == theirs.follow(name)


def test_names_below_a_base_are_whole(both: tuple[RefsContainer, RefsContainer]) -> None:
    ours, theirs = both
    for base in (b"refs/heads", b"refs/heads/", b"refs/tags", b"refs", b"refs/heads/topic", b"refs/none"):
        assert ours.subkeys(base) == {
            name[len(base.rstrip(b"/")) + 1 :] for name in theirs.allkeys() if name.startswith(base.rstrip(b"/") + b"/")
        }
        assert ours.as_dict(base) == {name: theirs[base.rstrip(b"/") + b"/" + name] for name in ours.subkeys(base)}
    assert ours.subkeys(b"refs/heads") == {b"main", b"side", b"topic/new"}


def test_peeled_tags_lead_to_commits(both: tuple[RefsContainer, RefsContainer], disk: Path) -> None:
    """packed-refs as dulwich writes it has no peeled tags, though its header says so, and dulwich takes the tag itself
    for what it leads to; the tag is read here."""
    ours, _ = both
    tag = Repo(str(disk))[b"refs/tags/v1.0"]
    assert isinstance(tag, Tag) and ours[b"refs/tags/v1.0"] == tag.id
    assert ours.get_peeled(b"refs/tags/v1.0") == tag.object[1]
    assert ours.get_peeled(b"refs/heads/main") == ours[b"refs/heads/main"]
    assert ours.get_peeled(b"refs/heads/topic/new") is None  # in a file of its own: not known without reading it
    assert gitglass.open(disk).dulwich().get_peeled(b"refs/tags/v1.0") == tag.object[1]
    assert ours.get_peeled(b"refs/heads/none") is None


def test_peeled_tags_of_packed_refs(unpack: Any) -> None:
    path = unpack("packed")
    repo = gitglass.open(path).dulwich()
    theirs = Repo(str(path))
    tags = [name for name in repo.refs.get_packed_refs() if name.startswith(b"refs/tags/")]
    assert tags
    for name in repo.refs.get_packed_refs():
        assert (
            repo.refs.get_peeled(name)
            == theirs.refs.get_peeled(name)
            == theirs.object_store.peel(repo.refs[name])[1].id
        )


def test_missing_and_malformed_names_are_not_there(both: tuple[RefsContainer, RefsContainer]) -> None:
    ours, _ = both
    for name in (b"refs/heads/none", b"refs/heads/../../config", b"../config", b"refs/heads/a..b", b"", b"/etc/passwd"):
        assert name not in ours and ours.read_ref(name) is None
        with pytest.raises(KeyError):
            ours[name]


def test_a_new_value_is_seen_at_once(both: tuple[RefsContainer, RefsContainer]) -> None:
    ours, theirs = both
    assert ours[b"HEAD"] == theirs[b"HEAD"]
    theirs[b"refs/heads/main"] = theirs[b"refs/heads/side"]
    theirs[b"refs/heads/later"] = theirs[b"refs/heads/side"]
    assert ours[b"HEAD"] == theirs[b"refs/heads/side"]
    assert b"refs/heads/later" in ours.allkeys()


@pytest.mark.parametrize(
    "write",
    [
        lambda refs: refs.__setitem__(b"refs/heads/main", ZERO),
        lambda refs: refs.__delitem__(b"refs/heads/main"),
        lambda refs: refs.set_if_equals(b"refs/heads/main", None, ZERO),
        lambda refs: refs.add_if_new(b"refs/heads/new", ZERO),
        lambda refs: refs.remove_if_equals(b"refs/heads/main", None),
        lambda refs: refs.set_symbolic_ref(b"HEAD", b"refs/heads/side"),
        lambda refs: refs.add_packed_refs({b"refs/heads/new": ZERO}),
        lambda refs: refs.pack_refs(),
        lambda refs: refs.import_refs(b"refs/remotes/x", {b"main": ZERO}),
    ],
)
def test_what_would_write_is_refused(both: tuple[RefsContainer, RefsContainer], disk: Path, write: object) -> None:
    ours, _ = both
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    with pytest.raises(PermissionError) as caught:
        write(ours)  # type: ignore[operator]
    assert isinstance(caught.value, GitError) and isinstance(caught.value, ReadOnly)
    assert caught.value.code == "permission_denied" and caught.value.hint
    assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before
