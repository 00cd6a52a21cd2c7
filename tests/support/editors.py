"""An editor at work: it saves files, in place or by a rename, while operations run on them; no version may be lost.

The editor knows what each of its saves put an end to: it reads what stands in the very file that it writes into, or
that it gets in exchange. Every other version that it saved must be on disk, in an object, or in the operation log.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import gitglass
from gitglass.mutate.calls import Calls

from .kill_cases import after
from .kills import bytes_of, everything, plain
from .races import carry_on, ended, exchange, forked, mend
from .twins import START
from .writing import copy_of

FILES = ("README.md", "src/app.py", "docs/nonl.txt", "fresh.txt")
LINES = (
    "add -A", "commit -a -m m", "restore .", "stash push", "stash pop", "stash push -u", "stash pop", "reset --hard",
    "switch side", "switch main", "switch -f side", "switch -f main", "checkout HEAD~1 -- README.md", "reset --hard",
    "add README.md", "rm -f src/app.py", "reset --hard HEAD~1", "mv docs/nonl.txt docs/moved", "reset --hard",
)  # fmt: skip
MOST = 60  # operations in one repository: the log keeps a hundred


class Editor:
    """Saves versions of a few files, and writes down of each when it was saved and when it was overwritten by itself."""

    def __init__(self, repo: Path, notes: Path, seed: int) -> None:
        self._repo, self._notes, self._rng, self._number = repo, notes.open("ab", buffering=0), random.Random(seed), 0

    def save(self) -> None:
        """Save the next version of some file."""
        name = self._rng.choice(FILES)
        path, content = self._repo / name, b"version %d of %b\n" % (self._number, name.encode()) * 3
        self._number += 1
        try:
            (self._in_place if self._rng.random() < 0.5 else self._by_rename)(path, content)
        except OSError:
            pass  # its directory has just gone: nothing was saved

    def _in_place(self, path: Path, content: bytes) -> None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            before = os.read(fd, 1 << 20)
            self._note(b"over", before)
            os.pwrite(fd, content, 0)
            os.ftruncate(fd, len(content))
            self._note(b"saved", content)
        finally:
            os.close(fd)

    def _by_rename(self, path: Path, content: bytes) -> None:
        spare = self._repo.parent / f"spare-{self._number}"
        spare.write_bytes(content)
        try:
            if path.exists():
                exchange(spare, path)
                self._note(b"over", spare.read_bytes())
            else:
                os.link(spare, path)  # not where something has come meanwhile: that was not seen, and is not saved over
            self._note(b"saved", content)
        finally:
            spare.unlink()

    def _note(self, word: bytes, content: bytes) -> None:
        self._notes.write(word + b" " + content.hex().encode() + b"\n")


def edit(place: Path, operations: int, seed: int) -> tuple[Counter[str], list[str]]:
    """So many operations beside an editor, in repositories of their own: (what came of them, what is wrong)."""
    told, faults, turn = Counter[str](), [], 0
    while turn * MOST < operations:
        faults += _round(place / f"{turn}", min(MOST, operations), seed + turn, told)
        turn += 1
    return told, faults


def _round(place: Path, operations: int, seed: int, told: Counter[str]) -> list[str]:
    repo, notes, stop = copy_of("plain", place / "repo"), place / "notes", place / "stop"
    after("branch side HEAD~2")(repo)

    def work() -> None:
        editor, rng = Editor(repo, notes, seed), random.Random(seed)
        while not stop.exists():
            editor.save()
            time.sleep(rng.random() ** 2 * 0.06)

    child, faults, rng = forked(work), [], random.Random(-seed)
    for number in range(operations):
        try:
            told[carry_on(repo, rng.choice(LINES), START + number, Calls())] += 1
        except Exception as error:
            faults.append(f"raised {error!r}")
        mend(repo)
    stop.touch()
    faults += [] if ended([child]) else ["the editor died"]
    lost, saved = lost_versions(repo, notes)
    told["saved"] += saved
    return faults + [f"lost: {content[:40]!r}" for content in lost]


def lost_versions(repo: Path, notes: Path) -> tuple[list[bytes], int]:
    """(the versions that are nowhere and were not overwritten by the editor, how many it saved)."""
    rows = [line.split(b" ") for line in notes.read_bytes().splitlines()]
    over = {bytes.fromhex(row[1].decode()) for row in rows if row[0] == b"over" and row[1]}
    saved = [bytes.fromhex(row[1].decode()) for row in rows if row[0] == b"saved"]
    kept = {bytes_of(path) for path in everything(repo) if plain(path)}
    lost = []
    for content in saved:
        if content in over or content in kept:
            continue
        name = gitglass.git(["hash-object", "--stdin"], cwd=repo, stdin=content).stdout.decode().strip()
        if gitglass.git(["cat-file", "-e", name], cwd=repo).returncode:
            lost.append(content)
    return lost, len(saved)
