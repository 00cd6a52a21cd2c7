"""Granted hooks of a commit: they run when an approved plan is carried out, and what they change is a new plan."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.programs import alive
from tests.support.writing import copy_of, done, state_of, writer_of

import gitglass
from gitglass.errors import CommandFailed, Conflict, InvalidArgs, StaleApproval, Timeout, Unsupported
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import WriteGrant
from gitglass.mutate.process.granted import GrantedHooks, Programs
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, SwitchRequest

pytestmark = [pytest.mark.writes, pytest.mark.runs]
HEAD = f"#!{sys.executable} -IS\nimport os, sys, zlib, hashlib\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("changed\n")
    done(repo, AddRequest(paths=["README.md"]))
    return repo


def install(repo: Path, name: str, script: str) -> str:
    """Install a hook; the hash of its bytes."""
    path = repo / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + script + "\n")
    path.chmod(0o755)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def granting(tmp_path: Path, files: dict[str, str], seconds: float = 20.0) -> dict[str, Any]:
    (tmp_path / "rooms").mkdir(exist_ok=True)
    return {"hooks": GrantedHooks(files, seconds), "programs": Programs(rooms=str(tmp_path / "rooms"))}


def git(repo: Path, *argv: str) -> bytes:
    return gitglass.git(list(argv), cwd=repo).stdout


def test_a_hook_runs_when_the_plan_is_carried_out(repo: Path, tmp_path: Path, guarded: Any) -> None:
    log = tmp_path / "log"
    files = {
        name: install(
            repo,
            name,
            f"open({str(log)!r}, 'a').write(os.path.basename(sys.argv[0]) + ' ' + ' '.join(sys.argv[2:]) + '\\n')",
        )
        for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
    }
    writer = writer_of(repo, **granting(tmp_path, files))
    plan = writer.plan(CommitRequest(message=["m"]))
    assert guarded.started == []
    for name in files:
        assert f"runs hook {name}: " in plan.preview.render()
    result = writer.apply(plan, approve(plan, "test"))
    assert result.verified and log.read_text() == "pre-commit \nprepare-commit-msg message\ncommit-msg \npost-commit \n"
    assert git(repo, "log", "-1", "--format=%s") == b"m\n" and list((tmp_path / "rooms").iterdir()) == []


def test_what_a_hook_gets(repo: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = f"""
where = os.environ['GIT_DIR']
seen = [os.getcwd(), os.environ['GIT_WORK_TREE'], os.environ['GIT_AUTHOR_NAME'], open(where + '/HEAD').read().strip(),
        open(sys.argv[1]).read().strip(), str(os.path.commonpath([where, sys.argv[1], os.environ['GIT_INDEX_FILE']]) == where),
        ','.join(sorted(name for name in os.environ if 'TOKEN' in name or name in ('USER', 'LOGNAME')))]
