"""git diff-tree, diff-index and diff-files."""

from pathlib import Path

import pytest

import gitglass

from ..support.worktrees import Repo


@pytest.fixture(scope="module")
def dirty(unpack):
    return gitglass.open(str(unpack("dirty")))


def test_a_commit_is_named_in_front_of_its_changes(dirty):
    head = dirty.git(["rev-parse", "HEAD~1"]).stdout
    lines = dirty.git(["diff-tree", "-r", "HEAD~1"]).stdout
    assert lines.startswith(head + b":")
    assert dirty.git(["diff-tree", "--no-commit-id", "-r", "HEAD~1"]).stdout == lines[len(head) :]


def test_an_excluded_commit_is_compared_too_and_marked(dirty):
    head = dirty.git(["rev-parse", "HEAD~1"]).stdout
    lines = dirty.git(["diff-tree", "-r", "HEAD~1"]).stdout
    assert dirty.git(["diff-tree", "-r", "^HEAD~1"]).stdout == b"^ " + lines
    pretty = dirty.git(["diff-tree", "-s", "--always", "--pretty=oneline", "^HEAD~1"]).stdout
    assert pretty.startswith(b"^ " + head.strip() + b" ")
    for words in ([], ["--cached"]):
        asked = dirty.git(["diff-index", *words, "HEAD~1"])
        assert asked.stdout and dirty.git(["diff-index", *words, "^HEAD~1"]).stdout == asked.stdout
    refused = dirty.git(["diff-index", "--cached", "--merge-base", "^HEAD~1"])
    assert (refused.returncode, refused.stdout) == (128, b"")
    assert refused.stderr == b"fatal: --merge-base does not work with ranges\n"


def test_directories_unless_told_to_descend(dirty):
    names = dirty.git(["diff-tree", "--name-only", "HEAD~2", "HEAD"]).stdout.split()
    deep = dirty.git(["diff-tree", "-r", "--name-only", "HEAD~2", "HEAD"]).stdout.split()
    assert {name.split(b"/")[0] for name in deep} == set(names)


def test_whole_object_names(dirty):
    line = dirty.git(["diff-index", "--cached", "HEAD"]).stdout.splitlines()[0]
    assert len(line.split()[2]) == 40


@pytest.mark.parametrize(
    "argv, status",
    [
        (["diff-index", "--quiet", "HEAD"], 1),
        (["diff-index", "--quiet", "--cached", "HEAD", "--", "nosuch"], 0),
        (["diff-files", "--quiet"], 1),
        (["diff-tree", "--quiet", "HEAD", "HEAD"], 0),
        (["diff-tree"], 129),
        (["diff-tree", "--stdin"], 0),
        (["diff-index"], 129),
    ],
)
def test_exit_status(dirty, argv, status):
    assert dirty.git(argv).returncode == status


def test_commits_and_trees_from_standard_input(dirty):
    """A line is a commit, a commit and its parents, or two trees; git repeats every other line as it is."""
    head, old, tree, older = dirty.git(["rev-parse", "HEAD", "HEAD~3", "HEAD^{tree}", "HEAD~3^{tree}"]).stdout.split()
    one = dirty.git(["diff-tree", "-r", "HEAD"]).stdout
    both = dirty.git(["diff-tree", "-r", "HEAD~3", "HEAD"]).stdout

    def told(text, *options):
        return dirty.git(["diff-tree", "--stdin", "-r", *options], stdin=text)

    assert told(head + b"\nHEAD\n").stdout == one + b"HEAD\n"
    assert told(head + b" " + old + b"\n" + head + b"\n").stdout == 2 * (head + b"\n" + both)
    assert told(older + b" " + tree + b"\n").stdout == older + b" " + tree + b"\n" + both
    assert told(head, "HEAD").stdout == one  # what has no newline is no line
    done = told(tree + b"\n" + head + b"\n")
    assert (done.returncode, done.stdout) == (0, one)
    assert done.stderr == b"error: Need exactly two trees, separated by a space\n"
    assert told(head + b"\n", "--merge-base").returncode == 128


@pytest.mark.parametrize("argv", [["diff-tree", "-p", "HEAD~1"], ["diff-index", "-p", "HEAD"], ["diff-files", "-p"]])
def test_no_setting_colours_what_scripts_read(dirty, argv):
    for setting in ("color.diff=always", "color.ui=always"):
        assert b"\x1b" not in dirty.git(["-c", setting, *argv]).stdout
    assert b"\x1b[1mdiff" in dirty.git([*argv, "--color"]).stdout


@pytest.mark.parametrize("command", [["diff-index", "HEAD~1"], ["diff-index", "--cached", "HEAD~1"]])
def test_naming_what_is_done_of_merges_asks_for_a_patch(command: list[str], repo: Path) -> None:
    """Strange but git's: --diff-merges does, -m and --diff-merges=off do not, and any format is stronger."""

    def ask(*words: str) -> bytes:
        done = gitglass.git([command[0], *words, *command[1:]], cwd=repo)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    raw, patch = ask(), ask("-p")
    assert raw.startswith(b":") and patch.startswith(b"diff --git ")
    for how in ("first-parent", "1", "m", "on", "separate"):
        assert ask(f"--diff-merges={how}") == patch, how
        assert ask(f"--diff-merges={how}", "--raw") == raw, how
    assert ask("--diff-merges=off") == ask("-m") == raw


