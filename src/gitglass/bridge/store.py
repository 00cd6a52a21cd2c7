"""A store whose objects and refs are in a dulwich repository, and its handle, the result of `gitglass.open(repo)`.

It behaves as a bare repository: no work tree, no index, no reflogs.
"""

from collections.abc import Mapping
from threading import RLock
from typing import Any

from dulwich.object_store import BaseObjectStore
from dulwich.repo import BaseRepo

from ..errors import NotARepository, Unsupported
from ..limits import Limits
from ..objects.database import Odb
from ..objects.directory import OpenPacks
from ..objects.hashes import LENGTHS
from ..records import lazy
from ..refs.refs import Refs
from ..repo.discover import NOT_FOUND, Layout, Where
from ..repo.store import Shared, Store
from ..repository import Repository
from .files import GIT_DIR, NamedFiles
from .refsource import DulwichRefs
from .source import DulwichSource

_HERE = Where(cwd=GIT_DIR)


class DulwichStore(Store):
    """The files of a repository that dulwich opened."""

    def __init__(
        self,
        held: BaseRepo | BaseObjectStore,
        *,
        lock: RLock,
        config: Mapping[str, Any],
        limits: Limits,
        opened: OpenPacks | None = None,
    ) -> None:
        self._held, self._lock = held, lock
        repo = held if isinstance(held, BaseRepo) else None
        name = held.object_format.name.lower()
        if name not in LENGTHS:
            raise Unsupported(f"the object format '{name}' is not known", format=name)
        layout = Layout(GIT_DIR, GIT_DIR, None, True, b"", GIT_DIR, False, hash_name=name, explicit=True)
        jail = NamedFiles(repo, lock=lock)
        super().__init__(_HERE, layout, jail, root=None, config=config, limits=limits, opened=opened)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a repository that dulwich holds in this process cannot be pickled")

    def sibling(self, limits: Limits | None = None) -> "DulwichStore":
        """Another store of this repository, for another thread."""
        opened = self._packs if limits is None else None
        return self._again(self._config_options, limits or self.limits or Limits(), opened)

    def _again(self, config: Mapping[str, Any], limits: Limits, opened: OpenPacks | None) -> "DulwichStore":
        return DulwichStore(self._held, lock=self._lock, config=config, limits=limits, opened=opened)

    def reopen(
        self, where: Where, *, root: bytes | None, config: Mapping[str, Any], optional: bool = False, limits: Limits
    ) -> Store:
        """This repository with other settings. Raises NotARepository for any other directory."""
        if where.git_dir not in (None, GIT_DIR) or where.work_tree is not None or where.cwd.rstrip(b"/") != GIT_DIR:
            raise NotARepository(NOT_FOUND)
        return self._again(config, limits, None)

    @lazy
    def odb(self) -> Odb:
        """The object database."""
        limits = self.limits or Limits()
        held = self._held.object_store if isinstance(self._held, BaseRepo) else self._held
        source = DulwichSource(held, self.hash_name, lock=self._lock, limit=limits.max_object_bytes)
        return Odb(
            self.jail, b"", self.hash_name, replaced=self._replacements, grafts=self._grafts,
            partial=lambda: self.is_partial, limit=limits.max_object_bytes, opened=self._packs,
            graph=lambda: False, complain=self._complain, sources=(source,),
        )  # fmt: skip

    @lazy
    def refs(self) -> Refs:
        """The references."""
        container = self._held.refs if isinstance(self._held, BaseRepo) else None
        return Refs(DulwichRefs(container, self.hash_len, lock=self._lock), self.hash_len, self._peel_tag)


class DulwichRepository(Repository):
    """A handle on a dulwich repository; `gitglass.open` makes it."""

    def __init__(self, held: BaseRepo | BaseObjectStore, *, limits: Limits | None = None) -> None:
        self._where, self._root, self._limits = _HERE, None, limits or Limits()
        self._held = held
        self._shared = Shared(DulwichStore(held, lock=RLock(), config={}, limits=self._limits))

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a repository that dulwich holds in this process cannot be pickled")

    def __repr__(self) -> str:
        return f"gitglass.open({self._held!r})"


def open_dulwich(held: object, *, limits: Limits | None = None) -> Repository:
    """The handle on a dulwich repository (`BaseRepo`), or on an object store without refs (`BaseObjectStore`).

    Raises TypeError for anything else, Unsupported for an unknown object format.
    """
    if not isinstance(held, BaseRepo | BaseObjectStore):
        raise TypeError(f"a path, or a repository or object store of dulwich, is expected, not {type(held).__name__}")
    return DulwichRepository(held, limits=limits)
