"""--find-object in merges and of trees. The answers are git 2.39.5's over the same trees."""

from typing import Any

import gitglass


def test_merges_and_trees(repo: Any) -> None:
    mine, yours, merged = (repo.put("blob", text) for text in (b"mine\n", b"yours\n", b"both\n"))
    other = repo.put("blob", b"other\n")

    def tree(**entries: bytes) -> bytes:
        parts = [
            b"%s %s\0" % (b"40000" if name == "d" else b"100644", name.encode()) + oid for name, oid in entries.items()
        ]
        return bytes(repo.put("tree", b"".join(parts)))

    def commit(tree: bytes, *parents: bytes) -> bytes:
        lines = [b"tree " + tree.hex().encode(), *(b"parent " + oid.hex().encode() for oid in parents)]
        lines += [b"author A <a@b> 1 +0000", b"committer A <a@b> 1 +0000", b"", b"x\n"]
        return bytes(repo.put("commit", b"\n".join(lines)))

    below, changed = tree(f=other), tree(f=merged)
    one = commit(tree(o=other))
    two = commit(tree(d=below, file=yours, o=mine))
    merge = commit(tree(d=changed, file=merged, o=merged), one, two).hex()

    def found(*argv: str) -> list[str]:
        done = gitglass.git(["diff-tree", *argv], cwd=str(repo.top))
        assert (done.returncode, done.stderr) == (0, b"")
        return [line.rpartition(" ")[2] for line in done.stdout.decode().splitlines()]

    # The path that only the second parent has with this content is shown, and one that the merge made.
    assert found("-c", f"--find-object={yours.hex()}", merge) == [merge, "AM\tfile"]
    assert found("-c", f"--find-object={mine.hex()}", merge) == [merge, "MM\to"]
    assert found("-c", f"--find-object={merged.hex()}", merge) == [merge, "AM\td/f", "AM\tfile", "MM\to"]
    # Trees are found as well.
    assert found("-c", f"--find-object={below.hex()}", merge) == [merge, "AM\td"]
    assert found("-r", f"--find-object={below.hex()}", two.hex(), merge) == ["M\td"]
    assert found("-c", f"--find-object={one.hex()}", merge) == [merge]
