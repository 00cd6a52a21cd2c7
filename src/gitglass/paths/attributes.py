"""Attributes of paths: `.gitattributes` of every directory, `info/attributes`, the user's file, and git's own macro.

The rules of a file are parsed once for its content. The rules that apply in one directory are remembered, so that a
look-up of a path costs one pass over the rules of its directory.

Mirrors gitattributes(5) and git check-attr(1). Values: True (set), False (unset, `-x`), bytes (a value), and None
for everything unspecified, `!x` included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import lazy_pattern
from ..errors import MissingObject, text
from ..limits import lines_in, need, paced, step, watched
from ..memories import Slot, once_for_its_bytes
from ..records import record
from .pattern_files import MAX_FILE, body_matcher, configured_file, parse_line, user_file
from .wildmatch import Matcher

if TYPE_CHECKING:
    from ..repo.store import Store

Value = bytes | bool | None

_MAX_LINE = 2048
_MANY = 1000  # number of rules in a file from which on the clock is looked at while they are tried
_BLANK = b" \t\r\n"
_NEGATIVE = "warning: Negative patterns are ignored in git attributes\nUse '\\!' for literal leading exclamation."
_BUILTIN = b"[attr]binary -diff -merge -text\n"
_NAME = frozenset(b"-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
#: what whatever a pattern matches ends with: its end, as far as it stands for itself; but not the slash of `**/`, which
#: also matches nothing
_TAIL = lazy_pattern(rb"(?:[^*?\[\]\\/]|(?<!\*)/)*+\Z")
_ESCAPES = {97: 7, 98: 8, 116: 9, 110: 10, 118: 11, 102: 12, 114: 13, 34: 34, 92: 92}


@record
class Rule:
    """One line: the pattern that it matches or the macro that it defines, and the states it sets, in order."""

    macro: bytes | None
    name_only: bool
    dir_only: bool
    body: bytes
    states: tuple[tuple[bytes, Value], ...]
    matcher: Matcher | None = None

    def compiled(self, fold: bool) -> Matcher:
        """The matcher for paths, or for their last components if `name_only`."""
        matcher = self.matcher = body_matcher(self.body, self.name_only, fold)
        return matcher


@record
class AttributeFile:
    """A parsed file: its rules in order, and git's complaints about it, in which `{}` stands for the file's name."""

    rules: list[Rule]
    complaints: list[str]


@once_for_its_bytes(128)
def parse_attributes(data: bytes, fold: bool = False, macros: bool = True) -> AttributeFile:
    """The rules of an attribute file. `macros`: macros may be defined (only at the top). Never fails."""
    parsed = AttributeFile([], [])
    for number, line in enumerate(paced(lines_in(data.removeprefix(b"\xef\xbb\xbf"))), 1):
        rule = _line(line, number, macros, parsed.complaints)
        if rule is not None:
            parsed.rules.append(rule)
    return parsed


def _line(line: bytes, number: int, macros: bool, complaints: list[str]) -> Rule | None:
    if len(line) >= _MAX_LINE:
        complaints.append(f"warning: ignoring overly long attributes line {number}")
        return None
    line = line.strip(_BLANK)
    if not line or line[:1] == b"#":
        return None
    pattern, rest = _first_word(line)
    if pattern.startswith(b"[attr]") and len(pattern) > 6:
        name = pattern[6:]
        if not macros:
            complaints.append(f"{text(line)} not allowed: {{}}:{number}")
            return None
        if not valid_name(name):
            complaints.append(f"{text(name)} is not a valid attribute name: {{}}:{number}")
            return None
        states = _states(rest, number, complaints)
        return None if states is None else Rule(name, False, False, b"", states)
    states = _states(rest, number, complaints)
    if states is None:
        return None
    parsed = parse_line(pattern, number)
    if parsed.negated:
        complaints.append(_NEGATIVE)
        return None
    return Rule(None, parsed.name_only, parsed.dir_only, parsed.body, states)


def _first_word(line: bytes) -> tuple[bytes, bytes]:
    if line[:1] == b'"':
        quoted = unquoted(line)
        if quoted is not None:
            return quoted
    for at, char in enumerate(line):
        if char in _BLANK:
            return line[:at], line[at:]
    return line, b""


def unquoted(line: bytes) -> tuple[bytes, bytes] | None:
    """A C-quoted word at the start of a line, and the rest of the line; None if it is not well formed."""
    unescaped, at = bytearray(), 1
    while at < len(line):
        char = line[at]
        at += 1
        if char == 34:
            return bytes(unescaped), line[at:]
        if char == 92:
            if at >= len(line):
                return None
            char = line[at]
            at += 1
            if char in _ESCAPES:
                char = _ESCAPES[char]
            elif 48 <= char <= 51 and len(line[at : at + 2]) == 2 and not line[at : at + 2].strip(b"01234567"):
                char = int(line[at - 1 : at + 2], 8) & 255
                at += 2
            else:
                return None
        unescaped.append(char)
    return None


def valid_name(name: bytes) -> bool:
    """Whether this is a valid name of an attribute."""
    return bool(name) and name[:1] != b"-" and all(char in _NAME for char in name)


def _states(rest: bytes, number: int, complaints: list[str]) -> tuple[tuple[bytes, Value], ...] | None:
    states: list[tuple[bytes, Value]] = []
    for word in rest.split():
        value: Value
        name, equals, text_value = word.partition(b"=")
        if word[:1] in (b"-", b"!"):
            name, value = name[1:], False if word[:1] == b"-" else None
        else:
            value = text_value if equals else True
        if not valid_name(name):
            complaints.append(f"{text(name)} is not a valid attribute name: {{}}:{number}")
            return None  # git drops the whole line
        states.append((name, value))
    return tuple(states)


# --------------------------------------------------------------------------------------------------------- looking up
_Frame = tuple[bytes, list[Rule]]  # the directory of the file (with a slash at its end), and its rules, last first
_Bearing = tuple[int, Rule, Matcher]  # where in a path what it is matched with begins (below 0: its last component)


class Attributes:
    """The attributes of the paths of one work tree.

    The file of a directory is read from the work tree, or from the index if the work tree has none. `index_only` reads
    only the index; `read` replaces both, for paths that need not belong to the work tree. Bare repositories use only
    `info/attributes` and the user's file; where git was started inside `.git`, there is the index.
    """

    __slots__ = (
        "_bearing",
        "_directories",
        "_fold",
        "_index_only",
        "_macros",
        "_named",
        "_outer",
        "_reader",
        "_store",
        "_top",
        "order",
    )

    def __init__(
        self, store: Store, *, index_only: bool = False, read: Callable[[bytes], bytes | None] | None = None
    ) -> None:
        self._store = store
        self._reader = read
        self._index_only = index_only
        self._fold = bool(store.config.get_bool("core.ignorecase", False))
        self.order: dict[bytes, None] = {}
        builtin = self._rules(_BUILTIN, b"[builtin]")
        outer: list[_Frame] = [(b"", builtin)]
        path, shown = configured_file(store, "core.attributesfile", b"attributes")
        if path is not None and (data := user_file(store, path)):
            outer.insert(0, (b"", self._rules(data, shown)))
        self._outer = outer
        self._directories: dict[bytes, list[_Frame]] = {b"": self._own(b"")}
        data = store.jail.read_optional(store.git_path(b"info/attributes"), MAX_FILE) if store.exists else None
        self._top: list[_Frame] = [(b"", self._rules(bytes(data), b".git/info/attributes"))] if data else []
        self._macros = self._collect_macros()
        self._named: dict[bytes, frozenset[bytes]] = {}
        self._bearing: dict[tuple[bytes, tuple[bytes, ...]], tuple[tuple[bytes, ...], list[_Bearing]]] = {}

    def _rules(self, data: bytes, shown: bytes, macros: bool = True) -> list[Rule]:
        parsed = parse_attributes(data, self._fold, macros)
        for line in parsed.complaints:
            self._store.complaints.append(line.replace("{}", text(shown), 1))
        rules = parsed.rules
        for rule in paced(rules):
            if rule.macro is not None:
                self.order.setdefault(rule.macro)
            self.order.update(dict.fromkeys(name for name, _ in rule.states))
        return rules[::-1]

    def _own(self, base: bytes) -> list[_Frame]:
        """The frame of the `.gitattributes` in one directory, if there is one."""
        data = self._read(base + b".gitattributes")
        if not data:
            return []
        rules = self._rules(data, base + b".gitattributes", macros=not base)
        return [(base, rules)] if rules else []

    def _read(self, path: bytes) -> bytes | None:
        store = self._store
        if self._reader is not None:
            return self._reader(path)
        if store.files is None:
            return None if store.bare and not self._index_only else self._indexed(path)
        if not self._index_only:
            data = store.rules_file(path, MAX_FILE)
            if data is not None:
                return bytes(data)
        return self._indexed(path)

    def _indexed(self, path: bytes) -> bytes | None:
        if not self._index_only and not self._store.index_asked:
            return None  # git uses the index only if the command has read it anyway
        index = self._store.index
        at = index.find(path)
        try:
            return self._store.odb.blob(index.entry(at).oid) if at >= 0 else None
        except MissingObject:
            return None

    def _collect_macros(self) -> dict[bytes, tuple[tuple[bytes, Value], ...]]:
        """The states of each macro. The strongest source defines a macro, and in it the last line."""
        macros: dict[bytes, tuple[tuple[bytes, Value], ...]] = {}
        for _, rules in [*self._top, *self._directories[b""], *self._outer]:
            for rule in paced(rules):
                if rule.macro is not None:
                    macros.setdefault(rule.macro, rule.states)
        return macros

    def _frames(self, directory: bytes) -> list[_Frame]:
        """The frames of a directory and of the directories above it, deepest first."""
        frames = self._directories.get(directory)
        if frames is not None:
            return frames
        need(directory.count(b"/") * len(directory) // 2)  # the paths of all directories above
        missing = [directory]
        while (parent := missing[-1].rpartition(b"/")[0]) not in self._directories:
            step()
            missing.append(parent)
        above = self._directories[parent]
        for path in reversed(missing):
            step()
            above = self._directories[path] = self._own(path + b"/") + above
        return above

    def _names_in(self, frames: list[_Frame]) -> frozenset[bytes]:
        """Every attribute that some rule of these frames, or of those everywhere, may set."""
        names: dict[bytes, None] = {}
        for _, rules in [*self._top, *frames, *self._outer]:
            for rule in paced(rules):
                if rule.macro is None:
                    names.update(dict.fromkeys(name for name, _ in rule.states))
        pending = list(names)
        while pending:
            for name, _ in self._macros.get(pending.pop(), ()):
                if name not in names:
                    names[name] = None
                    pending.append(name)
        return frozenset(names)

    def lookup(self, path: bytes, names: Sequence[bytes]) -> list[Value]:
        """The values of these attributes for a path (with a slash at its end for a directory), in the same order."""
        return list(map(self._collect(path, tuple(names)).get, names))

    def named_in(self, directory: bytes) -> frozenset[bytes]:
        """The attributes that paths of a directory (no slash at its end) may have; all others are unspecified."""
        named = self._named.get(directory)
        if named is None:
            frames = self._frames(directory)
            named = self._named.get(frames[0][0][:-1]) if frames else None  # of the last one with a file of its own
            named = self._named[directory] = self._names_in(frames) if named is None else named
        return named

    def get(self, path: bytes, name: bytes) -> Value:
        """The value of one attribute for a path."""
        if name not in self.named_in(path.rstrip(b"/").rpartition(b"/")[0]):
            return None
        return self._collect(path, (name,)).get(name)

    def all(self, path: bytes) -> dict[bytes, bytes | bool]:
        """Every attribute that is specified for a path, in git's order."""
        states = self._collect(path, ())
        return {name: value for name in self.order if (value := states.get(name)) is not None}

    def _collect(self, path: bytes, wanted: tuple[bytes, ...]) -> dict[bytes, Value]:
        """The states that rules set for a path, at least as far as these attributes go; all of them where none are
        named."""
        is_dir = path.endswith(b"/")
        path = path.rstrip(b"/")
        directory, _, name = path.rpartition(b"/")
        frames = self._frames(directory)
        # a directory without a file of its own has the rules of the one above
        key = frames[0][0] if frames else b"", wanted
        tails, bearing = self._bearing.get(key) or self._note_bearing(key, frames)
        states: dict[bytes, Value] = {}
        if not path.endswith(tails):
            return states
        for start, rule, matches in bearing if len(bearing) < _MANY else watched(bearing):
            if matches(name if start < 0 else path[start:]) and (is_dir or not rule.dir_only):
                self._fill(states, rule.states)
                if wanted and states.keys() >= set(wanted):
                    break
        return states

    def _note_bearing(
        self, key: tuple[bytes, tuple[bytes, ...]], frames: list[_Frame]
    ) -> tuple[tuple[bytes, ...], list[_Bearing]]:
        """The rules that may set one of the attributes of the key (any, where there are none), the strongest first,
        behind what their paths end with."""
        wanted = key[1]
        setting = set(wanted)  # the attributes, and the macros that set one of them
        pending = bool(setting)
        while pending:
            more = {macro for macro, states in self._macros.items() if any(name in setting for name, _ in states)}
            pending = not more <= setting
            setting |= more
        chosen: list[_Bearing] = []
        for base, rules in [*self._top, *frames, *self._outer]:
            for rule in paced(rules):
                if rule.macro is None and (not wanted or any(name in setting for name, _ in rule.states)):
                    matcher = rule.matcher or rule.compiled(self._fold)
                    chosen.append((-1 if rule.name_only else len(base), rule, matcher))
        tails = {b"" if self._fold else _TAIL.search(rule.body)[0] for _, rule, _ in chosen}  # type: ignore[index]
        noted = self._bearing[key] = tuple(tails), chosen
        return noted

    def _fill(self, decided: dict[bytes, Value], states: tuple[tuple[bytes, Value], ...]) -> None:
        """Set the states that are not decided yet, last first; a macro that is set also sets its own states."""
        pending = list(states)
        while pending:
            name, value = pending.pop()
            if name in decided:
                continue
            decided[name] = value
            if value is True and name in self._macros:
                pending.extend(self._macros[name])


_ATTRIBUTES: Slot[Attributes] = Slot("attributes")


def attributes_of(store: Store) -> Attributes:
    """The store's attributes, made once after each refresh of the store."""
    return store.per_call.made(_ATTRIBUTES, lambda: Attributes(store, read=store.read_attributes))


def use_attributes(store: Store, attributes: Attributes) -> None:
    """Replace the store's attributes until the command ends."""
    store.per_call.put(_ATTRIBUTES, attributes)
