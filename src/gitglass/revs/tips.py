"""Turns the words of a command line into the commits a walk starts from and stops at.

A word is a revision, a range (`A..B`, `A...B`, `A^@`, `A^!`, `A^-n`, `^A`), or a pseudo revision (`--all`, `--not`,
`--branches[=glob]`, `--glob=`, `--exclude=`, `--reflog`, …) of git-rev-list(1). Order is kept, because git's answers
depend on it: which tip comes first, which is on the left of `...`, which ones `--not` inverts.
"""

from collections.abc import Callable, Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import BadRequest, Corrupt, NotFound, Unsupported, text
from ..limits import Context, paced, step
from ..objects.parsed import KINDS, wrong_kind
from ..paths.wildmatch import wildmatch
from ..refs.names import check_refname
from ..repo.store import Store
from .exclusions import Exclusions
from .grammar import Parents, Range, parse_parents, parse_range
from .resolve import Resolved, Resolver, full_index
from .tip import Tip, Tips

if TYPE_CHECKING:
    from ..graph.merge_base import merge_bases
    from ..graph.positions import tip_kind
    from ..graph.steps import note_steps
    from ..index.file import load_index
    from ..index.index import Index
    from .path_errors import die_revision
else:
    merge_bases = deferred(__name__, "..graph.merge_base", "merge_bases")
    tip_kind = deferred(__name__, "..graph.positions", "tip_kind")
    note_steps = deferred(__name__, "..graph.steps", "note_steps")
    load_index = deferred(__name__, "..index.file", "load_index")
    die_revision = deferred(__name__, ".path_errors", "die_revision")


_FAMILIES = {"--branches": b"refs/heads/", "--tags": b"refs/tags/", "--remotes": b"refs/remotes/"}


def tips(
    store: Store,
    tokens: Sequence[str | bytes],
    *,
    ctx: Context,
    default: str | None = None,
    committish: bool = False,
    named: Tips | None = None,
    reflogs: bool = False,
) -> Tips:
    """Look up all words. `default` is used if no word is a revision; `A^@` of a root commit, for example, is one.

    `named` are the results of looking these words up when the command line was read (`plans.words`): then only the
    default is looked up. `reflogs`: reflogs are walked; then commits do not replace the default, which is walked in
    addition. `committish` prefers commits among the objects of a short name, as only git log does. Raises `NotFound`
    "bad revision 'x'", "bad object x", "your current branch 'x' does not have any commits yet".
    """
    if named is None:
        builder = TipBuilder(store, ctx=ctx, committish=committish)
        for token in tokens:
            builder.add(token.encode("utf-8", "surrogateescape") if isinstance(token, str) else token)
        named = builder.tips()
    walked = named.turn if reflogs else len(named.entries)
    counted = any(tip.commit is None or at < walked for at, tip in enumerate(named.entries))
    if default is None or counted or named.globbed or any(token[:1] not in ("-", b"-") for token in tokens):
        return named
    builder = TipBuilder(store, ctx=ctx, committish=committish)
    builder.add_default(default.encode())
    entries = named.entries + builder.tips().entries
    return Tips(entries, named.symmetric, named.ranged, named.globbed, named.turn)


def resolved_tips(store: Store, word: str, resolved: Resolved, *, ctx: Context) -> Tips:
    """The tips of one word that was looked up already. Raises `NotFound` "bad object x"."""
    builder = TipBuilder(store, ctx=ctx)
    builder.named(resolved, word.encode("utf-8", "surrogateescape"))
    return builder.tips()


