"""The object directories that a repository borrows from, in their order."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from gitglass.disk.jail import Jail
from gitglass.objects.alternates import Alternates, outside


class Places:
    """Object directories below one root; `of` asks for those of "a"."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[str] = []
        root.mkdir()
        self.asked = Alternates(Jail(os.fsencode(root)), self.said.append)

    def make(self, name: str, *lines: str) -> bytes:
        """An object directory that borrows from these."""
        place = self.root / name
        (place / "info").mkdir(parents=True, exist_ok=True)
        if lines:
            (place / "info" / "alternates").write_text("".join(line + "\n" for line in lines))
        return os.fsencode(place)

    def of(self, *more: bytes) -> list[str]:
        """The names of what is found."""
        found = self.asked.of(os.fsencode(self.root / "a"), more, b".git/objects")
        return [os.path.relpath(os.fsdecode(path), self.root) for path in found]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "root")


def test_nested_ones_follow_and_each_comes_once(places: Places) -> None:
    places.make("a", "# of the lab", str(places.root / "b"), "../c")
    places.make("b", "../d", "../c", "../a")
    places.make("c", "../d")
    places.make("d")
    assert places.of() == ["a", "b", "d", "c"]  # what b borrows from comes before c
    assert places.said == []


def test_those_of_the_environment_come_first(places: Places) -> None:
    places.make("a", "../b")
    places.make("b")
    extra = places.make("e", "../f")
    places.make("f")
    assert places.of(extra, places.make("g", "../b")) == ["a", "e", "f", "g", "b"]


def test_one_outside_of_the_root_is_not_used(places: Places, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    places.make("a", "../../out", "../b")
    places.make("b")
    assert places.of() == ["a", "b"]
    assert places.said == [outside("../../out")]
    assert places.asked.refused == "../../out"


def test_one_that_is_not_there_is_complained_about_by_the_name_shown(places: Places) -> None:
    places.make("a", str(places.root / "gone"), "../nobody/objects")
    top = places.root
    assert places.of() == ["a"]
    assert places.said == [
        f"error: object directory {top}/gone does not exist; check .git/objects/info/alternates",
        f"error: unable to normalize alternate object path: {top}/a/../nobody/objects",
    ]
    assert places.asked.refused == ""


def test_a_nul_ends_the_list_and_a_quoted_path(places: Places) -> None:
    places.make("a", '"../b\\000c"', "../c\0d", "../d")
    for name in "bcd":
        places.make(name)
    assert places.of() == ["a", "b", "c"]
    assert places.said == []


def test_the_root_of_the_system_is_no_object_directory(places: Places) -> None:
    complaints: list[str] = []
    objects, other = places.make("a", "/", "../b"), places.make("b")
    found = Alternates(Jail(b"/"), complaints.append).of(objects, [], b".git/objects")
    assert found == [objects, other]
    assert complaints == ["error: object directory  does not exist; check .git/objects/info/alternates"]


def test_nesting_ends_below_the_sixth(places: Places) -> None:
    names = "abcdefghi"
    for name, other in pairwise(names):
        places.make(name, f"../{other}")
    places.make("i")
    assert "".join(places.of()) == "abcdefg"
    assert places.said == [f"error: {places.root}/g: ignoring alternate object stores, nesting too deep"]
