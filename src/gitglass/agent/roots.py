"""The repositories that an agent may read: roots with short names, and the handles opened below them."""

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from threading import Lock

from ..disk.jail import Jail
from ..disk.reach import no_links
from ..errors import InvalidArgs, NotARepository, NotFound, SandboxViolation
from ..limits import Context, Limits, running
from ..objects.parsed import TREE
from ..paths.lexical import normal_path
from ..repo.discover import Where
from ..repo.store import Shared, Store, open_store

__all__ = ["Roots"]

_MOST_OPEN = 16
#: repositories below a root are searched for so many levels down, in so many directories, and so many are listed
_DEPTH, _MOST_LOOKED_AT, _MOST_LISTED = 2, 2_000, 100


def _repositories(jail: Jail, root: bytes, ctx: Context) -> Iterator[bytes]:
    """A root that is a repository; of another one those among its directories, and then among theirs, links not
    followed."""
    level, looked = [root], 0
    for _ in range(_DEPTH + 1):
        following: list[bytes] = []
        for path in level:
            if _is_repository(jail, path):
                yield path
                continue
            for entry in sorted(jail.names(path)):
                ctx.tick()
                below = path.rstrip(b"/") + b"/" + entry
                status = None if entry.startswith(b".") or looked >= _MOST_LOOKED_AT else jail.lstat(below)
                if status is not None and status.st_mode & 0o170000 == TREE:
                    following.append(below)
                    looked += 1
        level = following


def _is_repository(jail: Jail, path: bytes) -> bool:
    if jail.lstat(path + b"/.git") is not None:
        return True
    return all(jail.lstat(path + name) is not None for name in (b"/HEAD", b"/objects", b"/refs"))


