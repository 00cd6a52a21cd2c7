"""The magic of a pathspec: the signs or words in front of it, and the attributes that it requires.

Mirrors gitglossary(7), "pathspec".
"""

from __future__ import annotations

from ..errors import BadRequest, text

_SHORT = {33: "exclude", 94: "exclude", 47: "top"}  # ! ^ /
_LONG = ("top", "literal", "glob", "icase", "exclude", "attr")
# Characters that are read as magic after ":": punctuation that has no meaning in a path or a pattern.
_PUNCTUATION = frozenset(b"!\"#%&',-/:;<=>@_`~")

#: attributes that a path has to have: True means "set", False "unset", None "unspecified"
Required = tuple[tuple[bytes, bytes | bool | None], ...]
NO_ATTRIBUTES: Required = ()


def read_magic(arg: bytes) -> tuple[set[str], Required, bytes]:
    """(magic words, required attributes, rest of the word) of a pathspec."""
    if arg[:1] != b":":
        return set(), (), arg
    if arg[1:2] == b"(":
        return _long_magic(arg)
    magic: set[str] = set()
    at = 1
    while at < len(arg) and arg[at] != 58:
        char = arg[at]
        if char in _SHORT:
            magic.add(_SHORT[char])
        elif char in _PUNCTUATION:
            raise BadRequest(f"Unimplemented pathspec magic '{chr(char)}' in '{text(arg)}'")
        else:
            break
        at += 1
    if arg[at : at + 1] == b":":
        at += 1
    return magic, (), arg[at:]


def _long_magic(arg: bytes) -> tuple[set[str], Required, bytes]:
    magic: set[str] = set()
    attrs: Required = ()
    close = _closing(arg)
    for raw in _split_commas(arg[2:close]):
        if not raw:
            continue
        name = text(raw)
        if name.startswith("attr:"):
            if "attr" in magic:
                raise BadRequest("Only one 'attr:' specification is allowed.")
            attrs = _required(raw[5:])
            magic.add("attr")
        elif name.startswith("prefix:"):
            continue
        elif name in _LONG and name != "attr":
            magic.add(name)
        else:
            raise BadRequest(f"Invalid pathspec magic '{name}' in '{text(arg)}'")
    return magic, attrs, arg[close + 1 :]


def _closing(arg: bytes) -> int:
    at = 2
    while at < len(arg):
        if arg[at] == 92:
            at += 1
        elif arg[at] == 41:
            return at
        at += 1
    raise BadRequest(f"Missing ')' at the end of pathspec magic in '{text(arg)}'")


def _split_commas(words: bytes) -> list[bytes]:
    parts, start, at = [], 0, 0
    while at < len(words):
        if words[at] == 92:
            at += 1
        elif words[at] == 44:
            parts.append(words[start:at])
            start = at + 1
        at += 1
    parts.append(words[start:])
    return parts


def _required(value: bytes) -> Required:
    """The required values of `attr:a -b !c d=x`, by attribute."""
    if not value:
        raise BadRequest("attr spec must not be empty")
    attributes: list[tuple[bytes, bytes | bool | None]] = []
    for word in value.split(b" "):
        if not word:
            continue
        if word[:1] == b"!":
            name, want = word[1:], None
        elif word[:1] == b"-":
            name, want = word[1:], False
        elif b"=" in word:
            name, _, raw = word.partition(b"=")
            attributes.append((_attr_name(name), _unescaped(raw)))
            continue
        else:
            name, want = word, True
        attributes.append((_attr_name(name), want))
    return tuple(attributes)


def _unescaped(raw: bytes) -> bytes:
    value, at = bytearray(), 0
    while at < len(raw):
        if raw[at] == 92:
            at += 1
            if at == len(raw):
                raise BadRequest("Escape character '\\' not allowed as last character in attr value")
        char = raw[at]
        if not (48 <= char <= 57 or 65 <= char <= 90 or 97 <= char <= 122 or char in b"-_,"):
            raise BadRequest(f"cannot use '{chr(char)}' for value matching")
        value.append(char)
        at += 1
    return bytes(value)


def _attr_name(name: bytes) -> bytes:
    if not name or name[:1] == b"-" or name.strip(b"-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"):
        raise BadRequest(f"invalid attribute name {text(name)}")
    return name
