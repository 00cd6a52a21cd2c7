"""What stands in the way where `git stash push` makes files of HEAD again: a directory in the place of a file, or a
file in that of a directory. Mirrors git-stash(1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import CommandFailed, Unsupported, text
from ...objects.parsed import GITLINK, TREE
from ...paths.lexical import directories_above
from ...worktree.submodules import submodule_head
from ..changes import Changes, FileChange
from ..checkout.files import Wanted, WorkFiles
from ..operations.restore import clear_way
from ..view import View
from .rows import Side

_TYPE = 0o170000
_EMBEDDED = b"""\
hint: You've added another git repository inside your current repository.
hint: Clones of the outer repository will not contain the contents of
hint: the embedded repository and will not know how to obtain it.
hint: If you meant to add a submodule, use:
hint: \nhint: \tgit submodule add <url> NAME
hint: \nhint: If you added this path by mistake, you can remove it from the
hint: index with:
hint: \nhint: \tgit rm --cached NAME
hint: \nhint: See "git help submodule" for more information.
"""


def cleared_first(files: WorkFiles, lacking: Mapping[bytes, Side], kept: set[bytes]) -> list[FileChange]:
    """What goes with `--keep-index`: git makes HEAD's files first, in place of whatever stands there, and takes those
    away then that the index lacks (`lacking`). Nothing of the paths that are `kept`."""
    made = Changes()
    first = [files.write(path, Wanted(*side)) for path, side in sorted(lacking.items()) if side[0] != GITLINK]
    made.files = [change for change in first if change is not None]
    clear_way(files, made)
    return [gone for gone in made.files if gone.after is None and gone.path not in kept]


def need_way_back(view: View, paths: list[bytes], cleared: set[bytes]) -> None:
    """Raise Unsupported where a file of HEAD comes back by a patch, and a file stands in the place of its directory, or
    a directory with files in its own, which are not `cleared` before: git stops half way."""
    files = WorkFiles(view)
    for path in paths:
        infos = [files.status(front) for front in directories_above(path) if front not in cleared]
        if any(info is not None and info.st_mode & _TYPE != TREE for info in infos):
            raise Unsupported(f"git stash push: the directory of '{text(path)}' is a file", path=text(path))
        info = files.status(path)
        is_folder = info is not None and info.st_mode & _TYPE == TREE
        if is_folder and not cleared.issuperset(files.unknown_below(path)):
            raise Unsupported(f"git stash push: '{text(path)}' is a directory with files", path=text(path))


def need_room(work: Mapping[bytes, Side], path: bytes, tail: str) -> None:
    """Raise CommandFailed in git's words, with `tail` behind them, for a file whose deletion is staged, and which
    cannot be saved beside what the index has: that is below it, or has its directory's name."""
    if any(front in work for front in directories_above(path)) or any(one.startswith(path + b"/") for one in work):
        name = text(path)
        words = f"'{name}' appears as both a file and as a directory\nerror: {name}: cannot add to the index"
        words += f" - missing --add option?\nfatal: Unable to process path {name}{tail}"
        raise CommandFailed(words, status=1, prefix="error")


def patch_words(view: View, paths: Iterable[bytes]) -> bytes:
    """git's words for files of its patch, which it applies backwards, that are there, though the index lacks them, or
    that are touched since, though the index believes them unchanged: it changes none of these, and nothing else."""
    files, index, words = WorkFiles(view), view.index, b""
    for path in sorted(paths, reverse=True):  # as git goes through such a patch
        info, at = files.status(path), index.find(path)
        if info is None or info.st_mode & _TYPE == TREE:
            continue
        if at < 0:
            words += b"error: %b: already exists in working directory\n" % path
        elif index.assume_valid(at) and not view.looker.settled(at, info):
            words += b"error: %b: does not match index\n" % path
    return words


def embedded_words(view: View, new: Iterable[bytes]) -> tuple[bytes, bool]:
    """What git says as it stages untracked files of which some are other repositories, and whether it fails at one:
    that has no commit."""
    words, advises = b"", view.config.get_bool("advice.addembeddedrepo", True)
    for name in (path.rstrip(b"/") for path in new if path.endswith(b"/")):
        if submodule_head(view.store, name) is None:
            return words + b"error: '%b/' does not have a commit checked out\nfatal: adding files failed\n" % name, True
        words += b"warning: adding embedded git repository: %b\n" % name
        if advises:
            words += _EMBEDDED.replace(b"NAME", name)
        advises = False
    return words, False
