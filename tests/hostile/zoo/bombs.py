"""Small files, huge work: bombs of zlib and deltas, deep and wide trees, patterns that explode, lines without end."""

import os
import struct
import zlib
from pathlib import Path

from ..craft import (
    Family,
    Pile,
    append,
    blob,
    commit,
    entry,
    entry_head,
    files,
    head,
    index,
    index_entry,
    loose,
    object_path,
    pack,
    packed,
    put,
    tree,
    varint,
)

FAMILY = Family("bombs")
A, B, C = "aa" * 20, "bb" * 20, "cc" * 20


def bomb(head: bytes, megabytes: int) -> bytes:
    """A zlib stream of zeros."""
    deflate = zlib.compressobj(9)
    out = [deflate.compress(head)]
    out += [deflate.compress(bytes(1 << 20)) for _ in range(megabytes)]
    return b"".join(out) + deflate.flush()


for _kind in (b"blob", b"tree", b"commit", b"tag"):
    for _claim, _what in ((10, "a small claim"), (100 << 20, "an honest claim")):

        def _bomb(repo: Path, outside: Path, kind: bytes = _kind, claim: int = _claim) -> None:
            put(object_path(repo, A), bomb(b"%s %d\0" % (kind, claim), 100))
            commit(repo, tree(repo, (b"40000" if kind == b"tree" else b"100644", b"README.md", A)))
            put(repo / ".git/refs/heads/bomb", A.encode())

        FAMILY.add(f"zlib, a loose {_kind.decode()} with {_what}", _bomb, slow=True)


@FAMILY("zlib, in a pack with a small claim")
def packed_bomb(repo: Path, outside: Path) -> None:
    pack(repo, [entry_head(3, 100) + bomb(b"", 60)], [A])
    commit(repo, tree(repo, (b"100644", b"README.md", A)))


@FAMILY("zlib, in a pack with an honest claim", slow=True)
def honest_bomb(repo: Path, outside: Path) -> None:
    pack(repo, [entry_head(3, 200 << 20) + bomb(b"", 200)], [A])
    commit(repo, tree(repo, (b"100644", b"README.md", A)))


@FAMILY("zlib, a delta's own bytes")
def delta_stream_bomb(repo: Path, outside: Path) -> None:
    base = packed(3, b"hello")
    pack(repo, [base, entry_head(6, 100 << 20) + bytes([len(base)]) + bomb(b"", 100)], [A, B])
    commit(repo, tree(repo, (b"100644", b"README.md", B)))


@FAMILY("zlib, thousands of empty blocks")
def empty_blocks(repo: Path, outside: Path) -> None:
    put(object_path(repo, A), b"x\x9c" + b"\0\0\0\xff\xff" * 2_000_000)
    commit(repo, tree(repo, (b"100644", b"README.md", A)))


