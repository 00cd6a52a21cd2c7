"""The commit that a rebase stopped at, concluded with what was staged since: `rebase --continue`."""

from __future__ import annotations

import re

from ....errors import CommandFailed, text
from ...index_file import write_trees
from ..common import SETTLE, commit_tree, encoding_line
from ..message import below_message, cleaned, comment_char
from ..summary import commit_summary
from .replay import Replay
from .state import FOLDER

_QUOTED = re.compile(rb"GIT_AUTHOR_(NAME|EMAIL|DATE)='((?:[^']|'\\['!]')*)'\n")
_STAGED = """\
you have staged changes in your working tree
If these changes are meant to be squashed into the previous commit, run:

  git commit --amend 

If they are meant to go into a new commit, run:

  git commit 

In both cases, once you're done, continue with:

  git rebase --continue

error: could not commit staged changes."""


def conclude(replay: Replay) -> None:
    """Make a commit of what is staged, with the message and the author of the commit that it stopped at; nothing where
    nothing is staged. Raises CommandFailed in git's words."""
    view = replay.view
    if view.index.unmerged:
        raise CommandFailed(f"Committing is not possible because you have unmerged files.\n{SETTLE}\n"
                            "fatal: Exiting because of an unresolved conflict.", status=1, prefix="error")  # fmt: skip
    rows = sorted(zip(view.index.paths, view.index.modes, view.index.oids))
    tree = write_trees(list(rows), view.index.cache_tree, view.new.add, view.store.empty_tree)[0]
    gone = dict.fromkeys((b"CHERRY_PICK_HEAD", b"MERGE_MSG"))
    replay.state.update({name: None for name in gone if view.git_file(name) is not None})
    if tree == commit_tree(view, replay.head):
        return
    author = read_author(view.git_file(FOLDER + b"author-script") or b"")
    if author is None:
        raise CommandFailed(_STAGED, status=1, prefix="error")
    mark = comment_char(view)
    given = view.git_file(FOLDER + b"message") or b""
    message = cleaned(given, "strip", mark)
    if not message:
        raise CommandFailed("Aborting commit due to empty commit message.\nerror: could not commit staged changes.",
                            status=1, prefix="")  # fmt: skip
    lines = [b"tree %b\n" % tree.hex().encode(), b"parent %b\n" % replay.head.hex().encode()]
    lines += [b"author %b\n" % author, b"committer %b\n" % view.ident("committer")]
    made = view.new_commit(b"".join([*lines, *encoding_line(view), b"\n", message]))
    replay.state[b"COMMIT_EDITMSG"] = given.rstrip(b"\n") + b"\n" + below_message(view, mark, author)
    replay.state[b"AUTO_MERGE"] = None
    replay.move(made, b"rebase (continue): " + message.partition(b"\n")[0])
    replay.made.append(made)
    replay.answer.out += commit_summary(view, replay.branch, made, root=False, dated=False)
    replay.shown.append(f"commit what is staged as {made.hex()[:12]} {text(message.partition(chr(10).encode())[0])}")
    replay.laying.tree = tree


def read_author(script: bytes) -> bytes | None:
    """The author that git's `author-script` names, as a commit has it; None where there is none."""
    values = {match[1]: re.sub(rb"'\\(['!])'", rb"\1", match[2]) for match in _QUOTED.finditer(script)}
    if len(values) != 3:
        return None
    return b"%b <%b> %b" % (values[b"NAME"], values[b"EMAIL"], values[b"DATE"].removeprefix(b"@"))
