"""Operations that run granted programs, to be killed and made to fail: filters, merge drivers, hooks, a signer.

All of them give the same for the same, so that two runs end in the same state.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitglass.mutate.process.granted import Filter, GrantedHooks, Programs, Signer
from gitglass.request.mutations import AddRequest, CommitRequest, Mutation

from .kill_cases import LOST, Case, after, edits, parted, staged
from .programs import filter_program, program
from .writing import done

#: a signer that signs the same each time
_GPG = """
import sys, hashlib
data = sys.stdin.buffer.read()
sys.stderr.write('[GNUPG:] BEGIN_SIGNING\\n[GNUPG:] SIG_CREATED D\\n')
print('-----BEGIN PGP SIGNATURE-----\\n\\n%s\\n-----END PGP SIGNATURE-----' % hashlib.sha256(data).hexdigest())
"""
_HOOK = f"#!{sys.executable} -IS\nimport sys\nprint('ran')\n"
_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_DRIVER = """
import sys
ours, theirs = (open(name, 'rb').read() for name in sys.argv[1:3])
open(sys.argv[1], 'wb').write(ours + theirs)
"""


def _rooms(place: Path) -> str:
    (place / "rooms").mkdir(exist_ok=True)
    return str(place / "rooms")


def filtering(place: Path) -> dict[str, Any]:
    """Content is upper case in the repository, lower case in the work tree."""
    clean = filter_program(place / "bin", "clean", "data.upper()", "%f")
    smudge = filter_program(place / "bin", "smudge", "data.lower()", "%f")
    return {"programs": Programs(filters={"x": Filter(clean, smudge)}, rooms=_rooms(place))}


def driving(place: Path) -> dict[str, Any]:
    """A merge driver that takes both."""
    driver = program(place / "bin", "driver", _DRIVER, "%A", "%B")
    return {"programs": Programs(drivers={"both": driver}, rooms=_rooms(place))}


def signing(place: Path) -> dict[str, Any]:
    """A signer."""
    signer = Signer(program(place / "bin", "signer", _GPG), "KEY")
    return {"programs": Programs(signer=signer, rooms=_rooms(place))}


def hooking(place: Path) -> dict[str, Any]:
    """The hooks of a commit, by their bytes."""
    files = dict.fromkeys(_HOOKS, hashlib.sha256(_HOOK.encode()).hexdigest())
    return {"hooks": GrantedHooks(files, 20.0), "programs": Programs(rooms=_rooms(place))}


def _configure(repo: Path, words: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write(words)


def filtered(*lines: str) -> Callable[[Path], None]:
    """Files that a filter is for: one that was staged and one that was changed since, and what else is to be done."""

    def prepare(repo: Path) -> None:
        (repo / ".git/info").mkdir(exist_ok=True)
        (repo / ".git/info/attributes").write_text("*.up filter=x\n")
        for name in ("a.up", "b.up"):
            (repo / name).write_text(f"{name} one\n")
        granted = filtering(repo.parent.parent / "before")
        requests: list[Mutation] = [AddRequest(all=True), CommitRequest(message=["filtered"])]
        for request in requests:
            done(repo, request, **granted)
        (repo / "a.up").write_bytes(LOST)
        after(*lines)(repo)

    return prepare


def driven(repo: Path) -> None:
    """Two branches that changed one file, for which there is a driver."""
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.log merge=both\n")
    _configure(repo, '[merge "both"]\n\tdriver = false\n')
    for branch, text in (("", "base\n"), ("side", "theirs\n"), ("main", "ours\n")):
        if branch:
            after("switch -c side" if branch == "side" else "switch main")(repo)
        (repo / "both.log").write_text(text)
        after("add both.log", "commit -m m")(repo)


def to_sign(repo: Path) -> None:
    """A change to commit, and the setting that signs it."""
    staged(repo)
    _configure(repo, "[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n")


def picks_to_sign(repo: Path) -> None:
    """Branches to merge, and the setting that signs."""
    parted(repo)
    _configure(repo, "[commit]\n\tgpgSign = true\n")


def hooked(repo: Path) -> None:
    """A change to commit, and the hooks of a commit."""
    edits(repo)
    (repo / ".git/hooks").mkdir(exist_ok=True)
    for name in _HOOKS:
        (repo / ".git/hooks" / name).write_text(_HOOK)
        (repo / ".git/hooks" / name).chmod(0o755)


GRANTED_CASES: dict[str, Case] = {
    "add, filtered": Case(filtered(), ["add", "a.up"], granted=filtering),
    "commit -a, filtered": Case(filtered(), ["commit", "-a", "-m", "m"], granted=filtering),
    "restore, filtered": Case(filtered(), ["restore", "a.up"], granted=filtering),
    "reset --hard, filtered": Case(filtered("rm -f b.up"), ["reset", "--hard"], granted=filtering),
    "stash, filtered": Case(filtered(), ["stash"], granted=filtering),
    "switch, filtered": Case(filtered("reset --hard HEAD", "branch other HEAD~1"), ["switch", "other"], granted=filtering),
    "merge by a driver": Case(driven, ["merge", "-m", "m", "side"], granted=driving),
    "cherry-pick by a driver": Case(driven, ["cherry-pick", "side"], granted=driving),
    "commit, signed": Case(to_sign, ["commit", "-m", "m"], granted=signing),
    "tag -a, signed": Case(to_sign, ["tag", "-a", "-m", "m", "signed"], granted=signing),
    "merge, signed": Case(picks_to_sign, ["merge", "-m", "m", "side"], granted=signing),
    "cherry-pick, signed": Case(picks_to_sign, ["cherry-pick", "side"], granted=signing),
    "commit, hooked": Case(hooked, ["commit", "-a", "-m", "m"], granted=hooking),
}  # fmt: skip
