"""Granted merge drivers: what they make of three sides is part of the plan, as git would take it."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.programs import program
from tests.support.writing import copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import CommandFailed, NotGranted, TooLarge, Unsupported
from gitglass.mutate.process.granted import Programs
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, ResetRequest
from gitglass.request.pick_mutations import CherryPickRequest
from gitglass.request.ref_mutations import MergeRequest, TagChange

pytestmark = [pytest.mark.writes, pytest.mark.runs]
READ = "import sys\nbase, ours, theirs = (open(name, 'rb').read() for name in sys.argv[1:4])\n"
JOIN = READ + "open(sys.argv[2], 'wb').write(b'joined:' + base + ours + theirs)"
WORDS = ("%O", "%A", "%B", "%L", "%P")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Two branches, each with another a.x and another plain file, and a driver that the configuration names."""
    repo = copy_of("plain", tmp_path / "repo")
    with (repo / ".git/config").open("a") as config:
        config.write(f'[merge "f"]\n\tname = joins\n\tdriver = touch {tmp_path}/ran\n')
    (repo / ".git/info/attributes").write_text("*.x merge=f\n")
    commit(repo, "base", "base\n")
    commit(repo, "side", "side\n")
    done(repo, ResetRequest(mode="hard", commit="base"))
    commit(repo, "main", "main\n")
    return repo


def commit(repo: Path, name: str, words: str) -> None:
    (repo / "a.x").write_text(words)
    (repo / f"{name}.txt").write_text(name)
    done(repo, AddRequest(paths=["a.x", f"{name}.txt"]))
    done(repo, CommitRequest(message=[name]))
    done(repo, TagChange(names=[name]))


def granting(tmp_path: Path, script: str = JOIN, *words: str, **more: Any) -> Programs:
    (tmp_path / "rooms").mkdir(exist_ok=True)
    made = program(tmp_path / "bin", "driver", script, *(words or WORDS))
    return Programs(drivers={"f": made}, rooms=str(tmp_path / "rooms"), **more)


def test_a_merge(repo: Path, tmp_path: Path, guarded: Any) -> None:
    writer = writer_of(repo, programs=granting(tmp_path))
    plan = writer.plan(MergeRequest(commits=["side"]))
    assert "runs merge f for a.x: " in plan.preview.render() and "programs" in plan.preview.effects
    result = writer.apply(plan, approve(plan, "test"))
    assert result.verified and result.answer.status == 0 and b"Auto-merging a.x\n" in result.answer.out
    assert (repo / "a.x").read_text() == "joined:base\nmain\nside\n" and len(guarded.started) == 1
    assert not (tmp_path / "ran").exists() and list((tmp_path / "rooms").iterdir()) == []


@pytest.mark.parametrize("end", ["sys.exit(1)", "sys.exit(200)", "import os; os.kill(os.getpid(), 9)"])
def test_any_other_status_is_a_conflict(repo: Path, tmp_path: Path, end: str) -> None:
    """Measured with git 2.39: the result is what the file of our side holds, whatever the status."""
    result = done(repo, MergeRequest(commits=["side"]), programs=granting(tmp_path, f"{JOIN}\n{end}"))
    assert result.answer.status == 1 and b"CONFLICT (content): Merge conflict in a.x" in result.answer.out
    assert (repo / "a.x").read_text() == "joined:base\nmain\nside\n"
    assert gitglass.git(["ls-files", "-u"], cwd=repo).stdout.count(b"a.x") == 3


def test_what_a_driver_is_told(repo: Path, tmp_path: Path) -> None:
    (repo / ".git/info/attributes").write_text("*.x merge=f conflict-marker-size=11\n")
    script = "import sys\nopen(sys.argv[1], 'w').write(' '.join(sys.argv[2:]))"
    done(repo, MergeRequest(commits=["side"]), programs=granting(tmp_path, script, "%A", "%L", "%P", "%%", "%S"))
    assert (repo / "a.x").read_text() == "11 a.x % %S"


