"""Whatever a plan depends on and moves before it is carried out: the answer is the one of a plan made from nothing."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.copies import copy_tree
from tests.support.writing import copy_of, state_of, writer_of

import gitglass
from gitglass.disk import watched
from gitglass.errors import GitError, NotGranted, StaleApproval
from gitglass.mutate import writer as writers
from gitglass.mutate.writer import Writer, approve
from gitglass.records import replace
from gitglass.request.mutations import (
    AddRequest,
    CommitRequest,
    Mutation,
    ResetRequest,
    RestoreRequest,
    StashRequest,
    SwitchRequest,
    UndoRequest,
)
from gitglass.request.ref_mutations import BranchChange, TagChange

pytestmark = pytest.mark.writes

REQUESTS: dict[str, Mutation] = {
    "add": AddRequest(paths=["."]),
    "commit": CommitRequest(message=["m"]),
    "commit all": CommitRequest(message=["m"], all=True),
    "switch": SwitchRequest(commit="HEAD~1", detach=True),
    "restore": RestoreRequest(paths=["."]),
    "reset": ResetRequest(mode="hard", commit="HEAD~1"),
    "stash": StashRequest(action="push"),
    "branch": BranchChange(names=["made"]),
    "tag": TagChange(names=["made"]),
}


def same_size(file: Path) -> None:
    """Other bytes, as many, at the same time."""
    was = file.stat()
    file.write_bytes(bytes(255 - one for one in file.read_bytes()))
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))


def head_of(repo: Path) -> Path:
    return repo / ".git" / (repo / ".git/HEAD").read_text().removeprefix("ref: ").strip()


def staged(repo: Path, *argv: Mutation) -> None:
    writer = writer_of(repo)
    for request in argv:
        plan = writer.plan(request)
        writer.apply(plan, approve(plan, "another"))


MOVES: dict[str, Callable[[Path], object]] = {
    "nothing": lambda repo: None,
    "a dirty file": lambda repo: (repo / "src/app.py").write_bytes(b"again\n"),
    "a dirty file, same size and time": lambda repo: same_size(repo / "src/app.py"),
    "a clean file": lambda repo: (repo / "README.md").write_bytes(b"dirty\n"),
    "a clean file, same size and time": lambda repo: same_size(repo / "README.md"),
    "a file's mode": lambda repo: (repo / "README.md").chmod(0o755),
    "a file gone": lambda repo: (repo / "README.md").unlink(),
    "a file is a link": lambda repo: ((repo / "README.md").unlink(), (repo / "README.md").symlink_to("x")),
    "a directory is a link": lambda repo: ((repo / "src").rename(repo / "a"), (repo / "src").symlink_to("a")),
    "an untracked file": lambda repo: (repo / "src/new").write_bytes(b"new\n"),
    "an ignored file": lambda repo: (repo / "src/ignored.o").write_bytes(b"new\n"),
    "ignore rules": lambda repo: (repo / ".gitignore").write_bytes(b"untracked\n"),
    "ignore rules of the repository": lambda repo: write(repo / ".git/info/exclude", b"untracked\n"),
    "attributes": lambda repo: (repo / ".gitattributes").write_bytes(b"* text eol=crlf\n"),
    "attributes of the repository": lambda repo: write(repo / ".git/info/attributes", b"*.py filter=x\n"),
    "configuration": lambda repo: append(repo / ".git/config", b"[core]\n\tautocrlf = input\n"),
    "an included file": lambda repo: write(repo / ".git/more", b"[core]\n\tautocrlf = true\n"),
    "a hook": lambda repo: (write(repo / ".git/hooks/pre-commit", b""), (repo / ".git/hooks/pre-commit").chmod(0o755)),
    "the branch": lambda repo: staged(repo, CommitRequest(message=["other"], switches=["--allow-empty"])),
    "the index": lambda repo: staged(repo, AddRequest(paths=["src/app.py"])),
    "HEAD": lambda repo: (repo / ".git/HEAD").write_bytes(b"ref: refs/heads/elsewhere\n"),
    "HEAD detached": lambda repo: (repo / ".git/HEAD").write_bytes(head_of(repo).read_bytes()),
    "a ref of that name": lambda repo: write(repo / ".git/refs/heads/made", head_of(repo).read_bytes()),
    "a packed ref": lambda repo: append(
        repo / ".git/packed-refs", head_of(repo).read_bytes().strip() + b" refs/tags/made\n"
    ),
    "a replaced object": lambda repo: replaced(repo),
    "a merge": lambda repo: (repo / ".git/MERGE_HEAD").write_bytes(head_of(repo).read_bytes()),
    "a grafted commit": lambda repo: write(repo / ".git/shallow", head_of(repo).read_bytes()),
}


def write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def append(file: Path, data: bytes) -> None:
    file.write_bytes((file.read_bytes() if file.exists() else b"") + data)


def replaced(repo: Path) -> None:
    """HEAD's commit stands for its parent's."""
    one, two = gitglass.git(["rev-parse", "HEAD", "HEAD~1"], cwd=repo).stdout.decode().split()
    write(repo / ".git/refs/replace" / one, two.encode() + b"\n")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Something staged, something dirty, something untracked, something included."""
    repo = copy_of("plain", tmp_path_factory.mktemp("base") / "repo")
    append(repo / ".git/config", b"[include]\n\tpath = more\n")
    (repo / "staged").write_bytes(b"staged\n")
    staged(repo, AddRequest(paths=["staged"]))
    (repo / "src/app.py").write_bytes(b"dirty\n")
    (repo / "untracked").write_bytes(b"untracked\n")
    return repo


