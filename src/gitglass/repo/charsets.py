"""Names of character sets as repositories give them: only those of Python's codecs count that convert between text and
bytes.

Python's registry of codecs has others (compression, escapes, host names); a repository that named one would have its
own bytes run through it, including decompression bombs.
"""

import codecs

_NOT_CHARSETS = frozenset(("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"))


def charset(name: bytes) -> str | None:
    """Python's codec for an encoding; None if it is no character set."""
    if not name.isascii() or not name or len(name) > 100:
        return None
    try:
        codec = codecs.lookup(name.decode("ascii"))
    except (LookupError, ValueError):
        return None
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _NOT_CHARSETS:
        return None
    return codec.name
