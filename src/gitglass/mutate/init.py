"""A new, empty repository: planned, approved and made like every change, though there is nothing yet to change.

    grant = WriteGrant(effects=frozenset({NEW_REPOSITORY}))
    plan = plan_init("/srv/sandbox", InitRequest(directory="project"), grant)
    create(plan, approve_init(plan, "alice"))

What is made is what `git init --template=` makes, byte for byte (git-init(1)): no hooks, no description. A repository
with a work tree is made under another name beside it and then given the name `.git`, so that it is there whole or not
at all; a bare one gets its HEAD last, which makes it a repository. One that is there already stays as it is; what an
`init` left whose process was killed is taken away, or finished, by the next one there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Callable

from ..disk.jail import Jail
from ..errors import BadRequest, Conflict, GitError, InvalidArgs, StaleApproval, Unreadable, Unsupported, text
from ..records import record, replace
from ..refs.names import check_refname
from ..request.init import NEW_REPOSITORY, InitRequest
from ..request.text import to_bytes
from .calls import Calls, process_space, process_start
from .door import SHARED, Door
from .grant import WriteGrant
from .plan import Answer, Preview

#: the directories that every new repository has
FOLDERS = (b"objects/info", b"objects/pack", b"refs/heads", b"refs/tags")
#: what is not finished: the process at it, when that began (proc(5)), and among which processes it is counted
_YOUNG = re.compile(rb"\.git\.gitglass-([0-9]+)-([0-9]+)-([0-9]+)-[0-9a-f]{12}")
_NAMES = {"umask": b"", "false": b"", "group": b"1", "true": b"1", "all": b"2", "world": b"2", "everybody": b"2"}
_BITS = {b"": 0, b"1": SHARED[b"group"], b"2": SHARED[b"all"]}
_ADVICE = b"".join(
    b"hint: %b\n" % line
    for line in (
        b"Using 'master' as the name for the initial branch. This default branch name",
        b"is subject to change. To configure the initial branch name to use in all",
        b"of your new repositories, which will suppress this warning, call:",
        b"", b"\tgit config --global init.defaultBranch <name>", b"",
        b"Names commonly chosen instead of 'master' are 'main', 'trunk' and",
        b"'development'. The just-created branch can be renamed via this command:",
        b"", b"\tgit branch -m <name>",
    )
)  # fmt: skip


@record(frozen=True)
class InitPlan:
    """A repository that is to be made. `folder` is its top below `root`; `files` are (name, content) in its git
    directory, none where there is a repository already; `left` are names there of what a killed `init` has left."""

    root: bytes
    folder: bytes
    bare: bool
    files: tuple[tuple[bytes, bytes], ...]
    shared: int
    answer: Answer
    preview: Preview
    left: tuple[bytes, ...] = ()
    digest: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be made."""
        return not self.files


@record(frozen=True)
class InitApproval:
    """A host's yes to one such plan, until it expires (epoch seconds)."""

    digest: str
    approver: str
    expires_at: float


def approve_init(plan: InitPlan, approver: str, *, seconds: float = 300.0) -> InitApproval:
    """The approval of a plan by the host."""
    return InitApproval(plan.digest, approver, time.time() + seconds)


def plan_init(
    root: str | os.PathLike[str], request: InitRequest, grant: WriteGrant, *, default_branch: str | None = None
) -> InitPlan:
    """What `request` would make in or below the directory `root`; nothing is written.

    `default_branch` is `init.defaultBranch`, where somebody has set it. Raises NotGranted, InvalidArgs for a directory
    outside of `root`, SandboxViolation for one behind a link, and what git would say of words that make no sense.
    """
    grant.need_effect(NEW_REPOSITORY)
    top = os.path.realpath(os.fsencode(root))
    folder = _folder(top, request.directory)
    door = _door(top, 0)
    git_dir = folder if request.bare else b"/".join(filter(None, (folder, b".git")))
    shown = top.rstrip(b"/") + b"/" + git_dir + (b"/" if git_dir else b"")
    config, bits = _config(request)
    head = _head(request, default_branch)
    files: tuple[tuple[bytes, bytes], ...] = ((b"config", config), (b"HEAD", head))
    left: tuple[bytes, ...] = ()
    if _is_repository(door, git_dir, shown, files if request.bare else ()):
        _check_format(door, git_dir, request.object_format)
        err = b"" if request.initial_branch is None else (
            b"warning: re-init: ignored --initial-branch=%b\n" % to_bytes(request.initial_branch)
        )  # fmt: skip
        out = b"" if request.quiet else b"Reinitialized existing Git repository in %b\n" % shown
        files = ()
    else:
        advised = request.initial_branch is None and default_branch is None and not request.quiet
        err = _ADVICE if advised else b""
        left = left_in(door, folder)
        kind = b"empty shared" if bits else b"empty"
        out = b"" if request.quiet else b"Initialized %b Git repository in %b\n" % (kind, shown)
    lines = [f"new {text(shown)}{text(name)}" for name, _ in files]
    lines += [f"removed {text(name)}: an interrupted init left it" for name in left]
    preview = Preview(request.summary(), "Medium", (NEW_REPOSITORY,) if files else (), lines)
    plan = InitPlan(top, folder, request.bare, files, bits, Answer(out, err), preview, left)
    return replace(plan, digest=_digest(plan))


