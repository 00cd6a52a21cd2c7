"""Stands in for `git` while git's own tests run: what only reads is asked of gitglass too (`tests.live.suite`).

The script is run by name and alone, without this package, and thousands of times: it imports little.
"""

import os
import socket
import sys
import time

_READS = """
annotate blame branch cat-file check-attr check-ignore check-mailmap check-ref-format cherry config count-objects
describe diff diff-files diff-index diff-tree for-each-ref format-patch fsck grep hash-object log ls-files ls-tree
merge-base merge-file merge-tree name-rev notes patch-id reflog remote rev-list rev-parse shortlog show show-ref stash
status stripspace submodule symbolic-ref tag var whatchanged worktree
"""
READS = frozenset(_READS.split())
#: the forms that read, of commands whose next word says what they do
FORMS = {
    "notes": ("list", "show", "get-ref"), "remote": ("-v", "get-url", "show"), "stash": ("list", "show"),
    "submodule": ("status", "summary"), "worktree": ("list",),
}  # fmt: skip
WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")
#: words that say that standard input is read, and commands that read it anyway
INPUT = ("--stdin", "--batch", "--annotate-stdin", "--contents=-", "--pathspec-from-file=-", "--file=-", "-f-")
READERS = ("patch-id", "shortlog", "stripspace")


def command_of(words: list[str]) -> tuple[str, list[str]]:
    """The command of a command line and the words behind it."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in WITH_VALUE else 1
    return (words[at], words[at + 1 :]) if at < len(words) else ("", [])


def only_reads(words: list[str]) -> bool:
    """Whether a command line is of those that are compared: gitglass refuses the others by name, and is not asked."""
    command, rest = command_of(words)
    forms = FORMS.get(command)
    return command in READS and (forms is None or (bool(rest) and rest[0] in forms))


def _reads_input(words: list[str]) -> bool:
    command, rest = command_of(words)
    return command in READERS or any(word == "-" or word.startswith(INPUT) for word in rest)


def _copy(source: int, target: int) -> None:
    while data := os.read(source, 1 << 16):
        while data:
            data = data[os.write(target, data) :]


def _keep_input(path: str) -> None:
    """Put standard input into a file, for both to read; where it is a file itself it stays at its place."""
    kept = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        place = os.lseek(0, 0, os.SEEK_CUR)
    except OSError:
        place = -1
    _copy(0, kept)
    os.lseek(0 if place >= 0 else kept, max(place, 0), os.SEEK_SET)
    if place < 0:
        os.dup2(kept, 0)
    os.close(kept)


def _ask(work: str, order: str) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(work + "/socket")
        line.sendall(os.fsencode(order))
        line.shutdown(socket.SHUT_WR)
        line.recv(1)


def _compared(real: str, work: str, words: list[str]) -> int:
    folder = f"{work}/calls/{os.getpid()}.{time.monotonic_ns()}"
    os.mkdir(folder)
    if _reads_input(words):
        _keep_input(folder + "/in")
    variables = [f"{name}={value}" for name, value in os.environ.items()]
    with open(folder + "/asked", "wb") as file:
        file.write(b"\0".join(map(os.fsencode, [os.getcwd(), str(len(words)), *words, *variables])))
    _ask(work, "answer " + folder)
    out, err = (os.open(f"{folder}/git.{name}", os.O_RDWR | os.O_CREAT, 0o600) for name in ("out", "err"))
    moves = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, err, 2)]
    inside = {**os.environ, "GITGLASS_SUITE": ""}  # what git starts is git
    status = os.waitpid(os.posix_spawn(real, ["git", *words], inside, file_actions=moves), 0)[1]
    code = os.waitstatus_to_exitcode(status)
    _ask(work, f"judge {code} {folder}")  # before anything is printed: the output may go into the work tree
    for source, target in ((err, 2), (out, 1)):
        os.lseek(source, 0, os.SEEK_SET)
        _copy(source, target)
    return code if code >= 0 else 128 - code


def main() -> None:
    """Be `git`, with the words and the environment that were given."""
    words, work, real = sys.argv[1:], os.environ.get("GITGLASS_SUITE", ""), os.environ["GITGLASS_SUITE_GIT"]
    os.environ.setdefault("GIT_EXEC_PATH", os.path.dirname(real))  # the tests forget it
    if not work or not only_reads(words):
        os.execv(real, ["git", *words])
    os._exit(_compared(real, work, words))


if __name__ == "__main__":
    main()
