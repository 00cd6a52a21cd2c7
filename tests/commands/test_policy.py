"""What requests would do, who may, and that nothing that writes is carried out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.agent.approval import approve, judge, with_approvals
from gitglass.agent.commandline import parse_command
from gitglass.commands.command import execute
from gitglass.commands.policy import (
    ApprovalDenied,
    ApprovalRequired,
    Level,
    Policy,
    assess,
    command_string,
    request_digest,
)
from gitglass.errors import GitError, PermissionDenied, Unsupported
from gitglass.limits import Context
from gitglass.request.mutations import CommitRequest

PLAIN: list[Any] = []


@pytest.fixture(scope="module", autouse=True)
def plain(unpack: Any) -> None:
    PLAIN[:] = [gitglass.open(unpack("plain")).store]


def ask(*argv: str, store: Any = None) -> Any:
    reads = argv[0] in ("log", "diff", "status", "rev-parse", "branch") or argv[:2] == ("stash", "list")
    return parse_command(list(argv), PLAIN[0] if reads else store, Context()).request


@pytest.mark.parametrize(
    ("argv", "summary", "risk"),
    [
        (["restore", "a", "b"], "Restore 2 file(s) to worktree", "High"),
        (["restore", "--staged", "a"], "Unstage 1 file(s)", "High"),
        (["restore", "-SW", "a"], "Restore and unstage 1 file(s)", "High"),
        (["add", "-A"], "Stage all changes", "Medium"),
        (["add", "-u"], "Stage modified/deleted files", "Medium"),
        (["add", "a", "b", "c"], "Stage 3 file(s): a, b...", "Medium"),
        (["branch"], "List branches", "Low"),
        (["branch", "-vv"], "List branches", "Low"),
        (["branch", "x"], "Create branch 'x'", "Medium"),
        (["branch", "-d", "x"], "Delete branch 'x'", "Medium"),
        (["branch", "-D", "x"], "Force delete branch 'x'", "High"),
        (["branch", "-vD", "x"], "Force delete branch 'x'", "High"),
        (["branch", "--del", "--force", "x"], "Force delete branch 'x'", "High"),
        (["branch", "-m", "a", "b"], "Rename branch 'a' to 'b'", "Medium"),
        (["checkout", "-b", "n"], "Create and switch to branch 'n'", "Medium"),
        (["switch", "-c", "n"], "Create and switch to branch 'n'", "Medium"),
        (["checkout", "n"], "Switch to branch 'n'", "Medium"),
        (["checkout", "HEAD~1"], "Checkout commit 'HEAD~1'", "Medium"),
        (["checkout", "--", "a", "b"], "Restore 2 file(s) from HEAD", "High"),
        (["stash"], "Stash changes", "Medium"),
        (["stash", "push", "-m", "wip"], "Stash changes: wip", "Medium"),
        (["stash", "pop"], "Pop stash@{0}", "Medium"),
        (["stash", "apply", "stash@{2}"], "Apply stash@{2}", "Medium"),
        (["stash", "drop", "1"], "Drop stash@{1}", "Medium"),
        (["stash", "list"], "List stashes", "Low"),
        (["stash", "clear"], "Clear ALL stashes (WARNING: destructive)", "High"),
        (["status"], "Show git status", "Low"),
        (["diff", "--cached"], "Show diff cached", "Low"),
        (["log", "-n", "3"], "Show git log", "Low"),
        (["push", "--force"], "Force push: Push to the default remote", "High"),
        (["push", "origin", "+topic"], "Force push: Push to origin (+topic)", "High"),
        (["push", "origin", "topic"], "Push to origin (topic)", "Medium"),
        (["push", "origin", "main"], "Push to origin (main)", "High"),
        (["clean", "-fd"], "Delete untracked files (WARNING: destructive)", "High"),
        (["commit", "-m", "fix: no reset --hard"], "Commit: fix: no reset --hard", "Medium"),
        (["tag", "-d", "v1"], "Delete tag 'v1'", "Medium"),
    ],
)
def test_summaries_and_risks(argv: list[str], summary: str, risk: str) -> None:
    found = assess(ask(*argv))
    assert (found.summary, found.risk) == (summary, risk)
    assert found.needs_approval is (risk != "Low")
    assert found.is_read_only is (risk == "Low")


def test_conventional_commit() -> None:
    request = CommitRequest(type="feat", scope="ui", message=["x" * 60])
    assert assess(request).summary == "Commit: feat(ui): " + "x" * 50
    assert request.title.startswith("feat(ui): x")
    assert CommitRequest(type="fix", message=["y"]).title == "fix: y"


def test_words_depend_on_what_the_repository_holds(unpack: Any) -> None:
    store = gitglass.open(unpack("dirty")).store
    assert assess(ask("checkout", "README.md", store=store)).risk == "High"
    assert assess(ask("checkout", "main", store=store)).summary == "Switch to branch 'main'"
    assert assess(ask("checkout", "HEAD", "README.md", store=store)).summary == "Restore 1 file(s) from HEAD"
    assert assess(ask("diff", "main", store=store)).summary == "Show diff main"
    assert assess(ask("show", "main", store=store)).summary == "Show commit main"
    assert assess(ask("blame", "-L2,3", "README.md", store=store)).summary == "Blame README.md [lines 2-3]"


@pytest.mark.parametrize(
    ("level", "argv", "verdict"),
    [
        ("sandboxed", ["log"], "allow"),
        ("sandboxed", ["stash", "list"], "allow"),
        ("sandboxed", ["branch", "-D", "x"], "refuse"),
        ("sandboxed", ["add", "x"], "refuse"),
        ("sandboxed", ["fetch"], "refuse"),
        ("trusted", ["add", "x"], "approve"),
        ("trusted", ["push", "origin", "topic"], "approve"),
        ("trusted", ["push", "-f"], "refuse"),
        ("trusted", ["push", "--force-with-lease"], "refuse"),
        ("trusted", ["clean", "-f"], "refuse"),
        ("trusted", ["rebase", "-i", "main"], "refuse"),
        ("trusted", ["checkout", "--orphan", "x"], "refuse"),
        ("trusted", ["reset", "--hard"], "approve"),
        ("trusted", ["stash", "clear"], "approve"),
        ("yolo", ["push", "-f"], "allow"),
        ("yolo", ["reset", "--hard"], "allow"),
    ],
)
def test_levels(level: str, argv: list[str], verdict: str) -> None:
    assert Policy(level=Level.of(level)).decide(ask(*argv))[0] == verdict


def test_options_of_the_policy() -> None:
    trusted = Level.TRUSTED
    free = Policy(level=trusted, medium="free", high="refuse")
    assert free.decide(ask("commit", "-m", "x"))[0] == "allow"
    assert free.decide(ask("merge", "topic"))[0] == "approve"
    assert free.decide(ask("tag", "-d", "v1"))[0] == "approve"
    assert free.decide(ask("reset", "--hard"))[0] == "refuse"
    assert Policy(capabilities=frozenset({"Files"})).decide(ask("log"))[0] == "refuse"
    assert Policy(capabilities=frozenset({"Git"})).decide(ask("log"))[0] == "allow"
    careful = Policy(level=Level.YOLO, allow_add_all=False)
    for words in (["."], ["-A"], ["--all"], ["*"], ["-u"]):
        assert careful.decide(ask("add", *words))[0] == "refuse"
    assert careful.decide(ask("add", "a"))[0] == "allow"


def test_rules_on_the_command_string() -> None:
    assert command_string(ask("push", "main")) == "git push main"
    denied = Policy(level=Level.YOLO, denied=("git push*",))
    assert denied.decide(ask("push", "origin"))[0] == "refuse"
    assert denied.decide(ask("log"))[0] == "allow"
    allowed = Policy(allowed=("git log*", "git status"))
    assert allowed.decide(ask("log", "-n", "2"))[0] == "allow"
    assert allowed.decide(ask("diff"))[0] == "refuse"
    assert command_string(ask("log", "-n", "2")) == "git log --max-count=2"
    assert command_string(ask("rev-parse", "HEAD")) == "git rev-parse HEAD"


def test_execute_asks_the_policy_and_writes_nothing(unpack: Any) -> None:
    store = gitglass.open(unpack("plain")).store
    ctx = Context()
    asked = parse_command(["branch", "-D", "main"], store, ctx)
    with pytest.raises(Unsupported, match="not available"):
        execute(asked.command, store, asked.request, ctx)
    ctx.policy = Policy()
    with pytest.raises(PermissionDenied):
        execute(asked.command, store, asked.request, ctx)
    ctx.policy = Policy(level=Level.TRUSTED)
    with pytest.raises(ApprovalRequired, match="Force delete branch 'main'"):
        execute(asked.command, store, asked.request, ctx)
    ctx.policy = Policy(level=Level.YOLO)
    with pytest.raises(Unsupported, match="not available"):
        execute(asked.command, store, asked.request, ctx)
    ctx.policy = Policy(denied=("git log*",))
    reader = parse_command(["log"], store, ctx)
    with pytest.raises(PermissionDenied):
        execute(reader.command, store, reader.request, ctx)


def test_a_repository_refuses_what_writes(unpack: Any) -> None:
    with pytest.raises(Unsupported, match="add is not available"):
        gitglass.open(unpack("plain")).run(ask("add", "x"))


def test_an_approval_is_bound_to_its_request() -> None:
    policy, request = Policy(level=Level.TRUSTED), ask("add", "a")
    yes = approve(request, "ann", seconds=10, now=100)
    assert yes.holds(request, now=105) and not yes.holds(request, now=111) and not yes.holds(ask("add", "b"), now=105)
    assert with_approvals(policy, [yes], now=105).enforce(request).summary == "Stage 1 file(s): a"
    with pytest.raises(ApprovalRequired):
        with_approvals(policy, [yes], now=105).enforce(ask("add", "b"))
    with pytest.raises(ApprovalRequired):
        with_approvals(policy, [yes], now=111).enforce(request)
    assert judge(policy, request, lambda found: found.risk == "Medium").effect == "write_index"
    with pytest.raises(ApprovalDenied):
        judge(policy, request, lambda found: False)
    with pytest.raises(PermissionDenied):
        judge(Policy(), request, lambda found: True)


@given(st.text(max_size=40))
def test_a_message_is_never_an_option(text: str) -> None:
    if "\0" in text:
        return
    request = ask("commit", "-m", text)
    assert isinstance(request, CommitRequest) and request.message == [text]
    assert request_digest(request) == request_digest(ask("commit", "-m", text))


@given(
    st.sampled_from(["add", "branch", "tag", "push", "stash", "checkout", "reset", "clean", "merge", "gc", "log"]),
    st.lists(
        st.one_of(st.sampled_from(["-f", "-D", "-d", "--", "--hard", "-i", "x", "push", "-"]), st.text()), max_size=4
    ),
)
def test_any_words_are_a_request_or_refused(name: str, words: list[str]) -> None:
    try:
        found = assess(ask(name, *words))
    except GitError:
        return
    assert found.risk in ("Low", "Medium", "High")
    assert found.needs_approval is (found.effect != "read")


def test_what_a_host_is_asked_is_one_line_that_hides_nothing() -> None:
    asked = assess(CommitRequest(message=["one\x1b[8m\n\u202etwo"]))
    assert "\x1b" not in asked.summary and "\n" not in asked.summary and "\u202e" not in asked.summary
    with pytest.raises(ApprovalRequired) as caught:
        Policy(level=Level.TRUSTED).enforce(CommitRequest(message=["a\x1b[8m"]))
    assert "\x1b" not in caught.value.message and "\n" not in caught.value.message
