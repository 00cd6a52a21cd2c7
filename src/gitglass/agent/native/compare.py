"""git_compare: the relation of two commits: their merge base, the commits of each side, the changed files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

from pydantic import Field

from ...commands.compare import CompareRequest, CompareResult, Comparison
from ...commands.diff import DiffRequest
from ...commands.log import LogRequest
from ...commands.registry import load
from ...errors import InvalidArgs
from ...history.cherry import equal_patches
from ...history.pipeline import walk_oids
from ...history.spec import Tip, WalkSpec
from ...history.walk import Walk
from ...request.pathspecs import parse_pathspecs
from ...request.rows.commit import CommitRow
from ...request.rows.diff import FileChange
from ...request.text import to_bytes
from ...revs.abbrev import Abbreviator
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .params import Count, Paged, Paths, Rev
from .paths import Meant, files_of_trees, meant_paths
from .sizes import DIRSTAT, directory_units, no_directory, size_units
from .tallies import counted_by_rev_list

__all__ = ["TOOL"]


class CompareParams(Paged):
    """Arguments of git_compare."""

    from_ref: Rev = Field(description="Base, e.g. main.")
    to_ref: Rev = Field("HEAD", description="What is compared with it.")
    paths: Paths | None = None
    max_count: Count = Field(100, description="Commits per side, and files.")
    mode: Literal["files", "largest", "dirstat", "conflicts"] = "files"
    cherry: bool = Field(False, description="Mark (=) commits whose patch both sides have.")


def answer(call: Call, asked: CompareParams) -> Uncut:
    """The counts, then `>` commits of to_ref, `<` commits of from_ref, and the files that to_ref changed."""
    for name in (asked.from_ref, asked.to_ref):
        if ".." in name:
            raise InvalidArgs(f"from_ref, to_ref: '{name}' is a range", hint="Name one commit on each side.")
    meant = Meant("", ())
    if asked.paths:
        both = f"{asked.from_ref}...{asked.to_ref}"
        meant = meant_paths(call, asked.paths, files_of_trees(call, [both]), f"{asked.from_ref} or {asked.to_ref}")
    if asked.mode == "conflicts":
        return _conflicts(call, asked, meant)
    request = CompareRequest(base=asked.from_ref, head=asked.to_ref, paths=meant.specs, max_count=asked.max_count)
    command, comparison = call.run("compare", request)
    result: Any = command.collect(comparison, request)
    equal = _equal(call, comparison) if asked.cherry else {}
    counts = _counts(call, comparison, meant)
    units = list(_units(call, asked, result, equal, counts))
    units += _files(call, asked, comparison, result, meant)

    def fields() -> dict[str, Any]:
        names = ("base", "head", "merge_bases", "ahead", "behind", "totals")
        facts = {name: getattr(result, name) for name in names}
        return facts | {"equal": {one.hex(): other.hex() for one, other in equal.items()}} if asked.cherry else facts

    shown = sum(unit.counted for unit in units)
    left = sum(counts) - len(result.commits) - len(result.behind_commits)
    left += 0 if asked.mode == "dirstat" else max(len(result.files) - asked.max_count, 0)
    state = comparison.base + comparison.head + b"%d" % asked.max_count
    return Uncut(units, "commits and files", "entries", fields, shown + left, state, cut=left > 0)


def _conflicts(call: Call, asked: CompareParams, meant: Meant) -> Uncut:
    """The paths that a merge of to_ref into from_ref would leave in conflict, each with git's words for it."""
    module: Any = load("merge-tree")  # not before it is asked for: the engine of merges is large
    request = module.MergeTreeRequest(branches=[asked.from_ref, asked.to_ref])
    command, merges = call.run("merge-tree", request)
    result: Any = command.collect(merges, request)
    merge = result.merges[0]
    specs = parse_pathspecs(call.store, meant.specs) if meant.specs else None
    paths = list(dict.fromkeys(stage.path for stage in merge.conflicts))
    inside = [path for path in paths if specs is None or specs.match(to_bytes(path))]
    words: dict[str, list[str]] = {path: [] for path in inside}
    for message in merge.messages:
        named = next((path for path in message.paths if path in words), None)
        if message.kind.startswith("CONFLICT") and named is not None:
            words[named].append(message.text.rstrip("\n"))
    where = " in those paths" if specs is not None else ""
    count = f"{len(inside):,} in conflict{where}" if inside or not merge.clean else f"no conflict{where}"
    if len(paths) > len(inside):
        count += f", {len(paths) - len(inside):,} in others"
    head = f"a merge of {asked.to_ref} into {asked.from_ref}: {count}\n"
    units = [Unit(lambda: call.text(to_bytes(head)), counted=False)]
    units += [_conflict(call, path, lines) for path, lines in words.items()]
    facts = {"clean": merge.clean, "tree": merge.tree}
    state = bytes.fromhex(merge.tree)
    return Uncut(units, "paths", "entries", lambda: facts, len(inside), state, page_items=asked.max_count)


def _conflict(call: Call, path: str, lines: list[str]) -> Unit:
    text = "".join([f"{_quoted(call, path)}\n", *(f"  {line}\n" for line in lines)])
    return Unit(lambda: call.text(to_bytes(text)), lambda: {"kind": "conflict", "path": path, "messages": lines})


