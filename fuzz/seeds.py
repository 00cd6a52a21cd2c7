"""Where fuzzing begins: small valid inputs of every kind, taken from the fixtures or written down here."""

import hashlib
import struct
import tarfile
import zlib
from pathlib import Path

ARCHIVES = Path(__file__).resolve().parents[1] / "fixtures" / "archives"
PERSON = b"A U Thor <a@example.com> 1700000000 +0100"
ENTRY = struct.pack(">10I", *range(10)) + bytes(20) + b"\0\1a" + bytes(1)
CODE = b"int f(int a)\n{\n\tif (a)\n\t\treturn 1;\n\n\treturn 0;\n}\n\nint g(void)\n{\n\treturn f(2);\n}\n"
OTHER = (
    CODE.replace(b"return 0", b"return  0")
    .replace(b"int g", b"int h(void)\n{\n\treturn f(3);\n}\n\nint g")
    .replace(b"}\n", b"}\r\n", 1)
)
MESSAGE = b"subject\n\nbody: x\n\nSigned-off-by: A <a@b>\nRefs: #1\n more\n(cherry picked from commit 1234567)\n"
RECORDS = (
    b"\0\x99refs/heads/main\5"
    + bytes(range(20))
    + b"\x0b\x22two\0"
    + bytes(20)
    + bytes(range(20))
    + b"\x08\x1btag\1\4refs\x05\x18new\3"
)
LOG = b"\0\xb9refs/heads/main\0" + b"\xfe" * 8 + bytes(40) + b"\3A U\3a@b\x85\x00\xfe\xb6\4note"
TEXTS: dict[str, list[bytes]] = {
    "pack": [b"\x0c\x90\5\5hello", b"\x0d\x90\5\3abc\xb0\0\1", b"\x35" + zlib.compress(b"hello"), b"\x74" + bytes(range(20)) + zlib.compress(b"\5\5\x90\5"), b"\x64\x0c" + zlib.compress(b"\5\5\x90\5")],
    "idx": [bytes(range(23)) + bytes(range(1, 24)) + b"\0" * 22 + b"\x05" + b"\xff" * 23],
    "delta": [b"\x90\5\5hello\xff\1\0\0\0\2\0\0", b"\x80", b"\x80\x08\x05\x90\x05", b"\x80\x08\x06\x05hello\x01x", b"\x80\x08\x80\x08\xb0\x00\x04"],
    "loose": [b"blob 5\0hello", b"tree 0\0", b"commit 3\0abc"],
    "tree": [b"100644 a\0" + bytes(20) + b"40000 b\0" + bytes(range(20)), b"160000 m\0" + bytes(20), b"40000 0\0" + bytes(6) + b"100644 a\0" + bytes(5) + b"100755 a\0" + bytes(20)],
    "commit": [b"tree %s\nparent %s\nauthor %s\ncommitter %s\nencoding latin-1\ngpgsig x\n y\n\nsubject\n\nbody\n" % (b"a" * 40, b"b" * 40, PERSON, PERSON), b"object %s\ntype commit\ntag v1\ntagger %s\n\nx\n" % (b"a" * 40, PERSON)],
    "index": [struct.pack(">II", 2, 1) + ENTRY, struct.pack(">II", 3, 0), struct.pack(">II", 4, 0) + b"TREE\0\0\0\6\0001 0\n", b"a\na/b\nc/d\nc/e", b"a\n" + b"b" * 200 + b"\nc\n" + b"d" * 300 + b"\ne", b"\0-1 1\na\0002 0\n" + bytes(20), b"a\000100644\00040000\0000\0" + bytes(40), b"\0\0\0\3\0\0\0\2" + b"\0\0\0\2\0\0\0\0" + bytes(7) + b"\5" + bytes(4) + b"\0\0\0\0\0\0\0\1" + b"\0\0\0\0\0\0\0\3" + bytes(4)],
    "reftable": [b"REFT\1\0\0\0" + bytes(16) + b"r\0\0\x20\0\4refs" + bytes(20), RECORDS, b"\xff" + LOG, RECORDS + b"\xff" + LOG],
    "config": [b'[core]\n\tbare = false ; x\n[a "b \\" c"]\n d = "e \\n" \\\n f\n[x]y\n', b"[a.b]\nc=1k\n"],
    "attributes": [b'*.c diff=c -text\n[attr]x a b !c\n"a\\tb" eol=lf\n', b"/a/** diff=x -text !eol\n[attr]binary -diff\n*.[ch] binary\n"],
    "refs": [b"a" * 40 + b" x refs/heads/a\n" + b"b" * 40 + b" refs/heads/a\n", b"# pack-refs with: peeled fully-peeled sorted \n%b refs/heads/a\n%b refs/tags/v1\n^%b\n" % (b"a" * 40, b"b" * 40, b"c" * 40), b"%b %b %b\tcommit: x\n" % (b"0" * 40, b"a" * 40, PERSON), b"A <a@b> B <c@d>\nProper <p@q> <a@b>\n<x@y> Name <a@b>\n", b"refs/heads/x.lock\nrefs/heads/*\nHEAD\n@{"],
    "ignore": [b"sub/a\na\n!sub/a\n*.c\nsub/dir/b.c\n!b.c\na/\n/a/b\n", b"*.o\n!a/b\n/x/**/y\n\\#z\n  \n[!a-c]?\n"],
    "wildmatches": [b"a*b?[c-e]\nabxd", b"**/x/**\na/b/x/c", b"[[:alpha:]]\\*\na*"],
    "pathspecs": [b":(glob,icase)**/*.c\n:!x\n:/y", b":(attr:a=b -c)d\n../e"],
    "revisions": [b"HEAD~3^2^{tree}:a/b", b"main@{yesterday}..v1.0^!", b":/fix.*", b":2:path", b"v1.0-3-gabcdef^-"],
    "dates": [b"3 weeks ago", b"2023-11-15T10:00:00+0200", b"last tuesday noon", b"@1700000000 -0700", b"Nov 15 2023 10:11:12"],
    "patterns": [b"\0\na\\(b\\)*\\1", b"\1\n^(a|b+)[[:digit:]]{2,3}$", b"\2\n(?i)\\bx(?=y)"],
    "formats": [b"%(refname:short)%(if)%(HEAD)%(then)*%(else) %(end)%(align:10,left)x%(end)%00%%", b"%H %<(10,trunc)%an%C(red)%d%w(20,1,2)%b%+s%(trailers:only)%x41%ad%G?"],
    "argv": [b"-C\nx\nlog\n--oneline\n-n5\n--\na", b"diff\n--stat=10,5\nHEAD~1", b"--jail\nshow\n--format=%H", b"status\n-sb", b"blame\n-L1,+2\n--porcelain\nREADME.md", b"for-each-ref\n--sort=-creatordate\n--contains\nHEAD\n--count=3", b"grep\n-n\n-e\na\n--and\n--not\n(\n-e\nb\n)", b"rev-list\n--all\n--since=yesterday\n--objects\n^v1", b"ls-files\n-s\n-t\n--eol\n:(glob)*", b"log\n--graph\n-p\n-S\nx\n--date=relative\n-L1,2:README.md", b"describe\n--tags\n--match\n*", b"config\n--get-regexp\n.*", b"format-patch\n--stdout\n-2\n--attach\n-v3\n--from=a <b@c>\n--no-to", b"shortlog\n-sne\n--group=trailer:x", b"ls-tree\n-r\n--format=%(path)\nHEAD", b"name-rev\n--all", b"diff-tree\n-r\n-M50%\n--word-diff\nHEAD"],
    "diffs": [b"a\nb\nc\n\0a\nx\nc\n", b"a\n\0", b"1\n2\n3\n4\n5\0" + b"1\n3\n2\n5\n4\n", CODE + b"\0" + OTHER],
    "texts": [b"a\nb\nc\n\0a\nx\nc\n\0a\nb\nd\n", CODE + b"\0" + OTHER + b"\0" + CODE[:40], MESSAGE + b"\0only,unfold,separator=%x2C,key=Refs\0[a-z]+", b"def f(x):\n    pass\n\0class A:\n\0\\w+"],
}  # fmt: skip


def from_archive(archive: str, ending: str, cut: int, tail: int = 20) -> list[bytes]:
    """Files of a fixture, without the first `cut` and the last `tail` bytes, which the target adds."""
    with tarfile.open(ARCHIVES / f"{archive}.tar.gz") as tar:
        found = [tar.extractfile(member) for member in tar if member.name.endswith(ending) and member.isfile()]
        return [stream.read()[cut:-tail] for stream in found if stream is not None]


def seeds(name: str) -> list[bytes]:
    """The seeds of a target."""
    files = {
        "idx": ("packed", ".idx", 0),
        "midx": ("packed", "multi-pack-index", 6),
        "graph": ("packed", ".graph", 6),
        "index": ("plain", ".git/index", 4),
    }
    return TEXTS.get(name, []) + (from_archive(*files[name]) if name in files else [])


def write(name: str, folder: Path) -> None:
    """The seeds as files of a corpus."""
    for data in seeds(name):
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
