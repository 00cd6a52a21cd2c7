"""repository.py: the library's two doors."""

import gc
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.agent import Roots
from gitglass.commands.log import LogRequest
from gitglass.errors import GitError, InvalidArgs, NotARepository, NotFound, Timeout
from gitglass.limits import Limits
from gitglass.objects.database import Odb

from .hostile.observer import COMMANDS

ASKED: list[tuple[str, tuple[str, ...]]] = [
    ("status", ()), ("log", ("HEAD",)), ("show", ("v2.0",)), ("diff", ("v1.0", "v2.0")), ("blame", ("src/app.py",)), ("branch", ()), ("tag", ("v*",)),
    ("for_each_ref", ()), ("remote", ()), ("ls_files", ()), ("ls_tree", ("HEAD",)), ("cat_file", ("HEAD",)), ("rev_parse", ("HEAD",)), ("rev_list", ("HEAD",)),
    ("merge_base", ("main", "topic")), ("describe", ()), ("name_rev", ("HEAD~1",)), ("shortlog", ("HEAD",)), ("format_patch", ("HEAD~2",)), ("reflog", ()), ("stash_list", ()), ("stash_show", ()),
]  # fmt: skip


@pytest.mark.parametrize(("method", "args"), ASKED, ids=[name for name, _ in ASKED])
def test_every_method_gives_a_result_with_a_schema(method: str, args: tuple[str, ...], unpack: Any) -> None:
    repo = gitglass.open(unpack("dirty"))
    extra = {"kind": "commit"} if method == "cat_file" else {}
    answer = getattr(repo, method)(*args, **extra)
    assert answer.model_dump_json()
    assert type(answer).model_json_schema()["type"] == "object"


