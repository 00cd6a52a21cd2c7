"""request/ref_mutations.py: what a request to change refs is judged by, and its sentence for a person."""

import pytest

from gitglass.errors import InvalidArgs
from gitglass.request.mutations import INDEX, NETWORK, REFS, WORKTREE, Mutation
from gitglass.request.ref_mutations import (
    BranchChange,
    FetchRequest,
    MergeRequest,
    OtherMutation,
    PullRequest,
    PushRequest,
    RebaseRequest,
    TagChange,
    one_ref,
)


@pytest.mark.parametrize(
    ("request_", "risk", "summary", "words"),
    [
        (BranchChange(names=["x"], start="v1"), "Medium", "Create branch 'x'", ["x", "v1"]),
        (BranchChange(names=["x"], force=True), "High", "Create or reset branch 'x'", ["-f", "x"]),
        (BranchChange(action="delete", names=["a", "b"]), "Medium", "Delete branch 'a' · Delete branch 'b'",
         ["-d", "a", "b"]),
        (BranchChange(action="delete", names=["a"], force=True), "High", "Force delete branch 'a'", ["-D", "a"]),
        (BranchChange(action="rename", names=["a", "b"]), "Medium", "Rename branch 'a' to 'b'", ["-m", "a", "b"]),
        (BranchChange(action="copy", names=["b"]), "Medium", "Copy branch 'HEAD' to 'b'", ["-c", "b"]),
        (BranchChange(action="configure"), "Medium", "Configure branch 'HEAD'", []),
        (TagChange(names=["t"], target="x"), "Medium", "Create tag 't'", ["t", "x"]),
        (TagChange(names=["t"], force=True), "High", "Move tag 't'", ["-f", "t"]),
        (TagChange(action="delete", names=["t"]), "Medium", "Delete tag 't'", ["-d", "t"]),
        (PushRequest(), "Medium", "Push to the default remote", []),
        (PushRequest(remote="o", refs=["a", "b"]), "Medium", "Push to o (a b)", ["o", "a", "b"]),
        (PushRequest(remote="o", refs=["+a"]), "High", "Force push: Push to o (+a)", ["o", "+a"]),
        (PushRequest(remote="o", refs=[":a"]), "High", "Delete on remote: Push to o (:a)", ["o", ":a"]),
        (PushRequest(remote="o", refs=[":"]), "Medium", "Push to o (:)", ["o", ":"]),
        (PullRequest(remote="o"), "Medium", "Pull from o", ["o"]),
        (FetchRequest(), "Medium", "Fetch from the default remote", []),
        (MergeRequest(commits=["a", "b"]), "Medium", "Merge a, b", ["a", "b"]),
        (MergeRequest(switches=["--abort"]), "Medium", "Merge --abort", []),
        (RebaseRequest(commits=["up", "x"]), "Medium", "Rebase branch 'x' onto up", ["up", "x"]),
        (RebaseRequest(commits=["up"], onto="n", interactive=True), "High", "Rebase interactively onto n", ["up"]),
        (RebaseRequest(commits=["up"], run=["make"]), "High", "Rebase onto up", ["up"]),
        (OtherMutation(command="notes", args=["add"]), "Medium", "git notes add", ["add"]),
        (OtherMutation(command="gc"), "High", "git gc", []),
    ],
)  # fmt: skip
def test_risk_and_sentence(request_: Mutation, risk: str, summary: str, words: list[str]) -> None:
    assert (request_.risk, request_.summary(), request_.words()) == (risk, summary, words)


def test_what_not_even_an_approval_allows() -> None:
    assert PushRequest(force=True).refused == "a forced push rewrites the remote's history"
    assert RebaseRequest(interactive=True).refused == "an interactive rebase rewrites history"
    assert PushRequest(delete=True).refused is RebaseRequest(run=["x"]).refused is TagChange(force=True).refused is None


def test_what_a_trusted_caller_is_asked_about_all_the_same() -> None:
    assert [TagChange().asks, TagChange(force=True).asks, TagChange(action="delete").asks] == [False, True, True]
    asking = [one for one in Mutation.__subclasses__() if one.always_asks]
    assert PushRequest.always_asks and PullRequest.always_asks and not FetchRequest.always_asks
    assert MergeRequest in asking and RebaseRequest in asking and BranchChange not in asking


def test_effects() -> None:
    assert set(PushRequest().what) == set(FetchRequest().what) == {REFS, NETWORK}
    assert set(PullRequest().what) == set(OtherMutation(command="x").what) == {REFS, INDEX, WORKTREE, NETWORK}
    assert set(MergeRequest().what) == set(RebaseRequest().what) == {REFS, INDEX, WORKTREE}
    assert BranchChange().what == TagChange().what == (REFS,)


def test_words_are_bound_to_remote_and_refspecs() -> None:
    bound = PushRequest.bind({"force": True}, ["o", "a"], ["b"], True, lambda word: None)
    assert bound == PushRequest(force=True, remote="o", refs=["a", "b"])
    assert PullRequest.bind({}, [], [], False, lambda word: None) == PullRequest()
    assert MergeRequest.bind({}, ["a"], ["b"], True, lambda word: None) == MergeRequest(commits=["a", "b"])


def test_names_of_refs() -> None:
    assert one_ref("x" * 1024) == "x" * 1024
    for bad in ("-d", "", "x" * 1025, "a\nb", "a\x7f"):
        with pytest.raises(InvalidArgs, match="is not a valid name"):
            one_ref(bad)
