"""git rev-parse's words: what needs a repository, what --prefix changes, which refs are left out, what is a path."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.cli.answer import Session, answer
from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.repo.discover import Where
from gitglass.revs.exclusions import is_hidden


@pytest.fixture
def repo(unpack: Any, tmp_path: Path) -> Path:
    where = tmp_path / "repo"
    shutil.copytree(unpack("plain"), where, symlinks=True)
    return where


def parse(where: Path, *args: str, front: tuple[str, ...] = ()) -> tuple[int, list[str], str]:
    done = gitglass.git([*front, "rev-parse", *args], cwd=where)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


def outside(where: Path, *args: str) -> tuple[int, list[str], str]:
    """The same where there is no repository up to `where`'s parent, above which git is not to look."""
    out: list[bytes] = []
    err: list[bytes] = []
    place = Where(bytes(where), ceilings=(bytes(where.parent),))
    status = answer(["rev-parse", *args], Session(place, b"/"), Context(Limits()), out.append, err.append)
    return status, b"".join(out).decode().splitlines(), b"".join(err).decode()


NONE = "fatal: not a git repository (or any of the parent directories): .git\n"


def test_words_that_need_no_repository(tmp_path: Path, repo: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    assert outside(away, "--sq-quote", "a", "b c") == (0, [" 'a' 'b c'"], "")
    code, names, _ = outside(away, "--local-env-vars")
    assert (code, names[0], names[-1]) == (0, "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR")
    assert outside(away, "--resolve-git-dir", "../repo/.git") == (0, ["../repo/.git"], "")
    for words in ((), ("HEAD",), ("--default", "x"), ("--quiet", "--resolve-git-dir", "../repo/.git")):
        assert outside(away, *words) == (128, [], NONE)
    assert outside(away, "--resolve-git-dir", "../repo/.git", "HEAD") == (128, ["../repo/.git"], NONE)


def test_git_directories_are_resolved(repo: Path) -> None:
    (repo / "link").write_text(f"gitdir: {repo}/.git\n")
    (repo / "astray").write_text(f"gitdir: {repo}/nowhere\n")
    (repo / "other").write_text("text\n")
    assert parse(repo, "--resolve-git-dir", "link") == (0, [f"{repo}/.git"], "")
    assert parse(repo, "--resolve-git-dir", "astray") == (128, [], f"fatal: not a git repository: {repo}/nowhere\n")
    assert parse(repo, "--resolve-git-dir", "other") == (128, [], "fatal: invalid gitfile format: other\n")
    assert parse(repo, "--resolve-git-dir", "src") == (128, [], "fatal: not a gitdir 'src'\n")
    # The directory that names start from is the top once the repository was looked for.
    assert parse(repo / "src", "--resolve-git-dir", ".git")[0] == 128
    assert parse(repo / "src", "--not", "--resolve-git-dir", ".git") == (0, [".git"], "")


def test_prefix_stands_for_the_directory_that_was_asked_from(repo: Path) -> None:
    blob = parse(repo, "HEAD:src/app.py")[1]
    assert parse(repo, "--prefix", "src/", "HEAD:./app.py", "HEAD:../src/app.py", "app.py") == (
        0, [*blob, *blob, "src/app.py"], "",
    )  # fmt: skip
    assert parse(repo / "docs", "--prefix", "src/", "HEAD:./app.py") == (0, blob, "")
    assert parse(repo, "--prefix", "src", "app.py")[1] == ["srcapp.py"]
    code, lines, error = parse(repo, "--prefix", "src/", "HEAD:app.py")
    assert (code, lines) == (128, ["src/HEAD:app.py"])
    assert error.startswith("fatal: path 'src/app.py' exists, but not 'app.py'\nhint: Did you mean 'HEAD:src/app.py'")
    assert parse(repo, "--prefix", "src/", "--show-prefix", "--show-cdup")[1] == ["src/", "../"]
    assert parse(repo, "--prefix", "", "--git-dir")[1] == [f"{repo}/.git"]


def test_prefix_ends_with_its_command(repo: Path) -> None:
    handle = gitglass.open(repo)
    assert handle.git(["rev-parse", "--prefix", "src/", "HEAD:./app.py"]).returncode == 0
    assert handle.git(["rev-parse", "HEAD:./app.py"]).returncode == 128


def test_relative_names_need_a_directory_in_the_work_tree(repo: Path) -> None:
    for word in ("HEAD:./app.py", ":./app.py"):
        assert parse(repo, word, front=("--work-tree=src",)) == (
            128, [], "fatal: relative path syntax can't be used outside working tree\n",
        )  # fmt: skip


@pytest.mark.parametrize("word", [r"foo\*bar", r"\?", r"a\[b", "foo]bar"])
def test_words_without_wildcards_are_files_that_exist(repo: Path, word: str) -> None:
    assert parse(repo, word)[0] == 128
    assert gitglass.git(["log", word], cwd=repo).returncode == 128


@pytest.mark.parametrize("word", ["*", r"foo\\*", "foo[bar", r"a\[*", "x?", ":(top)x", ":/README.md", ":!README.md"])
def test_words_with_wildcards_are_paths(repo: Path, word: str) -> None:
    assert parse(repo, word) == (0, [word], "")


HIDE = (
    "-c",
    "transfer.hideRefs=refs/notes/",
    "-c",
    "receive.hideRefs=refs/tags",
    "-c",
    "receive.hideRefs=!refs/tags/light",
)


def test_hidden_refs_are_left_out(repo: Path) -> None:
    def names(section: str) -> set[str]:
        words = ("--symbolic", f"--exclude-hidden={section}", "--all")
        return {name.partition("/")[2] for name in parse(repo, *words, front=HIDE)[1]}

    branches = {"heads/main", "heads/topic", "remotes/origin/HEAD", "remotes/origin/main"}
    assert names("receive") == branches | {"tags/light"}
    assert names("uploadpack") == branches | {"tags/light", "tags/v1.0", "tags/v2.0"}
    assert len(parse(repo, "--exclude-hidden=receive", "--all", "--all", front=HIDE)[1]) == 5 + 8


INNER = b"refs/namespaces/a/refs/namespaces/b/"


@pytest.mark.parametrize(
    ("name", "pattern", "hidden"),
    [
        (INNER + b"refs/heads/x", b"refs/heads", True),
        (INNER + b"refs/heads/x", b"^refs/heads", False),
        (INNER + b"refs/heads/x", b"^refs/namespaces/a", True),
        (INNER + b"refs/heads/x", b"refs/namespaces/a", False),
        (b"refs/heads/x", b"refs/heads", False),
        (b"refs/heads/x", b"^refs/heads", True),
        (b"refs/heads/x", b"!^refs/heads", False),
    ],
)
def test_refs_are_hidden_by_their_names_inside_of_the_namespace(name: bytes, pattern: bytes, hidden: bool) -> None:
    assert is_hidden(name, [pattern], INNER) is hidden


def test_a_namespace_says_which_refs_are_hidden(repo: Path) -> None:
    for front, number in (("refs/tags", 8), ("^refs/tags", 5), ("^refs/notes", 7)):
        words = ("--namespace=a//b", "-c", f"transfer.hideRefs={front}")
        assert len(parse(repo, "--exclude-hidden=receive", "--all", front=words)[1]) == number, front


def test_a_ref_of_the_namespace_is_hidden_by_its_inner_name(unpack: Any, tmp_path: Path) -> None:
    repo = Path(shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True))
    place = repo / ".git/refs/namespaces/a/refs/namespaces/b/refs/inner"
    place.mkdir(parents=True)
    (place / "x").write_text(parse(repo, "HEAD")[1][0] + "\n")
    for pattern, number in (
        ("refs/inner/", 0),
        ("refs/namespaces/a", 1),
        ("^refs/namespaces/a/", 0),
        ("^refs/inner", 1),
    ):
        words = ("--namespace=a/b", "-c", f"transfer.hideRefs={pattern}")
        found = parse(repo, "--exclude-hidden=receive", "--glob=refs/namespaces", front=words)[1]
        assert len(found) == number, pattern


