"""Files that are none: FIFOs, sockets, directories, giants with holes, and files that cannot be opened."""

import os
import socket
from pathlib import Path

from ..craft import Builder, Family, append, head, object_path

FAMILY = Family("files")

#: files that are read, and whether the history is still to be had without them
PLACES = {
    ".git/HEAD": False, ".git/config": False, ".git/index": True, ".git/packed-refs": False, ".git/refs/heads/evil": True, ".git/refs/stash": True,
    ".git/shallow": False, ".git/info/exclude": True, ".git/info/attributes": True, ".git/info/grafts": False, ".git/info/sparse-checkout": True,
    ".git/logs/HEAD": True, ".git/logs/refs/stash": True, ".git/objects/info/alternates": False, ".git/objects/info/commit-graph": True,
    ".git/objects/pack/multi-pack-index": True, ".git/commondir": False, ".git/MERGE_HEAD": True, ".git/MERGE_MSG": True, ".git/config.worktree": False,
    ".gitignore": True, ".gitattributes": True, ".mailmap": True, ".gitmodules": True, "README.md": True, "src/.gitignore": True,
    "an object": False, "a pack": False, "an idx": False,
}  # fmt: skip


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path.name)
    finally:
        os.chdir(here)


def _giant(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(20 << 30)


def _long_line(path: Path) -> None:
    path.write_bytes(b"a" * (20 << 20))


KINDS = {
    "a FIFO": _fifo,
    "a directory": _folder,
    "a socket": _socket,
    "20 GiB of nothing": _giant,
    "one line of 20 MiB": _long_line,
}


def _place(repo: Path, name: str) -> Path:
    if name == "an object":
        return object_path(repo, head(repo))
    if name in ("a pack", "an idx"):
        base = repo / ".git/objects/pack" / f"pack-{'a' * 40}"
        base.parent.mkdir(exist_ok=True)
        for suffix in (".pack", ".idx"):
            base.with_suffix(suffix).touch()
        return base.with_suffix(".pack" if name == "a pack" else ".idx")
    return repo / name


def _member(name: str, make: object) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = _place(repo, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.chmod(0o644)
            path.unlink()
        if name == ".git/config.worktree":
            append(repo / ".git/config", "[extensions]\n worktreeConfig = true\n")
        make(path)  # type: ignore[operator]

    return build


for _name, _intact in PLACES.items():
    for _what, _make in KINDS.items():
        FAMILY.add(f"{_name} is {_what}", _member(_name, _make), intact=_intact and _name != ".git/index")


@FAMILY("nothing may be opened")
def unreadable(repo: Path, outside: Path) -> None:
    for name in ("index", "config", "packed-refs", "refs/heads/main", "logs/HEAD"):
        if (repo / ".git" / name).exists():
            (repo / ".git" / name).chmod(0)
    (repo / "README.md").chmod(0)
