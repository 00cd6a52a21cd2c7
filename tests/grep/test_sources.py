"""What git grep searches: submodules, by the index and by trees, and which words lead into them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.errors import MissingObject
from gitglass.request.grep import GrepRequest

LINK = 0o160000
NAMES = '[submodule "lib"]\n\tpath = {path}\n\turl = x\n'


class Nested:
    """A repository with a submodule at "sub", which has one at "in"; both are active."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.sub = self._below(repo, "sub", "top/t.c")
        self.inner = self._below(self.sub, "in", "f.c", "d/g.h")
        self.inner.add("x.c", b"needle inner\n")
        self.sub.entry("in", self._done(self.inner), mode=LINK)
        repo.entry("sub", self._done(self.sub), mode=LINK)
        self._done(repo)

    @staticmethod
    def _done(repo: Any) -> bytes:
        repo.write_index()
        return bytes(repo.commit())

    @staticmethod
    def _below(repo: Any, path: str, *files: str) -> Any:
        for file in files:
            repo.add(file, b"needle\n")
        repo.add(".gitmodules", NAMES.format(path=path).encode())
        repo.config('[submodule "lib"]\n\turl = x\n')
        (repo.top / path).mkdir(parents=True)
        return type(repo)(repo.top / path)

    def put_away(self) -> None:
        """As git keeps the repository of a submodule that is not checked out."""
        shutil.move(self.sub.git, self.repo.git / "modules" / "lib")
        shutil.rmtree(self.sub.top)


def names(top: Path, words: Sequence[str] = (), **more: Any) -> list[str]:
    done = gitglass.git(["grep", "-l", "--recurse-submodules", "needle", *words], cwd=top, **more)
    assert done.stderr == b"" and done.returncode in (0, 1)
    return os.fsdecode(done.stdout).splitlines()


@pytest.fixture
def nested(repo: Any) -> Nested:
    return Nested(repo)


ALL = ["sub/d/g.h", "sub/f.c", "sub/in/x.c", "top/t.c"]


def test_submodules_within_submodules(nested: Nested) -> None:
    assert names(nested.repo.top) == ALL
    assert names(nested.repo.top, ["HEAD"]) == ["HEAD:" + name for name in ALL]
    nested.sub.write("f.c", b"nothing\n")
    assert names(nested.repo.top) == ["sub/d/g.h", "sub/in/x.c", "top/t.c"]
    assert gitglass.git(["grep", "-l", "needle"], cwd=nested.repo.top).stdout == b"top/t.c\n"


def test_paths_as_seen_from_a_directory(nested: Nested) -> None:
    below = nested.repo.top / "top"
    assert names(below, ["--", ":/"]) == ["../sub/d/g.h", "../sub/f.c", "../sub/in/x.c", "t.c"]
    assert names(below, ["HEAD", "--", ":/sub"]) == ["HEAD:sub/../d/g.h", "HEAD:sub/../f.c", "HEAD:sub/in/../x.c"]


@pytest.mark.parametrize(
    ("words", "by_index", "by_tree"),
    [
        ("sub/f.c", "sub/f.c", ""),
        ("sub/", "sub/d/g.h sub/f.c sub/in/x.c", "sub/d/g.h sub/f.c sub/in/x.c"),
        ("sub/*.c", "sub/f.c sub/in/x.c", ""),
        ("s*.c", "sub/f.c sub/in/x.c", "sub/f.c sub/in/x.c"),
        (":(icase)SUB/F.C", "sub/f.c", ""),
        (":(icase)S*F.C", "sub/f.c", "sub/f.c"),
        (":!sub/f.c", "sub/d/g.h sub/in/x.c top/t.c", "sub/d/g.h sub/in/x.c top/t.c"),
        (":!*.h", "sub/f.c sub/in/x.c top/t.c", "top/t.c"),
        ("su", "", ""),
        ("t*", "top/t.c", "top/t.c"),
    ],
)
def test_words_that_lead_into_a_submodule(nested: Nested, words: str, by_index: str, by_tree: str) -> None:
    """Recorded from git 2.39.5: in trees only a word with wildcards leads into a submodule that it does not cover."""
    assert names(nested.repo.top, ["--", words]) == by_index.split()
    assert names(nested.repo.top, ["HEAD", "--", words]) == ["HEAD:" + name for name in by_tree.split()]


