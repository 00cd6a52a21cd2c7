"""A watchdog outside of the process that answers: how long it works without a look at the clock, how much it grows.

`python -m tests.hostile.watchdog [--door NAMES] [--every N] [--only TEXT]` asks every member of the zoo, through the
doors library, typed, cli, tools, plans, workspace, or those that are named; `--chosen` of the commands those that read
what the member makes hostile and a dozen; `--jobs N` shares the members among N processes of low priority, `--minutes
M` begins no member after so long. `--once-broken` asks what broke a bound before it was repaired; `--repo DIR
--questions` asks the questions of `worst_questions` in a repository with the history of curl. It prints the longest
stretches and the largest growth, and ends with 1 where a bound is broken. How it measures is in `stretches.py`, and in
`outside.py` for the doors that are processes: `mcp` is a real `gitglass-mcp`, `process` a real `gitglass`. `plans`
makes plans of what writes, and carries none out.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import gitglass
from gitglass.limits import Limits
from gitglass.workspace.workspace import Workspace

from . import stretches, workspaces
from .chosen import chosen_commands
from .craft import Member
from .observer import CALLS, COMMANDS, prepare, take_away
from .outside import Servers, run_process
from .stretches import LIMITS, MEBIBYTE, Question, Seen, watch
from .worst_questions import ONCE_BROKEN, ROUND_AND_ROUND, TOOL_QUESTIONS, WORST_COMMANDS, WORST_TOOL_QUESTIONS
from .writes import LINES
from .zoo import ZOO

ROOT = Path(__file__).resolve().parents[2]
#: what is planned in every member
PLANS = LINES + [line.split() for line in """
merge topic
cherry-pick HEAD~1
revert HEAD
rebase topic
reset
restore --staged .
checkout HEAD~1
branch -m other
stash drop
stash apply
tag -d v1.0
rm -r --cached .
fetch .
push . HEAD:refs/heads/fresh
""".strip().splitlines()]  # fmt: skip
DOORS = ("library", "typed", "cli", "tools", "plans", "workspace")
OUTSIDE = ("mcp", "process")
_T = TypeVar("_T")


# ------------------------------------------------------------------------------------------------------------ the doors
def _line(door: str, argv: Sequence[str]) -> str:
    """A question's name; thousands of words are cut."""
    return " ".join([door, *argv[:60]])


def _typed(repo: Path, name: str, call: Callable[[gitglass.Repository], Any], ceilings: Limits) -> Question:
    def ask() -> None:
        with contextlib.suppress(gitglass.GitError):
            call(gitglass.open(repo, root=repo, limits=ceilings))

    return Question(f"typed {name}", ask, ceilings.max_memory_bytes, ceilings.timeout)


def _command_line(repo: Path, argv: list[str], ceilings: Limits) -> Question:
    def ask() -> None:
        from gitglass.cli.main import main

        os.chdir(repo)
        main(["--jail", "-C", str(repo), f"--timeout={ceilings.timeout}", *argv])

    return Question(_line("cli", argv), ask, Limits().max_memory_bytes, ceilings.timeout)


def _library(repo: Path, argv: list[str], ceilings: Limits) -> None:
    answer = gitglass.git(argv, cwd=repo, root=repo, limits=ceilings)
    assert b"internal error in gitglass" not in answer.stderr, answer.stderr  # what was measured is no answer


def _tool(repo: Path, name: str, arguments: dict[str, Any], ceilings: Limits) -> Question:
    def ask() -> None:
        from gitglass.agent.roots import Roots
        from gitglass.agent.tool import ToolContext, tools

        chosen = next(tool for tool in tools() if tool.name == name)
        answer = chosen.call(arguments, ToolContext(Roots(str(repo)), limits=ceilings))
        assert answer.error is None or answer.error["code"] != "internal", answer.text

    return Question(f"tools {name} {arguments}", ask, ceilings.max_memory_bytes, ceilings.timeout)


def _workspace(repo: Path, name: str, call: Callable[[Workspace], object], ceilings: Limits) -> Question:
    def ask() -> None:
        with contextlib.suppress(gitglass.GitError):
            call(Workspace.over(gitglass.open(repo, root=repo, limits=ceilings), call=ceilings))

    seconds = 4 * ceilings.timeout if ceilings.timeout else None  # each is up to three calls, and the opening
    return Question(f"workspace {name}", ask, ceilings.max_memory_bytes, seconds)


