"""The one crossing between a repository's bytes and the text of typed results.

Bytes that are not UTF-8 become U+FFFD: a typed result has to be valid JSON. Where the exact bytes matter (the content
of a file) a result has them in Base64 as well (RFC 4648, section 4).
"""

from binascii import a2b_base64, b2a_base64


def to_text(raw: bytes) -> str:
    """Bytes for people and models: UTF-8, with what is not UTF-8 replaced."""
    return raw.decode("utf-8", "replace")


def to_bytes(value: str) -> bytes:
    """An argument as the bytes it was typed in (PEP 383)."""
    return value.encode("utf-8", "surrogateescape")


def base64_unless_text(raw: bytes) -> str | None:
    """Bytes in Base64, None where they are UTF-8 and `to_text` loses nothing."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return to_base64(raw)
    return None


def to_base64(raw: bytes) -> str:
    """Bytes in Base64, on one line."""
    return b2a_base64(raw, newline=False).decode("ascii")


def exact_bytes(content: str | None, encoded: str | None) -> bytes:
    """The bytes that a text, or else its Base64 form, stands for."""
    return a2b_base64(encoded) if encoded is not None else (content or "").encode("utf-8")
