"""The options of a line diff and of the text of a patch, as two plain records.

`LineSpec` decides *which* lines differ (and is enough for `--numstat` and blame); `PatchSpec` decides how the
patch is written. Both mirror git-diff(1); the options in `request/diff.py` fill them in.
"""

from __future__ import annotations

__all__ = ["LineSpec", "PatchSpec"]

from ...records import record


@record(frozen=True, eq=False, repr=False)
class LineSpec:
    """Which lines count as changed, and how much is shown around them."""

    algorithm: str = "myers"  # "myers" | "patience" | "histogram"
    minimal: bool = False  # --minimal, --diff-algorithm=minimal
    anchors: tuple[bytes, ...] = ()  # --anchored=<text>; algorithm must then be "patience"
    context: int = 3  # -U<n>
    inter_hunk: int = 0  # --inter-hunk-context
    function_context: bool = False  # -W
    indent_heuristic: bool = True
    ignore_all_space: bool = False  # -w
    ignore_space_change: bool = False  # -b
    ignore_space_at_eol: bool = False
    ignore_cr_at_eol: bool = False
    ignore_blank_lines: bool = False
    ignore_regex: tuple[bytes, ...] = ()  # -I<regex> (POSIX extended)

    @property
    def key(self) -> tuple[object, ...]:
        """A key of all the options, for caches."""
        return (
            self.algorithm,
            self.minimal,
            self.anchors,
            self.context,
            self.inter_hunk,
            self.function_context,
            self.indent_heuristic,
            self.ignore_all_space,
            self.ignore_space_change,
            self.ignore_space_at_eol,
            self.ignore_cr_at_eol,
            self.ignore_blank_lines,
            self.ignore_regex,
        )

    @property
    def folds_space(self) -> bool:
        """True if two different lines may count as equal."""
        return self.ignore_all_space or self.ignore_space_change or self.ignore_space_at_eol or self.ignore_cr_at_eol


@record(frozen=True, eq=False, repr=False)
class PatchSpec:
    """How the text of a patch is written."""

    src_prefix: bytes = b"a/"
    dst_prefix: bytes = b"b/"
    mnemonic: bool = False  # diff.mnemonicPrefix: the caller sets mnemonic_old/new
    full_index: bool = False
    abbrev: int | None = None  # None: core.abbrev's automatic length
    binary: bool = False  # --binary
    text: bool = False  # --text
    irreversible_delete: bool = False  # -D
    line_prefix: bytes = b""
    indicator_new: bytes = b"+"
    indicator_old: bytes = b"-"
    indicator_context: bytes = b" "
    word_diff: str = "none"  # "none" | "plain" | "color" | "porcelain"
    word_regex: bytes | None = None  # --word-diff-regex, --color-words=<regex>
    word_regex_default: bytes | None = None  # diff.wordRegex: used if no driver has one either
    color_moved: str = "no"  # "no" | "plain" | "blocks" | "zebra" | "dimmed-zebra" ("default" == "zebra")
    # of "ignore-all-space", "ignore-space-change", "ignore-space-at-eol", "allow-indentation-change"
    color_moved_ws: tuple[str, ...] = ()
    ws_error_highlight: tuple[str, ...] = ("new",)  # of "old", "new", "context"
    whitespace: bytes = b""  # core.whitespace
    suppress_blank_empty: bool = False  # diff.suppressBlankEmpty
    submodule: str = "short"  # "short" | "log" | "diff"
    combined_all_paths: bool = False
    dense_combined: bool = True  # --cc (False: -c)
    reverse: bool = False  # -R (already applied to the changes; swaps nothing but kept for mnemonic prefixes)
