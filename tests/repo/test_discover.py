"""From a directory to its repository, in every shape, and the links that a jail does not follow."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, GitError, NotARepository, SandboxViolation, Unsupported
from gitglass.repo.discover import Layout, Where, discover
from gitglass.repo.store import Store, open_store


def where(path: Path, **more: Any) -> Where:
    return Where(cwd=os.fsencode(path), **more)


def find(path: Path, root: Path | None = None, **more: Any) -> Layout:
    return discover(where(path, **more), jail=Jail(b"/" if root is None else os.fsencode(root)))


@pytest.fixture
def top(tmp_path: Path, new_builder: Any) -> Path:
    new_builder(tmp_path / "repo")
    (tmp_path / "repo" / "src" / "lib").mkdir(parents=True)
    return tmp_path / "repo"


def bare(path: Path) -> Path:
    for name in ("objects", "refs"):
        (path / name).mkdir(parents=True)
    (path / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    (path / "config").write_bytes(b"[core]\n\tbare = true\n")
    return path


def linked(top: Path, name: str) -> Path:
    """A linked work tree beside the repository."""
    tree, git = top.parent / name, top / ".git" / "worktrees" / name
    tree.mkdir()
    git.mkdir(parents=True)
    (git / "HEAD").write_bytes(b"ref: refs/heads/topic\n")
    (git / "commondir").write_bytes(b"../..\n")
    (git / "gitdir").write_bytes(os.fsencode(tree / ".git") + b"\n")
    (tree / ".git").write_bytes(b"gitdir: " + os.fsencode(git) + b"\n")
    return tree


@pytest.mark.parametrize("rooted", [False, True])
def test_from_below(top: Path, rooted: bool) -> None:
    found = find(top / "src" / "lib", top.parent if rooted else None)
    assert found.work_tree == os.fsencode(top) and found.git_dir == os.fsencode(top / ".git") == found.common_dir
    assert (found.prefix, found.bare, found.linked, found.hash_name) == (b"src/lib/", False, False, "sha1")


def test_no_repository(tmp_path: Path, top: Path) -> None:
    with pytest.raises(NotARepository, match="or any of the parent directories"):
        find(tmp_path, tmp_path)
    with pytest.raises(NotARepository):
        find(top / "src", top / "src")  # above the root is never looked
    with pytest.raises(NotARepository):
        find(top / "src", ceilings=(os.fsencode(top),))
    with pytest.raises(GitError, match="cannot change to"):
        find(tmp_path / "nowhere")


class _Mounted(Jail):
    """Everything below one directory is on a file system of its own."""

    def __init__(self, below: Path) -> None:
        super().__init__(b"/")
        self.below = os.fsencode(below)

    def stat(self, path: bytes) -> os.stat_result | None:
        status = super().stat(path)
        if status is None or not (path + b"/").startswith(self.below + b"/"):
            return status
        return os.stat_result((*status[:2], status.st_dev + 1, *status[3:10]))


def test_the_search_ends_where_the_file_system_does(top: Path) -> None:
    start = top / "src" / "lib"
    for mount in (start, top / "src"):
        with pytest.raises(NotARepository) as caught:
            discover(where(start), jail=_Mounted(mount))
        # the directory beyond the mount point is named, as by git
        assert str(caught.value) == (
            f"not a git repository (or any parent up to mount point {mount.parent})\n"
            "Stopping at filesystem boundary (GIT_DISCOVERY_ACROSS_FILESYSTEM not set)."
        )
        assert discover(where(start, across=True), jail=_Mounted(mount)).work_tree == os.fsencode(top)
    assert discover(where(start), jail=_Mounted(top)).work_tree == os.fsencode(top)


def test_inside_the_git_directory(top: Path) -> None:
    for place in (top / ".git", top / ".git" / "refs"):
        found = find(place)
        assert (found.work_tree, found.bare, found.git_dir) == (None, False, os.fsencode(top / ".git"))


def test_bare(tmp_path: Path) -> None:
    path = bare(tmp_path / "b.git")
    found = find(path / "refs")
    assert (found.git_dir, found.work_tree, found.bare, found.prefix) == (os.fsencode(path), None, True, b"")
    (path / "config").unlink()
    assert find(path).bare


@pytest.mark.parametrize(
    "content, words",
    [
        (b"bla\n", "invalid gitfile format"),
        (b"gitdir:x\n", "invalid gitfile format"),
        (b"gitdir: \n", "no path in gitfile"),
        (b"gitdir: ../nowhere\n", "not a git repository: "),
        (b"gitdir: a\0b\n", "not a git repository: "),
    ],
)
def test_bad_git_files(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / ".git").write_bytes(content)
    with pytest.raises(NotARepository, match=words):
        find(tmp_path)


@pytest.mark.parametrize("head", [b"", b"garbage\n", b"ref: foo/bar\n", b"1234\n"])
def test_heads_that_make_no_repository(top: Path, head: bytes) -> None:
    (top / ".git" / "HEAD").write_bytes(head)
    with pytest.raises(NotARepository):
        find(top, top)


def test_head_as_a_link(top: Path) -> None:
    (top / ".git" / "HEAD").unlink()
    (top / ".git" / "HEAD").symlink_to("refs/heads/unborn")
    assert find(top).work_tree == os.fsencode(top)
    assert find(top, top).work_tree == os.fsencode(top)


def test_head_as_a_fifo(top: Path, tmp_path: Path) -> None:
    (top / ".git" / "HEAD").unlink()
    os.mkfifo(top / ".git" / "HEAD")
    with pytest.raises(Corrupt, match="not a regular file"):
        find(top)
    (tmp_path / "plain").mkdir()
    os.mkfifo(tmp_path / "plain" / "HEAD")
    with pytest.raises(NotARepository):
        find(tmp_path / "plain", tmp_path / "plain")


def test_core_worktree_and_bare(top: Path, tmp_path: Path) -> None:
    config = top / ".git" / "config"
    config.write_bytes(b"[core]\n\tworktree = ../../else\n")
    (tmp_path / "else" / "deep").mkdir(parents=True)
    found = find(top)
    assert (found.work_tree, found.prefix) == (os.fsencode(tmp_path / "else"), b"")
    config.write_bytes(b"[core]\n\tbare = true\n\tworktree = ../../else\n")
    found = find(top)
    assert found.bare and found.work_tree is None and "do not make sense" in found.warnings[0]
    config.write_bytes(b"[core]\n\tbare = true\n")
    assert find(top).bare


@pytest.mark.parametrize("shared", [True, False])
def test_bare_and_another_work_tree_are_of_all_work_trees(top: Path, tmp_path: Path, shared: bool) -> None:
    """With extensions.worktreeConfig; else of the main one only (git-worktree(1), CONFIGURATION FILE)."""
    tree = linked(top, "wt")
    (tmp_path / "else").mkdir()
    config = top / ".git" / "config"
    extension = f"[extensions]\n\tworktreeConfig = {str(shared).lower()}\n"
    config.write_text(f"[core]\n\tbare = true\n{extension}")
    assert find(top).bare and find(tree).bare is shared
    config.write_text(f"[core]\n\tworktree = {tmp_path}/else\n{extension}")
    assert find(tree).work_tree == os.fsencode(tmp_path / "else" if shared else tree)
    config.write_text(f"[core]\n\tbare = true\n\tworktree = {tmp_path}/else\n{extension}")
    done = gitglass.git(["status"], cwd=top)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        128,
        b"fatal: unable to set up work tree using invalid config",
    )


def test_given_git_dir_and_work_tree(top: Path, tmp_path: Path) -> None:
    git = os.fsencode(top / ".git")
    found = find(tmp_path, git_dir=git)
    assert (found.work_tree, found.prefix) == (os.fsencode(tmp_path), b"")
    found = find(top / "src" / "lib", git_dir=git, work_tree=os.fsencode(top))
    assert (found.work_tree, found.prefix) == (os.fsencode(top), b"src/lib/")
    found = find(top / "src", work_tree=b"lib")
    assert (found.work_tree, found.prefix) == (os.fsencode(top / "src" / "lib"), b"")
    assert find(top, git_dir=git, bare=True).bare
    with pytest.raises(NotARepository, match="not a git repository: "):
        find(tmp_path, git_dir=b"nope")
    assert find(tmp_path, git_dir=os.fsencode(linked(top, "wt") / ".git")).linked


@pytest.mark.parametrize(
    "config, words",
    [
        ("[core]\nrepositoryformatversion = 2\n", "Expected git repo version <= 1, found 2"),
        ("[core]\nrepositoryformatversion = x\n", "bad numeric config value 'x'"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nfoo = 1\n", "unknown repository extension found:\n\tfoo"),
        ("[extensions]\nobjectformat = sha256\n", "v1-only extension found:\n\tobjectformat"),
        (
            "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = md5\n",
            "invalid value for 'extensions.objectformat'",
        ),
    ],
)
def test_formats_we_do_not_know(top: Path, config: str, words: str) -> None:
    (top / ".git" / "config").write_text(config)
    with pytest.raises((Unsupported, GitError), match=words):
        find(top)


def test_formats_we_know(top: Path) -> None:
    (top / ".git" / "config").write_text(
        "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\nnoop = 1\npartialClone = origin\n"
        "preciousObjects = true\nworktreeConfig = true\nrefStorage = files\nnoop-v1 = 1\n"
    )
    found = find(top)
    assert (found.hash_name, found.partial, found.reftable) == ("sha256", True, False)
    (top / ".git" / "config").write_text("[extensions]\nwhatever = 1\n")
    assert find(top).hash_name == "sha1"
    (top / ".git" / "config").unlink()
    assert find(top).hash_name == "sha1"


@pytest.mark.parametrize(
    ("cwd", "git_dir", "shown"),
    [
        (".", None, ".git/config"), ("src", None, ".git/config"), (".git", None, "./config"),
        (".git/refs", None, "./config"), ("src", "../.git", "../.git/config"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_its_file(top: Path, cwd: str, git_dir: str | None, shown: str) -> None:
    """The file has git's own name for it, from where it stands then."""
    (top / ".git" / "config").write_text("[core]\nbare = false\n[x\n")
    (top / "src").mkdir(exist_ok=True)
    named = Where(cwd=os.fsencode(top / cwd), git_dir=None if git_dir is None else git_dir.encode())
    with pytest.raises(GitError) as caught:
        discover(named, jail=Jail(b"/"))
    assert caught.value.message == f"bad config line 3 in file {shown}"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[core]\nrepositoryformatversion = 99\n", "Expected git repo version <= 1, found 99"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nodd = 1\n", "unknown repository extension found:\n\todd"),
    ],
)
def test_a_format_that_git_does_not_know_is_no_repository(top: Path, config: str, message: str) -> None:
    """For a command that needs none; rev-parse needs it for its answers."""
    (top / ".git" / "config").write_text(config)
    (top / "f").write_text("")
    for argv, status in ((["config", "core.repositoryformatversion"], 1), (["hash-object", "f"], 0)):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stderr.decode()) == (status, f"warning: {message}\n")
    for argv in (["status"], ["rev-parse", "--git-dir"]):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stderr.decode()) == (128, f"fatal: {message}\n")


