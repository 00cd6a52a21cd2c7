"""Objects from elsewhere are kept where they are whole: nothing that they name is missing, and their names are true."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

import pytest
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.errors import Corrupt
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import Moment, WriteGrant
from gitglass.mutate.objects import NewObjects
from gitglass.mutate.remote.packs.quarantine import take_in, take_objects
from gitglass.mutate.remote.packs.unpacking import entry_of
from gitglass.mutate.view import View
from gitglass.objects.pack import KIND_NUMBERS

pytestmark = pytest.mark.writes
Rows = list[tuple[bytes, bytes, bytes]]


@pytest.fixture
def view(tmp_path: Path) -> Iterator[View]:
    with Context(Limits()) as ctx:
        yield View(gitglass.open(copy_of("plain", tmp_path / "repo")).store, WriteGrant(), Moment(CLOCK, 0), ctx)


def history() -> Rows:
    """A blob, its tree, and a commit of that."""
    objects = NewObjects("sha1")
    tree = objects.add(b"tree", b"100644 fresh\0" + objects.add(b"blob", b"fresh\n"))
    who = b"A <a@b> 1 +0000"
    objects.add(b"commit", b"tree %b\nauthor %b\ncommitter %b\n\nm\n" % (tree.hex().encode(), who, who))
    return [(oid, kind, content) for oid, (kind, content) in objects.held.items()]


def pack_of(rows: Rows) -> bytes:
    """A pack of whole objects."""
    body = b"PACK" + struct.pack(">II", 2, len(rows))
    for _, kind, content in rows:
        body += entry_of(KIND_NUMBERS[kind], len(content)) + zlib.compress(content)
    return body + sha1(body).digest()


def test_what_is_whole_is_kept(view: View) -> None:
    rows = history()
    assert take_objects(view, rows, [rows[-1][0]], action="fetch") == 3 and view.new.has(rows[0][0])


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_what_lacks_an_object_is_refused(view: View, left_out: int) -> None:
    rows = history()
    wants = [rows[-1][0]]
    missing = rows.pop(left_out)[0]
    with pytest.raises(Corrupt, match=f"{missing.hex()} is missing"):
        take_objects(view, rows, wants, action="fetch")


def test_a_name_that_is_another_objects_is_refused(view: View) -> None:
    rows = history()
    rows[0] = rows[0][0], b"blob", b"other\n"
    with pytest.raises(Corrupt, match="hash mismatch"):
        take_objects(view, rows, [], action="fetch")


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_pack_that_lacks_an_object_is_refused(view: View, left_out: int) -> None:
    rows = history()
    wants = [rows[-1][0]]
    missing = rows.pop(left_out)[0]
    with pytest.raises(Corrupt, match=f"{missing.hex()} is missing"):
        take_in(view, pack_of(rows), wants)
