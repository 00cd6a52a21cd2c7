"""`--submodule=log` and `--submodule=diff`: the changes inside of a submodule, if it is checked out.

`patch` imports this module only for these options: it needs the work tree's rooms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from stat import S_ISREG

from ...annotations import TYPE_CHECKING, Protocol
from ...diff.changes import MODIFIED, UNTRACKED, Change, Contents, Filespec
from ...diff.diffcore import diffcore
from ...diff.lines.spec import LineSpec, PatchSpec
from ...diff.spec import DiffSpec
from ...diff.trees import diff_trees
from ...errors import GitError
from ...graph.merge_base import merge_bases
from ...records import replace
from ...repo.discover import Where, discover
from ...repo.gitmodules import submodule_names
from ...repo.store import Store
from ...revs.abbrev import Abbreviator
from ...worktree.compare import tree_vs_worktree
from ...worktree.convert import read_work_file
from ...worktree.submodules import sub_store
from ..color import Palette
from ..log.pretty import output_encoding
from ..message import subject_line
from ..style import Style

if TYPE_CHECKING:
    from ...limits import Context

__all__ = ["submodule_text"]


class Writer(Protocol):
    """The writer of a diff's patches: `render.patch.PatchWriter`, which imports this module and passes itself."""

    def __init__(self, contents: Contents, spec: DiffSpec, style: Style, *, ctx: Context) -> None: ...

    def write(self, changes: Sequence[Change]) -> Iterable[bytes]: ...


class _Range:
    """Both commits of a submodule's change, if they can be read, and how they are related."""

    __slots__ = ("askable", "bases", "left", "message", "right", "sub")

    def __init__(self, store: Store, path: bytes, one: bytes, two: bytes, ctx: Context) -> None:
        null = store.null
        self.message = b"(new submodule)" if one == null else b"(submodule deleted)" if two == null else b""
        self.left: bytes | None = None
        self.right: bytes | None = None
        self.bases: list[bytes] = []
        self.sub = sub_store(store, path)
        self.askable = self.sub is not None
        if self.sub is None:
            # git runs a command in the submodule's directory. In an empty one it finds the superproject; only if there
            # is no directory (nothing, or a file) it reads the submodule's repository below `modules/`.
            status = None if store.files is None else store.files.lstat(path)
            self.askable = store.files is not None and (status is None or S_ISREG(status.st_mode))
            self.sub = _put_away(store, path)
        if self.sub is None:
            self.message = self.message or b"(commits not present)"
            return
        self.left, self.right = _commit(self.sub, one), _commit(self.sub, two)
        if (one != null and self.left is None) or (two != null and self.right is None):
            self.message = b"(commits not present)"
        elif self.left is not None and self.right is not None:
            self.bases = merge_bases(self.sub, self.left, [self.right], ctx=ctx)


def submodule_text(
    store: Store,
    style: Style,
    spec: DiffSpec,
    old: Filespec,
    new: Filespec,
    one: bytes,
    two: bytes,
    writer: type[Writer],
    *,
    ctx: Context,
) -> bytes:
    """The text for one submodule, without the line prefix.

    `one` and `two` are the commits (all zeros: none); `writer` writes the patches inside of the submodule.
    """
    path = old.path if old.mode else new.path
    out = []
    if new.dirty & UNTRACKED:
        out.append(b"Submodule %s contains untracked content\n" % path)
    if new.dirty & MODIFIED:
        out.append(b"Submodule %s contains modified content\n" % path)
    span = _Range(store, path, one, two, ctx)
    if one != two or span.sub is None:  # a submodule that was moved is not at its old path
        forward, backward = span.bases[:1] == [span.left], span.bases[:1] == [span.right]
        short = Abbreviator(store)
        dots = b".." if span.left is not None and (forward or backward) else b"..."
        rest = b" " + span.message if span.message else b" (rewind):" if backward and not forward else b":"
        out.append(b"Submodule %s %s%s%s%s\n" % (path, short(one), dots, short(two), rest))
    if spec.patch.submodule == "diff":
        out += _inside(span, style, spec, path, one, two, new.dirty, store.null, writer, ctx)
    elif one != two and not span.message:
        out += _commits(span, style.color("diff", spec.color), output_encoding(store), ctx)
    return b"".join(out)


