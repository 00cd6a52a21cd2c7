"""git diff: changes between commits, the index, the work tree, and blobs."""

from collections.abc import Iterator

from ..annotations import TYPE_CHECKING, Annotated, Any
from ..deferred import deferred
from ..diff.changes import Change, Contents, Filespec
from ..diff.diffcore import diffcore, inside, warn_rename_limit
from ..diff.spec import DiffSpec
from ..errors import BadRequest, GitError, InvalidArgs, NotFound, NoWorkTree, Unsupported, text
from ..limits import Context
from ..paths.pathspec import Pathspecs
from ..plans.diff import PATCH, diff_spec, with_mnemonic
from ..plans.diff_form import diff_form
from ..plans.words import order_of, revs_and_paths
from ..records import field, replace, typed_row
from ..render.diff.formats import write_diff
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..request.pathspecs import parse_pathspecs
from ..request.request import Pathspecs as PathspecMixin
from ..request.request import Request
from ..request.rows.diff import DiffTotals, FileChange
from ..request.rows.page import Page
from ..revs.names import warn_of_other_heads
from ..revs.tip import Tip, Tips
from ..revs.tips import tips
from ..worktree.compare import (
    current_index,
    index_vs_worktree,
    named_mode,
    same_blob,
    settling,
    tree_vs_index,
    tree_vs_worktree,
    unchanged_entries,
)
from ..worktree.convert import converter_of, read_work_file
from ..worktree.copies import read_copies
from ..worktree.tree_index import need_tree
from .command import Command

if TYPE_CHECKING:
    from ..diff.combined import CombinedPath, Side, combined_paths
    from ..diff.trees import diff_trees
    from ..graph.merge_base import merge_bases
    from ..plans.file_changes import combined_changes, file_changes, totals_of
    from ..render.diff.combined import write_combined
    from ..revs.resolve import try_resolve
    from ..worktree.submodules import submodule_head
else:
    merge_bases = deferred(__name__, "..graph.merge_base", "merge_bases")
    diff_trees = deferred(__name__, "..diff.trees", "diff_trees")
    write_combined = deferred(__name__, "..render.diff.combined", "write_combined")
    CombinedPath, Side, combined_paths = deferred(__name__, "..diff.combined", "CombinedPath", "Side", "combined_paths")
    combined_changes, file_changes, totals_of = deferred(
        __name__, "..plans.file_changes", "combined_changes", "file_changes", "totals_of"
    )
    submodule_head = deferred(__name__, "..worktree.submodules", "submodule_head")
    try_resolve = deferred(__name__, "..revs.resolve", "try_resolve")


USAGE = """\
usage: git diff [<options>] [<commit>] [--] [<path>...]
   or: git diff [<options>] --cached [--merge-base] [<commit>] [--] [<path>...]
   or: git diff [<options>] [--merge-base] <commit> [<commit>...] <commit> [--] [<path>...]
   or: git diff [<options>] <commit>...<commit> [--] [<path>...]
   or: git diff [<options>] <blob> <blob>
   or: git diff [<options>] --no-index [--] <path> <path>
"""

KIND = 0o170000
GITLINK = 0o160000


class DiffResult(Page):
    """The files that differ."""

    files: list[FileChange] = Field(default_factory=list, description="One entry a file, in path order.")
    totals: DiffTotals = Field(default_factory=DiffTotals, description="Sums over all files.")


class DiffRequest(Request[DiffResult], DiffOptions, PathspecMixin):
    """`git diff`: the changes between two states."""

    revs: list[str] = Field(
        default_factory=list,
        description="Nothing: the index against the work tree. One commit: against the work tree (or, with cached, "
        "the index). Two, or 'A..B': against each other. 'A...B': B against where it parted from A.",
    )
    cached: Annotated[bool, Flag("--cached", "--staged", walk=True)] = Field(
        False, description="The index instead of the work tree."
    )
    merge_base: Annotated[bool, Flag("--merge-base", walk=True)] = Field(
        False, description="Compare with the merge base of the commit and HEAD (or of two commits)."
    )
    stage: Annotated[
        int | None,
        Flag("--base", const=1, walk=True),
        Flag("--ours", const=2, walk=True),
        Flag("--theirs", const=3, walk=True),
    ] = Field(None, ge=0, description="Compare conflicted files with this side: 1 base, 2 ours, 3 theirs, 0 none.")
    counted: bool = Field(
        False, description="A number of commits or an age was given: git then compares no commit with files."
    )
    default: str | None = Field(None, description="The commit to compare with where none is named.")
    silent: Annotated[bool, Flag("-q", exact=True)] = Field(False, description="Say nothing of missing files.")


