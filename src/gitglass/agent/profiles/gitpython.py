"""What `mcp-server-git` uses of its library, GitPython: looking up revisions, with that library's error messages; a
commit's author, date and message; git's failures in that library's words. Observed from the released server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from ...errors import GitError, InvalidArgs, NotFound, Timeout
from ...limits import Context
from ...objects.parsed import Commit, is_gitlink, is_tree
from ...repo.store import Store
from ...request.mutations import Mutation
from ...revs.calendar import zone_minutes
from ...revs.names import HEADS, current_branch, dwim_ref
from ...revs.resolve import try_resolve
from ..tool import ToolContext
from .base import Outcome, run_argv, run_change, stop_if_cancelled

__all__ = [
    "Crash", "Object", "Refused", "Written", "as_text", "command_failed", "find_object", "is_range", "no_option",
    "run_git", "unnamed",
]  # fmt: skip

_STEP = re.compile(r"([~^])(\{.*?\}|\d*)")
_IDENT = re.compile(r"(?P<who>.*) (?P<seconds>\d+) (?P<zone>[+-]\d+)", re.DOTALL)


class Refused(InvalidArgs):
    """A failure that the server reports in its message."""


class Crash(GitError):
    """A failure that the server does not expect, and reports without a message."""


def unnamed(what: str) -> Refused:
    """The error for a name that names nothing."""
    return Refused(f"Ref '{what}' did not resolve to an object")


@dataclass(frozen=True, slots=True)
class Object:
    """The object of a revision: `kind` is git's, or b"submodule"."""

    oid: bytes
    kind: bytes


# ----------------------------------------------------------------------------------------------------------- revisions
def find_object(store: Store, rev: str, ctx: Context) -> Object:
    """The object of a revision. Raises Refused."""
    if "\0" in rev:
        raise Refused("embedded null byte")
    if rev.startswith(":"):
        return _object(store, _special(store, rev, ctx))
    colon = _colon(rev)
    oid = _plain(store, rev if colon is None else rev[:colon], rev, ctx)
    if colon is None:
        return _object(store, oid)
    return _below(store, _object(store, oid).oid, rev[colon + 1 :])


def is_range(store: Store, rev: str, ctx: Context) -> bool:
    """Whether `rev` is `A..B` or `A...B` and both ends exist."""
    left, dots, right = rev.partition("...") if "..." in rev else rev.partition("..")
    return bool(dots) and all(not end or _try(store, end, ctx) is not None for end in (left, right))


def _object(store: Store, oid: bytes) -> Object:
    try:
        return Object(oid, store.odb.kind(oid))
    except GitError:
        name = oid.hex()
        raise Refused(f"SHA b'{name}' could not be resolved, git returned: b'{name} missing'") from None


def _try(store: Store, rev: str, ctx: Context) -> bytes | None:
    try:
        return try_resolve(store, rev, ctx=ctx)
    except (NotFound, InvalidArgs):
        return None
    except GitError as error:
        if error.code in ("timeout", "cancelled", "corrupt"):
            raise
        return None


def _colon(rev: str) -> int | None:
    """The position of the path: the first colon that is not in braces."""
    depth = 0
    for at, char in enumerate(rev):
        depth += (char == "{") - (char == "}")
        if char == ":" and depth <= 0:
            return at
    return None


def _special(store: Store, rev: str, ctx: Context) -> bytes:
    """`:/text`, `:path` and `:2:path`."""
    oid = _try(store, rev, ctx)
    if rev.startswith(":/"):
        if rev == ":/":
            raise Refused("Revision search requires a pattern")
        if oid is None:
            raise unnamed(f"No commit found matching message pattern {rev[2:]!r}")
        return oid
    if rev == ":":
        raise Refused("':' must be followed by a path")
    if oid is None:
        stage, path = (rev[1], rev[3:]) if re.match(r":[0-3]:", rev) else ("0", rev[1:])
        raise unnamed(f"Path {path!r} did not exist in the index at stage {stage}")
    return oid


