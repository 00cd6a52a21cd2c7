"""Options as a program declares them for git's parser, and the usage text that lists them in two columns."""

from collections.abc import Iterable, Sequence

from ..errors import BadRequest, text
from ..records import record
from ..render.width import display_width

_COLUMN = 24  # the names take so many columns, and two spaces follow
_GAP = 2
_LITERAL = b"()<>[]|"  # a hint with one of these is shown as it is, any other in angle brackets
_DELETE = b"\x7f"  # the first character that git does not take for the name of a switch


@record(frozen=True)
class Option:
    """One option, or with neither name the heading of a group. `value`: "no", "must", or "may" follow."""

    short: bytes = b""
    long: bytes | None = None
    value: str = "no"
    negatable: bool = True
    hidden: bool = False
    hint: bytes | None = None
    help: bytes = b""
    heading: bool = False

    def label(self) -> bytes:
        """The option as git's complaints about a declaration name it."""
        if self.short and self.long is not None:
            return b"switch '" + self.short + b"' (--" + self.long + b")"
        return b"option '" + self.long + b"'" if self.long is not None else b"switch '" + self.short + b"'"


def check_options(options: Iterable[Option]) -> None:
    """What git takes for a mistake of the program's. git aborts there (SIGABRT); here it is a BadRequest."""
    used: set[bytes] = set()
    for option in options:
        why = ""
        if option.short == _DELETE:
            why = "invalid short name"
        elif option.short and option.short in used:
            why = "short name already used"
        elif option.hint is not None and (b" " in option.hint or b"_" in option.hint):
            why = "multi-word argh should use dash to separate words"
        if why:
            raise BadRequest(f"{text(option.label())} {why}")
        used.add(option.short)


def usage_text(lines: Sequence[bytes], options: Sequence[Option], *, hidden: bool = False) -> bytes:
    """The usage as git's parser prints it: the lines of the synopsis, a paragraph behind an empty one, the options.

    `hidden`: those as well that are declared hidden (`--help-all`).
    """
    out = list(_synopsis(lines))
    is_apart = False
    for option in options:
        if option.heading:
            out.append(b"\n" + (option.help + b"\n" if option.help else b""))
        elif option.hidden and not hidden:
            continue
        else:
            out.append((b"" if is_apart else b"\n") + _row(option))
        is_apart = True
    return b"".join([*out, b"\n"])


def _synopsis(lines: Sequence[bytes]) -> Iterable[bytes]:
    prefix, is_text = b"usage: ", False
    for line in lines:
        is_text = is_text or not line
        if is_text:
            yield b"    " + line + b"\n" if line else b"\n"
        else:
            yield prefix + line + b"\n"
        prefix = b"   or: "


def _row(option: Option) -> bytes:
    names = [b"-" + option.short] if option.short else []
    if option.long is not None:
        names.append(b"--" + option.long)
    head, hint = b"    " + b", ".join(names), b"" if option.value == "no" else _hint(option)
    width = len(head) + display_width(hint)  # strange but git's: names are as wide as they have bytes
    head += hint
    if width > _COLUMN:
        return head + b"\n" + b" " * (_COLUMN + _GAP) + option.help + b"\n"
    return head + b" " * (_COLUMN + _GAP - width) + option.help + b"\n"


def _hint(option: Option) -> bytes:
    hint = b"..." if option.hint is None else option.hint
    if option.hint is not None and not any(sign in hint for sign in _LITERAL):
        hint = b"<" + hint + b">"
    if option.value == "must":
        return b" " + hint
    return b"[" + (b"" if option.long is None else b"=") + hint + b"]"


def completions(options: Sequence[Option], *, hidden: bool = False) -> bytes:
    """The words that git's completion for bash asks for (`--git-completion-helper`), on one line.

    Behind them stand what options named `no-…` negate, then the negations. Strange but git's: all but the first
    negation stand behind `--`, or all of them where there is an option named `no-…`.
    """
    shown = [one for one in options if one.long is not None and (hidden or not one.hidden)]
    words = [b"--%b%b" % (one.long or b"", b"=" if one.value == "must" else b"") for one in shown]
    line = b" ".join(words)
    if shown and options[0] is not shown[0]:
        line = b" " + line  # strange but git's: a space before each but the first option of all
    turned = [one.long or b"" for one in shown if one.negatable]
    positive = [b" --" + name[3:] for name in turned if name.startswith(b"no-")]
    negative = [b" --no-" + name for name in turned if not name.startswith(b"no-")]
    first = 0 if any((one.long or b"").startswith(b"no-") for one in shown) else 1
    if len(negative) > first:
        negative.insert(first, b" --")
    return b"".join([line, *positive, *negative, b"\n"])
