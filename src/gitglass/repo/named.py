"""What the user calls the git directory, for `includeIf.gitdir`: git-config(1) compares it besides the real path."""

from ..disk.jail import Jail
from .discover import Layout, Where


def named_git_dir(layout: Layout, where: Where, jail: Jail) -> bytes:
    """The git directory as the caller named it, or reached it: with the links that the shell shows in $PWD.

    Where git changes the directory first, to the top of the work tree, it resolves links.
    """
    here = layout.cwd
    if layout.prefix:
        return layout.git_dir
    path = where.shell_cwd
    if path is not None and path.startswith(b"/") and jail.allows(path) and jail.resolve(path) == here:
        here = path
    if where.git_dir is not None:
        return where.git_dir if where.git_dir.startswith(b"/") else here + b"/" + where.git_dir
    if layout.git_dir == layout.cwd + b"/.git":
        return here + b"/.git"
    return here if layout.git_dir == layout.cwd else layout.git_dir
