"""What the readers ask, and how each answer is judged by what was true while it was made.

A question is a command line (or a typed call) and a judge: `judge(window, answer)` says what is wrong, or None. An
answer must be whole and equal what git would have said at one moment of the window; an error is wrong unless the thing
asked for was truly not there. Where several refs are involved each may be of another moment, as with git itself.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gitglass

from .world import Commit, Window
from .writer import BRANCHES, DEEP, blob


@dataclass(slots=True)
class Answer:
    status: int
    out: str
    err: str


Judge = Callable[[Window, Answer], str | None]
Typed = Callable[[gitglass.Repository], Any]
DOT = "."
NAMES = ["HEAD", "HEAD", "HEAD", "main", BRANCHES[0], BRANCHES[3], DEEP]
ABSENT = re.compile(
    r"fatal: (ambiguous argument|Needed a single revision|Not a valid object name|bad revision|No names found|"
    r"path '|'[^']*' - not a valid ref|invalid object name|Not a valid commit name)"
    r"|error: (malformed object name|no such commit)"
)


def full(name: str) -> str:
    return "refs/heads/" + name if name.startswith("main") else name


def said_absent(answer: Answer) -> bool:
    return answer.status in (1, 128, 129) and (not answer.err or bool(ABSENT.match(answer.err)))


def of_commits(name: str, expected: Callable[[Commit], str]) -> Judge:
    """The answer is a function of the commit that a name means."""

    def judge(window: Window, answer: Answer) -> str | None:
        if answer.status or answer.err:
            if window.absent(full(name)) and said_absent(answer):
                return None
            return f"status {answer.status}: {answer.err[:300]}"
        wanted = [expected(commit) for commit in window.commits(full(name))]
        if answer.out in wanted:
            return None
        return f"told {answer.out[:300]!r} of {[w[:300] for w in wanted]}"

    return judge


def ok(check: Judge) -> Judge:
    """The answer must be one."""

    def judge(window: Window, answer: Answer) -> str | None:
        if answer.status or answer.err:
            return f"status {answer.status}: {answer.err[:300]}"
        return check(window, answer)

    return judge


# ------------------------------------------------------------------------------------------------- functions of a commit
def log_lines(count: int) -> Callable[[Commit, Window], str]:
    def expected(commit: Commit, window: Window) -> str:
        rows = window.world.history(commit.reach)[:count] if count else window.world.history(commit.reach)
        return "".join(f"{row.oid} {' '.join(row.parents)} commit {row.number}\n" for row in rows)

    return expected


def with_window(name: str, expected: Callable[[Commit, Window], str]) -> Judge:
    def judge(window: Window, answer: Answer) -> str | None:
        return of_commits(name, lambda commit: expected(commit, window))(window, answer)

    return judge


def tree_lines(commit: Commit) -> str:
    return "".join(f"100644 blob {oid}\t{path}\n" for path, oid in sorted(commit.tree.items()))


def blame_lines(commit: Commit) -> str:
    return "".join(f"{line} {oid}\n" for line, oid in commit.blame.items())


def counter_of(commit: Commit, window: Window) -> str:
    for number in range(commit.number, 0, -1):  # a merge's and a reset's counter is an older one
        if blob(f"{number}\n") == commit.tree["counter"]:
            return f"{number}\n"
    return "?"


def raw_changes(commit: Commit, window: Window) -> str:
    """`show --raw` of an ordinary commit."""
    zero = "0" * 40
    if len(commit.parents) > 1:
        return f"{commit.oid}\n"
    before = window.world.commits[commit.parents[0]].tree if commit.parents else {}
    rows = []
    for path in sorted({*before, *commit.tree}):
        old, new = before.get(path), commit.tree.get(path)
        if old != new:
            letter = "M" if old and new else "A" if new else "D"
            modes = f":{'100644' if old else '000000'} {'100644' if new else '000000'}"
            rows.append(f"{modes} {old or zero} {new or zero} {letter}\t{path}\n")
    return f"{commit.oid}\n" + ("\n" + "".join(rows) if rows else "")


# ------------------------------------------------------------------------------------------------------ other judges
def judge_refs(window: Window, answer: Answer) -> str | None:
    told = dict(line.split() for line in answer.out.splitlines())
    return wrong_refs(window, told)


def wrong_refs(window: Window, told: dict[str, str]) -> str | None:
    for name in window.names() | set(told):
        if told.get(name) not in window.ref(name):
            return f"{name} was {window.ref(name)}, told {told.get(name)}"
    return None


def judge_contains(name: str) -> Judge:
    def judge(window: Window, answer: Answer) -> str | None:
        if answer.status or answer.err:
            return None if window.absent(full(name)) and said_absent(answer) else f"{answer.status}: {answer.err[:300]}"
        told = set(answer.out.split())
        for commit in window.commits(full(name)):
            if all(
                contained(window, ref, commit, ref in told)
                for ref in window.names() | told
                if ref[:11] == "refs/heads/"
            ):
                return None
        return f"told {told}"

    return judge


def contained(window: Window, ref: str, commit: Commit, told: bool) -> bool:
    """Whether a ref can have been told to contain a commit, or not to."""
    return any(
        (value is not None and bool(window.world.commits[value].reach >> commit.number & 1)) == told
        for value in window.ref(ref)
    )


def judge_merge_base(one: str, other: str) -> Judge:
    def judge(window: Window, answer: Answer) -> str | None:
        if answer.err or answer.status not in (0, 1):
            absent = window.absent(full(one)) or window.absent(full(other))
            return None if absent and said_absent(answer) else f"{answer.status}: {answer.err[:300]}"
        for left in window.commits(full(one)):
            for right in window.commits(full(other)):
                if set(answer.out.split()) == merge_bases(window, left, right):
                    return None
        return f"told {answer.out!r}"

    return judge


def merge_bases(window: Window, left: Commit, right: Commit) -> set[str]:
    common = left.reach & right.reach
    best = set()
    while common:
        commit = window.world.by_number[common.bit_length() - 1]
        best.add(commit.oid)
        common &= ~commit.reach
    return best


def judge_describe(window: Window, answer: Answer) -> str | None:
    """A tag that was there, and how many commits are on top of it."""
    if answer.status or answer.err:
        none = any(not any(ref[:10] == "refs/tags/" for ref in state.refs) for state in window.states)
        unreached = "No tags can describe" in answer.err or "No names found" in answer.err
        reached = [tag for ref in window.names() if ref[:10] == "refs/tags/" for tag in tagged(window, ref)]
        heads = window.commits("HEAD")
        sure = all(any(head.reach >> tag.number & 1 for tag in reached) for head in heads)
        gone = any(len(window.ref(ref)) > 1 for ref in window.names() if ref[:10] == "refs/tags/")
        return None if unreached and (none or not sure or gone) else f"{answer.status}: {answer.err[:300]}"
    found = re.fullmatch(r"v(\d+)-(\d+)-g([0-9a-f]{40})\n", answer.out)
    if not found:
        return f"told {answer.out!r}"
    if f"refs/tags/v{found[1]}" not in window.names():
        return f"no such tag: {answer.out!r}"
    for head in window.commits("HEAD"):
        for tag in tagged(window, f"refs/tags/v{found[1]}"):
            if head.oid == found[3] and (head.reach & ~tag.reach).bit_count() == int(found[2]):
                return None
    return f"told {answer.out!r}, HEAD was {window.ref('HEAD')}"


def tagged(window: Window, ref: str) -> list[Commit]:
    return [window.world.tagged[oid] for oid in window.ref(ref) if oid is not None and oid in window.world.tagged]


def judge_index(window: Window, answer: Answer) -> str | None:
    told = {}
    for line in answer.out.splitlines():
        meta, _, path = line.partition("\t")
        mode, oid, stage = meta.split()
        if mode != "100644" or stage != "0":
            return f"told {line!r}"
        told[path] = oid
    allowed = [state.index for state in window.states]
    if any(state.step == "stash" for state in window.states[1:]):
        allowed += [commit.tree for commit in window.commits("HEAD")]
    return None if told in allowed else f"no such index: {answer.out[:400]!r}"


def judge_status(window: Window, answer: Answer) -> str | None:
    told: dict[str, str] = {}
    oid = head = ""
    for line in answer.out.splitlines():
        if line.startswith("# branch.oid"):
            oid = line.split()[2]
        elif line.startswith("# branch.head"):
            head = line.split()[2]
        elif line.startswith("1 "):
            told[line.split(" ", 8)[8]] = line.split()[1]
        elif line.startswith("? "):
            told[line[2:]] = "??"
        else:
            return f"told {line!r}"
    return wrong_status(window, told, oid, head)


def wrong_status(window: Window, told: dict[str, str], oid: str | None, head: str | None) -> str | None:
    if oid is not None and oid not in window.ref("HEAD"):
        return f"HEAD was {window.ref('HEAD')}, told {oid}"
    names = {name[11:] if name[:11] == "refs/heads/" else "(detached)" for name in window.heads()}
    if head is not None and head not in names:
        return f"branch was {names}, told {head}"
    for path in window.paths() | set(told):
        heads, index, work = window.versions(path)
        can = {letters(*version) for version in ((h, i, w) for h in heads for i in index for w in work)}
        if told.get(path, "..") not in can:
            return f"{path} was {can}, told {told.get(path, '..')}"
    return None


def letters(head: str | None, index: str | None, work: str | None) -> str:
    """git's two letters for three versions of a file, `..` where they are one."""
    if head is None and index is None:
        return "??" if work is not None else ".."
    if head is not None and index is None and work is not None:
        return "D."  # and untracked beside it, which never happens here for longer
    first = "." if head == index else "A" if head is None else "D" if index is None else "M"
    second = "." if index == work else "D" if work is None else "M"
    return first + second