@pytest.mark.parametrize("command", ["log", "rev-list", "show"])
def test_hidden_refs_are_left_out_of_walks(repo: Path, command: str) -> None:
    words = [*HIDE, command, "--exclude-hidden=uploadpack", "--glob=refs/notes"]
    done = gitglass.git(words, cwd=repo)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (
            ("rev-parse", "--exclude-hidden=transfer", "--all"),
            128,
            "fatal: unsupported section for hidden refs: transfer",
        ),
        (("rev-list", "--exclude-hidden", "--all"), 128, "fatal: unsupported section for hidden refs: --all"),
        (("rev-list", *["--exclude-hidden=receive"] * 2), 128, "fatal: --exclude-hidden= passed more than once"),
        (
            ("rev-list", "--exclude-hidden=receive", "--reflog", "--exclude-hidden=receive", "--all"),
            128,
            "fatal: --exclude-hidden= passed more than once",
        ),
        (
            ("rev-parse", "--exclude-hidden=receive", "--tags=x"),
            255,
            "error: --exclude-hidden cannot be used together with --tags",
        ),
        (
            ("log", "--exclude-hidden=receive", "--remotes"),
            128,
            "error: --exclude-hidden cannot be used together with --remotes\nfatal: unrecognized argument: --remotes",
        ),
        (
            ("-c", "receive.hiderefs", "log", "--exclude-hidden=receive", "--all"),
            128,
            "error: missing value for 'receive.hiderefs'\n"
            "fatal: unable to parse 'receive.hiderefs' from command-line config",
        ),
    ],
)
def test_what_git_dies_of(repo: Path, words: tuple[str, ...], code: int, error: str) -> None:
    done = gitglass.git(list(words), cwd=repo)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (code, b"", error + "\n")


def test_families_behind_hidden_refs(repo: Path) -> None:
    for command in ("rev-list", "shortlog"):
        done = gitglass.git([command, "--exclude-hidden=receive", "--branches"], cwd=repo)
        first = done.stderr.splitlines()[0]
        assert (done.returncode, first) == (129, b"error: --exclude-hidden cannot be used together with --branches")
    counted = gitglass.git(["rev-list", "--count", "--exclude-hidden=receive", "--all", "--branches"], cwd=repo)
    assert counted.returncode == 0
    with pytest.raises(GitError, match="cannot be used together with --branches"):
        list(gitglass.open(repo).log("--exclude-hidden=receive", "--branches").commits)


@pytest.mark.parametrize(
    ("patterns", "hidden"),
    [
        ([b"refs/a"], True),
        ([b"refs/a/b"], True),
        ([b"refs/a/"], False),
        ([b"^refs/a"], True),
        ([b"refs"], True),
        ([b"ref"], False),
        ([b""], False),
        ([b"refs/a", b"!refs/a/b"], False),
        ([b"!refs/a/b", b"refs/a"], True),
        ([b"refs/a", b"!^refs/a"], False),
        ([b"refs/a", b"^!refs/a"], True),
        ([b"refs/*"], False),
    ],
)
def test_hiding_patterns(patterns: list[bytes], hidden: bool) -> None:
    assert is_hidden(b"refs/a/b", patterns) is hidden
