"""The output of `git remote show -n`. Mirrors git-remote(1), "show"."""

from collections.abc import Iterator, Sequence

from ..revs.remotes import Pull, Remote

_REBASES = {
    "true": b"rebases onto remote %b\n",
    "interactive": b"rebases interactively onto remote %b\n",
    "merges": b"rebases interactively (with merges) onto remote %b\n",
}


def show_remote(one: Remote, branches: Sequence[bytes], pulls: Sequence[Pull]) -> Iterator[bytes]:
    """The whole block of one remote, which is not contacted."""
    yield b"* remote %b\n" % one.name
    yield b"  Fetch URL: %b\n" % (one.urls[0] if one.urls else b"(no URL)")
    for url in one.push_urls or one.urls or [b"(no URL)"]:
        yield b"  Push  URL: %b\n" % url
    yield b"  HEAD branch: (not queried)\n"
    if branches:
        yield b"  Remote branch%b: (status not queried)\n" % (b"" if len(branches) == 1 else b"es")
        for branch in branches:
            yield b"    %b\n" % branch
    if pulls:
        yield from _pulls(pulls)
    if one.mirror:
        yield b"  Local refs will be mirrored by 'git push'\n"
    else:
        yield from _pushes(one)


def _pulls(pulls: Sequence[Pull]) -> Iterator[bytes]:
    yield b"  Local branch%b configured for 'git pull':\n" % (b"" if len(pulls) == 1 else b"es")
    width = max(len(pull.branch) for pull in pulls)
    blank = b" " if any(pull.rebase for pull in pulls) else b""
    for pull in pulls:
        name = b"    " + pull.branch.ljust(width) + b" "
        if pull.rebase:
            yield name + _REBASES[pull.rebase] % pull.merges[0]
            continue
        yield name + blank + b"merges with remote %b\n" % pull.merges[0]
        for merge in pull.merges[1:]:
            yield b"    " + b" " * width + b" " + blank + b"   and with remote %b\n" % merge


def _pushes(one: Remote) -> Iterator[bytes]:
    rows: list[tuple[bytes, bytes, bool]] = []
    for spec in one.push:
        source, _, target = spec.removeprefix(b"+").partition(b":")
        name = b"(matching)" if spec.removeprefix(b"+") == b":" else source or b"(delete)"
        rows.append((name, target or name, spec.startswith(b"+")))
    if not rows:
        rows = [(b"(matching)", b"(matching)", False)]
    rows.sort()
    yield b"  Local ref%b configured for 'git push' (status not queried):\n" % (b"" if len(rows) == 1 else b"s")
    width = max(len(source) for source, _, _ in rows)
    for source, target, forced in rows:
        yield b"    %b %b to %b\n" % (source.ljust(width), b"forces" if forced else b"pushes", target)
