"""Splits the words of a command line into revisions and paths, by git's rules (gitcli(7)).

Words before `--` are revisions. Without `--`, the leading words that name a revision are revisions, and the first other
word and everything after it are paths; a word that could be both is an error, and so is a path that is not in the work
tree, because it is more likely a misspelt revision.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from ..annotations import TYPE_CHECKING, Any
from ..deferred import deferred
from ..disk.jail import Jail
from ..errors import Ambiguous, BadRequest, GitError, NotFound, Unsupported, text
from ..limits import Context, lines_in
from ..paths.lexical import normal_path
from ..paths.wildmatch import is_glob
from ..repo.store import Store
from ..request.pathspecs import parse_pathspecs
from ..request.text import to_bytes
from ..revs.errors import bad_revision
from ..revs.tip import Tips
from ..revs.tips import TipBuilder, tips
from .positionals import Positionals, Token

if TYPE_CHECKING:
    from ..diff.lines.hunks import ignored_lines
    from ..paths.attributes import unquoted
    from ..render.log.formats import find_format, pretty_aliases
    from ..revs.path_errors import die_argument, is_there
    from .diff import judge_dirstat
    from .ignored_diff_options import named_objects
else:
    ignored_lines = deferred(__name__, "..diff.lines.hunks", "ignored_lines")
    judge_dirstat = deferred(__name__, ".diff", "judge_dirstat")
    named_objects = deferred(__name__, ".ignored_diff_options", "named_objects")
    die_argument, is_there = deferred(__name__, "..revs.path_errors", "die_argument", "is_there")
    unquoted = deferred(__name__, "..paths.attributes", "unquoted")
    find_format, pretty_aliases = deferred(__name__, "..render.log.formats", "find_format", "pretty_aliases")


STDIN = "--stdin"
SEPARATE = "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"


def revs_and_paths(
    words: Positionals,
    values: dict[str, Any],
    store: Store | None,
    ctx: Context,
    *,
    committish: bool = False,
    default: str | None = None,
) -> None:
    """The binder of commands that take revisions and paths: fills `revs` and `paths`, and `words.named`.

    `default` is the start of the walk if nothing is named: git reports a missing default before an unknown option.
    """
    assert store is not None
    overruled = words.overruled.get("pretty", ())
    for form in overruled:  # git rejects a bad --pretty even if another one follows it
        find_format(to_bytes(form), pretty_aliases(store.config))
    if overruled:
        values["overruled_formats"] = [*overruled]
    if values.get("find_object"):  # git resolves them where they stand, which is in front of revisions
        named_objects(store, values["find_object"], ctx=ctx)
    try:
        revs, paths = split(words, store, ctx, committish=committish)
    except GitError:
        _judge(values, store, ctx)
        raise
    if values.get("no_walk") and words.named is not None and words.named.exclude:
        values["no_walk"] = ""  # what is excluded makes it a walk
    values["revs"] = [*values.get("revs", ()), *revs]
    values["paths"] = [*values.get("paths", ()), *paths]
    _no_way_out(store, paths)
    if words.unknown is not None:
        start, reflogs = values.get("default") or default, bool(values.get("walk_reflogs"))
        tips(store, revs, ctx=ctx, default=start, committish=committish, named=words.named, reflogs=reflogs)
        raise words.unknown


def _judge(values: dict[str, Any], store: Store, ctx: Context) -> None:
    """Raises the error of an option's value: git meets it before the revisions."""
    if values.get("pretty"):
        find_format(to_bytes(values["pretty"]), pretty_aliases(store.config))
    for pattern in values.get("ignore_matching_lines", ()):
        ignored_lines(to_bytes(pattern), ctx)
    for word in values.get("dirstat", ()):
        judge_dirstat(word)


def words_and_idle(
    words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context, *, usage: str = ""
) -> None:
    """The same for commands with options that git parses and ignores; `usage` if the command accepts no limits."""
    revs_and_paths(words, values, store, ctx)
    assert store is not None
    if words.aside is not None:
        values.update(words.aside.judge(store, values["paths"], usage, ctx=ctx))


