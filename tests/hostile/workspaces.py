"""What the watchdog asks of a workspace over each member of the zoo: files listed, read, changed, staged, shown."""

from collections.abc import Callable

from gitglass.workspace.views import diff_of
from gitglass.workspace.workspace import Workspace

_FILE = "README.md"


def _written(workspace: Workspace) -> object:
    workspace.write(_FILE, b"written\n")
    return diff_of(workspace)


def _new(workspace: Workspace) -> object:
    workspace.write("new/deep/file", b"new\n")
    workspace.stage(["new/deep/file"], "New")
    return diff_of(workspace)


def _deleted(workspace: Workspace) -> object:
    workspace.delete(_FILE)
    return diff_of(workspace)


def _moved(workspace: Workspace) -> object:
    workspace.move(_FILE, "moved/README.md")
    workspace.stage([_FILE, "moved/README.md"], "Move")
    return diff_of(workspace)


#: name → what is done in a fresh workspace over HEAD
CALLS: dict[str, Callable[[Workspace], object]] = {
    "files of the top": lambda workspace: workspace.files(),
    "all files": lambda workspace: workspace.files(recursive=True),
    "read": lambda workspace: workspace.read(_FILE),
    "write": _written,
    "stage what is new": _new,
    "delete": _deleted,
    "stage what is moved": _moved,
}
