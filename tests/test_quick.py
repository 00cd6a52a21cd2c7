"""support/quick.py: the first look is one into every room."""

from pathlib import Path

import gitglass

from .support.quick import FILES, ROOMS, TESTS, is_quick

SOURCES = Path(gitglass.__file__).parent


def test_every_room_has_a_quick_file() -> None:
    rooms = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    assert rooms <= {room.partition("/")[0] for room in (*ROOMS, *FILES)}
    assert all(any(map(is_quick, (TESTS / room).rglob("test_*.py"))) for room in rooms)


def test_every_quick_file_exists() -> None:
    names = [TESTS / room / f"test_{name}.py" for room, names in FILES.items() for name in names.split()]
    assert [path for path in names if not path.exists()] == []
    assert all((TESTS / room).is_dir() for room in ROOMS)


def test_what_is_slow_is_not_quick() -> None:
    assert not any(
        map(is_quick, (TESTS / "hostile/test_zoo.py", TESTS / "test_architecture.py", TESTS / "mutate/test_kill.py"))
    )