def test_depth(nested: Nested) -> None:
    for words in (["--max-depth=1"], ["--max-depth=1", "HEAD"]):
        front = "HEAD:" if "HEAD" in words else ""
        line = ["grep", "-l", "--recurse-submodules", words[0], "needle", *words[1:]]
        done = gitglass.git(line, cwd=nested.repo.top)
        assert done.stdout.decode().split() == [front + "sub/f.c", front + "top/t.c"]


def test_one_that_is_put_away(nested: Nested) -> None:
    """Its index names files that are not there; its objects answer for trees, but not for what is nested in it."""
    nested.put_away()
    assert names(nested.repo.top) == ["top/t.c"]
    assert names(nested.repo.top, ["HEAD"]) == ["HEAD:sub/d/g.h", "HEAD:sub/f.c", "HEAD:top/t.c"]


def test_a_tree_knows_its_own_submodules(nested: Nested) -> None:
    """The work tree's .gitmodules names another path by now."""
    nested.repo.write(".gitmodules", NAMES.format(path="elsewhere").encode())
    assert names(nested.repo.top) == ["top/t.c"]
    assert names(nested.repo.top, ["HEAD"]) == ["HEAD:" + name for name in ALL]


def test_one_that_is_not_active(nested: Nested) -> None:
    nested.repo.config('[submodule "lib"]\n\tactive = false\n')
    assert names(nested.repo.top) == ["top/t.c"]
    assert names(nested.repo.top, ["HEAD"]) == ["HEAD:top/t.c"]


def test_a_git_directory_outside_of_the_jail(nested: Nested, tmp_path: Path) -> None:
    shutil.move(nested.sub.git, tmp_path / "outside")
    (nested.sub.top / ".git").write_text(f"gitdir: {tmp_path / 'outside'}\n")
    for revs in ([], ["HEAD"]):
        line = ["--jail", "-C", str(nested.repo.top), "grep", "-l", "--recurse-submodules", "needle", *revs]
        done = subprocess.run([sys.executable, "-m", "gitglass", *line], capture_output=True)
        assert (done.returncode, b"sub/" in done.stdout) == (0, False)


def test_a_commit_that_the_submodule_lacks(nested: Nested) -> None:
    nested.repo.entry("sub", b"\1" * 20, mode=LINK)
    Nested._done(nested.repo)
    done = gitglass.git(["grep", "--recurse-submodules", "needle", "HEAD"], cwd=nested.repo.top)
    assert (done.returncode, done.stderr) == (128, b"fatal: unable to read tree (%s)\n" % (b"01" * 20))


def test_configured(nested: Nested) -> None:
    top = nested.repo.top
    line = ["-c", "submodule.recurse=true", "grep", "-l"]
    assert gitglass.git([*line, "needle"], cwd=top).stdout.decode().split() == ALL
    assert gitglass.git([*line, "--no-recurse-submodules", "needle"], cwd=top).stdout == b"top/t.c\n"
    assert b"sub/f.c" in gitglass.git([*line, "--no-index", "needle"], cwd=top).stdout
    done = gitglass.git([*line, "--untracked", "needle"], cwd=top)
    assert (done.returncode, done.stderr) == (128, b"fatal: --untracked not supported with --recurse-submodules\n")
    done = gitglass.git(["-c", "submodule.recurse=x", "grep", "--no-index", "needle"], cwd=top)
    assert (done.returncode, done.stderr) == (128, b"fatal: bad boolean config value 'x' for 'submodule.recurse'\n")