def _plain(store: Store, part: str, rev: str, ctx: Context) -> bytes:
    oid = _try(store, part, ctx)
    if oid is not None:
        return oid
    cut = _first_step(part)
    if not cut and part[:2] in ("@", "@^", "@~"):
        cut = 1  # the name is @, which means HEAD
    base, steps = part[:cut], part[cut:]
    selector = re.match(r"@\{([^}]*)(\}?)", steps)
    if selector is not None:
        selected = _selected(store, base, selector, rev, ctx)
        if selected:  # go on after it
            cut += selector.end()
            return _stepped(store, part, cut, rev, ctx)
    if not base:
        if steps and not part.startswith("@"):
            raise Refused(f"Revision specifier must start with an object name: {rev}")
        raise unnamed(rev)
    anchor = _try(store, base, ctx)
    if anchor is None and base == "@":
        raise Refused(f"Reference at '{(store.refs.head()[0] or b'HEAD').decode('utf-8', 'replace')}' does not exist")
    if anchor is None:
        raise unnamed(base)
    entry = re.match(r"@\{(\d+)\}", steps)
    if entry is not None and int(entry[1]):
        raise Refused(f"Invalid revlog index: {int(entry[1])}")
    if entry is not None:  # the newest entry is the ref's value, even without a reflog
        return _plain(store, base + steps[entry.end() :], rev, ctx)
    _check_commitish(store, anchor)
    return _stepped(store, part, cut, rev, ctx)


def _stepped(store: Store, part: str, at: int, rev: str, ctx: Context) -> bytes:
    """The error for the first step, from `at` on, that is not possible."""
    while step := _STEP.match(part, at):
        if step.end() < len(part) and part[step.end()] == "{" and not step.group(2):
            raise _unclosed(rev)
        if _try(store, part[: step.end()], ctx) is None:
            raise _no_step(rev, step.group(1), step.group(2))
        at = step.end()
    if at < len(part):
        raise Refused(f"Invalid token: {part[at]!r}")
    raise unnamed(rev)


def _selected(store: Store, base: str, selector: re.Match[str], rev: str, ctx: Context) -> bool:
    """Whether `base@{…}` names an existing upstream of a branch. Raises Refused for a missing one."""
    inner, closed = selector[1], selector[2]
    if base and _try(store, base, ctx) is None:
        return False
    if not closed:
        raise _unclosed(rev)
    if inner.startswith("-"):
        if base:
            raise Refused("Previous checkout selectors do not take an explicit ref")
        if inner.strip("-0") == "" and inner != "-":
            raise Refused("Negative zero is invalid in reflog selector")
        if _try(store, selector[0], ctx) is None:
            raise Refused(f"Invalid previous checkout selector: {inner}")
        return True
    if inner.lower() not in ("u", "upstream", "push"):
        return False
    if _try(store, base + selector[0], ctx) is None:
        raise _no_upstream(store, base, ctx)
    return True


def _unclosed(rev: str) -> Refused:
    return Refused(f"Missing closing brace to define type in {rev}")


def _no_upstream(store: Store, base: str, ctx: Context) -> Refused:
    """The error for `base@{upstream}`: none is configured, or the configured one does not exist."""
    name = base.encode("utf-8", "surrogateescape")
    if not base or base == "@":
        short = current_branch(store)
        name, full = (b"", b"") if short is None else (short, HEADS + short)
    else:
        match = None if base == "HEAD" else dwim_ref(store, name, ctx=ctx, quiet=True)
        full = b"" if match is None else match[0]
        name = full.removeprefix(HEADS) or name
    settings = b"branch." + name
    remote, merge = store.config.get(settings + b".remote"), store.config.get(settings + b".merge")
    if full.startswith(HEADS) and remote and merge:
        there = merge if remote == b"." else b"refs/remotes/" + remote + b"/" + merge.removeprefix(HEADS)
        return Refused(f"Reference at '{there.decode('utf-8', 'replace')}' does not exist")
    return unnamed(name.decode("utf-8", "replace") + "@{upstream}")


def _check_commitish(store: Store, oid: bytes) -> None:
    peeled = store.odb.peel(oid)
    if store.odb.kind(peeled) == b"blob":
        raise Refused(f'Cannot convert object <git.Blob "{peeled.hex()}"> to type commit')


def _first_step(part: str) -> int:
    """The end of the name, where the steps begin."""
    for at, char in enumerate(part):
        if char in "^~" or part.startswith("@{", at) or (char == "@" and at == 0 and part[1:2] in ("", "^", "~")):
            return at
    return len(part)


