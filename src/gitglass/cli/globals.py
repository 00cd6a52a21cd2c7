"""The options before the command's name: `git -C DIR -c k=v --no-pager log …` (git(1), OPTIONS)."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..annotations import Any
from ..errors import BadConfig, BadRequest, InvalidArgs, Unsupported, UsageError
from ..records import field, record
from .argv import check_words

#: switches like environment variables that change how pathspecs are read → the word for `Where`/`Store`
PATHSPECS = {
    "--literal-pathspecs": "literal",
    "--no-literal-pathspecs": "",
    "--glob-pathspecs": "glob",
    "--noglob-pathspecs": "noglob",
    "--icase-pathspecs": "icase",
}
IGNORED = frozenset(("--no-optional-locks", "--no-advice"))
PAGERS = {"--no-pager": False, "-P": False, "-p": True, "--paginate": True}
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
    """The meaning of the words before the command.

    `directories` are the values of -C in order, including empty ones: with `jail` the first of them names the root.
    `overrides` are the `k=v` words of -c, and the keys and values of --config-env. `timeout` is the shortest
    `--timeout` in seconds, 0 for no deadline, None if there is none. `command` is "" if there is none. `help` is
    whether `--help` or `-h` came before it. `more` are options of another script than `gitglass`, unchanged, with all
    of their values. `namespace` only affects what is sent to other repositories, and which refs are hidden from them.
    No `pager` is ever started; `git var` names it.
    """

    command: str = ""
    argv: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    overrides: list[str | tuple[str, str | None]] = field(default_factory=list)
    git_dir: str | None = None
    work_tree: str | None = None
    namespace: str | None = None
    bare: bool = False
    replace: bool = True
    pager: bool = True
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
    """Split a whole command line. `variable` looks up environment variables, if there is an environment.

    `ours` allows gitglass's own `--jail`, `--isolated` and `--timeout=<seconds>`. This is the only parser of these
    words: the deadline, the root and whether the environment is read depend on its result. `more` are the options of
    another script, with whether each takes a value; the values of each are in the result's `more`.

    Raises InvalidArgs, Unsupported and BadConfig with git's messages.
    """
    check_words(argv)
    fields, overrides, variables = _read_front(argv, ours, more)
    # Looked up at the end: `--jail` may follow --config-env, and with a jail the environment is not read.
    lookup = None if fields.get("jail") else variable
    for at in variables:
        overrides[at] = _from_environment(str(overrides[at]), lookup)
    return Globals(overrides=overrides, **fields)


def parse_bare(argv: list[str]) -> Globals:
    """The same for callers whose lines must begin with the command, since options before it change its repository.

    Raises InvalidArgs for such options, and the errors of `parse_globals`.
    """
    line = parse_globals(argv)
    if argv and argv[0] != line.command:
        raise InvalidArgs(f"options in front of the command are not taken: {argv[0]}")
    return line


def _read_front(
    argv: list[str], ours: bool, more: Mapping[str, bool]
) -> tuple[dict[str, Any], list[str | tuple[str, str | None]], list[int]]:
    """(the other fields of Globals, the values of -c and --config-env, the indices of those from --config-env)."""
    fields: dict[str, Any] = {}
    directories: list[str] = []
    overrides: list[str | tuple[str, str | None]] = []
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
        if word in PAGERS:
            fields["pager"] = PAGERS[word]
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
    """The shorter of two deadlines; 0 means no deadline."""
    return min(one, two) if one and two else one or two


def is_seconds(value: str) -> bool:
    """Whether a word is a number of seconds, with an optional fraction, of at most nine digits."""
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", value, re.ASCII) is not None


def _from_environment(word: str, variable: Callable[[str], str | None] | None) -> tuple[str, str]:
    """The key and value of `--config-env=<key>=<variable>`. The key may have `=` in it, in contrast to that of -c."""
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
    return key, value


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
