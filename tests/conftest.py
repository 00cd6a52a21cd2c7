"""Fixtures for all tests: the archives of fixtures/, unpacked once a session, and the guard.

The guard is an audit hook over what runs inside `watched(root)`: it fails a test on any process, any socket, any file
opened for writing, and any absolute path opened outside of `root` (and of Python's own library) while gitglass answers.

Properties draw the same examples in every run of a commit, so that a check that passed passes again anywhere;
`HYPOTHESIS_PROFILE=search` draws new ones, more of them (CONTRIBUTING.md).
"""

import os
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CATALOG: dict[str, Any] = tomllib.loads((FIXTURES / "catalog.toml").read_text())


@pytest.fixture(scope="session")
def unpack(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """unpack(name) → the directory that the archive's commands were recorded in. Read-only: shared by all tests."""
    made: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in made:
            place = tmp_path_factory.mktemp(name)
            with tarfile.open(FIXTURES / "archives" / f"{name}.tar.gz") as tar:
                tar.extractall(place, filter="fully_trusted")
            made[name] = place
        return made[name] / CATALOG["fixtures"][name].get("cwd", "")

    return get


# ------------------------------------------------------------------------------------------------------------ guard
class Guard:
    """The audit hook's state: active only while a call into gitglass is watched."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.seen: list[str] = []

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self.root is None:
            return
        if event in FORBIDDEN or event.startswith("socket."):
            self.seen.append(f"{event} {args!r:.200}")
        elif event == "open":
            path, mode, flags = args
            writes = isinstance(flags, int) and flags & (
                os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
            )
            if writes or (isinstance(mode, str) and set(mode) & set("wax+")):
                self.seen.append(f"write {path!r}")
            elif (
                isinstance(path, (str, bytes))
                and os.fsdecode(path).startswith("/")
                and not self.allowed(os.fsdecode(path))
            ):
                self.seen.append(f"outside {path!r}")

    def allowed(self, path: str) -> bool:
        return path.startswith(
            (self.root or "", sys.prefix, sys.base_prefix, SOURCE, "/usr/lib", "/usr/share/zoneinfo", "/etc/localtime")
        ) or path in ("/",)


FORBIDDEN = {
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.remove", "os.rename",
    "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "shutil.rmtree", "pty.spawn",
}  # fmt: skip
SOURCE = str(Path(__file__).resolve().parent.parent)
GUARD = Guard()
sys.addaudithook(GUARD.hook)


@pytest.fixture
def watched() -> Iterator[Any]:
    """watched(root): from here to the end of the test, nothing may be run, written, or opened outside of `root`."""
    GUARD.seen.clear()

    def start(root: Path | str) -> None:
        GUARD.root = str(root)

    yield start
    GUARD.root = None
    assert not GUARD.seen, GUARD.seen
