"""merge/entrywise.py: three trees compared entry by entry. The answers are git 2.39.5's (merge-tree BASE OURS THEIRS)."""

from typing import Any

import pytest
from tests.support.worktrees import ctx, repo

import gitglass
from gitglass.commands.merge_tree import MergeTreeRequest

__all__ = ["ctx", "repo"]

LINES = [b"%d\n" % number for number in range(1, 8)]
TEXT = b"".join(LINES)
FILE, TOOL, LINK, FOLDER, MODULE = b"100644", b"100755", b"120000", b"40000", b"160000"


def changed(*lines: tuple[int, bytes]) -> bytes:
    """The text with some lines replaced."""
    return b"".join(dict(lines).get(number, line) for number, line in enumerate(LINES, 1))


def tree(repo: Any, entries: dict[str, Any]) -> str:
    """Store a tree of {name: content | (mode, content or oid) | {…}}; its name."""
    rows = []
    for name, what in entries.items():
        if isinstance(what, dict):
            rows.append((name + "/", FOLDER, bytes.fromhex(tree(repo, what))))
            continue
        mode, data = what if isinstance(what, tuple) else (FILE, what)
        rows.append((name, mode, data if mode == MODULE else repo.put("blob", data)))
    raw = b"".join(mode + b" " + name.rstrip("/").encode() + b"\0" + oid for name, mode, oid in sorted(rows))
    oid: bytes = repo.put("tree", raw)
    return oid.hex()


