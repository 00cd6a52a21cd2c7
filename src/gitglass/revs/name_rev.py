"""git name-rev: names a commit by a ref that reaches it (`tags/v1.0~3^2~1`).

Every tip names its ancestors; a commit keeps its best name: one from a tag rather than from a branch, from an older tag
rather than a younger one, then the one with the shorter path, where leaving the first-parent line counts as 65,535
steps. Tips are processed tags first, older ones first. Ancestors of commits much older than all requested ones are not
visited. If a commit-graph has the commits, they are visited by position; where there is none and many are visited, by
number.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from ..annotations import Any
from ..errors import GitError, MissingObject, NotFound
from ..graph.nodes import Nodes, PackNumbers, answer_when_long
from ..graph.object_table import ObjectTable
from ..graph.positions import Positions, by_position
from ..history.columns import Column, Sparse
from ..limits import Context, lines_in, need, paced, step, watched
from ..paths.wildmatch import Matcher, compile_wildmatch
from ..records import record
from ..repo.store import Store
from .abbrev import abbrev

_MERGE = 65535
_SLOP = 86400
_FOREVER = 1 << 62

_Node = Any  # a commit: its oid, or its position in a commit-graph
_Line = tuple[bytes, int, int, bool]  # name of its first commit, the tip's date, distance from it, from a tag


@record(frozen=True)
class NameSpec:
    """The options of git-name-rev(1). `peel_tag` names the commit that a tag leads to, as describe --contains needs."""

    tags_only: bool = False
    refs: tuple[bytes, ...] = ()
    exclude: tuple[bytes, ...] = ()
    name_only: bool = False
    undefined: bool = True
    always: bool = False
    peel_tag: bool = False


@record
class _Tip:
    oid: bytes
    shown: bytes
    commit: bytes | None
    date: int
    from_tag: bool
    deref: bool


class Namer:
    """Names for the given objects, or for all that refs reach if `wanted` is None, from the refs that the options
    select. `table` is called for every commit that git reads on the way: then the walk goes by oid."""

    __slots__ = (
        "_ctx", "_cutoff", "_excluded",
        "_facts", "_generation_cutoff", "_included", "_line_of", "_lines", "_node_of", "_shortener", "_steps",
        "_table", "_tip_oids", "_tips", "spec", "store",
    )  # fmt: skip

    def __init__(
        self,
        store: Store,
        wanted: list[bytes] | None,
        spec: NameSpec,
        *,
        table: ObjectTable | None = None,
        ctx: Context,
    ) -> None:
        self.store = store
        self._table = table
        self.spec = spec
        self._ctx = ctx
        self._included = [compile_wildmatch(pattern) for pattern in watched(spec.refs)]
        self._excluded = [compile_wildmatch(pattern) for pattern in watched(spec.exclude)]
        self._facts = store.odb.facts_reader()
        self._lines: list[_Line] = []  # lines along first parents that have a name
        self._line_of: Column = Sparse()  # by commit: the index of its line
        self._steps: Column = Sparse()  # by commit: the number of steps from the line's first commit
        self._node_of: Callable[[bytes], _Node] = bytes
        self._shortener: Callable[[bytes], bytes] | None = None
        self._cutoff, self._generation_cutoff = (0, _FOREVER) if wanted is None else self._oldest(wanted)
        self._tips = sorted(self._gather(), key=lambda tip: (not tip.from_tag, tip.date))
        commits = [tip.commit for tip in self._tips if tip.commit is not None]
        if table is not None:
            self._run(commits, self._parents)
        elif by_position(store, commits, ctx, self._by_position) is None:
            try:
                answer_when_long(store, partial(self._by_node, commits))
            except MissingObject:
                self._by_node(commits, Nodes(store))
        self._tips.sort(key=lambda tip: tip.oid)
        self._tip_oids = [tip.oid for tip in self._tips]

    def name(self, oid: bytes) -> bytes | None:
        """The name of an object; None if no ref leads to it."""
        node = self._node_of(oid)
        line = 0 if node is None else self._line_of[node]
        if line:
            tip, generation = self._lines[line][0], self._steps[node]
            return b"%b~%d" % (tip.removesuffix(b"^0"), generation) if generation else tip
        if self.store.odb.kind(oid) == b"commit":
            return None
        at = _one_of(self._tip_oids, oid)
        return None if at is None else self._tips[at].shown

    # ------------------------------------------------------------------------------------------------- how far

    def _oldest(self, wanted: list[bytes]) -> tuple[int, int]:
        """The date and the generation below which no commit is visited."""
        odb = self.store.odb
        cutoff, generation = _FOREVER, _FOREVER
        for oid in wanted:
            try:
                commit = odb.peel(oid)
                if odb.kind(commit) != b"commit":
                    continue
                cutoff = min(cutoff, odb.commit_facts(commit)[1])
            except NotFound:
                continue
            level = odb.generation(commit)
            generation = min(generation, _FOREVER if level is None else level)
        return max(cutoff - _SLOP, 0), generation

    def _parents(self, oid: bytes) -> Sequence[_Node]:
        """A commit's parents; none for a commit that is too old, or missing: git names the others all the same."""
        try:
            parents, time, _ = self._facts(oid)
        except MissingObject:
            self._ctx.say(b"error: Could not read %s\n" % oid.hex().encode())
            return ()
        if self._table is not None:
            self._table.read_commits(parents)
        if self._generation_cutoff < _FOREVER:
            generation = self.store.odb.generation(oid)
            return () if generation is not None and generation < self._generation_cutoff else parents
        return () if time < self._cutoff else parents

    def _by_position(self, positions: Positions, positions_wanted: list[int]) -> bool:
        self._node_of = positions.number
        self._line_of, self._steps = array("I", bytes(4 * positions.count)), array("I", bytes(4 * positions.count))
        if self._generation_cutoff < _FOREVER:
            self._run(positions_wanted, positions.parents_reader(level=self._generation_cutoff))
        else:
            self._run(positions_wanted, positions.parents_reader(oldest=self._cutoff))
        return True

    def _by_node(self, commits: list[bytes], nodes: Nodes) -> None:
        """The same where no commit-graph has the tips."""
        self._node_of = nodes.number
        if isinstance(nodes, PackNumbers):
            size = 4 * nodes.numbering.capacity
            need(2 * size)
            self._line_of, self._steps = array("I", bytes(size)), array("I", bytes(size))
            self._run(map(nodes.number, commits), nodes.numbering.parents_reader(oldest=self._cutoff))
        else:
            self._line_of, self._steps, self._facts = Sparse(), Sparse(), nodes.facts
            self._run(commits, self._parents)

    # ---------------------------------------------------------------------------------------------------- tips

    def _gather(self) -> list[_Tip]:
        tips = []
        for full, oid in self.store.refs.iterate(b"refs/"):
            self._ctx.tick()
            fits = self._fits(full)
            if fits is None:
                continue
            try:
                tips.append(self._tip(full, oid, fits))
            except GitError:
                continue
        return tips

    def _fits(self, full: bytes) -> bool | None:
        """None: the ref is left out; True: its name is abbreviated as far as possible."""
        spec = self.spec
        if spec.tags_only and not full.startswith(b"refs/tags/"):
            return None
        if any(_below(full, glob) is not None for glob in self._excluded):
            return None
        if not spec.refs:
            return spec.tags_only and spec.name_only
        positions = [at for glob in self._included if (at := _below(full, glob)) is not None]
        if not positions:
            return None
        return any(positions) or (spec.tags_only and spec.name_only)

    def _tip(self, full: bytes, oid: bytes, short: bool) -> _Tip:
        odb = self.store.odb
        shown = self._shorten(full) if short else full.removeprefix(b"refs/heads/").removeprefix(b"refs/")
        date, target, deref = None, oid, False
        while odb.kind(target) == b"tag":
            tag = odb.tag(target)
            words = (tag.tagger or b"").partition(b">")[2].split(None, 2)
            date = int(words[0]) if words and words[0].isdigit() and len(words[0]) < 19 else 0
            target, deref = tag.object, True
        if odb.kind(target) != b"commit":
            return _Tip(oid, shown, None, _FOREVER if date is None else date, False, deref)
        when = odb.commit_facts(target)[1] if date is None else date
        return _Tip(oid, shown, target, when, full.startswith(b"refs/tags/"), deref)

    def _shorten(self, full: bytes) -> bytes:
        if self._shortener is None:
            self._shortener = self.store.refs.shortener(False)
        return self._shortener(full)

    # ------------------------------------------------------------------------------------------------- ancestors

    def _run(self, commits: Iterable[_Node], parents_of: Callable[[_Node], Sequence[_Node]]) -> None:
        """Let each tip name its ancestors; `commits` are the commits of tips that have one."""
        self._lines = [(b"", 0, 0, False)]  # index 0 stands for no line
        named = [tip for tip in self._tips if tip.commit is not None]
        tick = self._ctx.ticks()
        for tip, commit in zip(named, commits, strict=True):
            self._spread(commit, tip, parents_of, tick)

    def _spread(
        self, start: _Node, tip: _Tip, parents_of: Callable[[_Node], Sequence[_Node]], tick: Callable[[], None]
    ) -> None:
        """Give the tip's name to all ancestors that do not have a better one."""
        if not self._better(start, tip, 0, 0):
            return
        lines, line_of, steps, better = self._lines, self._line_of, self._steps, self._better
        date, from_tag = tip.date, tip.from_tag
        line_of[start], steps[start] = len(lines), 0
        lines.append((tip.shown + b"^0" if tip.deref else tip.shown, date, 0, from_tag))
        stack = [start]
        while stack:
            commit = stack.pop()
            line, generation = line_of[commit], steps[commit]
            name, _, far, _ = lines[line]
            while parents := parents_of(commit):  # along first parents; the other parents of a merge wait
                tick()
                generation += 1
                commit = parents[0]
                follow = not line_of[commit] or better(commit, tip, generation, far + generation)
                if follow:
                    line_of[commit], steps[commit] = line, generation
                if len(parents) > 1:
                    waiting = []
                    beyond = far + generation - 1 + _MERGE
                    for number, parent in enumerate(parents[1:], 2):
                        if not line_of[parent] or better(parent, tip, 0, beyond):
                            line_of[parent], steps[parent] = len(lines), 0
                            lines.append((_through(name, generation - 1, number), date, beyond, from_tag))
                            waiting.append(parent)
                    stack += waiting[::-1]
                if not follow:
                    break

    def _better(self, commit: _Node, tip: _Tip, generation: int, distance: int) -> bool:
        line: int = self._line_of[commit]
        if not line:
            return True
        _, date, old_distance, from_tag = self._lines[line]
        old_generation: int = self._steps[commit]
        before = old_distance + old_generation + (_MERGE if old_generation > 0 else 0)
        now = distance + (_MERGE if generation > 0 else 0)
        if tip.from_tag and from_tag:  # the older tag wins, even if it is farther away (git 2.39)
            return date > tip.date or (date == tip.date and before > now)
        if tip.from_tag != from_tag:
            return tip.from_tag
        if before != now:
            return before > now
        return date > tip.date


