"""What each commit of a log changed, and which commits are shown for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.specs import changed

from gitglass.diff.changes import letter_of
from gitglass.diff.spec import DiffSpec, Pickaxe
from gitglass.history.log_diff import LogDiffs, LogDiffSpec, log_entries
from gitglass.history.spec import Quota, WalkEntry
from gitglass.limits import Context, Limits
from gitglass.paths.pathspec import Pathspecs

from ..support.worktrees import Repo

CTX = Context(Limits(timeout=None), now=0)


class Logged:
    """Commits by name, and what a log of them says."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.parents: dict[str, str] = {}
        self.oids: dict[str, bytes] = {}

    def make(self, name: str, parents: str = "", **files: bytes) -> None:
        rows = [b"100644 %s\0%s" % (file.encode(), self.repo.put("blob", files[file])) for file in sorted(files)]
        lines = [b"tree " + self.repo.put("tree", b"".join(rows)).hex().encode()]
        lines += [b"parent " + self.oids[parent].hex().encode() for parent in parents]
        lines += [b"author A <a@b> 1 +0000", b"committer A <a@b> 1 +0000", b"", name.encode(), b""]
        self.oids[name] = self.repo.put("commit", b"\n".join(lines))
        self.parents[name] = parents

    def entry(self, name: str) -> WalkEntry:
        return WalkEntry(self.oids[name], None, tuple(self.oids[p] for p in self.parents[name]), 0)  # type: ignore[arg-type]

    def diffs(self, paths: str = "", **how: Any) -> LogDiffs:
        store = self.repo.store()
        spec = DiffSpec(pathspecs=Pathspecs.parse([paths.encode()])) if paths else DiffSpec()
        return LogDiffs(store, spec, LogDiffSpec(**{"diff": True, **how}), CTX)

    def of(self, name: str, **how: Any) -> list[tuple[str, str]]:
        """(the parent named, the changes) of each diff of a commit."""
        names = {oid: name for name, oid in self.oids.items()}
        parts = self.diffs(**how).of(self.entry(name))
        return [
            (names.get(part.parent or b"", ""), " ".join(f"{c.status}{c.new.path.decode()}" for c in part.changes))
            for part in parts
        ]

    def log(self, names: str, max_count: int = -1, *, hidden: bool = False, **how: Any) -> list[tuple[str, bool]]:
        """(message, whether it is hidden) of each entry."""
        entries = log_entries(map(self.entry, names), self.diffs(**how), max_count, hidden=hidden)
        by_oid = {oid: name for name, oid in self.oids.items()}
        return [(by_oid[entry.walked.oid], entry.hidden) for entry in entries]


@pytest.fixture
def logged(tmp_path: Path) -> Logged:
    """a, then b changes x and c adds y; m merges them, e is m again."""
    made = Logged(Repo(tmp_path / "repo"))
    made.make("a", x=b"0\n")
    made.make("b", "a", x=b"1\n")
    made.make("c", "a", x=b"0\n", y=b"1\n")
    made.make("m", "bc", x=b"1\n", y=b"1\n")
    made.make("e", "m", x=b"1\n", y=b"1\n")
    return made


def test_a_commit_is_compared_with_its_only_parent(logged: Logged) -> None:
    assert logged.of("b") == [("", "Mx")]
    assert logged.of("c") == [("", "Ay")]
    assert logged.of("e") == []
    assert logged.of("b", diff=False, merges="separate", merges_need_diff=True) == []


