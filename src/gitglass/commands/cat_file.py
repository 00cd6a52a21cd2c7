"""git cat-file: one object, or many named on standard input."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ..annotations import Annotated, Any, Literal
from ..errors import BadRequest, Corrupt, GitError, InvalidArgs, NotFound, UsageError
from ..limits import Context
from ..objects.loose import BadHead
from ..paths.tree_listing import TreeListSpec, list_tree
from ..plans.positionals import Positionals
from ..records import typed_row
from ..render.ls_tree import TreeStyle, write_entries
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import base64_unless_text, exact_bytes, to_bytes, to_text
from ..revs.object_lookup import DEFAULT_FORMAT, BatchSpec, batch, lines_of, stored_as, with_mailmap
from ..revs.path_errors import misspelt
from ..revs.resolve import Resolved, resolve_full
from ..worktree.smudge import refuse_conversion, to_work_tree
from .command import Command

KINDS = (b"commit", b"tree", b"blob", b"tag")


class CatFileResult(Result):
    """The requested properties of the object: `kind` and `size`, and its `content` if that was requested.

    `base64` is set if the content is not UTF-8; `data` is the exact content.
    """

    oid: str | None = Field(None, description="The object's name.")
    kind: str | None = Field(None, description="commit, tree, blob or tag.")
    size: int | None = Field(None, description="Bytes.")
    exists: bool = Field(True, description="Whether there is such an object.")
    content: str | None = Field(None, description="The object, as git prints it.")
    base64: str | None = Field(None, description="The same bytes in Base64, where they are not UTF-8.")

    @property
    def data(self) -> bytes:
        """The content as git prints it, byte for byte."""
        return exact_bytes(self.content, self.base64)


_SPELLED = {
    "type": "-t",
    "size": "-s",
    "exists": "-e",
    "pretty": "-p",
    "textconv": "--textconv",
    "filters": "--filters",
}
_CONVERSIONS = ("textconv", "filters")


def _mode(word: str) -> Flag:
    """An option that excludes the other ones of its kind."""
    return Flag(_SPELLED[word], const=word, mode="what")


def _once(kind: str) -> Callable[[str | None], str]:
    def choose(before: str | None) -> str:
        if before is not None:
            raise InvalidArgs("only one batch option may be specified")
        return kind

    return choose


class CatFileRequest(Request[CatFileResult]):
    """`git cat-file`: an object, and what to print of it."""

    object: str | None = Field(None, description="The object, e.g. 'HEAD', 'v1.0^{tree}', 'HEAD:README.md'.")
    kind: str | None = Field(None, description="Print it raw as this kind: commit, tree, blob or tag.")
    what: Annotated[
        Literal["type", "size", "exists", "pretty", "textconv", "filters"] | None,
        _mode("type"),
        _mode("size"),
        _mode("exists"),
        _mode("pretty"),
        _mode("textconv"),
        _mode("filters"),
    ] = Field(
        None,
        description="Say its type, its size, whether it exists, print it for people (the default), or print a file as "
        "text (textconv) or as it would be checked out (filters). No program is run: where one is configured, refused.",
    )
    path: Annotated[str | None, Flag("--path", value="blob|tree", no=True, no_const=None)] = Field(
        None, description="With textconv and filters: the path, from the top, whose attributes count."
    )
    batch: Literal["batch", "check", "command"] | None = Field(None, description="Answer names from standard input.")
    batch_format: Annotated[
        str | None,
        Flag("--batch", value="format", optional=True, const=None, sets={"batch": _once("batch")}),
        Flag("--batch-check", value="format", optional=True, const=None, sets={"batch": _once("check")}),
        Flag("--batch-command", value="format", optional=True, const=None, sets={"batch": _once("command")}),
    ] = Field(None, description="The line for each object: %(objectname) %(objecttype) %(objectsize) %(rest) …")
    null_input: Annotated[bool, Flag("-z")] = Field(False, description="Names on standard input end in NUL.")
    all_objects: Annotated[bool, Flag("--batch-all-objects", mode="what")] = Field(
        False, description="Every object there is."
    )
    unordered: Annotated[bool, Flag("--unordered", no=True)] = Field(False, description="In any order.")
    buffer: Annotated[bool, Flag("--buffer", no=True)] = Field(False, description="Buffer the output of --batch.")
    follow_symlinks: Annotated[bool, Flag("--follow-symlinks", no=True)] = Field(
        False, description="In --batch, follow symbolic links inside of a tree."
    )
    mailmap: Annotated[bool, Flag("--use-mailmap", "--mailmap", no=True)] = Field(
        False, description="Name people as .mailmap does."
    )
    unknown_type: Annotated[bool, Flag("--allow-unknown-type", no=True)] = Field(
        False, description="Accept objects of kinds that are none of git's."
    )

    @property
    def reads_stdin(self) -> bool:
        """Whether names come from standard input, as in batch modes."""
        return self.batch is not None and not self.all_objects


@typed_row
class Answer:
    """The requested parts of one object; or the batch, which waits for its input."""

    oid: bytes = b""
    kind: bytes = b""
    size: int = 0
    exists: bool = True
    data: bytes | None = None
    batch: Callable[[Iterable[bytes]], Iterator[bytes]] | None = None


#: options for batches only, in the order in which git reports them
_OF_BATCHES = {
    "follow_symlinks": "--follow-symlinks", "buffer": "--buffer", "all_objects": "--batch-all-objects",
    "null_input": "-z",
}  # fmt: skip


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind `<type> <object>`, or an object after one of the options."""
    given = words.before + words.after
    what = values.get("what")
    if values.get("path") is not None and what not in _CONVERSIONS:
        raise UsageError("'--path=<path|tree-ish>' needs '--filters' or '--textconv'", prefix="fatal")
    if values.get("batch") is not None:
        if what is not None and what not in _CONVERSIONS:
            raise UsageError(f"'{_SPELLED[what]}' is incompatible with batch mode", prefix="fatal")
        if given and what is None:
            raise UsageError("batch modes take no arguments", prefix="fatal")
        return
    for name, option in _OF_BATCHES.items():
        if values.get(name) or (name == "buffer" and name in values):
            raise UsageError(f"'{option}' requires a batch mode", prefix="fatal")
    if what is not None:
        if len(given) != 1:
            wanted = f"{'<rev>' if what in _CONVERSIONS else '<object>'} required with '{_SPELLED[what]}'"
            raise UsageError("too many arguments" if given else wanted, prefix="fatal")
        values["object"] = given[0]
        return
    if not given:
        raise UsageError("")
    if len(given) != 2:
        raise UsageError(f"only two arguments allowed in <type> <object> mode, not {len(given)}", prefix="fatal")
    values["kind"], values["object"] = given


