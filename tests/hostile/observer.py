"""What is asked of every hostile repository, and how an answer is judged."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.copies import copy_tree
from tests.support.pace import is_too_long

import gitglass
from gitglass.limits import Limits

from .craft import SECRET, Member

#: Every command that reads, in the forms that reach different code.
COMMANDS = [line.split() for line in """
status
status --porcelain=v2 --branch --ignored --show-stash -uall
status -s -b --renames
status -v -v
log --oneline --graph -n 30
log -p --all -n 5
log --stat --summary -n 5 --format=fuller
log --format=%H%x00%an%x00%ad%x00%s%x00%D%x00%N%x00%GG%(trailers)%(describe) -n 5
log -n 3 --color-words --word-diff=color -p
log --follow -n 5 -- README.md
log -L1,3:README.md -n 3
log -S x -n 5 --oneline
log -G (a+)+$ -n 5 --oneline
log -E --grep (a|b)*c -n 5 --oneline
log -c -n 3
log -m --name-status -n 3 --date=iso -M -C
log --all --simplify-by-decoration --oneline -n 20
log -g -n 5
log --merges --cherry-mark HEAD...HEAD~2 --oneline
rev-list --all --objects -n 50
rev-list --count HEAD
rev-list --left-right --boundary HEAD~1...HEAD
show
show HEAD:README.md
show --stat HEAD v1.0 v2.0
show HEAD^{tree}
diff
diff HEAD
diff --cached --stat
diff HEAD~1 HEAD -w --patience
diff --histogram -M10% -C -B HEAD~2
diff --word-diff HEAD
diff --color=always --color-moved=zebra HEAD~1
diff --check HEAD
diff --shortstat --dirstat HEAD~1
diff -G x --numstat HEAD
diff-index HEAD
diff-index --cached -p HEAD
diff-files -p
diff-tree -r -p HEAD
diff-tree -r --root --stat HEAD
blame README.md
blame -C -C -w --line-porcelain HEAD -- README.md
annotate README.md
ls-files -s --debug
ls-files -s -v
ls-files -o --exclude-standard --directory
ls-files -c -d -m -k -t
ls-files -u
ls-tree -r -l -t HEAD
ls-tree -z HEAD
cat-file -p HEAD
cat-file -t HEAD^{tree}
cat-file -s HEAD:README.md
cat-file -p odd
cat-file --batch-check --batch-all-objects
rev-parse HEAD HEAD^{tree} --show-toplevel --git-dir
rev-parse --abbrev-ref HEAD @{u}
rev-parse --all --symbolic
rev-parse :/First HEAD@{1} HEAD~3^2
branch -avv
branch --contains HEAD
branch --merged
tag -n9
tag --contains HEAD~1 --sort=-version:refname
for-each-ref --format=%(refname)%00%(objecttype)%00%(contents)%00%(upstream:track)%00%(authordate:relative)
for-each-ref --sort=-committerdate --count=20
show-ref -d
show-ref --head
symbolic-ref HEAD
describe --always --dirty --all
describe --tags --long --abbrev=40
name-rev --tags HEAD
merge-base HEAD HEAD~1
merge-base --all --octopus HEAD v1.0
shortlog -s -n -e HEAD
shortlog HEAD
fsck
fsck --unreachable --root --tags --strict --no-reflogs HEAD
notes list
notes show HEAD
count-objects -v
check-ref-format --branch @{-1}
check-mailmap <a@b>
hash-object README.md src/app.py
format-patch --stdout -3 --attach --notes
format-patch --stdout HEAD~2 --ignore-if-in-upstream
reflog
reflog show main
stash list
stash show -p
remote -v
config --list --show-origin
config --get-regexp .*
config --get-all core.abbrev
check-ignore -v -n README.md src/x a/b/c
check-attr -a README.md src/app.py
grep -n -E (a+)+$
grep -c x HEAD
grep --untracked -l .
cherry -v HEAD~1 HEAD
var GIT_AUTHOR_IDENT
compare HEAD~1 HEAD
""".strip().splitlines()]  # fmt: skip

#: What must be answered as in the clean repository, where the member spoils something else.
TRUTH = [line.split() for line in """
log -n 5 --format=%H%x00%an%x00%s heads/main
ls-tree -r heads/main
show heads/main:docs/nonl.txt
cat-file -p heads/main
merge-base heads/main heads/topic
""".strip().splitlines()]  # fmt: skip

STATUSES = {0, 1, 2, 6, 124, 128, 129, 255}


def may_end(argv: Sequence[str], status: int) -> bool:
    """Whether a command line may end so: the statuses of fsck are made of bits."""
    return status in STATUSES or ("fsck" in argv and 0 < status < 64)


#: The library's own calls, typed.
CALLS: list[tuple[str, Callable[[gitglass.Repository], Any]]] = [
    ("status", lambda repo: repo.status()), ("log", lambda repo: repo.log(max_count=5)), ("show", lambda repo: repo.show("HEAD")), ("diff", lambda repo: repo.diff("HEAD")),
    ("diff of commits", lambda repo: repo.diff("HEAD~1", "HEAD")), ("blame", lambda repo: repo.blame("README.md")), ("branch", lambda repo: repo.branch(all=True)), ("tag", lambda repo: repo.tag()),
    ("for_each_ref", lambda repo: repo.for_each_ref()), ("remote", lambda repo: repo.remote()), ("ls_files", lambda repo: repo.ls_files()), ("ls_tree", lambda repo: repo.ls_tree("HEAD")),
    ("cat_file", lambda repo: repo.cat_file("HEAD")), ("rev_parse", lambda repo: repo.rev_parse("HEAD")), ("rev_list", lambda repo: repo.rev_list("HEAD", max_count=5)), ("merge_base", lambda repo: repo.merge_base("HEAD", "HEAD~1")),
    ("describe", lambda repo: repo.describe(always=True)), ("name_rev", lambda repo: repo.name_rev("HEAD")), ("shortlog", lambda repo: repo.shortlog("HEAD")), ("reflog", lambda repo: repo.reflog(max_count=5)),
    ("stash_list", lambda repo: repo.stash_list()), ("stash_show", lambda repo: repo.stash_show()), ("verify", lambda repo: repo.verify()),
]  # fmt: skip


def is_refused_in_silence(argv: Sequence[str]) -> bool:
    """Strange but git's: format-patch refuses a `--thread=<style>` that it does not know without a word."""
    return "format-patch" in argv and any(word.startswith("--thread=") for word in argv)