def _plan(repo: Path, argv: list[str], ceilings: Limits) -> Question:
    def ask() -> None:
        from gitglass.agent.commandline import parse_command
        from gitglass.limits import Context
        from gitglass.mutate.grant import Identity, WriteGrant, WriteLimits
        from gitglass.mutate.writer import Writer
        from gitglass.request.mutations import Mutation

        with contextlib.suppress(gitglass.GitError):
            handle = gitglass.open(repo, root=repo, limits=ceilings)
            with Context(ceilings) as ctx:
                request = parse_command(argv, handle.store, ctx).request
            assert isinstance(request, Mutation), argv
            limits = WriteLimits(timeout=ceilings.timeout or 0.0)
            Writer(handle, WriteGrant(identity=Identity("A", "a@b"), limits=limits)).plan(request).preview.render()

    seconds = 2 * ceilings.timeout if ceilings.timeout else None  # the plan, and what is shown of it
    return Question(_line("plans", argv), ask, ceilings.max_memory_bytes, seconds)


def ask_door(
    repo: Path,
    door: str,
    ceilings: Limits,
    commands: Sequence[list[str]],
    calls: Sequence[tuple[str, dict[str, Any]]],
    plans: Sequence[list[str]] = PLANS,
) -> list[Question]:
    """The questions of one door."""
    if door == "library":
        return [
            Question(
                _line("library", argv),
                partial(_library, repo, argv, ceilings),
                ceilings.max_memory_bytes,
                ceilings.timeout,
            )
            for argv in commands
        ]
    if door == "typed":
        return [_typed(repo, name, call, ceilings) for name, call in CALLS]
    if door == "cli":
        return [_command_line(repo, argv, ceilings) for argv in commands]
    if door == "plans":
        return [_plan(repo, argv, ceilings) for argv in plans]
    if door == "workspace":
        return [_workspace(repo, name, call, ceilings) for name, call in workspaces.CALLS.items()]
    return [_tool(repo, name, arguments, ceilings) for name, arguments in calls]


def chosen(questions: Sequence[_T], number: int, each: int) -> list[_T]:
    """`each` of the questions, others for the next number; all of them where `each` is 0."""
    if not each or each >= len(questions):
        return list(questions)
    return [questions[(number * each + at) % len(questions)] for at in range(each)]


def clean_repository(place: Path) -> Path:
    """The good repository that members are made from."""
    with tarfile.open(ROOT / "fixtures/archives/plain.tar.gz") as tar:
        tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
        tar.extractall(place / "plain")
    return place / "plain"


def load_everything(clean: Path) -> None:
    """Load the modules: what is loaded once is no stretch of a question."""
    from gitglass.agent.tool import tools
    from gitglass.cli.main import main

    assert callable(main) and tools()
    for door in ("library", "typed", "tools"):
        for question in ask_door(clean, door, Limits(), COMMANDS, TOOL_QUESTIONS):
            question.ask()


class Asker:
    """Makes members of the zoo one after another, and asks each through the doors."""

    def __init__(
        self, top: Path, doors: Sequence[str], ceilings: Limits, *, each: int = 0, choose: bool = False
    ) -> None:
        self.clean, self.doors, self.ceilings = clean_repository(top), doors, ceilings
        self.each, self.choose = each, choose
        self._top = top / "members"
        self._top.mkdir()
        self.servers = Servers(self._top, ceilings.timeout or 0.0)

    def member(self, name: str, asked: Sequence[tuple[str, str]] = ()) -> list[Seen]:
        """Make one member, ask it through every door, or of (door, words) the questions that hold the words, and take
        it away again."""
        place = Path(tempfile.mkdtemp(dir=self._top))
        found: list[Seen] = []
        try:
            repo, _ = prepare(ZOO[name], self.clean, place)
            commands = chosen_commands(repo, self.clean) if self.choose else COMMANDS
            for door, words in asked or [(door, "") for door in self.doors]:
                seen = self._door(repo, door, commands, list(ZOO).index(name), words)
                if door in DOORS:
                    seen += watch(self._own(repo, door, ZOO[name], words))
                assert seen or not words, f"no question of {door} holds {words!r}"
                found += seen
        finally:
            take_away(place)
        for one in found:
            one.name = f"{name}: {one.name}"
        return found

    def _own(self, repo: Path, door: str, member: Member, words: str) -> list[Question]:
        """What this member alone is asked, however few of the other questions are chosen."""
        if door in ("typed", "workspace"):
            return []
        questions = ask_door(repo, door, self.ceilings, member.asks, (), member.plans)
        return [one for one in questions if words in one.name]

    def _door(self, repo: Path, door: str, commands: list[list[str]], number: int, words: str) -> list[Seen]:
        if door == "mcp":
            calls = [one for one in TOOL_QUESTIONS if words in f"mcp {one[0]} {one[1]}"]
            return self.servers.ask(repo, chosen(calls, number, self.each))
        if door == "process":
            argvs = [argv for argv in commands if words in f"process {' '.join(argv)}"]
            return [run_process(repo, argv, self.servers.seconds) for argv in chosen(argvs, number, self.each)]
        questions = [one for one in ask_door(repo, door, self.ceilings, commands, TOOL_QUESTIONS) if words in one.name]
        return watch(chosen(questions, number, self.each))


