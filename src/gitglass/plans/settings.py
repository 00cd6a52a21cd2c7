"""Settings with invalid values that end a command even if it does not use them.

git reads its configuration before it does anything, entry by entry, and an invalid value ends the command:
`color.diff.meta=bogus` ends `git status --short`, `core.compression=10` nearly every command. The lists of which
commands read which settings were observed; other settings are checked where they are used. Mirrors git-config(1).
"""

from collections.abc import Callable

from ..config.config import Config, Entry, bad_boolean, bad_number, bad_value, missing_value, parse_bool, parse_int
from ..errors import BadConfig, GitError, text
from ..render.color import SLOTS, parse_color
from ..request.diff_values import parse_moved

__all__ = ["judge_settings"]

_NO_DEFAULTS = frozenset(["check-ref-format", "cherry", "config", "remote", "stripspace"])
_LOGS = frozenset(["format-patch", "log", "reflog", "show", "stash list", "whatchanged"])
_PORCELAIN = _LOGS | {"compare", "diff", "stash show", "status"}
_DIFFS = _PORCELAIN | {"diff-files", "diff-index", "diff-tree"}
_COLORED = _PORCELAIN - {"format-patch"}
_GREPS = _LOGS | {"grep"}
_BLAMES = frozenset(["annotate", "blame"])
_STATUS = frozenset(["status"])
_BRANCH = frozenset(["branch"])
_STASHES = frozenset(["stash list", "stash show"])
_MAILS = frozenset(["format-patch"])

#: groups of colours → the commands that read them
_PALETTES = {
    b"diff": _DIFFS, b"status": _STATUS, b"branch": _BRANCH, b"decorate": _LOGS, b"grep": _GREPS,
}  # fmt: skip
_ALGORITHMS = frozenset([b"myers", b"default", b"minimal", b"patience", b"histogram"])
_HIGHLIGHTS = frozenset([b"", b"none", b"default", b"all", b"new", b"old", b"context"])
_SPACES = (
    "'ignore-space-change', 'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'"  # in git's order
)


def _boolean(entry: Entry) -> GitError | None:
    return bad_boolean(entry.value or b"", entry.key) if parse_bool(entry.value) is None else None


def _or(*words: bytes) -> Callable[[Entry], GitError | None]:
    """A check for a truth value, or one of some words."""
    return lambda entry: None if (entry.value or b"").lower() in words else _boolean(entry)


def _number(entry: Entry, low: int = -(1 << 31), high: int = (1 << 31) - 1) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    number = parse_int(entry.value)
    return None if number is not None and low <= number <= high else bad_number(entry.value, entry.key)


def _size(entry: Entry) -> GitError | None:
    """A check for a number of bytes."""
    if (entry.value or b"").lstrip().startswith(b"-"):
        value = text(entry.value or b"")
        return BadConfig(f"bad numeric config value '{value}' for '{text(entry.key)}': invalid unit")
    return _number(entry, 0, (1 << 64) - 1)


def _compression(entry: Entry) -> GitError | None:
    wrong = _number(entry)
    level = parse_int(entry.value)
    if wrong is None and level is not None and not -1 <= level <= 9:
        return BadConfig(f"bad zlib compression level {level}")
    return wrong


def _lines(entry: Entry) -> GitError | None:
    wrong = _number(entry)
    return bad_value(entry) if wrong is None and (parse_int(entry.value) or 0) < 0 else wrong


def _threads(entry: Entry) -> GitError | None:
    wrong = _number(entry)
    count = parse_int(entry.value) or 0
    if wrong is None and count < 0:
        return BadConfig(f"invalid number of threads specified ({count}) for {text(entry.key)}")
    return wrong


def _explained(entry: Entry, why: str) -> GitError:
    return BadConfig(f"{why}\nfatal: {bad_value(entry).message}", prefix="error", key=text(entry.key))


