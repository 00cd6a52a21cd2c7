"""Commits parsed late: all that can be asked of them, and done to them, compared with dulwich's own."""

from pathlib import Path
from typing import Any

import pytest
from dulwich.errors import ChecksumMismatch
from dulwich.object_format import SHA1, SHA256
from dulwich.objects import Commit, ShaFile
from dulwich.repo import Repo

import gitglass
from gitglass.bridge.commits import StoredCommit, stored_commit

PLAIN = (
    b"tree "
    + b"1" * 40
    + b"\nparent "
    + b"2" * 40
    + b"\nparent "
    + b"3" * 40
    + b"\nauthor A U Thor <a@x> 1700000000 +0130\n"
    b"committer C O Mitter <c@x> 1700000005 -0000\nencoding latin1\nextra one\n two\ngpgsig -----BEGIN PGP SIGNATURE-----\n"
    b" \n abc\n -----END PGP SIGNATURE-----\n\nSubject\n\nBody\n"
)
PARTS = [
    "tree", "parents", "author", "author_time", "author_timezone", "committer", "commit_time", "commit_timezone", "encoding",
    "message", "mergetag", "gpgsig", "_extra", "id", "_author_timezone_neg_utc", "_commit_timezone_neg_utc",
]  # fmt: skip


def pair(raw: bytes = PLAIN) -> tuple[StoredCommit, Commit]:
    theirs = ShaFile.from_raw_string(1, raw)
    ours = stored_commit(theirs.id, raw, SHA1)
    assert isinstance(theirs, Commit) and ours is not None
    return ours, theirs


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_what_dulwich_parses(part: str) -> None:
    ours, theirs = pair()
    assert getattr(ours, part) == getattr(theirs, part)


def test_it_is_a_commit_like_any_other() -> None:
    ours, theirs = pair()
    assert ours == theirs and hash(ours) == hash(theirs) and repr(ours).endswith(repr(theirs)[len("<Commit") :])
    assert ours.as_raw_string() == theirs.as_raw_string() == PLAIN and ours.raw_length() == len(PLAIN)
    assert ours.sha().digest() == theirs.sha().digest() and ours.get_id() == theirs.get_id()
    assert type(ours.copy()) is Commit and ours.copy() == theirs
    assert ours.extract_signature() == theirs.extract_signature() and ours.raw_without_sig() == theirs.raw_without_sig()
    ours.check()
    with pytest.raises(AttributeError):
        _ = ours.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("message", b"Other\n"),
        ("parents", []),
        ("tree", b"4" * 40),
        ("author", b"B <b@x>"),
        ("commit_time", 5),
        ("gpgsig", None),
    ],
)
def test_changes_come_out_as_with_dulwichs(part: str, value: Any) -> None:
    """Whether it was parsed before, or the change is what parses it."""
    for parsed in (False, True):
        ours, theirs = pair()
        assert not parsed or ours.message
        setattr(ours, part, value)
        setattr(theirs, part, value)
        assert ours.id == theirs.id != stored_commit(pair()[1].id, PLAIN, SHA1).id  # type: ignore[union-attr]
        assert ours.as_raw_string() == theirs.as_raw_string()
        assert all(getattr(ours, name) == getattr(theirs, name) for name in PARTS)


def test_a_content_of_another_name_is_refused() -> None:
    with pytest.raises(ChecksumMismatch):
        stored_commit(b"1" * 40, PLAIN, SHA1)


def test_what_is_written_otherwise_is_left_to_dulwich() -> None:
    three = PLAIN.replace(b"\nauthor", b"\nparent " + b"4" * 40 + b"\nauthor", 1)
    for raw in (three, b"", b"tree x\n", PLAIN.replace(b"committer C O Mitter <c@x> 1700000005", b"committer C")):
        assert stored_commit(b"1" * 40, raw, SHA1) is None


def test_sha256() -> None:
    raw = PLAIN.replace(b"1" * 40, b"1" * 64).replace(b"2" * 40, b"2" * 64).replace(b"3" * 40, b"3" * 64)
    name = SHA256.hash_object_hex(b"commit %d\0" % len(raw) + raw)
    made = stored_commit(name, raw, SHA256)
    assert (
        made is not None
        and made.id == name
        and made.parents == [b"2" * 64, b"3" * 64]
        and made.message == b"Subject\n\nBody\n"
    )


def test_a_store_gives_them(disk: Path) -> None:
    ours, theirs = gitglass.open(disk).dulwich(), Repo(str(disk))
    for entry in theirs.get_walker():
        found = ours.object_store[entry.commit.id]
        assert type(found) is StoredCommit
        assert all(getattr(found, name) == getattr(entry.commit, name) for name in PARTS)
