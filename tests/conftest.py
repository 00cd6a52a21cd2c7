"""Fixtures for all tests: the archives of fixtures/, unpacked once a session, and the guard.

The guard is an audit hook. In every test it fails on any process, socket or write that code of gitglass is behind, and
on any absolute path outside of the temporary directories (and of Python's own library) that it opens; inside
`watched(root)` on those of any code, and on any absolute path outside of `root`.

Properties draw the same examples in every run of a commit, so that a check that passed passes again anywhere;
`HYPOTHESIS_PROFILE=search` draws new ones, more of them, and `HYPOTHESIS_MAX_EXAMPLES=10000` as many as that of every
property, of those too that are content with few otherwise (CONTRIBUTING.md).
"""

import gc
import os
import signal
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from .support.histories import history, make_history, named, oid_of  # noqa: F401
from .support.object_files import builder, builder256, new_builder, packing  # noqa: F401
from .support.quick import is_quick
from .support.reports import only_what_counts, run_reporting_what_counts
from .support.scratch import write_into_memory

settings.register_profile(
    "same", max_examples=50, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# for the mutation check, which wants to know that a test fails, and no smallest example
settings.register_profile("unshrunk", settings.get_profile("same"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("search", max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

MAX_EXAMPLES = os.environ.get("HYPOTHESIS_MAX_EXAMPLES")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m quick` the files that are not quick are left alone."""
    if config.option.markexpr == "quick" and collection_path.suffix == ".py":
        return not is_quick(collection_path) or None
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_quick(item.path):
            item.add_marker(pytest.mark.quick)
    for item in items if MAX_EXAMPLES else ():
        test = getattr(item, "obj", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and test is not None:
            function = getattr(test, "__func__", test)
            function._hypothesis_internal_use_settings = settings(
                own, max_examples=int(MAX_EXAMPLES or 0), derandomize=False, suppress_health_check=list(HealthCheck)
            )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    return run_reporting_what_counts(item, nextitem) if only_what_counts(item.config) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """As with `--dist=worksteal`, where `-n` alone is given: each worker has a long run of neighbours, so that what a
    module makes once is made by one of them."""
    from xdist.scheduler import WorkStealingScheduling  # not everybody who runs a test has it

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


gc.disable()  # what is collected stays; `pytest_collection_finish` has the collector begin
# No test can tell what would outlive a power cut, and to wait for the disk takes longer than all else of a small write.
os.fsync = os.fstat  # type: ignore[assignment]
# The suite starts hundreds of Pythons; each would compile gitglass anew where an image of a container sets this.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell has what it starts in the background ignore this, and so would every program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
write_into_memory()

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
                tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
                tar.extractall(place)
            made[name] = place
        return made[name] / CATALOG["fixtures"][name].get("cwd", "")

    return get


# ------------------------------------------------------------------------------------------------------------ guard
class Guard:
    """The audit hook's state: the place that is watched, and what was seen that must not be."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.writes = False  # whether gitglass may write below the temporary directories
        self.runs = False  # whether granted programs may be started
        self.programs: set[object] = set()  # files beyond the temporary directories that may be read for that
        self.started: list[str] = []  # those that were, by the first words of their command lines
        self.loopback = False  # whether it may talk to a server of the test's own
        self.seen: list[str] = []

    def allows(self, event: str, args: tuple[Any, ...]) -> bool:
        """Whether the test's marks allow an event that is forbidden otherwise."""
        if self.runs and event == "subprocess.Popen":
            self.started.append(os.fsdecode(args[1][0]))
            return True
        if self.writes and event in CHANGES:
            return True  # by directory descriptor: `test_door` holds that nothing outside is reached
        if self.loopback and event.startswith("socket."):
            return event != "socket.connect" or args[1][0] in ("127.0.0.1", "::1")
        return False

    def opened(self, path: object, mode: object, flags: object) -> str | None:
        """What is wrong with opening a file: that it is a write, or outside; None where it is not."""
        if self.runs and (path == os.devnull or isinstance(path, int) or path in self.programs):
            return None  # no input, a pipe, or a program that is proven
        name = path if isinstance(path, str) else os.fsdecode(path) if isinstance(path, bytes) else None
        if (isinstance(flags, int) and flags & WRITING) or (isinstance(mode, str) and not MODES.isdisjoint(mode)):
            return None if self.writes and name is not None and not name.startswith("/") else "write"
        if name is None or not name.startswith("/") or name == "/":
            return None
        if self.writes and name.startswith("/proc/") and isinstance(path, str):
            return None
        inside = name.startswith(self.root) if self.root else name.startswith(SCRATCH)
        return None if inside or name.startswith(LIBRARY) else "outside"


def by_gitglass() -> bool:
    """Whether a function of gitglass is being called, from a test or a fixture."""
    frame = sys._getframe(2)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")  # to look at the code of a frame would call the hook again
        if module in CALLERS:
            return False  # the test writes something itself, which most of them do many times: all below is pytest
        if module == "gitglass" or module.startswith("gitglass."):
            return frame.f_code.co_name != "<module>"  # importing writes no more than Python's own byte code
        frame = frame.f_back
    return False


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FORBIDDEN = {
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.remove", "os.rename",
    "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "shutil.rmtree", "pty.spawn",
}  # fmt: skip
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.utime"}
MODES = frozenset("wax+")  # of `open`, that write
SCRATCH = (tempfile.gettempdir(), os.path.realpath(tempfile.gettempdir()))
CALLERS = {"_pytest.python", "_pytest.fixtures"}
KINDS = {"open": "open"}  # of events, "" for those that may always be
PRODUCT = os.path.dirname(str(find_spec("gitglass").origin)) + os.sep
SOURCE = str(Path(__file__).resolve().parent.parent)
LIBRARY = (sys.prefix, sys.base_prefix, SOURCE, PRODUCT, "/usr/lib", "/usr/share/zoneinfo", "/etc/localtime")
GUARD = Guard()


def hook(event: str, args: tuple[Any, ...]) -> None:
    """Called for everything that any code does: what is none of the guard's business leaves at once. A plain function,
    since Python takes three times as long to call a method."""
    kind = KINDS.get(event)
    if kind is None:
        kind = KINDS[event] = "other" if event in FORBIDDEN or event.startswith("socket.") else ""
    if not kind:
        return
    if kind == "open":
        seen = GUARD.opened(*args)
        if seen is not None and (GUARD.root is not None or by_gitglass()):
            GUARD.seen.append(f"{seen} {args[0]!r}")
    elif not GUARD.allows(event, args) and (GUARD.root is not None or by_gitglass()):
        GUARD.seen.append(f"{event} {args!r:.200}")


sys.addaudithook(hook)


def pytest_collection_finish() -> None:
    """What pytest compiled of the tests is written down for the next run. In the tests modules are loaded when they are
    needed: what Python would write then is not ours, and the guard would see it. The collected tests stay to the end of
    the run: no collection of garbage walks through them from here on."""
    sys.dont_write_bytecode = True
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def guarded(request: pytest.FixtureRequest) -> Iterator[Guard]:
    """Every test: nothing run, written, or opened outside by gitglass; those marked `writes` may change files,
    and those marked `runs` start programs, which `started` names."""
    GUARD.seen.clear()
    GUARD.started.clear()
    GUARD.programs.clear()
    GUARD.writes = request.node.get_closest_marker("writes") is not None
    GUARD.runs = request.node.get_closest_marker("runs") is not None
    GUARD.loopback = request.node.get_closest_marker("loopback") is not None
    yield GUARD
    GUARD.writes = GUARD.runs = GUARD.loopback = False
    assert not GUARD.seen, GUARD.seen


@pytest.fixture
def watched(guarded: Guard) -> Iterator[Any]:
    """watched(root): from here to the end of the test, nothing may be run, written, or opened outside of `root`."""

    def start(root: Path | str) -> None:
        GUARD.root = str(root)

    yield start
    GUARD.root = None
