"""Paths of a repository in git's form: relative if possible, otherwise absolute.

git works from the top of the work tree (or from the git directory, without one) and remembers its git directory in the
form it found: `.git`, `.` for the current one, or an absolute path. The output of `rev-parse --git-dir` and similar
options follows from that.
"""

from ..deferred import lazy_pattern
from ..disk.jail import in_folder
from ..errors import GitError
from ..paths.lexical import normal_path
from ..repo.store import Store

_GITLINK = 0o160000
_GRAFTS = lazy_pattern(rb"info/+grafts")


class Whereabouts:
    """The paths of one repository as seen from the current directory of the command.

    `git_dir` and `common_dir` have git's form; `top` is the directory git works in; `prefix` is where it was started,
    below `top` (empty at the top).
    """

    __slots__ = ("common_dir", "git_dir", "prefix", "store", "top")

    def __init__(self, store: Store) -> None:
        self.store = store
        self.prefix = store.prefix
        self.git_dir, self.top = _as_named(store)
        named = store.where.common_dir
        self.common_dir = named or (self.git_dir if store.common_dir == store.git_dir else store.common_dir)

    # ------------------------------------------------------------------------------------------------ questions

    def inside_git_dir(self) -> bool:
        """Whether the current directory is the git directory, or below it."""
        return in_folder(self.store.cwd, self.store.git_dir)

    def inside_work_tree(self) -> bool:
        """Whether the current directory is in the work tree."""
        return self.store.work_tree is not None and in_folder(self.store.cwd, self.store.work_tree)

    def cdup(self) -> bytes | None:
        """The relative path from the current directory to the top: `../../`. None: nothing is printed at all."""
        if not self.inside_work_tree():
            return self.store.work_tree or self.store.layout.absent
        return b"../" * self.prefix.count(b"/")

    def git_path(self, name: bytes) -> bytes:
        """The file `name` of the git directory, in this work tree's own part or in the common one.

        A path that the environment or `core.hooksPath` replaces is given as it was written there (git-rev-parse(1),
        `--git-path`).
        """
        if _GRAFTS.fullmatch(name):
            name = b"info/grafts"
        elsewhere = self._elsewhere(name)
        if elsewhere is not None:
            return elsewhere
        path = self.store.git_path(name)
        places = [(self.store.git_dir, self.git_dir), (self.store.common_dir, self.common_dir)]
        if self.store.where.common_dir is not None and self.store.is_shared(name):
            named = self.common_dir
            while named.startswith(b"./"):
                named = named[2:].lstrip(b"/")
            places = [(self.store.common_dir, named)]
        for real, shown in places:
            if in_folder(path, real):
                rest = path[len(real) :].lstrip(b"/")
                if shown == b".":
                    return rest or b"."
                return shown + b"/" + rest if rest else shown
        return path

    def _elsewhere(self, name: bytes) -> bytes | None:
        where = self.store.where
        if name == b"index":
            return where.index
        if name == b"info/grafts":
            return where.graft_file
        for folder, directory in ((b"objects", where.objects), (b"hooks", self._hooks)):
            if directory is not None and (name == folder or name.startswith(folder + b"/")):
                return directory + name[len(folder) :]
        return None

    @property
    def _hooks(self) -> bytes | None:
        return self.store.config.get_path("core.hooksPath")

    # -------------------------------------------------------------------------------------------------- printing

    def show(self, path: bytes, form: str, default: str) -> bytes:
        """`path` in the form of `--path-format` ("absolute", "relative", ""), or in the usual form for this output.

        `default` is "unmodified", "canonical" (absolute) or "shared" (relative to the current directory, if both are
        below one directory).
        """
        kind = form or default
        if kind == "unmodified":
            return path
        if kind in ("absolute", "canonical"):
            return self.absolute(path)
        if kind == "shared":
            if not path:
                return b"./"
            if not self.prefix or path.startswith(b"/"):
                return path
            return relative(path, self.prefix)
        return relative(self.absolute(path), self.absolute(self.prefix or b"."))

    def absolute(self, path: bytes) -> bytes:
        """An absolute path, its dots resolved; relative ones start from the directory git works in."""
        return normal_path(self.top, path)


def _as_named(store: Store) -> tuple[bytes, bytes]:
    """(the git directory in git's form, the directory git works in)."""
    git_dir, work_tree = store.git_dir, store.work_tree
    named = store.where.git_dir
    if named is not None:
        return named, work_tree if work_tree is not None and in_folder(store.cwd, work_tree) else store.cwd
    if work_tree is not None and git_dir == work_tree + b"/.git":
        return b".git", work_tree
    if work_tree is None and git_dir == store.cwd + b"/.git":  # a bare one, which git has not changed to
        return b".git", store.cwd
    if work_tree is None or in_folder(store.cwd, git_dir):
        return (b"." if store.cwd == git_dir else git_dir), git_dir
    return git_dir, work_tree


def relative(path: bytes, base: bytes) -> bytes:
    """`path` relative to `base`; unchanged if only one of them is absolute."""
    if path.startswith(b"/") != base.startswith(b"/"):
        return path
    parts = [part for part in path.split(b"/") if part]
    from_ = [part for part in base.split(b"/") if part]
    same = 0
    while same < len(parts) and same < len(from_) and parts[same] == from_[same]:
        same += 1
    if same == len(parts) == len(from_):
        return b"./"
    steps = b"../" * (len(from_) - same)
    return steps + b"/".join(parts[same:])


def superproject(store: Store) -> bytes | None:
    """The work tree of the superproject: of the repository around this one, if its index has a submodule here."""
    top = store.work_tree
    try:
        outer = None if top is None else store.above()
        if top is None or outer is None or outer.work_tree is None:
            return None
        positions = outer.index.positions(relative(top, outer.work_tree))  # several while it is in conflict
        is_there = bool(positions) and outer.index.mode(positions[0]) == _GITLINK
        return outer.work_tree if is_there else None
    except GitError:
        return None
