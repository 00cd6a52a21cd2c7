"""Histories to merge: two sides that rename, move directories, change types, delete and collide."""

from __future__ import annotations

import hashlib
import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import dulwich.objects
from dulwich.objects import Blob, Commit, ShaFile
from dulwich.repo import MemoryRepo, Repo

Tree = dict[bytes, tuple[bytes, bytes]]  # path → (mode, content)

_FOLDERS = [b"", b"a/", b"a/b/", b"c/", b"d/e/", b"d/", b"x/"]
_FEW = [b"one", b"two", b"three"]
_NAMES = [b"one", b"two", b"three", b"four.txt", b"five", b"six"]


def _text(rng: random.Random, lines: int = 0) -> bytes:
    return b"".join(b"%d line %d\n" % (rng.randrange(4000), at) for at in range(lines or rng.randrange(3, 30)))


def _edit(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines) + 1)
        kind = rng.randrange(3)
        if kind == 0:
            lines.insert(at, b"new %d\n" % rng.randrange(50))
        elif at < len(lines) and kind == 1:
            lines[at] = b"changed %d\n" % rng.randrange(6)
        elif at < len(lines):
            del lines[at]
    if not rng.randrange(12):
        return b"".join(lines).rstrip(b"\n")
    return b"".join(lines)


def _base(rng: random.Random) -> Tree:
    tree: Tree = {}
    for _ in range(rng.randrange(4, 18)):
        _put(tree, rng.choice(_FOLDERS) + rng.choice(_NAMES), _file(rng))
    return tree


def _file(rng: random.Random) -> tuple[bytes, bytes]:
    kind = rng.randrange(24)
    if kind == 0:
        return b"120000", b"target %d" % rng.randrange(3)
    if kind == 1:
        return b"100755", _text(rng)
    if kind == 2:
        return b"100644", b"\0binary" + _text(rng)
    if kind == 3:
        return b"100644", b""
    return b"100644", _text(rng)


def _put(tree: Tree, path: bytes, what: tuple[bytes, bytes]) -> None:
    """Put a file; what is in its way goes."""
    for other in list(tree):
        if other.startswith(path + b"/") or path.startswith(other + b"/"):
            del tree[other]
    tree[path] = what


def _change(rng: random.Random, tree: Tree) -> None:
    """One thing that a side does."""
    paths = sorted(tree)
    if not paths:
        _put(tree, rng.choice(_FOLDERS) + rng.choice(_NAMES), _file(rng))
        return
    path = rng.choice(paths)
    mode, data = tree[path]
    kind = rng.randrange(15)
    if kind < 4:
        tree[path] = mode, _edit(rng, data) if mode != b"120000" else b"target %d" % rng.randrange(4)
    elif kind == 4:
        del tree[path]
    elif kind == 5:
        tree[path] = (b"100755" if mode == b"100644" else b"100644"), data
    elif kind < 9:
        del tree[path]
        what = (mode, _edit(rng, data)) if rng.randrange(2) and mode != b"120000" else (mode, data)
        _put(tree, rng.choice(_FOLDERS) + rng.choice([*_NAMES, path.rpartition(b"/")[2]]), what)
    elif kind < 11:
        _move_folder(rng, tree)
    elif kind == 11:
        _put(tree, path + b"/" + rng.choice(_NAMES), _file(rng))
    elif kind == 12:
        tree[path] = b"120000", b"target %d" % rng.randrange(3)
    else:
        _put(tree, rng.choice(_FOLDERS) + rng.choice([b"new", b"newer", *_NAMES]), _file(rng))


def _move_folder(rng: random.Random, tree: Tree) -> None:
    folders = sorted({path[: path.rfind(b"/") + 1] for path in tree if b"/" in path})
    if not folders:
        return
    old = rng.choice(folders)
    new = rng.choice([b"moved/", b"z/", b"a/", b"x/y/", b""])
    if new.startswith(old):
        return
    for path in [path for path in sorted(tree) if path.startswith(old)]:
        if rng.randrange(8):
            what = tree.pop(path)
            _put(tree, new + path[len(old) :], what)


def _crowded_base(rng: random.Random) -> Tree:
    """Few directories, and few names in them."""
    return {folder + name: (b"100644", _text(rng, 12)) for folder in (b"a/", b"a/b/", b"c/", b"d/") for name in _FEW
            if rng.randrange(3)}  # fmt: skip


def _crowded_change(rng: random.Random, tree: Tree) -> None:
    """A directory that goes to where another is, a file that goes or comes: what directories bring meets."""
    folders = sorted({path[: path.rfind(b"/") + 1] for path in tree})
    kind = rng.randrange(6)
    new = rng.choice([b"a/", b"a/b/", b"a/b/x/", b"c/", b"c/one/", b"d/", b"e/", b""])
    if kind < 2 and folders:
        old = rng.choice(folders)
        for path in [path for path in sorted(tree) if path[: path.rfind(b"/") + 1] == old]:
            if path in tree:  # it may have gone, in the way of one before
                _put(tree, new + path[len(old) :], tree.pop(path))
    elif kind < 4 and tree:
        path = rng.choice(sorted(tree))
        mode, data = tree.pop(path)
        _put(tree, new + rng.choice(_FEW), (mode, _edit(rng, data)))
    elif kind == 4:
        _put(tree, new + rng.choice(_FEW), (b"100644", _text(rng, 12)))
    elif tree:
        del tree[rng.choice(sorted(tree))]


