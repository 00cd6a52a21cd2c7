"""diff/combined.py: one result woven with several parents."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.combined import Weave, combined_paths, weave
from gitglass.diff.lines.spec import LineSpec
from gitglass.diff.spec import DiffSpec
from gitglass.limits import Context

text = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b""]), max_size=12).map(
    lambda lines: b"".join(line + b"\n" for line in lines)
)


def woven(result: bytes, *parents: bytes) -> Weave:
    return weave(result, parents, LineSpec(), ctx=Context())


def parent_of(weave: Weave, number: int) -> list[bytes]:
    """A parent's lines, told from the weave alone."""
    out, bit = [], 1 << number
    for at, bits in enumerate(weave.new):
        out += [lost.line for lost in weave.lost[at] if lost.parents & bit]
        if at < len(weave.lines) and not bits & bit:
            out.append(weave.lines[at])
    return out


@given(text, st.lists(text, min_size=1, max_size=3))
def test_every_parent_can_be_told_from_the_weave(result: bytes, parents: list[bytes]) -> None:
    found = woven(result, *parents)
    for number, parent in enumerate(parents):
        assert parent_of(found, number) == parent.split(b"\n")[:-1]
        assert found.numbers[number][-1] == parent.count(b"\n") + 1


@given(text, st.lists(text, min_size=2, max_size=3), st.integers(0, 4), st.booleans())
def test_everything_decided_is_shown(result: bytes, parents: list[bytes], context: int, dense: bool) -> None:
    found = woven(result, *parents)
    any_shown = found.choose(context, dense)
    for at, bits in enumerate(found.new):
        if bits == found.all or (bits and not dense):
            assert found.shown[at] and any_shown


def test_a_line_lost_from_both_parents_stands_once() -> None:
    found = woven(b"a\n", b"a\nx\n", b"x\na\nx\n")
    assert [(lost.line, lost.parents) for lost in found.lost[1]] == [(b"x", 3)]


def test_lost_lines_are_one_up_to_their_ends_where_any_white_space_is_ignored() -> None:
    spec = LineSpec(ignore_cr_at_eol=True)
    found = weave(b"a\n", [b"a\nx\n", b"a\nx \n"], spec, ctx=Context())
    assert [(lost.line, lost.parents) for lost in found.lost[1]] == [(b"x", 3)]
    assert len(woven(b"a\n", b"a\nx\n", b"a\nx \n").lost[1]) == 2


def test_dense_drops_what_one_side_brought() -> None:
    base = b"".join(b"%d\n" % i for i in range(20))
    ours, theirs = base.replace(b"3\n", b"three\n", 1), base.replace(b"15\n", b"fifteen\n", 1)
    merged = ours.replace(b"15\n", b"fifteen\n", 1)
    assert not woven(merged, ours, theirs).choose(3, dense=True)
    assert woven(merged, ours, theirs).choose(3, dense=False)
    assert woven(merged.replace(b"9\n", b"nine\n", 1), ours, theirs).choose(3, dense=True)


def test_a_change_of_type_is_told_where_trees_are_gone_through_one_by_one(odb, contents, ctx) -> None:
    tree = odb.add_tree({b"f": b"text\n"})
    parents = [odb.add_tree({b"f": (0o120000, b"there")}), odb.add_tree({b"f": b"other\n"})]

    def status(**how: bool) -> str:
        (path,) = combined_paths(tree, parents, contents, DiffSpec(), ctx=ctx, **how)
        return "".join(side.status for side in path.sides)

    assert (status(), status(at_once=False)) == ("MM", "TM")
