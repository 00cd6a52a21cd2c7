"""An object database in memory for the tests of merges."""

from ..support.memory_odb import contents, ctx, odb

__all__ = ["contents", "ctx", "odb"]
