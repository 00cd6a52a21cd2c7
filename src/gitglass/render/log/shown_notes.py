"""The notes that are shown with a commit: of which refs, and as which text (git-log(1), --notes)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from ...deferred import lazy_pattern
from ...errors import text
from ...limits import Context, lines_in
from ...repo.encoding import is_utf8, reencode
from ...repo.notes import default_ref, expand_notes_ref, glob_refs
from ...repo.store import Store


class ShownNotes:
    """Shows the notes of an object, from the selected refs."""

    __slots__ = ("_encoding", "_raw", "_store", "_trees")

    def __init__(self, store: Store, refs: Sequence[bytes], *, raw: bool, encoding: bytes) -> None:
        self._store, self._raw, self._encoding = store, raw, encoding
        notes_by_ref = [(ref, store.notes(ref)) for ref in refs]
        self._trees = [(ref, notes) for ref, notes in notes_by_ref if notes is not None]

    def __call__(self, oid: bytes) -> bytes:
        out: list[bytes] = []
        for ref, notes in self._trees:
            note = notes.read(oid)
            if note is None or note[0] != b"blob":
                continue
            message = note[1]
            if self._encoding and not is_utf8(self._encoding):
                message = reencode(message, b"UTF-8", self._encoding) or message
            lines = lines_in(message.partition(b"\0")[0].removesuffix(b"\n")) if message else []
            if message == b"\n":
                lines = []
            if self._raw:
                out += [line + b"\n" for line in lines]
                continue
            label = b"" if ref == b"refs/notes/commits" else b" (%s)" % _NOTES_PREFIX.sub(b"", ref)
            out.append(b"\nNotes%s:\n" % label)
            out += [b"    " + line + b"\n" for line in lines]
        return b"".join(out)


_NOTES_PREFIX = lazy_pattern(rb"\A(refs/)?(notes/)?")


def note_refs(store: Store, words: Sequence[str], *, by_default: bool, ctx: Context | None) -> list[bytes] | None:
    """The notes refs to show, None for none at all: --notes and --no-notes in their order, then the configuration.
    Warns of invalid ones through `ctx`. A notes.displayRef without a value is an error where that setting counts."""
    usual: bool | None = None
    given = shown = False
    extra: list[bytes] = []
    for word in words:
        if word == "?":
            by_default = True
            continue
        if word == "~":
            usual = False
            continue
        if word == "!":  # --standard-notes: counts as a choice, but adds no ref by itself
            given, usual = True, True
            continue
        given, shown = True, word != "-"
        if word == "-":
            usual, extra = None, []
        elif word == "+":
            usual = True
        else:
            if word[0] == "&" and usual is None:
                usual = True
            extra.append(expand_notes_ref(word[1:].encode("utf-8", "surrogateescape")))
    if not (shown if given else by_default):
        return None
    refs: list[bytes] = []
    patterns: Iterable[bytes] = ()
    if usual or (usual is None and not extra):
        refs.append(default_ref(store.config, store.where.notes_ref))
        listed = store.where.notes_refs  # it replaces the setting (git-config(1), notes.displayRef)
        patterns = store.config.strings("notes.displayRef") if listed is None else listed
    for pattern in chain(patterns, extra):
        names, is_valid = glob_refs(pattern, store.refs)
        if not is_valid and ctx is not None:
            ctx.warn(f"notes ref {text(pattern)} is invalid")
        refs += [name for name in names if name not in refs]
    return refs
