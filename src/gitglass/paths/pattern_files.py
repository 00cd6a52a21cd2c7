"""Lines of patterns in `.gitignore` and `.gitattributes`, and the user's own files with such lines.

Mirrors gitignore(5), PATTERN FORMAT. gitattributes(5) adopts it, except for "!" at the start and "/" at the end.
"""

from __future__ import annotations

from ..annotations import TYPE_CHECKING
from ..errors import GitError
from ..records import record
from .wildmatch import CASEFOLD, PATHNAME, Matcher, compile_wildmatch, literal_length

if TYPE_CHECKING:
    from ..repo.store import Store

MAX_FILE = 16 << 20


@record
class Pattern:
    """One line of an ignore file."""

    text: bytes  # as written, without trailing blanks
    line: int
    negated: bool
    dir_only: bool
    name_only: bool  # has no slash: compared with the last component only
    body: bytes  # the part to match: without "!" and without slashes at the ends


def parse_line(line: bytes, number: int) -> Pattern:
    """Parse a line that is neither empty nor a comment."""
    body = line
    negated = body[:1] == b"!"
    if negated:
        body = body[1:]
    dir_only = body[-1:] == b"/"
    if dir_only:
        body = body[:-1]
    name_only = b"/" not in body
    if body[:1] == b"/":
        body = body[1:]
    return Pattern(line, number, negated, dir_only, name_only, body)


def body_matcher(body: bytes, name_only: bool, fold: bool) -> Matcher:
    """The matcher of a pattern's body. As in git, the text before the first wildcard is compared separately."""
    flags = CASEFOLD if fold else 0
    if name_only:
        return compile_wildmatch(body, flags)
    size = literal_length(body)
    head, rest = body[:size], compile_wildmatch(body[size:], flags | PATHNAME)
    if fold:
        head = head.lower()
        if size == len(body):
            return lambda path: path.lower() == head
        return lambda path: path[:size].lower() == head and rest(path[size:])
    if size == len(body):
        return head.__eq__
    return lambda path: path.startswith(head) and rest(path[size:])


def configured_file(store: Store, key: str, default: bytes) -> tuple[bytes | None, bytes]:
    """A user's file that the configuration names, by default one in the user's own configuration directory: its
    absolute path (None if there is none), and the path as git shows it."""
    config = store.config
    path = config.get_path(key) if config.has(key) else None
    if path is None:
        base = getattr(config, "user_dir", None)
        path = base + b"/" + default if base else None
    if not path:
        return None, b""
    absolute = path if path[:1] == b"/" else (store.work_tree or store.git_dir) + b"/" + path
    return absolute, path


def user_file(store: Store, path: bytes) -> bytes | None:
    """The content of such a file; None if it is missing, and with a remark if it cannot be read within the jail."""
    try:
        data = store.jail.read_optional(path, MAX_FILE)
    except GitError as error:
        store.remarks.append(error.message)
        return None
    return None if data is None else bytes(data)
