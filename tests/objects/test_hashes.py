"""The two hashes, and the names they give to nothing."""

import hashlib
import subprocess
import sys

import pytest

from gitglass.objects.hashes import EMPTY_BLOBS, EMPTY_TREES, FACTS, LENGTHS, new_hash


@pytest.mark.parametrize("name", ["sha1", "sha256"])
def test_the_names_of_an_empty_tree_and_an_empty_file_are_what_they_hash_to(name: str) -> None:
    assert EMPTY_TREES[name] == hashlib.new(name, b"tree 0\0").digest()
    assert EMPTY_BLOBS[name] == hashlib.new(name, b"blob 0\0").digest()


@pytest.mark.parametrize(("name", "size"), [("sha1", 20), ("sha256", 32)])
def test_the_facts_of_a_hash_are_those_of_its_name(name: str, size: int) -> None:
    assert LENGTHS[name] == size
    assert FACTS[name] == (size, size * 2, b"\0" * size, EMPTY_TREES[name], EMPTY_BLOBS[name])


def test_a_hash_begins_with_the_bytes_given() -> None:
    digest = new_hash("sha256", memoryview(b"tree "))
    digest.update(b"0\0")
    assert digest.digest() == EMPTY_TREES["sha256"]
    assert new_hash("sha1").digest() == hashlib.sha1(b"").digest()


LITTLE_AND_MUCH = """
import sys
from gitglass.objects.hashes import new_hash
import hashlib as whole
del sys.modules["hashlib"]
for size, loaded in ((1000, False), (1 << 20, True), (1000, True)):
    data = bytes(size)
    assert new_hash("sha1", data[:8], size=size - 8).digest() == whole.sha1(data[:8]).digest()
    assert ("hashlib" in sys.modules) is loaded, size
"""


def test_openssl_is_loaded_for_more_than_a_little() -> None:
    done = subprocess.run([sys.executable, "-c", LITTLE_AND_MUCH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
