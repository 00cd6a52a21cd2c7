"""Commands that programs keep open: what is answered to each line before the next one is written, beside the installed
git."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from select import select
from typing import Any

import pytest

import gitglass

pytestmark = [
    pytest.mark.live,
    pytest.mark.runs,
    pytest.mark.skipif(shutil.which("git") is None, reason="no git here"),
]

OURS = [sys.executable, "-m", "gitglass"]
WAIT = 20.0  # seconds for an answer that git gave


def environment() -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(Path(gitglass.__file__).parents[1]), "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
    }  # fmt: skip


class Conversation:
    """A command that is asked line by line."""

    def __init__(self, place: Path, program: list[str], words: list[str]) -> None:
        self._process: Any = subprocess.Popen(
            [*program, *words], cwd=place, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def ask(self, line: bytes, size: int | None = None) -> bytes:
        """The answer to a line: what comes within a moment, or so many bytes."""
        self._process.stdin.write(line)
        answer = b""
        while (size is None or len(answer) < size) and select([self._process.stdout], [], [], WAIT if size else 0.5)[0]:
            data = self._process.stdout.read(1 << 16)
            if not data:
                break
            answer += data
        return answer

    def end(self) -> tuple[bytes, int]:
        """What comes behind the end of the input, and the exit status."""
        self._process.stdin.close()
        rest = self._process.stdout.read()
        self._process.stdout.close()
        return rest, self._process.wait()


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("cat-file --batch", [b"HEAD\n", b"HEAD:README.md\n", b"nosuch\n"]),
        ("cat-file --batch-check -z", [b"HEAD\0", b"HEAD^{tree}\0"]),
        ("cat-file --batch-command", [b"info HEAD\n", b"contents HEAD:README.md\n"]),
        ("diff-tree --stdin -r -p", [b"{head}\n", b"{parent}\n", b"words\n"]),
        ("check-attr --stdin -a", [b"README.md\n"]),
        ("check-attr --stdin text", [b"README.md\n", b"a.c\n"]),
        ("check-ignore --stdin -v -n", [b"README.md\n", b"a.o\n"]),
        ("check-mailmap --stdin", [b"A <a@b>\n", b"<c@d>\n"]),
        ("hash-object --stdin-paths", [b"README.md\n", b"README.md\n"]),
    ],
)
def test_each_answer_comes_when_gits_comes(unpack: Any, words: str, lines: list[bytes]) -> None:
    place = Path(unpack("plain"))
    names = {
        word: subprocess.run(
            ["git", "rev-parse", name], cwd=place, env=environment(), capture_output=True, check=True
        ).stdout.strip()
        for word, name in ((b"{head}", "HEAD"), (b"{parent}", "HEAD^"))
    }
    git, own = (Conversation(place, program, words.split()) for program in (["git"], OURS))
    for line in lines:
        for word, name in names.items():
            line = line.replace(word, name)
        answer = git.ask(line)
        assert own.ask(line, len(answer) or None) == answer
    assert own.end() == git.end()