def judge_names(which: str) -> Judge:
    """`diff --name-status` of two of the three versions."""

    def judge(window: Window, answer: Answer) -> str | None:
        told = {path: letter for letter, path in (line.split("\t") for line in answer.out.splitlines())}
        for path in window.paths() | set(told):
            heads, index, work = window.versions(path)
            pairs = (
                {(h, i) for h in heads for i in index} if which == "cached" else {(i, w) for i in index for w in work}
            )
            can = {change(old, new, which) for old, new in pairs}
            if told.get(path) not in can:
                return f"{path} was {can}, told {told.get(path)}"
        return None

    return judge


def change(old: str | None, new: str | None, which: str) -> str | None:
    if old == new or (which == "files" and old is None):
        return None
    return "A" if old is None else "D" if new is None else "M"


def judge_reflog(window: Window, answer: Answer) -> str | None:
    told = [line.split(" ", 1) for line in answer.out.splitlines()]
    if told in [rows[::-1][:5] for rows in logs(window)]:
        return None
    if window.prunes() and any(passes_over_gone(told, rows[::-1], window) for rows in logs(window)):
        return None
    return f"told {told}, log was {[state.logs[::-1][:5] for state in window.states]}"


def passes_over_gone(told: list[list[str]], rows: list[list[str]], window: Window) -> bool:
    """Whether what was told are the rows of a log but those whose commits are gone: git passes over them as well."""
    rest = iter(rows)
    for row in told:
        for other in rest:
            if other == row:
                break
            if not window.gone(other[0]):
                return False
        else:
            return False
    return True


