"""Files of a merge against all parents at once."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.specs import changed

from gitglass.config.config import Config
from gitglass.diff.combined import CombinedPath, Side
from gitglass.diff.lines.userdiff import DEFAULT
from gitglass.diff.spec import DiffSpec
from gitglass.limits import Context
from gitglass.memories import PerCall
from gitglass.render.color import Palette
from gitglass.render.diff.combined import write_combined
from gitglass.render.quote import Quoter

FILE, PROGRAM = 0o100644, 0o100755


class _Desk:
    """Writes a file of a merge whose versions are given."""

    def __init__(self) -> None:
        self.texts: dict[bytes, bytes] = {}
        self.spec = DiffSpec()
        self.spec = changed(self.spec, patch__full_index=True)
        config = Config()
        store = SimpleNamespace(null=bytes(20), hash_len=20, hash_name="sha1", config=config, hex_len=40, odb=None)
        palette = Palette(config, False)
        self.style: Any = SimpleNamespace(store=store, quote=Quoter(), color=lambda group, when=None: palette)
        self.contents: Any = SimpleNamespace(
            blob=lambda side: self.texts[side.oid], driver=lambda side: DEFAULT, per_call=PerCall()
        )

    def oid(self, text: bytes) -> bytes:
        oid = bytes([len(self.texts) + 1]) * 20
        self.texts[oid] = text
        return oid

    def side(self, text: bytes | None, status: str = "M", mode: int = FILE, path: bytes = b"f") -> Side:
        return Side(0, None, path, "A") if text is None else Side(mode, self.oid(text), path, status)

    def path(self, text: bytes, *sides: Side, mode: int = FILE) -> CombinedPath:
        return CombinedPath(b"f", mode, self.oid(text), sides)

    def write(self, path: CombinedPath, **more: Any) -> list[bytes]:
        hexes: Any = lambda oid: (oid or bytes(20))[:2].hex().encode()  # noqa: E731
        out = write_combined([path], self.contents, self.spec, self.style, ctx=Context(), abbreviated=hexes, **more)
        return b"".join(out).split(b"\n")[:-1]


@pytest.fixture
def desk() -> _Desk:
    return _Desk()


def test_records(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__raw=True)
    renamed = desk.side(b"b", "R", path=b"old")
    path = desk.path(b"c", desk.side(b"a", mode=PROGRAM), renamed)
    assert desk.write(path) == [b"::100755 100644 100644 0202 0101 0303 MR\tf"]
    desk.spec = changed(desk.spec, combined_all_paths=True)
    assert desk.write(path) == [b"::100755 100644 100644 0202 0101 0303 MR\tf\told\tf"]
    desk.spec = changed(desk.spec, formats__raw=False, formats__name_status=True)
    assert desk.write(path) == [b"MR\tf\told\tf"]


def test_a_conflict_that_was_settled(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__patch=True)
    path = desk.path(b"one\nboth\nend\n", desk.side(b"one\nours\nend\n"), desk.side(b"one\ntheirs\nend\n"))
    assert desk.write(path) == [
        b"diff --cc f",
        b"index " + b"01" * 20 + b"," + b"02" * 20 + b".." + b"03" * 20,
        b"--- a/f",
        b"+++ b/f",
        b"@@@ -1,3 -1,3 +1,3 @@@",
        b"  one",
        b"- ours",
        b" -theirs",
        b"++both",
        b"  end",
    ]


def test_one_side_taken_is_shown_by_c_alone(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__patch=True)
    path = desk.path(b"one\nours\n", desk.side(b"one\n"), desk.side(b"one\nours\n"))
    assert desk.write(path) == []
    desk.spec = changed(desk.spec, patch__dense_combined=False)
    assert desk.write(path)[0] == b"diff --combined f"
    assert desk.write(path)[4:] == [b"@@@ -1,1 -1,2 +1,2 @@@", b"  one", b"+ ours"]


def test_modes(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__patch=True)
    program = desk.path(b"a\n", desk.side(b"a\n"), desk.side(b"a\n"), mode=PROGRAM)
    assert desk.write(program)[2:] == [b"mode 100644,100644..100755", b"--- a/f", b"+++ b/f"]
    added = desk.path(b"a\n", desk.side(None), desk.side(None))
    assert desk.write(added)[2:5] == [b"new file mode 100644", b"--- /dev/null", b"+++ b/f"]
    gone = CombinedPath(b"f", 0, None, [desk.side(b"a\n"), desk.side(b"b\n")])
    assert desk.write(gone)[2:5] == [b"deleted file mode 100644,100644", b"--- a/f", b"+++ /dev/null"]


def test_binary_files_and_the_line_between(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__patch=True)
    path = desk.path(b"\0c", desk.side(b"a"), desk.side(b"b"))
    assert desk.write(path)[2:] == [b"Binary files differ"]
    assert desk.write(path, separate=True)[0] == b""


def test_a_heading_is_cut_in_front_of_its_last_character(desk: _Desk) -> None:
    desk.spec = changed(desk.spec, formats__patch=True)
    desk.spec = changed(desk.spec, lines__context=1)
    before = b"def run():\n 1\n 2\n"
    path = desk.path(before + b" c\n", desk.side(before + b" a\n"), desk.side(before + b" b\n"))
    assert desk.write(path)[4] == b"@@@ -3,2 -3,2 +3,2 @@@ def run()"


def test_names_alone_have_no_prefix(desk: _Desk) -> None:
    """Strange but git's: beside a graph, or with --line-prefix, the names of a merge begin at the margin."""
    sides = desk.side(b"a"), desk.side(b"b")
    path = desk.path(b"c", *sides)
    for form, line in (
        ("raw", b"| ::100644 100644 100644 0101 0202 0303 MM\tf"),
        ("name_status", b"MM\tf"),
        ("name_only", b"f"),
    ):
        desk.spec = changed(DiffSpec(), patch__line_prefix=b"| ", **{f"formats__{form}": True})
        assert desk.write(path) == [line]
