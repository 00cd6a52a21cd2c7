"""Notes shown with a commit: their lines, and the refs that options and settings choose."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.render.log.shown_notes import ShownNotes, note_refs

NOTES = {
    b"refs/notes/commits": (b"blob", b"one\ntwo\n"),
    b"refs/notes/x": (b"blob", b"three\0cut"),
    b"refs/notes/tree": (b"tree", b""),
    b"refs/notes/blank": (b"blob", b"\n"),
    b"refs/notes/latin": (b"blob", "ä\n".encode()),
}


def store_with(*settings: tuple[str, str]) -> Any:
    def notes(ref: bytes) -> Any:
        return None if ref not in NOTES else SimpleNamespace(read=lambda oid: NOTES[ref] if oid == b"c" else None)

    values = dict(settings)
    config = SimpleNamespace(
        get=lambda key: values[key].encode() if key in values else None,
        strings=lambda key: [values[key].encode()] if key in values else [],
    )
    refs = SimpleNamespace(exists=lambda name: True, iterate=list)
    return SimpleNamespace(
        notes=notes, config=config, refs=refs, where=SimpleNamespace(notes_ref=None, notes_refs=None)
    )


@pytest.mark.parametrize(
    ("ref", "shown", "raw"),
    [
        (b"refs/notes/commits", b"\nNotes:\n    one\n    two\n", b"one\ntwo\n"),
        (b"refs/notes/x", b"\nNotes (x):\n    three\n", b"three\n"),
        (b"refs/notes/tree", b"", b""),
        (b"refs/notes/blank", b"\nNotes (blank):\n", b""),
        (b"refs/notes/none", b"", b""),
    ],
)
def test_lines_of_a_note(ref: bytes, shown: bytes, raw: bytes) -> None:
    store = store_with()
    assert ShownNotes(store, [ref], raw=False, encoding=b"UTF-8")(b"c") == shown
    assert ShownNotes(store, [ref], raw=True, encoding=b"UTF-8")(b"c") == raw
    assert ShownNotes(store, [ref], raw=False, encoding=b"UTF-8")(b"other") == b""


def test_notes_come_in_the_order_of_their_refs_in_the_output_encoding() -> None:
    notes = ShownNotes(store_with(), [b"refs/notes/latin", b"refs/notes/x"], raw=False, encoding=b"ISO-8859-1")
    assert notes(b"c") == b"\nNotes (latin):\n    \xe4\n\nNotes (x):\n    three\n"


@pytest.mark.parametrize(
    ("words", "by_default", "refs"),
    [
        ([], True, [b"refs/notes/commits"]),
        ([], False, None),
        (["+"], False, [b"refs/notes/commits"]),
        (["-"], True, None),
        (["=x"], True, [b"refs/notes/x"]),
        (["&x"], True, [b"refs/notes/commits", b"refs/notes/x"]),
        (["=x", "+"], True, [b"refs/notes/commits", b"refs/notes/x"]),
        (["=x", "-", "=y"], True, [b"refs/notes/y"]),
        (["~"], True, []),
        (["?"], False, [b"refs/notes/commits"]),
    ],
)
def test_refs_that_options_choose(words: list[str], by_default: bool, refs: list[bytes] | None) -> None:
    assert note_refs(store_with(), words, by_default=by_default, ctx=Context()) == refs


def test_the_setting_adds_refs_to_the_usual_one() -> None:
    store = store_with(("notes.displayRef", "refs/notes/x"))
    assert note_refs(store, [], by_default=True, ctx=Context()) == [b"refs/notes/commits", b"refs/notes/x"]
    assert note_refs(store, ["=y"], by_default=True, ctx=Context()) == [b"refs/notes/y"]
