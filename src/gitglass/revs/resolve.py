"""One revision to one object: the syntax tree of `revs.grammar` looked up in a repository (gitrevisions(7)).

`Resolver` is the engine; the functions below it are for other packages. For a text that names nothing `Resolver.find`
returns None and `resolve` raises `NotFound`; errors that git reports immediately (a reflog that is too short, a branch
without an upstream) are raised in both cases.
"""

from collections.abc import Collection

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..disk.jail import in_folder
from ..errors import Ambiguous, BadRequest, Corrupt, GitError, NotFound, NoWorkTree, text
from ..limits import Context
from ..memories import Slot
from ..records import record
from ..repo.store import Store
from .abbrev import find_short
from .errors import bad_argument
from .grammar import (
    HEX_DIGITS,
    NAME,
    Base,
    IndexPath,
    Object,
    Search,
    Spec,
    Step,
    TreePath,
    describe_hex,
    is_hex,
    parse,
    parse_base,
    prior_checkout,
)
from .names import at_reflog, find_log, find_refs, prior_branch, substitute, warns_of_ambiguity

if TYPE_CHECKING:
    from ..graph.merge_base import merge_bases
    from ..graph.positions import Positions, by_position
    from ..graph.steps import note_steps
    from ..index.index import Index
    from .search import find_message, ref_commits
else:
    merge_bases = deferred(__name__, "..graph.merge_base", "merge_bases")
    note_steps = deferred(__name__, "..graph.steps", "note_steps")
    by_position = deferred(__name__, "..graph.positions", "by_position")
    find_message, ref_commits = deferred(__name__, ".search", "find_message", "ref_commits")


__all__ = [
    "Resolved",
    "Resolver",
    "bad_argument",
    "resolve",
    "resolve_commit",
    "resolve_full",
    "resolve_tree",
    "try_resolve",
]


@record(frozen=True)
class Resolved:
    """The object of a revision. `mode` and `path` are set if it was reached through a tree or the index, otherwise 0
    and None."""

    oid: bytes
    mode: int = 0
    path: bytes | None = None
    ref: bytes | None = None


_FULL_INDEX: "Slot[Index]" = Slot("the index with what sparse directories hold")

_FEW_STEPS = 16  # up to this number of `~<n>`, a commit-graph's numbers do not pay off


#: git's advice about a ref that has an object's name
_HEX_ADVICE = b"""\
Git normally never creates a ref that ends with 40 hex characters
because it will be ignored when you just specify 40-hex. These refs
may be created by mistake. For example,

  git switch -c $br $(git rev-parse ...)

where "$br" is somehow empty and a 40-hex ref is created. Please
examine these refs and maybe delete them. Turn this message off by
running "git config advice.objectNameWarning false"
"""