def logs(window: Window) -> list[list[list[str]]]:
    """Every content that HEAD's log can have had: a step appends line by line."""
    found = [window.states[0].logs]
    for before, after in zip(window.states, window.states[1:], strict=False):
        old, new = before.logs, after.logs
        for cut in range(len(new)):
            if old[-(len(new) - cut) :] and old[len(old) - min(len(old), len(new) - cut) :] == new[: len(new) - cut]:
                found += [new[: len(new) - less] for less in range(cut, 0, -1)]
                break
        found.append(new)
    return found


def judge_stashes(window: Window, answer: Answer) -> str | None:
    told = answer.out.split()
    if told in [state.stashes for state in window.states]:
        return None
    mid = any(state.step in ("stash", "drop_stash", "expire", "gc", "gc_now") for state in window.states[1:])
    if mid and set(told) <= {oid for state in window.states for oid in state.stashes}:
        return None
    return f"told {told}, were {[state.stashes for state in window.states]}"


def judge_config(window: Window, answer: Answer) -> str | None:
    can = {f"{state.config}\n" for state in window.states}
    return None if answer.out in can else f"told {answer.out!r} of {can}"


def judge_branch_name(window: Window, answer: Answer) -> str | None:
    can = {name.removeprefix("refs/heads/") if name[:5] == "refs/" else "HEAD" for name in window.heads()}
    return None if answer.out.strip() in can else f"told {answer.out!r} of {can}"


