"""What a sparse checkout holds: the pattern nearest to a file decides."""

import pytest

from gitglass.mutate.checkout.sparse import holds
from gitglass.paths.ignore import parse_ignore

CONE = b"/*\n!/*/\n/src/\n!/src/*/\n/src/deep/\n"
PLAIN = b"*.c\n!two.c\n/docs/\n!/docs/old/\n"


@pytest.mark.parametrize(
    ("patterns", "path", "held"),
    [
        (CONE, b"a.txt", True), (CONE, b"docs/x", False), (CONE, b"src/one.c", True), (CONE, b"src/other/x", False),
        (CONE, b"src/deep/three.c", True), (CONE, b"src/deep/er/x", True),
        (PLAIN, b"a.txt", False), (PLAIN, b"any/where/one.c", True), (PLAIN, b"src/two.c", False),
        (PLAIN, b"docs/x", True), (PLAIN, b"docs/old/x", False), (PLAIN, b"docs/old/one.c", True), (b"", b"a", False),
    ],
)  # fmt: skip
def test_the_nearest_pattern_decides(patterns: bytes, path: bytes, held: bool) -> None:
    assert holds(parse_ignore(patterns, False), path) is held
