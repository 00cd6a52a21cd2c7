"""Large numbers of paths from standard input, answered directory by directory.

Nearly every such word already is a normalized path from the current directory: no magic, no `.` or `..`, no superfluous
slash. Such words are grouped into runs of one directory, so that whatever depends only on the directory (its rules, the
links above it) is looked at once a run. Every other word is handled by itself, by the rules of pathspecs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice, repeat
from operator import itemgetter

from ..errors import GitError
from ..limits import pause
from ..records import record

_MANY = 1 << 14  # words that are processed together
_SPECIAL = frozenset((b"", b".", b".."))
_ODD = (b":", b"/")  # the starts of magic and of absolute paths
_folder_of, _name_of = itemgetter(0), itemgetter(2)


@record
class Run:
    """Consecutive words. `folder` is the directory (from the top, no slash at its end) that contains all of `names`.
    With `folder` None the run is one word to be read by the rules of pathspecs."""

    words: list[bytes]
    folder: bytes | None
    names: list[bytes]

    @property
    def base(self) -> bytes:
        """The text before each name in its path."""
        return self.folder + b"/" if self.folder else b""


def runs_of(words: Iterable[bytes], prefix: bytes) -> Iterator[Run]:
    """The words in their order, in runs. `prefix` is the current directory (b"" or b"src/lib/").

    An error while reading the words is raised after all words before it have been yielded.
    """
    rest, error = iter(words), None
    while error is None:
        chunk: list[bytes] = []
        try:
            for word in islice(rest, _MANY):  # keeps the words before an error
                chunk.append(word)  # noqa: PERF402
        except GitError as raised:
            error = raised
        if not chunk:
            break
        pause()
        yield from _runs(chunk, prefix)
    if error is not None:
        raise error


def _runs(chunk: list[bytes], prefix: bytes) -> Iterator[Run]:
    at = 0
    for folder, parts in groupby(map(bytes.rpartition, chunk, repeat(b"/")), _folder_of):
        names = list(map(_name_of, parts))
        words = chunk[at : at + len(names)]
        at += len(names)
        if _is_plain(folder, names, words):
            yield Run(words, (prefix + folder).rstrip(b"/"), names)
        else:
            yield from (Run([word], None, []) for word in words)


def _is_plain(folder: bytes, names: list[bytes], words: list[bytes]) -> bool:
    if not _SPECIAL.isdisjoint(names):
        return False
    if folder:
        return not folder.startswith(_ODD) and _SPECIAL.isdisjoint(folder.split(b"/"))
    return not any(word.startswith(_ODD) for word in words)
