"""Output on a terminal: control characters of a repository never reach it unchanged.

A pipe or a file gets git's bytes unchanged. On a terminal, all control characters except newline, tab and colour
sequences (SGR) are made visible, and so are bidirectional and zero-width characters, which can hide the content of a
line.
"""

from ..visible import visible_bytes as visible

__all__ = ["visible"]
