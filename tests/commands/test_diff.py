"""git diff, show and stash show: typed answers, and which two states are meant."""

import shutil
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import gitglass
from gitglass.commands import stash
from gitglass.commands.diff import DiffRequest
from gitglass.commands.show import ShowRequest
from gitglass.commands.stash import StashShowRequest
from gitglass.errors import GitError, InvalidArgs

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.fixture(scope="module")
def repo(unpack):
    return gitglass.open(str(unpack("dirty")))


def test_typed_rows_count_lines_and_hold_hunks(repo):
    result = repo.run(DiffRequest())
    assert result.files and result.totals.files == len(result.files)
    changed = next(row for row in result.files if row.status == "M" and row.hunks)
    assert changed.added == sum(line.startswith("+") for hunk in changed.hunks for line in hunk.lines)
    assert result.totals.added == sum(row.added or 0 for row in result.files)


def test_names_only_looks_at_no_content(repo):
    for row in repo.run(DiffRequest(cached=True, name_only=True)).files:
        assert row.added is None and row.hunks is None


def test_typed_and_written_agree(repo):
    rows = repo.run(DiffRequest(revs=["HEAD"], name_only=True)).files
    written = repo.git(["diff", "--name-only", "-z", "HEAD"]).stdout
    assert [row.path for row in rows] == written.decode().split("\0")[:-1]


@pytest.mark.parametrize(
    "argv, status",
    [
        (["diff", "--quiet"], 1),
        (["diff", "--exit-code", "HEAD", "HEAD"], 0),
        (["diff", "HEAD", "HEAD", "HEAD:README.md"], 129),
        (["diff", "--cached", "HEAD", "HEAD"], 129),
        (["diff", "-q"], 0),
        (["diff", "-q", "HEAD", "HEAD"], 129),
        (["diff", "-q", "HEAD", "HEAD", "HEAD"], 129),
        (["diff", "--base", "HEAD", "HEAD", "HEAD"], 129),
        (["diff", "--cached", "HEAD:README.md", "HEAD:src/app.py"], 129),
        (["diff", "--ours", "HEAD:README.md", "HEAD:src/app.py"], 129),
        (["diff", "-q", "HEAD:README.md", "README.md"], 129),
        (["diff", "HEAD:README.md", "README.md"], 0),
        (["diff", "--name-only", "-s", "HEAD"], 128),
        (["diff", "--output=x"], 129),
        (["diff", "--no-index", "a", "b", "c"], 129),
        (["diff", "-O"], 129),
        (["diff", "-O", "../x"], 128),
        (["diff", "--ext-diff"], 129),
        (["diff", "nosuch"], 128),
        (["stash", "pop"], 129),
        (["stash"], 129),
    ],
)
def test_exit_status(repo, argv, status):
    done = repo.git(argv)
    assert done.returncode == status
    assert bool(done.stderr) == (status >= 128)


def test_errors_are_typed(repo):
    with pytest.raises(GitError) as caught:
        repo.run(DiffRequest(revs=["nosuch"]))
    assert caught.value.status == 128
    with pytest.raises(InvalidArgs):
        repo.run(DiffRequest(revs=["HEAD", "HEAD"], cached=True))


def test_show_sorts_by_kind(repo):
    result = repo.run(ShowRequest(revs=["HEAD", "HEAD^{tree}", "HEAD:README.md"]))
    assert [len(kind) for kind in (result.commits, result.tags, result.trees, result.blobs)] == [1, 0, 1, 1]
    assert result.blobs[0].text and result.blobs[0].size == len(result.blobs[0].text)
    assert "README.md" in result.trees[0].entries
    assert result.commits[0].files[0].hunks is not None


def test_no_stash(unpack):
    with pytest.raises(GitError, match="No stash entries found"):
        gitglass.open(str(unpack("plain"))).run(StashShowRequest())


@pytest.mark.parametrize("argv", [[], ["--stat"], ["HEAD"], ["--", "x"], ["a", "b", "c"], ["--quiet"]])
def test_outside_of_a_repository(tmp_path: Path, argv: list[str]) -> None:
    done = gitglass.git(["diff", *argv], cwd=str(tmp_path), root=str(tmp_path))
    assert done.returncode == 129
    assert done.stderr.startswith(b"warning: Not a git repository. Use --no-index to compare two paths outside")


