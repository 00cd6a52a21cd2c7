"""The operations that are killed, and made to fail, at every call that changes something: what is done before each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gitglass.mutate.writer import approve
from gitglass.records import record
from gitglass.request.mutations import Mutation

from .twins import START, ours
from .writing import writer_of

LOST = b"changed and nowhere else\n"


def no_more(place: Path) -> dict[str, Any]:
    """What every writer of these tests is granted, and nothing else."""
    return {}


@record
class Case:
    """One operation: what is done before it, and its command line; `undo` is of the last operation. `archive` is the
    repository of fixtures/, `inside` the directory of it that is worked in.

    `make` makes the repositories in place of an archive, in a directory, with the address of the other one; `others`
    are the directories of those beside. `served`: the other one is asked over http. `deed` is what is done where that
    is no command line; `granted` what a writer is granted, given a directory that lies in no repository.
    """

    prepare: Callable[[Path], None]
    argv: list[str] | Mutation
    archive: str = "plain"
    inside: str = "."
    make: Callable[[Path, str], None] | None = None
    others: tuple[str, ...] = ()
    served: bool = False
    deed: Callable[[Path], None] | None = None
    granted: Callable[[Path], dict[str, Any]] = no_more


def edits(repo: Path) -> None:
    """A tracked file that was changed, and a new one."""
    (repo / "README.md").write_bytes(LOST)
    (repo / "fresh.txt").write_bytes(b"fresh\n")


def nothing(repo: Path) -> None:
    """The repository as it is."""


def after(*lines: str, first: Callable[[Path], None] = nothing) -> Callable[[Path], None]:
    """A preparation: edits, then command lines; one with a `?` may end with another status."""

    def prepare(repo: Path) -> None:
        first(repo)
        for number, line in enumerate(lines):
            status, out, err = ours(repo, line.removeprefix("?").split(), START - 100 + number)
            assert status == 0 or line.startswith("?"), (line, out, err)

    return prepare


def staged(repo: Path) -> None:
    """A change in the index, and another one of the same file beside it."""
    after("add README.md fresh.txt", first=edits)(repo)
    (repo / "README.md").write_bytes(b"changed once more\n")


def stashed(repo: Path) -> None:
    """Two entries of the stash, the newer one with an untracked file."""
    edits(repo)
    after("stash", first=nothing)(repo)
    (repo / "README.md").write_bytes(b"another change\n")
    after("stash push -u")(repo)


def carried(repo: Path) -> None:
    """A branch to go to, and a change that may come along."""
    after("branch side HEAD~2")(repo)
    (repo / "untracked.txt").write_bytes(b"stays\n")


def undo_last(repo: Path) -> None:
    """The last operation, turned round."""
    writer = writer_of(repo)
    plan = writer.undo(writer.operations()[-1].id)
    assert writer.apply(plan, approve(plan, "test")).unexpected == []


def undone(*lines: str, first: Callable[[Path], None] = edits) -> Callable[[Path], None]:
    """An operation that was undone."""

    def prepare(repo: Path) -> None:
        after(*lines, first=first)(repo)
        undo_last(repo)

    return prepare


def folders(repo: Path) -> None:
    """A directory to move or to remove, with a changed file that is staged."""
    (repo / "docs/more").mkdir()
    (repo / "docs/more/deep.txt").write_bytes(b"deep\n")
    after("add docs")(repo)


def both_ways(repo: Path) -> None:
    """On one branch `odd` is a file, on the other a directory."""
    after("switch -c file")(repo)
    (repo / "odd").write_bytes(b"a file\n")
    after("add odd", "commit -m file", "switch main", "switch -c folder")(repo)
    (repo / "odd").mkdir()
    (repo / "odd/deep").write_bytes(b"in a directory\n")
    after("add odd", "commit -m folder")(repo)


def executable(repo: Path) -> None:
    """A mode that changed, a link that was retargeted, a file that is gone."""
    (repo / "README.md").chmod(0o755)
    (repo / "logo.bin").unlink()
    (repo / "docs/nonl.txt").unlink()
    (repo / "docs/nonl.txt").symlink_to("../README.md")


def merged(repo: Path) -> None:
    """A merge whose conflicts are solved, not yet committed."""
    for name in ("both.txt", "src/app.py"):
        (repo / name).write_bytes(b"solved: %b\n" % name.encode())
    after("add both.txt src/app.py", "rm src/tools.py")(repo)


def half_merged(repo: Path) -> None:
    """A merge of which one conflict is solved, and is not staged."""
    (repo / "both.txt").write_bytes(b"solved\n")


def parted(repo: Path) -> None:
    """Two branches that can be merged."""
    after("switch -c side", first=nothing)(repo)
    (repo / "theirs.txt").write_bytes(b"theirs\n")
    (repo / "docs/nonl.txt").write_bytes(b"theirs, too\n")
    after("add -A", "commit -m theirs", "switch main")(repo)
    (repo / "README.md").write_bytes(b"ours\n")
    after("commit -a -m ours")(repo)
    (repo / "untracked.txt").write_bytes(LOST)


def at_odds(repo: Path) -> None:
    """Two branches that cannot."""
    parted(repo)
    (repo / "docs/nonl.txt").write_bytes(b"ours, too\n")
    after("commit -a -m more")(repo)


def resolved(repo: Path) -> None:
    """A rebase that stopped, its conflict solved."""
    after("?rebase side", first=at_odds)(repo)
    (repo / "docs/nonl.txt").write_bytes(b"solved\n")
    after("add docs/nonl.txt")(repo)


def stash_twice(repo: Path) -> None:
    """An entry of the stash, and something to put away."""
    after("stash", first=edits)(repo)
    edits(repo)


def stash_both(repo: Path) -> None:
    """An entry with a staged change and another one beside it."""
    staged(repo)
    after("stash")(repo)


CASES: dict[str, Case] = {
    "add": Case(edits, ["add", "README.md", "fresh.txt"]),
    "add -A": Case(executable, ["add", "-A"]),
    "add -u": Case(executable, ["add", "-u"]),
    "add -N": Case(edits, ["add", "-N", "fresh.txt"]),
    "add --chmod": Case(edits, ["add", "--chmod=+x", "README.md"]),
    "add of a conflict": Case(half_merged, ["add", "both.txt"], "conflict"),
    "commit": Case(staged, ["commit", "-m", "m"]),
    "commit -a": Case(edits, ["commit", "-a", "-m", "m"]),
    "commit PATH": Case(staged, ["commit", "-m", "m", "README.md"]),
    "commit --amend": Case(staged, ["commit", "--amend", "-m", "better"]),
    "commit --allow-empty": Case(nothing, ["commit", "--allow-empty", "-m", "m"]),
    "commit of a merge": Case(merged, ["commit", "-m", "m"], "conflict"),
    "commit, the first": Case(nothing, ["commit", "-m", "m"], "unborn"),
    "commit, detached": Case(after("switch --detach", first=edits), ["commit", "-a", "-m", "m"]),
    "commit, linked": Case(nothing, ["commit", "-a", "-m", "m"], "linked", "wt"),
    "commit, packed refs": Case(edits, ["commit", "-a", "-m", "m"], "packed"),
    "commit, sha256": Case(edits, ["commit", "-a", "-m", "m"], "sha256"),
    "branch": Case(nothing, ["branch", "fresh/new"]),
    "branch -f": Case(after("branch side"), ["branch", "-f", "side", "HEAD~1"]),
    "branch -D": Case(after("branch gone/away HEAD~1"), ["branch", "-D", "gone/away"]),
    "branch -D, packed": Case(nothing, ["branch", "-D", "topic"], "packed"),
    "branch -D, bare": Case(nothing, ["branch", "-D", "topic"], "bare"),
    "branch -m": Case(nothing, ["branch", "-m", "renamed"]),
    "branch -m, packed": Case(nothing, ["branch", "-m", "topic", "renamed"], "packed"),
    "branch -m D/F": Case(nothing, ["branch", "-m", "topic", "topic/below"]),
    "branch -m -f": Case(nothing, ["branch", "-M", "main", "topic"]),
    "branch -c": Case(nothing, ["branch", "-c", "copied"]),
    "branch -u": Case(nothing, ["branch", "-u", "main", "topic"]),
    "branch --unset-upstream": Case(nothing, ["branch", "--unset-upstream"]),
    "tag": Case(nothing, ["tag", "fresh-tag"]),
    "tag -a": Case(nothing, ["tag", "-a", "-m", "m", "fresh-note"]),
    "tag -f": Case(after("tag moved"), ["tag", "-f", "moved", "HEAD~1"]),
    "tag -d": Case(after("tag gone"), ["tag", "-d", "gone"]),
    "tag -d, packed": Case(nothing, ["tag", "-d", "v1.0", "v2.0", "loose-tag"], "packed"),
    "tag -a, bare": Case(nothing, ["tag", "-a", "-m", "m", "fresh-note"], "bare"),
    "update-ref": Case(nothing, ["update-ref", "-m", "why", "refs/heads/topic", "HEAD~1"]),
    "update-ref, new": Case(nothing, ["update-ref", "refs/odd/name", "HEAD~1", ""]),
    "update-ref HEAD": Case(nothing, ["update-ref", "-m", "why", "HEAD", "HEAD~1", "HEAD"]),
    "update-ref -d": Case(nothing, ["update-ref", "-d", "refs/heads/topic"]),
    "update-ref -d, packed": Case(nothing, ["update-ref", "-d", "refs/tags/v1.0"], "packed"),
    "rm": Case(nothing, ["rm", "README.md"]),
    "rm -f": Case(edits, ["rm", "-f", "README.md"]),
    "rm -r": Case(folders, ["rm", "-r", "-f", "docs", "src"]),
    "rm --cached": Case(nothing, ["rm", "--cached", "README.md"]),
    "mv": Case(edits, ["mv", "README.md", "moved.md"]),
    "mv -f": Case(edits, ["mv", "-f", "README.md", "src/app.py"]),
    "mv of a directory": Case(folders, ["mv", "docs", "src/below"]),
    "restore": Case(edits, ["restore", "README.md"]),
    "restore --staged": Case(staged, ["restore", "--staged", "README.md", "fresh.txt"]),
    "restore --source": Case(edits, ["restore", "--source=HEAD~2", "--staged", "--worktree", "."]),
    "restore of modes": Case(executable, ["restore", "."]),
    "reset --soft": Case(staged, ["reset", "--soft", "HEAD~1"]),
    "reset": Case(staged, ["reset", "HEAD~1"]),
    "reset PATH": Case(staged, ["reset", "HEAD~2", "--", "README.md"]),
    "reset --keep": Case(nothing, ["reset", "--keep", "HEAD~2"]),
    "reset --hard": Case(staged, ["reset", "--hard", "HEAD~1"]),
    "reset --hard of a merge": Case(half_merged, ["reset", "--hard"], "conflict"),
    "switch": Case(carried, ["switch", "side"]),
    "switch D/F": Case(both_ways, ["switch", "file"]),
    "switch F/D": Case(after("switch file", first=both_ways), ["switch", "folder"]),
    "switch -c": Case(edits, ["switch", "-c", "other"]),
    "switch --detach": Case(carried, ["switch", "--detach", "HEAD~2"]),
    "switch -f": Case(after("branch side HEAD~2", first=edits), ["switch", "-f", "side"]),
    "switch, linked": Case(after("commit -a -m m"), ["switch", "-c", "other", "HEAD~2"], "linked", "wt"),
    "checkout": Case(carried, ["checkout", "side"]),
    "checkout -b": Case(carried, ["checkout", "-b", "fresh", "HEAD~2"]),
    "checkout -B": Case(carried, ["checkout", "-B", "side", "HEAD~1"]),
    "checkout -- PATH": Case(edits, ["checkout", "--", "README.md"]),
    "checkout HEAD~2 -- .": Case(edits, ["checkout", "HEAD~2", "--", "."]),
    "stash": Case(staged, ["stash"]),
    "stash push -u": Case(stash_twice, ["stash", "push", "-u"]),
    "stash push -k": Case(staged, ["stash", "push", "-k", "-m", "words"]),
    "stash push PATH": Case(staged, ["stash", "push", "--", "README.md"]),
    "stash pop": Case(stashed, ["stash", "pop"]),
    "stash pop --index": Case(stash_both, ["stash", "pop", "--index"]),
    "stash apply": Case(stashed, ["stash", "apply", "stash@{1}"]),
    "stash branch": Case(stashed, ["stash", "branch", "fresh"]),
    "stash drop": Case(stashed, ["stash", "drop"]),
    "stash drop stash@{1}": Case(stashed, ["stash", "drop", "stash@{1}"]),
    "stash clear": Case(stashed, ["stash", "clear"]),
    "merge, forward": Case(after("switch -c old HEAD~2"), ["merge", "main"]),
    "merge": Case(parted, ["merge", "-m", "m", "side"]),
    "merge --squash": Case(parted, ["merge", "--squash", "side"]),
    "merge that conflicts": Case(at_odds, ["merge", "side"]),
    "merge --abort": Case(half_merged, ["merge", "--abort"], "conflict"),
    "cherry-pick": Case(parted, ["cherry-pick", "side"]),
    "cherry-pick that conflicts": Case(at_odds, ["cherry-pick", "side"]),
    "cherry-pick --abort": Case(after("?cherry-pick side", first=at_odds), ["cherry-pick", "--abort"]),
    "revert": Case(parted, ["revert", "--no-edit", "HEAD"]),
    "rebase": Case(parted, ["rebase", "side"]),
    "rebase of another branch": Case(parted, ["rebase", "main", "side"]),
    "rebase that conflicts": Case(at_odds, ["rebase", "side"]),
    "rebase --continue": Case(resolved, ["rebase", "--continue"]),
    "rebase --skip": Case(after("?rebase side", first=at_odds), ["rebase", "--skip"]),
    "rebase --abort": Case(after("?rebase side", first=at_odds), ["rebase", "--abort"]),
    "undo rebase": Case(after("rebase side", first=parted), ["undo"]),
    "undo rebase that conflicts": Case(after("?rebase side", first=at_odds), ["undo"]),
    "undo merge": Case(after("merge -m m side", first=parted), ["undo"]),
    "undo merge that conflicts": Case(after("?merge side", first=at_odds), ["undo"]),
    "undo add": Case(after("add -A", first=edits), ["undo"]),
    "undo restore": Case(after("restore README.md", first=edits), ["undo"]),
    "undo commit": Case(after("commit -a -m m", first=edits), ["undo"]),
    "undo stash": Case(after("stash push -u", first=edits), ["undo"]),
    "undo stash pop": Case(after("stash pop", first=stashed), ["undo"]),
    "undo reset --hard": Case(after("reset --hard HEAD~1", first=staged), ["undo"]),
    "undo switch": Case(after("switch side", first=carried), ["undo"]),
    "undo branch -D": Case(after("branch gone HEAD~1", "branch -D gone"), ["undo"]),
    "undo branch -m": Case(after("branch -m renamed"), ["undo"]),
    "undo tag -a": Case(after("tag -a -m m noted"), ["undo"]),
    "undo update-ref": Case(after("update-ref refs/heads/topic HEAD~1"), ["undo"]),
    "undo rm": Case(after("rm -r docs"), ["undo"]),
    "undo mv": Case(after("mv docs src/below", first=folders), ["undo"]),
    "redo restore": Case(undone("restore README.md"), ["undo"]),
    "redo commit": Case(undone("commit -a -m m"), ["undo"]),
    "redo stash": Case(undone("stash push -u"), ["undo"]),
    "redo switch": Case(undone("switch side", first=carried), ["undo"]),
    "redo branch -D": Case(undone("branch gone HEAD~1", "branch -D gone"), ["undo"]),
    "redo mv": Case(undone("mv docs src/below", first=folders), ["undo"]),
}
