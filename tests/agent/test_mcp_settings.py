"""agent/mcp/settings.py and main.py: options, what is refused, and what is never imported. Needs no `mcp`."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitglass import __version__
from gitglass.agent.mcp import main as scripts
from gitglass.agent.mcp.settings import DROP_IN, Settings, UsageError, read_options, tools_of
from gitglass.agent.tool import NATIVE, ToolContext


def options(*argv: str, profile: str = "native") -> Settings:
    return read_options(argv, "gitglass-mcp", profile)


@pytest.fixture(autouse=True)
def looked_upwards(guarded: Any) -> Iterator[None]:
    """Whoever starts a server without a root has the repository looked for up to the top, as git does; no further."""
    yield
    guarded.seen[:] = [
        seen for seen in guarded.seen if seen not in {"outside b'/.git/HEAD'", "outside b'/.git'", "outside b'//HEAD'"}
    ]


# --------------------------------------------------------------------------------------------------------------- roots
def test_roots_have_short_names_in_the_order_given(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    found = options("-r", f"{tmp_path}/one", "--root", f"zwei={tmp_path}/two", "--root", f"{tmp_path}/three").roots
    assert list(found.named) == ["one", "zwei", "three"]
    assert found.locate("zwei/sub") == (f"{tmp_path}/two/sub".encode(), f"{tmp_path}/two".encode())


def test_without_a_root_it_is_the_repository_of_the_current_directory(unpack: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(unpack("plain") / "src")
    (root,) = options().roots.named.values()
    assert root == str(unpack("plain")).encode()


def test_the_linked_worktree_of_the_current_directory_is_read(unpack: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(unpack("linked"))
    settings = options()
    tool, _ = tools_of(settings)["git_log"]
    assert not tool.call({"max_count": 1}, ToolContext(settings.roots)).is_error


@pytest.mark.parametrize(
    ("argv", "says", "status"),
    [
        ([], "no repository here", 2),
        (["-r", "nosuch"], "no such directory", 1),
        (["-r", "a=.", "-r", "a=/"], "two roots are called 'a'", 2),
        (["-r", ".", "--profile", "nosuch"], "unknown profile 'nosuch'", 2),
        (["-r", ".", "--tools", "git_status,git_push"], "unknown tool 'git_push'", 2),
        (["-r", ".", "--profile", "native", "--profile", "forge"], "both define the tool 'git_status'", 2),
        (["-r", ".", "--level", "root"], "unknown level 'root'", 2),
        (["-r", ".", "--timeout", "0"], "--timeout", 2),
        (["-r", ".", "--timeout", "601"], "--timeout", 2),
        (["-r", ".", "--max-bytes", "many"], "--max-bytes", 2),
        (["-r", ".", "--nosuch"], "--nosuch", 2),
        (["-r", ".", "--http", "0.0.0.0:80"], "--allow-remote", 2),
        (["-r", ".", "--http", "[::]:80"], "--allow-remote", 2),
        (["-r", ".", "--http", "127.0.0.1.evil.example:80"], "--allow-remote", 2),
        (["-r", ".", "--http", "x:y"], "is not [HOST:]PORT", 2),
        (["-r", ".", "--allow-remote"], "belong to --http", 2),
    ],
)
def test_refused(tmp_path: Path, monkeypatch: Any, argv: list[str], says: str, status: int) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r".*") as caught:
        tools_of(options(*argv))
    assert says in str(caught.value)
    assert caught.value.status == status


def test_http_listens_on_loopback_alone() -> None:
    assert options("-r", "/", "--http").http.netloc == "127.0.0.1"  # type: ignore[union-attr]
    assert options("-r", "/", "--http", "[::1]:0").http.netloc == "[::1]"  # type: ignore[union-attr]
    remote = options("-r", "/", "--http", "10.0.0.1:80", "--allow-remote", "--allow-host", "git.example").http
    assert remote is not None and (remote.host, remote.hosts) == ("10.0.0.1", ("git.example",))


def test_profiles_without_a_name_in_common_go_together() -> None:
    settings = options("-r", "/", "--profile", "native", "--profile", "rfc")
    assert list(tools_of(settings)) == [*NATIVE, "Git"]
    assert settings.budget("native").max_bytes == 40_000 and settings.budget("rfc").max_bytes == 200_000
    assert list(tools_of(options("-r", "/", "--tools", "git_show,git_log"))) == ["git_log", "git_show"]


# ------------------------------------------------------------------------------------------------- in mcp-server-git's place
def test_the_drop_in_s_repository(unpack: Any, tmp_path: Path) -> None:
    def drop_in(*argv: str) -> Settings:
        return options(*argv, profile=DROP_IN)

    assert drop_in().roots.unbounded
    (root,) = drop_in("--repository", f"{unpack('plain')}/src").roots.named.values()
    assert root == str(unpack("plain")).encode()
    with pytest.raises(UsageError, match="does not exist") as missing:
        drop_in("-r", "/nosuch/place")
    with pytest.raises(UsageError, match="is not a valid Git repository") as other:
        drop_in("-r", str(tmp_path))
    assert (missing.value.status, other.value.status) == (1, 0)


# -------------------------------------------------------------------------------------------------------------- imports
def test_without_the_extra_it_says_so(unpack: Any, monkeypatch: Any, capsys: Any) -> None:
    def nothing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'mcp'", name="mcp")

    monkeypatch.setattr(scripts, "import_module", nothing)
    assert scripts.main(["-r", str(unpack("plain"))]) == 1
    assert capsys.readouterr().err == "gitglass-mcp: the extra 'mcp' is not installed: pip install 'gitglass[mcp]'\n"


def test_nothing_but_the_server_imports_mcp(unpack: Any) -> None:
    code = f"""
import sys, gitglass, gitglass.agent
from gitglass.agent.profiles import PROFILES
from gitglass.cli.main import main
repo = gitglass.open({str(unpack("plain"))!r})
repo.log()
for profile in PROFILES:
    for tool in gitglass.agent.tools(profile):
        tool.input_schema()
main(["-C", {str(unpack("plain"))!r}, "status"])
from gitglass.agent.mcp.settings import read_options
read_options(["-r", "/"])
print(sorted({{name.partition(".")[0] for name in sys.modules}} & {{"mcp", "mcp_types", "anyio", "starlette", "uvicorn"}}))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_the_version_that_clients_read_can_be_set(tmp_path: Path) -> None:
    assert options("-r", str(tmp_path)).server_version == __version__
    assert options("-r", str(tmp_path), "--server-version", "2026.10.19").server_version == "2026.10.19"
