"""`:/text` and `rev^{/text}`: the youngest commit whose message matches."""

from heapq import heappop, heappush

from ..errors import GitError
from ..limits import Context
from ..regex.matcher import Matcher, compile_pattern
from ..repo.store import Store


def ref_commits(store: Store, ctx: Context) -> list[bytes]:
    """Every commit a ref or HEAD points at, tags peeled; HEAD first, then the refs from the last, as git has them."""
    commits: list[bytes] = []
    seen: set[bytes] = set()
    head = store.refs.read(b"HEAD")
    named = [oid for _, oid in store.refs.iterate(b"refs/")]
    if head is not None:
        named.append(head)
    for oid in reversed(named):
        ctx.tick()
        try:
            commit = store.odb.peel(oid)
            if commit not in seen and store.odb.kind(commit) == b"commit":
                seen.add(commit)
                commits.append(commit)
        except GitError:
            continue
    return commits


def find_message(store: Store, pattern: bytes, tips: list[bytes], *, ctx: Context) -> bytes | None:
    """The first commit, by commit date from the youngest, reachable from `tips` whose message matches `pattern`.

    "!-text" asks for a message that does not match, "!!text" for one that holds "!text"; any other "!" is kept for
    later by git and finds nothing.
    """
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
    facts = store.odb.commit_facts
    queue: list[tuple[int, int, bytes]] = []
    seen = set(tips)
    for order, oid in enumerate(tips):
        heappush(queue, (-facts(oid)[1], order, oid))
    order = len(tips)
    while queue:
        ctx.tick()
        oid = heappop(queue)[2]
        message = store.odb.commit(oid).raw.partition(b"\n\n")[2]
        if matcher.test(message) != negative:
            return oid
        for parent in facts(oid)[0]:
            if parent not in seen:
                seen.add(parent)
                order += 1
                heappush(queue, (-facts(parent)[1], order, parent))
    return None
