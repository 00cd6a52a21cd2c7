"""git diff-tree: the changes between two trees, or between a commit and its parents; for scripts."""

from collections.abc import Callable, Iterator, Sequence

from ..annotations import TYPE_CHECKING, Annotated
from ..diff.changes import Contents
from ..diff.diffcore import warn_rename_limit
from ..diff.spec import DiffSpec
from ..diff.tree_order import Row
from ..errors import BadRequest, InvalidArgs, MissingObject, NotFound, WrongKind
from ..graph.merge_base import merge_bases
from ..history.log_diff import LogDiffs, LogDiffSpec, LogEntry, Part
from ..history.spec import UNINTERESTING, WalkEntry
from ..limits import Context, lines_in
from ..plans.diff import diff_spec
from ..plans.file_changes import file_changes, totals_of
from ..plans.log import diff_writer
from ..plans.words import order_of, words_and_idle
from ..records import field, replace, typed_row
from ..render.diff.formats import Hexes, differs_in_lines, write_diff
from ..render.diff.raw import file_lines
from ..render.log.log import LogShape, LogWriter
from ..render.log.mail_text import MailForm
from ..render.log.pretty import chosen_format, make_printer, names_notes
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field, altered
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..request.pathspecs import parse_pathspecs
from ..request.pretty import ScriptFormat
from ..request.request import Pathspecs as PathspecMixin
from ..request.request import Request
from ..revs.tip import Tip, Tips
from ..revs.tips import tips
from ..worktree.copies import read_copies
from .command import NAMES_REVISIONS, Command
from .diff import DiffResult, find_objects

if TYPE_CHECKING:
    from ..objects.sequential import CommitFacts

USAGE = """\
usage: git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty]
                     [-t] [-r] [-c | --cc] [--root] [--merge-base]
                     [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]
"""


class DiffTreeRequest(Request[DiffResult], DiffOptions, ScriptFormat, PathspecMixin):
    """`git diff-tree`: two trees, or a commit and its parents."""

    revs: list[str] = Field(default_factory=list, description="Two trees, or one commit.")
    root: Annotated[bool, Flag("--root", walk=True)] = Field(
        False, description="Show a first commit as creation of everything."
    )
    no_commit_id: Annotated[bool, Flag("--no-commit-id", walk=True)] = Field(
        False, description="Leave out the line with the commit's object name."
    )
    verbose: Annotated[bool, Flag("-v", walk=True, sets={"pretty": "medium"})] = Field(
        False, description="Show the commit's message: like pretty='medium'."
    )
    always: Annotated[bool, Flag("--always", walk=True)] = Field(
        False, description="Show the commit's name even where nothing differs."
    )
    encode_headers: Annotated[
        bool | None,
        Flag("--encode-email-headers", walk=True),
        Flag("--no-encode-email-headers", const=False, walk=True),
    ] = Field(None, description="Headers of mails that are not ASCII are encoded.")
    merge_base: Annotated[bool, Flag("--merge-base", walk=True)] = Field(
        False, description="Compare the second commit with where both parted."
    )
    stdin: Annotated[bool, Flag("--stdin", walk=True)] = Field(
        False, description="On the command line: commits, or two trees, a line of standard input."
    )

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read: with --stdin."""
        return self.stdin


@typed_row
class TreeDiff:
    """The result: the changes between two trees, or a commit with its diffs."""

    spec: DiffSpec
    contents: Contents
    ctx: Context
    diffs: LogDiffs
    commit: WalkEntry | None = None
    parts: list[Part] = field(default_factory=list)


def plumbing_spec(
    store: Store, request: DiffOptions, paths: list[str], ctx: Context, *, patch: bool | None = None
) -> DiffSpec:
    """The spec of a command for scripts: no settings of appearance, full object names, raw output.

    `patch` is whether a patch is the default instead (None: if -c or --cc imply it).
    """
    objects = find_objects(store, request, ctx)
    spec = diff_spec(request, store.config, ctx=ctx, prefix=store.prefix, objects=objects, porcelain=False)
    formats = spec.formats
    if not formats.any and not formats.nothing:
        wanted = request.merges_imply_patch if patch is None else patch
        formats = replace(formats, patch=wanted, raw=not wanted)
    return replace(
        spec,
        formats=formats,
        stat=replace(spec.stat, width=0) if spec.stat.width == -1 else spec.stat,
        abbrev=0 if request.abbrev is None else spec.abbrev,
        color="auto" if spec.color is None else spec.color,  # color.diff and color.ui are not for scripts
        rotate_strict=True,
        # plumbing does not read diff.orderFile
        order=None if request.order_file is None else order_of(store, request.order_file),
        pathspecs=parse_pathspecs(store, paths) if paths else spec.pathspecs,
    )


def run(store: Store, request: DiffTreeRequest, ctx: Context, named: Tips | None = None) -> TreeDiff:
    """Compare. Raises GitError with git's message."""
    store.index_asked = True  # git reads it first, and takes from it the attributes that the work tree lacks
    spec = plumbing_spec(store, request, request.paths, ctx, patch=request.diff_merges == "dense")
    formats = spec.formats
    deep = formats.patch or formats.needs_lines or formats.dirstat or formats.summary or formats.check
    spec = replace(spec, recursive=request.recursive or deep or spec.pickaxe is not None)
    contents = Contents(store, ctx=ctx)
    log_spec = LogDiffSpec(diff=True, merges=spec.merges or "off", show_root=request.root)
    diff = TreeDiff(spec, contents, ctx, LogDiffs(store, spec, log_spec, ctx, contents))
    read_copies(diff.contents, ctx)
    trees = tips(store, request.revs, ctx=ctx, named=named).entries
    if request.stdin and request.merge_base:
        raise BadRequest("options '--stdin' and '--merge-base' cannot be used together")
    if request.merge_base and len(trees) != 2:
        raise BadRequest("--merge-base only works with two commits")
    if len(trees) == 1:
        _commit(store, diff, trees[0])
    elif len(trees) == 2:
        one, two = trees
        if two.exclude:
            one, two = two, one
        old = _base(store, one, two, ctx) if request.merge_base else _tree(store, one)
        diff.parts.append(Part(diff.diffs.compare(old, _tree(store, two))))
    elif not trees and not request.stdin:
        raise InvalidArgs(USAGE, prefix="")
    return diff  # git does not compare three or more trees


