"""A series of commits that are picked or reverted, as git keeps it in `sequencer/` while it is interrupted.

`todo` lists what is left, the commit at which it stopped first; `head` is the commit to go back to; `abort-safety` the
commit that HEAD was left at: where it has moved since, nothing is taken back; `opts` are the options, as a
configuration file.
"""

from __future__ import annotations

import re

from ...config.load import load_blob
from ...errors import BadRequest, text
from ...objects.parsed import Commit
from ...paths.ignore import shown_git_path
from ...records import record
from ...repo.encoding import reencode_commit
from ...request.pick_mutations import Picking
from ...revs.abbrev import abbrev
from ...revs.resolve import named_commit
from ..view import View

_WORDS = {b"pick": "cherry-pick", b"p": "cherry-pick", b"revert": "revert"}
_STEP = re.compile(rb"(\S+)[ \t]+(\S+)")
#: git's name of an option → the field of a request
_SWITCHES = {
    "no-commit": "no_commit", "allow-empty": "allow_empty", "allow-empty-message": "allow_empty_message",
    "keep-redundant-commits": "keep_redundant", "signoff": "signoff", "record-origin": "record_origin",
    "allow-ff": "ff",
}  # fmt: skip


@record
class Series:
    """What is left of a series: `doing` is "cherry-pick" or "revert", `left` the commits with the one it stopped at,
    `head` the commit it began at (None: a branch without commits)."""

    doing: str
    left: list[bytes]
    head: bytes | None


def doing_of(view: View) -> str:
    """ "cherry-pick" or "revert" where a series is interrupted, else ""."""
    first = (view.git_file(b"sequencer/todo") or b"").split(None, 1)[:1]
    return _WORDS.get(first[0], "") if first else ""


def read_series(view: View) -> Series | None:
    """The series that is interrupted; None where there is none. Raises BadRequest for a list that is none of git's."""
    todo = view.git_file(b"sequencer/todo")
    if todo is None:
        return None
    left: list[bytes] = []
    for number, line in enumerate(todo.split(b"\n"), 1):
        if not line.strip() or line.startswith(b"#"):
            continue
        step = _STEP.match(line)
        commit = None if step is None else named_commit(view.store, text(step[2]), ctx=view.ctx)
        if step is None or commit is None or step[1] not in _WORDS:
            raise BadRequest(f"invalid line {number}: {text(line)}\nerror: unusable instruction sheet: "
                             f"'{text(view.store.git_path(b'sequencer/todo'))}'", prefix="error")  # fmt: skip
        left.append(commit)
    head = (view.git_file(b"sequencer/head") or b"").strip()
    if not re.fullmatch(rb"[0-9a-fA-F]{%d}" % view.store.hex_len, head or b"0" * view.store.hex_len):
        name = text(view.store.git_path(b"sequencer/head"))
        raise BadRequest(f"stored pre-cherry-pick HEAD file '{name}' is corrupt", prefix="error")
    return Series(doing_of(view), left, bytes.fromhex(head.decode()) if head.strip(b"0") else None)


def moved_since(view: View, head: bytes | None) -> bool:
    """Whether HEAD is not where the series left it. Raises BadRequest for a note of that which is no object's name:
    git writes an empty one where it finds a branch without commits."""
    there = view.git_file(b"sequencer/abort-safety")
    left = (there or b"").strip()
    if there is not None and not re.match(rb"[0-9a-fA-F]{%d}" % view.store.hex_len, left):
        raise BadRequest(f"could not parse {text(shown_git_path(view.store, b'sequencer/abort-safety'))}")
    return left != (b"" if head is None else head.hex().encode())


def noted(head: bytes | None) -> bytes:
    """HEAD as `abort-safety` has it."""
    return b"" if head is None else head.hex().encode() + b"\n"


def series_files(view: View, request: Picking, series: Series, head: bytes | None) -> dict[bytes, bytes | None]:
    """The files of a series that stops with HEAD at a commit."""
    verb = b"pick" if series.doing == "cherry-pick" else b"revert"
    lines = [b"%b %b %b\n" % (verb, abbrev(view.store, one), subject(view, one)) for one in series.left]
    zero = b"0" * view.store.hex_len
    return {
        b"sequencer/todo": b"".join(lines),
        b"sequencer/head": (zero if series.head is None else series.head.hex().encode()) + b"\n",
        b"sequencer/abort-safety": noted(head),
        b"sequencer/opts": _options(request, text(view.config.get("commit.cleanup") or b"")),
    }


def subject(view: View, commit: bytes) -> bytes:
    """The first line of a commit's message, empty ones in front of it left out."""
    return readable(view, commit).message.lstrip(b"\n").partition(b"\n")[0]


def readable(view: View, commit: bytes) -> Commit:
    """A commit in the encoding in which commits are written here (i18n.commitEncoding)."""
    plain = view.odb.commit(commit)
    target = view.config.get("i18n.commitencoding") or b"UTF-8"
    raw = reencode_commit(plain.raw, plain.body_at, target)
    return plain if raw is plain.raw else Commit(commit, raw, plain.parents)


def _options(request: Picking, configured: str) -> bytes | None:
    """The options as a configuration file; None where all are as they are by default. `configured`: commit.cleanup."""
    cleanup = request.cleanup
    if cleanup is None and configured in ("verbatim", "whitespace", "strip", "scissors"):
        cleanup = configured
    given = {field for field in _SWITCHES.values() if getattr(request, field, False)}
    if "keep_redundant" in given:  # it implies the other (git-cherry-pick(1))
        given.add("allow_empty")
    lines = [f"{name} = true" for name, field in _SWITCHES.items() if field in given]
    if "--no-edit" in request.switches:
        lines.insert(int(request.no_commit), "edit = false")  # where git has it: behind no-commit
    if request.mainline is not None:
        lines.append(f"mainline = {request.mainline}")
    lines += [f"strategy = {name}" for name in request.strategy[-1:]]
    lines += [f"strategy-option = {option}" for option in request.options]
    if cleanup is not None:
        lines.append(f"default-msg-cleanup = {cleanup}")
    return ("[options]\n" + "".join(f"\t{line}\n" for line in lines)).encode() if lines else None


def with_options(view: View, request: Picking) -> Picking:
    """A request to go on, with the options that the series began with."""
    raw = view.git_file(b"sequencer/opts")
    if raw is None:
        return request
    config = load_blob(raw, b"sequencer/opts")
    values = {
        name: True for option, name in _SWITCHES.items()
        if hasattr(request, name) and config.get_bool(f"options.{option}", False)
    }  # fmt: skip
    mainline, cleanup = config.get_int("options.mainline"), config.get_text("options.default-msg-cleanup")
    edits = config.get_bool("options.edit")
    return type(request)(
        **values,
        mainline=mainline,
        cleanup=cleanup,
        options=[text(option) for option in config.get_all("options.strategy-option")],
        strategy=[text(name) for name in config.get_all("options.strategy")],
        switches=[*request.switches, *(["--no-edit"] if edits is False else [])],
    )
