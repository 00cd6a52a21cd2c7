"""The layers of a configuration and their includes: git's conditions, and its words about what is wrong."""

from pathlib import Path

import pytest

from gitglass.config.config import Config
from gitglass.config.load import Standpoint, load_config, load_file, load_text, parse_override
from gitglass.disk.jail import Jail
from gitglass.errors import GitError


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "r" / ".git").mkdir(parents=True)
    return tmp_path / "r"


def load(repo: Path, root: Path | None = None, **more: object) -> Config:
    git_dir = bytes(repo / ".git")
    return load_config(Jail(bytes(root or repo)), git_dir=git_dir, common_dir=git_dir, **more)  # type: ignore[arg-type]


def test_includes_are_in_place_and_relative_to_their_file(repo: Path) -> None:
    (repo / ".git" / "config").write_text("[a]\nk = 1\n[include]\npath = sub/x\n[a]\nm = 3\n")
    (repo / ".git" / "sub").mkdir()
    (repo / ".git" / "sub" / "x").write_text("[a]\nk = 2\nm = 2\n[include]\npath = y\n")
    (repo / ".git" / "sub" / "y").write_text("[a]\nn = 4\n")
    made = load(repo)
    assert (made.get("a.k"), made.get("a.m"), made.get("a.n")) == (b"2", b"3", b"4")
    assert made.entry("a.n").source.origin == b"file:.git/sub/y"  # type: ignore[union-attr]


def test_an_include_outside_the_jail_is_left_out(repo: Path) -> None:
    (repo.parent / "secret").write_text("[a]\nk = secret\n")
    (repo / ".git" / "config").write_text("[include]\npath = ../../secret\n[a]\nj = 1\n")
    made = load(repo)
    assert made.get("a.k") is None and made.get("a.j") == b"1" and made.skipped


def test_a_circle_of_includes_ends(repo: Path) -> None:
    (repo / ".git" / "config").write_text("[include]\npath = config\n")
    with pytest.raises(GitError, match="exceeded maximum include depth"):
        load(repo)


def test_conditions(repo: Path) -> None:
    (repo / ".git" / "yes").write_text("[a]\nk = 1\n")

    def holds(condition: str) -> bool:
        (repo / ".git" / "config").write_text(
            f'[remote "o"]\nurl = https://host/x/y\n[includeIf "{condition}"]\npath = yes\n'
        )
        return load(repo, branch=lambda: b"refs/heads/topic/a").has("a.k")

    assert holds("onbranch:topic/") and holds("onbranch:topic/*") and not holds("onbranch:main")
    assert holds(f"gitdir:{repo}/") and holds("gitdir:r/.git") and holds("gitdir/i:R/") and not holds("gitdir:other/")
    assert holds("hasconfig:remote.*.url:https://host/**") and not holds("hasconfig:remote.*.url:https://*")
    assert not holds("nonsense:x")


def test_layers(repo: Path) -> None:
    (repo / "global").write_text("[a]\nk = g\nj = g\n")
    (repo / ".git" / "config").write_text("[extensions]\nworktreeConfig\n[a]\nk = l\n")
    (repo / ".git" / "config.worktree").write_text("[a]\nw = w\n")
    made = load(repo, user=[bytes(repo / "global")], overrides=["a.j=c"], environment=[("a.e", "e")])
    assert [made.get(f"a.{k}") for k in "kjwe"] == [b"l", b"c", b"w", b"e"]
    assert [e.source.scope for e in made.entries] == [
        "global",
        "global",
        "local",
        "local",
        "worktree",
        "command",
        "command",
    ]


def test_paths_are_expanded_each(repo: Path) -> None:
    repo.joinpath(".git/config").write_text("[blame]\n\tignoreRevsFile = ~/a\n\tignoreRevsFile = b\n")
    assert load(repo, home=b"/home/x").get_paths("blame.ignoreRevsFile") == [b"/home/x/a", b"b"]


ADDS = '[includeIf "hasconfig:remote.*.url:wanted"]\npath = yes\n'


@pytest.mark.parametrize("layer", ["later", "global", "worktree", "command", "included"])
def test_a_remote_of_any_layer_counts(repo: Path, layer: str) -> None:
    """The condition may stand before the remote, and in another file."""
    remote = '[remote "o"]\nurl = wanted\n'
    git_dir, more = repo / ".git", {}
    (git_dir / "yes").write_text("[a]\nk = 1\n")
    files = {"config": ADDS, "config.worktree": "", "global": "", "more": ""}
    if layer == "command":
        more["overrides"] = ["remote.o.url=wanted"]
    elif layer == "included":
        files["config"] += "[include]\npath = more\n"
        files["more"] = remote
    else:
        files[{"later": "config", "worktree": "config.worktree"}.get(layer, layer)] += remote
    files["config"] += "[extensions]\nworktreeConfig\n"
    for name, content in files.items():
        (git_dir / name).write_text(content)
    assert load(repo, user=[bytes(git_dir / "global")], **more).get("a.k") == b"1"