def asked(repo: Any, base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> gitglass.Completed:
    return gitglass.git(["merge-tree", *(tree(repo, entries) for entries in (base, ours, theirs))], cwd=repo.top)


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], bytes]] = {
    "theirs alone": (
        {"a": TEXT, "d": {"x": TEXT}, "gone": b"1\n", "tool": b"t\n"},
        {"a": TEXT, "d": {"x": TEXT}, "gone": b"1\n", "tool": b"t\n"},
        {"a": changed((4, b"four\n")), "d": {"x": TEXT, "y": b"new\n"}, "tool": (TOOL, b"t\n")},
        b"merged\n"
        b"  result 100644 cf4b5bf06bffc5cf609978280fb7946e47f72758 a\n"
        b"  our    100644 06e567b11dfdafeaf7d3edcc89864149383aeab6 a\n"
        b"@@ -1,7 +1,7 @@\n"
        b" 1\n"
        b" 2\n"
        b" 3\n"
        b"-4\n"
        b"+four\n"
        b" 5\n"
        b" 6\n"
        b" 7\n"
        b"added in remote\n"
        b"  their  100644 3e757656cf36eca53338e520d134963a44f793f8 d/y\n"
        b"@@ -0,0 +1 @@\n"
        b"+new\n"
        b"removed in remote\n"
        b"  base   100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d gone\n"
        b"  our    100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d gone\n"
        b"@@ -1 +0,0 @@\n"
        b"-1\n"
        b"merged\n"
        b"  result 100755 718f4d2ff533cf8ead8d3556cf43912bd245fbc4 tool\n"
        b"  our    100644 718f4d2ff533cf8ead8d3556cf43912bd245fbc4 tool\n",
    ),
    "texts that merge, and that do not": (
        {"a": TEXT, "b": TEXT},
        {"a": changed((1, b"one\n")), "b": changed((4, b"ours\n"))},
        {"a": changed((7, b"seven\n")), "b": changed((4, b"theirs\n"))},
        b"changed in both\n"
        b"  base   100644 06e567b11dfdafeaf7d3edcc89864149383aeab6 a\n"
        b"  our    100644 965b507be063db4ea2a906b8bd0f1c9f13209bf3 a\n"
        b"  their  100644 8c9b6959529f6793529338a96ef73e31d7e97013 a\n"
        b"@@ -4,4 +4,4 @@\n"
        b" 4\n"
        b" 5\n"
        b" 6\n"
        b"-7\n"
        b"+seven\n"
        b"changed in both\n"
        b"  base   100644 06e567b11dfdafeaf7d3edcc89864149383aeab6 b\n"
        b"  our    100644 0a3347c4fa39556d2b8c743348ed55b409d1637a b\n"
        b"  their  100644 f27c6b439dbde6fcc2a3b919f4cf651ccc6becfc b\n"
        b"@@ -1,7 +1,11 @@\n"
        b" 1\n"
        b" 2\n"
        b" 3\n"
        b"+<<<<<<< .our\n"
        b" ours\n"
        b"+=======\n"
        b"+theirs\n"
        b"+>>>>>>> .their\n"
        b" 5\n"
        b" 6\n"
        b" 7\n",
    ),
    "added on both sides, with and without a last line end": (
        {},
        {"n": b"ours\n", "m": b"ours"},
        {"n": b"theirs\n", "m": b"theirs"},
        b"added in both\n"
        b"  our    100644 424860eef4edb9f5a2dacbbd6dc8c2d2e7645035 m\n"
        b"  their  100644 228068dbe790983c15535164cd483eb77ade97e4 m\n"
        b"@@ -1 +1,5 @@\n"
        b"-ours\n"
        b"\\ No newline at end of file\n"
        b"+<<<<<<< .our\n"
        b"+ours\n"
        b"+=======\n"
        b"+theirs\n"
        b"+>>>>>>> .their\n"
        b"added in both\n"
        b"  our    100644 b19a1e93bec1317dc6097229e12afaffbfa74dc2 n\n"
        b"  their  100644 950b81b7eee953d050aa05a641f8e056c85dd1bd n\n"
        b"@@ -1 +1,5 @@\n"
        b"+<<<<<<< .our\n"
        b" ours\n"
        b"+=======\n"
        b"+theirs\n"
        b"+>>>>>>> .their\n",
    ),
    "changed here and removed there": (
        {"a": TEXT, "b": b"1\n"},
        {"a": changed((2, b"two\n"))},
        {"b": b"2\n"},
        b"removed in remote\n"
        b"  base   100644 06e567b11dfdafeaf7d3edcc89864149383aeab6 a\n"
        b"  our    100644 df8a66f60382c9294e5a00798e1ab4a1c3c582f6 a\n"
        b"@@ -1,7 +0,0 @@\n"
        b"-1\n"
        b"-two\n"
        b"-3\n"
        b"-4\n"
        b"-5\n"
        b"-6\n"
        b"-7\n"
        b"removed in local\n"
        b"  base   100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d b\n"
        b"  their  100644 0cfbf08886fca9a91cb753ec8734c84fcbe52c9f b\n",
    ),
    "a directory in the place of a file": (
        {"e": b"1\n"},
        {"e": b"2\n"},
        {"e": {"y": b"y\n"}},
        b"added in remote\n"
        b"  their  100644 975fbec8256d3e8a3797e7a3611380f27c49f4ac e/y\n"
        b"@@ -0,0 +1 @@\n"
        b"+y\n"
        b"removed in remote\n"
        b"  base   100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d e\n"
        b"  our    100644 0cfbf08886fca9a91cb753ec8734c84fcbe52c9f e\n"
        b"@@ -1 +0,0 @@\n"
        b"-2\n",
    ),
    "a file in the place of a directory": (
        {"e": {"y": b"y\n"}},
        {"e": {"y": b"z\n"}},
        {"e": b"1\n"},
        b"removed in remote\n"
        b"  base   100644 975fbec8256d3e8a3797e7a3611380f27c49f4ac e/y\n"
        b"  our    100644 b68025345d5301abad4d9ec9166f455243a0d746 e/y\n"
        b"@@ -1 +0,0 @@\n"
        b"-z\n"
        b"added in remote\n"
        b"  their  100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d e\n"
        b"@@ -0,0 +1 @@\n"
        b"+1\n",
    ),
    "a link and a submodule": (
        {"l": (LINK, b"to"), "s": (MODULE, b"\x11" * 20)},
        {"l": (LINK, b"here"), "s": (MODULE, b"\x22" * 20)},
        {"l": (LINK, b"there"), "s": (MODULE, b"\x33" * 20)},
        b"changed in both\n"
        b"  base   120000 788636ffba34694361f7d7ee1970d96fb92c3168 l\n"
        b"  our    120000 60aecbdbb21e68a16d08c3e94a0524637e353307 l\n"
        b"  their  120000 c78ee1a5bdf46d22da300b68d50bc45c587c3293 l\n"
        b"@@ -1 +1,5 @@\n"
        b"-here\n"
        b"\\ No newline at end of file\n"
        b"+<<<<<<< .our\n"
        b"+here\n"
        b"+=======\n"
        b"+there\n"
        b"+>>>>>>> .their\n"
        b"changed in both\n"
        b"  base   160000 1111111111111111111111111111111111111111 s\n"
        b"  our    160000 2222222222222222222222222222222222222222 s\n"
        b"  their  160000 3333333333333333333333333333333333333333 s\n",
    ),
    "a NUL ends a line that is shown": (
        {"b": b"a\0b\n"},
        {"b": b"a\0b\n"},
        {"b": b"a\0c\n"},
        b"merged\n"
        b"  result 100644 659b72404b70ab54da8f878f31930baac622ca49 b\n"
        b"  our    100644 1a23e4be731d2f539deeea324686d000ccdfbfcd b\n"
        b"@@ -1 +1 @@\n"
        b"-a+a",
    ),
    "binary on both sides": (
        {"b": b"a\0b"},
        {"b": b"a\0c"},
        {"b": b"a\0d"},
        b"changed in both\n"
        b"  base   100644 20b5be91886d0b6f26dc98a225c0dac05fe2c86e b\n"
        b"  our    100644 88f37001cec36655decf891d4244853aaa51a00a b\n"
        b"  their  100644 2c81034db6db7ab687b85e308b19421ec039b87d b\n",
    ),
    "an entry of the null name is none": (
        {},
        {},
        {"s": (MODULE, bytes(20))},
        b"",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_becomes_of_each_path(repo: Any, case: str) -> None:
    base, ours, theirs, out = CASES[case]
    done = asked(repo, base, ours, theirs)
    warning = b"warning: Cannot merge binary files: b (.our vs. .their)\n" if case.startswith("binary") else b""
    assert (done.returncode, done.stdout, done.stderr) == (0, out, warning)


def test_the_typed_form(repo: Any) -> None:
    trees = [tree(repo, entries) for entries in ({"a": TEXT}, {"a": TEXT}, {"a": changed((4, b"four\n"))})]
    opened = gitglass.open(repo.top)
    rows = opened.run(MergeTreeRequest(branches=trees, form="trivial-merge")).paths
    assert [(row.kind, row.path, row.before, row.after) for row in rows] == [
        ("merged", "a", TEXT.decode(), TEXT.decode().replace("4", "four"))
    ]
    assert [(side.side, side.mode, side.oid[:7]) for side in rows[0].sides] == [
        ("result", "100644", "cf4b5bf"), ("our", "100644", "06e567b"),
    ]  # fmt: skip


def test_words_that_name_no_tree(repo: Any) -> None:
    folder, blob = tree(repo, {"a": b"1\n"}), repo.put("blob", b"1\n").hex()
    for words, said in (
        ([folder, "nosuch", folder], b"unknown rev nosuch"), ([blob, folder, folder], b"unable to read tree %b" % blob.encode()),
        (["-z", folder, folder, folder], b"--trivial-merge is incompatible with all other options"),
    ):  # fmt: skip
        done = gitglass.git(["merge-tree", *words], cwd=repo.top)
        assert (done.returncode, done.stdout, done.stderr) == (128, b"", b"fatal: " + said + b"\n")
    for words in ([folder], [folder] * 4, ["--trivial-merge", folder, folder], ["--messages", folder]):
        assert gitglass.git(["merge-tree", *words], cwd=repo.top).returncode == 129


def test_lines_are_compared_as_git_diff_compares_them(repo: Any) -> None:
    """Not as its merges do, whose conflict is a smaller one here."""
    done = asked(repo, {"f": b"b\na\na\na\n"}, {"f": b"b\na\n"}, {"f": b"a\nb\n"})
    lines = done.stdout.split(b"\n")[4:]
    assert lines == [
        b"@@ -1,2 +1,7 @@",
        b"+<<<<<<< .our",
        b" b",
        b" a",
        b"+=======",
        b"+a",
        b"+b",
        b"+>>>>>>> .their",
        b"",
    ]
