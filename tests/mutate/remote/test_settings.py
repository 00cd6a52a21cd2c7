"""Which remote is meant, where it is, and what of the configuration is refused by name."""

from pathlib import Path

import pytest

import gitglass
from gitglass.errors import BadRequest, Unsupported
from gitglass.mutate.remote.settings import (
    check_word,
    default_fetch,
    default_push,
    merges_of,
    peer_named,
    wants_prune,
)
from gitglass.repo.store import Store


def store_of(folder: Path, config: str) -> Store:
    git = folder / ".git"
    for name in ("objects", "refs/heads"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n" + config)
    return gitglass.open(folder).store


ORIGIN = '[remote "origin"]\n\turl = /srv/o\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def test_a_remote_and_an_address(tmp_path: Path) -> None:
    store = store_of(tmp_path, ORIGIN + "\tpushurl = /srv/p\n\ttagOpt = --no-tags\n\tprune = true\n")
    peer = peer_named(store, b"origin")
    assert (peer.address(store).path, peer.address(store, push=True).path) == (b"/srv/o", b"/srv/p")
    assert peer.tags == b"--no-tags" and wants_prune(store, peer, None) and not wants_prune(store, peer, False)
    assert [spec.raw() for spec in peer.fetch] == [b"+refs/heads/*:refs/remotes/origin/*"]
    other = peer_named(store, b"../o")
    assert not other.name and other.address(store).path == bytes(tmp_path.parent) + b"/o"


def test_instead_of(tmp_path: Path) -> None:
    config = (
        ORIGIN.replace("/srv/o", "gh:x") + '[url "https://h/"]\n\tinsteadOf = gh:\n[url "/w/"]\n\tpushInsteadOf = gh:\n'
    )
    store = store_of(tmp_path, config)
    peer = peer_named(store, b"origin")
    assert peer.address(store).bare == "https://h/x" and peer.address(store, push=True).path == b"/w/x"
    assert peer_named(store, b"gh:y").address(store).bare == "https://h/y"


@pytest.mark.parametrize(
    ("config", "fetched", "pushed"),
    [
        ("", b"origin", b"origin"), ('[remote "up"]\n\turl = x\n', b"up", b"up"),
        (ORIGIN + '[remote "up"]\n\turl = x\n', b"origin", b"origin"),
        ('[branch "main"]\n\tremote = a\n[remote]\n\tpushDefault = b\n', b"a", b"b"),
        ('[branch "main"]\n\tremote = a\n\tpushRemote = c\n[remote]\n\tpushDefault = b\n', b"a", b"c"),
    ],
)  # fmt: skip
def test_the_remote_that_is_meant(tmp_path: Path, config: str, fetched: bytes, pushed: bytes) -> None:
    store = store_of(tmp_path, config)
    assert (default_fetch(store), default_push(store)) == (fetched, pushed)


def test_what_the_branch_merges(tmp_path: Path) -> None:
    store = store_of(tmp_path, '[branch "main"]\n\tremote = a\n\tmerge = refs/heads/x\n')
    assert merges_of(store, b"a") == [b"refs/heads/x"] and merges_of(store, b"b") == []


@pytest.mark.parametrize("setting", ["uploadpack", "receivepack", "vcs", "proxy"])
def test_settings_that_name_programs(tmp_path: Path, setting: str) -> None:
    store = store_of(tmp_path, ORIGIN + f"\t{setting} = sh -c id\n")
    with pytest.raises(Unsupported, match=setting):
        peer_named(store, b"origin").address(store)


def test_groups_and_several_addresses(tmp_path: Path) -> None:
    store = store_of(tmp_path, ORIGIN + "\turl = /srv/second\n[remotes]\n\tall = origin up\n")
    with pytest.raises(Unsupported, match="group"):
        peer_named(store, b"all")
    peer = peer_named(store, b"origin")
    assert peer.address(store).path == b"/srv/o"
    with pytest.raises(Unsupported, match="several"):
        peer.address(store, push=True)


@pytest.mark.parametrize("word", ["", "--upload-pack=x", "a\nb", "a\0"])
def test_words_that_are_no_remotes(word: str) -> None:
    with pytest.raises(BadRequest):
        check_word(word)
