"""A new repository is what `git init --template=` makes; planned first, whole or not at all, inside of its place."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.support.writing import CHANGING, done

import gitglass
from gitglass.errors import BadRequest, Conflict, GitError, InvalidArgs, NotGranted, StaleApproval, Unreadable
from gitglass.mutate.calls import Calls
from gitglass.mutate.grant import WriteGrant
from gitglass.mutate.init import InitPlan, approve_init, create, plan_init
from gitglass.request.init import NEW_REPOSITORY, InitRequest
from gitglass.request.mutations import AddRequest, CommitRequest

pytestmark = pytest.mark.writes

GRANT = WriteGrant(effects=frozenset({NEW_REPOSITORY}))
# `find` and `cat` in what `git init -q --template=` of git 2.39.5 made
FOLDERS = {"objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags"}
PLAIN = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"


def plan_of(root: Path, **fields: Any) -> InitPlan:
    return plan_init(root, InitRequest(**fields), GRANT, default_branch=fields.pop("default", None))


def made(root: Path, **fields: Any) -> bytes:
    plan = plan_of(root, **fields)
    return create(plan, approve_init(plan, "test")).out


def listed(top: Path) -> dict[str, str | None]:
    return {str(path.relative_to(top)): None if path.is_dir() else path.read_text() for path in sorted(top.rglob("*"))}


def test_a_plain_repository(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, directory="a/b")
    assert listed(tmp_path) == {}
    answer = create(plan, approve_init(plan, "test"))
    assert answer.out == b"Initialized empty Git repository in %b/a/b/.git/\n" % os.fsencode(tmp_path)
    assert answer.err.count(b"hint: ") == 10
    assert os.listdir(tmp_path / "a/b") == [".git"]
    assert listed(tmp_path / "a/b/.git") == {
        **dict.fromkeys(FOLDERS), "HEAD": "ref: refs/heads/master\n", "config": PLAIN,
    }  # fmt: skip
    assert gitglass.open(tmp_path / "a/b").git(["status", "-sb"]).stdout == b"## No commits yet on master\n"


@pytest.mark.parametrize(
    ("fields", "config"),
    [
        ({"bare": True}, PLAIN.replace("bare = false\n\tlogallrefupdates = true", "bare = true")),
        (
            {"object_format": "sha256"},
            PLAIN.replace("version = 0", "version = 1") + "[extensions]\n\tobjectformat = sha256\n",
        ),
        ({"shared": "group"}, PLAIN + "\tsharedrepository = 1\n[receive]\n\tdenyNonFastforwards = true\n"),
        ({"shared": "all"}, PLAIN + "\tsharedrepository = 2\n[receive]\n\tdenyNonFastforwards = true\n"),
    ],
)
def test_its_kinds(tmp_path: Path, fields: dict[str, Any], config: str) -> None:
    assert made(tmp_path, initial_branch="x/y", quiet=True, **fields) == b""
    git_dir = tmp_path if fields.get("bare") else tmp_path / ".git"
    assert (git_dir / "config").read_text() == config
    assert (git_dir / "HEAD").read_text() == "ref: refs/heads/x/y\n"
    assert {name for name, content in listed(git_dir).items() if content is None} == FOLDERS


def test_who_shares_may_write(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        made(tmp_path, shared="group")
    finally:
        os.umask(old)
    mode = {path: stat.S_IMODE((tmp_path / ".git" / path).stat().st_mode) for path in ("", "HEAD", "objects/pack")}
    assert mode == {"": 0o2770, "HEAD": 0o660, "objects/pack": 0o2770}


def test_one_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    made(tmp_path, quiet=True)
    before = listed(tmp_path)
    plan = plan_of(tmp_path, initial_branch="other")
    assert plan.is_empty
    answer = create(plan, approve_init(plan, "test"))
    assert answer.out == b"Reinitialized existing Git repository in %b/.git/\n" % os.fsencode(tmp_path)
    assert answer.err == b"warning: re-init: ignored --initial-branch=other\n"
    with pytest.raises(BadRequest, match="different hash"):
        plan_of(tmp_path, object_format="sha256")
    assert listed(tmp_path) == before


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("/")
    (tmp_path / "part/.git/objects").mkdir(parents=True)
    with pytest.raises(NotGranted):
        plan_init(tmp_path, InitRequest(), WriteGrant())
    for words, error in (
        ({"initial_branch": "a..b"}, BadRequest), ({"object_format": "md5"}, BadRequest), ({"directory": "file"}, Conflict),
        ({"directory": "../out"}, InvalidArgs), ({"directory": "/"}, InvalidArgs), ({"directory": "a/.GIT/b"}, InvalidArgs),
        ({"directory": "link/tmp"}, GitError), ({"directory": "part"}, Conflict), ({"shared": "0666"}, GitError),
    ):  # fmt: skip
        with pytest.raises(error):
            plan_of(tmp_path, **words)


def test_an_approval_is_for_one_plan_and_a_while(tmp_path: Path) -> None:
    plan, other = plan_of(tmp_path, directory="a"), plan_of(tmp_path, directory="b")
    for approval in (approve_init(other, "test"), approve_init(plan, "test", seconds=-1)):
        with pytest.raises(StaleApproval):
            create(plan, approval)
    (tmp_path / "a/.git").mkdir(parents=True)
    with pytest.raises(Conflict, match="has come into being"):
        create(plan, approve_init(plan, "test"))
    assert os.listdir(tmp_path / "a") == [".git"] and os.listdir(tmp_path) == ["a"]


class _Failing(Calls):
    def __init__(self, at: int) -> None:
        self.left = at

    def __getattribute__(self, name: str) -> Any:
        call = super().__getattribute__(name)
        if name not in CHANGING:
            return call

        def counted(*args: Any) -> Any:
            self.left -= 1
            if self.left == 0:
                raise OSError(28, "No space left on device")
            return call(*args)

        return counted


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    """Every call fails once: there is no repository, and nothing is left beside its own directory."""
    failed = 0
    while True:
        top = tmp_path / str(failed)
        top.mkdir()
        plan = plan_of(top, directory="a")
        try:
            create(plan, approve_init(plan, "test"), calls=_Failing(failed + 1))
        except Unreadable:
            failed += 1
            assert listed(top) in ({}, {"a": None})
        else:
            break
    assert failed > 12 and gitglass.open(top / "a").git(["rev-parse", "--git-dir"]).stdout == b".git\n"


def test_a_first_commit_in_it(tmp_path: Path) -> None:
    made(tmp_path, initial_branch="main", object_format="sha256")
    (tmp_path / "file").write_text("text\n")
    done(tmp_path, AddRequest(paths=["file"]))
    assert done(tmp_path, CommitRequest(message=["first"])).text.startswith("[main (root-commit) ")
    assert gitglass.open(tmp_path).git(["log", "--format=%s", "--name-only"]).stdout == b"first\n\nfile\n"
