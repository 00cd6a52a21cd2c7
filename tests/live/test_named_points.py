"""The points that issue 14 names, asked of git and of our command line: stdout, exit status and stderr are the same.

`python -m tests.live.test_named_points [WORD]` prints what differs, in all points or those whose name has the word.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from tests.live.named_points import Place, Point, differing, points

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]


@pytest.mark.parametrize("point", list(points()), ids=lambda point: point.name)
def test_as_git(point: Point, tmp_path: Path) -> None:
    place = Place(tmp_path, point)
    assert [answers for line in point.lines if (answers := differing(place, line))] == []


def test_every_point_is_there() -> None:
    names = {point.name.partition("-")[0] for point in points()}
    assert names >= {f"F{number:02}" for number in range(1, 21)} | {f"R{number}" for number in range(1, 7)}
    assert names >= {"C01", "C02", "C03", "C05"} and all(point.lines for point in points())


def main() -> int:
    word, asked, differ = (sys.argv[1:] or [""])[0], 0, 0
    for point in points():
        if word in point.name:
            with tempfile.TemporaryDirectory() as top:
                place = Place(Path(top), point)
                answers = [differing(place, line) for line in point.lines]
            for answer in filter(None, answers):
                print(point.name, answer.replace(top, "TOP"), sep="\n", flush=True)
            asked, differ = asked + len(answers), differ + len([*filter(None, answers)])
    print(f"{asked} command lines, {differ} differ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
