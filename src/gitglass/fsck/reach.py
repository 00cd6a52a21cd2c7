"""Which objects the starting points of git's fsck reach; reports missing objects, broken links, dangling objects."""

from __future__ import annotations

from collections.abc import Iterable

from ..objects.pack import BLOB, KIND_NUMBERS
from .objects import HERE, KIND, PARSED, REACH, REACHED, USED, Objects


class Reach:
    """Marks all reachable objects; each object is read once."""

    def __init__(self, objects: Objects, *, unreachable: bool = False) -> None:
        self.objects = objects
        self.unreachable = unreachable  # whether unreachable objects are reported
        self.findings = objects.findings
        self._waiting: list[bytes] = []

    def start(self, oid: bytes) -> None:
        """Mark an object that something outside of the object database names."""
        self.objects.mark(oid, USED)
        self._mark(oid, None)

    def _mark(self, oid: bytes, parent: bytes | None) -> None:
        objects = self.objects
        state = objects.table.get(oid, 0)
        if state & REACHED:
            return
        objects.mark(oid, REACHED)
        if state & HERE:
            self._waiting.append(oid)
        elif parent is not None and not objects.is_promised(oid) and not objects.has(oid):
            words = f"{self._link(parent)}\n              to {objects.kind(oid):>7} {oid.hex()}"
            self.findings.say("link", words, state & KIND, oid, status=REACH)

    def _link(self, parent: bytes) -> str:
        return f"broken link from {self.objects.kind(parent):>7} {parent.hex()}"

    def follow(self) -> None:
        """Mark everything that the marked objects reach."""
        objects, table = self.objects, self.objects.table
        while self._waiting:
            oid = self._waiting.pop()
            if table[oid] & KIND == BLOB:  # a blob names no objects
                continue
            stored = objects.read(oid)
            if stored is None:
                self.findings.error("missing", f"Could not read {oid.hex()}", table[oid] & KIND, oid)
                continue
            if not table[oid] & PARSED and not objects.take_in(oid, KIND_NUMBERS[stored[0]], stored[1]):
                continue
            for link in objects.links(oid, table[oid] & KIND, stored[1]):
                objects.ctx.tick()
                if link is None:
                    continue
                kind, target = link
                if target is None:
                    name = "tree" if kind == 2 else "blob" if kind == 3 else "commit"
                    words = f"{self._link(oid)}\nbroken link from {name:>7} unknown"
                    self.findings.say("link", words, kind, oid, status=REACH)
                else:
                    self._mark(target, oid)

    def use(self, names: Iterable[bytes]) -> None:
        """Mark what unreachable objects name as used: such objects are not dangling."""
        objects, table = self.objects, self.objects.table
        for oid in names:
            objects.slots.look(oid, make=False)
            state = table.get(oid, 0)
            if state & REACHED or not state & HERE:
                continue
            kind = KIND_NUMBERS.get(objects.kind(oid).encode(), 0)
            if kind == BLOB or (stored := objects.read(oid)) is None:
                continue
            if not state & PARSED and not objects.take_in(oid, kind, stored[1]):
                continue
            for link in objects.links(oid, kind, stored[1]):
                if link is not None and link[1] is not None:
                    objects.mark(link[1], USED)

    def judge(self) -> None:
        """Report every object that is reachable and missing, or present and not referenced."""
        objects = self.objects
        for oid in objects.slots.order():
            objects.ctx.tick()
            state = objects.table[oid]
            kind, name = state & KIND, oid.hex()
            if state & REACHED and not state & HERE:
                if not objects.is_promised(oid) and not self._is_packed(oid):
                    words = f"missing {objects.kind(oid)} {name}"
                    self.findings.say("missing", words, kind, oid, status=REACH)
            elif self.unreachable:
                if state & HERE and not state & REACHED:
                    self.findings.say(
                        "unreachable", f"unreachable {objects.kind(oid)} {name}", kind, oid, is_error=False
                    )
            elif state & HERE and not state & (REACHED | USED):
                words = f"dangling {objects.kind(oid)} {name}"
                self.findings.say("dangling", words, kind, oid, is_error=False)

    def _is_packed(self, oid: bytes) -> bool:
        objects = self.objects
        if oid in objects.broken:
            return False
        locations = (location.find(oid) for location in objects.odb.dirs)
        return any(location is not None and location[0].path not in objects.closed for location in locations)
