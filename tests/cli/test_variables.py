"""cli/main.py: what git's environment variables change in the answers of the command line, and not in a jail."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_main import ask, no_configuration
from tests.support.writing import copy_of

from gitglass.cli.environment import patch_context

__all__ = ["no_configuration"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is looked for no further up, of a user without files of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return copy_of("plain", tmp_path / "repo")


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("-u0", 0), ("--unified=7 -u1", 7), ("-u", 0), ("-u 4", 4), ("-u+2", 2), ("-u5x", 5), ("-u99999999999", 2**31 - 1),
        ("", None), ("xx", None), ("  -u2", None), ("--unified", None), ("-p -u1", None), ("-U3", None),
    ],
)  # fmt: skip
def test_patch_context(value: str, lines: int | None) -> None:
    assert patch_context(value) == lines


def test_lines_of_context(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """GIT_DIFF_OPTS is stronger than -U; counts and jails take no notice of it."""
    (place / "f").write_text("".join(f"{at}\n" for at in range(20)))
    (place / "g").write_text("".join(f"{at}\n" if at != 10 else "x\n" for at in range(20)))
    words = ["diff", "-U2", "--no-index", "f", "g"]
    _, usual, _ = ask(words, place, capfdbinary)
    assert b"\n@@ -9,5 +9,5 @@" in usual
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u0")
    assert b"\n@@ -11 +11 @@" in ask(words, place, capfdbinary)[1]
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=1")
    assert b"\n@@ -10,3 +10,3 @@" in ask(words, place, capfdbinary)[1]
    assert ask(["--jail", "-C", ".", *words], place, capfdbinary)[1] == usual


def test_dots_behind_names(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_PRINT_SHA1_ELLIPSIS=yes: behind those of --raw that are abbreviated."""
    words = ["log", "--raw", "-1", "--format="]
    _, usual, _ = ask(words, place, capfdbinary)
    whole = ask([*words, "--no-abbrev"], place, capfdbinary)[1]
    for value in ("no", "", "1"):
        monkeypatch.setenv("GIT_PRINT_SHA1_ELLIPSIS", value)
        assert ask(words, place, capfdbinary)[1] == usual
    for value in ("yes", "YES"):
        monkeypatch.setenv("GIT_PRINT_SHA1_ELLIPSIS", value)
        dotted = ask(words, place, capfdbinary)[1]
        first, dots = usual.split()[2:4], dotted.split()[2:4]
        assert dots == [name + b"..." for name in first]
        assert ask([*words, "--no-abbrev"], place, capfdbinary)[1] == whole
        assert ask(["--jail", "-C", ".", *words], place, capfdbinary)[1] == usual


@pytest.mark.parametrize(
    ("name", "value", "path", "top", "below"),
    [
        ("GIT_GRAFT_FILE", "gg", "info/grafts", "gg", "../gg"),
        ("GIT_GRAFT_FILE", "gg", "info/grafts2", ".git/info/grafts2", "../.git/info/grafts2"),
        ("GIT_INDEX_FILE", "/i/ndex", "index", "/i/ndex", "/i/ndex"),
        ("GIT_INDEX_FILE", "", "index", "./", "./"),
        ("GIT_INDEX_FILE", "x", "index.lock", ".git/index.lock", "../.git/index.lock"),
        ("GIT_OBJECT_DIRECTORY", "{here}/.git/objects", "objects/pack", "{here}/.git/objects/pack", None),
        ("GIT_OBJECT_DIRECTORY", "{here}/.git/objects", "objectsx", ".git/objectsx", "../.git/objectsx"),
        ("GIT_COMMON_DIR", "{here}/.git", "config", "{here}/.git/config", None),
        ("GIT_COMMON_DIR", "./.git", "config", ".git/config", None),
        ("GIT_COMMON_DIR", "{here}/.git", "HEAD", ".git/HEAD", None),
    ],
)
def test_git_path(
    name: str, value: str, path: str, top: str, below: str | None, place: Path, capfdbinary: Any, monkeypatch: Any
) -> None:
    (place / "below").mkdir()
    monkeypatch.setenv(name, value.replace("{here}", str(place)))
    words = ["rev-parse", "--git-path", path]
    assert ask(words, place, capfdbinary)[1].decode() == top.replace("{here}", str(place)) + "\n"
    if name != "GIT_COMMON_DIR":
        below = top if below is None else below
        assert ask(words, place / "below", capfdbinary)[1].decode() == below.replace("{here}", str(place)) + "\n"


