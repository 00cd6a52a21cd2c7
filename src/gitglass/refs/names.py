"""Names of refs: which are well formed, which refs a short name may stand for, how a full name is shortened.

Mirrors git-check-ref-format(1) and gitrevisions(7), "<refname>". Knows no repository.
"""

from collections.abc import Callable, Sequence

from ..deferred import lazy_pattern
from ..records import record

_BAD = lazy_pattern(rb"\.\.|[\x00-\x20~^:?*\[\\\x7f]|@\{|\.lock(?:/|\Z)|\A\.|/\.|//|\A/|/\Z|\.\Z|\A@\Z|\A\Z")
_BAD_BYTES = bytes(range(10)) + bytes(range(11, 33)) + b"~^:?*[\\\x7f"
_BAD_PARTS = (b"..", b"@{", b".lock/", b".lock\n", b"/.", b"//", b"/\n", b".\n", b"\n.", b"\n/", b"\n@\n", b"\n\n")
_PSEUDO = lazy_pattern(rb"[A-Z_]+")
#: names that stay well formed whatever well-formed text is before or after them; most names are of this kind
PLAIN = lazy_pattern(rb"[A-Za-z0-9_-]+(?:(?:/|\.(?!lock(?:/|\Z)))[A-Za-z0-9_-]+)*")
#: The full names that `foo` may stand for, in git's order.
RULES = (b"%s", b"refs/%s", b"refs/tags/%s", b"refs/heads/%s", b"refs/remotes/%s", b"refs/remotes/%s/HEAD")
_SHORTENING = (b"refs/remotes/", b"refs/heads/", b"refs/tags/", b"refs/")
_OF_WORKTREE = (b"refs/bisect/", b"refs/worktree/", b"refs/rewritten/")


@record
class Raw:
    """The content of a ref: an oid, or the name that a symbolic ref points at; a broken ref has neither."""

    oid: bytes | None = None
    target: bytes | None = None


def check_refname(name: bytes, *, onelevel: bool = False, pattern: bool = False) -> bool:
    """Whether a name is well formed. `onelevel` allows `foo`, `pattern` allows one `*`."""
    if pattern:
        name = name.replace(b"*", b"x", 1)
    return _BAD.search(name) is None and (onelevel or b"/" in name)


def all_well_formed(names: Sequence[bytes]) -> bool:
    """Whether all names (each below `refs/`) are well formed, by a few searches in all of them together."""
    if not names:
        return True
    joined = b"\n%b\n" % b"\n".join(names)
    if joined.count(b"\n") != len(names) + 1 or len(joined.translate(None, _BAD_BYTES)) != len(joined):
        return False
    return not any(part in joined for part in _BAD_PARTS)


def candidates(short: bytes) -> list[bytes]:
    """The full names that a short name may stand for, in the order in which git tries them."""
    return [rule % short for rule in RULES]


def namespace_front(word: bytes) -> bytes:
    """What the names of all refs in a namespace are below (gitnamespaces(7)): for `a/b` it is
    `refs/namespaces/a/refs/namespaces/b`. The result is not checked."""
    ends = [part + b"/" for part in word.split(b"/")]
    ends[-1] = ends[-1][:-1]
    return b"".join(b"refs/namespaces/" + part for part in ends if part not in (b"", b"/"))


def is_pseudo(name: bytes) -> bool:
    """Whether a name is like HEAD, ORIG_HEAD, FETCH_HEAD: upper case, at the top of the git directory."""
    return _PSEUDO.fullmatch(name) is not None


def is_per_worktree(name: bytes) -> bool:
    """Whether each work tree has its own ref of this name."""
    return name.startswith(_OF_WORKTREE) or is_pseudo(name)


def shorten(name: bytes, exists: Callable[[bytes], bool], strict: bool) -> bytes:
    """The shortest form that still stands for this ref (`%(refname:short)`).

    With `strict` (core.warnAmbiguousRefs) no rule may find another ref for the short form; otherwise only the rules
    before the one that finds this ref matter. A name that has no short form is returned unchanged.
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
