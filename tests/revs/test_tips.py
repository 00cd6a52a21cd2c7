"""revs/tips.py: words to tips, each word looked up once a command."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.graph.steps import steps_taken
from gitglass.limits import Context
from gitglass.repo.discover import Where
from gitglass.repo.store import Store, open_store
from gitglass.revs import resolve
from gitglass.revs.tip import Tips
from gitglass.revs.tips import tips

from ..support.worktrees import Repo

LINES = """
    log --oneline -n 5 HEAD | log v1.0..HEAD | log topic...main | log --all topic | log --graph main | log --source HEAD topic | log -p -1 HEAD
    log -L1,4:src/app.py HEAD | log --follow HEAD -- src/app.py | log HEAD^@ | log HEAD^! | log -g HEAD | log main --not v1.0 | log HEAD src
    log -1 --format=%(describe) HEAD | log --stdin | log HEAD~2 --stdin -- src | show HEAD | show HEAD:README.md | show v1.0 topic
    diff HEAD | diff HEAD~1 HEAD | diff HEAD~1..HEAD | diff topic...main | diff --cached HEAD | diff --merge-base HEAD~1 HEAD | diff HEAD -- src
    status | branch -a | branch --contains HEAD | branch --merged topic | tag --contains HEAD | tag --points-at HEAD | describe --always HEAD~1
    describe --contains HEAD~1 | rev-parse HEAD | rev-parse --abbrev-ref HEAD | rev-parse --verify HEAD~1 | rev-parse HEAD~1..HEAD
    rev-list HEAD | rev-list --count v1.0..HEAD | rev-list --left-right topic...main | merge-base topic HEAD | merge-base --is-ancestor v1.0 HEAD
    blame HEAD -- src/app.py | blame HEAD~1 src/app.py | blame src/app.py HEAD~1 | cat-file -p HEAD | cat-file -t v1.0 | cat-file blob HEAD:README.md
    ls-tree -r HEAD | ls-tree HEAD src | ls-files --with-tree=HEAD | for-each-ref --contains=HEAD | show-ref | grep -n e HEAD
    grep e HEAD topic -- src | shortlog -s HEAD | shortlog -s v1.0..HEAD | format-patch --stdout -1 HEAD | format-patch --stdout v1.0
    format-patch --stdout v1.0..HEAD | format-patch --stdout HEAD~1 --base=v1.0 | reflog show HEAD | name-rev topic | diff-tree HEAD
    diff-tree HEAD~1 HEAD | diff-index HEAD | diff-files | cherry topic HEAD | whatchanged -n 2 HEAD | stash list | compare v1.0 HEAD | compare v1.0...topic
    log --ignore-missing HEAD nosuch | log HEAD@{0} | log --exclude=v* --tags topic
"""  # fmt: skip
ASKED = [line.strip() for row in LINES.splitlines() for line in row.split("|") if line.strip()]


@pytest.mark.parametrize("line", ASKED)
def test_no_command_looks_a_word_up_twice(unpack: Any, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    looked: Counter[bytes] = Counter()
    find = resolve.Resolver.find

    def counted(self: resolve.Resolver, revision: bytes) -> resolve.Resolved | None:
        looked[revision] += 1
        return find(self, revision)

    monkeypatch.setattr(resolve.Resolver, "find", counted)
    done = gitglass.git(line.split(), cwd=unpack("plain"), input=b"main\ntopic\n")
    assert done.returncode in (0, 1), done.stderr
    assert not {word: times for word, times in looked.items() if times > 1}


def test_the_counter_counts(unpack: Any) -> None:
    """What the test above would see if the words that were handed on were not taken."""
    store = store_of(unpack)
    ctx = Context()
    handed = tips(store, ["v1.0..HEAD"], ctx=ctx)
    assert handed.ranged and [tip.name for tip in handed.entries] == [b"v1.0", b"HEAD"]
    assert tips(store, ["v1.0..HEAD"], ctx=ctx, named=handed) is handed
    assert tips(store, ["v1.0..HEAD"], ctx=ctx) is not handed


def store_of(unpack: Any) -> Store:
    return open_store(Where(cwd=str(unpack("plain")).encode()), root=None)


def test_reflogs_are_those_of_all_work_trees(unpack: Any, tmp_path: Path) -> None:
    top = tmp_path / "linked"
    shutil.copytree(unpack("linked").parent, top, symlinks=True)
    logs = top / "main" / ".git" / "logs"
    lost = gitglass.git(["rev-parse", "HEAD~3"], cwd=top / "main").stdout.strip()
    shutil.rmtree(logs / "refs")
    (logs / "HEAD").write_bytes(b"%s %s C <c@x> 1 +0000\tlost\n" % (bytes(40).replace(b"\0", b"0"), lost))

    def listed(cwd: str, *words: str) -> bool:
        return lost in gitglass.git(["rev-list", "--no-walk", *words, "--reflog"], cwd=top / cwd).stdout

    assert listed("main") and listed("wt") and not listed("wt", "--single-worktree")


def test_the_default_stands_in_where_nothing_was_named(unpack: Any) -> None:
    store, ctx = store_of(unpack), Context()
    assert [tip.name for tip in tips(store, [], ctx=ctx, default="HEAD", named=Tips()).entries] == [b"HEAD"]
    assert [tip.name for tip in tips(store, ["--not"], ctx=ctx, default="HEAD", named=Tips()).entries] == [b"HEAD"]
    assert tips(store, ["light^@"], ctx=ctx, default="HEAD", named=Tips()) == Tips()
    assert tips(store, ["--glob=x"], ctx=ctx, default="HEAD", named=Tips(globbed=True)) == Tips(globbed=True)


def test_two_dots_are_a_range_where_they_can_be_no_path(unpack: Any) -> None:
    """Strange but git's: `..` alone is HEAD..HEAD in front of `--`, and else the parent directory."""
    top = unpack("plain")
    assert gitglass.git(["log", "..", "--"], cwd=top).returncode == 0
    assert gitglass.git(["rev-list", "HEAD", "..", "--"], cwd=top).stdout == b""
    assert b"outside repository" in gitglass.git(["log", ".."], cwd=top).stderr


