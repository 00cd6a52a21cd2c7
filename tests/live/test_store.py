"""The object store beside the installed git: every object of the fixtures, and of one with replacements and grafts."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitglass.repo.discover import Where
from gitglass.repo.store import open_store

pytestmark = [pytest.mark.live, pytest.mark.skipif(shutil.which("git") is None, reason="no git here")]


def git(place: Path, *argv: str, give: bytes | None = None) -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    return subprocess.run(["git", *argv], cwd=place, env=env, input=give, capture_output=True, check=False).stdout


@pytest.mark.parametrize("name", ["plain", "packed", "bare", "sha256", "shallow", "linked", "submodule", "empty"])
def test_objects_and_history(unpack: Any, name: str) -> None:
    place = Path(unpack(name))
    store = open_store(Where(cwd=os.fsencode(place)), root=b"/")
    odb = store.odb
    form = "%(objectname) %(objecttype) %(objectsize) %(objectsize:disk) %(deltabase)"
    rows = git(place, "cat-file", "--batch-all-objects", f"--batch-check={form}").splitlines()
    assert [row.split()[0] for row in rows] == [oid.hex().encode() for oid in odb.names.all()]
    for row in rows:
        oid = bytes.fromhex(row.split()[0].decode())
        kind, size = odb.kind_size(oid)
        shown = b"%s %d %d %s" % (kind, size, odb.disk_size(oid), odb.delta_base(oid).hex().encode())
        assert row.partition(b" ")[2] == shown
        odb.verify(oid)
    for row in git(place, "log", "--all", "--format=%H %T %ct %h %P").splitlines():
        name_, tree, time, short, *parents = row.split()
        oid = bytes.fromhex(name_.decode())
        expected = tuple(bytes.fromhex(parent.decode()) for parent in parents), int(time), bytes.fromhex(tree.decode())
        assert odb.commit_facts(oid) == expected
        assert odb.names.unique_length(oid) <= len(short) and odb.names.beginning(short.decode()) == [oid]


def test_replacements_and_grafts(unpack: Any, tmp_path: Path) -> None:
    place = tmp_path / "copy"
    shutil.copytree(Path(unpack("plain")), place, symlinks=True)
    git(place, "replace", "--graft", "HEAD~1", "HEAD~4")
    for grafts in (b"", git(place, "rev-parse", "HEAD", "HEAD~3").replace(b"\n", b" ", 1)):
        (place / ".git" / "info" / "grafts").write_bytes(grafts)
        store = open_store(Where(cwd=os.fsencode(place)), root=b"/")
        rows = git(place, "log", "--format=%H %P", "HEAD").splitlines()
        assert rows
        for row in rows:
            oid, *parents = (bytes.fromhex(word.decode()) for word in row.split())
            assert store.odb.commit(oid).parents == store.odb.commit_facts(oid)[0] == tuple(parents)
