"""git status as text: the long form, the short one, and the two for programs.

Mirrors git-status(1), "OUTPUT". The output depends on many small rules of git's; the surprising ones have a comment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.changes import MODIFIED, UNTRACKED
from ..limits import step
from ..records import record
from ..worktree.status import Entry, Status, Tracking
from .color import Palette
from .quote import relative_path
from .style import Style

if TYPE_CHECKING:
    from ..worktree.state import Operation
    from .columns import ColumnMode, lay_out
else:
    lay_out = deferred(__name__, ".columns", "lay_out")


_LABELS = {
    "A": b"new file:   ",
    "C": b"copied:     ",
    "D": b"deleted:    ",
    "M": b"modified:   ",
    "R": b"renamed:    ",
    "T": b"typechange: ",
    "X": b"unknown:    ",
    "U": b"unmerged:   ",
}
#: stages that exist (1, 2, 4 added up) → what both sides did, and the two letters of the short form
CONFLICTS = {
    1: ("both deleted", b"DD"),
    2: ("added by us", b"AU"),
    3: ("deleted by them", b"UD"),
    4: ("added by them", b"UA"),
    5: ("deleted by us", b"DU"),
    6: ("both added", b"AA"),
    7: ("both modified", b"UU"),
}


@record(frozen=True)
class StatusLook:
    """How it is printed. `prefix` is b"" if paths are not relative to the current directory."""

    prefix: bytes = b""
    null: bool = False
    branch: bool = False
    stash: bool = False
    hints: bool = True
    comment: bytes = b""
    during_commit: bool = False  # a merge or cherry-pick is being made: git gives less advice
    show_untracked: bool = True
    show_ignored: bool = False
    columns: ColumnMode | None = None
    color: str | None = None
    summaries: Callable[[], Iterator[bytes]] | None = None  # of submodules' commits
    patches: Callable[[], Iterator[bytes]] | None = None


def paint(color: bytes, text: bytes) -> bytes:
    """Text in a colour, when there is one."""
    return color + text + b"\x1b[m" if color else text


class _Paths:
    """Paths relative to the current directory, quoted, of one status."""

    __slots__ = ("_prefix", "_quote", "_spaced")

    def __init__(self, style: Style, prefix: bytes, spaced: bool = False) -> None:
        self._prefix = prefix
        self._quote = style.quote
        self._spaced = spaced

    def __call__(self, path: bytes) -> bytes:
        step()  # called once for each line of a status, in every form
        if self._prefix or not path:
            path = relative_path(path, self._prefix)
        return self._quote.spaced(path) if self._spaced else self._quote(path)


# ------------------------------------------------------------------------------------------------------- short forms
def write_short(status: Status, look: StatusLook, style: Style, *, porcelain: bool) -> Iterator[bytes]:
    """`git status -s` and `--porcelain`."""
    palette = style.color("status", "never" if porcelain else look.color)
    end = b"\0" if look.null else b"\n"
    shown: Callable[[bytes], bytes] = bytes if look.null else _Paths(style, b"" if porcelain else look.prefix, True)
    if look.branch:
        yield _short_branch(status, palette) + (b"" if status.branch == b"" else end)  # strange but git's
    out: list[bytes] = []
    for entry in status.entries:
        if entry.conflict:
            out.append(paint(palette.status_unmerged, CONFLICTS[entry.conflict][1]) + b" " + shown(entry.path) + end)
        else:
            out.append(_short_entry(entry, palette, shown, look.null, porcelain))
    for sign, paths in ((b"??", status.scan.untracked), (b"!!", status.scan.ignored)):
        mark = paint(palette.status_untracked, sign) if not look.null else sign
        out.extend([mark + b" " + shown(path) + end for path in paths])
    if out:
        yield b"".join(out)


def _short_entry(entry: Entry, palette: Palette, shown: Callable[[bytes], bytes], null: bool, porcelain: bool) -> bytes:
    work = entry.work
    if not porcelain and work and entry.mode_work == 0o160000:
        work = entry.submodule_letter
    left = paint(palette.status_updated, entry.index.encode()) if entry.index else b" "
    right = paint(palette.status_changed, work.encode()) if work else b" "
    path = shown(entry.path)
    if null:
        return left + right + b" " + path + b"\0" + (entry.source + b"\0" if entry.source is not None else b"")
    if entry.source is not None:
        path = shown(entry.source) + b" -> " + path
    return left + right + b" " + path + b"\n"


def _short_branch(status: Status, palette: Palette) -> bytes:
    header, local, remote = palette.status_header, palette.status_local_branch, palette.status_remote_branch
    out = paint(header, b"## ")
    if status.branch == b"":
        return out
    if status.initial:
        out += paint(header, b"No commits yet on ")
    if status.branch is None:
        return out + paint(palette.status_no_branch, b"HEAD (no branch)")
    out += paint(local, status.branch.removeprefix(b"refs/heads/"))
    tracking = status.tracking
    if tracking is None:
        return out
    out += paint(header, b"...") + paint(remote, tracking.short)
    if tracking.same:
        return out
    out += paint(header, b" [")
    ahead, behind = tracking.ahead, tracking.behind
    if tracking.gone:
        out += paint(header, b"gone")
    elif ahead is None or behind is None:
        out += paint(header, b"different")
    elif not ahead:
        out += paint(header, b"behind ") + paint(remote, b"%d" % behind)
    else:
        out += paint(header, b"ahead ") + paint(local, b"%d" % ahead)
        if behind:
            out += paint(header, b", ") + paint(header, b"behind ") + paint(remote, b"%d" % behind)
    return out + paint(header, b"]")


# --------------------------------------------------------------------------------------------------------- version 2
def write_porcelain_v2(status: Status, look: StatusLook, style: Style) -> Iterator[bytes]:
    """`git status --porcelain=v2`."""
    end = b"\0" if look.null else b"\n"
    shown: Callable[[bytes], bytes] = bytes if look.null else _Paths(style, look.prefix)
    if look.branch:
        yield b"".join(b"# " + line + end for line in _v2_branch(status))
    if look.stash and status.stashes:
        yield b"# stash %d" % status.stashes + end
    null_hex = style.store.null.hex().encode()
    out: list[bytes] = []
    for entry in status.entries:
        if entry.conflict:
            continue
        oids = [oid.hex().encode() if oid else null_hex for oid in (entry.oid_head, entry.oid_index)]
        letters = f"{entry.index or '.'}{entry.work or '.'} {_v2_submodule(entry, entry.is_submodule)}".encode()
        modes = b"%06o %06o %06o" % (entry.mode_head, entry.mode_index, entry.mode_work)
        line = letters + b" " + modes + b" " + b" ".join(oids) + b" "
        if entry.source is None:
            out.append(b"1 " + line + shown(entry.path) + end)
        else:
            moved = b"%s%d " % (entry.renamed.encode(), entry.score)
            between = b"\0" if look.null else b"\t"
            out.append(b"2 " + line + moved + shown(entry.path) + between + shown(entry.source) + end)
    out.extend(_v2_conflict(status, entry, null_hex, shown) + end for entry in status.entries if entry.conflict)
    out.extend(b"? " + shown(path) + end for path in status.scan.untracked)
    out.extend(b"! " + shown(path) + end for path in status.scan.ignored)
    if out:
        yield b"".join(out)


def _v2_submodule(entry: Entry, link: bool) -> str:
    if not link:
        return "N..."
    letters = ("C" if entry.new_commits else ".", "M" if entry.dirty & MODIFIED else ".")
    return "S" + "".join(letters) + ("U" if entry.dirty & UNTRACKED else ".")


def _v2_conflict(status: Status, entry: Entry, null_hex: bytes, shown: Callable[[bytes], bytes]) -> bytes:
    index = status.index
    modes, oids = [], []
    for stage in (1, 2, 3):
        at = entry.stages.get(stage)
        modes.append(b"000000" if at is None else b"%06o" % index.modes[at])
        oids.append(null_hex if at is None else index.oids[at].hex().encode())
    modes.append(b"%06o" % entry.mode_work)
    sub = _v2_submodule(entry, any(index.modes[at] == 0o160000 for at in entry.stages.values())).encode()
    letters = CONFLICTS[entry.conflict][1]
    return b" ".join((b"u", letters, sub, *modes, *oids, shown(entry.path)))


def _v2_branch(status: Status) -> Iterator[bytes]:
    yield b"branch.oid " + (status.head.hex().encode() if status.head else b"(initial)")
    if status.branch is None:
        yield b"branch.head (detached)"
    elif not status.branch:
        yield b"branch.head (unknown)"
    else:
        yield b"branch.head " + status.branch.removeprefix(b"refs/heads/")
    tracking = status.tracking
    if tracking is None:
        return
    yield b"branch.upstream " + tracking.short
    if tracking.gone:
        return
    if tracking.ahead is None or tracking.behind is None:
        yield b"branch.ab +? -?"
    else:
        yield b"branch.ab +%d -%d" % (tracking.ahead, tracking.behind)


# --------------------------------------------------------------------------------------------------------- long form
def write_long(status: Status, look: StatusLook, style: Style) -> Iterator[bytes]:
    """`git status`, for people."""
    yield b"".join(_Long(status, look, style).parts())
    if look.patches is not None:
        yield from look.patches()
    yield b"".join(_conclusion(status, look))


class _Long:
    __slots__ = ("_look", "_palette", "_paths", "_status", "_width")

    def __init__(self, status: Status, look: StatusLook, style: Style) -> None:
        self._status = status
        self._look = look
        self._palette = style.color("status", look.color)
        self._paths = _Paths(style, look.prefix)
        self._width = style.columns

    def parts(self) -> Iterator[bytes]:
        status, look = self._status, self._look
        if status.branch != b"":
            yield self._branch()
        if status.branch is not None and status.tracking is not None and not status.initial:
            yield self._tracking(status.tracking)
        yield from self._states(status.operation)
        if status.initial:
            yield self._line(b"") + self._line(b"No commits yet") + self._line(b"")
        yield from self._updated()
        yield from self._unmerged()
        yield from self._changed()
        if look.summaries is not None:
            yield from look.summaries()
        if look.show_untracked:
            yield from self._others(b"Untracked files", b"add", status.scan.untracked)
            if look.show_ignored:
                yield from self._others(b"Ignored files", b"add -f", status.scan.ignored)
        elif status.committable:
            hint = b" (use -u option to show untracked files)" if look.hints else b""
            yield self._line(b"Untracked files not listed" + hint, b"")

    # -------------------------------------------------------------------------------------------------------- lines
    def _line(self, text: bytes, color: bytes | None = None) -> bytes:
        """A whole line in the header's colour, or in another one."""
        return self._start(text) + paint(self._palette.status_header if color is None else color, text) + b"\n"

    def _start(self, text: bytes) -> bytes:
        comment = self._look.comment
        return comment + b" " if comment and text and text[:1] != b"\t" else comment

    def _hint(self, text: bytes) -> bytes:
        return self._line(b"  (" + text + b")") if self._look.hints else b""

    # ------------------------------------------------------------------------------------------------------- branch
    def _branch(self) -> bytes:
        status, palette = self._status, self._palette
        on, name, color = b"On branch ", (status.branch or b"").removeprefix(b"refs/heads/"), palette.status_header
        if status.branch is None:
            color = palette.status_no_branch
            on, name = self._detached(status.operation)
        header = palette.status_header
        front = header and header + palette.reset  # strange but git's: an empty text in the header's colour comes first
        return self._start(on) + front + paint(color, on) + paint(palette.status_branch or header, name) + b"\n"

    @staticmethod
    def _detached(operation: Operation) -> tuple[bytes, bytes]:
        if operation.interactive:
            return b"interactive rebase in progress; onto ", operation.onto or b""
        if operation.rebase:
            return b"rebase in progress; onto ", operation.onto or b""
        if operation.detached_from is not None:
            return (b"HEAD detached at " if operation.detached_at else b"HEAD detached from "), operation.detached_from
        return b"Not currently on any branch.", b""

    def _tracking(self, tracking: Tracking) -> bytes:
        header = self._palette.status_header
        text = tracking_text(tracking, self._look.hints)
        front = self._look.comment + b" " if self._look.comment else b""
        lines = [paint(header, front + line) for line in text.split(b"\n")[:-1]]
        return b"\n".join(lines) + b"\n" + self._look.comment + b"\n"

    # ------------------------------------------------------------------------------------------------------- states
    def _states(self, operation: Operation) -> Iterator[bytes]:
        if operation.merge:
            if operation.interactive:
                yield self._steps(operation) + b"\n"
            yield self._merging()
        elif operation.am:
            yield self._am(operation)
        elif operation.rebase or operation.interactive:
            yield self._rebasing(operation)
        elif operation.cherry_pick is not None:
            yield self._picking(b"cherry-pick", b"Cherry-pick", b"cherry-picking", operation.cherry_pick)
        elif operation.revert is not None:
            yield self._picking(b"revert", b"Revert", b"reverting", operation.revert)
        if operation.bisect:
            origin = b", started from branch '%s'" % operation.bisect_from if operation.bisect_from else b""
            yield self._line(b"You are currently bisecting" + origin + b".")
            yield self._hint(b'use "git bisect reset" to get back to the original branch') + self._line(b"")
        if self._status.sparse is not None:
            share = self._status.sparse
            more = b"" if share < 0 else b" with %d%% of tracked files present" % share
            yield self._line(b"You are in a sparse checkout" + more + b".") + self._line(b"")

    def _merging(self) -> bytes:
        if self._status.unmerged:
            return (
                self._line(b"You have unmerged paths.")
                + self._hint(b'fix conflicts and run "git commit"')
                + self._hint(b'use "git merge --abort" to abort the merge')
                + self._line(b"")
            )
        text = self._line(b"All conflicts fixed but you are still merging.")
        return text + self._hint(b'use "git commit" to conclude merge') + self._line(b"")

    def _am(self, operation: Operation) -> bytes:
        out = self._line(b"You are in the middle of an am session.")
        if operation.am_empty:
            out += self._line(b"The current patch is empty.")
        else:
            out += self._hint(b'fix conflicts and then run "git am --continue"')
        out += self._hint(b'use "git am --skip" to skip this patch')
        if operation.am_empty:
            out += self._hint(b'use "git am --allow-empty" to record this patch as an empty commit')
        return out + self._hint(b'use "git am --abort" to restore the original branch') + self._line(b"")

    def _steps(self, operation: Operation) -> bytes:
        steps = operation.steps
        if steps is None:
            return b""
        done, todo = steps.done, steps.todo
        if not done:
            out = self._line(b"No commands done.")
        else:
            words = (b"command", b"command") if len(done) == 1 else (b"commands", b"commands")
            out = self._line(b"Last %s done (%d %s done):" % (words[0], len(done), words[1]))
            out += b"".join(self._line(b"   " + step) for step in done[-2:])
            if len(done) > 2:
                out += self._hint(b"see more in file " + steps.done_file)
        if not todo:
            return out + self._line(b"No commands remaining.")
        plural = b"" if len(todo) == 1 else b"s"
        out += self._line(b"Next command%s to do (%d remaining command%s):" % (plural, len(todo), plural))
        out += b"".join(self._line(b"   " + step) for step in todo[:2])
        return out + self._hint(b'use "git rebase --edit-todo" to view and edit')

    def _rebasing(self, operation: Operation) -> bytes:
        out = self._steps(operation)
        named = operation.branch is not None
        which = b"branch '%s' on '%s'." % (operation.branch or b"", operation.onto or b"")
        if self._status.unmerged or operation.rebase or operation.merge_message:
            out += self._line(b"You are currently rebasing " + which if named else b"You are currently rebasing.")
            if not self._status.unmerged:
                return out + self._hint(b'all conflicts fixed: run "git rebase --continue"') + self._line(b"")
            return (
                out
                + self._hint(b'fix conflicts and then run "git rebase --continue"')
                + self._hint(b'use "git rebase --skip" to skip this patch')
                + self._hint(b'use "git rebase --abort" to check out the original branch')
                + self._line(b"")
            )
        while_text = b"while rebasing " + which if named else b"during a rebase."
        if operation.splitting and self._status.dirty:
            out += self._line(b"You are currently splitting a commit " + while_text)
            hint = b'Once your working directory is clean, run "git rebase --continue"'
            return out + self._hint(hint) + self._line(b"")
        out += self._line(b"You are currently editing a commit " + while_text)
        out += self._hint(b'use "git commit --amend" to amend the current commit')
        return (
            out + self._hint(b'use "git rebase --continue" once you are satisfied with your changes') + self._line(b"")
        )

    def _picking(self, command: bytes, name: bytes, doing: bytes, oid: bytes) -> bytes:
        if oid:
            out = self._line(b"You are currently %s commit %s." % (doing, self._status.operation.commit))
        else:
            out = self._line(name + b" currently in progress.")
        go_on = b'run "git %s --continue"' % command
        if self._status.unmerged:
            out += self._hint(b"fix conflicts and " + go_on)
        elif oid:
            out += self._hint(b"all conflicts fixed: " + go_on)
        else:
            out += self._hint(go_on + b" to continue")
        out += self._hint(b'use "git %s --skip" to skip this patch' % command)
        return (
            out + self._hint(b'use "git %s --abort" to cancel the %s operation' % (command, command)) + self._line(b"")
        )

    # ----------------------------------------------------------------------------------------------------- sections
    def _unstage_hint(self) -> bytes:
        if self._look.during_commit:
            return b""
        command = b"rm --cached <file>..." if self._status.initial else b"restore --staged <file>..."
        return self._hint(b'use "git %s" to unstage' % command)

    def _updated(self) -> Iterator[bytes]:
        entries = [entry for entry in self._status.entries if entry.index]
        if not entries:
            return
        yield self._line(b"Changes to be committed:") + self._unstage_hint()
        color = self._palette.status_updated
        for entry in entries:
            yield self._change(entry, entry.index, color, b"")
        yield self._line(b"")

    def _change(self, entry: Entry, letter: str, color: bytes, extra: bytes) -> bytes:
        path = self._paths(entry.path)
        if entry.source is not None and entry.renamed == letter:
            path = self._paths(entry.source) + b" -> " + path
        text = paint(color, _LABELS[letter] + path)
        if extra:
            text += paint(self._palette.status_header, extra)
        return self._tab() + text + b"\n"

    def _tab(self) -> bytes:
        return self._look.comment + paint(self._palette.status_header, b"\t")

    def _unmerged(self) -> Iterator[bytes]:
        entries = [entry for entry in self._status.entries if entry.conflict]
        if not entries:
            return
        kinds = {entry.conflict for entry in entries}
        one_sided, others = not kinds.isdisjoint((3, 5)), bool(kinds - {1, 3, 5})
        advice = b'use "git add/rm <file>..." as appropriate to mark resolution'
        if 1 not in kinds and not one_sided:
            advice = b'use "git add <file>..." to mark resolution'
        elif 1 in kinds and not one_sided and not others:
            advice = b'use "git rm <file>..." to mark resolution'
        yield self._line(b"Unmerged paths:") + self._unstage_hint() + self._hint(advice)
        color = self._palette.status_unmerged
        for entry in entries:
            label = CONFLICTS[entry.conflict][0].encode() + b":"
            yield self._tab() + paint(color, label.ljust(17) + self._paths(entry.path)) + b"\n"
        yield self._line(b"")

    def _changed(self) -> Iterator[bytes]:
        entries = [entry for entry in self._status.entries if entry.work]
        if not entries:
            return
        command = b"add/rm" if any(entry.work == "D" for entry in entries) else b"add"
        yield self._line(b"Changes not staged for commit:")
        yield self._hint(b'use "git %s <file>..." to update what will be committed' % command)
        yield self._hint(b'use "git restore <file>..." to discard changes in working directory')
        if any(entry.dirty for entry in entries):
            yield self._hint(b"commit or discard the untracked or modified content in submodules")
        color = self._palette.status_changed
        for entry in entries:
            yield self._change(entry, entry.work, color, _inside(entry))
        yield self._line(b"")

    def _others(self, title: bytes, command: bytes, paths: list[bytes]) -> Iterator[bytes]:
        if not paths:
            return
        yield self._line(title + b":")
        yield self._hint(b'use "git %s <file>..." to include in what will be committed' % command)
        color = self._palette.status_untracked
        columns = self._look.columns
        if columns is not None and columns.on:
            # Strange but git's: whatever core.commentChar is, here it is "#".
            indent = (b"#" if self._look.comment else b"") + paint(self._palette.status_header, b"\t") + color
            end = b"\x1b[m\n" if self._palette else b"\n"
            yield lay_out([self._paths(path) for path in paths], columns, self._width, indent).replace(b"\n", end)
        else:
            for path in paths:
                yield self._tab() + paint(color, self._paths(path)) + b"\n"
        yield self._line(b"", b"")


