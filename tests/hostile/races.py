"""Another process swaps files under a reader: links outwards, FIFOs, other contents, truncation.

`python -m tests.hostile.races 10000` makes ten thousand swaps; the suite makes a few hundred. The swapper is a process
of its own (`--swap`), so that the reader's guard sees only what the reader does.
"""

import os
import random
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
from .observer import COMMANDS, faults

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/refs/heads/main", ".git/info/exclude", ".git/logs/HEAD", ".gitignore", ".gitattributes", ".mailmap", "README.md", "src/app.py", ".git/objects/info/alternates", ".git/commondir",
    ".git/objects/pack/multi-pack-index", "PACK", "IDX", "GRAPH", "LOOSE",
]  # fmt: skip
FOLDERS = ["src", "docs", ".git/refs/heads", ".git/objects/pack", ".git/info", ".git/logs"]


def places(repo: Path) -> list[Path]:
    """What is swapped: the names above, and the packs there are."""
    objects = repo / ".git/objects"
    named = {
        "PACK": objects.glob("pack/*.pack"),
        "IDX": objects.glob("pack/*.idx"),
        "GRAPH": objects.glob("info/commit-graph*"),
        "LOOSE": objects.glob("??/*"),
    }
    found: list[Path] = []
    for name in FILES:
        found += sorted(path for path in named[name] if path.is_file())[:3] if name in named else [repo / name]
    return found


def swap(repo: Path, outside: Path, count: int) -> None:
    """Swap and put back, `count` times."""
    random_ = random.Random(count)
    files, folders = places(repo), [repo / name for name in FOLDERS]
    spare, aside = outside / "spare", outside / "aside"
    for _ in range(count):
        if random_.random() < 0.15:
            target = random_.choice(folders)
            if not target.exists():
                continue
            os.rename(target, aside)
            spare.symlink_to(outside)
            os.rename(spare, target)
            time.sleep(random_.random() * 0.002)
            os.unlink(target)
            os.rename(aside, target)
            continue
        target = random_.choice(files)
        kept = target.read_bytes() if target.exists() else None
        _put(
            random_.choice(["link", "fifo", "secret link", "other", "cut", "folder", "gone"]),
            target,
            spare,
            outside,
            kept,
        )
        time.sleep(random_.random() * 0.002)
        if target.is_dir() and not target.is_symlink():
            os.rmdir(target)
        elif target.is_symlink() or target.exists():
            os.unlink(target)
        if kept is not None:
            spare.write_bytes(kept)
            os.rename(spare, target)


def _put(how: str, target: Path, spare: Path, outside: Path, kept: bytes | None) -> None:
    if how == "cut":
        if kept is not None:
            target.chmod(0o644)
            os.truncate(target, len(kept) // 3)  # in place: whoever reads it now holds the same file
        return
    if how in ("gone", "folder"):
        if kept is not None:
            os.unlink(target)
        if how == "folder":
            target.mkdir()
        return
    if how == "fifo":
        os.mkfifo(spare)
    elif how == "other":
        spare.write_bytes(b"ref: refs/heads/main\n" + b"x" * 5000)
    else:
        spare.symlink_to(outside / "secret" if how == "secret link" else "/etc/passwd")
    os.rename(spare, target)


def read(repo: Path, running: subprocess.Popen[bytes], allowed: float) -> Iterator[str]:
    """Ask until the swapper is done; what was wrong."""
    at = 0
    limits = Limits(timeout=5)
    handle: gitglass.Repository | None = None
    while running.poll() is None:
        argv = COMMANDS[at % len(COMMANDS)]
        at += 1
        began = time.monotonic()
        if at % 2:
            done = gitglass.git(argv, cwd=repo, root=repo, limits=limits)
        else:
            try:
                handle = handle or gitglass.open(repo, root=repo, limits=limits)
            except gitglass.GitError:
                continue
            done = handle.git(argv)
        yield from faults(argv, done, time.monotonic() - began, allowed)
        if b"root:x:0:0" in done.stdout + done.stderr:
            yield f"{argv}: /etc/passwd was told"


def race(archive: str, place: Path, count: int, allowed: float) -> tuple[Path, subprocess.Popen[bytes]]:
    """A repository under attack: (repository, the swapper)."""
    repo, outside = place / "jail", place / "outside"
    with tarfile.open(ROOT / f"fixtures/archives/{archive}.tar.gz") as tar:
        tar.extractall(repo, filter="fully_trusted")
    outside.mkdir()
    for name in ("secret", "app.py", "HEAD", "main", "exclude"):
        (outside / name).write_bytes(SECRET + b"\n")
    command = [sys.executable, "-m", "tests.hostile.races", "--swap", str(repo), str(outside), str(count)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return repo, subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)


def main() -> int:
    if sys.argv[1] == "--swap":
        swap(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
        return 0
    count = int(sys.argv[1])
    found: list[str] = []
    for archive in ("plain", "packed"):
        with tempfile.TemporaryDirectory() as place:
            repo, running = race(archive, Path(place), count // 2, 8.0)
            found += [f"{archive}: {word}" for word in read(repo, running, 8.0)]
            if running.returncode:
                found.append(f"{archive}: the swapper failed")
    print("\n".join(sorted(set(found))[:40]))
    print(f"{count} swaps: {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