# ----------------------------------------------------------------------------------------------------------- the report
def report(seen: Sequence[Seen], members: int, took: float) -> list[str]:
    """Lines of figures."""
    bound = stretches.STRETCH_NS
    broken = sum(any(one.faults()) for one in seen)
    lines = [f"{members} members, {len(seen)} questions in {took:.0f} s by the clock: {broken} beyond a bound"]
    pace = f", stretched up to {max(one.pace for one in seen):.1f} times" if stretches.PACED and seen else ""
    lines.append(f"{sum(one.is_long for one in seen)} stretches over {bound // 1_000_000} ms{pace}; the longest:")
    lines += [
        f"  {one.stretch / 1e6:7.0f} ms {one.name[:180]}" for one in sorted(seen, key=lambda one: -one.stretch)[:10]
    ]
    lines.append("the largest growth:")
    rows = sorted(seen, key=lambda one: -one.grown / one.ceiling)[:5]
    lines += [f"  {one.grown >> 20:5d} MiB of {one.ceiling >> 20} {one.name[:180]}" for one in rows]
    late = [one for one in seen if one.seconds is not None]
    lines.append("the longest after its deadline:")
    rows = sorted(late, key=lambda one: (one.seconds or 0) * 1e9 - one.used)[:5]
    lines += [f"  {one.used / 1e9:5.2f} s of {one.seconds or 0:g} {one.name[:180]}" for one in rows]
    return lines


def tell(found: Sequence[Seen]) -> Sequence[Seen]:
    """Print what broke a bound, at once."""
    for fault in (fault for one in found for fault in one.faults()):
        print(fault, flush=True)
    return found


def of_a_history(args: argparse.Namespace, doors: Sequence[str], ceilings: Limits) -> list[Seen]:
    """The worst questions, each in a process of its own: nothing is cached."""
    repo = Path(args.repo)
    seen: list[Seen] = []
    servers = Servers(repo, ceilings.timeout or 0.0)
    for door in doors:
        if door == "mcp":
            calls = [one for one in WORST_TOOL_QUESTIONS if args.questions in f"mcp {one[0]} {one[1]}"]
            for call in calls:
                seen += tell(servers.ask(repo, [call]))
                servers.close()
        elif door == "process":
            for argv in WORST_COMMANDS:
                if args.questions in f"process {' '.join(argv)}":
                    seen += tell([run_process(repo, argv, servers.seconds)])
        elif door != "typed":
            for question in ask_door(repo, door, ceilings, WORST_COMMANDS, WORST_TOOL_QUESTIONS):
                if args.questions in question.name:
                    seen += tell(watch([question]))
    return seen


def of_the_zoo(args: argparse.Namespace, asker: Asker) -> tuple[int, list[Seen]]:
    """(how many members were asked, what was seen)."""
    seen: list[Seen] = []
    until = time.monotonic() + args.minutes * 60 if args.minutes else float("inf")
    names = [name for name in ZOO if args.only in name][args.first :: args.every]
    for number, name in enumerate(names):
        if time.monotonic() > until:
            print(f"no time for {len(names) - number} members, from '{name}' on", flush=True)
            return number, seen
        seen += tell(asker.member(name))
    return len(names), seen


