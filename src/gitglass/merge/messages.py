"""The messages of a merge, in git's words, each under the path that git lists it under (git-merge-tree(1))."""

from __future__ import annotations

from ..diff.changes import Change
from .spec import MergeSpec, Message

__all__ = ["Messages"]

_ADVICE = b"""\
Recursive merging with submodules currently only supports trivial cases.
Please manually handle the merging of each conflicted submodule.
This can be accomplished with the following steps:
%b - come back to superproject and run:

      git add %b

   to record the above merge or update
 - resolve any other conflicts in the superproject
 - commit the resulting index in the superproject
"""


class Messages:
    """The messages of one merge, by path; `clean` is False after a conflict that is not recorded for a single path."""

    __slots__ = ("_left", "_ours", "_theirs", "by_path", "clean")

    def __init__(self, spec: MergeSpec) -> None:
        self._ours, self._theirs = spec.labels[:2]
        self.by_path: dict[bytes, list[Message]] = {}
        self.clean = True
        self._left: list[tuple[bytes, bytes]] = []  # submodules in conflict, each with the commit to be merged into it

    def add(self, kind: bytes, paths: tuple[bytes, ...], text: bytes, *, hint: bool = False) -> None:
        """Add one message; it is listed under the first path."""
        self.by_path.setdefault(paths[0], []).append(Message(kind, paths, text, hint))

    def label(self, stage: int) -> bytes:
        """The label of our side (1) or theirs (2)."""
        return self._ours if stage == 1 else self._theirs

    # ---------------------------------------------------------------- contents
    def auto_merging(self, path: bytes) -> None:
        """Both sides' changes to a text are merged."""
        self.add(b"Auto-merging", (path,), b"Auto-merging %b" % path, hint=True)

    def binary(self, path: bytes, ours: bytes, theirs: bytes) -> None:
        """Both sides changed a binary file."""
        text = b"warning: Cannot merge binary files: %b (%b vs. %b)" % (path, ours, theirs)
        self.add(b"CONFLICT (binary)", (path,), text)

    def contents(self, path: bytes, why: bytes) -> None:
        """The contents are in conflict."""
        self.add(b"CONFLICT (contents)", (path,), b"CONFLICT (%b): Merge conflict in %b" % (why, path))

    def modified_deleted(self, path: bytes, kept: int) -> None:
        """One side changed a file that the other deleted; `kept` is the stage of the changed one."""
        by, gone = self.label(kept), self.label(3 - kept)
        text = b"CONFLICT (modify/delete): %b deleted in %b and modified in %b.  Version %b of %b left in tree."
        self.add(b"CONFLICT (modify/delete)", (path,), text % (path, gone, by, by, path))

    # ---------------------------------------------------------------- submodules
    def fast_forwarded(self, path: bytes, to: bytes) -> None:
        """One side's commit of a submodule contains the other's: a fast-forward."""
        text = b"Note: Fast-forwarding submodule %b to %b" % (path, to.hex().encode())
        self.add(b"Fast forwarding submodule", (path,), text, hint=True)

    def submodule(self, path: bytes, why: bytes, end: bytes, commit: bytes = b"") -> None:
        """Neither side's commit of a submodule contains the other's, or that cannot be determined.

        `why` is the end of git's short name for the message, `end` the end of its sentence; `commit` is the short name
        of the commit that is to be merged there.
        """
        self.add(b"CONFLICT (submodule%b)" % why, (path,), b"Failed to merge submodule %b%b" % (path, end))
        self._left.append((path, commit))

    def advice(self) -> bytes:
        """Git's advice on submodules in conflict, which is printed after all messages."""
        if not self._left:
            return b""
        steps = [
            b" - go to submodule (%b), and either merge commit %b\n"
            b"   or update to an existing commit which has merged those changes\n" % (path, commit)
            for path, commit in self._left if commit
        ]  # fmt: skip
        return _ADVICE % (b"".join(steps), b" ".join(path for path, _ in self._left))

    # ---------------------------------------------------------------- paths that are in use
    def directory_in_the_way(self, path: bytes, stage: int, to: bytes) -> None:
        """A file is where another side has a directory."""
        text = b"CONFLICT (file/directory): directory in the way of %b from %b; moving it to %b instead."
        self.add(b"CONFLICT (file/directory)", (to, path), text % (path, self.label(stage), to))

    def distinct_types(self, path: bytes, moved: tuple[bytes, ...]) -> None:
        """A file on one side, a link or submodule on the other: one or both are recorded under other names."""
        which = b"both" if len(moved) > 1 else b"one"
        text = b"CONFLICT (distinct types): %b had different types on each side; renamed %b of them so each can be "
        text += b"recorded somewhere."
        self.add(b"CONFLICT (distinct modes)", (path, *moved), text % (path, which))

    # ---------------------------------------------------------------- renames
    def renamed_twice(self, old: bytes, ours: bytes, theirs: bytes) -> None:
        """Each side renamed a file to another name."""
        text = b"CONFLICT (rename/rename): %b renamed to %b in %b and to %b in %b."
        paths = (old, ours, theirs)
        self.add(b"CONFLICT (rename/rename)", paths, text % (old, ours, self._ours, theirs, self._theirs))

    def renamed_deleted(self, old: bytes, new: bytes, stage: int) -> None:
        """One side (`stage`) renamed a file that the other deleted."""
        text = b"CONFLICT (rename/delete): %b renamed to %b in %b, but deleted in %b."
        paths = (new, old)
        self.add(b"CONFLICT (rename/delete)", paths, text % (old, new, self.label(stage), self.label(3 - stage)))

    def collides(self, old: bytes, new: bytes) -> None:
        """The content of a renamed file is in conflict, and another file has its new name as well."""
        text = b"CONFLICT (rename involved in collision): rename of %b -> %b has content conflicts AND collides with "
        text += b"another path; this may result in nested conflict markers."
        self.add(b"CONFLICT (rename involved in collision)", (new, old), text % (old, new))

    # ---------------------------------------------------------------- directories
    def unclear_split(self, folder: bytes) -> None:
        """The files of a directory went to several directories in equal numbers."""
        text = b"CONFLICT (directory rename split): Unclear where to rename %b to; it was renamed to multiple other "
        text += b"directories, with no destination getting a majority of the files."
        self.add(b"CONFLICT(directory rename unclear split)", (folder,), text % folder)
        self.clean = False

    def path_taken(self, path: bytes, moved: list[bytes]) -> None:
        """Files of a renamed directory would move to a path that is in use."""
        text = b"CONFLICT (implicit dir rename): Existing file/dir at %b in the way of implicit directory rename(s) "
        text += b"putting the following path(s) there: %b."
        paths = (path, *moved)
        self.add(b"CONFLICT (file in way of directory rename)", paths, text % (path, b", ".join(moved)))
        self.clean = False

    def places_meet(self, path: bytes, moved: list[bytes]) -> None:
        """Several files of renamed directories would move to the same path."""
        text = b"CONFLICT (implicit dir rename): Cannot map more than one path to %b; implicit directory renames tried "
        text += b"to put these paths there: %b"
        self.add(b"CONFLICT(directory rename collision)", (path, *moved), text % (path, b", ".join(moved)))
        self.clean = False

    def not_moved_again(self, old: bytes, new: bytes, path: bytes) -> None:
        """The other side's new directory was itself renamed by this side."""
        text = b"WARNING: Avoiding applying %b -> %b rename to %b, because %b itself was renamed."
        kind = b"Directory rename skipped since directory was renamed on both sides"
        self.add(kind, (old, path, new), text % (old, new, path, new), hint=True)

    def moved(self, pair: Change, path: bytes, files: int, *, suggested: bool) -> None:
        """A file is moved with its renamed directory, or git only suggests it; `files` is the bit of the side that has
        it."""
        stage = files >> 1
        by, other = self.label(stage), self.label(3 - stage)
        old = pair.new.path
        origin = b"%b added in %b" % (old, by)
        if pair.status != "A":
            origin = b"%b renamed to %b in %b," % (pair.old.path, old, by)
        text = b"%b inside a directory that was renamed in %b" % (origin, other)
        if suggested:
            kind = b"CONFLICT (directory rename suggested)"
            text = b"CONFLICT (file location): %b, suggesting it should perhaps be moved to %b." % (text, path)
        else:
            kind = b"Path updated due to directory rename"
            text = b"Path updated: %b; moving it to %b." % (text, path)
        self.add(kind, (path, old), text, hint=True)