def test_hooks_path(place: Path, capfdbinary: Any) -> None:
    for words, said in ((["hooks/x"], b"hk/x\n"), (["hooks"], b"hk\n"), (["hooksx"], b".git/hooksx\n")):
        assert ask(["-c", "core.hooksPath=hk", "rev-parse", "--git-path", *words], place, capfdbinary) == (0, said, b"")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GIT_DIR", b"fatal: not a git repository: ''\n"),
        ("GIT_WORK_TREE", b"fatal: The empty string is not a valid path\n"),
        ("GIT_OBJECT_DIRECTORY", b"fatal: not a git repository (or any of the parent directories): .git\n"),
        ("GIT_COMMON_DIR", b"fatal: not a git repository (or any of the parent directories): .git\n"),
    ],
)
def test_a_variable_that_is_empty_is_set(
    name: str, words: bytes, place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "")
    assert ask(["log", "-1"], place, capfdbinary) == (128, b"", words)
    assert ask(["--jail", "-C", ".", "log", "-1"], place, capfdbinary)[0] == 0


def test_an_empty_option_is_given(place: Path, capfdbinary: Any) -> None:
    assert ask(["--git-dir=", "log"], place, capfdbinary) == (128, b"", b"fatal: not a git repository: ''\n")
    said = (128, b"", b"fatal: The empty string is not a valid path\n")
    assert ask(["--work-tree=", "log"], place, capfdbinary) == said


