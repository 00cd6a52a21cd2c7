"""The error for an unknown command: one of git's that gitglass does not have, or a misspelt one.

As git(1) does, a misspelt command is answered with the commands, and the user's aliases, that have the most similar
names.
"""

import re
from collections.abc import Iterable

from ..commands.registry import NAMES, WRITERS
from ..errors import GitError, InvalidArgs, Unsupported

#: git's commands that gitglass does not have: an error names them, and no alias hides them
ABSENT = frozenset(
    re.findall(
        r"\S+",
        """
        add--interactive archive bisect--helper bugreport bundle checkout--worker column commit-graph credential
        credential-cache credential-cache--daemon credential-store daemon diagnose difftool difftool--helper
        env--helper fast-export fetch-pack fmt-merge-msg for-each-repo fsck-objects fsmonitor--daemon
        get-tar-commit-id hook http-backend http-fetch http-push imap-send index-pack instaweb interpret-trailers
        mailinfo mailsplit merge-index merge-octopus merge-one-file merge-ours merge-recursive merge-recursive-ours
        merge-recursive-theirs merge-resolve merge-subtree mergetool mktag mktree multi-pack-index pack-objects
        pack-redundant pickaxe prune-packed quiltimport range-diff receive-pack remote-ext remote-fd remote-ftp
        remote-ftps remote-http remote-https repack request-pull rerere sh-i18n--envsubst shell show-branch
        show-index submodule--helper subtree unpack-file unpack-objects update-server-info upload-archive
        upload-archive--writer upload-pack verify-commit verify-pack verify-tag web--browse
        """,
    )
)
#: commands that git suggests if the typed word is their beginning: those that `git help` lists
COMMON = frozenset(
    re.findall(
        r"\S+",
        """
        add bisect branch clone commit diff fetch grep init log merge mv pull push rebase reset restore rm show status
        switch tag
        """,
    )
)
#: the cost of each edit from the typed word to a name: git is lenient with omitted and with transposed letters
TRANSPOSED, REPLACED, ADDED, REMOVED = 0, 2, 1, 3
#: names at this distance or more are not suggested
FAR = 7


def is_command(name: str) -> bool:
    """Whether git has a command of this name."""
    return name in NAMES or name in WRITERS or name in ABSENT


def unknown_command(name: str, aliases: Iterable[str] = (), *, suggests: bool = True) -> GitError:
    """The error for a name without a command; git's status is 1 if git does not have the command either."""
    if name in WRITERS:
        return Unsupported(f"gitglass only reads: '{name}' is not available", status=129, prefix="error", command=name)
    if name in ABSENT:
        return Unsupported(f"gitglass does not have '{name}'", status=129, prefix="error", command=name)
    lines = [f"'{name}' is not a git command. See 'git --help'."]
    near = nearest(name, {*NAMES, *WRITERS, *ABSENT, *aliases}) if suggests else []
    if near:
        lines += ["", "The most similar command is" if len(near) == 1 else "The most similar commands are"]
        lines += [f"\t{one}" for one in near]
    return InvalidArgs("\n".join(lines), status=1, prefix="git")


def nearest(name: str, commands: set[str]) -> list[str]:
    """The common commands that begin with the name, then the other most similar ones, in git's order."""
    begun = sorted(one for one in commands & COMMON if one.startswith(name))
    others = sorted((distance(name, one) + 1, one) for one in commands.difference(begun))
    least = others[0][0] if others else FAR
    return begun + [one for far, one in others if far == least] if least < FAR else []


def distance(typed: str, name: str) -> int:
    """The smallest cost of edits from the typed word to a name (Damerau and Levenshtein's, with the costs above)."""
    before: list[int] = []
    row = [ADDED * at for at in range(len(name) + 1)]
    for at, letter in enumerate(typed, 1):
        older, before, row = before, row, [REMOVED * at]
        for to, other in enumerate(name, 1):
            costs = [before[to - 1] + REPLACED * (letter != other), before[to] + REMOVED, row[to - 1] + ADDED]
            if at > 1 and to > 1 and typed[at - 2] == other and letter == name[to - 2]:
                costs.append(older[to - 2] + TRANSPOSED)
            row.append(min(costs))
    return row[-1]
