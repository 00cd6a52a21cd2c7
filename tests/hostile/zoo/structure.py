"""Things where other things should be: wrong kinds, missing objects, broken headers, impossible formats."""

from collections.abc import Callable
from pathlib import Path

from ..craft import (
    PERSON,
    Builder,
    Family,
    append,
    blob,
    commit,
    entry,
    files,
    head,
    index,
    index_entry,
    loose,
    object_path,
    put,
    tree,
)

FAMILY = Family("structure")
A, B = "aa" * 20, "bb" * 20


def _commit(raw: Callable[[Path], bytes]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        put(repo / ".git/refs/heads/main", loose(repo, b"commit", raw(repo)).encode() + b"\n")

    return build


def _tree_of(repo: Path) -> bytes:
    return tree(repo, (b"100644", b"README.md", blob(repo, b"x\n"))).encode()


COMMITS: dict[str, Callable[[Path], bytes]] = {
    "nothing": lambda repo: b"", "one newline": lambda repo: b"\n", "no tree": lambda repo: b"author %s\ncommitter %s\n\nx\n" % (PERSON, PERSON), "a short tree": lambda repo: b"tree abc\n\n",
    "no end of the tree": lambda repo: b"tree " + _tree_of(repo), "only a tree": lambda repo: b"tree %s\n" % _tree_of(repo), "no author": lambda repo: b"tree %s\ncommitter %s\n\nx\n" % (_tree_of(repo), PERSON),
    "no committer": lambda repo: b"tree %s\nauthor %s\n\nx\n" % (_tree_of(repo), PERSON), "no message": lambda repo: b"tree %s\nauthor %s\ncommitter %s\n" % (_tree_of(repo), PERSON, PERSON),
    "two authors": lambda repo: b"tree %s\nauthor %s\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo), PERSON, PERSON, PERSON), "parents behind": lambda repo: b"tree %s\nauthor %s\nparent %s\ncommitter %s\n\nx\n" % (_tree_of(repo), PERSON, A.encode(), PERSON),
    "a missing parent": lambda repo: b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo), A.encode(), PERSON, PERSON), "a parent that is a tree": lambda repo: b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo), _tree_of(repo), PERSON, PERSON),
    "a parent cut": lambda repo: b"tree %s\nparent abc\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo), PERSON, PERSON), "a tree that is a blob": lambda repo: b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (blob(repo, b"x").encode(), PERSON, PERSON),
    "a tree that is itself a commit": lambda repo: b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (head(repo).encode(), PERSON, PERSON), "a missing tree": lambda repo: b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (A.encode(), PERSON, PERSON),
    "uppercase names": lambda repo: b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo).upper(), PERSON, PERSON), "carriage returns": lambda repo: b"tree %s\r\nauthor %s\r\ncommitter %s\r\n\r\nx\r\n" % (_tree_of(repo), PERSON, PERSON),
    "NULs": lambda repo: b"tree %s\nauthor A\0 <a@b> 1 +0000\ncommitter %s\n\nx\0y\n" % (_tree_of(repo), PERSON), "a doubled parent": lambda repo: b"tree %s\nparent %s\nparent %s\nauthor %s\ncommitter %s\n\nx\n" % (_tree_of(repo), head(repo).encode(), head(repo).encode(), PERSON, PERSON),
}  # fmt: skip
for _name, _raw in COMMITS.items():
    FAMILY.add(f"a commit, {_name}", _commit(_raw))

for _name, _who in {
    "no mail": b"A 1700000000 +0000", "no date": b"A <a@b>", "no zone": b"A <a@b> 1700000000", "a negative date": b"A <a@b> -1700000000 +0000", "a huge date": b"A <a@b> 99999999999999999999999 +0000", "2**63": b"A <a@b> 9223372036854775808 +0000",
    "2**31": b"A <a@b> 2147483648 +0000", "year 1": b"A <a@b> -62135596800 +0000", "a huge zone": b"A <a@b> 1700000000 +99999999", "an odd zone": b"A <a@b> 1700000000 -2460", "words for a date": b"A <a@b> now +0000", "brackets": b"<<>>< <a@b>> 1 +0000",
    "nothing": b"", "only spaces": b"      ", "a mail of 100,000": b"A <" + b"a" * 100_000 + b"> 1 +0000", "many dates": b"A <a@b> 1 2 3 4 +0000", "bytes": bytes(range(1, 10)) + bytes(range(11, 256)) + b" <> 1 +0",
}.items():  # fmt: skip

    def _author(repo: Path, outside: Path, who: bytes = _who) -> None:
        commit(repo, _tree_of(repo).decode(), author=who, parents=[head(repo)])
        put(
            repo / ".git/refs/tags/odd",
            loose(
                repo, b"tag", b"object %s\ntype commit\ntag odd\ntagger %s\n\nx\n" % (head(repo).encode(), who)
            ).encode(),
        )

    FAMILY.add(f"a person, {_name}", _author)


