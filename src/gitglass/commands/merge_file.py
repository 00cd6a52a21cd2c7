"""git merge-file -p: merges the changes of two files into a third and prints the result."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any, Literal
from ..errors import BadRequest, InvalidArgs, NotFound, Unsupported, text
from ..limits import Context, need
from ..merge.settings import conflict_style
from ..merge.three_way import MYERS, Merged, Sides, merge_texts
from ..paths.lexical import normal_path
from ..plans.positionals import Positionals
from ..plans.settings import judge_settings
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag, number
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command

USAGE = """\
usage: git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>

    -p, --stdout          print what comes of it
    --diff3               show the original between both sides
    --zdiff3              the same, without lines that both sides share
    --ours                settle conflicts with our lines
    --theirs              settle conflicts with their lines
    --union               settle conflicts with the lines of both
    --marker-size <n>     so many characters a mark
    -q, --quiet           no word about conflicts
    -L <name>             what file1, orig-file and file2 are called

"""
_DIRECTORY, _KIND = 0o040000, 0o170000
_MARK = 7
_MOST_CONFLICTS = 127  # the most that the exit status can express
_BINARY_SNIFF = 8000
_WRITES = "gitglass only reads: merge-file writes its first file, -p prints what it would hold"


class MergeFileResult(Result):
    """The merged text."""

    text: str = Field(description="The text, with marks around conflicts.")
    conflicts: int = Field(description="How many conflicts there are in it.")


class MergeFileRequest(Request[MergeFileResult]):
    """`git merge-file -p`: applies the changes from one file to another to a third."""

    files: list[str] = Field(default_factory=list, description="Ours, the original, theirs.")
    stdout: Annotated[bool, Flag("-p", "--stdout", no=True)] = Field(False, description="Print it: needed here.")
    style: Annotated[
        Literal["merge", "diff3", "zdiff3"] | None,
        Flag("--diff3", const="diff3"),
        Flag("--zdiff3", const="zdiff3"),
        Flag("--no-diff3", "--no-zdiff3", const="merge"),
    ] = Field(None, description="What stands between marks (merge.conflictStyle).")
    favor: Annotated[
        Literal["", "ours", "theirs", "union"],
        Flag("--ours", const="ours"),
        Flag("--theirs", const="theirs"),
        Flag("--union", const="union"),
        Flag("--no-ours", "--no-theirs", "--no-union", const=""),
    ] = Field("", description="Settle conflicts: 'ours', 'theirs', or 'union', the lines of both.")
    marker_size: Annotated[
        int, Flag("--marker-size", value="n", parse=number("marker-size")), Flag("--no-marker-size", const=0)
    ] = Field(0, description="So many characters a mark; 0 or less: 7.")
    quiet: Annotated[bool, Flag("-q", "--quiet", no=True)] = Field(
        False, description="Say nothing of a file that cannot be merged."
    )
    labels: Annotated[list[str], Flag("-L", value="name", append=True)] = Field(
        default_factory=list, description="What the files are called in marks, in their order."
    )


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind three files."""
    values["files"] = words.before + words.after


def run(store: Store, request: MergeFileRequest, ctx: Context) -> Merged:
    """Merge. Raises NotFound (status 255) for a missing file, BadRequest for a file that is no text."""
    if len(request.labels) > 3:
        raise InvalidArgs("too many labels on the command line")
    if len(request.files) != 3:
        raise InvalidArgs(USAGE, prefix="")
    if not request.stdout:
        raise Unsupported(_WRITES, status=129, prefix="error")
    if store.exists:
        judge_settings("merge-file", store.config)
    style = request.style or (conflict_style(store) if store.exists else "merge")
    try:
        ours, base, theirs = (_read(store, to_bytes(name), ctx) for name in request.files)
    except (BadRequest, NotFound) as error:
        if request.quiet:
            error.message = ""
        raise
    mine, original, other = map(to_bytes, [*request.labels, *request.files[len(request.labels) :]])
    size = request.marker_size if request.marker_size > 0 else _MARK
    sides = Sides((mine, other, original), size, style, request.favor, joins_blank=True)
    return merge_texts(base, ours, theirs, sides, MYERS, ctx=ctx)


def _read(store: Store, name: bytes, ctx: Context) -> bytes:
    ctx.check()
    path, files = normal_path(store.cwd, name), store.named
    status = files.stat(path)
    shown = text(name if name.startswith(b"/") else store.prefix + name)
    if status is None:
        raise NotFound(f"Could not stat {shown}: No such file or directory", prefix="error", status=255, path=shown)
    if status.st_mode & _KIND == _DIRECTORY:
        raise BadRequest(f"Could not open {shown}: Is a directory", prefix="error", status=255, path=shown)
    need(4 * status.st_size)
    data = files.read_optional(path, ctx.limits.max_object_bytes)
    if data is None:
        raise NotFound(f"Could not open {shown}: No such file or directory", prefix="error", status=255, path=shown)
    if b"\0" in data[:_BINARY_SNIFF]:
        raise BadRequest(f"Cannot merge binary files: {text(name)}", prefix="error", status=255, path=shown)
    return data


def collect(merged: Merged, request: MergeFileRequest) -> MergeFileResult:
    """The typed result."""
    return MergeFileResult(text=to_text(merged.text), conflicts=merged.conflicts)


def render(merged: Merged, request: MergeFileRequest, style: Style) -> Iterator[bytes]:
    """The text; the status is the number of conflicts."""
    style.ctx.exit_status = min(merged.conflicts, _MOST_CONFLICTS)
    yield merged.text


COMMAND = Command(
    "merge-file",
    MergeFileRequest,
    MergeFileResult,
    run,
    collect,
    render,
    bind=bind,
    usage=USAGE,
    summary="two changes to a text put together",
    needs_repository=False,
)