def _one_of(oids: Sequence[bytes], oid: bytes) -> int | None:
    """The position of an object among sorted ones. Of several refs to one tag it is the one that names it: the one that
    git's search hits first, which begins where the first digits suggest."""
    low, high, middle = 0, len(oids), 0
    for at in range(0, len(oid) - 2, 2) if len(oids) > 1 else ():
        first, value, last = (int.from_bytes(one[at : at + 2], "big") for one in (oids[0], oid, oids[-1]))
        if not first <= value <= last:
            return None
        if first != last:
            middle = (len(oids) - 1) * (value - first) // (last - first)
            break
    while low < high:
        if oids[middle] == oid:
            return middle
        low, high = (low, middle) if oids[middle] > oid else (middle + 1, high)
        middle = low + (high - low) // 2
    return None


def _through(name: bytes, generation: int, number: int) -> bytes:
    """The name of a commit's second or later parent."""
    base = name.removesuffix(b"^0")
    return b"%b~%d^%d" % (base, generation, number) if generation else b"%b^%d" % (base, number)


def _below(full: bytes, glob: Matcher) -> int | None:
    """The position in the ref's name where the pattern matches: at its start (0) or after one of its slashes."""
    step()
    at = 0
    while True:
        if glob(full[at:]):
            return at
        at = full.find(b"/", at) + 1
        if not at:
            return None


