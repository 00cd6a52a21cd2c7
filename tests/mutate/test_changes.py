"""Changes as JSON and back, and turned round."""

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
    Row,
    from_json,
    reversed_changes,
    to_json,
)

OIDS = st.binary(min_size=20, max_size=20)
NAMES = st.binary(min_size=1, max_size=8)
CONTENTS = st.none() | st.builds(Content, st.sampled_from([0o100644, 0o120000]), OIDS)
ROWS = st.lists(st.builds(Row, st.integers(0, 3), st.just(0o100644), OIDS, st.just(0)), max_size=2).map(tuple)
CHANGES = st.builds(
    Changes,
    files=st.lists(st.builds(FileChange, NAMES, CONTENTS, CONTENTS, st.none() | OIDS, st.none(), st.booleans()), max_size=3),
    entries=st.lists(st.builds(EntryChange, NAMES, ROWS, ROWS), max_size=3),
    refs=st.lists(st.builds(RefChange, NAMES, OIDS, OIDS), max_size=3),
    logs=st.lists(st.builds(LogChange, NAMES, OIDS, OIDS, NAMES), max_size=2),
    git_files=st.lists(st.builds(GitFile, NAMES, st.none() | NAMES, st.none() | NAMES), max_size=2),
    refresh=st.booleans(), keep_folders=st.booleans(), forget_resolved=st.booleans(),
)  # fmt: skip


@given(CHANGES)
def test_json_holds_all_of_it(changes: Changes) -> None:
    assert from_json(to_json(changes)) == changes


@given(CHANGES)
def test_turned_round_twice_refs_entries_and_small_files_are_the_same(changes: Changes) -> None:
    once = reversed_changes(changes, "0123456789ab")
    twice = reversed_changes(once, "0123456789ab")
    assert (twice.refs, twice.entries, twice.git_files) == (changes.refs, changes.entries, changes.git_files)
    assert [(one.path, one.before, one.after) for one in once.files] == [
        (one.path, one.after, one.before) for one in changes.files
    ]
