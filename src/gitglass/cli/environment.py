"""Configuration in environment variables: GIT_CONFIG_COUNT, _KEY_<n>, _VALUE_<n>, GIT_CONFIG_PARAMETERS (git-config).

Only `main.py` reads the environment itself; here it is a mapping.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from ..config.config import bad_boolean, parse_bool
from ..deferred import lazy_pattern
from ..errors import BadConfig, GitError

_QUOTED = lazy_pattern(r"'((?:[^']|'\\[!']')*)'", re.DOTALL)
_UNQUOTE = lazy_pattern(r"'\\([!'])'")
_MOST = 2**31 - 1


def truth(env: Mapping[str, str], name: str) -> bool:
    """The truth value of a variable that is set, by the rules of the configuration. Raises BadConfig.

    Strange but git's: the error speaks of a config value, though the variable is named.
    """
    value = os.fsencode(env[name])
    meant = parse_bool(value)
    if meant is None:
        raise bad_boolean(value, name.encode())
    return meant


def counted_settings(env: Mapping[str, str]) -> list[tuple[str, str]]:
    """GIT_CONFIG_KEY_<n> and GIT_CONFIG_VALUE_<n>, for each n below GIT_CONFIG_COUNT. Raises GitError."""
    number_text = env.get("GIT_CONFIG_COUNT", "")
    if not number_text:
        return []
    number = re.fullmatch(r"\s*([+-]?)([0-9]+)", number_text, re.ASCII)
    if number is None:
        raise _bad("bogus count in GIT_CONFIG_COUNT")
    count = int(number[2])
    if count > _MOST or (number[1] == "-" and count):
        raise _bad("too many entries in GIT_CONFIG_COUNT")
    settings = []
    for at in range(count):
        key, value = env.get(f"GIT_CONFIG_KEY_{at}"), env.get(f"GIT_CONFIG_VALUE_{at}")
        if key is None:
            raise _bad(f"missing config key GIT_CONFIG_KEY_{at}")
        if value is None:
            raise _bad(f"missing config value GIT_CONFIG_VALUE_{at}")
        settings.append((key, value))
    return settings


def quoted_settings(env: Mapping[str, str]) -> list[str | tuple[str, str | None]]:
    """The settings in GIT_CONFIG_PARAMETERS, which git passes to git programs that it starts: keys and values, each
    quoted (`'key'='value'`, or `'key'=`), or as old versions of git have them, words of -c (`'key=value'`)."""
    rest = env.get("GIT_CONFIG_PARAMETERS", "").strip()
    words: list[str | tuple[str, str | None]] = []
    while rest:
        key, rest = _unquoted(rest)
        word: str | tuple[str, str | None] = key
        if rest[:1] == "=":
            value, rest = _unquoted(rest[1:]) if rest[1:2] == "'" else (None, rest[1:])
            word = key, value
        elif key.startswith("="):
            raise _bad(f"bogus config parameter: {key}")
        if rest and not rest[0].isspace():
            raise _bad("bogus format in GIT_CONFIG_PARAMETERS")
        words.append(word)
        rest = rest.lstrip()
    return words


def _unquoted(rest: str) -> tuple[str, str]:
    match = _QUOTED.match(rest)
    if match is None:
        raise _bad("bogus format in GIT_CONFIG_PARAMETERS")
    return _UNQUOTE.sub(r"\1", match[1]), rest[match.end() :]


def _bad(why: str) -> GitError:
    return BadConfig(f"{why}\nfatal: unable to parse command-line config", prefix="error")


def patch_context(options: str) -> int | None:
    """The lines of context in GIT_DIFF_OPTS: `-u<n>` or `--unified=<n>`, and nothing else (git(1)).

    Strange but git's: only the beginning of the value counts, it overrides -U of the command line, and an invalid
    number is 0.
    """
    match = re.match(r"(?:--unified=|-u)\s*\+?([0-9]{0,40})", options, re.ASCII) if options else None
    return min(int(match[1] or 0), _MOST) if match is not None else None
