"""What git ignores: `.gitignore` of every directory, `info/exclude`, `core.excludesFile`, and the words of `-x`.

The patterns of a file are compiled once for its content. Literal names and `*.suffix` go into tables that are searched
with one look-up; all other patterns are tried one by one, last line first.

Mirrors gitignore(5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..annotations import TYPE_CHECKING
from ..errors import MissingObject, NotFound, text
from ..limits import lines_in, paced, pause, step, watched
from ..memories import once_for_its_bytes
from ..records import record
from .pattern_files import MAX_FILE, Pattern, body_matcher, configured_file, parse_line, user_file
from .wildmatch import Matcher, has_wildcards

if TYPE_CHECKING:
    from ..repo.store import Store

_MANY = 1000  # number of patterns to try one by one from which on the clock is looked at meanwhile
_AT_ONCE = 1 << 11  # paths in which a piece of text is searched for together
_FEW = 8  # number of pieces of text that are faster searched for than patterns compared
_TOP = b"\0"  # stands for the top of the work tree, which only patterns without a slash can match
_BOM = b"\xef\xbb\xbf"


@record
class Match:
    """The line that decides about a path, and the source of that line."""

    source: bytes
    pattern: Pattern

    @property
    def negated(self) -> bool:
        return self.pattern.negated

    @property
    def line(self) -> int:
        return self.pattern.line


class PatternList:
    """The patterns of one source, arranged so that the last match is quickly found."""

    __slots__ = ("_dir_names", "_fold", "_names", "_paths", "_rest", "_suffix_map", "_suffixes", "patterns")

    def __init__(self, patterns: list[Pattern], fold: bool = False) -> None:
        self.patterns = patterns
        self._fold = fold
        self._names: dict[bytes, int] = {}
        self._dir_names: dict[bytes, int] = {}
        self._paths: dict[bytes, int] = {}
        self._suffix_map: list[tuple[bytes, int]] = []
        self._rest: list[tuple[int, Pattern, list[Matcher | None]]] = []
        for at, pattern in enumerate(paced(patterns)):
            self._index(at, pattern)
        self._suffixes = tuple(suffix for suffix, _ in self._suffix_map)
        self._suffix_map.reverse()
        self._rest.reverse()

    def _index(self, at: int, pattern: Pattern) -> None:
        body = pattern.body.lower() if self._fold else pattern.body
        wild = has_wildcards(body)
        if pattern.name_only and not wild:
            self._dir_names[body] = at
            if not pattern.dir_only:
                self._names[body] = at
        elif pattern.name_only and not pattern.dir_only and body[:1] == b"*" and not has_wildcards(body[1:]):
            self._suffix_map.append((body[1:], at))
        elif not wild and not pattern.dir_only:
            self._paths[body] = at
        else:
            self._rest.append((at, pattern, [None]))

    def last_match(self, path: bytes, name: bytes, is_dir: bool) -> Pattern | None:
        """The last pattern that matches `path` (relative to the source's directory); `name` is its last component."""
        if self._fold:
            path, name = path.lower(), name.lower()
        best = (self._dir_names if is_dir else self._names).get(name, -1)
        if self._paths:
            best = max(best, self._paths.get(path, -1))
        if name.endswith(self._suffixes):
            for suffix, at in self._suffix_map:
                if at < best:
                    break
                if name.endswith(suffix):
                    best = at
                    break
        rest = self._rest
        for at, pattern, compiled in rest if len(rest) < _MANY else watched(rest):
            if at < best:
                break
            if pattern.dir_only and not is_dir:
                continue
            matcher = compiled[0] or self._compile(pattern, compiled)
            if matcher(name) if pattern.name_only else path != _TOP and matcher(path):
                best = at
                break
        return self.patterns[best] if best >= 0 else None

    def pieces(self) -> set[bytes]:
        """Pieces of text of which at least one is part of every path that is ignored (b"" is part of any)."""
        return {_piece(pattern.body) for pattern in self.patterns if not pattern.negated}

    def _compile(self, pattern: Pattern, compiled: list[Matcher | None]) -> Matcher:
        compiled[0] = matcher = body_matcher(pattern.body, pattern.name_only, self._fold)
        return matcher


def _piece(body: bytes) -> bytes:
    """The longest text that every path has that this pattern matches."""
    parts = body.replace(b"*", b"?").split(b"?")  # "**/x" also matches "x"
    return b"" if b"[" in body or b"\\" in body else max((part.strip(b"/") for part in parts), key=len)


@once_for_its_bytes(128)
def parse_ignore(data: bytes, fold: bool = False) -> PatternList:
    """The patterns of an ignore file's content. Never fails: every line is a pattern, a comment, or blank."""
    patterns = []
    for number, raw in enumerate(paced(lines_in(data.removeprefix(_BOM))), 1):
        line = raw.removesuffix(b"\r")
        if raw and line[:1] != b"#":
            # A line of blanks is an empty pattern. It only matches a directory that is asked about as "dir/".
            patterns.append(parse_line(_trimmed(line) if line[-1:] == b" " else line, number))
    return PatternList(patterns, fold)


def _trimmed(line: bytes) -> bytes:
    """The line without trailing blanks, except for one that is escaped by a backslash."""
    bare = line.rstrip(b" ")
    slashes = len(bare) - len(bare.rstrip(b"\\"))
    return line[: len(bare) + (slashes & 1)]


# ------------------------------------------------------------------------------------------------------ all sources
class Rules:
    """The rules of one directory: pattern lists, strongest first, or the match that excludes the whole directory."""

    __slots__ = ("_lists", "excluded")

    def __init__(self, excluded: Match | None, lists: list[tuple[bytes, bytes, PatternList]]) -> None:
        self.excluded = excluded
        self._lists = lists

    @property
    def silent(self) -> bool:
        """Whether no rule can match anything in this directory."""
        return self.excluded is None and not self._lists

    def match(self, path: bytes, name: bytes, is_dir: bool) -> Match | None:
        """The match that decides about a member of this directory; `path` is relative to the top."""
        if self.excluded is not None:
            return self.excluded
        for base, source, patterns in self._lists:
            pattern = patterns.last_match(path[len(base) :] if base else path or _TOP, name, is_dir)
            if pattern is not None:
                return Match(source, pattern)
        return None

    def ignored(self, path: bytes, name: bytes, is_dir: bool) -> bool:
        """Whether a member of this directory is ignored."""
        if self.excluded is not None:
            return True
        for base, _, patterns in self._lists:
            pattern = patterns.last_match(path[len(base) :] if base else path, name, is_dir)
            if pattern is not None:
                return not pattern.negated
        return False


class Ignore:
    """All ignore rules of one work tree.

    `standard` adds git's own sources. `patterns` are the arguments of `-x`, `files` those of `-X` (absolute paths, each
    with its shown form), `per_directory` those of `--exclude-per-directory`.
    """

    __slots__ = ("_absent", "_file_lists", "_fold", "_per_dir", "_rules", "_store", "_words")

    def __init__(
        self,
        store: Store,
        *,
        standard: bool = False,
        patterns: Sequence[bytes] = (),
        files: Sequence[tuple[bytes, bytes]] = (),
        per_directory: Sequence[bytes] = (),
    ) -> None:
        self._store = store
        self._fold = bool(store.config.get_bool("core.ignorecase", False))
        self._per_dir = [*per_directory, b".gitignore"] if standard else list(per_directory)
        self._per_dir = list(dict.fromkeys(self._per_dir[-1:]))  # git uses only the last one
        self._rules: dict[bytes, Rules] = {}
        self._absent: set[bytes] = set()
        words = [parse_line(word, -at) for at, word in enumerate(patterns, 1)]
        self._words = [(b"", b"--exclude option", PatternList(words, self._fold))] if words else []
        self._file_lists = [(b"", shown, parse_ignore(self._read(path, shown), self._fold)) for path, shown in files]
        if standard:
            self._file_lists += self._standard()
        self._file_lists = [source for source in reversed(self._file_lists) if source[2].patterns]

    def _read(self, path: bytes, shown: bytes) -> bytes:
        data = self._store.named.read_optional(path, MAX_FILE)
        if data is None:
            raise NotFound(f"cannot use {text(shown)} as an exclude file")
        return bytes(data)

    def _standard(self) -> list[tuple[bytes, bytes, PatternList]]:
        store, sources = self._store, []
        path, shown = excludes_file(store)
        if path is not None:
            data = user_file(store, path)
            if data:
                sources.append((b"", shown, parse_ignore(data, self._fold)))
        data = store.jail.read_optional(store.git_path(b"info/exclude"), MAX_FILE)
        if data:
            shown = shown_git_path(store, b"info/exclude")
            sources.append((b"", shown, parse_ignore(bytes(data), self._fold)))
        return sources

    def listed(self, directory: bytes, *names: Collection[bytes]) -> None:
        """Give the names that a directory holds, so that ignore files that do not exist are not searched for."""
        if not any(name in group for group in names for name in self._per_dir):
            self._absent.add(directory + b"/" if directory else b"")

    def directory(self, directory: bytes) -> Rules:
        """The rules for members of a directory (b"" is the top; no slash at the end)."""
        rules = self._rules.get(directory)
        if rules is None:
            rules = self._rules[directory] = self._make(directory)
        return rules

    def _make(self, directory: bytes) -> Rules:
        missing = [directory]
        while missing[-1] and (parent := missing[-1].rpartition(b"/")[0]) not in self._rules:
            step()
            missing.append(parent)
        rules: Rules | None = None
        for path in reversed(missing):
            rules = self._rules[path] = self._below(path)
        assert rules is not None
        return rules

    def _below(self, directory: bytes) -> Rules:
        if not directory:
            return Rules(None, self._words + self._of_directory(b"") + self._file_lists)
        parent, _, name = directory.rpartition(b"/")
        above = self._rules[parent]
        match = above.match(directory, name, True)
        if match is not None and not match.negated:
            return Rules(match, [])
        own = self._of_directory(directory + b"/")
        if not own:
            return above
        size = len(self._words)
        return Rules(None, above._lists[:size] + own + above._lists[size:])

    def _of_directory(self, base: bytes) -> list[tuple[bytes, bytes, PatternList]]:
        files = self._store.files
        lists: list[tuple[bytes, bytes, PatternList]] = []
        for name in self._per_dir:
            data = None
            if files is not None and base not in self._absent:
                data = self._store.rules_file(base + name, MAX_FILE)
            if data is None:
                data = self._sparse(base + name)
            if data:
                patterns = parse_ignore(bytes(data), self._fold)
                if patterns.patterns:
                    lists.append((base, base + name, patterns))
        return lists

    def _sparse(self, path: bytes) -> bytes | None:
        """The indexed content of an ignore file that a sparse checkout left out; git does not read an index for it."""
        if not self._store.index_asked:
            return None
        index = self._store.index
        if not index.special:
            return None
        at = index.find(path)
        if at < 0 or not index.skip_worktree(at):
            return None
        try:
            return bytes(self._store.odb.blob(index.entry(at).oid))
        except MissingObject:
            return None

    def decide(
        self, directory: bytes, names: Sequence[bytes], is_dir: Callable[[bytes], bool]
    ) -> list[Match | None] | None:
        """The matches that decide about members of one directory, name by name; None if no rule matches any of them.

        `is_dir` is called only for a path whose match as a directory is a pattern for directories alone. (Any other
        pattern that is the last to match a directory is also the last to match a file.)
        """
        rules = self.directory(directory)
        if rules.silent:
            return None
        if rules.excluded is not None:
            return [rules.excluded] * len(names)
        base = directory + b"/" if directory else b""
        matches: list[Match | None] = []
        for name in names:
            step()
            match = rules.match(base + name, name, True)
            if match is not None and match.pattern.dir_only and not is_dir(base + name):
                match = rules.match(base + name, name, False)
            matches.append(match)
        return matches

    def candidates(self, paths: Sequence[bytes]) -> Iterable[int]:
        """The places of paths that may be ignored: where few patterns exist, of those that have their text. Zero bytes
        after the paths do no harm."""
        if self._fold:
            return range(len(paths))
        for directory in {path.rpartition(b"/")[0] for path in paths} if self._per_dir else ():
            self.directory(directory)
        lists = [rules._lists for rules in self._rules.values()] or [self._words + self._file_lists]
        sources = {id(patterns): patterns for among in lists for _, _, patterns in among}
        pieces = list(set[bytes]().union(*[patterns.pieces() for patterns in sources.values()]))
        if b"" in pieces or len(pieces) > _FEW:
            return range(len(paths))
        places = list[int]()
        for at in range(0, len(paths), _AT_ONCE):
            pause()
            some = paths[at : at + _AT_ONCE]
            together = b"\0".join(some)
            for piece in pieces:
                if piece in together:
                    places += [nth for nth, path in enumerate(some, at) if piece in path]
        return places if len(pieces) < 2 else sorted(set(places))

    def check_folder(self, path: bytes, is_dir: bool) -> Match | None:
        """The match for a path that is asked about as "dir/" (b"" is the top): its own ignore file applies too."""
        return self.directory(path.rstrip(b"/")).match(path, b"", is_dir)

    def ignored(self, path: bytes, is_dir: bool) -> bool:
        """Whether a path is ignored, itself or through a directory above it."""
        parent, _, name = path.rpartition(b"/")
        return self.directory(parent).ignored(path, name, is_dir)


def excludes_file(store: Store) -> tuple[bytes | None, bytes]:
    """The absolute path of `core.excludesFile` (or of git's default for it), and the path as git shows it."""
    return configured_file(store, "core.excludesfile", b"ignore")


def shown_git_path(store: Store, name: bytes) -> bytes:
    """A file of the git directory as git shows it in messages: relative to the top of the work tree if it is below."""
    path: bytes = store.git_path(name)
    top = store.work_tree
    if top is not None and path.startswith(top + b"/"):
        return path[len(top) + 1 :]
    return path
