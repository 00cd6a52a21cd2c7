"""git rev-list: what it takes of git's parser, and what it refuses; expectations follow git 2.39.5."""

from __future__ import annotations

from typing import Any

import pytest

import gitglass
from gitglass.model.revlist import RevListRequest


def run(cwd: Any, *argv: str) -> Any:
    return gitglass.git(["rev-list", *argv], cwd=cwd)


@pytest.mark.parametrize(
    "options",
    ["--decorate", "--source", "--mailmap", "--no-use-mailmap", "--full-diff", "--clear-decorations", "-p", "-s -p", "--raw -s",
     "-U3", "--stat-width=9", "-c", "--cc -s", "--remerge-diff", "-Sx", "-Gx", "--find-object=HEAD", "--diff-filter=A", "-t",
     "-r", "--follow -- a", "-p --notes", "--show-notes-by-default", "-q"],
)  # fmt: skip
def test_what_asks_for_a_diff_gets_the_usage(options: str, unpack: Any) -> None:
    done = run(unpack("plain"), "HEAD", *options.split())
    assert (done.returncode, done.stdout) == (129, b"") and done.stderr.startswith(b"usage: git rev-list")


@pytest.mark.parametrize(
    "options",
    ["-M", "-M90", "-C", "-B", "-s", "-z", "-a", "-R", "-w", "-W", "-l3", "-D", "--root", "--full-index", "--no-renames",
     "--word-diff", "--color-moved", "--no-prefix", "--relative", "--exit-code", "--diff-filter=a", "-m", "--diff-merges=on",
     "--diff-merges=combined", "-c --no-diff-merges", "--cc -m", "--no-commit-id", "--always", "--standard-notes",
     "--notes --no-notes", "--no-show-signature", "--no-encode-email-headers", "--combined-all-paths --diff-merges=cc"],
)  # fmt: skip
def test_what_only_says_how_a_diff_would_look_changes_nothing(options: str, unpack: Any) -> None:
    cwd = unpack("plain")
    if options.startswith("--combined"):  # the later option begins anew
        options = "--diff-merges=cc --combined-all-paths"
    assert run(cwd, "HEAD", *options.split()).stdout == run(cwd, "HEAD").stdout != b""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--notes", "rev-list does not support display of notes"),
        ("--merge", "--merge without MERGE_HEAD?"),
        ("--combined-all-paths", "--combined-all-paths makes no sense without -c or --cc"),
        ("--follow", "--follow requires exactly one pathspec"),
        ("--unpacked=x", "--unpacked=<packfile> no longer supported"),
        ("-Sa -Gb", "options '-G', '-S', and '--find-object' cannot be used together"),
        ("--objects --count --left-right", "marked counting and '--objects' cannot be used together"),
        ("--disk-usage=x", "invalid value for '--disk-usage=<format>': 'x', the only allowed format is 'human'"),
    ],
)
def test_fatal(options: str, words: str, unpack: Any) -> None:
    done = run(unpack("plain"), "HEAD", *options.split())
    assert (done.returncode, done.stdout, done.stderr.decode()) == (128, b"", f"fatal: {words}\n")


def test_merges_apart_make_the_history_of_paths_a_full_one(unpack: Any) -> None:
    cwd = unpack("plain")
    full = run(cwd, "--full-history", "HEAD", "--", "src").stdout
    assert run(cwd, "-m", "HEAD", "--", "src").stdout == run(cwd, "--diff-merges=1", "HEAD", "--", "src").stdout == full


def test_merge(unpack: Any) -> None:
    cwd = unpack("conflict")
    both = run(cwd, "--merge", "HEAD").stdout
    assert both == gitglass.git(["log", "--merge", "--format=%H"], cwd=cwd).stdout != b""


def test_quietly_counted(unpack: Any) -> None:
    cwd = unpack("plain")
    assert run(cwd, "--quiet", "--count", "HEAD").stdout == b"0\n"
    zero, used = run(cwd, "--disk-usage", "--count", "HEAD").stdout.split()
    assert zero == b"0" and used + b"\n" == run(cwd, "--disk-usage", "HEAD").stdout


def test_packed_is_left_out(unpack: Any) -> None:
    packed, loose = unpack("packed"), unpack("plain")
    few = run(packed, "--unpacked", "HEAD").stdout  # one commit of this fixture came after the packs
    assert few == run(packed, "--unpacked", "--topo-order", "HEAD").stdout == run(packed, "-1", "HEAD").stdout
    assert run(loose, "--unpacked", "HEAD").stdout == run(loose, "--no-kept-objects", "HEAD").stdout != b""
    assert len(gitglass.open(loose).run(RevListRequest(revs=["HEAD"], unpacked=True)).oids) > 1


def test_one_work_tree_alone(unpack: Any) -> None:
    cwd = unpack("linked") / "wt"
    everywhere = set(run(cwd, "--no-walk", "--all").stdout.split())
    assert set(run(cwd, "--no-walk", "--single-worktree", "--all").stdout.split()) <= everywhere


def test_formats_know_refs_and_no_notes(unpack: Any) -> None:
    assert b"%N" in run(unpack("plain"), "-1", "--format=%N", "HEAD").stdout