def test_a_first_commit_is_compared_with_nothing_or_not_at_all(logged: Logged) -> None:
    assert logged.of("a") == [("", "Ax")]
    assert logged.of("a", show_root=False) == []


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, []),
        ({"merges": "first-parent"}, [("", "Ay")]),
        ({"merges": "separate"}, [("b", "Ay"), ("c", "Mx")]),
        ({"merges": "separate", "diff": False}, []),
        ({"merges": "separate", "diff": False, "merges_need_diff": True}, [("b", "Ay"), ("c", "Mx")]),
        ({"merges": "separate", "first_parent": True}, [("b", "Ay")]),
        ({"merges": "combined"}, [("", "")]),
        ({"merges": "remerge"}, []),
    ],
)
def test_what_a_merge_shows(logged: Logged, how: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert logged.of("m", **how) == expected


def test_a_merge_that_changes_what_its_parents_have(logged: Logged) -> None:
    logged.make("n", "bc", x=b"2\n", y=b"1\n")
    assert logged.of("n", merges="remerge") == [("", "Mx")]
    assert logged.of("n", merges="remerge", paths="y") == []
    assert logged.of("n", merges="remerge", silent=True) == []
    parts = logged.diffs(merges="dense").of(logged.entry("n"))
    assert [[path.path for path in part.combined or ()] for part in parts] == [[b"x"]]


def test_an_octopus_is_not_merged_again(logged: Logged) -> None:
    logged.make("o", "abc", x=b"7\n")
    (part,) = logged.diffs(merges="remerge").of(logged.entry("o"))
    assert part.notice == b"diff: warning: Skipping remerge-diff for octopus merges.\n"
    assert part.changes == []


def test_commits_without_a_diff_are_shown_unless_one_is_asked_for(logged: Logged) -> None:
    assert logged.log("eba") == [("e", False), ("b", False), ("a", False)]
    assert logged.log("eba", always_show=False) == [("b", False), ("a", False)]
    assert logged.log("eba", always_show=False, hidden=True) == [("e", True), ("b", False), ("a", False)]
    assert logged.log("eba", 1, always_show=False) == [("b", False)]
    assert logged.log("eba", 1) == [("e", False)]
    assert logged.log("eba", 0) == []
    assert logged.log("cba", always_show=False, paths="y") == [("c", False)]


def test_nothing_is_looked_at_where_nobody_asks(logged: Logged) -> None:
    assert logged.diffs(diff=False).makes_none()
    assert not logged.diffs(diff=False, merges_need_diff=True).makes_none()
    assert not logged.diffs(diff=False, always_show=False).makes_none()
    assert logged.log("ea", diff=False) == [("e", False), ("a", False)]


def test_a_file_is_followed_to_its_name_before(logged: Logged) -> None:
    text = b"".join(b"line %d\n" % n for n in range(20))
    logged.make("p", old=text)
    logged.make("q", "p", new=text)
    diffs = logged.diffs(paths="new", follow=True)
    (part,) = diffs.of(logged.entry("q"))
    assert [(c.status, c.old.path, c.new.path) for c in part.changes] == [("R", b"old", b"new")]
    (part,) = diffs.of(logged.entry("p"))
    assert [(c.status, c.new.path) for c in part.changes] == [("A", b"old")]


def listed(logged: Logged, name: str, **how: Any) -> str | None:
    """The files that `LogDiffs.files` has of a commit, as letters and paths; None where it leaves them to `of`."""
    spec = how.pop("spec", {})
    diffs = logged.diffs(**how)
    diffs.spec = changed(diffs.spec, **spec)
    entry = logged.entry(name)
    rows = diffs.files(entry.oid, entry.parents)
    return None if rows is None else " ".join(f"{letter_of(row[1], row[3])}{row[0].decode()}" for row in rows)


def test_files_of_a_commit_are_those_of_its_diff(logged: Logged) -> None:
    for name in "abce":
        assert listed(logged, name) == " ".join(words for _, words in logged.of(name))
    assert listed(logged, "a", show_root=False) == ""
    assert listed(logged, "m") == ""
    assert listed(logged, "m", merges="first-parent") == "Ay"
    assert listed(logged, "m", merges="separate") is None
    assert listed(logged, "c", paths="x") == ""
    assert listed(logged, "c", paths="y") == "Ay"
    assert listed(logged, "b", spec={"keep": frozenset("A")}) == ""
    assert listed(logged, "c", spec={"keep": frozenset("A")}) == "Ay"


def test_files_that_may_be_renamed_are_left_to_the_whole_diff(logged: Logged) -> None:
    logged.make("r", "b", z=b"1\n")
    assert listed(logged, "r") == "Dx Az"
    assert listed(logged, "r", spec={"renames": 1}) is None
    logged.make("s", "b", x=b"2\n", z=b"1\n")
    assert listed(logged, "s", spec={"renames": 1}) == "Mx Az"
    assert listed(logged, "s", spec={"renames": 2}) is None
    assert listed(logged, "c", spec={"renames": 2}) == "Ay"  # alone it has nothing that it could be a copy of
    assert listed(logged, "c", follow=True) is None and listed(logged, "b", follow=True) == "Mx"


def test_files_of_submodules_are_left_to_the_whole_diff(logged: Logged) -> None:
    logged.make("g", "a", x=b"0\n")
    tree = logged.repo.put("tree", b"160000 s\0" + bytes([7]) * 20)
    logged.oids["g"] = logged.repo.put(
        "commit",
        b"tree %b\nparent %b\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\ng\n"
        % (tree.hex().encode(), logged.oids["a"].hex().encode()),
    )
    assert listed(logged, "g") is None


@pytest.mark.parametrize(
    "spec",
    [{"reverse": True}, {"keep_all": True}, {"order": tuple}, {"relative": b"x/"}, {"rotate_to": b"x"}, {"skip_to": b"x"},
     {"find_copies_harder": True}, {"break_score": 0}, {"exit_code": True}, {"formats__patch": True},
     {"formats__stat": True}, {"formats__summary": True}, {"formats__nothing": True, "formats__raw": True},
     {"formats__check": True}, {"formats__dirstat": True}, {"pickaxe": Pickaxe("S", b"x")}],
)  # fmt: skip
def test_lists_are_for_what_they_name(logged: Logged, spec: dict[str, Any]) -> None:
    diffs = logged.diffs()
    assert diffs.makes_lists()
    for form in ("raw", "name_only", "name_status", "nothing"):
        diffs.spec = changed(DiffSpec(), **{f"formats__{form}": True})
        assert diffs.makes_lists()
    diffs.spec = changed(DiffSpec(), **spec)
    assert not diffs.makes_lists()
    assert not logged.diffs(diff=False).makes_lists()


def test_a_quota_counts_the_commits_shown_and_lets_the_others_through(logged: Logged) -> None:
    """The walk looks at it after each commit, and goes on with the boundary: nothing ends here."""
    quota = Quota(1)
    entries = log_entries(map(logged.entry, "eba"), logged.diffs(always_show=False), 1, quota=quota)
    left = []
    for entry in entries:
        left.append((entry.walked.oid, quota.left))
    assert left == [(logged.oids["b"], 1), (logged.oids["a"], 0)]
    assert quota.left == 0
    assert not list(log_entries(map(logged.entry, "eba"), logged.diffs(always_show=False), 0, quota=Quota(0)))


def test_a_merge_is_done_again_without_the_history_shown_before(logged: Logged) -> None:
    """git forgets the parents of what it has shown: of commits shown before, no merge base is found behind them."""
    logged.make("k", "b", x=b"2\n", y=b"0\n")
    logged.make("l", "c", x=b"3\n", y=b"1\n")
    logged.make("n", "kl", x=b"2\n", y=b"1\n")

    def of(before: str) -> list[tuple[str, list[bytes]]]:
        diffs = logged.diffs(merges="remerge")
        for name in before:
            diffs.of(logged.entry(name))
        [part] = diffs.of(logged.entry("n"))
        return [(change.status, getattr(change, "lines", [])) for change in part.changes]

    conflicts = [lines[0].split(b"(")[1].split(b")")[0] for _, lines in of("") if lines]
    assert conflicts == [b"content", b"add/add"]
    assert [lines[0].split(b"(")[1].split(b")")[0] for _, lines in of("bc") if lines] == [b"add/add", b"add/add"]
    assert of("a") == of("")
