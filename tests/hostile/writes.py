"""Hostile repositories that are written to, under strace: `python -m tests.hostile.writes [--only TEXT] [--every N]`.

Each member is edited, staged, committed, switched, stashed, restored, tagged and undone in a process of its own, with a
grant that names no program. Safe means: nothing was started or connected; nothing was written while a plan was made,
nor, while it was carried out, to any path that the plan does not name; nothing outside has changed.
"""

import argparse
import json
import os
import re
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from .craft import Member
from .observer import prepare, take_away
from .whole import ROOT, WRITING, Judged, judge_said, judge_trace, traced
from .zoo import ZOO

MARK = "/zoo-begins-here"
LINES = [line.split() for line in """
add -A
commit -a -m m
switch -c fresh HEAD~1
add README.md
commit -m m -- README.md
stash push -u
stash pop
restore --source=HEAD~1 .
switch -f topic
reset --hard main
tag -a -m m noted
branch other HEAD~1
branch -D other
checkout HEAD~1 -- src
rm -r -f docs
mv src moved
update-ref refs/heads/other HEAD
reset --hard
""".strip().splitlines()]  # fmt: skip
LIMIT = 4.0  # seconds for each plan, and for each deed
SECONDS = 30.0 + 2 * LIMIT * (len(LINES) + 1)  # what all of them together may take, so that only a hang is one
DRIVER = """
import json, os, sys
import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.mutate.grant import Identity, WriteGrant, WriteLimits
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import UndoRequest
repo, lines, mark = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
os.chdir(repo)
grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: 1700000000, zone=0, refs=("*",), limits=WriteLimits(timeout=float(sys.argv[4])))
def at(word):
    try: os.stat(mark + word)
    except OSError: pass
def names(plan, store):
    changes = plan.changes
    return {"top": os.fsdecode(store.work_tree or b""), "git": os.fsdecode(store.git_dir), "common": os.fsdecode(store.common_dir),
        "files": [os.fsdecode(one) for one in (*(file.path for file in changes.files), *changes.emptied)], "refs": [os.fsdecode(one.name) for one in changes.refs],
        "logs": [os.fsdecode(one.name) for one in changes.logs], "small": [os.fsdecode(one.name) for one in changes.git_files],
        "lfs": [f"lfs/objects/{one[:2]}/{one[2:4]}/{one}" for one in changes.lfs], "index": changes.touches_index}
at("")
for number, words in enumerate([*lines, ["undo"]]):
    sys.stderr.write("\\n@@ " + json.dumps(words) + "\\n")
    at(f"/edit-{number}")
    try:
        if number % 2 == 0 and os.path.isfile("README.md") and not os.path.islink("README.md"):
            with open("README.md", "a") as stream: stream.write(f"line {number}\\n")
    except OSError: pass
    at(f"/plan-{number}")
    try:
        writer = Writer(handle := gitglass.open(".", root=repo), grant)
        with Context(gitglass.Limits(timeout=5)) as ctx:
            done = writer.operations()
            request = UndoRequest(operation=done[-1].id if done else "0") if words == ["undo"] else parse_command(words, handle.store, ctx).request
        plan = writer.plan(request)
        print(json.dumps({number: names(plan, handle.store)}), flush=True)
        at(f"/apply-{number}")
        result = writer.apply(plan, approve(plan, "zoo"))
        sys.stderr.write(f"@@ done {result.changed} {result.verified}\\n")
    except GitError as error:
        at(f"/edit-{number}")
        sys.stderr.write("@@ refused " + ascii(error.message)[:200] + "\\n")
        try: writer.recover()
        except (GitError, NameError): pass
at("/edit-end")
"""
_PATH = re.compile(r'(?:(?:\d+|AT_FDCWD)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_OWN = re.compile(r'"/proc/\d+/stat", O_RDONLY')  # when a process began: the operation log has it
_DESCRIPTOR = re.compile(r"^\w+\(\d+<([^>]*)>")


def ask(member: Member, clean: Path, place: Path) -> tuple[Judged, Counter[str]]:
    """One member: (what was wrong, how its operations ended)."""
    place.mkdir()
    repo, outside = prepare(member, clean, place)
    before = listed(outside)
    command = [sys.executable, "-B", "-c", DRIVER, str(repo), json.dumps(LINES), MARK, str(LIMIT)]
    status, out, err, lines, took, memory = traced(command, place, place, SECONDS)
    judged, ended = Judged(), Counter[str]()
    lines = [line for line in lines if not _OWN.search(line)]
    judge_trace(lines, os.path.realpath(repo), os.path.realpath(place), judged, marked=True, spawns=False)
    judged.faults.pop("writes", None)
    judged.examples.pop("writes", None)
    judge_writes(lines, plans_of(out), judged)
    judge_said(status, b"", err, took, memory, SECONDS, judged)
    if listed(outside) != before:
        judged.blame("writes outside", str(set(listed(outside)) ^ set(before)))
    ended["refused"], ended["done"] = err.count(b"@@ refused"), err.count(b"@@ done")
    if ended.total() != len(LINES) + 1:
        judged.blame("ends early", err[-300:].decode("utf-8", "replace"))
    return judged, ended


def listed(top: Path) -> dict[str, tuple[int, int, int]]:
    """All that is below a directory, with sizes and times."""
    stats = {str(path): path.lstat() for path in top.rglob("*")}
    return {name: (info.st_mode, info.st_size, info.st_mtime_ns) for name, info in stats.items()}


def plans_of(out: bytes) -> dict[str, dict[str, object]]:
    """What the plans name, by their number."""
    plans: dict[str, dict[str, object]] = {}
    for line in out.splitlines():
        if line.startswith(b"{"):
            plans.update(json.loads(line))
    return plans


def judge_writes(lines: list[str], plans: dict[str, dict[str, object]], judged: Judged) -> None:
    """Every change on disk is one of a plan that is being carried out, or of the driver's own edit."""
    section, planned = "", Planned({})
    for line in lines:
        call = line.split(None, 1)[1] if " " in line else line
        if MARK in call:
            section, _, number = call.partition(MARK + "/")[2].partition('"')[0].partition("-")
            planned = Planned(plans.get(number, {}))
            continue
        if section in ("", "edit") or not changes_something(call):
            continue
        for path in paths_of(call):
            if section == "plan" or not planned.names(path):
                judged.blame(f"writes unplanned ({section})", f"{path}: {call}")


def changes_something(call: str) -> bool:
    """Whether a call succeeded that changes something on disk."""
    if "= -1" in call:
        return False
    return bool(WRITING.match(call)) or (
        call.startswith(("openat(", "open(")) and bool(re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", call))
    )


def paths_of(call: str) -> list[str]:
    """The paths that a call changes."""
    if (by_descriptor := _DESCRIPTOR.match(call)) and call.startswith(("fchmod(", "ftruncate(")):
        return [by_descriptor[1].removesuffix("(deleted)")]
    pairs = [(fits[1] or "", unescaped(fits[2])) for fits in _PATH.finditer(call)]
    if call.startswith("symlink"):
        pairs = pairs[1:]  # the first is what the link says
    return [os.path.normpath(os.path.join(unescaped(above), name)) for above, name in pairs]


def unescaped(text: str) -> str:
    """A path as strace writes it."""
    return os.fsdecode(text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1", "replace"))


class Planned:
    """The paths that one plan may change."""

    def __init__(self, plan: dict[str, object]) -> None:
        def words(key: str) -> list[str]:
            value = plan.get(key, [])
            assert isinstance(value, list)
            return [str(one) for one in value]

        self._roots = [os.path.realpath(str(plan[key])) for key in ("git", "common") if plan.get(key)]
        top = os.path.realpath(str(plan["top"])) if plan.get("top") else None
        names = {"packed-refs", "index"} if plan.get("refs") or plan.get("index") else set()
        names |= {*words("refs"), *words("small"), *words("lfs"), *(f"logs/{name}" for name in words("logs"))}
        names |= {f"logs/{name}" for name in words("refs")} | set(words("logs"))
        names |= {f"{name}.lock" for name in names}
        self._exact = {os.path.join(root, name) for root in self._roots for name in names}
        self._exact |= {os.path.join(top, name) for name in words("files")} if top else set()
        self._above = {parent for path in self._exact for parent in parents(path)}

    def names(self, path: str) -> bool:
        """Whether a path may be changed: one that is named, a directory on the way to it, an object, or the log of
        operations."""
        own = any(path.startswith((f"{root}/gitglass", f"{root}/objects/")) for root in self._roots)
        beside = os.path.basename(path).startswith(".gitglass-") and os.path.dirname(path) in self._above
        return own or beside or path in self._exact or path in self._above


def parents(path: str) -> list[str]:
    """The directories above a path."""
    above = []
    while (path := os.path.dirname(path)) not in ("", "/"):
        above.append(path)
    return above


def unpacked(top: Path) -> Path:
    """The clean repository that members are made of."""
    with tarfile.open(ROOT / "fixtures/archives/plain.tar.gz") as tar:
        tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
        tar.extractall(top / "plain")
    return top / "plain"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="every n-th member")
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    members = [member for member in ZOO.values() if args.only in member.name][args.first :: args.every]
    safe, total, ended, faults = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="zoo-", ignore_cleanup_errors=True) as name:
        clean = unpacked(Path(name))
        for member in members:
            place = Path(name) / "member"
            judged, how = ask(member, clean, place)
            take_away(place)
            wrong = {fault: count for fault, count in judged.faults.items() if count}
            total[member.family] += 1
            safe[member.family] += not wrong
            ended += how
            faults.update(list(wrong))
            if wrong:
                print(f"{member.name}: {wrong} {judged.examples}", flush=True)
    print(
        f"{safe.total()} of {total.total()} safe; " + ", ".join(f"{name} {safe[name]}/{total[name]}" for name in total)
    )
    print(
        f"{ended['done']} operations done, {ended['refused']} refused; "
        + (str(dict(faults)) if faults else "no faults")
    )
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
