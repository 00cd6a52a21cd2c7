"""Another process swaps files under a reader: links outwards, FIFOs, other contents, truncation.

`python -m tests.hostile.races 10000` makes ten thousand swaps; the suite makes a few hundred. The swapper is a process
of its own (`--swap`), so that the reader's guard sees only what the reader does.
"""

import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import gitglass
from gitglass.limits import Limits

from .craft import SECRET
from .observer import CALLS, COMMANDS, faults

ROOT = Path(__file__).resolve().parents[2]
ARCHIVES = {"plain": "", "packed": "", "linked": "wt", "submodule": ""}  # where in each the questions are asked
ABSENT = [
    ".git/commondir", ".git/config.worktree", ".git/objects/info/alternates", ".git/info/attributes", ".git/info/grafts", ".git/info/sparse-checkout", ".git/shallow", ".git/packed-refs", ".git/refs/stash",
    ".git/logs/refs/stash", ".gitignore", ".gitattributes", ".mailmap", "docs/.gitattributes", "src/.gitignore", ".git/objects/pack/multi-pack-index", ".git/objects/info/commit-graph",
]  # fmt: skip


def places(repo: Path) -> tuple[list[Path], list[Path]]:
    """What is swapped: files (a few of the loose objects), with what git would look for and is not there; folders."""
    files, folders, loose = [repo / name for name in ABSENT], [], 0
    for above, names, members in os.walk(repo):
        here = Path(above)
        is_fan = here.parent.name == "objects" and len(here.name) == 2
        names[:] = sorted(name for name in names if name not in ("hooks", "branches"))
        if here != repo and (not is_fan or loose < 6):
            folders.append(here)
        for member in sorted(members):
            loose += is_fan
            if not is_fan or loose < 6:
                files.append(here / member)
    return files, folders


def swap(repo: Path, outside: Path, count: int) -> None:
    """Swap and put back, `count` times."""
    random_ = random.Random(count)
    files, folders = places(repo)
    spare, aside = outside / "spare", outside / "aside"
    for _ in range(count):
        if random_.random() < 0.25:
            target = random_.choice(folders)
            os.rename(target, aside)
            spare.symlink_to(outside / "twin" / target.relative_to(repo))
            os.rename(spare, target)
            time.sleep(random_.random() * 0.002)
            os.unlink(target)
            os.rename(aside, target)
            continue
        target = random_.choice(files)
        if not target.parent.is_dir():
            continue
        kept = target.read_bytes() if target.is_file() and not target.is_symlink() else None
        link = os.readlink(target) if target.is_symlink() else None
        twin = outside / "twin" / target.relative_to(repo)
        _put(
            random_.choice(["link", "fifo", "secret link", "twin", "twin", "other", "cut", "folder", "gone"]),
            target,
            spare,
            twin if twin.exists() else outside / "secret",
            kept,
        )
        time.sleep(random_.random() * 0.002)
        if target.is_dir() and not target.is_symlink():
            os.rmdir(target)
        elif target.is_symlink() or target.exists():
            os.unlink(target)
        if link is not None:
            target.symlink_to(link)
        if kept is not None:
            spare.write_bytes(kept)
            os.rename(spare, target)


