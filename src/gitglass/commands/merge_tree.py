"""git merge-tree: the result of a merge, computed without making it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..annotations import Annotated, Any, Literal
from ..diff.changes import Contents
from ..errors import BadRequest, Corrupt, InvalidArgs, MissingObject, NotFound, text
from ..graph.merge_base import merge_bases
from ..limits import Context, lines_in
from ..merge.entrywise import EntryMerge, Outcome
from ..merge.merge import Merger
from ..merge.settings import merge_spec
from ..merge.spec import MergeResult
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.merge_tree import write_merge, write_outcome
from ..render.style import Style
from ..render.submodule_merges import opener
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.abbrev import Abbreviator
from ..revs.names import similar_branches
from ..revs.resolve import Resolver
from .command import Command

USAGE = """\
usage: git merge-tree [--write-tree] [<options>] <branch1> <branch2>
   or: git merge-tree [--trivial-merge] <base-tree> <branch1> <branch2>

    --write-tree          merge the two branches as git merge does
    --trivial-merge       compare three trees as git once merged them
    --messages            show what the merge has to say as well
    -z                    end paths and the rest with NUL
    --name-only           list the paths in conflict alone
    --allow-unrelated-histories
                          merge branches without a common ancestor
    --stdin               read pairs of branches, one a line
"""
_WORDS = re.compile("[^ ]* |[^ ]+")


def _form(name: str) -> Flag:
    """A form that excludes the other one."""

    return Flag(f"--{name}", const=name, mode="form")


@typed_row
class MergeStage:
    """One side of a path in conflict: 1 the merge base's, 2 ours, 3 theirs."""

    path: str
    stage: int
    mode: str
    oid: str


@typed_row
class PathSide:
    """One side of a path: "result", "base", "our" or "their"."""

    side: str
    mode: str
    oid: str


@typed_row
class MergeMessage:
    """A message of the merge about paths: git's short name for it, and its text."""

    kind: str
    paths: list[str]
    text: str


@typed_row
class TreeMerge:
    """One merge: the resulting tree, the stages of paths in conflict, the messages."""

    ours: str
    theirs: str
    tree: str
    clean: bool
    conflicts: list[MergeStage]
    messages: list[MergeMessage]


@typed_row
class PathOutcome:
    """A path of a merge of three trees: what becomes of it in git's words ("merged", "changed in both", …), the sides
    that are told, and our content before and after."""

    kind: str
    path: str
    sides: list[PathSide]
    before: str
    after: str


class MergeTreeResult(Result):
    """The requested merges."""

    merges: list[TreeMerge] = Field(default_factory=list, description="One for each pair of branches.")
    paths: list[PathOutcome] = Field(default_factory=list, description="With 'trivial-merge': the paths that change.")


