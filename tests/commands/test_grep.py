"""git grep: command lines and typed answers."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.compare import CompareRequest
from gitglass.errors import GitError
from gitglass.request.grep import GrepRequest, Term


def test_typed(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    found = repo.run(GrepRequest(patterns=["return"], revs=["v1.0"], context=1, column=True))
    assert found.total == len(found.files) > 0
    one = found.files[0]
    assert one.revision == "v1.0"
    assert all("return" in line.text and line.column for line in one.lines if line.kind == "match")
    counted = repo.run(GrepRequest(patterns=["return"], revs=["v1.0"], count=True))
    assert counted.files[0].count == sum(line.kind == "match" for line in one.lines)


def test_expressions_typed(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    terms = [Term(text="return"), Term(op="and"), Term(op="not"), Term(text="return")]
    assert repo.run(GrepRequest(expression=terms, revs=["HEAD"])).files == []


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["-e"], 129, b"requires a value"),
        ([], 128, b"no pattern given"),
        (["x", "nosuch", "--"], 128, b"unable to resolve revision: nosuch"),
        (["--untracked", "x", "HEAD", "--"], 128, b"cannot be used with revs"),
        (["--cached", "x", "HEAD"], 128, b"both --cached and trees are given"),
        (["(", ")"], 1, b""),  # no pattern at all, which git lets pass
        (["--all-match", "(", ")"], 1, b""),
        (["-e", "a", "(", ")"], 128, b"not a pattern expression ("),
        (["-e", r"a\("], 128, rb"-e option, 'a\('"),
        (["-f", "patterns", "x"], 128, b"cannot open 'patterns': No such file or directory"),
        (["-f", "src"], 128, b"cannot open 'src': Is a directory"),
        (["-f", "../patterns"], 128, b"outside"),
        (["-O", "x"], 129, b"pager"),
        (["--no-index", "--cached", "x"], 128, b"options '--no-index' and '--cached' cannot be used together"),
        (["--no-index", "--untracked", "x"], 128, b"options '--no-index' and '--untracked' cannot be used together"),
        (["--no-index", "x", "HEAD"], 128, b"fatal: HEAD: no such path in the working tree."),
        (["--no-index", "x", "HEAD", "--"], 128, b"--no-index or --untracked cannot be used with revs"),
        (["--no-index", "x", ".."], 128, b"outside repository"),
        (["--recurse-submodules", "--untracked", "x"], 128, b"--untracked not supported with --recurse-submodules"),
        (["-m0", "--untracked", "x", "HEAD", "--"], 128, b"--no-index or --untracked cannot be used with revs"),
        (["-m0", "--cached", "--untracked", "-E", "x("], 1, b""),  # git has nothing to do, and looks no further
    ],
)
def test_refusals(unpack: Any, line: list[str], status: int, words: bytes) -> None:
    done = gitglass.git(["grep", *line], cwd=unpack("plain"))
    assert done.returncode == status
    assert words in done.stderr


def test_status(unpack: Any) -> None:
    cwd = unpack("plain")
    assert gitglass.git(["grep", "-q", "return", "HEAD"], cwd=cwd).returncode == 0
    assert gitglass.git(["grep", "no such text", "HEAD"], cwd=cwd).returncode == 1


def test_compare(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    answer = repo.run(CompareRequest(base="topic", head="main"))
    assert answer.ahead == len(answer.commits)
    assert answer.behind == len(answer.behind_commits)
    count = gitglass.git(["rev-list", "--left-right", "--count", "topic...main"], cwd=unpack("plain")).stdout
    assert count.split() == [b"%d" % answer.behind, b"%d" % answer.ahead]
    names = gitglass.git(["diff", "--name-only", "-z", "topic...main"], cwd=unpack("plain")).stdout.decode()
    assert [file.path for file in answer.files] == names.split("\0")[:-1]
    cut = repo.run(CompareRequest(base="v1.0", head="main", max_count=1))
    assert cut.truncated
    assert len(cut.commits) == 1
    with pytest.raises(GitError):
        repo.run(CompareRequest(base="nosuch"))


def test_compare_as_text(unpack: Any) -> None:
    done = gitglass.git(["compare", "v1.0...main"], cwd=unpack("plain"))
    assert done.returncode == 0
    assert done.stdout.startswith(b"base ")
    assert b"\nahead " in done.stdout


def test_patterns_from_files(unpack: Any, tmp_path: Path) -> None:
    """A line is a pattern; empty lines and the CR of CRLF do not count. Names are seen from the top."""
    place = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    (place / "list").write_bytes(b"\nreturn\r\n\ndef \n")
    (place / "bad").write_bytes(b"ok\n\n\na\\(")
    (place / "none").write_bytes(b"\n\n")
    both = gitglass.git(["grep", "-e", "return", "-e", "def ", "HEAD"], cwd=place)
    assert both.returncode == 0 and both.stdout
    assert gitglass.git(["grep", "-f", "list", "HEAD"], cwd=place).stdout == both.stdout
    assert (
        gitglass.git(["grep", "--full-name", "-f", "list", "HEAD", "--", ".."], cwd=place / "src").stdout == both.stdout
    )
    piped = gitglass.git(["grep", "-f", "-", "HEAD"], cwd=place, stdin=b"return\ndef \n")
    assert piped.stdout == both.stdout
    bad = gitglass.git(["grep", "-f", "bad", "HEAD"], cwd=place)
    assert (bad.returncode, bad.stderr) == (128, b"fatal: In 'bad' at 2, 'a\\(': Unmatched ( or \\(\n")
    assert gitglass.git(["grep", "-f", "none"], cwd=place).stderr == b"fatal: no pattern given\n"
    literal = gitglass.git(["grep", "-F", "-f", "list", "--and", "-e", "return", "HEAD"], cwd=place)
    assert literal.returncode == 0 and b"return" in literal.stdout


def test_no_index_searches_every_file(unpack: Any, tmp_path: Path) -> None:
    place = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    for name in ("new", "ignored/x", "sub/s", "sub/.git/config", ".git/needle", ".hidden/h"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("needle\n")
    for name in ("objects", "refs"):
        (place / "sub" / ".git" / name).mkdir()
    (place / "sub" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (place / "link").symlink_to("new")
    (place / ".gitignore").write_text("ignored\n")

    def named(*argv: str, cwd: Path = place) -> list[bytes]:
        return gitglass.git(["grep", "-l", *argv, "needle"], cwd=cwd).stdout.split()

    assert named("--untracked") == [b".hidden/h", b"new"]
    assert named("--no-index") == [b".hidden/h", b"ignored/x", b"new", b"sub/s"]
    assert named("--no-index", "--exclude-standard") == [b".hidden/h", b"new", b"sub/s"]
    assert named("--no-index", "--index") == []
    assert named("--no-index", "--max-depth=0") == [b"new"]
    assert named("--no-index", cwd=place / "sub") == [b"s"]


def test_a_cr_at_the_end_of_a_functions_line_counts(unpack: Any, tmp_path: Path) -> None:
    """`[ \\t]*$` of a driver does not match it; in a diff it would."""
    place = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    (place / ".gitattributes").write_text("*.cs diff=csharp\n")
    (place / "a.cs").write_bytes(b"class A\r\n{\r\n  public int Go()\r\n  {\r\n    return 1;\r\n")
    shown = gitglass.git(["grep", "-p", "--untracked", "return 1", "--", "a.cs"], cwd=place).stdout
    assert shown == b"a.cs=class A\r\na.cs:    return 1;\r\n"
    (place / "a.cs").write_bytes((place / "a.cs").read_bytes().replace(b"\r", b""))
    shown = gitglass.git(["grep", "-p", "--untracked", "return 1", "--", "a.cs"], cwd=place).stdout
    assert shown == b"a.cs=  public int Go()\na.cs:    return 1;\n"


def test_only_perl_patterns_of_a_file_hold_a_nul(unpack: Any, tmp_path: Path) -> None:
    place = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    (place / "list").write_bytes(b"return\nqq\0qq\n")
    said = b"fatal: given pattern contains NULL byte (via -f <file>). This is only supported with -P under PCRE v2\n"
    for words in ([], ["-F"], ["-E", "-i", "-w"], ["-P", "-F"], ["-q", "-e", "x"]):
        done = gitglass.git(["grep", *words, "-f", "list", "HEAD"], cwd=place)
        assert (done.returncode, done.stdout, done.stderr) == (128, b"", said), words
    first = gitglass.git(["grep", "-e", "[", "-f", "list"], cwd=place)
    assert first.returncode == 128 and first.stderr.startswith(b"fatal: -e option, '['")
    perl = gitglass.git(["grep", "-P", "-f", "list", "HEAD"], cwd=place)
    assert perl.returncode == 0 and perl.stdout == gitglass.git(["grep", "return", "HEAD"], cwd=place).stdout


def test_untracked_files_beside_the_own_git_directory(repo: Path, tmp_path: Path) -> None:
    """The directory that it lies in is no other repository, nor is one whose `.git` is none."""
    above = tmp_path
    shutil.copytree(repo / ".git", above / "own" / ".git", symlinks=True)
    (above / "own" / "new").write_text("needle\n")
    (above / "odd" / ".git").mkdir(parents=True)
    (above / "odd" / "f").write_text("needle\n")
    argv = ["--git-dir=own/.git", "grep", "--untracked", "-l", "needle"]
    assert gitglass.git(argv, cwd=above, root=above).stdout.decode().split() == ["odd/f", "own/new"]
