"""git hash-object: the object ids of contents. Nothing is written: -w is refused."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, NotFound, UsageError, text
from ..limits import Context, need
from ..paths.lexical import normal_path
from ..plans.positionals import Positionals
from ..plans.words import stdin_words
from ..records import typed_row
from ..render.style import Style
from ..repo.discover import why_missing
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes
from ..worktree.hashing import cleaned, name_of
from .command import Command

_DIRECTORY, _KIND = 0o040000, 0o170000


class HashObjectResult(Result):
    """Names, in the order of the input."""

    oids: list[str] = Field(description="Object names.")


class HashObjectRequest(Request[HashObjectResult]):
    """`git hash-object`."""

    files: list[str] = Field(default_factory=list, description="Files, seen from the current directory.")
    kind: Annotated[str, Flag("-t", value="type")] = Field(
        "blob", description="'blob', 'tree', 'commit' or 'tag': what the content is to be."
    )
    stdin: Annotated[list[bool], Flag("--stdin", append=True), Flag("--no-stdin", const=False, append=True)] = Field(
        default_factory=list, description="Standard input is content, before the files."
    )
    stdin_paths: Annotated[bool, Flag("--stdin-paths", no=True)] = Field(
        False, description="Standard input names files, one a line."
    )
    no_filters: Annotated[bool, Flag("--no-filters", no=True), Flag("--filters", const=False)] = Field(
        False, description="Content as it is, whatever attributes and settings say."
    )
    path: Annotated[str | None, Flag("--path", value="file", no=True, no_const=None)] = Field(
        None, description="Treat content as if it stood at this path."
    )
    literally: Annotated[bool, Flag("--literally", no=True)] = Field(
        False, description="Whatever the content is, and whatever its type is called."
    )

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return any(self.stdin) or self.stdin_paths


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind files. Raises InvalidArgs for options that exclude each other."""
    files = values["files"] = words.before + words.after
    flags = values.get("stdin", [])
    stdin = flags[::-1].index(False) if False in flags else len(flags)  # --no-stdin cancels those before it
    values["stdin"] = [True] * stdin
    path = values.get("path") is not None
    complaint = ""
    if values.get("stdin_paths"):
        if stdin:
            complaint = "Can't use --stdin-paths with --stdin"
        elif files:
            complaint = "Can't specify files with --stdin-paths"
        elif path:
            complaint = "Can't use --stdin-paths with --path"
    else:
        if stdin > 1:
            complaint = "Multiple --stdin arguments are not supported"
        if path and values.get("no_filters"):
            complaint = "Can't use --path with --no-filters"
    if complaint:
        raise UsageError(complaint)


@typed_row
class Hashing:
    """Computes the oids of contents with the options of a request."""

    store: Store
    request: HashObjectRequest
    ctx: Context

    def names(self, style: Style | None) -> Iterator[bytes]:
        """The oids, each as soon as it is known; `style` has standard input."""
        request = self.request
        path = None if request.path is None else self._below(to_bytes(request.path))
        if any(request.stdin):
            yield self._name((style.stdin if style else None) or b"", path)
        for file in request.files:
            name = self._below(to_bytes(file))
            yield self._name(self._read(name, path), path or name)
        if request.stdin_paths and style is not None:
            for block in style.fresh_blocks():
                for word in stdin_words(block, null=False):
                    yield self._name(self._read(word), word)

    def _below(self, word: bytes) -> bytes:
        """A path relative to the top, not normalized, as in git."""
        return word if word.startswith(b"/") else self.store.prefix + word

    def _read(self, word: bytes, path_for_rules: bytes | None = None) -> bytes:
        """The content of a file, named from the top: git has changed to it, and paths of standard input begin there.
        `path_for_rules` is --path, which an error names."""
        self.ctx.check()
        store = self.store
        path = normal_path(store.work_tree if store.prefix and store.work_tree else store.cwd, word)
        files = self.store.named
        status = files.stat(path)
        if status is not None and status.st_mode & _KIND == _DIRECTORY:
            shown = b"(null)" if self.request.no_filters else path_for_rules or word
            raise BadRequest(f"Unable to hash {text(shown)}")
        need(0 if status is None else 2 * status.st_size)  # the original, and the stored form
        data = None if status is None else files.read_optional(path, self.ctx.limits.max_object_bytes)
        if data is None or word.endswith(b"/"):
            ending = b"/" if word.endswith(b"/") else b""
            reason = why_missing(path + ending, files)[1]
            raise NotFound(f"could not open '{text(word)}' for reading: {reason}")
        return data

    def _name(self, data: bytes, path: bytes | None) -> bytes:
        request = self.request
        kind = to_bytes(request.kind)
        if kind == b"blob" and path is not None and not request.no_filters and not request.literally:
            data = cleaned(self.store, path, data, ctx=self.ctx)
        return name_of(self.store, kind, data, literally=request.literally)


def run(store: Store, request: HashObjectRequest, ctx: Context) -> Hashing:
    """The object that computes the oids of a request."""
    return Hashing(store, request, ctx)


def collect(hashing: Hashing, request: HashObjectRequest) -> HashObjectResult:
    """The typed result."""
    return HashObjectResult(oids=[oid.hex() for oid in hashing.names(None)])


def render(hashing: Hashing, request: HashObjectRequest, style: Style) -> Iterator[bytes]:
    """One oid on each line."""
    for oid in hashing.names(style):
        yield oid.hex().encode() + b"\n"


COMMAND = Command(
    "hash-object",
    HashObjectRequest,
    HashObjectResult,
    run,
    collect,
    render,
    bind=bind,
    needs_repository=False,
    settings="hash-object",
    refused={"-w": "it writes an object"},
    summary="the names that content has as objects",
    usage="[-t <type>] [--path=<file> | --no-filters] [--stdin] [--] <file>...",
)
