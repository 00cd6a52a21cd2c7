"""The whole zoo, asked everything: `python -m tests.hostile.whole [--who gitglass,library,git,dulwich,pygit2] [--only TEXT]`.

`library` asks every command in this process and every typed call, deadline 200 ms, and reports the worst overrun.
`gitglass` is the command line with `--jail`, `git` the installed one, `dulwich` its porcelain, `pygit2` libgit2's Python;
these run in a process of their own for each member, under strace, which tells what was opened, written and started.
Members count as safe when nothing was started, connected, written or opened outside of the repository, no secret told,
no traceback, no signal, at most 10 seconds for a question and 1 GiB of memory in all. `--json FILE` keeps the figures.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import gitglass
from gitglass.limits import Limits

from .craft import SECRET, Member
from .observer import CALLS, COMMANDS, TRUTH, ask, ask_library, ask_truth, prepare, snapshot, take_away
from .zoo import ZOO

ROOT = Path(__file__).resolve().parents[2]
MARK = "/zoo-begins-here"
SECONDS, MEMORY = 10.0, 1 << 30
#: what git and the others are asked: one question a command, of those that all of them know
PEER_COMMANDS = [
    ["status"], ["log", "-p", "-n", "5"], ["show"], ["diff"], ["diff", "--cached"], ["blame", "README.md"], ["ls-files", "-s"], ["ls-tree", "-r", "HEAD"], ["rev-parse", "HEAD"], ["branch", "-a"], ["tag", "-n"], ["for-each-ref"], ["describe", "--always", "--dirty"], ["stash", "list"],
]  # fmt: skip
TRACED = "%process,%network,openat,open,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,symlink,symlinkat,link,linkat,chmod,fchmod,fchmodat,truncate,ftruncate,utimensat,stat,newfstatat"
WRITING = re.compile(
    r"^(creat|unlink|unlinkat|rename|renameat|renameat2|mkdir|mkdirat|symlink|symlinkat|link|linkat|chmod|fchmod|fchmodat|truncate|ftruncate|utimensat)\("
)
LIBRARIES = (
    *(path for path in sys.path if path),
    "/usr/lib",
    "/lib",
    "/usr/share",
    "/usr/local/lib",
    "/etc/ld.so",
    "/etc/localtime",
    sys.prefix,
    sys.base_prefix,
    str(ROOT),
    "/dev/null",
    "/proc/self/fd",
    "/proc/sys/vm/overcommit_memory",  # Python's own allocator as it starts, from 3.13 on
    "/dev/urandom",
    "/etc/gitconfig",
    "/etc/locale.alias",
    "/usr/lib/locale",
    "/etc/ssl",
    "/etc/pki",
    "/etc/nsswitch.conf",
    "/usr/libexec",
    "/usr/bin",
)

DRIVERS = {
    "gitglass": """
import sys, os, json
from gitglass.cli import main as cli, belts
os.chdir(sys.argv[1])
words = json.loads(sys.argv[2])
try: os.stat({mark!r})
except OSError: pass
for argv in words:
    sys.stderr.buffer.write(b"\\n@@ " + json.dumps(argv).encode() + b"\\n"); sys.stderr.flush()
    try: status = cli.main(["--jail", "--timeout=4", *argv])
    except SystemExit as error: status = error.code
    sys.stdout.flush(); sys.stderr.buffer.write(b"\\n@@ status %d\\n" % status); sys.stderr.flush()
""",
    "dulwich": """
import sys, os, io
os.chdir(sys.argv[1])
from dulwich import porcelain
def out(): return io.BytesIO()
calls = [lambda: porcelain.status("."), lambda: porcelain.log(".", max_entries=5, outstream=io.StringIO()), lambda: porcelain.show(".", outstream=sys.stdout), lambda: porcelain.diff(".", outstream=sys.stdout.buffer),
 lambda: porcelain.ls_tree(".", recursive=True, outstream=sys.stdout), lambda: porcelain.branch_list("."), lambda: porcelain.tag_list("."), lambda: porcelain.for_each_ref("."), lambda: porcelain.describe("."), lambda: porcelain.ls_files("."),
 lambda: porcelain.annotate(".", b"README.md"), lambda: porcelain.get_object_by_path(".", "README.md"), lambda: porcelain.stash_list("."), lambda: porcelain.rev_list(".", [b"HEAD"], outstream=sys.stdout.buffer)]