def test_the_start_of_replace_refs_decorates(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_REPLACE_REF_BASE is taken as it is: its refs are `replaced`, those of refs/replace/ are like any other."""
    head, parent = ask(["rev-parse", "HEAD", "HEAD~1"], place, capfdbinary)[1].decode().split()
    for folder in ("replace", "other"):
        (place / ".git" / "refs" / folder).mkdir()
        (place / ".git" / "refs" / folder / head).write_text(parent + "\n")
    (place / ".git" / "refs" / "other" / "odd").write_text(parent + "\n")
    words = ["log", "-1", "--format=%D", "--decorate-refs=refs/other", "--decorate-refs=refs/replace"]
    assert ask(words, place, capfdbinary) == (0, b"replaced\n", b"")
    monkeypatch.setenv("GIT_REPLACE_REF_BASE", "refs/other/")
    warned = b"warning: bad replace ref name: odd\nwarning: invalid replace ref refs/other/odd\n"
    assert ask(words, place, capfdbinary) == (0, b"replaced\n", warned)
    monkeypatch.setenv("GIT_REPLACE_REF_BASE", "refs/oth")
    warned = b"warning: bad replace ref name: er/odd\n"
    status, _, err = ask(["rev-parse", "HEAD"], place, capfdbinary)
    assert (status, err) == (0, b"")
    assert ask(["cat-file", "-t", "HEAD"], place, capfdbinary) == (0, b"commit\n", warned)


def test_a_graft_file_elsewhere(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    head = ask(["rev-parse", "HEAD"], place, capfdbinary)[1]
    (place / "gg").write_bytes(head)
    monkeypatch.setenv("GIT_GRAFT_FILE", "gg")
    words = ["-c", "advice.graftFileDeprecated=false", "rev-list", "--count", "HEAD"]
    assert ask(words, place, capfdbinary) == (0, b"1\n", b"")
    assert ask(["--jail", "-C", ".", *words], place, capfdbinary)[1] != b"1\n"


def test_quoted_alternates(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A path in double quotes may hold what separates paths, in the variable and in info/alternates."""
    head = ask(["rev-parse", "HEAD"], place, capfdbinary)[1].decode().strip()
    odd = tmp_path / "a:b"
    place.rename(odd)
    empty = tmp_path / "empty"
    for name in ("objects/info", "refs/heads"):
        (empty / ".git" / name).mkdir(parents=True)
    (empty / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    quoted = f'"{odd}/.git\\057objects"'
    words = ["cat-file", "-t", head]
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted)
    assert ask(words, empty, capfdbinary) == (0, b"commit\n", b"")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(odd / "nope"))
    assert ask(words, empty, capfdbinary)[0] == 128
    monkeypatch.delenv("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    (empty / ".git" / "objects" / "info" / "alternates").write_text(f"# a comment\n{quoted}\n")
    assert ask(words, empty, capfdbinary) == (0, b"commit\n", b"")
    (empty / ".git" / "objects" / "info" / "alternates").write_text("../x\n")
    _, _, err = ask(words, empty, capfdbinary)
    gone = f"error: object directory {empty}/.git/x does not exist; check .git/objects/info/alternates\n"
    assert err.startswith(gone.encode())


def test_who_signs_off(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_COMMITTER_NAME and GIT_COMMITTER_EMAIL are stronger than any configuration, EMAIL stands in for a missing."""
    words = ["-c", "user.name=Con Fig", "format-patch", "--stdout", "-s", "-1"]

    def signed(*front: str) -> list[bytes]:
        status, out, err = ask([*front, *words], place, capfdbinary)
        assert (status, err) == (0, b"")
        return [line for line in out.splitlines() if line.startswith(b"Signed-off-by: ")]

    monkeypatch.setenv("EMAIL", "e@mail")
    assert signed() == [b"Signed-off-by: Con Fig <e@mail>"]
    assert signed("-c", "user.email=c@f") == [b"Signed-off-by: Con Fig <c@f>"]
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "x@y")
    assert signed("-c", "user.email=c@f", "-c", "committer.email=c@g") == [b"Signed-off-by: Con Fig <x@y>"]
    monkeypatch.setenv("GIT_COMMITTER_NAME", "En <Vi> ")
    assert signed("-c", "committer.name=C") == [b"Signed-off-by: En Vi <x@y>"]
    assert signed("--jail", "-C", ".", "-c", "user.email=c@f") == [b"Signed-off-by: Con Fig <c@f>"]
    assert ask(["var", "GIT_COMMITTER_IDENT"], place, capfdbinary)[1].startswith(b"En Vi <x@y> ")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2023-11-14T22:13:20-0130")
    assert ask(["var", "GIT_COMMITTER_IDENT"], place, capfdbinary)[1] == b"En Vi <x@y> 1700005400 -0130\n"
    monkeypatch.setenv("GIT_COMMITTER_DATE", "noon")
    assert ask(["var", "GIT_COMMITTER_IDENT"], place, capfdbinary) == (128, b"", b"fatal: invalid date format: noon\n")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "")
    said = (128, b"", b"fatal: empty ident name (for <x@y>) not allowed\n")
    assert ask(words, place, capfdbinary) == said
    monkeypatch.setenv("GIT_COMMITTER_NAME", "..")
    said = (128, b"", b"fatal: name consists only of disallowed characters: ..\n")
    assert ask(words, place, capfdbinary) == said


def test_a_notes_ref_without_a_name(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_NOTES_REF", "")
    assert ask(["notes", "get-ref"], place, capfdbinary) == (0, b"\n", b"")


def test_a_notes_ref_is_no_setting(place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_NOTES_REF", "refs/notes/x")
    words = ["-c", "core.notesRef=refs/notes/y", "notes", "get-ref"]
    assert ask(words, place, capfdbinary) == (0, b"refs/notes/x\n", b"")
    assert ask(["config", "core.notesRef"], place, capfdbinary) == (1, b"", b"")


@pytest.mark.parametrize(
    ("front", "pager"),
    [
        ([], b"most"), (["--no-pager"], b"cat"), (["-P"], b"cat"), (["-P", "-p"], b"most"),
        (["--paginate", "--no-pager"], b"cat"),
    ],
)  # fmt: skip
def test_a_pager_that_is_switched_off(
    place: Path, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch, front: list[str], pager: bytes
) -> None:
    monkeypatch.setenv("GIT_PAGER", "most")
    assert ask([*front, "var", "GIT_PAGER"], place, capfdbinary) == (0, pager + b"\n", b"")