def run(store: Store, request: CatFileRequest, ctx: Context) -> Answer:
    """Look up the object; the objects of batches are looked up when they are printed."""
    if request.batch is not None:
        return Answer(batch=lambda blocks: _batch(store, request, blocks, ctx))
    if request.unknown_type and request.what not in ("type", "size"):
        raise BadRequest("git cat-file --allow-unknown-type: use with -s or -t")
    name = request.object or ""
    # git resolves the name as it does before an error, when `:/text` is also searched in the index
    resolved = None if name.startswith(":/") else resolve_full(store, name, ctx=ctx)
    if resolved is None:
        why = misspelt(store, to_bytes(name), ctx=ctx)
        raise why or NotFound(f"Not a valid object name {name}", name=name)
    oid = resolved.oid
    if request.what == "exists":
        exists = store.odb.has(oid)
        if not exists and store.odb.is_fetched(oid):
            raise store.odb.missing(oid)
        ctx.exit_status = 0 if exists else 1
        return Answer(oid, exists=exists)
    if request.what in ("type", "size"):
        return _info(store, oid, request)
    if request.what in _CONVERSIONS:
        return _converted(store, resolved, name, request, ctx)
    if request.what == "pretty" or request.kind is None:
        return _pretty(store, oid, name, request, ctx)
    return _raw(store, oid, name, request)


def _info(store: Store, oid: bytes, request: CatFileRequest) -> Answer:
    try:
        kind, size = stored_as(store, oid)
    except NotFound as error:
        raise NotFound("git cat-file: could not get object info", oid=oid.hex()) from error
    except BadHead as error:
        if not (request.unknown_type and error.kind):
            raise _unread(error, "git cat-file: could not get object info") from None
        kind, size = error.kind, error.size
    return Answer(oid, kind, size)


def _unread(error: BadHead, reason: str) -> GitError:
    """git's error about a header that it does not read: what it complains of, and the reason why the command ends."""
    if not error.lines:
        return error
    complaints = "".join(f"{line}\nerror: " for line in error.lines).removesuffix("error: ")
    return Corrupt(f"{complaints}fatal: {reason}", prefix="error")


def _pretty(store: Store, oid: bytes, name: str, request: CatFileRequest, ctx: Context) -> Answer:
    """An object as it is stored, a tree in the format of `ls-tree`."""
    try:
        stored_as(store, oid)
        kind, data = store.odb.read(oid)
    except NotFound as error:
        raise NotFound(f"Not a valid object name {name}", name=name) from error
    except BadHead as error:
        raise _unread(error, f"Not a valid object name {name}") from None
    size = len(data)
    if kind == b"tree":
        quote = Style(store, ctx).quote
        entries = list_tree(store, oid, TreeListSpec(), ctx=ctx)
        data = b"".join(write_entries(entries, store, TreeStyle(), quote))
    elif request.mailmap:
        data = with_mailmap(store, kind, data)
    return Answer(oid, kind, size, data=data)