def _no_step(rev: str, token: str, argument: str) -> Refused:
    if argument.startswith("{"):
        wanted = argument[1:-1]
        if wanted.startswith("/"):
            return unnamed(f"No commit found matching message pattern {wanted[1:]!r}")
        if wanted in ("blob", "tag"):
            return Refused(f"Could not accommodate requested object type {wanted!r}, got commit")
        return Refused(f"Invalid output type: {wanted} ( in {rev} )")
    return unnamed(f"Invalid revision spec '{rev}' - not enough parent commits to reach '{token}{argument or 1}'")


def _below(store: Store, oid: bytes, path: str) -> Object:
    """The object at a path of a tree, component by component: an empty component is a missing name."""
    _check_commitish(store, oid)
    tree = store.odb.peel(oid, b"tree")
    if not path:
        return Object(tree, b"tree")
    names = path.split("/")
    for at, name in enumerate(names):
        entry = store.odb.entry(tree, name.encode("utf-8", "surrogateescape")) if name else None
        if entry is None:
            raise Refused(repr(f"Blob or Tree named {name!r} not found"))
        mode, tree = entry
        if at == len(names) - 1:
            return Object(tree, b"tree" if is_tree(mode) else b"submodule" if is_gitlink(mode) else b"blob")
        if not is_tree(mode):
            raise Refused(repr(f"Blob or Tree named {path!r} not found"))
    raise AssertionError("a path has a last part")


# ------------------------------------------------------------------------------------------------------------- commits
@dataclass(frozen=True, slots=True)
class Written:
    """Author, date and message of a commit: bytes in the commit's own encoding, decoded."""

    name: str
    mail: str
    date: datetime
    message: str

    @classmethod
    def of(cls, commit: Commit) -> Written:
        """Parse a commit. Raises Crash for an encoding that Python does not have, Refused for a date that it does not
        have."""
        encoding = (commit.encoding or b"utf-8").decode("utf-8", "ignore")
        try:
            ident = commit.author.decode(encoding, "replace")
            message = commit.message.decode(encoding, "replace")
        except LookupError:
            raise Crash(f"unknown encoding: {encoding}") from None
        match = _IDENT.match(ident)
        who, seconds, zone = (match["who"], int(match["seconds"]), match["zone"]) if match else (ident, 0, "+0000")
        name, bracket, mail = who.rpartition(" <")
        if not bracket:
            name, mail = who, ""
        try:
            return cls(name, mail.partition(">")[0], _moment(seconds, int(zone)), message)
        except (ValueError, OverflowError, OSError) as error:
            raise Refused(str(error)) from None


def _moment(seconds: int, zone: int) -> datetime:
    moment = datetime.fromtimestamp(seconds, UTC)
    try:
        return moment.astimezone(timezone(timedelta(minutes=zone_minutes(zone))))
    except (ValueError, OverflowError):  # a zone of a day or more
        return moment


# ------------------------------------------------------------------------------------------------------------ failures
def command_failed(argv: list[str], status: int, stdout: str, stderr: str) -> Refused:
    """The failure of a git command, in the words of the library's exception for it."""
    words = f"Cmd('git') failed due to: exit code({status})\n  cmdline: git {' '.join(argv)}"
    for name, text in (("stdout", stdout), ("stderr", stderr)):
        text = text.removesuffix("\n")
        words += f"\n  {name}: '{text}'" if text else ""
    return Refused(words)


def no_option(what: str, value: str | None) -> None:
    """Raise Refused for a value that looks like an option."""
    if value and value.startswith("-"):
        raise Refused(f"Invalid {what}: '{value}' - cannot start with '-'")


def as_text(raw: bytes) -> str:
    """Bytes decoded as that server's library does."""
    return raw.decode("utf-8", "backslashreplace")


def run_git(
    argv: list[str], store: Store, ctx: Context, host: ToolContext | None = None, change: Mutation | None = None
) -> Outcome:
    """A command's outcome; `host` carries out changes. `change` is the request if argv cannot express all of it. Raises
    Refused if git would have failed."""
    try:
        if change is not None and host is not None:
            outcome = run_change(change, store, ctx, host)
        else:
            outcome = run_argv(argv, store, ctx, any_date=True, host=host)  # as that server interprets dates
    except InvalidArgs as error:
        outcome = Outcome(b"", b"".join(ctx.spoken()) + error.words(), error.status, error)
    stop_if_cancelled(outcome)
    if isinstance(outcome.error, Timeout):
        raise outcome.error
    if outcome.exit_code:
        failed = command_failed(argv, outcome.exit_code, as_text(outcome.stdout), as_text(outcome.stderr))
        raise failed from outcome.error
    return outcome