def judge_branches(window: Window, answer: Answer) -> str | None:
    """`log --branches`: from every branch, each at one of its values."""
    names = sorted(name for name in window.names() if name[:11] == "refs/heads/")
    if len(window.each(*names)) > 500:
        return None
    for values in window.each(*names, "HEAD"):
        reach = 0
        for value in values:
            reach |= window.world.commits[value].reach if value else 0
        rows = window.world.history(reach)[:30] if reach.bit_count() < 30 else newest(window, reach, 30)
        if answer.out == "".join(f"{row.oid} {' '.join(row.parents)}\n" for row in rows):
            return None
    return f"told {answer.out[:300]!r}"


def newest(window: Window, reach: int, count: int) -> list[Commit]:
    found: list[Commit] = []
    while reach and len(found) < count:
        number = reach.bit_length() - 1
        found.append(window.world.by_number[number])
        reach ^= 1 << number
    return found


# -------------------------------------------------------------------------------------------------------- questions
def command_line(draw: random.Random) -> tuple[list[str], Judge]:
    """A question in git's words."""
    name = draw.choice(NAMES)
    count = draw.choice([1, 5, 20, 100])
    kind = draw.randrange(25)
    if kind == 0:
        return ["rev-parse", "--verify", name], of_commits(name, lambda commit: commit.oid + "\n")
    if kind == 1:
        return ["rev-parse", "--abbrev-ref", "HEAD"], ok(judge_branch_name)
    if kind in (2, 3):
        return ["log", f"-n{count}", "--format=%H %P %s", name, "--"], with_window(name, log_lines(count))
    if kind == 4:
        return ["log", "-n30", "--format=%H %P", "--branches", "HEAD"], ok(judge_branches)
    if kind == 5:
        return ["cat-file", "-p", f"{name}:counter"], with_window(name, counter_of)
    if kind == 6:
        return ["cat-file", "-t", f"{name}^{{commit}}"], of_commits(name, lambda commit: "commit\n")
    if kind == 7:
        return [
            "show",
            "--format=%H",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--diff-merges=off",
            name,
            "--",
        ], with_window(name, raw_changes)
    if kind == 8:
        return ["ls-tree", "-r", name], of_commits(name, tree_lines)
    if kind in (9, 10):
        return ["status", "--porcelain=v2", "--branch"], ok(judge_status)
    if kind == 11:
        return ["diff", "--name-status"], ok(judge_names("files"))
    if kind == 12:
        return ["diff", "--cached", "--name-status"], ok(judge_names("cached"))
    if kind == 13:
        return ["ls-files", "-s"], ok(judge_index)
    if kind == 14:
        return ["for-each-ref", "--format=%(refname) %(objectname)"], ok(judge_refs)
    if kind == 15:
        return ["rev-list", "--count", name, "--"], of_commits(name, lambda commit: f"{commit.reach.bit_count()}\n")
    if kind == 16:
        back = f"{name}~{draw.randrange(5)}"
        argv = ["for-each-ref", "--contains", back, "--format=%(refname)", "refs/heads"]
        return argv, judge_contains(back)
    if kind == 17:
        other = draw.choice(NAMES)
        return ["merge-base", "--all", name, other], judge_merge_base(name, other)
    if kind == 18:
        return ["describe", "--long", "--abbrev=40", "HEAD"], judge_describe
    if kind == 19:
        return ["reflog", "-n5", "--format=%H %gs", "HEAD"], ok(judge_reflog)
    if kind == 20:
        return ["stash", "list", "--format=%H"], ok(judge_stashes)
    if kind == 21:
        return ["config", "churn.n"], ok(judge_config)
    if kind == 22:
        return ["show-ref", "--verify", "-s", full(name)], of_commits(name, lambda commit: commit.oid + "\n")
    if kind == 23:
        return ["log", f"-n{count}", "--oneline", "--decorate=full", "--no-color", "HEAD"], ok(judge_decorated(count))
    return ["blame", "-s", "-l", "--root", name, "--", "log.txt"], judge_blame(name)


