"""An object database in memory for the tests of diffstats."""

from ...support.memory_odb import contents, ctx, odb

__all__ = ["contents", "ctx", "odb"]
