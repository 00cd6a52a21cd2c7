"""Merges done again where git has to merge the bases first; as git 2.39 shows them."""

import zlib
from hashlib import sha1
from pathlib import Path

import pytest

import gitglass


class Maker:
    """A repository of loose objects, made without git."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.git = top / ".git"
        (self.git / "refs/heads").mkdir(parents=True)
        (self.git / "HEAD").write_text("ref: refs/heads/main\n")
        (self.git / "config").write_text("[core]\n\trepositoryformatversion = 0\n")

    def put(self, kind: str, data: bytes) -> bytes:
        whole = f"{kind} {len(data)}\0".encode() + data
        oid = sha1(whole)
        place = self.git / "objects" / oid.hexdigest()[:2] / oid.hexdigest()[2:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(zlib.compress(whole))
        return oid.digest()

    def commit(self, text: str, *parents: bytes, when: int = 1700000000) -> bytes:
        tree = self.put("tree", b"100644 f\0" + self.put("blob", text.encode()))
        lines = [b"tree " + tree.hex().encode(), *(b"parent " + parent.hex().encode() for parent in parents)]
        who = b"A <a@x> %d +0000" % when
        return self.put("commit", b"\n".join([*lines, b"author " + who, b"committer " + who, b"", b"c", b""]))

    def commit_of(self, files: dict[str, str], *parents: bytes, when: int = 1700000000) -> bytes:
        """A commit of files, each in a directory."""
        tops = dict.fromkeys(path.partition("/")[0] for path in sorted(files))
        tree = b""
        for top in tops:
            inner = b"".join(
                b"100644 " + path.partition("/")[2].encode() + b"\0" + self.put("blob", text.encode())
                for path, text in sorted(files.items())
                if path.startswith(top + "/")
            )
            tree += b"40000 " + top.encode() + b"\0" + self.put("tree", inner)
        lines = [
            b"tree " + self.put("tree", tree).hex().encode(),
            *(b"parent " + each.hex().encode() for each in parents),
        ]
        who = b"A <a@x> %d +0000" % when
        return self.put("commit", b"\n".join([*lines, b"author " + who, b"committer " + who, b"", b"c", b""]))

    def show(self, commit: bytes, *options: str) -> bytes:
        done = gitglass.git(["show", "--remerge-diff", "--format=", *options, commit.hex()], cwd=str(self.top))
        assert not done.stderr, done.stderr
        return done.stdout


def test_two_bases(tmp_path: Path) -> None:
    """The bases differ in a line, so that their merge has a conflict in it; one side changes the text in its marks."""
    repo = Maker(tmp_path)
    start = repo.commit("one\ntwo\nthree\n")
    left, right = repo.commit("one\nleft\nthree\n", start), repo.commit("one\nright\nthree\n", start)
    both = repo.commit("one\nleft\nthree\n", left, right), repo.commit("one\nright\nthree\n", right, left)
    last = repo.commit("one\nboth\nthree\n", *both)
    assert repo.show(last).decode().splitlines() == [
        "diff --git a/f b/f",
        "remerge CONFLICT (content): Merge conflict in f",
        "index {2}..{3} 100644".format(*repo.show(last, "--raw").decode().split()),
        "--- a/f",
        "+++ b/f",
        "@@ -1,7 +1,3 @@",
        " one",
        f"-<<<<<<< {both[0].hex()[:7]} (c)",
        "-left",
        "-=======",
        "-right",
        f"->>>>>>> {both[1].hex()[:7]} (c)",
        "+both",
        " three",
    ]


def test_directories_that_differ_come_with_t(tmp_path: Path) -> None:
    """Also before a name that is lower than the name with its slash: the order is that of the trees."""
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/f": "one\n", "d-/f": "one\n"})
    sides = (
        repo.commit_of({"d/f": "two\n", "d-/f": "one\n"}, start),
        repo.commit_of({"d/f": "one\n", "d-/f": "2\n"}, start),
    )
    merge = repo.commit_of({"d/f": "both\n", "d-/f": "both\n"}, *sides)
    assert repo.show(merge, "--name-only").split() == [b"d-/f", b"d/f"]
    assert repo.show(merge, "--name-only", "-t").split() == [b"d-", b"d-/f", b"d", b"d/f"]


def test_settled_as_the_merge_left_it(tmp_path: Path) -> None:
    """A file that one side changed and the other deleted, and that stayed: told of in patches only."""
    repo = Maker(tmp_path)
    start = repo.commit("one\n")
    ours = repo.commit("two\n", start)
    empty = repo.put("tree", b"").hex().encode()
    who = b"A <a@x> 1700000000 +0000"
    body = b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\nc\n" % (empty, start.hex().encode(), who, who)
    theirs = repo.put("commit", body)
    merge = repo.commit("two\n", ours, theirs)
    one, other = theirs.hex()[:7], ours.hex()[:7]
    assert repo.show(merge).decode() == (
        f"diff --git a/f b/f\nremerge CONFLICT (modify/delete): f deleted in {one} (c) and modified in {other} (c)."
        f"  Version {other} (c) of f left in tree.\n"
    )
    assert repo.show(merge, "--stat") == repo.show(merge, "--raw") == b""


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--diff-filter=d", True), ("--diff-filter=m", True), ("--diff-filter=AU", True), ("--diff-filter=M", False),
        ("--diff-filter=X", False), ("--diff-filter=u", False), ("-Stwo", False), ("-Gtwo", False), ("-R", True),
    ],
)  # fmt: skip
def test_messages_about_paths_without_a_change(tmp_path: Path, option: str, told: bool) -> None:
    """A filter keeps them as it keeps unmerged paths, and a search leaves them out; those of a change stay with it."""
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/f": "one\n", "e/f": "one\n"})
    ours = repo.commit_of({"d/f": "two\n", "e/f": "two\n"}, start)
    theirs = repo.commit_of({"e/f": "three\n"}, start)
    merge = repo.commit_of({"d/f": "two\n", "e/f": "two\n"}, ours, theirs)
    shown = repo.show(merge, "-p", option)
    assert (b"remerge CONFLICT (modify/delete): d/f" in shown) is told
    whole = b"remerge CONFLICT (content): Merge conflict in e/f" in shown
    assert whole is (option not in ("--diff-filter=X", "-Stwo", "-Gtwo"))


def test_messages_of_a_copy_are_those_of_its_source(tmp_path: Path) -> None:
    repo = Maker(tmp_path)
    text = "".join(f"line {nth}\n" for nth in range(9))
    start = repo.commit_of({"d/f": text, "e/f": text[::-1]})
    ours = repo.commit_of({"d/f": "ours\n" + text, "e/f": text[::-1]}, start)
    theirs = repo.commit_of({"d/f": "theirs\n" + text, "e/f": text[::-1]}, start)
    merge = repo.commit_of({"d/f": "both\n" + text, "d/g": text, "e/f": text[::-1], "e/g": text[::-1]}, ours, theirs)
    lines = repo.show(merge, "-C", "-C").decode().splitlines()
    at = lines.index("copy to d/g")
    assert lines[at - 3 : at + 2] == [
        "diff --git a/d/f b/d/g",
        "similarity index 51%",
        "copy from d/f",
        "copy to d/g",
        "remerge CONFLICT (content): Merge conflict in d/f",
    ]
    assert lines[-4:] == ["diff --git a/e/f b/e/g", "similarity index 100%", "copy from e/f", "copy to e/g"]


@pytest.mark.parametrize(
    ("how", "raw"),
    [("-c", "::100644 100644 100644 {0} {1} {2} MR\td/b"), ("--remerge-diff", ":100644 100644 {3} {2} M\td/b")],
)
def test_a_path_is_followed_into_the_parents_of_a_merge(tmp_path: Path, how: str, raw: str) -> None:
    """One parent has it under another name."""
    repo = Maker(tmp_path)
    text = "".join(f"line {nth}\n" for nth in range(9))
    texts = [text + "left\n", text + "right\n", text + "both\n"]
    start = repo.commit_of({"d/a": text}, when=1)
    left, right = repo.commit_of({"d/b": texts[0]}, start, when=2), repo.commit_of({"d/a": texts[1]}, start, when=3)
    merge = repo.commit_of({"d/b": texts[2]}, left, right, when=4)
    ours, theirs = left.hex()[:7], right.hex()[:7]
    texts.append(f"{text}<<<<<<< {ours} (c):d/b\nleft\n=======\nright\n>>>>>>> {theirs} (c):d/a\n")
    blobs = [repo.put("blob", each.encode()).hex()[:7] for each in texts]
    words = ["log", "--follow", "--raw", "--format=%H", how, merge.hex(), "--", "d/b"]
    done = gitglass.git(words, cwd=str(tmp_path))
    lines = done.stdout.decode().splitlines()
    assert lines[:3] == [merge.hex(), "", raw.format(*blobs)]
    assert lines[-3:] == [start.hex(), "", f":000000 100644 0000000 {repo.put('blob', text.encode()).hex()[:7]} A\td/a"]


def test_no_base_is_behind_what_was_shown(tmp_path: Path) -> None:
    """git has forgotten the parents of commits that it has shown, also of those that it lists the files of."""
    repo = Maker(tmp_path)
    start = repo.commit("one\ntwo\nthree\n")
    left, right = repo.commit("left\ntwo\nthree\n", start), repo.commit("one\ntwo\nright\n", start)
    merge = repo.commit("left\ntwo\nright\n", left, right)
    words = ["log", "--format=%H", "--name-only", "--remerge-diff", merge.hex()]
    assert gitglass.git(words, cwd=str(tmp_path)).stdout.startswith(merge.hex().encode() + b"\n" + left.hex().encode())
    assert gitglass.git([*words, "--reverse"], cwd=str(tmp_path)).stdout.endswith(merge.hex().encode() + b"\n\nf\n")


def test_a_parent_may_be_shown_before_a_merge(tmp_path: Path) -> None:
    """If its date is later, and another commit leads to it."""
    repo = Maker(tmp_path)
    start = repo.commit("one\ntwo\nthree\n", when=1)
    left = repo.commit("left\ntwo\nthree\n", start, when=2)
    right = repo.commit("one\ntwo\nright\n", start, when=50)
    merge, beside = repo.commit("left\ntwo\nright\n", left, right, when=10), repo.commit("x\n", right, when=60)
    words = ["log", "--format=%ct", "--raw", "--name-only", "--remerge-diff", merge.hex()]
    assert b"\n10\n\nf\n2" not in gitglass.git(words, cwd=str(tmp_path)).stdout
    assert b"50\n\nf\n10\n\nf\n2" in gitglass.git([*words, beside.hex()], cwd=str(tmp_path)).stdout


def test_parents_as_the_walk_left_them(tmp_path: Path) -> None:
    """Of three parents one has nothing of its own: where parents are shown, the merge of the other two is done again."""
    repo = Maker(tmp_path)
    start = repo.commit("one\ntwo\nthree\n")
    left, right = repo.commit("left\ntwo\nthree\n", start), repo.commit("one\ntwo\nright\n", start)
    same = repo.commit("left\ntwo\nthree\n", left)
    last = repo.commit("left\nmore\nright\n", left, same, right)
    done = gitglass.git(
        ["log", "--parents", "--format=", "--remerge-diff", "-U0", last.hex(), "--", "f"], cwd=str(tmp_path)
    )
    assert not done.stderr
    assert done.stdout.startswith(
        b"diff --git a/f b/f\nindex 654ef1c..d39132f 100644\n--- a/f\n+++ b/f\n@@ -2 +2 @@ left\n-two\n+more\ndiff --git"
    )
    assert b"octopus" in repo.show(last)


def test_added_where_the_other_side_deleted(tmp_path: Path) -> None:
    """Only a directory that was moved as a whole would take along what the other side adds to it."""
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/a": "one\ntwo\n", "d/b": "three\nfour\n"})
    added = repo.commit_of({"d/a": "one\ntwo\n", "d/b": "three\nfour\n", "d/c": "five\n"}, start)
    fewer = repo.commit_of({"d/b": "three\nfour\n"}, start)
    assert repo.show(repo.commit_of({"d/b": "three\nfour\n", "d/c": "five\n"}, fewer, added)) == b""
    moved = repo.commit_of({"e/a": "one\ntwo\n", "e/b": "three\nfour\n"}, start)
    last = repo.commit_of({"d/c": "five\n", "e/a": "one\ntwo\n", "e/b": "three\nfour\n"}, moved, added)
    assert b"rename from e/c\nrename to d/c\n" in repo.show(last)


_TEXT = "one\ntwo\nthree\nfour\nfive\n"


def test_renamed_on_one_side_and_deleted_on_the_other(tmp_path: Path) -> None:
    """The file stays under its new name, and that is told; whether it was changed, too."""
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/a": _TEXT, "d/z": "z\n"})
    gone = repo.commit_of({"d/z": "z\n"}, start)
    for text, told in ((_TEXT, 1), (_TEXT + "six\n", 2)):
        kept = repo.commit_of({"d/c": text, "d/z": "z\n"}, start)
        left = repo.show(repo.commit_of({"d/c": text, "d/z": "z\n"}, kept, gone)).decode().splitlines()
        one, two = f"{kept.hex()[:7]} (c)", f"{gone.hex()[:7]} (c)"
        assert (
            left
            == [
                "diff --git a/d/c b/d/c",
                f"remerge CONFLICT (rename/delete): d/a renamed to d/c in {one}, but deleted in {two}.",
                f"remerge CONFLICT (modify/delete): d/c deleted in {two} and modified in {one}.  "
                f"Version {one} of d/c left in tree.",
            ][: told + 1]
        )


def test_renamed_alike_on_both_sides(tmp_path: Path) -> None:
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/a": _TEXT})
    one, two = repo.commit_of({"d/c": _TEXT + "six\n"}, start), repo.commit_of({"d/c": "zero\n" + _TEXT}, start)
    assert repo.show(repo.commit_of({"d/c": "zero\n" + _TEXT + "six\n"}, one, two)) == b""


def test_what_has_no_lines_is_left_as_ours(tmp_path: Path) -> None:
    repo = Maker(tmp_path)
    start = repo.commit("\0base")
    ours, theirs = repo.commit("\0ours", start), repo.commit("\0theirs", start)
    assert repo.show(repo.commit("\0ours", ours, theirs)).decode().splitlines() == [
        "diff --git a/f b/f",
        f"remerge warning: Cannot merge binary files: f ({ours.hex()[:7]} (c) vs. {theirs.hex()[:7]} (c))",
        "remerge CONFLICT (content): Merge conflict in f",
    ]


def test_patches_stand_by_their_old_names(tmp_path: Path) -> None:
    repo = Maker(tmp_path)
    start = repo.commit_of({"d/a": _TEXT, "d/b": "b\n"})
    other = repo.commit_of({"d/a": _TEXT, "d/b": "b\nc\n"}, start)
    last = repo.commit_of({"d/b": "x\n", "d/x": _TEXT}, start, other)
    heads = [line for line in repo.show(last).splitlines() if line.startswith(b"diff")]
    assert heads == [b"diff --git a/d/a b/d/x", b"diff --git a/d/b b/d/b"]
    assert repo.show(last, "--name-only") == b"d/b\nd/x\n"
    alone = repo.show(repo.commit_of({"d/b": "x\n", "d/x": _TEXT}, start))  # no merge
    assert [line for line in alone.splitlines() if line.startswith(b"diff")] == heads[::-1]
