"""The lines of --summary."""

from tests.support.specs import changed

from gitglass.diff.changes import Change, Filespec, absent
from gitglass.diff.spec import DiffSpec
from gitglass.render.diff.summary import summary
from gitglass.render.quote import Quoter

FILE, PROGRAM = 0o100644, 0o100755


def lines(*changes: Change, prefix: bytes = b"") -> list[bytes]:
    spec = DiffSpec()
    spec = changed(spec, patch__line_prefix=prefix)
    return list(summary(changes, spec, Quoter()))


def test_created_and_deleted() -> None:
    created = Change("A", absent(b"n"), Filespec(b"n", FILE))
    deleted = Change("D", Filespec(b'd"', PROGRAM), absent(b'd"'))
    assert lines(created, deleted) == [b" create mode 100644 n\n", b' delete mode 100755 "d\\""\n']
    assert lines(created, prefix=b"| ") == [b"|  create mode 100644 n\n"]


def test_renames_and_copies() -> None:
    renamed = Change("R", Filespec(b"d/a", FILE), Filespec(b"d/b", PROGRAM), score=90)
    copied = Change("C", Filespec(b"a", FILE), Filespec(b"b", FILE), score=100)
    assert lines(renamed) == [b" rename d/{a => b} (90%)\n", b" mode change 100644 => 100755\n"]
    assert lines(copied) == [b" copy a => b (100%)\n"]


def test_rewrites_and_modes() -> None:
    old, new = Filespec(b"f", FILE), Filespec(b"f", PROGRAM)
    assert lines(Change("M", old, new)) == [b" mode change 100644 => 100755 f\n"]
    assert lines(Change("M", old, new, score=70)) == [b" rewrite f (70%)\n", b" mode change 100644 => 100755\n"]
    assert lines(Change("M", old, Filespec(b"f", FILE))) == []
    assert lines(Change("U", absent(b"f"), new)) == []
