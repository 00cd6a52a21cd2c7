"""Thousands of patterns beside thousands of refs or paths: what looks like one step for each row is one for each pair.

The patterns are words of a command line, lines of a file, or settings; a member brings the commands that hold them.
"""

from collections.abc import Iterator
from pathlib import Path

from ..craft import Family, Pile, append, head, put

FAMILY = Family("many")
PATTERNS = 3_000
ROWS = 6_000


def _words(pattern: str, front: str = "") -> list[str]:
    return [front + pattern.replace("#", str(at)) for at in range(PATTERNS)]


def _packed_refs(repo: Path, names: Iterator[bytes]) -> None:
    front = head(repo).encode() + b" "
    lines = sorted(front + name + b"\n" for name in names)
    put(repo / ".git/packed-refs", b"# pack-refs with: peeled fully-peeled sorted \n" + b"".join(lines))


_GLOB, _LOOSE = "refs/**/x*#q", "*x*#q*z"


@FAMILY(
    "patterns beside refs",
    asks=[
        ["for-each-ref", *_words(_GLOB)],
        ["describe", "--tags", "--always", *_words(_LOOSE, "--match=")],
        ["describe", "--tags", "--always", *_words(_LOOSE, "--exclude=")],
        ["branch", "--list", *_words(_LOOSE)],
        ["tag", "-l", *_words(_LOOSE)],
        ["name-rev", *_words(_GLOB, "--refs="), "HEAD"],
        ["name-rev", *_words(_GLOB, "--exclude="), "HEAD~1"],
        ["rev-parse", *_words(_GLOB, "--exclude="), "--all"],
        ["log", "-n1", "--decorate", "--oneline", *_words(_LOOSE, "--decorate-refs-exclude=")],
        ["log", "-n1", "--decorate", "--oneline"],
    ],
)
def beside_refs(repo: Path, outside: Path) -> None:
    places = (b"tags", b"heads", b"remotes/origin")
    _packed_refs(
        repo,
        (b"refs/%s/x%s%sb%d" % (places[at % 3], b"x" * (at % 50), b"/x" * (at % 20), at) for at in range(ROWS)),
    )
    append(repo / ".git/config", "[log]\n" + "".join(f" excludeDecoration = *x*{at}q*z\n" for at in range(2_000)))


@FAMILY(
    "patterns beside paths",
    asks=[
        ["ls-tree", "-r", "HEAD", *_words("x#")],
        ["ls-files", *_words("**/x*#q")],
        ["diff", "--name-only", "-O.order", "HEAD~1", "HEAD"],
        ["log", "--name-only", "-O.order", "-n1"],
        ["diff-tree", "-c", "-O.order", "HEAD"],
        ["check-attr", "-a", *_words("a/b#/c")],
    ],
)
def beside_paths(repo: Path, outside: Path) -> None:
    pile, first = Pile(), head(repo)
    blob = pile.add(b"blob", b"x\n")
    names = sorted(b"x" * (at % 40) + b"f%05d" % at for at in range(ROWS))
    last = pile.commit(pile.tree(*((b"100644", name, blob) for name in names)), first)
    pile.write(repo)
    put(repo / ".git/refs/heads/main", last.encode() + b"\n")
    put(repo / ".order", b"".join(b"*x*%d*z\n" % at for at in range(PATTERNS)))
    put(repo / ".git/info/attributes", b"".join(b"**/x*%d*q/**/z a%d\n" % (at, at) for at in range(PATTERNS)))


@FAMILY(
    "refs beside a plan",
    plans=[["branch", "-m", "b7", "c"], ["branch", "-D", *_words("b#")], ["tag", "v99"], ["branch", "new"]],
)
def beside_a_plan_of_refs(repo: Path, outside: Path) -> None:
    _packed_refs(repo, (b"refs/heads/b%d" % at for at in range(100_000)))


@FAMILY(
    "files beside a plan",
    plans=[["merge", "wide"], ["checkout", "wide"], ["reset", "--hard", "wide"], ["stash", "push", "-u"], ["add", "."]],
)
def beside_a_plan_of_files(repo: Path, outside: Path) -> None:
    """Half of the names differ from the other half in case alone."""
    pile, parent = Pile(), head(repo)
    blob = pile.add(b"blob", b"x\n")
    wide = pile.tree(*((b"100644", b"%s%05d" % (front, at), blob) for front in (b"F", b"f") for at in range(50_000)))
    put(repo / ".git/refs/heads/wide", pile.commit(wide, parent).encode() + b"\n")
    pile.write(repo)
    (repo / "new").mkdir()
    for at in range(20_000):
        (repo / "new" / str(at)).touch()
