"""The two hashes that objects are named by: the length of names, and the names of the empty tree and the empty blob."""

from __future__ import annotations

import sys
from importlib import import_module

from ..annotations import TYPE_CHECKING
from ..deferred import deferred

if TYPE_CHECKING:
    from hashlib import _Hash, sha1, sha256
else:  # it loads OpenSSL, but most short commands hash little
    sha1, sha256 = deferred(__name__, "hashlib", "sha1", "sha256")

LENGTHS = {"sha1": 20, "sha256": 32}
#: the numbers of the hashes in files, by the bytes of a name
HASH_VERSIONS = {20: 1, 32: 2}
EMPTY_TREES = {
    "sha1": bytes.fromhex("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    "sha256": bytes.fromhex("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
}
EMPTY_BLOBS = {
    "sha1": bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
    "sha256": bytes.fromhex("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
}
#: (bytes of a name, its hex digits, the null oid, the oids of the empty tree and the empty blob), by hash
FACTS = {name: (size, 2 * size, bytes(size), EMPTY_TREES[name], EMPTY_BLOBS[name]) for name, size in LENGTHS.items()}


#: bytes that are hashed by CPython's own code before OpenSSL is loaded: loading it takes longer than hashing them
_FEW = 1 << 18
_hashed = 0


def new_hash(name: str, data: bytes | memoryview = b"", *, size: int = _FEW) -> _Hash:
    """The hash called `name` ("sha1", "sha256") of `data` so far; `size` is the expected number of bytes in total."""
    global _hashed
    if name == "sha1" and _hashed + size < _FEW and "hashlib" not in sys.modules:
        _hashed += size
        try:
            own: _Hash = import_module("_sha1").sha1(data, usedforsecurity=False)
            return own
        except ImportError:  # CPython can be built without its own code
            _hashed = _FEW
    return (sha1 if name == "sha1" else sha256)(data, usedforsecurity=False)
