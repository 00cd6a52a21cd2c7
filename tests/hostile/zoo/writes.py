"""Reasons to write: what makes git refresh, repack, or remember something while it only reads."""

import os
from pathlib import Path

from ..craft import Family, append, blob, index, index_entry, put

FAMILY = Family("writes")


@FAMILY("every stat is stale", intact=True)
def stale(repo: Path, outside: Path) -> None:
    for folder, _, names in os.walk(repo):
        if ".git" not in folder:
            for name in names:
                os.utime(os.path.join(folder, name), (1, 1))


@FAMILY("the index is locked", intact=True)
def locked(repo: Path, outside: Path) -> None:
    for name in (
        "index.lock",
        "HEAD.lock",
        "config.lock",
        "packed-refs.lock",
        "refs/heads/main.lock",
        "shallow.lock",
        "gc.pid",
    ):
        put(repo / ".git" / name, b"1 host\n")


@FAMILY("garbage wants collecting", intact=True)
def collecting(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        "[gc]\n auto = 1\n autoDetach = false\n autoPackLimit = 1\n[maintenance]\n auto = true\n[receive]\n autogc = true\n",
    )


@FAMILY("caches want writing", intact=True)
def caches(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        "[core]\n untrackedCache = true\n splitIndex = true\n commitGraph = true\n multiPackIndex = true\n logAllRefUpdates = always\n preloadIndex = true\n"
        "[feature]\n manyFiles = true\n experimental = true\n[fetch]\n writeCommitGraph = true\n[index]\n version = 4\n[diff]\n autoRefreshIndex = true\n[rerere]\n enabled = true\n",
    )
    (repo / "README.md").touch()


@FAMILY("textconv wants caching", intact=True)
def textconv(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", '[diff "x"]\n textconv = cat\n cachetextconv = true\n')
    append(repo / ".gitattributes", "* diff=x\n")
    (repo / "README.md").write_text("changed\n")


@FAMILY("tracing wants a file", intact=True)
def tracing(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        f"[trace2]\n normalTarget = {outside}/ran\n eventTarget = {outside}/ran\n perfTarget = {outside}/ran\n",
    )


@FAMILY("the index is of the future", intact=True)
def racy(repo: Path, outside: Path) -> None:
    os.utime(repo / ".git/index", (4_000_000_000, 4_000_000_000))
    for name in ("README.md", "src/app.py"):
        os.utime(repo / name, (4_000_000_000, 4_000_000_000))


@FAMILY("the index remembers intentions", intact=True)
def intentions(repo: Path, outside: Path) -> None:
    name = blob(repo, b"x\n")
    index(
        repo,
        [
            index_entry(b"README.md", name, flags=0x8009),
            index_entry(b"new", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        ],
    )


@FAMILY("directories that cannot be written", intact=True)
def read_only(repo: Path, outside: Path) -> None:
    (repo / "README.md").write_text("changed\n")
    for name in (".git/refs", ".git/objects", ".git/logs"):
        (repo / name).chmod(0o555)
