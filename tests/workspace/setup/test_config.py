"""`[tools.git.workspace]`: document 4's keys, and errors that name the key and the file."""

from pathlib import Path

import pytest

from gitglass.errors import BadConfig
from gitglass.mutate.grant import Identity
from gitglass.workspace.setup.config import GitHubSpec, LocalSpec, parse_config, person, read_config

WHOLE = """
[tools.git]
timeout_ms = 5000

[tools.git.workspace]
default_target = { type = "local", path = ".", branch = "worker-{timestamp}" }
auto_pull = [{ path = "templates/", source = { type = "local", path = "." } }, { path = "x", source = "reports" }]
auto_approve = ["worker-*"]
sensitive = ["*.env"]
author = "Ann Lee <ann@example.com>"
agent = "Bot <bot@example.com>"
preset = "trailer"

[tools.git.workspace.targets.reports]
type = "github"
repo = "user/reports"
branch = "main"
via = "rest"
"""


def test_document_4s_keys() -> None:
    config = parse_config(WHOLE)
    assert config.default_target == LocalSpec(type="local", path=".", branch="worker-{timestamp}")
    assert config.targets == {"reports": GitHubSpec(type="github", repo="user/reports", branch="main", via="rest")}
    assert [row.path for row in config.auto_pull] == ["templates/", "x"] and config.auto_approve == ("worker-*",)
    assert parse_config("").targets == {} and parse_config("[tools.git]\nenabled = true").mount == "/workspace/"
    assert person("Ann Lee <ann@example.com>") == Identity("Ann Lee", "ann@example.com")


def test_the_table_above_takes_it() -> None:
    from gitglass.agent.config import read_config as document3

    assert document3(WHOLE).timeout_ms == 5000


@pytest.mark.parametrize(
    ("row", "key", "words"),
    [
        ("defalt_target = 'x'", "defalt_target", "not permitted"),
        ("default_target = 'x'", "default_target", "unknown target 'x'; there are none"),
        ("default_target = { type = 'svn', path = '.' }", "default_target", "'svn'"),
        ("default_target = { type = 'local' }", "default_target.path", "required"),
        ("default_target = { type = 'github', repo = 'a/b', via = 'soap' }", "default_target.via", "rest"),
        ("auto_pull = [{ source = 'x' }]", "auto_pull.0.path", "required"),
        ("auto_pull = [{ path = 'x', source = 'y' }]", "auto_pull.0.source", "unknown target 'y'"),
        ("auto_approve = 'main'", "auto_approve", "tuple"),
        (
            "targets = { a = { type = 'remote', url = 'https://x', hooks = 'skip' } }",
            "targets.a.hooks",
            "not permitted",
        ),
        ("author = 'nobody'", "author", "Name <email>"),
        ("gh = 'gh'", "gh", "absolute"),
        ("symlinks = 'maybe'", "symlinks", "boolean"),
    ],
)
def test_errors_name_key_and_file(row: str, key: str, words: str) -> None:
    with pytest.raises(BadConfig) as caught:
        parse_config(f"[tools.git.workspace]\n{row}\n", "/etc/worker.toml")
    full = f"tools.git.workspace.{key}"
    assert caught.value.data == {"key": full, "file": "/etc/worker.toml"}
    assert caught.value.message.startswith(f"/etc/worker.toml: {full}: ") and words in caught.value.message


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "worker.toml"
    file.write_text(WHOLE)
    assert read_config(file) == parse_config(WHOLE)
    for raw, words in ((b"x = ", "Invalid value"), (b"\xff", "not UTF-8"), (b"tools = 1", "tools is not a table")):
        file.write_bytes(raw)
        with pytest.raises(BadConfig, match=words) as caught:
            read_config(file)
        assert caught.value.data["file"] == str(file)
    with pytest.raises(BadConfig, match="no such file"):
        read_config(tmp_path / "none.toml")