def _counts(call: Call, comparison: Comparison, meant: Meant) -> tuple[int, int]:
    """The commits of each side, or with paths those that change them."""
    if not meant.specs:
        return comparison.ahead, comparison.behind
    base, head = comparison.base.hex(), comparison.head.hex()
    sides = ((comparison.ahead, f"{base}..{head}"), (comparison.behind, f"{head}..{base}"))
    ahead, behind = (
        counted_by_rev_list(call, LogRequest(revs=[side], paths=meant.specs)) if count else 0 for count, side in sides
    )
    return ahead, behind


def _equal(call: Call, comparison: Comparison) -> dict[bytes, bytes]:
    """Each commit whose patch is also on the other side, with the newest commit there that has it (git's
    --cherry-mark)."""

    def only(one: bytes, other: bytes) -> list[bytes]:
        ends = [Tip(one), Tip.excluded(other)]
        return list(walk_oids(call.store, ends, WalkSpec(raw=False, max_parents=1), ctx=call.ctx))

    among = Walk(call.store, WalkSpec(raw=False), call.ctx)
    return equal_patches(among, only(comparison.head, comparison.base), only(comparison.base, comparison.head))


def _units(
    call: Call, asked: CompareParams, result: CompareResult, equal: dict[bytes, bytes], counts: tuple[int, int]
) -> Iterator[Unit]:
    short = Abbreviator(call.store, None)

    def name(oid: str) -> str:
        return short(bytes.fromhex(oid)).decode()

    bases = ", ".join(name(oid) for oid in result.merge_bases) or "none: the histories share nothing"
    head = f"base {asked.from_ref} {name(result.base)}, head {asked.to_ref} {name(result.head)}, merge base {bases}\n"
    if result.ahead or result.behind:
        stand = f"ahead {result.ahead:,}, behind {result.behind:,}"
        stand += f"; of these in the paths {counts[0]:,} and {counts[1]:,}\n" if asked.paths else "\n"
    else:
        same = result.base == result.head  # else grafts or replacements have made a ring
        stand = f"ahead 0, behind 0: {'both are the same commit' if same else 'each reaches the other'}\n"
    yield Unit(lambda: call.text(to_bytes(head + stand)), counted=False)
    if asked.cherry:
        both = f"{len(equal):,} commits have a patch of the other side\n" if equal else "no patch is on both sides\n"
        yield Unit(lambda: both, counted=False)
    sides = ((">", "ahead", result.commits, counts[0]), ("<", "behind", result.behind_commits, counts[1]))
    for sign, kind, rows, count in sides:
        for row in rows:
            other = equal.get(bytes.fromhex(row.oid))
            mark, end = (sign, "") if other is None else (f"{sign}=", f"  (= {name(other.hex())})")
            yield _commit(call, f"{mark} {name(row.oid)} {row.author.name}  {row.subject}{end}\n", kind, row)
        if len(rows) < count:
            more = f"{sign} {count - len(rows):,} more: git_log lists them\n"
            yield Unit(lambda more=more: more, counted=False)  # type: ignore[misc]


def _files(
    call: Call, asked: CompareParams, comparison: Comparison, result: CompareResult, meant: Meant
) -> Iterator[Unit]:
    """The changes of to_ref since the merge base: by path, the largest changes first, or git's dirstat."""
    if asked.mode == "dirstat":
        since = comparison.bases[0] if comparison.bases else comparison.base
        request = DiffRequest(revs=[since.hex(), comparison.head.hex()], paths=meant.specs, color="never", **DIRSTAT)
        raw = b"".join(call.chunks("diff", request))
        if raw or not result.files:
            yield from directory_units(call, raw, kind="directory")
        else:
            yield from call.line_units(to_bytes(no_directory(len(result.files)) + "\n"))
        return
    if asked.mode == "largest":
        units = size_units(call, result.files)
        yield from islice(units, asked.max_count + 1)
    else:
        for file in result.files[: asked.max_count]:
            yield _file(call, file)
    left = len(result.files) - asked.max_count
    if left > 0:
        more = f"{left:,} more files: git_diff lists them\n"
        yield Unit(lambda: more, counted=False)


def _commit(call: Call, line: str, kind: str, row: CommitRow) -> Unit:
    return Unit(lambda: call.text(to_bytes(line)), lambda: {"kind": kind, "commit": row})


def _file(call: Call, file: FileChange) -> Unit:
    counts = f"+{file.added} -{file.deleted}" if file.added is not None else "binary"
    old = f"{_quoted(call, file.old_path)} => " if file.old_path and file.old_path != file.path else ""
    line = f"{file.status}\t{counts}\t{old}{_quoted(call, file.path)}\n"
    return Unit(lambda: call.text(to_bytes(line)), lambda: {"kind": "file", "file": file})


def _quoted(call: Call, path: str) -> str:
    return call.style.quote(to_bytes(path)).decode("utf-8", "surrogateescape")


TOOL = Tool(
    "git_compare",
    "Two commits: merge base, ahead/behind, commits of each side (> <), files changed since; or conflicts.",
    CompareParams,
    answer,
    title="Compare",
    rows="entries",
    other_names={"to_ref": ("rev", "branch", "commit", "ref", "sha", "revision", "compare", "target")},
)
