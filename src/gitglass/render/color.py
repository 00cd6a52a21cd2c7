"""Colours: git's colour words, the decision whether to use colours, and the palettes of every command.

A colour value is text such as `bold red`, `#ff8000 blue ul` or `reset 208` (git-config(1), "color"). A `Palette` has
the escape sequence of each slot as bytes; a palette that is off has b"" for every slot, so that renderers need not
check whether colours are on.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..annotations import TYPE_CHECKING
from ..config.config import bad_boolean, parse_bool
from ..deferred import lazy_pattern
from ..errors import BadConfig, BadRequest, GitError, text

if TYPE_CHECKING:
    from typing import Protocol

    from ..limits import Context

    class Settings(Protocol):
        """The part of a configuration that is used here."""

        def get(self, key: str) -> bytes | None: ...
        def items(self) -> Iterable[tuple[bytes, bytes | None]]: ...
        def section_items(self, front: bytes) -> Iterable[tuple[bytes, bytes | None]]: ...

    class Strings(Protocol):
        """A configuration whose settings are strings."""

        def get_string(self, key: str) -> bytes | None: ...


RESET = b"\x1b[m"

_COLORS = {name: number for number, name in enumerate(b"black red green yellow blue magenta cyan white".split())}
_ATTRIBUTES = {
    b"bold": (1, 22),
    b"dim": (2, 22),
    b"italic": (3, 23),
    b"ul": (4, 24),
    b"blink": (5, 25),
    b"reverse": (7, 27),
}
_ATTRIBUTES[b"strike"] = (9, 29)
_RGB = lazy_pattern(rb"#[0-9a-fA-F]{6}\Z")
_NUMBER = lazy_pattern(rb"[+-]?[0-9]{1,9}\Z")


def parse_color(value: bytes) -> bytes:
    """The escape sequence of a colour value; b"" for `normal` and for an empty value. Mirrors git-config(1), "color".

    Raises GitError in git's words.
    """
    words = value.lower().split()
    if words == [b"reset"]:
        return RESET
    reset = False
    attributes: set[int] = set()
    colors: list[bytes] = []
    for word in words:
        color = _color(word, background=len(colors) == 1)
        if word == b"reset":
            reset = True
        elif color is not None and len(colors) < 2:
            colors.append(color)
        else:
            attribute = _attribute(word) if color is None else None
            if attribute is None:
                raise BadRequest(f"invalid color value: {text(value)}", prefix="error")
            attributes.add(attribute)
    codes = [b"%d" % code for code in sorted(attributes)] + [color for color in colors if color]
    if not codes and not reset:
        return b""
    return b"\x1b[" + b";".join(([b""] if reset else []) + codes) + b"m"


def _color(word: bytes, *, background: bool) -> bytes | None:
    """The codes of one colour word, b"" for `normal`, None if it is no colour."""
    if word == b"normal":
        return b""
    if word == b"default":
        return b"49" if background else b"39"
    shift = 10 if background else 0
    if word in _COLORS:
        return b"%d" % (30 + shift + _COLORS[word])
    if word.startswith(b"bright") and word[6:] in _COLORS:
        return b"%d" % (90 + shift + _COLORS[word[6:]])
    if _RGB.match(word):
        return b"%d;2;%d;%d;%d" % (38 + shift, int(word[1:3], 16), int(word[3:5], 16), int(word[5:7], 16))
    if _NUMBER.match(word):
        return _indexed(word, shift)
    return None


def _indexed(word: bytes, shift: int) -> bytes | None:
    """A colour of the palette of 256; -1 is `normal`."""
    number = int(word)
    if number == -1:
        return b""
    if not 0 <= number <= 255:
        return None
    if number < 8:
        return b"%d" % (30 + shift + number)
    if number < 16:
        return b"%d" % (82 + shift + number)
    return b"%d;5;%d" % (38 + shift, number)


def _attribute(word: bytes) -> int | None:
    negated = word.startswith(b"no")
    if negated:
        word = word[2:].removeprefix(b"-")
    codes = _ATTRIBUTES.get(word)
    return None if codes is None else codes[negated]


def configured_when(config: Settings, key: str) -> str | None:
    """The value of a colour setting ("always", "never", "auto"), None if it is not set. Raises BadConfig."""
    value = config.get(key)
    if value is None:
        return None
    word = value.lower()
    if word in (b"always", b"never", b"auto"):
        return word.decode()
    truth = parse_bool(value)
    if truth is None:
        raise bad_boolean(value, key.encode("utf-8", "surrogateescape"))
    return "auto" if truth else "never"


def want_color(config: Settings, group: str, when: str | None, is_tty: bool) -> bool:
    """Whether to colour: decided by `when` (the option's value), then color.<group>, then color.ui, then "auto"."""
    choice = when or configured_when(config, f"color.{group}") or configured_when(config, "color.ui") or "auto"
    return choice == "always" or (choice == "auto" and is_tty)


def is_never_colored(config: Settings, group: str, when: str | None) -> bool:
    """Whether the option or the group's own setting says "never" (color.ui does not count)."""
    return (when or configured_when(config, f"color.{group}")) == "never"


#: slot of a palette → its colour, unless the configuration (color.<group>.<slot>) sets another
_DEFAULTS: dict[str, bytes] = {
    "diff_context": b"normal",
    "diff_meta": b"bold",
    "diff_frag": b"cyan",
    "diff_func": b"normal",
    "diff_old": b"red",
    "diff_new": b"green",
    "diff_commit": b"yellow",
    "diff_whitespace": b"normal red",
    "diff_old_moved": b"bold magenta",
    "diff_old_moved_alternative": b"bold blue",
    "diff_old_moved_dimmed": b"dim",
    "diff_old_moved_alternative_dimmed": b"dim italic",
    "diff_new_moved": b"bold cyan",
    "diff_new_moved_alternative": b"bold yellow",
    "diff_new_moved_dimmed": b"dim",
    "diff_new_moved_alternative_dimmed": b"dim italic",
    "diff_context_dimmed": b"dim",
    "diff_old_dimmed": b"dim red",
    "diff_new_dimmed": b"dim green",
    "diff_context_bold": b"bold",
    "diff_old_bold": b"bold red",
    "diff_new_bold": b"bold green",
    "decorate_branch": b"bold green",
    "decorate_remote_branch": b"bold red",
    "decorate_tag": b"bold yellow",
    "decorate_stash": b"bold magenta",
    "decorate_head": b"bold cyan",
    "decorate_grafted": b"bold blue",
    "branch_reset": b"reset",
    "branch_plain": b"normal",
    "branch_remote": b"red",
    "branch_local": b"normal",
    "branch_current": b"green",
    "branch_upstream": b"blue",
    "branch_worktree": b"cyan",
    "status_header": b"normal",
    "status_added": b"green",
    "status_updated": b"green",
    "status_changed": b"red",
    "status_untracked": b"red",
    "status_no_branch": b"red",
    "status_unmerged": b"red",
    "status_local_branch": b"green",
    "status_remote_branch": b"red",
    "status_branch": b"normal",
    "grep_context": b"normal",
    "grep_filename": b"magenta",
    "grep_function": b"normal",
    "grep_linenumber": b"green",
    "grep_column": b"green",
    "grep_match_context": b"bold red",
    "grep_match_selected": b"bold red",
    "grep_selected": b"normal",
    "grep_separator": b"cyan",
    "blame_repeated_lines": b"cyan",
    "remote_hint": b"yellow",
    "remote_warning": b"bold yellow",
    "remote_success": b"bold green",
    "remote_error": b"bold red",
}

#: the slots as the configuration names them, after their groups
SLOTS = frozenset(slot.replace("_", "").encode() for slot in _DEFAULTS) | {b"diffplain", b"grepmatch"}

#: groups whose colours have an older spelling, `diff.color.new` for `color.diff.new`
_OLD_GROUPS = ("diff", "status")

#: slots with a second name in the configuration: the one that is set last is used
_ALIASES = {
    "diff_context": "color.diff.plain",
    "status_added": "color.status.updated",
    "status_updated": "color.status.added",
    "grep_match_context": "color.grep.match",
    "grep_match_selected": "color.grep.match",
}

_GRAPH = [b"red", b"green", b"yellow", b"blue", b"magenta", b"cyan"]
_GRAPH += [b"bold " + name for name in _GRAPH]


class Palette:
    """The colours of every slot; falsy, and b"" for every slot, if colours are off.

    Slots are attributes: `palette.diff_old`, `palette.branch_current`, `palette.reset`. Each is read from the
    configuration on first use; a value that is no colour raises GitError then.
    """

    def __init__(self, config: Settings, on: bool) -> None:
        self.on = on
        self.config = config
        self.reset = RESET if on else b""
        self.bold = b"\x1b[1m" if on else b""

    def __bool__(self) -> bool:
        return self.on

    def __getattr__(self, slot: str) -> bytes:
        default = _DEFAULTS.get(slot)
        if default is None:
            raise AttributeError(slot)
        value = self._read(slot, default) if self.on else b""
        setattr(self, slot, value)
        return value

    def _read(self, slot: str, default: bytes) -> bytes:
        group, _, name = slot.partition("_")
        keys = [f"color.{group}.{name.replace('_', '')}"]
        if slot in _ALIASES:
            keys.append(_ALIASES[slot])
        if group in _OLD_GROUPS:
            keys += [f"{group}.color.{key.rpartition('.')[2]}" for key in keys]
        given = [key for key in keys if self.config.get(key) is not None]
        key = given[0] if given else keys[0]
        if len(given) > 1:  # git reads all of the names in the order of the files
            spelled = {key.encode(): key for key in given}
            key = [spelled[name] for name, _ in self.config.items() if name in spelled][-1]
        value = self.config.get(key)
        try:
            return parse_color(default if value is None else value)
        except GitError as error:
            raise BadConfig(f"unable to parse '{key}' from command-line config", detail=error.message) from None

    def graph(self, config: Strings, ctx: Context) -> list[bytes]:
        """The colours of the columns of `log --graph` (log.graphColors); empty when off. Strange but git's: warns of
        those that are none also when off."""
        value = config.get_string("log.graphColors")
        if value is None:
            return [parse_color(name) for name in _GRAPH] if self.on else []
        colors = []
        for part in value.split(b","):
            try:
                colors.append(parse_color(part))
            except GitError as error:
                ctx.say(f"error: {error.message}\n".encode("utf-8", "surrogateescape"))
                ctx.warn(f"ignored invalid color '{text(part)}' in log.graphColors")
        return colors if self.on else []

    @property
    def blame_highlight_recent(self) -> bytes:
        """The text of color.blame.highlightRecent, or git's default."""
        value = self.config.get("color.blame.highlightrecent")
        return b"blue,12 month ago,white,1 month ago,red" if value is None else value


class _NoSettings:
    """A configuration without settings."""

    def get(self, key: str) -> bytes | None:
        return None

    def items(self) -> Iterable[tuple[bytes, bytes | None]]:
        return ()

    def section_items(self, front: bytes) -> Iterable[tuple[bytes, bytes | None]]:
        return ()


#: the palette without colours: it reads no settings
NO_COLORS = Palette(_NoSettings(), False)
for _slot in _DEFAULTS:
    setattr(NO_COLORS, _slot, b"")
