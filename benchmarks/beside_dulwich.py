#!/usr/bin/env python3
"""Each larger piece of ours that stands beside one of dulwich's: the same question to both, processor time in pairs.

    python benchmarks/beside_dulwich.py --repo DIR [--rounds 5] [--only objects,refs]

DIR is a clone with a work tree; it is only read. Every measurement is a process of its own (imports are not counted), the
two sides of a pair run back to back, the answers are compared, and the median ratio is reported. docs/design/dulwich.md
has the table and says why each piece stands there.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

PRELUDE = """
import hashlib, io, json, os, sys, time
import dulwich.repo, dulwich.walk, dulwich.porcelain, dulwich.config, dulwich.ignore, dulwich.diff_tree, dulwich.annotate
import gitglass, gitglass.repository, gitglass.cli.answer
path = sys.argv[1]
def ours(): return gitglass.open(path, limits=gitglass.Limits.generous())
def theirs(): return dulwich.repo.Repo(path)
def done(count):
    print(json.dumps([time.process_time() - begun, count]))
    sys.stdout.flush(); os._exit(0)
for words in (  # so that every module is loaded
    ["rev-list", "-n", "1", "HEAD"], ["rev-list", "-n", "1", "HEAD", "--", FILE], ["log", "-n", "1", "--raw"],
    ["blame", "-s", "-L", "1,1", "HEAD", "--", README], ["check-ignore", "--no-index", "x"], ["status", "-uno"], ["ls-tree", "HEAD"],
):
    ours().git(words)
begun = time.process_time()
"""

#: question: (what it is, ours, dulwich's); each ends with `done(what both have to agree on)`
QUESTIONS = {
    "objects": (
        "object database: every object of HEAD's last 300 trees",
        """
odb = ours().store.odb
names = ours().git(["rev-list", "--objects", "-n", "300", "HEAD"]).stdout.split(b"\\n")
names = [line[:40] for line in names if line]
begun = time.process_time()
done([len(names), sum(len(odb.read_raw(bytes.fromhex(name.decode()))[1]) for name in names)])
""",
        """
names = ours().git(["rev-list", "--objects", "-n", "300", "HEAD"]).stdout.split(b"\\n")
names = [line[:40] for line in names if line]
begun = time.process_time()
store = theirs().object_store
done([len(names), sum(len(store.get_raw(name)[1]) for name in names)])
""",
    ),
    "one object": (
        "object database: HEAD's tree, from a fresh handle",
        'store = ours().store\ndone(len(store.odb.tree(store.odb.commit(store.refs.read(b"HEAD")).tree)))',
        'repo = theirs()\ndone(len(repo[repo[b"HEAD"].tree].as_raw_string()))',
    ),
    "refs": (
        "refs: all of them with their oids",
        "done(len(list(ours().store.refs.iterate())))",
        'done(len([name for name in theirs().refs.as_dict() if name.startswith(b"refs/")]))',
    ),
    "config": (
        "configuration: one value of the repository's file, 200 fresh handles",
        'for _ in range(200):\n    value = ours().store.config.get_string("remote.origin.url")\ndone(len(value))',
        'for _ in range(200):\n    value = theirs().get_config().get((b"remote", b"origin"), b"url")\ndone(len(value))',
    ),
    "index": (
        "index: all entries, 20 fresh handles",
        "for _ in range(20):\n    index = ours().store.index\n    count = len([index.entry(at) for at in range(len(index))])\ndone(count)",
        "for _ in range(20):\n    count = len(theirs().open_index())\ndone(count)",
    ),
    "walk": (
        "walker: the commits of HEAD's history",
        'done(ours().git(["rev-list", "HEAD"]).stdout.count(b"\\n"))',
        "done(sum(1 for _ in theirs().get_walker()))",
    ),
    "path": (
        "walker: the last 20 commits that changed one path, as git simplifies history",
        'done(ours().git(["rev-list", "-n", "20", "HEAD", "--", FILE]).stdout.count(b"\\n"))',
        "done(sum(1 for _ in theirs().get_walker(paths=[FILE.encode()], max_entries=20, simplify_history=True)))",
    ),
    "trees": (
        "diff: the changed paths of the last 300 commits without merges",
        """