def up_to_first(changes: list[Change], spec: DiffSpec) -> list[Change]:
    """The changes that git meets before --quiet ends the comparison: the first that is no conflict is the last. What is
    left out later, by -S or as no copy, leaves nothing then."""
    met = inside(changes, spec)
    real = next((at for at, change in enumerate(met) if not change.unmerged), len(met))
    return met[: real + 1]


@typed_row
class Differences:
    """The result, ready to be printed."""

    spec: DiffSpec
    contents: Contents
    changes: list[Change] = field(default_factory=list)
    combined: list[CombinedPath] = field(default_factory=list)
    combined_spec: DiffSpec | None = None  # the spec for these, if it is not `spec`
    counted: list[Change] | None = None  # of a combined diff: against the first parent, for --stat, --numstat, …
    ctx: Context | None = None
    failure: GitError | None = None  # where the rest failed; git has printed the combined ones by then

    def sift(self, ctx: Context) -> None:
        """Apply renames, filters and order to the changes. Raises GitError, but if there are combined diffs only after
        these are printed."""
        try:
            self.changes = diffcore(self.changes, self.contents, self.spec, ctx=ctx)
        except GitError as error:
            if not self.combined or ctx.stopped is not None:
                raise
            self.changes, self.failure = [], error


def run(store: Store, request: DiffRequest, ctx: Context, named: Tips | None = None) -> Differences:
    """Find the changes. Raises GitError with git's message, InvalidArgs with its usage."""
    objects = find_objects(store, request, ctx)
    spec = diff_spec(
        request, store.config, ctx=ctx, prefix=store.prefix, objects=objects,
        default=PATCH, settles_again=True, rotate_strict=True,
    )  # fmt: skip
    order = order_of(store, request.order_file)
    if order is not None or request.paths:
        paths = parse_pathspecs(store, request.paths) if request.paths else spec.pathspecs
        spec = replace(spec, order=order, pathspecs=paths)
    differences = Differences(spec, contents_of(store, ctx), ctx=ctx)
    named = tips(store, request.revs, ctx=ctx, default=request.default, named=named)
    _Finder(store, request, named, differences, ctx).find()
    spec = differences.spec
    differences.sift(ctx)
    return differences


def contents_of(store: Store, ctx: Context) -> Contents:
    """Contents that can also read the work tree."""

    def work(path: bytes, mode: int) -> bytes | None:
        if mode == GITLINK:
            return b"Subproject commit " + (submodule_head(store, path) or store.null).hex().encode() + b"\n"
        return read_work_file(store, path, mode, ctx=ctx, warn=not converter_of(store).is_at_hand(path))

    return Contents(store, ctx=ctx, work=work)


def add_unchanged(store: Store, spec: DiffSpec, differences: Differences, **which: bool) -> None:
    """Add the unchanged files of the index, for --find-copies-harder; the options are those of `unchanged_entries`."""
    if not spec.find_copies_harder:
        return
    changed = {change.old.path for change in differences.changes} | {change.new.path for change in differences.changes}
    changed.update(path.path for path in differences.combined)
    extra = unchanged_entries(store, changed, pathspecs=spec.pathspecs, **which)
    differences.changes = sorted(differences.changes + extra, key=lambda change: change.new.path)


def hide_submodules(store: Store, changes: list[Change]) -> None:
    """Replace the oids of checked-out submodules: these are no objects of this repository, so raw output shows zeros,
    unless they are staged."""
    index = current_index(store)
    for change in changes:
        if change.new.mode == GITLINK and change.new.oid is not None:
            position = index.find(change.new.path)
            change.new.hidden = position < 0 or index.oids[position] != change.new.oid