def _with_submodules(rng: random.Random) -> Tree:
    tree = _base(rng)
    for name in (b"sub", b"a/sub"):
        _put(tree, name, _submodule(rng))
    return tree


def _submodule(rng: random.Random) -> tuple[bytes, bytes]:
    return b"160000", b"commit %d" % rng.randrange(4)


def _submodule_change(rng: random.Random, tree: Tree) -> None:
    """What happens to submodules, or anything else."""
    links = sorted(path for path, (mode, _) in tree.items() if mode == b"160000")
    kind = rng.randrange(8)
    if kind < 2 and links:
        tree[rng.choice(links)] = _submodule(rng)
    elif kind == 2 and links:
        _put(tree, rng.choice([*_FOLDERS, b"sub/"]) + rng.choice(_NAMES), tree.pop(rng.choice(links)))
    elif kind == 3:
        _put(tree, rng.choice([b"sub", b"a/sub", b"a", b"c/one", b"one"]), _submodule(rng))
    elif kind == 4 and links:
        tree[rng.choice(links)] = _file(rng)
    else:
        files = {path: what for path, what in tree.items() if path not in links}
        before = dict(files)
        _change(rng, files)
        for path in before.keys() - files.keys():
            del tree[path]
        for path in sorted(files):
            if before.get(path) != files[path]:
                _put(tree, path, files[path])


@dataclass
class History:
    """Commits as (files, parents' numbers), and the pairs of them that are to be merged."""

    commits: list[tuple[Tree, list[int]]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)

    def add(self, tree: Tree, parents: list[int]) -> int:
        """One more commit; its number."""
        self.commits.append((dict(tree), parents))
        return len(self.commits) - 1


#: what a side's tree is at first, and one thing that a side does to it
KINDS = {
    "any": (_base, _change),
    "crowded": (_crowded_base, _crowded_change),
    "submodules": (_with_submodules, _submodule_change),
}


def make_history(rng: random.Random, count: int, kind: str = "any") -> History:
    """A history with `count` pairs to merge, of one of `KINDS`. Every fifth pair criss-crosses."""
    made = History()
    make_base, change = KINDS[kind]
    for number in range(count):
        base = make_base(rng)
        root = made.add(base, [])
        tops = []
        trees = []
        for _ in range(2):
            tree = dict(base)
            for _ in range(rng.randrange(1, 7)):
                change(rng, tree)
            trees.append(tree)
            tops.append(made.add(tree, [root]))
        if number % 5 == 0:
            again = []
            for at in range(2):
                tree = dict(trees[rng.randrange(2)])
                for _ in range(rng.randrange(0, 4)):
                    change(rng, tree)
                again.append(made.add(tree, [tops[at], tops[1 - at]]))
            tops = again
        made.pairs.append((tops[0], tops[1]))
    return made


def in_memory(history: History) -> tuple[MemoryRepo, list[bytes]]:
    """The history in a repository of dulwich's in memory, and its commits' object names."""
    repo = MemoryRepo()
    names: list[bytes] = []
    for number, (tree, parents) in enumerate(history.commits):
        lines = [b"tree " + _store(repo, tree).hex().encode()]
        lines += [b"parent " + names[parent].hex().encode() for parent in parents]
        who = b"A U Thor <a@example.com> %d +0000" % (1_700_000_000 + number)
        text = b"\n".join([*lines, b"author " + who, b"committer " + who, b"", b"c%d" % number])
        names.append(_object(repo, Commit.type_num, text))
    return repo, names


def _object(repo: MemoryRepo, kind: int, data: bytes) -> bytes:
    made = ShaFile.from_raw_string(kind, data)
    repo.object_store.add_object(made)
    return bytes.fromhex(made.id.decode())


def _store(repo: MemoryRepo, tree: Tree) -> bytes:
    """The tree of some files."""
    entries: dict[bytes, tuple[bytes, bytes]] = {}
    below: dict[bytes, Tree] = {}
    for path, what in tree.items():
        name, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(name, {})[rest] = what
        else:
            stored = hashlib.sha1(what[1]).digest() if what[0] == b"160000" else _object(repo, Blob.type_num, what[1])
            entries[name] = what[0], stored
    for name, inner in below.items():
        entries[name] = b"40000", _store(repo, inner)
    ordered = sorted(entries.items(), key=lambda one: one[0] + b"/" if one[1][0] == b"40000" else one[0])
    return _object(repo, dulwich.objects.Tree.type_num, b"".join(
        [mode + b" " + name + b"\0" + oid for name, (mode, oid) in ordered]
    ))  # fmt: skip


def on_disk(history: History, place: Path) -> list[bytes]:
    """The history in a repository that git makes; its commits' object names."""
    repo, names = in_memory(history)
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    with Repo(str(place)) as disk:
        disk.object_store.add_objects([(repo.object_store[oid], None) for oid in repo.object_store])
    return names
