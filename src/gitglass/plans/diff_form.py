"""Whether the words of a `git diff` mean `git diff --no-index`, whose module is loaded only then."""

from ..errors import SandboxViolation
from ..paths.lexical import normal_path
from ..repo.store import Store
from ..request.text import to_bytes

_EXPLICIT, _IMPLIED = "commands.diff_no_index:COMMAND", "commands.diff_no_index:IMPLIED"


def diff_form(words: list[str], store: Store) -> str | None:
    """The form of git diff that its words mean here, as the location of its Command; None for git diff itself.

    Mirrors git-diff(1): "You can omit the --no-index option when running the command in a working tree controlled by
    Git and at least one of the paths points outside the working tree, or when running the command outside a working
    tree controlled by Git." As in git, the options before the first other word count, and whether two words are left.
    """
    at = 0
    for at, word in enumerate(words):
        if word == "--no-index":
            return _EXPLICIT
        if word == "--" or not word.startswith("-"):
            at += word == "--"
            break
    else:
        at = len(words)
    if not store.exists:
        return _IMPLIED
    rest = words[at:]
    if len(rest) == 2 and not all(is_inside(to_bytes(word), store) for word in rest):
        return _IMPLIED
    return None


def is_inside(word: bytes, store: Store) -> bool:
    """Whether a word names something in the work tree: by its text, or for an absolute path by the directory it leads
    to."""
    if not word.startswith(b"/"):
        depth = 0
        for part in (store.prefix + word).split(b"/"):
            if part not in (b"", b"."):
                depth += -1 if part == b".." else 1
            if depth < 0:
                return False
        return True
    top = store.work_tree
    path = normal_path(b"/", word)
    while top is not None and path:
        try:
            if path == top or store.jail.resolve(path) == top:
                return True
        except SandboxViolation:
            pass
        path = path.rpartition(b"/")[0]
    return False
