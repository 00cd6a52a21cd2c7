"""What typed results carry: refs with upstream and date, reflog entries with selector and message, exact content."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.commands.cat_file import CatFileResult
from gitglass.commands.show import BlobRow

from ..support.object_files import Builder

ROWS = "%(refname)%00%(objectname)%00%(objecttype)%00%(creatordate:unix)%00%(subject)%00%(upstream)"


@pytest.mark.parametrize("name", ["plain", "dirty", "detached", "sha256", "packed"])
def test_rows_say_what_the_fields_of_a_format_say(name: str, unpack: Any) -> None:
    repo = gitglass.open(unpack(name))
    lines = repo.git(["for-each-ref", f"--format={ROWS}"], text=True).stdout.splitlines()
    rows = repo.for_each_ref().refs
    assert [
        [row.name, row.oid, row.kind, str(row.time or ""), row.subject or "", row.upstream or ""] for row in rows
    ] == [line.split("\0") for line in lines]
    assert any(row.kind == "tag" for row in rows) and any(row.upstream for row in rows)


@pytest.mark.parametrize("name", ["plain", "dirty", "sha256", "packed", "bare"])
def test_rows_of_a_ref_are_the_same_from_every_command(name: str, unpack: Any) -> None:
    repo = gitglass.open(unpack(name))
    rows = repo.for_each_ref().refs
    assert repo.show_ref().refs == [row for row in rows if row.oid]
    assert repo.branch(all=True).refs == [row for row in rows if row.name.startswith(("refs/heads/", "refs/remotes/"))]
    assert repo.tag().refs == [row for row in rows if row.name.startswith("refs/tags/")]


def test_a_peeled_tag_is_a_row_of_what_it_points_at(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    tag, peeled = repo.show_ref("v1.0", dereference=True).refs
    commit = repo.log("v1.0", max_count=1).commits[0]
    assert (tag.name, tag.kind) == ("refs/tags/v1.0", "tag")
    assert (peeled.name, peeled.oid, peeled.kind) == ("refs/tags/v1.0^{}", commit.oid, "commit")
    assert (peeled.time, peeled.subject) == (commit.committer.time, commit.subject)
    head = repo.show_ref(head=True).refs[0]
    assert (head.name, head.target, head.kind) == ("HEAD", "refs/heads/main", "commit")


def test_a_compared_commit_is_that_of_the_log(unpack: Any, tmp_path: Path) -> None:
    top = shutil.copytree(unpack("plain"), tmp_path / "plain", symlinks=True)
    (top / ".mailmap").write_text("Somebody Else <else@x> <ann@example.com>\n")
    repo = gitglass.open(top)
    logged = {row.oid: row for row in repo.log("main").commits}
    compared = repo.compare("v1.0", "main")
    for row in compared.commits:
        log = logged[row.oid]
        assert (row.author, row.committer, row.refs) == (log.author, log.committer, log.refs)
    assert compared.commits[0].refs == ["HEAD -> main", "tag: v2.0"]
    assert (compared.commits[0].author.name, compared.commits[0].author.mail) == ("Somebody Else", "else@x")
    assert [row.author for row in repo.compare("main", "v1.0").behind_commits] == [
        row.author for row in compared.commits
    ]


def test_a_branch_is_ahead_of_its_upstream(unpack: Any) -> None:
    branches = {row.name: row for row in gitglass.open(unpack("plain")).branch().refs}
    main, topic = branches["refs/heads/main"], branches["refs/heads/topic"]
    assert (main.upstream, main.ahead, main.behind) == ("refs/remotes/origin/main", 2, 0)
    assert (topic.upstream, topic.ahead, topic.behind) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "current"),
    [("plain", "main"), ("bare", "main"), ("unborn", "main"), ("detached", None), ("rebase", None)],
)
def test_the_current_branch(name: str, current: str | None, unpack: Any) -> None:
    repo = gitglass.open(unpack(name))
    assert repo.branch().current == current
    assert repo.git(["branch", "--show-current"], text=True).stdout == (f"{current}\n" if current else "")


@pytest.mark.parametrize(
    ("name", "branch", "operation"),
    [
        ("plain", ("main", "origin/main", 2, 0, None), None),
        ("rebase", (None, None, None, None, "refs/heads/series"), "rebase"),
    ],
)
def test_status_does_not_depend_on_what_is_printed(
    name: str, branch: Any, operation: str | None, unpack: Any, tmp_path: Path
) -> None:
    top = shutil.copytree(unpack(name), tmp_path / name, symlinks=True)
    whole = gitglass.open(top).status()
    row = whole.branch
    assert (row.head, row.upstream, row.ahead, row.behind, row.detached_from) == branch
    assert whole.operation == operation
    for form in ("short", "porcelain", "porcelain-v2", "none"):
        assert gitglass.open(top).status(form=form) == whole
    with (top / ".git/config").open("a") as config:
        config.write("[status]\n\tshort = true\n")
    assert gitglass.open(top).status() == whole


def test_reflog_entries_have_selector_and_message(unpack: Any) -> None:
    repo = gitglass.open(unpack("dirty"))
    lines = repo.git(["reflog", "--format=%gd%x00%gs%x00%H"], text=True).stdout.splitlines()
    entries = repo.reflog().commits
    assert [[entry.selector, entry.reflog_message, entry.oid] for entry in entries] == [
        line.split("\0") for line in lines
    ]
    assert entries[0].selector == "HEAD@{0}" and entries[0].reflog_message == "reset: moving to HEAD"


def test_stash_entries_have_selector_and_message(unpack: Any) -> None:
    entries = gitglass.open(unpack("dirty")).stash_list().entries
    assert [(entry.selector, entry.reflog_message) for entry in entries] == [
        ("stash@{0}", "WIP on main: 790a245 Odd names"),
        ("stash@{1}", "On main: An idea"),
    ]


def test_a_stash_that_is_not_printed_has_its_changes(unpack: Any, tmp_path: Path) -> None:
    top = shutil.copytree(unpack("dirty"), tmp_path / "dirty", symlinks=True)
    before = gitglass.open(top).stash_show()
    with (top / ".git/config").open("a") as config:
        config.write("[stash]\n\tshowStat = false\n")
    repo = gitglass.open(top)
    assert repo.git(["stash", "show"]).stdout == b"" and before.files
    assert repo.stash_show() == before


def test_a_work_tree_has_no_commit_before_the_first(unpack: Any) -> None:
    (row,) = gitglass.open(unpack("unborn")).worktree().worktrees
    assert (row.head, row.branch, row.bare) == (None, "refs/heads/main", False)


def test_commits_of_a_log_come_from_no_reflog(unpack: Any) -> None:
    commit = gitglass.open(unpack("plain")).log(max_count=1).commits[0]
    assert (commit.selector, commit.reflog_message) == (None, None)


# ------------------------------------------------------------------------------------------------ content
@pytest.mark.parametrize("name", ["HEAD:src/app.py", "HEAD", "HEAD^{tree}", "v2.0"])
def test_an_object_is_given_as_git_prints_it(name: str, unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    printed = repo.git(["cat-file", "-p", name]).stdout
    shown = repo.cat_file(name)
    assert (shown.data, shown.content, shown.base64) == (printed, printed.decode(), None)
    assert str(shown.size) == repo.git(["cat-file", "-s", name], text=True).stdout.strip()
    assert shown.kind == repo.git(["cat-file", "-t", name], text=True).stdout.strip()


def test_content_that_is_not_utf8_is_exact() -> None:
    content = b"na\xefve\n\xff\xfe"
    shown = CatFileResult(content=content.decode("utf-8", "replace"), base64="bmHvdmUK//4=")
    assert shown.data == content
    assert BlobRow("x", "0" * 40, 8, "na\ufffdve\n\ufffd\ufffd", "bmHvdmUK//4=").data == content


@pytest.mark.parametrize("name", ["plain", "releases", "attributes"])
def test_every_file_is_exact(name: str, unpack: Any) -> None:
    repo = gitglass.open(unpack(name))
    entries = [entry for entry in repo.ls_tree("HEAD", recursive=True).entries if entry.kind == "blob"]
    odd = 0
    for entry in entries:
        raw = repo.git(["cat-file", "blob", entry.oid]).stdout
        (blob,) = repo.show(entry.oid).blobs
        assert (blob.data, repo.cat_file(entry.oid).data) == (raw, raw)
        assert (blob.text is None) == (b"\0" in raw)
        odd += blob.base64 is not None
    assert entries and (odd > 0 or name != "plain")


def test_a_list_that_was_cut_says_so(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    whole = repo.rev_list("main")
    assert (whole.total, whole.truncated, whole.reason) == (len(whole.oids), False, None)
    for options in ({"max_count": 2}, {"max_count": 2, "reverse": True}, {"max_count": 1, "skip": 1}, {"max_count": 0}):
        part = repo.rev_list("main", **options)
        assert (part.total, part.truncated, part.reason) == (None, True, "max_count"), options
    exact = repo.rev_list("main", max_count=len(whole.oids))
    assert (exact.total, exact.truncated) == (len(whole.oids), False)
    refs = len(repo.for_each_ref().refs)
    cut = repo.for_each_ref(count=2)
    assert (len(cut.refs), cut.total, cut.truncated, cut.reason) == (2, refs, True, "count")
    assert repo.for_each_ref(count=refs).truncated is False
    none = repo.log(max_count=0)
    assert (none.commits, none.truncated) == ([], True)
    stash = gitglass.open(unpack("dirty"))
    assert stash.stash_list(max_count=1).truncated and not stash.stash_list().truncated


def test_sums_that_were_not_counted_are_none(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    counted = repo.diff("v1.0", "v2.0", numstat=True).totals
    assert counted.added and counted.deleted
    for form in ({"name_only": True}, {"name_status": True}, {"raw": True}):
        totals = repo.diff("v1.0", "v2.0", **form).totals
        assert (totals.files, totals.added, totals.deleted) == (counted.files, None, None)


def test_a_merge_has_the_files_that_its_stat_counts(unpack: Any) -> None:
    """Against the first parent, as git counts them; without counts only those that differ from all parents."""
    repo = gitglass.open(unpack("plain"))
    merge = repo.log(min_parents=2, max_count=1).commits[0].oid
    lines = repo.git(["show", "--numstat", "--format=", merge], text=True).stdout.splitlines()
    files = repo.show(merge, numstat=True).commits[0].files
    assert lines and [f"{row.added}\t{row.deleted}\t{row.path}" for row in files] == lines
    assert [row.status for row in repo.show(merge).commits[0].files] == ["MM"]


def test_a_conflict_is_counted_against_ours(unpack: Any) -> None:
    repo = gitglass.open(unpack("conflict"))
    counts = {row.path: (row.status, row.added, row.deleted) for row in repo.diff().files}
    assert counts["src/app.py"] == ("U", 4, 0)


def test_text_of_another_encoding_is_converted(tmp_path: Path) -> None:
    builder = Builder(tmp_path)
    tree = builder.loose(b"tree", b"").hex()
    line = "René <r@x> 1700000000 +0530"
    raw = f"tree {tree}\nauthor {line}\ncommitter {line}\nencoding ISO-8859-1\n\ncafé\n\ndéjà\n".encode("latin-1")
    commit = gitglass.open(tmp_path).show(builder.loose(b"commit", raw).hex()).commits[0]
    assert (commit.subject, commit.body, commit.author.name) == ("café", "déjà", "René")


def test_a_line_has_the_time_zone_of_its_author(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    zones = {row.oid: row.author.zone for row in repo.log().commits}
    assert all(run.zone == zones[run.oid] for run in repo.blame("README.md").runs) and set(zones.values()) == {120}