try: os.stat({mark!r})
except OSError: pass
for call in calls:
    sys.stderr.write("\\n@@ call\\n"); sys.stderr.flush()
    try: print(call())
    except (Exception, SystemExit) as error: sys.stderr.write(f"error: {{type(error).__name__}}: {{error}}\\n"[:2000])
""",
    "pygit2": """
import sys, os
os.chdir(sys.argv[1])
import pygit2
def repo(): return pygit2.Repository(".")
calls = [lambda: repo().status(), lambda: [c.message for _, c in zip(range(5), repo().walk(repo().head.target))], lambda: repo().diff("HEAD").patch, lambda: repo().diff().patch, lambda: [(e.path, e.mode) for e in repo().index],
 lambda: repo().revparse_single("HEAD").tree.diff_to_tree(repo().revparse_single("HEAD~1").tree).patch, lambda: list(repo().branches), lambda: list(repo().references), lambda: repo().describe(), lambda: [h.final_commit_id for h in repo().blame("README.md")],
 lambda: repo().revparse_single("HEAD:README.md").data, lambda: dict((e.name, e.value) for e in repo().config), lambda: repo().listall_stashes(), lambda: repo().path_is_ignored("x")]
try: os.stat({mark!r})
except OSError: pass
for call in calls:
    sys.stderr.write("\\n@@ call\\n"); sys.stderr.flush()
    try: print(repr(call())[:100000])
    except Exception as error: sys.stderr.write(f"error: {{type(error).__name__}}: {{error}}\\n"[:2000])