def chain(repo: Path, steps: int, factor: int, start: int) -> None:
    """A chain of deltas, each of which repeats its base `factor` times."""
    objects, names, size = [packed(3, bytes(start))], [f"{1:040x}"], start
    for at in range(steps):
        code = b""
        for _ in range(factor):
            left = size
            while left > 0:
                part = min(left, 0xFFFFFF)
                code += (
                    bytes([0xF0]) + struct.pack("<I", part)[:3]
                    if size - left == 0
                    else bytes([0xFF]) + struct.pack("<I", (size - left) & 0xFFFFFFFF) + struct.pack("<I", part)[:3]
                )
                left -= part
        objects.append(packed(7, varint(size) + varint(size * factor) + code, bytes.fromhex(names[-1])))
        size *= factor
        names.append(f"{at + 2:040x}")
    pack(repo, objects, names)
    commit(repo, tree(repo, (b"100644", b"README.md", names[-1]), (b"100644", b"a", names[len(names) // 2])))


for _steps, _factor, _start in ((18, 2, 4096), (6, 10, 1000), (5000, 1, 5000), (9000, 1, 100)):

    def _chain(repo: Path, outside: Path, steps: int = _steps, factor: int = _factor, start: int = _start) -> None:
        chain(repo, steps, factor, start)

    FAMILY.add(f"deltas, {_steps} steps of {_factor}", _chain, slow=True)


@FAMILY("trees, ten levels of ten equal ones", slow=True)
def tree_bomb(repo: Path, outside: Path) -> None:
    name = blob(repo, b"x\n")
    mode = b"100644"
    for _ in range(10):
        name = tree(repo, *((mode, b"%d" % at, name) for at in range(10)))
        mode = b"40000"
    commit(repo, name, parents=[head(repo)])


@FAMILY("trees, 20,000 deep", slow=True)
def deep_tree(repo: Path, outside: Path) -> None:
    pile = Pile()
    name = pile.tree((b"100644", b"f", blob(repo, b"x\n")))
    for _ in range(20_000):
        name = pile.tree((b"40000", b"d", name))
    pile.write(repo)
    commit(repo, name, parents=[head(repo)])


@FAMILY("trees, one of 200,000 entries")
def wide_tree(repo: Path, outside: Path) -> None:
    name = blob(repo, b"x\n")
    commit(
        repo,
        loose(repo, b"tree", b"".join(entry(b"100644", b"%08d" % at, name) for at in range(200_000))),
        parents=[head(repo)],
    )


@FAMILY("trees, 50,000 entries below a path of 60,000 bytes", slow=True)
def wide_below_long(repo: Path, outside: Path) -> None:
    """Three gigabytes of paths in one megabyte of trees; in two of them, so that they can be compared."""
    parents, names, pile = [head(repo)], [], Pile()
    for text in (b"x\n", b"y\n"):
        one = blob(repo, text)
        name = loose(repo, b"tree", b"".join(entry(b"100644", b"%08d" % at, one) for at in range(50_000)))
        for _ in range(20):
            name = pile.tree((b"40000", b"d" * 3000, name))
        names.append(name)
    pile.write(repo)
    for name in names:
        parents = [commit(repo, name, parents=parents)]


@FAMILY("trees, two of 3,000 similar files", slow=True)
def many_renames(repo: Path, outside: Path) -> None:
    pile = Pile()
    rows = [pile.add(b"blob", b"%d\n" % at + b"line\n" * 20) for at in range(3000)]
    old = commit(
        repo, loose(repo, b"tree", b"".join(entry(b"100644", b"a%08d" % at, name) for at, name in enumerate(rows)))
    )
    rows = [pile.add(b"blob", b"%d!\n" % at + b"line\n" * 20) for at in range(3000)]
    pile.write(repo)
    commit(
        repo,
        loose(repo, b"tree", b"".join(entry(b"100644", b"b%08d" % at, name) for at, name in enumerate(rows))),
        parents=[old],
    )
    append(repo / ".git/config", "[diff]\n renameLimit = 0\n renames = copies\n")


@FAMILY("commits, one of 100,000 parents")
def octopus(repo: Path, outside: Path) -> None:
    name = tree(repo, (b"100644", b"a", blob(repo, b"x\n")))
    commit(repo, name, parents=[head(repo)] * 50_000 + [f"{at:040x}" for at in range(50_000)])


@FAMILY("commits, a ladder of 300 merges")
def ladder(repo: Path, outside: Path) -> None:
    name = tree(repo, (b"100644", b"README.md", blob(repo, b"x\n")))
    left = right = head(repo)
    for at in range(300):
        left, right = (commit(repo, name, parents=[left, right], message=b"%d%d\n" % (at, side)) for side in (0, 1))


@FAMILY("commits, 5,000 in a row with one date")
def long_history(repo: Path, outside: Path) -> None:
    name = tree(repo, (b"100644", b"README.md", blob(repo, b"x\n")))
    here = head(repo)
    pile = Pile()
    for at in range(5000):
        here = pile.commit(name, here, message=b"%d\n" % at)
    pile.write(repo)
    put(repo / ".git/refs/heads/main", here.encode())


@FAMILY("commits, a header of a million lines")
def long_header(repo: Path, outside: Path) -> None:
    commit(repo, tree(repo, (b"100644", b"a", blob(repo, b"x\n"))), extra=b"x y\n" * 1_000_000, parents=[head(repo)])


@FAMILY("commits, a message of 30 MiB")
def long_message(repo: Path, outside: Path) -> None:
    commit(repo, tree(repo, (b"100644", b"a", blob(repo, b"x\n"))), message=b"word " * 6_000_000, parents=[head(repo)])


@FAMILY("commits, a message of a million lines")
def many_lines(repo: Path, outside: Path) -> None:
    commit(
        repo,
        tree(repo, (b"100644", b"a", blob(repo, b"x\n"))),
        message=b"s\n\n" + b"key: value\n" * 1_000_000,
        parents=[head(repo)],
    )


@FAMILY("commits, an author of 10 MiB")
def long_author(repo: Path, outside: Path) -> None:
    commit(
        repo,
        tree(repo, (b"100644", b"a", blob(repo, b"x\n"))),
        author=b"a<>" * 3_000_000 + b" <a@b> 1 +0000",
        parents=[head(repo)],
    )


@FAMILY("tags, a chain of 3,000")
def tag_chain(repo: Path, outside: Path) -> None:
    name, kind, pile = head(repo), b"commit", Pile()
    for at in range(3000):
        name = pile.add(
            b"tag", b"object %s\ntype %s\ntag t%d\ntagger A <a@b> 1 +0000\n\nx\n" % (name.encode(), kind, at)
        )
        kind = b"tag"
    pile.write(repo)
    put(repo / ".git/refs/tags/deep", name.encode())


@FAMILY("refs, 100,000 packed", slow=True)
def many_refs(repo: Path, outside: Path) -> None:
    name = head(repo).encode()
    put(
        repo / ".git/packed-refs",
        b"# pack-refs with: peeled fully-peeled sorted \n"
        + b"".join(b"%s refs/heads/b%06d\n" % (name, at) for at in range(100_000)),
    )


@FAMILY("refs, a chain of symbolic ones")
def symrefs(repo: Path, outside: Path) -> None:
    for at in range(500):
        put(repo / f".git/refs/heads/s{at}", b"ref: refs/heads/s%d\n" % (at + 1))
    put(repo / ".git/refs/heads/s500", head(repo).encode())


@FAMILY("refs, directories 300 deep")
def deep_refs(repo: Path, outside: Path) -> None:
    put(repo / ".git/refs/heads" / "/".join(["d"] * 300) / "x", head(repo).encode())


@FAMILY("reflog, 100,000 lines")
def long_reflog(repo: Path, outside: Path) -> None:
    name = head(repo).encode()
    put(repo / ".git/logs/HEAD", b"%s %s A <a@b> 1700000000 +0000\tx\n" % (name, name) * 100_000)


PATTERNS = [
    "*a*a*a*a*a*a*a*a*a*b",
    "**/**/**/**/**/**/x",
    "[!a-z]*[^\\]]*[[:alpha:]]*z",
    "a" * 5000 + "*",
    "*" * 5000,
    "?" * 300,
    "\\" * 999,
    "[" * 999,
    "**/" * 200 + "b",
    "!" * 50,
    "/" * 999,
    "a**b**c**d**e**f**" * 20,
]


@FAMILY("patterns, in ignore files", intact=True)
def ignore_patterns(repo: Path, outside: Path) -> None:
    append(repo / ".gitignore", "\n".join(PATTERNS) + "\n")
    append(repo / ("a" * 200), "x")
    append(repo / "/".join(["a" * 60] * 20) / ("a" * 100), "x")


@FAMILY("patterns, in attributes", intact=True)
def attribute_patterns(repo: Path, outside: Path) -> None:
    append(repo / ".gitattributes", "".join(f"{pattern} text\n" for pattern in PATTERNS))
    append(repo / ("a" * 200), "x")


@FAMILY("patterns, 50,000 ignored names", intact=True)
def many_patterns(repo: Path, outside: Path) -> None:
    append(repo / ".gitignore", "".join(f"a{at}*b\n" for at in range(50_000)))
    for at in range(300):
        append(repo / f"u{at}", "x")


@FAMILY("patterns, regular ones in settings", slow=True)
def settings(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        '[diff "x"]\n xfuncname = "^(([a-z]+)+)+$"\n wordRegex = "((a+)+)+$|(a|a)*b"\n[versionsort]\n suffix = "(a+)+"\n[grep]\n patternType = perl\n',
    )
    append(repo / ".gitattributes", "* diff=x\n")
    text = b"a" * 5000 + b"!\n"
    first = files(repo, (b"README.md", text * 200), parents=[head(repo)])
    files(repo, (b"README.md", text * 150 + b"x\n" + text * 50), parents=[first])


@FAMILY("patterns, sparse checkout", intact=True)
def sparse_patterns(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[core]\n sparseCheckout = true\n")
    append(repo / ".git/info/sparse-checkout", "\n".join(PATTERNS * 50) + "\n")


@FAMILY("lines, one of 20 MiB changed", slow=True)
def one_line(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"ab " * 7_000_000), parents=[head(repo)])
    files(repo, (b"README.md", b"ab " * 3_500_000 + b"x " + b"ab " * 3_500_000), parents=[first])
    put(repo / "README.md", b"ab " * 7_000_000 + b"!")


@FAMILY("lines, two million empty ones", slow=True)
def empty_lines(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"\n" * 2_000_000), parents=[head(repo)])
    files(repo, (b"README.md", b"\n" * 1_000_000 + b"x\n" + b"\n" * 1_000_000), parents=[first])


@FAMILY("lines, a hundred thousand that alternate", slow=True)
def alternating(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"".join(b"%d\n" % (at % 7) for at in range(100_000))), parents=[head(repo)])
    files(repo, (b"README.md", b"".join(b"%d\n" % (at * at % 11) for at in range(100_000))), parents=[first])


@FAMILY("lines, a hundred thousand all different", slow=True)
def different(repo: Path, outside: Path) -> None:
    first = files(repo, (b"README.md", b"".join(b"%d\n" % at for at in range(100_000))), parents=[head(repo)])
    files(repo, (b"README.md", b"".join(b"%d\n" % (at * 7919 % 100_003) for at in range(100_000))), parents=[first])


@FAMILY("lines, wide characters and marks", slow=True)
def wide(repo: Path, outside: Path) -> None:
    text = ("漢字e\u0301\u200b\U0001f468\u200d\U0001f469" * 40 + "\n").encode() * 5000
    first = files(repo, (b"README.md", text), parents=[head(repo)])
    files(repo, ("漢".encode() * 80, text), (b"README.md", text + b"x"), parents=[first])


@FAMILY("lines, a Makefile of functions", slow=True)
def moved(repo: Path, outside: Path) -> None:
    block = [b"function f%d() {\n\n}\n" % at for at in range(20_000)]
    append(repo / ".git/config", "[diff]\n colorMoved = dimmed-zebra\n indentHeuristic = true\n")
    first = files(repo, (b"README.md", b"".join(block)), parents=[head(repo)])
    files(repo, (b"README.md", b"".join(block[::-1])), parents=[first])


@FAMILY("the work tree, directories 400 deep", intact=True)
def deep_folders(repo: Path, outside: Path) -> None:
    here = os.getcwd()
    os.chdir(repo)
    try:
        for _ in range(400):
            os.mkdir("deeper")
            os.chdir("deeper")
        Path("file").write_text("x")
    finally:
        os.chdir(here)


@FAMILY("the work tree, 5,000 untracked files", intact=True)
def untracked(repo: Path, outside: Path) -> None:
    for at in range(5_000):
        (repo / f"u{at}").touch()


@FAMILY("the work tree, a giant with holes", intact=True)
def giant(repo: Path, outside: Path) -> None:
    with (repo / "README.md").open("wb") as stream:
        stream.truncate(100 << 30)


@FAMILY("the index, 100,000 entries of one blob", slow=True)
def big_index(repo: Path, outside: Path) -> None:
    name = blob(repo, b"x\n")
    index(repo, [index_entry(b"d%03d/f%06d" % (at // 1000, at), name) for at in range(100_000)])


@FAMILY("config, includes that double")
def includes(repo: Path, outside: Path) -> None:
    for at in range(40):
        append(repo / f".git/c{at}", f"[include]\n path = c{at + 1}\n path = c{at + 1}\n")
    append(repo / ".git/config", "[include]\n path = c0\n")


@FAMILY("config, half a million lines")
def long_config(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "".join(f'[a "{at}"]\n b = {at}\n' for at in range(250_000)))


@FAMILY("config, a subsection of 5 MiB")
def long_section(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", f'[a "{"x" * (5 << 20)}"]\n b = "{"y" * (5 << 20)}"\n')


@FAMILY("mailmap, 200,000 lines", slow=True)
def mailmap(repo: Path, outside: Path) -> None:
    put(repo / ".mailmap", b"".join(b"A%d <a%d@b> B%d <%d@c>\n" % (at, at, at, at) for at in range(200_000)))


@FAMILY("modules, 20,000", slow=True)
def modules(repo: Path, outside: Path) -> None:
    put(
        repo / ".gitmodules", b"".join(b'[submodule "m%d"]\n path = m%d\n url = x\n' % (at, at) for at in range(20_000))
    )
    name = head(repo)
    index(repo, [index_entry(b"m%06d" % at, name, 0o160000) for at in range(20_000)])


@FAMILY("notes, a fan-out 300 deep")
def notes(repo: Path, outside: Path) -> None:
    name = tree(repo, (b"100644", b"aa" * 20, blob(repo, b"x\n")))
    for _ in range(300):
        name = tree(repo, *((b"40000", b"%02x" % at, name) for at in range(16)))
    commit(repo, name, ref="refs/notes/commits")


@FAMILY("stash, 5,000 entries", intact=True)
def stashes(repo: Path, outside: Path) -> None:
    name = head(repo).encode()
    put(repo / ".git/refs/stash", name)
    put(repo / ".git/logs/refs/stash", b"%s %s A <a@b> 1700000000 +0000\tWIP\n" % (name, name) * 5000)


@FAMILY("packs, two hundred of one object")
def many_packs(repo: Path, outside: Path) -> None:
    for at in range(200):
        path = pack(repo, [packed(3, b"hello")], [f"{at + 1:040x}"], number="9")
        for suffix in (".pack", ".idx"):
            path.with_suffix(suffix).rename(path.with_name(f"pack-{at:040x}{suffix}"))


@FAMILY("alternates that double", intact=True)
def alternates(repo: Path, outside: Path) -> None:
    for at in range(200):
        put(repo / f".git/o{at}/info/alternates", f"../o{at + 1}\n../o{at + 2}\n".encode())
    put(repo / ".git/objects/info/alternates", b"../o0\n../o1\n")