def _no_way_out(store: Store, paths: list[str]) -> None:
    """Raises git's error about a path outside of the repository, which comes before a missing HEAD."""
    outward = [path for path in paths if path.startswith(("/", ":")) or ".." in path]
    if outward:
        parse_pathspecs(store, outward)


#: The binder of git log: among several objects with the same short name it takes the commit.
log_words = partial(revs_and_paths, committish=True, default="HEAD")


def _from_stdin(words: Positionals, builder: TipBuilder) -> tuple[list[str], list[str]]:
    """--stdin: one revision on each line, up to an empty line; after a line `--` one path on each. Raises errors as git
    does."""
    if words.read_stdin is None:
        raise Unsupported("there is no standard input to read", status=129, prefix="error", option=STDIN)
    lines = lines_of(words.read_stdin())
    named: list[str] = []
    for at, line in enumerate(lines):
        if line == "--":
            return named, lines[at + 1 :]
        if line == "":
            break
        if line.startswith("-"):
            raise BadRequest("options not supported in --stdin mode")
        if not builder.line(to_bytes(line)):
            raise NotFound(f"bad revision '{line}'", revision=line)
        named.append(line)
    return named, []


def lines_of(data: bytes) -> list[str]:
    """The lines of standard input as git reads them: without a CR before the newline, and up to a NUL."""
    lines = lines_in(data.removesuffix(b"\n")) if data else []
    return [line.removesuffix(b"\r").partition(b"\0")[0].decode("utf-8", "surrogateescape") for line in lines]


def split(words: Positionals, store: Store, ctx: Context, *, committish: bool = False) -> tuple[list[str], list[str]]:
    """(revisions, paths). Each revision is resolved as it is read; the results are in `words.named` afterwards.

    Raises NotFound and Ambiguous with git's messages.
    """
    if not words.before and (words.trouble is None or words.dashdash):
        words.named = Tips()
        return [], words.after
    builder = TipBuilder(store, ctx=ctx, committish=committish)
    revs: list[str] = []
    listed: list[str] = []
    paths = words.after
    for at, word in enumerate(words.before):
        if at == words.turn:
            builder.turn()
        if word == STDIN and isinstance(word, Token):
            if STDIN in words.before[:at]:
                raise BadRequest("--stdin given twice?")
            named, listed = _from_stdin(words, builder)
            turned = ["--not"] if revs.count("--not") % 2 else []  # --not only applies to words of the command line
            revs += [*turned, *named, *turned]
        elif isinstance(word, Token):
            builder.pseudo(word)
            revs.append(str(word))
        elif builder.revision(to_bytes(word), only=words.dashdash):
            if not words.dashdash and not builder.passed_over:
                _not_a_file(word, store)
            revs.append(word)
        elif words.dashdash:
            raise NotFound(f"bad revision '{word}'", revision=word)
        elif word.startswith("^"):
            raise bad_revision(store, to_bytes(word), ctx=ctx)
        else:
            _all_files(words, at, store, ctx)
            paths = words.before[at:] + words.after
            break
    else:
        if words.trouble is not None and not words.dashdash:
            raise words.trouble
        if len(words.before) == words.turn:
            builder.turn()
    words.named = builder.tips()
    return revs, paths + listed


def _all_files(words: Positionals, at: int, store: Store, ctx: Context) -> None:
    """The words from index `at` on are paths: raises for a missing one, or an option among them."""
    late = [(number - at, option) for number, option in words.late if number > at]
    for i, path in enumerate(words.before[at:]):
        if late and late[0][0] <= i:
            break
        _a_file(path, store, ctx, first=i == 0)
    if late:
        raise _too_late(late[0][1])


def _not_a_file(word: str, store: Store) -> None:
    if store.work_tree is None or word.startswith("-") or not in_work_tree(word, store):
        return
    raise Ambiguous(f"ambiguous argument '{word}': both revision and filename\n{SEPARATE}", candidates=[word])


