"""Pathspecs: the words after `--` that say which paths are meant.

A list of words is parsed once into `Pathspecs`; after that `match` is asked for every path, `could_match_below` for
every directory that could be skipped. Most lists are plain paths: those are answered by comparing prefixes alone.

Mirrors gitglossary(7), "pathspec": top, literal, icase, glob, attr and exclude magic, and the four global settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress

from ..annotations import TYPE_CHECKING
from ..errors import BadRequest, GitError, text
from ..limits import joined, paced, pause, step
from ..records import record
from .wildmatch import CASEFOLD, PATHNAME, Matcher, compile_wildmatch, literal_length

if TYPE_CHECKING:
    from .attributes import Attributes

_SHORT = {33: "exclude", 94: "exclude", 47: "top"}  # ! ^ /
_LONG = ("top", "literal", "glob", "icase", "exclude", "attr")
# Characters that may follow ":" as magic: punctuation that means nothing in a path or a pattern.
_PUNCTUATION = frozenset(b"!\"#%&',-/:;<=>@_`~")


@record(frozen=True)
class PathspecSpec:
    """How the words are read: the global `--*-pathspecs` settings, and what giving no word means to the command."""

    literal: bool = False
    glob: bool = False
    noglob: bool = False
    icase: bool = False
    prefer_cwd: bool = False


_FEW = 16  # plain words, up to which comparing a path with each of them is quickest
_MANY = 1000  # words, from which on a single comparison with all of them takes time
_LONGEST = 4096  # no system opens a longer path: such words are compared one by one

_Wanted = tuple[tuple[bytes, bytes | bool | None], ...]
_NO_ATTRS: _Wanted = ()

DEFAULT = PathspecSpec()


@record
class Item:
    """One word, read: `match` is the path or pattern from the top of the work tree."""

    original: bytes
    match: bytes
    exclude: bool = False
    icase: bool = False
    glob: bool = False
    prefix: int = 0  # so many bytes of `match` come from the current directory: never a pattern, never case-folded
    plain: int = 0  # so many bytes of `match` come before its first wildcard
    attrs: _Wanted = ()
    seen: bool = False
    spent: bool = False  # matched a path exactly while words were being checked off
    wild: Matcher | None = None

    @property
    def odd(self) -> bool:
        """Whether it is more than a plain path to be included."""
        return bool(self.exclude or self.icase or self.wild or self.attrs)

    def covers(self, path: bytes, is_dir: bool) -> bool:
        """Whether the word names this path, or a directory above it."""
        match = self.match
        if not match:
            return True
        size = len(match)
        if self.icase:
            head, skip = match[: self.prefix], self.prefix
            if path[:skip] != head:
                return False
            match, given = match.lower(), path.lower()
        else:
            given = path
        if given.startswith(match):
            if len(given) == size or match[-1] == 47 or given[size] == 47:
                return True
        elif is_dir and size == len(given) + 1 and match[-1] == 47 and match.startswith(given):
            return True
        wild = self.wild
        return wild is not None and given[: self.plain] == match[: self.plain] and wild(path[self.plain :])


class Pathspecs:
    """All words of one command. False when they restrict nothing."""

    __slots__ = ("_above", "_attributes", "_negative", "_positive", "_simple", "empty", "items")

    ALL: Pathspecs

    def __init__(self, items: list[Item], attributes: Callable[[], Attributes] | None = None) -> None:
        self.items = items
        self._positive = [item for item in items if not item.exclude]
        self._negative = [item for item in items if item.exclude]
        self._attributes = attributes
        self.empty = not items or (not self._negative and any(not item.match and not item.attrs for item in items))
        self._simple: tuple[frozenset[bytes], tuple[bytes, ...]] | None = None
        self._above: frozenset[bytes] = frozenset()  # where there are many plain words: the directories they lie in
        if not self._negative and not any(item.odd or item.match[-1:] in (b"", b"/") for item in items):
            names = [item.match for item in items]
            self._simple = frozenset(names), tuple(name + b"/" for name in names)
            if len(items) > _FEW and all(len(name) <= _LONGEST for name in names):
                self._above = _folders_above(names)

    @classmethod
    def parse(
        cls,
        args: Sequence[bytes],
        prefix: bytes = b"",
        spec: PathspecSpec = DEFAULT,
        *,
        work_tree: bytes | None = None,
        attributes: Callable[[], Attributes] | None = None,
    ) -> Pathspecs:
        """Read the words as typed in the directory `prefix` (b"" or b"src/lib/").

        `work_tree` (absolute) lets absolute words in and is named in the error about words that lead outside;
        `attributes` is called when `attr:` magic asks. Raises GitError with git's words.
        """
        if not args:
            return cls([_whole(prefix)]) if spec.prefer_cwd and prefix else cls.ALL
        if spec.literal and (spec.glob or spec.noglob or spec.icase):
            raise BadRequest(
                "global 'literal' pathspec setting is incompatible with all other global pathspec settings"
            )
        if spec.glob and spec.noglob:
            raise BadRequest("global 'glob' and 'noglob' pathspec settings are incompatible")
        items = [_item(arg, prefix, spec, work_tree) for arg in paced(args)]
        if all(item.exclude for item in items):
            items.append(_whole(prefix if spec.prefer_cwd else b""))
        return cls(items, attributes)

    def __bool__(self) -> bool:
        return not self.empty

    def match(self, path: bytes, is_dir: bool = False) -> bool:
        """Whether a path (from the top, no slash at its end) is meant."""
        if self.empty:
            return True
        simple = self._simple
        if simple is not None:
            return self._names_or_above(path) if self._above else path in simple[0] or path.startswith(simple[1])
        self._breathe()
        for item in self._positive:
            if item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)):
                break
        else:
            return False
        return not any(
            item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)) for item in self._negative
        )

    def _names_or_above(self, path: bytes) -> bool:
        """Whether a plain word names a path or a directory above it: a look-up for each of its parts, however many
        words there are."""
        names = self._simple[0] if self._simple is not None else frozenset[bytes]()
        if path in names:
            return True
        at = path.rfind(b"/")
        while at > 0:
            if path[:at] in names:
                return True
            at = path.rfind(b"/", 0, at)
        return False

    @property
    def plain_words(self) -> frozenset[bytes] | None:
        """The paths that are meant, each with all below it, where no word says more than that and they are few: what is
        sorted need not be compared with them one by one."""
        return None if self.empty or self._simple is None or self._above else self._simple[0]

    def _breathe(self) -> None:
        """The clock is looked at where one path is compared with very many words."""
        if len(self.items) > _MANY:
            pause()

    def select(self, paths: list[bytes]) -> list[bytes] | None:
        """Those of many paths of files that are meant; None where they have to be asked about one by one (`match`):
        several words of which one has wildcards, very many words, magic, a word that only a directory fits."""
        if self.empty:
            return paths
        if self._simple is not None:
            if self._above:
                return None
            names, fronts = self._simple
            return [path for path in paths if path in names or path.startswith(fronts)]
        item = self.items[0]
        wild, match, plain = item.wild, item.match, item.plain
        if len(self.items) > 1 or wild is None or item.exclude or item.icase or item.attrs or match[-1:] == b"/":
            return None
        below, front = match + b"/", match[:plain]
        if not plain:
            if match not in joined(paths, b"\n"):  # hardly a path has wildcards in its own name, and is meant by it
                return list(compress(paths, map(wild, paths)))
            return [
                path for path in paths if wild(path) or (path.startswith(match) and (path + b"/").startswith(below))
            ]
        return [
            path
            for path in paths
            if (path.startswith(front) and wild(path[plain:])) or path == match or path.startswith(below)
        ]

    def match_seen(self, path: bytes, is_dir: bool = False) -> bool:
        """Like `match`, and remember which words matched something (`unmatched`).

        Strange but git's: while words are checked off, one that named a path exactly matches nothing more, so that of
        the three stages of a conflict only the first is listed.
        """
        matched = False
        self._breathe()
        for item in self._positive:
            if item.spent or not item.covers(path, is_dir) or (item.attrs and not self._attrs_hold(item, path)):
                continue
            matched = item.seen = True
            item.spent = path == item.match or (item.icase and path.lower() == item.match.lower())
        if not matched:
            return not self.items
        excluded = False
        for item in self._negative:
            item.seen = True  # git reports an exclusion only where nothing at all matched
            excluded = excluded or (item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)))
        return not excluded

    def unmatched(self) -> list[bytes]:
        """The words, as typed, that no path asked through `match_seen` has matched; exclusions are words too."""
        return [item.original for item in self.items if not item.seen]

    def could_match_below(self, directory: bytes) -> bool:
        """Whether a path below a directory may be meant; True where that is hard to say."""
        if self.empty or not directory:
            return True
        if self._above:
            return directory in self._above or self._names_or_above(directory)
        self._breathe()
        below = directory + b"/"
        if not any(_reaches(item, directory, below) for item in self._positive):
            return False
        return not any(
            not item.attrs and not item.icase and _names(item.match, directory) for item in self._negative if item.match
        )

    def enters(self, submodule: bytes, *, in_tree: bool) -> bool:
        """Whether a search that goes into submodules enters the one at a path (git grep --recurse-submodules).

        It does where a word covers the submodule, or may cover something within: by the index, a word that leads into
        it or has wildcards behind what they share; in a tree, strange but git's, only a word with wildcards of which
        the part before the first is the front of the submodule's path. Exclusions count in trees only, and in the
        same way, so that one with wildcards for some files leaves the whole submodule out.
        """
        leads = _begins_like if in_tree else _leads_into

        def reaches(item: Item) -> bool:
            reached = item.covers(submodule, True) or leads(item, submodule)
            return reached and (not item.attrs or self._attrs_hold(item, submodule))

        self._breathe()
        included = any(reaches(item) for item in self._positive) or self.empty or not self.items
        return included and not (in_tree and any(reaches(item) for item in self._negative))

    def touches(self, directory: bytes) -> bool:
        """Whether a walk of trees that does not recurse by itself shows a directory (diff-tree, rev-list --objects).

        It does where a word names the directory, or something below it before any wildcard; there need not be such a
        thing, and exclusions do not count.
        """
        if self._above:
            return directory in self._above or self._names_or_above(directory)
        self._breathe()
        below = directory + b"/"
        for item in self._positive:
            plain = item.match if item.wild is None else item.match[: item.plain]
            if (plain.lower() if item.icase else plain).startswith(below.lower() if item.icase else below):
                return True
        return self.empty or any(item.covers(directory, True) for item in self._positive)

    def matches_all_below(self, directory: bytes) -> bool:
        """Whether every path below a directory is surely meant."""
        if self.empty:
            return True
        if self._negative:
            return False
        if self._above:
            return self._names_or_above(directory)
        self._breathe()
        return any(not item.attrs and not item.icase and _names(item.match, directory) for item in self._positive)

    def common_dir(self) -> bytes:
        """The deepest directory that every meant path is below: b"" or b"a/b"."""
        if self.empty:
            return b""
        common: bytes | None = None
        for item in self._positive:
            plain = item.match[: item.prefix] if item.icase else item.match[: item.plain]
            at = plain.rfind(b"/")
            plain = plain[:at] if at > 0 else b""
            common = plain if common is None else _shared(common, plain)
        return common or b""

    def _attrs_hold(self, item: Item, path: bytes) -> bool:
        if self._attributes is None:
            return False
        values = self._attributes().lookup(path, [name for name, _ in item.attrs])
        # True asks for "set", False for "unset", None for "unspecified", bytes for that value. A name that is set to
        # a value is not "set".
        return all(have == want for have, (_, want) in zip(values, item.attrs))


Pathspecs.ALL = Pathspecs([])


def _folders_above(names: list[bytes]) -> frozenset[bytes]:
    """Every directory that one of these paths lies in, b"" left out; never empty (b"" stands for the top then)."""
    folders: set[bytes] = {b""}
    for name in names:
        step()
        at = name.rfind(b"/")
        while at > 0 and name[:at] not in folders:
            folders.add(name[:at])
            at = name.rfind(b"/", 0, at)
    return frozenset(folders)


def _whole(prefix: bytes) -> Item:
    return Item(b".", prefix, prefix=len(prefix), plain=len(prefix))


def _names(match: bytes, directory: bytes) -> bool:
    """Whether a word names a directory, or one above it. What `:/` leads is not tidied: `a//` names none."""
    plain = match.removesuffix(b"/")
    return not match or directory == plain or directory.startswith(plain + b"/")


def _shared(one: bytes, other: bytes) -> bytes:
    parts = []
    for a, b in zip(one.split(b"/"), other.split(b"/")):
        if a != b:
            break
        parts.append(a)
    return b"/".join(parts)


def _leads_into(item: Item, submodule: bytes) -> bool:
    match, front = item.match, submodule + b"/"
    if item.icase:
        match, front = match.lower(), front.lower()
    return match.startswith(front) or _begins_like(item, submodule)


def _begins_like(item: Item, submodule: bytes) -> bool:
    match = item.match
    if item.icase:
        match, submodule = match.lower(), submodule.lower()
    return item.plain < len(match) and submodule.startswith(match[: item.plain])


def _reaches(item: Item, directory: bytes, below: bytes) -> bool:
    match = item.match
    if not match:
        return True
    if item.icase:
        head = match[: item.prefix]
        if not (below.startswith(head) or head.startswith(below)):
            return False
        match, directory, below = match.lower(), directory.lower(), below.lower()
    if match.startswith(below) or _names(match, directory):
        return True
    if item.wild is None:
        return False
    plain = match[: item.plain]
    return below.startswith(plain) or plain.startswith(below)


# --------------------------------------------------------------------------------------------------------- reading
def _item(arg: bytes, prefix: bytes, spec: PathspecSpec, work_tree: bytes | None) -> Item:
    if not arg:
        raise BadRequest("empty string is not a valid pathspec. please use . instead if you meant to match all paths")
    if spec.literal:
        magic, attrs, rest = set[str](), _NO_ATTRS, arg
    else:
        magic, attrs, rest = _magic(arg)
        if spec.glob and "literal" not in magic:
            magic.add("glob")
        if spec.icase:
            magic.add("icase")
        if "literal" in magic and "glob" in magic:
            raise BadRequest(f"{text(arg)}: 'literal' and 'glob' are incompatible")
    literal = spec.literal or "literal" in magic or (spec.noglob and "glob" not in magic)
    # Strange but git's: below the top nothing is normalized, so ":/./a" matches nothing.
    match, kept = (rest, 0) if "top" in magic else _normalized(arg, rest, prefix, work_tree)
    item = Item(
        arg, match, exclude="exclude" in magic, icase="icase" in magic, glob="glob" in magic, prefix=kept, attrs=attrs
    )
    plain = len(match) if literal else literal_length(match[kept:]) + kept
    if plain < len(match):
        flags = (PATHNAME if item.glob else 0) | (CASEFOLD if item.icase else 0)
        # Strange but git's: what comes before the first wildcard is cut off first, so that the `**` of "a**" stands
        # at the start of its pattern and crosses slashes.
        item.wild = compile_wildmatch(match[plain:], flags)
    item.plain = plain
    return item


def _magic(arg: bytes) -> tuple[set[str], _Wanted, bytes]:
    """Magic words, wanted attributes, and the rest of a pathspec word."""
    if arg[:1] != b":":
        return set(), (), arg
    if arg[1:2] == b"(":
        return _long_magic(arg)
    magic: set[str] = set()
    at = 1
    while at < len(arg) and arg[at] != 58:
        char = arg[at]
        if char in _SHORT:
            magic.add(_SHORT[char])
        elif char in _PUNCTUATION:
            raise BadRequest(f"Unimplemented pathspec magic '{chr(char)}' in '{text(arg)}'")
        else:
            break
        at += 1
    if arg[at : at + 1] == b":":
        at += 1
    return magic, (), arg[at:]


def _long_magic(arg: bytes) -> tuple[set[str], _Wanted, bytes]:
    magic: set[str] = set()
    attrs: _Wanted = ()
    close = _closing(arg)
    for raw in _split_commas(arg[2:close]):
        if not raw:
            continue
        name = text(raw)
        if name.startswith("attr:"):
            if "attr" in magic:
                raise BadRequest("Only one 'attr:' specification is allowed.")
            attrs = _wanted(raw[5:])
            magic.add("attr")
        elif name.startswith("prefix:"):
            continue
        elif name in _LONG and name != "attr":
            magic.add(name)
        else:
            raise BadRequest(f"Invalid pathspec magic '{name}' in '{text(arg)}'")
    return magic, attrs, arg[close + 1 :]


def _closing(arg: bytes) -> int:
    at = 2
    while at < len(arg):
        if arg[at] == 92:
            at += 1
        elif arg[at] == 41:
            return at
        at += 1
    raise BadRequest(f"Missing ')' at the end of pathspec magic in '{text(arg)}'")


def _split_commas(words: bytes) -> list[bytes]:
    out, start, at = [], 0, 0
    while at < len(words):
        if words[at] == 92:
            at += 1
        elif words[at] == 44:
            out.append(words[start:at])
            start = at + 1
        at += 1
    out.append(words[start:])
    return out


def _wanted(value: bytes) -> _Wanted:
    """`attr:a -b !c d=x`: what each attribute has to be."""
    if not value:
        raise BadRequest("attr spec must not be empty")
    out: list[tuple[bytes, bytes | bool | None]] = []
    for word in value.split(b" "):
        if not word:
            continue
        if word[:1] == b"!":
            name, want = word[1:], None
        elif word[:1] == b"-":
            name, want = word[1:], False
        elif b"=" in word:
            name, _, raw = word.partition(b"=")
            out.append((_attr_name(name), _unescaped(raw)))
            continue
        else:
            name, want = word, True
        out.append((_attr_name(name), want))
    return tuple(out)


def _unescaped(raw: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(raw):
        if raw[at] == 92:
            at += 1
            if at == len(raw):
                raise BadRequest("Escape character '\\' not allowed as last character in attr value")
        char = raw[at]
        if not (48 <= char <= 57 or 65 <= char <= 90 or 97 <= char <= 122 or char in b"-_,"):
            raise BadRequest(f"cannot use '{chr(char)}' for value matching")
        out.append(char)
        at += 1
    return bytes(out)


def _attr_name(name: bytes) -> bytes:
    if not name or name[:1] == b"-" or name.strip(b"-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"):
        raise BadRequest(f"invalid attribute name {text(name)}")
    return name


def _normalized(arg: bytes, rest: bytes, prefix: bytes, work_tree: bytes | None) -> tuple[bytes, int]:
    """The path from the top, and how much of it came from the current directory."""
    if rest[:1] == b"/":
        if work_tree is None:
            raise _outside(arg, rest, work_tree)
        parts = _walk_dots([], rest[1:])
        top = work_tree.strip(b"/").split(b"/") if work_tree != b"/" else []
        if parts is None or parts[: len(top)] != top:
            raise _outside(arg, rest, work_tree)
        tail = b"/".join(parts[len(top) :])
        return (tail + b"/" if tail and rest.endswith(b"/") else tail), 0
    base = prefix.rstrip(b"/").split(b"/") if prefix else []
    if not rest:
        return prefix, len(prefix)
    parts = _walk_dots(list(base), rest)
    if parts is None:
        raise _outside(arg, rest, work_tree)
    path = b"/".join(parts)
    # "dir/" keeps its slash: it then names the directory only. Paths made of "." and ".." alone end without.
    if path and (rest.endswith((b"/", b"/.", b"/..")) or rest in (b".", b"..")):
        path += b"/"
    kept = 0
    for have, want in zip(parts, base):
        if have != want:
            break
        kept += len(want) + 1
    return path, min(kept, len(path))


def _walk_dots(parts: list[bytes], rest: bytes) -> list[bytes] | None:
    for part in rest.split(b"/"):
        if part in (b"", b"."):
            continue
        if part == b"..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return parts


def _outside(arg: bytes, rest: bytes, work_tree: bytes | None) -> GitError:
    where = f" at '{text(work_tree)}'" if work_tree is not None else ""
    return BadRequest(f"{text(arg)}: '{text(rest)}' is outside repository{where}", path=text(rest))
