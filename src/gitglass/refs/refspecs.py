"""Refspecs: which refs there become which refs here, and the other way round. Mirrors git-fetch(1) and git-push(1),
"<refspec>".

A refspec is read once, with the rules of its direction; what makes no sense is refused in git's words.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..deferred import lazy_pattern
from ..errors import BadRequest, text
from ..records import record
from .names import check_refname

_HEX = lazy_pattern(rb"[0-9a-fA-F]+")


@record(frozen=True)
class Refspec:
    """One refspec. `source` and `target` are as written, without sign; `target` is None where there is no colon.

    `matching` is push's `:`, `negative` one of `^`, `exact` a whole object name that is to be fetched.
    """

    source: bytes
    target: bytes | None = None
    force: bool = False
    pattern: bool = False
    negative: bool = False
    matching: bool = False
    exact: bool = False

    def raw(self) -> bytes:
        """The refspec as it would be written."""
        sign = b"^" if self.negative else b"+" if self.force else b""
        return sign + (b":" if self.matching else self.source + (b"" if self.target is None else b":" + self.target))

    def takes(self, name: bytes) -> bool:
        """Whether its source fits a full name."""
        return fits(self.source, name) is not None

    def mapped(self, name: bytes) -> bytes | None:
        """What a full name that fits the source becomes; None where it does not fit, or is put nowhere."""
        middle = fits(self.source, name)
        if middle is None or not self.target:
            return None
        return self.target.replace(b"*", middle, 1)


def parse_fetch(word: bytes, hex_len: int) -> Refspec:
    """A refspec to fetch by. Raises BadRequest."""
    spec = _split(word, hex_len, fetch=True)
    if spec is None:
        raise _invalid(word)
    if spec.negative:
        return spec
    plain = spec.source
    exact = len(plain) == hex_len and _HEX.fullmatch(plain) is not None
    if plain and not exact and not _is_well_formed(plain, spec.pattern):
        raise _invalid(word)
    if spec.target and not _is_well_formed(spec.target, spec.pattern):
        raise _invalid(word)
    return Refspec(plain, spec.target, spec.force, spec.pattern, exact=exact)


def parse_push(word: bytes, hex_len: int) -> Refspec:
    """A refspec to push by. Raises BadRequest."""
    spec = _split(word, hex_len, fetch=False)
    if spec is None:
        raise _invalid(word)
    if spec.negative or spec.matching:
        return spec
    if spec.source and spec.pattern and not _is_well_formed(spec.source, True):
        raise _invalid(word)
    name = spec.source if spec.target is None else spec.target
    if not name or not _is_well_formed(name, spec.pattern):
        raise _invalid(word)
    return spec


def _split(word: bytes, hex_len: int, *, fetch: bool) -> Refspec | None:
    """The parts of a refspec, stars counted; None where they do not fit together."""
    force, negative = word.startswith(b"+"), word.startswith(b"^")
    body = word[1:] if force or negative else word
    source, colon, target = body.rpartition(b":")
    if not colon:
        source, target = body, b""
    elif negative:
        return None
    elif not fetch and not source and not target:
        return Refspec(b"", b"", force, matching=True)
    starred, pattern = b"*" in target, b"*" in source
    if pattern and not starred and (colon or (fetch and not negative)):
        return None
    if starred and not pattern:
        return None
    source = b"HEAD" if source == b"@" else source
    if not negative:
        return Refspec(source, target if colon else None, force, pattern)
    exact = len(source) == hex_len and _HEX.fullmatch(source) is not None
    if not source or exact or not _is_well_formed(source, pattern):
        return None
    return Refspec(source, None, pattern=pattern, negative=True)


def _is_well_formed(name: bytes, pattern: bool) -> bool:
    return check_refname(name, onelevel=True, pattern=pattern)


def _invalid(word: bytes) -> BadRequest:
    return BadRequest(f"invalid refspec '{text(word)}'")


def is_left_out(specs: Iterable[Refspec], name: bytes) -> bool:
    """Whether a negative refspec takes a name out."""
    return any(spec.negative and spec.takes(name) for spec in specs)


def turned(specs: Iterable[Refspec], name: bytes) -> list[bytes]:
    """The names there that would be put at `name` here: refspecs read from their targets."""
    sources = []
    for spec in specs:
        middle = fits(spec.target, name) if spec.target and not spec.negative else None
        if middle is not None:
            sources.append(spec.source.replace(b"*", middle, 1) if spec.pattern else spec.source)
    return sources


def map_refspecs(specs: list[bytes], source: bytes) -> bytes | None:
    """The destination of `source` in the refspecs: by the first that matches, unless a negative one (`^…`) excludes
    it."""
    for spec in specs:
        if spec.startswith(b"^") and fits(spec[1:], source) is not None:
            return None
    for spec in specs:
        from_, colon, to = spec.removeprefix(b"+").partition(b":")
        if spec.startswith(b"^") or not colon or not to:
            continue
        middle = fits(from_, source)
        if middle is not None:
            return to.replace(b"*", middle, 1)
    return None


def fits(pattern: bytes, source: bytes) -> bytes | None:
    """The part of `source` that the `*` of `pattern` matches (b"" without a `*`); None if it does not match."""
    before, star, after = pattern.partition(b"*")
    if not star:
        return b"" if pattern == source else None
    if len(source) < len(before) + len(after) or not source.startswith(before) or not source.endswith(after):
        return None
    return source[len(before) : len(source) - len(after)]
