"""`help`, and `--help` after a command: the overview, the list of commands, or a command's usage.

git shows manual pages; gitglass has none, so for a name without a usage it answers as git does on a machine without the
page.
"""

from __future__ import annotations

from ..commands.registry import NAMES, find
from ..errors import InvalidArgs, Unsupported
from .unknown import is_command, unknown_command
from .usage import usage

_LISTING = {"-a": "--all", "--all": "--all", "-g": "--guides", "--guides": "--guides"}
_GUIDES = (
    ("docs/guide.md", "how the library and the command line are used"),
    ("docs/agents.md", "the tools of agents, and the MCP server"),
    ("docs/errors.md", "errors and their codes"),
    ("docs/limits.md", "what a call may take"),
    ("docs/shortcomings.md", "what differs from git"),
    ("docs/glossary.md", "the words"),
)
_REFUSED = {
    "-c": "it has no list of settings",
    "--config": "it has no list of settings", "--user-interfaces": "it has no guides",
    "--developer-interfaces": "it has no guides", "-m": "it has no manual pages", "--man": "it has no manual pages",
    "-i": "it has no manual pages", "--info": "it has no manual pages", "-w": "it opens no browser",
    "--web": "it opens no browser",
}  # fmt: skip


def named_page(words: list[str]) -> str:
    """The only command whose page is wanted; "" for the overview or the list. Raises Unsupported and InvalidArgs."""
    for word in words:
        if word in _REFUSED:
            raise Unsupported(
                f"gitglass help does not take {word}: {_REFUSED[word]}", status=129, prefix="error", option=word
            )
        if word.startswith("-") and word not in _LISTING:
            raise InvalidArgs(f"unknown option `{word.lstrip('-')}'")
    names = [word for word in words if not word.startswith("-")]
    for word in words:
        if names and word in _LISTING:
            raise InvalidArgs(f"the '{_LISTING[word]}' option doesn't take any non-option arguments", prefix="fatal")
    if len(names) > 1:
        raise InvalidArgs("gitglass help takes one command", prefix="fatal")
    return names[0] if names else ""


def page(name: str) -> bytes:
    """The usage of a command. Raises Unsupported for one that writes, InvalidArgs (status 16) for a name without a
    page."""
    entry = find(name, [])
    if entry is not None:
        return usage(entry[0])
    if is_command(name):
        raise unknown_command(name)
    page_name = name if name.startswith("git") else f"git{name}"
    raise InvalidArgs(f"No manual entry for {page_name}", status=16, prefix="")


def own_usage() -> bytes:
    """The usage of `help` itself."""
    return b"usage: git help [-a | --all | -g | --guides | <command>]\n"


def guides() -> bytes:
    """The documents that come with the sources, one on each line: gitglass has none of git's own."""
    lines = [f"   {name:<24}{summary}" for name, summary in _GUIDES]
    return ("The documents of gitglass are:\n\n" + "\n".join(lines) + "\n").encode()


def listing() -> bytes:
    """Every command with its purpose, one on each line."""
    rows = [(name, find(name, [])) for name in sorted(NAMES)]
    lines = [f"   {name:<20}{entry[0].summary}".rstrip() for name, entry in rows if entry is not None]
    return ("See 'gitglass help <command>' for the options of a command\n\n" + "\n".join(lines) + "\n").encode()
