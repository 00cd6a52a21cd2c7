"""mutate/shown/details.py and words.py: what a person is told of a plan, before anything happens."""

import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import copy_of, done, writer_of

import gitglass
from gitglass.limits import Context, Limits, running
from gitglass.mutate.grant import Identity, WriteGrant, WriteLimits
from gitglass.mutate.operations import common
from gitglass.mutate.shown.details import MOST_BYTES, MOST_LINES, MOST_LOST, Details, LineCount
from gitglass.mutate.view import View
from gitglass.mutate.writer import Writer
from gitglass.request.mutations import AddRequest, CommitRequest, Mutation, ResetRequest, RestoreRequest, SwitchRequest
from gitglass.request.ref_mutations import BranchChange, MergeRequest, TagChange

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """`main` and `topic` begin at one commit and change line 2 of `f` otherwise; `topic` adds `g` as well."""
    place = copy_of("unborn", tmp_path / "repo")
    commit(place, "f", b"one\ntwo\nthree\n")
    done(place, BranchChange(names=["topic"]))
    commit(place, "f", b"one\nTWO\nthree\n")
    done(place, SwitchRequest(branch="topic"))
    commit(place, "f", b"one\nzwei\nthree\n")
    commit(place, "g", b"1\n2\n")
    done(place, SwitchRequest(branch="main"))
    return place


def commit(place: Path, name: str, data: bytes) -> None:
    (place / name).write_bytes(data)
    done(place, AddRequest(paths=[name]))
    done(place, CommitRequest(message=[f"Change {name}"]))


def details(place: Path, request: Mutation, **granted: Any) -> Details:
    return writer_of(place, **granted).plan(request).preview.details


def shown(place: Path, request: Mutation) -> list[str]:
    return writer_of(place).plan(request).preview.render().splitlines()


def rev(place: Path, name: str) -> bytes:
    return bytes.fromhex(gitglass.git(["rev-parse", name], cwd=place, text=True).stdout.strip())


def test_a_conflict_is_told_with_its_text(repo: Path) -> None:
    (conflict,) = details(repo, MergeRequest(commits=["topic"])).conflicts
    assert (conflict.path, conflict.kind) == (b"f", "both modified")
    assert [row.stage for row in conflict.stages] == [1, 2, 3]
    assert conflict.marked == (b"<<<<<<< HEAD", b"TWO", b"=======", b"zwei", b">>>>>>> topic")
    lines = shown(repo, MergeRequest(commits=["topic"]))
    at = lines.index("    conflict: both modified")
    assert lines[at - 1].startswith("  index f: 0:100644 ") and lines[at + 1 : at + 3] == [
        "      <<<<<<< HEAD",
        "      TWO",
    ]
    assert any(line.startswith("  index g: nothing -> 0:100644 ") and line.endswith(" (+2 -0)") for line in lines)


def test_the_text_of_a_conflict_is_bounded(repo: Path) -> None:
    commit(repo, "f", b"x\n" * 1000)
    (conflict,) = details(repo, MergeRequest(commits=["topic"])).conflicts
    assert len(conflict.marked) == MOST_LINES


def test_a_merge_is_told_by_its_commit_and_its_branch(repo: Path) -> None:
    request = MergeRequest(commits=["topic"], options=["ours"])
    found = details(repo, request)
    (made,) = found.commits
    assert made.parents == (rev(repo, "main"), rev(repo, "topic")) and made.author.startswith(b"A <a@b> ")
    assert made.message == b"Merge branch 'topic'\n"
    assert made.stat == b" g | 2 ++\n 1 file changed, 2 insertions(+)\n create mode 100644 g\n"
    (ref,) = found.refs
    assert (ref.name, ref.fast_forward, ref.gained, ref.lost_count) == (b"refs/heads/main", True, 3, 0)
    lines = shown(repo, request)
    assert (
        "    3 commits more" in lines
        and "    author A <a@b>" in lines
        and f"    merges {made.parents[1].hex()[:12]}" in lines
    )
    assert "     g | 2 ++" in lines and "      Merge branch 'topic'" in lines


def test_commits_that_no_ref_would_reach_are_named(repo: Path) -> None:
    gone = BranchChange(action="delete", names=["topic"], force=True)
    (ref,) = details(repo, gone).refs
    assert (ref.fast_forward, ref.gained, ref.lost_count) == (False, 0, 2)
    assert ref.lost == ((rev(repo, "topic"), b"Change g"), (rev(repo, "topic~1"), b"Change f"))
    assert f"      {rev(repo, 'topic').hex()[:12]} Change g" in shown(repo, gone)
    done(repo, TagChange(names=["kept"], target="topic~1"))
    assert details(repo, gone).refs[0].lost == ((rev(repo, "topic"), b"Change g"),)
    done(repo, SwitchRequest(commit="topic", detach=True))
    assert details(repo, gone).refs[0].lost == ()


