"""What a push says: a line a ref, why some were not taken, and what to do about it. Mirrors git-push(1), "OUTPUT"."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...records import record
from ...repo.store import Store
from ..plan import Answer
from .lines import moved, push_line
from .ref_map import HEADS, TAGS, pretty

_SEE = b"hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n"
_BEHIND = (
    b"hint: Updates were rejected because the tip of your current branch is behind\n"
    b"hint: its remote counterpart. Integrate the remote changes (e.g.\n"
    b"hint: 'git pull ...') before pushing again.\n" + _SEE
)
_OTHER_BEHIND = (
    b"hint: Updates were rejected because a pushed branch tip is behind its remote\n"
    b"hint: counterpart. Check out this branch and integrate the remote changes\n"
    b"hint: (e.g. 'git pull ...') before pushing again.\n" + _SEE
)
_EXISTS = b"hint: Updates were rejected because the tag already exists in the remote.\n"
_FETCH = (
    b"hint: Updates were rejected because the remote contains work that you do\n"
    b"hint: not have locally. This is usually caused by another repository pushing\n"
    b"hint: to the same ref. You may want to first integrate the remote changes\n"
    b"hint: (e.g., 'git pull ...') before pushing again.\n" + _SEE
)
_FORCE = (
    b"hint: You cannot update a remote ref that points at a non-commit object,\n"
    b"hint: or update a remote ref to make it point at a non-commit object,\n"
    b"hint: without using the '--force' option.\n"
)
_NUMBERS = {"non-fast-forward": 2, "already exists": 3, "fetch first": 5, "needs force": 6, "stale info": 7}


@record
class Row:
    """One ref of a push. `code` is git's sign; `rejected` why it was not changed, `remote` whether the other side said
    so, `unknown` whether nobody can say; `tracked` the ref here that follows it, `upstream` what is said of that."""

    name: bytes
    source: bytes
    old: bytes
    new: bytes
    code: str
    rejected: str = ""
    remote: bool = False
    unknown: bool = False
    tracked: bytes = b""
    upstream: bytes = b""

    @property
    def status(self) -> str:
        """What became of it, in a word or in the words of whoever rejected it."""
        if self.unknown:
            return f"unknown: {self.rejected}"
        if self.rejected:
            return f"rejected: {self.rejected}"
        return {"=": "up to date", "*": "new", "-": "deleted", "+": "forced"}.get(self.code, "updated")


def push_answer(
    store: Store,
    rows: Sequence[Row],
    words: Sequence[str],
    url: bytes,
    switches: Collection[str],
    head: bytes,
    width: int,
) -> Answer:
    """git's words on both streams, and the status. `words` are what the other side printed."""
    quiet, verbose = bool({"-q", "--quiet"} & {*switches}), bool({"-v", "--verbose"} & {*switches})
    porcelain, dry = "--porcelain" in switches, "--dry-run" in switches
    failed = any(row.rejected for row in rows)
    table = b"" if quiet and not failed else _table(store, rows, width, url, verbose=verbose, porcelain=porcelain)
    err = [b"Pushing to %b\n" % url] if verbose else []
    err += [_remote_line(line) for line in words]
    first = next((row for row in rows if row.rejected in _NUMBERS and not row.remote), None)
    if "--atomic" in switches and first is not None:
        number = _NUMBERS[first.rejected]
        err.append(b"error: atomic push failed for ref %b. status: %d\n\n" % (first.name, number))
    out = [table] if porcelain else []
    err += [] if porcelain else [table]
    if verbose and not dry:
        err += [b"updating local tracking ref '%b'\n" % row.tracked for row in rows if row.tracked and not row.rejected]
    if failed:
        err.append(b"error: failed to push some refs to '%b'\n" % url)
        err.append(_advice(store, rows, head))
    elif not porcelain and not quiet and all(row.code == "=" for row in rows):
        err.append(b"Everything up-to-date\n")
    if not quiet:
        out += [row.upstream for row in rows if not row.rejected]
    if porcelain and not any(row.unknown for row in rows):  # that the talk is over, whatever became of the refs
        out.append(b"Done\n")
    return Answer(b"".join(out), b"".join(err), int(failed))


def _remote_line(line: str) -> bytes:
    """A line of the other side's."""
    words = line.encode("utf-8", "surrogateescape")
    return b"remote: " + words + (b"        \n" if words else b"\n")


def _table(
    store: Store, rows: Sequence[Row], width: int, url: bytes, *, verbose: bool, porcelain: bool
) -> bytes:  # fmt: skip
    """What is up to date where that is asked for, what was done, what was not."""
    same = [row for row in rows if row.code == "=" and not row.rejected] if verbose or porcelain else []
    done = [row for row in rows if row.code != "=" and not row.rejected]
    wrong = [row for row in rows if row.rejected]
    lines = [_line(store, row, width, porcelain) for row in (*same, *done, *wrong)]
    return b"".join([b"To %b\n" % url, *lines]) if lines else b""


def _line(store: Store, row: Row, width: int, porcelain: bool) -> bytes:
    code, summary, error = _shown(store, row)
    if porcelain:
        tail = b" (%b)" % error if error else b""
        return b"%b\t%b:%b\t%b%b\n" % (code, row.source if row.new else b"", row.name, summary, tail)
    source = pretty(row.source) if row.new else b""
    return push_line(code, summary, source, pretty(row.name), error, width)


def _shown(store: Store, row: Row) -> tuple[bytes, bytes, bytes]:
    """(sign, summary, reason)."""
    if row.rejected:
        kind = b"[unknown]" if row.unknown else b"[remote rejected]" if row.remote else b"[rejected]"
        return b"!", kind, row.rejected.encode("utf-8", "surrogateescape")
    if row.code == "=":
        return b"=", b"[up to date]", b""
    if not row.new:
        return b"-", b"[deleted]", b""
    if not row.old:
        what = b"tag" if row.name.startswith(TAGS) else b"branch" if row.name.startswith(HEADS) else b"reference"
        return b"*", b"[new %b]" % what, b""
    forced = row.code == "+"
    return row.code.encode(), moved(store, row.old, row.new, forced=forced), b"forced update" if forced else b""


def _advice(store: Store, rows: Sequence[Row], head: bytes) -> bytes:
    """git's hint for the first reason that it has one for."""
    reasons = {row.rejected for row in rows if not row.remote}
    behind = [row for row in rows if row.rejected == "non-fast-forward" and not row.remote]
    asked = store.config.get_bool
    if asked("advice.pushupdaterejected", True) is False:
        return b""
    if any(row.name == head for row in behind):
        return _BEHIND if asked("advice.pushnonffcurrent", True) else b""
    if behind:
        return _OTHER_BEHIND if asked("advice.pushnonffmatching", True) else b""
    if "already exists" in reasons:
        return _EXISTS if asked("advice.pushalreadyexists", True) else b""
    if "fetch first" in reasons:
        return _FETCH if asked("advice.pushfetchfirst", True) else b""
    if "needs force" in reasons:
        return _FORCE if asked("advice.pushneedsforce", True) else b""
    return b""
