"""Repository: one opened repository, asked with typed requests or with git's argv.

`open` and `git` are the library's two doors. `git(argv, cwd=…)` stands where `subprocess.run(["git", …])` stood and has
git's own reach (alternates, git directories and includes are followed wherever they lie); `open(path)` is jailed: to
`root` where one is given, else to the repository that is found.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence

from .annotations import TYPE_CHECKING, Any, Literal, TypeVar, overload
from .commands.command import execute, make_request
from .commands.registry import NAMES, forms, load
from .completed import Argument, Completed, Streams, argument_words, no_text
from .disk.reach import no_links
from .errors import Corrupt, InvalidArgs, TooLarge, Unsupported
from .limits import LARGE, Context, Limits
from .repo.discover import Where
from .repo.store import Shared, Store, open_store
from .request.dates import check_dates
from .request.declared import Declared, fields_of
from .request.request import Request

if TYPE_CHECKING:
    from dulwich.object_store import BaseObjectStore
    from dulwich.repo import BaseRepo

    from .bridge.repo import JailedRepo
    from .commands.branch import BranchResult
    from .commands.cat_file import CatFileResult
    from .commands.check_attr import CheckAttrResult
    from .commands.check_ignore import CheckIgnoreResult
    from .commands.cherry import CherryResult
    from .commands.command import Command
    from .commands.compare import CompareResult
    from .commands.config import ConfigResult
    from .commands.describe import DescribeResult
    from .commands.diff import DiffResult
    from .commands.log import LogResult
    from .commands.ls_files import LsFilesResult
    from .commands.ls_tree import LsTreeResult
    from .commands.merge_base import MergeBaseResult
    from .commands.merge_tree import MergeTreeResult
    from .commands.name_rev import NameRevResult
    from .commands.remote import RemoteResult
    from .commands.shortlog import ShortlogResult
    from .commands.show import ShowResult
    from .commands.stash import StashListResult
    from .commands.submodule import SubmoduleResult
    from .commands.worktree import WorktreeResult
    from .fsck.verify import Damage
    from .request.format_patch import FormatPatchResult
    from .request.grep import GrepResult
    from .request.refs import RefsResult
    from .request.rev_list import RevListResult
    from .request.rev_parse import RevParseResult
    from .request.rows.blame import BlameResult
    from .request.rows.status import StatusResult

_GENEROUS, _USUAL = Limits.generous(), Limits()
R = TypeVar("R", bound=Declared)
StrPath = str | bytes | os.PathLike[str]


class Repository:
    """A handle on one repository: read-only, jailed, isolated from the user's own configuration.

    Threads may share it: each call has the opened files for itself. It pickles as its path and options, and opens again
    where it arrives.
    """

    def __init__(self, path: StrPath, *, root: StrPath | None = None, limits: Limits | None = None) -> None:
        self._where = Where(cwd=_absolute(path))
        self._root = None if root is None else _absolute(root)
        self._limits = limits or Limits()
        self._shared = Shared(open_store(self._where, root=self._root, config={}, limits=self._limits))

    def __reduce__(self) -> tuple[object, ...]:
        return _reopen, (self._where.cwd, self._root, self._limits, self.store.jail.real_roots)

    def __del__(self, _ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # a store and its engines refer to each other: without this their open files would wait for the collector. At
        # the interpreter's end, when names of modules may be gone, the system closes them.
        shared: Shared | None = getattr(self, "_shared", None)
        if shared is not None and not _ending():
            shared.close()

    def __repr__(self) -> str:
        return f"gitglass.open({os.fsdecode(self._where.cwd)!r})"

    @property
    def path(self) -> str:
        """The work tree's top directory, or the git directory of a bare repository."""
        return os.fsdecode(self.store.work_tree or self.store.git_dir)

    @property
    def store(self) -> Store:
        """The opened files, for code that builds on the engines: for one thread, and not while a call is under way."""
        return self._shared.first

    def run(
        self,
        request: Request[R],
        *,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> R:
        """Answer a typed request with its typed result.

        Raises a `GitError`; `cancelled` is called now and then, `progress` with (what, done, total).
        """
        command = _command_of(type(request))
        ctx = Context(self._limits, cancelled=cancelled, progress=progress)
        store = self._shared.take()
        try:
            with ctx:
                ctx.report()
                check_dates(request)
                store.refresh()
                result: R = command.collect(execute(command, store, request, ctx), request)
                ctx.finish()
                ctx.report()
        except RecursionError:
            raise Corrupt("the data is nested too deeply") from None
        except MemoryError:
            raise TooLarge("out of memory") from None
        except UnicodeEncodeError as error:
            raise no_text(error.object) from None
        finally:
            self._shared.give(store)
        if ctx.notes and "notes" in fields_of(type(result)):
            notes = dict.fromkeys([*getattr(result, "notes", ()), *ctx.notes])  # a result may have taken some of them
            result = result.model_copy(update={"notes": list(notes)})
        return result

    @overload
    def git(
        self,
        argv: Sequence[Argument],
        *,
        stdin: bytes | None = b"",
        input: bytes | None = None,
        text: Literal[False] = False,
        check: bool = False,
        timeout: float | None = None,
        capture_output: bool = True,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Completed[bytes]: ...
    @overload
    def git(
        self,
        argv: Sequence[Argument],
        *,
        stdin: bytes | None = b"",
        input: str | bytes | None = None,
        text: bool = False,
        encoding: str | None = None,
        errors: str | None = None,
        check: bool = False,
        timeout: float | None = None,
        capture_output: bool = True,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Completed[Any]: ...
    def git(
        self,
        argv: Sequence[Argument],
        *,
        stdin: bytes | None = b"",
        input: str | bytes | None = None,
        text: bool = False,
        encoding: str | None = None,
        errors: str | None = None,
        check: bool = False,
        timeout: float | None = None,
        capture_output: bool = True,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
    ) -> Completed[Any]:
        """Answer git's argv with git's bytes and exit status; what git would report is in `stderr`, and not raised.

        `stdin` to `capture_output` are those of `gitglass.git`; `timeout` can only shorten the handle's own.
        """
        words = argument_words(argv)
        streams = Streams(stdin, input, text, encoding, errors, check, timeout, capture_output)
        ctx = Context(streams.limits(self._limits), cancelled=cancelled, progress=progress)
        store = self._shared.take()
        ctx.report()
        try:
            done = _complete(words, self._where, self._root, store, streams, ctx)
            ctx.report()
        finally:
            self._shared.give(store)
        return streams.finish(done)

    def _ask(self, command: str, fields: dict[str, Any], **words: Any) -> Any:
        """The answer to a command's request of `fields`; `words` are those that were given by their position."""
        name, _, subcommand = command.partition(" ")
        module = load(name)
        assert module is not None
        form: Command = forms(name)[subcommand] if subcommand else module.COMMAND
        for key, value in words.items():
            if value not in ((), None):
                if key in fields:
                    raise InvalidArgs(f"{key}: given by position and by name")
                fields[key] = list(value) if isinstance(value, tuple) else value
        return self.run(make_request(form, {key: _words(value) for key, value in fields.items() if value != []}))

    def verify(self, *, cancelled: Callable[[], bool] | None = None) -> list[Damage]:
        """Everything that is wrong with objects, packs, references and index, in the words of `git fsck`.

        Every object is read and its hash compared with its name. What git only mentions (dangling objects, an unborn
        branch) is said as well: it has `is_error` False.
        """
        from .fsck.verify import verify  # seldom asked for

        ctx = Context(self._limits, cancelled=cancelled)
        store = self._shared.take()
        try:
            with ctx:
                store.refresh()
                damages = list(verify(store, ctx=ctx))
                ctx.finish()
        finally:
            self._shared.give(store)
        return damages

    def dulwich(self, *, limits: Limits | None = None) -> JailedRepo:
        """This repository as one of dulwich's (`dulwich.repo.BaseRepo`), for reading: its walker, archives, bundles,
        packs, client and server then work inside of the jail.

        It stands for one piece of work: `limits` (the handle's own, unless given) count from now on.
        """
        from .bridge.repo import JailedRepo  # dulwich is loaded when it is asked for

        return JailedRepo(self._shared.first.sibling(limits), limits or self._limits)

    def status(self, *paths: StrPath, **fields: Any) -> StatusResult:
        """The state of the work tree."""
        answer: StatusResult = self._ask("status", fields, paths=paths)
        return answer

    def log(self, *revs: str, **fields: Any) -> LogResult:
        """Commits, newest first: `log("v1.0..", paths=["src"], max_count=20)`."""
        answer: LogResult = self._ask("log", fields, revs=revs)
        return answer

    def show(self, *revs: str, **fields: Any) -> ShowResult:
        """Commits, tags, trees or files, by name."""
        answer: ShowResult = self._ask("show", fields, revs=revs)
        return answer

    def diff(self, *revs: str, **fields: Any) -> DiffResult:
        """What changed: in the work tree, or between revisions."""
        answer: DiffResult = self._ask("diff", fields, revs=revs)
        return answer

    def blame(self, path: StrPath, **fields: Any) -> BlameResult:
        """Who last touched each line of a file."""
        answer: BlameResult = self._ask("blame", fields, path=path)
        return answer

    def branch(self, *patterns: str, **fields: Any) -> BranchResult:
        """Branches; `all`, `remotes`, `contains` choose among them."""
        fields.setdefault("as_list", bool(patterns or fields.get("patterns")))
        answer: BranchResult = self._ask("branch", fields, patterns=patterns)
        return answer

    def tag(self, *patterns: str, **fields: Any) -> RefsResult:
        """Tags."""
        answer: RefsResult = self._ask("tag", {"as_list": True, **fields}, patterns=patterns)
        return answer

    def for_each_ref(self, *patterns: str, **fields: Any) -> RefsResult:
        """References of every kind."""
        answer: RefsResult = self._ask("for-each-ref", fields, patterns=patterns)
        return answer

    def show_ref(self, *patterns: str, **fields: Any) -> RefsResult:
        """References by the ends of their names."""
        answer: RefsResult = self._ask("show-ref", fields, patterns=patterns)
        return answer

    def grep(self, *patterns: str, **fields: Any) -> GrepResult:
        """Lines that match any of the patterns: `grep("def ", revs=["v1.0"], paths=["src"])`."""
        answer: GrepResult = self._ask("grep", fields, patterns=patterns)
        return answer

    def compare(self, base: str, head: str = "HEAD", **fields: Any) -> CompareResult:
        """How two commits stand to each other: merge bases, the commits of each side, the files changed since."""
        answer: CompareResult = self._ask("compare", fields, base=base, head=head)
        return answer

    def cherry(self, upstream: str | None = None, head: str = "HEAD", **fields: Any) -> CherryResult:
        """The commits of a branch, and which of them have an equal patch upstream."""
        answer: CherryResult = self._ask("cherry", fields, upstream=upstream, head=head)
        return answer

    def config(self, *words: str, **fields: Any) -> ConfigResult:
        """Settings: `config("user.name")`, `config(action=["list"])`."""
        answer: ConfigResult = self._ask("config", fields, words=words)
        return answer

    def check_ignore(self, *paths: StrPath, **fields: Any) -> CheckIgnoreResult:
        """Which paths are ignored, and by which pattern."""
        answer: CheckIgnoreResult = self._ask("check-ignore", fields, paths=paths)
        return answer

    def check_attr(self, *attributes: str, **fields: Any) -> CheckAttrResult:
        """The attributes of paths: `check_attr("text", paths=["README.md"])`."""
        answer: CheckAttrResult = self._ask("check-attr", fields, attributes=attributes)
        return answer

    def worktree(self, **fields: Any) -> WorktreeResult:
        """The work trees, and what is checked out in each."""
        answer: WorktreeResult = self._ask("worktree", fields)
        return answer

    def submodule(self, *paths: StrPath, **fields: Any) -> SubmoduleResult:
        """The submodules, and the commits that are checked out in them."""
        answer: SubmoduleResult = self._ask("submodule", fields, paths=paths)
        return answer

    def remote(self, **fields: Any) -> RemoteResult:
        """Remotes and their URLs."""
        answer: RemoteResult = self._ask("remote", fields)
        return answer

    def ls_files(self, *paths: StrPath, **fields: Any) -> LsFilesResult:
        """What the index, or the work tree, holds."""
        answer: LsFilesResult = self._ask("ls-files", fields, paths=paths)
        return answer

    def ls_tree(self, tree: str, **fields: Any) -> LsTreeResult:
        """What a tree holds."""
        answer: LsTreeResult = self._ask("ls-tree", fields, tree=tree)
        return answer

    def cat_file(self, object: str, **fields: Any) -> CatFileResult:
        """An object, its kind, or its size: `cat_file("HEAD:README.md").data`, `what="type"`."""
        answer: CatFileResult = self._ask("cat-file", fields, object=object)
        return answer

    def rev_parse(self, *args: str, **fields: Any) -> RevParseResult:
        """What names mean."""
        answer: RevParseResult = self._ask("rev-parse", fields, args=args)
        return answer

    def rev_list(self, *revs: str, **fields: Any) -> RevListResult:
        """The object names of commits."""
        answer: RevListResult = self._ask("rev-list", fields, revs=revs)
        return answer

    def merge_base(self, *revs: str, **fields: Any) -> MergeBaseResult:
        """The best common ancestors."""
        answer: MergeBaseResult = self._ask("merge-base", fields, revs=revs)
        return answer

    def merge_tree(self, ours: str, theirs: str, **fields: Any) -> MergeTreeResult:
        """What merging one branch into another would come to."""
        answer: MergeTreeResult = self._ask("merge-tree", fields, branches=(ours, theirs))
        return answer

    def describe(self, *revs: str, **fields: Any) -> DescribeResult:
        """A name for a commit by the nearest tag."""
        answer: DescribeResult = self._ask("describe", fields, revs=revs)
        return answer

    def name_rev(self, *revs: str, **fields: Any) -> NameRevResult:
        """Names for commits by the refs that reach them."""
        answer: NameRevResult = self._ask("name-rev", fields, revs=revs)
        return answer

    def shortlog(self, *revs: str, **fields: Any) -> ShortlogResult:
        """Commits by author."""
        answer: ShortlogResult = self._ask("shortlog", fields, revs=revs)
        return answer

    def format_patch(self, *revs: str, **fields: Any) -> FormatPatchResult:
        """Commits as mails; the bytes are `git(["format-patch", "--stdout", …])`'s."""
        answer: FormatPatchResult = self._ask("format-patch", fields, revs=revs)
        return answer

    def reflog(self, *revs: str, **fields: Any) -> LogResult:
        """Where a ref has been."""
        answer: LogResult = self._ask("reflog", fields, revs=revs)
        return answer

    def stash_list(self, **fields: Any) -> StashListResult:
        """The stash entries."""
        answer: StashListResult = self._ask("stash list", fields)
        return answer

    def stash_show(self, stash: str = "stash@{0}", **fields: Any) -> DiffResult:
        """What a stash entry changes."""
        answer: DiffResult = self._ask("stash show", fields, stash=(stash,))
        return answer


def open(
    path: StrPath | BaseRepo | BaseObjectStore, *, root: StrPath | None = None, limits: Limits | None = None
) -> Repository:
    """Open the repository at `path` or above it, never above `root`.

    `path` may be a repository of dulwich's instead (in memory, overlaid, in a cloud), or an object store without refs:
    it is read through dulwich, whose own reach it has, and answers as a bare repository without reflogs.


    Without `root` the repository that is found is the jail: its work tree, its git directory, and the common directory
    of a linked work tree. A git directory that lies elsewhere must name the directory that is opened, in the `gitdir`
    file of a linked work tree or by `core.worktree`. Raises NotARepository, SandboxViolation (among others for a
    repository made by `git init --separate-git-dir`, which names nothing: give a `root` that contains both),
    Unsupported (a repository format that is not known), TypeError (neither a path nor one of dulwich's).
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        from .bridge.store import open_dulwich  # dulwich is loaded when one of its repositories comes

        if root is not None:
            raise InvalidArgs("root names a directory; a dulwich repository has none")
        return open_dulwich(path, limits=limits)
    return Repository(path, root=root, limits=limits)


@overload
def git(
    argv: Sequence[Argument],
    *,
    cwd: StrPath | None = None,
    stdin: bytes | None = b"",
    input: bytes | None = None,
    text: Literal[False] = False,
    check: bool = False,
    timeout: float | None = None,
    capture_output: bool = True,
    limits: Limits | None = None,
    root: StrPath | None = None,
) -> Completed[bytes]: ...
@overload
def git(
    argv: Sequence[Argument],
    *,
    cwd: StrPath | None = None,
    stdin: bytes | None = b"",
    input: str | bytes | None = None,
    text: bool = False,
    encoding: str | None = None,
    errors: str | None = None,
    check: bool = False,
    timeout: float | None = None,
    capture_output: bool = True,
    limits: Limits | None = None,
    root: StrPath | None = None,
) -> Completed[Any]: ...
def git(
    argv: Sequence[Argument],
    *,
    cwd: StrPath | None = None,
    stdin: bytes | None = b"",
    input: str | bytes | None = None,
    text: bool = False,
    encoding: str | None = None,
    errors: str | None = None,
    check: bool = False,
    timeout: float | None = None,
    capture_output: bool = True,
    limits: Limits | None = None,
    root: StrPath | None = None,
) -> Completed[Any]:
    """Answer git's argv in a directory, as `subprocess.run(["git", *argv], cwd=cwd, capture_output=True)` would.

    Without `root` all is followed that git follows: a git directory, alternates, includes elsewhere. For a repository
    of strangers give a `root`. Files that argv names (`diff --no-index`, `blame --contents`, `config --file` …) have to
    lie in the repository, or below `root`. Neither the environment nor the user's own configuration is read. What git
    would report on stderr is not raised. Without `limits` the call may take what it needs, or with a `root` what
    `Limits()` allows.

    The keywords of `subprocess.run` mean what they mean there: `input` (or `stdin`, as bytes) is what the command
    reads; `text`, `encoding` (UTF-8) and `errors` (here "surrogateescape", so that any output can be decoded) make the
    answer str; `check` raises CommandFailed where the status is not 0; `timeout`, in seconds, raises Timeout; both
    errors carry `args`, `stdout` and `stderr` in `data`. Output is always captured. Raises InvalidArgs where argv is
    not a list of words, or the keywords contradict each other.
    """
    words = argument_words(argv)
    streams = Streams(stdin, input, text, encoding, errors, check, timeout, capture_output)
    jail = b"/" if root is None else _absolute(root)
    ctx = Context(streams.limits(limits or (_GENEROUS if root is None else _USUAL)))
    done = _complete(
        words, Where(cwd=_absolute("." if cwd is None else cwd)), jail, None, streams, ctx, confined=root is None
    )
    return streams.finish(done)


def _complete(
    words: list[str],
    where: Where,
    root: bytes | None,
    store: Store | None,
    streams: Streams,
    ctx: Context,
    *,
    confined: bool = False,
) -> Completed[bytes]:
    from .cli.answer import Session, answer  # the terminal's door is loaded when argv is spoken

    session = Session(
        where, root, store=store, read_stdin=lambda: streams.stdin, piped=streams.piped, confined=confined
    )
    out, err = io.BytesIO(), io.BytesIO()  # which give away what they hold without a copy

    def write(chunk: bytes) -> None:
        if len(chunk) >= LARGE:
            ctx.keep(len(chunk))
        out.write(chunk)

    status = answer(words, session, ctx, write, err.write)
    return Completed(words, status, out.getvalue(), err.getvalue())


def _words(value: Any) -> Any:
    """A field's value, with paths and bytes as the text that stands for them (PEP 383)."""
    if type(value) is list:
        return [os.fsdecode(word) if isinstance(word, (bytes, os.PathLike)) else word for word in value]
    return os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else value


def _absolute(path: StrPath) -> bytes:
    raw = os.fsencode(path)
    if raw[:1] == b"/" and raw[-1:] != b"/" and b"//" not in raw and b"/." not in raw:
        return raw
    return os.path.abspath(raw)


def _reopen(path: bytes, root: bytes | None, limits: Limits, real: tuple[bytes, ...]) -> Repository:
    no_links(real)
    return Repository(path, root=root, limits=limits)


def _command_of(request: type[Request[Any]]) -> Any:
    """The command that a request class belongs to: the one of the module it was written in."""
    home = request.__module__.rpartition(".")[2]
    near = {name: (NAMES[name] != home, not home.startswith(NAMES[name])) for name in NAMES}
    for name in sorted(NAMES, key=near.__getitem__):  # the module of that name first
        for command in (getattr(load(name), "COMMAND", None), *forms(name).values()):
            if command is not None and command.request is request:
                return command
    from .request.mutations import Mutation  # what writes is a model of its own, needed to refuse it by name only

    if issubclass(request, Mutation):
        raise Unsupported(f"gitglass only reads: {request.git or request.__name__} is not available")
    raise InvalidArgs(f"{request.__name__} is not a request of a command")
