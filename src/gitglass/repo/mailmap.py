""".mailmap: the proper name and address of a person.

Mirrors gitmailmap(5). Addresses and names compare without ASCII case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..annotations import TYPE_CHECKING
from ..config.config import Config
from ..disk.jail import Jail
from ..disk.worktree import WorkTree
from ..errors import Cancelled, GitError, MissingObject, Timeout, TooLarge, text
from ..limits import lines_in, paced
from ..memories import once_for_its_bytes
from ..messages import Messages
from ..refs.refs import Refs, candidates

if TYPE_CHECKING:
    from ..objects.database import Odb

MAX_MAILMAP = 16 << 20


class _Person:
    """The replacement for an address, and for the address together with certain names."""

    __slots__ = ("by_name", "mail", "name")

    def __init__(self) -> None:
        self.name: bytes | None = None
        self.mail: bytes | None = None
        self.by_name: dict[bytes, _Person] = {}


class Mailmap:
    """A parsed mailmap; falsy when it maps nothing."""

    __slots__ = ("_mapped", "_people")

    def __init__(self, people: dict[bytes, _Person]) -> None:
        self._people = people
        self._mapped: dict[tuple[bytes, bytes], tuple[bytes, bytes]] = {}

    @classmethod
    def parse(cls, *files: bytes) -> Mailmap:
        """The mailmap of several files' contents; later ones take precedence."""
        return cls(_parsed(b"\n".join(files)))

    def __bool__(self) -> bool:
        return bool(self._people)

    def map(self, name: bytes, mail: bytes) -> tuple[bytes, bytes]:
        """The proper name and address of a person; unchanged if the map has none."""
        mapped = self._mapped.get((name, mail))
        if mapped is not None:
            return mapped
        person = self._person(name, mail)
        answer = (name, mail) if person is None else (person.name or name, person.mail or mail)
        if len(self._mapped) < 1 << 16:
            self._mapped[name, mail] = answer
        return answer

    def in_object(self, raw: bytes) -> bytes:
        """A commit or tag with the people in its headers replaced.

        Strange but git's: the first person that the map does not have ends it, and the headers after that one stay.
        """
        header, blank, body = raw.partition(b"\n\n")
        lines = header.split(b"\n")
        for at, line in enumerate(lines):
            role, _, ident = line.partition(b" ")
            if role not in (b"author", b"committer", b"tagger"):
                continue
            name, less, rest = ident.partition(b"<")
            mail, greater, when = rest.partition(b">")
            if not less or not greater or not self._maps(name.strip(), mail):
                break
            name, mail = self.map(name.strip(), mail)
            lines[at] = role + b" " + name + b" <" + mail + b">" + when
        return b"\n".join(lines) + blank + body

    def _person(self, name: bytes, mail: bytes) -> _Person | None:
        person = self._people.get(mail.lower())
        if person is not None and person.by_name:
            person = person.by_name.get(name.lower(), person)
        return person

    def _maps(self, name: bytes, mail: bytes) -> bool:
        """Whether the map has a name or an address for a person, if only the ones that they have."""
        person = self._person(name, mail)
        return person is not None and bool(person.name or person.mail)


@once_for_its_bytes(8)
def _parsed(data: bytes) -> dict[bytes, _Person]:
    """The people in a mailmap file, by address."""
    people: dict[bytes, _Person] = {}
    for line in paced(lines_in(data)):
        if not line.startswith(b"#"):
            _add(line, people)
    return people


def _add(line: bytes, by_address: dict[bytes, _Person]) -> None:
    people = list(_people(line))
    if not people:
        return
    new_name, new_mail = people[0]
    old_name, old_mail = people[1] if len(people) > 1 else (b"", b"")
    key, mail = (old_mail, new_mail) if len(people) > 1 else (new_mail, b"")
    person = by_address.setdefault(key.lower(), _Person())
    if old_name:
        person = person.by_name.setdefault(old_name.lower(), _Person())
    person.name = new_name or person.name
    person.mail = mail or person.mail


