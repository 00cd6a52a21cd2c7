"""A dulwich commit that is parsed only when one of its parts is read.

A walk reads only the name, the parents and the time of a commit, while dulwich parses every line of it first: that is
half of the time of a walk. The hash of the content is compared with the name here as well, once.
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
    """The name of an object whose content was checked against it."""

    __slots__ = ("name",)

    def __init__(self, name: bytes) -> None:
        self.name = ObjectID(name)

    def hexdigest(self) -> str:
        return self.name.decode("ascii")

    def digest(self) -> bytes:
        return bytes.fromhex(self.name.decode("ascii"))


class StoredCommit(Commit):
    """A commit as it was read. It can be changed, compared and written like any dulwich commit."""

    __slots__ = ()

    def __init__(self) -> None:
        """Set nothing: `stored_commit` fills the instance."""

    def __getattr__(self, name: str) -> object:
        """Parse the commit when an attribute is missing, and set all attributes that were not set meanwhile."""
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
        """The commit's name in hex."""
        sha = self._sha
        if type(sha) is _Name and not self._needs_serialization:
            return sha.name
        return ObjectID(self.sha().hexdigest().encode("ascii"))


def stored_commit(name: bytes, raw: bytes, form: ObjectFormat) -> StoredCommit | None:
    """The commit with this name (in hex) and content; None if it is not written in the form that git writes.

    Raises ChecksumMismatch if the content does not have this hash.
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
