"""The one crossing between a repository's bytes and the text of typed results.

Bytes that are not UTF-8 become U+FFFD: a typed result has to be valid JSON. The exact bytes are in git's own output.
"""


def to_text(raw: bytes) -> str:
    """Bytes for people and models: UTF-8, with what is not UTF-8 replaced."""
    return raw.decode("utf-8", "replace")


def to_bytes(value: str) -> bytes:
    """An argument as the bytes it was typed in (PEP 383)."""
    return value.encode("utf-8", "surrogateescape")
