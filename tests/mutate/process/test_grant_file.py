"""process/grant_file.py: what a host's file grants, and every word in it that grants nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from gitglass.errors import GitError, InvalidArgs, NotGranted
from gitglass.mutate.access import access_of
from gitglass.mutate.grant import WriteGrant
from gitglass.mutate.process.grant_file import granted_by
from gitglass.mutate.process.granted import Filter, GrantedHooks, Program, Programs, Signer

SHA = "1f" * 32
WHOLE: dict[str, Any] = {
    "remotes": ["https://example.org/*"], "plain_http": True, "refs": ["refs/heads/*"], "protected": ["main"],
    "folders": ["out"], "hooks": {"pre-commit": SHA},
    "programs": {
        "filters": {"crypt": {"clean": {"argv": ["/bin/c", "x"], "sha256": SHA}, "required": False}},
        "drivers": {"mine": {"argv": ["/bin/m", "%A"], "reads": "its home"}},
        "signer": {"program": {"argv": ["/bin/gpg"], "variables": {"GNUPGHOME": "/k"}}, "key": "me", "format": "x509"},
        "token": {"argv": ["/bin/gh", "auth", "token"]}, "path": ["/bin"], "rooms": "/tmp", "seconds": 5,
        "ssh": {"argv": ["/bin/ssh", "-oBatchMode=yes"]},
    },
}  # fmt: skip


def test_all_of_it() -> None:
    grant = granted_by(json.dumps(WHOLE).encode(), WriteGrant())
    assert grant.remotes == ("https://example.org/*",) and grant.plain_http and grant.refs == ("refs/heads/*",)
    assert "network" in grant.effects and "network" not in WriteGrant().effects
    assert grant.hooks == GrantedHooks({"pre-commit": SHA}) and grant.folders == ("out",)
    assert grant.programs == Programs(
        {"crypt": Filter(Program(("/bin/c", "x"), SHA), None, False)},
        {"mine": Program(("/bin/m", "%A"), reads="its home")},
        Signer(Program(("/bin/gpg",), variables=(("GNUPGHOME", "/k"),)), "me", "x509"),
        Program(("/bin/gh", "auth", "token")), ("/bin",), "/tmp", 5.0, ssh=Program(("/bin/ssh", "-oBatchMode=yes")),
    )  # fmt: skip
    assert (
        granted_by(b"{}", WriteGrant()).remotes == () and granted_by(b'{"hooks": "skip"}', WriteGrant()).hooks == "skip"
    )


@pytest.mark.parametrize(
    "said",
    [
        [], {"remote": []}, {"remotes": "x"}, {"remotes": [1]}, {"plain_http": 1}, {"hooks": "run"}, {"hooks": {"x": "y"}},
        {"programs": {"ssh": {}}}, {"programs": {"filters": []}}, {"programs": {"filters": {"x": {"clean": {}}}}},
        {"programs": {"token": {"argv": ["gh"]}}}, {"programs": {"token": {"argv": ["/gh"], "variables": {"HOME": "/"}}}},
        {"programs": {"signer": {"key": "k"}}}, {"programs": {"seconds": True}}, {"programs": {"seconds": 0}},
        {"programs": {"signer": {"program": {"argv": ["/g"]}, "key": "k", "format": "pgp"}}}, {"programs": {"rooms": 1}},
    ],
)  # fmt: skip
def test_a_word_that_was_mistyped(said: Any) -> None:
    with pytest.raises(InvalidArgs):
        granted_by(json.dumps(said).encode(), WriteGrant())


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"[" * 100_000, b'{"remotes": NaN}'])
def test_no_json(data: bytes) -> None:
    with pytest.raises(InvalidArgs):
        granted_by(data, WriteGrant())


def test_where_the_file_is(tmp_path: Path) -> None:
    home, repo = tmp_path / "home", tmp_path / "repo"
    for folder in (home, repo):
        folder.mkdir()
        (folder / "grant").write_text('{"remotes": ["/srv/*"], "hooks": "skip", "folders": ["a"]}')
        (folder / "grant").chmod(0o600)
    folders = (str(repo).encode(),)
    made = access_of(None, grant_file=str(home / "grant"), folders=folders)
    assert made.grant.remotes == ("/srv/*",) and made.grant.hooks == "skip" and made.reaches_others
    line = access_of(None, "refuse", ("b",), remotes=("/x",), grant_file=str(home / "grant"), folders=folders)
    assert line.grant.remotes == ("/x",) and line.grant.hooks == "refuse" and line.grant.folders == ("b",)
    (home / "link").symlink_to(repo / "grant")
    (home / "open").write_text("{}")
    (home / "open").chmod(0o666)
    for name in (repo / "grant", home / "link", home / "open", home / "none", home):
        with pytest.raises(NotGranted, match="grants nothing"):
            access_of(None, grant_file=str(name), folders=folders)


def test_tokens_are_looked_up_each_time() -> None:
    values = {"GITHUB_TOKEN": "one"}
    provider = access_of(None, remotes=("*",), variable=values.get).grant.credentials
    assert provider is not None
    first = provider("https://github.com/a/b")
    values["GITHUB_TOKEN"] = "two"
    second = provider("https://github.com/a/b")
    assert first is not None and second is not None and (first.password, second.password) == ("one", "two")
    values.clear()
    assert provider("https://github.com/a/b") is None and provider("https://example.org/") is None


def test_no_request_grants_anything() -> None:
    """A grant is of the host's words alone: nothing of it is a field of any request."""
    from gitglass.request.mutations import Mutation

    kinds = [Mutation]
    for kind in kinds:
        kinds += kind.__subclasses__()
    names = {name for kind in kinds for name in kind.model_fields}
    assert not names & {"remotes", "grant", "credentials", "programs", "plain_http", "effects", "token"}
    assert issubclass(NotGranted, GitError)
