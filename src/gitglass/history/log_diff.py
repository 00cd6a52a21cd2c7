"""What each commit of a log changed: compared with its only parent, with each parent of a merge, or with all at once.

Mirrors "Diff Formatting" of git-log(1): merges show nothing by default; a root commit is compared with nothing; with
pickaxe, filter or --follow a commit with an empty diff is not shown at all. --follow takes a path from commit to
commit: at the commit that adds the file, its former name is searched for and followed from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..diff.spec import DiffSpec
from ..limits import Context
from ..objects.parsed import GITLINK
from ..paths.pathspec import Pathspecs
from ..records import field, record, replace
from ..repo.store import Store
from .spec import Quota, WalkEntry, WalkSpec

if TYPE_CHECKING:
    from ..diff.changes import Change, Contents, letter_of
    from ..diff.combined import CombinedPath, combined_paths
    from ..diff.diffcore import diffcore, follow_rename, inside, sifter
    from ..diff.trees import Row, Trees, diff_trees, trees_of
    from ..merge.remerge import remerge, with_messages
    from ..merge.submodules import Submodules, not_checked_out
    from .tree_compare import Same, make_comparer, plain_paths, sameness
else:
    Contents, letter_of = deferred(__name__, "..diff.changes", "Contents", "letter_of")
    diffcore, follow_rename, inside, sifter = deferred(
        __name__, "..diff.diffcore", "diffcore", "follow_rename", "inside", "sifter"
    )
    combined_paths = deferred(__name__, "..diff.combined", "combined_paths")
    diff_trees, trees_of = deferred(__name__, "..diff.trees", "diff_trees", "trees_of")
    remerge, with_messages = deferred(__name__, "..merge.remerge", "remerge", "with_messages")
    not_checked_out = deferred(__name__, "..merge.submodules", "not_checked_out")
    make_comparer, plain_paths, sameness = deferred(
        __name__, ".tree_compare", "make_comparer", "plain_paths", "sameness"
    )


@record(frozen=True)
class LogDiffSpec:
    """Which diffs a log makes; how they are made is in DiffSpec."""

    diff: bool = False  # of every commit
    merges: str = "off"  # "off" "first-parent" "separate" "combined" "dense" "remerge"
    merges_need_diff: bool = False  # of merges, even if other commits show none
    first_parent: bool = False  # the walk follows first parents only
    show_root: bool = True
    always_show: bool = True  # commits without a diff, too
    silent: bool = False  # -s: the diffs are not computed
    follow: bool = False
    label: Callable[[bytes], bytes] = bytes  # names a side in conflict markers
    abbrev: Callable[[bytes], bytes] = bytes  # shortens a merge base in conflict markers
    opener: Callable[..., Submodules] | None = None  # opens the submodules that merges conflict about


class Part:
    """One diff of a commit.

    `parent` is the parent compared with, if several diffs are shown; `combined` are the files that differ from all
    parents. `notice` is git's message in place of a diff that it does not make.
    """

    __slots__ = ("changes", "combined", "notice", "parent")

    def __init__(
        self, changes: list[Change], parent: bytes | None = None, combined: list[CombinedPath] | None = None
    ) -> None:
        self.changes = changes
        self.parent = parent
        self.combined = combined
        self.notice = b""


class LogEntry:
    """A commit of a log with its changes."""

    __slots__ = ("hidden", "lines", "parts", "walked")

    def __init__(self, walked: WalkEntry, parts: Sequence[Part], lines: object = None, *, hidden: bool = False) -> None:
        self.walked = walked
        self.parts = parts
        self.lines = lines  # the commit's lines that -L shows
        self.hidden = hidden  # not printed, but it has its place in a graph, and a linear break precedes it


@record(eq=False)
class LogDiffs:
    """Makes the diffs of one log; nothing is set up before the first diff. --follow replaces the path in `spec` as it
    goes on."""

    store: Store
    spec: DiffSpec
    log_spec: LogDiffSpec
    ctx: Context
    _contents: Contents | None = None
    _compared: Trees | None = None
    _same: Same | bool = True  # whether two trees agree in the paths; False: only a full comparison can tell
    _sift: Callable[[list[Row]], list[Row]] | bool | None = True  # the result of `sifter`; True: not computed yet
    _last: tuple[bytes, bytes] = b"", b""  # a commit and its tree
    _root_of: Callable[[bytes], bytes] | None = None
    #: the commits shown before: git has forgotten their parents, and finds no merge base that only they reach
    _shown: set[bytes] = field(default_factory=set)
    rooted: bool = False  # whether rows may have the trees beside them that `files` compares
    changed: bool | None = None  # by the last comparison, for --exit-code; None: no comparison yet
    differs: Callable[[list[Change]], bool] | None = None  # whether lines differ, if only these can tell (--quiet)

    @property
    def contents(self) -> Contents:
        """The reader of both sides of a change."""
        if self._contents is None:
            self._contents = Contents(self.store, ctx=self.ctx)
        return self._contents

    def _agree(self, old: bytes | None, new: bytes) -> bool:
        """Whether the trees agree in plain paths. Most commits do not touch the paths, and this test needs no diff."""
        if self._same is True:
            paths = self.spec.pathspecs
            self._same = False
            shown_alone = self.spec.show_trees  # -t: directories on the way to a path are shown if they differ
            if paths and self.spec.recursive and not shown_alone and plain_paths(paths) is not None:
                self._same = sameness(make_comparer(self.store, WalkSpec(paths=paths), self.ctx))
        return not isinstance(self._same, bool) and self._same(old, new)

    def makes_none(self) -> bool:
        """Whether commits are shown without computing what they changed."""
        return self.log_spec.always_show and not (self.log_spec.diff or self.log_spec.merges_need_diff)

    def makes_lists(self) -> bool:
        """Whether the diffs are lists of names that `files` may know, or are made only to choose commits."""
        spec, formats = self.spec, self.spec.formats
        if not self.log_spec.diff or not formats.only_names or formats.summary or spec.exit_code:
            return False
        if self.log_spec.merges == "remerge":  # `of` notes what was shown
            return False
        if formats.nothing and formats.any:
            return False
        if spec.keep_all or spec.pickaxe is not None or spec.order is not None or spec.reverse:
            return False
        if spec.find_copies_harder or spec.break_score is not None:
            return False
        return spec.relative is spec.rotate_to is spec.skip_to is None

    def files(self, oid: bytes, parents: Sequence[bytes], trees: Sequence[bytes] = ()) -> list[Row] | None:
        """The files of a commit's only diff, as the comparison of the trees has them, if `makes_lists`; None where only
        `of` can tell: for most merges, and where files may be renamed, or belong to a submodule. `trees` as a row has
        them beside it (`WalkSpec.rooted`)."""
        log_spec, spec = self.log_spec, self.spec
        if len(parents) > 1 and log_spec.merges != "first-parent":
            return [] if log_spec.merges == "off" else None
        if not parents and not log_spec.show_root:
            return []
        if trees:
            tree, old = trees[0], trees[1] if parents else None
        else:
            tree, old = self._tree(oid), self._tree(parents[0]) if parents else None
        if self._same and self._agree(old, tree):
            return []
        self.ctx.check()  # a diff may take long: look at the clock before each
        rows = self._trees().rows(
            old, tree, spec.pathspecs, ctx=self.ctx, show_trees=spec.show_trees, recursive=spec.recursive
        )
        return self._as_they_are(rows)

    def _as_they_are(self, rows: list[Row]) -> list[Row] | None:
        """The rows that --diff-filter keeps; None if something is to be made of them."""
        come = gone = False
        for _, old_mode, _, new_mode, _ in rows:
            if GITLINK in (old_mode, new_mode):
                return None
            come, gone = come or not old_mode, gone or not new_mode
        spec = self.spec
        if come and (self.log_spec.follow or (spec.renames and (gone or (spec.renames == 2 and len(rows) > 1)))):
            return None
        keep = spec.keep
        return rows if keep is None else [row for row in rows if letter_of(row[1], row[3]) in keep]

    def of(self, entry: WalkEntry, trees: Sequence[bytes] = ()) -> list[Part]:
        """The diffs of a commit that have something to show; combined diffs always count as something. `trees` as for
        `files`."""
        parts = self._of(entry, trees)
        if self.log_spec.merges == "remerge" and entry.reflog is None:
            self._shown.add(entry.oid)
        return parts

    def _of(self, entry: WalkEntry, trees: Sequence[bytes]) -> list[Part]:
        log_spec = self.log_spec
        parents = entry.diff_parents
        if not (log_spec.diff or (log_spec.merges_need_diff and len(parents) > 1)):
            return []
        tree = trees[0] if trees else self._tree(entry.oid)
        if not parents:
            return self._plain(None, tree, None) if log_spec.show_root else []
        if len(parents) == 1:
            return self._plain(trees[1] if trees else self._tree(parents[0]), tree, None)
        if log_spec.merges in ("combined", "dense"):
            return [self._combined(tree, [self._tree(parent) for parent in parents])]
        if log_spec.merges == "remerge" and len(parents) > 2:
            part = Part([])
            part.notice = b"diff: warning: Skipping remerge-diff for octopus merges.\n"
            return [part]
        if log_spec.merges == "remerge" and log_spec.silent:
            return []
        if log_spec.merges == "remerge":
            return self._remerged(parents, tree)
        if log_spec.merges == "first-parent":
            return self._plain(self._tree(parents[0]), tree, None)
        if log_spec.merges != "separate":
            return []
        parts, report = [], self.spec.report
        before = last = report.needed_limit
        for parent in parents[:1] if log_spec.first_parent else parents:
            report.needed_limit = 0
            parts += self._plain(self._tree(parent), tree, parent)
            last = report.needed_limit or last
        report.needed_limit = max(before, last)  # git remembers the most of all commits, of one's parents the last
        return parts

    def _remerged(self, parents: Sequence[bytes], tree: bytes) -> list[Part]:
        """The diff from the automatic merge, with its messages: a filter of diffs treats these as unmerged paths."""
        log_spec, spec = self.log_spec, self.spec
        submodules = not_checked_out if log_spec.opener is None else log_spec.opener(self.store, ctx=self.ctx)
        names = log_spec.label, log_spec.abbrev
        merged, trees, messages = remerge(
            self.store, parents, self.contents, *names, submodules, self._shown, ctx=self.ctx
        )
        changes, paths, keep = self.compare(merged, tree, trees), spec.pathspecs, spec.keep
        messages = {path: lines for path, lines in messages.items() if not paths or paths.match(path)}
        changes = with_messages(changes, messages, alone=(keep is None or "U" in keep) and spec.pickaxe is None)
        return [Part(changes)] if changes else []

    def _trees(self) -> Trees:
        if self._compared is None:
            self._compared = trees_of(self.store.odb)
        return self._compared

    def _sifter(self) -> Callable[[list[Row]], list[Row]] | None:
        if self._sift is True:
            asked = self.spec.pickaxe is not None and not self.log_spec.follow
            self._sift = sifter(self.contents, self.spec, ctx=self.ctx) if asked else None
        return None if isinstance(self._sift, bool) else self._sift

    def _tree(self, commit: bytes) -> bytes:
        if commit == self._last[0]:  # the parent of the commit before
            return self._last[1]
        if self._root_of is None:
            self._root_of = self.store.odb.root_reader()
        self._last = commit, self._root_of(commit)
        return self._last[1]

    def _combined(self, tree: bytes, trees: list[bytes]) -> Part:
        """The diff against all parents at once; the counts (--stat and similar) are those against the first parent."""
        formats = self.spec.formats
        counted: list[Change] = []
        if self.log_spec.follow:
            return self._combined_along(tree, trees)
        spec = self.spec.unreported()
        if formats.needs_lines or formats.dirstat or formats.summary:
            counted = diff_trees(trees[0], tree, self.store.odb, spec, ctx=self.ctx, trees=self._trees())
            counted = diffcore(counted, self.contents, spec, ctx=self.ctx)
        paths = combined_paths(tree, trees, self.contents, spec, ctx=self.ctx, trees=self._trees())
        return Part(counted, None, paths)

    def _combined_along(self, tree: bytes, trees: list[bytes]) -> Part:
        """The same for a path that is followed: its former name holds for the parents that come after, in this merge
        alone."""
        before = self.spec
        counted: list[list[Change]] = []

        def compare(old: bytes, spec: DiffSpec) -> list[Change]:
            self.spec = replace(spec, pathspecs=self.spec.pathspecs)
            counted.append(self.compare(old, tree))
            return counted[-1]

        paths = combined_paths(tree, trees, self.contents, self.spec, ctx=self.ctx, compare=compare)
        self.spec, self._same = before, True
        return Part(counted[0], None, paths)

    def _plain(self, old: bytes | None, new: bytes, parent: bytes | None) -> list[Part]:
        changes = self.compare(old, new)
        return [Part(changes, parent)] if changes else []

    def compare(self, old: bytes | None, new: bytes, trees: Trees | None = None) -> list[Change]:
        """The changes between two trees (`old` None: everything is new), of which one may be known to `trees` only.
        Sets `changed`."""
        spec = self.spec
        if spec.quiet and spec.keep is None and self.changed:
            # Strange but git's: --quiet skips a comparison once a change is known, even one of an earlier commit.
            self.changed = spec.by_content
            return []
        if trees is None and self._same and self._agree(old, new):
            self.changed = bool(self.changed and spec.by_content)
            return []
        self.ctx.check()  # a diff may take long: look at the clock before each
        sift, trees = self._sifter(), trees or self._trees()
        changes = diff_trees(old, new, self.store.odb, spec, ctx=self.ctx, trees=trees, sift=sift)
        followed = False
        if self.log_spec.follow and any(not (change.new if spec.reverse else change.old).mode for change in changes):
            origin = self._origin(old, new, trees)
            if origin is not None:
                changes, followed = [origin], True
        if spec.first_only:
            changes = inside(changes, spec)[:1]
        if changes or sift is None:
            changes = diffcore(changes, self.contents, self.spec, ctx=self.ctx, followed=followed)
        if not spec.by_content:
            self.changed = bool(changes)
        elif self.differs is not None:
            self.changed = bool(self.changed or (changes and self.differs(changes)))
        return changes

    def settle(self, ctx: Context) -> None:
        """Set bit 1 of the exit status from the last comparison; if lines are compared, a set bit is kept."""
        if self.changed is not None and not self.spec.by_content:
            ctx.exit_status = (ctx.exit_status & ~1) | self.changed

    def _origin(self, old: bytes | None, new: bytes, trees: Trees) -> Change | None:
        """The rename or copy that made the path; its source is followed from now on."""
        path = self.spec.pathspecs.items[0].match
        change = follow_rename(old, new, path, self.contents, self.spec, ctx=self.ctx, trees=trees)
        if change is not None:
            self.spec = replace(self.spec, pathspecs=Pathspecs.parse([b":(top,literal)" + change.old.path]))
            self._same = True
        return change


def log_entries(
    walked: Iterator[WalkEntry],
    diffs: LogDiffs,
    max_count: int = -1,
    *,
    hidden: bool = False,
    quota: Quota | None = None,
    headless: bool = False,
) -> Iterator[LogEntry]:
    """Commits with their diffs. `max_count` counts the commits shown, for logs in which commits can be left out here;
    `quota` counts them in its place where the walk goes on with a boundary.

    With `hidden` the left-out commits are given as well, for the output between commits. With `headless` only commits
    with a notice count, which have a header.
    """
    always = diffs.log_spec.always_show
    if not max_count:
        return
    if quota is not None:
        max_count = -1
    if max_count < 0 and diffs.makes_none():
        for entry in walked:
            yield LogEntry(entry, ())
        return
    for entry in walked:
        parts = diffs.of(entry)
        if parts or always:
            if entry.commit is None:
                entry.commit = diffs.store.odb.commit(entry.oid)
            yield LogEntry(entry, parts)
            if headless and not any(part.notice for part in parts):
                continue
            if quota is not None and quota.left:
                quota.left -= 1
            max_count -= 1
            if not max_count:
                return
        elif hidden:
            yield LogEntry(entry, (), hidden=True)