class TipBuilder:
    """Collects tips word by word; remembers the effect of `--not`, `--exclude` and `--ignore-missing`."""

    __slots__ = (
        "_ends", "_entries", "_excluded", "_from_graph", "_globbed", "_missing_ok", "_not", "_ranged", "_resolver",
        "_single", "_store", "_symmetric", "_tagged", "_turn", "ctx", "passed_over",
    )  # fmt: skip

    def __init__(self, store: Store, *, ctx: Context, committish: bool = False) -> None:
        self.ctx = ctx
        self._entries: list[Tip] = []
        self._symmetric = self._ranged = self._globbed = False
        self._store = store
        self._from_graph: set[bytes] = set()  # commits that names stand for as they are
        self._resolver = Resolver(store, ctx=ctx, want="committish" if committish else "", plain=self._from_graph)
        self._ends = (
            self._resolver if committish else Resolver(store, ctx=ctx, want="committish", plain=self._from_graph)
        )
        self._tagged: list[bytes] = []  # what tags lead to
        self._not = False
        self._missing_ok = False
        self.passed_over = False  # the last revision named nothing, and --ignore-missing ignored it
        self._single = False
        self._turn = 0
        self._excluded: Exclusions | None = None  # refs that --exclude and --exclude-hidden remove from the next --all

    def tips(self) -> Tips:
        """The tips so far."""
        for target in self._tagged:  # git follows tags after all words are read
            note_steps(self._store, target, 0, from_graph=target in self._from_graph)
        self._tagged.clear()
        return Tips(tuple(self._entries), self._symmetric, self._ranged, self._globbed, self._turn)

    def turn(self) -> None:
        """From here on named refs stand for their reflogs; those named before do not."""
        self._turn = len(self._entries)

    # --------------------------------------------------------------------------------------------------- words

    def add(self, word: bytes) -> None:
        """Add one word of any kind. Raises `NotFound` if it names nothing."""
        if word.startswith(b"-"):
            self.pseudo(text(word))
        elif not self.revision(word, only=True):
            raise die_revision(self._store, word, ctx=self.ctx)

    def add_default(self, word: bytes) -> None:
        """Add HEAD, if nothing was named; a branch without commits has an error message of its own."""
        resolved = self._resolver.find(word)
        if resolved is None:
            head = self._store.refs.lookup(b"HEAD")
            if head.broken or word != b"HEAD":
                raise NotFound("your current branch appears to be broken")
            branch = text(head.name.removeprefix(b"refs/heads/"))
            raise NotFound(f"your current branch '{branch}' does not have any commits yet", branch=branch)
        self.named(resolved, word, exclude=False)

    def pseudo(self, word: str) -> None:
        """Add a pseudo revision: `--all`, `--not`, `--glob=…`."""
        name, equals, value = word.partition("=")
        pattern = value.encode("utf-8", "surrogateescape") if equals else None
        if name == "--not":
            self._not = not self._not
        elif name == "--ignore-missing":
            self._missing_ok = True
        elif name == "--single-worktree":
            self._single = True
        elif name == "--exclude" and pattern is not None:
            self._exclusions().add(pattern)
        elif name == "--exclude-hidden" and pattern is not None:
            self._exclusions().hide(pattern)
        elif name == "--alternate-refs":
            self._alternate_refs()
        elif name in _PSEUDO:
            if name not in ("--reflog", "--indexed-objects"):  # only with these two is the default still added
                self._globbed = True
            _PSEUDO[name](self, name, pattern)
            if name not in _KEEP_EXCLUSIONS:
                self._excluded = None
        else:
            raise BadRequest(f"unrecognized argument: {word}")

    def _alternate_refs(self) -> None:
        """Add the refs of other repositories: none if no objects are borrowed. Raises Unsupported otherwise."""
        if len(self._store.odb.dirs) > 1:
            raise Unsupported(
                "gitglass does not take --alternate-refs where objects are borrowed: other repositories are not asked",
                status=129,
                prefix="error",
                option="--alternate-refs",
            )

    def _exclusions(self) -> Exclusions:
        if self._excluded is None:
            self._excluded = Exclusions(self._store)
        return self._excluded

    def line(self, word: bytes) -> bool:
        """Add a revision or a range of standard input, which a `--not` of the command line does not affect; returns
        False if it names nothing. A ref with the name of an object is not looked for, as in git."""
        turned, self._not = self._not, False
        self._warn_of_hex(False)
        named = self.revision(word, only=True)
        self._warn_of_hex(True)
        self._not = turned
        return named

    def _warn_of_hex(self, wanted: bool) -> None:
        self._resolver.hex_warning = self._ends.hex_warning = wanted

    def revision(self, word: bytes, *, only: bool = False) -> bool:
        """Add a revision or a range; returns False if it names nothing. Raises the errors that git reports during the
        lookup.

        `only`: it can be no path. Then `..` is HEAD..HEAD; otherwise it is the parent directory.
        """
        if word == b".." and not only:
            return False
        span = Range(b"HEAD", b"HEAD", False) if word == b".." else parse_range(word)
        if span is not None and self._range(span, word):
            return True
        parents = parse_parents(word)
        resolved = None
        if parents is not None:
            with self.ctx.warnings() as warned:
                child = self._parents(parents)
                again = len(warned) > 0 or child is None or child.ref is None
            if child is not None and parents.op == b"@":
                return True
            if child is not None:
                word = parents.rev
                if not again:  # otherwise git looks twice: it warns twice, and a short name may mean another object
                    resolved = child
        elif b"^-" in word and not word.endswith(b"}"):
            return False
        negated = word.startswith(b"^")
        if negated:
            word = word[1:]
        if resolved is None:
            resolved = self._resolver.find(word)
        self.passed_over = resolved is None
        if resolved is None:
            return self._missing_ok
        self.named(resolved, word, exclude=self._not != negated, bottom=negated)
        return True

    # -------------------------------------------------------------------------------------------------- ranges

    def _range(self, span: Range, word: bytes) -> bool:
        left = self._find_end(span.left)
        right = None if left is None else self._find_end(span.right)
        if left is None or right is None:
            return False
        self._ranged = True
        for end in (left, right):
            note_steps(self._store, end.oid, 0, from_graph=end.oid in self._from_graph)
        if not span.symmetric:
            try:
                self.named(left, span.left, exclude=not self._not, bottom=True)
                self.named(right, span.right, exclude=self._not)
            except NotFound as error:
                raise NotFound(f"Invalid revision range {text(word)}", name=text(word)) from error
            return True
        one, other = self._resolver.commit_of(left.oid), self._resolver.commit_of(right.oid)
        if one is None or other is None:
            if self._missing_ok:
                return True
            raise NotFound(f"Invalid symmetric difference expression {text(word)}", name=text(word))
        for base in merge_bases(self._store, one, [other], ctx=self.ctx):
            self._entries.append(Tip(base, base, base.hex().encode(), exclude=not self._not, bottom=True))
        self._symmetric = True
        kinds = [self._store.odb.kind(end.oid) for end in (left, right)]  # a list of objects has the tags, too
        self._entries.append(Tip(left.oid, one, span.left, self._not, left=True, ref=left.ref, kind=kinds[0]))
        self._entries.append(Tip(right.oid, other, span.right, self._not, ref=right.ref, kind=kinds[1]))
        return True

    def _find_end(self, name: bytes) -> Resolved | None:
        """One end of a range. Errors name the whole word, as in git if `a..b` turns out to be no range."""
        with self.ctx.warnings() as warned:
            resolved = self._ends.find(name)
            if resolved is None:
                warned.drop()
        return resolved

    def _parents(self, parents: Parents) -> Resolved | None:
        """`^@`, `^!`, `^-n`: the commit whose parents are meant; None if it is no commit, or has no such parent."""
        negated = parents.rev.startswith(b"^")
        name = parents.rev[negated:]
        resolved = self._ends.find(name)
        if resolved is None:
            return None
        commit = self._resolver.commit_of(resolved.oid, quiet=True)
        if commit is None:
            return None
        facts = self._store.odb.commit_facts(commit)[0]
        if parents.number > len(facts):
            return None
        if parents.number:
            facts = facts[parents.number - 1 : parents.number]
        exclude = self._not != negated
        for parent in facts:
            flipped = not exclude if parents.op != b"@" else exclude
            self._entries.append(Tip(parent, parent, name, exclude=flipped, bottom=flipped, parent=True))
        return resolved

    def named(
        self, resolved: Resolved, name: bytes, *, exclude: bool = False, bottom: bool = False, many: bool = False
    ) -> None:
        """Add an object and what its tags lead to; nothing for a missing one if --ignore-missing is set. `many`: it is
        one of all refs."""
        odb, oid = self._store.odb, resolved.oid
        target = oid
        try:
            kind = tip_kind(self._store, oid) if many else odb.kind(oid)
            end = kind
            while end == b"tag":
                self.ctx.tick()
                tag = odb.tag(target)
                target = tag.object
                end = odb.kind(target)
                if end != tag.type and tag.type in KINDS:
                    self.ctx.say(wrong_kind(target, tag.type, end).words())
                    raise Corrupt(f"bad object {target.hex()}", oid=target.hex())
        except NotFound as error:
            if self._missing_ok:
                return
            shown = text(name) if target == oid else target.hex()
            raise NotFound(f"bad object {shown}", name=shown) from error
        commit = target if end == b"commit" else None
        if target != oid:
            self._tagged.append(target)
        elif commit is not None:
            self._from_graph.add(commit)
        if commit is not None and not self._entries:
            _ = odb.grafted  # git parses the first commit here, and warns that grafts are deprecated
        bottom = bottom or (exclude and self._not)
        self._entries.append(
            Tip(oid, commit, name, exclude, False, bottom, False, resolved.mode, resolved.path, resolved.ref, kind)
        )

    # ------------------------------------------------------------------------------------------------- pseudo

    def _refs(self, prefix: bytes, pattern: bytes | None = None, *, trim: int = 0) -> None:
        for name, oid in refs_below(self._store, prefix):
            self.ctx.tick()
            if pattern is None or wildmatch(pattern, name, 0):
                self._ref(name[trim:], name, oid)

    def _ref(self, shown: bytes, name: bytes, oid: bytes) -> None:
        if self._excluded is not None and self._excluded.cover(shown, name):
            return
        self.named(Resolved(oid, ref=name), shown, exclude=self._not, many=True)

    def _all(self, name: str, pattern: bytes | None) -> None:
        self._refs(b"refs/")
        for head, oid in heads(self._store, others=not self._single):
            self._ref(head, head, oid)

    def _family(self, name: str, pattern: bytes | None) -> None:
        if self._excluded is not None:
            self._excluded.check(name)
        prefix = _FAMILIES[name]
        self._refs(prefix, None if pattern is None else glob_of(prefix + pattern), trim=len(prefix))

    def _glob(self, name: str, pattern: bytes | None) -> None:
        wanted = pattern or b""
        self._refs(b"refs/", glob_of(wanted if wanted.startswith(b"refs/") else b"refs/" + wanted))

    def _bisect(self, name: str, pattern: bytes | None) -> None:
        self._refs(b"refs/bisect/bad")
        self._not = not self._not
        self._refs(b"refs/bisect/good")
        self._not = not self._not

    def _reflog(self, name: str, pattern: bytes | None) -> None:
        """Add each commit once per reflog entry: if reflogs are walked, each is a walk of its own (`log -g
        --reflog`)."""
        seen: dict[bytes, list[Tip]] = {self._store.null: []}
        pruned, warned = set[bytes](), b""
        others = [] if self._single else [name + b"/HEAD" for name, _ in _other_work_trees(self._store)]
        for log in [*reflogs(self._store), *others]:
            for entry in reversed(self._store.reflog(log).entries):
                for oid in (entry.old, entry.new):
                    self.ctx.tick()
                    before = len(self._entries)
                    if oid not in seen and self._store.odb.has(oid):
                        self.named(Resolved(oid), b"", exclude=self._not)
                    elif oid in seen:
                        self._entries += seen[oid]
                    else:
                        pruned.add(oid)
                    seen[oid] = self._entries[before:]
                    if oid in pruned and log != warned:
                        warned = log
                        self.ctx.say(b"warning: reflog of '%b' references pruned commits\n" % log)

    def _indexed(self, name: str, pattern: bytes | None) -> None:
        store = self._store
        self._add_index(full_index(store))
        for _, folder in () if self._single else _other_work_trees(store):
            index = load_index(store.jail, folder, store.hash_len)
            self._add_index(index.expanded(store.odb.tree) if index.sparse else index)

    def _add_index(self, index: "Index") -> None:
        for path, mode, oid in zip(index.paths, index.modes, index.oids, strict=True):
            self.ctx.tick()
            if mode & 0o170000 != 0o160000 and self._store.odb.has(oid):
                self.named(Resolved(oid, mode, path), b"", exclude=self._not)
        stack = [(b"", index.cache_tree)]
        while stack:
            self.ctx.tick()
            path, tree = stack.pop()
            if tree is None:
                continue
            if tree.count >= 0 and tree.oid is not None and self._store.odb.has(tree.oid):
                self.named(Resolved(tree.oid, 0o040000, path), b"", exclude=self._not)
            below = [(path + b"/" + name if path else name, child) for name, child in tree.subtrees.items()]
            stack += reversed(below)
        for path, sides in index.resolve_undo:
            for mode, undone in sides:
                if undone is not None and mode & 0o170000 == 0o100000 and self._store.odb.has(undone):
                    self.named(Resolved(undone, mode, path), b"", exclude=self._not)