def judge_decorated(count: int) -> Judge:
    """`log --oneline --decorate=full`: short names that mean their commit, and refs each where it was."""

    def judge(window: Window, answer: Answer) -> str | None:
        rows = [re.fullmatch(r"([0-9a-f]{7,40}) (?:\((.*)\) )?commit (\d+)", line) for line in answer.out.splitlines()]
        if not all(rows):
            return f"told {answer.out[:300]!r}"
        commits = [window.world.by_number.get(int(row[3])) for row in rows if row]
        if commits not in [window.world.history(head.reach)[:count] for head in window.commits("HEAD")]:
            return f"no history of HEAD: {answer.out[:300]!r}"
        told: dict[str, str] = {}
        for row, commit in zip(rows, commits, strict=True):
            if row is None or commit is None or not commit.oid.startswith(row[1]):
                return f"told {row and row[0]!r}"
            for name in (row[2] or "").replace("HEAD -> ", "HEAD, ").split(", ") if row[2] else ():
                told[name.removeprefix("tag: ")] = commit.oid
        for name, oid in told.items():
            meant = {tag.oid for tag in tagged(window, name)} if name.startswith("refs/tags/") else window.ref(name)
            if oid not in meant:
                return f"{name} was {meant}, told {oid}"
        for name in window.names() - set(told):
            if name.startswith("refs/heads/") and not (window.ref(name) - {commit.oid for commit in commits if commit}):
                return f"{name} is not told"
        return None

    return judge


def judge_blame(name: str) -> Judge:
    judge = of_commits(name, blame_lines)

    def judge_lines(window: Window, answer: Answer) -> str | None:
        lines = re.sub(r"^([0-9a-f]{40}) +\d+\) (\d+) .*$", r"\2 \1", answer.out, flags=re.M)
        return judge(window, Answer(answer.status, lines, answer.err))

    return judge_lines


def typed(draw: random.Random) -> tuple[str, Typed, Judge]:
    """A question as a typed call: (what is asked, the call, which says its answer as text; the judge)."""
    name = draw.choice(NAMES)
    count = draw.choice([1, 10, 50])
    kind = draw.randrange(6)
    if kind == 0:
        return (
            f"log {name} {count}",
            lambda repo: "".join(
                f"{row.oid} {' '.join(row.parents)} {row.subject}\n" for row in repo.log(name, max_count=count).commits
            ),
            with_window(name, log_lines(count)),
        )
    if kind == 1:
        return "status", typed_status, ok(judge_status)
    if kind == 2:
        return (
            "for_each_ref",
            lambda repo: "".join(f"{row.name} {row.oid}\n" for row in repo.for_each_ref().refs),
            ok(judge_refs),
        )
    if kind == 3:
        return f"blame {name}", lambda repo: typed_blame(repo, name), of_commits(name, blame_lines)
    if kind == 4:
        return (
            f"rev_list {name}",
            lambda repo: f"{len(repo.rev_list(name).oids)}\n",
            of_commits(name, lambda commit: f"{commit.reach.bit_count()}\n"),
        )
    return (
        f"ls_tree {name}",
        lambda repo: "".join(
            f"{row.mode} {row.kind} {row.oid}\t{row.path}\n" for row in repo.ls_tree(name, recursive=True).entries
        ),
        of_commits(name, tree_lines),
    )


def judge_nothing(window: Window, answer: Answer) -> str | None:
    return f"told {answer.out[:600]!r}" if answer.out else None


def typed_status(repo: gitglass.Repository) -> str:
    found = repo.status()
    rows = [f"# branch.oid {found.branch.oid}", f"# branch.head {found.branch.head or '(detached)'}"]
    rows += [f"1 {row.index or DOT}{row.worktree or DOT} . . . . . . {row.path}" for row in found.entries]
    rows += [f"? {path}" for path in found.untracked]
    return "\n".join(rows)


def typed_blame(repo: gitglass.Repository, name: str) -> str:
    return "".join(
        f"{line.split()[0]} {run.oid}\n" for run in repo.blame("log.txt", revisions=[name]).runs for line in run.lines
    )
