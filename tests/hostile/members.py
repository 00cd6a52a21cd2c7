"""Hostile repositories of security.md's "first floor": each a function that spoils a fresh copy of a good repository.

A member gets the repository's directory and a directory outside of it that holds a secret; none of them needs git.
"""

import os
import struct
import zlib
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

SECRET = b"the planted secret 5f1c"
Member = Callable[[Path, Path], None]
MEMBERS: dict[str, Member] = {}


def member(function: Member) -> Member:
    MEMBERS[function.__name__] = function
    return function


def append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        stream.write(text)


def loose(repo: Path, kind: bytes, body: bytes, *, claim: int | None = None) -> str:
    """Write a loose object, perhaps with a size that it does not have; returns its name."""
    whole = b"%s %d\0" % (kind, len(body) if claim is None else claim) + body
    name = sha1(whole).hexdigest()
    path = repo / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(zlib.compress(whole))
    return name


def commit(repo: Path, tree: str, *, author: bytes = b"A <a@b> 1700000000 +0000", ref: str = "refs/heads/main") -> str:
    name = loose(repo, b"commit", b"tree %s\nauthor %s\ncommitter %s\n\nHostile\n" % (tree.encode(), author, author))
    (repo / ".git" / ref).write_text(name + "\n")
    return name


def entry(mode: bytes, name: bytes, oid: str) -> bytes:
    return mode + b" " + name + b"\0" + bytes.fromhex(oid)


# ---------------------------------------------------------------- programs named by the repository
@member
def config_names_programs(repo: Path, outside: Path) -> None:
    touch = f"touch {outside}/ran"
    append(
        repo / ".git/config",
        f"[core]\n fsmonitor = {touch}\n pager = {touch}\n editor = {touch}\n sshCommand = {touch}\n hooksPath = {outside}\n"
        f" alternateRefsCommand = {touch}\n gitProxy = {touch}\n"
        f'[diff]\n external = {touch}\n[diff "x"]\n command = {touch}\n textconv = {touch}\n'
        f'[filter "x"]\n clean = {touch}\n smudge = {touch}\n process = {touch}\n required = true\n'
        f"[alias]\n st = !{touch}\n log = !{touch}\n[gpg]\n program = {touch}\n[log]\n showSignature = true\n"
        f"[pager]\n log = {touch}\n diff = {touch}\n[credential]\n helper = !{touch}\n",
    )
    append(repo / ".gitattributes", "* diff=x filter=x\n")
    (repo / "README.md").write_text("changed\n")


@member
def promisor_remote(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        f'[remote "origin"]\n promisor = true\n url = ext::touch {outside}/ran\n[extensions]\n partialClone = origin\n',
    )
    commit(repo, "1" * 40)


