"""Words that name paths, as the operations that take them read them: against the index and against the work tree."""

from __future__ import annotations

import re
import stat
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping
from functools import partial

from ...errors import BadRequest, CommandFailed, text
from ...index.index import Index
from ...limits import paced, watched
from ...objects.parsed import GITLINK
from ...paths.attributes import attributes_of
from ...paths.ignore import Ignore, PatternList
from ...paths.lexical import directories_above
from ...paths.pathspec import Item, Pathspecs
from ...plans.words import in_work_tree, looks_like_pathspec
from ...worktree.scan import Scan, ScanSpec, scan
from ...worktree.stat_cache import UNSPARSE, gitlinks
from ..checkout.sparse import holds
from ..view import View


def pathspecs_of(view: View, words: list[str]) -> Pathspecs:
    """Words as git's pathspecs, seen from the current directory. Raises what git says of words that lead outside."""
    store = view.store
    raw = [word.encode("utf-8", "surrogateescape") for word in words]
    if b"" in raw:
        raise BadRequest("empty string is not a valid pathspec. please use . instead if you meant to match all paths")
    attributes = partial(attributes_of, store)
    return Pathspecs.parse(raw, store.prefix, view.reading, work_tree=store.work_tree, attributes=attributes)


def need_own_files(view: View, specs: Pathspecs) -> None:
    """Raise BadRequest in git's words for a pathspec that leads through a symbolic link, or into a submodule. What it
    excludes, and what is only a pattern further down, is held to the same."""
    files, index = view.store.files, view.index
    assert files is not None
    for item in specs.items:
        for front in directories_above(item.match):
            info = files.lstat(front)
            if info is not None and stat.S_ISLNK(info.st_mode):
                word = text(item.original)
                raise BadRequest(f"pathspec '{word}' is beyond a symbolic link", path=word)
    for path in (index.paths[at] for at in gitlinks(index)):
        for item in specs.items:
            if item.match.startswith(path + b"/") and len(item.match) > len(path) + 1:
                word = text(item.original)
                raise BadRequest(f"Pathspec '{word}' is in submodule '{text(path)}'", path=word)


def in_index(view: View, specs: Pathspecs) -> list[bytes]:
    """The paths of the index that are meant, each once, in order."""
    paths, folders = view.index.paths, submodules_of(view.index)
    chosen = None if folders else specs.select(paths)
    if chosen is None:
        chosen = [path for path in paced(paths) if specs.match(path, path in folders)]
    return list(dict.fromkeys(chosen))


def in_tree(rows: Mapping[bytes, tuple[int, bytes]], specs: Pathspecs) -> dict[bytes, tuple[int, bytes]]:
    """The files of a tree that are meant: path → mode and object."""
    return {path: side for path, side in paced(rows.items()) if specs.match(path, side[0] == GITLINK)}


def picked(specs: Pathspecs, paths: Iterable[bytes], folders: Container[bytes] = ()) -> tuple[list[bytes], list[str]]:
    """(those of sorted paths that are meant, each once; the words, as typed, that name none). `folders` are those of
    the paths that are submodules.

    Strange but git's: of rm, commit, checkout, restore and what is untracked, a word that has named one path exactly is
    no pattern for those behind it. A word whose paths are all excluded names them all the same.
    """
    if not any(item.odd or item.match.endswith(b"/") for item in specs.items):
        paths = list(paths)
        chosen = specs.select(paths) or list(filter(specs.match, paced(paths)))
        return list(dict.fromkeys(chosen)), unmatched(specs, chosen)
    fresh = specs.fresh()
    chosen = [path for path in watched(paths) if fresh.match_seen(path, path in folders)]
    missing = [text(item.original) for item in fresh.items if not (item.has_matched or item.exclude)]
    return list(dict.fromkeys(chosen)), missing


def is_there(view: View, item: Item) -> bool:
    """Whether a word is the name of something in the work tree; with a slash at its end, of a directory."""
    path, files = item.match.rstrip(b"/"), view.store.files
    info = None if files is None else files.lstat(path)
    return info is not None and (path == item.match or stat.S_ISDIR(info.st_mode))


def is_submodule(index: Index, path: bytes) -> bool:
    """Whether an index has a submodule at a path, or one in conflict."""
    return any(index.mode(at) == GITLINK for at in index.positions(path))


def submodules_of(index: Index) -> set[bytes]:
    """The paths of the submodules of an index."""
    return {index.paths[at] for at in gitlinks(index)}


_OUTSIDE = """\
The following paths and/or pathspecs matched paths that exist
outside of your sparse-checkout definition, so will not be
updated in the index:
{}
hint: If you intend to update such entries, try one of the following:
hint: * Use the --sparse option.
hint: * Disable or modify the sparsity rules.
hint: Disable this message with "git config advice.updateSparsePath false\""""


def parted(index: Index, paths: list[bytes], patterns: PatternList | None = None) -> tuple[list[bytes], list[bytes]]:
    """(paths whose files are not to be in the work tree, the others). With the `patterns` of a sparse checkout those
    count as well that it does not hold, whatever their entries say."""
    if not index.special and patterns is None:
        return [], paths
    skipped = {index.paths[at] for at in index.special if index.skip_worktree(at)}
    if patterns is not None:
        skipped.update(path for path in paced(paths) if not holds(patterns, path))
    return [path for path in paths if path in skipped], [path for path in paths if path not in skipped]


