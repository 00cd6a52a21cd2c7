"""`:/text` and `rev^{/text}`: the youngest commit whose message matches."""

from ..errors import GitError
from ..history.fast import plain_rows
from ..history.spec import Tip, WalkSpec
from ..limits import Context
from ..memories import Slot
from ..regex.matcher import Matcher, compile_pattern
from ..repo.store import Store


def ref_commits(store: Store, ctx: Context) -> list[bytes]:
    """Every commit that a ref or HEAD points at, tags peeled; HEAD first, then the refs in reverse order, as in git."""
    commits: list[bytes] = []
    seen: set[bytes] = set()
    head = store.refs.read(b"HEAD")
    named = [oid for _, oid in store.refs.iterate(b"refs/")]
    if head is not None:
        named.append(head)
    for oid in reversed(named):
        ctx.tick()
        try:
            commit = store.odb.peel(oid, b"commit")
        except GitError:
            continue
        if commit not in seen:
            seen.add(commit)
            commits.append(commit)
    return commits


#: a pattern and tips, and what was found: a word that names nothing is resolved once more for the error
_LAST: Slot[tuple[tuple[bytes, ...], bytes | None]] = Slot("the last search in messages")


def find_message(store: Store, pattern: bytes, tips: list[bytes], *, ctx: Context) -> bytes | None:
    """The first commit, by commit date from the youngest, that `tips` reach and whose message matches `pattern`.

    "!-text" searches for a message that does not match, "!!text" for one that contains "!text"; git reserves any other
    "!", which finds nothing.
    """
    key = (pattern, *tips)
    last = store.per_call.get(_LAST)
    if last is None or last[0] != key:
        last = store.per_call.put(_LAST, (key, _find(store, pattern, tips, ctx)))
    return last[1]


def _find(store: Store, pattern: bytes, tips: list[bytes], ctx: Context) -> bytes | None:
    negative = False
    if pattern.startswith(b"!"):
        if pattern.startswith(b"!-"):
            negative, pattern = True, pattern[2:]
        elif pattern.startswith(b"!!"):
            pattern = pattern[1:]
        else:
            return None
    try:
        matcher = compile_pattern(pattern, "extended", ctx=ctx)
    except GitError:
        return None
    return _walk(store, tips, matcher, negative, ctx)


def _walk(store: Store, tips: list[bytes], matcher: Matcher, negative: bool, ctx: Context) -> bytes | None:
    read, word = store.odb.raw_reader(keep=not store.once), b"" if negative else matcher.needed or b""
    for oid, _, raw, _, _ in plain_rows(store, list(map(Tip, tips)), WalkSpec(raw=True), ctx):
        if raw is None:
            raw = read(oid)
        start = raw.find(b"\n\n")
        if raw.find(word, start) < 0:
            continue  # the rest of the commit does not contain the text that a matching message must have
        if matcher.test(raw[start + 2 :] if start >= 0 else b"") != negative:
            return oid
    return None
