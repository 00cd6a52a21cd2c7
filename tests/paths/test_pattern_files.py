"""Lines of patterns, and the matcher of one."""

import pytest

from gitglass.paths.pattern_files import body_matcher, parse_line


@pytest.mark.parametrize(
    ("line", "negated", "dir_only", "name_only", "body"),
    [
        (b"*.log", False, False, True, b"*.log"),
        (b"!keep/", True, True, True, b"keep"),
        (b"/top", False, False, False, b"top"),
        (b"/a/b/", False, True, False, b"a/b"),
    ],
)
def test_a_line(line: bytes, negated: bool, dir_only: bool, name_only: bool, body: bytes) -> None:
    pattern = parse_line(line, 7)
    assert (pattern.negated, pattern.dir_only, pattern.body) == (negated, dir_only, body)
    assert (pattern.text, pattern.line) == (line, 7)
    assert pattern.name_only is name_only


@pytest.mark.parametrize("fold", [False, True])
def test_a_matcher(fold: bool) -> None:
    of_names, of_paths = body_matcher(b"*.Log", True, fold), body_matcher(b"Docs/*.txt", False, fold)
    assert of_names(b"a.Log") and of_names(b"a.log") is fold
    assert of_paths(b"Docs/a.txt") and not of_paths(b"Docs/sub/a.txt")
    assert bool(of_paths(b"docs/a.txt")) is fold
    whole = body_matcher(b"Docs/a.txt", False, fold)
    assert whole(b"Docs/a.txt") and not whole(b"Docs/b.txt")
    assert bool(whole(b"docs/A.txt")) is fold
