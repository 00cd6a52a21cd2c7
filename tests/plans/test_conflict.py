"""git log --merge: both sides of a failed merge, and the files in conflict."""

from pathlib import Path

import pytest

from gitglass.errors import NotFound
from gitglass.limits import Context
from gitglass.paths.pathspec import Pathspecs, PathspecSpec
from gitglass.plans.conflict import conflict_sides
from gitglass.revs.tip import Tip, Tips

from ..support.worktrees import Repo


class Failed:
    """A merge of `theirs` into main that failed on `both` and `a*`; `base` is behind the two."""

    def __init__(self, top: Path) -> None:
        self.repo = Repo(top / "repo")
        self.repo.add("calm")
        self.base = self.repo.commit()
        self.ours, self.theirs = self.commit(b"ours"), self.commit(b"theirs")
        (self.repo.git / "refs/heads/main").write_text(self.ours.hex() + "\n")
        (self.repo.git / "MERGE_HEAD").write_text(self.theirs.hex() + "\n")

    def commit(self, message: bytes) -> bytes:
        head = b"tree %b\nparent %b\n" % (self.repo.tree().hex().encode(), self.base.hex().encode())
        return self.repo.put("commit", head + b"author A <a@x> 2 +0000\ncommitter A <a@x> 2 +0000\n\n" + message)

    def conflict(self, *paths: str) -> None:
        for path in paths:
            for stage in (2, 3):
                self.repo.entry(path, self.repo.put("blob", b"%d" % stage), stage=stage)

    def sides(self, tips: Tips, paths: Pathspecs | None = None) -> tuple[Tips, Pathspecs | None]:
        return conflict_sides(self.repo.store(), tips, paths, ctx=Context())


@pytest.fixture
def failed(tmp_path: Path) -> Failed:
    return Failed(tmp_path)


def test_both_sides_without_what_is_behind_both(failed: Failed) -> None:
    failed.conflict("both")
    named = Tip(failed.base, failed.base, b"main~1")
    given = Tips((named,), globbed=True)
    found, _ = failed.sides(given)
    assert [(tip.commit, tip.name, tip.left, tip.exclude, tip.bottom) for tip in found.entries] == [
        (failed.base, b"main~1", False, False, False),
        (failed.ours, b"HEAD", True, False, False),
        (failed.theirs, b"MERGE_HEAD", False, False, False),
        (failed.base, b"", False, True, True),
    ]
    assert found.globbed
    assert given.entries == (named,)


def test_the_files_in_conflict_are_taken_as_they_are_written(failed: Failed) -> None:
    failed.conflict("both", "a*")
    _, paths = failed.sides(Tips())
    assert paths is not None
    assert [paths.match(path) for path in (b"both", b"a*", b"ab", b"calm")] == [True, True, False, False]


def test_only_those_among_the_paths(failed: Failed) -> None:
    failed.conflict("both", "other")
    _, paths = failed.sides(Tips(), Pathspecs.parse([b"o*"], b"", PathspecSpec()))
    assert paths is not None
    assert [paths.match(path) for path in (b"both", b"other")] == [False, True]


def test_no_conflict_no_paths(failed: Failed) -> None:
    assert failed.sides(Tips())[1] is None


def test_no_merge_is_under_way(failed: Failed) -> None:
    (failed.repo.git / "MERGE_HEAD").unlink()
    with pytest.raises(NotFound, match=r"^--merge without MERGE_HEAD\?$"):
        failed.sides(Tips())


def test_a_tag_that_is_merged_is_its_commit_and_a_warning(failed: Failed) -> None:
    tag = failed.repo.put("tag", b"object %b\ntype commit\ntag t\n\nm\n" % failed.theirs.hex().encode())
    (failed.repo.git / "MERGE_HEAD").write_text(tag.hex() + "\n")
    ctx = Context()
    sides, _ = conflict_sides(failed.repo.store(), Tips(), None, ctx=ctx)
    assert [tip.commit for tip in sides.entries[:2]] == [failed.ours, failed.theirs]
    assert ctx.spoken() == [b"warning: MERGE_HEAD %b is not a commit!\n" % tag.hex().encode()]