class Resolver:
    """Looks revisions up in one repository.

    `want` decides between several objects of a short name: "commit", "committish", "tree", "treeish", "blob". `quiet`
    suppresses warnings, as `rev-parse --quiet` does. `hex_warning=False` skips the check whether a full object name is
    also the name of a ref, as `cat-file --batch` does. `plain` are the commits that names before stood for as they are:
    git has read these from a commit-graph, where it reads the first commit of a name with steps as an object.
    """

    __slots__ = ("ambiguous", "ctx", "hex_warning", "plain", "quiet", "store", "want", "warn_ambiguous")

    def __init__(
        self,
        store: Store,
        *,
        ctx: Context,
        want: str = "",
        quiet: bool = False,
        hex_warning: bool = True,
        plain: Collection[bytes] = (),
    ) -> None:
        self.store = store
        self.ctx = ctx
        self.ambiguous = False  # a short object name had several objects, and no hint decided
        self.want = want
        self.quiet = quiet
        self.hex_warning = hex_warning
        self.plain = plain
        self.warn_ambiguous = warns_of_ambiguity(store)

    def refs_of(self, name: bytes) -> list[tuple[bytes, bytes, bytes]]:
        """The refs that a name may mean (`find_refs`)."""
        plain = substitute(self.store, name, ctx=self.ctx)
        return find_refs(self.store, plain, ctx=self.ctx, all_of_them=self.warn_ambiguous)

    def find(self, revision: bytes) -> Resolved | None:
        """The object that `revision` names, or None."""
        if not self.hex_warning and len(revision) == self.store.hex_len and is_hex(revision):
            return Resolved(bytes.fromhex(revision.decode()))
        if NAME.fullmatch(revision):
            return self._base(Base(revision), self.want)
        return self.find_spec(parse(revision))

    def find_spec(self, spec: Spec) -> Resolved | None:
        """The same, from the syntax tree."""
        if isinstance(spec, Object):
            return self._object(spec, self.want)
        if isinstance(spec, TreePath):
            return self._tree_path(spec)
        if isinstance(spec, IndexPath):
            return self._index_path(spec)
        return self._search(spec)

    # ------------------------------------------------------------------------------------------- paths, search

    def _tree_path(self, spec: TreePath) -> Resolved | None:
        top = self._object(spec.object, "treeish")
        if top is None:
            return None
        path = relative_path(self.store, spec.path)
        tree = self._as_tree(top.oid)
        if tree is None:
            return None
        if not path:
            return Resolved(tree, 0, path)
        entry = tree_entry(self.store, tree, path)
        return None if entry is None else Resolved(entry[1], entry[0], path)

    def _as_tree(self, oid: bytes) -> bytes | None:
        try:
            return self.store.odb.peel(oid, b"tree")
        except GitError:
            return None

    def _index_path(self, spec: IndexPath) -> Resolved | None:
        path = relative_path(self.store, spec.path)
        index = full_index(self.store)
        at = index.find(path, spec.stage)
        if at < 0:
            return None
        entry = index.entry(at)
        return Resolved(entry.oid, entry.mode, path)

    def _search(self, spec: Search) -> Resolved | None:
        oid = find_message(self.store, spec.pattern, ref_commits(self.store, self.ctx), ctx=self.ctx)
        return None if oid is None else Resolved(oid)

    # --------------------------------------------------------------------------------------------------- steps

    def _object(self, spec: Object, want: str) -> Resolved | None:
        if spec.impossible:
            return None
        if not spec.steps:
            return self._base(spec.base, want)
        resolved = self._steps(spec, want)
        if resolved is None and spec.text.endswith(b"}"):
            # Strange but git's: if `name@{x}^{y}` names nothing, `x}^{y` is tried as a date.
            base = parse_base(spec.text)
            if base.select is not None and b"}" in base.select:
                resolved = self._base(base, want)
        return resolved

    def _steps(self, spec: Object, want: str) -> Resolved | None:
        resolved = self._base(spec.base, _wanted_below(spec.steps, want))
        if resolved is None:
            return None
        oid: bytes | None = resolved.oid
        for step in spec.steps:
            self.ctx.tick()
            if oid is not None:
                oid = self._step(oid, step, spec)
        return None if oid is None else Resolved(oid)

    def _step(self, oid: bytes, step: Step, spec: Object) -> bytes | None:
        if step.op == b"^":
            return self._parent(oid, step.number)
        if step.op == b"~":
            return self._ancestor(oid, step.number)
        try:
            if step.op == b"/":
                commit = self.peel(oid, b"commit", spec.text[: step.end])
                if commit is None:
                    return None
                return find_message(self.store, step.pattern, [commit], ctx=self.ctx)
            if not step.kind:
                return self.store.odb.peel(oid)
            return self.peel(oid, step.kind, spec.text[: step.end])
        except NotFound:
            return None

    def commit_of(self, oid: bytes, *, quiet: bool = False) -> bytes | None:
        """The commit that an object is or a tag leads to; otherwise None, with git's message."""
        odb = self.store.odb
        try:
            target = odb.peel(oid)
            kind = odb.kind(target)
        except NotFound:
            return None
        if kind != b"commit":
            if not quiet and not self.quiet:
                self.ctx.say(f"error: object {target.hex()} is a {text(kind)}, not a commit\n".encode())
            return None
        return target

    def _parent(self, oid: bytes, number: int) -> bytes | None:
        commit = self.commit_of(oid)
        if commit is None or not number:
            return commit
        note_steps(self.store, commit, 1, from_graph=commit in self.plain)
        parents = self.store.odb.commit_facts(commit)[0]
        return parents[number - 1] if number <= len(parents) else None

    def _ancestor(self, oid: bytes, generations: int) -> bytes | None:
        commit = self.commit_of(oid)
        if commit is None:
            return None
        note_steps(self.store, commit, generations, from_graph=commit in self.plain)
        if generations > _FEW_STEPS:

            def ancestor(positions: "Positions", places: list[int]) -> bytes:
                position = positions.ancestor(places[0], generations)
                return b"" if position is None else positions.oid(position)

            numbered = by_position(self.store, [commit], self.ctx, ancestor)
            if numbered is not None:
                return numbered or None
        parents_of = self.store.odb.parents_reader()
        tick = self.ctx.tick
        try:
            for _ in range(generations):
                tick()
                parents = parents_of(commit)
                if not parents:
                    return None
                commit = parents[0]
        except NotFound:
            return None
        return commit

    def peel(self, oid: bytes, kind: bytes, shown: bytes) -> bytes | None:
        """The object after following `oid` through tags, and from a commit to its tree, until it is of `kind`
        (b"object": unchanged)."""
        odb = self.store.odb
        while True:
            have = odb.kind(oid)
            if have == kind or kind == b"object":
                return oid
            if have == b"tag":
                oid = odb.tag(oid).object
            elif have == b"commit":
                oid = odb.commit(oid).tree
            else:
                words = f"{text(shown)}: expected {text(kind)} type, but the object dereferences to {text(have)} type"
                self.ctx.say(b"error: " + words.encode("utf-8", "surrogateescape") + b"\n")
                return None

    # ---------------------------------------------------------------------------------------------------- base

    def _base(self, base: Base, want: str) -> Resolved | None:
        name = base.name
        if base.select is not None:
            return self._logged(name, base.select)
        if len(name) == self.store.hex_len and is_hex(name):
            self._warn_hex(name)
            return Resolved(bytes.fromhex(name.decode()))
        resolved = self._named(name)
        if resolved is not None:
            return resolved
        digits = describe_hex(name)
        oid = None
        if digits is not None:
            oid = find_short(self.store, digits, ctx=self.ctx, want="commit", quiet=self.quiet)
        if not oid:
            oid = find_short(self.store, name, ctx=self.ctx, want=want, quiet=self.quiet)
        if oid == b"":
            self.ambiguous = True
        return Resolved(oid) if oid else None

    def _warn_hex(self, name: bytes) -> None:
        if self.hex_warning and self.warn_ambiguous and find_refs(self.store, name, ctx=self.ctx, all_of_them=False):
            self.ctx.warn(f"refname '{text(name)}' is ambiguous.")
            if self.store.config.get_bool("advice.objectnamewarning", True):
                for line in _HEX_ADVICE.splitlines(keepends=True):
                    self.ctx.say(line)

    def _named(self, name: bytes) -> Resolved | None:
        store, ctx = self.store, self.ctx
        if b"@" in name:
            detached = self._left_detached(name)
            if detached is not None:
                return Resolved(detached)
        plain = substitute(store, name, ctx=ctx)  # a missing upstream is fatal even if everything else is quiet
        rows = find_refs(store, plain, ctx=ctx, all_of_them=self.warn_ambiguous)
        if not rows:
            return None
        if self.warn_ambiguous and not self.quiet:
            self._warn_ambiguous(name, len(rows))
        return Resolved(rows[0][1], ref=rows[0][0])

    def _warn_ambiguous(self, name: bytes, fits: int) -> None:
        """Warn if a name may mean several refs, or is a ref's name that looks like an abbreviated object name."""
        if fits > 1 or (
            not name.translate(None, HEX_DIGITS) and find_short(self.store, name, ctx=self.ctx, quiet=True)
        ):
            self.ctx.warn(f"refname '{text(name)}' is ambiguous.")

    def _left_detached(self, name: bytes) -> bytes | None:
        prior = prior_checkout(name)
        if prior is None or prior[1] != len(name):
            return None
        left = prior_branch(self.store, prior[0])
        if left is None or len(left) != self.store.hex_len or not is_hex(left):
            return None
        return bytes.fromhex(left.decode())

    def _logged(self, name: bytes, select: bytes) -> Resolved | None:
        """`name@{select}`; without a name the reflog of HEAD's branch."""
        store, ctx = self.store, self.ctx
        if name:
            log = find_log(store, name, ctx=ctx, quiet=self.quiet)
        else:
            final, oid = store.refs.resolve(b"HEAD")
            log = None if oid is None else (final, oid, 1)
        if log is None:
            return None
        ref, oid, fits = log
        if name and self.warn_ambiguous and not self.quiet:
            self._warn_ambiguous(name, fits)
        then = at_reflog(store, name, ref, oid, select, ctx=ctx, quiet=self.quiet)
        return None if then is None else Resolved(then, ref=ref)


