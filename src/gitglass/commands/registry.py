"""The list of commands. A module is imported only when its command is named, to keep start-up short.

A command module has `COMMAND`; one with subcommands has `SUBCOMMANDS` (word → Command), `COMMAND` for no subcommand,
`BEFORE`, the options that may stand in front of a subcommand, and `WRITES`, git's subcommands that write.
"""

import re
from importlib import import_module
from types import ModuleType

from .command import Command, unknown_option

#: command → its module in this package
NAMES = {
    name: name.replace("-", "_")
    for name in re.findall(
        r"\S+",
        """
        blame branch cat-file check-attr check-ignore check-mailmap check-ref-format cherry compare config
        count-objects describe diff diff-files diff-index diff-tree for-each-ref format-patch fsck grep
        hash-object log ls-files ls-tree merge-base merge-file merge-tree name-rev notes patch-id reflog remote
        rev-list rev-parse shortlog show show-ref stash status stripspace submodule symbolic-ref tag var version
        whatchanged worktree
        """,
    )
}
NAMES["annotate"] = "blame"

#: forms that a word anywhere among a command's options selects: command → (word, module in this package)
FORMS = {"diff": ("--no-index", "diff_no_index")}

#: modules whose import is complete: a module in sys.modules may still be executing, in another thread
_LOADED: dict[str, ModuleType] = {}

#: commands with which git writes, or contacts other machines, and which gitglass therefore refuses by name
WRITERS = frozenset(
    re.findall(
        r"\S+",
        """
        add am apply bisect checkout checkout-index cherry-pick clean clone commit commit-tree fast-import fetch
        filter-branch gc init init-db ls-remote maintenance merge mv pack-refs prune pull push read-tree rebase replace
        reset restore revert rm send-pack sparse-checkout stage switch update-index update-ref write-tree
        """,
    )
)


def writes(name: str, words: list[str]) -> bool:
    """Whether git writes for these words: for a writing command, or subcommand (`WRITES`)."""
    if name in WRITERS:
        return True
    return bool(words) and words[0] in getattr(load(name), "WRITES", ())


def load(name: str) -> ModuleType | None:
    """The module of a command, or None if there is no such command."""
    module = _LOADED.get(name)
    if module is None and name in NAMES:
        module = _LOADED[name] = import_module(f"{__package__}.{NAMES[name]}")
    return module


def forms(name: str) -> dict[str, Command]:
    """A command's other forms by the word that selects each; loads all of them."""
    commands: dict[str, Command] = dict(getattr(load(name), "SUBCOMMANDS", {}))
    if name in FORMS:
        word, module = FORMS[name]
        commands[word] = import_module(f"{__package__}.{module}").COMMAND
    return commands


def find(name: str, argv: list[str]) -> tuple[Command, list[str]] | None:
    """The command for a name and its arguments: a subcommand's word comes first, or behind options that may be in front
    of it."""
    module = load(name)
    if module is None:
        return None
    subcommands: dict[str, Command] = getattr(module, "SUBCOMMANDS", {})
    if subcommands:
        before: frozenset[str] = getattr(module, "BEFORE", frozenset())
        at = next((i for i, word in enumerate(argv) if word not in before), None)
        if at is not None and argv[at] in subcommands:
            front: frozenset[str] = getattr(module, "FRONT", frozenset())
            for word in argv[at + 1 :] if front else ():
                if word == "--":
                    break
                if word in front:
                    error = unknown_option(word)
                    error.about = subcommands[argv[at]]
                    raise error
            return subcommands[argv[at]], argv[:at] + argv[at + 1 :]
    command: Command = getattr(module, "ANNOTATE", module.COMMAND) if name == "annotate" else module.COMMAND
    return command, argv
