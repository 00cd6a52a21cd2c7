"""A commit of dulwich's that is parsed only when one of its parts is asked for.

A walk asks a commit for its name, parents and time and nothing else, while dulwich parses every line of it first: half
of the time of a walk. The hash is compared with the name here as well, once.
"""

from binascii import hexlify

from dulwich.errors import ChecksumMismatch
from dulwich.object_format import ObjectFormat
from dulwich.objects import Commit, FixedSha, ObjectID

from ..objects.sequential import usual_facts

_LATER = (
    "_author", "_author_time", "_author_timezone", "_author_timezone_neg_utc", "_commit_timezone",
    "_commit_timezone_neg_utc", "_committer", "_encoding", "_extra", "_gpgsig", "_mergetag", "_message",
)  # fmt: skip


class _Name(FixedSha):
    """A name that was proven to be the hash of what it names."""

    __slots__ = ("name",)

    def __init__(self, name: bytes) -> None:
        self.name = ObjectID(name)

    def hexdigest(self) -> str:
        return self.name.decode("ascii")

    def digest(self) -> bytes:
        return bytes.fromhex(self.name.decode("ascii"))


class StoredCommit(Commit):
    """A commit as it was read. It is changed, compared and written as any commit of dulwich's."""

    __slots__ = ()

    def __init__(self) -> None:
        """Nothing: `stored_commit` fills it."""

    def __getattr__(self, name: str) -> object:
        """A part that was not asked for before: all that were not set meanwhile are parsed."""
        if name not in _LATER:
            raise AttributeError(name)
        parsed = Commit()
        assert self._chunked_text is not None
        parsed.set_raw_chunks(self._chunked_text, object_format=self.object_format)
        for part in _LATER:
            try:
                object.__getattribute__(self, part)
            except AttributeError:
                setattr(self, part, getattr(parsed, part))
        return object.__getattribute__(self, name)

    @property
    def id(self) -> ObjectID:
        """The name in hex."""
        sha = self._sha
        if type(sha) is _Name and not self._needs_serialization:
            return sha.name
        return ObjectID(self.sha().hexdigest().encode("ascii"))


def stored_commit(name: bytes, raw: bytes, form: ObjectFormat) -> StoredCommit | None:
    """The commit of a name (in hex) and its content; None for one that is not written as git writes them.

    Raises ChecksumMismatch where the content is another's.
    """
    facts = usual_facts(raw, form.oid_length)
    if facts is None:
        return None
    computed = form.hash_object_hex(b"commit %d\0%b" % (len(raw), raw))
    if computed != name:
        raise ChecksumMismatch(name, computed)
    made = StoredCommit()
    made.object_format = form
    made._chunked_text = [raw]
    made._needs_serialization = False
    made._sha = _Name(name)
    parents, made._commit_time, tree = facts
    made._parents = [ObjectID(hexlify(parent)) for parent in parents]
    made._tree = ObjectID(hexlify(tree))
    return made
