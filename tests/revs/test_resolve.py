"""Revisions looked up in the fixtures; what git printed is in fixtures/recorded, here are the strange rules."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.objects.commit_graph import CommitGraph
from gitglass.refs.refs import shorten
from gitglass.repo.discover import Where
from gitglass.repo.store import open_store
from gitglass.revs.names import abbreviate_ref


def parse(where: Path, *args: str) -> tuple[int, list[str], str]:
    done = gitglass.git(["rev-parse", *args], cwd=where)
    return done.returncode, done.stdout.decode().split("\n")[:-1], done.stderr.decode()


@pytest.fixture
def plain(unpack: Any) -> Path:
    where: Path = unpack("plain")
    return where


def test_words_are_answered_in_order(plain: Path) -> None:
    code, lines, _ = parse(plain, "HEAD", "--not", "HEAD", "--symbolic", "HEAD", "--flags", "-x")
    head = lines[0]
    assert (code, lines) == (0, [head, "^" + head, "^HEAD", "-x"])


def test_a_word_that_names_nothing_is_echoed_before_git_dies(plain: Path) -> None:
    code, lines, err = parse(plain, "nosuch")
    assert (code, lines) == (128, ["nosuch"])
    assert err.startswith("fatal: ambiguous argument 'nosuch'")


def test_verify_wants_exactly_one(plain: Path) -> None:
    assert parse(plain, "--verify", "HEAD", "HEAD")[0] == 128
    assert parse(plain, "--verify", "-q", "nosuch") == (1, [], "")
    assert parse(plain, "--verify", "HEAD^{commit}")[0] == 0


def test_far_ancestors_and_long_chains(plain: Path) -> None:
    assert parse(plain, "--verify", "HEAD~99999")[0] == 128
    assert parse(plain, "--verify", "HEAD" + "^" * 50_000)[0] == 128
    head = parse(plain, "HEAD")[1]
    assert parse(plain, "HEAD" + "^0" * 5_000)[1] == head


def test_a_far_ancestor_is_found_by_number(unpack: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a commit-graph no commit's name is looked up but the first and the last."""
    where = Path(shutil.copytree(unpack("packed"), tmp_path / "packed"))
    depth = int(gitglass.git(["rev-list", "--count", "--first-parent", "HEAD"], cwd=where).stdout) - 1
    far = [f"HEAD~{count}" for count in (depth, depth - 1, depth + 1)]
    without = [gitglass.git(["-c", "core.commitGraph=false", "rev-parse", word], cwd=where) for word in far]
    searched: list[bytes] = []
    search = CommitGraph.position

    def counted(graph: CommitGraph, oid: bytes) -> int | None:
        searched.append(oid)
        return search(graph, oid)

    monkeypatch.setattr(CommitGraph, "position", counted)
    monkeypatch.setattr("gitglass.revs.resolve._FEW_STEPS", 1)
    for word, expected in zip(far, without, strict=True):
        del searched[:]
        done = gitglass.git(["rev-parse", word], cwd=where)
        assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)
        assert 0 < len(set(searched)) < 4 < depth


def test_misspelt_paths_have_words_of_their_own(plain: Path) -> None:
    assert "path 'nosuch' does not exist in 'HEAD'" in parse(plain, "HEAD:nosuch")[2]
    assert "invalid object name 'nosuch'." in parse(plain, "nosuch:README.md")[2]
    assert "does not exist (neither on disk nor in the index)" in parse(plain, ":nosuch")[2]
    assert "is in the index, but not at stage 2" in parse(plain, ":2:README.md")[2]


def test_peeling_to_the_wrong_kind(plain: Path) -> None:
    _, _, err = parse(plain, "HEAD^{blob}")
    assert "HEAD^{blob}: expected blob type, but the object dereferences to tree type" in err


def test_reflog_too_short(plain: Path) -> None:
    code, _, err = parse(plain, "HEAD@{999}")
    assert code == 128
    assert "fatal: log for 'HEAD' only has" in err


def test_upstream_words(plain: Path) -> None:
    assert "fatal: no such branch: 'nosuch'" in parse(plain, "nosuch@{u}")[2]


def test_candidates_are_offered(plain: Path) -> None:
    repo = gitglass.open(plain)
    with pytest.raises(gitglass.GitError) as caught:
        repo.rev_parse("mian")
    assert "main" in caught.value.data.get("candidates", [])  # type: ignore[operator]


def test_detached_and_unborn(unpack: Any) -> None:
    assert parse(unpack("detached"), "--abbrev-ref", "HEAD")[1] == ["HEAD"]
    assert parse(unpack("unborn"), "--abbrev-ref", "HEAD")[:2] == (128, ["HEAD"])


def test_where_things_are(unpack: Any) -> None:
    bare = unpack("bare")
    assert parse(bare, "--git-dir", "--is-bare-repository", "--show-prefix")[1] == [".", "true", ""]
    linked = unpack("linked")
    git_dir = parse(linked, "--git-dir")[1][0]
    assert git_dir.startswith("/")
    assert parse(linked, "--git-path", "objects")[1][0].endswith("/.git/objects")
    src = unpack("plain") / "src"
    assert parse(src, "--show-prefix", "--show-cdup", "--git-path", "HEAD")[1] == ["src/", "../", "../.git/HEAD"]


def test_quoting_for_the_shell(plain: Path) -> None:
    assert gitglass.git(["rev-parse", "--sq-quote", "a'b", "c"], cwd=plain).stdout == b" 'a'\\''b' 'c'\n"


def test_short_names_that_other_refs_stand_in_the_way_of(plain: Path, tmp_path: Path) -> None:
    oid = parse(plain, "HEAD")[1][0]
    plain = Path(shutil.copytree(plain, tmp_path / "copy", symlinks=True))
    refs = plain / ".git" / "refs"
    for name in ("heads/x", "tags/x", "remotes/x/HEAD", "heads/alone", "remotes/o/alone", "heads/o/alone", "tags/z/y"):
        (refs / name).parent.mkdir(parents=True, exist_ok=True)
        (refs / name).write_text(oid + "\n")
    store = open_store(Where(cwd=bytes(plain)), root=b"/")
    for strict in (True, False):
        for name, _ in store.refs.iterate(b"refs/"):
            assert abbreviate_ref(store, name, strict=strict) == shorten(name, store.refs.exists, strict)
    assert abbreviate_ref(store, b"refs/heads/x", strict=True) == b"heads/x"
    assert abbreviate_ref(store, b"refs/heads/alone", strict=True) == b"alone"
    assert abbreviate_ref(store, b"HEAD") == b"HEAD"
