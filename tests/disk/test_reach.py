"""What opens without a root: a repository that lies elsewhere has to name the directory that was opened, and what was
opened cannot be exchanged under a handle. Through every door: store, library, awaited calls, roots of the tools."""

import asyncio
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.agent import Roots, aio
from gitglass.errors import GitError, SandboxViolation
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store

SECRET = b"told-of-the-victim"


def store_at(path: Path, root: Path | None = None) -> Store:
    return open_store(Where(cwd=os.fsencode(path)), root=None if root is None else os.fsencode(root))


def awaited(path: Path) -> bytes:
    return asyncio.run(aio.git(gitglass.open(path), ["log"])).stdout


#: how a repository is opened without a root; each gives some of what it says
DOORS: dict[str, Callable[[Path], bytes]] = {
    "store": lambda path: store_at(path).git_dir,
    "open": lambda path: repr(gitglass.open(path).log()).encode(),
    "handle": lambda path: _checked(gitglass.open(path).git(["log"])),
    "aio": awaited,
    "server": lambda path: Roots.here(path).store(None).git_dir,
    "anywhere": lambda path: Roots.anywhere().store(os.fspath(path)).git_dir,
}


def _checked(done: gitglass.Completed) -> bytes:
    if done.returncode and b"does not lead back" in done.stderr + done.stdout:
        raise SandboxViolation(done.stderr.decode())
    done.check_returncode()
    return done.stdout


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Callable[[Path], bytes]:
    return DOORS[request.param]


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Somebody's repository."""
    return copy_of("plain", tmp_path / "victim")


def set_config(git_dir: Path, text: str) -> None:
    with (git_dir / "config").open("a") as file:
        file.write(text)


def bare_of(victim: Path) -> Path:
    mirror = victim.parent / "mirror.git"
    (victim / ".git").rename(mirror)
    set_config(mirror, "[core]\n\tbare = true\n")
    return mirror


