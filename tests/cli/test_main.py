"""cli/main.py: a whole command line, and that `--jail` holds whatever words follow its root."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of

import gitglass
from gitglass.cli.main import main

SECRET = "a secret of the other repository"


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the system's nor the user's."""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """(the jail, a repository beside it): the second one has a secret in its configuration and files."""
    jail, other = tmp_path / "jail", tmp_path / "other"
    for place in (jail, other):
        copy_of("plain", place)
    (other / "secret").write_text(SECRET + "\n")
    with (other / ".git" / "config").open("a") as config:
        config.write(f'[user]\n\tname = {SECRET}\n[alias]\n\tx = "{SECRET}"\n')
    (other / ".git" / "description").write_text(SECRET)
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
    "words",
    [
        ["-c", "include.path={other}/.git/config", "config", "user.name"],
        ["-c", "core.worktree={other}", "ls-files", "-o"],
    ],
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


@pytest.fixture
def replaced(tmp_path: Path) -> tuple[Path, str, str]:
    """(a repository whose HEAD is replaced by its parent, HEAD, the parent), and by its grandparent in refs/other/."""
    place = tmp_path / "repo"
    copy_of("plain", place)
    names = ["HEAD", "HEAD~1", "HEAD~2"]
    head, parent, grandparent = gitglass.open(place).git(["rev-parse", *names]).stdout.decode().split()
    for base, oid in (("replace", parent), ("other", grandparent)):
        folder = place / ".git" / "refs" / base
        folder.mkdir()
        (folder / head).write_text(oid + "\n")
    return place, head, parent


def subject(words: list[str], cwd: Path, capfdbinary: Any) -> bytes:
    status, out, err = ask([*words, "log", "-1", "--format=%s"], cwd, capfdbinary)
    assert (status, err) == (0, b"")
    return out