# --- jails -----------------------------------------------------------------------------------------------------------


def test_a_linked_work_tree_opens_without_a_root(top: Path) -> None:
    tree = linked(top, "wt")
    store = open_store(where(tree), root=None)
    assert store.linked and store.common_dir == os.fsencode(top / ".git")
    assert store.git_path(b"HEAD") == store.git_dir + b"/HEAD"
    assert store.git_path(b"refs/heads/x") == store.common_dir + b"/refs/heads/x"
    assert store.git_path(b"refs/bisect/bad") == store.git_dir + b"/refs/bisect/bad"
    assert store.git_path(b"logs/HEAD") == store.git_dir + b"/logs/HEAD"
    for name in (b"modules/sub", b"logs//HEAD", b"logs/HEAD.lock", b"info//sparse-checkout", b"index.lock"):
        assert store.git_path(name) == store.git_dir + b"/" + name
    for name in (b"packed-refs.lock", b"config.lock", b"info/grafts", b"logs/HEADx", b"refs/bisectx"):
        assert store.git_path(name) == store.common_dir + b"/" + name
    with pytest.raises(SandboxViolation):
        store.jail.read(os.fsencode(top / "src"))
    with pytest.raises(SandboxViolation):
        open_store(where(tree), root=os.fsencode(tree))


