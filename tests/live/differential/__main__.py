#!/usr/bin/env python3
"""How often does gitglass print, byte for byte, what C git prints?  A random comparison of commands that read.

    python -m tests.live.differential --repos DIR [DIR...] --n 2000 --seed 7 [--ops status,log] [--jobs 2] [--json F]
    python -m tests.live.differential --candidate "CMD" --repos DIR...   as a command line: environment variables count
    python -m tests.live.differential --candidate git --repos DIR...     self-check: has to report 100 %
    python -m tests.live.differential --door dulwich --repos DIR...      gitglass.open(MemoryRepo) against git on a bare copy
    python -m tests.live.differential --list 60 --repos DIR...           the grammar's commands by weight; runs nothing

Each repository in --repos is cloned under --work and put into several worktree states (states.sh); next to them stands
"zoo", a small made-up repository with every oddity, which is put into all states.  Commands are drawn from weighted
grammars (grammar.txt; tier 1 daily use, 2 power use, 3 exotic, 4 corners that were once wrong) over material mined from
the repository; the same seed and repositories give the same commands.  Both programs run in one hermetic environment,
the candidate with an empty directory as its PATH.  Identical means: the same stdout bytes, the same exit status, and
stderr empty in both or in neither; the text on stderr is compared too, but does not count.  A candidate that times
out, or writes to the index, is not identical.  The oracle's answers are kept on disk by repository state and command.

Needs Python 3.8, git and bash on a POSIX system; standard library only.
"""

import argparse
import collections
import contextlib
import fcntl
import functools
import glob
import hashlib
import importlib
import json
import math
import multiprocessing
import os
import pickle
import re
import select
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zlib

from . import dulwich_door
from .lab import Result, ask_git, build_all, clocks, environment, generate, run