def _tree(store: Store, tip: Tip) -> bytes:
    try:
        return store.odb.peel(tip.oid, b"tree")
    except WrongKind:
        raise WrongKind(f"unable to read tree {tip.oid.hex()}", oid=tip.oid.hex()) from None


def _base(store: Store, one: Tip, two: Tip, ctx: Context) -> bytes:
    if one.commit is None or two.commit is None or b"tag" in (one.kind, two.kind):
        raise BadRequest("--merge-base only works with commits")
    if one.exclude or two.exclude:
        raise BadRequest("--merge-base does not work with ranges")
    bases = merge_bases(store, one.commit, [two.commit], ctx=ctx)
    if len(bases) != 1:
        raise NotFound("multiple merge bases found" if bases else "no merge base found")
    return store.odb.commit_facts(bases[0])[2]


def _commit(store: Store, diff: TreeDiff, tip: Tip) -> None:
    """Compare a commit with its parents: merges only on request, a root commit only with --root."""
    if tip.commit is None:
        kind = store.odb.kind(tip.oid).decode()
        raise BadRequest(f"object {tip.oid.hex()} is a {kind}, not a commit", status=0, prefix="error")
    commit = store.odb.commit(tip.commit)
    excluded = tip.exclude and tip.oid == tip.commit  # of ^TAG git marks the tag alone
    diff.commit = WalkEntry(tip.commit, commit, commit.parents, UNINTERESTING if excluded else 0)
    diff.parts = _parts(diff, diff.commit)


def _parts(diff: TreeDiff, commit: WalkEntry) -> list[Part]:
    """The changes of a commit; those of a merge as a whole if its parents are combined."""
    spec = diff.spec
    deep = spec.recursive or (len(commit.diff_parents) > 1 and spec.merges in ("combined", "dense"))
    diff.diffs.spec = spec if deep == spec.recursive else replace(spec, recursive=deep)
    return diff.diffs.of(commit)


def collect(diff: TreeDiff, request: DiffTreeRequest) -> DiffResult:
    """The typed result; there is none for standard input."""
    if request.stdin:
        raise BadRequest("--stdin is for the command line")
    rows = [row for part in diff.parts for row in file_changes(part.changes, diff.contents, diff.spec, ctx=diff.ctx)]
    return DiffResult(files=rows, totals=totals_of(rows, diff.spec))