def _put_away(store: Store, path: bytes) -> Store | None:
    """The repository of a submodule that is not checked out: git keeps it below `modules/`."""
    name = submodule_names(store).by_path.get(path)
    if name is None or store.work_tree is None:
        return None
    # its core.worktree names a directory that may be gone, and is not used
    position = Where(cwd=store.work_tree, git_dir=store.git_path(b"modules/" + name), bare=True)
    try:
        return Store(position, discover(position, jail=store.jail), store.jail, root=None)
    except GitError:
        return None


def _commit(sub: Store, oid: bytes) -> bytes | None:
    try:
        return oid if sub.odb.kind_size(oid)[0] == b"commit" else None
    except GitError:
        return None


def _commits(span: _Range, color: Palette, encoding: bytes, ctx: Context) -> Iterator[bytes]:
    """The commits that only one side has, along first parents, the latest first."""
    sub, left, right = span.sub, span.left, span.right
    if sub is None or left is None or right is None:
        return
    common = _ancestors(sub, span.bases, ctx)
    queue: list[tuple[int, int, bytes, bool]] = []
    seen: set[bytes] = set()
    for oid, is_left in ((left, True), (right, False)):
        if oid not in common:
            heappush(queue, (-sub.odb.commit_facts(oid)[1], len(seen), oid, is_left))
            seen.add(oid)
    while queue:
        ctx.tick()
        _, _, oid, is_left = heappop(queue)
        subject = subject_line(sub.odb.commit(oid), encoding)
        paint = color.diff_old if is_left else color.diff_new
        yield b"%s  %s %s%s\n" % (paint, b"<" if is_left else b">", subject, color.reset)
        for parent in sub.odb.commit_facts(oid)[0][:1]:
            if parent not in common and parent not in seen:
                heappush(queue, (-sub.odb.commit_facts(parent)[1], len(seen), parent, is_left))
                seen.add(parent)


def _ancestors(sub: Store, tips: list[bytes], ctx: Context) -> set[bytes]:
    """All commits reachable along first parents from the merge bases, these included."""
    ancestors: set[bytes] = set()
    todo = list(tips)
    while todo:
        ctx.tick()
        oid = todo.pop()
        if oid not in ancestors:
            ancestors.add(oid)
            todo += sub.odb.commit_facts(oid)[0][:1]
    return ancestors


def _inside(
    span: _Range,
    style: Style,
    spec: DiffSpec,
    path: bytes,
    one: bytes,
    two: bytes,
    dirty: int,
    null: bytes,
    writer: type[Writer],
    ctx: Context,
) -> Iterator[bytes]:
    """The patch of the submodule itself, as `git diff` in it would print it: with its defaults, not our options."""
    sub = span.sub
    if sub is None or (span.left is None and one != null) or (span.right is None and two != null):
        return
    if not span.askable:  # git in that directory takes both names for files: it finds no repository
        ctx.say(b"error: Could not access '%s'\n" % (sub.odb.empty_tree if span.left is None else one).hex().encode())
        yield b"(diff failed)\n"
        return
    patch = PatchSpec(src_prefix=spec.patch.src_prefix + path + b"/", dst_prefix=spec.patch.dst_prefix + path + b"/")
    if spec.patch.reverse:
        patch = replace(patch, src_prefix=patch.dst_prefix, dst_prefix=patch.src_prefix)
    inner = DiffSpec(lines=LineSpec(), patch=replace(patch, submodule="diff"), renames=1, color=spec.color)
    contents = _contents(sub, ctx)
    old_tree = None if span.left is None else sub.odb.commit_facts(span.left)[2]
    changes: list[Change]
    if dirty & MODIFIED:
        changes = tree_vs_worktree(sub, old_tree, ctx=ctx)
    else:
        new_tree = None if span.right is None else sub.odb.commit_facts(span.right)[2]
        changes = diff_trees(old_tree, new_tree, sub.odb, inner, ctx=ctx)
    changes = diffcore(changes, contents, inner, ctx=ctx)
    inner_style = Style(sub, ctx, is_tty=style.is_tty, columns=style.columns)
    yield from writer(contents, inner, inner_style, ctx=ctx).write(changes)


def _contents(sub: Store, ctx: Context) -> Contents:
    return Contents(sub, ctx=ctx, work=lambda path, mode: read_work_file(sub, path, mode, ctx=ctx))
