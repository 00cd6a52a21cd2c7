"""What `git rev-parse --parseopt` answers a shell script: a line to be evaluated, or the script's usage."""

from collections.abc import Iterator, Sequence

from ..errors import report
from ..limits import Context
from ..revs.parse_args import quote_for_shell
from .options import Option, completions, usage_text
from .spec import Spec, read_spec
from .words import Complaint, Completion, Reader, Usage

_USAGE_STATUS = 129
_OWN_USAGE = [b"git rev-parse --parseopt [<options>] -- [<args>...]"]
_KEEP, _STOP, _STUCK = b"keep-dashdash", b"stop-at-non-option", b"stuck-long"
_OWN_OPTIONS = [
    Option(long=_KEEP, help=b"hand on a `--` that ends the options"),
    Option(long=_STOP, help=b"the first argument ends the options"),
    Option(long=_STUCK, help=b"write long options, with their values behind ="),
]


def parse_program(args: Sequence[bytes], data: bytes, *, ctx: Context) -> Iterator[bytes]:
    """What is printed for the words behind `--parseopt`; `data` is the declaration on standard input.

    Sets `ctx.exit_status` to 129 where a usage or a complaint about a word is the answer. Raises BadRequest for a bad
    declaration. git-rev-parse(1), "PARSEOPT".
    """
    chosen: dict[bytes, bool] = {}

    def choose(option: Option, value: bytes | None, negated: bool) -> None:
        chosen[option.long or b""] = not negated

    own = Spec(_OWN_USAGE, _OWN_OPTIONS)
    try:
        words = Reader(_OWN_OPTIONS, choose, dashdash=True, ctx=ctx).read(args)
        if words[:1] != [b"--"]:
            raise Usage(is_error=True)
    except (Usage, Completion, Complaint) as asked:
        yield from _answer(asked, own, ctx)
        return
    spec = read_spec(data, ctx=ctx)
    line = [b"set --"]

    def dump(option: Option, value: bytes | None, negated: bool) -> None:
        line.append(_word(option, value, negated, chosen.get(_STUCK, False)))

    reader = Reader(spec.options, dump, dashdash=chosen.get(_KEEP, False), stop=chosen.get(_STOP, False), ctx=ctx)
    try:
        rest = reader.read(words[1:])
    except (Usage, Completion, Complaint) as asked:
        yield from _answer(asked, spec, ctx, is_evaluated=True)
        return
    yield b"".join([*line, b" --", *(b" " + quote_for_shell(word) for word in rest), b"\n"])


def _word(option: Option, value: bytes | None, negated: bool, stuck: bool) -> bytes:
    """One option as the script sees it; with `stuck`, long where it has a long name."""
    if negated:
        return b" --no-" + (option.long or b"")
    is_short = option.short and (option.long is None or not stuck)
    word = b" -" + option.short if is_short else b" --" + (option.long or b"")
    if value is None:
        return word
    joint = b" " if not stuck else b"" if option.long is None else b"="
    return word + joint + quote_for_shell(value)


def _answer(
    asked: Usage | Completion | Complaint, spec: Spec, ctx: Context, *, is_evaluated: bool = False
) -> Iterator[bytes]:
    """The usage where it belongs; `is_evaluated`: on stdout it is a command that prints it, for the script's `eval`."""
    if isinstance(asked, Completion):
        yield completions(spec.options, hidden=asked.every)
        return
    ctx.exit_status = _USAGE_STATUS
    if isinstance(asked, Complaint):
        ctx.say(report(asked.line))
        return
    if asked.complaint:
        ctx.say(report(asked.complaint))
    usage = usage_text(spec.usage, spec.options, hidden=asked.every)
    if asked.is_error:
        ctx.say(usage)
    elif is_evaluated:
        yield b"cat <<\\EOF\n" + usage + b"EOF\n"
    else:
        yield usage
