"""What objects from elsewhere have to be before they are kept: well formed, harmless, and connected.

Objects that would be dangerous on disk (a tree with `.git`, `..` or a name twice, a `.gitmodules` that is an option or
leads out) are always refused, and what cannot be read as what it says it is; with `fetch.fsckObjects` (or
`receive.fsckObjects`, `transfer.fsckObjects`) all else that git-fsck(1) complains of is, too. git itself asks for the
setting before it looks at any of it; histories with odd dates are fetched by both without.
"""

from __future__ import annotations

from ....errors import Corrupt
from ....fsck.judge import Rules
from ....fsck.objects import Findings, Objects
from ....limits import Context
from ....objects.pack import KIND_NUMBERS
from ....repo.store import Store
from ...objects import links_of

#: message ids of git-fsck(1) whose objects no repository of ours takes in
DANGEROUS = frozenset(
    {
        "badTree", "duplicateEntries", "fullPathname", "gitattributesLarge", "gitattributesLineLength", "hasDot",
        "gitmodulesBlob", "gitmodulesName", "gitmodulesPath", "gitmodulesSymlink", "gitmodulesUpdate", "gitmodulesUrl",
        "hasDotdot", "hasDotgit", "nulInHeader", "treeNotSorted", "unterminatedHeader",
    }
)  # fmt: skip
_SHOWN = 3


class Judge:
    """Takes in objects one by one; `finish` raises Corrupt where any of them is refused."""

    def __init__(self, store: Store, ctx: Context, *, action: str = "fetch") -> None:
        objects = Objects(store, Findings(store), ctx)
        config = store.config
        whole = config.get_bool(f"{action}.fsckobjects")
        self._strict = bool(config.get_bool("transfer.fsckobjects", False) if whole is None else whole)
        self._rules = Rules(store, objects, strict=self._strict, configured=False)
        self._findings = objects.findings
        self.inside: set[bytes] = set()
        self.named: set[bytes] = set()

    def __call__(self, oid: bytes, kind: bytes, content: bytes) -> None:
        """Judge one object, and note what it names. Raises Corrupt for one that cannot be read."""
        self.inside.add(oid)
        try:
            self.named.update(links_of(oid, kind, content))
        except Corrupt as error:
            raise Corrupt(f"object {oid.hex()} is refused: {error.message}", oid=oid.hex()) from None
        self._rules.judge(oid, KIND_NUMBERS[kind], content)

    def finish(self, store: Store) -> set[bytes]:
        """What the objects name outside of them. Raises Corrupt where one of them is refused."""
        self._rules.objects.odb = store.odb
        self._rules.finish()
        wrong = [one for one in self._findings.drain() if one.code in DANGEROUS or (self._strict and one.is_error)]
        if wrong:
            raise Corrupt("refused: " + "; ".join(one.words for one in wrong[:_SHOWN]), oid=wrong[0].oid)
        return self.named - self.inside


def missing_words(oid: bytes) -> Corrupt:
    """The error for an object that was named and did not come."""
    return Corrupt(f"the other repository did not send all necessary objects: {oid.hex()} is missing")
