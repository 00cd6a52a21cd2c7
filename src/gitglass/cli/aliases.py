"""Aliases: names that the configuration gives to command lines (git-config(1), `alias.*`)."""

from __future__ import annotations

from ..errors import BadConfig, GitError, text


def split_words(line: bytes) -> list[bytes]:
    """Split a command line into words: quotes hold them together, a backslash makes the next character literal."""
    words: list[bytes] = []
    word = bytearray()
    quote = at = 0
    while at < len(line):
        char = line[at]
        at += 1
        if not quote and chr(char).isspace():
            words.append(bytes(word))
            word.clear()
            while at < len(line) and chr(line[at]).isspace():
                at += 1
        elif not quote and char in b"'\"":
            quote = char
        elif char == quote:
            quote = 0
        elif char == 0x5C and quote != 0x27:
            if at >= len(line):
                raise ValueError("cmdline ends with \\")
            word.append(line[at])
            at += 1
        else:
            word.append(char)
    if quote:
        raise ValueError("unclosed quote")
    return [*words, bytes(word)]


def alias_words(name: str, value: bytes) -> list[str]:
    """The words that an alias stands for. Raises GitError with git's message."""
    try:
        words = split_words(value)
    except ValueError as error:
        raise BadConfig(f"bad alias.{name} string: {error}") from None
    return [text(word) for word in words]


def loop(names: list[str], again: str) -> GitError:
    """git's error for a loop of aliases."""
    if names[-1] == again:
        return BadConfig(f"recursive alias: {again}")
    lines = "".join(
        f"\n  {name}" + (" <==" if name == again else " ==>" if name == names[-1] else "") for name in names
    )
    return BadConfig(f"alias loop detected: expansion of '{names[0]}' does not terminate:{lines}")
