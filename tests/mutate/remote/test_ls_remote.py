"""ls-remote: another repository's refs as git-ls-remote(1) prints them, from a path; what is granted; no repository here."""

import json
from pathlib import Path

import pytest
from tests.support.peers import commit, empty, everything, planned, read, run, said

from gitglass.errors import NotGranted
from gitglass.mutate.commandline import main

pytestmark = pytest.mark.writes


@pytest.fixture
def up(tmp_path: Path) -> Path:
    made = empty(tmp_path / "up", bare=False)
    commit(made, "one")
    run(made, "tag", "-a", "-m", "x", "v1.10")
    run(made, "tag", "v1.9")
    run(made, "branch", "a/b")
    commit(made, "two")
    (made / ".git/refs/heads/alias").write_text("ref: refs/heads/main\n")
    (made / "f").write_text("changed")
    run(made, "stash")
    return made


@pytest.fixture
def me(tmp_path: Path, up: Path) -> Path:
    return empty(tmp_path / "me", bare=False, origin=str(up))


def names(out: str) -> list[str]:
    return [line.split("\t")[1] for line in out.splitlines()]


def test_the_whole_list(me: Path, up: Path) -> None:
    before = everything(me)
    status, out, err = said(me, "ls-remote")
    oid = {name: read(up, "rev-parse", name) for name in ("HEAD", "refs/heads/a/b", "v1.10", "v1.10^{}", "refs/stash")}
    assert (status, err) == (0, f"From {up}\n")
    assert out.splitlines() == [
        f"{oid['HEAD']}\tHEAD", f"{oid['refs/heads/a/b']}\trefs/heads/a/b", f"{oid['HEAD']}\trefs/heads/alias",
        f"{oid['HEAD']}\trefs/heads/main", f"{oid['refs/stash']}\trefs/stash", f"{oid['v1.10']}\trefs/tags/v1.10",
        f"{oid['v1.10^{}']}\trefs/tags/v1.10^{{}}", f"{oid['v1.10^{}']}\trefs/tags/v1.9",
    ]  # fmt: skip
    assert said(me, "ls-remote", "-q")[1:] == (out, "") and said(me, "ls-remote", "origin")[1:] == (out, "")
    assert everything(me) == before


@pytest.mark.parametrize(
    ("argv", "have"),
    [
        (["--heads"], ["refs/heads/a/b", "refs/heads/alias", "refs/heads/main"]),
        (["--refs", "--tags"], ["refs/tags/v1.10", "refs/tags/v1.9"]),
        (["--refs"], ["refs/heads/a/b", "refs/heads/alias", "refs/heads/main", "refs/tags/v1.10", "refs/tags/v1.9"]),
        (["--tags", "--sort=-version:refname"], ["refs/tags/v1.10^{}", "refs/tags/v1.10", "refs/tags/v1.9"]),
        (["--heads", "--sort=-refname"], ["refs/heads/main", "refs/heads/alias", "refs/heads/a/b"]),
        (["origin", "main", "b"], ["refs/heads/a/b", "refs/heads/main"]), (["origin", "heads/*"], ["refs/heads/a/b", "refs/heads/alias", "refs/heads/main"]),
        (["origin", "HEAD"], ["HEAD"]), (["origin", "ain"], []), (["--symref", "origin", "HEAD", "alias"], ["HEAD", "HEAD", "refs/heads/alias", "refs/heads/alias"]),
    ],
)  # fmt: skip
def test_which_and_in_what_order(me: Path, argv: list[str], have: list[str]) -> None:
    assert names(said(me, "ls-remote", "-q", *argv)[1]) == have


def test_symbolic_refs_say_what_they_name(me: Path) -> None:
    assert said(me, "ls-remote", "--symref", "origin", "HEAD")[1].startswith("ref: refs/heads/main\tHEAD\n")


def test_words_and_statuses(me: Path, tmp_path: Path, up: Path) -> None:
    assert said(me, "ls-remote", "--exit-code", "origin", "nope") == (2, "", "")
    assert said(me, "ls-remote", "origin", "nope") == (0, "", "")
    assert said(me, "ls-remote", "--get-url") == (0, f"{up}\n", "")
    status, _, err = said(me, "ls-remote", "nowhere")
    assert status == 128 and err.startswith("fatal: 'nowhere' does not appear to be a git repository\n")
    alone = empty(tmp_path / "alone", bare=False)
    assert said(alone, "ls-remote") == (128, "", "fatal: No remote configured to list refs from.\n")
    assert "missing object" in said(alone, "ls-remote", "--sort=creatordate", str(up))[2]
    assert said(me, "ls-remote", "--sort=nonsense", "origin")[2] == "fatal: unknown field name: nonsense\n"
    assert "unknown option" in said(me, "ls-remote", "--upload-pack=x")[2]


def test_the_host_grants_it(me: Path, up: Path) -> None:
    for granted in ({"remotes": ()}, {"remotes": ("https://*",)}):
        with pytest.raises(NotGranted):
            planned(me, "ls-remote", **granted)
    assert names(said(me, "ls-remote", "--heads", remotes=(str(up),))[1])


def test_at_the_command_line(
    up: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """No repository is needed; `--remote` and the host's file say which others may be asked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    head = read(up, "rev-parse", "HEAD")
    assert main(["ls-remote", "up", "HEAD"]) == 0
    assert capfdbinary.readouterr().out == f"{head}\tHEAD\n".encode()
    assert main(["ls-remote"]) == 128
    assert b"No remote configured" in capfdbinary.readouterr().err
    assert main(["--remote", "https://*", "--remote", "/srv/*", "ls-remote", "up"]) == 128
    assert b"the grant does not cover" in capfdbinary.readouterr().err
    (tmp_path / "grant").write_text(json.dumps({"remotes": [str(up)]}))
    (tmp_path / "grant").chmod(0o600)
    assert main(["--grant", str(tmp_path / "grant"), "ls-remote", "up", "HEAD"]) == 0
    assert main(["--grant", str(tmp_path / "grant"), "ls-remote", "other"]) == 128
    assert main(["--grant", str(tmp_path / "grant"), "--remote", str(tmp_path), "ls-remote", "up"]) == 128
    assert main(["--grant"]) == 129
