"""agent/mcp/sdk.py: the server imports of the SDK what it uses, and the rest is there for whoever asks for it."""

import subprocess
import sys

import pytest

pytest.importorskip("mcp")

SERVER = """
import sys
from gitglass.agent.mcp.sdk import prepare_packages
prepare_packages()
import gitglass.agent.mcp.serve
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_server_imports_neither_clients_nor_http() -> None:
    names = ("mcp.client", "mcp.server.mcpserver", "gitglass.agent.mcp.http", "gitglass.agent.mcp.doors")
    assert run(f"{SERVER}\nprint([name for name in {names!r} if name in sys.modules])") == "[]\n"


def test_the_sdk_is_whole_for_whoever_asks() -> None:
    asked = "import mcp\nprint(mcp.ClientSession.__module__, mcp.server.Server.__module__, mcp.types.Tool.__name__)"
    assert run(f"{SERVER}\n{asked}") == "mcp.client.session mcp.server.lowlevel.server Tool\n"
    assert run(f"{SERVER}\nfrom mcp import ClientSession\nfrom mcp.server import MCPServer\nprint(1)") == "1\n"


def test_what_is_imported_already_stays() -> None:
    code = "import mcp\nfrom gitglass.agent.mcp.sdk import prepare_packages\nprepare_packages()\nimport sys\n"
    assert run(f"{code}print(sys.modules['mcp'] is mcp, mcp.ClientSession.__name__)") == "True ClientSession\n"
