"""Similarity: git's chunks and git's hash."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitglass.diff import similarity
from gitglass.diff.changes import Filespec
from gitglass.diff.similarity import Shortlist, Similarity, Spans, span_hash, span_hashes
from gitglass.diff.spec import MAX_SCORE


def straightforward(chunk: bytes) -> int:
    """The same hash, as two words."""
    low = high = 0
    for byte in chunk:
        old = low
        low = ((low << 7) & 0xFFFFFFFF) ^ (high >> 25)
        high = ((high << 7) & 0xFFFFFFFF) ^ (old >> 25)
        low = (low + byte) & 0xFFFFFFFF
    return ((low + high * 0x61) & 0xFFFFFFFF) % 107927


CHUNKS = st.one_of(
    st.binary(max_size=64),
    st.text(alphabet=st.characters(min_codepoint=9, max_codepoint=0x24F), max_size=32).map(str.encode),
    st.tuples(st.binary(max_size=8), st.binary(min_size=1, max_size=4)).map(lambda parts: parts[0] + parts[1] * 64),
).map(lambda chunk: chunk[:64])


@given(CHUNKS)
@example(b"-" * 64)
@example(b"\xff" * 64)
def test_the_hash(chunk):
    assert span_hash(chunk) == straightforward(chunk)


@given(st.lists(CHUNKS.filter(bool), max_size=60), st.sampled_from([1, 7, 512]))
@example([b"\xff" * 64] * 30, 512)
@example([b"\n", *[b"~" * 64] * 30], 7)
def test_the_hashes_of_many_at_once(chunks: list[bytes], lanes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_FEW", 1)
        patch.setattr(similarity, "_LANES", lanes)
        assert list(span_hashes(chunks)) == list(map(straightforward, chunks))


def test_few_chunks_are_hashed_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "_hashed_together", lambda chunks: pytest.fail("together"))
    assert list(span_hashes([b"a\n", b"b\n"])) == [straightforward(b"a\n"), straightforward(b"b\n")]


def test_chunks_end_at_newlines_or_after_64_bytes():
    spans = Spans(b"a\n" + b"x" * 70 + b"\n" + b"a\n", binary=False)
    assert spans.items == {b"a\n": 4, b"x" * 64: 64, b"x" * 6 + b"\n": 7}


def test_what_follows_the_last_newline_is_forgotten():
    """git 2.39 does not count it; later versions do."""
    assert Spans(b"a\nrest", binary=False).items == {b"a\n": 2}


def test_carriage_returns_count_only_in_binary_files():
    assert Spans(b"a\r\n", binary=False).items == {b"a\n": 2}
    assert Spans(b"a\r\n", binary=True).items == {b"a\r\n": 3}


@given(st.lists(st.sampled_from([b"one\n", b"two\n", b"three\n", b"four\n"]), max_size=20))
def test_material_is_conserved(lines):
    spans = Spans(b"".join(lines), binary=False)
    assert sum(spans.items.values()) == spans.size


def test_scores(odb, contents):
    def side(data: bytes) -> Filespec:
        return Filespec(b"f", 0o100644, odb.add(b"blob", data))

    similarity = Similarity(contents)
    lines = [b"line %d\n" % at for at in range(100)]
    whole = side(b"".join(lines))
    assert similarity.score(whole, whole, 30000) == MAX_SCORE
    most = side(b"".join(lines[:90]))
    assert similarity.score(whole, most, 30000) * 100 // MAX_SCORE == 89
    assert similarity.score(whole, side(b"".join(lines[:30])), 30000) == 0  # sizes too far apart
    assert similarity.score(whole, side(b""), 30000) == 0
    link = Filespec(b"l", 0o120000, whole.oid)
    assert similarity.score(link, whole, 30000) == 0
    copied, added = similarity.count(most, whole)
    assert copied == contents.size(most) and added == contents.size(whole) - copied


LINES = st.lists(
    st.sampled_from([b"one\n", b"two\r\n", b"x" * 100 + b"\n", b"\n", b"\r", b"end", b"y" * 130]), max_size=8
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(head=LINES, one=LINES, two=LINES, tail=LINES)
def test_setting_equal_ends_aside_changes_nothing(head, one, two, tail, odb, contents):
    before, after = b"".join(head + one + tail), b"".join(head + two + tail)
    old = Filespec(b"f", 0o100644, odb.add(b"blob", before))
    new = Filespec(b"g", 0o100644, odb.add(b"blob", after))
    similarity = Similarity(contents)
    mine, other = Spans(before, False).items, Spans(after, False).items
    by_hash = [{}, {}]
    for sums, items in zip(by_hash, (mine, other)):
        for chunk, size in items.items():
            sums[span_hash(chunk)] = sums.get(span_hash(chunk), 0) + size
    copied = sum(min(size, by_hash[1].get(value, 0)) for value, size in by_hash[0].items())
    assert similarity.count(old, new) == (copied, sum(other.values()) - copied)


FILES = st.lists(
    st.lists(st.sampled_from([b"%d some line\n" % at for at in range(30)] + [b"\n"]), min_size=1, max_size=25),
    min_size=2,
    max_size=8,
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(files=FILES)
def test_no_file_is_more_alike_than_promised(files, odb, contents):
    sides = [Filespec(b"f", 0o100644, odb.add(b"blob", b"".join(lines))) for lines in files]
    similarity = Similarity(contents)
    spans = list(map(similarity.spans, sides))
    promise = Shortlist(dict(enumerate(spans[1:]))).promise(spans[0])
    for at, (side, their) in enumerate(zip(sides[1:], spans[1:])):
        largest = max(their.size, spans[0].size)
        assert promise(at, largest) * MAX_SCORE // largest >= similarity.of(side, spans[0], largest, 0)


def test_little_is_promised_of_files_that_share_only_what_all_have(odb, contents):
    licence = b"".join(b"clause %d\n" % at for at in range(5))
    files = [Spans(licence + b"".join(b"%d: line %d\n" % (of, at) for at in range(40)), False) for of in range(4)]
    promise = Shortlist({0: files[0], 1: files[1]}).promise(files[2])
    assert promise(0, files[0].size) < 0.2 * files[0].size
    again = Shortlist({0: files[0], 1: files[1]}).promise(files[1])
    assert again(1, files[1].size) >= files[1].size > 4 * again(0, files[1].size)


@given(
    st.lists(
        st.sampled_from([b"a\n", b"bc\n", b"\n", b"x" * 63, b"y" * 64, b"z" * 65, b"w" * 200 + b"\n"]), max_size=60
    ),
    st.sampled_from([64, 128, 320]),
)
def test_pieces_of_a_text_have_the_chunks_of_the_whole(parts, piece):
    whole = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_PIECE", piece)
        assert similarity._in_pieces(whole) == Counter(similarity._chunks(whole))
