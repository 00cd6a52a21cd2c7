"""Patches: the headers of each file and its hunks, as `git diff -p` writes them.

One `PatchWriter` is made for a diff and writes every change, so that palettes, abbreviations and prefixes are looked up
once. Without colours a hunk is a few joins; with colours every line is coloured as git does it, and with
`--color-moved` lines are held back until the whole diff is known (`render.diff.moved`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from ...annotations import TYPE_CHECKING
from ...diff.changes import Change, Contents, Filespec, Remerged, Unnamed, absent
from ...diff.lines.compare import Pair, compare, split_lines
from ...diff.lines.hunks import Finder, Hunk, hunks_of
from ...diff.lines.whitespace import BLANK_AT_EOF, NO_EOL, Rule, paint, rule_for, trailing_blank_lines
from ...diff.spec import DiffSpec
from ...errors import Unreadable, text
from ...limits import joined, need, paced
from ...memories import Facts
from ...objects.parsed import object_name
from ...records import replace
from ...revs.abbrev import Abbreviator
from ..color import is_never_colored
from .binary import binary_patch
from .check import check_whitespace
from .moved import Held, paint_moved
from .raw import shown_path
from .words import WordPrinter

if TYPE_CHECKING:
    from ...limits import Context
    from ..style import Style

__all__ = ["PatchWriter", "check_whitespace"]

_FORMAT = 0o170000
_REGULAR = 0o100000
_GITLINK = 0o160000
_SPACE = b" \t\n\r"
_MANY_LINES = 1 << 13
#: (`lines.Pair.saved`) by two blobs and the options that affect it; a row counts by its changes
_SCRIPTS: Facts[tuple[Hashable, ...], tuple[object, ...]] = Facts("changes of two blobs", most=60_000, each=200)

#: What a patch is made of: finished text, and lines held back for `--color-moved`.
Piece = bytes | Held


class _Finished(bytes):
    """Text whose lines have their prefix already."""

    __slots__ = ()


def _is_unmerged(change: Change) -> bool:
    return change.unmerged or change.status == "U"


class PatchWriter:
    """Writes patches. Mirrors git-diff(1), "Generating patch text with -p"."""

    __slots__ = (
        "_abbrev",
        "_config_rule",
        "_line_key",
        "changed",
        "color",
        "contents",
        "context_color",
        "ctx",
        "frag",
        "func",
        "holds",
        "lines",
        "meta",
        "new_prefix",
        "old_prefix",
        "patch",
        "quote",
        "reset",
        "signs",
        "spec",
        "store",
        "style",
    )

    def __init__(self, contents: Contents, spec: DiffSpec, style: Style, *, ctx: Context) -> None:
        self.contents = contents
        self.spec = spec
        self.style = style
        self.ctx = ctx
        around = style.store.where.patch_context
        self.lines = spec.lines if around is None else replace(spec.lines, context=around)
        patch = self.patch = spec.patch
        self.store = style.store
        self.quote = style.quote
        color = self.color = style.color("diff", spec.color)
        self.meta = color.diff_meta
        self.reset = color.reset
        self.frag = color.diff_frag
        self.func = color.diff_func
        self.context_color = color.diff_context
        self.old_prefix, self.new_prefix = patch.src_prefix, patch.dst_prefix
        if patch.reverse:
            self.old_prefix, self.new_prefix = patch.dst_prefix, patch.src_prefix
        self.signs = {b"+": patch.indicator_new, b"-": patch.indicator_old, b" ": patch.indicator_context}
        self.holds = bool(color) and patch.color_moved != "no"
        self._abbrev: Abbreviator | None = None
        self._config_rule = patch.whitespace
        self._line_key = self.lines.key
        #: Whether lines or bytes were shown to differ: git's exit status where white space is ignored. Strange but
        #: git's: a header alone (a rename, another mode, an empty file) does not count, nor does a deletion under -D.
        self.changed = False

    # -- entry points -----------------------------------------------------------------------------------------------

    def write(self, changes: Iterable[Change]) -> Iterator[bytes]:
        """The patches of all changes, in order; one piece of text for each change."""
        if self.holds:
            held: list[Piece] = []
            for change in changes:
                self.ctx.tick()
                if _is_unmerged(change):
                    yield self._unmerged(change)  # git prints these at once, even while it holds other lines back
                else:
                    held += self._one(change)
            yield paint_moved(held, self.patch, self.color, self.ctx)
            return
        if self.patch.color_moved != "no" and not is_never_colored(self.style.config, "diff", self.spec.color):
            # git holds back lines without colours, too
            changes = sorted(changes, key=lambda change: not _is_unmerged(change))
        for change in changes:
            self.ctx.tick()
            text = joined(self._one(change))  # type: ignore[arg-type]
            if text:
                yield text

    def _one(self, change: Change) -> list[Piece]:
        if _is_unmerged(change):
            return [self._unmerged(change)]
        pieces = self._pieces(change)
        if self.patch.line_prefix and pieces:
            return self._prefixed(pieces)
        return pieces

    def _unmerged(self, change: Change) -> bytes:
        """The line for a path without a merged state; it has no prefix."""
        return b"* Unmerged path %s\n" % shown_path(change.old.path, self.spec)

    def _prefixed(self, pieces: list[Piece]) -> list[Piece]:
        prefix = self.patch.line_prefix
        out: list[Piece] = []
        fresh = True
        for piece in pieces:
            if isinstance(piece, _Finished):
                out.append(piece)
            elif isinstance(piece, bytes):
                if not piece:
                    continue
                body = piece.replace(b"\n", b"\n" + prefix)
                if piece.endswith(b"\n"):
                    body = body[: -len(prefix)]
                out.append(prefix + body if fresh else body)
                fresh = piece.endswith(b"\n")
            else:
                piece.prefix = prefix
                out.append(piece)
                fresh = True
        return out

    def _pieces(self, change: Change) -> list[Piece]:
        old, new = change.old, change.new
        if old.mode and new.mode and (old.mode ^ new.mode) & _FORMAT:
            # A file whose type changed, for instance to a link, is deleted and added.
            gone = self._pair(change, old, absent(new.path))
            return gone + self._pair(change, absent(old.path), new)
        return self._pair(change, old, new)

    # -- headers ----------------------------------------------------------------------------------------------------

    def oid_of(self, side: Filespec) -> bytes:
        """The object name of a side; for a work-tree file it is computed."""
        if not side.mode:
            return self.store.null
        if side.oid is not None:
            return side.oid
        if isinstance(side, Unnamed):
            if side.why:
                self.ctx.say(b"error: %s: %s" % (side.path, side.why.encode()))
                raise Unreadable(f"cannot hash {text(side.path)}", path=text(side.path))
            return self.store.null
        content = self.contents.read(side)
        if side.mode == _GITLINK:  # a submodule where the index has a file: the commit that is checked out
            return bytes.fromhex(content.split()[2].partition(b"-")[0].decode())
        return object_name(b"blob", content, self.store.hash_name)

    def short(self, oid: bytes) -> bytes:
        """An object name as the index line shows it."""
        if self._abbrev is None:
            self._abbrev = Abbreviator(self.store, self.patch.abbrev or None)
        return self._abbrev(oid)

    def _index_line(self, old: Filespec, new: Filespec) -> bytes:
        one, two = self.oid_of(old), self.oid_of(new)
        if one == two:
            return b""
        if self.patch.full_index or (
            self.patch.binary and (self.contents.is_binary(old) or self.contents.is_binary(new))
        ):
            names = b"index %s..%s" % (one.hex().encode(), two.hex().encode())
        else:
            names = b"index %s..%s" % (self.short(one), self.short(two))
        if old.mode == new.mode:
            names += b" %06o" % old.mode
        return self._meta(names)

    def _meta(self, line: bytes) -> bytes:
        """A line in the colour of headers."""
        return b"%s%s%s\n" % (self.meta, line, self.reset)

    def _about(self, change: Change, old: Filespec, new: Filespec) -> tuple[bytes, bool]:
        """Similarity, names and the index line; and whether they are shown even if no line differs."""
        quote = self.quote
        lines = change.lines if isinstance(change, Remerged) else ()
        out, shown = b"", True
        if change.status in "RC":
            verb = b"rename" if change.status == "R" else b"copy"
            out += self._meta(b"similarity index %d%%" % change.score)
            out += self._meta(b"%s from %s" % (verb, quote(shown_path(change.old.path, self.spec))))
            out += self._meta(b"%s to %s" % (verb, quote(shown_path(change.new.path, self.spec))))
        elif change.status == "M" and change.score:
            out += self._meta(b"dissimilarity index %d%%" % change.score)
        else:
            shown = bool(lines)
        return b"".join([out, *map(self._meta, lines), self._index_line(old, new)]), shown

    def _pair(self, change: Change, old: Filespec, new: Filespec) -> list[Piece]:
        patch = self.patch
        quote = self.quote
        if patch.submodule != "short" and {old.mode, new.mode} <= {0, _GITLINK}:
            return [self._submodule(old, new)]
        name_old = old.path if old.mode else new.path
        name_new = new.path if new.mode else old.path
        if self.spec.relative is not None:
            name_old, name_new = shown_path(name_old, self.spec), shown_path(name_new, self.spec)
        a_name = quote.joined(self.old_prefix, name_old.removeprefix(b"/"))  # an absolute path, with --no-index
        b_name = quote.joined(self.new_prefix, name_new.removeprefix(b"/"))
        label_old = a_name if old.mode else b"/dev/null"
        label_new = b_name if new.mode else b"/dev/null"
        header = self._meta(b"diff --git %s %s" % (a_name, b_name))
        about, must_show = self._about(change, old, new)
        if not (old.mode or new.mode):  # a conflict about a path that is in neither tree
            must_show = True
        elif not old.mode:
            header += self._meta(b"new file mode %06o" % new.mode)
            must_show = True
        elif not new.mode:
            header += self._meta(b"deleted file mode %06o" % old.mode)
            must_show = True
        elif old.mode != new.mode:
            header += self._meta(b"old mode %06o" % old.mode) + self._meta(b"new mode %06o" % new.mode)
            must_show = True
        header += about
        labels = (label_old, label_new)
        contents = self.contents
        rewritten = old.mode and new.mode and change.status == "M" and change.score
        if rewritten and not contents.is_binary(old) and not contents.is_binary(new):
            self.changed = True
            if patch.reverse and not patch.mnemonic:  # strange but git's: -R does not reverse the prefixes here
                a_name = quote.joined(self.new_prefix, name_old.removeprefix(b"/"))
                b_name = quote.joined(self.old_prefix, name_new.removeprefix(b"/"))
            return [header, *self._rewrite(old, new, (a_name, b_name))]
        if patch.irreversible_delete and not new.mode:
            return [header]
        if not patch.text and (contents.is_binary(old) or contents.is_binary(new)):
            pieces = self._binary(old, new, header, must_show, labels)
            self.changed = self.changed or (len(pieces) > 1 and not self._is_unread(change, old, new))
            return pieces
        body = self._text(old, new, labels)
        if body:
            self.changed = True
            return [header, *body]
        return [header] if must_show else []

    def _binary(
        self, old: Filespec, new: Filespec, header: bytes, must_show: bool, labels: tuple[bytes, bytes]
    ) -> list[Piece]:
        one, two = old.oid if old.mode else None, new.oid if new.mode else None
        same = one == two if one is not None and two is not None else None
        if same is None:
            same = self.contents.read(old) == self.contents.read(new)
        if same:
            return [header] if must_show else []
        if self.patch.binary:
            before, after = self.contents.read(old), self.contents.read(new)
            return [header, binary_patch(before, after, self._compression(), self.ctx)]
        return [header, b"Binary files %s and %s differ\n" % labels]

    def _is_unread(self, change: Change, old: Filespec, new: Filespec) -> bool:
        """Whether git knows that a side is binary without its bytes: by its attributes, or from counting its lines
        before. It then says so of both, and counts them as unchanged."""
        if self.patch.binary or old.mode & new.mode & _FORMAT != _REGULAR:
            return False
        formats = self.spec.formats
        if formats.needs_lines or (formats.dirstat and self.spec.dirstat.by == "changes"):
            return True
        if change.status in "RC" and change.score < 100:  # their similarity was measured
            return True
        binary = self.contents.driver(old).binary
        return bool(self.contents.driver(new).binary if binary is False else binary)

    def _compression(self) -> int:
        """The level at which git deflates binary patches, as it does loose objects: the fastest unless configured."""
        config = self.store.config
        for key in ("core.loosecompression", "core.compression"):
            level = config.get_int(key)
            if level is not None:
                return level if -1 <= level <= 9 else 1
        return 1

    def _names(self, labels: tuple[bytes, bytes]) -> bytes:
        old, new = labels
        return b"%s--- %s%s%s\n%s+++ %s%s%s\n" % (
            self.meta,
            old,
            self.reset,
            b"\t" if b" " in old else b"",
            self.meta,
            new,
            self.reset,
            b"\t" if b" " in new else b"",
        )

    # -- hunks ------------------------------------------------------------------------------------------------------

    def finder(self, old: Filespec, new: Filespec) -> Finder | None:
        """The function-name rule for a pair: of the old side's driver, otherwise of the new side's."""
        for side in (old, new):
            if side.mode & _FORMAT == _REGULAR:
                driver = self.contents.driver(side)
                if driver.names_functions:
                    return driver.finder
        return None

    def _text(self, old: Filespec, new: Filespec, labels: tuple[bytes, bytes]) -> list[Piece]:
        before, after = self.contents.read(old), self.contents.read(new)
        pair = self._compare(old, new, before, after)
        if not pair.script:
            return []
        hunks = hunks_of(pair, self.lines, ctx=self.ctx, finder=self.finder(old, new))
        if self.patch.word_diff != "none":
            return self._words(old, new, hunks, labels)
        if self.color:
            need(pair.weight)  # the coloured lines
            dresser = Dresser(self, self._rule(old, new), before, after)
            body: list[Piece] = []
            for hunk in hunks:
                body.append(self.hunk_header(hunk))
                body += dresser.hunk(hunk)
        else:
            body = self._plain(hunks)
        return [self._names(labels), *body] if body else []

    def _compare(self, old: Filespec, new: Filespec, before: bytes, after: bytes) -> Pair:
        """The comparison, or the saved one of an earlier patch."""
        if not before or not after or old.oid is None or new.oid is None or _GITLINK in (old.mode, new.mode):
            return compare(before, after, self.lines, ctx=self.ctx)
        scripts = self.contents.memory.table(_SCRIPTS)
        key = (old.oid, new.oid, self._line_key)
        saved = scripts.get(key)
        if saved is not None:
            return Pair.restored(before, after, saved)
        pair = compare(before, after, self.lines, ctx=self.ctx)
        scripts.put(key, pair.saved(), len(pair.script) + 1)
        return pair

    def _plain(self, hunks: Iterable[Hunk]) -> list[Piece]:
        out: list[Piece] = []
        signs = self.signs
        quiet = self.patch.suppress_blank_empty
        for hunk in hunks:
            out.append(hunk.header() + b"\n")
            for kind, lines in hunk.parts:
                sign = signs[kind]
                text = _signed(sign, lines)
                if quiet and kind == b" ":
                    text = (b"\n" + text).replace(b"\n" + sign + b"\n", b"\n\n").replace(b"\n" + sign + b"\n", b"\n\n")
                    text = text[1:]
                out.append(text)
        return out

    def hunk_header(self, hunk: Hunk) -> bytes:
        """The `@@` line, with the colours of its parts."""
        header = hunk.header()
        if not self.color:
            return header + b"\n"
        end = header.index(b"@@", 2) + 2
        numbers, rest = header[:end], header[end:]
        if hunk.func:
            # A carriage return at the end of the shortened name stays outside the colours.
            name = rest.lstrip(b" \t")
            gap = rest[: len(rest) - len(name)]
            rest = b"%s%s%s%s%s%s" % (self.context_color, gap, self.reset, self.func, name, self.reset)
            if not name:
                rest = b"%s%s%s" % (self.context_color, gap, self.reset)
        return b"%s%s%s%s\n" % (self.frag, numbers, self.reset, rest)

    def _words(self, old: Filespec, new: Filespec, hunks: Iterable[Hunk], labels: tuple[bytes, bytes]) -> list[Piece]:
        printer = WordPrinter(self.patch, self.color, self._word_regex(old, new), self.ctx)
        out: list[Piece] = []
        for hunk in hunks:
            out.append(self.hunk_header(hunk))
            out.append(_Finished(printer.hunk(hunk)))
        return [self._names(labels), *out] if out else []

    def _word_regex(self, old: Filespec, new: Filespec) -> bytes | None:
        """--word-diff-regex, otherwise the drivers', otherwise diff.wordRegex."""
        patch = self.patch
        if patch.word_regex is not None:
            return patch.word_regex
        for side in (old, new):
            if side.mode & _FORMAT == _REGULAR:
                regex = self.contents.driver(side).word_regex
                if regex is not None:
                    return regex
        return patch.word_regex_default

    def _rule(self, old: Filespec, new: Filespec) -> Rule:
        """The white space rules of a pair. Strange but git's: they are looked up by the name that is shown."""
        name = shown_path(new.path if new.mode else old.path, self.spec)
        return rule_for(self.contents.whitespace(name), self._config_rule)

    def _rewrite(self, old: Filespec, new: Filespec, labels: tuple[bytes, bytes]) -> list[Piece]:
        """A file that changed so much (`-B`) that all of it is shown deleted and all of it added."""
        before, after = self.contents.read(old), self.contents.read(new)
        deleted, added = split_lines(before), split_lines(after)
        hidden = self.patch.irreversible_delete
        out: list[Piece] = [self._names(labels)]
        numbers = b"@@ -%s +%s @@" % (b"?,?" if hidden else _extent(len(deleted)), _extent(len(added)))
        out.append(b"%s%s%s\n" % (self.frag, numbers, self.reset))
        parts = [(b"-", deleted)] if deleted and not hidden else []
        if added:
            parts.append((b"+", added))
        hunk = Hunk(0, len(deleted), 0, len(added), b"", parts)
        if self.color:
            out += Dresser(self, self._rule(old, new), before, after).hunk(hunk)
        else:
            for kind, lines in parts:
                out.append(_signed(self.signs[kind], lines))
        return out

    def _submodule(self, old: Filespec, new: Filespec) -> bytes:
        """`--submodule=log` and `--submodule=diff`."""
        from .submodule import submodule_text  # it imports the work tree's rooms, which a patch needs for nothing else

        one, two = self.oid_of(old), self.oid_of(new)
        return submodule_text(self.store, self.style, self.spec, old, new, one, two, type(self), ctx=self.ctx)


