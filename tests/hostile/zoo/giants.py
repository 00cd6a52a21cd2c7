"""Files of git's own that are large and well formed: a million and a half refs, a million patterns, messages of 50 MiB.

What a parser does with one call of the interpreter takes longest here. `../watchdog.py` measures it.
"""

from pathlib import Path

from ..craft import Family, append, blob, commit, head, put, tree

FAMILY = Family("giants")
REFS = 1_500_000
PATTERNS = 1_000_000
MEBIBYTE = 1 << 20


@FAMILY("refs, a million and a half packed ones in no order", slow=True)
def unsorted_refs(repo: Path, outside: Path) -> None:
    """7919 has no divisor in common with their number: each is there once."""
    front = head(repo).encode() + b" refs/heads/b"
    put(
        repo / ".git/packed-refs",
        b"# pack-refs with: peeled fully-peeled \n"
        + b"".join(b"%s%07d\n" % (front, at * 7919 % REFS) for at in range(REFS)),
    )


@FAMILY("refs, a million and a half packed ones in order", slow=True)
def sorted_refs(repo: Path, outside: Path) -> None:
    front = head(repo).encode() + b" refs/heads/b"
    put(
        repo / ".git/packed-refs",
        b"# pack-refs with: peeled fully-peeled sorted \n" + b"".join(b"%s%07d\n" % (front, at) for at in range(REFS)),
    )


_LINES = {"names": b"a%07d\n", "suffixes": b"*a%07d\n", "wildcards": b"a%07d*b\n"}
for _what, _line in _LINES.items():

    def _ignored(repo: Path, outside: Path, line: bytes = _line) -> None:
        put(repo / ".gitignore", b"".join(line % at for at in range(PATTERNS)))
        append(repo / "new", "x")

    def _attributes(repo: Path, outside: Path, line: bytes = _line) -> None:
        put(repo / ".gitattributes", b"".join(line[:-1] % at + b" text\n" for at in range(PATTERNS)))
        append(repo / "README.md", "x")

    FAMILY.add(f"patterns, a million {_what} in an ignore file", _ignored, intact=True, slow=True)
    FAMILY.add(f"patterns, a million {_what} in attributes", _attributes, intact=True, slow=True)


def _message(repo: Path, text: bytes) -> None:
    commit(repo, tree(repo, (b"100644", b"a", blob(repo, b"x\n"))), message=text, parents=[head(repo)])


@FAMILY("commits, a message of 50 MiB in one line", slow=True)
def one_line(repo: Path, outside: Path) -> None:
    _message(repo, b"word " * (10 * MEBIBYTE))


@FAMILY("commits, a message of 50 MiB in short lines", slow=True)
def short_lines(repo: Path, outside: Path) -> None:
    _message(repo, b"word word\n" * (5 * MEBIBYTE))


@FAMILY("commits, a message of 50 MiB of empty lines", slow=True)
def blank_lines(repo: Path, outside: Path) -> None:
    _message(repo, b"s\n\nt" + b" \n" * (25 * MEBIBYTE) + b"u\n")


@FAMILY("mailmap, 20 MiB", intact=True, slow=True)
def mailmap(repo: Path, outside: Path) -> None:
    put(repo / ".mailmap", b"".join(b"A%07d <a%07d@b> B <%07d@c>\n" % (at, at, at) for at in range(640_000)))


@FAMILY("refs, a FETCH_HEAD of 20 MiB", intact=True, slow=True)
def fetched(repo: Path, outside: Path) -> None:
    line = b"%s\tnot-for-merge\tbranch 'b' of https://example.org/r\n" % head(repo).encode()
    put(repo / ".git/FETCH_HEAD", line * (20 * MEBIBYTE // len(line)))
