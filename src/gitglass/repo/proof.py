"""The jail of a repository that was found without a root, and the proof that its parts belong together.

A link out of the directory that was opened counts only if the other side links back: a linked work tree by its `gitdir`
file, a submodule by its `core.worktree` (gitrepository-layout(5), git-worktree(1)).
"""

from ..disk.jail import Jail, in_folder
from ..errors import GitError, SandboxViolation, text
from .discover import MAX_SMALL, Layout, from_base, git_file_target, read_format


def roots_of(layout: Layout, jail: Jail) -> tuple[list[bytes], bytes, bytes]:
    """(the directories of the jail if no root was given, git directory, common directory), all resolved.

    `proven` has to accept them before they are used. Raises SandboxViolation for a `commondir` that does not lead to
    the repository whose `worktrees/` the git directory is in.
    """
    git_dir = common = jail.resolve(layout.git_dir)
    if layout.linked:
        common = jail.resolve(layout.common_dir)
    roots = [common]
    if common != git_dir and git_dir.rpartition(b"/")[0] != common.rstrip(b"/") + b"/worktrees":
        raise _unanswered(layout.git_dir, common)
    top = layout.work_tree
    if top is None:
        return roots, git_dir, common
    return ([top] if in_folder(common, top) else [top, *roots]), git_dir, common


def proven(layout: Layout, git_dir: bytes, common: bytes, jail: Jail, search: Jail) -> None:
    """Refuse a repository that is only pointed at. Raises SandboxViolation.

    A git directory elsewhere must name the directory that was opened: that of a linked work tree in its `gitdir` file,
    any other by `core.worktree`; a bare repository never does. A work tree that `core.worktree` puts elsewhere must in
    turn point back. The named directories are compared by device and inode, and both sides must have the same owner:
    anybody with write access to the parent directory could create a deleted linked work tree again.

    `git_dir` and `common` are resolved. `jail` has the roots of `roots_of`, which can no longer be replaced; `search`
    is the jail of `discover`.
    """
    at, top = layout.at, layout.work_tree
    if at is not None and not in_folder(git_dir, at) and not _names_back(at, git_dir, common, jail, search):
        raise _unanswered(at, git_dir)
    if top is None or top == at or layout.chosen:
        return
    if not (_leads_to(top, git_dir, search) and _names_back(top, git_dir, common, jail, search)):
        raise _unanswered(git_dir, top)


def _unanswered(here: bytes, there: bytes) -> SandboxViolation:
    return SandboxViolation(
        f"'{text(here)}' leads to '{text(there)}', which does not lead back",
        hint=(
            "A git directory elsewhere has to name the directory that is opened (core.worktree, or the gitdir file of a"
            " linked work tree); one made by `git init --separate-git-dir` does not, nor does a bare repository."
            " Give root= with a directory that contains both."
        ),
        path=text(here),
    )


def _leads_to(top: bytes, git_dir: bytes, jail: Jail) -> bool:
    """Whether the `.git` of a directory, a file or a link, points at a git directory."""
    dot = top.rstrip(b"/") + b"/.git"
    try:
        if jail.resolve(dot) == git_dir:
            return True
        target = git_file_target(dot, jail)
    except GitError:
        return False
    return target is not None and target.path == git_dir


def _names_back(top: bytes, git_dir: bytes, common: bytes, jail: Jail, search: Jail) -> bool:
    """Whether a git directory names, as its work tree, the directory `top`, and both have the same owner."""
    if common != git_dir:
        back = (jail.read_optional(git_dir + b"/gitdir", MAX_SMALL) or b"").rstrip(b"\r\n")
        named, _, name = from_base(git_dir, back).rpartition(b"/")
        if name != b".git":
            return False
    else:
        try:
            form = read_format(common, git_dir, jail, linked=False, name=common)
        except GitError:
            return False
        if form.bare or not form.work_tree or b"\0" in form.work_tree:
            return False
        named = from_base(git_dir, form.work_tree)
    try:
        one, other, owner = search.stat(named), jail.stat(top), jail.stat(git_dir)
    except GitError:
        return False  # the directory is no root: the git directory is that of a bare repository
    if one is None or other is None or owner is None:
        return False
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) and other.st_uid == owner.st_uid
