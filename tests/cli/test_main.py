"""cli/main.py: a whole command line, and that `--jail` holds whatever words follow its root."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.cli.main import main

SECRET = "a secret of the other repository"


@pytest.fixture
def places(unpack: Any, tmp_path: Path) -> tuple[Path, Path]:
    """(the jail, a repository beside it): the second one has a secret in its branch's name, configuration and files."""
    jail, other = tmp_path / "jail", tmp_path / "other"
    for place in (jail, other):
        shutil.copytree(unpack("plain"), place, symlinks=True)
    (other / "secret").write_text(SECRET + "\n")
    with (other / ".git" / "config").open("a") as config:
        config.write(f'[user]\n\tname = {SECRET}\n[alias]\n\tx = "{SECRET}"\n')
    (other / ".git" / "description").write_text(SECRET)
    oid = (other / ".git" / "refs" / "heads" / "main").read_text() if (other / ".git/refs/heads/main").exists() else None
    if oid is not None:
        (other / ".git" / "refs" / "heads" / SECRET.replace(" ", "-")).write_text(oid)
    (jail / "link").symlink_to(other)
    (jail / "sub").mkdir()
    return jail, other


def ask(words: list[str], cwd: Path, capfdbinary: Any) -> tuple[int, bytes, bytes]:
    before = os.getcwd()
    os.chdir(cwd)
    try:
        status = main(words)
    finally:
        os.chdir(before)
    sys.stdout.flush()
    out, err = capfdbinary.readouterr()
    return status, out, err


MOVES = [
    ["-C", "{other}", "log", "-p"],
    ["-C", "../other", "log", "-p"],
    ["-C", "sub/../../other", "log", "-p"],
    ["-C", "sub", "-C", "..", "-C", "..", "-C", "other", "log"],
    ["-C", "link", "log", "-p"],
    ["-C", "/", "config", "-f", "{other}/.git/config", "-l"],
    ["-C", "/", "hash-object", "{other}/secret"],
    ["-C", "{other}/.git", "config", "-l"],
    ["--git-dir={other}/.git", "for-each-ref"],
    ["--git-dir", "../other/.git", "config", "-l"],
    ["--git-dir=link/.git", "for-each-ref"],
    ["--work-tree={other}", "status", "-s"],
    ["--git-dir=.git", "--work-tree", "..", "status", "-s"],
    ["-C", "{other}", "--bare", "for-each-ref"],
    ["config", "-f", "{other}/.git/config", "-l"],
    ["config", "-f", "link/.git/config", "-l"],
    ["blame", "--contents", "{other}/secret", "README.md"],
    ["diff", "--no-index", "README.md", "../other/secret"],
    ["hash-object", "{other}/secret"],
    ["rev-parse", "--resolve-git-dir", "{other}/.git"],
    ["ls-files", "-o", "-X", "{other}/secret"],
]


@pytest.mark.parametrize("words", MOVES, ids=" ".join)
@pytest.mark.parametrize("first", [True, False], ids=["--jail first", "--jail last"])
def test_no_word_leads_out_of_a_jail(
    words: list[str], first: bool, places: tuple[Path, Path], capfdbinary: Any, guarded: Any
) -> None:
    jail, other = places
    said = [word.replace("{other}", str(other)) for word in words]
    at = next(i for i, word in enumerate(said) if not word.startswith("-") and said[i - 1] not in ("-C", "--git-dir"))
    at = at if said[at - 1] != "--work-tree" else at + 1
    front = ["--jail", "-C", str(jail), *said[:at]] if first else ["-C", str(jail), *said[:at], "--jail"]
    status, out, err = ask([*front, *said[at:]], jail.parent, capfdbinary)
    assert b"outside the root" in err, (out, err)
    assert (status, out) == (128, b"")
    assert SECRET.encode() not in err


