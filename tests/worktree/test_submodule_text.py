"""Submodules in patches, and conflicts with renames. The answers were compared with git 2.39.5 over the same files."""

import shutil
from typing import Any

import pytest

import gitglass

LINK = 0o160000
FIRST = b"\x11" * 20
LINES = b"".join(b"line %d\n" % at for at in range(30))


def ask(repo: Any, *argv: str) -> bytes:
    done = gitglass.git(list(argv), cwd=repo.top)
    assert done.stderr == b""
    return done.stdout


def submodule(repo: Any, path: str) -> tuple[bytes, bytes]:
    """A repository at a path, with two commits; the message of the second is in ISO-8859-1."""
    place = repo.top / path
    place.mkdir(parents=True)
    sub = type(repo)(place)
    sub.add("x")
    sub.write_index()
    first = sub.commit()
    head = b"tree %s\nparent %s\n" % (sub.tree().hex().encode(), first.hex().encode())
    who = b"author A <a@x> 2 +0000\ncommitter A <a@x> 2 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n"
    second: bytes = sub.put("commit", head + who)
    (sub.git / "refs/heads/main").write_text(second.hex() + "\n")
    return first, second


@pytest.mark.parametrize("form", ["log", "diff"])
def test_a_moved_submodule_is_looked_for_at_its_old_place(repo: Any, form: str) -> None:
    repo.entry("w", FIRST, mode=LINK)
    before = repo.commit()
    del repo.entries[b"w", 0]
    repo.entry("moved", FIRST, mode=LINK)
    after = repo.commit()
    repo.write_index()
    told = ask(repo, "diff", f"--submodule={form}", before.hex(), after.hex())
    assert told == b"Submodule w 1111111...1111111 (commits not present)\n"


@pytest.mark.parametrize(
    ("config", "word"), [([], "café".encode()), (["-c", "i18n.logOutputEncoding=ISO-8859-1"], b"caf\xe9")]
)
def test_subjects_are_in_the_encoding_of_the_output(repo: Any, config: list[str], word: bytes) -> None:
    first, second = submodule(repo, "w")
    repo.entry("w", first, mode=LINK)
    before = repo.commit()
    repo.entry("w", second, mode=LINK)
    after = repo.commit()
    repo.write_index()
    told = ask(repo, *config, "diff", "--submodule=log", before.hex(), after.hex())
    assert told.splitlines()[1:] == [b"  > " + word]


@pytest.mark.parametrize("there", ["nothing", "file"])
def test_the_work_tree_of_one_that_was_put_away_may_be_gone(repo: Any, there: str) -> None:
    """Its `core.worktree` still names the place where it was checked out."""
    first, second = submodule(repo, "w")
    repo.entry("w", first, mode=LINK)
    before = repo.commit()
    repo.entry("w", second, mode=LINK)
    after = repo.commit()
    repo.write_index()
    repo.write(".gitmodules", b'[submodule "w"]\n\tpath = w\n\turl = x\n')
    away = repo.git / "modules" / "w"
    away.parent.mkdir()
    (repo.top / "w/.git").rename(away)
    (away / "config").open("a").write("\tworktree = ../../../w\n")
    shutil.rmtree(repo.top / "w")
    if there == "file":
        repo.write("w")
    told = ask(repo, "diff", "--submodule=log", before.hex(), after.hex())
    assert told.splitlines()[1:] == ["  > café".encode()]


def test_a_linked_work_tree_has_submodules_of_its_own(repo: Any) -> None:
    """Below its own part of the git directory; those of the main work tree are not looked at."""
    first, second = submodule(repo, "w")
    repo.entry("w", first, mode=LINK)
    before = repo.commit()
    repo.entry("w", second, mode=LINK)
    after = repo.commit()
    repo.write_index()
    repo.write("linked/.gitmodules", b'[submodule "w"]\n\tpath = w\n\turl = x\n')
    own = repo.git / "worktrees" / "linked"
    own.mkdir(parents=True)
    for name, content in (("HEAD", after.hex()), ("commondir", "../.."), ("gitdir", f"{repo.top}/linked/.git")):
        (own / name).write_text(content + "\n")
    (repo.top / "linked" / ".git").write_text(f"gitdir: {own}\n")
    argv = ["diff", "--submodule=log", before.hex(), after.hex()]
    for folder, line in ((repo.git, b" (commits not present)"), (own, b":")):
        (folder / "modules").mkdir()
        shutil.copytree(repo.top / "w" / ".git", folder / "modules" / "w")
        done = gitglass.git(argv, cwd=repo.top / "linked", root=repo.top)
        assert done.stdout.splitlines()[0].endswith(line)


@pytest.mark.parametrize("against", [[], ["HEAD"]])
def test_a_submodule_in_the_place_of_a_file_is_at_its_checked_out_commit(repo: Any, against: list[str]) -> None:
    repo.add("f")
    repo.commit()
    repo.write_index()
    (repo.top / "f").unlink()
    _, head = submodule(repo, "f")
    short = head.hex()[:7].encode()
    told = ask(repo, "diff", *against).splitlines()
    assert (told[-1], told[-5]) == (b"+Subproject commit " + head.hex().encode(), b"index 0000000.." + short)
    told = ask(repo, "diff", "--submodule=log", *against).splitlines()
    assert told[-1] == b"Submodule f 0000000...%s (new submodule)" % short
    assert ask(repo, "diff", "--raw", *against).split()[3] == b"0000000"


@pytest.fixture
def renamed(repo: Any) -> Any:
    """Both sides renamed `base`: it is in conflict, and so are the new names, of which there are files."""
    base = repo.put("blob", LINES)
    other = repo.put("blob", LINES.replace(b"line 5\n", b"five\n"))
    repo.entry("base", base)
    repo.commit()
    del repo.entries[b"base", 0]
    repo.write("ours", LINES.replace(b"line 5\n", b"five\n"))
    repo.entry("base", base, stage=1)
    repo.entry("ours", other, stage=2)
    repo.write_index()
    return repo


def test_a_renamed_path_in_conflict_has_its_old_name(renamed: Any) -> None:
    assert ask(renamed, "diff", "--base") == b"* Unmerged path base\n* Unmerged path base\n"
    assert b"=>" not in ask(renamed, "diff", "--base", "--stat")


def test_with_m_a_missing_file_in_conflict_is_its_first_stage(renamed: Any) -> None:
    rows = ask(renamed, "diff-index", "-m", "--name-status", "HEAD").splitlines()
    assert rows == [b"A\tours"]  # base is as in HEAD
    tree = renamed.put("tree", b"").hex()
    assert ask(renamed, "diff-index", "-m", "--name-status", tree) == b"A\tbase\nA\tours\n"
    assert ask(renamed, "diff-index", "-m", "--numstat", tree) == b"30\t0\tbase\n30\t0\tours\n"