def test_links_that_are_not_answered(top: Path, tmp_path: Path) -> None:
    """Somebody else's repository is not had by pointing at it."""
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_bytes(b"gitdir: " + os.fsencode(top / ".git") + b"\n")
    assert open_store(where(thief), root=b"/").git_dir == os.fsencode(top / ".git")
    for root in (None, os.fsencode(thief)):
        with pytest.raises(SandboxViolation):
            open_store(where(thief), root=root)
    (thief / ".git").unlink()
    (thief / ".git").symlink_to("../repo/.git")
    for root in (None, os.fsencode(thief)):
        with pytest.raises(SandboxViolation):
            open_store(where(thief), root=root)


def test_commondir_outwards(top: Path, tmp_path: Path, new_builder: Any) -> None:
    new_builder(tmp_path / "thief")
    (tmp_path / "thief" / ".git" / "commondir").write_bytes(os.fsencode(top / ".git"))
    for root in (None, os.fsencode(tmp_path / "thief")):
        with pytest.raises(SandboxViolation):
            open_store(where(tmp_path / "thief"), root=root)


def test_core_worktree_outwards(top: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (top / ".git" / "config").write_bytes(b"[core]\n\tworktree = ../../home\n")
    for root in (None, os.fsencode(top)):
        with pytest.raises(SandboxViolation):
            open_store(where(top), root=root)
    assert open_store(where(top), root=os.fsencode(tmp_path)).work_tree == os.fsencode(tmp_path / "home")


def test_submodule(top: Path) -> None:
    inner = bare(top / ".git" / "modules" / "sub")
    (inner / "config").write_bytes(b"[core]\n\tbare = false\n\tworktree = ../../../sub\n")
    (top / "sub" / "deep").mkdir(parents=True)
    (top / "sub" / ".git").write_bytes(b"gitdir: ../.git/modules/sub\n")
    store = open_store(where(top / "sub" / "deep"), root=None)
    assert (store.work_tree, store.prefix, store.git_dir) == (os.fsencode(top / "sub"), b"deep/", os.fsencode(inner))
    outer = open_store(where(top), root=None)
    module = outer.submodule(b"sub")
    assert module is not None and module.git_dir == os.fsencode(inner)
    assert outer.submodule(b"src") is None and outer.submodule(b"none") is None
    (top / "sub" / ".git").write_bytes(b"gitdir: /etc\n")
    with pytest.raises(SandboxViolation):
        outer.submodule(b"sub")


def test_store_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        open_store(where(tmp_path), root=os.fsencode(tmp_path))
    store = open_store(where(tmp_path), root=os.fsencode(tmp_path), optional=True)
    assert not store.exists and store.config.get("core.bare") is None
    with pytest.raises(NotARepository):
        _ = store.odb


def test_a_store_pickles_and_refreshes(top: Path) -> None:
    store = open_store(where(top / "src"), root=None)
    other: Store = pickle.loads(pickle.dumps(store))
    assert (other.git_dir, other.prefix) == (store.git_dir, b"src/")
    (top / ".git" / "shallow").write_bytes(b"11" * 20 + b"\n")
    assert store.shallow == frozenset([b"\x11" * 20])
    (top / ".git" / "shallow").write_bytes(b"22" * 20 + b"\n")
    store.refresh()
    assert store.shallow == frozenset([b"\x22" * 20])
    (top / ".git" / "shallow").write_bytes(b"nonsense\n")
    store.refresh()
    with pytest.raises(Corrupt, match="bad shallow line"):
        _ = store.shallow


def test_the_configuration_is_read_again_when_a_file_of_it_changes(top: Path) -> None:
    config, more = top / ".git" / "config", top / ".git" / "more"
    config.write_text("[include]\n\tpath = more\n[core]\n\tabbrev = 9\n")
    store = open_store(where(top), root=None)
    first = store.config
    store.refresh()
    assert store.config is first and first.get("x.y") is None
    more.write_text("[x]\n\ty = 1\n")
    store.refresh()
    assert store.config.get("x.y") == b"1"
    more.write_text("[x]\n\ty = 22\n")
    store.refresh()
    assert store.config.get("x.y") == b"22"
    config.write_text("[core]\n\tabbrev = 10\n")
    store.refresh()
    assert store.config.get("core.abbrev") == b"10" and store.config.get("x.y") is None
    store.close()
    assert store.config.get("core.abbrev") == b"10"


def test_references_and_index_are_current_after_refresh(top: Path) -> None:
    store = open_store(where(top), root=None)
    assert store.refs.read(b"refs/heads/main") is None and len(store.index) == 0
    (top / ".git" / "refs" / "heads" / "main").write_bytes(b"11" * 20 + b"\n")
    store.refresh()
    assert store.refs.read(b"refs/heads/main") == b"\x11" * 20
    (top / ".git" / "refs" / "heads" / "main").unlink()
    (top / ".git" / "packed-refs").write_bytes(b"22" * 20 + b" refs/heads/main\n")
    store.refresh()
    assert store.refs.read(b"refs/heads/main") == b"\x22" * 20
    before = store.index
    store.refresh()
    assert store.index is before
    (top / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\0" + bytes(20))
    store.refresh()
    assert store.index is not before
