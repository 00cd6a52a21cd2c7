"""agent/mcp/approvals.py and `--write`: changes over MCP, by the SDK's own client in memory, in both eras."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CLOCK, copy_of

import gitglass
from gitglass.agent import Roots
from gitglass.agent.mcp.settings import DROP_IN, Settings, UsageError, read_options, tools_of
from gitglass.agent.tool import NATIVE, NATIVE_WRITERS
from gitglass.commands.policy import Level
from gitglass.mutate.access import WriteAccess
from gitglass.mutate.grant import Identity, WriteGrant

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")
import mcp_types as types  # noqa: E402

from gitglass.agent.mcp import server as serving  # noqa: E402

pytestmark = pytest.mark.writes
ERAS = pytest.mark.parametrize("era", ["legacy", "auto", "2026-07-28"])


class Served:
    """A server over one repository, and what its client's person is shown and says."""

    def __init__(self, place: Path, says: Any = None, **settings: Any) -> None:
        self.repo = copy_of("plain", place / "repo")
        self.shown: list[str] = []
        self.says = says
        grant = WriteGrant(identity=Identity("A", "a@b"), clock=lambda: CLOCK, zone=0)
        given: dict[str, Any] = {"write": WriteAccess(grant), **settings}
        self.server = serving.make_server(Settings(Roots({"repo": str(self.repo)}), **given))

    async def person(self, _: Any, params: Any) -> Any:
        self.shown.append(params.message)
        says = self.says(params) if callable(self.says) else self.says
        return types.ElicitResult(action=says[0], content=says[1])

    def session(self, era: str, session: Any) -> Any:
        async def run() -> Any:
            callback = None if self.says is None else self.person
            async with mcp.Client(self.server, mode=era, elicitation_callback=callback) as client:
                return await session(client)

        return anyio.run(run)

    def call(self, era: str, name: str, /, meta: Any = None, **arguments: Any) -> tuple[bool, str]:
        result = self.session(era, lambda client: client.call_tool(name, arguments, meta=meta))
        (part,) = result.content
        return result.is_error, part.text

    def tags(self) -> list[str]:
        return gitglass.open(self.repo).git(["tag", "-l", "made*"]).stdout.decode().split()


YES, NO = ("accept", {"approve": True}), ("decline", None)


