"""git blame: which of two words is the file."""

from pathlib import Path

import pytest

import gitglass

from ..support.worktrees import Repo


def test_a_range_behind_the_file_is_no_revision_of_it(repo: Path) -> None:
    done = gitglass.git(["blame", "src/app.py", "HEAD~1.."], cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", b"fatal: bad revision 'src/app.py'\n")


def test_one_revision_behind_the_file_is(repo: Path) -> None:
    one = gitglass.git(["blame", "src/app.py", "HEAD"], cwd=repo)
    assert one.returncode == 0 and one.stdout
    assert one.stdout == gitglass.git(["blame", "HEAD", "--", "src/app.py"], cwd=repo).stdout


@pytest.mark.parametrize("name", ["src", "."])
def test_contents_of_what_is_no_file(repo: Path, name: str) -> None:
    done = gitglass.git(["blame", f"--contents={name}", "src/app.py"], cwd=repo)
    assert (done.returncode, done.stderr) == (128, f"fatal: unsupported file type {name}\n".encode())


@pytest.mark.parametrize("command", ["blame", "annotate"])
def test_an_option_that_changes_parents_is_refused(repo: Path, command: str) -> None:
    done = gitglass.git([command, "--simplify-by-decoration", "src/app.py"], cwd=repo)
    assert (done.returncode, done.stdout) == (129, b"") and b"--simplify-by-decoration" in done.stderr


def test_contents_do_not_blend_with_the_head_of_a_bare_repository(tmp_path: Path) -> None:
    bare = Repo(tmp_path)
    bare.add("a")
    bare.write_index()
    bare.config("[core]\n\tbare = true\n")
    line = ["blame", "--contents=HEAD", "a"]
    assert gitglass.git(line, cwd=bare.git).stderr != b"fatal: cannot use --contents with final commit object name\n"
    bare.commit()
    done = gitglass.git(line, cwd=bare.git)
    assert (done.returncode, done.stderr) == (128, b"fatal: cannot use --contents with final commit object name\n")


@pytest.mark.parametrize("name", ["./src/app.py", "src//app.py", "src/../src/app.py"])
def test_a_path_in_a_bare_repository_is_made_plain(tmp_path: Path, name: str) -> None:
    bare = Repo(tmp_path)
    bare.add("src/app.py")
    bare.write_index()
    bare.config("[core]\n\tbare = true\n")
    commit = bare.commit().hex()
    done = gitglass.git(["blame", "-s", "--", name], cwd=bare.git)
    assert (done.returncode, done.stdout) == (0, f"^{commit[:7]} 1) x\n".encode())
    assert b"is outside repository" in gitglass.git(["blame", "--", "../a"], cwd=bare.git).stderr


@pytest.mark.parametrize("digits", [b"9" * 23, b"9" * 5000])
def test_a_time_beyond_all_numbers_is_the_largest(tmp_path: Path, digits: bytes) -> None:
    repo = Repo(tmp_path)
    repo.add("a", b"line\n")
    tree = repo.tree().hex().encode()
    ident = b"A <a@x> " + digits + b" +0000\n"
    oid = repo.put("commit", b"tree " + tree + b"\nauthor " + ident + b"committer " + ident + b"\nc\n").hex()
    done = gitglass.git(["blame", "-p", oid, "--", "a"], cwd=repo.top)
    assert done.returncode == 0
    times = [line for line in done.stdout.split(b"\n") if b"-time " in line]
    assert times == [b"author-time 18446744073709551615", b"committer-time 18446744073709551615"]