TIERS = {1: 60, 2: 32, 3: 8, 4: 8}
OPS = {
    "log": 23,
    "diff": 18,
    "status": 14,
    "show": 13,
    "blame": 8,
    "ls-files": 6,
    "rev-parse": 6,
    "branch": 5,
    "ls-tree": 3,
    "stash": 3,
    "remote": 2,
    "tag": 2,
    "describe": 2,
}
EXTRA_OPS = dict.fromkeys(
    ["rev-list", "shortlog", "cat-file", "merge-base", "merge-tree", "for-each-ref", "show-ref", "grep", "reflog"], 2
)
ORACLE_LIMIT = 30  # seconds; a command that takes git longer is left out
# Answers that depend on the time of day are never cached: oracle and candidate run one right after the other.
AGEING = re.compile(r"ago|yesterday|since|until|after|before|relative|human|color-by-age|%[ac][rh]")
# Blame dates lines that are not committed with the moment it runs; that date is masked on both sides.
UNDATED = re.compile(
    rb"((?:Not Committed Yet|<not\.committed\.yet>|External file \(--contents\)|<external\.file>)"
    rb"[ \t]+)[^)\n]*?([ \t]+\d+\))|((?:author|committer)-time )%d\d{5}\n" % (time.time() // 100000)
)


# --------------------------------------------------------------------------------------------------------- running
def run_inprocess(function, argv, cwd, env, timeout):
    """Call function(argv, cwd) in a forked child, so that every command finds the module loaded and its state fresh."""
    start = clocks()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            null = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            os.environ.clear()
            os.environ.update(env)
            time.tzset()
            try:
                code, out, err = function(list(argv), cwd)
                answer = (code, bytes(out), bytes(err))
            except BaseException:  # whatever the candidate does is a result
                answer = ("crash", b"", traceback.format_exc().encode())
            with os.fdopen(writer, "wb") as stream:
                pickle.dump(answer, stream)
        finally:
            os._exit(0)
    os.close(writer)
    chunks = []
    while select.select([reader], [], [], max(0, start[0] + timeout - time.perf_counter()))[0]:
        chunk = os.read(reader, 1 << 20)
        if not chunk:
            break
        chunks.append(chunk)
    else:
        os.kill(child, signal.SIGKILL)
        chunks = [pickle.dumps(("timeout", b"", b""))]
    os.close(reader)
    os.waitpid(child, 0)
    answer = pickle.loads(b"".join(chunks)) if chunks else ("crash", b"", b"died without an answer")
    return Result(*answer, *(after - before for before, after in zip(start, clocks())))


def masked(case, answer):
    return answer._replace(out=UNDATED.sub(rb"\1\2\3", answer.out)) if case.op == "blame" else answer


def ask_oracle(case, options):
    fresh = any(AGEING.search(arg) for arg in case.argv)
    key = json.dumps([options.version, case.state.stamp, case.cwd, case.argv, case.zone])
    path = os.path.join(options.work, ".oracle", hashlib.sha256(key.encode()).hexdigest())
    if not fresh and os.path.exists(path):
        with open(path, "rb") as stream:
            return Result(*pickle.loads(zlib.decompress(stream.read())))
    command, env = ["git", *case.argv], environment(options.work, case.zone, **case.variables)
    answer = masked(case, run(command, case.cwd, env, ORACLE_LIMIT))
    if answer.seconds < 2:  # once more, with warm caches: is the answer a stable one?
        again = masked(case, run(command, case.cwd, env, ORACLE_LIMIT))
        answer = again if again[:3] == answer[:3] else again._replace(code="unstable")
    if not fresh:
        with open(f"{path}.{os.getpid()}", "wb") as draft:
            draft.write(zlib.compress(pickle.dumps(tuple(answer)), 1))
        os.replace(draft.name, path)
    return answer


def ask_candidate(case, options):
    if options.git:  # the self-check needs git's own helpers
        env = environment(options.work, case.zone, **case.variables)
        return run(options.command + case.argv, case.cwd, env, options.timeout)
    env = environment(options.work, case.zone, os.path.join(options.work, "home"), **case.variables)
    if options.inprocess:
        return run_inprocess(options.function, case.argv, case.cwd, env, options.timeout)
    return run(options.command + case.argv, case.cwd, env, options.timeout)


def difference(want, got):
    """Why two results are not identical, in a line; "" where they are."""
    if got.code in ("timeout", "crash"):
        return f"{got.code} {got.err.decode(errors='replace').strip().rpartition(chr(10))[2][:120]}".strip()
    reasons = []
    if want.out != got.out:
        a, b = want.out.split(b"\n"), got.out.split(b"\n")
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        texts = [repr(side[at])[1:101] if at < len(side) else "(end)" for side in (a, b)]
        reasons.append("line {}: git {} got {}".format(at + 1, *texts))
    if want.code != got.code:
        reasons.append(f"exit status: git {want.code} got {got.code}")
    if bool(want.err) != bool(got.err):
        text = (want.err or got.err).decode(errors="replace").strip().split("\n")[-1][:100]
        reasons.append(f"stderr only from {'git' if want.err else 'the candidate'}: {text}")
    return "; ".join(reasons)


class Index:
    """Keeps a repository's index as it is: git diff and git describe --dirty, and perhaps a candidate, refresh it."""

    def __init__(self, path):
        self.path, self.content = path, None
        if os.path.exists(path):
            with open(path, "rb") as stream:
                self.content = stream.read()
            self.stat = self.signs()

    def signs(self):
        found = os.stat(self.path)
        return found.st_mtime_ns, found.st_size, found.st_ino

    def restore(self):
        """Put the index back; whether there was need to."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path + ".lock")  # of a program that was killed
        if self.content is None or (os.path.exists(self.path) and self.signs() == self.stat):
            return False
        with open(self.path, "wb") as stream:
            stream.write(self.content)
        os.utime(self.path, ns=(self.stat[0], self.stat[0]))
        self.stat = self.signs()
        return True


def compare(options, group):
    """Run all commands on one state, one after the other."""
    records, state = [], group[0].state
    if options.door:
        dulwich_door.load(state.cwd)
    with open(os.path.join(options.work, state.repo, state.name + ".json")) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run may be measuring on the same state
        index = Index(state.index)
        for case in group:
            want = ask_oracle(case, options)
            index.restore()
            record = {
                "op": case.op,
                "tier": case.tier,
                "repo": state.repo,
                "state": state.name,
                "argv": case.argv,
                "cwd": case.cwd,
                "zone": case.zone,
                "signature": case.signature,
                "git_exit": want.code,
            }
            if want.code not in ("timeout", "unstable"):
                got = masked(case, ask_candidate(case, options))
                reason = difference(want, got)
                if index.restore() and not options.git:
                    reason = reason or "wrote to the index"
                record.update(
                    identical=not reason,
                    reason=reason,
                    exit=got.code,
                    bytes=len(want.out),
                    git_s=want.seconds,
                    candidate_s=got.seconds,
                    git_cpu=want.cpu,
                    candidate_cpu=got.cpu,
                    stderr=bool(want.err or got.err),
                    stderr_same=want.err == got.err,
                )
            records.append(record)
    return records


# ------------------------------------------------------------------------------------------------------- reporting
def grouped(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def share(flags):
    return 100 * sum(flags) / max(1, len(flags))


def table(title, rows, key):
    """Identical commands and mean wall times by some key; the ratio, candidate to git, is the geometric mean of the
    ratios of processor time, which bears a loaded machine and an oracle's answer from another day."""
    print(f"\n{title:<24}{'identical':>12}{'%':>8}{'git ms':>10}{'cand ms':>10}{'cpu ratio':>12}")
    for name, part in grouped(rows, key):
        same = [row["identical"] for row in part]
        git, candidate = (1000 * sum(row[k] for row in part) / len(part) for k in ("git_s", "candidate_s"))
        logs = [math.log(max(row["candidate_cpu"], 1e-4) / max(row["git_cpu"], 1e-4)) for row in part]
        count = f"{sum(same)}/{len(part)}"
        print(
            f"{name:<24}{count:>12}{share(same):>8.1f}{git:>10.1f}{candidate:>10.1f}"
            f"{math.exp(sum(logs) / len(logs)):>12.2f}"
        )


def options_of(row):
    """The options and kinds of argument of a command, without their values."""
    tokens = set(row["signature"].split()[1:]) - {"--", "<n>"}
    return {re.sub(r"=?<\w+>$", "=", token) if token[0] == "-" else token for token in tokens}


def report(records, show):
    rows = [row for row in records if "identical" in row]
    wrong = [row for row in rows if not row["identical"]]
    table("op", rows, lambda row: row["op"])
    table("tier", rows, lambda row: f"tier {row['tier']}")
    table("op and tier", rows, lambda row: f"{row['op']} tier {row['tier']}")
    table("repository", rows, lambda row: row["repo"])
    table("state", rows, lambda row: row["state"])
    uses = collections.Counter((row["op"], token) for row in rows for token in options_of(row))
    misses = collections.Counter((row["op"], token) for row in wrong for token in options_of(row))
    print("\noptions and arguments by mismatches (mismatches/uses):")
    for (op, token), count in misses.most_common(2 * show):
        print(f"  {f'{count}/{uses[op, token]}':>9}  {op} {token}")
    groups = grouped(wrong, lambda row: " ".join([f"tier {row['tier']}  {row['op']}", *sorted(options_of(row))]))
    print(f"\nmismatches by signature ({len(groups)} signatures, with the shortest example of each):")
    for signature, part in groups[:show]:
        row = min(part, key=lambda row: (row["bytes"], len(row["argv"])))
        print(
            f"  {len(part):>4} x {signature}\n         {row['repo']}/{row['state']}: git {shlex.join(row['argv'])}"
            f"\n         {row['reason']}"
        )
    noisy, late = [row for row in rows if row["stderr"]], sum(row["exit"] == "timeout" for row in rows)
    print(
        f"\nstderr text equal, not counted: {sum(row['stderr_same'] for row in noisy)}/{len(noisy)}; candidate timed "
        f"out: {late}; left out, as git is too slow or not stable: {len(records) - len(rows)}"
    )
    parts = [rows, [row for row in rows if row["tier"] == 1]]
    for name, part in zip(("all tiers", "tier 1"), parts):
        told = [row["identical"] for row in part if row["bytes"]]
        print(f"where git prints something, {name}: {sum(told)}/{len(told)} ({share(told):.1f}%)")
    every, first = [[row["identical"] for row in part] for part in parts]
    print(f"differential: {sum(every)}/{len(every)} identical ({share(every):.1f}%), tier1 {share(first):.1f}%")


# ------------------------------------------------------------------------------------------------------------ main
def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidate", help="command line of the candidate; git's arguments are added to it")
    parser.add_argument(
        "--inprocess",
        metavar="MODULE:FUNC",
        default="tests.live.differential.entry:run",
        help="call FUNC(argv, cwd) -> (status, stdout, stderr) instead of a command; default gitglass.git",
    )
    parser.add_argument("--repos", nargs="*", default=[], metavar="DIR", help="repositories to clone and measure on")
    parser.add_argument("--n", type=int, default=2000, help="number of commands")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--ops", help=f"comma-separated, or 'all' for the extra ones too; default {','.join(OPS)}")
    parser.add_argument("--tiers", default="1,2,3,4", help="comma-separated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60, help="seconds the candidate has for a command")
    parser.add_argument("--json", metavar="FILE", help="write every record there")
    parser.add_argument("--show", type=int, default=20, help="how many groups of mismatches to print")
    parser.add_argument("--list", type=int, metavar="K", help="print the K most frequent kinds of command, and stop")
    parser.add_argument(
        "--work",
        default=os.path.join(tempfile.gettempdir(), "lab", "diffrepos"),
        help="folder of the clones and of the oracle's answers; default %(default)s",
    )
    parser.add_argument(
        "--door",
        choices=["dulwich"],
        help="another way to ask: dulwich loads each repository into a MemoryRepo, which gitglass.open takes",
    )
    parser.add_argument("--rebuild", action="store_true", help="make the clones and states anew")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    options.git = False
    if options.door:
        options.inprocess = "tests.live.differential.dulwich_door:run"
    if options.candidate:
        options.inprocess = options.door = None
    if options.inprocess:
        module, _, function = options.inprocess.partition(":")
        sys.path.insert(0, os.getcwd())
        options.function = getattr(importlib.import_module(module), function)
    elif options.candidate:
        first, *rest = shlex.split(options.candidate)
        options.command = [os.path.abspath(shutil.which(first) or first), *rest]
        options.git = os.path.basename(first) == "git"
    return options


def main():
    options = parse()
    for name in ("home", ".oracle"):
        os.makedirs(os.path.join(options.work, name), exist_ok=True)
    options.version = ask_git(options.work, "--version")[0]
    with open(os.path.join(options.work, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if options.rebuild:
            for meta in glob.glob(os.path.join(options.work, "*", "*.json")):
                os.remove(meta)
        make = dulwich_door.states if options.door else build_all
        states = make(options.work, options.repos)
    every = dict(OPS, **EXTRA_OPS)
    names = every if options.ops == "all" else options.ops.split(",") if options.ops else OPS
    if set(names) - set(every):
        raise SystemExit(f"no such operations: {', '.join(set(names) - set(every))}")
    tiers = {int(tier): TIERS[int(tier)] for tier in options.tiers.split(",")}
    cases = generate(states, options.n, options.seed, {op: every[op] for op in names}, tiers, not options.list)
    if options.inprocess:  # which has no environment
        cases = [case for case in cases if not case.variables]
    if options.door:
        asked = len(cases)
        cases = [case for case in cases if dulwich_door.fits(case)]
        print(f"left out for the door: {asked - len(cases)} of {asked} commands", file=sys.stderr)
    if options.list:
        counts = collections.Counter(f"tier {case.tier}  {case.signature}" for case in cases)
        for signature, count in counts.most_common(options.list):
            print(f"{100 * count / len(cases):6.2f} %  {signature}")
        return
    groups = collections.defaultdict(list)
    for case in cases:
        groups[case.state.repo, case.state.name].append(case)
    ordered, records = sorted(groups.values(), key=len, reverse=True), []
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for part in pool.imap_unordered(functools.partial(compare, options), ordered):
            records += part
            print(f"\r{len(records)}/{len(cases)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    records.sort(key=lambda row: (row["repo"], row["state"], row["argv"]))
    if options.json:
        with open(options.json, "w") as stream:
            json.dump(records, stream, indent=0)
    report(records, options.show)


if __name__ == "__main__":
    main()