def test_typed_answers(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    assert repo.status().branch.ahead == 2
    commits = repo.log("v1.0..HEAD", paths=["src"], max_count=2).commits
    assert [commit.subject for commit in commits] == ["Merge topic", "Make app executable"] or len(commits) == 2
    assert repo.run(LogRequest(revs=["main"], max_count=1)).commits[0].subject == "Odd names"


def test_git_and_the_typed_form_agree(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    hexes = repo.git(["log", "--format=%H"]).stdout.decode().split()
    assert [commit.oid for commit in repo.log().commits] == hexes


def test_errors_are_typed_in_the_library_and_words_on_the_command_line(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    with pytest.raises(NotFound) as caught:
        repo.log("nosuch")
    assert caught.value.code == "not_found" and caught.value.status == 128
    done = repo.git(["log", "nosuch"])
    assert (done.returncode, done.stdout) == (128, b"") and done.stderr.startswith(
        b"fatal: ambiguous argument 'nosuch'"
    )
    with pytest.raises(GitError):
        done.check_returncode()
    with pytest.raises(InvalidArgs):
        repo.log(nosuch=True)


def test_no_repository(tmp_path: Any) -> None:
    with pytest.raises(NotARepository):
        gitglass.open(tmp_path, root=tmp_path)
    assert gitglass.git(["status"], cwd=tmp_path, root=tmp_path).returncode == 128


def test_a_handle_travels(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"), limits=Limits(timeout=5))
    again = pickle.loads(pickle.dumps(repo))
    assert again.git(["rev-parse", "HEAD"]).stdout == repo.git(["rev-parse", "HEAD"]).stdout


def test_a_handle_serves_threads(unpack: Any) -> None:
    repo = gitglass.open(unpack("dirty"))
    lines = [["log", "--stat"], ["status", "-s"], ["diff"], ["blame", "HEAD", "--", "src/app.py"], ["branch", "-avv"]]
    alone = [repo.git(argv).stdout for argv in lines]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda i: repo.git(lines[i % 5]).stdout, range(80)))
    assert together == [alone[i % 5] for i in range(80)]


def test_a_handle_sees_what_changes(unpack: Any, tmp_path: Any) -> None:
    import shutil

    place = tmp_path / "copy"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    repo = gitglass.open(place)
    before = repo.git(["rev-parse", "main"]).stdout
    (place / ".git/refs/heads/main").write_bytes(repo.git(["rev-parse", "v1.0^{commit}"]).stdout)
    (place / "README.md").write_text("other\n")
    assert repo.git(["rev-parse", "main"]).stdout != before
    assert b" M README.md" in repo.git(["status", "--porcelain"]).stdout


def test_deadline_and_cancel(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"), limits=Limits(timeout=0))
    with pytest.raises(Timeout):
        for _ in range(50):
            repo.log(patch=True)


def test_nothing_of_an_answer_stays_with_the_process(unpack: Any) -> None:
    """A host asks for months: what one answer opened and remembered goes with its handle, finished or cut short."""

    def alive() -> int:
        gc.collect()
        return sum(isinstance(item, Odb) for item in gc.get_objects())

    repo = unpack("dirty")
    before = alive()
    for argv in COMMANDS:
        gitglass.git(argv, cwd=repo)
        gitglass.git(argv, cwd=repo, limits=Limits(max_output_bytes=20, max_commits=1))
    handle = gitglass.open(repo)
    for method, args in ASKED:
        if method != "cat_file":
            getattr(handle, method)(*args)
    assert alive() == before + 1
    del handle
    assert alive() == before


@pytest.mark.parametrize(
    "argv",
    [
        ["diff", "--no-index", "FILE", "README.md"],
        ["diff", "FILE", "README.md"],
        ["diff", "--no-index", "out", "README.md"],
        ["blame", "--contents", "FILE", "README.md"],
        ["blame", "--ignore-revs-file", "FILE", "README.md"],
        ["hash-object", "FILE"],
        ["config", "--file", "FILE", "--list"],
        ["ls-files", "--others", "-X", "FILE"],
    ],
    ids=lambda argv: " ".join(argv),
)
def test_words_name_files_of_the_repository(argv: list[str], unpack: Any, tmp_path: Path) -> None:
    """Without a root the reach is git's own, but for what words name: they may come from elsewhere than the caller."""
    top = tmp_path / "repo"
    shutil.copytree(unpack("plain"), top, symlinks=True)
    secret = tmp_path / "secret"
    secret.write_text("[secret]\n")
    os.symlink(secret, top / "out")
    words = [str(secret) if word == "FILE" else word for word in argv]
    done = gitglass.git(words, cwd=top)
    if "out" in argv:
        assert b"secret\n" not in done.stdout.replace(os.fsencode(secret), b"")  # the link itself is compared
    else:
        assert (done.returncode, done.stdout) == (128, b"")
        assert b"is outside the root" in done.stderr
        assert b"is outside the root" not in gitglass.git(words, cwd=top, root="/").stderr


@pytest.mark.parametrize("opened", ["open", "roots"])
def test_opening_a_repository_has_a_deadline(unpack: Any, tmp_path: Path, opened: str) -> None:
    """It reads configuration, and a stranger's may hold a value of many megabytes."""
    place = tmp_path / "repo"
    shutil.copytree(unpack("plain"), place, symlinks=True)
    with (place / ".git/config").open("a") as file:
        file.write('[a]\n b = "%s"\n' % ("y" * (1 << 20)))
    limits = Limits(timeout=0)
    with pytest.raises(Timeout):
        if opened == "open":
            gitglass.open(place, limits=limits)
        else:
            Roots(place).store(None, limits=limits)


def test_a_handle_that_lives_to_the_end_says_nothing(unpack: Any) -> None:
    program = (
        "import gitglass, gitglass.repo.store as store\n"
        f"kept = gitglass.open({str(unpack('plain'))!r})\n"
        "kept.git(['status'])\n"
        "store._MADE = None  # as module names are at the interpreter's end\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_words_by_position_or_by_name(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    assert repo.log(revs=["topic"], max_count=1) == repo.log("topic", max_count=1)
    assert repo.tag(patterns=["v1*"]).refs == repo.tag("v1*").refs != repo.tag().refs
    assert repo.branch(patterns=["top*"]).refs == repo.branch("top*").refs
    with pytest.raises(InvalidArgs, match=r"^revs: given by position and by name$"):
        repo.log("topic", revs=["main"])


def test_questions_that_are_methods(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    lines = repo.git(["grep", "-n", "return", "HEAD", "--", "src"], text=True).stdout.splitlines()
    rows = repo.grep("return", revs=["HEAD"], paths=["src"]).files
    assert [f"HEAD:{file.path}:{row.line}:{row.text}" for file in rows for row in file.lines] == lines
    compared = repo.compare("main", "topic")
    left, right = repo.git(["rev-list", "--left-right", "--count", "main...topic"], text=True).stdout.split()
    assert (str(compared.behind), str(compared.ahead)) == (left, right)
    marks = ["-" if row.upstream else "+" for row in repo.cherry("main", "topic").commits]
    assert marks == [line[0] for line in repo.git(["cherry", "main", "topic"], text=True).stdout.splitlines()]
    assert [row.name for row in repo.show_ref("v1.0").refs] == ["refs/tags/v1.0"]
    assert [row.value for row in repo.config("core.bare").settings] == ["false"]
    dirty = gitglass.open(unpack("dirty"))
    ignored = dirty.git(["check-ignore", "a.o", "x.pyc", "README.md"], text=True).stdout.split()
    assert [row.path for row in dirty.check_ignore("a.o", "x.pyc", "README.md").paths if row.ignored] == ignored
    assert [row.attribute for row in repo.check_attr("text", paths=["README.md"]).attributes] == ["text"]
    assert [row.branch for row in repo.worktree().worktrees] == ["refs/heads/main"]
    assert repo.submodule().submodules == []


@pytest.mark.parametrize(
    ("method", "args", "fields"),
    [
        ("log", (), {"order": "newest"}),
        ("log", (), {"pattern_type": "regex"}),
        ("log", (), {"no_walk": "any"}),
        ("log", (), {"decorate": "long"}),
        ("log", (), {"diff_merges": "both"}),
        ("diff", (), {"detect": "moves"}),
        ("diff", (), {"algorithm": "fastest"}),
        ("diff", (), {"submodule": "all"}),
        ("diff", (), {"ignore_submodules": "some"}),
        ("diff", (), {"word_diff": "words"}),
        ("diff", (), {"color": "yes"}),
        ("rev_list", ("HEAD",), {"bisect": "best"}),
        ("rev_list", ("HEAD",), {"objects_edge": "all"}),
        ("blame", ("README.md",), {"algorithm": "fastest"}),
        ("branch", (), {"color": "yes"}),
        ("merge_tree", ("main", "topic"), {"form": "octopus"}),
    ],
)
def test_a_word_that_an_option_does_not_have_is_named(method: str, args: Any, fields: Any, unpack: Any) -> None:
    with pytest.raises(InvalidArgs, match=f"{next(iter(fields))}: Input should be"):
        getattr(gitglass.open(unpack("plain")), method)(*args, **fields)


def test_a_keyword_that_is_none_is_refused_with_the_closest(unpack: Any) -> None:
    with pytest.raises(InvalidArgs, match="max_counts: Extra inputs") as caught:
        gitglass.open(unpack("plain")).log(max_counts=1)
    assert caught.value.hint is not None and caught.value.hint.startswith("Did you mean max_count")


def test_a_number_of_commits_may_be_larger_than_any_history(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    whole = repo.log("main")
    for number in (sys.maxsize, 1 << 70):
        assert repo.log("main", max_count=number) == whole
        assert repo.rev_list("main", max_count=number).oids == [row.oid for row in whole.commits]
        assert repo.log("main", skip=number).commits == []


def test_half_of_a_surrogate_pair_names_nothing(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    for fields in ({"revs": ["\ud800"]}, {"paths": ["caf\ud800"]}, {"grep": ["\ud800"]}, {"pretty": "%H\ud800"}):
        with pytest.raises(InvalidArgs, match="half of a surrogate pair"):
            repo.log(**fields)


def test_paths_may_be_paths_and_bytes(unpack: Any) -> None:
    repo = gitglass.open(unpack("plain"))
    assert repo.blame(Path("src/app.py")) == repo.blame(b"src/app.py") == repo.blame("src/app.py")
    by_name = repo.log(paths=["src"])
    assert by_name.commits and repo.log(paths=[Path("src")]) == repo.log(paths=[b"src"]) == by_name
    assert [row.path for row in repo.ls_files(Path("README.md")).files] == ["README.md"]
