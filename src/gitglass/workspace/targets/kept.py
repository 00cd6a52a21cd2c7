"""A workspace saved in a file of this machine, as a bundle: written to a temporary file, synced, and renamed."""

from __future__ import annotations

import os
import secrets
from typing import Any

from ...disk.jail import Jail
from ...errors import InvalidArgs, NotFound, text
from ...mutate.calls import Calls
from ...mutate.door import Door
from ...objects.database import Odb
from ..bundle import from_bundle, to_bundle
from ..sources import Handle, opened_store
from ..workspace import Workspace

_MOST = 512 << 20


class KeptFile:
    """The file in which a host saves a workspace; `Desk(changed=kept.save)` writes it after each staging and push.

    Nothing outside of the file's directory is opened. Raises InvalidArgs if the file's directory does not exist.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        folder, name = os.path.split(os.path.abspath(os.fsencode(path)))
        self._jail, self._folder, self._name = Jail(folder), folder, name
        if not self._jail.is_dir(folder):
            raise InvalidArgs(f"'{text(folder)}' is no directory")
        if not name or self._jail.is_dir(folder + b"/" + name):
            raise InvalidArgs(f"'{text(folder + b'/' + name)}' is a directory, and no file")

    @property
    def exists(self) -> bool:
        """Whether the file exists."""
        return self._jail.lstat(self._folder + b"/" + self._name) is not None

    def save(self, workspace: Workspace) -> None:
        """Save the workspace; a reader meanwhile gets the previous one."""
        data = to_bundle(workspace)
        door = Door(self._jail.directory(self._folder), Calls())
        draft = b".%b.%b" % (self._name, secrets.token_hex(6).encode())
        try:
            door.new_file(draft, data, 0o600, sync=True)
            door.rename(draft, self._name)
        except BaseException:
            door.remove(draft)
            raise

    def load(self, repo: Handle, **options: Any) -> Workspace:
        """The workspace, over a repository that has its base. Raises NotFound, and as `from_bundle` does."""
        return self.load_over([opened_store(repo).odb], **options)

    def load_over(self, layers: list[Odb], **options: Any) -> Workspace:
        """The workspace, over databases that have its base. Raises NotFound, and as `from_bundle` does."""
        data = self._jail.read_optional(self._folder + b"/" + self._name, _MOST)
        if data is None:
            raise NotFound(f"there is no '{text(self._name)}'")
        return from_bundle(bytes(data), layers, **options)
