"""Merges that show one rule of git's each: three trees by name, and a submodule whose commits are on both sides."""

from __future__ import annotations

from pathlib import Path

from dulwich.objects import Commit, ShaFile
from dulwich.repo import Repo

from .merge_histories import History, Tree


def _text(name: str) -> bytes:
    return b"".join(b"%b %d\n" % (name.encode(), at) for at in range(20))


def _tree(files: dict[str, bytes]) -> Tree:
    return {path.encode(): (b"100644", data) for path, data in files.items()}


def _below_a_file() -> dict[str, tuple[Tree, Tree, Tree]]:
    """The directory a/b goes to a, where `six` is a file; the other side adds a/b/six/five."""
    base = {"a/b/one": _text("one"), "a/six": _text("six")}
    ours = {"a/one": _text("one"), "a/six": _text("six")}
    theirs = {**base, "a/b/extra": b"extra\n", "a/b/six/five": b"new\n"}
    sides = {
        "unchanged": (_text("six"), _text("six")), "changed by theirs": (_text("six"), b"x\n" + _text("six")),
        "changed by ours": (b"x\n" + _text("six"), _text("six")), "deleted by ours": (None, _text("six")),
        "deleted by theirs": (_text("six"), None), "changed by both": (b"x\n" + _text("six"), _text("six") + b"y\n"),
    }  # fmt: skip
    out = {}
    for name, (mine, other) in sides.items():
        one, two = ({**side, "a/six": six} for side, six in ((ours, mine), (theirs, other)))
        pair = [_tree({path: data for path, data in side.items() if data is not None}) for side in (one, two)]
        out[f"brought below a file, {name}"] = _tree(base), pair[0], pair[1]
    return out


def _onto_each_other() -> dict[str, tuple[Tree, Tree, Tree]]:
    """a/b goes to a on one side, c goes to a/b on the other: what comes to a/b by one way is not moved on."""
    base = {"a/b/five": _text("five"), "a/two": _text("two"), "c/four": _text("four")}
    ours = {"a/b/five": _text("five"), "a/two": _text("two"), "a/b/three": _text("four") + b"x\n"}
    theirs = {"a/five": _text("five"), "a/two": _text("two"), "c/four": _text("four")}
    return {
        f"brought onto each other, c/{name}": (_tree(base), _tree(ours), _tree({**theirs, f"c/{name}": _text("n")}))
        for name in ("three", "other")
    }


def _begun_again() -> dict[str, tuple[Tree, Tree, Tree]]:
    """Renames that nobody looked for are found, and forgotten when git begins again for the sake of another."""
    base = {f"{folder}/{name}": _text(folder + name) for folder in ("a/b", "c") for name in ("one", "two", "three")}
    base |= {"a/one": _text("aone"), "a/two": _text("atwo"), "d/two": _text("dtwo")}
    ours = {path: data for path, data in base.items() if path not in ("a/one", "a/two", "c/three", "d/two")}
    ours |= {"a/b/one": _text("new"), "a/b/two": base["a/two"], "a/b/x/two": base["d/two"]}
    theirs = {path.replace("c/", "c/one/"): data for path, data in base.items()}
    return {"begun again": (_tree(base), _tree(ours), _tree(theirs))}


def _whole_below() -> dict[str, tuple[Tree, Tree, Tree]]:
    """git begins again, and looks into the directory that a rename comes to; what else is in there is taken whole."""
    base = {name: _text(name) for name in ("a/three", "d/e/two", "d/two", "x/two")}
    ours = {name: data for name, data in base.items() if name != "x/two"}
    theirs = {"a/b/three": base["x/two"] + b"x\n", "a/three/five": _text("five"), "a/two": base["d/two"]}
    return {"begun again, whole below": (_tree(base), _tree(ours), _tree(theirs))}


def _neither_a_file() -> dict[str, tuple[Tree, Tree, Tree]]:
    """A link and a submodule in the place of a directory: both go elsewhere, and nothing stays there."""
    keep = (b"100644", b"keep")
    link, submodule = (b"120000", b"target"), (b"160000", b"commit")
    base = {**_tree({"sub/two": _text("two")}), b"keep": keep}
    return {"neither is a file": (base, {b"sub": link, b"keep": keep}, {b"sub": submodule, b"keep": keep})}


CASES = {**_below_a_file(), **_onto_each_other(), **_begun_again(), **_whole_below(), **_neither_a_file()}


def case_history() -> History:
    """All of them; each with its sides the other way round as well."""
    made = History()
    for base, ours, theirs in CASES.values():
        root = made.add(base, [])
        tops = made.add(ours, [root]), made.add(theirs, [root])
        made.pairs += [tops, tops[::-1]]
    return made


# -------------------------------------------------------------------- submodules
#: the commits of the submodule, with their parents: m and m2 merge c and d
INNER = {
    "a": "", "b": "a", "c": "b", "d": "b", "m": "c d", "n": "m", "m2": "d c", "x": "",
}  # fmt: skip
#: what its branches are, and the commits of base, ours and theirs; "-" has no submodule, "?" one that is nowhere
SUBMODULE_CASES = [
    ("m", "abc"), ("m", "acb"), ("m", "bcd"), ("n", "bcd"), ("m m2", "bcd"), ("c d", "bcd"), ("c d", "bca"),
    ("c d", "cad"), ("m", "bcx"), ("m", "bc?"), ("m", "?cd"), ("m", "-cd"), ("m", "-bc"), ("m", "bc-"),
]  # fmt: skip


def _commit(repo: Repo, tree: bytes, parents: list[bytes], subject: str) -> bytes:
    who = b"A U Thor <a@example.com> 1700000000 +0000"
    lines = [b"tree " + tree, *(b"parent " + parent for parent in parents), b"author " + who, b"committer " + who]
    made = ShaFile.from_raw_string(Commit.type_num, b"\n".join([*lines, b"", subject.encode(), b""]))
    repo.object_store.add_object(made)
    return made.id


def superproject(top: Path) -> tuple[Path, dict[str, bytes]]:
    """A repository with another one checked out at `sub`, and the names of that one's commits."""
    top.joinpath("sub").mkdir(parents=True)
    with Repo.init(str(top / "sub")) as inner:
        oids: dict[str, bytes] = {}
        empty = ShaFile.from_raw_string(2, b"")
        inner.object_store.add_object(empty)
        for name, parents in INNER.items():
            oids[name] = _commit(inner, empty.id, [oids[parent] for parent in parents.split()], f"subject {name}")
    Repo.init(str(top)).close()
    return top, {**oids, "?": b"1" * 40}


def submodule_merge(top: Path, oids: dict[str, bytes], case: tuple[str, str]) -> tuple[str, str, str]:
    """Commits of ours and theirs, and a merge of them that takes ours; the submodule has the branches of the case."""
    branches, sides = case
    heads = top / "sub/.git/refs/heads"
    for ref in heads.iterdir():
        ref.unlink()
    for name in branches.split():
        heads.joinpath(name).write_bytes(oids[name] + b"\n")
    with Repo(str(top)) as repo:
        trees = []
        for side in sides:
            raw = b"160000 sub\0" + bytes.fromhex(oids[side].decode()) if side != "-" else b""
            tree = ShaFile.from_raw_string(2, raw)
            repo.object_store.add_object(tree)
            trees.append(tree.id)
        base = _commit(repo, trees[0], [], "base")
        ours, theirs = (_commit(repo, tree, [base], "side") for tree in trees[1:])
        merge = _commit(repo, trees[1], [ours, theirs], "merge")
    return ours.decode(), theirs.decode(), merge.decode()