@pytest.mark.parametrize(
    "words", [["-c", "include.path={other}/.git/config", "config", "user.name"], ["-c", "core.worktree={other}", "ls-files", "-o"]]
)
def test_no_setting_leads_out_of_a_jail(words: list[str], places: tuple[Path, Path], capfdbinary: Any) -> None:
    jail, other = places
    said = [word.replace("{other}", str(other)) for word in words]
    _, out, err = ask(["--jail", "-C", str(jail), *said], jail.parent, capfdbinary)
    assert b"secret" not in out + err


@pytest.mark.parametrize("front", [["-C", "jail"], ["-C", "", "-C", "jail"], ["-C", "jail", "-C", "sub", "-C", ".."]])
def test_a_jail_reads_what_is_in_it(front: list[str], places: tuple[Path, Path], capfdbinary: Any) -> None:
    jail, _ = places
    status, out, err = ask(["--jail", *front, "rev-parse", "--show-toplevel"], jail.parent, capfdbinary)
    assert (status, out, err) == (0, os.fsencode(os.path.realpath(jail)) + b"\n", b"")


def test_a_jail_does_not_read_the_environment(
    places: tuple[Path, Path], capfdbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    jail, other = places
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'user.name=somebody'")
    for front in (["--config-env", "a.b=HOME", "--jail"], ["--jail", "--config-env=a.b=HOME"]):
        status, out, err = ask([*front, "-C", str(jail), "config", "user.name"], jail, capfdbinary)
        assert (status, out) == (129, b"")
        assert b"the environment is not read here" in err
    status, out, _ = ask(["--jail", "-C", str(jail), "rev-parse", "--show-toplevel"], jail, capfdbinary)
    assert (status, out) == (0, os.fsencode(os.path.realpath(jail)) + b"\n")


@pytest.mark.parametrize("root", [None, "the jail"])
@pytest.mark.parametrize("words", [words for words in MOVES if words[0].startswith("-")], ids=" ".join)
def test_no_word_leads_out_of_a_handle(words: list[str], root: str | None, places: tuple[Path, Path]) -> None:
    jail, other = places
    repo = gitglass.open(jail, root=jail if root else None)
    done = repo.git([word.replace("{other}", str(other)) for word in words])
    assert (done.returncode, done.stdout) == (128, b"")
    assert b"outside the root" in done.stderr


def test_words_may_move_within_a_handle(places: tuple[Path, Path]) -> None:
    jail, _ = places
    repo = gitglass.open(jail)
    assert repo.git(["-C", "sub", "rev-parse", "--show-prefix"]).stdout == b"sub/\n"
    assert repo.git(["-C", str(jail / ".git"), "rev-parse", "--git-dir"]).stdout == b".\n"


@pytest.mark.parametrize(
    "words, why",
    [
        (["-C", "nope", "log"], b"'nope': No such file or directory"),
        (["-C", "nope", "-C", "..", "log"], b"'nope': No such file or directory"),
        (["-C", "", "-C", "README.md", "log"], b"'README.md': Not a directory"),
    ],
)
def test_a_directory_that_cannot_be_changed_to(words: list[str], why: bytes, unpack: Any, capfdbinary: Any) -> None:
    assert ask(words, unpack("plain"), capfdbinary) == (128, b"", b"fatal: cannot change to " + why + b"\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a directory in use cannot be removed there")
def test_the_current_directory_was_removed(unpack: Any, tmp_path: Path) -> None:
    code = (
        "import os, sys; from gitglass.cli.main import main; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        "sys.exit(main(sys.argv[1:]))"
    )

    def run(*words: str) -> tuple[int, bytes, bytes]:
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, cwd=tmp_path, timeout=60)
        return done.returncode, done.stdout, done.stderr

    gone = b"fatal: Unable to read current working directory: No such file or directory\n"
    assert run("status") == (128, b"", gone)
    assert run("-C", str(unpack("plain")), "rev-parse", "--show-prefix") == (0, b"\n", b"")
