"""git diff --no-index: which paths are compared and how they are named, and that none is read outside of the jail."""

import os
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.diff_no_index import DiffNoIndexRequest
from gitglass.errors import NotFound, SandboxViolation
from gitglass.plans.diff_form import diff_form, is_inside
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two directories outside of any repository."""
    top = tmp_path / "top"
    for name, files in {
        "one": {"same": "s\n", "x": "1\n", "gone": "g\n", "t": "file\n", "sub/q": "q\n", "moved": "a\nb\nc\nd\n"},
        "two": {"same": "s\n", "x": "2\n", "new": "n\n", "t/in": "i\n", "sub/q": "r\n", "here": "a\nb\nc\nd\n"},
    }.items():
        for path, text in files.items():
            (top / name / path).parent.mkdir(parents=True, exist_ok=True)
            (top / name / path).write_text(text)
    return top


def ask(place: Path, *argv: str, **more: Any) -> tuple[int, str, str]:
    done = gitglass.git(["diff", *argv], cwd=place, root=more.pop("root", place), **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_directories(place: Path) -> None:
    """In the order of bytes, renames found; a file against a directory is two changes. Equal files are not listed."""
    status, out, _ = ask(place, "--no-index", "--name-status", "one", "two")
    assert status == 1
    assert out.split("\n")[:-1] == [
        "D\tone/gone", "R100\tone/moved\ttwo/here", "A\ttwo/new", "M\tone/sub/q", "D\tone/t", "A\ttwo/t/in", "M\tone/x",
    ]  # fmt: skip
    assert ask(place, "--no-index", "--raw", "--no-renames", "one/t", "/dev/null")[1] == (
        ":100644 000000 0000000 0000000 D\tone/t\n"
    )


def test_reversed_but_for_a_file_in_the_place_of_a_directory(place: Path) -> None:
    out = ask(place, "--no-index", "--name-status", "--no-renames", "-R", "one", "two")[1]
    assert out.split("\n")[:-1] == [
        "A\tone/gone", "D\ttwo/here", "A\tone/moved", "D\ttwo/new", "M\ttwo/sub/q", "D\tone/t", "D\ttwo/t/in", "M\ttwo/x",
    ]  # fmt: skip


def test_a_file_and_a_directory_mean_the_file_of_that_name(place: Path) -> None:
    assert ask(place, "--no-index", "--name-only", "one/x", "two")[1] == "two/x\n"
    assert ask(place, "--no-index", "--stat", "one/", "./two/x")[1].startswith(" {one => ./two}/x | 2 +-\n")
    assert ask(place, "--no-index", "one", "two/new")[::2] == (1, "error: Could not access 'one/new'\n")


USAGE = "usage: git diff --no-index [<options>] <path> <path>\n"


@pytest.mark.parametrize(
    ("argv", "status", "said"),
    [
        (["--no-index", "one/x", "one/x"], 0, ""),
        (["--no-index", "--quiet", "one/x", "two/x"], 1, ""),
        (["--no-index", "one/x", "nope"], 1, "error: Could not access 'nope'\n"),
        (["--no-index", "one/x/", "two/x"], 1, "error: Could not access 'one/x/'\n"),
        (["--no-index", "", "two/x"], 1, "error: Could not access ''\n"),
        (["--no-index", "one"], 129, USAGE),
        (["--no-index", "--cached", "one", "two"], 129, "error: unknown option `cached'\n" + USAGE),
        (["--no-index", "-1", "one", "two"], 129, "error: unknown switch `1'\n" + USAGE),
        (["--no-index", "--follow", "one", "two"], 128, "fatal: --follow requires exactly one pathspec\n"),
    ],
)
def test_status_and_words(place: Path, argv: list[str], status: int, said: str) -> None:
    found = ask(place, *argv)
    assert found[0] == status
    words = found[2].partition("\n\n")[0] + "\n" if status == 129 else found[2]  # without the list of options
    assert words == said


def test_headers_show_the_words(place: Path) -> None:
    absolute = str(place / "one/x")
    patch = ask(place, "--no-index", absolute, "two/../two/x")[1]
    assert patch.startswith(f"diff --git a{absolute} b/two/../two/x\nindex d00491f..0cfbf08 100644\n--- a{absolute}\n")
    (place / "only").mkdir()
    (place / "only/-").write_text("")
    assert ask(place, "--no-index", "--name-status", "one/x", absolute)[:2] == (0, "")


def test_standard_input(place: Path) -> None:
    patch = ask(place, "--no-index", "one/x", "-", stdin=b"two\n")[1]
    assert (
        patch == "diff --git a/one/x b/-\nindex d00491f..0000000 100644\n--- a/one/x\n+++ b/-\n@@ -1 +1 @@\n-1\n+two\n"
    )
    assert ask(place, "--no-index", "-", "one/x", stdin=b"1\n") == (0, "", "")


def test_links_are_compared_as_links(place: Path) -> None:
    os.symlink("x", place / "one/link")
    os.symlink("y", place / "two/link")
    os.symlink("sub", place / "two/way")
    out = ask(place, "--no-index", "one/link", "two/link")[1]
    assert "120000" in out and "-x\n" in out and "+y\n" in out
    assert ask(place, "--no-index", "--name-only", "two/way/q", "one/x")[1] == "one/x\n"  # on the way it is followed


def test_what_is_no_file_cannot_be_hashed(place: Path) -> None:
    os.mkfifo(place / "fifo")
    status, out, said = ask(place, "--no-index", "fifo", "one/x")
    assert (status, out) == (128, "")
    assert said == "error: fifo: unsupported file type\nfatal: cannot hash fifo\n"
    assert ask(place, "--no-index", "--raw", "fifo", "one/x")[1].startswith(":160000 100644")


def test_big_files_are_compared_in_pieces(place: Path) -> None:
    data = b"x" * (3 << 20)
    (place / "b1").write_bytes(data)
    (place / "b2").write_bytes(data)
    assert ask(place, "--no-index", "b1", "b2")[0] == 0
    (place / "b2").write_bytes(data[:-1] + b"y")
    assert ask(place, "--no-index", "--name-only", "b1", "b2")[:2] == (1, "b2\n")


@pytest.mark.parametrize("word", ["../outside", "/etc/passwd", "one/../../outside", "out", "out/x", "one/out/x"])
def test_nothing_outside_is_read(place: Path, word: str, watched: Any) -> None:
    (place.parent / "outside").mkdir()
    (place.parent / "outside/x").write_text("secret\n")
    os.symlink("../outside", place / "out")
    os.symlink("../../outside", place / "one/out")
    watched(os.path.realpath(place))
    for argv in ([word, "one/x"], ["one/x", word], [word, "one"], [word, word]):
        for form in ([], ["--no-index"]):
            status, out, said = ask(place, *form, *argv)
            assert "secret" not in out + said and "root:" not in out
            assert status in (0, 1) if word == "out" else status == 128, (argv, said)


# ------------------------------------------------------------------------------------------------- in a repository
@pytest.fixture(scope="module")
def repo(unpack: Any) -> Path:
    found: Path = unpack("attributes")
    return found


def store_of(path: Path, root: Path | None = None) -> Store:
    return open_store(Where(cwd=os.fsencode(path)), root=os.fsencode(root or path), optional=True)


def test_which_form_is_meant(repo: Path, tmp_path: Path) -> None:
    store = store_of(repo)
    explicit, implied = "commands.diff_no_index:COMMAND", "commands.diff_no_index:IMPLIED"
    for words, form in {
        ("--no-index", "a", "b"): explicit,
        ("--stat", "--no-index", "--", "a", "b"): explicit,
        ("--", "--no-index", "b"): None,
        ("a", "b"): None,
        ("a", "../b"): implied,
        ("--", "../a", "b"): implied,
        ("--stat", "/dev/null", "b"): implied,
        ("a", "--", "../b"): None,
        ("../b",): None,
        ("-", "../b"): None,
        ("../a", "b", "c"): None,
        (): None,
    }.items():
        assert diff_form(list(words), store) == form, words
        assert diff_form(list(words), store_of(tmp_path)) == (form if form == explicit else implied)


def test_inside(repo: Path, tmp_path: Path) -> None:
    sub = store_of(repo / "src", repo)
    assert is_inside(b"../README.md", sub) and is_inside(b"x/../../docs", sub) and is_inside(b"nope", sub)
    assert not is_inside(b"../../x", sub) and not is_inside(b"x/../../../a/b", sub)
    top = os.fsencode(os.path.realpath(repo))
    assert is_inside(top + b"/docs", sub) and is_inside(top, sub) and not is_inside(top + b"/..", sub)
    os.symlink(repo, tmp_path / "link")  # another name of the top, which this jail does not know
    assert not is_inside(os.fsencode(tmp_path / "link/docs"), sub)
    wide = open_store(Where(cwd=os.fsencode(repo)), root=os.fsencode(repo.parent.parent))
    assert is_inside(os.fsencode(tmp_path / "link/docs"), wide)


def test_names_are_seen_from_the_current_directory(repo: Path) -> None:
    """Whatever --relative says; but in the lines of --summary, which are as git keeps them."""
    ask_here = gitglass.open(repo / "src").git
    for more in ([], ["--relative"], ["--relative=docs"], ["--no-relative"]):
        out = ask_here(["diff", "--no-index", "--name-status", *more, "app.py", "../docs/nonl.txt"]).stdout
        assert out == b"M\tapp.py\n"
    out = ask_here(["diff", "--no-index", "--summary", "-R", "app.py", "/dev/null"]).stdout
    assert out.split() == [b"create", b"mode", b"100755", b"src/app.py"]


def test_attributes_along_the_name(tmp_path: Path, unpack: Any) -> None:
    """git looks for them in every directory that the text of a name leads through."""
    top = tmp_path / "repo"
    (top / ".git/objects").mkdir(parents=True)
    (top / ".git/refs").mkdir()
    (top / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (top / "sub").mkdir()
    (top / "other").mkdir()
    (top / "sub/.gitattributes").write_text("*.sx -diff\n")
    (top / "sub/a.sx").write_text("1\n")
    (top / "other/a.sx").write_text("2\n")
    (top / "x").write_text("3\n")
    for word, binary in {"sub/a.sx": True, "other/a.sx": False, "sub/../other/a.sx": True, str(top / "sub/a.sx"): True}.items():  # fmt: skip
        out = gitglass.git(["diff", "--no-index", word, "x"], cwd=top, root=top).stdout
        assert (b"Binary files" in out) is binary, word
    os.symlink("1", top / "sub/l.sx")  # a link has no driver but the default one
    assert b"Binary" not in gitglass.git(["diff", "--no-index", "sub/l.sx", "/dev/null"], cwd=top, root=top).stdout


def test_line_endings_are_those_git_would_store(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\r\n")
    (tmp_path / "b").write_bytes(b"x\n")
    ask_here = gitglass.git
    assert ask_here(["diff", "a", "b"], cwd=tmp_path, root=tmp_path).returncode == 1
    done = ask_here(["-c", "core.autocrlf=input", "diff", "a", "b"], cwd=tmp_path, root=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"") and done.stderr.startswith(b"warning: in the working copy of 'a'")


def test_typed(repo: Path) -> None:
    handle = gitglass.open(repo)
    result = handle.run(DiffNoIndexRequest(paths=["src", "docs"], patch=True))
    assert {row.status for row in result.files} == {"A", "D"}
    assert [row.path for row in result.files if row.status == "A"] == ["docs/nonl.txt"]
    assert all(row.path.startswith("src/") and row.old_path is None for row in result.files if row.status == "D")
    row = handle.run(DiffNoIndexRequest(paths=["conf.toml", "-"], stdin="new\n")).files[0]
    assert (row.status, row.path, row.old_path, row.added) == ("M", "-", "conf.toml", 1)
    with pytest.raises(NotFound) as caught:
        handle.run(DiffNoIndexRequest(paths=["nope", "src"]))
    assert caught.value.status == 1
    with pytest.raises(SandboxViolation):
        handle.run(DiffNoIndexRequest(paths=["/etc/passwd", "src"]))
