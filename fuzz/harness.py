"""What every target has: its place in the list, a place for its files, and the judgement of one run."""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gitglass.disk.opened import FileView, open_view
from gitglass.errors import GitError, Timeout
from gitglass.limits import Context, Limits

T = TypeVar("T")
LIMIT = 1 << 20
SLOW = 1.0  # seconds of processor time that an input of a few kilobytes may take at most
PLACE = Path(tempfile.mkdtemp(prefix="gitglass-fuzz-"))
TARGETS: dict[str, Callable[[bytes], object]] = {}


class Slow(Exception):
    """A small input took long."""


def target(function: Callable[[bytes], object]) -> Callable[[bytes], object]:
    TARGETS[function.__name__] = function
    return function


def ctx() -> Context:
    return Context(Limits(timeout=5.0, max_memory_bytes=256 << 20))


def written(name: str, data: bytes) -> bytes:
    """A file that holds some bytes: its path."""
    path = PLACE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return os.fsencode(path)


def view(name: str, data: bytes) -> FileView:
    """The same, opened."""
    path = written(name, data)
    found = open_view(os.open(path, os.O_RDONLY), path)
    assert found is not None
    return found


def tried(function: Callable[..., object], *args: object) -> object:
    """What a function says, or the kind of its refusal: two that should agree can be compared."""
    try:
        return function(*args)
    except GitError as error:
        return type(error)


def must(function: Callable[..., T], *args: object, **named: object) -> T:
    """What a function says that has no reason to refuse."""
    try:
        return function(*args, **named)
    except Timeout:
        raise
    except GitError as error:
        raise AssertionError(f"refused: {error}") from error


def once(name: str, data: bytes) -> None:
    """Run a target on one input: anything but a value or a `GitError`, soon, is a finding."""
    start = time.process_time()
    with ctx():
        try:
            TARGETS[name](data)
        except GitError:
            pass
    spent = time.process_time() - start
    if spent > SLOW:
        raise Slow(f"{name}: {len(data)} bytes took {spent:.1f} seconds")
