"""git submodule status: states that the recorded answers do not have."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def top(unpack: Any, tmp_path: Path) -> Path:
    shutil.copytree(unpack("submodule"), tmp_path / "top", symlinks=True)
    return tmp_path / "top"


def states(top: Path) -> list[str]:
    return [line[0] for line in gitglass.git(["submodule", "status"], cwd=top).stdout.decode().splitlines()]


def configure(top: Path, text: str) -> None:
    config = top / ".git" / "config"
    config.write_text(config.read_text().replace("\tactive = true\n", "") + text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", ["-", "+"]),
        ('[submodule "libs/changed"]\n\tactive = false\n', ["-", "-"]),
        ('[submodule]\n\tactive = libs\n\tactive = ":(exclude)libs/changed"\n', ["-", "-"]),
        ("[submodule]\n\tactive = libs/changed\n", ["-", "+"]),
        ("[submodule]\n\tactive = nowhere\n", ["-", "-"]),
    ],
)
def test_active(top: Path, text: str, expected: list[str]) -> None:
    configure(top, text)
    assert states(top) == expected


def test_a_gap_in_gitmodules(top: Path) -> None:
    (top / ".gitmodules").write_text('[submodule "x"]\n\tpath = libs/changed\n\turl = /x\n')
    done = gitglass.git(["submodule", "status"], cwd=top)
    assert done.returncode == 128
    assert done.stderr == b"fatal: no submodule mapping found in .gitmodules for path 'libs/absent'\n"


@pytest.mark.parametrize(
    "words", [["update"], ["update", "--init", "--recursive"], ["foreach", "sh", "-c", "x"], ["add", "-b", "x", "y"]]
)
def test_writing_forms(top: Path, words: list[str]) -> None:
    done = gitglass.git(["submodule", *words], cwd=top)
    refused = f"error: gitglass only reads: 'submodule {words[0]}' is not available\n"
    assert (done.returncode, done.stderr.decode()) == (129, refused)


def test_outside_of_a_work_tree(top: Path) -> None:
    done = gitglass.git(["submodule"], cwd=top / ".git")
    assert done.returncode == 1 and b"work" in done.stderr


def summary(top: Path, *more: str) -> tuple[str, str]:
    """The block about submodules in the long status, and stderr."""
    done = gitglass.git(["-c", "status.submoduleSummary=true", "status", "--ignore-submodules=dirty", *more], cwd=top)
    assert done.returncode == 0
    said = done.stdout.decode()
    return said[said.index("Submodules changed but") :].split("\nno changes")[0], done.stderr.decode()


TITLE = "Submodules changed but not updated:\n\n* libs/changed "


def test_summary_of_what_is_no_submodule_any_more(top: Path) -> None:
    place = top / "libs" / "changed"
    shutil.rmtree(place)
    assert summary(top) == (TITLE + "e4af2fe...0000000:\n", "")
    place.write_text("blob\n")
    words = "fatal: exec 'rev-parse': cd to 'libs/changed' failed: Not a directory\n"
    assert summary(top) == (TITLE + "e4af2fe(submodule)->63499e4(blob):\n", words)
    place.unlink()
    place.symlink_to("../top.txt")  # git hashes what the link leads to
    assert summary(top) == (TITLE + "e4af2fe(submodule)->718f4d2(blob):\n", words)
    place.unlink()
    place.symlink_to("../libs")
    words = "error: couldn't hash object from 'libs/changed'\nfatal: not a git repository: '.git'\n"
    assert summary(top) == (TITLE + "e4af2fe(submodule)->0000000(blob):\n", words)


def test_summary_of_commits_that_are_missing(top: Path) -> None:
    git_dir = top / ".git" / "modules" / "libs" / "changed"
    head = gitglass.git(["rev-parse", "HEAD"], cwd=top / "libs" / "changed").stdout.decode().strip()
    assert head.startswith("4a93ded")
    old = gitglass.git(["rev-parse", ":libs/changed"], cwd=top).stdout.decode().strip()
    (git_dir / "objects" / old[:2] / old[2:]).unlink()
    said, _ = summary(top)
    assert said == TITLE + f"e4af2fe...4a93ded:\n  Warn: libs/changed doesn't contain commit {old}\n"


def test_summary_leaves_out_what_is_ignored(top: Path) -> None:
    configure(top, '[submodule "libs/changed"]\n\tignore = all\n')
    done = gitglass.git(["-c", "status.submoduleSummary=true", "status", "--ignore-submodules=dirty"], cwd=top)
    assert b"modified:   libs/changed" in done.stdout and b"Submodules changed" not in done.stdout


def test_a_link_in_the_place_of_a_submodule(top: Path) -> None:
    """git ends where it would look into it, and only there."""
    place = top / "libs" / "changed"
    shutil.rmtree(place)
    place.symlink_to("../top.txt")
    words = b"error: expected submodule path 'libs/changed' not to be a symbolic link\n"
    for line in ("status", "diff", "diff HEAD", "diff-files -p", "diff-index --cc HEAD", "submodule status"):
        done = gitglass.git(line.split(), cwd=top)
        if line == "submodule status":
            assert done.stdout.startswith(b"-")  # the one before it
        else:
            assert done.stdout == b"", line
        assert (done.returncode, done.stderr) == (128, words), line
    for line in ("diff --raw", "diff --stat HEAD", "diff-files", "diff-index HEAD", "diff --ignore-submodules=dirty"):
        assert gitglass.git(line.split(), cwd=top).returncode == 0, line
    assert gitglass.git(["diff", "--raw", "--ignore-submodules", "HEAD"], cwd=top).stdout == b""


def test_the_word_that_ends_options_is_none_for_the_script(top: Path) -> None:
    for words in (["--"], ["--cached", "--"]):
        done = gitglass.git(["submodule", *words], cwd=top)
        assert (done.returncode, done.stdout) == (1, b"") and done.stderr.startswith(b"usage: git submodule ")
    assert gitglass.git(["submodule", "status", "--"], cwd=top).returncode == 0


def test_outside_of_the_work_tree(top: Path) -> None:
    for words, cwd in (
        (["--git-dir=.git", "--work-tree=libs"], top), ([f"--git-dir={top}/.git", f"--work-tree={top}"], top.parent),
    ):  # fmt: skip
        done = gitglass.git([*words, "submodule", "status"], cwd=cwd)
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr == b"fatal: git submodule cannot be used without a working tree.\n"
    assert states(top / "libs")


BROKEN = [
    ("gitdir: ../nosuch\n", "not a git repository: {path}/../nosuch"),
    ("gitdir: {top}/nosuch\n", "not a git repository: {top}/nosuch"),
    ("gitdir:\n", "invalid gitfile format: {path}/.git"),
    (None, "'{path}/.git' not recognized as a git repository"),
]


@pytest.fixture
def path(top: Path) -> str:
    """A submodule that is checked out."""
    lines = gitglass.git(["submodule", "status"], cwd=top).stdout.decode().splitlines()
    return next(line.split()[1] for line in lines if line[0] != "-")


@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_a_submodule_that_leads_nowhere_ends_what_looks_into_it(
    top: Path, path: str, content: str | None, words: str
) -> None:
    place = top / path / ".git"
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.mkdir() if content is None else place.write_text(content.format(top=top))
    said = f"fatal: {words.format(path=path, top=top)}\n".encode()
    for argv in (["status", "-s"], ["diff"], ["diff", "HEAD"], ["diff-files"], ["describe", "--always", "--dirty"]):
        done = gitglass.git(argv, cwd=top)
        assert (done.returncode, done.stdout, done.stderr) == (128, b"", said), argv
    listed = gitglass.git(["submodule", "status"], cwd=top)
    assert listed.returncode == (0 if content is None else 128) and listed.stderr == (b"" if content is None else said)
    broken = gitglass.git(["describe", "--always", "--broken"], cwd=top)
    assert broken.returncode == 0 and broken.stdout.endswith(b"-broken\n") and broken.stderr == said
    for argv in (["status", "--ignore-submodules=dirty"], ["diff", "--cached"], ["ls-files", "-m"]):
        assert gitglass.git(argv, cwd=top).returncode == 0


def test_what_lies_outside_of_the_jail_is_not_judged(top: Path, path: str, tmp_path: Path) -> None:
    place = top / path / ".git"
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.write_text(f"gitdir: {tmp_path}/elsewhere\n")
    assert gitglass.open(top).git(["status", "-s"]).returncode == 0
