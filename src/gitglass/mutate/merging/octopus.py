"""Several commits merged at once, as git's strategy `octopus` does it: one after the other, path by path, without
renames, and only where nothing needs a hand. Mirrors git-merge(1), "octopus", and what git-merge-octopus prints.

What git would leave half merged, or give up, is refused before anything changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...diff.lines.spec import LineSpec
from ...errors import CommandFailed, Corrupt, Unsupported
from ...graph.merge_base import independent, merge_bases
from ...merge.three_way import Sides, merge_texts
from ...objects.parsed import REGULAR
from ...records import field, record
from ..index_file import write_trees
from ..operations.common import commit_tree, tree_rows
from ..view import View

_LINES = LineSpec(algorithm="myers", indent_heuristic=False)  # those of git-merge-file(1)
_BINARY = 8000  # bytes in which a NUL makes a text binary
Side = tuple[int, bytes]
Rows = dict[bytes, Side]


@record
class Octopus:
    """What it comes to: the tree, git's words, and the parents behind the first. `steps` are the trees on the way, each
    with the words by then."""

    tree: bytes
    words: bytes = b""
    parents: list[bytes] = field(default_factory=list)
    steps: list[tuple[bytes, bytes]] = field(default_factory=list)


def reduced(view: View, head: bytes, commits: Sequence[bytes]) -> list[bytes]:
    """The commits that neither HEAD nor another one has already, each once, as they were named."""
    kept = independent(view.store, list(dict.fromkeys([head, *commits])), ctx=view.ctx)
    return [commit for commit in dict.fromkeys(commits) if commit in kept and commit != head]


def joined_title(titles: Sequence[bytes]) -> bytes:
    """`branches 'x' and 'y', tag 'v'` of `branch 'x'`, `branch 'y'` and `tag 'v'`; mirrors git-fmt-merge-msg(1)."""
    groups: dict[bytes, list[bytes]] = {b"branch": [], b"remote-tracking branch": [], b"tag": [], b"commit": []}
    for title in titles:
        kind, _, name = title.partition(b" '")
        groups[kind].append(b"'" + name)
    parts = []
    for kind, names in groups.items():
        plural = kind + (b"es" if kind.endswith(b"branch") else b"s")
        if len(names) > 1:
            parts.append(b"%b %b and %b" % (plural, b", ".join(names[:-1]), names[-1]))
        elif names:
            parts.append(b"%b %b" % (kind, names[0]))
    return b", ".join(parts)


def merged_at_once(view: View, head: bytes, commits: Sequence[tuple[bytes, bytes]]) -> Octopus:
    """The merge of `commits` (each with its name) into HEAD. Raises CommandFailed in git's words where they have no
    history in common, Unsupported where a hand would be needed."""
    reference, tree, rows = [head], commit_tree(view, head), tree_rows(view, commit_tree(view, head))
    made = Octopus(tree, parents=[commit for commit, _ in commits])
    forward = True
    for commit, name in commits:
        bases = merge_bases(view.store, commit, reference, ctx=view.ctx)
        theirs = tree_rows(view, commit_tree(view, commit))
        if not bases:
            words = f"Unable to find common commit with {name.decode('utf-8', 'surrogateescape')}"
            raise CommandFailed(f"{words}\nMerge with strategy octopus failed.", status=2, prefix="fatal")
        if commit in bases:
            made.words += b"Already up to date with %b\n" % name
        elif forward and bases == reference:
            made.words += b"Fast-forwarding to: %b\n" % name
            reference, rows, made.tree = [commit], theirs, commit_tree(view, commit)
            made.steps.append((made.tree, made.words))
        elif len(bases) > 1:
            raise _refused(f"'{name.decode('utf-8', 'replace')}' has several merge bases")
        else:
            forward = False
            made.words += b"Trying simple merge with %b\n" % name
            before = made.words
            rows, spoken = _step(view, tree_rows(view, commit_tree(view, bases[0])), rows, theirs)
            made.words += spoken
            reference.append(commit)
            entries = [(path, *rows[path]) for path in sorted(rows)]
            try:
                made.tree = write_trees(entries, None, view.new.add, view.store.empty_tree)[0]
            except Corrupt as error:
                raise _refused(error.message) from None
            made.steps.append((made.tree, before))
    return made


def _step(view: View, base: Rows, ours: Rows, theirs: Rows) -> tuple[Rows, bytes]:
    """One commit into what is there (`git read-tree -m --aggressive`, `git merge-one-file`)."""
    rows, texts = dict(ours), list[bytes]()
    for path in base.keys() | theirs.keys():
        view.ctx.tick()
        was, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if other in (was, mine):
            continue
        if mine == was:
            if other is None:
                del rows[path]
            else:
                rows[path] = other
        elif was is None or mine is None or other is None or not _is_text(view, was, mine, other):
            raise _refused(f"'{path.decode('utf-8', 'replace')}' is in conflict")
        else:
            texts.append(path)
    words = [b"Simple merge did not work, trying automatic merge.\n"] if texts else []
    for path in sorted(texts):
        words.append(b"Auto-merging %b\n" % path)
        sides = [view.odb.read(side[path][1])[1] for side in (base, ours, theirs)]
        text = merge_texts(sides[0], sides[1], sides[2], Sides((b"", b"", b"")), _LINES, ctx=view.ctx)
        if not text.clean:
            raise _refused(f"'{path.decode('utf-8', 'replace')}' is in conflict")
        rows[path] = ours[path][0], view.new.add(b"blob", text.text)
    return rows, b"".join(words)


def _is_text(view: View, *sides: Side) -> bool:
    """Whether all are files of one mode whose content can be merged."""
    modes = {mode for mode, _ in sides}
    if len({mode for mode, _ in sides[1:]}) != 1 or any(mode & 0o170000 != REGULAR & 0o170000 for mode in modes):
        return False
    return all(b"\0" not in view.odb.read(oid)[1][:_BINARY] for _, oid in sides)


def _refused(reason: str) -> Unsupported:
    return Unsupported(
        f"gitglass merges several commits at once only where nothing is in conflict: {reason}", option="octopus",
        hint="Merge them one after the other.",
    )  # fmt: skip
