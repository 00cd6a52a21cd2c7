"""git_status: branch, upstream, and the files that are staged, changed, in conflict or untracked."""

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ...deferred import deferred
from ...limits import paced, whole
from ..budget import Unit
from ..tool import Call, Tool, Uncut
from .params import Paged, Paths
from .paths import files_of_trees, index_files, meant_paths, work_tree_files

if TYPE_CHECKING:
    from ...commands.status import StatusRequest
else:
    StatusRequest = deferred(__name__, "...commands.status", "StatusRequest")

__all__ = ["TOOL"]


class StatusParams(Paged):
    """Arguments of git_status."""

    paths: Paths | None = None
    untracked: Literal["no", "normal", "all"] = "normal"
    ignored: bool = False


def answer(call: Call, asked: StatusParams) -> Uncut:
    """`## branch`, the operation in progress, and porcelain lines."""
    file_sets = [index_files(call), work_tree_files(call)]
    if asked.paths:
        file_sets += files_of_trees(call, ["HEAD"])
    meant = meant_paths(call, asked.paths, file_sets, "HEAD, the index or the work tree")
    request = StatusRequest(
        form="porcelain-v2",  # this form includes the operation in progress; the text is that of the other form
        branch=True,
        paths=meant.specs,
        untracked_files=asked.untracked,
        ignored="traditional" if asked.ignored else "no",
    )
    command, status = call.run("status", request)
    raw = whole(command.render(status, request.model_copy(update={"form": "porcelain"}), call.style))
    result: Any = command.collect(status, request)
    rows = [
        *(partial(_changed, row) for row in paced(result.entries)),
        *(partial(_named, "untracked", path) for path in paced(result.untracked)),
        *(partial(_named, "ignored", path) for path in paced(result.ignored)),
    ]
    units = call.line_units(raw)
    for unit in paced(units):
        unit.counted = not unit.text().startswith("## ")
    for unit, row in zip(paced([unit for unit in units if unit.counted]), rows, strict=False):
        unit.row = row
    at = sum(not unit.counted for unit in units)
    if result.operation:
        units.insert(at, Unit(lambda: f"# {result.operation} in progress\n", counted=False))
        at += 1
    if not rows:
        why = f"clean: nothing staged, changed{'' if asked.untracked == 'no' else ' or untracked'}"
        where = f" in {', '.join(meant.words)}" if meant.words else ""
        unmatched = meant.unmatched(call)
        more = f"; {unmatched}" if unmatched else ""
        units.append(Unit(lambda: call.text(f"{why}{where}{more}\n".encode("utf-8", "surrogateescape")), counted=False))

    def fields() -> dict[str, Any]:
        return {"branch": result.branch, "operation": result.operation, "clean": result.clean}

    return Uncut(units, "paths", "entries", fields, total=len(rows), state=raw)


def _changed(row: Any) -> dict[str, Any]:
    return {"kind": "changed", **{name: getattr(row, name) for name in row.__dataclass_fields__}}


def _named(kind: str, path: str) -> dict[str, Any]:
    return {"kind": kind, "path": path}


TOOL = Tool(
    "git_status",
    "Branch, upstream (ahead/behind), staged, changed, conflicted, untracked paths: `##` line + porcelain lines.",
    StatusParams,
    answer,
    title="Status",
    rows="entries",
    other_names={},
)
