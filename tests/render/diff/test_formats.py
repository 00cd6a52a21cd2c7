"""All formats of one diff, in the order git prints them."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.specs import changed

from gitglass.config.config import Config
from gitglass.diff.changes import Change, Contents, Filespec
from gitglass.diff.spec import DiffSpec
from gitglass.limits import Context
from gitglass.render.color import Palette
from gitglass.render.diff.formats import Hexes, write_diff
from gitglass.render.quote import Quoter
from gitglass.repo.discover import Where

from ...support.memory_odb import MemoryOdb

FILE, PROGRAM = 0o100644, 0o100755
RECORD = b":100644 100755 aaaa bbbb M\tf\n"
SHORT = b" 1 file changed, 1 insertion(+), 1 deletion(-)\n"
STAT = b" f | 2 +-\n" + SHORT
MODES = b" mode change 100644 => 100755 f\n"


class _Desk:
    """Writes the change of one file."""

    def __init__(self) -> None:
        self.odb, self.ctx, self.spec = MemoryOdb(), Context(), DiffSpec()
        self.spec = changed(self.spec, patch__full_index=True)
        config = Config()
        palette = Palette(config, False)
        store: Any = SimpleNamespace(
            odb=self.odb, config=config, hash_name="sha1", hash_len=20, hex_len=40, null=bytes(20), where=Where(b"/"),
            empty_blob=self.odb.add(b"blob", b""),
        )  # fmt: skip
        self.contents = Contents(store, ctx=self.ctx)
        attributes: Any = SimpleNamespace(get=lambda path, name: None)
        self.contents._attrs = attributes
        self.style: Any = SimpleNamespace(
            store=store, quote=Quoter(), color=lambda group, when=None: palette, columns=80
        )
        self.old, self.new = self.odb.add(b"blob", b"a\n"), self.odb.add(b"blob", b"b\n")
        self.changes = [Change("M", Filespec(b"f", FILE, self.old), Filespec(b"f", PROGRAM, self.new))]

    def write(self, *formats: str) -> bytes:
        self.spec = changed(self.spec, **{f"formats__{name}": True for name in formats})
        hexes: Any = {self.old: b"aaaa", self.new: b"bbbb"}.get
        return b"".join(write_diff(self.changes, self.contents, self.spec, self.style, self.ctx, hexes))


@pytest.fixture
def desk() -> _Desk:
    return _Desk()


@pytest.mark.parametrize(
    ("formats", "expected"),
    [
        (["raw"], RECORD),
        (["name_status"], b"M\tf\n"),
        (["name_only"], b"f\n"),
        (["shortstat", "numstat", "stat"], b"1\t1\tf\n" + STAT + SHORT),
        (["summary", "stat", "raw"], RECORD + STAT + MODES),
        (["nothing"], b""),
    ],
    ids=lambda given: "+".join(given) if isinstance(given, list) else "",
)
def test_the_order(desk: _Desk, formats: list[str], expected: bytes) -> None:
    assert desk.write(*formats) == expected


@pytest.mark.parametrize("by", ["changes", "lines", "files"])
def test_directories_stand_behind_the_counts(desk: _Desk, by: str) -> None:
    desk.spec = changed(desk.spec, dirstat__by=by)
    desk.changes[0].old.path = desk.changes[0].new.path = b"d/f"
    assert desk.write("dirstat", "shortstat") == SHORT + b" 100.0% d/\n"


def test_a_line_divides_the_patch_from_what_is_above(desk: _Desk) -> None:
    patch = desk.write("patch")
    assert patch.startswith(b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex ")
    assert patch.endswith(b"@@ -1 +1 @@\n-a\n+b\n")
    assert desk.write("summary") == MODES + b"\n" + patch
    desk.spec = changed(desk.spec, divider=b"===\n")
    assert desk.write("raw") == RECORD + MODES + b"\n===\n" + patch


def test_no_summary_no_line(desk: _Desk) -> None:
    desk.changes[0].new.mode = FILE
    patch = desk.write("patch")
    assert desk.write("summary") == patch


def test_checks_stand_alone(desk: _Desk) -> None:
    desk.changes[0].new.oid = desk.odb.add(b"blob", b"b \n")
    assert desk.write("check", "patch", "stat") == b"f:1: trailing whitespace.\n+b \n"
    assert desk.ctx.exit_status & 2


@pytest.mark.parametrize(
    ("text", "folded", "formats", "status"),
    [
        (b"b\n", False, ["nothing"], 1),
        (b"a \n", True, ["nothing"], 0),
        (b"b\n", True, ["nothing"], 1),
        (b"a \n", True, ["patch"], 0),
        (b"b\n", True, ["patch"], 1),
    ],
)
def test_the_exit_status(desk: _Desk, text: bytes, folded: bool, formats: list[str], status: int) -> None:
    desk.changes[0].new.mode = FILE
    desk.changes[0].new.oid = desk.odb.add(b"blob", text)
    desk.spec = changed(desk.spec, lines__ignore_all_space=folded)
    desk.write(*formats)
    assert desk.ctx.exit_status == 0
    desk.spec = changed(desk.spec, exit_code=True)
    desk.write()
    assert desk.ctx.exit_status == status


def test_names_of_raw_lines() -> None:
    odb: Any = SimpleNamespace(names=SimpleNamespace(count_estimate=lambda: 1))
    where = Where(b"/")
    store: Any = SimpleNamespace(odb=odb, null=bytes(20), where=where, hex_len=40, hash_len=20, kept={})
    whole = Hexes(store, 0)
    assert whole(None) == b"0" * 40
    assert whole(b"\xab" * 20) == b"ab" * 20
