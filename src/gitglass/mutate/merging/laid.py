"""What merge, cherry-pick and revert share: a merge of the engine laid over index and files, its state kept for later.

Mirrors git-merge(1), "How conflicts are presented", and git-merge-tree(1).
"""

from __future__ import annotations

from collections.abc import Iterable

from ...config.config import parse_bool
from ...diff.changes import Contents
from ...errors import BadRequest, Conflict, Unsupported, text
from ...merge.merge import Merger
from ...merge.settings import merge_spec
from ...merge.spec import GONE, MergeResult, MergeSpec, Side, Stages
from ...objects.parsed import GITLINK, TREE
from ...records import replace
from ...render.submodule_merges import opener
from ...request.diff_values import parse_score
from ...revs.abbrev import Abbreviator
from ...worktree.tree_index import tree_vs_index
from ..changes import Changes, EntryChange, FileChange, GitFile, Row
from ..checkout.outward import store_afterwards, store_of_merge
from ..index_file import rows_at
from ..operations.common import SETTLE, ask, asked, has_state, signs_commits
from ..operations.paths import folded
from ..view import View

#: what is below it is no part of a message (git-commit(1), `--cleanup=scissors`)
SCISSORS = b"------------------------ >8 ------------------------"
_CUT = b"# %b\n# Do not modify or remove the line above.\n# Everything below it will be ignored.\n" % SCISSORS

_SPACE = ("ignore-space-change", "ignore-all-space", "ignore-space-at-eol", "ignore-cr-at-eol")


def new_merger(view: View, files: Iterable[FileChange] = ()) -> Merger:
    """What merges in this plan once these files have changed, by the attributes of then; merge bases are called by
    their short names."""
    store, ctx = store_of_merge(view.store, files), view.ctx
    return Merger(Contents(store, ctx=ctx), ctx=ctx, name=Abbreviator(store), submodules=opener(store, ctx=ctx))


def spec_of(view: View, ours: bytes, theirs: bytes, *, strategy: list[str], options: list[str]) -> MergeSpec:
    """How sides of these names are merged under `--strategy` and `--strategy-option`. Raises Unsupported."""
    need_ort(strategy)
    spec = merge_spec(view.store, ours, theirs)
    for option in options:
        spec = _with_option(spec, option)
    return spec


def need_ort(strategy: list[str]) -> None:
    """Raise Unsupported for strategies but the one that gitglass merges with."""
    if other := [name for name in strategy if name != "ort"]:
        raise Unsupported(f"gitglass merges with the strategy ort only, not '{other[0]}'", option="--strategy")


def _with_option(spec: MergeSpec, option: str) -> MergeSpec:
    """A merge with one more option of the strategy. Raises Unsupported, and BadRequest for a value that is none."""
    name, _, value = option.partition("=")
    if option in ("ours", "theirs"):
        return replace(spec, favor=option)
    if option in _SPACE:
        return replace(spec, lines=replace(spec.lines, **{option.replace("-", "_"): True}))
    if (
        option == "diff-algorithm=histogram"
    ):  # what `ort` compares with anyhow; with others it differs from git at times
        return spec
    if option in ("no-renames", "find-renames", "no-renormalize"):  # Strange but git's: `ort` looks for renames anyhow
        return replace(spec, rename_score=0) if option == "find-renames" else spec
    if name in ("find-renames", "rename-threshold") and value:
        score, rest = parse_score(value)
        if not rest:
            return replace(spec, rename_score=score)
    raise Unsupported(f"gitglass does not take the strategy option '{option}'", option="-X")


def need_settled(view: View, doing: str) -> None:
    """Raise Conflict in git's words where the index has conflicts."""
    if view.index.unmerged:
        raise Conflict(
            f"{doing} is not possible because you have unmerged files.\n{SETTLE}\n"
            "fatal: Exiting because of an unresolved conflict.",
            prefix="error",
            status=128,
            paths=[text(path) for path in view.index.unmerged],
        )


def unmerged_words(view: View) -> bytes:
    """What git says of an index that is to be made a tree: the first ten entries in conflict."""
    index = view.index
    left = [(path, row.oid) for path in index.unmerged for row in rows_at(index, path) if row.stage]
    lines = [b"%b: unmerged (%b)\n" % (path, oid.hex().encode()) for path, oid in left[:10]]
    return b"".join(lines) + (b"...\n" if len(left) > 10 else b"")


def staged_paths(view: View) -> list[bytes]:
    """The paths at which the index differs from HEAD; of renamed ones the new name (`diff.renames`). Strange but git's:
    in a directory that a sparse index has as one it goes no deeper."""
    value = (view.config.get("diff.renames") or b"true").lower()
    renames = "-C" if value in (b"copies", b"copy") else "--no-renames" if parse_bool(value) is False else "-M"
    paths = ask(view, ["diff-index", "--cached", renames, "--name-only", "-z", "HEAD"]).split(b"\0")[:-1]
    for folder in folded(view):
        if folder.endswith(b"/"):
            paths = [folder + path.removeprefix(folder).partition(b"/")[0] if path.startswith(folder) else path
                     for path in paths]  # fmt: skip
    return list(dict.fromkeys(paths))