open({str(log)!r}, 'w').write('\\n'.join(seen))"""
    os.environ["X_TOKEN"] = "x"
    try:
        done(
            repo,
            CommitRequest(message=["the message"]),
            **granting(tmp_path, {"commit-msg": install(repo, "commit-msg", script)}),
        )
    finally:
        del os.environ["X_TOKEN"]
    lines = log.read_text().split("\n")
    assert lines[:2] == [str(repo), str(repo)] and lines[2] == "A" and lines[3].startswith("ref: refs/heads/")
    assert lines[4:] == ["the message", "True", ""]


def test_a_hook_that_refuses(repo: Path, tmp_path: Path) -> None:
    digest = install(repo, "pre-commit", "print('lint: no'); sys.exit(3)")
    before = state_of(repo)
    with pytest.raises(CommandFailed) as failed:
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"pre-commit": digest}))
    assert failed.value.streams()[1] == b"lint: no\n" and failed.value.data["kind"] == "hook_refused"
    assert failed.value.status == 1 and state_of(repo) == before and not list((repo / ".git").rglob("*.lock"))


MESSAGES = "path = sys.argv[1]; words = open(path).read()\nif 'Ticket' not in words: open(path, 'a').write('\\nTicket: 7\\n\\n\\n')"


@pytest.mark.parametrize("name", ["prepare-commit-msg", "commit-msg"])
def test_a_message_that_a_hook_changes_is_a_new_plan(repo: Path, tmp_path: Path, name: str, guarded: Any) -> None:
    writer = writer_of(repo, **granting(tmp_path, {name: install(repo, name, MESSAGES)}))
    plan = writer.plan(CommitRequest(message=["m"]))
    before = state_of(repo)
    with pytest.raises(StaleApproval) as stale:
        writer.apply(plan, approve(plan, "test"))
    assert state_of(repo) == before
    again = writer.plan(CommitRequest(message=["m"]), moment=plan.moment)
    assert again.digest == stale.value.data["plan"] != plan.digest
    writer.apply(again, approve(again, "test"))
    assert git(repo, "log", "-1", "--format=%B") == b"m\n\nTicket: 7\n\n" and len(guarded.started) == 1


STAGING = r"""
import shutil
data = b'formatted\n'
body = b'blob %d\0' % len(data) + data
oid = hashlib.sha1(body).hexdigest()
place = os.environ['GIT_OBJECT_DIRECTORY'] + '/' + oid[:2]
os.makedirs(place, exist_ok=True)
open(place + '/' + oid[2:], 'wb').write(zlib.compress(body))
index = open(os.environ['GIT_INDEX_FILE'], 'rb').read()
at = index.index(b'README.md') - 22
index = index[:at] + bytes.fromhex(oid) + index[at + 20:-20]
open(os.environ['GIT_INDEX_FILE'], 'wb').write(index + hashlib.sha1(index).digest())
"""


def test_what_a_hook_stages_is_a_new_plan(repo: Path, tmp_path: Path) -> None:
    asked = []
    digest = install(repo, "pre-commit", STAGING)
    writer = writer_of(repo, **granting(tmp_path, {"pre-commit": digest}))
    result = writer.run(CommitRequest(message=["m"]), approver=lambda plan: asked.append(plan.digest) or True)  # type: ignore[func-returns-value]
    assert result.verified and len(asked) == 2 and git(repo, "show", "HEAD:README.md") == b"formatted\n"
    assert git(repo, "show", ":README.md") == b"formatted\n" and (repo / "README.md").read_text() == "changed\n"


def test_a_file_that_a_hook_changes_is_a_new_plan(repo: Path, tmp_path: Path) -> None:
    digest = install(repo, "pre-commit", "open('README.md', 'w').write('by the hook\\n')")
    (repo / "README.md").write_text("mine\n")
    writer = writer_of(repo, **granting(tmp_path, {"pre-commit": digest}))
    plan = writer.plan(CommitRequest(message=["m"], all=True))
    with pytest.raises(StaleApproval):
        writer.apply(plan, approve(plan, "test"))


@pytest.mark.parametrize(
    "left",
    [
        "os.unlink(i); os.symlink('/etc/passwd', i)",
        "os.unlink(i); os.mkfifo(i)",
        "open(i, 'wb').write(b'junk')",
        "os.unlink(i)",
    ],
)
def test_what_a_hook_leaves_is_not_trusted(repo: Path, tmp_path: Path, left: str) -> None:
    digest = install(repo, "pre-commit", "i = os.environ['GIT_INDEX_FILE']\n" + left)
    before = state_of(repo)
    with pytest.raises(gitglass.errors.GitError):
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"pre-commit": digest}))
    assert state_of(repo) == before and list((tmp_path / "rooms").iterdir()) == []


def test_an_object_that_is_not_what_it_says(repo: Path, tmp_path: Path) -> None:
    digest = install(repo, "pre-commit", STAGING.replace("zlib.compress(body)", "zlib.compress(b'blob 1\\0x')"))
    with pytest.raises(gitglass.errors.SandboxViolation):
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"pre-commit": digest}))


def test_another_hook_than_the_granted_one(repo: Path, tmp_path: Path, guarded: Any) -> None:
    granted = {"pre-commit": install(repo, "pre-commit", "pass")}
    install(repo, "pre-commit", "pass # and more")
    with pytest.raises(Unsupported, match="its SHA-256 is"):
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, granted))
    install(repo, "commit-msg", "pass")
    with pytest.raises(Unsupported, match="is not granted"):
        done(
            repo,
            CommitRequest(message=["m"]),
            **granting(tmp_path, {"pre-commit": install(repo, "pre-commit", "pass")}),
        )
    assert guarded.started == []


def test_hooks_that_nothing_runs_still_refuse(repo: Path, tmp_path: Path, guarded: Any) -> None:
    digest = install(repo, "post-checkout", "pass")
    with pytest.raises(Unsupported, match="post-checkout"):
        done(repo, SwitchRequest(commit="HEAD~1", detach=True), **granting(tmp_path, {"post-checkout": digest}))
    digest = install(repo, "reference-transaction", "pass")
    with pytest.raises(Unsupported, match="reference-transaction"):
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"reference-transaction": digest}))
    assert guarded.started == []


def test_an_amended_commit_has_one_hook_more(repo: Path, tmp_path: Path) -> None:
    digest = install(
        repo, "post-rewrite", f"open({str(tmp_path / 'log')!r}, 'w').write(sys.argv[1] + ' ' + sys.stdin.read())"
    )
    with pytest.raises(Unsupported, match="post-rewrite"):
        done(repo, CommitRequest(message=["m"], amend=True))
    old = git(repo, "rev-parse", "HEAD").decode().strip()
    done(repo, CommitRequest(message=["m"], amend=True), **granting(tmp_path, {"post-rewrite": digest}))
    new = git(repo, "rev-parse", "HEAD").decode().strip()
    assert (tmp_path / "log").read_text() == f"amend {old} {new}\n"


def test_no_verify_leaves_two_out(repo: Path, tmp_path: Path, guarded: Any) -> None:
    files = {name: install(repo, name, "sys.exit(1)") for name in ("pre-commit", "commit-msg")}
    result = done(repo, CommitRequest(message=["m"], no_verify=True), **granting(tmp_path, files))
    assert result.changed and guarded.started == []


def test_a_hook_afterwards_counts_for_nothing(repo: Path, tmp_path: Path) -> None:
    digest = install(repo, "post-commit", "print('sent'); sys.exit(9)")
    result = done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"post-commit": digest}))
    assert result.changed and result.answer.err == b"sent\n"
    assert result.notes == ["the hook 'post-commit' ended with status 9"]


def test_a_hook_that_does_not_end(repo: Path, tmp_path: Path) -> None:
    digest = install(repo, "pre-commit", "import time\nif os.fork() == 0: time.sleep(60)\ntime.sleep(60)")
    before = state_of(repo)
    with pytest.raises(Timeout):
        done(repo, CommitRequest(message=["m"]), **granting(tmp_path, {"pre-commit": digest}, 1.0))
    assert state_of(repo) == before and alive("hooks/pre-commit") == [] and list((tmp_path / "rooms").iterdir()) == []
    assert not list((repo / ".git").rglob("*.lock"))


def test_hooks_that_never_agree(repo: Path, tmp_path: Path) -> None:
    script = "open(sys.argv[1], 'a').write('x%d\\n' % os.getpid())"
    writer = writer_of(repo, **granting(tmp_path, {"commit-msg": install(repo, "commit-msg", script)}))
    assert writer.run(CommitRequest(message=["m"]), approver=lambda _: True).changed  # remembered for what it ran on
    (repo / "README.md").write_text("mine\n")
    digest = install(
        repo,
        "pre-commit",
        "n = open('.git/n', 'a'); n.write('x'); n.close(); open('README.md', 'w').write(open('.git/n').read())",
    )
    writer = writer_of(
        repo, **granting(tmp_path, {"pre-commit": digest, "commit-msg": install(repo, "commit-msg", "pass")})
    )
    with pytest.raises(Conflict, match="each time"):
        writer.run(CommitRequest(message=["m"], all=True), approver=lambda _: True)


def test_tools_that_come_back_with_the_token(repo: Path, tmp_path: Path) -> None:
    """What hooks left is remembered between the calls of a host: the second approval is for what will be."""
    granted = granting(tmp_path, {"commit-msg": install(repo, "commit-msg", MESSAGES)})
    from gitglass.limits import Context, Limits
    from gitglass.mutate.grant import Identity

    access = WriteAccess(
        WriteGrant(identity=Identity("A", "a@b"), clock=lambda: 1_700_000_000, zone=0, refs=("*",), **granted)
    )

    def call(*approved: str, dry_run: bool = False) -> Any:
        with Context(Limits()) as ctx:
            return access.carry_out(
                CommitRequest(message=["m"]),
                gitglass.open(repo).store,
                ctx,
                approved=frozenset(approved),
                dry_run=dry_run,
            )

    first = call(dry_run=True)
    with pytest.raises(StaleApproval):
        call(first.plan)
    second = call(dry_run=True)
    assert second.plan != first.plan
    assert call(second.plan).changed and b"Ticket: 7" in git(repo, "log", "-1", "--format=%B")


@pytest.mark.parametrize("files", [{"pre-commit": "x"}, {"../x": "0" * 64}, {"Pre": "0" * 64}])
def test_a_grant_is_a_name_and_a_hash(files: dict[str, str]) -> None:
    with pytest.raises(InvalidArgs):
        GrantedHooks(files)