def _inside(entry: Entry) -> bytes:
    """The changes in a submodule, as letters."""
    words = submodule_words(entry)
    return b" (" + ", ".join(words).encode() + b")" if words else b""


def submodule_words(entry: Entry) -> list[str]:
    """The changes in a submodule, in git's words."""
    words = ["new commits"] if entry.new_commits else []
    if entry.dirty & MODIFIED:
        words.append("modified content")
    if entry.dirty & UNTRACKED:
        words.append("untracked content")
    return words


def tracking_text(tracking: Tracking, hints: bool) -> bytes:
    """The relation of a branch to its upstream, in sentences (git checkout prints them too)."""
    name, ahead, behind = tracking.short, tracking.ahead, tracking.behind
    if tracking.gone:
        text = b"Your branch is based on '%s', but the upstream is gone.\n" % name
        hint = b'  (use "git branch --unset-upstream" to fixup)\n'
    elif tracking.same:
        return b"Your branch is up to date with '%s'.\n" % name
    elif ahead is None or behind is None:
        text = b"Your branch and '%s' refer to different commits.\n" % name
        hint = b'  (use "git status --ahead-behind" for details)\n'
    elif not behind:
        text = b"Your branch is ahead of '%s' by %d commit%s.\n" % (name, ahead, b"" if ahead == 1 else b"s")
        hint = b'  (use "git push" to publish your local commits)\n'
    elif not ahead:
        many = b"" if behind == 1 else b"s"
        text = b"Your branch is behind '%s' by %d commit%s, and can be fast-forwarded.\n" % (name, behind, many)
        hint = b'  (use "git pull" to update your local branch)\n'
    else:
        text = b"Your branch and '%s' have diverged,\n" % name
        text += b"and have %d and %d different commits each, respectively.\n" % (ahead, behind)
        hint = b'  (use "git pull" to merge the remote branch into yours)\n'
    return text + hint if hints else text


def _conclusion(status: Status, look: StatusLook) -> Iterator[bytes]:
    """The last lines: what would be committed, and the stash."""
    hints = look.hints
    if not status.committable:
        if status.dirty:
            yield b"no changes added to commit"
            yield b' (use "git add" and/or "git commit -a")\n' if hints else b"\n"
        elif status.scan.untracked:
            yield b"nothing added to commit but untracked files present"
            yield b' (use "git add" to track)\n' if hints else b"\n"
        elif status.initial:
            yield b"nothing to commit"
            yield b' (create/copy files and use "git add" to track)\n' if hints else b"\n"
        elif not look.show_untracked:
            yield b"nothing to commit"
            yield b" (use -u to show untracked files)\n" if hints else b"\n"
        else:
            yield b"nothing to commit, working tree clean\n"
    if look.stash and status.stashes:
        many = b"entry" if status.stashes == 1 else b"entries"
        comment = look.comment + b" " if look.comment else b""
        yield comment + b"Your stash currently has %d %s\n" % (status.stashes, many)
