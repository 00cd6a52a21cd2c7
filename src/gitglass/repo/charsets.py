"""Names of character sets as repositories give them: of Python's codecs only those between text and bytes count.

Python's registry of codecs knows more (compression, escapes, names of hosts), and what a repository names there would
be run on its own bytes, bombs included.
"""

import codecs

_NOT_CHARSETS = frozenset(("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"))


def charset(name: bytes) -> str | None:
    """Python's codec for an encoding; None for what is no character set."""
    if not name.isascii() or not name or len(name) > 100:
        return None
    try:
        codec = codecs.lookup(name.decode("ascii"))
    except (LookupError, ValueError):
        return None
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _NOT_CHARSETS:
        return None
    return codec.name