@pytest.mark.parametrize("url", ["wanted", "another"])
@pytest.mark.parametrize("steps", [1, 2])
def test_what_is_included_for_a_url_has_none(repo: Path, url: str, steps: int) -> None:
    """Whether the condition holds or not, as in git."""
    (repo / ".git" / "config").write_text(f'{ADDS}[remote "o"]\nurl = {url}\n')
    (repo / ".git" / "yes").write_text('[remote "p"]\nurl = x\n' if steps == 1 else "[include]\npath = deep\n")
    (repo / ".git" / "deep").write_text('[remote "p"]\nurl = x\n')
    with pytest.raises(GitError, match="remote URLs cannot be configured in file directly or indirectly included by"):
        load(repo)


def test_a_remote_has_a_name(repo: Path) -> None:
    (repo / ".git" / "yes").write_text("[a]\nk = 1\n")
    (repo / ".git" / "config").write_text(f"{ADDS}[remote]\nurl = wanted\n")
    assert not load(repo).has("a.k")


def test_links_on_the_way_to_the_git_directory_count_too(repo: Path) -> None:
    (repo.parent / "link").symlink_to("r")
    (repo / ".git" / "yes").write_text("[a]\nk = 1\n")
    for condition, fits in (("link/", True), ("r/", True), (f"{repo.parent}/link/**", True), ("other/", False)):
        (repo / ".git" / "config").write_text(f'[includeIf "gitdir:{condition}"]\npath = yes\n')
        named = bytes(repo.parent / "link" / ".git")
        assert load(repo, root=repo.parent, named=lambda path=named: path).has("a.k") == fits
        assert load(repo, root=repo.parent).has("a.k") == (condition == "r/")


def test_the_home_directory_of_a_condition_is_a_real_one(repo: Path) -> None:
    (repo.parent / "home").symlink_to(".")
    (repo / ".git" / "yes").write_text("[a]\nk = 1\n")
    (repo / ".git" / "config").write_text('[includeIf "gitdir:~/r/"]\npath = yes\n')
    assert load(repo, root=repo.parent, home=bytes(repo.parent / "home")).has("a.k")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "[a]\nb = 1\n[include]\npath\n",
            "error: missing value for 'include.path'\nfatal: bad config line 4 in file c",
        ),
        ("[include]\npath = ~/x\n", "error: could not expand include path '~/x'\nfatal: bad config line 2 in file c"),
        ("[a]\nb = 1\n[x\n", "fatal: bad config line 3 in file c"),
    ],
)
def test_a_file_that_git_gives_up(repo: Path, content: str, message: str) -> None:
    """The settings before the bad line are there, for `git config --file --list`."""
    (repo / "c").write_text(content)
    config, error = load_file(Jail(bytes(repo)), bytes(repo / "c"), b"c", Standpoint(homeless=True), includes=True)
    assert error is not None and error.words().decode() == message + "\n"
    assert config is not None and config.get("a.b") == (b"1" if "b = 1" in content else None)


@pytest.mark.parametrize("includes", [True, False])
def test_a_text_includes_files_by_absolute_paths(repo: Path, includes: bool) -> None:
    (repo / "x").write_text("[a]\nk = 1\n")
    text = b"[include]\npath = %b/x\n" % bytes(repo)
    config, error = load_text(Jail(bytes(repo)), text, b"standard input:", Standpoint(), includes=includes)
    assert error is None and config.get("a.k") == (b"1" if includes else None)
    error = load_text(Jail(bytes(repo)), b"[include]\npath = x\n", b"standard input:", Standpoint(), includes=includes)[
        1
    ]
    wanted = "error: relative config includes must come from files\nfatal: bad config line 2 in standard input\n"
    assert (error.words().decode() if error else "") == (wanted if includes else "")


def test_a_command_line_includes_no_relative_path(repo: Path) -> None:
    with pytest.raises(GitError) as caught:
        load(repo, overrides=["include.path=x"])
    assert caught.value.words() == (
        b"error: relative config includes must come from files\nfatal: unable to parse command-line config\n"
    )


def test_a_key_that_is_given_apart_may_have_an_equals_sign() -> None:
    assert parse_override("a.b=c.d=e") == (b"a.b", b"c.d=e")
    assert parse_override(("a.b=c.d", "e=f")) == (b"a.b=c.d", b"e=f")
    assert parse_override(("a.b", None)) == parse_override("a.b") == (b"a.b", None)


def test_a_home_that_the_environment_lacks(repo: Path) -> None:
    """Without an environment, in the library, nobody asked for it."""
    (repo / ".git" / "config").write_text("[core]\nexcludesFile = ~/x\n")
    assert load(repo).get_path("core.excludesFile") == b"~/x"
    with pytest.raises(GitError, match="failed to expand user dir in: '~/x'"):
        load(repo, root=Path("/"), system=b"/nosuch").get_path("core.excludesFile")