def test_a_pick(repo: Path, tmp_path: Path) -> None:
    result = done(repo, CherryPickRequest(commits=["side"]), programs=granting(tmp_path))
    assert result.verified and (repo / "a.x").read_text() == "joined:base\nmain\nside\n"


def test_what_is_not_granted_is_refused_by_name(repo: Path, tmp_path: Path, guarded: Any) -> None:
    before = state_of(repo)
    (tmp_path / "rooms").mkdir()
    for programs in (
        Programs(),
        Programs(drivers={"g": granting(tmp_path).drivers["f"]}, rooms=str(tmp_path / "rooms")),
    ):
        with pytest.raises(Unsupported, match="driver 'f'"):
            done(repo, MergeRequest(commits=["side"]), programs=programs)
    inside = program(repo / "tools", "driver", JOIN, *WORDS)
    with pytest.raises(NotGranted):
        done(
            repo,
            MergeRequest(commits=["side"]),
            programs=Programs(drivers={"f": inside}, rooms=str(tmp_path / "rooms")),
        )
    (repo / "tools/driver").unlink()
    (repo / "tools").rmdir()
    assert state_of(repo) == before and guarded.started == []


def test_what_a_driver_leaves_is_not_trusted(repo: Path, tmp_path: Path) -> None:
    before = state_of(repo)
    for script, error in (
        ("import os, sys; os.unlink(sys.argv[2])", CommandFailed),
        (
            "import os, sys; os.unlink(sys.argv[2]); os.symlink('/etc/passwd', sys.argv[2])",
            gitglass.errors.SandboxViolation,
        ),
        ("import sys; open(sys.argv[2], 'w').write('x' * 5000)", gitglass.errors.SandboxViolation),
        ("print('x' * 5000)", TooLarge),
    ):
        with pytest.raises(error):
            done(repo, MergeRequest(commits=["side"]), programs=granting(tmp_path, script, output=4096))
    assert state_of(repo) == before and list((tmp_path / "rooms").iterdir()) == []


def test_a_driver_without_a_command_fails_as_gits(repo: Path) -> None:
    text = (repo / ".git/config").read_text()
    (repo / ".git/config").write_text("\n".join(line for line in text.split("\n") if "driver = touch" not in line))
    with pytest.raises(CommandFailed, match="custom merge driver f lacks command line"):
        done(repo, MergeRequest(commits=["side"]))


def test_the_default_driver(repo: Path, tmp_path: Path) -> None:
    """`merge.default` is for paths without the attribute, `-merge` and `merge` are not such."""
    (repo / ".git/info/attributes").write_text("")
    with (repo / ".git/config").open("a") as config:
        config.write("[merge]\n\tdefault = f\n")
    with pytest.raises(Unsupported, match="driver 'f'"):
        done(repo, MergeRequest(commits=["side"]))
    done(repo, MergeRequest(commits=["side"]), programs=granting(tmp_path))
    assert (repo / "a.x").read_text() == "joined:base\nmain\nside\n"
    done(repo, ResetRequest(mode="hard", commit="main"))
    for word, conflict in (("merge", b"Merge conflict in a.x"), ("-merge", b"Cannot merge binary files: a.x")):
        (repo / ".git/info/attributes").write_text(f"*.x {word}\n")
        result = done(repo, MergeRequest(commits=["side"]))
        assert conflict in result.answer.out + result.answer.err
        done(repo, ResetRequest(mode="hard", commit="main"))


def test_a_default_of_gits_own(repo: Path) -> None:
    (repo / ".git/info/attributes").write_text("")
    with (repo / ".git/config").open("a") as config:
        config.write("[merge]\n\tdefault = union\n")
    done(repo, MergeRequest(commits=["side"]))
    assert (repo / "a.x").read_text() == "main\nside\n"
