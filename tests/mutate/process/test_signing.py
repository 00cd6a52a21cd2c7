"""Commits and tags signed by a granted signer: what is approved has no signature yet, and is the same but for it."""

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.programs import program
from tests.support.writing import copy_of, done, state_of, writer_of

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import BadRequest, CommandFailed, InvalidArgs, StaleApproval, Unsupported
from gitglass.limits import Context, Limits
from gitglass.mutate.process.granted import Program, Programs, Signer
from gitglass.mutate.process.signing import with_signature
from gitglass.mutate.writer import approve
from gitglass.request.mutations import AddRequest, CommitRequest, ResetRequest
from gitglass.request.pick_mutations import CherryPickRequest
from gitglass.request.ref_mutations import MergeRequest, TagChange

pytestmark = [pytest.mark.writes, pytest.mark.runs]
#: a signer that never signs the same twice, as real ones do
GPG = """
import os, sys, time, hashlib
data = sys.stdin.buffer.read()
sys.stderr.write('[GNUPG:] BEGIN_SIGNING\\n[GNUPG:] SIG_CREATED D\\n')
print('-----BEGIN PGP SIGNATURE-----\\n\\n%s\\n%s\\n%s\\n-----END PGP SIGNATURE-----' % (hashlib.sha256(data).hexdigest(), ' '.join(sys.argv[1:]), time.time_ns()))
"""
SSH = """
import sys, hashlib
data = open(sys.argv[-1], 'rb').read()
open(sys.argv[-1] + '.sig', 'w').write('-----BEGIN SSH SIGNATURE-----\\r\\n%s\\r\\n-----END SSH SIGNATURE-----\\r\\n' % hashlib.sha256(data).hexdigest())
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = copy_of("plain", tmp_path / "repo")
    (repo / "README.md").write_text("changed\n")
    done(repo, AddRequest(paths=["README.md"]))
    return repo


def signing(tmp_path: Path, script: str = GPG, kind: Any = "openpgp") -> Programs:
    (tmp_path / "rooms").mkdir(exist_ok=True)
    signer = Signer(program(tmp_path / "bin", "signer", script), "KEY", kind)
    return Programs(signer=signer, rooms=str(tmp_path / "rooms"))


def configure(repo: Path, words: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(words)


def content(repo: Path, name: str) -> bytes:
    kind = gitglass.git(["cat-file", "-t", name], cwd=repo).stdout.decode().strip()
    return gitglass.git(["cat-file", kind, name], cwd=repo).stdout


def without(raw: bytes) -> bytes:
    head, _, message = raw.partition(b"\n\n")
    lines: list[bytes] = []
    dropping = False
    for line in head.split(b"\n"):
        dropping = line.startswith(b"gpgsig ") or (dropping and line.startswith(b" "))
        lines += [] if dropping else [line]
    return b"\n".join(lines) + b"\n\n" + message


def test_a_commit_is_what_was_approved_and_signed(repo: Path, tmp_path: Path, guarded: Any) -> None:
    writer = writer_of(repo, programs=signing(tmp_path))
    plan = writer.plan(CommitRequest(message=["m"], switches=["-S"]))
    (oid,) = [oid for oid, (kind, _) in plan.changes.objects.items() if kind == b"commit"]
    plain = plan.changes.objects[oid][1]
    assert guarded.started == [] and "runs sign openpgp: " in plan.preview.render() and b"gpgsig" not in plain
    result = writer.apply(plan, approve(plan, "test"))
    raw = content(repo, "HEAD")
    assert result.verified and without(raw) == plain
    signed = hashlib.sha256(plain).hexdigest().encode()
    assert b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n " + signed + b"\n --status-fd=2 -bsau KEY\n " in raw
    assert len(guarded.started) == 1 and list((tmp_path / "rooms").iterdir()) == []
    name = gitglass.git(["rev-parse", "--short", "HEAD"], cwd=repo).stdout.strip()
    assert name in result.answer.out and gitglass.git(["fsck"], cwd=repo).returncode == 0
    assert b"m\n" in gitglass.git(["log", "-1", "--format=%s"], cwd=repo).stdout


def test_the_setting_asks_and_no_gpg_sign_does_not(repo: Path, tmp_path: Path, guarded: Any) -> None:
    configure(repo, "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = touch /tmp/never\n[user]\n\tsigningKey = THEIRS\n")
    with pytest.raises(Unsupported, match=r"commit\.gpgSign") as refused:
        done(repo, CommitRequest(message=["m"]))
    assert "Programs.signer" in str(refused.value.hint)
    done(repo, CommitRequest(message=["m"], switches=["--no-gpg-sign"]), programs=signing(tmp_path))
    assert guarded.started == []
    done(repo, CommitRequest(message=["n"], amend=True), programs=signing(tmp_path))
    assert b"-bsau KEY" in content(repo, "HEAD")


def test_without_a_grant_a_request_for_one_is_refused(repo: Path) -> None:
    for change in (CommitRequest(message=["m"], switches=["-S"]), TagChange(names=["t"], message="m", switches=["-s"])):
        with pytest.raises(Unsupported, match="no signer is granted"):
            done(repo, change)


def test_a_tag(repo: Path, tmp_path: Path) -> None:
    writer = writer_of(repo, programs=signing(tmp_path))
    plan = writer.plan(TagChange(names=["v9"], message="nine", switches=["-s"]))
    plain = next(iter(plan.changes.objects.values()))[1]
    result = writer.apply(plan, approve(plan, "test"))
    raw = content(repo, "v9")
    assert (
        result.verified
        and raw.startswith(plain + b"-----BEGIN PGP SIGNATURE-----\n")
        and raw.endswith(b"-----END PGP SIGNATURE-----\n")
    )


def test_with_ssh(repo: Path, tmp_path: Path) -> None:
    done(repo, CommitRequest(message=["m"], switches=["-S"]), programs=signing(tmp_path, SSH, "ssh"))
    raw = content(repo, "HEAD")
    signed = hashlib.sha256(without(raw)).hexdigest().encode()
    assert b"gpgsig -----BEGIN SSH SIGNATURE-----\n " + signed + b"\n -----END SSH SIGNATURE-----\n\n" in raw


def test_each_commit_of_a_series_and_a_merge(tmp_path: Path, guarded: Any) -> None:
    """The second commit names the first by its signed name."""
    repo = copy_of("plain", tmp_path / "repo")
    configure(repo, "[commit]\n\tgpgSign = true\n")
    programs = signing(tmp_path)
    done(repo, TagChange(names=["base"]))
    for name in ("one", "two"):
        (repo / f"{name}.txt").write_text(name)
        done(repo, AddRequest(paths=[f"{name}.txt"]))
        done(repo, CommitRequest(message=[name], switches=["--no-gpg-sign"]))
    done(repo, TagChange(names=["top"]))
    done(repo, ResetRequest(mode="hard", commit="base"))
    (repo / "other.txt").write_text("other")
    done(repo, AddRequest(paths=["other.txt"]))
    done(repo, CommitRequest(message=["other"], switches=["--no-gpg-sign"]))
    done(repo, TagChange(names=["other"]))
    result = done(repo, CherryPickRequest(commits=["base..top"]), programs=programs)
    assert result.verified and len(guarded.started) == 2
    assert b"-bsau KEY" in content(repo, "HEAD") and b"-bsau KEY" in content(repo, "HEAD~1")
    done(repo, ResetRequest(mode="hard", commit="other"))
    done(repo, MergeRequest(commits=["top"]), programs=programs)
    raw = content(repo, "HEAD")
    assert raw.count(b"\nparent ") == 2 and b"-bsau KEY" in raw


@pytest.mark.parametrize(
    "script",
    [
        "import sys; print('-----BEGIN x'); sys.exit(2)",
        "print('-----BEGIN PGP SIGNATURE-----')",
        "import sys; sys.stderr.write('[GNUPG:] SIG_CREATED \\n')",
    ],
    ids=["fails", "no status", "no signature"],
)
def test_a_signer_that_does_not_sign(repo: Path, tmp_path: Path, script: str) -> None:
    before = state_of(repo)
    with pytest.raises(CommandFailed) as failed:
        done(repo, CommitRequest(message=["m"], switches=["-S"]), programs=signing(tmp_path, script))
    assert b"gpg failed to sign the data\nfatal: failed to write commit object\n" in failed.value.streams()[1]
    assert state_of(repo) == before and list((tmp_path / "rooms").iterdir()) == []


def test_a_signature_takes_time_in_which_others_move(repo: Path, tmp_path: Path) -> None:
    """Somebody stages another file while the signer is at work."""
    script = (
        GPG
        + f"\nimport subprocess\nsubprocess.run([{sys.executable!r}, '-c', {'''open(%r, 'w').write('x')'''!r} % {str(repo / 'README.md')!r}])"
    )
    writer = writer_of(repo, programs=signing(tmp_path, script))
    plan = writer.plan(CommitRequest(message=["m"], all=True, switches=["-S"]))
    before = state_of(repo)["head"]
    with pytest.raises(StaleApproval):
        writer.apply(plan, approve(plan, "test"))
    assert state_of(repo)["head"] == before


def test_an_approval_works_once(repo: Path, tmp_path: Path) -> None:
    writer = writer_of(repo, programs=signing(tmp_path))
    plan = writer.plan(CommitRequest(message=["m"], switches=["-S"]))
    approval = approve(plan, "test")
    result = writer.apply(plan, approval)
    assert result.digest == plan.digest and writer.operations()[-1].digest == plan.digest
    with pytest.raises(StaleApproval):
        writer.apply(plan, approval)


def test_undo(repo: Path, tmp_path: Path) -> None:
    before = state_of(repo)["head"]
    result = done(repo, CommitRequest(message=["m"], switches=["-S"]), programs=signing(tmp_path))
    writer = writer_of(repo)
    plan = writer.undo(result.operation)
    writer.apply(plan, approve(plan, "test"))
    assert state_of(repo)["head"] == before


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["-s", "t"], "a message is needed"), (["-a", "t"], "a message is needed"), (["-F", "nowhere", "t"], "could not open or read 'nowhere'"),
        (["-u", "KEY", "-m", "m", "t"], "does not take -u"), (["-e", "-m", "m", "t"], "does not take -e"),
        (["-s", "-m", "m", "t"], "no signer is granted"),
    ],
)  # fmt: skip
def test_what_a_tag_was_asked_is_not_left_out(repo: Path, words: list[str], refusal: str) -> None:
    with Context(Limits()) as ctx:
        request = parse_command(["tag", *words], gitglass.open(repo).store, ctx).request
    with pytest.raises((BadRequest, Unsupported), match=refusal):
        done(repo, request)  # type: ignore[arg-type]


def test_where_a_signature_stands() -> None:
    signature = b"-----BEGIN X\n\nabc\n-----END X\n"
    raw = with_signature(b"commit", b"tree 1\nencoding x\n\nm\n\nn\n", signature, "sha1")
    assert raw == b"tree 1\nencoding x\ngpgsig -----BEGIN X\n \n abc\n -----END X\n\nm\n\nn\n"
    assert b"\ngpgsig-sha256 -----BEGIN X\n" in with_signature(b"commit", b"tree 1\n\nm\n", signature, "sha256")
    assert with_signature(b"tag", b"object 1\n\nm\n", signature, "sha1") == b"object 1\n\nm\n" + signature


@pytest.mark.parametrize("key", ["", "-x", "a\0b"])
def test_a_key_is_no_option(key: str) -> None:
    with pytest.raises(InvalidArgs):
        Signer(Program(("/usr/bin/gpg",)), key)