def create(plan: InitPlan, approval: InitApproval, *, calls: Calls | None = None) -> Answer:
    """Make what was approved; git's words. Raises StaleApproval, Conflict where something has come in its way."""
    if approval.digest != plan.digest or plan.digest != _digest(plan):
        raise StaleApproval("the approval is for another plan", plan=plan.digest, changed=["digest"])
    if approval.expires_at <= time.time():
        raise StaleApproval("the approval has expired", plan=plan.digest, changed=["time"])
    if plan.is_empty:
        return plan.answer
    door = _door(plan.root, plan.shared, calls)
    try:
        door.need_folder(plan.folder)
        for name in plan.left:
            _remove(door, plan.folder + b"/" + name if plan.folder else name, plan)
        if plan.bare:
            _fill_directly(door, plan.folder, plan)
        else:
            _install(door, plan)
    except OSError as error:
        raise Unreadable(f"cannot create the repository: {error.strerror}", errno=error.errno) from error
    return plan.answer


def _install(door: Door, plan: InitPlan) -> None:
    """The git directory, made under another name, then given its own."""
    lead = plan.folder + b"/" if plan.folder else b""
    young, final = lead + young_name(), lead + b".git"
    door.need_folder(young)
    done = False
    try:
        _fill(door, young, plan)
        if door.lstat(final) is not None:  # a rename takes the place of an empty directory
            raise Conflict(f"'{text(final)}' has come into being meanwhile", path=text(final))
        door.rename(young, final)
        done = True
    finally:
        if not done:
            _remove(door, young, plan)


def _fill(door: Door, git_dir: bytes, plan: InitPlan) -> None:
    lead = git_dir + b"/" if git_dir else b""
    for folder in FOLDERS:
        door.need_folder(lead + folder)
    for name, content in plan.files:
        door.new_file(lead + name, content)


def _fill_directly(door: Door, git_dir: bytes, plan: InitPlan) -> None:
    """A bare repository where it belongs: each file appears whole, HEAD last."""
    lead = git_dir + b"/" if git_dir else b""
    for folder in FOLDERS:
        door.need_folder(lead + folder)
    for name, content in plan.files:
        if door.read(lead + name) == content:
            continue
        young = lead + young_name()
        try:
            door.new_file(young, content)
            if not door.give_name(young, lead + name):
                raise Conflict(f"'{text(lead + name)}' has come into being meanwhile", path=text(lead + name))
        finally:
            _try(lambda path=young: door.remove(path))  # type: ignore[misc]


def _remove(door: Door, young: bytes, plan: InitPlan) -> None:
    """Take away what an attempt that failed has made; the first error is the one that counts."""
    info = door.lstat(young)
    if info is not None and stat.S_ISREG(info.st_mode):
        _try(lambda: door.remove(young))
        return
    for name, _ in plan.files:
        _try(lambda path=young + b"/" + name: door.remove(path))  # type: ignore[misc]
    for folder in (*FOLDERS, b"objects", b"refs", b""):
        _try(lambda path=young + (b"/" + folder if folder else b""): _remove_folder(door, path))  # type: ignore[misc]


def _remove_folder(door: Door, path: bytes) -> None:
    parent, name = door.split(path)
    if parent is not None:
        door.calls.rmdir(parent.fd, name)


def _try(step: Callable[[], object]) -> None:
    try:
        step()
    except (OSError, GitError):
        pass  # what is left has a name that git does not look at


# ---------------------------------------------------------------------------------------------- what was interrupted
def young_name() -> bytes:
    """A name for what this process has not finished."""
    pid = os.getpid()
    about = f"{pid}-{process_start(pid) or 0}-{_counted_among() or 0}-{secrets.token_hex(6)}"
    return b".git.gitglass-" + about.encode()


def left_in(door: Door, folder: bytes) -> tuple[bytes, ...]:
    """The unfinished things of a directory whose processes are gone, by name."""
    opened = door.folder(folder)
    names = [] if opened is None else sorted(opened.names())
    return tuple(name for name in names if _is_left(name))


def _is_left(name: bytes) -> bool:
    fits = _YOUNG.fullmatch(name)
    if fits is None or fits[3].decode() != _counted_among():
        return False  # another container's processes cannot be asked after
    return process_start(int(fits[1])) != fits[2].decode()


def _counted_among() -> str:
    return "".join(one for one in process_space() if one.isdigit())


