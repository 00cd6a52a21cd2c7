"""git check-ignore: which paths are ignored, and by which line."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

from ..annotations import Annotated, Any
from ..errors import BadRequest, NotFound, NoWorkTree, text
from ..limits import Context
from ..paths.ignore import Match
from ..paths.pathspec import Item, Pathspecs, PathspecSpec
from ..paths.plain_words import Run, runs_of
from ..plans.positionals import Positionals
from ..plans.words import words_in_turn
from ..records import typed_row
from ..render.style import Style
from ..repo.absolute import through_links
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.pathspecs import Pathspecs as PathspecMixin
from ..request.pathspecs import named_magic
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..worktree.scan import standard_ignore
from ..worktree.stat_cache import GITLINK, current_index
from .command import Command


@typed_row
class IgnoreRow:
    """One path, and the line that decides about it: `source` is the file of the line. All are None if no line does."""

    path: str
    ignored: bool
    source: str | None = None
    line: int | None = None
    pattern: str | None = None


class CheckIgnoreResult(Result):
    """The requested paths, in their order."""

    paths: list[IgnoreRow] = Field(description="One row for each path.")


class CheckIgnoreRequest(Request[CheckIgnoreResult], PathspecMixin):
    """`git check-ignore`: are these paths ignored?"""

    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(False, description="Only the exit status; one path.")
    verbose: Annotated[bool, Flag("-v", "--verbose", no=True)] = Field(False, description="Show the deciding line too.")
    non_matching: Annotated[bool, Flag("-n", "--non-matching", no=True)] = Field(
        False, description="With verbose: show paths that no line speaks of as well."
    )
    no_index: Annotated[bool, Flag("--no-index", no=True), Flag("--index", const=False)] = Field(
        False, description="Ask about tracked paths as if they were not."
    )
    stdin: Annotated[bool, Flag("--stdin", no=True)] = Field(False, description="Read the paths from standard input.")
    null: Annotated[bool, Flag("-z")] = Field(False, description="NUL between fields and paths.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.stdin


@typed_row
class Asked:
    """The ignore rules, with the data to apply them to paths."""

    store: Store
    request: CheckIgnoreRequest
    ctx: Context
    passed: set[bytes]  # directories that are checked: no link and no submodule in their paths

    def answers(self, words: Iterable[bytes]) -> Iterator[tuple[list[bytes], list[Match | None] | None]]:
        """Words in their order, with the matching line of each (None: no line matches any of them); all words of the
        command line are checked before the first answer."""
        if not self.request.stdin:
            for word, item in [(word, self._item(word)) for word in words]:
                yield [word], [self._decides(item)]
        elif self.store.pathspecs:
            for word in words:
                yield [word], [self._decides(self._item(word))]
        else:
            for run in runs_of(words, self.store.prefix):
                if run.folder is None:
                    yield run.words, [self._decides(self._item(run.words[0]))]
                else:
                    yield run.words, self._run(run, run.folder)

    def _run(self, run: Run, folder: bytes) -> list[Match | None] | None:
        """The matching lines for words that name entries of one directory."""
        self.ctx.tick()
        if folder not in self.passed:
            self._refuse(run.words[0], run.base + run.names[0])
            self.passed.add(folder)
        if self.request.no_index:
            return standard_ignore(self.store).decide(folder, run.names, self._is_dir)
        out: list[Match | None] = []
        for name in run.names:
            self.ctx.tick()
            out.append(self._of_member(folder, name))
        return out

    def _of_member(self, folder: bytes, name: bytes) -> Match | None:
        """The matching line for one entry of a directory; none for a path in the index, for which rules are not even
        read."""
        if not self.request.no_index and self._is_tracked(folder + b"/" + name if folder else name):
            return None
        matches = standard_ignore(self.store).decide(folder, [name], self._is_dir)
        return None if matches is None else matches[0]

    def _is_tracked(self, path: bytes) -> bool:
        index = current_index(self.store)
        if index.has_path(path):
            return True
        low, high = index.span(path)
        return low < high

    def _is_dir(self, path: bytes) -> bool:
        status = self.store.files.lstat(path) if self.store.files is not None and path else None
        return status is not None and status.st_mode & 0o170000 == 0o040000

    def _decides(self, item: Item) -> Match | None:
        self.ctx.tick()
        plain = item.match.rstrip(b"/")
        if item.match == plain and plain:
            folder, _, name = plain.rpartition(b"/")
            return self._of_member(folder, name)
        if not self.request.no_index and self._is_tracked(plain):
            return None
        return standard_ignore(self.store).check_folder(item.match, self._is_dir(plain))

    def _item(self, word: bytes) -> Item:
        store = self.store
        literal = bool(store.pathspecs & {"literal", "noglob"})
        spec = PathspecSpec(literal=literal, glob="glob" in store.pathspecs, icase="icase" in store.pathspecs)
        item = Pathspecs.parse(
            [word], store.prefix, spec, work_tree=store.work_tree, elsewhere=partial(through_links, store)
        ).items[0]
        literal = literal or (word[:2] == b":(" and b"literal" in word[2:].partition(b")")[0].split(b","))
        magic = ", ".join(filter(None, ["'literal'" * literal, named_magic(item)]))
        if magic:
            raise BadRequest(f"{text(word)}: pathspec magic not supported by this command: {magic}")
        self._refuse(item.original, item.match)
        return item

    def _refuse(self, word: bytes, path: bytes) -> None:
        index, files = None if self.request.no_index else current_index(self.store), self.store.files
        at = path.find(b"/")
        while at >= 0:
            status = files.lstat(path[:at]) if files is not None else None
            if status is not None and status.st_mode & 0o170000 == 0o120000:
                raise NotFound(f"pathspec '{text(word)}' is beyond a symbolic link")
            position = -1 if index is None else index.find(path[:at])
            if index is not None and position >= 0 and index.modes[position] == GITLINK and at + 1 < len(path):
                raise BadRequest(f"Pathspec '{text(word)}' is in submodule '{text(path[:at])}'")
            at = path.find(b"/", at + 1)


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind all words as paths."""
    values["paths"] = [*words.before, *words.after]


