"""process/tokens.py: a token of a granted program, read anew each time; whatever else it prints is no token."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.support.programs import program

from gitglass.agent.audit import AuditRecord, noted
from gitglass.errors import GitError, NotGranted
from gitglass.limits import Context, Limits
from gitglass.mutate.process.granted import Programs
from gitglass.mutate.process.tokens import token_of
from gitglass.mutate.remote.credentials import first_of, program_tokens

pytestmark = [pytest.mark.writes, pytest.mark.runs]


def asked(place: Path, script: str, *words: str, folders: tuple[bytes, ...] = ()) -> str | None:
    granted = program(place / "bin", "gh", script, *words)
    with Context(Limits(timeout=20)) as ctx:
        return token_of(granted, Programs(token=granted, rooms=str(place)), folders, ctx)


@pytest.mark.parametrize(
    ("script", "token"),
    [
        ("print('gho_x')", "gho_x"), ("print()", None), ("print('two words')", None), ("import sys; print('t'); sys.exit(1)", None),
        ("print('a\\nb')", None), ("print('x' * 9000)", None), ("print('caf\\xe9')", None),
        ("import sys; print(sys.argv[1])", "auth"), ("import os; print(len(os.environ.get('GITHUB_TOKEN', '')))", "0"),
    ],
)  # fmt: skip
def test_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, token: str | None) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "of the host")
    assert asked(tmp_path, script, "auth", "token") == token
    assert [path.name for path in tmp_path.iterdir()] == ["bin"], "the room is gone"


def test_where_it_lies_counts(tmp_path: Path) -> None:
    with pytest.raises(NotGranted):
        asked(tmp_path, "print('t')", folders=(str(tmp_path).encode(),))


def test_it_has_its_time(tmp_path: Path) -> None:
    granted = program(tmp_path, "gh", "import time; time.sleep(60)")
    provider = program_tokens(Programs(token=granted, rooms=str(tmp_path), seconds=0.3), ())
    with pytest.raises(GitError) as error:
        provider("https://github.com/a/b")
    assert error.value.code == "timeout"


def test_the_chain(tmp_path: Path) -> None:
    """A token of the environment first, else the program's, and only for GitHub itself."""
    counter = tmp_path / "runs"
    granted = program(tmp_path / "bin", "gh", f"open({str(counter)!r}, 'a').write('x'); print('from-gh')")
    run = program_tokens(Programs(token=granted, rooms=str(tmp_path)), ())
    chain = first_of(None, run)
    for url in ("https://github.com.example.org/a", "http://github.com/a", "https://example.org/"):
        assert chain(url) is None
    assert not counter.exists()
    for _ in range(2):
        answer = chain("https://github.com/a/b")
        assert answer is not None and (answer.user, answer.password) == ("x-access-token", "from-gh")
        assert "from-gh" not in repr(answer)
    assert counter.read_text() == "xx", "run each time, kept nowhere"
    assert program_tokens(Programs(), ())("https://github.com/a") is None


def test_what_ran_is_on_record(tmp_path: Path) -> None:
    """By the name of the file and the hash of its bytes, with its status; never what it printed."""
    with noted() as gathered:
        asked(tmp_path, "import sys; print('gho_x'); sys.exit(3)", "auth")
    file = tmp_path / "bin/gh"
    assert [(one.argv0, one.sha256, one.exit) for one in gathered.runs] == [
        (str(file), hashlib.sha256(file.read_bytes()).hexdigest(), 3)
    ]
    record = AuditRecord("me", "git_sync", "d", 1, 1.0, "ok", tuple(gathered.runs))
    assert "gho_x" not in json.dumps(record.as_dict()) and record.as_dict()["processes"][0]["exit"] == 3
    with noted() as none:
        pass
    assert none.runs == [] and none.changes == []
