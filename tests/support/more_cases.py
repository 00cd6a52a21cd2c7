"""More operations to kill and to fail: series of several commits, what is put away for them, patches as files."""

from __future__ import annotations

from pathlib import Path

from gitglass.request.mutations import PatchFilesRequest

from .kill_cases import LOST, Case, after, at_odds, folders, half_merged, merged, nothing, parted, resolved
from .writing import done


def dirty(repo: Path) -> None:
    """Two branches that can be brought together, and changes that are in no commit."""
    parted(repo)
    (repo / "src/app.py").write_bytes(LOST)


def in_the_way(repo: Path) -> None:
    """The same, where what was put away cannot come back."""
    parted(repo)
    (repo / "docs/nonl.txt").write_bytes(LOST)


def stopped_dirty(repo: Path) -> None:
    """A rebase that stopped, with changes put away."""
    at_odds(repo)
    (repo / "src/app.py").write_bytes(LOST)
    after("?rebase --autostash side")(repo)


def resolved_dirty(repo: Path) -> None:
    """The same, its conflict solved."""
    stopped_dirty(repo)
    (repo / "docs/nonl.txt").write_bytes(b"solved\n")
    after("add docs/nonl.txt")(repo)


def three(repo: Path) -> None:
    """Three commits on a branch, of which the second is at odds with ours."""
    after("switch -c side")(repo)
    for number, name in enumerate(("one.txt", "README.md", "two.txt")):
        (repo / name).write_bytes(b"theirs %d\n" % number)
        after("add -A", f"commit -m theirs{number}")(repo)
    after("switch main")(repo)
    (repo / "README.md").write_bytes(b"ours\n")
    after("commit -a -m ours")(repo)
    (repo / "untracked.txt").write_bytes(LOST)


def picked(repo: Path) -> None:
    """A series that stopped at the second commit, its conflict solved."""
    after("?cherry-pick side~3..side", first=three)(repo)
    (repo / "README.md").write_bytes(b"solved\n")
    after("add README.md")(repo)


def carries_on(repo: Path) -> None:
    """Local changes where the other branch has its own: one that can be merged, one that cannot."""
    parted(repo)
    (repo / "docs/nonl.txt").write_bytes(b"here, too\n")
    (repo / "README.md").write_bytes(b"ours\nmore\n")


def merged_by_hand(repo: Path) -> None:
    """A merge that stopped, its conflict solved."""
    after("?merge side", first=at_odds)(repo)
    (repo / "docs/nonl.txt").write_bytes(b"solved\n")
    after("add docs/nonl.txt")(repo)


def patches_made(repo: Path) -> None:
    """Patches, as files."""
    done(repo, PatchFilesRequest(from_ref="HEAD~2", to_ref="HEAD", folder="out"))


MORE_CASES: dict[str, Case] = {
    "rebase --autostash": Case(dirty, ["rebase", "--autostash", "side"]),
    "rebase --autostash, in the way": Case(in_the_way, ["rebase", "--autostash", "side"]),
    "rebase --autostash that conflicts": Case(after(first=at_odds), ["rebase", "--autostash", "side"]),
    "rebase --continue, autostash": Case(resolved_dirty, ["rebase", "--continue"]),
    "rebase --skip, autostash": Case(stopped_dirty, ["rebase", "--skip"]),
    "rebase --abort, autostash": Case(stopped_dirty, ["rebase", "--abort"]),
    "rebase --quit, autostash": Case(stopped_dirty, ["rebase", "--quit"]),
    "rebase --onto": Case(three, ["rebase", "--onto", "main", "side~1", "side"]),
    "rebase --force-rebase": Case(three, ["rebase", "--force-rebase", "HEAD~2"]),
    "undo rebase --autostash": Case(after("rebase --autostash side", first=dirty), ["undo"]),
    "undo rebase --continue, autostash": Case(after("rebase --continue", first=resolved_dirty), ["undo"]),
    "merge --autostash": Case(dirty, ["merge", "--autostash", "-m", "m", "side"]),
    "merge --autostash, in the way": Case(in_the_way, ["merge", "--autostash", "-m", "m", "side"]),
    "merge --abort, autostash": Case(after("?merge --autostash side", first=at_odds), ["merge", "--abort"]),
    "merge --no-ff": Case(after("switch -c old HEAD~2"), ["merge", "--no-ff", "-m", "m", "main"]),
    "merge --no-commit": Case(parted, ["merge", "--no-commit", "side"]),
    "merge --continue": Case(merged_by_hand, ["merge", "--continue"]),
    "merge --quit": Case(merged_by_hand, ["merge", "--quit"]),
    "merge -X ours": Case(at_odds, ["merge", "-X", "ours", "-m", "m", "side"]),
    "cherry-pick of several": Case(three, ["cherry-pick", "side~1", "side~2"]),
    "cherry-pick of several that conflicts": Case(three, ["cherry-pick", "side~3..side"]),
    "cherry-pick --continue": Case(picked, ["cherry-pick", "--continue"]),
    "cherry-pick --skip": Case(after("?cherry-pick side~3..side", first=three), ["cherry-pick", "--skip"]),
    "cherry-pick --quit": Case(after("?cherry-pick side~3..side", first=three), ["cherry-pick", "--quit"]),
    "cherry-pick -n": Case(parted, ["cherry-pick", "-n", "side"]),
    "undo cherry-pick of several": Case(after("cherry-pick side~2 side", first=three), ["undo"]),
    "revert of several": Case(three, ["revert", "--no-edit", "side", "side~2"]),
    "revert that conflicts": Case(at_odds, ["revert", "--no-edit", "side"]),
    "revert -n": Case(parted, ["revert", "-n", "HEAD"]),
    "patch-files": Case(nothing, PatchFilesRequest(from_ref="HEAD~2", to_ref="HEAD", folder="out")),
    "patch-files, again": Case(after("switch -c side HEAD~1", "switch main"), PatchFilesRequest(
        from_ref="HEAD~1", to_ref="HEAD", folder="docs")),
    "undo patch-files": Case(patches_made, ["undo"]),
    "reset --hard, sparse": Case(nothing, ["reset", "--hard", "HEAD~1"], "sparse"),
    "switch --merge": Case(carries_on, ["switch", "--merge", "side"]),
    "checkout --merge PATH": Case(half_merged, ["checkout", "--merge", "both.txt"], "conflict"),
    "checkout --merge of a resolved PATH": Case(merged, ["checkout", "--merge", "both.txt", "src/app.py"], "conflict"),
    "undo switch --merge": Case(after("switch --merge side", first=carries_on), ["undo"]),
    "mv, again": Case(folders, ["mv", "-k", "docs", "src", "README.md", "src"]),
    "undo rebase --continue": Case(after("rebase --continue", first=resolved), ["undo"]),
    "undo revert": Case(after("revert --no-edit HEAD", first=parted), ["undo"]),
}  # fmt: skip
