"""Turns `paths` as models write them into git's pathspecs, and explains paths that do not exist.

A word that names a file or directory in the file sets of a tool (trees, the index, the work tree) is that path,
whatever characters it has. Any other word is interpreted by its only possible meaning: an array or a list packed into
one text (if every part names something), alternatives in braces, a pattern with wildcards. Wildcards are git's: `*` and
`?` match a slash as well, so that `*.rs` means files at any depth; `**/` may also stand for no directory at all, as
`:(glob)` has it, since that is what writers of `src/**/*.py` mean. Any remaining word names nothing, and the answer
says so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ...commands.ls_files import LsFilesRequest
from ...errors import GitError, InvalidArgs, NotFound
from ...paths.attributes import unquoted
from ...paths.near_paths import near_paths, paths_of_tree
from ...repo.store import Store
from ...request.pathspecs import parse_pathspecs
from ...request.text import to_bytes, to_text
from ...revs.resolve import full_index, tree_entry
from ...revs.tips import tips
from ..arguments import unpacked_array
from ..revisions import submodule_advice
from ..sizes import check_items
from ..tool import Call

__all__ = [
    "FileSet",
    "Meant",
    "files_of_tree",
    "files_of_trees",
    "index_files",
    "meant_paths",
    "tracked_count",
    "work_tree_files",
]

_MAGIC = (":(", ":!", ":^", ":/")
_EXCLUDE = re.compile(r":[!^]|:\([^)]*\bexclude\b")
_WILD = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_MOST_PARTS = 64
#: most trees that a path is searched for in, if very many revisions are named
_MOST_TREES = 100
#: most names that a pattern is tried on; with more names, no claim is made
_MOST_NAMES = 200_000


class FileSet:
    """The files of a tree, the index or the work tree: `has` tests for a file or directory, `names` lists all files."""

    __slots__ = ("has", "names")

    def __init__(self, has: Callable[[bytes], bool], names: Callable[[], Iterable[bytes]]) -> None:
        self.has, self.names = has, names


def files_of_trees(call: Call, revs: Sequence[str], *, parents: bool = False) -> list[FileSet]:
    """The trees of both ends of the ranges in `revs` (of A...B those of the merge bases as well), and of the parents.

    Empty if a revision names nothing: the command that is run with it reports that.
    """
    store = call.store
    trees: dict[bytes, None] = {}
    with call.ctx.warnings() as warned:
        warned.drop()
        try:
            entries = tips(store, [*revs, *([f"{rev}^@" for rev in revs] if parents else ())], ctx=call.ctx).entries
            for tip in entries[:_MOST_TREES]:
                trees[store.odb.peel(tip.oid, b"tree")] = None
        except GitError:
            call.ctx.check()  # an exceeded deadline is not the revision's error
            return []
    return [files_of_tree(call, tree) for tree in trees]


def files_of_tree(call: Call, tree: bytes) -> FileSet:
    """The files of a tree."""
    store = call.store
    return FileSet(
        lambda path: not path or tree_entry(store, tree, path) is not None,
        lambda: paths_of_tree(store, tree, ctx=call.ctx),
    )


def tracked_count(store: Store) -> int:
    """How many files are tracked: a path in conflict is one, and a sparse directory has those of its tree."""
    index = full_index(store)
    return len(index) - sum(len(stages) - 1 for stages in index.unmerged.values())


def index_files(call: Call) -> FileSet:
    """The paths of the index. A directory that a sparse index holds as one entry is assumed to have any file."""
    index = call.store.index

    def has(path: bytes) -> bool:
        low, high = index.span(path)
        if low < high or index.has_path(path):
            return True
        above = path
        while index.sparse and above:
            if index.has_path(above + b"/"):
                return True
            above = above.rpartition(b"/")[0]
        return False

    return FileSet(has, lambda: index.paths)


def work_tree_files(call: Call) -> FileSet:
    """The files on disk. `names` are the untracked files: the tracked ones are in the index's set."""
    files = call.store.files

    def has(path: bytes) -> bool:
        try:
            return files is not None and files.lstat(path) is not None
        except GitError:
            return False

    def names() -> Iterator[bytes]:
        if files is not None:
            _, listing = call.run("ls-files", LsFilesRequest(others=True, exclude_standard=True))
            for row in listing.rows():
                yield row.path

    return FileSet(has, names)


