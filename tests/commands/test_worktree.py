"""git worktree list: places, branches, locks, and what could be pruned."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def top(unpack: Any, tmp_path: Path) -> Path:
    """A repository with three linked work trees: one is there, one is locked, one is gone."""
    main = tmp_path / "main"
    shutil.copytree(unpack("plain"), main, symlinks=True)
    oid = gitglass.git(["rev-parse", "HEAD"], cwd=main).stdout.decode()
    for name, head, locked in (
        ("wt", "ref: refs/heads/topic\n", None),
        ("ä x", oid, "why not\ntwo\n"),
        ("gone", oid, None),
    ):
        folder = main / ".git" / "worktrees" / name.replace("ä ", "")
        folder.mkdir(parents=True)
        (folder / "index").write_bytes(b"")
        (folder / "HEAD").write_text(head)
        (folder / "commondir").write_text("../..\n")
        (folder / "gitdir").write_text(f"{tmp_path}/{name}/.git\n")
        if locked is not None:
            (folder / "locked").write_text(locked)
        if name != "gone":
            (tmp_path / name).mkdir()
            (tmp_path / name / ".git").write_text(f"gitdir: {folder}\n")
    return main


def listed(place: Path, *more: str) -> list[str]:
    done = gitglass.git(["worktree", "list", *more], cwd=place)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().replace(str(place.parent), "").splitlines()


def test_columns_are_as_wide_as_the_longest_path_in_bytes(top: Path) -> None:
    short = gitglass.git(["rev-parse", "--short", "HEAD"], cwd=top).stdout.decode().strip()
    topic = gitglass.git(["rev-parse", "--short", "topic"], cwd=top).stdout.decode().strip()
    assert listed(top) == [
        f"/main  {short} [main]",
        f"/gone  {short} (detached HEAD) prunable",
        f"/wt    {topic} [topic]",
        f"/ä x   {short} (detached HEAD) locked",
    ]


def test_reasons(top: Path) -> None:
    said = "\n".join(listed(top, "-v"))
    assert "\n\tprunable: gitdir file points to non-existent location\n" in said
    assert said.endswith("\n\tlocked: why not\ntwo")
    assert not any("prunable" in line for line in listed(top, "--expire=never"))


def test_for_programs(top: Path) -> None:
    said = listed(top, "--porcelain")
    assert said[:3] == ["worktree /main", "HEAD " + said[1][5:], "branch refs/heads/main"]
    assert 'locked "why not\\ntwo"' in said and "detached" in said
    assert gitglass.git(["worktree", "list", "--porcelain", "-z"], cwd=top).stdout.endswith(b"two\0\0")


@pytest.mark.parametrize("words", [["-z"], ["-v", "--porcelain"], ["--expire=bogus"]])
def test_what_does_not_go_together(top: Path, words: list[str]) -> None:
    assert gitglass.git(["worktree", "list", *words], cwd=top).returncode == 128


@pytest.mark.parametrize(
    "words", [["add", "x"], ["add", "-b", "new", "x"], ["prune", "-n"], ["remove", "--force", "x"]]
)
def test_writing_forms(top: Path, words: list[str]) -> None:
    done = gitglass.git(["worktree", *words], cwd=top)
    refused = f"error: gitglass only reads: 'worktree {words[0]}' is not available\n"
    assert (done.returncode, done.stderr.decode()) == (129, refused)


def test_a_jail_does_not_look_at_its_neighbours(top: Path) -> None:
    rows = gitglass.git(["worktree", "list"], cwd=top, root=top).stdout.decode().splitlines()
    assert len(rows) == 4 and not any("prunable" in row for row in rows)


def test_a_relative_place_is_looked_for_from_the_top(top: Path) -> None:
    link = top / ".git" / "worktrees" / "wt" / "gitdir"
    link.write_text("nowhere/.git\n")
    for done in (gitglass.git(["worktree", "list"], cwd=top), gitglass.open(top).git(["worktree", "list"])):
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"prunable" in next(line for line in done.stdout.splitlines() if line.startswith(b"nowhere"))


@pytest.mark.parametrize(
    ("head", "state", "lines"),
    [("junk", "(error)", []), ("ref: .odd", "(error)", []), ("ref: refs/heads/none", "[none]", ["branch refs/heads/none"]), ("ref: odd", "[odd]", ["branch odd"])],
)  # fmt: skip
def test_a_head_without_a_commit(top: Path, head: str, state: str, lines: list[str]) -> None:
    (top / ".git" / "worktrees" / "wt" / "HEAD").write_text(f"{head}\n")
    assert listed(top)[2] == f"/wt    0000000 {state}"
    paragraph = "\n".join(listed(top, "--porcelain")).split("\n\n")[2].splitlines()
    assert paragraph == ["worktree /wt", "HEAD " + "0" * 40, *lines]
