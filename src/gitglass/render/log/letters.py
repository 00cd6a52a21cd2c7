"""The values of single-letter placeholders: bytes for a commit, or None if git leaves the placeholder as it is."""

import re
from collections.abc import Callable, Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...objects.idents import Ident, split_ident
from .. import dates
from ..message import join_lines, sanitize, skip_blank_lines, split_subject
from .commit_parts import Env, Parts, Piece

if TYPE_CHECKING:
    from .signatures import issuer
else:
    issuer = deferred(__name__, ".signatures", "issuer")


# -------------------------------------------------------------------------------- messages


def _subject(parts: Parts) -> bytes:
    raw = parts.raw
    start = parts._body_at
    end = raw.find(b"\n", start)
    if end > start and raw[end : end + 2] in (b"\n\n", b"\n") and raw[start] > 32 and raw[end - 1] > 32:
        return raw[start:end]  # one line, followed by an empty one or nothing: nearly all commits
    return join_lines(split_subject(raw[start:])[0])


def _body(parts: Parts) -> bytes:
    return split_subject(parts.message)[1]


def _file_name(parts: Parts) -> bytes:
    return sanitize(skip_blank_lines(parts.message).partition(b"\n")[0])


# -------------------------------------------------------------------------------- people
def _mapped(ident: Ident, env: Env) -> tuple[bytes, bytes]:
    mailmap = env.store.mailmap
    return mailmap.map(ident.name, ident.mail) if mailmap else (ident.name, ident.mail)


def person(letter: str, env: Env) -> Callable[[Ident], bytes | None] | None:
    """The value of a letter of %a… and %c… for a person; None for a letter without meaning."""
    simple: dict[str, Callable[[Ident], bytes]] = {
        "n": lambda ident: ident.name,
        "e": lambda ident: ident.mail,
        "l": lambda ident: ident.mail.partition(b"@")[0],
        "N": lambda ident: _mapped(ident, env)[0],
        "E": lambda ident: _mapped(ident, env)[1],
        "L": lambda ident: _mapped(ident, env)[1].partition(b"@")[0],
    }
    if letter in simple:
        return simple[letter]
    if letter == "t":
        return lambda ident: ident.date or None
    if letter not in _MOMENTS:
        return None
    dater = dater_of(letter, env)
    return lambda ident: dater(ident.time, ident.tz) if ident.date else None


_MOMENTS = {
    "d": None,
    "D": dates.RFC,
    "r": dates.RELATIVE,
    "i": dates.ISO,
    "I": dates.ISO_STRICT,
    "h": dates.HUMAN,
    "s": dates.SHORT,
}


def dater_of(letter: str, env: Env) -> dates.Dater:
    """A time as %ad, %aD, %ai, %aI, … show it."""
    mode = _MOMENTS[letter]
    return env.dater if mode is None else dates.dater(mode, env.ctx.now)


#: if an ident cannot be parsed, these print nothing; the others stay as they stand
QUIET = frozenset("netdDri")


def person_piece(role: str, letter: str, env: Env) -> Piece | None:
    """The value of %a… or %c…; None for a letter without meaning."""
    show = person(letter, env)
    if show is None:
        return None
    otherwise = b"" if letter in QUIET else None
    author = role == "a"

    def tolerant(parts: Parts) -> bytes | None:
        ident = parts.author if author else parts.committer
        shown = None if ident is None else show(ident)
        return otherwise if shown is None else shown

    usual = Parts.usual_author if author else Parts.usual_committer
    if letter == "t":
        return lambda parts: tolerant(parts) if (match := usual(parts)) is None else match[2]
    return _of_moment(usual, tolerant, letter, env) if letter in _MOMENTS else _of_name(usual, tolerant, show)


_Usual = Callable[[Parts], "re.Match[bytes] | None"]


def _of_moment(usual: _Usual, tolerant: Piece, letter: str, env: Env) -> Piece:
    dater = dater_of(letter, env)

    def moment(parts: Parts) -> bytes | None:
        match = usual(parts)
        return tolerant(parts) if match is None else dater(int(match[2]), int(match[3]))

    return moment


def _of_name(usual: _Usual, tolerant: Piece, show: Callable[[Ident], bytes | None]) -> Piece:
    """Names and addresses, cached: there are few people and many commits."""
    names: dict[bytes, bytes | None] = {}

    def name(parts: Parts) -> bytes | None:
        match = usual(parts)
        if match is None:
            return tolerant(parts)
        ident_bytes = match[1]
        shown = names.get(ident_bytes)
        if shown is None:
            ident = split_ident(ident_bytes)
            if ident is None:
                return tolerant(parts)
            shown = names[ident_bytes] = show(ident)
        return shown

    return name


def reflog_piece(letter: str, env: Env) -> Piece | None:
    if letter in "dD" and letter:
        return lambda parts: (env.reflog.short if letter == "d" else env.reflog.selector) if env.reflog else b""
    if letter == "s":
        return lambda parts: env.reflog.message if env.reflog else b""
    show = person(letter, env) if letter and letter in "nNeE" else None
    if show is None:
        return None

    def reflog_person(parts: Parts) -> bytes | None:
        ident = split_ident(env.reflog.ident) if env.reflog else None
        return b"" if ident is None else show(ident)

    return reflog_person


# -------------------------------------------------------------------------------- signatures
def _key(parts: Parts) -> bytes | None:
    signature = parts.commit.header(b"gpgsig" if parts.env.store.hash_name == "sha1" else b"gpgsig-sha256")
    return issuer(signature[0]) if signature else None


def signature_piece(letter: str) -> Piece | None:
    """The state of a signature. Nothing is ever verified: a signature is shown as one that cannot be checked (E), as
    git shows it without the key."""
    if letter == "?":
        return lambda parts: b"N" if _key(parts) is None else b"E"
    if letter == "K":
        return lambda parts: _key(parts) or b""
    if letter == "T":
        return lambda parts: b"undefined"
    return (lambda parts: b"") if letter and letter in "GSFP" else None


def _hexes(oids: Sequence[bytes]) -> bytes:
    return b" ".join([oid.hex().encode() for oid in oids])


def _short_parents(parts: Parts) -> bytes:
    abbrev = parts.env.abbrev
    return b" ".join([abbrev(oid) for oid in parts.parents])


def _notes(parts: Parts) -> bytes | None:
    notes = parts.env.notes
    return None if notes is None else notes(parts.commit.oid)


LETTERS: dict[str, Piece] = {
    "n": lambda parts: b"\n",
    "s": _subject,
    "b": _body,
    "B": lambda parts: parts.message,
    "f": _file_name,
    "T": lambda parts: parts.commit.tree.hex().encode(),
    "t": lambda parts: parts.env.abbrev(parts.commit.tree),
    "P": lambda parts: _hexes(parts.parents),
    "p": _short_parents,
    "m": lambda parts: parts.env.mark,
    "e": lambda parts: parts.encoding,
    "N": _notes,
    "S": lambda parts: parts.env.source,
}