def test_a_combined_diff_counts_against_the_first_parent(unpack):
    """As of a merge: three trees are the result and its parents. Nor is that a difference to --exit-code."""
    repo = gitglass.open(str(unpack("packed")))
    trees = ["HEAD", "HEAD~3", "HEAD~5"]
    counts = repo.git(["diff", "--stat", "HEAD~3", "HEAD"]).stdout
    patch = repo.git(["diff", *trees]).stdout
    assert counts and patch
    assert repo.git(["diff", "--stat", *trees]).stdout == counts
    assert repo.git(["diff", "--stat", "-p", *trees]).stdout == counts + b"\n" + patch
    assert repo.git(["diff", "--exit-code", "--stat", *trees]).returncode == 0
    assert repo.git(["diff", "--exit-code", *trees]).returncode == 0


def test_relative_headers(unpack):
    repo = gitglass.open(str(unpack("packed")))
    patch = repo.git(["diff", "--relative=src/", EMPTY, "HEAD"]).stdout
    assert b"diff --git a/" in patch and b"+++ b/" in patch and b"src/" not in patch.split(b"@@")[0]
    names = repo.git(["diff", "--relative=src/", "--name-only", EMPTY, "HEAD"]).stdout.split()
    assert [line[6:] for line in patch.split(b"\n") if line.startswith(b"+++ b/")] == names


def test_relative_conflicts(unpack):
    """The line of a path without a merged state is relative, its diffstat is not; what is outside is not shown."""
    repo = gitglass.open(str(unpack("conflict")))
    everything = repo.git(["diff"]).stdout
    assert everything
    assert repo.git(["diff", "--relative=nowhere/"]).stdout == b""


def test_what_only_walks_need_changes_no_diff(repo):
    plain = repo.git(["diff"])
    assert plain.stdout
    for words in (["--oneline", "--graph"], ["--reverse"], ["-3"], ["--author=x", "-i"], ["--no-walk", "--date=iso"]):
        assert repo.git(["diff", *words]).stdout == plain.stdout


@pytest.mark.parametrize("words", [["-2"], ["-n", "2"], ["--since=2020"], ["--max-age=3"]])
def test_a_count_or_an_age_compares_no_commit_with_files(repo, words):
    done = repo.git(["diff", *words, "HEAD"])
    assert done.returncode == 129 and done.stderr.startswith(b"usage: git diff")
    assert repo.git(["diff", *words, "HEAD~1", "HEAD"]).stdout == repo.git(["diff", "HEAD~1", "HEAD"]).stdout


def test_reflogs_that_git_crashes_of_are_refused(repo):
    assert repo.git(["diff", "-g"]).stdout == repo.git(["diff"]).stdout
    assert repo.git(["diff", "-g", "HEAD"]).returncode == 129


def test_a_bad_pattern_of_a_pickaxe_is_told_where_nothing_differs(repo):
    for argv in (["diff", "HEAD", "HEAD", "-G", "("], ["diff-tree", "HEAD", "HEAD", "-S(", "--pickaxe-regex"]):
        done = repo.git(argv)
        assert (done.returncode, done.stdout) == (128, b"") and done.stderr.startswith(b"fatal: invalid regex: ")


def test_files_of_a_combined_diff_come_in_the_order_of_a_file(unpack, tmp_path):
    shutil.copytree(unpack("plain"), tmp_path / "it", symlinks=True)
    (tmp_path / "it" / "order").write_bytes(b"src/*\nlogo.bin\n")
    argv = ["-c", "diff.orderFile=order", "diff", "--name-only", "-z", "v1.0", "v2.0", "HEAD"]
    names = gitglass.git(argv, cwd=tmp_path / "it").stdout.decode().split("\0")[:-1]
    usual = gitglass.git(argv[2:], cwd=tmp_path / "it").stdout.decode().split("\0")[:-1]
    assert names[:4] == ["src/app.py", "src/topic.py", "src/util.py", "logo.bin"]
    assert names[4:] == [name for name in usual if name not in names[:4]] and usual == sorted(usual)


def test_words_are_looked_at_before_an_unknown_option_is_told(repo):
    for line, status, words in (
        ("log --nope nosuch", 128, "fatal: ambiguous argument 'nosuch'"),
        ("log --nope nosuch --", 128, "fatal: bad revision 'nosuch'"),
        ("log HEAD --nope", 128, "fatal: unrecognized argument: --nope"),
        ("rev-list --nope nosuch", 128, "fatal: ambiguous argument 'nosuch'"),
        ("diff --nope", 255, "error: invalid option: --nope"),
        ("diff --nope HEAD", 129, "usage: git diff"),
        ("diff --cached --nope", 129, "usage: git diff"),
    ):
        done = repo.git(line.split())
        assert (done.returncode, done.stdout) == (status, b"") and done.stderr.decode().startswith(words), line


