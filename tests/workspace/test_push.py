"""The steps of a push with a target that loses answers, refuses and moves: nothing twice, nothing lost."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.errors import InvalidArgs
from gitglass.workspace.incoming import Incoming
from gitglass.workspace.outgoing import missing_objects
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.sources import incoming_of, opened_store
from gitglass.workspace.targets.protocol import Branches, LostAnswer, Outgoing, RefMoved, Rejected, Sent
from gitglass.workspace.workspace import Workspace

from ..support.workspaces import FILES, TEXT, add_commit
from .conftest import PEOPLE, clock


class MemoryTarget:
    """A dulwich repository in memory; `faults` are asked before and after each deed."""

    kind, where, branch, hash_name = "local-bare", "memory", None, "sha1"

    def __init__(self, repo: MemoryRepo, faults: Callable[[str], Any] = lambda _: None, name: str = "m") -> None:
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
        return lambda oid: oid.hex().encode() in self.repo.object_store

    def notes(self, ref: str) -> tuple[str, ...]:
        return ()

    def send(self, outgoing: Outgoing) -> Sent:
        from dulwich.objects import ShaFile

        if self.faults("refuse"):
            raise Rejected("hook declined", server=("hook declined",))
        if self.faults("before"):
            raise LostAnswer("reset by peer")
        kinds = {b"commit": 1, b"tree": 2, b"blob": 3}
        for oid, (kind, content) in outgoing.objects.items():
            item = ShaFile.from_raw_string(kinds[kind], content)
            assert item.id == oid.hex().encode()
            self.repo.object_store.add_object(item)
        now = self.repo.refs.read_ref(outgoing.ref.encode())
        if (None if now is None else now.decode()) != outgoing.expected:
            raise RefMoved("moved")
        self.repo.refs[outgoing.ref.encode()] = outgoing.commit.encode()
        self.moves.append(outgoing.commit)
        if self.faults("after"):
            raise LostAnswer("reset by peer")
        return Sent()


def script(*words: str) -> Callable[[str], bool]:
    """Faults in their order: each is used up by the deed that it names."""
    left = list(words)

    def fault(deed: str) -> bool:
        if left and left[0] == deed:
            left.pop(0)
            return True
        return False

    return fault


def made(base: MemoryRepo, *faults: str) -> tuple[Workspace, MemoryTarget, str]:
    workspace = Workspace.over(gitglass.open(base), "main", target="m", identity=PEOPLE, clock=clock())
    workspace.write("a", b"a\n")
    return workspace, MemoryTarget(base, script(*faults)), workspace.stage(["a"], "A").id


@pytest.mark.parametrize("faults", [["before"], ["before", "before"], ["after"], ["before", "after"]])
def test_a_lost_answer_is_found_out(base: MemoryRepo, faults: list[str]) -> None:
    workspace, target, word = made(base, *faults)
    plan = plan_push(workspace, word, target, "main")
    result = push(workspace, plan, target)
    assert result.status == "success" and target.moves == [plan.commit] and workspace.staged == ()


def test_what_nobody_knows_is_said_and_tried_again_later(base: MemoryRepo) -> None:
    for faults in (["before"] * 3, ["after", "read"]):
        workspace, target, word = made(base)
        plan = plan_push(workspace, word, target, "t" + faults[-1])
        target.faults = script(*faults)
        result = push(workspace, plan, target)
        assert result.status == "unknown" and [one.id for one in workspace.staged] == [word]
        later = push(workspace, plan, target)
        assert later.status == "success" and target.moves == [plan.commit]
        assert later.already_there == (faults[0] == "after")


def test_a_refusal_has_its_words(base: MemoryRepo) -> None:
    workspace, target, word = made(base, "refuse")
    result = push(workspace, plan_push(workspace, word, target, "main"), target)
    assert (result.status, result.server) == ("rejected", ("hook declined",)) and workspace.staged


def test_a_plan_is_of_these_very_commits(base: MemoryRepo) -> None:
    workspace, target, word = made(base)
    plan = plan_push(workspace, word, target, "main")
    assert plan == plan_push(workspace, word, target, "main")
    others = [plan_push(workspace, word, target, "topic").digest]
    workspace.stage([], "Another message", amend=True)
    others.append(plan_push(workspace, word, target, "main").digest)
    assert len({plan.digest, *others}) == 3
    with pytest.raises(InvalidArgs, match="have changed"):
        push(workspace, plan, target)
    with pytest.raises(InvalidArgs, match="by sha1"):
        wide = Workspace.empty("sha256", identity=PEOPLE)
        wide.write("a", b"")
        plan_push(wide, wide.stage(["a"], "A").id, target, "main")


def test_only_what_is_missing_is_sent(base: MemoryRepo) -> None:
    workspace, target, word = made(base)
    workspace.write("src/deep/b.py", b"b = 2\n")
    last = workspace.stage(["src/deep/b.py"], "B")
    with workspace.working() as ctx:
        objects = missing_objects(
            workspace.store, bytes.fromhex(last.commit), target.holds(), most_bytes=1 << 20, ctx=ctx
        )
        everything = missing_objects(
            workspace.store, bytes.fromhex(last.commit), lambda _: False, most_bytes=1 << 20, ctx=ctx
        )
    assert [kind for kind, _ in objects.values()] == [
        b"blob",
        b"tree",
        b"commit",
        b"blob",
        b"tree",
        b"tree",
        b"tree",
        b"commit",
    ]
    assert len(everything) > len(objects) and set(objects) < set(everything)
    assert workspace.find(word).commit == next(oid for oid, (kind, _) in objects.items() if kind == b"commit").hex()


@pytest.mark.parametrize("seed", range(10))
def test_two_workers_on_one_target_with_faults(seed: int) -> None:
    """Each staged commit ends pushed once, or is still held by its workspace; never twice, never lost."""
    dice = random.Random(seed)
    repo = MemoryRepo()
    add_commit(repo, FILES, message=b"Base\n")
    repo.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")

    def fault(deed: str) -> bool:
        return dice.random() < {"read": 0.05, "refuse": 0.05, "before": 0.2, "after": 0.2}[deed]

    target = MemoryTarget(repo)
    workers = [Workspace.over(gitglass.open(repo), "main", target="m", identity=PEOPLE) for _ in range(2)]
    wanted: set[tuple[int, bytes]] = set()
    for turn in range(20):
        number = dice.randrange(2)
        workspace = workers[number]
        path, line = f"w{number}/{turn}.txt", b"%d of %d\n" % (turn, number)
        workspace.write(path, line)
        workspace.write(
            "src/a.py",
            workspace.read("src/a.py").data.replace(b"line %d\n" % (turn + number * 20), line)
            if turn % 3
            else TEXT + line,
        )
        workspace.stage([path], f"{number}/{turn}")
        wanted.add((number, path.encode()))
        target.faults = fault
        result = None
        try:
            plan = plan_push(workspace, workspace.staged[-1].id, target, "main")
            result = push(workspace, plan, target)
        except LostAnswer:
            pass
        target.faults = lambda _: False
        if result is not None and result.status == "conflict":
            workspace.pull(target.incoming("main"), strategy="theirs")
    for workspace in workers:
        for _ in range(3):
            if not workspace.staged:
                break
            result = push(workspace, plan_push(workspace, workspace.staged[-1].id, target, "main"), target)
            if result.status == "conflict":
                workspace.pull(target.incoming("main"), strategy="theirs")
        assert workspace.staged == ()
    messages = [one.commit.message for one in repo.get_walker()]
    assert sorted(messages) == sorted(
        [b"Base\n", *(b"%d/%s\n" % (number, path.split(b"/")[1].split(b".")[0]) for number, path in wanted)]
    )
    tree = gitglass.open(repo).git(["ls-tree", "-r", "--name-only", "main"]).stdout.split(b"\n")
    assert {path for _, path in wanted} <= set(tree)