def test_many_commits_that_go_are_counted(repo: Path) -> None:
    for number in range(MOST_LOST + 2):
        commit(repo, "f", b"%d\n" % number)
    (ref,) = details(repo, ResetRequest(mode="hard", commit=f"HEAD~{MOST_LOST + 2}")).refs
    assert (ref.lost_count, len(ref.lost)) == (MOST_LOST + 2, MOST_LOST)
    assert shown(repo, ResetRequest(mode="hard", commit=f"HEAD~{MOST_LOST + 2}")).count("      …") == 1


def test_lines_of_a_file_that_is_overwritten_are_those_on_disk(repo: Path) -> None:
    (repo / "f").write_bytes(b"one\nTWO\nthree\nfour\nfive\n")
    found = details(repo, RestoreRequest(paths=["f"]))
    assert found.files == {b"f": LineCount(0, 2)}
    plan = writer_of(repo).plan(RestoreRequest(paths=["f"]))
    (repo / "f").write_bytes(b"another\n")  # it is not what the plan was made for
    assert plan.preview.details.files == {}


def test_binary_and_large_content_is_not_counted(repo: Path) -> None:
    (repo / "b").write_bytes(b"\0\n\n")
    (repo / "l").write_bytes(b"x\n" * (MOST_BYTES // 2 + 1))
    found = details(repo, AddRequest(paths=["b", "l"]))
    assert found.entries == {b"b": LineCount(None, None)}
    lines = shown(repo, AddRequest(paths=["b", "l"]))
    assert lines[1].startswith("  index b: ") and lines[1].endswith(" (binary)") and not lines[2].endswith(")")


def test_a_plan_is_the_same_whether_somebody_looks_or_not(repo: Path) -> None:
    one, two = (writer_of(repo).plan(MergeRequest(commits=["topic"])) for _ in range(2))
    assert one.preview.details.conflicts and one.digest == two.digest


def test_the_files_of_a_commit_are_all_told_wherever_the_command_is_given(repo: Path) -> None:
    """`diff.relative` would leave out those that are not below the current directory."""
    with (repo / ".git/config").open("a") as config:
        config.write("[diff]\n\trelative = true\n")
    (repo / "below").mkdir()
    (made,) = details(repo / "below", MergeRequest(commits=["topic"], options=["ours"])).commits
    assert made.stat == b" g | 2 ++\n 1 file changed, 2 insertions(+)\n create mode 100644 g\n"


def test_names_and_messages_neither_end_a_line_nor_hide_what_follows(repo: Path) -> None:
    """Every line of a preview is gitglass's, in the colour that the terminal has."""
    (repo / "x\n  ref HEAD: nothing\x1b[8m").write_bytes(b"1\n")
    lines = shown(repo, AddRequest(paths=["."]))
    assert len(lines) == 3 and lines[2].startswith("  index x\\x0a  ref HEAD: nothing\\x1b[8m: ")
    done(repo, AddRequest(paths=["."]))
    words = "\n".join(shown(repo, CommitRequest(message=["Red\x1b[31m\r\U000e0041\n\n\x1b[8mbody"])))
    assert "\x1b" not in words and "\r" not in words and "\U000e0041" not in words
    assert "\n      \\x1b[8mbody\n" in words


def test_a_look_at_a_plan_is_a_call_of_its_own(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes when the plan's deadline has passed, and has the ceilings of the handle all the same."""
    handle, seen = gitglass.open(repo, limits=gitglass.Limits(max_memory_bytes=123 << 20)), list[Limits]()
    writer = Writer(handle, WriteGrant(identity=Identity("A", "a@b"), limits=WriteLimits(timeout=5)))
    plan, late = writer.plan(MergeRequest(commits=["topic"], options=["ours"])), time.monotonic() + 1000

    def stat(view: View, words: list[str]) -> bytes:
        seen.append(view.ctx.limits)
        assert running() is view.ctx
        view.ctx.check()
        return b"a stat\n"

    monkeypatch.setattr("gitglass.limits.time.monotonic", lambda: late)
    monkeypatch.setattr(common, "ask", stat)
    assert "a stat" in plan.preview.render()
    assert seen == [handle.store.limits.replace(timeout=5)] and seen[0].max_memory_bytes == 123 << 20
    again = writer.plan(MergeRequest(commits=["topic"], options=["ours"]))
    with Context(gitglass.Limits(max_output_bytes=7)) as ctx:  # or it is a part of the call that looks
        assert again.preview.render() and seen[-1] == ctx.limits
