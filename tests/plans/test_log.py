"""plans/log.py: from the options of a log to its entries and to git's bytes."""

import re
from typing import Any

import pytest

from gitglass.commands.log import LogRequest
from gitglass.errors import GitError
from gitglass.limits import Context
from gitglass.objects.database import Odb
from gitglass.plans.log import LogPlan, end_log, plan_log, uses_mailmap, write_log
from gitglass.render.style import Style
from gitglass.repo.store import Store
from gitglass.revs.tips import tips

WHO = b"A <a@x> %d +0000"


@pytest.fixture
def store(repo: Any) -> Store:
    """Three commits: `file` comes, `other` and `third` come, `file` changes."""
    above = b""
    for number, files in enumerate([{"file": b"1\n"}, {"other": b"2\n", "third": b"2\n"}, {"file": b"3\n"}]):
        for name, data in files.items():
            repo.add(name, data)
        who = WHO % (100 + number)
        tree = repo.tree()
        body = b"tree %s\n%sauthor %s\ncommitter %s\n\nc%d\n" % (tree.hex().encode(), above, who, who, number)
        oid = repo.put("commit", body)
        above = b"parent %s\n" % oid.hex().encode()
        (repo.git / f"refs/heads/c{number}").write_text(oid.hex() + "\n")
    (repo.git / "refs/heads/main").write_text(oid.hex() + "\n")
    made: Store = repo.store()
    return made


def planned(store: Store, ctx: Context, *revs: str, how: dict[str, Any] | None = None, **asked: Any) -> LogPlan:
    request = LogRequest(**{"pretty": "tformat:%s", **asked})
    return plan_log(store, request, ctx, tips=tips(store, revs or ["HEAD"], ctx=ctx), **(how or {}))


def shown(store: Store, ctx: Context, *revs: str, **asked: Any) -> bytes:
    return b"".join(write_log(planned(store, ctx, *revs, **asked), Style(store, ctx)))


