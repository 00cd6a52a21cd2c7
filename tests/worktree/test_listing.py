import os
from typing import Any

import pytest

import gitglass
from gitglass.disk import opened
from gitglass.memories import BY_BYTES
from gitglass.render import ls_files
from gitglass.worktree import stat_cache


def git(repo: Any, *argv: str, cwd: str = "") -> bytes:
    repo.write_index()
    done = gitglass.git(["ls-files", *argv], cwd=os.fspath(repo.top / cwd))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_plain_and_relative(repo: Any) -> None:
    for name in ("a", "d/b", "d/e/c"):
        repo.add(name)
    assert git(repo) == b"a\nd/b\nd/e/c\n"
    assert git(repo, cwd="d") == b"b\ne/c\n"
    assert git(repo, "..", cwd="d/e") == b"../b\nc\n"
    assert git(repo, "--full-name", cwd="d") == b"d/b\nd/e/c\n"
    assert git(repo, "-z", "d") == b"d/b\0d/e/c\0"


@pytest.mark.parametrize(("word", "want"), [
    ("*.c", "a.c d/a.c dd/x.c"), ("d*.c", "d/a.c dd/x.c"), ("d/*.c", "d/a.c"), ("*c", "a.c c d/a.c dc dd/x.c"),
    ("d*", "d.c/e d/a.c d/b.h dc dd/x.c"), ("*", "*.h/x *.s a.c b.s c d.c/e d/a.c d/b.h dc dd/x.c"), ("dc*c", ""),
    ("d*c", "d/a.c dc dd/x.c"), (":(exclude)*.c", "*.h/x *.s b.s c d.c/e d/b.h dc"), (":(glob)*.c", "a.c"),
    (":(icase)*.C", "a.c d/a.c dd/x.c"), ("*.h", "*.h/x d/b.h"), ("*.s", "*.s b.s"), (r"\*.s", "*.s"),
    ("*/x", "*.h/x"), ("d/*", "d/a.c d/b.h"), ("*/", ""), ("**.c", "a.c d/a.c dd/x.c"), ("no*.c", ""),
    ("*[ac]", "a.c c d/a.c dc dd/x.c"),
])  # fmt: skip
def test_one_word_with_a_wildcard(repo: Any, word: str, want: str) -> None:
    """What git lists; --error-unmatch, which asks about each path, lists the same."""
    for name in ("a.c", "c", "d/a.c", "d/b.h", "dc", "d.c/e", "dd/x.c", "*.h/x", "*.s", "b.s"):
        repo.add(name)
    lines = "".join(f"{name}\n" for name in want.split()).encode()
    assert git(repo, word) == lines
    assert git(repo, "--full-name", ":/" + word if word[0] != ":" else word, cwd="d" if word[0] != ":" else "") == lines
    assert b"".join(line.partition(b"\t")[2] for line in git(repo, "-s", word).splitlines(keepends=True)) == lines
    if want and word != "*.s":  # which is spent then on the path that is equal to it, as in git
        assert git(repo, "--error-unmatch", word) == lines


