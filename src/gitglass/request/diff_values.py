"""Parses the values of diff options as git does: similarities, widths, modes; with git's errors about invalid ones."""

from collections.abc import Callable, Mapping
from itertools import zip_longest

from ..errors import BadRequest, InvalidArgs

MAX_SCORE = 60000
_CLASSES = "ACDMRTUXB*"


def not_negated(held: object) -> object:
    """Raise git's error about a negation that it parses and cannot carry out (it aborts)."""
    raise BadRequest("option callback does not expect negation", prefix="BUG")


def parse_score(text: str) -> tuple[int, str]:
    """A similarity such as `50`, `5`, `.5` or `50%` → (of 60000, the rest of the text)."""
    number, scale, dot, at = 0, 1, False, 0
    while at < len(text):
        letter = text[at]
        if not dot and letter == ".":
            scale, dot = 1, True
        elif letter == "%":
            scale = scale * 100 if dot else 100
            at += 1
            break
        elif letter.isascii() and letter.isdigit():
            if scale < 100000:
                scale *= 10
                number = number * 10 + int(letter)
        else:
            break
        at += 1
    return (MAX_SCORE if number >= scale else MAX_SCORE * number // scale), text[at:]


def score(option: str) -> Callable[[str], object]:
    def parse(text: str) -> int:
        score, rest = parse_score(text)
        if rest:
            raise InvalidArgs(f"invalid argument to {option}")
        return score

    return parse


def rewrites(text: str) -> str:
    _, rest = parse_score(text)
    if rest:
        if not rest.startswith("/"):
            raise InvalidArgs("break-rewrites expects <n>/<m> form")
        if parse_score(rest[1:])[1]:
            raise InvalidArgs("break-rewrites expects <n>/<m> form")
    return text


def number(option: str, empty: str = "0") -> Callable[[str], object]:
    """The reader of a number; `empty` is the meaning of an empty text (strtoul(3) gives 0)."""

    def parse(text: str) -> int:
        try:
            return int(text or empty, 10)
        except ValueError:
            raise InvalidArgs(f"{option} expects a numerical value") from None

    return parse


def stat_widths(text: str) -> Callable[[str | None], str]:
    """Widths that a later --stat does not give keep the values of an earlier one."""
    parts = text.split(",")
    if len(parts) > 3 or any(part and not part.lstrip("+-").isdigit() for part in parts):
        raise InvalidArgs(f"invalid --stat value: {text}")
    parts = [part or "0" for part in parts]  # `--stat=,20`: the width is the default again

    def onto(have: str | None) -> str:
        before = (have or "").split(",")
        return ",".join(part or old for part, old in zip_longest(parts, before, fillvalue=""))

    return onto


def same_widths(have: str | None) -> str:
    """A --stat without widths does not change them."""
    return have or ""


_WIDTHS = ("stat_width", "stat_name_width", "stat_count")


def stat_overrules(widths: str) -> Mapping[str, object]:
    """The other fields that `--stat=<widths>` resets: of two options for one width the later one counts."""
    return {name: None for name, width in zip(_WIDTHS, widths.split(","), strict=False) if width}


def overrules_stat(at: int) -> Mapping[str, object]:
    """The other fields that an option for one of the widths sets: that width of `--stat` is dropped."""

    def without(have: str | None) -> str | None:
        return have and ",".join("" if n == at else width for n, width in enumerate(have.split(",")))

    return {"stat_implied": True, "stat": without}


def classes(text: str) -> str:
    for letter in text:
        if letter.upper() not in _CLASSES:
            raise InvalidArgs(f"unknown change class '{letter}' in --diff-filter={text}")
    return text


def character(option: str) -> Callable[[str], object]:
    def parse(text: str) -> str:
        if len(text) != 1:
            raise InvalidArgs(f"{option} expects a character, got '{text}'")
        return text

    return parse


def diff_algorithm(text: str) -> str:
    name = text.lower()
    if name == "default":
        return "myers"
    if name not in ("myers", "minimal", "patience", "histogram"):
        raise InvalidArgs('option diff-algorithm accepts "myers", "minimal", "patience" and "histogram"')
    return name


def parse_moved(text: str) -> str | None:
    """The mode of --color-moved and diff.colorMoved; None for an invalid one."""
    if text.lower() in ("no", "false", "off", "0", ""):
        return "no"
    if text.lower() in ("true", "yes", "on", "1", "default"):
        return "zebra"
    if text == "dimmed_zebra":
        return "dimmed-zebra"
    return text if text in ("plain", "blocks", "zebra", "dimmed-zebra") else None


def moved(text: str) -> str:
    mode = parse_moved(text)
    if mode is None:
        raise InvalidArgs(
            "color moved setting must be one of 'no', 'default', 'blocks', 'zebra', 'dimmed-zebra', 'plain'\n"
            f"error: bad --color-moved argument: {text}"
        )
    return mode


_MOVED_WS = ("ignore-space-change", "ignore-space-at-eol", "ignore-all-space", "allow-indentation-change")


def moved_ws(text: str) -> str:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in (*_MOVED_WS, "no"):
            raise InvalidArgs(
                f"unknown color-moved-ws mode '{word}', possible values are 'ignore-space-change', "
                "'ignore-space-at-eol', 'ignore-all-space', 'allow-indentation-change'\n"
                f"error: invalid mode '{text}' in --color-moved-ws"
            )
    if "allow-indentation-change" in words and len(words) > 1:
        raise InvalidArgs(
            "color-moved-ws: allow-indentation-change cannot be combined with other whitespace modes\n"
            f"error: invalid mode '{text}' in --color-moved-ws"
        )
    return text


def highlight(text: str) -> str:
    for word in text.split(",") if text else ():
        if word not in ("none", "default", "all", "new", "old", "context"):
            raise InvalidArgs(f"unknown value after ws-error-highlight={text[: text.find(word)]}")
    return text


def word_diff(text: str) -> str:
    if text not in ("plain", "color", "porcelain", "none"):
        raise InvalidArgs(f"bad --word-diff argument: {text}")
    return text


def some_word_diff(held: str | None) -> str:
    """`--word-diff` alone enables word diffs, and keeps the mode of an earlier option (`--color-words`)."""
    return "plain" if held in (None, "none") else str(held)


def submodule(text: str) -> str:
    if text not in ("log", "short", "diff"):
        raise InvalidArgs(f"failed to parse --submodule option parameter: '{text}'")
    return text


def ignore_submodules(text: str) -> str:
    if text not in ("all", "untracked", "dirty", "none"):
        raise BadRequest(f"bad --ignore-submodules argument: {text}")
    return text


#: --diff-merges and log.diffMerges; "on" means the configured mode
MERGES = {
    "off": "off",
    "none": "off",
    "1": "first-parent",
    "first-parent": "first-parent",
    "m": "on",
    "on": "on",
    "separate": "separate",
    "c": "combined",
    "combined": "combined",
    "cc": "dense",
    "dense-combined": "dense",
    "r": "remerge",
    "remerge": "remerge",
}


def merges(text: str) -> str:
    try:
        return MERGES[text]
    except KeyError:
        raise BadRequest(f"invalid value for '--diff-merges': '{text}'") from None