def work_path(store: Store, path: bytes, mode: int, sides: list[Side]) -> CombinedPath:
    """A file of the work tree with several other versions of it."""
    status = store.files.lstat(path) if store.files is not None else None
    if status is None:
        mode = 0  # it is gone, and yet counted as in the index (diff-index -m)
    is_directory = status is not None and status.st_mode & KIND == 0o040000 and mode != GITLINK
    own = 0 if status is None or status.st_mode & KIND != 0o100000 else 0o100755 if status.st_mode & 0o100 else 0o100644
    return CombinedPath(path, mode, None, sides, file_mode=own, in_work_tree=True, in_directory=is_directory)


def three_ways(store: Store, differences: Differences) -> None:
    """With -c or --cc git compares a file with index and tree at once, and prints that first."""
    index = current_index(store)
    rest = []
    for change in differences.changes:
        old, new, path = change.old, change.new, change.new.path
        position = index.find(path)
        if position < 0 and path in index.unmerged:
            position = min(index.unmerged[path].values())
        clean = position < 0 or (new.oid is not None and old.oid == new.oid == index.oids[position])
        believed = position >= 0 and (index.assume_valid(position) or index.skip_worktree(position))
        if not (old.mode and new.mode) or clean or believed:
            rest.append(change)
            continue
        staged = Side(index.modes[position], index.oids[position], path)
        named = Side(old.mode, old.oid or store.null, path)
        differences.combined.append(work_path(store, path, new.mode, [staged, named]))
    differences.changes = rest


def find_objects(store: Store, request: DiffOptions, ctx: Context) -> frozenset[bytes]:
    """The oids that --find-object names."""
    oids = set()
    for name in request.find_object:
        oid = try_resolve(store, name, ctx=ctx)
        if oid is None:
            raise InvalidArgs(f"unable to resolve '{name}'")
        oids.add(oid)
    return frozenset(oids)


def base_tree(store: Store, sides: list[Tip], *, ctx: Context) -> bytes:
    """The tree of the merge base of two commits, or of one commit and HEAD."""
    commits = []
    for tip in sides:
        if tip.exclude or tip.left:
            raise BadRequest("--merge-base does not work with ranges")
        if tip.commit is None or tip.kind != b"commit":  # git does not dereference a tag here
            raise BadRequest("--merge-base only works with commits")
        commits.append(tip.commit)
    if len(commits) == 1:
        head = store.refs.head()[1]
        if head is None:
            raise NotFound("unable to get HEAD")
        commits.append(head)
    bases = merge_bases(store, commits[0], [commits[1]], ctx=ctx)
    if not bases:
        raise NotFound("no merge base found")
    if len(bases) > 1:
        raise BadRequest("multiple merge bases found")
    return store.odb.commit_facts(bases[0])[2]