""",
}  # fmt: skip


class Judged:
    """What was seen of one asker and one member."""

    def __init__(self) -> None:
        self.faults: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def blame(self, fault: str, example: str) -> None:
        self.faults[fault] += 1
        self.examples.setdefault(fault, example[:300])


def traced(
    command: list[str], cwd: Path, place: Path, seconds: float
) -> tuple[int, bytes, bytes, list[str], float, int]:
    """Run under strace: (status, stdout, stderr, lines of the trace, seconds, peak memory)."""
    log = place / "trace"
    out, err = (place / "out").open("wb+"), (place / "err").open("wb+")
    began = time.monotonic()
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(place),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "GIT_PAGER": "cat",
        "TERM": "dumb",
        "PYTHONPATH": str(ROOT / "src"),
    }
    child = subprocess.Popen(
        ["strace", "-f", "-y", "-qq", "-s", "200", "-e", f"trace={TRACED}", "-o", str(log), *command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment, start_new_session=True,
    )  # fmt: skip
    status, usage = -99, None
    while time.monotonic() - began < seconds:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(0.005)
    else:
        os.killpg(child.pid, signal.SIGKILL)
        _, status, usage = os.wait4(child.pid, 0)
        status = -999
    child.returncode = status
    took = time.monotonic() - began
    out.seek(0)
    err.seek(0)
    said = out.read(8 << 20), err.read(8 << 20)
    out.close()
    err.close()
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return status, *said, lines, took, (usage.ru_maxrss << 10) if usage else 0


def judge_trace(lines: list[str], jail: str, home: str, judged: Judged, *, marked: bool, spawns: bool) -> None:
    """Processes, sockets, writes, and files outside, after the mark."""
    begun = not marked
    first = True
    for line in lines:
        call = line.split(None, 1)[1] if " " in line else line
        if not begun:
            begun = MARK in call
            continue
        if call.startswith(("execve", "vfork", "fork", "clone")) and not (
            first and not marked and call.startswith("execve")
        ):
            if call.startswith("execve") and not re.search(r'execve\("[^"]*/(git|python[\d.]*)"', call):
                judged.blame("runs a program", call)
            elif not spawns and "CLONE_THREAD" not in call:
                judged.blame("starts a process", call)
        first = False
        if call.startswith(("socket(", "connect(")):
            judged.blame("opens a socket", call)
        elif WRITING.match(call) and "= -1" not in call:
            judged.blame("writes", call)
        elif call.startswith(("openat(", "open(")) and "= -1" not in call:
            if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", call) and "/dev/null" not in call:
                judged.blame("writes", call)
            opened = re.search(r"= \d+<([^>]*)>", call)
            path = opened[1].removesuffix("(deleted)") if opened else ""
            if (
                path
                and not (path + "/").startswith((jail + "/", home + "/."))
                and not path.startswith(LIBRARIES)
                and path not in ("/", home)
                and not (jail + "/").startswith(path.rstrip("/") + "/")
            ):
                judged.blame("opens outside", call)


def judge_said(status: int, out: bytes, err: bytes, took: float, memory: int, allowed: float, judged: Judged) -> None:
    if SECRET in out + err:
        judged.blame(
            "tells the secret", (out + err)[max((out + err).find(SECRET) - 60, 0) :][:200].decode("utf-8", "replace")
        )
    if b"Traceback (most recent" in err or b"internal error in gitglass" in err:
        at = err.find(b"internal error") if b"internal error" in err else err.find(b"Traceback")
        judged.blame("traceback", err[at : at + 300].decode("utf-8", "replace"))
    if status == -999:
        judged.blame("hangs", f"more than {allowed:.0f} s")
    elif os.WIFSIGNALED(status):
        judged.blame("dies of a signal", f"signal {os.WTERMSIG(status)}")
    elif took > allowed:
        judged.blame("too slow", f"{took:.1f} s")
    if memory > MEMORY:
        judged.blame("too much memory", f"{memory >> 20} MiB")


def chosen(member: Member, each: int) -> list[list[str]]:
    """`each` of the commands, others for the next member."""
    start = list(ZOO).index(member.name) * each
    return [COMMANDS[(start + at) % len(COMMANDS)] for at in range(min(each, len(COMMANDS)))]


def run_process(
    who: str, member: Member, repo: Path, outside: Path, place: Path, pythons: dict[str, str], each: int
) -> Judged:
    judged = Judged()
    jail, home = os.path.realpath(repo), os.path.realpath(place)
    before = snapshot(repo)
    if who == "git":
        for argv in PEER_COMMANDS:
            status, out, err, lines, took, memory = traced(["git", *argv], repo, place, SECONDS)
            judge_trace(lines, jail, home, judged, marked=False, spawns=True)
            judge_said(status, out, err, took, memory, SECONDS, judged)
    else:
        code = DRIVERS[who].replace("{mark!r}", repr(MARK)).replace("{{", "{").replace("}}", "}")
        command = [pythons[who], "-B", "-c", code, str(repo)]
        if who == "gitglass":
            command.append(json.dumps(chosen(member, each)))
        seconds = SECONDS * (12 if who == "gitglass" else 3)
        status, out, err, lines, took, memory = traced(command, repo, place, seconds)
        judge_trace(lines, jail, home, judged, marked=True, spawns=False)
        judge_said(status, out, err, 0, memory, seconds, judged)
    if snapshot(repo) != before:
        judged.blame("writes", "the repository has changed")
    if (outside / "ran").exists():
        judged.blame("runs a program", "of the repository's choice")
    return judged


def run_library(
    member: Member, repo: Path, outside: Path, clean: Path, worst: list[tuple[float, float, str]]
) -> Judged:
    judged = Judged()
    before = snapshot(repo)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for argv in COMMANDS:
        began, worked = time.monotonic(), time.thread_time()
        for fault in ask(repo, argv, Limits(timeout=0.2), 99):
            judged.blame("fault", fault)
        worst.append((time.monotonic() - began, time.thread_time() - worked, f"{member.name}: {' '.join(argv)}"))
    for fault in ask_library(repo, Limits(timeout=0.2), 99, range(len(CALLS))):
        judged.blame("fault", fault)
    if member.intact:
        for argv in TRUTH:
            for fault in ask_truth(repo, clean, Limits(timeout=10), argv):
                judged.blame("another answer", fault)
    if snapshot(repo) != before:
        judged.blame("writes", "the repository has changed")
    if (outside / "ran").exists():
        judged.blame("runs a program", "of the repository's choice")
    if (grown := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) > MEMORY >> 10:
        judged.blame("too much memory", f"{grown >> 10} MiB more")
    return judged


def tell_longest(answers: list[tuple[float, float, str]]) -> None:
    """The longest answers, by the clock and by what this thread had of the processor (which others cannot lengthen)."""
    thread = [(processor, clock, question) for clock, processor, question in answers]
    for what, unsorted in (("by the clock", answers), ("in processor time", thread)):
        rows = sorted(unsorted, key=lambda row: row[0], reverse=True)
        over = sum(row[0] > 0.35 for row in rows)
        print(f"   {len(rows)} answers with a deadline of 200 ms, {what}: {over} over 350 ms; the longest "
              + "; ".join(f"{row[0] * 1000:.0f} ms {row[2]}" for row in rows[:5]))  # fmt: skip


def version(who: str, pythons: dict[str, str]) -> str:
    if who == "git":
        return subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.split()[-1]
    if who in ("dulwich", "pygit2"):
        return (
            subprocess.run(
                [pythons[who], "-c", f"import {who}; print({who}.__version__)"], capture_output=True, text=True
            )
            .stdout.strip(" ()\n")
            .replace(", ", ".")
        )
    return gitglass.__version__


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--who", default="library,gitglass")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="every n-th member")
    parser.add_argument("--each", type=int, default=999, help="so many commands a member for the command line")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has dulwich and pygit2")
    parser.add_argument("--examples", action="store_true", help="show some of each fault")
    parser.add_argument("--json")
    args = parser.parse_args()
    global LIBRARIES
    LIBRARIES += (str(Path(args.python).parent.parent),)  # its modules are its own
    members = [member for member in ZOO.values() if args.only in member.name][:: args.every]
    figures: dict[str, dict[str, object]] = {}
    top = Path(tempfile.mkdtemp(prefix="zoo-"))
    with tarfile.open(ROOT / "fixtures/archives/plain.tar.gz") as tar:
        tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
        tar.extractall(top / "plain")
    clean = top / "plain"
    pythons = {"gitglass": sys.executable, "dulwich": args.python, "pygit2": args.python}
    for argv in COMMANDS:
        gitglass.git(argv, cwd=clean, root=clean)  # what is loaded once does not count against a deadline
    for who in args.who.split(","):
        safe: Counter[str] = Counter()
        total: Counter[str] = Counter()
        kinds: Counter[str] = Counter()
        worst: list[tuple[float, float, str]] = []
        examples: dict[str, list[str]] = defaultdict(list)
        for member in members:
            place = top / "member"
            place.mkdir()
            repo, outside = prepare(member, clean, place)
            try:
                if who == "library":
                    judged = run_library(member, repo, outside, clean, worst)
                else:
                    judged = run_process(who, member, repo, outside, place, pythons, args.each)
            finally:
                take_away(place)
            total[member.family] += 1
            safe[member.family] += not judged.faults
            for fault in judged.faults:
                kinds[fault] += 1
                examples[fault].append(f"{member.name}: {judged.examples[fault]}")
            if judged.faults and who in ("library", "gitglass"):
                print(f"{who}: {member.name}: {judged.examples}", flush=True)
        print(
            f"{who} {version(who, pythons)}: {sum(safe.values())} of {sum(total.values())} safe; "
            + ", ".join(f"{name} {safe[name]}/{total[name]}" for name in total)
        )
        if args.examples:
            for fault, rows in examples.items():
                print("   ", fault, rows[:4])
        print(
            "   " + (", ".join(f"{fault} {count}" for fault, count in kinds.most_common()) or "no faults"), flush=True
        )
        if worst:
            tell_longest(worst)
        figures[who] = {
            "version": version(who, pythons),
            "safe": safe,
            "total": total,
            "faults": kinds,
            "examples": {fault: rows[:3] for fault, rows in examples.items()},
        }
    if args.json:
        Path(args.json).write_text(json.dumps(figures, indent=1) + "\n")
    shutil.rmtree(top)
    ours = [figures[who]["faults"] for who in ("library", "gitglass") if who in figures]
    return any(ours)


if __name__ == "__main__":
    sys.exit(main())