def _put(how: str, target: Path, spare: Path, twin: Path, kept: bytes | None) -> None:
    if how == "cut":
        if kept is not None:
            target.chmod(0o644)
            os.truncate(target, len(kept) // 3)  # in place: whoever reads it now holds the same file
        return
    if how in ("gone", "folder"):
        target.unlink(missing_ok=True)
        if how == "folder":
            target.mkdir()
        return
    if how == "fifo":
        os.mkfifo(spare)
    elif how == "other":
        spare.write_bytes(b"ref: refs/heads/main\n" + b"x" * 5000)
    else:
        spare.symlink_to({"secret link": spare.parent / "secret", "twin": twin}.get(how, Path("/etc/passwd")))
    os.rename(spare, target)


def twin(place: Path) -> None:
    """The same repository outside, whole, with the secret wherever text can stand: what leads there shows it."""
    secret = SECRET.decode()
    for above, _, members in os.walk(place):
        for member in members:
            path = Path(above) / member
            name = path.relative_to(place).as_posix()
            if path.is_symlink() or "/objects/" in name or path.name == "index":
                continue
            path.chmod(0o644)
            if ".git/" not in name and path.name != ".git":
                path.write_text(f"{secret}\n" if path.name != ".mailmap" else f"{secret} <a@example.com>\n")
            elif path.name == "config":
                path.write_text(path.read_text() + f"[secret]\n\tkey = {secret}\n[alias]\n\tx = {secret}\n")
            elif "/logs/" in name:
                path.write_text("".join(row.partition("\t")[0] + f"\t{secret}\n" for row in path.open()))
            elif path.name == "packed-refs":
                path.write_text(path.read_text() + f"{'1' * 40} refs/heads/{secret}\n")
            elif "/refs/" in name and not path.name.startswith(secret):
                shutil.copy(path, path.with_name(f"{secret}-{path.name}"))
            elif path.name == "exclude":
                path.write_text(f"{secret}\n*.md\n")


def read(repo: Path, running: subprocess.Popen[bytes], allowed: float, cwd: str = "") -> Iterator[str]:
    """Ask until the swapper is done: for each question what is wrong with the answer, "" where nothing is."""
    at = 0
    limits = Limits(timeout=5)
    place = repo / cwd
    handle: gitglass.Repository | None = None
    while running.poll() is None:
        argv = COMMANDS[at % len(COMMANDS)]
        at += 1
        began = time.monotonic()
        if at % 3 == 0:
            done = gitglass.git(argv, cwd=place, root=repo, limits=limits)
        else:
            try:
                handle = handle or gitglass.open(place, root=repo, limits=limits)
                done = handle.git(argv) if at % 3 == 1 else typed(handle, at, argv)
            except gitglass.GitError as error:
                done = gitglass.Completed(argv, 128, b"", error.words())
        wrong = [*faults(argv, done, time.monotonic() - began, allowed)]
        if b"root:x:0:0" in done.stdout + done.stderr:
            wrong.append(f"{argv}: /etc/passwd was told")
        yield "; ".join(wrong)


def typed(handle: gitglass.Repository, at: int, argv: list[str]) -> gitglass.Completed[bytes]:
    """The answer of a typed call, as text."""
    name, call = CALLS[at % len(CALLS)]
    return gitglass.Completed([name, *argv], 0, repr(call(handle)).encode("utf-8", "replace"), b"")


def race(archive: str, place: Path, count: int) -> tuple[Path, subprocess.Popen[bytes]]:
    """A repository under attack: (repository, the swapper)."""
    repo, outside = place / "jail", place / "outside"
    for where in (repo, outside / "twin"):
        with tarfile.open(ROOT / f"fixtures/archives/{archive}.tar.gz") as tar:
            tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
            tar.extractall(where)
    twin(outside / "twin")
    (outside / "secret").write_bytes(SECRET + b"\n")
    command = [sys.executable, "-m", "tests.hostile.races", "--swap", str(repo), str(outside), str(count)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return repo, subprocess.Popen(command, cwd=ROOT, env=environment)


def main() -> int:
    if sys.argv[1] == "--swap":
        swap(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
        return 0
    count = int(sys.argv[1])
    found: list[str] = []
    asked = 0
    for archive, cwd in ARCHIVES.items():
        with tempfile.TemporaryDirectory() as place:
            repo, running = race(archive, Path(place), count // len(ARCHIVES))
            for word in read(repo, running, 8.0, cwd):
                asked += 1
                if word:
                    found.append(f"{archive}: {word}")
            if running.returncode:
                found.append(f"{archive}: the swapper failed")
    print("\n".join(sorted(set(found))[:40]))
    print(f"{count} swaps, {asked} questions: {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
