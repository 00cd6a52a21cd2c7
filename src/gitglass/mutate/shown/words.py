"""The details of a plan as the lines of its preview."""

from __future__ import annotations

from ...errors import text
from .details import Conflict, Details, LineCount, ShownCommit, ShownRef, people


def lines_of(plain: list[str], details: Details) -> list[str]:
    """The lines of a preview (`plan.preview_lines`), with what the details say of each behind or below it."""
    behind = {f"index {text(path)}: ": count for path, count in details.entries.items()}
    behind |= {f"file {text(path)}: ": count for path, count in details.files.items()}
    refs = {f"ref {text(ref.name)}: ": ref for ref in details.refs}
    commits = {f"new commit {commit.oid.hex()}": commit for commit in details.commits}
    conflicts = {f"index {text(one.path)}: ": one for one in details.conflicts}
    lines: list[str] = []
    for line in plain:
        head = line.rpartition(" -> ")[0]
        key = head[: head.rfind(": ") + 2] if head else line
        lines.append(line + _count(behind.get(key)))
        lines += _ref(refs.get(key)) + _commit(commits.get(line)) + _conflict(conflicts.get(key))
    return lines


def _count(count: LineCount | None) -> str:
    if count is None:
        return ""
    if count.added == 0 == count.deleted:
        return ""
    return " (binary)" if count.added is None else f" (+{count.added} -{count.deleted})"


def _ref(ref: ShownRef | None) -> list[str]:
    if ref is None:
        return []
    if ref.fast_forward:
        return [f"  {_many(ref.gained, 'commit')} more"]
    lines = [f"  not a fast-forward, {_many(ref.gained, 'commit')} more"] if ref.gained else []
    if ref.lost_count:
        lines.append(f"  {_many(ref.lost_count, 'commit')} that no other ref reaches:")
        lines += [f"    {oid.hex()[:12]} {text(subject)}" for oid, subject in ref.lost]
        lines += ["    …"] if ref.lost_count > len(ref.lost) else []
    return lines


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _commit(commit: ShownCommit | None) -> list[str]:
    if commit is None:
        return []
    author, *committer = people(commit)
    lines = [f"  author {author}", *(f"  committer {one}" for one in committer)]
    lines += [f"  merges {' '.join(oid.hex()[:12] for oid in commit.parents[1:])}"] if len(commit.parents) > 1 else []
    lines += [f"    {line}".rstrip() for line in text(commit.message).rstrip("\n").split("\n")]
    return [*lines, *(f"  {line}" for line in text(commit.stat).strip("\n").split("\n") if line)]


def _conflict(conflict: Conflict | None) -> list[str]:
    if conflict is None:
        return []
    return [f"  conflict: {conflict.kind}", *(f"    {text(line)}" for line in conflict.marked)]