def faults(argv: Sequence[str], done: gitglass.Completed[bytes], seconds: float, allowed: float) -> Iterator[str]:
    """What is wrong with an answer of the command line's kind."""
    said = done.stdout + done.stderr
    if SECRET in said:
        yield f"{argv}: the secret was told"
    if b"Traceback" in said or b"internal error" in done.stderr:
        yield f"{argv}: {done.stderr[:300]!r}"
    if not may_end(argv, done.returncode):
        yield f"{argv}: exit status {done.returncode}"
    if done.returncode not in (0, 1) and not said and not is_refused_in_silence(argv):
        yield f"{argv}: exit status {done.returncode} without a word"
    if is_too_long(seconds, allowed, time.monotonic):
        yield f"{argv}: took {seconds:.2f} s of {allowed:.2f}"


def ask(repo: Path, argv: Sequence[str], limits: Limits, allowed: float) -> Iterator[str]:
    """Ask one command line in this process, the repository being the root."""
    began = time.monotonic()
    codes: list[str] = []
    words = gitglass.GitError.words
    gitglass.GitError.words = lambda error: codes.append(error.code) or words(error)  # type: ignore[func-returns-value,method-assign,assignment]
    try:
        done = gitglass.git(argv, cwd=repo, root=repo, limits=limits)
    except BaseException as error:
        yield f"{argv}: raised {error!r}"
        return
    finally:
        gitglass.GitError.words = words  # type: ignore[method-assign]
    if "internal" in codes:
        yield f"{argv}: an error of the code 'internal': {done.stderr[-200:]!r}"
    yield from faults(argv, done, time.monotonic() - began, allowed)


def ask_library(repo: Path, limits: Limits, allowed: float, calls: Sequence[int]) -> Iterator[str]:
    """Ask the typed library through one handle."""
    try:
        handle = gitglass.open(repo, root=repo, limits=limits)
    except gitglass.GitError as error:
        if SECRET.decode() in error.message or "internal error" in error.message:
            yield f"open: {error}"
        return
    for name, call in (CALLS[at % len(CALLS)] for at in calls):
        began = time.monotonic()
        try:
            answer = repr(call(handle))
        except gitglass.GitError as error:
            answer = error.message
            if error.code == "internal":
                yield f"{name}: an error of the code 'internal': {answer}"
        except Exception as error:
            yield f"{name}: raised {error!r}"
            continue
        if SECRET.decode() in answer:
            yield f"{name}: the secret was told"
        if is_too_long(seconds := time.monotonic() - began, allowed, time.monotonic):
            yield f"{name}: took {seconds:.2f} s of {allowed:.2f}"


def ask_truth(repo: Path, clean: Path, limits: Limits, argv: Sequence[str]) -> Iterator[str]:
    """The answer must be that of the clean repository."""
    done = gitglass.git(argv, cwd=repo, root=repo, limits=limits)
    expected = gitglass.git(argv, cwd=clean, root=clean)
    if (done.returncode, done.stdout) != (expected.returncode, expected.stdout):
        yield f"{argv}: not the clean repository's answer: {done.returncode} {done.stderr[:300]!r}"


def snapshot(repo: Path) -> list[tuple[str, int, int]]:
    """Every path with its size and time of change."""
    found = []
    for folder, _, names in os.walk(repo):
        for path in (os.path.join(folder, name) for name in names):
            stat = os.lstat(path)
            found.append((path, stat.st_size, stat.st_mtime_ns))
    return sorted(found)


def prepare(member: Member, clean: Path, place: Path) -> tuple[Path, Path]:
    """(repository, directory outside of it) of a member, made from the clean repository."""
    repo, outside = place / "jail" / "repo", place / "outside"
    outside.mkdir(parents=True)
    copy_tree(clean, repo)  # members replace files, they never write into those that are there
    (outside / "secret").write_bytes(SECRET + b"\n")
    member.build(repo, outside)
    return repo, outside


def take_away(place: Path) -> None:
    """Delete a member with all that was made for it, directories that may not be entered included."""
    waiting = [os.fspath(place)]
    while waiting:
        here = waiting.pop()
        try:
            os.chmod(here, 0o700)
            with os.scandir(here) as entries:
                waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
    shutil.rmtree(place, ignore_errors=True)
