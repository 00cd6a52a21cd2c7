"""Every option of every command, given to the installed git and to us: who takes it, and whether both answer the same.

    python -m tests.live.options --work DIR [--only COMMAND …] [--out FILE]

The options of a command are those of its usage, those that git's parser names for completion, what our requests
declare, the negation of each, all letters, and the options of revisions and of diffs for each command. Each is given
bare and with values. Where git writes, the option is left out. What differs is printed as
`command option: what git did | what we did`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import string
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gitglass
from gitglass.commands.registry import NAMES, forms, load
from gitglass.request.flag import spellings

#: the words after the option, by command; the first is the usual one
WORDS = {
    "annotate": ["HEAD", "--", "s"], "blame": ["HEAD", "--", "s"], "branch": [], "cat-file": ["HEAD"], "check-attr": ["-a", "f"],
    "check-ignore": ["f"], "check-mailmap": ["A <a@b>"], "check-ref-format": ["refs/heads/x"], "cherry": ["HEAD~1"],
    "config": ["user.name"], "count-objects": [], "describe": [], "diff": [], "diff-files": [],
    "diff-index": ["HEAD~1"], "diff-tree": ["HEAD"], "for-each-ref": [], "format-patch": ["-1", "--stdout"], "fsck": [],
    "grep": ["two"], "hash-object": ["f"], "log": ["-n", "2"], "ls-files": [], "ls-tree": ["HEAD"],
    "merge-base": ["HEAD", "side"], "merge-file": ["-p", "f", "f", "f"], "merge-tree": ["HEAD", "side"], "name-rev": ["HEAD"], "notes": ["list"], "patch-id": [], "reflog": [], "remote": [],
    "rev-list": ["HEAD"], "rev-parse": ["HEAD"], "shortlog": ["HEAD"], "show": [], "show-ref": [], "stash": ["list"],
    "status": [], "stripspace": [], "submodule": ["status"], "symbolic-ref": ["HEAD"], "tag": [],
    "var": ["GIT_PAGER"], "version": [], "whatchanged": [], "worktree": ["list"],
}  # fmt: skip
VALUES = ("1", "HEAD", "")
#: what git does elsewhere than on the screen, and what reads for ever
WRITING = {
    "branch": "-d -D -m -M -c -C -f -u -t --delete --move --copy --force --set-upstream --set-upstream-to "
    "--unset-upstream --edit-description --create-reflog --track --no-track --recurse-submodules",
    "config": "--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit --unset-a --remove-s",
    "tag": "-a -s -u -d -e -m -F -f --annotate --sign --local-user --delete --edit --message --file --force "
    "--create-reflog --cleanup --no-sign -v --verify",
    "symbolic-ref": "-d --delete -m",
    "fsck": "--lost-found",
    "hash-object": "-w",
    "worktree": "--force -f -b -B -d --detach",
    "show-ref": "--exclude-existing",
    "grep": "-O --open-files-in-pager -f",
}
EVERYWHERE = {"--output", "--output-directory", "-o", "--open-files-in-pager", "--help", "--ext-diff"}
_UNKNOWN = re.compile(
    rb"unknown option|unknown switch|unrecognized argument|invalid option|ambiguous option|usage: |unknown argument"
)
_BY_NAME = re.compile(rb"^error: gitglass \S+ does not take ")
_OPTION = re.compile(r"(?<![\w<-])(--(?:\[no-\])?[a-zA-Z][\w-]*|-[a-zA-Z0-9])(?![\w])")
ENVIRONMENT = {
    "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
    "GIT_PAGER": "cat", "GIT_OPTIONAL_LOCKS": "0", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip
SCRIPT = """
git init -q -b main . ; git config user.name C; git config user.email c@d; printf 'one\\ntwo\\n' > f; mkdir d; echo x > d/g; git add .; git commit -qm 'First'
git tag -a -m 'A tag' v1; git branch side; printf 'one\\ntwo \\nthree\\n' > f; git commit -qam 'Second: two'
git checkout -q side; echo s > s; git add s; git commit -qm 'Side'; git checkout -q main
git merge -q -m 'Merge' side; git mv d/g d/h; echo y >> d/h; git commit -qam 'Move'; git notes add -m 'A note'
echo 'stashed' >> f; git stash -q; echo 'staged' >> f; git add f; echo 'unstaged' >> f; echo u > untracked
printf '*.o\\n' > .gitignore; echo o > x.o; git update-ref refs/remotes/origin/main HEAD~1
git config remote.origin.url https://example.com/x; git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
git config branch.main.remote origin; git config branch.main.merge refs/heads/main
"""


def make(place: Path) -> Path:
    """The repository that is asked."""
    place.mkdir(parents=True)
    subprocess.run(["bash", "-ec", SCRIPT], cwd=place, env={**ENVIRONMENT, "HOME": str(place)}, check=True)
    return place


def _listed(text: str) -> set[str]:
    found = set()
    for word in _OPTION.findall(text):
        if "[no-]" in word:
            found.add(word.replace("[no-]", "no-"))
        found.add(word.replace("[no-]", ""))
    return found


def _common() -> set[str]:
    """The options of revisions and of diffs."""
    return {word for name in ("log", "diff", "rev-list", "diff-tree") for word in spellings(load(name).COMMAND.request)}  # type: ignore[union-attr]


def candidates(name: str, cwd: Path) -> list[str]:
    """The options that a command is asked for."""
    found = {f"-{letter}" for letter in string.ascii_letters + string.digits}
    for words in (["-h"], ["--git-completion-helper-all"]):
        done = subprocess.run(["git", name, *words], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
        found |= _listed(done.stdout + done.stderr)
        found |= {word.split("=")[0] for word in done.stdout.split() if word.startswith("--") and len(word) > 2}
    commands = [load(name).COMMAND, *forms(name).values()]  # type: ignore[union-attr]
    found |= {word for command in commands for word in spellings(command.request)} | _common()
    found |= {f"--no-{word[2:]}" for word in found if word.startswith("--") and not word.startswith("--no-")}
    found |= {f"--{word[5:]}" for word in found if word.startswith("--no-")}
    found = {word for word in found if word.startswith("-") and word not in ("-NUM", "--", "-", "-h")}
    return sorted(found - set(WRITING.get(name, "").split()) - EVERYWHERE)


def lines_of(name: str, option: str) -> list[list[str]]:
    """The command lines that ask for one option."""
    forms_of = [option, *(f"{option}={value}" if option.startswith("--") else option + value for value in VALUES)]
    words = WORDS[name]
    if name in ("stash", "submodule", "worktree", "notes"):
        return [[name, *words, form] for form in dict.fromkeys(forms_of)]
    return [[name, form, *words] for form in dict.fromkeys(forms_of)]


def _short(code: object, out: bytes, err: bytes) -> str:
    first = (err.splitlines() or [b""])[0].decode("utf-8", "replace")
    return f"{code} {first[:90]}" + (f" [{len(out)} bytes]" if out else "")


def refused(code: object, out: bytes, err: bytes) -> bool:
    """Whether an answer says that there is no such option."""
    return code in (128, 129, 2) and _UNKNOWN.search((err.splitlines() or out.splitlines() or [b""])[0]) is not None


def ask_git(argv: list[str], cwd: Path) -> tuple[object, bytes, bytes]:
    try:
        done = subprocess.run(
            ["git", *argv], cwd=cwd, env=ENVIRONMENT, capture_output=True, stdin=subprocess.DEVNULL, timeout=20
        )
    except subprocess.TimeoutExpired:
        return "timeout", b"", b""
    return done.returncode, done.stdout, done.stderr


def compare(name: str, cwd: Path) -> tuple[int, list[tuple[str, str, str]]]:
    """(how many command lines were asked, those that differ: the kind, the words, what both did)."""
    lines = [line for option in candidates(name, cwd) for line in lines_of(name, option)]
    with ThreadPoolExecutor(2) as pool:
        theirs = list(pool.map(lambda line: ask_git(line, cwd), lines))
    differing = []
    for line, git in zip(lines, theirs, strict=True):
        done = gitglass.git(line, cwd=cwd, input=b"", timeout=20)
        ours = (done.returncode, done.stdout, done.stderr)
        kind = kind_of(git, ours)
        if kind:
            differing.append((kind, " ".join(line), f"{_short(*git)} | {_short(*ours)}"))
    return len(lines), differing


def kind_of(git: tuple[object, bytes, bytes], ours: tuple[object, bytes, bytes]) -> str:
    """How two answers differ; empty where they do not."""
    if refused(*git) and refused(*ours) and not _BY_NAME.search(ours[2]):
        return "" if git[0] == ours[0] else "status of the refusal"
    if _BY_NAME.search(ours[2]):
        return "" if refused(*git) else "refused by name"
    if refused(*ours):
        return "only git takes it"
    if refused(*git):
        return "only we take it"
    if git[:2] != ours[:2]:
        return "another answer"
    return ""


def classes(name: str, differing: list[tuple[str, str, str]]) -> set[str]:
    """What differs, an option a line: `command option: how`; numbers stand for each other."""
    found = set()
    for kind, line, _ in differing:
        words = line.split()
        option = next(word for word in words[1:] if word.startswith("-") and word not in WORDS[name])
        option = option.split("=")[0] if option.startswith("--") else re.sub("[0-9]", "N", option[:2])
        found.add(f"{name} {option}: {kind}")
    return found


def reasons(path: Path) -> dict[str, str]:
    """The rows of a list of what differs, and why each does: a word for the class, a colon, and the rest in a sentence."""
    rows = path.read_text().splitlines() if path.exists() else []
    return {row: why for row, _, why in (line.partition(" | ") for line in rows)}


def main() -> int:
    words = argparse.ArgumentParser()
    words.add_argument("--work", type=Path, required=True)
    words.add_argument("--only", nargs="*", default=sorted(set(NAMES) & set(WORDS)))
    words.add_argument("--out", type=Path)
    words.add_argument("--known", type=Path, help="write what differs, a line for each option; reasons stay")
    given = words.parse_args()
    shutil.rmtree(given.work, ignore_errors=True)
    cwd = make(given.work)
    os.environ.update(ENVIRONMENT)
    total, kinds, rows, known = 0, Counter[str](), [], []
    for name in given.only:
        asked, differing = compare(name, cwd)
        total += asked
        kinds.update(kind for kind, _, _ in differing)
        rows += [f"{kind}: {line}: {what}" for kind, line, what in differing]
        known += sorted(classes(name, differing))
        print(name, asked, len(differing), flush=True)
    (given.out.write_text if given.out else sys.stdout.write)("\n".join(rows) + "\n")
    if given.known:
        why = reasons(given.known)
        given.known.write_text("".join(f"{row} | {why.get(row, '')}\n" for row in known))
    print(total, dict(kinds), len(known))
    return bool(rows)


if __name__ == "__main__":
    sys.exit(main())