def test_the_last_stash_is_dropped_while_it_is_listed(unpack, tmp_path, monkeypatch):
    shutil.copytree(unpack("dirty"), tmp_path / "repo", symlinks=True)
    ref = tmp_path / "repo" / ".git" / "refs" / "stash"
    assert gitglass.git(["stash", "list"], cwd=tmp_path / "repo").stdout and ref.exists()
    looked_up = stash.log_words

    def too_late(*args, **kwargs):
        git = Thread(target=ref.unlink)
        git.start()
        git.join()
        return looked_up(*args, **kwargs)

    monkeypatch.setattr(stash, "log_words", too_late)
    done = gitglass.git(["stash", "list"], cwd=tmp_path / "repo")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_attributes_of_a_directory_alone(unpack, tmp_path: Path) -> None:
    """A `.gitattributes` below the top counts, also where the top has none."""
    shutil.copytree(unpack("packed"), tmp_path / "repo", symlinks=True)
    (tmp_path / "repo/src/.gitattributes").write_bytes(b"* -diff\n")
    counts = gitglass.open(tmp_path / "repo").git(["diff", "--numstat", EMPTY, "HEAD"]).stdout.splitlines()
    assert {line[:3] == b"-\t-" for line in counts if b"\tsrc/" in line} == {True}
    assert [line for line in counts if line[:3] == b"-\t-" and b"\tsrc/" not in line] == [b"-\t-\tlogo.bin"]


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["diff", "HEAD~1"], 128),
        (["diff", "--quiet", "HEAD~1"], 128),
        (["diff", "HEAD", "HEAD"], 0),
        (["diff", "-Snowhere", "HEAD~1"], 0),
        (["log", "-1"], 0),
        (["log", "-s"], 0),
        (["log", "-p", "-1"], 128),
        (["log", "-s", "--stat", "-1"], 128),
        (["show", "-s"], 128),
        (["show", "HEAD:README.md"], 0),
        (["stash", "list"], 0),
        (["diff", "--no-index", "README.md", "README.md"], 0),
        (["diff", "--no-index", "README.md", "src/app.py"], 128),
    ],
)
def test_a_missing_order_file_is_missed_where_there_is_something_to_order(unpack, argv, status):
    done = gitglass.open(unpack("packed")).git(["-c", "diff.orderFile=nofile", *argv])
    assert done.returncode == status
    assert done.stderr == (b"fatal: failed to read orderfile 'nofile': No such file or directory\n" if status else b"")


def test_an_order_file_without_a_name_is_missed(unpack: Any) -> None:
    done = gitglass.git(["-c", "diff.orderFile=", "diff", "HEAD~1"], cwd=unpack("packed"))
    words = b"fatal: failed to read orderfile '': No such file or directory\n"
    assert (done.returncode, done.stderr) == (128, words)


def test_a_pickaxe_does_not_look_into_trees(unpack: Any) -> None:
    repo = unpack("plain")
    for option in (["-S", "x"], ["-G", "x"]):
        done = gitglass.git(["log", "-t", "--raw", *option], cwd=repo)
        assert (done.returncode, done.stderr) == (128, b"fatal: unable to read files to diff\n")
    assert gitglass.git(["log", "-r", "--raw", "-S", "x"], cwd=repo).returncode == 0


def test_names_of_combined_diffs_are_never_relative(unpack: Any) -> None:
    repo = unpack("releases")
    whole = gitglass.git(["show", "--cc", "--name-only", "--format=", ":/Merge"], cwd=repo).stdout
    inner = next(line for line in whole.splitlines() if b"/" in line) if b"/" in whole else b""
    folder = inner.rpartition(b"/")[0].decode()
    shown = gitglass.git(["show", "--cc", "--name-only", "--format=", f"--relative={folder}", ":/Merge"], cwd=repo)
    assert inner and inner in shown.stdout.splitlines()


def test_status_misses_the_order_file_it_has_no_use_for(unpack: Any) -> None:
    words = b"fatal: failed to read orderfile 'nosuch': No such file or directory\n"
    done = gitglass.git(["-c", "diff.orderFile=nosuch", "status", "-s"], cwd=unpack("dirty"))
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", words)
    done = gitglass.git(["-c", "diff.orderFile=nosuch", "status", "-s", "--", "nothing-here"], cwd=unpack("dirty"))
    assert done.returncode == 0


NAMES = ["diff", "--name-only", "v1.0", "v2.0"]