def _quiet(dirty, lines, *options):
    done = dirty.git(["diff-tree", "--stdin", *options], stdin=b"".join(line + b"\n" for line in lines))
    return done.returncode, done.stdout.split()


def test_quiet_ends_a_comparison_where_the_last_one_has_a_change(dirty):
    """git's flag of a change lives until the next comparison, which finds it and ends before it has begun."""
    head = dirty.git(["rev-parse", "HEAD~1"]).stdout.strip()
    assert _quiet(dirty, [head], "--quiet") == (1, [head])
    assert _quiet(dirty, [head] * 2, "--quiet") == (0, [head])
    assert _quiet(dirty, [head] * 3, "--quiet", "-p") == (1, [head] * 2)
    assert _quiet(dirty, [head] * 3, "--quiet", "--diff-filter=AMD") == (1, [head] * 3)
    assert _quiet(dirty, [head] * 3, "--quiet", "-w") == (1, [head])  # what lines tell of is not forgotten
    assert _quiet(dirty, [head, b"nosuch"], "--quiet") == (1, [head, b"nosuch"])
    assert dirty.git(["diff-tree", "--quiet", "HEAD~1", "--stdin"], stdin=head + b"\n").returncode == 0


def test_the_exit_status_is_that_of_the_last_comparison(dirty):
    head = dirty.git(["rev-parse", "HEAD~1"]).stdout.strip()
    tree = dirty.git(["rev-parse", "HEAD^{tree}"]).stdout.strip()
    pair = tree + b" " + tree
    assert _quiet(dirty, [head, pair], "--exit-code", "-s") == (0, [head, tree, tree])
    assert _quiet(dirty, [pair, head], "--exit-code", "-s") == (1, [tree, tree, head])
    assert dirty.git(["log", "--raw", "--exit-code"]).returncode == 1
    assert dirty.git(["log", "--diff-filter=M", "--exit-code"]).returncode == 0  # the first commit adds only
    assert dirty.git(["log", "--diff-filter=M", "--exit-code"]).stdout


def test_missing_files_are_no_matter_of_merges(unpack):
    """diff-index has a -m of its own, which leaves what --cc asks for as it is, in any order."""
    repo = gitglass.open(str(unpack("kinds")))
    both = repo.git(["diff-index", "--cached", "--cc", "-m", "HEAD~2"]).stdout
    assert both.startswith(b"diff --git a/attribute/a.x b/attribute/a.x\n")
    assert both == repo.git(["diff-index", "--cached", "-m", "--cc", "HEAD~2"]).stdout
    gone = repo.git(["diff-index", "HEAD~2", "--", "sub"]).stdout
    assert gone == b":160000 000000 %s %s D\tsub/s\n" % (b"1" * 40, b"0" * 40)
    assert repo.git(["diff-index", "-m", "HEAD~2", "--", "sub"]).stdout == b":160000 160000 %s %s M\tsub/s\n" % (
        b"1" * 40, b"2" * 40,
    )  # fmt: skip
    header = [b"diff --cc sub/s", b"index 2222222,1111111..0000000", b"deleted file mode 160000,160000"]
    names = [b"--- a/sub/s", b"+++ /dev/null"]
    assert repo.git(["diff-index", "-m", "--cc", "HEAD~2", "--", "sub"]).stdout.splitlines() == header + names


def test_combined_diffs_show_what_is_outside_of_relative(unpack):
    """Strange but git's: of a tree and the files, with --cc."""
    repo = gitglass.open(str(unpack("conflict")))
    whole = repo.git(["diff", "--cc", "HEAD", "--", "both.txt"]).stdout
    assert whole.startswith(b"diff --cc both.txt\n")
    assert repo.git(["diff", "--cc", "--relative=src", "HEAD", "--", "both.txt"]).stdout == whole
    assert repo.git(["diff", "--relative=src", "--", "both.txt"]).stdout == b""


def test_diff_tree_takes_attributes_from_the_index(tmp_path):
    """git reads the index before it compares trees: its .gitattributes count where the work tree has none."""
    repo = Repo(tmp_path / "repo")
    repo.config("\tbare = false\n")
    rules = repo.write(".gitattributes", b"*.b binary\n* -whitespace\n")
    repo.add(".gitattributes", rules.read_bytes())
    repo.add("x", b"blank \n")
    repo.add("y.b", b"1\n")
    head = repo.commit().hex().encode()
    repo.write_index()
    rules.unlink()
    for folder in (repo.top, repo.git):
        checked = gitglass.git(["diff-tree", "--root", "--check", "HEAD"], cwd=str(folder))
        assert (checked.returncode, checked.stdout) == (0, head + b"\n")
        numbers = gitglass.git(["diff-tree", "--root", "--numstat", "HEAD", "--", "y.b"], cwd=str(folder)).stdout
        assert numbers == head + b"\n-\t-\ty.b\n"