# ---------------------------------------------------------------- ways out
@member
def git_file_outwards(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(outside / "other.git")
    (repo / ".git").write_text(f"gitdir: {outside}/other.git\n")


@member
def git_symlink_outwards(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(outside / "other.git")
    (repo / ".git").symlink_to(outside / "other.git")


@member
def commondir_outwards(repo: Path, outside: Path) -> None:
    (repo / ".git/commondir").write_text(f"{outside}\n")


@member
def alternates_outwards(repo: Path, outside: Path) -> None:
    append(repo / ".git/objects/info/alternates", f"{outside}\n../../../..\n{repo}/.git/objects\n")


@member
def include_outwards(repo: Path, outside: Path) -> None:
    (outside / "secret.config").write_text(f"[user]\n name = {SECRET.decode()}\n")
    append(repo / ".git/config", f"[include]\n path = {outside}/secret.config\n path = ../../../../etc/passwd\n")


@member
def worktree_outwards(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", f"[core]\n worktree = {outside}\n")


@member
def symlinked_refs(repo: Path, outside: Path) -> None:
    (outside / "ref").write_bytes(SECRET)
    (repo / ".git/refs/heads/evil").symlink_to(outside / "ref")
    (repo / ".git/refs/tags/dir").symlink_to(outside)


@member
def symlinked_rule_files(repo: Path, outside: Path) -> None:
    for name in (".gitignore", ".gitattributes", ".mailmap", ".gitmodules"):
        (repo / name).unlink(missing_ok=True)
        (repo / name).symlink_to(outside / "secret")
    append(
        repo / ".git/config",
        f"[core]\n excludesFile = {outside}/secret\n attributesFile = {outside}/secret\n[mailmap]\n file = {outside}/secret\n",
    )


@member
def symlinks_in_the_work_tree(repo: Path, outside: Path) -> None:
    (repo / "README.md").unlink()
    (repo / "README.md").symlink_to(outside / "secret")
    for path in sorted((repo / "src").iterdir()):
        path.unlink()
    (repo / "src").rmdir()
    (repo / "src").symlink_to(outside)
    (outside / "app.py").write_bytes(SECRET)


# ---------------------------------------------------------------- files that are none
@member
def fifo_as_head(repo: Path, outside: Path) -> None:
    (repo / ".git/HEAD").unlink()
    os.mkfifo(repo / ".git/HEAD")


@member
def fifo_as_index(repo: Path, outside: Path) -> None:
    (repo / ".git/index").unlink()
    os.mkfifo(repo / ".git/index")


@member
def fifo_as_config(repo: Path, outside: Path) -> None:
    (repo / ".git/config").unlink()
    os.mkfifo(repo / ".git/config")


@member
def fifo_as_tracked_file(repo: Path, outside: Path) -> None:
    (repo / "README.md").unlink()
    os.mkfifo(repo / "README.md")
    os.mkfifo(repo / ".gitignore")


@member
def sparse_giant_head(repo: Path, outside: Path) -> None:
    with (repo / ".git/HEAD").open("wb") as stream:
        stream.truncate(20 << 30)


# ---------------------------------------------------------------- objects
@member
def zlib_bomb(repo: Path, outside: Path) -> None:
    deflate = zlib.compressobj(9)
    name = "ab" + "0" * 38
    path = repo / ".git/objects/ab" / name[2:]
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as stream:
        stream.write(deflate.compress(b"blob 10\0"))
        for _ in range(64):
            stream.write(deflate.compress(bytes(1 << 20)))
        stream.write(deflate.flush())
    commit(repo, loose(repo, b"tree", entry(b"100644", b"bomb", name)))


@member
def wrong_size_claims(repo: Path, outside: Path) -> None:
    small = loose(repo, b"blob", b"small", claim=1 << 40)
    large = loose(repo, b"blob", b"x" * 10000, claim=3)
    commit(repo, loose(repo, b"tree", entry(b"100644", b"large", large) + entry(b"100644", b"small", small)))


def pack(repo: Path, objects: list[bytes], names: list[str]) -> None:
    """A pack of raw entries with an idx that vouches for them."""
    body, offsets = b"PACK" + struct.pack(">II", 2, len(objects)), []
    for raw in objects:
        offsets.append(len(body))
        body += raw
    trailer = sha1(body).digest()
    rows = sorted(zip(map(bytes.fromhex, names), offsets))
    fan = b"".join(struct.pack(">I", sum(oid[0] <= i for oid, _ in rows)) for i in range(256))
    idx = b"\xfftOc" + struct.pack(">I", 2) + fan + b"".join(oid for oid, _ in rows) + bytes(4 * len(rows))
    idx += b"".join(struct.pack(">I", at) for _, at in rows) + trailer
    folder = repo / ".git/objects/pack"
    folder.mkdir(exist_ok=True)
    (folder / f"pack-{'e' * 40}.pack").write_bytes(body + trailer)
    (folder / f"pack-{'e' * 40}.idx").write_bytes(idx + sha1(idx).digest())


@member
def delta_cycle(repo: Path, outside: Path) -> None:
    a, b = "aa" * 20, "bb" * 20
    delta = zlib.compress(b"\x05\x05\x90\x05")
    pack(repo, [bytes([0x74]) + bytes.fromhex(b) + delta, bytes([0x74]) + bytes.fromhex(a) + delta], [a, b])
    commit(repo, loose(repo, b"tree", entry(b"100644", b"a", a) + entry(b"100644", b"b", b)))


@member
def delta_out_of_bounds(repo: Path, outside: Path) -> None:
    a, base = "aa" * 20, "bb" * 20
    entries = [
        bytes([0x35]) + zlib.compress(b"hello"),
        bytes([0x76]) + bytes.fromhex(base) + zlib.compress(b"\x05\x7f\x91\x04\x7f"),
    ]
    pack(repo, entries, [base, a])
    commit(repo, loose(repo, b"tree", entry(b"100644", b"a", a)))


@member
def truncated_pack_and_idx(repo: Path, outside: Path) -> None:
    pack(repo, [bytes([0x35]) + zlib.compress(b"hello")], ["bb" * 20])
    for path in sorted((repo / ".git/objects/pack").iterdir()):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@member
def lying_idx(repo: Path, outside: Path) -> None:
    pack(repo, [bytes([0x35]) + zlib.compress(b"hello")], ["bb" * 20])
    path = next((repo / ".git/objects/pack").glob("*.idx"))
    raw = bytearray(path.read_bytes())
    raw[8:1032] = b"\xff\xff\xff\xff" * 256
    path.write_bytes(bytes(raw))


@member
def truncated_loose_object(repo: Path, outside: Path) -> None:
    head = (repo / ".git/refs/heads/main").read_text().strip()
    path = repo / ".git/objects" / head[:2] / head[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:20])


@member
def truncated_index(repo: Path, outside: Path) -> None:
    path = repo / ".git/index"
    path.write_bytes(path.read_bytes()[:100])


@member
def index_with_a_wild_count(repo: Path, outside: Path) -> None:
    path = repo / ".git/index"
    raw = bytearray(path.read_bytes())
    raw[8:12] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(raw))


@member
def garbage_author(repo: Path, outside: Path) -> None:
    tree = loose(repo, b"tree", entry(b"100644", b"x", loose(repo, b"blob", b"x\n")))
    commit(repo, tree, author=b"\x1b[2J no mail at all 99999999999999999999999 +99999999")


@member
def commit_without_anything(repo: Path, outside: Path) -> None:
    (repo / ".git/refs/heads/main").write_text(loose(repo, b"commit", b"") + "\n")


@member
def tree_with_wicked_names(repo: Path, outside: Path) -> None:
    blob = loose(repo, b"blob", b"x\n")
    names = [b"..", b".", b".git", b".GIT", b"a/b", b"/etc/passwd", b"git~1", b"\xff\xfe\x1b[2J", b"-rf", b""]
    commit(repo, loose(repo, b"tree", b"".join(entry(b"100644", name, blob) for name in names)))


@member
def tree_that_holds_itself_deep(repo: Path, outside: Path) -> None:
    name = loose(repo, b"tree", entry(b"100644", b"f", loose(repo, b"blob", b"x\n")))
    for _ in range(3000):
        name = loose(repo, b"tree", entry(b"40000", b"d", name))
    commit(repo, name)


@member
def garbage_tree(repo: Path, outside: Path) -> None:
    commit(repo, loose(repo, b"tree", b"100644 cut\0short"))


@member
def wrong_kinds(repo: Path, outside: Path) -> None:
    commit(repo, loose(repo, b"blob", b"not a tree"))


@member
def symref_loop(repo: Path, outside: Path) -> None:
    (repo / ".git/HEAD").write_text("ref: refs/heads/a\n")
    (repo / ".git/refs/heads/a").write_text("ref: refs/heads/b\n")
    (repo / ".git/refs/heads/b").write_text("ref: refs/heads/a\n")


@member
def garbage_refs(repo: Path, outside: Path) -> None:
    (repo / ".git/refs/heads/junk").write_bytes(b"\xff\x00 not an oid\n")
    (repo / ".git/packed-refs").write_bytes(
        b"# pack-refs with: peeled \n^^^^\nxyz refs/heads/y\n" + b"0" * 40 + b" ../../etc/passwd\n"
    )


@member
def garbage_graph_and_midx(repo: Path, outside: Path) -> None:
    (repo / ".git/objects/info").mkdir(exist_ok=True)
    (repo / ".git/objects/info/commit-graph").write_bytes(b"CGPH\x01\x01\xff\x00" + b"\xff" * 2000)
    (repo / ".git/objects/pack").mkdir(exist_ok=True)
    (repo / ".git/objects/pack/multi-pack-index").write_bytes(b"MIDX\x01\x01\xff\x00" + b"\xff" * 2000)


@member
def garbage_config(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", '[a "\n]]]\\ = \x00\n')


@member
def unknown_format(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[core]\n repositoryformatversion = 99\n")
