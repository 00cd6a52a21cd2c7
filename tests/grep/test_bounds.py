"""grep in files that are too long for a pattern as a whole: line by line, with the same lines."""

from gitglass.grep.expression import Atom, PatternSpec
from gitglass.limits import Context


def test_long_files_are_searched_line_by_line() -> None:
    ctx = Context()
    atom = Atom(rb"(?<!b)(a+)?b$", PatternSpec(kind="perl"), ctx, "command line")
    data = b"ccc\n" * 100_000 + b"aab\nc\nb\n"
    with ctx:
        assert list(atom.lines(data)) == [(400_000, 400_003, 0), (400_006, 400_007, 0)]
