"""What is fuzzed: for every parser a function of bytes that must end in a value or a `GitError`, soon and in bounds.

Used by `run.py` (coverage-guided, atheris) and by `tests/test_fuzz_corpus.py`, which replays the corpus without it.
"""

import hashlib
import os
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import gitglass
from gitglass.cli.argv import parse
from gitglass.cli.globals import parse_globals
from gitglass.commands.registry import load
from gitglass.diff.hunks import diff_lines
from gitglass.diff.linespec import LineSpec
from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.paths.attributes import parse_attributes
from gitglass.paths.ignore import parse_ignore
from gitglass.paths.pathspec import Pathspecs, PathspecSpec
from gitglass.paths.wildmatch import CASEFOLD, PATHNAME, wildmatch
from gitglass.patterns import BadPattern, compile_pattern
from gitglass.revs.dates import approxidate, parse_date
from gitglass.revs.spec import parse as parse_spec
from gitglass.revs.spec import parse_object, parse_parents, parse_range
from gitglass.store.commitgraph import load_commit_graph
from gitglass.store.config import load_blob
from gitglass.store.delta import apply_delta
from gitglass.store.fileview import open_view
from gitglass.store.idents import split_ident
from gitglass.store.index import parse_index
from gitglass.store.jail import Jail
from gitglass.store.loose import Loose
from gitglass.store.mailmap import Mailmap
from gitglass.store.midx import MultiPackIndex
from gitglass.store.objects import Commit, commit_facts, find_entry, tag_object, tree_entries
from gitglass.store.packindex import PackIndex
from gitglass.store.packs import ObjectCache, Pack
from gitglass.store.reflog import parse_entry
from gitglass.store.reftable import Table
from gitglass.walk import fsckrules

LIMIT = 1 << 20
PLACE = Path(tempfile.mkdtemp(prefix="gitglass-fuzz-"))
OID = bytes(range(20))
TARGETS: dict[str, Callable[[bytes], object]] = {}


def target(function: Callable[[bytes], object]) -> Callable[[bytes], object]:
    TARGETS[function.__name__] = function
    return function


def ctx() -> Context:
    return Context(Limits(timeout=5.0))


def sealed(data: bytes) -> bytes:
    """With the checksum that every such file ends with, so that it is not what stops the fuzzer."""
    return data + hashlib.sha1(data).digest()


def written(name: str, data: bytes) -> bytes:
    path = PLACE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return os.fsencode(path)


@target
def pack(data: bytes) -> None:
    body = b"PACK" + struct.pack(">II", 2, 1) + data
    trailer = hashlib.sha1(body).digest()
    fan = struct.pack(">256I", *([0] * 0 + [1] * 256))
    index = b"\xfftOc" + struct.pack(">I", 2) + fan + OID + bytes(4) + struct.pack(">I", 12) + trailer
    written("p.pack", body + trailer)
    path = written("p.idx", sealed(index))[:-4]
    found = Pack(Jail(os.fsencode(PLACE)), path, 20, key=1, cache=ObjectCache(1 << 20), limit=LIMIT)
    found.read(found.find(OID))
    found.kind_size(12)


@target
def idx(data: bytes) -> None:
    path = written("i.idx", sealed(data))
    view = open_view(os.open(path, os.O_RDONLY), path)
    assert view is not None
    found = PackIndex(view, 20)
    position = found.find(OID)
    found.prefixed(OID, 4)
    if found.count < 10_000:
        list(found.oids())
        if position >= 0:
            found.offset(position)


@target
def delta(data: bytes) -> None:
    base = bytes(range(256)) * 4
    apply_delta(base, data, LIMIT)
    apply_delta(base, b"\x80\x08" + data, LIMIT)


@target
def loose(data: bytes) -> None:
    for raw in (data, zlib.compress(data)):
        written("objects/00/" + OID.hex()[2:], raw)
        found = Loose(Jail(os.fsencode(PLACE)), os.fsencode(PLACE / "objects"), "sha1", LIMIT)
        try:
            found.head(OID)
        except GitError:
            pass
        try:
            found.read(OID)
        except GitError:
            pass


@target
def tree(data: bytes) -> None:
    list(fsckrules.tree(data, 20))
    find_entry(data, b"a", 20)
    for mode, name, oid in tree_entries(data, 20):
        assert mode >= 0 and name and len(oid) == 20


@target
def commit(data: bytes) -> None:
    list(fsckrules.commit(data))
    list(fsckrules.tag(data))
    for kind in (b"commit", b"tag"):
        fsckrules.links(kind, data, 20)
    split_ident(data)
    try:
        tag_object(data, OID)
    except GitError:
        pass
    found = Commit(OID, data)
    _ = (found.author, found.committer, found.message, found.encoding)
    commit_facts(data, OID)


