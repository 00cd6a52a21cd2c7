"""Output on a terminal: control characters of a repository never reach it unchanged.

A pipe or a file gets git's bytes unchanged. On a terminal, all control characters except newline, tab and, in what may
be painted, colour sequences (SGR) are made visible, and so are bidirectional, zero-width and tag characters, which can
hide the content of a line.
"""

from ..visible import plain_bytes as plain
from ..visible import visible_bytes as visible

__all__ = ["plain", "visible"]
