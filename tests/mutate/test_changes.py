"""Changes as JSON and back, and turned round."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass.mutate.changes import (
    Changes,
    Content,
    EntryChange,
    FileChange,
    GitFile,
    LogChange,
    RefChange,
    ResolvedChange,
    Row,
    from_json,
    reversed_changes,
    to_json,
    to_text,
)

OIDS = st.binary(min_size=20, max_size=20)
NAMES = st.binary(min_size=1, max_size=8)
CONTENTS = st.none() | st.builds(Content, st.sampled_from([0o100644, 0o120000]), OIDS)
ROWS = st.lists(
    st.builds(Row, st.integers(0, 3), st.just(0o100644), OIDS, st.sampled_from([0, 0x8000])), max_size=2
).map(tuple)
STAGES = st.none() | st.lists(st.tuples(st.just(0o100644), st.none() | OIDS), min_size=3, max_size=3).map(tuple)
CHANGES = st.builds(
    Changes,
    files=st.lists(
        st.builds(
            FileChange, NAMES, CONTENTS, CONTENTS, st.none() | OIDS, st.none() | st.just(("0123456789ab", 7)),
            st.booleans(), data=st.none() | NAMES,
        ),
        max_size=3,
    ),
    entries=st.lists(st.builds(EntryChange, NAMES, ROWS, ROWS), max_size=3),
    refs=st.lists(st.builds(RefChange, NAMES, OIDS, OIDS), max_size=3),
    logs=st.lists(st.builds(LogChange, NAMES, OIDS, OIDS, NAMES), max_size=2),
    git_files=st.lists(st.builds(GitFile, NAMES, st.none() | NAMES, st.none() | NAMES), max_size=2),
    emptied=st.lists(NAMES, max_size=2),
    refresh=st.booleans(), keep_folders=st.booleans(), forget_resolved=st.booleans(),
    resolved=st.lists(st.builds(ResolvedChange, NAMES, STAGES, STAGES), max_size=2),
)  # fmt: skip


@given(CHANGES)
def test_json_holds_all_of_it(changes: Changes) -> None:
    assert from_json(to_json(changes)) == changes


@given(CHANGES)
def test_the_text_is_that_of_an_encoder(changes: Changes) -> None:
    """What there is one of for each path is not written by the encoder, and looks as if it were: the digest of a plan
    is over this text."""
    assert to_text(changes) == json.dumps(to_json(changes), sort_keys=True, separators=(",", ":"))


@given(CHANGES)
def test_turned_round_twice_refs_entries_and_small_files_are_the_same(changes: Changes) -> None:
    once = reversed_changes(changes, "0123456789ab")
    twice = reversed_changes(once, "0123456789ab")
    assert (twice.refs, twice.entries, twice.git_files) == (changes.refs, changes.entries, changes.git_files)
    assert twice.resolved == changes.resolved
    assert [(one.path, one.before, one.after) for one in once.files] == [
        (one.path, one.after, one.before) for one in changes.files
    ]


def test_turned_round_no_status_of_the_other_end_goes_along() -> None:
    """An entry with the status of the file that it is not would hide from every reader that the file differs."""
    stat, content, row = os.stat("."), Content(0o100644, b"1" * 20), Row(0, 0o100644, b"1" * 20)
    changes = Changes(files=[FileChange(b"f", content, None, stat=stat)], entries=[EntryChange(b"f", (), (row,), stat)])
    once = reversed_changes(changes, "0123456789ab")
    assert once.files[0].stat is None and once.entries[0].stat is None


@pytest.mark.parametrize(
    "row",
    [
        [99, "100644", "11" * 20, 0], [-1, "100644", "11" * 20, 0], [0, "7" * 16, "11" * 20, 0], [0, "-1", "11" * 20, 0],
        [0, "100644", "11" * 3, 0], [0, "100644", "11" * 20, 1 << 80], [0, "100644", "11" * 20, -1], ["0", "9", "11" * 20, 0],
        [0, "100644", "11" * 20, float("inf")], [0, "1" * 6000, "11" * 20, 0],
    ],
)  # fmt: skip
def test_numbers_that_no_entry_has_are_refused(row: list[object]) -> None:
    value = to_json(Changes())
    with pytest.raises((ValueError, OverflowError)):
        from_json({**value, "entries": [{"path": "a", "before": [row], "after": []}]})