def test_variables_of_replacements(
    replaced: tuple[Path, str, str], capfdbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_NO_REPLACE_OBJECTS counts even when empty; GIT_REPLACE_REF_BASE with and without its slash."""
    place, *_ = replaced
    repo = gitglass.open(place)
    log = repo.git(["--no-replace-objects", "log", "-3", "--format=%s"]).stdout.splitlines(keepends=True)
    own, parent, grandparent = log
    assert subject([], place, capfdbinary) == parent
    for value in ("", "1"):
        monkeypatch.setenv("GIT_NO_REPLACE_OBJECTS", value)
        assert subject([], place, capfdbinary) == own
        assert subject(["--jail", "-C", "."], place, capfdbinary) == parent
    monkeypatch.delenv("GIT_NO_REPLACE_OBJECTS")
    for base in ("refs/other", "refs/other/"):
        monkeypatch.setenv("GIT_REPLACE_REF_BASE", base)
        assert subject([], place, capfdbinary) == grandparent
        assert subject(["--no-replace-objects"], place, capfdbinary) == own
        assert subject(["--jail", "-C", "."], place, capfdbinary) == parent


def test_variables_of_object_directories(
    replaced: tuple[Path, str, str], capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Relative ones start from the top of the work tree; one that is missing is complained of, or no repository."""
    place, head, _ = replaced
    empty = tmp_path / "empty"
    for name in ("objects", "refs/heads", "sub"):
        (empty / ".git" / name).mkdir(parents=True)
    (empty / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    words = ["cat-file", "-t", head]
    assert ask(words, empty, capfdbinary)[0] == 128
    for name in ("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"):
        for value in (str(place / ".git" / "objects"), "../repo/.git/objects"):
            monkeypatch.setenv(name, value)
            assert ask(words, empty, capfdbinary) == (0, b"commit\n", b"")
            assert ask(["--jail", "-C", ".", *words], empty, capfdbinary)[0] == 128
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/nope/x")
    _, _, err = ask(words, empty, capfdbinary)
    assert err.startswith(b"error: unable to normalize alternate object path: /nope/x\n")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/nope")
    assert ask(words, place, capfdbinary) == (
        128, b"", b"fatal: not a git repository (or any of the parent directories): .git\n",
    )  # fmt: skip


def test_ceilings_are_resolved_up_to_an_empty_entry(
    replaced: tuple[Path, str, str], capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place, *_ = replaced
    (place / "below").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    words = ["-C", "below", "rev-parse", "--show-prefix"]
    for value, status in ((f"{link}/repo", 128), (f":{link}/repo", 0), (f":{place}", 128), ("repo", 0)):
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", value)
        assert ask(words, place, capfdbinary)[0] == status, value


def test_truth_values_in_variables_are_those_of_the_configuration(
    places: tuple[Path, Path], capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place, _ = places
    system = tmp_path / "system"
    system.write_text("[a]\n\tb = said\n")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(system))
    for value, out in (("no", b"said\n"), ("0x0", b"said\n"), ("", b"said\n"), ("on", b""), ("2k", b"")):
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", value)
        assert ask(["config", "a.b"], place, capfdbinary) == (0 if out else 1, out, b""), value
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_DISCOVERY_ACROSS_FILESYSTEM"):
        monkeypatch.setenv(name, "maybe")
        error = b"fatal: bad boolean config value 'maybe' for '%b'\n" % name.encode()
        assert ask(["rev-parse", "--git-dir"], place, capfdbinary) == (128, b"", error)
        assert ask(["--jail", "-C", ".", "rev-parse", "--git-dir"], place, capfdbinary)[0] == 0  # reads no environment
        monkeypatch.setenv(name, "true")
    assert ask(["rev-parse", "--git-dir"], place, capfdbinary)[:2] == (0, b".git\n")


def test_the_variable_of_notes_stands_in_place_of_the_setting(
    unpack: Any, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["-c", "notes.displayRef=refs/notes/set", "log", "-1"]
    place = unpack("plain")
    assert b"refs/notes/set is invalid" in ask(words, place, capfdbinary)[2]
    for value, warned in (("", []), ("refs/notes/a:refs/notes/b", [b"a", b"b"])):
        monkeypatch.setenv("GIT_NOTES_DISPLAY_REF", value)
        err = ask(words, place, capfdbinary)[2]
        assert err == b"".join(b"warning: notes ref refs/notes/%b is invalid\n" % name for name in warned)


def test_a_process_that_goes_on_has_its_own_limits_again(places: Any, capfdbinary: Any) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS), sys.unraisablehook
    for words in (["log"], ["log", "nonesuch"], ["--nosuch"]):
        ask(["--jail", "-C", str(places[0]), *words], places[0], capfdbinary)
        assert (resource.getrlimit(resource.RLIMIT_AS), sys.unraisablehook) == before


def test_of_the_users_files_one_is_listed(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    """`config --global`: ~/.gitconfig, be it empty; the other one only where that is not there (git-config(1))."""
    jail, _ = places
    home = jail / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "config").write_text("[a]\n\tb = xdg\n")
    for name, value in (("HOME", str(home)), ("XDG_CONFIG_HOME", str(home / ".config"))):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    listed = ["config", "--global", "-l"]
    assert ask(listed, jail, capfdbinary) == (0, b"a.b=xdg\n", b"")
    (home / ".gitconfig").write_text("")
    assert ask(listed, jail, capfdbinary) == (0, b"", b"")
    (home / ".gitconfig").write_text("[a]\n\tc = 1\n")
    assert ask(listed, jail, capfdbinary) == (0, b"a.c=1\n", b"")
    assert ask(["config", "--global", "a.b"], jail, capfdbinary) == (1, b"", b"")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(jail / "none"))
    words = f"fatal: unable to read config file '{jail}/none': No such file or directory\n".encode()
    assert ask(listed, jail, capfdbinary) == (128, b"", words)


def test_a_git_file_that_leads_nowhere_ends_every_command_that_looks_for_a_repository(
    tmp_path: Path, capfdbinary: Any
) -> None:
    (tmp_path / "a").write_bytes(b"a\n")
    for content, reason in (
        (b"", b"invalid gitfile format: %b"), (b"gitdir:x\n", b"invalid gitfile format: %b"),
        (b"gitdir: \n", b"no path in gitfile: %b"),
        (b"gitdir: %b/x\n" % os.fsencode(tmp_path), b"not a git repository: %b/x" % os.fsencode(tmp_path)),
    ):  # fmt: skip
        (tmp_path / ".git").write_bytes(content)
        named = reason % os.fsencode(tmp_path / ".git") if b"%b" in reason else reason
        for words in (
            ["config", "-l"], ["diff", "a", "a"], ["diff", "--no-index", "a", "a"], ["hash-object", "a"], ["status"],
            ["stripspace", "-s"], ["check-ref-format", "--branch", "x"], ["merge-file", "-p", "a", "a", "a"],
        ):  # fmt: skip
            assert ask(words, tmp_path, capfdbinary) == (128, b"", b"fatal: " + named + b"\n"), words
        shown = reason % b".git" if b"%b" in reason else reason
        assert ask(["--git-dir=.git", "config", "-l"], tmp_path, capfdbinary) == (128, b"", b"fatal: " + shown + b"\n")
        for words, out in (
            (["version"], b"git version"), (["rev-parse", "--sq-quote", "a b"], b" 'a b'\n"),
            (["check-ref-format", "--normalize", "/refs/x"], b"refs/x\n"),
        ):  # fmt: skip
            status, given, err = ask(words, tmp_path, capfdbinary)
            assert (status, err) == (0, b"") and given.startswith(out), words
        assert ask(["nonsense"], tmp_path, capfdbinary)[0] == 1  # no such command, whatever the directory is