_PSEUDO: dict[str, Callable[[TipBuilder, str, bytes | None], None]] = {
    "--all": TipBuilder._all,
    "--branches": TipBuilder._family,
    "--tags": TipBuilder._family,
    "--remotes": TipBuilder._family,
    "--glob": TipBuilder._glob,
    "--bisect": TipBuilder._bisect,
    "--reflog": TipBuilder._reflog,
    "--indexed-objects": TipBuilder._indexed,
}
#: options that keep `--exclude` and `--exclude-hidden` in force
_KEEP_EXCLUSIONS = frozenset({"--bisect", "--reflog", "--indexed-objects"})


def refs_below(store: Store, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(name, oid) of the refs whose names start with `prefix`, as `--all`, `--branches`, … list them.

    Strange but git's: a broken or malformed ref is included, with the null oid.
    """
    rows, well_formed = store.refs.plain(prefix)
    for name, oid, target in paced(rows):
        if not well_formed and not check_refname(name):
            yield name, store.null
        elif target is None:
            yield name, store.null if oid is None else oid
        elif (led := store.refs.read(name)) is not None and led != store.null:
            yield name, led


def glob_of(pattern: bytes) -> bytes:
    """The pattern; without wildcards, it matches everything below it."""
    if any(char in pattern for char in b"?*["):
        return pattern
    return pattern + (b"*" if pattern.endswith(b"/") else b"/*")


def heads(store: Store, *, others: bool = True) -> Iterator[tuple[bytes, bytes]]:
    """(name, oid) of HEAD, then of the HEADs of the other work trees; unborn ones are left out."""
    own = store.refs.read(b"HEAD")
    if own is not None:
        yield b"HEAD", own
    if not others:
        return
    for name, folder in _other_work_trees(store):
        oid = _foreign_head(store, folder)
        if oid is not None:
            yield name + b"/HEAD", oid


def _other_work_trees(store: Store) -> Iterator[tuple[bytes, bytes]]:
    """(what their refs begin with, directory) of the work trees besides this one."""
    if store.common_dir != store.git_dir:
        yield b"main-worktree", store.common_dir
    for name, kind in sorted(store.jail.scandir(store.common_dir + b"/worktrees")):
        step()
        folder = store.common_dir + b"/worktrees/" + name
        if kind == "d" and folder != store.git_dir:
            yield b"worktrees/" + name, folder


def _foreign_head(store: Store, folder: bytes) -> bytes | None:
    raw = store.jail.read_optional(folder + b"/HEAD", 4096)
    if raw is None:
        return None
    if raw.startswith(b"ref:"):
        return store.refs.read(raw[4:].strip())
    try:
        oid = bytes.fromhex(raw.strip().decode())
    except ValueError:
        return None
    return oid if len(oid) == store.hash_len else None


def reflogs(store: Store) -> Iterator[bytes]:
    """The names of all refs that have a reflog, with HEAD; in git's order of the directories."""
    roots = [store.git_dir] if store.git_dir == store.common_dir else [store.git_dir, store.common_dir]
    seen: set[bytes] = set()
    for root in roots:
        stack = [(b"", iter(store.jail.scandir(root + b"/logs")))]
        while stack:
            base, entries = stack[-1]
            for name, kind in entries:
                path = base + name
                if kind == "d":
                    stack.append((path + b"/", iter(store.jail.scandir(root + b"/logs/" + path))))
                    break
                if kind == "f" and path not in seen:
                    seen.add(path)
                    yield path
            else:
                stack.pop()
