"""Pathspecs: the words after `--` that select paths.

A list of words is parsed once into `Pathspecs`. Then `match` is called for every path, and `could_match_below` for
every directory that could be skipped. Most lists are plain paths: for those, prefixes are compared and nothing else.
Mirrors gitglossary(7), "pathspec": top, literal, icase, glob, attr and exclude magic, and the four global settings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import compress, filterfalse

from ..annotations import TYPE_CHECKING
from ..errors import BadRequest, GitError, text
from ..limits import joined, paced, pause, step
from ..records import record, replace
from .magic import NO_ATTRIBUTES, Required, read_magic
from .wildmatch import CASEFOLD, PATHNAME, Matcher, compile_wildmatch, literal_length

if TYPE_CHECKING:
    from .attributes import Attributes

#: an absolute path that does not begin with the work tree's → the path from its top, None outside
Elsewhere = Callable[[bytes], "bytes | None"]


@record(frozen=True)
class PathspecSpec:
    """How words are read: the global `--*-pathspecs` settings, and whether no words mean the current directory."""

    literal: bool = False
    glob: bool = False
    noglob: bool = False
    icase: bool = False
    prefer_cwd: bool = False

    @classmethod
    def of(cls, settings: Collection[str], *, prefer_cwd: bool = False) -> PathspecSpec:
        """The way that the global settings ask for, named without `--` and `-pathspecs`."""
        return cls("literal" in settings, "glob" in settings, "noglob" in settings, "icase" in settings, prefer_cwd)


_FEW = 16  # number of plain words up to which it is quickest to compare a path with each of them
_MANY = 1000  # words that are compared between two looks at the clock
_LONGEST = 4096  # no system opens a longer path, so such words are compared one by one

DEFAULT = PathspecSpec()


@record
class Item:
    """One parsed word: `match` is the path or pattern from the top of the work tree."""

    original: bytes
    match: bytes
    exclude: bool = False
    icase: bool = False
    glob: bool = False
    prefix: int = 0  # bytes of `match` that come from the current directory: never a pattern, never case-folded
    plain: int = 0  # bytes of `match` before its first wildcard
    attrs: Required = ()
    has_matched: bool = False
    spent: bool = False  # matched a path exactly in `match_seen`
    wild: Matcher | None = None

    @property
    def odd(self) -> bool:
        """Whether the word is more than a plain path to be included."""
        return bool(self.exclude or self.icase or self.wild or self.attrs)

    @property
    def is_name(self) -> bool:
        """Whether the word selects the path that is equal to it, and what is below, and can be looked up."""
        return not self.odd and self.match[-1:] not in (b"", b"/") and len(self.match) <= _LONGEST

    def covers(self, path: bytes, is_dir: bool) -> bool:
        """Whether the word selects this path, or a directory above it."""
        match = self.match
        if not match:
            return True
        size = len(match)
        if self.icase:
            head, skip = match[: self.prefix], self.prefix
            if path[:skip] != head:
                return False
            match, compared = match.lower(), path.lower()
        else:
            compared = path
        if compared.startswith(match):
            if len(compared) == size or match[-1] == 47 or compared[size] == 47:
                return True
        elif is_dir and size == len(compared) + 1 and match[-1] == 47 and match.startswith(compared):
            return True
        wild = self.wild
        return wild is not None and compared[: self.plain] == match[: self.plain] and wild(path[self.plain :])


class Pathspecs:
    """All words of one command; false if they select every path."""

    __slots__ = (
        "_above", "_attributes", "_by_name", "_names", "_negative", "_others", "_owed", "_positive", "_simple", "empty",
        "items",
    )  # fmt: skip

    ALL: Pathspecs

    def __init__(self, items: list[Item], attributes: Callable[[], Attributes] | None = None) -> None:
        self.items = items
        self._positive = [item for item in items if not item.exclude]
        self._negative = [item for item in items if item.exclude]
        self._attributes = attributes
        self.empty = not items or (not self._negative and any(not item.match and not item.attrs for item in items))
        self._simple: tuple[frozenset[bytes], tuple[bytes, ...]] | None = None
        #: only for many plain words: these, the directories above them, and the words that each path is compared with
        self._names = self._above = frozenset[bytes]()
        self._others = self._positive
        self._by_name: dict[bytes, list[Item]] | None = None
        self._owed = 0  # words that were compared since the clock was looked at
        if not self._negative and not any(item.odd or item.match[-1:] in (b"", b"/") for item in items):
            self._simple = frozenset(item.match for item in items), tuple(item.match + b"/" for item in items)
        if len(self._positive) > _FEW:
            self._look_up()

    def _look_up(self) -> None:
        """Have plain words looked up, where they are many."""
        names = [item.match for item in paced(self._positive) if item.is_name]
        if len(names) > _FEW:
            self._names, self._above = frozenset(names), _folders_above(names)
            self._others = [item for item in paced(self._positive) if not item.is_name]

    @classmethod
    def parse(
        cls,
        args: Sequence[bytes],
        prefix: bytes = b"",
        spec: PathspecSpec = DEFAULT,
        *,
        work_tree: bytes | None = None,
        bounds: Callable[[], bytes] | None = None,
        elsewhere: Elsewhere | None = None,
        attributes: Callable[[], Attributes] | None = None,
    ) -> Pathspecs:
        """Parse words that were typed in the directory `prefix` (b"" or b"src/lib/").

        `work_tree` (an absolute path) allows absolute words; it is shown in the error about words that lead outside,
        or what `bounds` gives.
        `elsewhere` is asked for an absolute word that does not begin with it (`repo.absolute`).
        `attributes` is called for words with `attr:` magic. Raises GitError with git's message.
        """
        if not args:
            return cls([_whole(prefix, prefix)]) if spec.prefer_cwd and prefix else cls.ALL
        if b"" in args:
            raise BadRequest(
                "empty string is not a valid pathspec. please use . instead if you meant to match all paths"
            )
        if spec.literal and (spec.glob or spec.noglob or spec.icase):
            raise BadRequest(
                "global 'literal' pathspec setting is incompatible with all other global pathspec settings"
            )
        if spec.glob and spec.noglob:
            raise BadRequest("global 'glob' and 'noglob' pathspec settings are incompatible")
        ground = _Ground(work_tree, bounds, elsewhere)
        items = [_item(arg, prefix, spec, ground) for arg in paced(args)]
        if all(item.exclude for item in items):
            items.append(_whole(prefix if spec.prefer_cwd else b""))
        return cls(items, attributes)

    def __bool__(self) -> bool:
        return not self.empty

    def match(self, path: bytes, is_dir: bool = False) -> bool:
        """Whether the words select a path (from the top, without a slash at its end)."""
        if self.empty:
            return True
        if self._above:
            chosen = self._names_or_above(path)
        elif self._simple is not None:
            return path in self._simple[0] or path.startswith(self._simple[1])
        else:
            chosen = False
        if not chosen and self._others:
            self._breathe()
            for item in self._others:
                if item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)):
                    chosen = True
                    break
        return chosen and not any(
            item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)) for item in self._negative
        )

    def _names_or_above(self, path: bytes) -> bool:
        """Whether a plain word is a path or a directory above it: one look-up for each component of the path, however
        many words there are."""
        names = self._names
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
        """The words, if all of them are plain paths and they are few; otherwise None. With them, a caller that has a
        sorted list of paths need not compare each path."""
        return None if self.empty or self._simple is None or self._above else self._simple[0]

    @property
    def plain_sides(self) -> tuple[frozenset[bytes], frozenset[bytes]] | None:
        """The same with words that exclude: the plain paths that select, of which b"" selects everything, and those
        that exclude."""
        if not self._negative:
            words = self.plain_words
            return None if words is None else (words, frozenset())
        sides = Pathspecs(self._positive), Pathspecs([replace(item, exclude=False) for item in self._negative])
        chosen = frozenset([b""]) if sides[0].empty else sides[0].plain_words
        left_out = sides[1].plain_words
        return None if chosen is None or left_out is None else (chosen, left_out)

    def _breathe(self) -> None:
        """Look at the clock now and then, where a path is compared with words one by one."""
        self._owed += len(self.items)
        if self._owed > _MANY:
            self._owed = 0
            pause()

    def select(self, paths: list[bytes]) -> list[bytes] | None:
        """Those paths (of files) that the words select. None if each has to be passed to `match`: for several words of
        which one has wildcards, for very many words, for magic, for a word that only matches a directory."""
        if self.empty:
            return paths
        if self._negative:
            chosen = Pathspecs(self._positive).select(paths)
            excluded = Pathspecs([replace(item, exclude=False) for item in self._negative])
            left_out = None if chosen is None else excluded.select(chosen)
            return None if chosen is None or left_out is None else [*filterfalse(set(left_out).__contains__, chosen)]
        if self._simple is not None:
            if self._above:
                return None
            names, fronts = self._simple
            return [path for path in paced(paths) if path in names or path.startswith(fronts)]
        item = self.items[0]
        wild, match, plain = item.wild, item.match, item.plain
        if len(self.items) > 1 or wild is None or item.exclude or item.icase or item.attrs or match[-1:] == b"/":
            return None
        below, front = match + b"/", match[:plain]
        if not plain:
            if match not in joined(paths, b"\n"):  # a path that is equal to the pattern itself is rare
                return list(compress(paths, map(wild, paced(paths))))
            return [
                path
                for path in paced(paths)
                if wild(path) or (path.startswith(match) and (path + b"/").startswith(below))
            ]
        return [
            path
            for path in paced(paths)
            if (path.startswith(front) and wild(path[plain:])) or path == match or path.startswith(below)
        ]

    @property
    def ending(self) -> tuple[bytes, bytes] | None:
        """(front, tail) if there is one word, `front*tail`, which selects the paths that begin and end so; else None.
        As any word it also selects a path that is equal to it, and what is below one."""
        item = self.items[0] if len(self.items) == 1 else None
        if item is None or item.wild is None or item.exclude or item.icase or item.glob or item.attrs:
            return None
        wild, tail = item.match[item.plain : item.plain + 1], item.match[item.plain + 1 :]
        if wild != b"*" or literal_length(tail) < len(tail) or tail[-1:] == b"/":
            return None
        return item.match[: item.plain], tail

    def match_seen(self, path: bytes, is_dir: bool = False) -> bool:
        """Like `match`, and note which words matched something (`unmatched`).

        Strange but git's: a word that has matched one path exactly matches nothing more here, so that of the three
        stages of a conflict only the first is listed.
        """
        matched = bool(self._names) and self._names_seen(path)
        self._breathe()
        for item in self._others:
            if item.spent or not item.covers(path, is_dir) or (item.attrs and not self._attrs_hold(item, path)):
                continue
            matched = item.has_matched = True
            item.spent = path == item.match or (item.icase and path.lower() == item.match.lower())
        if not matched:
            return not self.items
        excluded = False
        for item in self._negative:
            item.has_matched = True  # git reports an unused exclusion only if no path matched at all
            excluded = excluded or (item.covers(path, is_dir) and (not item.attrs or self._attrs_hold(item, path)))
        return not excluded

    def fresh(self) -> Pathspecs:
        """The same words, of which `match_seen` has matched none yet."""
        return Pathspecs([replace(item, has_matched=False, spent=False) for item in self.items], self._attributes)

    def _names_seen(self, path: bytes) -> bool:
        """`match_seen` for the words that are looked up."""
        if self._by_name is None:
            self._by_name = {}
            for item in self._positive:
                if item.is_name:
                    self._by_name.setdefault(item.match, []).append(item)
        matched, at = False, len(path)
        while at > 0:
            for item in self._by_name.get(path[:at], ()):
                if not item.spent:
                    matched = item.has_matched = True
                    item.spent = at == len(path)
            at = path.rfind(b"/", 0, at)
        return matched

    def unmatched(self) -> list[bytes]:
        """The words, as typed, that have matched no path passed to `match_seen`; exclusions are included."""
        return [item.original for item in self.items if not item.has_matched]

    def could_match_below(self, directory: bytes) -> bool:
        """Whether a path below a directory may be selected; True if that is hard to tell."""
        if self.empty or not directory:
            return True
        reached = bool(self._above) and (directory in self._above or self._names_or_above(directory))
        self._breathe()
        below = directory + b"/"
        if not reached and not any(_reaches(item, directory, below) for item in self._others):
            return False
        return not any(
            not item.attrs and not item.icase and _names(item.match, directory) for item in self._negative if item.match
        )

    def enters(self, submodule: bytes, *, in_tree: bool) -> bool:
        """Whether a search that recurses into submodules enters this one (git grep --recurse-submodules).

        It does if a word covers the submodule or may cover something inside it. For the index, that is a word that
        leads into the submodule, or one with wildcards after a common start. In a tree, strange but git's, it is only a
        word with wildcards whose text before the first wildcard begins the submodule's path. Exclusions count in trees
        only, and by the same rule, so that one with wildcards for some files leaves out the whole submodule.
        """
        may_reach_inside = _begins_like if in_tree else _leads_into

        def reaches(item: Item) -> bool:
            reached = item.covers(submodule, True) or may_reach_inside(item, submodule)
            return reached and (not item.attrs or self._attrs_hold(item, submodule))

        self._breathe()
        included = any(reaches(item) for item in self._positive) or self.empty or not self.items
        return included and not (in_tree and any(reaches(item) for item in self._negative))

    def touches(self, directory: bytes) -> bool:
        """Whether a walk of trees that does not recurse shows a directory (diff-tree, rev-list --objects).

        It does if a word names the directory, or names something below it before its first wildcard. That need not
        exist, and exclusions do not count.
        """
        if self._above and (directory in self._above or self._names_or_above(directory)):
            return True
        self._breathe()
        below = directory + b"/"
        for item in self._others:
            plain = item.match if item.wild is None else item.match[: item.plain]
            if (plain.lower() if item.icase else plain).startswith(below.lower() if item.icase else below):
                return True
        return self.empty or any(item.covers(directory, True) for item in self._others)

    def matches_all_below(self, directory: bytes) -> bool:
        """Whether every path below a directory is certainly selected."""
        if self.empty:
            return True
        if self._negative:
            return False
        if self._above and self._names_or_above(directory):
            return True
        self._breathe()
        return any(not item.attrs and not item.icase and _names(item.match, directory) for item in self._others)

    def common_dir(self) -> bytes:
        """The deepest directory that all selected paths are below: b"" or b"a/b"."""
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
        # True requires "set", False "unset", None "unspecified", bytes this value. An attribute that has a value is not
        # "set".
        return all(have == want for have, (_, want) in zip(values, item.attrs))


Pathspecs.ALL = Pathspecs([])


def _folders_above(names: list[bytes]) -> frozenset[bytes]:
    """Every directory above one of these paths. Contains b"" for the top, so that it is never empty."""
    folders: set[bytes] = {b""}
    for name in names:
        step()
        at = name.rfind(b"/")
        while at > 0 and name[:at] not in folders:
            folders.add(name[:at])
            at = name.rfind(b"/", 0, at)
    return frozenset(folders)


def _whole(prefix: bytes, word: bytes = b".") -> Item:
    return Item(word, prefix, prefix=len(prefix), plain=len(prefix))


def _names(match: bytes, directory: bytes) -> bool:
    """Whether a word names a directory, or one above it. A word after `:/` is not normalized: `a//` names none."""
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
@record
class _Ground:
    """What the words are relative to: the work tree, what errors name for it, and what knows links into it."""

    work_tree: bytes | None
    bounds: Callable[[], bytes] | None
    elsewhere: Elsewhere | None

    def left(self, arg: bytes, rest: bytes) -> GitError:
        """The error for a word that leads outside."""
        bounds = self.work_tree if self.bounds is None else self.bounds()
        location = f" at '{text(bounds)}'" if bounds is not None else ""
        return BadRequest(f"{text(arg)}: '{text(rest)}' is outside repository{location}", path=text(rest))


def _item(arg: bytes, prefix: bytes, spec: PathspecSpec, ground: _Ground) -> Item:
    if spec.literal:
        magic, attrs, rest = set[str](), NO_ATTRIBUTES, arg
    else:
        magic, attrs, rest = read_magic(arg)
        if spec.glob and "literal" not in magic:
            magic.add("glob")
        if spec.icase:
            magic.add("icase")
        if "literal" in magic and "glob" in magic:
            raise BadRequest(f"{text(arg)}: 'literal' and 'glob' are incompatible")
    literal = spec.literal or "literal" in magic or (spec.noglob and "glob" not in magic)
    # Strange but git's: a word after ":/" is not normalized, so ":/./a" matches nothing.
    match, cwd_size = (rest, 0) if "top" in magic else _normalized(arg, rest, prefix, ground)
    item = Item(
        arg,
        match,
        exclude="exclude" in magic,
        icase="icase" in magic,
        glob="glob" in magic,
        prefix=cwd_size,
        attrs=attrs,
    )
    plain = len(match) if literal else literal_length(match[cwd_size:]) + cwd_size
    if plain < len(match):
        flags = (PATHNAME if item.glob else 0) | (CASEFOLD if item.icase else 0)
        # Strange but git's: the text before the first wildcard is cut off first, so that the `**` of "a**" stands at
        # the start of its pattern and crosses slashes.
        item.wild = compile_wildmatch(match[plain:], flags)
    item.plain = plain
    return item


def _normalized(arg: bytes, rest: bytes, prefix: bytes, ground: _Ground) -> tuple[bytes, int]:
    """(path from the top, number of its bytes that come from the current directory)."""
    if rest[:1] == b"/":
        work_tree, elsewhere = ground.work_tree, ground.elsewhere
        if work_tree is None:
            raise ground.left(arg, rest)
        parts = _walk_dots([], rest[1:])
        top = work_tree.strip(b"/").split(b"/") if work_tree != b"/" else []
        if parts is not None and parts[: len(top)] == top:
            tail: bytes | None = b"/".join(parts[len(top) :])
        else:
            ending = b"/" if rest.endswith((b"/", b"/.", b"/..")) else b""
            tail = None if parts is None or elsewhere is None else elsewhere(b"/" + b"/".join(parts) + ending)
        if tail is None:
            raise ground.left(arg, rest)
        return (tail + b"/" if tail and rest.endswith(b"/") else tail), 0
    base = prefix.rstrip(b"/").split(b"/") if prefix else []
    if not rest:
        return prefix, len(prefix)
    parts = _walk_dots(list(base), rest)
    if parts is None:
        raise ground.left(arg, rest)
    path = b"/".join(parts)
    # "dir/" keeps its slash, since it then names only a directory. A path of only "." and ".." has none at its end.
    if path and (rest.endswith((b"/", b"/.", b"/..")) or rest in (b".", b"..")):
        path += b"/"
    shared = 0
    for have, want in zip(parts, base):
        if have != want:
            break
        shared += len(want) + 1
    return path, min(shared, len(path))


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