def test_tips_are_values(unpack: Any) -> None:
    made = tips(store_of(unpack), ["HEAD"], ctx=Context())
    with pytest.raises(AttributeError):
        made.ranged = True  # type: ignore[misc]
    with pytest.raises(AttributeError):
        made.entries[0].bottom = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        (["HEAD"], []),
        (["v1.0"], ["v1.0^{}"]),
        (["v1.0", "v1.0^{}"], []),  # tags are followed after all words are read
        (["v1.0^{}", "v1.0"], []),
        (["v1.0", "topic"], ["v1.0^{}"]),
        (["topic..HEAD"], ["topic", "HEAD"]),
        (["HEAD", "topic..HEAD"], ["topic"]),  # HEAD is known when the range is read
        (["topic..HEAD", "HEAD"], ["topic", "HEAD"]),
    ],
)
def test_what_git_reads_from_objects_and_not_from_a_commit_graph(
    unpack: Any, words: list[str], alone: list[str]
) -> None:
    store, ctx = store_of(unpack), Context()
    objects = [tips(store, [name], ctx=ctx).entries[0].commit for name in alone]
    store.per_call.clear()
    named = tips(store, words, ctx=ctx)
    assert not named.globbed
    noted = [commit for commit, generations, from_graph in steps_taken(store) if not generations and not from_graph]
    assert [commit for commit in noted if store.odb.kind(commit) == b"commit"] == objects


def test_tags_at_the_ends_of_a_symmetric_difference_are_tags(unpack: Any) -> None:
    """A list of objects has them: rev-list --objects v1.0...topic."""
    store, ctx = store_of(unpack), Context()
    tag = store.refs.read(b"refs/tags/v1.0")
    assert tag is not None and store.odb.kind(tag) == b"tag"
    for word in ("v1.0...topic", "topic...v1.0"):
        assert [tip.oid for tip in tips(store, [word], ctx=ctx).objects] == [tag]
    done = gitglass.git(["rev-list", "--objects", "topic...v1.0"], cwd=unpack("plain"))
    assert f"{tag.hex()} v1.0".encode() in done.stdout.splitlines()


def test_the_indexes_of_other_work_trees_count(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.entry("a", repo.put("blob", b"1\n"))
    repo.write_index()
    own = (repo.git / "index").read_bytes()
    other = repo.git / "worktrees" / "other"
    other.mkdir(parents=True)
    (other / "gitdir").write_text("/nowhere/.git\n")
    (other / "commondir").write_text("../..\n")
    (other / "HEAD").write_text("ref: refs/heads/main\n")
    repo.entries.clear()
    repo.entry("b", repo.put("blob", b"2\n"))
    repo.write_index()
    (repo.git / "index").rename(other / "index")
    (repo.git / "index").write_bytes(own)
    line = ["rev-list", "--objects", "--no-object-names", "--indexed-objects"]
    names = [repo.put("blob", data).hex() for data in (b"1\n", b"2\n")]
    assert gitglass.git(line, cwd=repo.top).stdout.decode().split() == names
    assert gitglass.git([line[0], "--single-worktree", *line[1:]], cwd=repo.top).stdout.decode().split() == names[:1]


def test_a_log_that_names_what_is_gone_is_told_once(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    commit, gone = repo.commit().hex(), "07" * 20
    entry = "{} {} A <a@x> 1 +0000\tm\n"
    (repo.git / "logs" / "refs" / "heads").mkdir(parents=True)
    (repo.git / "logs" / "HEAD").write_text(entry.format(gone, commit) + entry.format(commit, gone))
    (repo.git / "logs" / "refs" / "heads" / "main").write_text(entry.format("0" * 40, commit))
    (repo.git / "logs" / "refs" / "heads" / "old").write_text(entry.format(commit, gone))
    done = gitglass.git(["rev-list", "--reflog"], cwd=repo.top)
    assert done.stdout.decode() == commit + "\n"
    assert sorted(done.stderr.decode().splitlines()) == [
        f"warning: reflog of '{name}' references pruned commits" for name in ("HEAD", "refs/heads/old")
    ]


@pytest.mark.parametrize(
    ("words", "known"), [(["HEAD", "HEAD~1"], [True]), (["HEAD~1", "HEAD"], [False]), (["HEAD", "^HEAD^"], [True])]
)
def test_a_name_with_steps_knows_what_plain_names_before_it_read(
    unpack: Any, words: list[str], known: list[bool]
) -> None:
    store = store_of(unpack)
    tips(store, words, ctx=Context())
    assert [from_graph for _, generations, from_graph in steps_taken(store) if generations] == known
