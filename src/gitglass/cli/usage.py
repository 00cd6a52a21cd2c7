"""`-h`: a command's usage, made from the spellings that its request declares."""

from ..commands.command import Command
from ..request.declared import fields_of
from ..request.flag import Flag

COLUMN = 30

#: Commands whose usage git prints on stderr, if `-h` is the only option.
ON_STDERR = frozenset((
    "branch", "check-ref-format", "diff", "diff-files", "diff-index", "diff-tree", "ls-files", "rev-list",
    "rev-parse", "status", "var",
))  # fmt: skip


def usage(command: Command) -> bytes:
    """The complete help text of a command; git prints it and exits with 129."""
    lines = [f"usage: {_synopsis(command)}"]
    if command.summary:
        lines += ["", f"    {command.summary}"]
    options = []
    for name, field in fields_of(command.request).items():
        flags = [flag for flag in field.metadata if isinstance(flag, Flag)]
        # requests of writing commands keep many switches in one field, whose description describes none of them
        about = "" if name == "switches" else field.description or ""
        options += [_line(flag, about) for flag in flags]
    if options:
        lines += ["", *options]
    if command.refused:
        lines += [
            "",
            "refused, as gitglass only reads:",
            *(f"    {name:<26}{why}" for name, why in command.refused.items()),
        ]
    return "\n".join([*lines, ""]).encode()


def _synopsis(command: Command) -> str:
    """The command with its arguments; several forms are on lines of their own, after `or:`, as in git."""
    words = (command.usage or "[<options>]").strip("\n").removeprefix("usage: ")
    return words if words.startswith("git ") else f"git {command.name} {words}"


def _line(flag: Flag, description: str) -> str:
    names = ", ".join("-<n>" if name == "-NUM" else name for name in flag.names)
    if flag.value is not None and flag.names != ("-NUM",):
        joined = "=" if flag.names[-1].startswith("--") else ""
        names += f"[{joined}<{flag.value}>]" if flag.optional else f"{joined or ' '}<{flag.value}>"
    head = f"    {names}"
    if not description:
        return head
    return f"{head:<{COLUMN}}{description}" if len(head) < COLUMN else f"{head}\n{'':<{COLUMN}}{description}"
