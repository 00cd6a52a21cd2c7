"""Converts between a repository's bytes and the text of typed results; no other module does.

Bytes that are not UTF-8 become U+FFFD: a typed result has to be valid JSON. If the exact bytes matter (the content of a
file), a result also has them in Base64 (RFC 4648, section 4).
"""

from binascii import a2b_base64, b2a_base64


def to_text(raw: bytes) -> str:
    """Bytes for people and models: UTF-8, with invalid bytes replaced."""
    return raw.decode("utf-8", "replace")


def to_bytes(value: str) -> bytes:
    """An argument as the bytes that were typed (PEP 383)."""
    return value.encode("utf-8", "surrogateescape")


def base64_unless_text(raw: bytes) -> str | None:
    """Bytes in Base64, or None if they are UTF-8 and `to_text` loses nothing."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return to_base64(raw)
    return None


def to_base64(raw: bytes) -> str:
    """Bytes in Base64, on one line."""
    return b2a_base64(raw, newline=False).decode("ascii")


def exact_bytes(content: str | None, encoded: str | None) -> bytes:
    """The bytes of a text, or otherwise of its Base64 form."""
    return a2b_base64(encoded) if encoded is not None else (content or "").encode("utf-8")
