"""Our repository as dulwich's: its walker, archives, bundles, client and server work on it, and nothing is written."""

import io
import pickle
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from dulwich.archive import tar_stream
from dulwich.bundle import create_bundle_from_repo, read_bundle, write_bundle
from dulwich.client import LocalGitClient
from dulwich.errors import NoIndexPresent
from dulwich.index import IndexEntry
from dulwich.objects import Blob, Commit
from dulwich.repo import MemoryRepo, Repo

import gitglass
from gitglass.errors import Unsupported


def test_the_walker_visits_what_it_visits_on_dulwichs_own(disk: Path) -> None:
    ours, theirs = gitglass.open(disk).dulwich(), Repo(str(disk))
    found = [entry.commit.id for entry in ours.get_walker()]
    assert found == [entry.commit.id for entry in theirs.get_walker()] and len(found) == 4
    paths = [entry.commit.id for entry in ours.get_walker(paths=[b"src/x.py"])]
    assert paths == [entry.commit.id for entry in theirs.get_walker(paths=[b"src/x.py"])]
    assert ours.head() == theirs.head() and ours[b"HEAD"] == theirs[b"HEAD"]


def test_an_archive(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    commit = repo[b"HEAD"]
    assert isinstance(commit, Commit)
    data = b"".join(tar_stream(repo.object_store, repo.object_store[commit.tree], commit.commit_time))  # type: ignore[arg-type]
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert tar.getnames() == ["a.txt", "src/x.py"]
        file = tar.extractfile("src/x.py")
        assert file is not None and file.read() == b"def x():\n    return 2\n"


def test_a_bundle(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    out = io.BytesIO()
    write_bundle(out, create_bundle_from_repo(repo))
    bundle = read_bundle(io.BytesIO(out.getvalue()))
    assert bundle.references[b"refs/heads/main"] == repo.refs[b"refs/heads/main"]
    target = MemoryRepo()
    bundle.store_objects(target.object_store)
    tag = repo.refs[b"refs/tags/v1.0"]  # dulwich's bundles have what a tag leads to in its place
    assert set(target.object_store) == set(repo.object_store) - {tag}


def test_fetching_from_it_copies_everything(disk: Path) -> None:
    ours, target = gitglass.open(disk).dulwich(), MemoryRepo()
    refs = ours.fetch(target)
    assert refs == ours.get_refs()
    assert set(target.object_store) == set(ours.object_store)


def test_pushing_from_it_takes_a_new_commit_along(disk: Path, tmp_path: Path) -> None:
    """A commit made in memory above what is jailed arrives in a copy; here nothing changes."""
    copy = tmp_path / "copy.git"
    copy.mkdir()
    target = Repo.init_bare(str(copy))
    ours = gitglass.open(disk).dulwich()
    ours.fetch(target)
    target.refs[b"refs/heads/main"] = ours.refs[b"refs/heads/main"]
    target.close()
    old = ours[b"HEAD"]
    assert isinstance(old, Commit)
    blob = Blob.from_string(b"new\n")
    tree = ours.object_store[old.tree]
    tree.add(b"z.txt", 0o100644, blob.id)  # type: ignore[attr-defined]
    commit = old.copy()
    assert isinstance(commit, Commit)
    commit.tree, commit.parents, commit.message = tree.id, [old.id], b"New\n"
    for item in (blob, tree, commit):
        ours.object_store.add_object(item)
    before = sorted(disk.rglob("*"))
    result = LocalGitClient().send_pack(
        str(copy), lambda refs: {b"refs/heads/new": commit.id}, ours.object_store.generate_pack_data
    )
    assert result.ref_status in (None, {}, {b"refs/heads/new": None})
    assert Repo(str(copy))[commit.id] == commit and sorted(disk.rglob("*")) == before


def test_settings_that_name_a_program_are_left_out(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    config = repo.get_config()
    assert config.get((b"remote", b"origin"), b"url") == b"https://example.com/x.git"
    assert Repo(str(disk)).get_config().get((b"filter", b"evil"), b"clean") == b"touch /tmp/evil"
    with pytest.raises(KeyError):
        config.get((b"filter", b"evil"), b"clean")
    stack = repo.get_config_stack()
    assert [list(backend.sections()) for backend in stack.backends] == [list(config.sections())]


def test_files_of_the_git_directory_and_no_others(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    file = repo.get_named_file("HEAD")
    assert file is not None and file.read() == b"ref: refs/heads/main\n"
    (disk.parent / "secret").write_bytes(b"secret")
    (disk / "link").symlink_to(disk.parent / "secret")
    for name in ("missing", "../secret", "/etc/passwd", "refs/../../secret"):
        assert repo.get_named_file(name) is None
    with pytest.raises(gitglass.GitError) as caught:
        repo.get_named_file("link")
    assert caught.value.code == "sandbox_violation"
    assert (Repo(str(disk)).get_named_file("link") or io.BytesIO()).read() == b"secret"


def test_the_index_is_in_memory(unpack: object, disk: Path) -> None:
    with pytest.raises(NoIndexPresent):
        gitglass.open(disk).dulwich().open_index()
    path = unpack("plain")  # type: ignore[operator]
    handle = gitglass.open(path)
    index = handle.dulwich().open_index()
    assert [name.decode() for name in index] == [entry.path for entry in handle.ls_files(stage=True).files]
    index[b"new"] = IndexEntry(0, 0, 0, 0, 0o100644, 0, 0, 0, b"1" * 40)
    with pytest.raises(PermissionError):
        index.write()


@pytest.mark.parametrize(
    "write",
    [
        lambda repo: repo._put_named_file("x", b""),
        lambda repo: repo._del_named_file("HEAD"),
        lambda repo: repo.set_description(b"x"),
        lambda repo: repo.update_shallow({b"1" * 40}, None),
        lambda repo: repo.__setitem__(b"refs/heads/main", b"1" * 40),
        lambda repo: repo.__delitem__(b"refs/heads/main"),
        lambda repo: repo.get_rebase_state_manager(),
    ],
)
def test_what_would_write_is_refused(disk: Path, write: object) -> None:
    with pytest.raises(PermissionError):
        write(gitglass.open(disk).dulwich())  # type: ignore[operator]


def test_what_runs_programs_is_not_there(disk: Path) -> None:
    repo = gitglass.open(disk).dulwich()
    for ask in (repo.get_worktree, repo.get_blob_normalizer, repo.get_gitattributes):
        with pytest.raises(Unsupported):
            ask()


def test_a_shallow_boundary_ends_the_walk(disk: Path) -> None:
    name = gitglass.open(disk).git(["rev-parse", "side"], text=True).stdout.strip()
    (disk / "shallow").write_text(name + "\n")
    repo = gitglass.open(disk).dulwich()
    assert repo.get_shallow() == {name.encode()} and repo.get_parents(name.encode()) == []
    assert [entry.commit.id for entry in repo.get_walker(include=[name.encode()])] == [name.encode()]


def test_nothing_of_it_is_loaded_at_start() -> None:
    """Neither the import nor a command that reads nothing packed brings dulwich or the bridge in."""
    code = (
        "import sys, gitglass; gitglass.open; gitglass.git(['version']); import gitglass.repository;"
        "print(sorted(name for name in sys.modules if name.startswith(('dulwich', 'gitglass.bridge'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_handle_of_dulwichs_repository_does_not_pickle(memory: MemoryRepo) -> None:
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(gitglass.open(memory))