def folded(view: View) -> list[bytes]:
    """The paths that a sparse index has whose files are not to be in the work tree: directories as one, with a slash at
    their end. Nothing where the index is not sparse, or git fills it in."""
    raw = view.store.index
    if not raw.sparse or (view.index is not raw and view.store.per_call.get(UNSPARSE)):
        return []
    return sorted(raw.paths[at] for at in raw.special if raw.skip_worktree(at))


def outside_words(words: list[str]) -> str:
    """What git says of words that name only files that are not to be in the work tree."""
    return _OUTSIDE.format("\n".join(words))


def picked_new(specs: Pathspecs, paths: list[bytes]) -> list[bytes]:
    """Those of sorted untracked paths that are `picked`; the name of another repository ends with a slash."""
    names = set(picked(specs, (path.rstrip(b"/") for path in paths), {path[:-1] for path in paths})[0])
    return [path for path in paths if path.rstrip(b"/") in names]


def untracked(view: View, specs: Pathspecs, *, ignored: bool = False) -> Scan:
    """Files of the work tree that the index does not have; those that are ignored as well, apart."""
    return scan(view.store, ScanSpec(pathspecs=specs, ignored_too=ignored), ctx=view.ctx)


def holds_untracked(view: View, path: bytes) -> bool:
    """Whether a directory with untracked files stands in the place of a file. Strange but git's: of what is ignored it
    knows here what `.gitignore` files say, and not what `info/exclude` and `core.excludesFile` do."""
    info = None if view.store.files is None else view.store.files.lstat(path)
    if info is None or not stat.S_ISDIR(info.st_mode):
        return False
    specs = Pathspecs.parse([b":(top,literal)" + path])
    spec = ScanSpec(pathspecs=specs, ignore=Ignore(view.store, per_directory=[b".gitignore"]))
    return bool(scan(view.store, spec, ctx=view.ctx).untracked)


def unmatched(specs: Pathspecs, *lists: list[bytes], top: bool = True) -> list[str]:
    """The words that none of these paths (each list sorted) fits, as typed. `top`: a word for the whole work tree
    counts
    too, where there is nothing at all."""
    missing: list[str] = []
    for item in specs.items:
        if item.exclude or not item.match:
            if top and not item.exclude and item.original and not any(lists):
                missing.append(text(item.original))
            continue
        if item.odd or item.wild is not None:
            hit = any(item.covers(path, False) for paths in lists for path in paths)
        else:
            hit = any(_has(paths, item.match.rstrip(b"/")) for paths in lists)
        if not hit:
            missing.append(text(item.original))
    return missing


def with_prefix(item: Item) -> bytes:
    """A word as git hands it on to its own commands, where it is complained of: from the top of the work tree, with its
    magic in full (gitglossary(7), "pathspec") and with how much of it comes from the current directory."""
    long = re.match(rb":\((.*?)\)", item.original)
    short = re.match(rb":[/!^]+", item.original)
    given = {b"/": b"top", b"!": b"exclude", b"^": b"exclude"}
    words = [word.partition(b":")[0] for word in long[1].split(b",")] if long else []
    words += [given[short[0][at : at + 1]] for at in range(1, len(short[0]))] if short and not long else []
    magic = b",".join(word for word in (b"top", b"literal", b"glob", b"icase", b"exclude", b"attr") if word in words)
    return b":(%b,prefix:%d)%b" % (magic, item.prefix, item.match)


def need_files(view: View, words: list[str]) -> None:
    """Raise BadRequest in git's words for a word without `--` that is neither a revision nor a file (gitcli(7))."""
    for word in words:
        if not (looks_like_pathspec(word) or in_work_tree(word, view.store)):
            raise BadRequest(
                f"ambiguous argument '{word}': unknown revision or path not in the working tree.\n"
                "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
            )


def _has(paths: list[bytes], name: bytes) -> bool:
    """Whether sorted paths have this one, or one below it."""
    for wanted, exact in ((name, True), (name + b"/", False)):
        at = bisect_left(paths, wanted)
        if at < len(paths) and (paths[at] == wanted if exact else paths[at].startswith(wanted)):
            return True
    return False


def need_matched(missing: list[str]) -> None:
    """Raise CommandFailed in git's words for words that name nothing."""
    if missing:
        words = "\n".join(f"error: pathspec '{word}' did not match any file(s) known to git" for word in missing)
        raise CommandFailed(words.removeprefix("error: "), status=1, prefix="error", path=missing[0])


def need_match(view: View, specs: Pathspecs) -> None:
    """Raise CommandFailed for words that name nothing of the index, as git shows them here."""
    missing = picked(specs, view.index.paths, submodules_of(view.index))[1]
    names = [text(with_prefix(item)) for item in specs.items if item.match and text(item.original) in missing]
    if names:
        lines = "\n".join(f"error: pathspec '{name}' did not match any file(s) known to git" for name in names)
        raise CommandFailed(
            f"{lines}\nDid you forget to 'git add'?".removeprefix("error: "), status=1, prefix="error", path=missing[0]
        )
