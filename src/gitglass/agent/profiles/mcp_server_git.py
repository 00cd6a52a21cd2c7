"""`mcp-server-git`: its seven reading tools, and on request its five writing ones, word for word, without git or
GitPython.

Names, descriptions and schemas are that server's; so are the texts of answers and of errors. Differences are
improvements or for safety, and are listed in the README: `A..B` is accepted by git_diff, an empty repository has an
empty history, SHA-256 works, no helper of a repository's configuration is run, links out of the repository are not
followed, and an answer ends at its budget.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import (
    BadConfig,
    BadRequest,
    Cancelled,
    GitError,
    NotARepository,
    NotFound,
    NoWorkTree,
    SandboxViolation,
    Timeout,
)
from ...limits import Context
from ...objects.parsed import is_tree, tree_entries
from ...repo.store import Store
from ..answer import Internal, ToolAnswer, error_answer
from ..roots import Roots
from ..tool import Hints, Tool, ToolContext
from .base import ArgvTool, context_of
from .gitpython import Crash, Refused, Written, as_text, find_object, is_range, no_option, run_git
from .mcp_server_git_writing import WRITERS, Pieces, RepositoryArgs, Writer
from .patchfiles import FilePatch, file_patches

__all__ = ["tools"]

_WHEN = (
    "Accepts: ISO 8601 format (e.g., '2024-01-15T14:30:25'), relative dates (e.g., '2 weeks ago', 'yesterday'), "
    "or absolute dates (e.g., '2024-01-15', 'Jan 15 2024')"
)
_NO_SHA = "Do not pass anything to this param if no commit sha is specified"


#: the longest path of the file system, in bytes
_LONGEST_PATH = 4096


class StatusArgs(RepositoryArgs):
    """Arguments of git_status."""

    model_config = ConfigDict(title="statusArguments")


class UnstagedArgs(RepositoryArgs):
    """Arguments of git_diff_unstaged."""

    model_config = ConfigDict(title="diff_unstagedArguments")
    context_lines: int = 3


class StagedArgs(RepositoryArgs):
    """Arguments of git_diff_staged."""

    model_config = ConfigDict(title="diff_stagedArguments")
    context_lines: int = 3


class DiffArgs(RepositoryArgs):
    """Arguments of git_diff."""

    model_config = ConfigDict(title="diffArguments")
    target: str
    context_lines: int = 3


class LogArgs(RepositoryArgs):
    """Arguments of git_log."""

    model_config = ConfigDict(title="logArguments")
    max_count: int = 10
    start_timestamp: Annotated[str | None, Field(description=f"Start timestamp for filtering commits. {_WHEN}")] = None
    end_timestamp: Annotated[str | None, Field(description=f"End timestamp for filtering commits. {_WHEN}")] = None


class ShowArgs(RepositoryArgs):
    """Arguments of git_show."""

    model_config = ConfigDict(title="showArguments")
    revision: str


class BranchArgs(RepositoryArgs):
    """Arguments of git_branch."""

    model_config = ConfigDict(title="branchArguments")
    repo_path: Annotated[str, Field(description="The path to the Git repository.")]
    branch_type: Annotated[
        str,
        Field(
            description="Whether to list local branches ('local'), remote branches ('remote') or all branches('all')."
        ),
    ]
    contains: Annotated[str | None, Field(description=f"The commit sha that branch should contain. {_NO_SHA}")] = None
    not_contains: Annotated[
        str | None, Field(description=f"The commit sha that branch should NOT contain. {_NO_SHA}")
    ] = None


# -------------------------------------------------------------------------------------------------------------- places
def _open(word: str, host: ToolContext) -> Store:
    """The repository whose top directory is `repo_path`. Raises Refused with that server's message: usually just the
    path."""
    roots = host.roots
    asked = os.path.join(host.cwd or os.getcwd(), os.path.expanduser(word)) if word else host.cwd or os.getcwd()
    shown = os.path.normpath(asked)
    if "\0" in asked:
        raise Refused(shown if roots.unbounded else "embedded null byte")
    if not roots.unbounded:
        _check_granted(roots, word, asked)
    # Strange but that server's: `link/..` is checked after resolving the link, and opened by the path as written
    real = os.path.realpath(shown)
    if len(os.fsencode(real)) > _LONGEST_PATH:
        raise Refused(shown)
    try:
        store = _granted(roots, real).store(real)
    except SandboxViolation as error:
        if _is_within(roots, real):
            raise
        raise _outside(roots, word) from error
    except GitError as error:
        if isinstance(error, NotARepository | NotFound):  # NotFound: the directory does not exist
            raise Refused(shown) from None
        raise
    top = os.fsencode(real)
    if top not in (store.work_tree, store.git_dir):
        raise Refused(shown)
    if store.work_tree is None and os.path.basename(real) == ".git":  # its commands run in the work tree
        return _granted(roots, os.path.dirname(real)).store(os.path.dirname(real))
    return store


def _check_granted(roots: Roots, word: str, asked: str) -> None:
    """Raise Refused for a path whose links form a loop, or lead out of the roots."""
    real = os.path.realpath(asked)
    try:
        os.path.realpath(real, strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Refused(f"Invalid path: {PurePosixPath(word)}") from None
    if not _is_within(roots, real):
        raise _outside(roots, word)


def _outside(roots: Roots, word: str) -> Refused:
    """The error that names the path as it was given, with `..`; only doubled slashes and single dots are removed."""
    allowed = ", ".join(os.fsdecode(path) for path in roots.named.values())
    return Refused(f"Repository path '{PurePosixPath(word)}' is outside the allowed repository '{allowed}'")


def _granted(roots: Roots, real: str) -> Roots:
    """The roots, if they hold the path itself and not a path of the same name as a root."""
    if not roots.unbounded and not _is_within(roots, real):
        raise SandboxViolation(f"'{real}' lies outside of what may be read", path=real)
    return roots


def _is_within(roots: Roots, real: str) -> bool:
    path = os.fsencode(real)
    return roots.unbounded or any(
        path == root or path.startswith(root.rstrip(b"/") + b"/") for root in roots.named.values()
    )


# --------------------------------------------------------------------------------------------------------- git's words
def _git_output(argv: list[str], store: Store, ctx: Context) -> str:
    return as_text(run_git(argv, store, ctx).stdout).removesuffix("\n")


def _status(asked: StatusArgs, store: Store, ctx: Context) -> Pieces:
    return ["Repository status:\n", _git_output(["status"], store, ctx)]


def _unstaged(asked: UnstagedArgs, store: Store, ctx: Context) -> Pieces:
    return ["Unstaged changes:\n", _git_output(["diff", f"--unified={asked.context_lines}"], store, ctx)]


def _staged(asked: StagedArgs, store: Store, ctx: Context) -> Pieces:
    return ["Staged changes:\n", _git_output(["diff", f"--unified={asked.context_lines}", "--cached"], store, ctx)]


def _diff(asked: DiffArgs, store: Store, ctx: Context) -> Pieces:
    no_option("target", asked.target)
    if not is_range(store, asked.target, ctx) and asked.target != "0" * 40:  # git itself rejects the null oid
        find_object(store, asked.target, ctx)
    return [
        f"Diff with {asked.target}:\n",
        _git_output(["diff", f"--unified={asked.context_lines}", asked.target], store, ctx),
    ]


def _log(asked: LogArgs, store: Store, ctx: Context) -> Pieces:
    no_option("start_timestamp", asked.start_timestamp)
    no_option("end_timestamp", asked.end_timestamp)
    head = store.refs.head()[1]
    argv = ["rev-list", f"--max-count={asked.max_count}"]
    argv += [f"--since={asked.start_timestamp}"] if asked.start_timestamp else []
    argv += [f"--until={asked.end_timestamp}"] if asked.end_timestamp else []
    listed = b"" if head is None else run_git([*argv, head.hex(), "--"], store, ctx).stdout

    def pieces() -> Iterator[str]:
        yield "Commit history:\n"
        for nth, name in enumerate(listed.split()):
            ctx.tick()
            commit = store.odb.commit(bytes.fromhex(name.decode("ascii")))
            by = Written.of(commit)
            yield "\n" * bool(nth) + (
                f"Commit: {name.decode('ascii')}\nAuthor: {by.name}\nDate: {by.date}\nMessage: {by.message}\n"
            )

    return pieces()


def _show(asked: ShowArgs, store: Store, ctx: Context) -> Pieces:
    no_option("revision", asked.revision)
    shown = find_object(store, asked.revision, ctx)
    if shown.kind == b"blob":
        return [store.odb.blob(shown.oid).decode("utf-8", "replace")]
    if shown.kind == b"tree":
        entries = tree_entries(store.odb.tree(shown.oid), store.hash_len)
        return ["\n".join(as_text(name) + "/" * is_tree(mode) for mode, name, _ in entries)]
    if shown.kind == b"submodule":
        raise Crash("a submodule's commit is not in the repository")
    return _commit(store, store.odb.peel(shown.oid, b"commit"), ctx)


def _commit(store: Store, oid: bytes, ctx: Context) -> Iterator[str]:
    commit = store.odb.commit(oid)
    by = Written.of(commit)
    body = "".join(f"    {line}\n" for line in by.message.rstrip("\n").split("\n"))
    yield f"commit {oid.hex()}\nAuthor: {by.name} <{by.mail}>\nDate:   {by.date:%Y-%m-%d %H:%M:%S %z}\n\n{body}"
    sides = [commit.parents[0].hex(), oid.hex()] if commit.parents else ["--root", oid.hex()]
    argv = ["diff-tree", *sides, "-r", "--abbrev=40", "--full-index", "-M", "-p", "--no-color"]
    for part in file_patches(run_git(argv, store, ctx).stdout):
        ctx.tick()
        yield _shown(part)


def _shown(part: FilePatch) -> str:
    old = "/dev/null" if part.old is None else "a/" + part.old.decode("utf-8", "replace")
    new = "/dev/null" if part.new is None else "b/" + part.new.decode("utf-8", "replace")
    return f"\n--- {old}\n+++ {new}\n" + part.body.decode("utf-8", "replace")


_TYPES = {"local": [], "remote": ["-r"], "all": ["-a"]}


def _branch(asked: BranchArgs, store: Store, ctx: Context) -> Pieces:
    no_option("contains value", asked.contains)
    no_option("not_contains value", asked.not_contains)
    if asked.branch_type not in _TYPES:
        raise Refused(f"Invalid branch type: {asked.branch_type}")
    argv = ["branch", *_TYPES[asked.branch_type]]
    argv += [] if asked.contains is None else ["--contains", asked.contains]
    argv += [] if asked.not_contains is None else ["--no-contains", asked.not_contains]
    return [_git_output(argv, store, ctx)]


# --------------------------------------------------------------------------------------------------------------- calls
_Reader = Callable[[Any, Store, Context], Pieces]


class DropIn(ArgvTool):
    """A tool of `mcp-server-git`; its schema is generated by pydantic, as that server's is."""

    __slots__ = ("pieces",)

    def __init__(
        self,
        name: str,
        description: str,
        parameters: type[BaseModel],
        pieces: Callable[[Any, Store, Context, ToolContext], Pieces],
        hints: Hints | None = None,
    ) -> None:
        super().__init__(name, description, parameters, self._answer, failed=self._failed, hints=hints)
        self.pieces = pieces

    def input_schema(self, dialect: str = "mcp") -> dict[str, Any]:
        """The schema; in MCP's dialect it is that server's, word for word."""
        if dialect != "mcp":
            return super().input_schema(dialect)
        return {key: value for key, value in self.parameters.model_json_schema().items() if key != "description"}

    def checked(self, arguments: dict[str, Any]) -> Any:
        """The parameters. Unknown ones are ignored, and `"null"` is null if null is allowed, as in that server."""
        given = dict(arguments)
        for name, info in self.parameters.model_fields.items():
            value = given.get(name)
            if isinstance(value, str) and info.annotation is not str:
                given[name] = _unpacked(value)
        try:
            return self.parameters.model_validate(given)
        except ValidationError as error:
            raise Refused(str(error)) from None

    def _answer(self, asked: Any, host: ToolContext) -> ToolAnswer:
        store = _open(asked.repo_path, host)
        ctx = context_of(host, None)
        most = host.budget.max_bytes
        parts: list[str] = []
        size = 0
        for piece in self.pieces(asked, store, ctx, host):
            parts.append(piece)
            size += len(piece.encode("utf-8", "replace"))
            if size > most:
                break
        text = "".join(parts)
        if size > most:
            text = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
            return ToolAnswer(
                f"{text}\n[gitglass: cut after {most:,} bytes]", body=text, truncated=True, reason="bytes"
            )
        return ToolAnswer(text, body=text)

    def _failed(self, error: GitError) -> ToolAnswer:
        answer = error_answer(error)
        words = f"Error executing tool {self.name}"
        if isinstance(error, Timeout | Cancelled) or not isinstance(
            error, Crash | Internal | BadRequest | BadConfig | NoWorkTree
        ):
            words += f": {error.message}"
        answer.text = words
        return answer