class _Finder:
    """Finds out which two states to compare, and compares them."""

    __slots__ = ("blobs", "ctx", "differences", "named", "request", "store", "trees")

    def __init__(self, store: Store, request: DiffRequest, named: Tips, differences: Differences, ctx: Context) -> None:
        self.store = store
        self.request = request
        self.named = named
        self.differences = differences
        self.ctx = ctx
        self.trees: list[tuple[Tip, bytes]] = []
        self.blobs: list[Tip] = []

    @property
    def spec(self) -> DiffSpec:
        """The spec of comparison and output, as far as it is known."""
        return self.differences.spec

    def _name_sides(self, old: bytes, new: bytes) -> None:
        self.differences.spec = with_mnemonic(self.spec, self.request, old, new)

    def _combine_densely(self, dense: bool) -> None:
        self.differences.spec = replace(self.spec, patch=replace(self.spec.patch, dense_combined=dense))

    @property
    def _combines(self) -> bool:
        return self.request.diff_merges in ("combined", "dense")

    def find(self) -> None:
        """Fill `differences.changes` and `differences.combined`."""
        self._find()
        if self.spec.first_only:
            self.differences.changes = up_to_first(self.differences.changes, self.spec)

    def _find(self) -> None:
        request = self.request
        named = self.named
        if not named.entries and request.cached:
            self._need(request.stage is None and not request.counted)
            self._cached_head()
            return
        self._need(not named.ranged or len(request.revs) == 1)
        if named.symmetric:
            self._symmetric(named)
        else:
            self._sort_out(named)
        paths = len(request.paths)
        if not self.trees:
            if not self.blobs:
                self._index_and_files()
            elif len(self.blobs) == 1:
                self._need(paths == 1 and not self._of_the_index and not request.merge_base)
                self._blob_and_file(self.blobs[0])
            else:
                self._need(not paths and not self._of_the_index and not request.merge_base)
                self._two_blobs(*self.blobs)
            return
        self._need(not self.blobs)
        if len(self.trees) == 1:
            self._one_tree(*self.trees[0])
        elif len(self.trees) == 2:
            self._two_trees()
        else:
            self._many_trees()

    @property
    def _of_the_index(self) -> bool:
        """Whether an option was given that git has for comparisons with the index, or with files, alone."""
        request = self.request
        return request.cached or request.silent or not (request.stage is None or request.counted)

    def _need(self, fits: bool) -> None:
        if not fits:
            raise InvalidArgs(USAGE, prefix="")

    # ---------------------------------------------------------------- the named objects
    def _sort_out(self, named: Tips) -> None:
        odb = self.store.odb
        for tip in named.entries:
            oid = odb.peel(tip.oid)
            kind = odb.kind(oid)
            if kind == b"commit":
                self.trees.append((tip, odb.commit_facts(oid)[2]))
            elif kind == b"tree":
                self.trees.append((tip, oid))
            else:
                if len(self.blobs) == 2:
                    raise BadRequest(f"more than two blobs given: '{text(tip.name)}'")
                self.blobs.append(tip)

    def _symmetric(self, named: Tips) -> None:
        bases = [tip for tip in named.entries if tip.exclude]
        sides = [tip for tip in named.entries if not tip.exclude]
        word = self.request.revs[0]
        if not bases:
            raise BadRequest(f"{word}: no merge base")
        if len(bases) > 1:
            self.ctx.warn(f"{word}: multiple merge bases, using {bases[0].oid.hex()}")
        for tip in (bases[0], sides[1]):
            self.trees.append((tip, self.store.odb.commit_facts(tip.commit or tip.oid)[2]))

    # ---------------------------------------------------------------- trees
    def _two_trees(self) -> None:
        self._need(not self._of_the_index)
        (first, old), (second, new) = self.trees
        if self.request.merge_base:
            old = base_tree(self.store, [first, second], ctx=self.ctx)
        elif second.exclude:
            old, new = new, old
        self.differences.changes = diff_trees(old, new, self.store.odb, self.spec, ctx=self.ctx)

    def _many_trees(self) -> None:
        self._need(not self._of_the_index and not self.request.merge_base)
        result = next((i for i, (tip, _) in enumerate(self.trees) if not tip.parent), -1)
        if result < 0:
            raise BadRequest("no merge given, only parents.")
        parents = [tree for i, (_, tree) in enumerate(self.trees) if i != result]
        self._combine_densely(self.request.diff_merges != "combined")
        self.differences.combined = combined_paths(
            self.trees[result][1],
            parents,
            self.differences.contents,
            self.spec.unreported(),
            ctx=self.ctx,
            at_once=settling(self.store.config) == "stat",
        )
        formats = self.spec.formats
        if formats.needs_lines or formats.dirstat or formats.summary:
            spec = self.spec.unreported()
            counted = diff_trees(parents[0], self.trees[result][1], self.store.odb, spec, ctx=self.ctx)
            self.differences.counted = diffcore(counted, self.differences.contents, spec, ctx=self.ctx)

    # ---------------------------------------------------------------- a tree, and the index or the files
    def _cached_head(self) -> None:
        self._need(self.request.stage is None and not self.request.silent)
        read_copies(self.differences.contents, self.ctx)
        warn_of_other_heads(self.store, ctx=self.ctx)
        head = self.store.refs.head()[1]
        tree = None if head is None else self.store.odb.commit_facts(head)[2]
        if self.request.merge_base and head is None:
            raise NotFound("unable to get HEAD")
        need_tree(self.store, tree, "HEAD")
        self._against_index(tree)

    def _one_tree(self, tip: Tip, tree: bytes) -> None:
        self._need(self.request.stage is None and not self.request.counted and not self.request.silent)
        if self.request.merge_base:
            tree = base_tree(self.store, [tip], ctx=self.ctx)
        read_copies(self.differences.contents, self.ctx)
        need_tree(self.store, tree, text(tip.name))
        if self.request.cached:
            self._against_index(tree)
        else:
            self._need_work_tree()
            self._against_files(tree)

    def _need_work_tree(self) -> None:
        if self.store.work_tree is None:
            raise NoWorkTree("this operation must be run in a work tree")

    def _against_index(self, tree: bytes | None) -> None:
        self._name_sides(b"c/", b"i/")
        self.differences.changes = tree_vs_index(
            self.store, tree, pathspecs=self.spec.pathspecs, ita_invisible=self.spec.ita_invisible, ctx=self.ctx
        )
        add_unchanged(self.store, self.spec, self.differences)

    def _against_files(self, tree: bytes | None) -> None:
        if self._combines:  # git prints these before it applies diff.mnemonicPrefix
            self.differences.combined_spec = self.spec
        self._name_sides(b"c/", b"w/")
        self.differences.changes = tree_vs_worktree(
            self.store,
            tree,
            pathspecs=self.spec.pathspecs,
            ignore_submodules=self.spec.ignore_submodules,
            ignore_default=self.spec.ignore_default or b"untracked",
            settle="stat" if self._combines else settling(self.store.config),
            first_only=self.spec.first_only and self.spec.relative is None and not self._combines,
            inside=self.spec.formats.patch,
            relative=b"" if self._combines else self.spec.relative or b"",
            ctx=self.ctx,
        )
        hide_submodules(self.store, self.differences.changes)
        if self._combines:
            three_ways(self.store, self.differences)
        add_unchanged(self.store, self.spec, self.differences, there=True)

    # ---------------------------------------------------------------- the index and the files
    def _index_and_files(self) -> None:
        if self.request.merge_base:
            raise _unknown("--merge-base")
        self._need_work_tree()
        self._name_sides(b"i/", b"w/")
        stage, combine = self.request.stage, self._combines
        if stage is None and not combine and self.spec.formats.patch and current_index(self.store).unmerged:
            combine = True
            self._combine_densely(True)
        changes = index_vs_worktree(
            self.store,
            pathspecs=self.spec.pathspecs,
            ignore_submodules=self.spec.ignore_submodules,
            ignore_default=self.spec.ignore_default or b"untracked",
            ita_invisible=self.spec.ita_invisible,
            unmerged_stage=2 if stage is None else stage,
            settle=settling(self.store.config),
            first_only=self.spec.first_only and self.spec.relative is None and not current_index(self.store).unmerged,
            inside=self.spec.formats.patch,
            relative=self.spec.relative or b"",
            ctx=self.ctx,
        )
        if changes:
            read_copies(self.differences.contents, self.ctx)
        self.differences.changes = changes
        hide_submodules(self.store, self.differences.changes)
        if combine and current_index(self.store).unmerged:
            changes = self._conflicts(changes)
        self.differences.changes = changes
        add_unchanged(self.store, self.spec, self.differences, files=True)

    def _conflicts(self, changes: list[Change]) -> list[Change]:
        """Compare files in conflict with both sides at once, if both sides have them."""
        index = current_index(self.store)
        joined: set[bytes] = set()
        for change in changes:
            places = index.unmerged.get(change.new.path)
            if change.status != "U" or not places or 2 not in places or 3 not in places:
                continue
            path = change.new.path
            joined.add(path)
            if self.spec.relative is not None and not path.startswith(self.spec.relative):
                continue
            sides = [Side(index.modes[places[n]], index.oids[places[n]], path) for n in (2, 3)]
            self.differences.combined.append(work_path(self.store, path, change.new.mode, sides))
        return [change for change in changes if change.new.path not in joined]

    # ---------------------------------------------------------------- blobs
    def _two_blobs(self, one: Tip, two: Tip) -> None:
        first = Filespec(one.path or one.name, one.mode or 0o100644, one.oid)
        second = Filespec(two.path or two.name, two.mode or 0o100644, two.oid)
        self._stuff(first, second)

    def _blob_and_file(self, blob: Tip) -> None:
        self._need_work_tree()
        path = self.spec.pathspecs.items[0].match.rstrip(b"/")
        mode = named_mode(self.store, path)
        self._name_sides(b"o/", b"w/")
        settles = mode == (blob.mode or mode) and settling(self.store.config) == "diff"  # as a file of the index
        if not (settles and same_blob(self.store, path, mode, blob.oid, self.ctx)):
            self._stuff(Filespec(blob.path or path, blob.mode or mode, blob.oid), Filespec(path, mode))

    def _stuff(self, old: Filespec, new: Filespec) -> None:
        if old.oid is not None and old.oid == new.oid and old.mode == new.mode:
            return
        prefix = self.spec.relative
        if prefix is not None and not (old.path.startswith(prefix) and new.path.startswith(prefix)):
            return
        self.differences.spec = replace(self.spec, pathspecs=Pathspecs.ALL)
        status = "T" if (old.mode ^ new.mode) & KIND else "M"
        self.differences.changes = [Change(status, old, new)]


