"""profiles/mcp_server_git.py and what it stands on: the released package's recorded answers, and what differs on purpose."""

import importlib.util
import json
import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from gitglass import git
from gitglass.agent import Budget, Roots, ToolContext, tools
from gitglass.agent.profiles.patchfiles import FilePatch, file_patches

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RECORDED: dict[str, Any] = json.loads((FIXTURES / "recorded" / "mcp-server-git.json").read_text())
DAY = re.compile(r"\d{4}-\d\d-\d\d")
TOOLS = {tool.name: tool for tool in tools("mcp-server-git")}

spec = importlib.util.spec_from_file_location("compare", FIXTURES / "scripts" / "compare_mcp_server_git.py")
assert spec is not None and spec.loader is not None
compare = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare)


def test_the_list_is_theirs() -> None:
    assert [tool.as_mcp() for tool in TOOLS.values()] == RECORDED["tools"]


@pytest.mark.parametrize("name", sorted(RECORDED["answers"]))
def test_recorded_answers(unpack: Any, name: str, monkeypatch: Any) -> None:
    # A date without a time means that day at this time of day: what was recorded before breakfast differs after it.
    today = int(time.time()) // 86400 * 86400 + 6 * 3600 + 45 * 60  # as when they were recorded
    monkeypatch.setattr(time, "time", lambda: float(today))
    repo = str(unpack(name)).rstrip("/")
    ctx = ToolContext(Roots.anywhere(), budget=Budget(1_000_000))
    rows = json.loads(
        json.dumps(RECORDED["answers"][name]).replace("@REPO@", repo).replace("@ABOVE@", os.path.dirname(repo))
    )
    assert len(rows) > 15
    for tool, arguments, theirs, is_error in rows:
        if any(DAY.fullmatch(str(arguments.get(name))) for name in ("start_timestamp", "end_timestamp")):
            continue  # to git a day without an hour means this hour of it: an answer of another hour cannot be replayed
        answer = TOOLS[tool].call(arguments, ctx)
        ours = re.sub(r"errors\.pydantic\.dev/[\d.]+", "errors.pydantic.dev/@", answer.text)
        if (ours, answer.is_error) != (theirs, is_error):
            assert compare.known(tool, arguments, theirs, ours), (tool, arguments, theirs, ours)


# ------------------------------------------------------------------------------------------------- what differs, and why
@pytest.fixture
def ask(unpack: Any) -> Any:
    """ask(fixture, tool, arguments, **of the context)"""

    def call(fixture: str, name: str, arguments: dict[str, Any], **host: Any) -> Any:
        repo = str(unpack(fixture))
        return TOOLS[name].call({"repo_path": repo, **arguments}, ToolContext(host.pop("roots", Roots(repo)), **host))

    return call


def test_a_range_is_taken(ask: Any) -> None:
    answer = ask("plain", "git_diff", {"target": "v1.0..v2.0"})
    assert not answer.is_error and answer.text.startswith("Diff with v1.0..v2.0:\ndiff --git ")


def test_an_empty_repository_has_an_empty_history(ask: Any) -> None:
    assert ask("empty", "git_log", {}).text == "Commit history:\n"


def test_a_wider_object_format(ask: Any) -> None:
    answer = ask("sha256", "git_show", {"revision": "HEAD"})
    assert re.match(r"commit [0-9a-f]{64}\nAuthor: ", answer.text)


def test_an_answer_ends_at_its_budget(ask: Any) -> None:
    answer = ask("plain", "git_log", {"max_count": -1}, budget=Budget(500))
    assert answer.truncated and answer.text.endswith("\n[gitglass: cut after 500 bytes]")
    assert len(answer.body.encode()) <= 500


def test_only_the_allowed_repository(ask: Any, unpack: Any, tmp_path: Path) -> None:
    root = unpack("plain")
    answer = ask("plain", "git_status", {"repo_path": str(tmp_path)}, roots=Roots(root))
    assert answer.is_error
    assert answer.text == (
        f"Error executing tool git_status: Repository path '{tmp_path}' is outside the allowed repository '{root}'"
    )


