"""Whether the value of a setting is one that git takes, and what it says of another: a function for each kind of value.

Each takes the setting's entry and answers git's error, None for a value that is fine. Mirrors git-config(1), "Values".
"""

from collections.abc import Callable

from ..annotations import TYPE_CHECKING
from ..config.config import Entry, bad_boolean, bad_number, bad_value, missing_value, parse_bool, parse_int
from ..deferred import deferred
from ..errors import BadConfig, GitError, text
from ..render.color import SLOTS, parse_color
from ..request.diff_values import parse_moved

if TYPE_CHECKING:
    from ..diff.lines.whitespace import parse_rule
else:
    parse_rule = deferred(__name__, "..diff.lines.whitespace", "parse_rule")

Judge = Callable[[Entry], GitError | None]
_ALGORITHMS = frozenset([b"myers", b"default", b"minimal", b"patience", b"histogram"])
_HIGHLIGHTS = frozenset([b"", b"none", b"default", b"all", b"new", b"old", b"context"])
_SPACES = (
    "'ignore-space-change', 'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'"  # in git's order
)


def boolean(entry: Entry) -> GitError | None:
    return bad_boolean(entry.value or b"", entry.key) if parse_bool(entry.value) is None else None


def or_words(*words: bytes) -> Callable[[Entry], GitError | None]:
    """A check for a truth value, or one of some words."""
    return lambda entry: None if (entry.value or b"").lower() in words else boolean(entry)


def number(entry: Entry, low: int = 1 - (1 << 31), high: int = (1 << 31) - 1) -> GitError | None:
    number = parse_int(entry.value or b"")
    return None if number is not None and low <= number <= high else bad_number(entry.value or b"", entry.key)


def size(entry: Entry) -> GitError | None:
    """A check for a number of bytes."""
    if (entry.value or b"").lstrip().startswith(b"-"):
        value = text(entry.value or b"")
        return BadConfig(f"bad numeric config value '{value}' for '{text(entry.key)}': invalid unit")
    return number(entry, 0, (1 << 64) - 1)


def compression(entry: Entry) -> GitError | None:
    wrong = number(entry)
    level = parse_int(entry.value)
    if wrong is None and level is not None and not -1 <= level <= 9:
        return BadConfig(f"bad zlib compression level {level}")
    return wrong


def lines(entry: Entry) -> GitError | None:
    wrong = number(entry)
    return bad_value(entry) if wrong is None and (parse_int(entry.value) or 0) < 0 else wrong


def threads(entry: Entry) -> GitError | None:
    wrong = number(entry)
    count = parse_int(entry.value) or 0
    if wrong is None and count < 0:
        return BadConfig(f"invalid number of threads specified ({count}) for {text(entry.key)}")
    return wrong


def _explained(entry: Entry, why: str) -> GitError:
    return BadConfig(f"{why}\nfatal: {bad_value(entry).message}", prefix="error", key=text(entry.key))