@ERAS
def test_without_write_nothing_that_writes_is_listed_or_done(tmp_path: Path, era: str) -> None:
    served = Served(tmp_path, YES, write=None)
    before = {path: path.stat().st_mtime_ns for path in served.repo.rglob("*")}
    listed = served.session(era, lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == list(NATIVE)
    assert all(tool.annotations.read_only_hint for tool in listed)

    async def session(client: Any) -> None:
        for name in NATIVE_WRITERS:
            with pytest.raises(mcp.MCPError, match=f"Unknown tool: {name}"):
                await client.call_tool(name, {"name": "made", "message": "x", "paths": ["."], "action": "undo"})

    served.session(era, session)
    assert served.shown == [] and {path: path.stat().st_mtime_ns for path in served.repo.rglob("*")} == before


@pytest.mark.parametrize(("profile", "tool", "arguments"), [
    ("nexus", "git", {"command": "tag made"}),
    ("openharness", "git", {"operation": "branch_create", "ref": "made"}),
    ("forge", "git_branch", {"create": "made"}),
])  # fmt: skip
def test_without_write_no_profile_writes(tmp_path: Path, profile: str, tool: str, arguments: Any) -> None:
    for level in (None, Level.YOLO):
        served = Served(tmp_path / str(level), YES, write=None, profiles=(profile,), level=level)
        before = {path: path.stat().st_mtime_ns for path in served.repo.rglob("*")}
        is_error, _ = served.call("auto", tool, **arguments)
        assert is_error and {path: path.stat().st_mtime_ns for path in served.repo.rglob("*")} == before
        allowed = Served(tmp_path / f"{level}-write", YES, profiles=(profile,), level=level)
        assert allowed.call("auto", tool, **arguments)[0] is False


@ERAS
def test_a_person_is_shown_the_preview_and_says_yes(tmp_path: Path, era: str) -> None:
    served = Served(tmp_path, YES)
    listed = served.session(era, lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == [*NATIVE, *NATIVE_WRITERS]
    is_error, text = served.call(era, "git_tag", name="made", message="nine")
    assert not is_error and "[gitglass: done; operation " in text
    (shown,) = served.shown
    assert shown.startswith("Create tag 'made'   risk Medium\n  ref refs/tags/made: nothing -> ")
    assert "\nplan " in shown and shown.endswith("Carry it out?")
    assert served.tags() == ["made"]
    is_error, text = served.call(era, "git_tag", name="other", dry_run=True)
    assert not is_error and "preview, nothing was changed" in text and len(served.shown) == 1


@ERAS
def test_a_preview_shows_what_names_are_made_of(tmp_path: Path, era: str) -> None:
    served = Served(tmp_path, NO)
    (served.repo / "\x1b[2Jma\u202ede.txt").write_text("x\n")
    served.call(era, "git_stage", paths=["*de.txt"])
    (shown,) = served.shown
    assert "\n  index \\x1b[2Jma\\u202ede.txt: nothing -> " in shown and "\x1b" not in shown and "\u202e" not in shown


@ERAS
@pytest.mark.parametrize(
    "says", [NO, ("cancel", None), ("accept", {"approve": False}), ("accept", {}), ("accept", None),
             ("accept", {"approve": "true"}), ("accept", {"approve": 1})],
    ids=str,
)  # fmt: skip
def test_anything_but_a_yes_is_a_no(tmp_path: Path, era: str, says: Any) -> None:
    served = Served(tmp_path, says)
    is_error, text = served.call(era, "git_tag", name="made")
    assert is_error and text.startswith("approval_denied: ") and served.tags() == [] and len(served.shown) == 1


@ERAS
def test_a_client_that_shows_no_forms_gets_the_plan(tmp_path: Path, era: str) -> None:
    served = Served(tmp_path)
    is_error, text = served.call(era, "git_tag", name="made")
    assert is_error and text.startswith("approval_required: Create tag 'made'\n") and served.tags() == []
    plan = text.rpartition("plan ")[2].rstrip("]\n")
    for meta in (None, {"gitglass/approved": plan}):  # the command line has not said that this approves
        assert served.call(era, "git_tag", meta, name="made")[0] and served.tags() == []


@ERAS
def test_a_host_may_approve_by_meta_where_the_command_line_says_so(tmp_path: Path, era: str) -> None:
    served = Served(tmp_path, approve_by_meta=True)
    plan = served.call(era, "git_tag", name="made")[1].rpartition("plan ")[2].rstrip("]\n")
    for meta in ({"gitglass/approved": "x"}, {"gitglass/approved": [plan]}, {"gitglass/approved": True}):
        assert served.call(era, "git_tag", meta, name="made")[0] and served.tags() == []
    assert served.call(era, "git_tag", {"gitglass/approved": plan}, name="made2")[0] and served.tags() == []
    is_error, text = served.call(era, "git_tag", None, name="made", **{"gitglass/approved": plan})
    assert is_error and text.startswith("invalid_args: ")  # a model's argument is no meta
    assert served.call(era, "git_tag", {"gitglass/approved": plan}, name="made")[0] is False
    assert served.tags() == ["made"]


@ERAS
def test_what_moved_while_a_person_was_reading_is_not_done(tmp_path: Path, era: str) -> None:
    def says(params: Any) -> Any:
        if len(served.shown) == 1:
            (served.repo / "made.txt").write_text("other\n")
        return YES if len(served.shown) == 1 else NO

    served = Served(tmp_path, says)
    (served.repo / "made.txt").write_text("made\n")
    is_error, text = served.call(era, "git_stage", paths=["made.txt"])
    assert is_error and gitglass.open(served.repo).git(["diff", "--cached", "--name-only"]).stdout == b""
    assert text.startswith("approval_denied" if len(served.shown) == 2 else "approval_required")


def test_state_that_the_server_did_not_seal_is_refused(tmp_path: Path) -> None:
    served = Served(tmp_path)
    plan = served.call("auto", "git_tag", name="made")[1].rpartition("plan ")[2].rstrip("]\n")
    yes = {"approval": types.ElicitResult(action="accept", content={"approve": True})}

    async def forged(client: Any) -> None:
        for state in (plan, "v1.AAAA", ""):
            try:
                result = await client.session.call_tool(
                    "git_tag", {"name": "made"}, input_responses=yes, request_state=state, allow_input_required=True
                )
            except mcp.MCPError as error:
                assert "requestState" in str(error)
            else:
                assert result.is_error
        result = await client.session.call_tool("git_tag", {"name": "made"}, input_responses=yes)
        assert result.is_error

    served.session("auto", forged)
    assert served.tags() == []


def test_a_yes_is_for_the_call_that_was_shown(tmp_path: Path) -> None:
    served = Served(tmp_path, YES)
    yes = {"approval": types.ElicitResult(action="accept", content={"approve": True})}

    async def session(client: Any) -> None:
        first = await client.session.call_tool("git_tag", {"name": "made"}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult) and served.tags() == []
        again = {"input_responses": yes, "request_state": first.request_state, "allow_input_required": True}
        for name, arguments in (("git_tag", {"name": "made2"}), ("git_branch", {"action": "create", "name": "made"})):
            with pytest.raises(mcp.MCPError, match="requestState"):
                await client.session.call_tool(name, arguments, **again)
        assert served.tags() == []
        done = await client.session.call_tool("git_tag", {"name": "made"}, **again)
        assert not done.is_error and served.tags() == ["made"]
        await client.session.call_tool("git_tag", {"name": "made", "action": "delete"}, allow_input_required=True)
        other = await client.session.call_tool("git_tag", {"name": "made"}, **again)  # used, and there is the tag
        assert other.is_error and served.tags() == ["made"]

    served.session("auto", session)


def test_at_level_yolo_nobody_is_asked(tmp_path: Path) -> None:
    served = Served(tmp_path, NO, level=Level.YOLO)
    assert served.call("auto", "git_tag", name="made")[0] is False and served.shown == []
    sandboxed = Served(tmp_path / "other", YES, level=Level.SANDBOXED)
    is_error, text = sandboxed.call("auto", "git_tag", name="made")
    assert is_error and text.startswith("permission_denied: ") and sandboxed.tags() == [] and sandboxed.shown == []


def test_a_long_preview_is_cut_between_lines(tmp_path: Path) -> None:
    served = Served(tmp_path, NO)
    paths = [f"made{number}.txt" for number in range(200)]
    for path in paths:
        (served.repo / path).write_text("x\n")
    served.call("auto", "git_stage", paths=paths)
    (shown,) = served.shown
    lines = shown.splitlines()
    left = next(line for line in lines if line.startswith("  … "))
    assert len(shown) < 4_300 and left == f"  … {201 - lines.index(left):,} more lines"


# --- the command line -----------------------------------------------------------------------------------------------


def test_the_grant_of_a_command_line(tmp_path: Path) -> None:
    repo = copy_of("plain", tmp_path / "repo")

    def options(*argv: str, profile: str = "native") -> Settings:
        return read_options(["-r", str(repo), *argv], "gitglass-mcp", profile)

    assert options().write is None and list(tools_of(options())) == list(NATIVE)
    settings = options("--write", "--identity", "Ann Lee <ann@x>", "--hooks", "skip")
    assert list(tools_of(settings)) == [*NATIVE, *NATIVE_WRITERS] and not settings.approve_by_meta
    assert isinstance(settings.write, WriteAccess)
    assert settings.write.grant.identity == Identity("Ann Lee", "ann@x") and settings.write.grant.hooks == "skip"
    plain = options("--write", "--approve-by-meta")
    assert isinstance(plain.write, WriteAccess) and plain.write.grant.identity is None and plain.approve_by_meta
    assert plain.write.grant.hooks == "refuse" and plain.write.approver is None
    assert len(tools_of(options("--write", "--profile", "forge"))) == 11
    assert len(tools_of(options("--write", profile=DROP_IN))) == 12
    assert list(tools_of(options("--write", "--profile", "rfc"))) == ["Git"]
    for profile in ("nexus", "openharness"):
        reading, writing = (tools_of(options(*argv, "--profile", profile))["git"][0] for argv in ([], ["--write"]))
        assert reading.hints.read_only and not writing.hints.read_only and writing.hints.destructive
    patches = options("--write", "--profile", "forge", "--patches", "out", "--patches", "tmp/*")
    assert isinstance(patches.write, WriteAccess) and patches.write.grant.folders == ("out", "tmp/*")
    assert not tools_of(patches)["git_diff"][0].hints.read_only and tools_of(patches)["git_log"][0].hints.read_only
    assert (
        plain.write.grant.folders == ()
        and tools_of(options("--write", "--profile", "forge"))["git_diff"][0].hints.read_only
    )
    assert "git_sync" not in tools_of(plain)
    far = options("--write", "--remote", "https://example.org/*", "--remote", "/srv/*.git")
    assert far.write is not None and list(tools_of(far))[-1] == "git_sync"
    granted: Any = far.write
    assert granted.grant.remotes == ("https://example.org/*", "/srv/*.git") and "network" in granted.grant.effects
    for argv in (["--identity", "A <a@b>"], ["--remote", "*"], ["--grant", "x"], ["--write", "--grant", "nowhere"], ["--patches", "out"], ["--hooks", "skip"], ["--approve-by-meta"], ["--write", "--hooks", "run"],
                 ["--write", "--identity", "nobody"], ["--write", "--identity", " <a@b>"]):  # fmt: skip
        with pytest.raises(UsageError):
            options(*argv)


def test_a_server_that_only_reads_has_not_loaded_the_write_side() -> None:
    code = """if True:
        import sys
        from gitglass.agent.mcp import settings, server
        read = settings.read_options(["-r", "/"])
        server.make_server(read)
        assert not [name for name in sys.modules if name.startswith("gitglass.mutate")]
        server.make_server(settings.read_options(["-r", "/", "--write"]))
        assert "gitglass.mutate.access" in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
