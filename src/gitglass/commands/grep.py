"""git grep: lines that match, in the work tree, the index, or trees."""

from collections.abc import Callable, Iterator

from ..annotations import Any
from ..errors import BadRequest, NotFound, NoWorkTree, Unsupported
from ..grep.atom import PatternSpec
from ..grep.expression import Query
from ..grep.file import CONTEXT, FUNCTION, SELECTED, ShowSpec
from ..grep.search import Result, grep
from ..grep.sources import GrepSpec, Unread, root_of
from ..limits import Context
from ..paths.lexical import normal_path
from ..plans.positionals import Positionals
from ..plans.words import _a_file, _not_a_file
from ..records import replace, typed_row
from ..render.grep import GrepLook, write_grep
from ..render.style import Style
from ..repo.store import Store
from ..request.grep import GrepFile, GrepLine, GrepRequest, GrepResult
from ..request.pathspecs import parse_pathspecs
from ..request.text import to_bytes, to_text
from ..revs.resolve import resolve_full
from ..revs.tip import Tip, Tips
from .command import Command

_MOST_PATTERNS = 1 << 20  # most bytes of a file of patterns
_KINDS = {SELECTED: "match", CONTEXT: "context", FUNCTION: "function"}


@typed_row
class Search:
    """A search that is ready to begin; without a spec nothing is searched. `watch` is called with each result."""

    store: Store
    spec: GrepSpec | None
    ctx: Context
    watch: Callable[[Result], None] | None = None

    def results(self, unread: Unread | None = None) -> Iterator[Result]:
        """The results, lazily; the exit status says whether there were any. A file whose object is missing
        ends it with MissingObject, unless `unread` takes note of it."""
        self.ctx.exit_status = 1
        if self.spec is None:
            return
        for one in grep(self.store, self.spec, ctx=self.ctx, unread=unread):
            self.ctx.exit_status = 0
            if self.watch is not None:
                self.watch(one)
            yield one
            if self.spec.want in ("any", "any-other"):
                return


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind the pattern, if there was no -e; then revisions; then paths."""
    assert store is not None
    rest = list(words.before)
    if words.dashdash:
        rest += ["--", *words.after]
    terms: list[Any] = values.setdefault("expression", [])
    if any(term["op"] == "file" for term in terms):
        terms = values["expression"] = list(_with_files(terms, words, store))
    if not terms:
        if rest and rest[0] == "--":
            rest = rest[1:]
        if not rest:
            raise BadRequest("no pattern given")
        terms.append({"op": "pattern", "text": rest.pop(0)})
        values["given"] = True
    allowed = not (values.get("untracked") or values.get("no_index"))
    if "--" in rest:
        at = rest.index("--")
        if at and not allowed:
            raise BadRequest("--no-index or --untracked cannot be used with revs")
        words.named = _trees(store, rest[:at], ctx)
        values["revs"], values["paths"] = rest[:at], rest[at + 1 :]
        return
    trees: list[Tip] = []
    while allowed and len(trees) < len(rest) and (tree := _tree(store, rest[len(trees)], ctx)) is not None:
        _not_a_file(rest[len(trees)], store)
        trees.append(tree)
    words.named = Tips(tuple(trees))
    count = len(trees)
    for at, word in enumerate(rest[count:]):
        _a_file(word, store, ctx, first=at == 0 and allowed)
    values["revs"], values["paths"] = rest[:count], rest[count:]


def _with_files(terms: list[dict[str, str]], words: Positionals, store: Store) -> Iterator[dict[str, str]]:
    """The terms, with each `-f FILE` replaced by its patterns, one on each line; an empty line is none."""
    stdin = words.read_stdin
    for term in terms:
        if term["op"] != "file":
            yield term
            continue
        name = term["text"]
        if name == "-":
            data, stdin = stdin() if stdin is not None else b"", None
        else:
            data = _pattern_file(name, store)
        lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
        for number, line in enumerate(filter(None, lines), 1):
            yield {"op": "pattern", "text": to_text(line), "origin": f"In '{name}' at {number}"}


def _pattern_file(name: str, store: Store) -> bytes:
    """A file of patterns, by its name relative to the top of the work tree."""
    path = normal_path(store.work_tree or store.cwd, to_bytes(name))
    if store.named.is_dir(path):
        raise BadRequest(f"cannot open '{name}': Is a directory")
    data = store.named.read_optional(path, _MOST_PATTERNS)
    if data is None:
        raise NotFound(f"cannot open '{name}': No such file or directory", path=name)
    return data


def _tree(store: Store, word: str, ctx: Context) -> Tip | None:
    """The object that a word names; the search checks its type."""
    resolved = resolve_full(store, word, ctx=ctx)
    return None if resolved is None else Tip(resolved.oid, None, to_bytes(word), path=resolved.path, kind=b"")


def _trees(store: Store, revs: list[str], ctx: Context) -> Tips:
    """The objects that words name. Raises NotFound for a word that names nothing."""
    trees: list[Tip] = []
    for word in revs:
        tree = _tree(store, word, ctx)
        if tree is None:
            raise NotFound(f"unable to resolve revision: {word}", revision=word)
        trees.append(tree)
    return Tips(tuple(trees))


def run(store: Store, request: GrepRequest, ctx: Context, named: Tips | None = None) -> Search:
    """Check the request; files are read lazily."""
    trees = _trees(store, request.revs, ctx) if named is None else named
    roots = [root_of(store, tip.name, tip.oid, tip.path) for tip in trees.entries]
    paths = parse_pathspecs(store, request.paths, prefer_cwd=True)
    unindexed = request.untracked or request.no_index
    recurse = _recurses(store, request)
    if unindexed and roots:
        raise BadRequest("--no-index or --untracked cannot be used with revs")
    if recurse and request.untracked and not request.no_index:
        raise BadRequest("--untracked not supported with --recurse-submodules")
    if request.max_count == 0:  # git ends here, whatever the pattern and the other options are
        return Search(store, None, ctx)
    query = _query(store, request, ctx)
    show = _show(store, request)
    if request.only_matching and not request.invert and not show.plain:
        show = replace(show, prints=query.prints)
    _check_options(request, bool(roots))
    if not roots and not request.cached and store.work_tree is None:
        if unindexed:  # git searches its own files there
            raise Unsupported("gitglass does not search files where there is no work tree", status=128)
        raise NoWorkTree("this operation must be run in a work tree")
    standard = not request.no_index if request.exclude_standard is None else request.exclude_standard
    spec = GrepSpec(
        query,
        show,
        want=_want(request),
        binary=request.binary,
        cached=request.cached,
        untracked=unindexed,
        no_index=request.no_index,
        exclude_standard=standard,
        max_depth=max(request.max_depth, -1),
        textconv=request.textconv,
        recurse_submodules=recurse,
        pathspecs=paths,
        roots=roots,
    )
    return Search(store, spec, ctx)


def _recurses(store: Store, request: GrepRequest) -> bool:
    """Whether submodules are searched: the setting is read, and may be invalid, in any case."""
    configured = bool(store.config.get_bool("submodule.recurse", False))
    given = configured if request.recurse_submodules is None else request.recurse_submodules
    return given and not request.no_index


def _check_options(request: GrepRequest, trees: bool) -> None:
    """Raises BadRequest for options that git does not accept together."""
    if request.untracked or request.no_index:
        name = "--no-index" if request.no_index else "--untracked"
        for other, given in (("--untracked", request.untracked), ("--cached", request.cached)):
            if given and other != name:
                raise BadRequest(f"options '{name}' and '{other}' cannot be used together")
    elif request.exclude_standard is not None:
        raise BadRequest("--[no-]exclude-standard cannot be used for tracked contents")
    if trees and request.cached:
        raise BadRequest("both --cached and trees are given")


def _want(request: GrepRequest) -> str:
    if request.without_match:
        return "any-other" if request.quiet else "others"
    if request.quiet:
        return "any"
    if request.only_names:
        return "names"
    return "count" if request.count else "lines"


def _kind(store: Store, request: GrepRequest) -> str:
    if request.kind is not None:
        return request.kind
    value = store.config.get("grep.patterntype")
    if value is not None and value != b"default":
        kind = value.decode("latin-1")
        if kind not in ("basic", "extended", "fixed", "perl"):
            raise BadRequest(f"bad grep.patterntype argument: {kind}")
        return kind
    return "extended" if store.config.get_bool("grep.extendedregexp", False) else "basic"


def _query(store: Store, request: GrepRequest, ctx: Context) -> Query:
    terms = [("pattern", to_bytes(pattern)) for pattern in request.patterns]
    terms += [(term.op, to_bytes(term.text)) for term in request.expression]
    if not terms:
        raise BadRequest("no pattern given")
    spec = PatternSpec(_kind(store, request), request.ignore_case, request.word)
    origin = "command line" if request.given else "-e option"
    origins = [None] * len(request.patterns) + [term.origin for term in request.expression]
    return Query(terms, spec, all_match=request.all_match, origin=origin, ctx=ctx, origins=origins)


def _show(store: Store, request: GrepRequest) -> ShowSpec:
    around = request.context or 0
    return ShowSpec(
        invert=request.invert,
        columns=_column(store, request),
        before=around if request.before_context is None else request.before_context,
        after=around if request.after_context is None else request.after_context,
        function=request.show_function,
        function_body=request.function_context,
        max_count=request.max_count,
    )


def _column(store: Store, request: GrepRequest) -> bool:
    return bool(store.config.get_bool("grep.column", False)) if request.column is None else request.column


def collect(search: Search, request: GrepRequest) -> GrepResult:
    """The typed result."""
    columns = search.spec is not None and search.spec.show.columns
    files = []
    for one in search.results():
        files.append(file_row(one, columns=columns))
    return GrepResult(files=files, total=len(files))


def file_row(one: Result, *, columns: bool = False) -> GrepFile:
    """A result as a row; `columns`: with the columns of the first matches."""
    lines = [
        GrepLine(number, to_text(one.data[start:end]), column if columns and column else None, _KINDS[sign])
        for number, start, end, sign, column in one.rows
    ]
    count = one.count if one.kind == "count" else None
    revision = to_text(one.tree[:-1]) if one.tree else None
    return GrepFile(to_text(one.path), revision, one.kind == "binary", count, lines)


def render(search: Search, request: GrepRequest, style: Style) -> Iterator[bytes]:
    """git's lines."""
    search.ctx.exit_status = 1
    if search.spec is None:
        return
    config, show = style.config, search.spec.show
    numbers, full_name = request.line_number, request.full_name
    threads = request.threads
    if threads is None:
        threads = config.get_int("grep.threads", 0)
    look = GrepLook(
        names=request.names,
        numbers=bool(config.get_bool("grep.linenumber", False)) if numbers is None else numbers,
        columns=show.columns,
        only_matching=request.only_matching and not request.invert,
        null=request.null,
        full_name=bool(config.get_bool("grep.fullname", False)) if full_name is None else full_name,
        heading=request.heading,
        breaks=request.file_break,
        marks=bool(show.before or show.after or show.function_body),
        threads=threads != 1,
        color=request.color,
    )
    yield from write_grep(search.results, search.spec.query, look, style)


COMMAND = Command(
    "grep",
    GrepRequest,
    GrepResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    stop=True,
    refused={
        "-O": "it runs a pager",
        "--open-files-in-pager": "it runs a pager",
    },
    summary="lines that match, in the work tree, the index, or trees",
    usage="git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]",
)