def _tree(raw: Callable[[Path], bytes]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        commit(repo, loose(repo, b"tree", raw(repo)), parents=[head(repo)])

    return build


X = "d95f3ad14dee633a758d2e331151e950dd13e4ed"  # the blob "content\n"; made where it is needed
TREES: dict[str, Callable[[Path], bytes]] = {
    "cut in an oid": lambda repo: b"100644 a\0short", "no NUL": lambda repo: b"100644 a" * 9, "no mode": lambda repo: b" a\0" + bytes(20), "no name": lambda repo: b"100644 \0" + bytes(20), "no space": lambda repo: b"100644a\0" + bytes(20),
    "letters for a mode": lambda repo: entry(b"abc", b"a", A), "a mode of 0": lambda repo: entry(b"0", b"a", A), "a mode of many digits": lambda repo: entry(b"7" * 5000, b"a", A), "leading zeros": lambda repo: entry(b"0000100644", b"a", blob(repo, b"x\n")),
    "mode 777777": lambda repo: entry(b"777777", b"a", blob(repo, b"x\n")), "unsorted": lambda repo: entry(b"100644", b"b", blob(repo, b"x\n")) + entry(b"100644", b"a", blob(repo, b"x\n")), "doubled": lambda repo: entry(b"100644", b"a", blob(repo, b"x\n")) * 3,
    "a file and a directory": lambda repo: entry(b"100644", b"a", blob(repo, b"x\n")) + entry(b"40000", b"a", tree(repo)), "null names": lambda repo: entry(b"100644", b"a", "0" * 40) + entry(b"40000", b"b", "0" * 40), "missing things": lambda repo: entry(b"100644", b"a", A) + entry(b"40000", b"b", B),
    "a blob as a directory": lambda repo: entry(b"40000", b"a", blob(repo, b"x\n")), "a tree as a file": lambda repo: entry(b"100644", b"a", tree(repo)), "a commit as a file": lambda repo: entry(b"100644", b"a", head(repo)), "a blob as a submodule": lambda repo: entry(b"160000", b"a", blob(repo, b"x\n")),
    "a link with NULs": lambda repo: entry(b"120000", b"a", blob(repo, b"x\0y\n" * 100)), "a name of 100,000": lambda repo: entry(b"100644", b"n" * 100_000, blob(repo, b"x\n")), "spaces for names": lambda repo: entry(b"100644", b" ", blob(repo, b"x\n")) + entry(b"100644", b"  ", blob(repo, b"x\n")),
    "noise": lambda repo: bytes(range(256)) * 8, ".git and kin": lambda repo: b"".join(entry(b"100644", name, blob(repo, b"x\n")) for name in (b".", b"..", b".GIT", b".git", b".gi\xe2\x80\x8ct", b"GIT~1", b"git~1", b".git ", b".git.", b".git::$INDEX_ALLOCATION", b"a\\b")),
    "an empty tree": lambda repo: b"",
}  # fmt: skip
for _name, _raw in TREES.items():
    FAMILY.add(f"a tree, {_name}", _tree(_raw))


def _tag(raw: Callable[[Path], bytes]) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        put(repo / ".git/refs/tags/odd", loose(repo, b"tag", raw(repo)).encode())

    return build


TAGS: dict[str, Callable[[Path], bytes]] = {
    "nothing": lambda repo: b"", "no object": lambda repo: b"type commit\ntag x\n\n", "a missing object": lambda repo: b"object %s\ntype commit\ntag x\n\n" % A.encode(), "a wrong type": lambda repo: b"object %s\ntype blob\ntag x\n\n" % head(repo).encode(),
    "an unknown type": lambda repo: b"object %s\ntype glob\ntag x\n\n" % head(repo).encode(), "no type": lambda repo: b"object %s\ntag x\n\n" % head(repo).encode(), "no tagger": lambda repo: b"object %s\ntype commit\ntag x\n\nm\n" % head(repo).encode(),
    "no message": lambda repo: b"object %s\ntype commit\ntag x\ntagger %s\n" % (head(repo).encode(), PERSON), "noise": lambda repo: bytes(range(256)), "a tag cut": lambda repo: b"object %s\ntype commit\ntag" % head(repo).encode(), "a blob": lambda repo: b"object %s\ntype blob\ntag x\n\nm\n" % blob(repo, b"x\n").encode(),
}  # fmt: skip
for _name, _raw in TAGS.items():
    FAMILY.add(f"a tag, {_name}", _tag(_raw), intact=True)

for _name, _text in {
    "empty": b"", "one letter": b"x", "a short name": b"abc\n", "a missing object": A.encode() + b"\n", "null": b"0" * 40 + b"\n", "uppercase": A.upper().encode() + b"\n", "bytes": bytes(range(256)), "a symbolic nothing": b"ref: \n", "a name of 100,000": b"ref: refs/heads/" + b"x" * 100_000 + b"\n",
    "controls": b"ref: refs/heads/\x1b[2J\n", "two lines": b"ref: refs/heads/main\nref: refs/heads/x\n", "itself": b"ref: HEAD\n", "a tag": b"ref: refs/tags/v1.0\n", "a directory": b"ref: refs/heads\n", "no prefix": b"ref: main\n", "wildcards": b"ref: refs/heads/*\n",
}.items():  # fmt: skip

    def _refs(repo: Path, outside: Path, text: bytes = _text) -> None:
        put(repo / ".git/HEAD", text)

    FAMILY.add(f"HEAD, {_name}", _refs)

    def _ref(repo: Path, outside: Path, text: bytes = _text) -> None:
        for name in (
            "refs/heads/odd",
            "refs/tags/odd",
            "refs/remotes/origin/odd",
            "refs/stash",
            "refs/notes/commits",
            "MERGE_HEAD",
            "FETCH_HEAD",
        ):
            put(repo / ".git" / name, text)

    FAMILY.add(f"other refs, {_name}", _ref, intact=True)

for _name, _setting in {
    "version 99": "[core]\n repositoryformatversion = 99\n", "a negative version": "[core]\n repositoryformatversion = -1\n", "an unknown extension": "[core]\n repositoryformatversion = 1\n[extensions]\n gitglass = yes\n", "md5": "[core]\n repositoryformatversion = 1\n[extensions]\n objectFormat = md5\n",
    "sha256 that is none": "[core]\n repositoryformatversion = 1\n[extensions]\n objectFormat = sha256\n", "refs kept nowhere": "[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = nowhere\n", "a bare work tree": "[core]\n bare = true\n worktree = ..\n", "bare": "[core]\n bare = true\n",
    "no end of a section": "[core\n", "no end of a string": '[a]\n b = "x\n', "a bad escape": '[a]\n b = "\\q"\n', "NULs": "[a]\n b = \0\n", "a key without a section": "x = y\n", "a section of controls": "[\x1b]\n", "a byte order mark": "\ufeff[a]\n b = c\n", "only backslashes": "[a]\n b = " + "\\\n" * 5000,
    "nonsense for booleans": "[core]\n bare = maybe\n fileMode = perhaps\n[diff]\n renames = sometimes\n[core]\n ignoreCase = x\n", "empty names": "[]\n = x\n[ ]\n",
}.items():  # fmt: skip

    def _config(repo: Path, outside: Path, text: str = _setting) -> None:
        append(repo / ".git/config", text)

    FAMILY.add(f"config, {_name}", _config)


@FAMILY("objects are missing at random")
def holes(repo: Path, outside: Path) -> None:
    for at, path in enumerate(sorted((repo / ".git/objects").glob("??/*"))):
        if at % 3 == 0 and path.name[:4] not in head(repo):
            path.unlink()


@FAMILY("objects are each other's")
def swapped(repo: Path, outside: Path) -> None:
    paths = sorted((repo / ".git/objects").glob("??/*"))
    contents = [path.read_bytes() for path in paths]
    for path, data in zip(paths, contents[1:] + contents[:1]):
        put(path, data)


@FAMILY("objects have one bit turned")
def flipped(repo: Path, outside: Path) -> None:
    for path in sorted((repo / ".git/objects").glob("??/*")):
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 2] ^= 4
        put(path, bytes(raw))


