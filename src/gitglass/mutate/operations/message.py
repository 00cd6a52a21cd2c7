"""Messages: where they come from (`-m`, `-F`, `-C`, `--fixup`), and how git cleans them up. Mirrors git-commit(1)."""

from __future__ import annotations

import re

from ...errors import BadConfig, BadRequest, TooLarge, Unsupported
from ...objects.parsed import Commit
from ...paths.lexical import normal_path
from ...render.width import SPACE
from ...revs.resolve import named_commit
from ..merging.laid import SCISSORS
from ..merging.series import readable
from ..view import View
from .common import ask

#: the key of a view's exchange under which a host puts what standard input says
STANDARD_INPUT = "standard input"
_MANY = re.compile(rb"\n{3,}")
#: the signs of comments that `core.commentChar=auto` tries, in this order
_MARKS = [b"#", b";", b"@", b"!", b"$", b"%", b"^", b"&", b"|", b":"]


_TEMPLATE = b"""
%b Please enter the commit message for your changes. Lines starting
%b with '%b' will be ignored, and an empty message aborts the commit.
%b
"""
_MERGING = b"""\
%b
%b It looks like you may be committing a merge.
%b If this is not correct, please run
%b	git update-ref -d MERGE_HEAD
%b and try again.

"""


def comment_char(view: View) -> bytes:
    """core.commentChar; `auto` is `#` as long as no message was written."""
    mark = view.config.get("core.commentchar") or b"#"
    return b"#" if mark == b"auto" else mark


def below_message(view: View, mark: bytes, author: bytes, *, merging: bool = False) -> bytes:
    """What git puts below a message that a person could edit: how it stands, as comments."""
    words = _MERGING.replace(b"%b", mark) if merging else b""
    words += _TEMPLATE.replace(b"%b", mark)
    person = author.rpartition(b"> ")[0] + b">"
    if person != b"%b <%b>" % view.person("committer"):
        words += b"%b Author:    %b\n%b\n" % (mark, person, mark)
    plain = ["-c", "status.displayCommentPrefix=false"]
    lines = ask(view, [*plain, "-c", "advice.statusHints=false", "status", "--long"]).split(b"\n")[:-1]
    if lines[1:] and lines[1].startswith(b"Your branch"):  # of hints it has that on the upstream, and no other
        hinted = ask(view, [*plain, "status", "--long"]).split(b"\n")
        lines[: lines.index(b"")] = hinted[: hinted.index(b"")]
    return words + b"".join(
        mark + (b"" if not line or line.startswith(b"\t") else b" ") + line + b"\n" for line in lines
    )


def mark_for(mark: bytes, message: bytes) -> bytes:
    """core.commentChar beside a message: `auto` is the first sign that no line of it begins with. Raises BadRequest."""
    if mark != b"auto":
        return mark
    firsts = {line[:1] for line in re.split(rb"[\r\n]", message)}
    free = [sign for sign in _MARKS if sign not in firsts]
    if not free:
        raise BadRequest("unable to select a comment character that is not used\nin the current commit message")
    return free[0]


def stripped(message: bytes, comment: bytes | None = None) -> bytes:
    """Without white space (`SPACE`, which is git's) at ends of lines, empty lines at both ends, and more than one empty
    line in a row; ends in a newline.

    Lines that begin with `comment` are left out, where it is given.
    """
    lines = message.split(b"\n")
    if comment is not None:
        lines = [line for line in lines if not line.startswith(comment)]
    body = b"\n".join(line.rstrip(SPACE) for line in lines)
    body = _MANY.sub(b"\n\n", body).strip(b"\n")
    return body + b"\n" if body else b""


def cleaned(message: bytes, mode: str, comment: bytes) -> bytes:
    """The message as it is recorded. `mode` is "verbatim", "whitespace", "strip" or "scissors"."""
    if mode == "verbatim":
        return message
    if mode == "scissors":
        at = message.find(comment + b" " + SCISSORS)
        return stripped(message if at < 0 else message[:at])
    return stripped(message, comment if mode == "strip" else None)


def is_empty(message: bytes, mode: str) -> bool:
    """Whether a message says nothing: it has white space and signatures alone, or, kept word for word, no byte."""
    if mode == "verbatim":
        return not message
    return not any(line.strip(SPACE) and not line.startswith(b"Signed-off-by: ") for line in message.split(b"\n"))


def cleanup_mode(word: bytes | None, edited: bool = False) -> str:
    """What `commit.cleanup` (or `--cleanup`) means where no editor is opened. Raises BadConfig."""
    if word is None or word == b"default":
        return "strip" if edited else "whitespace"
    if word in (b"verbatim", b"whitespace", b"strip"):
        return word.decode()
    if word == b"scissors":
        return "scissors" if edited else "whitespace"
    raise BadConfig(f"Invalid cleanup mode {word.decode('utf-8', 'replace')}")


def paragraphs(parts: list[str], limit: int, *, are_lines: bool = True) -> bytes:
    """Several `-m` as one message, their own empty lines with them. Each is a line, as of `git commit`; where not
    `are_lines`, as of `git merge`, an empty line is between them and nothing behind the last. Raises TooLarge."""
    whole = b""
    for part in parts:
        gap = b"\n" if are_lines else b"\n\n"
        whole += (gap if whole else b"") + part.encode("utf-8", "surrogateescape")
        if are_lines and whole and not whole.endswith(b"\n"):
            whole += b"\n"
    if len(whole) > limit:
        raise TooLarge("the message is too long", limit=limit, size=len(whole))
    return whole


def message_in(view: View, word: str, command: str = "commit") -> bytes:
    """The content of the file of `-F`, which is in the jail like all others; `-` is what the host has read for the
    plan. Raises BadRequest, TooLarge."""
    if word == "-":
        return _given(view, command)
    path = normal_path(view.store.cwd, word.encode("utf-8", "surrogateescape"))
    status, limit = view.store.named.stat(path), view.grant.limits.message_bytes
    if status is None or status.st_mode & 0o170000 != 0o100000:
        why = "No such file or directory" if status is None else "Is a directory"
        what = f"read log file '{word}'" if command == "commit" else f"open or read '{word}'"
        raise BadRequest(f"could not {what}: {why}")
    if status.st_size > limit:
        raise TooLarge("the message is too long", limit=limit, size=status.st_size)
    return bytes(view.store.named.read(path, limit))


def _given(view: View, command: str) -> bytes:
    given: bytes | None = view.exchange.get(STANDARD_INPUT)
    if given is None:
        raise Unsupported(f"git {command}: gitglass does not read a message from standard input: give it", option="-F")
    limit = view.grant.limits.message_bytes
    if len(given) > limit:
        raise TooLarge("the message is too long", limit=limit, size=len(given))
    return given


def commit_named(view: View, word: str) -> Commit:
    """The commit of `-C` or `--fixup`, in the encoding in which commits are written here. Raises BadRequest."""
    oid = named_commit(view.store, word, ctx=view.ctx)
    if oid is None:
        raise BadRequest(f"could not lookup commit {word}")
    return readable(view, oid)


def subject_of(message: bytes) -> bytes:
    """The first paragraph as one line."""
    lines: list[bytes] = []
    for line in message.split(b"\n"):
        if not line.strip(SPACE):
            if lines:
                break
            continue
        lines.append(line.strip(SPACE))
    return b" ".join(lines)


def conventional(kind: str | None, scope: str | None, message: str) -> str:
    """`type(scope): message`, as document 3 of the write tools has it."""
    if kind is None:
        return message
    return f"{kind}({scope}): {message}" if scope else f"{kind}: {message}"