def _unpacked(value: str) -> Any:
    """A value that a model packed into a string: null, a list, an object; any other text stays unchanged."""
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return value if isinstance(decoded, str | int | float) else decoded


_READERS: list[tuple[str, str, type[BaseModel], _Reader]] = [
    ("git_status", "Shows the working tree status", StatusArgs, _status),
    ("git_diff_unstaged", "Shows changes in the working directory that are not yet staged", UnstagedArgs, _unstaged),
    ("git_diff_staged", "Shows changes that are staged for commit", StagedArgs, _staged),
    ("git_diff", "Shows differences between branches or commits", DiffArgs, _diff),
    ("git_log", "Shows the commit logs", LogArgs, _log),
    ("git_show", "Shows the contents of a commit, or of a file or directory given as <revision>:<path>", ShowArgs,
     _show),
    ("git_branch", "List Git branches", BranchArgs, _branch),
]  # fmt: skip


#: all twelve, in that server's order
_ORDER = (
    "git_status", "git_diff_unstaged", "git_diff_staged", "git_diff", "git_commit", "git_add", "git_reset", "git_log",
    "git_create_branch", "git_checkout", "git_show", "git_branch",
)  # fmt: skip


def tools(*, mutating: bool = False) -> list[Tool]:
    """The seven reading tools, in that server's order; `mutating`: all twelve; a host's access carries out their
    changes."""
    made = {name: DropIn(name, words, model, _reading(reader)) for name, words, model, reader in _READERS}
    for name, words, model, writer, hints in WRITERS if mutating else ():
        made[name] = DropIn(name, words, model, writer, hints)
    return [made[name] for name in _ORDER if name in made]


def _reading(reader: _Reader) -> Writer:
    return lambda asked, store, ctx, host: reader(asked, store, ctx)