def _comment(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    if len(entry.value) == 1 or entry.value.lower() == b"auto":
        return None
    return _explained(entry, "core.commentChar should only be one character")


def _moved_spaces(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    words = [word.strip() for word in text(entry.value).split(",")]
    for word in words:
        if word != "no" and f"'{word}'" not in _SPACES:
            return _explained(entry, f"unknown color-moved-ws mode '{word}', possible values are {_SPACES}")
    return None


def _moved(entry: Entry) -> GitError | None:
    if parse_moved(text(entry.value or b"true")) is not None:
        return None
    modes = "'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'"
    return _explained(entry, f"color moved setting must be one of {modes}")


def _algorithm(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    return None if entry.value.lower() in _ALGORITHMS else bad_value(entry)


def _highlights(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    return None if _HIGHLIGHTS.issuperset(entry.value.split(b",")) else bad_value(entry)


def _submodules(entry: Entry) -> GitError | None:
    if entry.value is None:
        return missing_value(entry)
    if entry.value in (b"all", b"untracked", b"dirty", b"none"):
        return None
    return BadConfig(f"bad --ignore-submodules argument: {text(entry.value)}")


def _word(entry: Entry) -> GitError | None:
    return missing_value(entry) if entry.value is None else None


def _recent(entry: Entry) -> GitError | None:
    """A check of color.blame.highlightRecent: colours with dates between them."""
    if entry.value is None:
        return missing_value(entry)
    for color in entry.value.split(b",")[::2]:
        if not _is_color(color):
            why = f"invalid color value: {text(color)}\nfatal: expecting a color: {text(color)}"
            return BadConfig(why, prefix="error")
    return None


def _is_color(value: bytes) -> bool:
    try:
        parse_color(value)
    except GitError:
        return False
    return True


def _color(entry: Entry, group: bytes, slot: bytes) -> GitError | None:
    if group + slot not in SLOTS:
        return bad_value(entry) if group == b"grep" else None
    if entry.value is None:
        return missing_value(entry)
    return None if _is_color(entry.value) else _explained(entry, f"invalid color value: {text(entry.value)}")


_Judge = Callable[[Entry], GitError | None]
_when = _or(b"always", b"never", b"auto")


_Rules = dict[bytes, tuple[frozenset[str], _Judge]]


def _all(commands: frozenset[str], judge: _Judge, section: str, names: str) -> _Rules:
    return {f"{section}.{name}".encode(): (commands, judge) for name in names.split()}


_EVERYONE: frozenset[str] = frozenset()  # all except _NO_DEFAULTS
_RULES: _Rules = {
    **_all(_EVERYONE, _boolean, "core", "bare filemode ignorecase symlinks trustctime precomposeunicode quotepath"),
    **_all(_EVERYONE, _boolean, "core", "preloadindex warnambiguousrefs sparsecheckout prefersymlinkrefs protecthfs"),
    **_all(_EVERYONE, _or(b"always"), "core", "logallrefupdates"),
    **_all(_EVERYONE, _or(b"input"), "core", "autocrlf"),
    **_all(_EVERYONE, _or(b"warn"), "core", "safecrlf"),
    **_all(_EVERYONE, _size, "core", "packedgitlimit packedgitwindowsize deltabasecachelimit bigfilethreshold"),
    **_all(_EVERYONE, _compression, "core", "compression loosecompression"),
    **_all(_EVERYONE, _comment, "core", "commentchar"),
    **_all(_EVERYONE, _boolean, "advice", "detachedhead statushints statusuoption statusaheadbehindwarning"),
    **_all(_EVERYONE, _boolean, "advice", "objectnamewarning implicitidentity ignoredhook pushupdaterejected"),
    **_all(_COLORED, _when, "color", "diff"),
    **_all(_STATUS, _when, "color", "status"),
    **_all(_BRANCH, _when, "color", "branch"),
    **_all(_GREPS, _when, "color", "grep"),
    **_all(_COLORED | {"branch", "grep", "tag"}, _when, "color", "ui"),
    **_all(_BLAMES, _recent, "color", "blame.highlightrecent"),
    **_all(_PORCELAIN, _lines, "diff", "context interhunkcontext"),
    **_all(_PORCELAIN, _algorithm, "diff", "algorithm"),
    **_all(_PORCELAIN, _moved, "diff", "colormoved"),
    **_all(_DIFFS, _highlights, "diff", "wserrorhighlight"),
    **_all(_PORCELAIN, _number, "diff", "statgraphwidth"),
    **_all(_PORCELAIN, _boolean, "diff", "relative autorefreshindex noprefix mnemonicprefix"),
    **_all(_PORCELAIN, _or(b"copies", b"copy"), "diff", "renames"),
    **_all(_PORCELAIN, _moved_spaces, "diff", "colormovedws"),
    **_all(_PORCELAIN, _submodules, "diff", "ignoresubmodules"),
    **_all(_DIFFS, _boolean, "diff", "suppressblankempty"),
    **_all(_DIFFS | _BLAMES, _boolean, "diff", "indentheuristic"),
    **_all(_LOGS, _boolean, "log", "follow showroot mailmap abbrevcommit showsignature"),
    **_all(_LOGS, _boolean, "format", "encodeemailheaders"),
    **_all(_LOGS, _word, "format", "pretty subjectprefix"),
    **_all(_LOGS, _word, "notes", "displayref"),
    **_all(_GREPS, _boolean, "grep", "linenumber column extendedregexp fullname"),
    **_all(frozenset(["grep"]), _threads, "grep", "threads"),
    **_all(_BLAMES, _boolean, "blame", "showroot blankboundary showemail"),
    **_all(_STASHES, _boolean, "stash", "showpatch showstat showincludeuntracked"),
    **_all(_MAILS, _boolean, "format", "numbered signoff"),
    **_all(_STATUS, _boolean, "status", "relativepaths showstash displaycommentprefix aheadbehind branch short"),
    **_all(frozenset(["tag"]), _boolean, "tag", "gpgsign"),
}


def judge_settings(command: str, config: Config) -> None:
    """Raise git's error about the first invalid setting among those that `command` reads. BadConfig."""
    for entry in config.entries:
        wrong = _judged(command, entry)
        if wrong is not None:
            raise wrong


def _judged(command: str, entry: Entry) -> GitError | None:
    rule = _RULES.get(entry.key)
    if rule is not None:
        commands, judge = rule
        reads = command in commands if commands else command.partition(" ")[0] not in _NO_DEFAULTS
        return judge(entry) if reads else None
    section, _, name = entry.key.partition(b".")
    group, _, slot = name.partition(b".")
    if section in (b"diff", b"status") and group == b"color":  # the older name of color.diff.<slot>
        section, group = b"color", section
    if section == b"color" and command in _PALETTES.get(group, ()):
        return _color(entry, group, slot)
    return None
