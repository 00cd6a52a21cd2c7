"""completed.py: the keywords of `subprocess.run`, and what stands in `argv`."""

from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.errors import CommandFailed, InvalidArgs, Timeout


@pytest.mark.parametrize("argv", ["status", b"status", Path("status")])
def test_one_string_is_refused_with_the_words_to_write(argv: Any, unpack: Any) -> None:
    with pytest.raises(InvalidArgs) as caught:
        gitglass.git(argv, cwd=unpack("plain"))
    assert caught.value.hint == "Write git(['status']), without the name of the program."
    with pytest.raises(InvalidArgs):
        gitglass.open(unpack("plain")).git(argv)


def test_words_may_be_bytes_and_paths_but_not_numbers(unpack: Any) -> None:
    repo = unpack("plain")
    done = gitglass.git([b"rev-parse", Path("HEAD")], cwd=repo)
    assert done.args == ["rev-parse", "HEAD"]
    assert done.stdout == gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout
    with pytest.raises(InvalidArgs, match="not int: 5"):
        gitglass.git(["log", "-n", 5], cwd=repo)  # type: ignore[list-item]


def test_text_decodes_what_bytes_hold(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    raw = repo.git(["log", "--oneline"])
    assert isinstance(raw.stdout, bytes) and raw.stdout
    for keywords in ({"text": True}, {"encoding": "utf-8"}, {"errors": "strict"}):
        done = repo.git(["log", "--oneline"], **keywords)
        assert (done.stdout, done.stderr) == (raw.stdout.decode(), "")
    failed = repo.git(["log", "nonesuch"], text=True)
    assert failed.stderr.startswith("fatal: ambiguous argument 'nonesuch'")


def test_text_reads_line_endings_as_python_does_and_keeps_odd_bytes() -> None:
    done = gitglass.git(["stripspace"], input=b"a\xff\r\nb\n", text=True)
    assert done.stdout.encode("utf-8", "surrogateescape") == b"a\xff\nb\n"


def test_input_is_stdin(unpack: Any) -> None:
    repo = unpack("plain")
    head = gitglass.git(["rev-parse", "HEAD"], cwd=repo).stdout
    by_stdin = gitglass.git(["cat-file", "--batch-check"], cwd=repo, stdin=b"HEAD\n")
    assert by_stdin.stdout.startswith(head.strip() + b" commit ")
    assert gitglass.git(["cat-file", "--batch-check"], cwd=repo, input=b"HEAD\n").stdout == by_stdin.stdout
    text = gitglass.git(["cat-file", "--batch-check"], cwd=repo, input="HEAD\n", text=True).stdout
    assert text == by_stdin.stdout.decode()
    with pytest.raises(InvalidArgs, match="may not both"):
        gitglass.git(["cat-file", "--batch-check"], cwd=repo, stdin=b"a", input=b"b")
    with pytest.raises(InvalidArgs, match="input has to be bytes"):
        gitglass.git(["cat-file", "--batch-check"], cwd=repo, input="HEAD\n")
    with pytest.raises(InvalidArgs, match="stdin takes bytes"):
        gitglass.git(["cat-file", "--batch-check"], cwd=repo, stdin=-3)  # type: ignore[call-overload]


def test_check_raises_with_the_answer(unpack: Any) -> None:
    repo = unpack("plain")
    assert gitglass.git(["status"], cwd=repo, check=True).returncode == 0
    with pytest.raises(CommandFailed) as caught:
        gitglass.git(["rev-parse", "HEAD", "nonesuch"], cwd=repo, check=True)
    error, plain = caught.value, gitglass.git(["rev-parse", "HEAD", "nonesuch"], cwd=repo)
    assert (error.status, error.message) == (128, plain.stderr.decode().strip())
    assert error.data == {
        "args": ["rev-parse", "HEAD", "nonesuch"], "returncode": 128, "stdout": plain.stdout, "stderr": plain.stderr,
    }  # fmt: skip


def test_a_timeout_that_passes_is_raised(unpack: Any) -> None:
    repo = unpack("plain")
    with pytest.raises(Timeout) as caught:
        gitglass.git(["log", "-p"], cwd=repo, timeout=0.0)
    assert caught.value.data["returncode"] == 124
    assert gitglass.git(["log", "-p"], cwd=repo, timeout=600.0).returncode == 0


def test_a_timeout_only_shortens_the_limits(unpack: Any) -> None:
    limits = gitglass.Limits(timeout=0.0)
    with pytest.raises(Timeout):
        gitglass.git(["log", "-p"], cwd=unpack("plain"), timeout=600.0, limits=limits)
    with pytest.raises(Timeout):
        gitglass.open(unpack("plain")).git(["log", "-p"], timeout=0.0)
    assert gitglass.git(["log", "-p"], cwd=unpack("plain"), limits=limits).returncode == 124


def test_output_is_always_captured(unpack: Any) -> None:
    assert gitglass.git(["status"], cwd=unpack("plain"), capture_output=True).returncode == 0
    with pytest.raises(InvalidArgs, match="always captured"):
        gitglass.git(["status"], cwd=unpack("plain"), capture_output=False)


def test_a_failure_has_the_fields_of_the_answer(unpack: Any) -> None:
    with pytest.raises(CommandFailed) as caught:
        gitglass.git(["rev-parse", "--verify", "nonesuch"], cwd=unpack("plain"), check=True, text=True)
    error = caught.value
    assert (error.returncode, error.stdout, error.stderr) == (128, "", "fatal: Needed a single revision\n")


def test_half_of_a_surrogate_pair_is_no_argument(unpack: Any) -> None:
    for argv in (["log", "caf\ud800"], ["grep", "\udfff\ud800"]):
        with pytest.raises(InvalidArgs, match="half of a surrogate pair"):
            gitglass.git(argv, cwd=unpack("plain"))


def test_no_directory_is_the_current_one(unpack: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(unpack("plain"))
    assert gitglass.git(["branch", "--show-current"], cwd=None).stdout == b"main\n"


def test_a_file_is_no_directory_to_work_in(unpack: Any) -> None:
    file = unpack("plain") / "README.md"
    done = gitglass.git(["status"], cwd=file)
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr == b"fatal: cannot change to '%b': Not a directory\n" % bytes(file)
    with pytest.raises(gitglass.GitError, match="Not a directory"):
        gitglass.open(file)