def _converted(store: Store, resolved: Resolved, name: str, request: CatFileRequest, ctx: Context) -> Answer:
    """`--textconv` and `--filters`: a file converted as its path requires; other objects in git's own form."""
    path = resolved.path if request.path is None else to_bytes(request.path)
    if path is None:
        raise BadRequest(f"<object>:<path> required, only <object> '{name}' given")
    is_file = resolved.mode & 0o170000 in (0, 0o100000)
    if request.what == "textconv":
        if is_file:
            refuse_conversion(store, path, "cat-file")
        return _pretty(store, resolved.oid, name, request, ctx)
    try:
        kind, data = store.odb.read(resolved.oid)
    except NotFound as error:
        raise NotFound(
            f"cannot read object {resolved.oid.hex()} '{to_text(path)}'", name=name, prefix="error", status=255
        ) from error
    if kind == b"blob" and is_file:
        data = to_work_tree(store, path, data, ctx=ctx)
    return Answer(resolved.oid, kind, len(data), data=data)


def _raw(store: Store, oid: bytes, name: str, request: CatFileRequest) -> Answer:
    wanted = to_bytes(request.kind or "")
    if wanted not in KINDS:
        raise BadRequest(f'invalid object type "{request.kind}"')
    kind, data = b"", b""
    while True:
        try:
            kind, data = store.odb.read(oid)
        except NotFound:
            break
        if kind == wanted:
            data = with_mailmap(store, kind, data) if request.mailmap else data
            return Answer(oid, kind, len(data), data=data)
        if kind == b"tag":
            oid = store.odb.tag(oid).object
        elif kind == b"commit" and wanted == b"tree":
            oid = store.odb.commit(oid).tree
        else:
            break
    raise NotFound(f"git cat-file {name}: bad file", name=name)


def _batch(store: Store, request: CatFileRequest, blocks: Iterable[bytes], ctx: Context) -> Iterator[bytes]:
    if request.all_objects and store.is_partial:
        ctx.warn("This repository uses promisor remotes. Some objects may not be loaded.")
    form = DEFAULT_FORMAT if request.batch_format is None else to_bytes(request.batch_format)
    spec = BatchSpec(
        form,
        contents=request.batch == "batch",
        commands=request.batch == "command",
        all_objects=request.all_objects,
        unordered=request.unordered,
        follow_symlinks=request.follow_symlinks,
        buffer=request.buffer,
        mailmap=request.mailmap,
        convert=partial(_convert, store, request.what, ctx) if request.what in _CONVERSIONS else None,
    )
    if request.all_objects:
        yield from batch(store, (), spec, ctx=ctx)
        return
    for block in blocks:
        expected = block.count(b"\0" if request.null_input else b"\n")
        yield from batch(store, lines_of(block, request.null_input), spec, ctx=ctx, expected=expected)


def _convert(store: Store, what: str | None, ctx: Context, path: bytes, data: bytes) -> bytes:
    if what == "filters":
        return to_work_tree(store, path, data, ctx=ctx)
    refuse_conversion(store, path, "cat-file")
    return data


def collect(answer: Answer, request: CatFileRequest) -> CatFileResult:
    """The typed result."""
    if answer.batch is not None:
        data = b"".join(answer.batch([to_bytes(request.object or "")]))
        return CatFileResult(content=to_text(data), base64=base64_unless_text(data))
    if not answer.exists or request.what == "exists":
        return CatFileResult(oid=answer.oid.hex(), exists=answer.exists)
    result = CatFileResult(oid=answer.oid.hex(), kind=to_text(answer.kind), size=answer.size)
    if answer.data is None:
        return result
    shown = {"content": to_text(answer.data), "base64": base64_unless_text(answer.data)}
    return result.model_copy(update=shown)


def render(answer: Answer, request: CatFileRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    if answer.batch is not None:
        yield from answer.batch(style.fresh_blocks(b"\0" if request.null_input else b"\n"))
    elif request.what == "type":
        yield answer.kind + b"\n"
    elif request.what == "size":
        yield b"%d\n" % answer.size
    elif answer.data is not None:
        yield answer.data


COMMAND = Command(
    "cat-file",
    CatFileRequest,
    CatFileResult,
    run=run,
    collect=collect,
    render=render,
    bind=bind,
    summary="An object's type, size or content.",
    usage="git cat-file <type> <object>\n   or: git cat-file (-t | -s | -e | -p) <object>\n"
    "   or: git cat-file (--batch | --batch-check | --batch-command) [--batch-all-objects]\n"
    "   or: git cat-file (--textconv | --filters) [<rev>:<path> | --path=<path> <rev>]",
)