def run(store: Store, request: CheckIgnoreRequest, ctx: Context) -> Asked:
    """Check the request; the rules are applied when the paths are known."""
    if request.stdin:
        if request.paths:
            raise BadRequest("cannot specify pathnames with --stdin")
    else:
        if request.null:
            raise BadRequest("-z only makes sense with --stdin")
        if not request.paths:
            raise BadRequest("no path specified")
    if request.quiet:
        if len(request.paths) > 1:
            raise BadRequest("--quiet is only valid with a single pathname")
        if request.verbose:
            raise BadRequest("cannot have both --quiet and --verbose")
    if request.non_matching and not request.verbose:
        raise BadRequest("--non-matching is only valid with --verbose")
    if store.work_tree is None:
        raise NoWorkTree("this operation must be run in a work tree")
    return Asked(store, request, ctx, set())


def collect(asked: Asked, request: CheckIgnoreRequest) -> CheckIgnoreResult:
    """The typed result."""
    rows = []
    for word, match in _singly(asked.answers([to_bytes(path) for path in request.paths])):
        row = IgnoreRow(to_text(word), match is not None and not match.negated)
        if match is not None:
            row.source, row.line = to_text(match.source), max(match.line, 0) or None
            row.pattern = to_text(match.pattern.text)
        rows.append(row)
    return CheckIgnoreResult(paths=rows)


def render(asked: Asked, request: CheckIgnoreRequest, style: Style) -> Iterator[bytes]:
    """git's lines; the exit status is 1 if no path is ignored."""
    shows_all, ignored = request.non_matching and not request.quiet, 0
    blocks = style.blocks(b"\0" if request.null else b"\n") if request.stdin else None
    words = words_in_turn(request.paths, blocks, null=request.null)
    answers = chain.from_iterable(map(asked.answers, words))
    for word, match in _singly(answers if shows_all else (one for one in answers if one[1] is not None)):
        if match is not None and match.negated and not request.verbose:
            match = None
        ignored += match is not None
        if not request.quiet and (match is not None or request.non_matching):
            yield _line(word, match, request, style)
    style.ctx.exit_status = 0 if ignored else 1


def _singly(
    answers: Iterable[tuple[list[bytes], list[Match | None] | None]],
) -> Iterator[tuple[bytes, Match | None]]:
    for words, matches in answers:
        yield from zip(words, [None] * len(words) if matches is None else matches)


def _line(word: bytes, match: Match | None, request: CheckIgnoreRequest, style: Style) -> bytes:
    if request.null:
        if not request.verbose:
            return word + b"\0"
        if match is None:
            return b"\0\0\0" + word + b"\0"
        return b"%s\0%d\0%s\0%s\0" % (match.source, match.line, match.pattern.text, word)
    shown = style.quote(word)
    if not request.verbose:
        return shown + b"\n"
    if match is None:
        return b"::\t" + shown + b"\n"
    return b"%s:%d:%s\t%s\n" % (style.quote(match.source), match.line, match.pattern.text, shown)


COMMAND = Command(
    "check-ignore",
    CheckIgnoreRequest,
    CheckIgnoreResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    needs_work_tree=True,
    summary="which paths are ignored, and why",
    usage="git check-ignore [<options>] <pathname>...",
)