def _people(line: bytes) -> Iterator[tuple[bytes, bytes]]:
    """`Name <mail>` once or twice; the first address must not be empty."""
    rest = line
    for number in range(2):
        left = rest.find(b"<")
        right = rest.find(b">", left + 1)
        if left < 0 or right < 0 or (not number and right == left + 1):
            return
        yield rest[:left].strip(b" \t\r"), rest[left + 1 : right]
        rest = rest[right + 1 :]


def find_blob(spec: bytes, refs: Refs, odb: Odb, refused: Callable[[str], None]) -> bytes | None:
    """The content of `mailmap.blob`: an object id or `<ref>:<path>`; None if there is none. `refused` is told why what
    is named is of no use."""
    name, colon, path = spec.partition(b":")
    oid: bytes | None = None
    if len(name) == 2 * refs.hash_len:
        try:
            oid = bytes.fromhex(name.decode("ascii"))
        except ValueError:
            oid = None
    for full in candidates(name):
        oid = oid or refs.read(full)
    if oid is None or not odb.has(oid):
        return None
    if colon:
        entry = odb.entry(odb.peel(oid, b"tree"), path)
        if entry is None:
            return None
        oid = entry[1]
    try:
        kind, data = odb.read(oid)
    except MissingObject:
        refused(f"unable to read mailmap object at {text(spec)}")
        return None
    if kind != b"blob":
        refused(f"mailmap is not a blob: {text(spec)}")
        return None
    return data


def load_mailmap(
    config: Config,
    refs: Refs,
    odb: Odb,
    jail: Jail,
    files: WorkTree | None,
    *,
    bare: bool,
    base: bytes,
    outside: bool = False,
    complaints: Messages[str],
) -> Mailmap:
    """The mailmap that git would use: `.mailmap` of the work tree, `mailmap.blob`, `mailmap.file`, in that order.

    A file that is a symbolic link, lies outside the jail or is missing counts as empty; git warns about a link. `base`
    is the directory that a relative `mailmap.file` is resolved in; git is `outside` if that is not in the work tree,
    and reads the `.mailmap` of that directory.
    """

    def refused(words: str) -> None:
        complaints.append(f"error: unable to open mailmap at .mailmap: {words}")

    def useless(words: str) -> None:
        complaints.append(f"error: {words}")

    parts: list[bytes] = []
    blob = config.get("mailmap.blob")
    if bare:
        blob = blob if blob is not None else b"HEAD:.mailmap"
    elif outside:
        parts.append(_optional(lambda: jail.read_optional(base + b"/.mailmap", MAX_MAILMAP)))
    elif files is not None:
        parts.append(_optional(lambda: files.read_rules(b".mailmap", MAX_MAILMAP, refused)))
    if blob is not None:
        spec = blob
        parts.append(_optional(lambda: find_blob(spec, refs, odb, useless)))
    path = config.get_path("mailmap.file")
    if path:
        full = path if path.startswith(b"/") else base + b"/" + path
        parts.append(_optional(lambda: jail.read_optional(full, MAX_MAILMAP)))
    return Mailmap.parse(*parts)


def mailmap_outside(config: Config, jail: Jail, base: bytes) -> Mailmap:
    """The mailmap outside of a repository: `.mailmap` of the current directory `base`, and `mailmap.file`."""
    parts = [_optional(lambda: jail.read_optional(base + b"/.mailmap", MAX_MAILMAP))]
    path = config.get_path("mailmap.file")
    if path:
        full = path if path.startswith(b"/") else base + b"/" + path
        parts.append(_optional(lambda: jail.read_optional(full, MAX_MAILMAP)))
    return Mailmap.parse(*parts)


def _optional(read: Callable[[], bytes | None]) -> bytes:
    try:
        return read() or b""
    except (Cancelled, Timeout, TooLarge):
        raise  # the file exists, and git uses it
    except GitError:
        return b""