def submodule_of(victim: Path) -> Path:
    """(its git directory) of a submodule `sub` that the repository has checked out."""
    modules = victim / ".git" / "modules"
    shutil.copytree(victim / ".git", victim.parent / "copy", symlinks=True)
    modules.mkdir()
    (victim.parent / "copy").rename(modules / "sub")
    set_config(modules / "sub", "[core]\n\tbare = false\n\tworktree = ../../../sub\n")
    (victim / "sub").mkdir()
    (victim / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    return modules / "sub"


def linked_of(victim: Path) -> Path:
    """(its git directory) of a linked work tree `wt` beside the repository."""
    git, tree = victim / ".git" / "worktrees" / "wt", victim.parent / "wt"
    git.mkdir(parents=True)
    shutil.copy(victim / ".git" / "HEAD", git)
    (git / "commondir").write_text("../..\n")
    (git / "gitdir").write_text(f"{tree}/.git\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}\n")
    return git


@pytest.mark.parametrize("how", ["file", "relative", "link"])
@pytest.mark.parametrize("whose", ["bare", "submodule", "linked", "main", "bare with a work tree"])
def test_a_repository_that_is_only_pointed_at(whose: str, how: str, victim: Path, door: Any) -> None:
    make = {"submodule": submodule_of, "linked": linked_of, "main": lambda top: top / ".git"}.get(whose, bare_of)
    target = make(victim)
    thief = victim.parent / "thief"
    (thief / "below").mkdir(parents=True)
    if whose == "bare with a work tree":  # both at once: git takes it for bare
        set_config(target, f"[core]\n\tworktree = {thief}\n")
    if how == "link":
        (thief / ".git").symlink_to(target)
    else:
        (thief / ".git").write_text(f"gitdir: {target if how == 'file' else os.path.relpath(target, thief)}\n")
    for place in (thief, thief / "below"):
        with pytest.raises(GitError) as caught:
            door(place)
        assert caught.value.code in ("sandbox_violation", "not_a_repository")
    with pytest.raises(SandboxViolation, match="does not lead back") as caught:
        store_at(thief)
    assert "Give root=" in str(caught.value.hint)
    assert store_at(thief, victim.parent).git_dir


def test_those_that_name_back_open(victim: Path, door: Any) -> None:
    submodule_of(victim)
    linked_of(victim)
    for place in (victim, victim / "sub", victim.parent / "wt", victim / ".git", victim / ".git" / "modules" / "sub"):
        if place.name == ".git" and door is DOORS["anywhere"]:
            continue
        assert door(place)


def test_a_separate_git_directory(victim: Path, door: Any) -> None:
    """`git init --separate-git-dir` leaves no `core.worktree`: such a repository opens with a root, or once it has."""
    apart = victim.parent / "apart.git"
    (victim / ".git").rename(apart)
    (victim / ".git").write_text(f"gitdir: {apart}\n")
    with pytest.raises(SandboxViolation):
        door(victim)
    assert store_at(victim, victim.parent).git_dir == os.fsencode(apart)
    (victim.parent / "alias").symlink_to("victim")
    set_config(apart, "[core]\n\tworktree = ../alias\n")  # by another name: the directory counts, not the spelling
    assert door(victim)


@pytest.mark.parametrize("bare", [False, True])
def test_a_git_directory_inside_of_the_directory_opened(bare: bool, victim: Path, door: Any) -> None:
    (victim / ".git").rename(victim / ".bare")
    (victim / ".git").write_text("gitdir: ./.bare\n")
    set_config(victim / ".bare", f"[core]\n\tbare = {str(bare).lower()}\n")
    assert door(victim)


@pytest.mark.parametrize("tree", ["..", "../..", "../../..", "../../victim"])
def test_a_work_tree_outside_that_does_not_lead_back(tree: str, victim: Path, door: Any) -> None:
    thief = copy_of("plain", victim.parent / "thief")
    set_config(thief / ".git", f"[core]\n\tworktree = {tree}\n")
    if tree == "..":
        assert door(thief)
        return
    with pytest.raises(SandboxViolation):
        door(thief)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a directory to another user")
def test_a_linked_work_tree_that_somebody_else_made_again(victim: Path, door: Any) -> None:
    """The repository still names the place of a work tree that was deleted, and another user has taken it."""
    linked_of(victim)
    assert door(victim.parent / "wt")
    os.chown(victim.parent / "wt", 54321, -1)
    with pytest.raises(SandboxViolation):
        door(victim.parent / "wt")


@pytest.mark.parametrize(
    "name", ["commondir", "objects", "objects/pack", "refs", "packed-refs", "alternates", "nested"]
)
def test_parts_that_lie_elsewhere(name: str, victim: Path, door: Any) -> None:
    """A git directory of its own, parts of which are somebody else's: nothing of those is told."""
    thief = victim.parent / "thief"
    git = thief / ".git"
    for part in ("objects/info", "objects/pack", "refs/heads"):
        (git / part).mkdir(parents=True)
    shutil.copy(victim / ".git" / "HEAD", git)
    shutil.copytree(victim / ".git" / "refs", git / "refs", dirs_exist_ok=True)
    if name == "commondir":
        (git / "commondir").write_text(f"{victim / '.git'}\n")
    elif name == "alternates":
        (git / "objects/info/alternates").write_text(f"{victim / '.git/objects'}\n")
    elif name == "nested":
        (thief / "more" / "info").mkdir(parents=True)
        (thief / "more" / "info" / "alternates").write_text(f"{victim / '.git/objects'}\n")
        (git / "objects/info/alternates").write_text(f"{thief}/more\n")
    else:
        shutil.rmtree(git / name, ignore_errors=True)
        (git / name).symlink_to(victim / ".git" / name)
    argv = ["cat-file", "--batch-check", "--batch-all-objects"]
    assert gitglass.git(argv, cwd=victim).stdout
    done = gitglass.git(argv, cwd=thief, root=thief)
    assert not done.stdout
    subject = gitglass.git(["log", "-1", "--format=%s"], cwd=victim).stdout.strip()
    assert subject
    try:
        assert subject not in door(thief)
    except GitError as error:
        assert error.code != "internal" and subject.decode() not in error.message


WORDS = [
    ["-C", "{}", "log"], ["-C", "..", "-C", "victim", "log"], ["--git-dir={}/.git", "log"], ["--git-dir={}/.git", "--bare", "log"],
    ["--work-tree={}", "ls-files", "-o"], ["--git-dir={}/.git", "--work-tree=.", "log"], ["-C", "..", "diff", "--no-index", "victim", "thief"],
    ["-c", "alias.x=-C {} log", "x"],
]  # fmt: skip


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_words_do_not_lead_a_handle_elsewhere(words: list[str], victim: Path) -> None:
    thief = copy_of("plain", victim.parent / "thief")
    (victim / "secret").write_bytes(SECRET)
    done = gitglass.open(thief).git([word.format(victim) for word in words])
    assert (done.returncode, done.stdout) == (128, b"")
    assert b"outside" in done.stderr or b"environment variables" in done.stderr
    inside = gitglass.open(thief).git(["-C", "src", "rev-parse", "--show-prefix"])
    assert (inside.returncode, inside.stdout) == (0, b"src/\n")


# --- what was opened stays what it was -------------------------------------------------------------------------------


def of_a_bare_one(victim: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    """(opened, what is exchanged, twin of it): the git directory alone is the root."""
    set_config(victim / ".git", "[core]\n\tbare = true\n")
    return victim, victim / ".git", tmp_path / "twin" / ".git"


def of_a_submodule(victim: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    submodule_of(victim)
    return victim / "sub", victim / ".git" / "modules" / "sub", tmp_path / "twin" / ".git"


def of_a_link_above(victim: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    submodule_of(victim)
    (tmp_path / "twin" / "modules").mkdir()
    shutil.copytree(tmp_path / "twin" / ".git", tmp_path / "twin" / "modules" / "sub", symlinks=True)
    return victim / "sub", victim / ".git" / "modules", tmp_path / "twin" / "modules"


def of_a_linked_one(victim: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    linked_of(victim)
    return tmp_path / "wt", victim / ".git", tmp_path / "twin" / ".git"


def of_a_work_tree(victim: Path, tmp_path: Path) -> tuple[Path, Path, Path]:
    submodule_of(victim)
    (tmp_path / "twin" / "HEAD").write_bytes(SECRET)
    return victim / "sub", victim / "sub", tmp_path / "twin"


PLACES = [of_a_bare_one, of_a_submodule, of_a_link_above, of_a_linked_one, of_a_work_tree]


@pytest.fixture(params=PLACES)
def exchange(request: pytest.FixtureRequest, victim: Path, tmp_path: Path) -> tuple[Path, Callable[[], None]]:
    """(the directory to open, what puts a link to somebody else's in the place of its root)."""
    twin = Path(shutil.copytree(victim, tmp_path / "twin", symlinks=True))
    with (twin / ".git" / "packed-refs").open("a") as file:
        file.write(f"{'1' * 40} refs/heads/{SECRET.decode()}\n")
    (twin / SECRET.decode()).write_text("")
    place, target, other = request.param(victim, tmp_path)

    def act() -> None:
        target.rename(tmp_path / "aside")
        target.symlink_to(other)

    return place, act


def told(handle: gitglass.Repository) -> bytes:
    said = b""
    for argv in (["for-each-ref"], ["branch", "-a"], ["ls-files", "-o"], ["status"], ["config", "-l"]):
        done = handle.git(argv)
        said += done.stdout + done.stderr
    return said


def test_a_root_that_is_exchanged_for_a_link(exchange: tuple[Path, Callable[[], None]]) -> None:
    place, act = exchange
    handle = gitglass.open(place)
    store = store_at(place)
    before = told(handle)
    assert SECRET not in before and b"refs/heads/main" in before
    frozen = pickle.dumps(handle)
    frozen_store = pickle.dumps(store)
    act()
    assert SECRET not in told(handle)
    assert b"not the directory any more" in handle.git(["for-each-ref"]).stderr + handle.git(["status"]).stderr
    other = store.sibling()
    with pytest.raises(SandboxViolation, match="not the directory any more"):
        for root in other.jail.real_roots:
            other.jail.scandir(root)
    for pickled in (frozen, frozen_store):
        with pytest.raises(SandboxViolation, match="through a symbolic link now"):
            pickle.loads(pickled)


def test_the_root_of_a_server_that_is_exchanged(exchange: tuple[Path, Callable[[], None]]) -> None:
    place, act = exchange
    roots, later = Roots.here(place), Roots.here(place)
    assert roots.store(None).exists
    act()
    for server in (roots, later):
        with pytest.raises(SandboxViolation):
            server.store(None)


def test_a_root_that_is_made_again(victim: Path) -> None:
    """A handle stays with its directory; the tools, which name directories at each call, open the new one."""
    handle, roots = gitglass.open(victim), Roots.here(victim)
    granted = Roots([victim.parent])
    assert roots.store(None).exists and granted.store("victim").exists
    victim.rename(victim.parent / "aside")
    copy_of("packed", victim)
    assert b"not the directory any more" in handle.git(["status"]).stderr
    new = gitglass.open(victim).rev_parse("HEAD").lines
    for store in (roots.store(None), granted.store("victim")):
        assert [store.refs.head()[1].hex()] == new