@pytest.mark.parametrize("argv", [NAMES, ["log", "-p", "-2"], ["show", "v2.0"], ["diff", "--no-index", "src", "docs"]])
def test_an_order_file_is_switched_off(unpack: Any, argv: list[str]) -> None:
    place = unpack("plain")
    plain = gitglass.git(argv, cwd=place)
    done = gitglass.git(["-c", "diff.orderFile=/dev/null", *argv], cwd=place)
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, b"") and plain.stdout


def test_status_with_the_order_switched_off(unpack: Any) -> None:
    place = unpack("dirty")
    done = gitglass.git(["-c", "diff.orderFile=/dev/null", "status", "-v"], cwd=place)
    assert (done.returncode, done.stdout) == (0, gitglass.git(["status", "-v"], cwd=place).stdout)


def test_the_order_of_a_command_line(unpack: Any, tmp_path: Path) -> None:
    """-O is seen from the current directory and comes before diff.orderFile; the last -O counts."""
    place = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    (place / "order").write_bytes(b"# first\nsrc/tools.py\nsrc/*\n")
    (place / "src" / "other").write_bytes(b"logo.bin\n")
    usual = gitglass.git(NAMES, cwd=place).stdout.splitlines()
    assert b"src/tools.py" in usual[1:] and b"logo.bin" in usual[1:]

    def first(*argv: str, cwd: Path = place) -> bytes:
        done = gitglass.git(list(argv), cwd=cwd)
        assert (done.returncode, done.stderr) == (0, b"")
        names = done.stdout.splitlines()
        assert set(usual) <= set(names)
        return names[0]

    assert first(*NAMES, "-Oorder") == first(*NAMES, "-O", "order") == b"src/tools.py"
    assert first(*NAMES, "-O../order", cwd=place / "src") == b"src/tools.py"
    assert first(*NAMES, "-Oother", cwd=place / "src") == b"logo.bin"
    assert first(*NAMES, "-Oorder", "-O/dev/null") == usual[0]
    assert first("-c", "diff.orderFile=order", *NAMES) == b"src/tools.py"
    assert first("-c", "diff.orderFile=order", *NAMES, "-O/dev/null") == usual[0]
    assert first("-c", "diff.orderFile=nosuch", *NAMES, "-Oorder") == b"src/tools.py"
    plumbing = ["diff-tree", "-r", "--name-only", "v1.0", "v2.0"]
    assert first(*plumbing, "-Oorder") == b"src/tools.py"
    assert first("-c", "diff.orderFile=order", *plumbing) == first(*plumbing) != b"src/tools.py"
    shown = gitglass.git(["log", "-1", "--name-only", "--format=", "-Osrc/nosuch", "v2.0"], cwd=place)
    words = b"fatal: failed to read orderfile 'src/nosuch': No such file or directory\n"
    assert (shown.returncode, shown.stderr) == (128, words)
    assert (
        gitglass.git([*NAMES, "-Osrc"], cwd=place).stderr == b"fatal: failed to read orderfile 'src': Is a directory\n"
    )
    assert gitglass.git([*NAMES, "-O/etc/hostname"], cwd=place).returncode == 128  # outside of the repository


def test_a_filter_that_takes_back_its_letters(repo):
    """Without them it is no filter; where the command sets its own format, git then begins with every status."""

    def names(*words):
        return repo.git(["diff", *words]).stdout

    assert names("--name-only", "--diff-filter=M", "--diff-filter=m") == names("--name-only") != b""
    assert names("--diff-filter=M", "--diff-filter=m") == names("--diff-filter=m") != names()
    assert names("-p", "--diff-filter=M", "--diff-filter=m") == names()
    assert names("--diff-filter=*mM", "--name-only") == b""  # "*" asks for all files if one is kept


def test_stat_data_alone_is_a_difference_without_refreshing(unpack):
    """diff.autoRefreshIndex: git compares contents to refresh the index. The stat data of unpacked files differs."""
    repo, off = unpack("plain"), ["-c", "diff.autoRefreshIndex=false", "diff"]

    def asked(*words: str) -> tuple[int, bytes]:
        done = gitglass.git(list(words), cwd=repo)
        return done.returncode, done.stdout

    assert asked("diff", "--name-only", "src/app.py") == asked("diff", "--raw", "HEAD", "src/app.py") == (0, b"")
    assert asked(*off, "--name-only", "src/app.py") == asked(*off, "--name-only", "HEAD", "src/app.py")
    assert asked(*off, "--name-only", "src/app.py") == (0, b"src/app.py\n")
    assert asked(*off, "--exit-code", "src/app.py") == (1, b"")
    assert asked(*off, "HEAD", "src/app.py") == (0, b"")