class Roots:
    """Read grants: short name → directory. Nothing outside of them is ever read.

    Takes one path, several, or a mapping of names to paths; without a name, the last part of a path becomes its name
    (`lib`, `lib-2`). The first root is the default. Repositories are opened on first use and kept, for all threads.
    """

    __slots__ = ("_anywhere", "_jail_roots", "_lock", "_open", "named")

    def __init__(self, roots: "str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str]") -> None:
        self.named: dict[str, bytes] = {}
        if isinstance(roots, str | os.PathLike):
            roots = [roots]
        if isinstance(roots, Mapping):
            self.named = {name: os.path.abspath(os.fsencode(path)) for name, path in roots.items()}
        else:
            for path in roots:
                self.add(path)
        self._open: OrderedDict[tuple[bytes, bytes, bool], Shared] = OrderedDict()
        self._lock = Lock()
        self._jail_roots: dict[bytes, tuple[bytes, ...]] = {}  # roots that are repositories: the roots of their jails
        self._anywhere = False

    @classmethod
    def anywhere(cls) -> "Roots":
        """Any repository that a call names by an absolute path; each is its own jail."""
        roots = cls(())
        roots._anywhere = True
        return roots

    @classmethod
    def here(cls, path: "str | os.PathLike[str]") -> "Roots":
        """Only the repository that contains a directory, searched in the parent directories. Raises NotARepository."""
        store = open_store(Where(cwd=os.path.abspath(os.fsencode(path))), root=None, config={})
        top = store.work_tree or store.git_dir
        real = store.jail.real_roots
        store.close()
        roots = cls([os.fsdecode(top)])
        roots._jail_roots[top] = real
        return roots

    @property
    def unbounded(self) -> bool:
        """Whether these are `anywhere()`."""
        return self._anywhere

    @staticmethod
    def is_directory(path: "str | bytes") -> bool:
        """Whether a directory exists; servers check it when they start."""
        return os.path.isdir(path)

    def add(self, root: "str | os.PathLike[str]", name: str = "") -> None:
        """Add one root; without a name, the last part of its path becomes its name."""
        path = os.path.abspath(os.fsencode(root))
        base = name or os.fsdecode(os.path.basename(path)).removesuffix(".git") or "root"
        name, nth = base, 2
        while name in self.named:
            name, nth = f"{base}-{nth}", nth + 1
        self.named[name] = path

    def locate(self, repo: str | None, cwd: str | None = None) -> tuple[bytes, bytes]:
        """(directory, root) of a `repo` argument. Raises InvalidArgs and SandboxViolation."""
        if self._anywhere and repo and repo.startswith("/"):
            return self._anything(repo)
        if not self.named:
            raise NotARepository("no repository has been granted")
        if not repo or repo == ".":
            if cwd is None:
                root = next(iter(self.named.values()))
                return root, root
            repo = cwd
        if "\0" in repo or len(repo) > 4096:
            raise InvalidArgs("repo: not a path")
        head, _, rest = repo.partition("/")
        if head in self.named:
            root = self.named[head]
            return self._within(normal_path(root, os.fsencode(rest)), repo)
        base = next(iter(self.named.values())) if cwd is None else os.fsencode(cwd)
        return self._within(normal_path(base, os.fsencode(repo)), repo)

    @staticmethod
    def _anything(repo: str) -> tuple[bytes, bytes]:
        if "\0" in repo or len(repo) > 4096:
            raise InvalidArgs("repo: not a path")
        path = os.path.abspath(os.fsencode(repo))
        return path, path

    def _within(self, path: bytes, word: str) -> tuple[bytes, bytes]:
        best = b""
        for root in self.named.values():
            if (path == root or path.startswith(root.rstrip(b"/") + b"/")) and len(root) > len(best):
                best = root
        if not best:
            raise SandboxViolation(
                f"'{word}' lies outside of what may be read", hint=f"Repositories: {', '.join(self.named)}.", path=word
            )
        return path, best

    def store(
        self, repo: str | None, cwd: str | None = None, limits: Limits | None = None, *, at_top: bool = True
    ) -> Store:
        """The repository of a `repo` argument, opened at its top: a store for the calling thread. Raises
        NotARepository.

        Without `at_top` it is opened at the given directory, so that paths are relative to that, as for a git that is
        started there. Opening and revalidating have a deadline and a memory limit even outside of a call.
        """
        with running() or Context(limits or Limits()):
            try:
                return self._store(repo, cwd, limits, at_top)
            except NotFound as error:
                if repo and error.hint is None:
                    error.hint = self._advice(repo)
                raise
            except SandboxViolation as error:
                if file := self._linked(repo, cwd):
                    error.hint = f"{file} names a git directory elsewhere: a root has to contain both."
                raise

    def _linked(self, repo: str | None, cwd: str | None) -> str:
        """The `.git` of a `repo` argument if it is a file, as that of a linked work tree is; or nothing."""
        where, root = self.locate(repo, cwd)
        status = Jail(root).lstat(where + b"/.git")
        return os.fsdecode(where + b"/.git") if status is not None and status.st_mode & 0o170000 == 0o100000 else ""

    def _advice(self, repo: str) -> str:
        """For a `repo` argument that names nothing: which root it may mean, or which there are."""
        folded = {name.lower(): name for name in self.named}
        near = get_close_matches(repo.lower(), folded, 3, 0.6)
        if near:
            return f"did you mean repo={' or '.join(folded[name] for name in near)}?"
        return f"Repositories: {', '.join(self.named)}; git_info lists them."

    def repositories(self, ctx: Context) -> list[str]:
        """The short names of what can be read: of the roots, and of the repositories below a root that is none."""
        names: list[str] = []
        for name, root in self.named.items():
            below = islice(_repositories(Jail(root), root, ctx), _MOST_LISTED)
            names += [name + os.fsdecode(path.removeprefix(root.rstrip(b"/"))) for path in below] or [name]
        return names

    def _store(self, repo: str | None, cwd: str | None, limits: Limits | None, at_top: bool) -> Store:
        where, root = self.locate(repo, cwd)
        key = where, root, at_top
        with self._lock:
            opened = self._open.get(key)
            if opened is not None:
                self._open.move_to_end(key)
        if opened is not None and opened.first.jail.stands():
            store = opened.mine()
            store.refresh()
            return store
        if root in self._jail_roots:
            no_links(self._jail_roots[root])
        # a root that is a repository has its own jail, with the git directory of a linked worktree that points back
        jail = None if where == root and (self._anywhere or root in self._jail_roots) else root
        ceilings = (os.path.dirname(where),) if jail is None else ()
        store = open_store(Where(cwd=where, ceilings=ceilings), root=jail, config={}, limits=limits)
        if at_top and store.prefix and store.work_tree is not None:
            top = store.work_tree
            store.close()
            store = open_store(Where(cwd=top), root=jail, config={}, limits=limits)
        with self._lock:
            if opened is not None and self._open.get(key) is opened:  # another directory has that path now
                del self._open[key]
            opened = self._open.setdefault(key, Shared(store))
            while len(self._open) > _MOST_OPEN:  # not closed: another thread may be reading it
                self._open.popitem(last=False)
        return opened.mine()

    def short_name(self, path: bytes) -> str:
        """The short name that a `repo` argument can use for a directory."""
        for name, root in self.named.items():
            if path == root:
                return name
            if path.startswith(root.rstrip(b"/") + b"/"):
                return name + "/" + os.fsdecode(path[len(root.rstrip(b"/")) + 1 :])
        return os.fsdecode(path)