def _a_file(word: str, store: Store, ctx: Context, *, first: bool) -> None:
    if word.startswith("-"):
        raise _too_late(word)
    if looks_like_pathspec(word) or in_work_tree(word, store):
        return
    if first:
        raise die_argument(store, word.encode("utf-8", "surrogateescape"), ctx=ctx)
    raise NotFound(
        f"{word}: no such path in the working tree.\n"
        "Use 'git <command> -- <path>...' to specify paths that do not exist locally."
    )


def _too_late(word: str) -> GitError:
    return BadRequest(f"option '{word}' must come before non-option arguments")


def looks_like_pathspec(word: str) -> bool:
    """Whether a word can only be a pathspec: it has wildcards, or magic in long form."""
    return word.startswith(":(") or is_glob(word.encode("utf-8", "surrogateescape"))


def in_work_tree(word: str, store: Store) -> bool:
    """Whether a file of that name exists, relative to the current directory; `:/x`, `:!x`, `:^x` mean x."""
    base = store.cwd
    if word.startswith(":/"):
        if word == ":/":
            return True
        word, base = word[2:], store.work_tree or base
    elif word.startswith((":!", ":^")):
        if len(word) == 2:
            return True
        word = word[2:]
    if not word:
        return False
    raw = word.encode("utf-8", "surrogateescape")
    try:
        return is_there(store.jail, base, raw)
    except GitError:
        return False


def stdin_words(data: bytes, *, null: bool) -> Iterable[bytes]:
    """The paths in a block of standard input, each on a line (quoted if it begins with a quote) or ended by NUL."""
    words = data.split(b"\0") if null else lines_in(data)
    if words[-1] == b"":
        words.pop()
    return words if null or b'"' not in data else _unquoted(words)


def words_in_turn(paths: Iterable[str], blocks: Iterable[bytes] | None, *, null: bool) -> Iterator[Iterable[bytes]]:
    """The paths that are given, or where there are `blocks` of standard input those of each of them: a caller answers
    them before the next block is read."""
    if blocks is None:
        yield [to_bytes(path) for path in paths]
        return
    for block in blocks:
        yield stdin_words(block, null=null)


def _unquoted(words: list[bytes]) -> Iterator[bytes]:
    for word in words:
        if word[:1] != b'"':
            yield word
            continue
        plain = unquoted(word)
        if plain is None:
            raise BadRequest("line is badly quoted")
        yield plain[0]


Order = Callable[[], tuple[bytes, ...]]


def order_of(store: Store, given: str | None) -> Order | None:
    """The reader of the patterns of -O, or else of diff.orderFile; None if the order of paths stays unchanged.

    The file of -O is relative to the current directory. git reports a missing file only when it has something to order;
    GitError is raised then. /dev/null disables the order (git-diff(1)).
    """
    if given is None:
        return configured_order(store)
    if given == "/dev/null":
        return None
    return _reader(store.named, store.prefix + to_bytes(given), normal_path(store.cwd, to_bytes(given)))


def configured_order(store: Store) -> Order | None:
    """The reader of the patterns of diff.orderFile, which is relative to the top of the work tree; None if it is not
    set."""
    path = store.config.get_path("diff.orderfile")
    if path is None or path == b"/dev/null":
        return None
    return _reader(store.jail, path, normal_path(store.work_tree or store.cwd, path))


def _reader(jail: Jail, shown: bytes, path: bytes) -> Order:
    @lru_cache(maxsize=1)
    def patterns() -> tuple[bytes, ...]:
        data = jail.read_optional(path, 1 << 20) if shown else None
        if data is None:
            why = "Is a directory" if shown and jail.is_dir(path) else "No such file or directory"
            raise NotFound(f"failed to read orderfile '{text(shown)}': {why}")
        return tuple(line for line in data.split(b"\n") if line and not line.startswith(b"#"))

    return patterns