def test_entries_with_their_modes_and_stages(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are written at once, and whether they are alike or not."""
    repo.add("a")
    repo.add("b")
    repo.entry("c", b"\1" * 20, mode=0o120000)
    repo.entry("d", b"\2" * 20, mode=0o160000)
    for stage in (1, 2, 3):
        repo.entry("e", bytes([stage]) * 20, mode=0o100755, stage=stage)
    repo.add("f\u00e9")
    name = repo.put("blob", b"x\n").hex().encode()
    want = [b"100644 %b 0\ta" % name, b"100644 %b 0\tb" % name, b"120000 %b 0\tc" % (b"01" * 20),
            b"160000 %b 0\td" % (b"02" * 20), *[b"100755 %b %d\te" % (b"0%d" % n * 20, n) for n in (1, 2, 3)],
            b'100644 %b 0\t"f\\303\\251"' % name]  # fmt: skip
    for most in (1, 2, 3, 100):
        monkeypatch.setattr(ls_files, "_MANY", most)
        assert git(repo, "-s").splitlines() == want
        plain = [*want[:-1], want[-1].partition(b"\t")[0] + "\tf\u00e9".encode()]
        assert git(repo, "-s", "-z").split(b"\0") == [*plain, b""]
        assert git(repo, "-s", "c", "e").splitlines() == [want[2], *want[4:7]]


@pytest.mark.parametrize("special", [0, 0x4000])
def test_an_index_in_large_pages(repo: Any, monkeypatch: pytest.MonkeyPatch, special: int) -> None:
    """What is asked of it is answered as of bytes, and a handle that finds the same bytes takes what is parsed."""
    for name in ("a", "d/b", "d/c", "e"):
        repo.add(name)
    repo.add("skipped", special=special)
    repo.write("other")
    questions = [[], ["-s"], ["-s", "d"], ["*b"], ["-o"], ["-m"], ["--debug"], ["-t"], ["d"]]
    want = [git(repo, *words) for words in questions]
    monkeypatch.setattr(opened, "_WORTH_LARGE_PAGES", 1)
    BY_BYTES.clear()
    assert [git(repo, *words) for words in questions] == want
    first = repo.store().index
    assert repo.store().index is first  # the file was written again in between


def test_odd_names_are_quoted(repo: Any) -> None:
    repo.add("caf\u00e9")
    repo.add("new\nline")
    assert git(repo) == b'"caf\\303\\251"\n"new\\nline"\n'
    assert git(repo, "-z") == "caf\u00e9\0new\nline\0".encode()


def test_tags_and_stages(repo: Any) -> None:
    repo.add("assumed", flags=0x8000)
    repo.add("gone")
    repo.add("skipped", special=0x4000)
    for stage in (1, 3):
        repo.entry("c", repo.put("blob", b"x"), stage=stage)
    (repo.top / "gone").unlink()
    repo.write("other")
    assert git(repo, "-t") == b"H assumed\nM c\nM c\nH gone\nS skipped\n"
    assert git(repo, "-v", "assumed") == b"h assumed\n"
    assert git(repo, "-t", "-d", "-m", "-o") == b"? other\nR c\nC c\nR c\nC c\nR gone\nC gone\n"
    assert git(repo, "--deduplicate", "-d", "-m", "gone") == b"gone\n"
    assert git(repo, "-u").count(b"\tc\n") == 2


def test_what_stands_in_the_way(repo: Any) -> None:
    repo.add("d/x")
    repo.add("f")
    (repo.top / "d/x").unlink()
    (repo.top / "d").rmdir()
    repo.write("d")
    (repo.top / "f").unlink()
    repo.write("f/in")
    repo.write("free")
    assert git(repo, "-k") == b"d\nf/in\n"


def test_line_endings(repo: Any) -> None:
    repo.write(".gitattributes", b"*.txt text eol=crlf\n")
    repo.add("a.txt", b"1\n2\r\n", blob=b"1\n")
    repo.add("b", b"")
    assert git(repo, "--eol") == (
        b"i/lf    w/mixed attr/text eol=crlf    \ta.txt\ni/none  w/none  attr/                 \tb\n"
    )


def test_format(repo: Any) -> None:
    repo.add("a b")
    oid = repo.put("blob", b"x\n").hex().encode()
    assert git(repo, "--format=%(objectmode) %(objectname)%x09%%%(path)") == b"100644 " + oid + b"\t%a b\n"


def test_error_unmatch(repo: Any) -> None:
    repo.add("a")
    repo.write_index()
    done = gitglass.git(["ls-files", "--error-unmatch", "a", "nope"], cwd=os.fspath(repo.top))
    assert (done.returncode, done.stdout) == (1, b"a\n")
    assert done.stderr == (
        b"error: pathspec 'nope' did not match any file(s) known to git\nDid you forget to 'git add'?\n"
    )


def test_error_unmatch_of_words_that_mean_everything(repo: Any) -> None:
    repo.add("a")
    repo.add("d/b")
    assert git(repo, "--error-unmatch", ".", "a", ":/") == b"a\nd/b\n"
    done = gitglass.git(["ls-files", "--error-unmatch", ".", "nope"], cwd=os.fspath(repo.top))
    assert (done.returncode, done.stdout, b"'nope'" in done.stderr, b"'.'" in done.stderr) == (
        1,
        b"a\nd/b\n",
        True,
        False,
    )


def test_ignored(repo: Any) -> None:
    repo.add("tracked.o")
    repo.write("new.o")
    repo.write(".gitignore", b"*.o\n")
    assert git(repo, "-i", "-c", "--exclude-standard") == b"tracked.o\n"
    assert git(repo, "-i", "-o", "-x", "*.o") == b"new.o\n"
    assert git(repo, "-o", "--exclude-standard") == b".gitignore\n"


def test_typed(repo: Any) -> None:
    repo.add("a")
    repo.write_index()
    rows = gitglass.open(os.fspath(repo.top)).ls_files(stage=True).files
    assert [(row.path, row.tag, row.mode, row.stage) for row in rows] == [("a", "H", "100644", 0)]


def test_check_ignore_and_check_attr(repo: Any) -> None:
    repo.write(".gitignore", b"*.o\n!keep.o\n")
    repo.write(".gitattributes", b"*.c diff=cpp -text\n")
    top = os.fspath(repo.top)
    done = gitglass.git(["check-ignore", "-v", "-n", "x.o", "keep.o", "y"], cwd=top)
    assert done.stdout == b".gitignore:1:*.o\tx.o\n.gitignore:2:!keep.o\tkeep.o\n::\ty\n"
    assert gitglass.git(["check-ignore", "-q", "y"], cwd=top).returncode == 1
    done = gitglass.git(["check-attr", "diff", "text", "eol", "--", "a.c"], cwd=top)
    assert done.stdout == b"a.c: diff: cpp\na.c: text: unset\na.c: eol: unspecified\n"
    assert gitglass.git(["check-attr", "-a", "a.c"], cwd=top).stdout == b"a.c: diff: cpp\na.c: text: unset\n"


def test_debug_shows_what_the_index_notes(repo: Any) -> None:
    repo.add("a", flags=0x8000)
    repo.add("skipped", special=0x4000)
    for stage in (1, 3):
        repo.entry("c", repo.put("blob", b"x"), stage=stage)
    st = (repo.top / "a").lstat()
    stat = (
        f"  ctime: {int(st.st_ctime)}:0\n  mtime: 1600000000:0\n  dev: {st.st_dev}\tino: {st.st_ino}\n"
        f"  uid: {st.st_uid}\tgid: {st.st_gid}\n  size: 2\tflags: "
    )
    nothing = "c\n  ctime: 0:0\n  mtime: 0:0\n  dev: 0\tino: 0\n  uid: 0\tgid: 0\n  size: 0\tflags: "
    assert git(repo, "--debug", "a").decode() == f"a\n{stat}8000\n"
    assert git(repo, "--debug", "c").decode() == f"{nothing}1000\n{nothing}3000\n"
    assert git(repo, "--debug", "-z", "--format=%(path)", "a").decode() == f"a\0{stat}8000\n"
    assert git(repo, "--debug", "skipped").endswith(b"flags: 40004000\n")
    repo.write("other")
    both = git(repo, "--debug", "-c", "-o", "-t", "other", "a").decode()
    assert both == f"? other\nH a\n{stat}108000\n"  # looking for others fills git's table of names


def test_a_pattern_takes_in_the_directory_before_its_star(repo: Any) -> None:
    repo.add("a")
    repo.write("new/x")
    repo.write_index()
    assert git(repo, "-o", "--directory", "--", "new/*") == b"new/\n"


def asked(repo: Any, *argv: str, stdin: bytes = b"") -> tuple[int, bytes, bytes]:
    repo.write_index()
    done = gitglass.git(argv, cwd=os.fspath(repo.top), stdin=stdin)
    return done.returncode, done.stdout, done.stderr


def test_check_ignore_reads_lines_as_git_does(repo: Any) -> None:
    repo.write(".gitignore", b"*.o\n")
    assert asked(repo, "check-ignore", "--stdin", stdin=b'a.o\n"b\\to.o"tail\nc\n') == (0, b'a.o\n"b\\to.o"\n', b"")
    assert asked(repo, "check-ignore", "-q", "--stdin", stdin=b"a\n")[0] == 1
    assert asked(repo, "check-ignore", "--stdin", stdin=b'"a\n') == (128, b"", b"fatal: line is badly quoted\n")
    code, out, words = asked(repo, "check-ignore", "--stdin", stdin=b"a.o\n\nb.o\n")
    assert (code, out) == (128, b"a.o\n") and b"empty string" in words


def test_check_ignore_refuses_before_it_answers(repo: Any) -> None:
    repo.write(".gitignore", b"*.o\n")
    repo.entry("sub", b"\1" * 20, mode=0o160000)
    inside = b"fatal: Pathspec 'sub/a' is in submodule 'sub'\n"
    assert asked(repo, "check-ignore", "a.o", "sub/a") == (128, b"", inside)
    assert asked(repo, "check-ignore", "a.o", "sub/")[0] == 0
    assert asked(repo, "check-ignore", "--no-index", "sub/a.o")[:2] == (0, b"sub/a.o\n")
    magic = b"fatal: a.o: pathspec magic not supported by this command: 'literal'\n"
    assert asked(repo, "--literal-pathspecs", "check-ignore", "a.o") == (128, b"", magic)


def test_exclude_from_is_seen_from_the_top(repo: Any) -> None:
    repo.write("list", b"x\n")
    repo.write("dir/x")
    repo.write("dir/y")
    assert git(repo, "-o", "-X", "list", cwd="dir") == b"y\n"


def test_format_goes_with_lower_tags(repo: Any) -> None:
    repo.add("a")
    assert git(repo, "-v", "--format=<%(path)>") == b"<a>\n"


def test_what_the_tree_adds_is_no_other_file(repo: Any) -> None:
    inner = repo.put("tree", b"100644 b\0" + repo.put("blob", b"2\n"))
    tree = repo.put("tree", b"100644 a\0" + repo.put("blob", b"1\n") + b"40000 d\0" + inner)
    repo.add("a")
    for name in ("d/b", "d/new", "e/x"):
        repo.write(name)
    assert git(repo, "-o") == b"d/b\nd/new\ne/x\n"
    assert git(repo, "-o", f"--with-tree={tree.hex()}") == b"d/new\ne/x\n"
    assert git(repo, "-o", "--directory", f"--with-tree={tree.hex()}") == b"d/new\ne/\n"
    (repo.top / "d" / "b").unlink()
    repo.write("d/b/c")  # a directory where the tree has a file
    assert git(repo, "-o", f"--with-tree={tree.hex()}") == b"d/b/c\nd/new\ne/x\n"


def test_from_within_a_submodule_that_is_not_checked_out(repo: Any) -> None:
    repo.add("a")
    repo.entry("sub", b"\1" * 20, mode=0o160000)
    (repo.top / "sub" / "x").mkdir(parents=True)
    assert git(repo, cwd="sub") == git(repo, ".", cwd="sub") == b"./\n"
    assert git(repo, "--full-name", cwd="sub") == b"sub\n"
    assert git(repo, "..", cwd="sub/x") == b"../\n"
    assert git(repo, cwd="sub/x") == b""


def test_conflicts_make_room_for_the_tree(repo: Any) -> None:
    for stage in (1, 2):
        repo.entry("c", repo.put("blob", b"x\n"), stage=stage)
    tree = repo.put("tree", b"")
    assert git(repo, "--format=%(path) %(stage)") == b"c 1\nc 2\n"
    assert git(repo, "--format=%(path) %(stage)", f"--with-tree={tree.hex()}") == b"c 3\nc 3\n"


def test_what_stands_in_place_of_what_is_tracked(repo: Any) -> None:
    for path in ("d/a", "e/b", "f", "g/c"):
        repo.add(path)
    (repo.top / "d" / "a").unlink()
    (repo.top / "d").rmdir()
    repo.write("d")  # a file where a directory should be
    (repo.top / "f").unlink()
    repo.write("f/in")  # a directory where a file should be
    repo.write("e/new")
    (repo.top / "g" / "c").unlink()
    (repo.top / "g" / "c").symlink_to("nowhere")
    assert git(repo, "-o") == b"d\ne/new\nf/in\n"
    # f is no file: it is there all the same, and differs
    assert git(repo, "-d") == b"d/a\n"
    assert git(repo, "-m") == b"d/a\nf\ng/c\n"
    assert git(repo, "-d", "-m", "-t") == b"R d/a\nC d/a\nC f\nC g/c\n"


def test_changed_files_beside_those_that_status_does_not_tell_of(repo: Any) -> None:
    for path in ("clean", "d/clean", "d/changed", "touched"):
        repo.add(path)
    repo.add("believed", flags=0x8000)
    repo.add("believed-gone", flags=0x8000)
    repo.add("meant", blob=b"", special=0x2000)
    for stage in (1, 2):
        repo.entry("conflict", repo.put("blob", b"x\n"), stage=stage)
    repo.write("conflict")
    repo.entry("sub", b"\1" * 20, mode=0o160000)
    repo.write("sub", b"no directory\n")
    repo.write("d/changed", b"other\n")
    repo.write("believed", b"other\n")
    (repo.top / "believed-gone").unlink()
    os.utime(repo.top / "touched", (1, 1))
    assert git(repo, "-m") == b"believed-gone\nd/changed\nmeant\nsub\n"
    assert git(repo, "-d") == b"believed-gone\n"
    assert git(repo, "-m", "d") == b"d/changed\n"
    assert git(repo, "-c", "-m", "-t", "d") == b"H d/changed\nC d/changed\nH d/clean\n"


def test_check_ignore_and_check_attr_answer_lines_as_they_answer_words(repo: Any) -> None:
    repo.write(".gitignore", b"*.o\nbuild/\n!keep.o\n/top\n")
    repo.write("d/.gitignore", b"x\n")
    repo.write(".gitattributes", b"*.o -text\nd/ diff\nx text=auto\n")
    repo.write("build/in", b"")
    repo.write("d/build", b"")  # a file: a line for directories is not for it
    repo.add("d/tracked.o")
    words = [
        b"a.o",
        b"keep.o",
        b"build",
        b"build/in",
        b"d/build",
        b"d/x",
        b"d/tracked.o",
        b"top",
        b"d/top",
        b"d/./x",
        b"d",
    ]
    repo.write_index()
    lines = b"\n".join(words) + b"\n"
    for options in (["-v", "-n"], ["-v", "-n", "--no-index"], []):
        together = asked(repo, "check-ignore", *options, "--stdin", stdin=lines)
        alone = b"".join(asked(repo, "check-ignore", *options, word.decode())[1] for word in words)
        assert together[1] == alone and alone
    for options in (["text", "diff"], ["-a"]):
        together = asked(repo, "check-attr", "--stdin", *options, stdin=lines)
        alone = b"".join(asked(repo, "check-attr", *options, "--", word.decode())[1] for word in words)
        assert together[1] == alone and alone


def test_without_the_index_a_sparse_rule_is_not_there(repo: Any) -> None:
    repo.entry("d/.gitignore", repo.put("blob", b"*.o\n"), special=0x4000)
    repo.write("d/x.o")
    assert asked(repo, "check-ignore", "d/x.o")[1] == b"d/x.o\n"
    assert asked(repo, "check-ignore", "--no-index", "d/x.o")[1] == b""


def test_plain_words_are_found_where_each_path_would_be_asked(repo: Any) -> None:
    for name in ("a", "d/b", "d/e/c", "d.x", "d0", "e"):
        repo.add(name)
    for stage in (1, 2, 3):
        repo.add("d/m", stage=stage)
    for words in (["d"], ["d", "d/e"], ["a", "d/m"], ["d/e/c", "d.x", "absent"], ["e", "a"], [":!d"], [":!d/e", ":!a"],
                  ["d", ":!d/m"], ["d/e", "a", ":!d"], [":!absent"], [":/", ":!d0"]):  # fmt: skip
        for option in ("-c", "-s"):
            asked = git(repo, option, "--", *words, ":!nothing*")  # which is no plain word
            assert git(repo, option, "--", *words) == asked != b""
        asked = git(repo, "--", *words, ":!nothing*", cwd="d")
        assert git(repo, "--", *words, cwd="d") == asked
    assert git(repo, "-s") == git(repo, "-s", "--", ":!nothing*") == git(repo, "-s", "--", ":!nothing") != b""
    assert git(repo, "--", ":!d", ":!a") == b"d.x\nd0\ne\n"


def test_deleted_files_are_found_without_reading_any(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is as young as the index would be read to tell whether it changed; not to tell whether it is there."""
    for path in ("a", "d/b", "d/c", "e/f", "g"):
        repo.add(path)
    (repo.top / "d" / "b").unlink()
    (repo.top / "g").write_bytes(b"something else\n")
    repo.write_index()
    os.utime(repo.git / "index", (1, 1))
    monkeypatch.setattr(stat_cache.Looker, "_look_closer", lambda *words: pytest.fail("looks closer"))
    assert git(repo, "-d") == b"d/b\n"
    assert git(repo, "-d", "e") == b""
    assert git(repo, "-d", "d", "a") == b"d/b\n"
    assert git(repo, "-d", "-t", "d/b") == b"R d/b\n"


def test_paths_once_with_their_tags_and_in_a_format(repo: Any) -> None:
    """Entries of the index alone are written in columns; with --debug each is written by itself."""
    for name in ("a", "d/é", "x"):
        repo.add(name)
    for stage in (1, 2, 3):
        repo.add("d/m", stage=stage)
    repo.add("v", flags=0x8000)

    def each(*argv: str) -> bytes:
        lines = git(repo, *argv, "--debug").split(b"\n")
        return b"".join(line + b"\n" for line in lines if not line.startswith(b"  ") and line)

    for options in (
        ["-t"],
        ["-v"],
        ["-f"],
        ["-s", "-t"],
        ["-s", "--abbrev=5"],
        ["--format=%(stage) %(path)%x2c%(objectmode)"],
    ):
        assert git(repo, *options) == each(*options) != b""
        assert git(repo, *options, "d") == each(*options, "d") != b""
    assert git(repo, "--deduplicate") == b'a\nd/m\n"d/\\303\\251"\nv\nx\n'
    assert git(repo, "--deduplicate", "-z", "d") == b"d/m\0d/\xc3\xa9\0"
    assert git(repo, "-u", "--format=%(stage)") == b"1\n2\n3\n"
    repo.add("w", special=0x4000)
    assert git(repo, "-t").endswith(b"S w\nH x\n") and git(repo, "--format=%(path)").endswith(b"w\nx\n")


def test_ignored_files_that_only_the_tree_has(repo: Any) -> None:
    for name in ("a.o", "b.c"):
        repo.add(name)
    repo.write_index()
    tree = repo.commit()
    repo.entries.clear()
    repo.add("c.o")
    assert git(repo, "-c", "-i", "-x", "*.o", f"--with-tree={tree.hex()}") == b"a.o\nc.o\n"
    assert git(repo, "-c", f"--with-tree={tree.hex()}") == b"a.o\nb.c\nc.o\n"


def test_error_unmatch_of_killed_files_alone(repo: Any) -> None:
    """Of -k only those in the way count as matched, not every file that is not in the index."""
    repo.add("d/a")
    repo.write_index()
    (repo.top / "d" / "a").unlink()
    (repo.top / "d").rmdir()
    repo.write("d")
    repo.write("other")

    def status(*argv: str) -> int:
        return int(gitglass.git(["ls-files", "--error-unmatch", *argv], cwd=os.fspath(repo.top)).returncode)

    assert [status("-k", "d"), status("-k", "other"), status("-k", ".")] == [0, 1, 0]
    assert [status("-o", "other"), status("-o", "-k", "other"), status("-k", ":!other")] == [0, 0, 0]
    (repo.top / "d").unlink()
    assert [status("-k", "."), status("-k", ":!x")] == [1, 1]


def test_a_directory_in_place_of_a_file_in_conflict(repo: Any) -> None:
    """What is in it is untracked, and nothing that a checkout would remove; both versions are shown as removed."""
    repo.add("merged")
    for stage, data in ((2, b"ours\n"), (3, b"theirs\n")):
        repo.entry("f", repo.put("blob", data), stage=stage)
    repo.write_index()
    for name in ("merged", "f"):
        (repo.top / name).unlink(missing_ok=True)
        (repo.top / name).mkdir()
        (repo.top / name / "inner").write_bytes(b"x")

    def asked(*argv: str) -> bytes:
        return gitglass.git(argv, cwd=os.fspath(repo.top)).stdout

    assert asked("status", "-s", "-uall").splitlines()[-2:] == [b"?? f/inner", b"?? merged/inner"]
    assert asked("ls-files", "-k") == b"merged/inner\n"
    nothing = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    assert [asked("diff-index", "--name-status", *more, nothing, "--", "merged") for more in ([], ["-m"])] == [
        b"", b"A\tmerged\n",
    ]  # fmt: skip
    assert asked("diff", "--", "f").splitlines()[2:] == [
        b"deleted file mode 100644,100644", b"--- a/f", b"+++ /dev/null", b"@@@ -1,1 -1,1 +1,0 @@@", b"- ours", b" -theirs",
    ]  # fmt: skip
    (repo.top / "f/inner").unlink()
    (repo.top / "f").rmdir()
    assert asked("diff", "--", "f").splitlines()[4:] == [b"+++ /dev/null"]


def test_a_tree_beside_other_files_matches_no_pathspec(repo: Any) -> None:
    repo.add("f")
    repo.write_index()
    words = ["ls-files", "-o", "--error-unmatch", "--with-tree=" + repo.tree().hex(), "f"]
    done = gitglass.git(words, cwd=os.fspath(repo.top))
    assert (done.returncode, done.stdout) == (1, b"") and b"'f' did not match any file" in done.stderr


def test_intended_entries_of_diff_files_are_empty_ones(repo: Any) -> None:
    repo.write("new", b"x\n")
    repo.entry("new", repo.put("blob", b""), flags=0, special=0x2000)
    repo.write_index()
    words = ["diff-files", "--name-status"]
    shown = [gitglass.git([*words, *more], cwd=os.fspath(repo.top)).stdout for more in ([], ["--ita-visible-in-index"])]
    assert shown == [b"A\tnew\n", b"M\tnew\n"]
