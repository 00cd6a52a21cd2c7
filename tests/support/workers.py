"""Agents at work against a target that loses answers, refuses and moves: what becomes of what they stage.

Every staged commit ends pushed once, in conflict (its changes are in the files), or held; never twice, and never lost.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

from dulwich.objects import ObjectID, ShaFile
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.mutate.grant import Identity
from gitglass.workspace.incoming import Incoming
from gitglass.workspace.model import Clock, Identities, StagedCommit
from gitglass.workspace.push import Patience, PushResult, plan_push, push
from gitglass.workspace.sources import incoming_of, opened_store
from gitglass.workspace.targets.protocol import Branches, Kind, LostAnswer, Outgoing, RefMoved, Rejected, Sent
from gitglass.workspace.workspace import Workspace

from .workspaces import FILES, TEXT, add_commit

_KINDS = {b"commit": 1, b"tree": 2, b"blob": 3}
_CHANCES = {"read": 0.08, "refuse": 0.05, "before": 0.2, "after": 0.2, "meanwhile": 0.1}
PEOPLE = Identities(Identity("Ann Author", "ann@example.com"))


class MemoryTarget:
    """A dulwich repository in memory; `faults` are asked before and after each deed."""

    kind: Kind = "local-bare"
    where, hash_name = "memory", "sha1"
    branch: str | None = None

    def __init__(self, repo: Any, faults: Callable[[str], Any] = lambda _: None, name: str = "m") -> None:
        self.repo, self.faults, self.name = repo, faults, name
        self.moves: list[str] = []

    def head(self, ref: str) -> str | None:
        if self.faults("read"):
            raise LostAnswer("no answer")
        raw = self.repo.refs.read_ref(ref.encode())
        return None if raw is None else raw.decode()

    def branches(self) -> Branches:
        return Branches(
            tuple(sorted(ref.decode()[11:] for ref in self.repo.refs.allkeys() if ref.startswith(b"refs/heads/")))
        )

    def is_protected(self, branch: str) -> bool:
        return branch == "main"

    def incoming(self, branch: str | None) -> Incoming:
        return incoming_of(opened_store(gitglass.open(self.repo)), branch or "main", target=self.name)

    def holds(self) -> Callable[[bytes], bool]:
        return lambda oid: ObjectID(oid.hex().encode()) in self.repo.object_store

    def notes(self, ref: str) -> tuple[str, ...]:
        return ()

    def send(self, outgoing: Outgoing) -> Sent:
        if self.faults("refuse"):
            raise Rejected("hook declined", server=("hook declined",))
        if self.faults("before"):
            raise LostAnswer("reset by peer")
        last, renamed = self.kept(outgoing)
        self.faults("meanwhile")
        now = self.repo.refs.read_ref(outgoing.ref.encode())
        if (None if now is None else now.decode()) != outgoing.expected:
            raise RefMoved("moved")
        self.repo.refs[outgoing.ref.encode()] = last.encode()
        self.moves.append(outgoing.commit)
        if self.faults("after"):
            raise LostAnswer("reset by peer")
        return Sent((), renamed)

    def kept(self, outgoing: Outgoing) -> tuple[str, dict[str, str]]:
        """Keep the objects: the name of the commit here, and those that are called otherwise than they were."""
        for oid, (kind, content) in outgoing.objects.items():
            item = ShaFile.from_raw_string(_KINDS[kind], content)
            assert item.id == oid.hex().encode()
            self.repo.object_store.add_object(item)
        return outgoing.commit, {}


class RenamingTarget(MemoryTarget):
    """One that makes commits of its own of what was staged, as GitHub does."""

    def kept(self, outgoing: Outgoing) -> tuple[str, dict[str, str]]:
        """See `MemoryTarget`."""
        renamed: dict[str, str] = {}
        for oid, (kind, content) in outgoing.objects.items():
            if kind == b"commit":
                for old, new in renamed.items():
                    content = content.replace(b"parent " + old.encode(), b"parent " + new.encode())
                content = content.replace(b"\ncommitter Ann Author", b"\ncommitter Hub")
            item = ShaFile.from_raw_string(_KINDS[kind], content)
            self.repo.object_store.add_object(item)
            if kind == b"commit":
                renamed[oid.hex()] = item.id.decode()
        return renamed.get(outgoing.commit, outgoing.commit), renamed

    def arrived(self, commits: tuple[StagedCommit, ...], head: str) -> dict[str, str]:
        """See `Renaming`."""
        names: dict[str, str] = {}
        parent = commits[0].parent
        there = [entry.commit for entry in self.repo.get_walker([head.encode()])]
        for one in commits:
            for other in there:
                words = (one.tree.encode(), one.message.encode(), [(parent or "").encode()])
                if (other.tree, other.message, other.parents) == words:
                    parent = names[one.commit] = other.id.decode()
                    break
            else:
                break
        return names


def no_pauses() -> Patience:
    """One that takes no time."""
    return Patience(pause=lambda _: None)


class Run:
    """One run: two agents, twelve turns, and afterwards what became of each commit. Raises AssertionError."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.repo: Any = MemoryRepo()
        add_commit(self.repo, FILES, message=b"Base\n")
        refs: Any = self.repo.refs
        refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")
        self.target = (RenamingTarget if seed % 2 else MemoryTarget)(self.repo)
        self.agents = [self._agent(number) for number in range(2)]
        self.staged: list[tuple[int, str, bytes]] = []  # (agent, path of its own, content)
        self.others = count()

    def _agent(self, number: int) -> Workspace:
        seconds, ids = count(1_700_000_000 + number * 500), count(1)
        clock = Clock(
            lambda: next(seconds), 0, lambda: f"{number}{next(ids):031x}", lambda: f"I{number}{next(ids):039x}"
        )
        return Workspace.over(gitglass.open(self.repo), "main", target="m", identity=PEOPLE, clock=clock)

    def fault(self, deed: str) -> bool:
        """Whether a deed goes wrong; "meanwhile" somebody else pushes."""
        wrong = self.dice.random() < _CHANCES[deed]
        if wrong and deed == "meanwhile":
            number = next(self.others)
            files = {b"others/%d" % number: b"o\n", b"src/a.py": self.text(b"other %d\n" % number)}
            tree = {path: (mode, data) for path, (mode, data) in self._files().items()} | files
            add_commit(self.repo, tree, message=b"Other %d\n" % number, when=number)
        return wrong

    def _files(self) -> dict[bytes, Any]:
        repo = self.repo
        rows = repo.object_store.iter_tree_contents(repo[repo.refs[b"refs/heads/main"]].tree)
        return {
            row.path: (row.mode, row.sha if row.mode == 0o160000 else repo[row.sha].data) for row in rows
        }  # fmt: skip

    def text(self, line: bytes) -> bytes:
        """The file that everybody changes, with a line of one's own in one of three spots."""
        return TEXT.replace(b"line %d\n" % self.dice.choice((5, 20, 35)), line)

    def turns(self) -> None:
        """All the agents' work, with faults."""
        self.target.faults = self.fault
        for turn in range(12):
            number = self.dice.randrange(2)
            workspace, path, content = self.agents[number], f"w{number}/{turn}.txt", b"%d of %d\n" % (turn, number)
            workspace.write(path, content)
            paths = [path]
            if self.dice.random() < 0.4 and not workspace.conflicts:
                workspace.write("src/a.py", self.text(content))
                paths.append("src/a.py")
            workspace.stage(paths, f"{number}/{turn}")
            self.staged.append((number, path, content))
            if self.dice.random() < 0.7:
                self.push(workspace, self.dice.random() < 0.7)

    def push(self, workspace: Workspace, pulls: bool) -> PushResult | None:
        """Push the stack, or a part of it; after a conflict pull, and settle what does not fit."""
        word = self.dice.choice(workspace.staged).id
        try:
            result = push(workspace, plan_push(workspace, word, self.target, "main"), self.target, patience=no_pauses())
        except LostAnswer:
            return None
        if result.status == "conflict" and pulls:
            workspace.pull(self.target.incoming("main"))
            for path in list(workspace.conflicts):
                workspace.resolve(path.decode(), self.dice.choice(("ours", "theirs")))
        return result

    def subjects(self) -> Counter[str]:
        """How often each commit is in the target's history."""
        return Counter(entry.commit.message.decode().strip() for entry in self.repo.get_walker())

    def ends(self) -> Counter[str]:
        """What became of each staged commit."""
        told: Counter[str] = Counter()
        there = self.subjects()
        assert not [name for name, times in there.items() if times > 1], "pushed twice"
        for number, path, content in self.staged:
            workspace, name = self.agents[number], f"{number}/{path.split('/')[1][:-4]}"
            held = name in [one.subject for one in workspace.staged]
            if there[name]:
                told["pushed, and not known yet" if held else "pushed"] += 1
            else:
                assert workspace.read(path).data == content, f"{name} is lost"
                told["held" if held else "in conflict"] += 1
        return told

    def finish(self) -> None:
        """Without faults everything arrives: each commit once, and each agent's files as it left them."""
        self.target.faults = lambda _: False
        for workspace in self.agents:
            for _ in range(6):
                left = [row.path for row in workspace.files(changed_only=True)]
                if left:
                    workspace.stage(left, f"left over {self.dice.random()}")
                if not workspace.staged:
                    break
                self.push(workspace, True)
            assert workspace.staged == (), "something is still held"
        assert not [name for name, times in self.subjects().items() if times > 1], "pushed twice"
        files = self._files()
        for _, path, content in self.staged:
            assert files.get(path.encode(), (0, b""))[1] == content, f"{path} is lost"


def simulate(seed: int) -> Counter[str]:
    """One run: what became of the staged commits when the faults end. Raises AssertionError where one was pushed twice
    or lost, then or after everything was pushed again without faults."""
    run = Run(seed)
    run.turns()
    told = run.ends()
    run.finish()
    return told
