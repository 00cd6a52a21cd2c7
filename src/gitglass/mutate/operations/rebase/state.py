"""A rebase that is under way: what it began with, as git keeps it in `rebase-merge/` while it is interrupted, and what
is left of it. Mirrors git-rebase(1) and the files that git 2.39 leaves."""

from __future__ import annotations

from ....errors import BadRequest, Unsupported, text
from ....records import field, record
from ....request.pick_mutations import CherryPickRequest
from ...view import View
from ..common import has_state
from .todo import Step, count_steps, read_steps

FOLDER = b"rebase-merge/"
_DETACHED = b"detached HEAD"


@record
class Rebase:
    """What a rebase began with: `branch` is the full name of the branch (None: HEAD was detached), `head` its commit,
    `onto` the new base. `done` are the lines that were carried out, `left` those to come, `rewritten` which commit
    became which."""

    branch: bytes | None
    head: bytes
    onto: bytes
    left: list[Step] = field(default_factory=list)
    done: bytes = b""
    rewritten: bytes = b""
    quiet: bool = False
    verbose: bool = False
    signoff: bool = False
    force: bool = False
    empty: str = "drop"
    strategy: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    autostash: bytes | None = None
    action: bytes = b"rebase"  # what logs call it
    backup: bytes | None = None  # the list as it was at first; None: it is there already

    @property
    def picking(self) -> CherryPickRequest:
        """How a commit is picked."""
        return CherryPickRequest(signoff=self.signoff, strategy=self.strategy, options=self.options)

    @property
    def name(self) -> bytes:
        """What is rebased, in words."""
        return _DETACHED if self.branch is None else self.branch

    def files(self, view: View) -> dict[bytes, bytes | None]:
        """The files of a rebase that stops, but for those of the commit that it stops at."""
        fails = view.config.get_bool("rebase.reschedulefailedexec", False)
        whole: dict[bytes, bytes | None] = {
            b"head-name": self.name + b"\n",
            b"onto": self.onto.hex().encode() + b"\n",
            b"orig-head": self.head.hex().encode() + b"\n",
            b"interactive": b"",
            b"reschedule-failed-exec" if fails else b"no-reschedule-failed-exec": b"",
            b"quiet": b"" if self.quiet else None,
            b"verbose": b"" if self.verbose else None,
            b"signoff": b"--signoff\n" if self.signoff else None,
            b"drop_redundant_commits": b"" if self.empty == "drop" else None,
            b"keep_redundant_commits": b"" if self.empty == "keep" else None,
            b"autostash": None if self.autostash is None else self.autostash.hex().encode() + b"\n",
        }
        if self.strategy or self.options:
            whole[b"strategy"] = (self.strategy[-1] if self.strategy else "ort").encode() + b"\n"
        if self.options:
            whole[b"strategy_opts"] = "".join(f" --{option}" for option in self.options).encode() + b"\n"
        files = whole if self.backup is not None else {}
        files[b"git-rebase-todo"] = b"".join(step.line + b"\n" for step in self.left)
        files[b"done"] = self.done
        files[b"rewritten-list"] = self.rewritten or None
        if self.backup is not None:
            files[b"git-rebase-todo.backup"] = self.backup
        return {FOLDER + name: after for name, after in files.items()}


def is_under_way(view: View) -> bool:
    """Whether a rebase is. Raises Unsupported for one with git's other backend, or `git am`."""
    if has_state(view, b"rebase-apply"):
        raise Unsupported("gitglass does not go on with `git am`, or a rebase with --apply", option="rebase-apply")
    return has_state(view, b"rebase-merge")


def all_gone(view: View) -> dict[bytes, bytes | None]:
    """All files of the directory, taken away."""
    folder = view.store.git_path(b"rebase-merge")
    return {FOLDER + name: None for name, _ in view.store.jail.scandir(folder)} if has_state(view, FOLDER[:-1]) else {}


def read_rebase(view: View) -> Rebase:
    """The rebase that is interrupted. Raises BadRequest for files that are none of git's, Unsupported for what gitglass
    does not carry out."""
    for name, what in (
        (b"gpg_sign_opt", "signs"), (b"cdate_is_adate", "sets dates"), (b"ignore_date", "sets dates"),
        (b"squash-onto", "makes a new root"), (b"amend", "stops for amending"), (b"update-refs", "moves other refs"),
        (b"current-fixups", "melds commits"),
    ):  # fmt: skip
        if has_state(view, FOLDER + name):
            raise Unsupported(f"gitglass does not go on with a rebase that {what}", option=text(name))
    branch = (_line(view, b"head-name") or b"").rstrip()
    done = view.git_file(FOLDER + b"done") or b""
    rebase = Rebase(
        branch=None if branch == _DETACHED else branch,
        head=_commit(view, b"orig-head"),
        onto=_commit(view, b"onto"),
        left=read_steps(view, view.git_file(FOLDER + b"git-rebase-todo") or b""),
        done=done,
        rewritten=view.git_file(FOLDER + b"rewritten-list") or b"",
        quiet=_is_set(view, b"quiet"),
        verbose=_is_set(view, b"verbose"),
        signoff=_is_set(view, b"signoff"),
        empty="keep" if _is_set(view, b"keep_redundant_commits") else
        "drop" if _is_set(view, b"drop_redundant_commits") else "ask",
        strategy=[text(word) for word in (_line(view, b"strategy") or b"").split()],
        options=[text(word).removeprefix("--") for word in (_line(view, b"strategy_opts") or b"").split()],
        autostash=_commit(view, b"autostash") if _is_set(view, b"autostash") else None,
    )  # fmt: skip
    return rebase


def done_count(view: View, rebase: Rebase) -> int:
    """How many commands were carried out."""
    return count_steps(view, rebase.done)


def _is_set(view: View, name: bytes) -> bool:
    return has_state(view, FOLDER + name)


def _line(view: View, name: bytes) -> bytes | None:
    return view.git_file(FOLDER + name)


def _commit(view: View, name: bytes) -> bytes:
    raw = (_line(view, name) or b"").strip()
    if len(raw) != view.store.hex_len or raw.strip(b"0123456789abcdefABCDEF"):
        path = text(view.store.git_path(FOLDER + name))
        raise BadRequest(f"could not read '{path}'", prefix="error")
    return bytes.fromhex(raw.decode())