def is_staged(view: View, tree: bytes) -> bool:
    """Whether the index differs from a tree. git looks no further than the first difference: `.gitmodules`, which says
    what is ignored of submodules and may not be readable, counts where it is one of these. Raises Corrupt."""
    changes = tree_vs_index(view.store, tree, ita_invisible=False, ignore_submodules=b"none", ctx=view.ctx)
    first = min(changes, key=lambda change: change.old.path, default=None)
    if first is None or GITLINK not in (first.old.mode, first.new.mode):
        return first is not None
    return bool(tree_vs_index(view.store, tree, ita_invisible=False, ctx=view.ctx))


def keep_objects(view: View, merger: Merger) -> None:
    """The objects that merges made are objects of the plan."""
    for oid, (kind, content) in merger.made.objects.items():
        if oid not in view.new.held:
            view.new.add(kind, content)


def lay_conflicts(view: View, changes: Changes, result: MergeResult) -> None:
    """Put the stages of conflicts into `changes`, in place of what is there of their paths."""
    entries = {entry.path: entry for entry in changes.entries}
    for path, stages in result.conflicts.items():
        entries[path] = EntryChange(path, rows_at(view.index, path), conflict_rows(stages))
    changes.entries = [entries[path] for path in sorted(entries)]


def conflict_rows(stages: Stages) -> tuple[Row, ...]:
    """The entries of a path in conflict."""
    return tuple(Row(stage, mode, oid) for stage, (mode, oid) in enumerate(stages, 1) if mode and oid is not None)


def present(side: Side) -> tuple[int, bytes] | None:
    """A side as a file; None where there is none, or a directory."""
    mode, oid = side
    return None if side == GONE or oid is None or mode == TREE else (mode, oid)


def merge_messages(result: MergeResult) -> bytes:
    """What git prints of a merge."""
    words = b"".join(message.text + b"\n" for message in result.lines()) + result.advice
    if result.needed_limit:
        words += (
            b"warning: exhaustive rename detection was skipped due to too many files.\n"
            b"warning: you may want to set your merge.renamelimit variable to at least %d and retry the command.\n"
            % result.needed_limit
        )
    return words


def with_conflicts(view: View, message: bytes, result: MergeResult) -> bytes:
    """A message with the paths in conflict below it, as comments; where messages are cut at scissors
    (`commit.cleanup`), below these."""
    mark = view.config.get("core.commentchar") or b"#"
    mark = b"#" if mark == b"auto" else mark
    lines = [b"%b\t%b\n" % (mark, path) for path in sorted(result.conflicts)]
    if view.config.get("commit.cleanup") == b"scissors":
        message += b"\n" + _CUT.replace(b"#", mark) + mark
    return b"%b\n%b Conflicts:\n%b" % (message, mark, b"".join(lines))


def keep_state(view: View, changes: Changes, files: dict[bytes, bytes | None]) -> None:
    """Small files of the git directory as they are to be, whatever was planned of them before; None takes one away."""
    planned = {file.name: file for file in changes.git_files}
    for name, after in files.items():
        if name in planned:
            planned[name] = replace(planned[name], after=after)
        else:
            planned[name] = GitFile(name, view.git_file(name), after)
    changes.git_files = [file for name, file in planned.items() if name not in files or file.before != file.after]


def diffstat(view: View, old: bytes, new: bytes, files: Iterable[FileChange]) -> bytes:
    """The changes between two commits, as a merge sums them up once it has changed `files`."""
    wanted = view.config.get("color.diff") or view.config.get("color.ui") or b""
    color = "--color" if wanted.lower() == b"always" else "--no-color"
    argv = ["diff-tree", "--stat", "--summary", "-M", color, old.hex(), new.hex()]
    return asked(store_afterwards(view.store, files), argv, view.ctx)


def need_no_program(view: View, switches: list[str], what: str) -> None:
    """Raise Unsupported where a commit would have to be signed, and no signer is granted."""
    signs_commits(view, switches)
    if view.config.get_bool("rerere.enabled", has_state(view, b"rr-cache")):
        view.notes.append(f"conflicts of the {what} are not recorded for rerere")


def need_none_going_on(view: View) -> None:
    """Raise BadRequest in git's words where a merge or cherry-pick was not concluded."""
    for name, what in (("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick")):
        if has_state(view, name.encode()):
            raise BadRequest(
                f"You have not concluded your {what} ({name} exists).\nPlease, commit your changes before you merge."
            )