@FAMILY("no objects at all")
def no_objects(repo: Path, outside: Path) -> None:
    for path in sorted((repo / ".git/objects").glob("??/*")):
        path.unlink()


@FAMILY("no refs at all")
def no_refs(repo: Path, outside: Path) -> None:
    for path in sorted((repo / ".git/refs").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()


@FAMILY("a ref below a ref", intact=True)
def below(repo: Path, outside: Path) -> None:
    put(
        repo / ".git/packed-refs",
        b"%s refs/heads/main/below\n%s refs/heads/main\n" % (head(repo).encode(), head(repo).encode()),
    )


@FAMILY("a stash that is no merge", intact=True)
def stash(repo: Path, outside: Path) -> None:
    put(repo / ".git/refs/stash", head(repo).encode())
    put(
        repo / ".git/logs/refs/stash",
        b"%s %s A <a@b> 1 +0000\tx\n" % (A.encode(), head(repo).encode()) + b"%s %s x\n" % (A.encode(), B.encode()),
    )


@FAMILY("notes that are blobs", intact=True)
def notes(repo: Path, outside: Path) -> None:
    put(repo / ".git/refs/notes/commits", blob(repo, b"x\n").encode())
    append(repo / ".git/config", "[notes]\n displayRef = refs/*\n")


@FAMILY("a submodule that holds its parent")
def recursive_submodule(repo: Path, outside: Path) -> None:
    put(repo / "x" / ".git", b"gitdir: ../.git\n")
    put(repo / ".gitmodules", b'[submodule "x"]\n path = x\n url = .\n')
    commit(
        repo,
        tree(repo, (b"100644", b".gitmodules", blob(repo, b"")), (b"160000", b"x", head(repo))),
        parents=[head(repo)],
    )
    index(repo, [index_entry(b".gitmodules", blob(repo, b"")), index_entry(b"x", head(repo), 0o160000)])


@FAMILY("conflicts of every stage", intact=True)
def conflicts(repo: Path, outside: Path) -> None:
    name = blob(repo, b"<<<<<<<\nx\n=======\ny\n>>>>>>>\n")
    index(
        repo,
        [
            index_entry(path, name, flags=stage << 12 | len(path))
            for path in (b"a", b"a/b", b"c")
            for stage in (1, 2, 3)
        ],
    )
    put(repo / ".git/MERGE_HEAD", b"\n".join([head(repo).encode(), A.encode(), b"x"]))


@FAMILY("a rebase under way that is none", intact=True)
def rebase(repo: Path, outside: Path) -> None:
    for name in (
        "head-name",
        "onto",
        "done",
        "git-rebase-todo",
        "msgnum",
        "end",
        "interactive",
        "orig-head",
        "stopped-sha",
    ):
        put(repo / ".git/rebase-merge" / name, b"\x1b[2J" + b"9" * 5000 + b"\nexec touch ran\n" * 1000)
    put(repo / ".git/rebase-apply/next", b"x")
    put(repo / ".git/BISECT_START", b"../../outside/secret")


@FAMILY("a history of two commits that are each other's graft")
def graft(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"a\n"))
    second = files(repo, (b"README.md", b"b\n"), parents=[first])
    put(repo / ".git/info/grafts", f"{first} {second}\n{second} {first}\n".encode())


@FAMILY("an object that is its own replacement's parent")
def replaced(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"a\n"))
    second = files(repo, (b"README.md", b"b\n"), parents=[first])
    put(repo / f".git/refs/replace/{first}", second.encode())


@FAMILY("objects under other names")
def misnamed(repo: Path, outside: Path) -> None:
    folder = repo / ".git/objects/zz"
    put(folder / ("q" * 38), b"x")
    put(repo / ".git/objects/ab/short", b"x")
    put(object_path(repo, "ab" + "c" * 38), object_path(repo, head(repo)).read_bytes())
    put(repo / ".git/refs/heads/main", b"ab" + b"c" * 38 + b"\n")