@target
def index(data: bytes) -> None:
    for raw in (sealed(data), sealed(b"DIRC" + data)):
        try:
            found = parse_index(raw, 20)
        except GitError:
            continue
        assert len(found.paths) == len(found.heads) == len(found.modes)


@target
def graph(data: bytes) -> None:
    written("objects/info/commit-graph", sealed(b"CGPH\x01\x01" + data))
    found = load_commit_graph(Jail(os.fsencode(PLACE)), os.fsencode(PLACE / "objects"), 20)
    if found is not None:
        position = found.position(OID)
        if position is not None:
            found.facts(position)


@target
def midx(data: bytes) -> None:
    path = written("m", sealed(b"MIDX\x01\x01" + data))
    view = open_view(os.open(path, os.O_RDONLY), path)
    assert view is not None
    MultiPackIndex(view, 20).find(OID)


@target
def reftable(data: bytes) -> None:
    for raw in (data, b"REFT\x01\x00\x10\x00" + data):
        try:
            Table(raw)
        except GitError:
            pass


@target
def config(data: bytes) -> None:
    found = load_blob(data, b"fuzz")
    found.get("core.bare")
    for key in ("core.abbrev", "core.bare"):
        try:
            found.get_int(key)
            found.get_bool(key)
        except GitError:
            pass


@target
def attributes(data: bytes) -> None:
    parse_attributes(data)
    Mailmap.parse(data).map(b"A", b"a@b")
    for line in data.split(b"\n"):
        parse_entry(line, 20)


@target
def ignore(data: bytes) -> None:
    found = parse_ignore(data)
    for path in (b"a", b"a/b/c", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/" * 8 + b"b"):
        found.last_match(path, path.rsplit(b"/", 1)[-1], False)


@target
def wildmatches(data: bytes) -> None:
    pattern, _, text = data.partition(b"\n")
    for flags in (0, PATHNAME, PATHNAME | CASEFOLD):
        wildmatch(pattern, text, flags)
        wildmatch(pattern, b"a/" * 100 + b"a" * 100, flags)


@target
def pathspecs(data: bytes) -> None:
    found = Pathspecs.parse(data.split(b"\n"), b"sub/", PathspecSpec())
    for path in (b"a", b"sub/a", b"sub/dir/b.c"):
        found.match(path)
        found.could_match_below(path)


@target
def revisions(data: bytes) -> None:
    for function in (parse_spec, parse_object, parse_range, parse_parents):
        try:
            function(data)
        except GitError:
            pass


@target
def dates(data: bytes) -> None:
    approxidate(data, 1_700_000_000)
    parse_date(data, 1_700_000_000)


@target
def patterns(data: bytes) -> None:
    kind, _, pattern = data.partition(b"\n")
    kinds = ("basic", "extended", "perl", "fixed")
    try:
        found = compile_pattern(
            pattern, kinds[kind[0] % 4 if kind else 0], newline=True, ctx=Context(Limits(timeout=1.0))
        )
        found.search(b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\nb")
        found.all("äöü\nabc".encode())
    except BadPattern:
        pass


@lru_cache(maxsize=1)
def handle() -> gitglass.Repository:
    with tarfile.open(Path(__file__).resolve().parents[1] / "fixtures/archives/plain.tar.gz") as tar:
        tar.extractall(PLACE / "plain", filter="fully_trusted")
    return gitglass.open(PLACE / "plain", root=PLACE / "plain", limits=Limits(timeout=2.0))


@target
def formats(data: bytes) -> None:
    form = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
    for words in (
        ["log", "-n2", f"--format={form}"],
        ["for-each-ref", f"--format={form}"],
        ["tag", f"--format={form}"],
    ):
        done = handle().git(words)
        assert b"internal error" not in done.stderr, done.stderr


@target
def argv(data: bytes) -> None:
    words = data.decode("utf-8", "surrogateescape").split("\n")
    found = parse_globals(words, ours=True)
    module = load(found.command)
    if module is not None and not module.COMMAND.raw:
        parse(module.COMMAND, found.argv)


@target
def diffs(data: bytes) -> None:
    one, _, two = data.partition(b"\0")
    for spec in (LineSpec(), LineSpec(context=0, algorithm="histogram"), LineSpec(algorithm="patience")):
        rebuilt = list(diff_lines(one, two, spec, ctx=ctx()))
        if one == two:
            assert not rebuilt


def once(name: str, data: bytes) -> None:
    """Run a target on one input: anything but a value or a `GitError` is a finding."""
    with ctx():
        try:
            TARGETS[name](data)
        except GitError:
            pass
