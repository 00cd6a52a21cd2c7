"""git shortlog: groups, orders, wrapping; expectations follow git 2.39.5."""

from typing import Any

import pytest

import gitglass
from gitglass.commands.shortlog import ShortlogRequest


def run(cwd: Any, *argv: str) -> str:
    done = gitglass.git(["shortlog", *argv], cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_numbers_add_up(unpack: Any) -> None:
    cwd = unpack("plain")
    total = int(gitglass.git(["rev-list", "--count", "HEAD"], cwd=cwd).stdout)
    for options in (["-s"], ["-s", "-e"], ["-s", "-c"], ["-s", "--group=format:%cs"]):
        assert sum(int(line.split("\t")[0]) for line in run(cwd, *options, "HEAD").splitlines()) == total
    assert run(cwd, "HEAD").count("\n      ") == total


def test_numbered_is_stable(unpack: Any) -> None:
    rows = [line.split("\t") for line in run(unpack("plain"), "-sn", "--all").splitlines()]
    assert rows == sorted(rows, key=lambda row: (-int(row[0]), row[1]))


def test_wrapped(unpack: Any) -> None:
    for line in run(unpack("plain"), "-w20,2,4", "HEAD").splitlines():
        assert not line or line.endswith(":") or line.startswith("  ")


@pytest.mark.parametrize("option", ["-w10,20", "-w3", "--group=nosuch", "-wx"])
def test_bad_values(option: str, unpack: Any) -> None:
    done = gitglass.git(["shortlog", option, "HEAD"], cwd=unpack("plain"))
    assert (done.returncode, done.stdout) == (129, b"") and done.stderr


def test_typed(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    groups = repo.run(ShortlogRequest(revs=["HEAD"], numbered=True, email=True)).groups
    assert groups and all("<" in group.name and len(group.subjects) == group.count for group in groups)


def test_no_walk_is_read_after_the_numbers(unpack: Any) -> None:
    assert run(unpack("plain"), "-s", "--no-walk", "-3", "HEAD") == run(unpack("plain"), "-s", "-1", "HEAD")