def _wanted_below(steps: tuple[Step, ...], want: str) -> str:
    """The hint for a short name before its first step: parents need a commit, `^{tree}` an object with a tree."""
    step = steps[0]
    if step.op in b"^~/" or step.kind == b"commit":
        return "committish"
    if step.kind == b"tree":
        return "treeish"
    return "" if step.kind else want


def tree_entry(store: Store, tree: bytes, path: bytes) -> tuple[int, bytes] | None:
    """(mode, oid) of `path` below `tree`; a directory's name may end in one slash."""
    slash = path.endswith(b"/")
    if path == b"/":
        return None
    entry = store.odb.entry(tree, path[:-1] if slash else path)
    if entry is not None and slash and entry[0] & 0o170000 != 0o040000:
        return None
    return entry


def full_index(store: Store) -> "Index":
    """The index with sparse directories replaced by their files, as git expands it to find a path."""
    index = store.index
    if not index.sparse:
        return index
    return store.per_call.made(_FULL_INDEX, lambda: index.expanded(store.odb.tree))


def relative_path(store: Store, path: bytes) -> bytes:
    """`./x` and `../x` in `REV:path` are relative to the current directory, everything else to the top."""
    if not path.startswith((b"./", b"../")) and path not in (b".", b".."):
        return path
    if not path.startswith((b"./", b"../")):
        return path
    if store.work_tree is None or not in_folder(store.cwd, store.work_tree):
        raise NoWorkTree("relative path syntax can't be used outside working tree")
    parts: list[bytes] = []
    for part in (store.prefix + path).split(b"/"):
        if part == b"..":
            if not parts:
                raise BadRequest(f"'{text(path)}' is outside repository at '{text(store.work_tree)}'")
            parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return b"/".join(parts) + (b"/" if parts and path.endswith((b"/", b"/.", b"/..")) else b"")