def test_what_a_walk_has_read_whole_is_not_read_again(
    store: Store, ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk of A...B reads the commits before the first is shown; the store is asked once only."""
    store.once = True
    real, read = Odb._raw_commit, list[bytes]()

    def raw(self: Odb, oid: bytes) -> bytes:
        read.append(oid)
        return real(self, oid)

    monkeypatch.setattr(Odb, "_raw_commit", raw)
    plan = planned(store, ctx, "c0...c2", left_right=True)
    assert plan.rows is not None
    assert b"".join(write_log(plan, Style(store, ctx))) == b"c2\nc1\n"
    assert len(read) == len(set(read)) > 1


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ({}, b"c2\nc1\nc0\n"),
        ({"max_count": 1}, b"c2\n"),
        ({"reverse": True}, b"c0\nc1\nc2\n"),
        ({"reverse": True, "max_count": 2}, b"c1\nc2\n"),
        ({"paths": ["other"]}, b"c1\n"),
        ({"grep": ["c[02]"]}, b"c2\nc0\n"),
        ({"name_only": True, "max_count": 1}, b"c2\n\nfile\n"),
        ({"name_only": True, "paths": ["file"]}, b"c2\n\nfile\nc0\n\nfile\n"),
        ({"name_only": True, "paths": ["file"], "skip": 1}, b"c0\n\nfile\n"),
        ({"name_only": True, "paths": ["other"]}, b"c1\n\nother\n"),
        ({"name_only": True, "paths": ["other"], "full_diff": True}, b"c1\n\nother\nthird\n"),
        ({"reverse": True, "max_count": 1, "diff_filter": ["A"]}, b""),
        ({"max_count": 1, "diff_filter": ["A"]}, b"c1\n"),
        ({"diff_filter": ["M"], "max_count": 1, "name_status": True}, b"c2\n\nM\tfile\n"),
        (
            {"diff_filter": ["m", "M"], "name_status": True, "max_count": 1},
            b"c2\n\nM\tfile\n",
        ),  # none is left: no filter
        ({"diff_filter": ["mMa"], "max_count": 1}, b"c2\n"),
        ({"diff_filter": ["AMm"], "name_status": True, "max_count": 1}, b"c1\n\nA\tother\nA\tthird\n"),
        ({"diff_filter": ["a"], "name_status": True, "max_count": 9}, b"c2\n\nM\tfile\n"),
        ({"diff_filter": ["acdmrtuxb"], "name_status": True}, b""),  # every letter: nothing is kept
        ({"graph": True, "max_count": 2}, b"* c2\n* c1\n"),
        ({"line_ranges": ["1,1:file"], "no_patch": True}, b"c2\nc0\n"),
    ],
)
def test_which_commits_and_what_of_them(store: Store, ctx: Context, asked: dict[str, Any], lines: bytes) -> None:
    assert shown(store, ctx, **asked) == lines


def test_commits_alone_are_bare_values(store: Store, ctx: Context) -> None:
    assert planned(store, ctx).rows is not None
    assert planned(store, ctx, stat="").compared and not planned(store, ctx).compared
    assert planned(store, ctx, line_ranges=["1,1:file"]).rows is None
    assert planned(store, ctx, children=True, graph=False, source=False).rows is not None
    for more in (
        {"show_linear_break": "-"},
        {"graph": True, "source": True},  # a row has one of these beside the commit
        {"boundary": True, "pretty": "%P"},
    ):
        assert planned(store, ctx, **more).rows is None
    assert planned(store, ctx, boundary=True, pretty="oneline").rows is not None


def test_whatchanged_has_raw_lines_and_leaves_out_commits_without_changes(store: Store, ctx: Context) -> None:
    plan = planned(store, ctx, how={"changed_only": True})
    assert plan.spec.formats.raw and not planned(store, ctx).spec.formats.raw


def test_a_first_commit_is_a_creation_where_that_is_asked(store: Store, ctx: Context) -> None:
    def files(root: bool | None) -> list[int]:
        entries = planned(store, ctx, "c0", how={"root": root}, name_only=True).entries
        return [len(part.changes) for entry in entries for part in entry.parts]

    assert files(True) == files(None) == [1] and sum(files(False)) == 0


@pytest.mark.parametrize(
    ("revs", "asked", "words"),
    [
        (["HEAD"], {"follow": True}, "--follow requires exactly one pathspec"),
        (["HEAD"], {"follow": True, "paths": ["a", "b"]}, "--follow requires exactly one pathspec"),
        (["HEAD"], {"line_ranges": ["1,1:file"], "paths": ["a"]}, "-L<range>:<file> cannot be used with pathspec"),
        (["HEAD"], {"line_ranges": ["1,1:file"], "raw": True}, "-L does not yet support diff formats besides -p"),
        (["c1", "c0"], {"line_ranges": ["1,1:file"]}, "More than one commit to dig from: c0 and c1?"),
        (["HEAD^{tree}"], {"line_ranges": ["1,1:file"]}, "Non commit HEAD^{tree}?"),
        (["^c0"], {"line_ranges": ["1,1:file"]}, "No commit specified?"),
    ],
)
def test_what_does_not_go_together(
    store: Store, ctx: Context, revs: list[str], asked: dict[str, Any], words: str
) -> None:
    with pytest.raises(GitError, match=re.escape(words)):
        planned(store, ctx, *revs, **asked)


def test_the_mailmap_is_used_unless_somebody_says_no(repo: Any) -> None:
    store = repo.store()
    assert uses_mailmap(store, LogRequest()) and not uses_mailmap(store, LogRequest(mailmap=False))
    repo.config("[log]\n\tmailmap = false\n")
    store = repo.store()
    assert not uses_mailmap(store, LogRequest()) and uses_mailmap(store, LogRequest(mailmap=True))


@pytest.mark.parametrize(("check", "before", "after"), [(True, 3, 2), (True, 1, 1), (False, 3, 3)])
def test_a_failed_check_is_all_of_the_exit_status(store: Store, check: bool, before: int, after: int) -> None:
    ctx = Context(now=0)
    plan = planned(store, ctx, check=check)
    ctx.exit_status = before
    end_log(plan, ctx)
    assert ctx.exit_status == after


def test_the_last_comparison_is_all_of_exit_code(store: Store) -> None:
    """One that found nothing leaves nothing of what others found; where none was made, nothing changes."""
    for changed, after in ((None, 1), (False, 0), (True, 1)):
        ctx = Context(now=0)
        plan = planned(store, ctx, exit_code=True)
        plan.diffs.changed = changed
        ctx.exit_status = 1
        end_log(plan, ctx)
        assert ctx.exit_status == after


def test_a_count_that_diffs_decide_goes_on_with_the_boundary(store: Store, ctx: Context) -> None:
    """Parents of all commits that were looked at, shown or not, are at the boundary, if they have a diff to show."""
    asked: dict[str, Any] = {"diff_filter": ["M"], "name_only": True, "pretty": "tformat:%m%s", "boundary": True}
    assert shown(store, ctx, max_count=1, **asked) == b">c2\n\nfile\n"
    asked["diff_filter"] = ["MA"]
    assert shown(store, ctx, max_count=1, **asked) == b">c2\n\nfile\n-c1\n\nother\nthird\n"
    assert shown(store, ctx, max_count=0, **asked) == b""


def test_the_diff_of_a_second_parent_at_the_boundary_is_that_with_its_parents(
    store: Store, ctx: Context, repo: Any
) -> None:
    """The walk along first parents does not read it; git reads it to compare it."""
    refs = {name: (repo.git / f"refs/heads/{name}").read_text().strip() for name in ("c0", "c2")}
    tree = repo.tree().hex()
    body = f"tree {tree}\nparent {refs['c0']}\nparent {refs['c2']}\n".encode()
    merge = repo.put("commit", body + b"author %s\ncommitter %s\n\nm\n" % (WHO % 200, WHO % 200))
    asked: dict[str, Any] = {"name_only": True, "pretty": "tformat:%m%s", "boundary": True, "first_parent": True}
    edge = b"-c2\n\nfile\n"
    assert shown(store, ctx, merge.hex(), **asked).endswith(edge)
    assert shown(store, ctx, merge.hex(), diff_filter=["AM"], max_count=9, **asked).endswith(edge)
    assert b"-" not in shown(store, ctx, merge.hex(), diff_filter=["A"], max_count=9, **asked)


def test_a_commit_without_its_header_does_not_count(store: Store, ctx: Context) -> None:
    asked: dict[str, Any] = {"diff_filter": ["MA"], "name_only": True, "no_commit_id": True}
    assert shown(store, ctx, max_count=1, **asked) == b"file\nother\nthird\nfile\n"
    assert shown(store, ctx, max_count=0, **asked) == b""
    assert shown(store, ctx, max_count=1, name_only=True, no_commit_id=True) == b"file\nc2\n"


def test_commits_are_chosen_by_a_filter_also_where_s_hides_the_diff(store: Store, ctx: Context) -> None:
    for letters, commits in (("d", b"c2\nc1\nc0\n"), ("m", b"c1\nc0\n"), ("A", b"c1\nc0\n")):
        assert shown(store, ctx, diff_filter=[letters], patch=True, no_patch=True) == commits
    assert shown(store, ctx, diff_filter=["d"], no_patch=True) == b""