def render(diff: TreeDiff, request: DiffTreeRequest, style: Style) -> Iterator[bytes]:
    """git's bytes: the commit's name, or the commit in the --pretty format, before each of its diffs."""
    teller = _Teller(diff, request, style)
    if diff.spec.quiet and diff.spec.by_content:
        diff.diffs.differs = lambda changes: differs_in_lines(changes, diff.contents, diff.spec, style, style.ctx)
        if len(diff.parts) > 1 and diff.commit is not None:  # of a merge, one for each parent
            diff.parts = _parts(diff, diff.commit)
    if diff.commit is None:
        yield from teller.trees(diff.parts)
    else:
        yield from teller.commit(diff.commit, diff.parts)
    if request.stdin:
        parents: dict[bytes, tuple[bytes, ...]] = {}  # git keeps the parents given on a line for later lines
        for block in style.fresh_blocks():
            yield from _each_line(teller, block, parents)
    if diff.spec.exit_code:
        diff.diffs.settle(style.ctx)
    warn_rename_limit(diff.spec, style.ctx)


class _Teller:
    """Prints one commit or pair of trees after the other."""

    __slots__ = ("_end", "_files", "_noted", "_prefix", "_write", "_writer", "diff", "request", "style")

    def __init__(self, diff: TreeDiff, request: DiffTreeRequest, style: Style) -> None:
        self.diff, self.request, self.style = diff, request, style
        self._write = diff_writer(diff.spec, diff, style)
        self._prefix, self._end = diff.spec.patch.line_prefix, b"\0" if diff.spec.nul else b"\n"
        self._writer: LogWriter | None = None
        self._files: Callable[[list[Row]], bytes] | None = None
        if diff.diffs.makes_lists() and request.pretty is None and not request.no_commit_id:
            self._files = file_lines(diff.spec, style.quote, Hexes(style.store, diff.spec.abbrev))
        config = style.store.config
        chosen = chosen_format(request, config, configured=False)
        #: strange but git's: only a format with %N shows notes unasked, as in git log
        self._noted = request.pretty is not None and names_notes(request, config, chosen, configured=False)
        if self._noted or request.notes:
            self._log()  # what is wrong with the refs of notes is said before any output

    def trees(self, parts: list[Part]) -> Iterator[bytes]:
        """The differences of two trees."""
        for part in parts:
            yield from write_diff(part.changes, self.diff.contents, self.diff.spec, self.style, self.style.ctx)

    def of(self, oid: bytes, parents: Sequence[bytes], trees: Sequence[bytes]) -> Iterator[bytes]:
        """A commit compared with its parents; `trees` as `LogDiffs.files` takes them."""
        files, diffs = None, self.diff.diffs
        if self._files is not None:
            diffs.spec = self.diff.spec  # a combined merge is compared recursively
            files = diffs.files(oid, parents, trees)
        if files is None or self._files is None:
            entry = WalkEntry(oid, self.style.store.odb.commit(oid), tuple(parents), 0)
            yield from self.commit(entry, _parts(self.diff, entry))
        elif files or self.request.always:
            yield self._name(oid) + self._files(files)

    def _name(self, oid: bytes, mark: bytes = b"") -> bytes:
        return self._prefix + mark + oid.hex().encode() + self._end

    def commit(self, commit: WalkEntry, parts: list[Part]) -> Iterator[bytes]:
        """A commit, if it has differences to show."""
        request = self.request
        if request.no_commit_id:
            for part in parts:
                yield from self._write(commit, part, self._prefix)
        elif (parts or request.always) and request.pretty is None:
            for part in parts or [Part([])]:
                yield self._name(commit.oid, b"^ " if commit.flags & UNINTERESTING else b"")
                yield from self._write(commit, part, self._prefix)
        elif parts or request.always:
            yield from self._log().entry(LogEntry(commit, parts))

    def _log(self) -> LogWriter:
        if self._writer is None:
            request, style, spec = self.request, self.style, self.diff.spec
            whole = request if request.abbrev is not None else altered(request, abbrev=0)
            form = replace(_MAIL, encode=bool(request.encode_headers))
            printer = make_printer(
                whole, style.store, style=style, ctx=style.ctx, configured=False, mail=form, noted=self._noted
            )
            shape = LogShape(log_size=request.log_size, nul=spec.nul, line_prefix=self._prefix)
            self._writer = LogWriter(printer, style, shape, spec, self._write)
        return self._writer