def name_one(namer: Namer, oid: bytes) -> bytes:
    """The name, or its replacement. Raises `NotFound` "cannot describe 'x'"."""
    spec = namer.spec
    if spec.peel_tag:
        oid = namer.store.odb.peel(oid)
    name = namer.name(oid)
    if name is not None:
        return name
    if spec.undefined:
        return b"undefined"
    if spec.always:
        return abbrev(namer.store, oid)
    raise NotFound(f"cannot describe '{oid.hex()}'")


def annotated(namer: Namer, text: bytes) -> Iterator[bytes]:
    """A text in which each full object id is followed or replaced by the object's name, line by line.

    Strange but git's: a carriage return at the end of a line is lost, and so is the rest of the line after a NUL.
    """
    size = 2 * namer.store.hash_len
    mentions = re.compile(rb"(?<![0-9a-f])[0-9a-f]{%d}(?![0-9a-f])" % size)

    def naming(match: re.Match[bytes]) -> bytes:
        oid = match[0]
        try:
            name = namer.name(bytes.fromhex(oid.decode()))
        except NotFound:
            return oid
        if name is None:
            return oid
        return name if namer.spec.name_only else oid + b" (" + name + b")"

    text = text.replace(b"\r\n", b"\n")
    for line in paced(lines_in(text.removesuffix(b"\n"))) if text else ():
        yield mentions.sub(naming, (line + b"\n").partition(b"\0")[0])