def test_few_files_of_a_large_index_are_searched_as_many_are(repo: Any) -> None:
    """For a word that names few of the entries no table of all of them is made."""
    for number in range(200):
        repo.add(f"many/{number:03}", b"needle\n")
    for stage in (1, 2, 3):
        repo.add("few/m", b"needle\n", stage=stage)
    repo.add("few/a", b"needle\n")
    repo.add("few/assumed", b"needle\n", flags=0x8000)
    repo.write("few/assumed", b"other\n")
    repo.add("few/skipped", b"needle\n", special=0x4000)
    repo.add("few/meant", b"needle\n", special=0x2000)
    repo.write_index()

    def found(*words: str) -> list[str]:
        done = gitglass.git(["grep", *words], cwd=repo.top)
        assert done.returncode == 0, done.stderr
        return os.fsdecode(done.stdout).splitlines()

    for option in ((), ("--cached",)):
        whole = [path for path in found("-l", *option, "needle") if path.startswith("few/")]
        assert found("-l", *option, "needle", "--", "few") == whole
        assert found("-l", *option, "needle", "--", "few/m", "few/a") == [
            path for path in whole if path in ("few/m", "few/a")
        ]
        assert found("-l", *option, "needle", "--", "few", "many") == found("-l", *option, "needle")
    assert found("-l", "needle", "--", "few") == ["few/a", "few/assumed", "few/m", "few/meant"]


def test_in_trees_the_last_of_the_sorted_words_says_how_deep_a_path_is(unpack: Any) -> None:
    repo = unpack("plain")

    def found(*words: str) -> set[bytes]:
        done = gitglass.git(["grep", "-l", "-e", "", "--max-depth=0", "HEAD", "--", *words], cwd=repo)
        return {name.removeprefix(b"HEAD:") for name in done.stdout.splitlines()}

    top, below = found("."), found("src")
    assert top and below and not any(b"/" in name for name in top) and all(name.count(b"/") == 1 for name in below)
    assert found("src", ".") == found(".", "src") == top | below
    assert (
        found("src", "*") == found("*", "src") == found("*") - {n for n in found("*") if n.startswith(b"src/")} | below
    )


GONE = b"\7" * 20


@pytest.mark.parametrize(
    ("options", "attributes", "times"),
    [
        ([], "", 2),
        (["-I"], "", 2),
        (["-a"], "", 1),
        ([], "* diff\n", 1),
        ([], "* -diff\n", 1),
        (["-I"], "* -diff\n", 0),
    ],
)
@pytest.mark.parametrize("where", [["--cached", "--"], ["HEAD"]])
def test_a_missing_object_is_told_and_passed_over(
    repo: Any, where: list[str], options: list[str], attributes: str, times: int
) -> None:
    """git looks at a file to see whether it is binary, unless that is settled, and to search it."""
    repo.entry("a b", GONE)
    repo.entry("d/\N{LATIN SMALL LETTER A WITH DIAERESIS}", GONE)
    repo.add("z", b"needle\n")
    repo.write_index()
    repo.commit()
    (repo.git / "info" / "attributes").write_text(attributes)
    done = gitglass.git(["grep", *options, *where[:-1], "needle", *where[-1:]], cwd=repo.top)
    front = b"HEAD:" if where == ["HEAD"] else b""
    shown = front + b"a b", front + b'"d/\\303\\244"'
    words = [b"error: '%b': unable to read %b\n" % (one, GONE.hex().encode()) for one in shown for _ in range(times)]
    binary = attributes == "* -diff\n"
    line = b"" if binary and options else b"Binary file %bz matches\n" % front if binary else front + b"z:needle\n"
    assert (done.returncode, done.stdout, done.stderr) == (0 if line else 1, line, b"".join(words))
    with pytest.raises(MissingObject):
        gitglass.open(repo.top).run(GrepRequest(patterns=["needle"], cached=True))


@pytest.mark.parametrize("word", ["--untracked", "--no-index"])
def test_the_files_of_a_git_directory_are_not_searched(repo: Any, word: str) -> None:
    repo.commit()
    done = gitglass.git(["grep", word, "ref"], cwd=repo.git)
    assert (done.returncode, done.stdout) == (128, b"") and b"gitglass" in done.stderr
