"""Our jailed repository as a dulwich repository: the result of `Repository.dulwich()`.

dulwich's walker, archives, bundles, packs, client and server then work inside of the jail and within the limits.
"""

import io
import os
from typing import BinaryIO, NoReturn

from dulwich.config import Config as DulwichConfig
from dulwich.config import ConfigFile, StackedConfig
from dulwich.errors import NoIndexPresent
from dulwich.index import Index, read_index_dict_with_version
from dulwich.objects import Commit, ObjectID
from dulwich.repo import BaseRepo, ParentsProvider

from ..errors import Unsupported
from ..limits import Limits
from ..repo.store import Store
from .errors import from_dulwich, refuse, to_dulwich
from .objects import JailedObjectStore
from .reading import Reading
from .refs import JailedRefs
from .settings import harmless

_MOST = 16 << 20  # bytes of a file of the git directory


class JailedRepo(BaseRepo):
    """One jailed repository, for one piece of work: the limits count from when it was made, or `renew`ed.

    It is read only: every method that would write raises `ReadOnly` (a `PermissionError`). `limits.timeout` seconds
    after its beginning every read raises `Timeout`. A server that runs for longer needs `Limits.generous()`, or a new
    repository for each request. Threads may share it.
    """

    object_store: JailedObjectStore
    refs: JailedRefs

    def __init__(self, first: Store, limits: Limits) -> None:
        self._reading = Reading(first, limits)
        super().__init__(JailedObjectStore(self._reading), JailedRefs(self._reading))
        self.bare = first.bare
        self._provider: ParentsProvider | None = None

    def __repr__(self) -> str:
        return f"<JailedRepo {os.fsdecode(self._reading.own()[0].git_dir)!r}>"

    def renew(self) -> None:
        """Begin another piece of work: the limits count from now, and settings and grafts are read again."""
        self._reading.renew()
        self._provider = None

    def close(self) -> None:
        """Close the open files. The repository can still be used, and opens them again."""
        self._reading.close()

    def __enter__(self) -> "JailedRepo":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- history -----------------------------------------------------------------------------------------------------

    def parents_provider(self) -> ParentsProvider:
        """The parents with which history is walked: grafts and the shallow boundary are applied."""
        if self._provider is None:
            store, ctx = self._reading.own()
            with ctx, to_dulwich(b"grafts"):
                grafted = store.odb.grafted
            grafts = {_hex(oid): [_hex(parent) for parent in parents] for oid, parents in grafted.items()}
            self._provider = ParentsProvider(self.object_store, grafts=grafts, shallows=self.get_shallow())
        return self._provider

    def get_parents(self, sha: ObjectID, commit: Commit | None = None) -> list[ObjectID]:
        """The parents of a commit; see `parents_provider`."""
        provider = self._provider or self.parents_provider()
        if commit is not None and not provider.grafts and not provider.shallows:
            return commit.parents
        return provider.get_parents(sha, commit)

    def get_shallow(self) -> set[ObjectID]:
        """The commits whose parents a shallow clone left out."""
        store, ctx = self._reading.own()
        with ctx, to_dulwich(b"shallow"):
            return {_hex(oid) for oid in store.shallow}

    # --- files of the git directory ----------------------------------------------------------------------------------

    def get_named_file(self, path: str, basedir: str | None = None) -> BinaryIO | None:
        """A file of the git directory, read whole; None if it is missing, or if the name leads out of the directory."""
        name = os.fsencode(path)
        if basedir is not None or name.startswith(b"/") or b".." in name.split(b"/"):
            return None
        store, ctx = self._reading.own()
        with ctx, to_dulwich(name):
            data = store.jail.read_optional(store.git_path(name), _MOST)
        return None if data is None else io.BytesIO(data)

    def get_description(self) -> bytes | None:
        """The repository's description."""
        file = self.get_named_file("description")
        return None if file is None else file.read()

    def open_index(self, config: DulwichConfig | None = None) -> Index:
        """The index as it is now, in memory. Raises NoIndexPresent in a bare repository."""
        store, ctx = self._reading.own()
        if self.bare:
            raise NoIndexPresent
        with ctx, to_dulwich(b"index"):
            data = store.index_bytes()
        return JailedIndex(data or b"", self.object_store)

    def get_config(self) -> ConfigFile:
        """The repository's settings, without all that name a program (`settings`)."""
        store, ctx = self._reading.own()
        with ctx, to_dulwich(b"config"):
            return harmless(store.config)

    def get_worktree_config(self) -> ConfigFile:
        """Empty: the settings of a work tree are among the repository's."""
        return ConfigFile()

    def get_config_stack(self) -> StackedConfig:
        """The repository's settings alone; those of the user and of the system are not read."""
        return StackedConfig([self.get_config()])

    # --- methods that would write, or run a program ------------------------------------------------------------------

    def _put_named_file(self, path: str, contents: bytes) -> NoReturn:
        raise refuse(f"write '{path}'")

    def _del_named_file(self, path: str) -> NoReturn:
        raise refuse(f"remove '{path}'")

    def set_description(self, description: bytes) -> NoReturn:
        raise refuse("write 'description'")

    def update_shallow(self, new_shallow: set[ObjectID] | None, new_unshallow: set[ObjectID] | None) -> None:
        """Do nothing if nothing would change; otherwise raise `ReadOnly`."""
        if new_shallow or new_unshallow:
            raise refuse("write 'shallow'")

    def _determine_file_mode(self) -> bool:
        return False

    def get_rebase_state_manager(self) -> NoReturn:
        raise refuse("rebase")

    def get_worktree(self) -> NoReturn:
        raise Unsupported("dulwich's work tree functions write files and run filters; a jailed repository has none")

    def get_blob_normalizer(self, config: DulwichConfig | None = None, tree: bytes | None = None) -> NoReturn:
        raise Unsupported("dulwich's filters run programs; a jailed repository has none")

    def get_gitattributes(self, tree: bytes | None = None) -> NoReturn:
        raise Unsupported("attributes are not given to dulwich; ask `Repository.git(['check-attr', …])`")


class JailedIndex(Index):
    """An index that was read from bytes. Its entries may be changed; it cannot be written or read again."""

    def __init__(self, data: bytes, objects: JailedObjectStore) -> None:
        super().__init__(b"index", read=False, object_format=objects.object_format)
        if data:
            with from_dulwich("index"):
                entries, self._version, self._extensions = read_index_dict_with_version(
                    io.BytesIO(data), objects.object_format
                )
            for name, entry in entries.items():
                self.set_verbatim(name, entry)

    def read(self) -> None:
        """Do nothing: the bytes were read already."""

    def write(self) -> NoReturn:
        raise refuse("write the index")


def _hex(oid: bytes) -> ObjectID:
    return ObjectID(oid.hex().encode())
