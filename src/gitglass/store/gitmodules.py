"""What is said of submodules: `.gitmodules`, and the repository's own configuration over it (gitmodules(5))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import GitError
from ..limits import paced
from .configfile import parse_config

if TYPE_CHECKING:
    from .config import Config
    from .store import Store


class SubmoduleNames:
    """`.gitmodules` by path, with the overrides of the repository's own config."""

    __slots__ = ("_config", "_modules", "by_path")

    def __init__(self, store: Store) -> None:
        self._config: Config = store.config
        self.by_path: dict[bytes, bytes] = {}
        self._modules: dict[bytes, bytes | None] = {}
        data = store.files.read_optional(b".gitmodules", 10 << 20) if store.files is not None else None
        if data is None:
            at = store.index.find(b".gitmodules")
            data = store.odb.blob(store.index.oids[at]) if at >= 0 else None
        if not data:
            return
        try:
            entries = parse_config(bytes(data), ".gitmodules")
        except GitError:
            return
        for key, value, _ in paced(entries):
            self._modules[key] = value
            if key.startswith(b"submodule.") and key.endswith(b".path") and value:
                self.by_path[value.rstrip(b"/")] = key[10:-5]

    def setting(self, path: bytes, name: bytes) -> bytes | None:
        """`submodule.<name>.<setting>` of the submodule at a path; the repository's config first."""
        module = self.by_path.get(path)
        if module is None:
            return None
        key = b"submodule." + module + b"." + name
        own = self._config.get(key)
        return own if own is not None else self._modules.get(key)


def submodule_names(store: Store) -> SubmoduleNames:
    """The store's submodule settings, read once for each refresh of the store."""
    kept = store.kept.get("submodules")
    if not isinstance(kept, SubmoduleNames):
        kept = store.kept["submodules"] = SubmoduleNames(store)
    return kept


def ignore_setting(store: Store, path: bytes, given: bytes | None, default: bytes) -> bytes:
    """What is ignored about a submodule: the option, its own setting, the command's default."""
    if given is not None:
        return given
    return submodule_names(store).setting(path, b"ignore") or default