# -------------------------------------------------------------------- typed result and output
def collect(differences: Differences, request: DiffRequest) -> DiffResult:
    """The typed result: lines are counted, and hunks are included if a patch was requested."""
    assert differences.ctx is not None
    if differences.failure is not None:
        raise differences.failure
    rows = file_changes(differences.changes, differences.contents, differences.spec, ctx=differences.ctx)
    rows += combined_changes(differences.combined, differences.contents, differences.spec, ctx=differences.ctx)
    return DiffResult(files=rows, totals=totals_of(rows, differences.spec), notes=list(differences.ctx.notes))


def render(differences: Differences, request: DiffRequest, style: Style) -> Iterator[bytes]:
    """git's bytes: conflicts first, then everything else."""
    ctx, spec = style.ctx, differences.spec
    counts = None
    if differences.counted is not None:
        formats = replace(spec.formats, raw=False, patch=False, name_only=False, name_status=False)
        counts = replace(spec, formats=formats, exit_code=False)
        yield from write_diff(differences.counted, differences.contents, counts, style, ctx)
    if differences.combined and not spec.formats.nothing:  # git's exit status does not count these as a difference
        combined_spec = differences.combined_spec or spec
        yield from write_combined(
            differences.combined, differences.contents, combined_spec, style, ctx=ctx, separate=counts is not None
        )
    if differences.failure is not None:
        raise differences.failure
    yield from write_diff(differences.changes, differences.contents, spec, style, ctx)
    warn_rename_limit(spec, ctx)


