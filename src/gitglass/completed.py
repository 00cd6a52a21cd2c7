"""What a command line gave, and the keywords of `subprocess.run` that say how it is asked and given back.

`gitglass.git` stands where `subprocess.run(["git", ...])` stood, so that these keywords mean here what they mean there
(Python's documentation of `subprocess`): `input`, `text`, `encoding`, `errors`, `check`, `timeout`, `capture_output`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from .annotations import Any, Generic, TypeVar
from .errors import CommandFailed, InvalidArgs, Timeout
from .limits import Limits
from .records import typed_row

Out = TypeVar("Out", str, bytes)
Argument = str | bytes | os.PathLike[str]


@typed_row(frozen=True)
class Completed(Generic[Out]):
    """The answer to a command line; the fields are those of `subprocess.CompletedProcess`.

    `stdout` and `stderr` are bytes, or str where text was asked for; `returncode` is git's exit status.
    """

    args: list[str]
    returncode: int
    stdout: Out
    stderr: Out

    def check_returncode(self) -> None:
        """Raise CommandFailed, with the text of stderr and the whole answer, where the status is not 0."""
        if self.returncode:
            raise _failure(CommandFailed, self, f"exit status {self.returncode}")


def argument_words(argv: Sequence[Argument]) -> list[str]:
    """The words of a command line as str; bytes and paths are decoded as the operating system's names are.

    Raises InvalidArgs for a single string (there is no shell to split it) and for what is no word.
    """
    if type(argv) is not list and isinstance(argv, (str, bytes, os.PathLike)):
        first = os.fsdecode(argv)
        raise InvalidArgs(
            "the arguments have to be a list of words, and are one string",
            hint=f"Write git({first.split()!r}), without the name of the program.",
            argument="argv",
        )
    words = list(argv)
    for at, word in enumerate(words):
        if type(word) is not str:
            words[at] = _word(word)
    try:
        "".join(words).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise no_text(error.object) from None
    return words


def no_text(value: str) -> InvalidArgs:
    """The error for a value that no bytes stand behind: half of a surrogate pair, from JSON say."""
    return InvalidArgs(
        f"not Unicode text (half of a surrogate pair): {value!r}",
        hint="Decode bytes with os.fsdecode, or with errors='surrogateescape'.",
    )


def _word(word: object) -> str:
    if isinstance(word, (str, bytes, os.PathLike)):
        return os.fsdecode(word)
    raise InvalidArgs(
        f"an argument has to be text, not {type(word).__name__}: {word!r}",
        hint="Give numbers and other values as str(value).",
        argument="argv",
    )


class Streams:
    """How one command line is talked to: what it reads, whether its answer is text, and what is raised.

    Raises InvalidArgs for `stdin` and `input` together, for input of the wrong type, and for `capture_output=False`.
    """

    __slots__ = ("_check", "_encoding", "_errors", "_timeout", "piped", "stdin")

    def __init__(
        self,
        stdin: bytes | None,
        input: str | bytes | None,
        text: bool,
        encoding: str | None,
        errors: str | None,
        check: bool,
        timeout: float | None,
        capture_output: bool,
    ) -> None:
        is_text = text or encoding is not None or errors is not None
        self._encoding = (encoding or "utf-8") if is_text else None
        self._errors = errors or "surrogateescape"
        self._check, self._timeout = check, timeout
        if not capture_output:
            raise InvalidArgs("capture_output=False is not available: the output is always captured and returned")
        if input is not None:
            if stdin:
                raise InvalidArgs("stdin and input may not both be used")
            stdin = self._encoded(input)
        if not isinstance(stdin, (bytes, bytearray, memoryview, type(None))):
            raise InvalidArgs("stdin takes bytes", hint="Give what the command reads as input=…", argument="stdin")
        self.piped = input is not None or bool(stdin)  # an empty input is one too: git reads nothing from it
        self.stdin = bytes(stdin or b"")

    def _encoded(self, value: str | bytes) -> bytes:
        if isinstance(value, str):
            if self._encoding is None:
                raise InvalidArgs("input has to be bytes, or text=True be given", argument="input")
            return value.encode(self._encoding, self._errors)
        return value

    def limits(self, limits: Limits) -> Limits:
        """The limits of the call; a `timeout` may only shorten them."""
        timeout = self._timeout
        if timeout is None or (limits.timeout is not None and limits.timeout <= timeout):
            return limits
        return limits.replace(timeout=timeout)

    def finish(self, done: Completed[bytes]) -> Completed[Any]:
        """The answer in the form asked for.

        Raises Timeout where a `timeout` was given and has passed, CommandFailed where `check` was given and the status
        is not 0; both carry the answer as far as there is one.
        """
        answer: Completed[Any] = done
        if self._encoding is not None:
            answer = Completed(done.args, done.returncode, self._text(done.stdout), self._text(done.stderr))
        if self._timeout is not None and done.returncode == Timeout.status:
            raise _failure(Timeout, answer, "the time limit of this call has passed")
        if self._check:
            answer.check_returncode()
        return answer

    def _text(self, raw: bytes) -> str:
        """Decoded, with the line endings of text files read as Python reads them."""
        assert self._encoding is not None
        value = raw.decode(self._encoding, self._errors)
        return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value


def _failure(kind: Callable[..., Exception], done: Completed[Any], otherwise: str) -> Exception:
    message = done.stderr if isinstance(done.stderr, str) else done.stderr.decode("utf-8", "surrogateescape")
    error = kind(
        message.strip() or otherwise, status=done.returncode, prefix="",
        args=done.args, returncode=done.returncode, stdout=done.stdout, stderr=done.stderr,
    )  # fmt: skip
    return error