def test_a_link_does_not_lead_out_of_the_allowed_repository(ask: Any, unpack: Any, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(unpack("plain"))
    answer = ask("plain", "git_status", {"repo_path": str(tmp_path / "root" / "link")}, roots=Roots(tmp_path / "root"))
    assert answer.is_error and "is outside the allowed repository" in answer.text


def test_a_root_s_short_name_is_no_repo_path(ask: Any, unpack: Any, tmp_path: Path) -> None:
    answer = ask("plain", "git_status", {"repo_path": "short"}, roots=Roots({"short": str(unpack("plain"))}))
    assert answer.is_error and "is outside the allowed repository" in answer.text


def test_anywhere_follows_no_link_out_of_a_repository(ask: Any, unpack: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {unpack('plain')}/.git\n")
    answer = ask("plain", "git_log", {"repo_path": str(tmp_path)}, roots=Roots.anywhere())
    assert answer.is_error and "Commit:" not in answer.text


# ------------------------------------------------------------------------------ words of refusals, as observed of theirs
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("@ROOT@/../other", "Repository path '@ROOT@/../other' is outside the allowed repository '@ROOT@'"),
        ("@ROOT@/nosuch/../../other", "Repository path '@ROOT@/nosuch/../../other' is outside the allowed repository '@ROOT@'"),
        ("@ROOT@//./../x", "Repository path '@ROOT@/../x' is outside the allowed repository '@ROOT@'"),
        ("../other", "Repository path '../other' is outside the allowed repository '@ROOT@'"),
        ("@ROOT@/loop", "Invalid path: @ROOT@/loop"),
        ("@ROOT@/loop/x", "Invalid path: @ROOT@/loop/x"),
        ("@ROOT@/nosuch", "@ROOT@/nosuch"),
        ("@ROOT@/" + "y" * 5000, "@ROOT@/" + "y" * 5000),
        ("@ROOT@/" + "y/" * 2500 + "z", "@ROOT@/" + "y/" * 2500 + "z"),
        ("@ROOT@/a\0b", "embedded null byte"),
    ],
    ids=range(10),
)  # fmt: skip
def test_paths_that_are_refused(unpack: Any, tmp_path: Path, said: str, words: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(unpack("plain"), root, symlinks=True)
    (root / "loop").symlink_to("loop")
    ctx = ToolContext(Roots(root), cwd=str(root))
    answer = TOOLS["git_status"].call({"repo_path": said.replace("@ROOT@", str(root))}, ctx)
    assert answer.is_error
    assert answer.text == "Error executing tool git_status: " + words.replace("@ROOT@", str(root))


def test_a_null_byte_anywhere_is_a_path_that_is_not_there(unpack: Any) -> None:
    repo = f"{unpack('plain')}/a\0b"
    answer = TOOLS["git_status"].call({"repo_path": repo}, ToolContext(Roots.anywhere()))
    assert answer.text == f"Error executing tool git_status: {repo}"


UPSTREAMS = """[remote "origin"]
\turl = x
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "topic"]
\tremote = origin
\tmerge = refs/heads/gone
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
"""


@pytest.mark.parametrize(
    ("rev", "words"),
    [
        ("light@{u}", "Ref 'refs/tags/light@{upstream}' did not resolve to an object"),
        ("side@{u}", "Ref 'side@{upstream}' did not resolve to an object"),
        ("refs/heads/side@{upstream}", "Ref 'side@{upstream}' did not resolve to an object"),
        ("side@{push}~1", "Ref 'side@{upstream}' did not resolve to an object"),
        ("side@{U}^{commit}", "Ref 'side@{upstream}' did not resolve to an object"),
        ("@{upstream}", "Ref 'side@{upstream}' did not resolve to an object"),
        ("HEAD@{u}", "Ref 'HEAD@{upstream}' did not resolve to an object"),
        ("topic@{u}", "Reference at 'refs/remotes/origin/gone' does not exist"),
        ("topic@{push}^", "Reference at 'refs/remotes/origin/gone' does not exist"),
        ("main@{u}~99", "Ref 'Invalid revision spec 'main@{u}~99' - not enough parent commits to reach '~99'' did not "
         "resolve to an object"),
        ("main@{u}x", "Invalid token: 'x'"),
        ("main@{-1}", "Previous checkout selectors do not take an explicit ref"),
        ("@{-77}", "Invalid previous checkout selector: -77"),
        ("@{-0}", "Negative zero is invalid in reflog selector"),
        ("main@{", "Missing closing brace to define type in main@{"),
        ("main^{", "Missing closing brace to define type in main^{"),
    ],
)  # fmt: skip
def test_selectors_that_are_refused(unpack: Any, tmp_path: Path, rev: str, words: str) -> None:
    root = tmp_path / "root"
    shutil.copytree(unpack("plain"), root, symlinks=True)
    (root / ".git" / "config").write_text(UPSTREAMS)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/side\n")
    oid = git(["rev-parse", "main"], cwd=root).stdout.decode()
    (root / ".git" / "refs" / "heads" / "side").write_text(oid)
    ctx = ToolContext(Roots(root))
    answer = TOOLS["git_show"].call({"repo_path": str(root), "revision": rev}, ctx)
    assert answer.is_error and answer.text == f"Error executing tool git_show: {words}"
    good = TOOLS["git_show"].call({"repo_path": str(root), "revision": "main@{u}"}, ctx)
    assert good.text.startswith("commit 08fbf3e")


# ------------------------------------------------------------------------------------------------------------- patches
def test_a_patch_s_files() -> None:
    patch = (
        b"0123456789\n"
        b'diff --git "a/caf\\303\\251" "b/caf\\303\\251"\nindex 1..2 100644\n--- "a/caf\\303\\251"\n+++ "b/caf\\303\\251"\n@@ -1 +1 @@\n-diff --git a/x b/x\n+y\n'
        b"diff --git a/a b/c b/a b/c\nold mode 100644\nnew mode 100755\n"
        b"diff --git a/one b/two\nsimilarity index 100%\nrename from one\nrename to two\n"
        b"diff --git a/e b/e\nnew file mode 100644\nindex 0..1\n"
        b"diff --git a/with space b/with space\ndeleted file mode 100644\nindex 1..0\n--- a/with space\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        b"diff --git a/bin b/bin\nindex 1..2 100644\nBinary files a/bin and b/bin differ\n"
    )
    assert list(file_patches(patch)) == [
        FilePatch("café".encode(), "café".encode(), b"@@ -1 +1 @@\n-diff --git a/x b/x\n+y\n"),
        FilePatch(b"a b/c", b"a b/c", b""),
        FilePatch(b"one", b"two", b""),
        FilePatch(None, b"e", b""),
        FilePatch(b"with space", None, b"@@ -1 +0,0 @@\n-x\n"),
        FilePatch(b"bin", b"bin", b"Binary files a/bin and b/bin differ\n"),
    ]
    assert list(file_patches(b"")) == []
