"""The list of a rebase: what is to be done, a line each, as git keeps it in `rebase-merge/` (git-rebase(1),
"Interactive mode"). gitglass carries out `pick`, `drop` and `noop`; whatever else a person has put there is refused by
name."""

from __future__ import annotations

import re

from ....errors import Unsupported, text
from ....records import record
from ....revs.resolve import named_commit
from ...view import View
from ..message import comment_char

_LINE = re.compile(rb"(\S+)(?:[ \t]+(\S+))?(?:[ \t]+(.*))?")
_LETTERS = {b"p": b"pick", b"d": b"drop"}
_HELP = b"""\

Commands:
p, pick <commit> = use commit
r, reword <commit> = use commit, but edit the commit message
e, edit <commit> = use commit, but stop for amending
s, squash <commit> = use commit, but meld into previous commit
f, fixup [-C | -c] <commit> = like "squash" but keep only the previous
                   commit's log message, unless -C is used, in which case
                   keep only this commit's message; -c is same as -C but
                   opens the editor
x, exec <command> = run command (the rest of the line) using shell
b, break = stop here (continue rebase later with 'git rebase --continue')
d, drop <commit> = remove commit
l, label <label> = label current HEAD with a name
t, reset <label> = reset HEAD to a label
m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]
        create a merge commit using the original merge commit's
        message (or the oneline, if no original merge commit was
        specified); use -c <commit> to reword the commit message
u, update-ref <ref> = track a placeholder for the <ref> to be updated
                      to this position in the new commits. The <ref> is
                      updated at the end of the rebase

These lines can be re-ordered; they are executed from top to bottom.

%b

However, if you remove everything, the rebase will be aborted.
"""
_LOST = b"If you remove a line here THAT COMMIT WILL BE LOST."
_KEPT = b"Do not remove any line. Use 'drop' explicitly to remove a commit."


@record(frozen=True)
class Step:
    """One line: what is done (`pick`, `drop`, `noop`) with which commit, and the words behind it."""

    verb: bytes
    commit: bytes | None = None
    words: bytes = b""

    @property
    def line(self) -> bytes:
        """The line as git writes it, without its newline."""
        if self.commit is None:
            return self.verb
        return b"%b %b%b" % (self.verb, self.commit.hex().encode(), b" " + self.words if self.words else b"")


NOOP = Step(b"noop")


def read_steps(view: View, data: bytes) -> list[Step]:
    """The lines of a list. Raises Unsupported for commands that gitglass does not carry out."""
    steps: list[Step] = []
    for line in data.split(b"\n"):
        match = None if line.startswith(comment_char(view)) else _LINE.match(line.strip())
        if match is None:
            continue
        verb = _LETTERS.get(match[1], match[1])
        if verb == b"noop":
            steps.append(NOOP)
            continue
        commit = None if match[2] is None else named_commit(view.store, text(match[2]), ctx=view.ctx)
        if verb not in (b"pick", b"drop") or commit is None:
            raise Unsupported(f"gitglass does not carry out '{text(line)}' of a rebase's list", option=text(match[1]))
        steps.append(Step(verb, commit, match[3] or b""))
    return steps


def count_steps(view: View, data: bytes) -> int:
    """How many commands there are in a list, whichever they are."""
    mark = comment_char(view)
    return sum(1 for line in data.split(b"\n") if line.strip() and not line.startswith(mark))


def written(steps: list[Step]) -> bytes:
    """The lines as a file."""
    return b"".join(step.line + b"\n" for step in steps)


def help_text(view: View, range_: bytes, count: int) -> bytes:
    """What git puts below a list before it is shown to a person; `range_` says what is rebased onto what."""
    strict = (view.config.get("rebase.missingcommitscheck") or b"").lower() == b"error"
    many = b"command" if count == 1 else b"commands"
    body = b"Rebase %b (%d %b)\n" % (range_, count, many) + _HELP % (_KEPT if strict else _LOST)
    mark = comment_char(view)
    return b"\n" + b"".join(mark + (b" " + line if line else b"") + b"\n" for line in body.split(b"\n"))
