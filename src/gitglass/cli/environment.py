"""What git's environment says of configuration: GIT_CONFIG_COUNT and its kin, GIT_CONFIG_PARAMETERS (git-config(1)).

And of the locale (locale(7)), which decides what a character is to regular expressions.

The environment itself is read in `main.py` alone; here it is a mapping.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..deferred import lazy_pattern
from ..errors import BadConfig, GitError

_QUOTED = lazy_pattern(r"'((?:[^']|'\\[!']')*)'", re.DOTALL)
_UNQUOTE = lazy_pattern(r"'\\([!'])'")
_MOST = 2**31 - 1
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")

#: git's variables of persons, and of when they do it → what they stand for
PERSON_VARIABLES = {
    "GIT_AUTHOR_NAME": "author.name", "GIT_AUTHOR_EMAIL": "author.email", "GIT_COMMITTER_NAME": "committer.name",
    "GIT_COMMITTER_EMAIL": "committer.email", "EMAIL": "email", "GIT_AUTHOR_DATE": "author.date",
    "GIT_COMMITTER_DATE": "committer.date",
}  # fmt: skip

#: git's variables of the programs that a person works with
PROGRAM_VARIABLES = ("GIT_EDITOR", "VISUAL", "EDITOR", "GIT_PAGER", "PAGER", "TERM")


def counted_settings(env: Mapping[str, str]) -> list[tuple[str, str]]:
    """GIT_CONFIG_KEY_<n> and GIT_CONFIG_VALUE_<n>, as many as GIT_CONFIG_COUNT says. Raises GitError."""
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


def quoted_settings(env: Mapping[str, str]) -> list[str]:
    """GIT_CONFIG_PARAMETERS, in which git hands `-c` on: `'key'='value'`, of old also `'key=value'`, as `-c` words."""
    rest = env.get("GIT_CONFIG_PARAMETERS", "").strip()
    words = []
    while rest:
        key, rest = _unquoted(rest)
        if rest[:1] == "=":
            value, rest = _unquoted(rest[1:]) if rest[1:2] == "'" else ("", rest[1:])
            key = f"{key}={value}"
        if rest and not rest[0].isspace():
            raise _bad("bogus format in GIT_CONFIG_PARAMETERS")
        words.append(key)
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
    """The lines of context that GIT_DIFF_OPTS asks for: `-u<n>` or `--unified=<n>`, and nothing else (git(1)).

    Strange but git's: only what the value begins with counts, it is stronger than -U of the command line, and a number
    that cannot be read is 0.
    """
    match = re.match(r"(?:--unified=|-u)\s*\+?([0-9]{0,40})", options, re.ASCII) if options else None
    return min(int(match[1] or 0), _MOST) if match is not None else None


def byte_patterns(env: Mapping[str, str], codeset: str) -> bool:
    """Whether regular expressions are about bytes, as git has them where the locale is not one of UTF-8.

    `codeset` is that of the locale in force. In the C locale Python puts `LC_CTYPE=C.UTF-8` into its own environment
    (PEP 538) and works in that one. Whether it was Python or the user cannot be seen: without a LANG it was Python.
    """
    coerced = env.get("LC_CTYPE") in _COERCED and not env.get("LC_ALL") and env.get("LANG", "") in ("", "C", "POSIX")
    return coerced or codeset.upper().replace("-", "") != "UTF8"
