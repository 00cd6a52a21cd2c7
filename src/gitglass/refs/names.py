"""Names of refs: which are well formed, what a short one may stand for, how a full one is shortened.

Mirrors git-check-ref-format(1) and gitrevisions(7), "<refname>". Knows no repository.
"""

from collections.abc import Callable, Sequence

from ..deferred import lazy_pattern
from ..records import record

_BAD = lazy_pattern(rb"\.\.|[\x00-\x20~^:?*\[\\\x7f]|@\{|\.lock(?:/|\Z)|\A\.|/\.|//|\A/|/\Z|\.\Z|\A@\Z|\A\Z")
_BAD_BYTES = bytes(range(10)) + bytes(range(11, 33)) + b"~^:?*[\\\x7f"
_BAD_PARTS = (b"..", b"@{", b".lock/", b".lock\n", b"/.", b"//", b"/\n", b".\n", b"\n.", b"\n/", b"\n@\n", b"\n\n")
_PSEUDO = lazy_pattern(rb"[A-Z_]+")
#: a name that is well formed whatever is put in front of it or behind it, most names are
PLAIN = lazy_pattern(rb"[A-Za-z0-9_-]+(?:(?:/|\.(?!lock(?:/|\Z)))[A-Za-z0-9_-]+)*")
#: What `foo` may stand for, in git's order.
RULES = (b"%s", b"refs/%s", b"refs/tags/%s", b"refs/heads/%s", b"refs/remotes/%s", b"refs/remotes/%s/HEAD")
_SHORTENING = (b"refs/remotes/", b"refs/heads/", b"refs/tags/", b"refs/")
_OF_WORKTREE = (b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/")


@record
class Raw:
    """What a ref says itself: an oid, or the name it stands for, or something broken (neither)."""

    oid: bytes | None = None
    target: bytes | None = None


def check_refname(name: bytes, *, onelevel: bool = False, pattern: bool = False) -> bool:
    """Whether a name is well formed. `onelevel` allows `foo`, `pattern` allows one `*`."""
    if pattern:
        name = name.replace(b"*", b"x", 1)
    return _BAD.search(name) is None and (onelevel or b"/" in name)


def all_well_formed(names: Sequence[bytes]) -> bool:
    """Whether every name (each below `refs/`) is well formed: a few searches for all of them."""
    if not names:
        return True
    whole = b"\n%b\n" % b"\n".join(names)
    if whole.count(b"\n") != len(names) + 1 or len(whole.translate(None, _BAD_BYTES)) != len(whole):
        return False
    return not any(part in whole for part in _BAD_PARTS)


def candidates(short: bytes) -> list[bytes]:
    """The full names that a short one may stand for, first choice first."""
    return [rule % short for rule in RULES]


def is_pseudo(name: bytes) -> bool:
    """HEAD, ORIG_HEAD, FETCH_HEAD and their like: upper case, in the top of the git directory."""
    return _PSEUDO.fullmatch(name) is not None


def is_per_worktree(name: bytes) -> bool:
    """Whether each work tree has its own."""
    return name.startswith(_OF_WORKTREE) or is_pseudo(name)


def shorten(name: bytes, exists: Callable[[bytes], bool], strict: bool) -> bytes:
    """The shortest form that still means this ref (`%(refname:short)`).

    `strict` (core.warnAmbiguousRefs) wants a form that no rule would take for another ref; otherwise only rules that
    come before the one that finds this ref matter. A name that no rule fits stays as it is.
    """
    for front in _SHORTENING:
        if not name.startswith(front) or len(name) == len(front):
            continue
        short = name[len(front) :]
        for full in candidates(short):
            if full == name:
                if strict:
                    continue
                return short
            if exists(full):
                break
        else:
            return short
    return name
