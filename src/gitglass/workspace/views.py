"""The views of a workspace: patches by our renderer, and document 4's texts of status and diff."""

from __future__ import annotations

from ..cli.answer import Session, answered
from ..errors import BadRequest, text
from ..limits import Context
from .files import WsFiles
from .layers import WorkspaceStore
from .model import StagedCommit, StagedFile
from .staging import Staging

_HEADINGS = {"modified": "Modified", "new": "New", "deleted": "Deleted"}
_SIGNS = {"create": "+", "delete": "-"}


def asked(store: WorkspaceStore, argv: list[str], ctx: Context) -> bytes:
    """The output of a reading command on the workspace's objects. Raises BadRequest."""
    try:
        status, out, err = answered(argv, Session(store.where, None, store=store, confined=True), ctx)
    finally:
        store.refresh()
    if status > 1:
        raise BadRequest(text(err).removeprefix("fatal: ").rstrip("\n"), status=status)
    return out


def trees_diff(
    workspace: WsFiles,
    old: bytes,
    new: bytes,
    ctx: Context,
    *,
    options: tuple[str, ...] = (),
    paths: tuple[bytes, ...] = (),
) -> bytes:
    """The patch from one tree to another, as `git diff -M` prints it."""
    specs = [":(top,literal)" + text(path) for path in paths]
    return asked(workspace.store, ["diff", "--no-color", "-M", *options, old.hex(), new.hex(), "--", *specs], ctx)


def diff_of(
    workspace: Staging, word: str | None = None, *, names: tuple[str, ...] = (), options: tuple[str, ...] = ()
) -> bytes:
    """The patch of a staged commit; without a name, that of the unstaged changes. Raises NotFound."""
    with workspace.working() as ctx:
        old, new = _sides(workspace, word, ctx)
        return trees_diff(
            workspace, old, new, ctx, options=options, paths=tuple(workspace.path(name) for name in names)
        )


def _sides(workspace: Staging, word: str | None, ctx: Context) -> tuple[bytes, bytes]:
    if word is None:
        return workspace.overlay.tree, workspace.overlay.made(ctx)
    one = workspace.find(word)
    return workspace.tree_before(workspace.staged.index(one)), bytes.fromhex(one.tree)


# --- document 4's texts ---------------------------------------------------------------------------------------------


def size_words(size: int) -> str:
    """`1.2 KB`, as document 4 writes sizes."""
    return f"{size / 1024:.1f} KB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MB"


def status_text(workspace: Staging) -> str:
    """Document 4's `git_status`: the sandbox, conflicts first, then the staged commits."""
    rows = workspace.files(changed_only=True)
    lines = ["Sandbox Status:"]
    if workspace.conflicts:
        lines.append("  In conflict:")
        lines += [
            f"    {workspace.mount.name_of(path)}: {one.kind}" for path, one in sorted(workspace.conflicts.items())
        ]
    for change, heading in _HEADINGS.items():
        part = [row for row in rows if row.change == change]
        if part:
            lines.append(f"  {heading}:")
            lines += [_row(workspace, row.path, row.size) for row in part]
    if len(lines) == 1:
        lines.append("  Nothing is changed.")
    lines += ["", "Staged Commits:"]
    for one in workspace.staged:
        lines.append(f'  [{one.id[:6]}] "{one.subject}" ({_files(len(one.files))})')
        lines += [f"    {sign_of(file)} {file.sandbox_path}" for file in one.files]
    if not workspace.staged:
        lines.append("  None.")
    return "\n".join(lines) + "\n"


def _row(workspace: Staging, path: str, size: int | None) -> str:
    name = workspace.mount.name_of(path.encode("utf-8", "surrogateescape"))
    return f"    {name}" if size is None else f"    {name} ({size_words(size)})"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def sign_of(file: StagedFile) -> str:
    """`+`, `-` or `M`."""
    return _SIGNS.get(file.operation, "M")


def diff_text(workspace: Staging, word: str | None = None) -> bytes:
    """Document 4's `git_diff`: the requested staged commits, each file under its name in the sandbox."""
    with workspace.working() as ctx:
        chosen = workspace.staged if word is None else (workspace.find(word),)
        return b"\n".join(_commit_text(workspace, one, ctx) for one in chosen)


def _commit_text(workspace: Staging, one: StagedCommit, ctx: Context) -> bytes:
    old, new = _sides(workspace, one.id, ctx)
    parts = [f'Staged commit: {one.id[:6]} "{one.subject}"\n'.encode("utf-8", "surrogateescape")]
    for file in one.files:
        path = file.path.encode("utf-8", "surrogateescape")
        patch = trees_diff(workspace, old, new, ctx, paths=(path,), options=("--no-renames",))
        parts.append(_heads(file) + body_of(patch))
    return b"\n".join(parts)


def _heads(file: StagedFile) -> bytes:
    name = file.sandbox_path
    before = "/dev/null" if file.operation == "create" else f"a{name}"
    after = "/dev/null" if file.operation == "delete" else name if file.operation == "create" else f"b{name}"
    mode = (
        f"mode {file.old_mode} -> {file.new_mode}\n"
        if file.old_mode and file.new_mode not in ("", file.old_mode)
        else ""
    )
    return f"--- {before}\n+++ {after}\n{mode}".encode("utf-8", "surrogateescape")


def body_of(patch: bytes) -> bytes:
    """A patch of one file without its head."""
    lines = patch.split(b"\n")
    for at, line in enumerate(lines):
        if line.startswith((b"@@ ", b"Binary files ")):
            return b"\n".join(lines[at:])
    return b""
