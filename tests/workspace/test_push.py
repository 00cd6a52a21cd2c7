"""The steps of a push with a target that loses answers, refuses and moves: nothing twice, nothing lost."""

from collections.abc import Callable

import pytest
from dulwich.repo import MemoryRepo

import gitglass
from gitglass.errors import InvalidArgs
from gitglass.workspace.outgoing import missing_objects
from gitglass.workspace.push import plan_push, push
from gitglass.workspace.workspace import Workspace

from ..support.workers import MemoryTarget, no_pauses, simulate
from .conftest import PEOPLE, clock


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
    result = push(workspace, plan, target, patience=no_pauses())
    assert result.status == "success" and target.moves == [plan.commit] and workspace.staged == ()


def test_what_nobody_knows_is_said_and_tried_again_later(base: MemoryRepo) -> None:
    for faults in (["before"] * 3, ["after", "read", "read", "read"]):
        workspace, target, word = made(base)
        plan = plan_push(workspace, word, target, "t" + faults[-1])
        target.faults = script(*faults)
        result = push(workspace, plan, target, patience=no_pauses())
        assert result.status == "unknown" and [one.id for one in workspace.staged] == [word]
        later = push(workspace, plan, target, patience=no_pauses())
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
    """Each staged commit ends pushed once, in conflict, or held; never twice, never lost. `tests/live/workers.py` does
    it a thousand times."""
    assert sum(simulate(seed).values()) == 12
