"""Merges one file of both sides and their base: mode and content.

Mirrors gitattributes(5) ("merge", "conflict-marker-size") and what git-merge(1) says of conflict markers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..diff.changes import Contents, Filespec
from ..errors import CommandFailed, Unsupported, text
from ..limits import Context
from ..paths.attributes import Value, attributes_of
from .made import Made
from .messages import Messages
from .paths import BASE, OURS, THEIRS
from .spec import GONE, MergeSpec, Side
from .submodules import Submodules, merge_submodule, not_checked_out
from .three_way import Sides, merge_texts

__all__ = ["ContentMerge", "kind_of"]

_KIND, _FILE, LINK, GITLINK = 0o170000, 0o100000, 0o120000, 0o160000
_MARK = 7
_BINARY_SNIFF = 8000
_CONVERTING = (b"text", b"crlf", b"eol", b"ident", b"filter", b"working-tree-encoding")
_DEFINING = (b".driver", b".name", b".recursive")


def kind_of(side: Side) -> int:
    """The type of a side: a file, a link, a submodule."""
    return side[0] & _KIND


class ContentMerge:
    """Merges the contents of files, for one merge of trees."""

    __slots__ = ("_contents", "_ctx", "_made", "_messages", "_spec", "_submodules")

    def __init__(
        self,
        contents: Contents,
        made: Made,
        spec: MergeSpec,
        messages: Messages,
        submodules: Submodules = not_checked_out,
        *,
        ctx: Context,
    ) -> None:
        self._contents, self._made, self._spec, self._messages, self._ctx = contents, made, spec, messages, ctx
        self._submodules = submodules

    def merge(self, path: bytes, stages: list[Side], names: list[bytes], growth: int) -> tuple[Side, bool]:
        """(the merged side, whether it is clean) of three sides that are of one type. `names` are the paths they have
        there.

        Conflict markers are longer by `growth`.
        """
        base, ours, theirs = stages
        mode, clean = theirs[0], True
        if ours[0] not in (theirs[0], base[0]):
            mode, clean = ours[0], theirs[0] == base[0]
        if ours[1] in (theirs[1], base[1]):
            return (mode, theirs[1]), clean
        if theirs[1] == base[1]:
            return (mode, ours[1]), clean
        if kind_of(base) != kind_of(ours):
            base = GONE  # a base of another type is no base for the content
        if kind_of(ours) == _FILE:
            oid, fits = self._text(path, [base, ours, theirs], names, growth)
            self._messages.auto_merging(path)
            return (mode, oid), clean and fits
        if kind_of(ours) == LINK:
            return self._link(mode, stages)
        return self._submodule(names[BASE], mode, stages, base)

    def _submodule(self, path: bytes, mode: int, stages: list[Side], base: Side) -> tuple[Side, bool]:
        ours, theirs = stages[OURS][1], stages[THEIRS][1]
        assert ours is not None and theirs is not None
        inner = bool(self._spec.depth)
        commits = base[1], ours, theirs
        commit = merge_submodule(path, commits, self._submodules, self._messages, inner=inner, ctx=self._ctx)
        if commit is not None:
            return (mode, commit), True
        return (stages[BASE] if inner else (mode, ours)), False

    def _link(self, mode: int, stages: list[Side]) -> tuple[Side, bool]:
        if self._spec.depth:
            return stages[BASE], False
        favored = {"ours": OURS, "theirs": THEIRS}.get(self._spec.favor)
        return (mode, stages[favored or OURS][1]), favored is not None

    def _text(self, path: bytes, stages: list[Side], names: list[bytes], growth: int) -> tuple[bytes | None, bool]:
        """(the merged blob, whether it is clean) of three texts."""
        spec = self._spec
        ours, theirs, ancestor = spec.labels
        if len(set(names)) > 1:
            ours, theirs = ours + b":" + names[OURS], theirs + b":" + names[THEIRS]
            ancestor = ancestor + b":" + names[BASE]
        texts = [self._contents.read(Filespec(path, *side)) for side in stages]
        attributes = attributes_of(self._contents.store)
        self.need_no_normalizing(path, texts)
        favor = "" if spec.depth else spec.favor
        given = attributes.get(path, b"conflict-marker-size")
        size = (int(given) if isinstance(given, bytes) and given.isdigit() and len(given) < 4 else 0) or _MARK
        driver = self._driver(attributes.get(path, b"merge"))
        if isinstance(driver, bytes) and self._is_defined(driver):
            merged, clean = self._by_program(path, driver, texts, size + growth)
            return self._made.blob(merged), clean
        if driver is False or driver == b"binary" or any(map(_is_binary, texts)):
            return self._binary(path, stages, ours, theirs, favor)
        if driver == b"union":
            favor = "union"
        sides = Sides((ours, theirs, ancestor), size + growth, spec.style, favor)
        done = merge_texts(texts[0], texts[1], texts[2], sides, self._spec.lines, ctx=self._ctx)
        return self._made.blob(done.text), done.clean

    def need_no_normalizing(self, path: bytes, texts: Sequence[bytes] = ()) -> None:
        """Raise Unsupported for a file whose conversion would take part in the merge (`merge.renormalize`). With ends
        of lines in these `texts` that a conversion takes away, attributes may decide that only the other side has."""
        store = self._contents.store
        if not store.config.get_bool("merge.renormalize", False):
            return
        attributes, ends = attributes_of(store), (store.config.get("core.autocrlf") or b"").lower()
        converts = ends == b"input" or bool(ends and store.config.get_bool("core.autocrlf"))
        converts = converts or any(b"\r\n" in text for text in texts)
        if converts or any(attributes.get(path, name) is not None for name in _CONVERTING):
            words = f"gitglass does not merge by 'merge.renormalize', and '{text(path)}' may be converted"
            raise Unsupported(words, path=text(path), option="merge.renormalize")

    def _driver(self, value: Value) -> Value:
        """The merge driver of a path: from its attribute, otherwise `merge.default`. Where merge bases are merged, the
        driver that it names for that (`merge.<driver>.recursive`). A driver that is not defined is git's own, for
        text."""
        config = self._contents.store.config
        driver: Value = config.get("merge.default") if value is None else value
        if self._spec.depth and isinstance(driver, bytes):
            inner = config.get(b"merge." + driver + b".recursive")
            driver = driver if inner is None else inner
        return driver

    def _is_defined(self, driver: bytes) -> bool:
        """Whether the configuration defines a driver of this name, which then replaces git's own."""
        return any(self._contents.store.config.has(b"merge." + driver + end) for end in _DEFINING)

    def _by_program(self, path: bytes, driver: bytes, texts: list[bytes], size: int) -> tuple[bytes, bool]:
        """The blob that a merge driver's program makes of three texts, if a writer is granted it. Raises Unsupported
        otherwise."""
        store = self._contents.store
        if not store.config.get(b"merge." + driver + b".driver"):
            raise CommandFailed(f"custom merge driver {text(driver)} lacks command line.", driver=text(driver))
        if store.merge_driver is None:
            raise Unsupported(
                f"gitglass runs no program: '{text(path)}' is merged by driver '{text(driver)}'", driver=text(driver)
            )
        return store.merge_driver(driver, path, (texts[0], texts[1], texts[2]), size)

    def _binary(
        self, path: bytes, stages: list[Side], ours: bytes, theirs: bytes, favor: str
    ) -> tuple[bytes | None, bool]:
        if self._spec.depth:
            return stages[BASE][1] or self._made.blob(b""), True
        if favor in ("ours", "theirs"):
            return stages[OURS if favor == "ours" else THEIRS][1], True
        self._messages.binary(path, ours, theirs)
        return stages[OURS][1], False


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_BINARY_SNIFF]