def comment(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    if len(entry.value) == 1 or entry.value.lower() == b"auto":
        return None
    return _explained(entry, "core.commentChar should only be one character")


def moved_spaces(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    words = [part.strip() for part in text(entry.value).split(",")]
    for mode in words:
        if mode != "no" and f"'{mode}'" not in _SPACES:
            return _explained(entry, f"unknown color-moved-ws mode '{mode}', possible values are {_SPACES}")
    counted = words[len(words) - words[::-1].index("no") :] if "no" in words else words  # it takes back those before
    if "allow-indentation-change" in counted and len(set(counted)) > 1:
        why = "color-moved-ws: allow-indentation-change cannot be combined with other whitespace modes"
        return _explained(entry, why)
    return None


def moved(entry: Entry) -> GitError | None:
    if parse_moved(text(entry.value or b"true")) is not None:
        return None
    modes = "'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'"
    return _explained(entry, f"color moved setting must be one of {modes}")


def algorithm(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    return None if entry.value.lower() in _ALGORITHMS else bad_value(entry)


def highlights(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    return None if _HIGHLIGHTS.issuperset(entry.value.split(b",")) else bad_value(entry)


def submodules(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    if entry.value in (b"all", b"untracked", b"dirty", b"none"):
        return None
    return BadConfig(f"bad --ignore-submodules argument: {text(entry.value)}")


def word(entry: Entry) -> GitError | None:
    return missing_value(entry) if entry.value is None else None


def whitespace(entry: Entry) -> GitError | None:
    """A check of core.whitespace, of which every command reads two words that exclude each other."""
    if entry.value is None:
        return missing_value(entry)
    try:
        parse_rule(entry.value)
    except GitError as error:
        return error
    return None


def recent(entry: Entry) -> GitError | None:
    """A check of color.blame.highlightRecent: colours with dates between them."""
    if entry.value is None:
        return missing_value(entry)
    for shade in entry.value.split(b",")[::2]:
        if not _is_color(shade):
            why = f"invalid color value: {text(shade)}\nfatal: expecting a color: {text(shade)}"
            return BadConfig(why, prefix="error")
    return None


def _is_color(value: bytes) -> bool:
    try:
        parse_color(value)
    except GitError:
        return False
    return True


def color(entry: Entry, group: bytes, slot: bytes) -> GitError | None:
    if group + slot not in SLOTS:
        return bad_value(entry) if group == b"grep" else None
    if entry.value is None:
        return missing_value(entry)
    return None if _is_color(entry.value) else _explained(entry, f"invalid color value: {text(entry.value)}")


def abbrev(entry: Entry) -> GitError | None:
    """A check of core.abbrev. The longest is that of SHA-1: a repository of SHA-256 is not looked at."""
    value = entry.value
    if value is None:
        return missing_value(entry)
    if value.lower() == b"auto" or value.lower() in (b"", b"no", b"off", b"false"):
        return None
    wrong, length = number(entry), parse_int(value) or 0
    if wrong is None and not 4 <= length <= 64:
        return _explained(entry, f"abbrev length out of range: {length}")
    return wrong


def creation(entry: Entry) -> GitError | None:
    """A check of core.createObject."""
    if entry.value in (b"rename", b"link"):
        return None
    return BadConfig(f"invalid mode for object creation: {text(entry.value or b'')}", key=text(entry.key))


def pushed(entry: Entry) -> GitError | None:
    """A check of push.default."""
    value = entry.value
    if value is None:
        return missing_value(entry)
    if value in (b"nothing", b"matching", b"simple", b"upstream", b"tracking", b"current"):
        return None
    one = "must be one of nothing, matching, simple, upstream or current"
    return _explained(entry, f"malformed value for push.default: {text(value)}\nerror: {one}")


def one_of(complaint: str, *words: bytes, fold: bool = False) -> Judge:
    """A check for one of some words, with `fold` in any case; `complaint` is what git says of another, with `{key}` and
    `{value}` in it."""

    def judged(entry: Entry) -> GitError | None:
        if entry.value is None:
            return missing_value(entry)
        if (entry.value.lower() if fold else entry.value) in words:
            return None
        return _explained(entry, complaint.format(key=text(entry.key), value=text(entry.value)))

    return judged


def shared(entry: Entry) -> GitError | None:
    """A check of core.sharedRepository: words, a truth value, or the permissions of files in octal digits."""
    value = entry.value
    if value is None or value in (b"umask", b"group", b"all", b"world", b"everybody"):
        return None
    if not value or value.strip(b"01234567"):
        return boolean(entry)
    mode = int(value, 8)
    if mode in (0, 1, 2) or mode & 0o600 == 0o600:
        return None
    kept = "The owner of files must always have read and write permissions."
    return BadConfig(f"problem with core.sharedRepository filemode value (0{mode:03o}).\n{kept}")


def cleanup(entry: Entry) -> GitError | None:
    """A check of commit.cleanup."""
    if entry.value is None:
        return missing_value(entry)
    if entry.value in (b"default", b"verbatim", b"whitespace", b"strip", b"scissors"):
        return None
    return BadConfig(f"Invalid cleanup mode {text(entry.value)}", key=text(entry.key))


def style(entry: Entry) -> GitError | None:
    """A check of merge.conflictStyle."""
    if entry.value is None:
        return missing_value(entry)
    if entry.value in (b"merge", b"diff3", b"zdiff3"):
        return None
    return BadConfig(f"unknown style '{text(entry.value)}' given for 'merge.conflictstyle'", key=text(entry.key))


def backend(entry: Entry) -> GitError | None:
    """A check of rebase.backend."""
    if entry.value is None:
        return missing_value(entry)
    if entry.value.lower() in (b"apply", b"merge"):
        return None
    return BadConfig(f"Unknown rebase backend: {text(entry.value)}", key=text(entry.key))


untracked = one_of("Invalid untracked files mode '{value}'", b"no", b"normal", b"all")
when = or_words(b"always", b"never", b"auto")