def of_what_once_broke(asker: Asker) -> tuple[int, list[Seen]]:
    """The same of the members and questions that broke a bound before it was repaired; a member is made once."""
    members: dict[str, list[tuple[str, str]]] = {}
    for name, door, words in ONCE_BROKEN:
        members.setdefault(name, []).append((door, words))
    seen: list[Seen] = []
    ceilings = asker.ceilings
    for name, asked in members.items():
        asker.ceilings = ceilings.replace(timeout=1.0) if name in ROUND_AND_ROUND else ceilings
        seen += tell(asker.member(name, asked))
    return len(members), seen


def in_parallel(args: argparse.Namespace, argv: Sequence[str]) -> tuple[int, list[Seen]]:
    """The members shared among processes; their faults are printed as they come."""
    words = [sys.executable, "-m", "tests.hostile.watchdog", *argv, "--jobs=1", f"--every={args.every * args.jobs}"]
    members, seen = 0, []
    with tempfile.TemporaryDirectory(prefix="watchdog-") as top:
        files = [os.path.join(top, str(number)) for number in range(args.jobs)]
        running = [
            subprocess.Popen([*words, f"--first={args.first + number * args.every}", f"--json={file}"], cwd=ROOT)
            for number, file in enumerate(files)
        ]
        for process, file in zip(running, files):
            process.wait()
            found = json.loads(Path(file).read_text())
            members += found["members"]
            seen += [Seen(**one) for one in found["seen"]]
    return members, seen


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--door", default=",".join(DOORS), help="some of " + ", ".join((*DOORS, *OUTSIDE)))
    parser.add_argument("--only", default="", help="members whose name holds this")
    parser.add_argument("--every", type=int, default=1, help="every n-th member")
    parser.add_argument("--first", type=int, default=0, help="the first member")
    parser.add_argument("--each", type=int, default=0, help="so many questions a member and door; 0: all")
    parser.add_argument("--chosen", action="store_true", help="commands that read what is hostile, and a dozen")
    parser.add_argument("--jobs", type=int, default=1, help="processes, of low priority")
    parser.add_argument("--minutes", type=float, default=0, help="begin no member after so long; 0: no end")
    parser.add_argument("--json", help="write what was seen to a file")
    parser.add_argument("--timeout", type=float, default=LIMITS.timeout, help="seconds a question may take")
    parser.add_argument("--memory", type=int, default=LIMITS.max_memory_bytes >> 20, help="ceiling in MiB")
    parser.add_argument("--once-broken", action="store_true", help="what broke a bound before it was repaired")
    parser.add_argument("--bound", type=int, default=stretches.STRETCH_NS // 1_000_000, help="longest stretch, in ms")
    parser.add_argument(
        "--paced", action="store_true", help="stretch the bounds by how much slower this machine is now"
    )
    parser.add_argument("--repo", help="ask the worst questions in this repository instead")
    parser.add_argument("--questions", default="", nargs="?", const="", help="of the worst those that hold this")
    return parser.parse_args(argv)


def ask(args: argparse.Namespace) -> tuple[int, list[Seen]]:
    """What the options want, in this process."""
    doors = args.door.split(",")
    ceilings = Limits(timeout=args.timeout, max_memory_bytes=args.memory * MEBIBYTE)
    with tempfile.TemporaryDirectory(prefix="watchdog-") as top:
        asker = Asker(Path(top), doors, ceilings, each=args.each, choose=args.chosen)
        if not set(doors) <= set(OUTSIDE):
            load_everything(asker.clean)
        try:
            if args.repo:
                return 1, of_a_history(args, doors, ceilings)
            if not args.once_broken:
                return of_the_zoo(args, asker)
            return of_what_once_broke(asker)
        finally:
            asker.servers.close()


def main(argv: Sequence[str]) -> int:
    args = parse(argv)
    stretches.STRETCH_NS, stretches.PACED = args.bound * 1_000_000, args.paced
    began = time.monotonic()
    if args.jobs > 1:
        os.nice(10)
        members, seen = in_parallel(args, argv)
    else:
        members, seen = ask(args)
    if args.json:
        Path(args.json).write_text(json.dumps({"members": members, "seen": [asdict(one) for one in seen]}))
    else:
        print("\n".join(report(seen, members, time.monotonic() - began)))
        print(f"peak of the watchdog itself: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")
    return any(True for one in seen for _ in one.faults())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
