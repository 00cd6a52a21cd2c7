"""git check-attr: the attributes of paths."""

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import chain

from ..annotations import Annotated, Any
from ..errors import BadRequest, GitError, InvalidArgs, NoWorkTree, UsageError, text
from ..limits import Context, step, watched
from ..paths.attributes import Attributes, Value, valid_name
from ..paths.pathspec import Pathspecs, PathspecSpec
from ..paths.plain_words import runs_of
from ..plans.positionals import Positionals
from ..plans.words import words_in_turn
from ..records import typed_row
from ..render.style import Style
from ..repo.absolute import through_links
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command


@typed_row
class AttributeRow:
    """One attribute of a path: "set", "unset", "unspecified", or its value."""

    path: str
    attribute: str
    value: str


class CheckAttrResult(Result):
    """The requested attributes, path by path."""

    attributes: list[AttributeRow] = Field(description="One row for each path and attribute.")


class CheckAttrRequest(Request[CheckAttrResult]):
    """`git check-attr`: the attributes of paths."""

    attributes: list[str] = Field(default_factory=list, description="Names of attributes, e.g. ['text', 'diff'].")
    paths: list[str] = Field(default_factory=list, description="The paths; they need not exist.")
    all: Annotated[bool, Flag("-a", "--all", no=True)] = Field(False, description="Every attribute that is specified.")
    cached: Annotated[bool, Flag("--cached", no=True)] = Field(
        False, description="Read .gitattributes from the index only."
    )
    stdin: Annotated[bool, Flag("--stdin", no=True)] = Field(False, description="Read the paths from standard input.")
    null: Annotated[bool, Flag("-z")] = Field(False, description="NUL between fields and paths.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.stdin


#: attributes and their values, in the order of output
Pairs = tuple[tuple[bytes, Value], ...]


class Asked:
    """The attributes of a request, with the data to look them up for paths."""

    def __init__(self, store: Store, request: CheckAttrRequest, attributes: Attributes) -> None:
        self.store, self.request, self.attributes = store, request, attributes

    def answers(self, words: Iterable[bytes]) -> Iterator[tuple[list[bytes], list[Pairs]]]:
        """Words in their order, and for each word its attributes with their values; only one list of these if all of
        the words have the same."""
        for run in runs_of(words, self.store.prefix):
            step()
            if run.folder is None:
                yield run.words, [self._pairs(_path(self.store, run.words[0]))]
            elif self._given(run.folder):
                yield run.words, [self._pairs(run.base + name) for name in watched(run.names)]
            else:
                yield run.words, [self._none]

    @cached_property
    def _names(self) -> list[bytes]:
        return [to_bytes(name) for name in self.request.attributes]

    @property
    def _none(self) -> Pairs:
        """The output for a path that has none of the attributes."""
        return () if self.request.all else tuple((name, None) for name in self._names)

    def _given(self, folder: bytes) -> bool:
        """Whether some line sets one of the attributes for paths of a directory."""
        named = self.attributes.named_in(folder)
        return bool(named) if self.request.all else not named.isdisjoint(self._names)

    def _pairs(self, path: bytes) -> Pairs:
        if self.request.all:
            return tuple(self.attributes.all(path).items())
        return tuple(zip(self._names, self.attributes.lookup(path, self._names)))


def _shown(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    return b"unspecified" if value is None else b"set" if value else b"unset"


def _path(store: Store, word: bytes) -> bytes:
    if not word:
        return b""
    try:
        items = Pathspecs.parse(
            [word],
            store.prefix,
            PathspecSpec(literal=True),
            work_tree=store.work_tree,
            elsewhere=partial(through_links, store),
        ).items
    except GitError as error:
        raise BadRequest(error.message.removeprefix(f"{text(word)}: ")) from None
    return items[0].match


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind attributes before `--` and paths after it; without `--` the first word is the attribute."""
    given, stdin = words.before + words.after, values.get("stdin")
    if values.get("all"):
        if words.dashdash and words.before:
            raise UsageError("Attributes and --all both specified")
        names: list[str] = []
        paths = given
    elif words.dashdash:
        names, paths = words.before, words.after
    elif stdin:
        names, paths = given, []
    else:
        names, paths = given[:1], given[1:]
    if not names and not values.get("all"):
        raise UsageError("No attribute specified")
    if stdin and paths:
        raise UsageError("Can't specify files with --stdin")
    if not stdin and not paths:
        raise UsageError("No file specified")
    values["attributes"], values["paths"] = names, paths


def run(store: Store, request: CheckAttrRequest, ctx: Context) -> Asked:
    """Check the names; the attributes are looked up when the paths are known."""
    for name in request.attributes:
        if not valid_name(to_bytes(name)):
            raise InvalidArgs(f"{name}: not a valid attribute name", status=255)
    if store.work_tree is None and not store.bare:
        raise NoWorkTree("this operation must be run in a work tree")
    store.index_asked = True  # git reads it first: what the work tree lacks is taken from there
    return Asked(store, request, Attributes(store, index_only=request.cached))


def collect(asked: Asked, request: CheckAttrRequest) -> CheckAttrResult:
    """The typed result."""
    rows = [
        AttributeRow(to_text(word), to_text(name), to_text(_shown(value)))
        for words, pairs in asked.answers([to_bytes(path) for path in request.paths])
        for word, own in zip(words, pairs * len(words) if len(pairs) < len(words) else pairs)
        for name, value in own
    ]
    return CheckAttrResult(attributes=rows)


def render(asked: Asked, request: CheckAttrRequest, style: Style) -> Iterator[bytes]:
    """git's lines."""
    blocks = style.blocks(b"\0" if request.null else b"\n") if request.stdin else None
    words = words_in_turn(request.paths, blocks, null=request.null)
    form = b"\0%s\0%s\0" if request.null else b": %s: %s\n"
    kept: dict[Pairs, list[bytes]] = {}  # the part after the path in each of its lines
    for run, pairs in chain.from_iterable(map(asked.answers, words)):
        shown = run if request.null else style.quote.each(run)
        if len(pairs) < len(shown):
            pairs = pairs * len(shown)
        lines: list[bytes] = []
        for path, own in zip(shown, pairs):
            ends = kept.get(own)
            if ends is None:
                ends = kept[own] = [form % (name, _shown(value)) for name, value in own]
            lines += [path + end for end in ends]
        yield b"".join(lines)


COMMAND = Command(
    "check-attr",
    CheckAttrRequest,
    CheckAttrResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="the attributes of paths",
    usage="git check-attr [-a | --all | <attr>...] [--] <pathname>...\n"
    "   or: git check-attr --stdin [-z] [-a | --all | <attr>...]",
)
