"""Contents: what the sides of a change hold."""

import pytest

from gitglass.diff.changes import Contents, Filespec
from gitglass.errors import Corrupt, TooLarge
from gitglass.limits import Context, Limits


def test_a_file_that_there_is_no_memory_for_is_not_taken_for_binary(odb, contents, monkeypatch):
    side = Filespec(b"path", 0o100644, odb.add(b"blob", b"text\n"))
    ctx = Context(Limits(max_memory_bytes=1 << 20))
    monkeypatch.setattr(contents, "ctx", ctx)
    monkeypatch.setattr(Contents, "read", lambda self, side: ctx.need(2 << 20))
    with pytest.raises(TooLarge):
        contents.is_binary(side)


def test_a_file_above_the_limit_of_objects_is_taken_for_binary(odb, contents, monkeypatch):
    side = Filespec(b"path", 0o100644, odb.add(b"blob", b"text\n"))

    def read(self: Contents, side: Filespec) -> bytes:
        raise TooLarge("path is too large")

    monkeypatch.setattr(Contents, "read", read)
    assert contents.is_binary(side)


def test_what_is_no_blob_is_compared_as_it_stands(odb, contents):
    """git's diffs do not ask for the kind of what they read; its combined diffs do."""
    side = Filespec(b"path", 0o100644, odb.add(b"tag", b"object x\n"))
    assert contents.read(side) == b"object x\n"
    with pytest.raises(Corrupt, match="is not a blob!"):
        contents.blob(side)
    assert contents.blob(Filespec(b"path", 0o100644, odb.add(b"blob", b"text\n"))) == b"text\n"


def test_a_directory_is_no_blob(odb, contents):
    """-t has directories among the files of a merge, and git's combined patch ends at one."""
    side = Filespec(b"d", 0o040000, odb.add(b"tree", b""))
    with pytest.raises(Corrupt, match="is not a blob!"):
        contents.blob(side)
