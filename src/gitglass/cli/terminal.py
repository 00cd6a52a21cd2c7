"""Writing to a person's terminal: control characters of a repository never reach it raw.

A pipe or a file gets git's bytes as they are. On a terminal, all control characters but newline, tab and colour
sequences (SGR) are made visible, and so are the bidirectional and zero-width characters that hide what a line says.
"""

from ..visible import visible_bytes as visible

__all__ = ["visible"]
