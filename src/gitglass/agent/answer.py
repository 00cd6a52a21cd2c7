"""The answer of a tool: text for the model, the same as plain data if the host wants it, and how much is missing."""

import re
from dataclasses import dataclass, field
from typing import Any

from ..errors import BadRequest, GitError
from .visible import visible_value

__all__ = ["Internal", "ToolAnswer", "error_answer", "error_object"]

#: git's various messages for something that does not exist
_MISSING = re.compile(
    r"no such|not exist|bad revision|unknown revision|bad object|not a valid (?!branch name|tag name)"
    r"|unable to resolve|malformed object name"
    r"|not in |has only \d+ lines|bad source|invalid object name|unable to find|no match|could not resolve"
)
#: messages about the lines of a file, which is there
_OF_LINES = re.compile(r"has only \d+ lines?|^-L parameter|: no match$")
#: characters of an error's message that are searched: git's messages quote their input, however long it is
_LONGEST = 8192


class Internal(GitError):
    """A bug in gitglass."""

    code = "internal"


@dataclass(slots=True)
class ToolAnswer:
    """One answer.

    `text` is what the model reads; `body` is the repository's part of it, without the lines that gitglass adds: the
    bodies of all pages, joined, are the uncut answer. `result` is plain data, if the context wants it. `shown` and
    `total` count items (`noun`: commits, files, lines, …); `total` is None if counting would cost too much. `error` is
    `{code, message, hint, partial}`; an answer may have both an error and a body: what was found before the error.
    """

    text: str
    body: str = ""
    result: dict[str, Any] | None = None
    is_error: bool = False
    error: dict[str, Any] | None = None
    truncated: bool = False
    reason: str | None = None
    shown: int = 0
    total: int | None = None
    noun: str = "lines"
    next_cursor: str | None = None
    notes: list[str] = field(default_factory=list)
    untrusted: bool = True


def error_object(error: GitError, *, partial: bool = False) -> dict[str, Any]:
    """An error as plain data: code, message, hint, and other data of the error."""
    words = error.message[:_LONGEST]
    code = "not_found" if error.code == "missing_object" else error.code
    if type(error) in (
        GitError,
        BadRequest,
    ):  # git's messages for a malformed request, or one that names something missing
        code = "not_found" if _MISSING.search(words.lower()) else "invalid_args"
    message = " ".join(str(visible_value(words)).split("\n")) or code
    hint = " ".join(error.hint.split("\n")) if error.hint else _usual_hint(code, words)
    fields: dict[str, Any] = {"code": code, "message": message, "hint": hint, "partial": partial}
    details = {key: visible_value(value) for key, value in error.data.items() if isinstance(value, str | int | list)}
    if details:
        fields["details"] = details
    return fields


#: hints for errors that have none of their own
HINTS = {
    "not_found": "git_refs lists branches and tags, git_files the paths of a revision.",
    "ambiguous": "Write the whole ref (refs/heads/x, refs/tags/x) or more digits of the id.",
    "not_a_repository": "git_info without arguments lists the repositories that can be read.",
    "sandbox_violation": "Only repositories and paths within the granted roots can be read; see git_info.",
    "timeout": "Narrow the question: fewer revisions, paths, or a smaller max_count.",
    "unsupported": "gitglass reads repositories only and runs no programs.",
    "corrupt": "The repository is damaged there; ask for other objects or paths.",
    "too_large": "Ask for less: a path, a range of lines, mode=stat.",
    "stale_cursor": "Ask again without a cursor.",
}


def _usual_hint(code: str, words: str) -> str | None:
    """The hint for an error that has none of its own; one on names only if the message is about a name."""
    return None if code == "not_found" and _OF_LINES.search(words) else HINTS.get(code)


def error_answer(error: GitError) -> ToolAnswer:
    """An answer that is only an error: one line of message and one line of hint."""
    fields = error_object(error)
    lines = [f"{fields['code']}: {fields['message']}"]
    if fields["hint"]:
        lines.append(f"hint: {fields['hint']}")
    return ToolAnswer("\n".join(lines), is_error=True, error=fields, untrusted=False)
