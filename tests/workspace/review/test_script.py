"""`gitglass-review` on a pipe and on a pty: what a person answers is what is pushed."""

import io
import sys
from pathlib import Path

import pytest
from dulwich.repo import Repo

import gitglass
from gitglass.workspace.review.script import main
from gitglass.workspace.targets.kept import KeptFile
from gitglass.workspace.workspace import Workspace

from ...support.terminal import session
from ...support.workspaces import TEXT, add_commit, bare_repository
from ..conftest import PEOPLE
from ..targets.test_local import PLAIN

pytestmark = pytest.mark.writes


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A workspace over a bare repository, with two hunks staged."""
    bare_repository(tmp_path / "bare.git", PLAIN)
    workspace = Workspace.over(gitglass.open(tmp_path / "bare.git"), "main", target="project", identity=PEOPLE)
    workspace.write("src/a.py", TEXT.replace(b"line 2\n", b"two\n").replace(b"line 30\n", b"thirty\n"))
    workspace.stage(["src/a.py"], "Numbers")
    KeptFile(tmp_path / "agent.bundle").save(workspace)
    return tmp_path


def answered(place: Path, *lines: str, **options: str) -> tuple[int, str]:
    out = io.StringIO()
    argv = [
        "-C",
        str(place / "bare.git"),
        "--by",
        "ann",
        *(word for pair in options.items() for word in (f"--{pair[0]}", pair[1])),
    ]
    status = main([*argv, str(place / "agent.bundle")], io.StringIO("".join(line + "\n" for line in lines)), out)
    return status, out.getvalue()


def pushed(place: Path, rev: str = "main") -> bytes:
    return gitglass.open(place / "bare.git").git(["show", f"{rev}:src/a.py"]).stdout


def test_one_hunk_of_two(kept: Path) -> None:
    status, out = answered(kept, "d", "h", "y", "c", "keep it", "n", "a")
    assert status == 0 and "pushed" in out and "a part was rejected" in out
    assert pushed(kept) == TEXT.replace(b"line 2\n", b"two\n")
    again = KeptFile(kept / "agent.bundle").load(gitglass.open(kept / "bare.git"))
    assert again.staged == () and [row.path for row in again.files(changed_only=True)] == ["src/a.py"]
    assert again.reviews[-1]["by"] == "ann" and again.reviews[-1]["rejected"][0]["comment"] == "keep it"  # type: ignore[index]
    assert answered(kept, "a")[0] == 1  # nothing is staged any more


def test_a_no_and_the_end_of_a_pipe(kept: Path) -> None:
    for lines in (("r", "not now"), (), ("d",)):
        status, _ = answered(kept, *lines)
        assert status == 1 and pushed(kept) == TEXT
    again = KeptFile(kept / "agent.bundle").load(gitglass.open(kept / "bare.git"))
    assert len(again.staged) == 1 and again.reviews[0]["comment"] == "not now"


def test_what_a_person_is_told(kept: Path) -> None:
    """Their words, not the agent's: nobody is told to use tools that they do not have."""
    _, out = answered(kept, "h", "y", "n", "a")
    assert (
        "1 accepted, 1 rejected\n" in out and "it goes back to the agent, with your words" in out and "ws_" not in out
    )
    workspace = Workspace.over(gitglass.open(kept / "bare.git"), "main", target="project", identity=PEOPLE)
    workspace.write("src/a.py", TEXT)
    workspace.stage(["src/a.py"], "Back")
    KeptFile(kept / "agent.bundle").save(workspace)
    head = gitglass.open(kept / "bare.git").git(["rev-parse", "main"]).stdout
    add_commit(Repo(str(kept / "bare.git")), PLAIN, message=b"Moved\n", when=9)
    status, out = answered(kept, "a")
    assert status == 1 and "not pushed: Target has new commits since your base\n" in out and "ws_" not in out
    assert (
        "you are asked again then" in out
        and gitglass.open(kept / "bare.git").git(["rev-parse", "main~1"]).stdout == head
    )


def test_another_branch(kept: Path) -> None:
    status, out = answered(kept, "a", branch="topic")
    assert status == 0 and "new branch" in out and pushed(kept) == TEXT and b"thirty" in pushed(kept, "topic")


def test_the_page(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    assert main(["-C", str(kept / "bare.git"), "--page", str(kept / "agent.bundle")], io.StringIO(), out) == 0
    assert out.getvalue().startswith("<!doctype html>") and pushed(kept) == TEXT
    assert main(["-C", str(kept / "bare.git"), str(kept / "nowhere")], io.StringIO(), out) == 1
    assert "there is no 'nowhere'" in capsys.readouterr().err


def test_an_argument_is_shown_without_what_a_terminal_obeys(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(kept / "bare.git"), str(kept / "a\x1b[8m\u202e")], io.StringIO(), io.StringIO()) == 1
    assert "there is no 'a\\x1b[8m\\u202e'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["x", "--y\x1b[8m"], io.StringIO(), io.StringIO())
    assert "--y\\x1b[8m" in capsys.readouterr().err


def test_on_a_pty(kept: Path) -> None:
    """As a person has it: a terminal on both ends, with colours."""
    argv = [sys.executable, "-m", "gitglass.workspace.review", "-C", str(kept / "bare.git"), str(kept / "agent.bundle")]
    status, text = session(argv, ["d", "a"], prompts=["> "])
    assert status == 0 and "\x1b[32m+two" in text and "┌" in text and "pushed " in text
