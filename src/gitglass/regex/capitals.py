"""Upper-case forms of texts, as glibc compares texts when case is ignored: one character for one (towupper(3))."""

from ..deferred import lazy_pattern

__all__ = ["upper_of"]

#: Letters whose full upper-case form has several characters. Only the Greek ones also have a one-character form.
_LONG = lazy_pattern(
    "([\\u00df\\u0149\\u01f0\\u0390\\u03b0\\u0587\\u1e96-\\u1e9a\\u1f50\\u1f52\\u1f54\\u1f56\\u1f80-\\u1faf\\u1fb2-\\u1fb4"
    "\\u1fb6\\u1fb7\\u1fbc\\u1fc2-\\u1fc4\\u1fc6\\u1fc7\\u1fcc\\u1fd2\\u1fd3\\u1fd6\\u1fd7\\u1fe2-\\u1fe4\\u1fe6\\u1fe7\\u1ff2-\\u1ff4"
    "\\u1ff6\\u1ff7\\u1ffc\\ufb00-\\ufb06\\ufb13-\\ufb17])"
)


def upper_of(text: str) -> str:
    """`text` in upper case, one character for each character, as glibc compares texts when case is ignored."""
    whole = text.upper()
    if len(whole) == len(text):
        return whole
    parts = _LONG.split(text)
    parts[::2] = [part.upper() for part in parts[::2]]
    parts[1::2] = [part.title() if len(part.title()) == 1 else part for part in parts[1::2]]
    return "".join(parts)
