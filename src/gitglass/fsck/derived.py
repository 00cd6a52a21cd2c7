"""Checks of the commit-graph and the multi-pack-index against the objects and packs that they were computed from.

Mirrors the `verify` of git-commit-graph(1) and git-multi-pack-index(1), which git's fsck runs last.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from ..annotations import TYPE_CHECKING
from ..disk.opened import FileView
from ..errors import Corrupt, GitError
from ..objects.commit_graph import CommitGraph, load_commit_graph
from ..objects.directory import ObjectDir
from ..objects.multi_pack_index import MultiPackIndex, read_chunks, read_fan
from ..objects.sequential import commit_facts
from .files import is_sealed
from .objects import GRAPH, MIDX, Objects

if TYPE_CHECKING:
    from ..repo.store import Store


def check_derived(store: Store, objects: Objects) -> None:
    """Check the commit-graph and the multi-pack-index of every object directory."""
    if store.config.get_bool("core.commitGraph", True):
        for directory in store.odb.dirs:
            _Graph(store, objects).check(directory)
    if store.config.get_bool("core.multiPackIndex", True):
        for directory in store.odb.dirs:
            _check_midx(store, objects, directory)


class _Graph:
    """Compares the commit-graph of one object directory with the commits."""

    def __init__(self, store: Store, objects: Objects) -> None:
        self.store = store
        self.objects = objects
        self.findings = objects.findings

    def _say(self, words: str, oid: bytes = b"") -> None:
        self.findings.say("graph", words, 1 if oid else 0, oid, status=GRAPH)

    def check(self, directory: ObjectDir) -> None:
        """Check every row of every layer."""
        try:
            graph = load_commit_graph(self.store.jail, directory.path, self.store.hash_len)
        except GitError as error:
            view = self.store.jail.view(directory.path + b"/info/commit-graph")
            if view is None or not self._fan(view):
                self._say(error.words().decode("utf-8", "surrogateescape").rstrip("\n"))
            return
        if graph is None:
            return
        for view in graph.files:
            if not is_sealed(view, self.store.hash_name):
                self._say("the commit-graph file has incorrect checksum and is likely corrupt")
        try:
            self._rows(graph)
        except Corrupt as error:
            self.findings.failure("graph", error)

    def _fan(self, view: FileView) -> bool:
        """Report a wrong fan-out of a commit-graph that cannot be opened; returns whether the fan-out was wrong."""
        width = self.store.hash_len
        try:
            chunks = read_chunks(view, 8, view.read(6, 1)[0], width, "commit-graph")
            fan, names = read_fan(view, chunks), chunks[b"OIDL"]
        except (Corrupt, KeyError, IndexError):
            return False
        if fan == sorted(fan):
            return False
        if not is_sealed(view, self.store.hash_name):
            self._say("the commit-graph file has incorrect checksum and is likely corrupt")
        counted = [0] * 256
        for at in range(0, names[1] - width + 1, width):
            self.objects.ctx.tick()
            counted[view.read(names[0] + at, 1)[0]] += 1
        for first, (have, count) in enumerate(zip(fan, accumulate(counted), strict=True)):
            if have != count:
                self._say(f"commit-graph has incorrect fanout value: fanout[{first}] = {have} != {count}")
        return True

    def _rows(self, graph: CommitGraph) -> None:
        previous, first = b"", set(graph.starts)
        for position in range(graph.count):
            self.objects.ctx.tick()
            oid = graph.oid(position)
            if position not in first and previous >= oid:
                self._say(f"commit-graph has incorrect OID order: {previous.hex()} then {oid.hex()}", oid)
            previous = oid
        for position in range(graph.count):
            self.objects.ctx.tick()
            self._row(graph, position)

    def _row(self, graph: CommitGraph, position: int) -> None:
        oid = graph.oid(position)
        name = oid.hex()
        stored = self.objects.read(oid)
        try:
            if stored is None or stored[0] != b"commit":
                raise Corrupt("")
            parents, time, tree = commit_facts(stored[1], oid)
        except Corrupt:
            if stored is None:
                self.findings.error("graph", f"Could not read {name}", 1, oid, status=GRAPH)
            self._say(f"failed to parse commit {name} from object database for commit-graph", oid)
            return
        noted, noted_time, noted_tree = graph.facts(position)
        if noted_tree != tree:
            self._say(f"root tree OID for commit {name} in commit-graph is {noted_tree.hex()} != {tree.hex()}", oid)
        self._parents(oid, noted, parents)
        number = graph.corrected_date if graph.has_corrected else graph.generation
        level = number(oid) or 0
        least = 1 + max((number(parent) or 0 for parent in noted), default=0)
        if level and level < least and (graph.has_corrected or level < 0x3FFFFFFF):
            self._say(f"commit-graph generation for commit {name} is {level} < {least}", oid)
        if noted_time != time & 0x3FFFFFFFF:
            self._say(f"commit date for commit {name} in commit-graph is {noted_time} != {time}", oid)

    def _parents(self, oid: bytes, noted: tuple[bytes, ...], parents: tuple[bytes, ...]) -> None:
        name = oid.hex()
        for noted_parent, parent in zip(noted, parents, strict=False):
            if noted_parent != parent:
                self._say(f"commit-graph parent for {name} is {noted_parent.hex()} != {parent.hex()}", oid)
        if len(noted) > len(parents):
            self._say(f"commit-graph parent list for commit {name} is too long", oid)
        elif len(noted) < len(parents):
            self._say(f"commit-graph parent list for commit {name} terminates early", oid)


def _midx_fan(store: Store, objects: Objects, view: FileView) -> bool:
    """Report a wrong fan-out of a multi-pack-index that cannot be opened; returns whether the fan-out was wrong."""
    try:
        fan = read_fan(view, read_chunks(view, 12, view.read(6, 1)[0], store.hash_len, "multi-pack-index"))
    except (Corrupt, KeyError, IndexError):
        return False
    if fan == sorted(fan):
        return False
    if not is_sealed(view, store.hash_name):
        objects.findings.say("midx", "incorrect checksum", status=MIDX)
    for at, (one, other) in enumerate(pairwise(fan)):
        if one > other:
            words = f"oid fanout out of order: fanout[{at}] = {one:x} > {other:x} = fanout[{at + 1}]"
            objects.findings.say("midx", words, status=MIDX)
    return True


def _check_midx(store: Store, objects: Objects, directory: ObjectDir) -> None:
    def say(words: str, oid: bytes = b"") -> None:
        objects.findings.say("midx", words, 0, oid, status=MIDX)

    view = store.jail.view(directory.path + b"/pack/multi-pack-index")
    if view is None:
        return
    try:
        midx = MultiPackIndex(view, store.hash_len)
    except GitError as error:
        if _midx_fan(store, objects, view):
            return
        # git prints it twice: with the full path, and with the path as messages show it
        say(error.words().decode("utf-8", "surrogateescape").rstrip("\n"))
        objects.findings.failure("midx", error)
        if error.prefix == "error":
            say("error: multi-pack-index file exists, but failed to parse")
        return
    if not is_sealed(view, store.hash_name):
        say("incorrect checksum")
    for number, name in enumerate(midx.names):
        if name not in directory.packs:
            say(f"failed to load pack in position {number}")
    for closed in objects.closed.values():
        try:
            _ = closed.index, closed.open()
        except Corrupt as error:  # git shows the full path here
            say(error.words().decode("utf-8", "surrogateescape").rstrip("\n"))
    previous = b""
    for position, (oid, location) in enumerate(midx.rows()):
        objects.ctx.tick()
        if previous >= oid:
            say(
                f"oid lookup out of order: oid[{position - 1}] = {previous.hex()} >= {oid.hex()} = oid[{position}]", oid
            )
        previous = oid
        pack = None if location is None else directory.packs.get(location[0])
        if location is None or pack is None or pack.path in objects.closed:
            say(f"failed to load pack entry for oid[{position}] = {oid.hex()}", oid)
            continue
        offset = max(pack.find(oid), 0)
        if offset != location[1]:
            say(f"incorrect object offset for oid[{position}] = {oid.hex()}: {location[1]:x} != {offset:x}", oid)