class MergeTreeRequest(Request[MergeTreeResult]):
    """`git merge-tree`: the result of merging two branches. Nothing is written, not even the tree."""

    branches: list[str] = Field(
        default_factory=list,
        description="The two to be merged, e.g. ['main', 'topic']; with 'trivial-merge' the base before them.",
    )
    form: Annotated[Literal["write-tree", "trivial-merge"] | None, _form("write-tree"), _form("trivial-merge")] = Field(
        None, description="'write-tree': a real merge; 'trivial-merge': three trees compared entry by entry."
    )
    messages: Annotated[bool | None, Flag("--messages"), Flag("--no-messages", const=False)] = Field(
        None, description="Show messages also of a clean merge; False: of none."
    )
    null: Annotated[bool, Flag("-z")] = Field(False, description="End paths and the rest with NUL.")
    name_only: Annotated[bool, Flag("--name-only")] = Field(False, description="List paths in conflict alone.")
    unrelated: Annotated[bool, Flag("--allow-unrelated-histories")] = Field(
        False, description="Merge branches that have no common ancestor."
    )
    stdin: Annotated[bool, Flag("--stdin")] = Field(False, description="Read pairs of branches, one a line.")

    lines: str | None = Field(None, description="With `stdin`: what stands there, two names a line.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.stdin and self.lines is None


class Merges:
    """The merges of one request, each made when it is needed."""

    __slots__ = ("_ctx", "_merger", "_request", "_resolver", "_store")

    def __init__(self, store: Store, request: MergeTreeRequest, ctx: Context) -> None:
        self._store, self._request, self._ctx = store, request, ctx
        self._resolver = Resolver(store, ctx=ctx)
        names, submodules = Abbreviator(store), opener(store, ctx=ctx)
        self._merger = Merger(Contents(store, ctx=ctx), ctx=ctx, name=names, submodules=submodules)

    def one(self, ours: str, theirs: str) -> MergeResult:
        """Merge a branch into another. Raises NotFound for a word that names no commit, BadRequest for unrelated
        histories."""
        commits = self._commit(ours), self._commit(theirs)
        if not self._request.unrelated and not merge_bases(self._store, commits[0], [commits[1]], ctx=self._ctx):
            raise BadRequest("refusing to merge unrelated histories")
        return self._merger.commits(*commits, merge_spec(self._store, to_bytes(ours), to_bytes(theirs)))

    def _commit(self, name: str) -> bytes:
        named = self._resolver.find(to_bytes(name))
        oid = None
        if named is not None and self._store.odb.has(named.oid):
            # strange but git's: a full name is shown as that of the object behind its tags, others as they are written
            oid = self._resolver.peel(named.oid, b"commit", to_bytes(name))
        if oid is None:
            message = f"merge-tree: {name} - not something we can merge{similar_branches(self._store, name)}"
            raise NotFound(message, prefix="", status=1, revision=name)
        return oid

    def by_entries(self) -> Iterator[Outcome]:
        """The paths that change where three trees are compared entry by entry. Raises NotFound for a word that names
        nothing, Corrupt for what is no tree."""
        trees = [self._tree(name) for name in self._request.branches]
        merge = EntryMerge(Contents(self._store, ctx=self._ctx), ctx=self._ctx)
        count = 0
        for outcome in merge.outcomes(trees):
            yield outcome
            for line in merge.warnings[count:]:
                self._ctx.say(line + b"\n")
                count += 1

    def _tree(self, name: str) -> bytes:
        named = self._resolver.find(to_bytes(name))
        if named is None:
            raise NotFound(f"unknown rev {name}", revision=name)
        try:
            return self._store.odb.peel(named.oid, b"tree")
        except (Corrupt, MissingObject):
            raise NotFound(f"unable to read tree {named.oid.hex()}", revision=name) from None

    def listed(self, lines: bytes) -> Iterator[tuple[str, str, MergeResult]]:
        """One merge for each line of two names. Strange but git's: a blank after the second name belongs to it."""
        for line in lines_in(lines.removesuffix(b"\n")) if lines else ():
            words = _WORDS.findall(to_text(line))
            if len(words) != 2:
                raise BadRequest(f"malformed input line: '{text(line)}'.")
            yield words[0].rstrip(), words[1], self.one(words[0].rstrip(), words[1])


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind two branches; three or more words are git's old trivial merge."""
    named = words.before + words.after
    asked = {"messages", "null", "name_only", "unrelated", "stdin"} & values.keys()
    form = values.get("form")
    trivial = form == "trivial-merge" or (form is None and len(named) == 3 and "stdin" not in values)
    if trivial and asked:
        raise BadRequest("--trivial-merge is incompatible with all other options")
    if values.get("stdin"):
        return
    if len(named) != (3 if trivial else 2):
        raise InvalidArgs(USAGE + "\n", prefix="")
    values["branches"] = named
    if trivial:
        values["form"] = "trivial-merge"


def run(store: Store, request: MergeTreeRequest, ctx: Context) -> Merges:
    """The object that makes the merges. Raises InvalidArgs unless there are two branches."""
    if not request.stdin and len(request.branches) != (3 if request.form == "trivial-merge" else 2):
        raise InvalidArgs(USAGE + "\n", prefix="")
    return Merges(store, request, ctx)


def collect(merges: Merges, request: MergeTreeRequest) -> MergeTreeResult:
    """The typed result."""
    if request.form == "trivial-merge":
        return MergeTreeResult(paths=[_path_outcome(outcome) for outcome in merges.by_entries()])
    if request.stdin:
        made = [_typed(*one) for one in merges.listed(to_bytes(request.lines or ""))]
    else:
        ours, theirs = request.branches
        made = [_typed(ours, theirs, merges.one(ours, theirs))]
    return MergeTreeResult(merges=made)


def _typed(ours: str, theirs: str, result: MergeResult) -> TreeMerge:
    stages = [
        MergeStage(to_text(path), stage, f"{mode:06o}", oid.hex())
        for path, sides in sorted(result.conflicts.items())
        for stage, (mode, oid) in enumerate(sides, 1)
        if mode and oid is not None
    ]
    messages = [
        MergeMessage(to_text(message.kind), list(map(to_text, message.paths)), to_text(message.text))
        for message in result.lines()
    ]
    return TreeMerge(ours, theirs, result.tree.hex(), result.clean, stages, messages)


def _path_outcome(outcome: Outcome) -> PathOutcome:
    sides = [
        PathSide(to_text(word), f"{mode:06o}", "" if oid is None else oid.hex()) for word, (mode, oid) in outcome.sides
    ]
    kind, path, before, after = map(to_text, (outcome.kind, outcome.path, outcome.before, outcome.after))
    return PathOutcome(kind, path, sides, before, after)


def render(merges: Merges, request: MergeTreeRequest, style: Style) -> Iterator[bytes]:
    """The merge of two branches, with status 1 if it has conflicts; with --stdin the merges of all lines, each between
    its own status (1: clean) and a NUL."""
    if request.form == "trivial-merge":
        for outcome in merges.by_entries():
            yield from write_outcome(outcome, style)
        return
    if not request.stdin:
        result = merges.one(*request.branches)
        style.ctx.exit_status = int(not result.clean)
        yield from write_merge(result, style, nul=request.null, names=request.name_only, messages=request.messages)
        return
    lines = style.stdin if request.lines is None else to_bytes(request.lines)
    for _, _, result in merges.listed(lines or b""):
        yield b"%d\0" % result.clean
        yield from write_merge(result, style, nul=True, names=request.name_only, messages=request.messages)
        yield b"\0"


COMMAND = Command(
    "merge-tree",
    MergeTreeRequest,
    MergeTreeResult,
    run,
    collect,
    render,
    bind=bind,
    stop=True,
    usage=USAGE,
    summary="what a merge would come to",
)