def _extent(count: int) -> bytes:
    """The line range of a whole file in a hunk header."""
    return b"0,0" if not count else b"1" if count == 1 else b"1,%d" % count


class Dresser:
    """Colours the lines of one file, including white space errors."""

    __slots__ = ("blank_new", "blank_old", "error", "marks", "rule", "sets", "signs", "writer")

    def __init__(self, writer: PatchWriter, rule: Rule, before: bytes, after: bytes) -> None:
        self.writer = writer
        self.rule = rule
        color = writer.color
        self.signs = writer.signs
        self.sets = {b"+": color.diff_new, b"-": color.diff_old, b" ": color.diff_context}
        names = {b"+": "new", b"-": "old", b" ": "context"}
        error = self.error = color.diff_whitespace
        self.marks = {kind: bool(error) and name in writer.patch.ws_error_highlight for kind, name in names.items()}
        self.blank_old = self.blank_new = 0
        if rule.bits & BLANK_AT_EOF:
            before_blank, after_blank = trailing_blank_lines(before), trailing_blank_lines(after)
            if after_blank > before_blank:
                self.blank_old = len(split_lines(before)) - before_blank + 1
                self.blank_new = len(split_lines(after)) - after_blank + 1

    def hunk(self, hunk: Hunk) -> list[Piece]:
        """The coloured lines of a hunk; added and deleted ones are held back if the writer does so."""
        out: list[Piece] = []
        old_at, new_at = hunk.old_start + bool(hunk.old_count), hunk.new_start + bool(hunk.new_count)
        holds = self.writer.holds
        for kind, lines in hunk.parts:
            for line in paced(lines):
                if kind != b"+":
                    old_at += 1
                if kind != b"-":
                    new_at += 1
                at_end = (
                    kind == b"+"
                    and self.blank_new > 0
                    and self.blank_old <= old_at
                    and self.blank_new <= new_at
                    and not _text_of(line).strip(_SPACE)
                )
                if holds and kind != b" ":
                    out.append(Held(self, kind, line, at_end))
                else:
                    out.append(self.line(kind, line, self.sets[kind], at_end))
        return out

    def line(self, kind: bytes, line: bytes, color: bytes, at_end: bool) -> bytes:
        """One line with its sign."""
        reset = self.writer.reset
        if b"\n" in line:
            # Incomplete: git ends the line itself and writes the marker in the context's colour.
            head = self.line(kind, line[: -len(NO_EOL)], color, at_end)
            return b"%s%s\\ No newline at end of file%s\n" % (head, self.writer.context_color, reset)
        sign = self.signs[kind]
        if kind == b" " and not line and self.writer.patch.suppress_blank_empty:
            return b"\n"
        if not self.marks[kind]:
            return _one(color, sign, line, reset)
        if at_end:
            return _one(self.error, sign, line, reset)
        return b"%s%s%s%s\n" % (color, sign, reset, paint(line, self.rule, color, reset, self.error)[1])


def _signed(sign: bytes, lines: list[bytes]) -> bytes:
    """The lines of one kind, each with a sign in front."""
    if len(lines) > _MANY_LINES:
        need(2 * (sum(map(len, lines)) + 2 * len(lines)))
        return sign + joined(lines, b"\n" + sign) + b"\n"
    return sign + (b"\n" + sign).join(lines) + b"\n"


def _text_of(line: bytes) -> bytes:
    return line[: -len(NO_EOL)] if b"\n" in line else line


def _one(color: bytes, sign: bytes, line: bytes, reset: bytes) -> bytes:
    if line.endswith(b"\r"):
        return b"%s%s%s%s\r\n" % (color, sign, line[:-1], reset)
    return b"%s%s%s%s\n" % (color, sign, line, reset)
