"""`update-ref` as git 2.39.5 does it: its words and status, the ref and its logs afterwards; each a compare-and-swap."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.twins import START, attempt
from tests.support.writing import copy_of, done, writer_of

import gitglass
from gitglass.errors import NotGranted, StaleApproval, Unsupported
from gitglass.mutate.writer import approve
from gitglass.request.ref_mutations import UpdateRefRequest

pytestmark = pytest.mark.writes

MAIN, ABOVE, TOPIC = (
    "790a2454a70af9d03e718cc3cfc4695be65525a2", "10705f1d963aef693cc537b2412ac7e4be410ebe",
    "0da9f27655aee7bc83399e035a4eebc9998e07ce",
)  # fmt: skip
UPSTREAM, BLOB, ZEROS = "08fbf3e5d84b4c507c4d59f81d8722e54e71c909", "f7ce89c9d7d1df336019f4ecbec7e775518d31ed", "0" * 40
REF = "refs/heads/topic"
FAILED = "fatal: update_ref failed for ref '{0}': cannot lock ref '{0}': "
ERROR = "error: cannot lock ref '{0}': "


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return copy_of("plain", tmp_path / "repo")


def value(repo: Path, name: str) -> str:
    """What a ref is, as our reader has it; "" for none."""
    return gitglass.git(["rev-parse", "-q", "--verify", name], cwd=repo).stdout.decode().strip()


def logs(repo: Path) -> dict[str, str]:
    """Every log, by name."""
    top = repo / ".git/logs"
    return {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}


def added(repo: Path, before: dict[str, str]) -> dict[str, str]:
    """What was added to each log."""
    return {
        name: text.removeprefix(before.get(name, "")) for name, text in logs(repo).items() if text != before.get(name)
    }


def line(old: str, new: str, message: str = "") -> str:
    return f"{old} {new} A U Thor <author@example.com> {START} +0000{message and chr(9)}{message}\n"


@pytest.mark.parametrize(
    ("argv", "moved", "log"),
    [
        ([REF, "HEAD~1"], {REF: ABOVE}, {REF: line(TOPIC, ABOVE)}),
        ([REF, "HEAD~1", TOPIC], {REF: ABOVE}, {REF: line(TOPIC, ABOVE)}),
        (["-m", "why  so", REF, "HEAD~1"], {REF: ABOVE}, {REF: line(TOPIC, ABOVE, "why so")}),
        (["-m", " ", REF, "HEAD~1"], {REF: ABOVE}, {REF: line(TOPIC, ABOVE)}),
        ([REF, TOPIC], {REF: TOPIC}, {}),
        (["refs/heads/new", "HEAD"], {"refs/heads/new": MAIN}, {"refs/heads/new": line(ZEROS, MAIN)}),
        (["refs/heads/new", "HEAD", ""], {"refs/heads/new": MAIN}, {"refs/heads/new": line(ZEROS, MAIN)}),
        (["refs/heads/new", "HEAD", ZEROS], {"refs/heads/new": MAIN}, {"refs/heads/new": line(ZEROS, MAIN)}),
        (["refs/odd/blob", BLOB], {"refs/odd/blob": BLOB}, {}),
        (["HEAD", "HEAD~1", MAIN], {"refs/heads/main": ABOVE},
         {"HEAD": line(MAIN, ABOVE), "refs/heads/main": line(MAIN, ABOVE)}),
        (["refs/heads/main", "HEAD~1"], {"HEAD": ABOVE},
         {"HEAD": line(MAIN, ABOVE), "refs/heads/main": line(MAIN, ABOVE)}),
        (["--no-deref", "HEAD", "HEAD~1"], {"refs/heads/main": MAIN, "HEAD": ABOVE}, {"HEAD": line(MAIN, ABOVE)}),
        (["refs/remotes/origin/HEAD", "HEAD"], {"refs/remotes/origin/main": MAIN},
         dict.fromkeys(("refs/remotes/origin/HEAD", "refs/remotes/origin/main"), line(UPSTREAM, MAIN))),
        (["--no-deref", "refs/remotes/origin/HEAD", "HEAD"],
         {"refs/remotes/origin/HEAD": MAIN, "refs/remotes/origin/main": UPSTREAM},
         {"refs/remotes/origin/HEAD": line(UPSTREAM, MAIN)}),
        (["-d", "refs/heads/none"], {"refs/heads/none": ""}, {}),
    ],
)  # fmt: skip
def test_what_it_does(repo: Path, argv: list[str], moved: dict[str, str], log: dict[str, str]) -> None:
    before = logs(repo)
    assert attempt(repo, ["update-ref", *argv], START) == (0, b"", b"")
    assert {name: value(repo, name) for name in moved} == moved
    assert added(repo, before) == log


@pytest.mark.parametrize(
    "words", [[REF, ZEROS], [REF, ZEROS, TOPIC], ["-d", REF], ["-d", REF, TOPIC], ["-d", REF, ZEROS]]
)
def test_a_deletion_takes_the_log_along(repo: Path, words: list[str]) -> None:
    assert attempt(repo, ["update-ref", *words], START) == (0, b"", b"")
    assert value(repo, REF) == "" and REF not in logs(repo)


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        ([REF, "HEAD~1", "HEAD"], 128, FAILED + f"is at {TOPIC} but expected {MAIN}"),
        ([REF, "HEAD~1", ""], 128, FAILED + "reference already exists"),
        ([REF, "HEAD~1", ZEROS], 128, FAILED + "reference already exists"),
        ([REF, ZEROS, "HEAD"], 128, FAILED + f"is at {TOPIC} but expected {MAIN}"),
        (["-d", REF, "HEAD"], 1, ERROR + f"is at {TOPIC} but expected {MAIN}"),
        (["-d", "refs/heads/none", "HEAD"], 1, ERROR + "unable to resolve reference '{0}'"),
        (["refs/heads/new", "HEAD", "HEAD"], 128, FAILED + "unable to resolve reference '{0}'"),
        ([REF + "/below", "HEAD"], 128, FAILED + f"'{REF}' exists; cannot create '{{0}}'"),
        (["refs/tags", "HEAD"], 128, FAILED + "'refs/tags/light' exists; cannot create '{0}'"),
        ([REF, BLOB], 128, f"fatal: update_ref failed for ref '{REF}': cannot update ref '{REF}': trying to write "
                           f"non-commit object {BLOB} to branch '{REF}'"),
        ([REF, "1" * 40], 128, f"fatal: update_ref failed for ref '{REF}': cannot update ref '{REF}': trying to write "
                               f"ref '{REF}' with nonexistent object {'1' * 40}"),
        ([REF, "nonsense"], 128, "fatal: nonsense: not a valid SHA1"),
        ([REF, "HEAD~1", "nonsense"], 128, "fatal: nonsense: not a valid old SHA1"),
        (["refs/heads/a..b", "HEAD"], 128, "fatal: update_ref failed for ref '{0}': refusing to update ref with bad name '{0}'"),
        (["-m", "", REF, "HEAD~1"], 128, "fatal: Refusing to perform update with empty message."),
    ],
)  # fmt: skip
def test_what_it_refuses(repo: Path, argv: list[str], status: int, words: str) -> None:
    before, listing = logs(repo), gitglass.git(["show-ref", "--head"], cwd=repo).stdout
    name = next(word for word in argv if word.startswith("refs/"))
    assert attempt(repo, ["update-ref", *argv], START) == (status, b"", f"{words.format(name)}\n".encode())
    assert (logs(repo), gitglass.git(["show-ref", "--head"], cwd=repo).stdout) == (before, listing)
    assert not list((repo / ".git").rglob("*.lock"))


def test_every_update_is_a_swap_even_without_an_old_value(repo: Path) -> None:
    """What the ref is when the plan is made is what it has to be when it is carried out."""
    writer = writer_of(repo)
    plan = writer.plan(UpdateRefRequest(ref=REF, new="HEAD~1"))
    assert [(ref.before.hex(), ref.after.hex()) for ref in plan.changes.refs] == [(TOPIC, ABOVE)]
    done(repo, UpdateRefRequest(ref=REF, new="HEAD"))
    with pytest.raises(StaleApproval):
        writer.apply(plan, approve(plan, "test"))
    assert value(repo, REF) == MAIN


def test_the_grant_names_the_refs(repo: Path) -> None:
    with pytest.raises(NotGranted, match="refs/odd/name"):
        writer_of(repo, refs=("refs/heads/*",)).plan(UpdateRefRequest(ref="refs/odd/name", new="HEAD"))


def test_a_branch_that_is_checked_out_is_said_to_be(repo: Path) -> None:
    notes = writer_of(repo).plan(UpdateRefRequest(ref="refs/heads/main", new="HEAD~1")).preview.notes
    assert any("is checked out" in note for note in notes)


@pytest.mark.parametrize(
    "words", [{"ref": "HEAD", "delete": True, "no_deref": True}, {"ref": "FETCH_HEAD", "new": "HEAD"}]
)
def test_what_is_not_offered(repo: Path, words: dict[str, object]) -> None:
    """git takes any name below the git directory, and lets HEAD be deleted."""
    before = (repo / ".git/HEAD").read_bytes()
    with pytest.raises((Unsupported, gitglass.GitError)):
        writer_of(repo).plan(UpdateRefRequest(**words))
    assert (repo / ".git/HEAD").read_bytes() == before and not (repo / ".git/FETCH_HEAD").exists()


@pytest.mark.parametrize("name", ["ORIG_HEAD", "FETCH_HEAD"])
def test_a_file_that_is_read_like_a_ref_is_deleted_as_one(repo: Path, name: str) -> None:
    file = repo / ".git" / name
    file.write_text(f"{MAIN}\tof somewhere\n" if name == "FETCH_HEAD" else f"{MAIN}\n")
    words = f"is at {MAIN} but expected {ABOVE}\n"
    assert attempt(repo, ["update-ref", "-d", name, ABOVE], START)[2] == (ERROR.format(name) + words).encode()  # type: ignore[index]
    assert file.exists()
    assert attempt(repo, ["update-ref", "-d", name, MAIN], START) == (0, b"", b"") and not file.exists()
    assert attempt(repo, ["update-ref", "-d", name], START) == (0, b"", b"")
    file.write_text("ref: refs/heads/topic\n")
    with pytest.raises(Unsupported):
        done(repo, UpdateRefRequest(ref=name, delete=True))
    file.write_text("no object\n")
    words = f"unable to resolve reference '{name}': reference broken\n"
    assert attempt(repo, ["update-ref", "-d", name], START) == (1, b"", (ERROR.format(name) + words).encode())


def test_no_other_file_is_taken_for_a_ref(repo: Path) -> None:
    for name in ("config", "description"):
        words = f"error: refusing to update ref with bad name '{name}'\n".encode()
        assert attempt(repo, ["update-ref", "-d", name], START) == (1, b"", words)
    assert (repo / ".git/config").exists()
