"""Document 4's box: what a person reads before a push.

    ┌────────────────────────────────────────────────────────────────┐
    │  git_push                                                      │
    │                                                                │
    │  Target: local:/path/to/project (branch: main)                 │

Names and messages come from an agent: control characters are shown, and no line runs out of the box.
"""

from __future__ import annotations

import unicodedata

from ..push import PushPlan
from ..views import sign_of, size_words

KEYS = "[d]iff  [a]pprove  [r]eject  [?]help"
_WIDTH = 64
_ADDRESS = 60
_MOST_FILES = 40


def shown(words: str) -> str:
    """Text in which characters that a terminal obeys, or that change the direction of text, are made visible."""
    return "".join(letter if _is_plain(letter) else _visible(letter) for letter in words)


def _is_plain(letter: str) -> bool:
    return letter.isprintable() and unicodedata.category(letter) != "Cf"


def _visible(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def columns_of(words: str) -> int:
    """The number of columns in which a terminal shows a text."""
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in words)


def fitted(words: str, width: int) -> str:
    """A text in exactly so many columns: cut with `…`, or padded with blanks."""
    if columns_of(words) > width:
        out = ""
        for letter in words:
            if columns_of(out + letter) > width - 1:
                break
            out += letter
        words = out + "…"
    return words + " " * (width - columns_of(words))


def _short(address: str) -> str:
    """An address of at most `_ADDRESS` characters: the middle of a long one is left out."""
    return address if len(address) <= _ADDRESS else f"{address[:20]}…{address[21 - _ADDRESS :]}"


def lines_of_plan(plan: PushPlan) -> list[str]:
    """The lines of the box."""
    new = ", new branch" if plan.is_new else ""
    lines = ["git_push", "", f"Target: {_short(shown(plan.address))} (branch: {shown(plan.branch)}{new})"]
    if plan.protected:
        lines.append("The branch is protected.")
    if plan.moved:
        lines.append(f"The target has {plan.behind} new commit(s) since your base.")
    lines += [f"Note: {shown(note)}" for note in plan.notes]
    for one in plan.commits:
        lines.append(f'Commit: {one.id[:6]} "{shown(one.subject)}"')
    lines += ["", "Files:"]
    files = [file for one in plan.commits for file in one.files]
    for file in files[:_MOST_FILES]:
        size = f" ({size_words(file.size)})" if file.operation != "delete" else ""
        marks = "".join(f" {word}" for word, is_so in (("binary", file.binary), ("Git LFS", file.lfs)) if is_so)
        mode = f" mode {file.old_mode} -> {file.new_mode}" if "" not in (file.old_mode, file.new_mode) else ""
        mode = "" if file.old_mode == file.new_mode else mode
        lines.append(f"  {sign_of(file)} {shown(file.path)}{size}{mode}{marks}")
    if len(files) > _MOST_FILES:
        lines.append(f"  and {len(files) - _MOST_FILES} more")
    return lines


def box(plan: PushPlan, *, keys: str = KEYS, width: int = _WIDTH) -> str:
    """The box, as wide as its longest line needs, up to 110 columns."""
    lines = [*lines_of_plan(plan), "", keys]
    width = min(max(width, *(columns_of(line) + 4 for line in lines)), 110)
    edge = "─" * width
    body = "".join(f"│  {fitted(line, width - 3)} │\n" for line in lines)
    return f"┌{edge}┐\n{body}└{edge}┘\n"
