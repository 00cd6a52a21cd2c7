"""Targets by name, and templates of branches."""

from typing import Any

import pytest

from gitglass.errors import InvalidArgs, NotFound
from gitglass.workspace.targets.named import Targets, branch_ref, expanded


class Stub:
    def __init__(self, name: str, kind: str = "local", where: str = "") -> None:
        self.name, self.kind, self.where = name, kind, where


def targets(*stubs: Any, **options: Any) -> Targets:
    return Targets(stubs, **options)


def test_only_what_the_host_listed_can_be_named() -> None:
    listed = targets(Stub("project", where="."), Stub("backup", "local-bare", "/srv/backup.git"))
    assert listed.of(None).target.name == "project" and listed.of("backup").target.name == "backup"
    meant = listed.of({"type": "local", "path": ".", "branch": "x"})
    assert (meant.target.name, meant.branch) == ("project", "x")
    assert listed.of({"type": "local-bare", "path": "backup"}).target.name == "backup"
    for spec in (
        "nowhere",
        {"type": "local", "path": "/etc"},
        {"type": "local", "path": "/srv/backup.git"},
        {"type": "github", "repo": "a/b"},
        {"type": "local"},
        {},
    ):
        with pytest.raises(NotFound, match="unknown target"):
            listed.of(spec)
    assert targets(Stub("a"), Stub("b"), default="b").of(None).target.name == "b"


def test_two_of_one_name_are_an_error() -> None:
    with pytest.raises(InvalidArgs, match="there already"):
        targets(Stub("a"), Stub("a"))
    with pytest.raises(InvalidArgs) as caught:
        targets(Stub("a"), Stub("c"), default="b")
    assert caught.value.hint == "Targets: a, c."
    with pytest.raises(NotFound, match="no target"):
        targets().of(None)


def test_templates_are_expanded() -> None:
    def made(template: str, worker: str = "Report Writer!") -> str:
        return expanded(template, worker=worker, id="0123456789", seconds=1_700_000_000)

    assert (
        made("worker-{timestamp}") == "worker-20231114-221320"
        and made("{worker}/{date}/{id}") == "Report-Writer/2023-11-14/01234567"
    )
    assert made("plain") == "plain" and made("{worker}", worker="../..") == "worker"
    for template in ("{user}", "{}", "a..b", "{timestamp}.lock", "-x", "a b", "refs/heads/x", "HEAD", ""):
        with pytest.raises(InvalidArgs):
            made(template)


def test_refs_of_branches() -> None:
    assert branch_ref("feature/x") == "refs/heads/feature/x"
    with pytest.raises(InvalidArgs):
        branch_ref("a\nb")
