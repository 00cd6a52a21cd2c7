"""The book-keeping of blame against the slow and obvious way of doing it."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.blame.near import distant_change, equal_ends
from gitglass.blame.origins import Run, Runs, divide
from gitglass.diff.lines.compare import match_lines
from gitglass.diff.lines.spec import LineSpec
from gitglass.limits import Context

TEXTS = st.lists(st.sampled_from(["a", "b", "", "c", "d", "e\tf", "x y"]), max_size=30).map(
    lambda lines: "\n".join(lines).encode()
)
PIECES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=8)


def runs_from(pieces: list[tuple[int, int]]) -> Runs:
    rows: list[Run] = []
    at = 0
    for gap, num in pieces:
        at += gap
        rows.append((at, num, at + 100, 0))
        at += num
    return Runs.of(rows)


def lines(runs: Runs) -> dict[int, int]:
    """final line → line in the origin."""
    return {final + i: start + i for start, num, final, _ in runs.rows() for i in range(num)}


@given(TEXTS, TEXTS, PIECES)
def test_divide_follows_every_line(old: bytes, new: bytes, pieces: list[tuple[int, int]]) -> None:
    runs = runs_from(pieces)
    script = match_lines(old, new, LineSpec(context=0), Context())
    passed, kept = divide(runs, script)
    went, stayed = lines(passed), lines(kept)
    assert went.keys() | stayed.keys() == lines(runs).keys()
    assert not went.keys() & stayed.keys()
    for final, line in lines(runs).items():
        change = next((c for c in script if c[2] <= line < c[2] + c[3]), None)
        shift = sum(c[1] - c[3] for c in script if c[2] + c[3] <= line)
        assert (stayed[final] == line) if change else (went[final] == line + shift)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=6))
def test_divide_with_overlaps(pieces: list[tuple[int, int]]) -> None:
    rows = [(start, num, 100 + 10 * at, 0) for at, (start, num) in enumerate(pieces)]
    runs = Runs.of(rows)
    passed, kept = divide(runs, [(3, 1, 3, 3), (9, 2, 11, 0)])
    expected = {}
    for start, num, final, _ in rows:
        for i in range(num):
            line = start + i
            expected[final + i] = (line < 3 or line >= 6, line if line < 6 else line - 2 + (2 if line >= 11 else 0))
    for final, (moves, line) in expected.items():
        assert (lines(passed) if moves else lines(kept))[final] == line


@given(TEXTS, TEXTS)
def test_equal_ends_are_whole_lines(old: bytes, new: bytes) -> None:
    head, tail = equal_ends(old, new)
    assert head + tail <= min(len(old), len(new))
    assert old[:head] == new[:head]
    assert not tail or old[-tail:] == new[-tail:]
    assert not head or old[head - 1 : head] == b"\n"
    for text in (old, new):
        assert not tail or len(text) == tail or text[-tail - 1 : -tail] == b"\n"


@given(TEXTS, TEXTS, PIECES)
def test_a_change_far_away_needs_no_diff(old: bytes, new: bytes, pieces: list[tuple[int, int]]) -> None:
    runs = runs_from(pieces)
    total = new.count(b"\n") + (not new.endswith(b"\n") and new != b"")
    runs = Runs.of(row for row in runs.rows() if row[0] + row[1] <= total)
    if not runs or old == new:
        return
    short = distant_change(old, new, runs)
    if short is not None:
        full = match_lines(old, new, LineSpec(context=0), Context())
        assert lines(divide(runs, short)[0]) == lines(divide(runs, full)[0])


def test_merging_keeps_order() -> None:
    one, other = Runs.of([(5, 1, 50, 0)]), Runs.of([(2, 4, 20, 0), (5, 2, 70, 0)])
    one.merge(other)
    assert one.rows() == [(2, 4, 20, 0), (5, 1, 50, 0), (5, 2, 70, 0)]
    assert one.overlap


UNIQUE = st.lists(st.integers(0, 60), min_size=20, max_size=120)


@given(UNIQUE, st.lists(st.tuples(st.integers(0, 119), st.integers(0, 3), st.integers(0, 4)), max_size=5), PIECES)
def test_runs_between_far_changes_need_no_diff(
    lines_: list[int], edits: list[tuple[int, int, int]], pieces: list[tuple[int, int]]
) -> None:
    """Runs between two changes: what is said without a diff is what the diff says."""
    old = [b"%d" % line if line < 8 else b"line %d %d" % (line, at) for at, line in enumerate(lines_)]
    new = list(old)
    for at, remove, insert in edits:
        new[at : at + remove] = [b"%d" % (at % 8), b"fresh", b"", b"x"][:insert]
    texts = b"\n".join(old) + b"\n", b"\n".join(new) + b"\n"
    runs = runs_from([(gap * 13, num) for gap, num in pieces])
    runs = Runs.of(row for row in runs.rows() if row[0] + row[1] <= len(new))
    if not runs or texts[0] == texts[1]:
        return
    short = distant_change(*texts, runs)
    if short is not None:
        full = match_lines(*texts, LineSpec(context=0), Context())
        assert lines(divide(runs, short)[0]) == lines(divide(runs, full)[0])
