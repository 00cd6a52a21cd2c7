"""How far a call grows the process beyond the ceiling it was given: `Limits.max_memory_bytes` on hungry questions.

    python -m benchmarks.ceilings [--ceilings 64,128,256] [--only TEXT] [--json FILE]

Repositories are made for it, without git: two versions of a large file of short lines, and of a file of few long ones;
a long history; a tree, an index, and references of many entries; a commit message, a reflog, and a chain of deltas that
grow; many files that look alike. Every answer is a process of its own: it asks the same of a small repository first, so
that modules are loaded, and then reports how much more memory it ever had (VmHWM) after the large one's answer. An
answer may be whole or stopped (`too_large`). Ends with status 1 where a growth is more than 1.2 times the ceiling.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import synthetic
from .synthetic import Pack, name_of

WHO = b"A U Thor <author@example.com> 1700000000 +0000"
MIB = 1 << 20

#: repository → what is asked of it
QUESTIONS = {
    "lines": """show HEAD:file | cat-file -p HEAD:file | diff HEAD~1 HEAD | diff --stat HEAD~1 HEAD | log -p | blame file
        | grep -n 1 HEAD | log -S line | diff --word-diff HEAD~1 HEAD | diff --patience HEAD~1 HEAD | log -L1,5:file
        | diff --histogram HEAD~1 HEAD | status | diff | cat-file --batch-check --batch-all-objects | diff --color-moved HEAD~1""",
    "long": "show HEAD:file | diff HEAD~1 HEAD | diff --word-diff HEAD~1 HEAD | blame file | grep x HEAD | log -G x | diff -w HEAD~1",
    "history": """log --oneline | log --graph --oneline | rev-list --all | rev-list --topo-order HEAD | shortlog -s HEAD
        | log --format=%an%ad | name-rev HEAD~1000 | describe --all HEAD~50000 | tag --contains HEAD~1000 | log --oneline -- file
        | rev-list --objects --all | log --stat | merge-base HEAD~100000 HEAD | rev-list --count --all | log --all --decorate""",
    "tree": """ls-tree HEAD | ls-tree -r -l HEAD | log --stat | log --name-only | show --raw | rev-list --objects HEAD
        | status | diff --stat HEAD~1 HEAD | diff --cached --name-only | diff-tree -r --root HEAD | show HEAD:""",
    "index": "ls-files | ls-files -s | status --porcelain | diff --name-only | diff --cached --name-only | grep --cached x | ls-files -d",
    "refs": """for-each-ref | branch -a | tag -n | show-ref | log --decorate -n1 | rev-parse --all | describe --all
        | log --all -n1 | for-each-ref --sort=-committerdate | show-ref -d | name-rev HEAD""",
    "message": "log | show | log --oneline | shortlog HEAD | log --grep=zzz | log --format=%(trailers)%s | cat-file -p HEAD | log --graph",
    "reflog": "reflog | log -g --format=%gd | rev-parse HEAD@{5} | stash list | reflog show --date=iso",
    "deltas": "cat-file -p HEAD:file | log -p | show HEAD:file | ls-tree -l HEAD | blame HEAD -- file | grep x HEAD",
    "alike": "diff -M HEAD~1 HEAD | diff -C --find-copies-harder HEAD~1 HEAD | log -M --stat | blame -C -C -C HEAD -- d0/newf1 | diff --no-renames HEAD~1",
}  # fmt: skip


class Made:
    """A repository of one pack."""

    def __init__(self, top: Path) -> None:
        self.git = top / ".git"
        for name in ("objects/pack", "objects/info", "refs/heads", "logs"):
            (self.git / name).mkdir(parents=True)
        (self.git / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (self.git / "config").write_bytes(b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
        self._all: dict[bytes, tuple[bytes, bytes]] = {}

    def add(self, kind: bytes, data: bytes) -> bytes:
        oid = name_of(kind, data)
        self._all[oid] = kind, data
        return oid

    def tree(self, rows: list[tuple[bytes, bytes, bytes]]) -> bytes:
        return self.add(b"tree", b"".join([mode + b" " + name + b"\0" + oid for mode, name, oid in rows]))

    def commit(self, tree: bytes, *parents: bytes, message: bytes = b"subject\n") -> bytes:
        lines = [b"tree " + tree.hex().encode(), *(b"parent " + oid.hex().encode() for oid in parents)]
        return self.add(b"commit", b"\n".join([*lines, b"author " + WHO, b"committer " + WHO, b"", message]))

    def end(self, head: bytes) -> None:
        pack = Pack(self.git / "objects/pack" / ("pack-" + "5" * 40 + ".pack"))
        pack.begin(len(self._all))
        for oid, (kind, data) in self._all.items():
            pack.add(oid, kind, data)
        pack.end()
        (self.git / "refs/heads/main").write_bytes(head.hex().encode() + b"\n")


def _two(top: Path, old: bytes, new: bytes) -> None:
    made = Made(top)
    one, two = (made.tree([(b"100644", b"file", made.add(b"blob", data))]) for data in (old, new))
    made.end(made.commit(two, made.commit(one)))
    (top / "file").write_bytes(new + b"more\n")
    _index(made, [(b"file", name_of(b"blob", new))])


def lines(top: Path, scale: int) -> None:
    count = 40_000 * scale
    _two(top, b"".join(b"line %d\n" % n for n in range(count)), b"".join(b"line %d!\n" % n for n in range(count)))


def long(top: Path, scale: int) -> None:
    old = b"\n".join([b"x" * (scale * MIB // 4)] * 4)
    _two(top, old, old.replace(b"x", b"x y", 3) + b"z")


def history(top: Path, scale: int) -> None:
    synthetic.make(top, 5_000 * scale, graph=False)


def tree(top: Path, scale: int) -> None:
    made = Made(top)
    blob, other = made.add(b"blob", b"x\n"), made.add(b"blob", b"y\n")
    names = [b"a file of the tree %07d" % n for n in range(10_000 * scale)]
    one, two = (made.tree([(b"100644", name, oid) for name in names]) for oid in (blob, other))
    made.end(made.commit(two, made.commit(one)))


def index(top: Path, scale: int) -> None:
    made = Made(top)
    blob = made.add(b"blob", b"x\n")
    made.end(made.commit(made.tree([(b"100644", b"file", blob)])))
    _index(made, [(b"folder%03d/a file of the index %07d" % (n // 1000, n), blob) for n in range(10_000 * scale)])


def _index(made: Made, rows: list[tuple[bytes, bytes]]) -> None:
    out = [struct.pack(">4sII", b"DIRC", 2, len(rows))]
    for name, oid in rows:
        row = struct.pack(">10I20sH", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 2, oid, min(len(name), 0xFFF)) + name
        out.append(row + b"\0" * (8 - len(row) % 8))
    data = b"".join(out)
    (made.git / "index").write_bytes(data + hashlib.sha1(data).digest())


def refs(top: Path, scale: int) -> None:
    made = Made(top)
    head = made.commit(made.tree([(b"100644", b"file", made.add(b"blob", b"x\n"))]))
    made.end(head)
    rows = [b"%s refs/%s/a name of a reference %07d\n" % (head.hex().encode(), kind, n) for kind in (b"heads", b"tags") for n in range(5_000 * scale)]  # fmt: skip
    rows = [row.replace(b" ", b"-").replace(b"-refs", b" refs", 1) for row in rows]
    (made.git / "packed-refs").write_bytes(b"# pack-refs with: peeled fully-peeled sorted \n" + b"".join(rows))


def message(top: Path, scale: int) -> None:
    made = Made(top)
    blank = made.tree([(b"100644", b"file", made.add(b"blob", b"x\n"))])
    text = b"subject\n\n" + b"a line of the message\n" * (scale * MIB // 22)
    made.end(made.commit(blank, made.commit(blank, message=text), message=text + b"\nKey: value\n"))


def reflog(top: Path, scale: int) -> None:
    made = Made(top)
    head = made.commit(made.tree([(b"100644", b"file", made.add(b"blob", b"x\n"))]))
    made.end(head)
    row = b"%s %s %s\tcommit: a message\n" % (head.hex().encode(), head.hex().encode(), WHO)
    (made.git / "logs/refs/heads").mkdir(parents=True)
    for name in ("HEAD", "refs/heads/main"):
        (made.git / "logs" / name).write_bytes(row * (10_000 * scale))


def deltas(top: Path, scale: int) -> None:
    """A blob of `scale` MiB and deltas upon it, each of which doubles it, as far as 4 GiB."""
    made = Made(top)
    size = scale * MIB // 4
    base = made.add(b"blob", b"x" * size)
    made.end(made.commit(made.tree([(b"100644", b"file", base)])))
    folder = made.git / "objects/pack"
    # a delta's base stands in its own pack, or it is not to be had
    rows, names = [_head(3, size) + zlib.compress(b"x" * size)], [base]
    for step in range(6):
        grown = size << (step + 1)
        delta = _size(size << step) + _size(grown)
        for start in range(0, size << step, 0xFFFFFF):
            delta += _copy(start, min(0xFFFFFF, (size << step) - start)) * 2
        name = hashlib.sha1(b"delta %d" % step).digest()  # nobody hashes what is in a pack
        rows.append(_head(7, len(delta)) + names[-1] + zlib.compress(delta))
        names.append(name)
    _pack(folder / ("pack-" + "6" * 40 + ".pack"), rows, names)
    top_tree = name_of(b"tree", raw_tree := b"100644 file\0" + names[-1])
    commit = b"tree %s\nauthor %s\ncommitter %s\n\ns\n" % (top_tree.hex().encode(), WHO, WHO)
    for kind, data in ((b"tree", raw_tree), (b"commit", commit)):
        oid = name_of(kind, data).hex()
        place = made.git / "objects" / oid[:2] / oid[2:]
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(zlib.compress(b"%s %d\0" % (kind, len(data)) + data))
    (made.git / "refs/heads/main").write_text(name_of(b"commit", commit).hex() + "\n")


def _size(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _head(kind: int, size: int) -> bytes:
    """What a pack says in front of an object."""
    first, rest = kind << 4 | size & 15, size >> 4
    return bytes([first | 128]) + _size(rest) if rest else bytes([first])


def _copy(start: int, length: int) -> bytes:
    return bytes([0xFF]) + struct.pack("<I", start) + struct.pack("<I", length)[:3]


def _pack(path: Path, rows: list[bytes], names: list[bytes]) -> None:
    body, offsets = b"PACK" + struct.pack(">II", 2, len(rows)), []
    for row in rows:
        offsets.append(len(body))
        body += row
    trailer = hashlib.sha1(body).digest()
    path.write_bytes(body + trailer)
    pairs = sorted(zip(names, offsets, strict=True))
    found = b"\xfftOc" + struct.pack(">I", 2) + synthetic.fan([name for name, _ in pairs])
    found += b"".join(name for name, _ in pairs) + bytes(4 * len(pairs))
    found += b"".join(struct.pack(">I", at) for _, at in pairs) + trailer
    path.with_suffix(".idx").write_bytes(found + hashlib.sha1(found).digest())


def alike(top: Path, scale: int) -> None:
    made = Made(top)

    def version(mark: bytes) -> bytes:
        folders = []
        for folder in range(max(scale // 2, 1)):
            rows = []
            for n in range(100):
                text = b"".join(b"%s %d %d\n" % (mark if k % 9 == 0 else b"", folder * n, k) for k in range(200))
                rows.append((b"100644", b"%sf%d" % (mark, n), made.add(b"blob", text)))
            folders.append((b"40000", b"d%d" % folder, made.tree(sorted(rows, key=lambda row: row[1]))))
        return made.tree(sorted(folders, key=lambda row: row[1] + b"/"))

    made.end(made.commit(version(b"new"), made.commit(version(b""))))


BUILD: dict[str, Callable[[Path, int], None]] = {
    "lines": lines, "long": long, "history": history, "tree": tree, "index": index,
    "refs": refs, "message": message, "reflog": reflog, "deltas": deltas, "alike": alike,
}  # fmt: skip

ASK = """
import json, sys
import gitglass
from gitglass.limits import Limits
argv, small, large, ceiling = json.loads(sys.argv[1])
def peak():
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
limits = Limits(timeout=60, max_memory_bytes=ceiling)
gitglass.git(argv, cwd=small, root=small, limits=limits)
before = peak()
done = gitglass.git(argv, cwd=large, root=large, limits=limits)
print(json.dumps([peak() - before, done.returncode, done.stderr.decode("utf-8", "replace")[-200:], len(done.stdout)]))
"""


def ask(argv: list[str], small: Path, large: Path, ceiling: int) -> tuple[int, int, str, int]:
    """(bytes grown, exit status, the end of stderr, bytes of the answer)"""
    words = json.dumps([argv, str(small), str(large), ceiling])
    done = subprocess.run([sys.executable, "-c", ASK, words], capture_output=True, text=True)
    if done.returncode:
        return 0, done.returncode, done.stderr[-300:], 0
    grown, status, said, size = json.loads(done.stdout)
    return grown, status, said, size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ceilings", default="64,128,256", help="MiB")
    parser.add_argument("--only", default="", help="repositories or questions with this in their name")
    parser.add_argument("--scale", type=int, default=40, help="how large: about so many MiB of what is at issue")
    parser.add_argument("--json")
    parser.add_argument("--build", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.build:  # in a process of its own: what this one ever had counts for its children too
        name, place, scale = args.build
        BUILD[name](Path(place), int(scale))
        return 0
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="ceilings-") as place:
        for name, words in QUESTIONS.items():
            asked = [q.split() for q in words.split("|") if args.only in name or args.only in q]
            for scale in (1, args.scale) if asked else ():
                command = [sys.executable, "-m", "benchmarks.ceilings", "--build", name, f"{place}/{name}{scale}"]
                subprocess.run([*command, str(scale)], check=True)
            for argv in asked:
                for ceiling in map(int, args.ceilings.split(",")):
                    small, large = Path(place, f"{name}1"), Path(place, f"{name}{args.scale}")
                    grown, status, said, size = ask(argv, small, large, ceiling * MIB)
                    said = "" if status in (0, 1) else said.strip()
                    over = grown > ceiling * MIB * 1.2
                    rows.append({"repository": name, "question": " ".join(argv), "ceiling": ceiling * MIB, "grown": grown, "status": status, "said": said})  # fmt: skip
                    print(f"{grown / MIB:6.0f} of {ceiling:4} MiB{' OVER' if over else '     '} {name:8} {' '.join(argv):45.45} {status:3} {size:10} {said:.90}", flush=True)  # fmt: skip
    over = [row for row in rows if row["grown"] > row["ceiling"] * 1.2]
    odd = [
        row
        for row in rows
        if row["status"] not in (0, 1) and "memory" not in row["said"] and "large" not in row["said"]
    ]
    print(f"{len(rows)} answers, {len(over)} more than 20 % over their ceiling, {len(odd)} ended otherwise")
    if args.json:
        Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