# ------------------------------------------------------------------------------------- what other rooms call


def _bytes(revision: str | bytes) -> bytes:
    return revision.encode("utf-8", "surrogateescape") if isinstance(revision, str) else revision


def resolve_full(
    store: Store, revision: str | bytes, *, ctx: Context, want: str = "", quiet: bool = False
) -> Resolved | None:
    """The object of `revision` with its mode, path and ref; None if it names nothing."""
    return Resolver(store, ctx=ctx, want=want, quiet=quiet).find(_bytes(revision))


def try_resolve(
    store: Store, revision: str | bytes, *, ctx: Context, want: str = "", quiet: bool = False
) -> bytes | None:
    """The oid of `revision`, not peeled; None if it names nothing."""
    resolved = Resolver(store, ctx=ctx, want=want, quiet=quiet).find(_bytes(revision))
    return None if resolved is None else resolved.oid


def resolve(store: Store, revision: str | bytes, *, ctx: Context, want: str = "") -> bytes:
    """The oid of `revision`, not peeled. Raises `NotFound` with git's "ambiguous argument" message and candidates."""
    oid = try_resolve(store, revision, ctx=ctx, want=want)
    if oid is None:
        raise bad_argument(store, _bytes(revision), ctx=ctx)
    return oid


def resolve_commit(store: Store, revision: str | bytes, *, ctx: Context) -> bytes:
    """The commit of `revision`, through tags. Raises `NotFound` "Not a valid commit name x" otherwise."""
    resolver = Resolver(store, ctx=ctx, want="committish")
    resolved = resolver.find(_bytes(revision))
    commit = None if resolved is None else resolver.commit_of(resolved.oid)
    if commit is None:
        raise NotFound(f"Not a valid commit name {text(_bytes(revision))}", name=text(_bytes(revision)))
    return commit


def named_commit(store: Store, word: str, *, ctx: Context) -> bytes | None:
    """The commit that an option's argument names; otherwise None, with git's message if it names another object."""
    oid = try_resolve(store, word, ctx=ctx, want="committish")
    return None if oid is None else commit_behind(store, oid, ctx=ctx)


def one_merge_base(store: Store, word: str, *, ctx: Context) -> bytes | None:
    """The merge base that `A...B` names where a single commit is wanted, HEAD for a side that is left out
    (git-checkout(1), git-branch(1), git-restore(1)); None for any other word, and unless there is exactly one."""
    one, dots, two = word.partition("...")
    if not dots:
        return None
    sides = [named_commit(store, side or "HEAD", ctx=ctx) for side in (one, two)]
    if sides[0] is None or sides[1] is None:
        return None
    bases = merge_bases(store, sides[0], [sides[1]], ctx=ctx)
    return bases[0] if len(bases) == 1 else None


def commit_behind(store: Store, oid: bytes, *, ctx: Context) -> bytes | None:
    """The commit that an object leads to; otherwise None, with git's message."""
    try:
        return store.odb.peel(oid, b"commit")
    except Corrupt as error:  # it is an object of another type
        ctx.say(error.words())
        return None


def resolve_tree(store: Store, revision: str | bytes, *, ctx: Context) -> bytes:
    """The tree of `revision`, through tags and commits. Raises `NotFound` "Not a valid object name x"."""
    oid = try_resolve(store, revision, ctx=ctx, want="treeish")
    if oid is None:
        raise NotFound(f"Not a valid object name {text(_bytes(revision))}", name=text(_bytes(revision)))
    try:
        return store.odb.peel(oid, b"tree")
    except (NotFound, Ambiguous, GitError) as error:
        raise NotFound("not a tree object", name=text(_bytes(revision))) from error
