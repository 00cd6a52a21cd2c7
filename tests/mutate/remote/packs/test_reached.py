"""What is behind objects, and that what new objects name is whole: by their parents, or by a walk."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, read, run

import gitglass
from gitglass.errors import Corrupt, MissingObject, NotFound
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import Moment, WriteGrant
from gitglass.mutate.remote.packs.quarantine import take_objects
from gitglass.mutate.remote.packs.reached import beside_parents, reached
from gitglass.mutate.view import View

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    made = empty(tmp_path / "repo", bare=False)
    for folder in ("a/b", "c"):
        (made / folder).mkdir(parents=True)
        (made / folder / "f").write_text(folder)
    commit(made, "one", name="g")
    run(made, "add", ".")
    run(made, "commit", "-q", "-m", "two")
    run(made, "tag", "-a", "-m", "x", "v1")
    commit(made, "three", name="a/b/f")
    return made


def oid(repo: Path, word: str) -> bytes:
    return bytes.fromhex(read(repo, "rev-parse", word))


def test_the_same_as_rev_list(repo: Path) -> None:
    store = gitglass.open(repo).store
    for wants, haves in ((["HEAD"], []), (["HEAD"], ["HEAD~1"]), (["v1", "HEAD:c"], ["HEAD~2"]), (["HEAD"], ["v1"])):
        lines = read(repo, "rev-list", "--objects", *wants, "--not", *haves).splitlines()
        made = reached(store, [oid(repo, word) for word in wants], [oid(repo, word) for word in haves], Limits())
        assert [one.hex() for one in made] == [line.split(" ")[0] for line in lines]
    assert reached(store, [oid(repo, "v1")], [], Limits(), all_refs=True) == []
    with pytest.raises((NotFound, MissingObject)):
        reached(store, [b"\x11" * 20], [], Limits())


def view_of(repo: Path, ctx: Context) -> View:
    return View(gitglass.open(repo).store, WriteGrant(), Moment(1, 0), ctx)


def new_commit(view: View, repo: Path, parent: str, names: dict[bytes, bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """A commit whose tree is that of `parent` with other objects at some names: (oid, kind, content) of both."""
    rows = []
    for line in read(repo, "ls-tree", f"{parent}:").splitlines():
        mode, _, rest = line.split(" ", 2)
        word, name = rest.encode().split(b"\t")
        rows.append(mode.lstrip("0").encode() + b" " + name + b"\0" + names.get(name, bytes.fromhex(word.decode())))
    tree = b"".join(rows)
    top = view.new.add(b"tree", tree)
    lines = f"tree {top.hex()}\nparent {read(repo, 'rev-parse', parent)}\n".encode()
    body = lines + b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n"
    made = [(top, b"tree", tree), (view.new.add(b"commit", body), b"commit", body)]
    view.new.held.clear()
    return made


def test_what_a_parent_has_is_not_walked(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blob = oid(repo, "HEAD:a/b/f")
    with Context(Limits()) as ctx:
        view = view_of(repo, ctx)
        monkeypatch.setattr("gitglass.mutate.remote.packs.quarantine.reached", None)  # it would fail
        made = new_commit(view, repo, "HEAD", {b"g": oid(repo, "HEAD:g")})
        take_objects(view, made, [made[-1][0]], action="receive")
        head = oid(repo, "HEAD")
        whole = beside_parents(view, {head})
        assert {head, oid(repo, "HEAD^{tree}"), oid(repo, "HEAD:c"), oid(repo, "HEAD:g")} <= whole
        assert blob not in whole  # below what is the same nobody looks
        assert beside_parents(view, set()) == set()


def test_what_no_parent_has_is_walked(repo: Path) -> None:
    """An object that is here, with a hole behind it that no ref leads to."""
    run(repo, "branch", "side", "HEAD~1")
    hole = oid(repo, "HEAD:a/b/f").hex()
    folder = oid(repo, "HEAD:a")
    run(repo, "reset", "-q", "--hard", "HEAD~1")
    (repo / ".git/objects" / hole[:2] / hole[2:]).unlink()
    with Context(Limits()) as ctx:
        view = view_of(repo, ctx)
        made = new_commit(view, repo, "HEAD", {b"a": folder})
        with pytest.raises(Corrupt):
            take_objects(view, made, [made[-1][0]], action="receive")
