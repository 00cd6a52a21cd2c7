"""Notes of commits that are made again: git copies them where the settings say so, which gitglass does not. Mirrors
git-notes(1), "CONFIGURATION"."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import Unsupported, text
from ...repo.notes import glob_refs, load_notes
from ..view import View


def need_no_notes(view: View, command: str, commits: Iterable[bytes]) -> None:
    """Raise Unsupported where the command ("amend", "rebase") would have to copy a note of one of these commits to the
    one that takes its place (`notes.rewriteRef`, `notes.rewrite.<command>`): else it would be left behind unsaid."""
    config, refs = view.config, view.store.refs
    patterns = config.get_all("notes.rewriteref")
    copies = config.get_bool(f"notes.rewrite.{command}", True) and config.get("notes.rewritemode") != b"ignore"
    if not patterns or not copies:
        return
    names = dict.fromkeys(name for pattern in patterns for name in glob_refs(pattern, refs)[0])
    every = [notes for name in names if (notes := load_notes(view.odb, refs, name)) is not None]
    for commit in commits if every else ():
        view.ctx.tick()
        if any(notes.get(commit) is not None for notes in every):
            words = f"{commit.hex()} has a note, and gitglass copies none (notes.rewriteRef is '{text(patterns[-1])}')"
            raise Unsupported(words, option="notes.rewriteRef")