found = ours().git(["log", "-n", "300", "--no-merges", "--first-parent", "--no-renames", "--raw", "--format="]).stdout
done(found.count(b"\\n:") + found.startswith(b":"))
""",
        """
repo = theirs()
names = ours().git(["rev-list", "-n", "300", "--no-merges", "--first-parent", "HEAD"]).stdout.split()
begun = time.process_time()
count = 0
for name in names:
    commit = repo[name]
    parent = repo[commit.parents[0]].tree if commit.parents else None
    count += sum(1 for _ in dulwich.diff_tree.tree_changes(repo.object_store, parent, commit.tree))
done(count)
""",
    ),
    "blame": (
        "line diff: who wrote the lines of one file (README)",
        'done(ours().git(["blame", "-s", "HEAD", "--", README]).stdout.count(b"\\n"))',
        "repo = theirs()\ndone(len(dulwich.annotate.annotate_lines(repo.object_store, repo.head(), README.encode())))",
    ),
    "ignore": (
        "ignore: 20,000 paths against the rules of the work tree",
        """
paths = [f"d{n % 50}/sub/file{n}.pyc" if n % 2 else f"src/f{n}.txt" for n in range(20000)]
words = "\\0".join(paths).encode()
begun = time.process_time()
found = ours().git(["check-ignore", "--no-index", "-z", "--stdin"], stdin=words)
done(found.stdout.count(b"\\0"))
""",
        """
paths = [f"d{n % 50}/sub/file{n}.pyc" if n % 2 else f"src/f{n}.txt" for n in range(20000)]
begun = time.process_time()
rules = dulwich.ignore.IgnoreFilterManager.from_repo(theirs())
done(sum(1 for path in paths if rules.is_ignored(path)))
""",
    ),
    "status": (
        "work tree: status",
        'done(len(ours().git(["status", "--porcelain", "-uno"]).stdout.splitlines()))',
        """
found = dulwich.porcelain.status(path, untracked_files="no")
done(sum(map(len, found.staged.values())) + len(found.unstaged))
""",
    ),
}


def measure(code: str, path: str) -> tuple[float, object]:
    """(seconds of processor time, answer) of one side."""
    done = subprocess.run([sys.executable, "-c", code, path], stdout=subprocess.PIPE, check=True)
    seconds, answer = json.loads(done.stdout)
    return seconds, answer


def git(path: str, *argv: str) -> list[str]:
    """The lines gitglass itself answers, to choose files by."""
    import gitglass

    return gitglass.open(path).git(argv, text=True).stdout.splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(QUESTIONS))
    options = parser.parse_args()
    files = [path for path in git(options.repo, "ls-files") if path.endswith((".py", ".c", ".md", ".rst"))]
    readme = next((path for path in files if path.lower().startswith("readme")), files[0])
    recent = git(options.repo, "log", "-n", "200", "--name-only", "--format=")
    busy = max(set(filter(None, recent)) & set(files), key=recent.count)
    print(f"{'':<84}{'dulwich ms':>12}{'ours ms':>10}{'ratio':>8}")
    for name in options.only.split(","):
        words, ours, theirs = QUESTIONS[name]
        sides = [
            (PRELUDE + code).replace("FILE", repr(busy)).replace("README", repr(readme)) for code in (ours, theirs)
        ]
        pairs, same = [], True
        for _ in range(options.rounds):
            one, other = (measure(code, options.repo) for code in sides)
            pairs.append((other[0], one[0]))
            same = same and one[1] == other[1]
        ratio = statistics.median(other / one for other, one in pairs)
        their_ms, our_ms = (1000 * statistics.median(side) for side in zip(*pairs, strict=True))
        print(f"{words:<84}{their_ms:>12.1f}{our_ms:>10.1f}{ratio:>8.1f}{'' if same else '   ≠'}", flush=True)


if __name__ == "__main__":
    main()