def is_begun(door: Door, lead: bytes, files: tuple[tuple[bytes, bytes], ...]) -> bool:
    """Whether what is there of a repository is the beginning of what `init` makes of these `files`, and nothing else.
    `lead` is its git directory with a slash, or nothing."""
    for folder in (b"objects", b"refs", *FOLDERS):
        opened = door.folder(lead + folder)
        inside = {path.rpartition(b"/")[2] for path in FOLDERS if path.startswith(folder + b"/")}
        if opened is not None and not inside.issuperset(opened.names()):
            return False
    return all(door.read(lead + name) in (None, content) for name, content in files)


# --------------------------------------------------------------------------------------------------------- contents
def _config(request: InitRequest) -> tuple[bytes, int]:
    """(the file `config`, permission bits for all who share the repository)."""
    if request.object_format not in ("sha1", "sha256"):
        raise BadRequest(f"unknown hash algorithm '{request.object_format}'")
    if request.shared not in _NAMES:
        raise Unsupported(f"gitglass init does not take --shared={request.shared}", option="--shared")
    shared = _NAMES[request.shared]
    sha256 = request.object_format == "sha256"
    lines = [
        b"[core]",
        b"\trepositoryformatversion = %d" % sha256,
        b"\tfilemode = true",
        b"\tbare = %b" % (b"true" if request.bare else b"false"),
    ]
    if not request.bare:
        lines.append(b"\tlogallrefupdates = true")
    if shared:
        lines += [b"\tsharedrepository = " + shared, b"[receive]", b"\tdenyNonFastforwards = true"]
    if sha256:
        lines += [b"[extensions]", b"\tobjectformat = sha256"]
    return b"\n".join(lines) + b"\n", _BITS[shared]


def _head(request: InitRequest, default: str | None) -> bytes:
    word = request.initial_branch if request.initial_branch is not None else default
    name = b"refs/heads/" + to_bytes("master" if word is None else word)
    if not check_refname(name):
        raise BadRequest(f"invalid initial branch name: '{text(name[11:])}'")
    return b"ref: " + name + b"\n"


# ----------------------------------------------------------------------------------------------------------- places
def _door(top: bytes, shared: int, calls: Calls | None = None) -> Door:
    return Door(Jail(top).directory(top), calls or Calls(), shared=shared)


def _folder(top: bytes, word: str) -> bytes:
    """A directory's path below `top`. Raises InvalidArgs for one that leads out of it."""
    path = os.path.normpath(os.path.join(top, os.fsencode(word)))
    if path == top:
        return b""
    if "\0" in word or not path.startswith(top.rstrip(b"/") + b"/"):
        raise InvalidArgs(f"'{word}' is outside of '{text(top)}'")
    folder = path[len(top.rstrip(b"/")) + 1 :]
    if b".git" in folder.lower().split(b"/"):
        raise InvalidArgs(f"'{word}' is inside of a git directory")
    return folder


def _is_repository(door: Door, git_dir: bytes, shown: bytes, files: tuple[tuple[bytes, bytes], ...]) -> bool:
    """Whether there is a repository already. Raises Conflict where something else is in the way; what is there of one
    whose `files` are being written where they belong may have been left by a killed `init`."""
    if git_dir:
        above = git_dir.split(b"/")
        for count in range(1, len(above) + 1):
            path = b"/".join(above[:count])
            status = door.lstat(path)
            if status is not None and stat.S_ISREG(status.st_mode):
                raise Conflict(f"cannot mkdir {text(path)}: File exists", status=128)
            if status is not None:
                door.folder(path)  # raises for a link
    lead = git_dir + b"/" if git_dir else b""
    there = [name for name in (b"HEAD", b"objects", b"refs") if door.lstat(lead + name) is not None]
    if 0 < len(there) < 3 and not (files and is_begun(door, lead, files)):
        raise Conflict(f"'{text(shown)}' holds a part of a repository", status=128)
    return len(there) == 3


def _check_format(door: Door, git_dir: bytes, object_format: str) -> None:
    config = door.read(git_dir + b"/config" if git_dir else b"config") or b""
    is_sha256 = b"objectformat=sha256" in config.lower().replace(b" ", b"")
    if is_sha256 != (object_format == "sha256") and object_format != "sha1":
        raise BadRequest("attempt to reinitialize repository with different hash")


def _digest(plan: InitPlan) -> str:
    value = [text(plan.root), text(plan.folder), plan.bare, [[text(a), text(b)] for a, b in plan.files], plan.shared,
             text(plan.answer.out), text(plan.answer.err), plan.preview.summary, plan.preview.lines]  # fmt: skip
    body = json.dumps(value, separators=(",", ":"))
    return hashlib.sha256(b"gitglass-init-1\0" + body.encode("utf-8", "surrogatepass")).hexdigest()