@dataclass(slots=True)
class Meant:
    """The meaning of `paths`: the `words` one by one, their pathspecs (`specs`), those that are `missing`, and those
    with wildcards.

    `named` are the existing paths, relative to the top.
    """

    where: str
    file_sets: Sequence[FileSet]
    words: list[str] = field(default_factory=list)
    specs: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    magic: bool = False
    advice: str | None = None

    def add(self, call: Call, word: str) -> None:
        """Interpret one word."""
        if word.startswith(_MAGIC[:3]):
            self.magic = self.magic or _EXCLUDE.match(word) is None
            self._take(word, [word])
            return
        path = self._path(call, word)
        if path is not None:
            self.named.append(path)
            self._take(path or ".", [f":(literal){path or '.'}"])
            return
        parts = self._parts(call, word)
        if parts is not None:
            for part in parts:
                self.add(call, part)
        elif word.startswith(_MAGIC):
            self.magic = True
            self._take(word, [word])
        elif _WILD.search(word):
            pattern = next(_spellings(word, to_text(call.store.work_tree or b"")), word) or word
            self.patterns.append(pattern)
            self._take(pattern, _globs(pattern))
        elif word.startswith("/") or posixpath.normpath(word).split("/")[0] == "..":
            raise InvalidArgs(
                f"paths: '{word[:200]}' is outside of the repository", hint="Paths are relative to its top directory."
            )
        else:
            if self.file_sets:
                self.missing.append(word)
            else:
                self.named.append(word)
            self._take(word, [f":(literal){word}"])

    def _take(self, word: str, specs: list[str]) -> None:
        self.words.append(word)
        check_items("paths", len(self.words))  # one text may contain many words
        self.specs += specs

    def has(self, path: str) -> bool:
        """Whether a path is in one of the sets of files."""
        raw = to_bytes(path.rstrip("/"))
        return any(names.has(raw) for names in self.file_sets)

    def _path(self, call: Call, word: str) -> str | None:
        """The path from the top that a word names, or None."""
        for form in _spellings(word, to_text(call.store.work_tree or b"")):
            if not form or (".." not in form.split("/") and self.has(form)):
                return form
        return None

    def _parts(self, call: Call, word: str) -> list[str] | None:
        """The words that one text consists of; None if it is one word."""
        packed = unpacked_array(word)
        if packed:
            return packed
        spread = _without_braces(word)
        if len(spread) > 1:
            return spread
        for pattern in (r"\s*[\r\n]+\s*", r"\s*[,;]\s*", r"[\s,;]+"):
            parts = [part for part in re.split(pattern, word.strip()) if part]
            if 1 < len(parts) <= _MOST_PARTS and all(self._stands_for(call, part) for part in parts):
                return parts
        return None

    def _stands_for(self, call: Call, part: str) -> bool:
        if self._path(call, part) is not None:
            return True
        return bool(_WILD.search(part)) and self.matches(call, part) is True

    def matches(self, call: Call, pattern: str) -> bool | None:
        """Whether a pattern matches a file of these sets; None if there are too many files to try."""
        specs = parse_pathspecs(call.store, _globs(pattern))
        for source in self.file_sets:
            count = 0
            for name in islice(source.names(), _MOST_NAMES):
                call.ctx.tick()
                count += 1
                if specs.match(name):
                    return True
            if count == _MOST_NAMES:
                return None
        return False

    def near(self, word: str) -> list[str]:
        """Paths that are similar to a word that names nothing."""
        names: list[bytes] = []
        for source in self.file_sets:
            names += near_paths(to_bytes(word), source.names(), seconds=0.1 / len(self.file_sets))
        return [to_text(name) for name in dict.fromkeys(names)][:3]

    def nowhere(self) -> NotFound:
        """The error for the words that name nothing."""
        shown = ", ".join(f"'{word}'" for word in self.missing[:3])
        near = list(dict.fromkeys(name for word in self.missing[:3] for name in self.near(word)))[:5]
        hint = f"did you mean {', '.join(near)}?" if near else "git_files lists the paths that there are."
        hint = self.advice or hint
        return NotFound(f"no such path in {self.where}: {shown}", hint=hint, candidates=near)

    def unmatched(self, call: Call) -> str:
        """For an empty answer: which patterns match no path ("" if each matches one, or there are no patterns)."""
        without = [pattern for pattern in self.patterns if self.file_sets and self.matches(call, pattern) is False]
        if not without:
            return ""
        return f"no path in {self.where} matches {', '.join(repr(pattern) for pattern in without[:3])}"


def meant_paths(
    call: Call, paths: Sequence[str] | None, file_sets: Sequence[FileSet], where: str, *, required: bool = True
) -> Meant:
    """The meaning of `paths` in `file_sets`; `where` is the sets' name in messages.

    Raises NotFound if none of them names anything; if only some do not, a note says so. `required` False: the caller
    searches further, and handles it itself if all are `missing`.
    """
    meant = Meant(where, file_sets)
    for word in paths or ():
        call.ctx.tick()
        meant.add(call, word)
    if meant.missing:
        advice = (submodule_advice(call.store, word) for word in meant.missing[:3])
        meant.advice = next(filter(None, advice), None)
        error, some = meant.nowhere(), meant.named or meant.patterns or meant.magic
        if required and not some:
            raise error
        if some:
            call.ctx.note(f"{error.message}; {error.hint}")
    return meant


def _spellings(word: str, top: str) -> Iterator[str]:
    """A word as a path from the top: unchanged, and without characters that models put around paths."""
    bare, quoted = word.strip(), None
    if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "\"'`":
        quoted = unquoted(to_bytes(bare)) if bare[0] == '"' else None  # as git and the answers write odd names
        bare = bare[1:-1]
    as_git = () if quoted is None or quoted[1] else (quoted[0].decode("utf-8", "surrogateescape"),)
    for form in dict.fromkeys((word, *as_git, bare)):
        if top and (form == top or form.startswith(top.rstrip("/") + "/")):
            yield form[len(top.rstrip("/")) :].strip("/")
            continue
        plain = re.sub(r"^(?:\./+)+", "", form)
        if plain in (".", "./", "/", ""):
            if word:
                yield ""
            continue
        yield plain
        if plain.startswith("/"):
            yield plain.lstrip("/")
        if "\\" in plain:
            yield plain.replace("\\", "/")


def _globs(pattern: str) -> list[str]:
    """A pattern as git's pathspec; with `**`, also with the meaning of `:(glob)`."""
    plain = f":(top){pattern}"
    return [plain, f":(glob){pattern}"] if "**" in pattern else [plain]


def _without_braces(word: str) -> list[str]:
    """`src/*.{c,h}` as `src/*.c` and `src/*.h`; git does not expand braces."""
    words = [word]
    for _ in range(4):
        spread: list[str] = []
        for one in words:
            match = _BRACES.search(one)
            if match is None:
                spread.append(one)
            else:
                spread += [one[: match.start()] + part + one[match.end() :] for part in match[1].split(",")]
        if spread == words or len(spread) > _MOST_PARTS:
            break
        words = spread
    return words