@pytest.fixture(autouse=True)
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans of two copies are compared: where each lies is no part of them here."""
    monkeypatch.setattr(writers, "_directories", lambda store: ())


def copies(base: Path, place: Path) -> tuple[Path, Path]:
    """Two, of one time."""
    both = place / "one", place / "two"
    for repo in both:
        copy_tree(base, repo)
    return both


def outcome(writer: Writer, repo: Path, request: Mutation, move: Callable[[Path], object], *, anew: bool) -> Any:
    """What comes of a plan after a move; with `anew` by a second plan alone, as if nothing were known of the first."""
    plan = writer.plan(request)
    move(repo)
    try:
        result = writer.apply(replace(plan, reads=None) if anew else plan, approve(plan, "test"))
    except StaleApproval as error:
        return "stale", error.data["plan"]
    except GitError as error:
        return type(error).__name__, error.message.replace(str(repo), "REPO")
    return result.answer, result.changed, result.unexpected, state_of(repo)


#: new files that a plan was not made for: it leaves them alone, where another one would take them
NEW = {("add", "an untracked file"), ("add", "an ignored file")}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("name", REQUESTS)
def test_the_outcome_is_that_of_a_second_plan(base: Path, tmp_path: Path, name: str, move: str) -> None:
    one, two = copies(base, tmp_path)
    request = REQUESTS[name]
    if (name, move) in NEW:
        assert outcome(writer_of(one), one, request, MOVES[move], anew=False)[1:3] == (True, [])
        return
    short = outcome(writer_of(one), one, request, MOVES[move], anew=False)
    long = outcome(writer_of(two), two, request, MOVES[move], anew=True)
    if isinstance(short[0], str) or isinstance(long[0], str):
        assert short == long
    else:
        for state in (short[3], long[3]):
            state["files"] = {path: (mode & 0o777, data) for path, (mode, data) in state["files"].items()}
        assert short == long


def settled(base: Path, place: Path) -> Path:
    """A copy in which the status of README.md is what the index says, and tells."""
    repo, _ = copies(base, place)
    (repo / "README.md").unlink()
    staged(repo, RestoreRequest(paths=["README.md"]))
    os.utime(repo / ".git/index", (2_000_000_000, 2_000_000_000))  # so that no reader takes it for racy
    return repo


#: what happens beyond the paths of each of these plans, to a file that was only looked at for it
BEYOND: dict[str, Callable[[Path], object]] = {
    "a clean file": lambda repo: (repo / "README.md").write_bytes(b"dirty\n"),
    "a clean file, same size and time": lambda repo: same_size(repo / "README.md"),
    "a file's mode": lambda repo: (repo / "README.md").chmod(0o755),
    "a file gone": lambda repo: (repo / "README.md").unlink(),
    "a file is a link": lambda repo: ((repo / "README.md").unlink(), (repo / "README.md").symlink_to("x")),
    "an untracked file": lambda repo: (repo / "src/new").write_bytes(b"new\n"),
    "a directory": lambda repo: (repo / "made/deep").mkdir(parents=True),
}
LOOKING = ("add", "commit all", "switch", "restore", "reset", "stash")


@pytest.mark.parametrize("move", BEYOND)
@pytest.mark.parametrize("name", LOOKING)
def test_what_happens_beyond_its_paths_spoils_no_plan(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, move: str
) -> None:
    """The work of others elsewhere: the plan is carried out as it was approved, and leaves that alone."""
    repo = settled(base, tmp_path)
    writer = writer_of(repo)
    plan = writer.plan(REQUESTS[name])
    assert plan.changes.paths and plan.changes.paths.isdisjoint({b"README.md", b"src/new"})
    BEYOND[move](repo)
    seen = state_of(repo)["files"]
    monkeypatch.setattr(Writer, "_planned", None)
    result = writer.apply(plan, approve(plan, "test"))
    assert result.changed and result.verified and result.digest == plan.digest
    after = state_of(repo)["files"]
    for path in ("README.md", "src/new"):
        assert after.get(path) == seen.get(path)
    entries = gitglass.git(["ls-files", "-s", "README.md", "src/new"], cwd=repo).stdout
    assert entries == b"100644 f7ce89c9d7d1df336019f4ecbec7e775518d31ed 0\tREADME.md\n"


@pytest.mark.parametrize("move", sorted(MOVES.keys() - BEYOND.keys() - {"an ignored file", "nothing"}))
def test_what_a_plan_rests_on_is_asked_again_where_the_rest_is_settled(base: Path, tmp_path: Path, move: str) -> None:
    """Its own paths, what leads to them, and whatever was read for it."""
    (tmp_path / "two").mkdir()
    one, two = settled(base, tmp_path / "one"), settled(base, tmp_path / "two")
    short = outcome(writer_of(one), one, REQUESTS["add"], MOVES[move], anew=False)
    long = outcome(writer_of(two), two, REQUESTS["add"], MOVES[move], anew=True)
    assert short[0] == long[0] and short[:2] == long[:2]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_second_plan_is_made_only_where_something_moved(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    repo, _ = copies(base, tmp_path)
    plans: list[Any] = []
    made = Writer._planned
    monkeypatch.setattr(Writer, "_planned", lambda *words: (plans.append(words), made(*words))[1])
    assert outcome(writer_of(repo), repo, REQUESTS[name], MOVES["nothing"], anew=False)[1] is True
    assert len(plans) == 1


@pytest.mark.parametrize(("paths", "once"), [(["."], True), (["src"], False)])
def test_add_lists_directories_of_the_index_once(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], once: bool
) -> None:
    """Their names are seen while their files are compared; not where a directory may stand for a file that is not
    meant."""
    repo, _ = copies(base, tmp_path)
    write(repo / "src/new", b"new\n")
    listed: list[object] = []
    entries = watched._WatchedDir.entries
    monkeypatch.setattr(watched._WatchedDir, "entries", lambda *words: (listed.append(words), entries(*words))[1])
    plan = writer_of(repo).plan(AddRequest(paths=paths))
    assert b"src/new" in [entry.path for entry in plan.changes.entries]
    assert (not listed) is once


def test_plans_of_others_and_of_other_grants_are_made_again(base: Path, tmp_path: Path) -> None:
    one, two = copies(base, tmp_path)
    writer, other = writer_of(one), writer_of(two)
    plan = writer.plan(REQUESTS["add"])
    (two / "untracked").write_bytes(b"another\n")
    with pytest.raises(StaleApproval):
        other.apply(plan, approve(plan, "test"))
    plan = writer.plan(REQUESTS["branch"])
    writer.grant = replace(writer.grant, refs=("refs/tags/*",))
    with pytest.raises(NotGranted):
        writer.apply(plan, approve(plan, "test"))


class Blind:
    """A reach that answers nothing, and whose copies see."""

    def __init__(self, reach: Any) -> None:
        self._reach, self.real = reach, reach.real

    def copy(self) -> Any:
        return self._reach.copy()

    def refresh(self, keep: bool = True) -> None:
        pass


@pytest.mark.parametrize("name", [*REQUESTS, "undo"])
def test_a_plan_reads_nothing_unwatched(base: Path, tmp_path: Path, name: str) -> None:
    """Neither through the handle's own jail, nor through one that was made on the way."""
    repo, _ = copies(base, tmp_path)
    writer = writer_of(repo)
    request = REQUESTS.get(name)
    if request is None:
        plan = writer.plan(REQUESTS["restore"])
        request = UndoRequest(operation=writer.apply(plan, approve(plan, "test")).operation)
    store: Any = writer._repo.store
    store.close()
    store.jail._reach = Blind(store.jail._reach)
    assert writer.plan(request).changes
