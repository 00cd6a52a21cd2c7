"""The options in front of the command's name: `git -C DIR -c k=v --no-pager log …` (git(1), OPTIONS)."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..annotations import Any
from ..errors import BadConfig, BadRequest, InvalidArgs, Unsupported, UsageError
from ..records import field, record
from .argv import check_words

#: environment-like switches that change how pathspecs are read → the word for `Where`/`Store`
PATHSPECS = {
    "--literal-pathspecs": "literal",
    "--no-literal-pathspecs": "",
    "--glob-pathspecs": "glob",
    "--noglob-pathspecs": "noglob",
    "--icase-pathspecs": "icase",
}
IGNORED = frozenset(("--no-pager", "-P", "-p", "--paginate", "--no-optional-locks", "--no-advice"))
REFUSED = {
    "--exec-path": "it names programs to run",
    "--super-prefix": "it is git's own affair",
    "--html-path": "there are no manual pages",
    "--man-path": "there are no manual pages",
    "--info-path": "there are no manual pages",
    "--attr-source": "it is not implemented",
    "--list-cmds": "it is not implemented",
}
SYNOPSIS = (
    "usage: gitglass [-C <path>] [-c <name>=<value>] [--no-pager] [--git-dir=<path>] [--work-tree=<path>]\n"
    "                [--bare] [--jail] [--isolated] [--timeout=<seconds>] <command> [<args>]\n"
)
_NONE: Mapping[str, bool] = MappingProxyType({})


@record(frozen=True)
class Globals:
    """What the words in front of the command mean.

    `directories` are the values of -C in order, empty ones too: with `jail` the first of them names the root.
    `overrides` are the `k=v` words of -c. `timeout` is the shortest `--timeout` in seconds, 0 for no deadline,
    None without one. `command` is "" for none. `help` is whether `--help` or `-h` came before it.
    `more` are options of another script than `gitglass`, as written, with all of their values.
    `namespace` bears on what is given to other repositories, and on which refs are hidden from them: on nothing else.
    """

    command: str = ""
    argv: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    overrides: list[str] = field(default_factory=list)
    git_dir: str | None = None
    work_tree: str | None = None
    namespace: str | None = None
    bare: bool = False
    replace: bool = True
    pathspecs: frozenset[str] = frozenset()
    jail: bool = False
    isolated: bool = False
    timeout: float | None = None
    help: bool = False
    more: dict[str, list[str]] = field(default_factory=dict)


def parse_globals(
    argv: list[str],
    *,
    ours: bool = False,
    variable: Callable[[str], str | None] | None = None,
    more: Mapping[str, bool] = _NONE,
) -> Globals:
    """Split a whole command line. `variable` looks things up in the environment, where there is one.

    `ours` admits gitglass's own `--jail`, `--isolated` and `--timeout=<seconds>`. This is the only reader of these
    words: the deadline, the root and whether the environment counts follow from what it returns. `more` are the options
    of another script, with whether each takes a value; the values of each are in the result's `more`.

    Raises InvalidArgs, Unsupported and BadConfig with git's words.
    """
    check_words(argv)
    fields, overrides, variables = _read_front(argv, ours, more)
    # Looked up at the end: `--jail` may stand behind --config-env, and a jail does not read the environment.
    lookup = None if fields.get("jail") else variable
    for at in variables:
        overrides[at] = _from_environment(overrides[at], lookup)
    return Globals(overrides=overrides, **fields)


def parse_bare(argv: list[str]) -> Globals:
    """The same for callers whose lines have to begin with the command, since options in front change what it works on.

    Raises InvalidArgs for such options, and what `parse_globals` raises.
    """
    line = parse_globals(argv)
    if argv and argv[0] != line.command:
        raise InvalidArgs(f"options in front of the command are not taken: {argv[0]}")
    return line


def _read_front(argv: list[str], ours: bool, more: Mapping[str, bool]) -> tuple[dict[str, Any], list[str], list[int]]:
    """(the other fields of Globals, the values of -c and --config-env, which of these are of --config-env)."""
    fields: dict[str, Any] = {}
    directories: list[str] = []
    overrides: list[str] = []
    variables: list[int] = []
    pathspecs: set[str] = set()
    words = iter(enumerate(argv))
    for at, word in words:
        name, equals, sticky = word.partition("=")
        if not word.startswith("-"):
            fields["command"], fields["argv"] = word, argv[at + 1 :]
            break
        if word in ("--version", "-v"):
            fields["command"], fields["argv"] = "version", argv[at + 1 :]
            break
        if word in ("--help", "-h"):
            fields["help"] = True
            break
        if word in IGNORED:
            continue
        if word in PATHSPECS:
            if PATHSPECS[word]:
                pathspecs.add(PATHSPECS[word])
            else:
                pathspecs.discard("literal")
        elif word in more:
            value = next(words, (0, ""))[1] if more[word] else ""
            if more[word] and not value:
                raise InvalidArgs(f"option '{word}' needs a value")
            fields.setdefault("more", {}).setdefault(word, []).append(value)
        elif word == "--bare":
            fields["bare"] = True
        elif word == "--no-replace-objects":
            fields["replace"] = False
        elif ours and word in ("--jail", "--isolated"):
            fields[word[2:]] = True
        elif ours and name == "--timeout":
            if not is_seconds(sticky):
                raise InvalidArgs(f"--timeout={sticky}: a number of seconds is expected", prefix="error")
            fields["timeout"] = shorter(fields.get("timeout"), float(sticky))
        elif name in REFUSED:
            raise Unsupported(
                f"gitglass does not take {name}: {REFUSED[name]}", status=129, prefix="error", option=name
            )
        elif word in ("-C", "-c") or name in ("--git-dir", "--work-tree", "--namespace", "--config-env"):
            value = sticky if equals and name.startswith("--") else next(words, (0, ""))[1]
            if not equals and not value and at + 1 >= len(argv):
                raise _misused(_lacks_value(word))
            if name == "-C":
                directories.append(value)
            elif name in ("-c", "--config-env"):
                variables += [len(overrides)] if name == "--config-env" else []
                overrides.append(value)
            else:
                fields[name[2:].replace("-", "_")] = value
        else:
            raise _misused(f"unknown option: {word}")
    fields["directories"], fields["pathspecs"] = directories, frozenset(pathspecs)
    return fields, overrides, variables


def shorter(one: float | None, two: float) -> float:
    """The shorter of two deadlines, of which 0 says that there is none."""
    return min(one, two) if one and two else one or two


def is_seconds(value: str) -> bool:
    """Whether a word is a number of seconds, perhaps with a fraction, of at most nine digits."""
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value, re.ASCII) is not None


def _from_environment(word: str, variable: Callable[[str], str | None] | None) -> str:
    """`--config-env=<key>=<variable>` as the word of a -c."""
    if variable is None:
        raise Unsupported(
            "gitglass does not take --config-env: the environment is not read here",
            status=129,
            prefix="error",
            option="--config-env",
        )
    key, equals, name = word.rpartition("=")
    if not equals:
        raise BadRequest(f"invalid config format: {word}")
    if not name:
        raise BadConfig(f"missing environment variable name for configuration '{key}'")
    value = variable(name)
    if value is None:
        raise BadConfig(f"missing environment variable '{name}' for configuration '{key}'")
    return f"{key}={value}"


def _misused(message: str) -> UsageError:
    error = UsageError(message, prefix="")
    error.usage = SYNOPSIS.encode()
    return error


def _lacks_value(word: str) -> str:
    if word == "--config-env":
        return "no config key given for --config-env"
    if word == "--namespace":
        return "no namespace given for --namespace"
    if word == "-C":
        return "no directory given for '-C' option"
    if word == "-c":
        return "-c expects a configuration string"
    return f"no directory given for '{word}' option"