# -------------------------------------------------------------------------------------------------- --stdin
def _each_line(teller: _Teller, data: bytes, parents: dict[bytes, tuple[bytes, ...]]) -> Iterator[bytes]:
    """For each line a commit, optionally with the parents to compare it with, or two trees; other lines are
    repeated."""
    store, ctx = teller.style.store, teller.style.ctx
    facts_of = store.odb.facts_reader(graph=False)  # each commit is looked at, to know that it is one
    for line in lines_in(data)[:-1]:  # text without a newline is no line
        ctx.tick()
        oid, rest = _object(line, store.hash_len)
        facts = None if oid is None else _facts(facts_of, oid)
        if oid is None:
            yield line + b"\n"
        elif facts is not None:
            named = _named_parents(rest, store.hash_len)
            for parent in named:
                if not store.odb.has(parent):
                    ctx.say(b"error: Could not read %b\n" % parent.hex().encode())
                    raise NotFound(f"unable to parse commit {parent.hex()}")
            if named:
                parents[oid] = named
            own, _, tree = facts
            compared = parents.get(oid) or own
            yield from teller.of(oid, compared, (tree, *[facts_of(parent)[2] for parent in compared]))
        elif not (kind := _kind(store, oid)):
            continue
        elif kind == b"tree":
            yield from _two_trees(teller, oid, rest)
        else:
            ctx.say(b"error: Object %b is a %b, not a commit or tree\n" % (oid.hex().encode(), kind))


def _facts(facts_of: "Callable[[bytes], CommitFacts]", oid: bytes) -> "CommitFacts | None":
    """(parents, commit time, tree) of a commit; None if there is none of this name."""
    try:
        return facts_of(oid)
    except (MissingObject, WrongKind):
        return None


def _kind(store: Store, oid: bytes) -> bytes:
    """The kind of an object; b"" if there is none."""
    try:
        return store.odb.kind(oid)
    except MissingObject:
        return b""


def _object(word: bytes, size: int) -> tuple[bytes | None, bytes]:
    """The object name at the beginning of a text, and the rest."""
    try:
        return bytes.fromhex(word[: 2 * size].decode("ascii")) if len(word) >= 2 * size else None, word[2 * size :]
    except ValueError:
        return None, word


def _named_parents(rest: bytes, size: int) -> tuple[bytes, ...]:
    parents = []
    while rest[:1].isspace():
        oid, rest = _object(rest[1:], size)
        if oid is None:
            break
        parents.append(oid)
    return tuple(parents)


def _two_trees(teller: _Teller, old: bytes, rest: bytes) -> Iterator[bytes]:
    store, ctx = teller.style.store, teller.style.ctx
    new, end = _object(rest[1:], store.hash_len)
    if new is None or end or not rest[:1].isspace():
        ctx.say(b"error: Need exactly two trees, separated by a space\n")
    elif not store.odb.has(new):
        ctx.say(b"error: Could not read %b\n" % new.hex().encode())
    elif store.odb.kind(new) != b"tree":
        ctx.say(b"error: Object %b not a tree\n" % new.hex().encode())
    else:
        yield b"%b %b\n" % (old.hex().encode(), new.hex().encode())
        yield from teller.trees([Part(teller.diff.diffs.compare(old, new))])


#: what git prints with the commit's name although it does not walk
_MAIL = MailForm(tag=b"", encode=False)  # as in all commands for scripts
_MARKS = ("--cherry", "--cherry-mark", "--left-right", "--parents", "--children", "--boundary", "--show-linear-break")

COMMAND = Command(
    "diff-tree",
    DiffTreeRequest,
    DiffResult,
    run,
    collect,
    render,
    bind=words_and_idle,
    anywhere=frozenset(),
    aside="plans.idle_options:IdleForDiffs",
    refused={
        **{word: why for word, why in NAMES_REVISIONS.items() if word != "--stdin"},
        **dict.fromkeys(_MARKS, "it marks commits of a walk"),
    },
    unknown=lambda word: InvalidArgs(USAGE, prefix=""),
    summary="two trees, or a commit and its parents, compared",
    usage=USAGE,
)
