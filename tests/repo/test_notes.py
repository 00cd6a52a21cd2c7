"""Notes: fan-out of any depth, refs to show."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.limits import Context
from gitglass.objects.parsed import object_name
from gitglass.repo.notes import Notes, expand_notes_ref

from ..support.worktrees import Repo

HEX = b"0123456789abcdef0123456789abcdef01234567"


class Odb:
    """Trees as dictionaries."""

    def __init__(self, **trees: dict[bytes, tuple[int, bytes]]) -> None:
        self.trees = {name.encode(): rows for name, rows in trees.items()}

    def entry(self, tree: bytes, path: bytes) -> tuple[int, bytes] | None:
        return self.trees[tree].get(path)

    def tree(self, oid: bytes) -> bytes:
        return b"".join(b"%o %b\0%b" % (mode, name, blob) for name, (mode, blob) in self.trees[oid].items())

    def peel(self, oid: bytes, kind: bytes | None = None) -> bytes:
        return b"top"


def test_flat_and_fanned_out() -> None:
    oid = bytes.fromhex(HEX.decode())
    assert Notes(Odb(top={HEX: (0o100644, b"blob")}), b"").get(oid) == b"blob"
    fanned = Odb(top={b"01": (0o40000, b"a")}, a={b"23": (0o40000, b"b")}, b={HEX[4:]: (0o100644, b"blob")})
    assert Notes(fanned, b"").get(oid) == b"blob" and Notes(fanned, b"").get(bytes(20)) is None


def test_a_tree_that_contains_itself_ends() -> None:
    loop = Odb(top={HEX[i : i + 2]: (0o40000, b"top") for i in range(0, 40, 2)})
    assert Notes(loop, b"").get(bytes.fromhex(HEX.decode())) is None


def test_names() -> None:
    assert [expand_notes_ref(n) for n in (b"x", b"notes/x", b"refs/notes/x")] == [b"refs/notes/x"] * 3


def test_all_notes_whatever_the_fan_out() -> None:
    def odd(mode: int, name: bytes, to: bytes) -> dict[bytes, tuple[int, bytes]]:
        return {name: (mode, to)}

    top, sub = b"t" * 20, b"s" * 20
    odb = Odb()
    odb.trees = {
        top: {**odd(0o100644, HEX, b"1" * 20), **odd(0o40000, b"ab", sub), **odd(0o100644, b"README", b"x" * 20),
              **odd(0o120000, HEX[::-1], b"l" * 20), **odd(0o40000, b"zz", sub)},
        sub: odd(0o100644, HEX[2:], b"2" * 20),
    }  # fmt: skip
    notes = Notes(odb, b"")
    notes._tree = top
    found = {(oid.hex().encode(), note[:1]) for oid, note in notes.items(Context())}
    assert found == {(HEX, b"1"), (b"ab" + HEX[2:], b"2")}


class Full(Odb):
    """An object database that has blobs, by names of their content."""

    hash_name = "sha1"

    def __init__(self, **trees: dict[bytes, tuple[int, bytes]]) -> None:
        super().__init__(**trees)
        self.blobs = {bytes([at]) * 20: (b"blob", content) for at, content in enumerate((b"a\n", b"b\n", b"c", b""), 1)}

    def read(self, oid: bytes) -> tuple[bytes, bytes]:
        return self.blobs[oid]


def test_notes_of_one_object_at_several_depths_are_one() -> None:
    """Observed from git 2.39.5: the deepest first, an empty line between; the same one is there once."""
    a, b, c, none = (bytes([at]) * 20 for at in range(1, 5))
    oid = bytes.fromhex(HEX.decode())

    def notes(*blobs: bytes) -> Notes:
        top, inner, deep = blobs
        return Notes(
            Full(
                top={HEX: (0o100644, top), HEX[:2]: (0o40000, b"inner")},
                inner={HEX[2:]: (0o100644, inner), HEX[2:4]: (0o40000, b"deep")},
                deep={HEX[4:]: (0o100644, deep)},
            ),
            b"",
        )

    assert notes(a, b, c).read(oid) == (b"blob", b"c\n\nb\n\na\n")
    assert notes(a, b, c).get(oid) == object_name(b"blob", b"c\n\nb\n\na\n", "sha1")
    assert notes(a, a, a).read(oid) == (b"blob", b"a\n")
    assert notes(a, a, a).get(oid) == a
    assert notes(none, b, none).read(oid) == (b"blob", b"b\n")
    assert notes(a, b, c).read(bytes(20)) is None


def test_a_ref_without_a_name(unpack: Any) -> None:
    """git takes the empty name for what it is: there are no notes, and none can be listed."""
    repo = unpack("plain")
    assert b"Notes:" in gitglass.git(["log"], cwd=repo).stdout
    assert b"Notes:" not in gitglass.git(["-c", "core.notesRef=", "log"], cwd=repo).stdout
    done = gitglass.git(["-c", "core.notesRef=", "notes", "list"], cwd=repo)
    words = b"fatal: refusing to list notes in  (outside of refs/notes/)\n"
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"ref: refs/notes/gone\n", b"warning: ignoring dangling symref refs/notes/commits\n"),
        (b"ref: refs/../x\n", b"warning: ignoring dangling symref refs/notes/commits\n"),
        (b"no object name\n", b"warning: ignoring broken ref refs/notes/commits\n"),
        (None, b""),
    ],
)
def test_a_broken_ref_of_notes_is_told_of_by_what_shows_them(
    tmp_path: Path, content: bytes | None, words: bytes
) -> None:
    repo = Repo(tmp_path)
    repo.commit()
    if content is not None:
        repo.write(".git/refs/notes/commits", content)
    for argv in (["log"], ["show", "-s"], ["notes", "list"], ["log", "--format=%N"]):
        answer = gitglass.git(argv, cwd=repo.top)
        assert (answer.returncode, answer.stderr) == (0, words), argv
    for argv in (["log", "--oneline"], ["log", "--no-notes"], ["rev-list", "--pretty", "HEAD"]):
        answer = gitglass.git(argv, cwd=repo.top)
        assert (answer.returncode, answer.stderr) == (0, b""), argv