def _unknown(word: str) -> GitError:
    return InvalidArgs(f"invalid option: {word}", status=255)


def _unread_reflogs() -> GitError:
    return Unsupported(
        "gitglass diff does not take -g with revisions: git crashes", status=129, prefix="error", option="-g"
    )


def bind(words: Any, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind revisions, then paths."""
    if store is None:
        raise InvalidArgs("diff: a repository is needed to read this command")
    unknown, words.unknown = words.unknown, None
    revs_and_paths(words, values, store, ctx)
    if unknown is not None:  # a comparison with the work tree alone names the option, all other forms print the usage
        if any(values.get(name) for name in ("quiet", "exit_code", "check")):
            unknown.status = 0  # strange but git's: only differences count then
        raise InvalidArgs(USAGE, prefix="") if values["revs"] or values.get("cached") else unknown
    if words.aside is not None:
        meant = words.aside.judge(store, values["paths"], USAGE, ctx=ctx)
        if meant.pop("walk_reflogs", False) and values["revs"]:
            raise _unread_reflogs()
        values.update({**meant, **values})  # --ours takes precedence over -2


COMMAND = Command(
    "diff",
    DiffRequest,
    DiffResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    anywhere=frozenset(),
    aside="plans.ignored_walk_options:UnusedWalk",
    instead=diff_form,
    unknown=_unknown,
    refused={
        "--filter": "it is for lists of objects",
        "--merge": "it names both sides of a failed merge and their merge bases at once",
        "--follow": "it looks for other names of a file",
    },
    summary="Show changes between commits, commit and working tree, etc",
    usage=USAGE,
    needs_repository=False,
    settings="diff",
)
