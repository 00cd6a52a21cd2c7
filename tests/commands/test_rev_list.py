"""git rev-list: what it takes of git's parser, and what it refuses; expectations follow git 2.39.5."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.request.rev_list import RevListRequest

from ..support.object_files import Builder
from ..support.worktrees import Repo


@pytest.fixture(scope="module")
def repo(unpack: Any) -> Any:
    return gitglass.open(unpack("plain"))


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


@pytest.mark.parametrize("options", ["--pretty=medium", "--expand-tabs --pretty=full", "--header"])
def test_tabs_stay(options: str, tmp_path: Path) -> None:
    made = Repo(tmp_path / "repo")
    who = b"A <a@x> 1 +0000"
    commit = made.put(
        "commit", b"tree %b\nauthor %b\ncommitter %b\n\ntab\there\n" % (made.tree().hex().encode(), who, who)
    )
    assert b"    tab\there\n" in run(made.top, commit.hex(), *options.split()).stdout


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
        (
            "--missing=print --exclude-promisor-objects --objects",
            "options '--exclude-promisor-objects' and '--missing' cannot be used together",
        ),
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


@pytest.mark.parametrize("options", ["--left-right", "--cherry-mark", "--left-right --cherry-mark", "--no-merges"])
@pytest.mark.parametrize("sides", ["topic...main", "main...topic", "v1.0...topic"])
def test_counts_are_those_of_the_signs_in_the_list(options: str, sides: str, unpack: Any) -> None:
    repo = unpack("plain")
    lines = run(repo, *options.split(), sides).stdout.decode().splitlines()
    same = sum(line.startswith("=") for line in lines) if "cherry" in options else 0
    left = sum(line.startswith("<") for line in lines)
    wanted = [left, len(lines) - left - same] if "left" in options else [len(lines) - same]
    wanted += [same] if "cherry" in options else []
    counted = run(repo, "--count", *options.split(), sides).stdout
    assert len(lines) > 1 and [int(word) for word in counted.split()] == wanted


def test_packed_is_left_out(unpack: Any) -> None:
    packed, loose = unpack("packed"), unpack("plain")
    few = run(packed, "--unpacked", "HEAD").stdout  # one commit of this fixture came after the packs
    assert few == run(packed, "--unpacked", "--topo-order", "HEAD").stdout == run(packed, "-1", "HEAD").stdout
    # of a commit that is shown all objects are, packed or not, whatever the manual page says
    below = gitglass.git(["ls-tree", "-r", "-t", "HEAD"], cwd=packed).stdout.count(b"\n")
    assert run(packed, "--unpacked", "--objects", "HEAD").stdout.count(b"\n") == below + 2
    assert run(loose, "--unpacked", "HEAD").stdout == run(loose, "--no-kept-objects", "HEAD").stdout != b""
    assert len(gitglass.open(loose).run(RevListRequest(revs=["HEAD"], unpacked=True)).oids) > 1


def test_one_work_tree_alone(unpack: Any) -> None:
    cwd = unpack("linked")
    everywhere = set(run(cwd, "--no-walk", "--all").stdout.split())
    here = set(run(cwd, "--no-walk", "--single-worktree", "--all").stdout.split())
    assert here and here <= everywhere


def test_formats_know_refs_and_no_notes(unpack: Any) -> None:
    assert b"%N" in run(unpack("plain"), "-1", "--format=%N", "HEAD").stdout


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--filter=blob:none", "object filtering requires --objects"),  # before the usage, which names no revision
        ("--filter=blob:none --show-notes HEAD", "object filtering requires --objects"),
        ("--filter=bogus", "invalid filter-spec 'bogus'"),
        ("--filter=bogus --no-filter HEAD", "invalid filter-spec 'bogus'"),
        ("--filter=bogus --objects nosuch", "invalid filter-spec 'bogus'"),
        ("--show-notes HEAD", "rev-list does not support display of notes"),
    ],
)
def test_filters_are_judged_before_all_else(unpack: Any, line: str, words: str) -> None:
    done = run(unpack("plain"), *line.split())
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", f"fatal: {words}\n".encode())


def test_objects_by_filter(unpack: Any) -> None:
    cwd = unpack("plain")
    everything = set(run(cwd, "--objects", "--no-object-names", "HEAD").stdout.split())
    parts = [
        set(run(cwd, "--objects", "--no-object-names", "--filter-provided-objects", f"--filter=object:type={kind}", "HEAD").stdout.split())
        for kind in ("commit", "tree", "blob")
    ]  # fmt: skip
    assert set.union(*parts) == everything and sum(map(len, parts)) == len(everything)
    left = run(cwd, "--objects", "--filter=blob:none", "--filter-print-omitted", "HEAD").stdout.split()
    assert {word[1:] for word in left if word.startswith(b"~")} == parts[2]


def test_in_commit_order_nothing_is_lost(unpack: Any) -> None:
    cwd = unpack("plain")
    plain, ordered = (run(cwd, "--objects", *more, "--all").stdout.splitlines() for more in ([], ["--in-commit-order"]))
    assert sorted(plain) == sorted(ordered) and plain != ordered


def test_the_whole_list_hides_what_its_edge_has(unpack: Any) -> None:
    cwd = unpack("plain")
    old = {line.split()[0] for line in run(cwd, "--objects", "HEAD~2").stdout.splitlines()}
    new = {line.split()[0] for line in run(cwd, "--objects", "-1", "HEAD", "^HEAD~2").stdout.splitlines()}
    assert new and not old & new
    edges = run(cwd, "--objects-edge", "HEAD~2..HEAD").stdout.split()
    assert [word for word in edges if word.startswith(b"-")]


def test_missing(unpack: Any, tmp_path: Path) -> None:
    cwd = tmp_path / "holes"
    shutil.copytree(unpack("plain"), cwd, symlinks=True)
    blob = gitglass.git(["rev-parse", "HEAD:README.md"], cwd=cwd).stdout.decode().strip()
    (cwd / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    done = run(cwd, "--objects", "HEAD")
    assert (done.returncode, done.stderr.decode()) == (128, f"fatal: missing blob object '{blob}'\n")
    assert run(cwd, "--objects", "--missing=print", "HEAD").stdout.endswith(f"?{blob}\n".encode())
    assert run(cwd, "--objects", "--missing=allow-any", "HEAD").returncode == 0
    done = run(cwd, "--objects", "--missing=allow-promisor", "HEAD")
    assert (done.returncode, done.stderr.decode()) == (128, f"fatal: unexpected missing blob object '{blob}'\n")


def test_bisect(unpack: Any) -> None:
    cwd = unpack("plain")
    best = run(cwd, "--bisect", "HEAD").stdout
    ranked = run(cwd, "--bisect-all", "HEAD").stdout.splitlines()
    told = run(cwd, "--bisect-vars", "HEAD").stdout
    assert len(best.split()) == 1 and len(ranked) == int(run(cwd, "--count", "HEAD").stdout)
    assert b"bisect_rev='" + best.strip() + b"'" in told
    assert [int(line.split(b"dist=")[1][:-1]) for line in ranked] == sorted(
        (int(line.split(b"dist=")[1][:-1]) for line in ranked), reverse=True
    )
    assert run(cwd, "--bisect-vars", "HEAD", "^HEAD").returncode == 1


@pytest.mark.parametrize(
    ("words", "lines", "same"),
    [
        (["--stdin"], b"v2.0\n^v1.0\n", ["v1.0..v2.0"]),
        (["--stdin", "HEAD"], b"^v1.0\r\n\nnosuch", ["v1.0..HEAD"]),
        (["HEAD", "--not", "--stdin", "v1.0"], b"v2.0\n", ["HEAD", "v2.0", "^v1.0"]),
        (["--stdin", "--", "README.md"], b"HEAD\n--\nsrc", ["HEAD", "--", "README.md", "src"]),
        (["--stdin", "--all"], b"", ["--all"]),
    ],
)
def test_revisions_and_paths_may_come_from_standard_input(repo, words, lines, same):
    assert repo.git(["rev-list", *words], stdin=lines).stdout == repo.git(["rev-list", *same]).stdout != b""
    assert repo.git(["log", *words], stdin=lines).stdout == repo.git(["log", *same]).stdout


@pytest.mark.parametrize(
    ("words", "lines", "complaint"),
    [
        ([], b"nosuch\n", b"fatal: bad revision 'nosuch'\n"),
        ([], b"HEAD\n--all\n", b"fatal: options not supported in --stdin mode\n"),
        (["--stdin"], b"HEAD\n", b"fatal: --stdin given twice?\n"),
        ([], b"HEAD\n--\na\n\n", b"fatal: empty string is not a valid pathspec."),
    ],
)
def test_what_is_no_revision_on_standard_input(repo, words, lines, complaint):
    done = repo.git(["rev-list", "--stdin", *words], stdin=lines)
    assert done.returncode == 128 and done.stderr.startswith(complaint)


def test_of_an_empty_standard_input_nothing_is_listed(repo):
    done = repo.git(["rev-list", "--stdin"])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert repo.git(["log", "--stdin"]).stdout == repo.git(["log"]).stdout


def test_promised_objects_are_left_out_where_there_are_none(repo):
    assert repo.git(["rev-list", "--exclude-promisor-objects", "HEAD"]).stdout == repo.git(["rev-list", "HEAD"]).stdout


@pytest.mark.parametrize(
    ("options", "answered"),
    [("--count HEAD", True), ("--count --objects HEAD", True), ("--count HEAD~1..HEAD", True), ("--count -n 2 HEAD", True),
     ("HEAD", False), ("--objects HEAD", False), ("--count --no-merges HEAD", False), ("--count --skip=1 HEAD", False),
     ("--count --objects HEAD~1..HEAD", False), ("--count --objects -n 2 HEAD", False)],
)  # fmt: skip
def test_beside_a_bitmap_only_what_it_does_not_change_is_counted(
    options: str, answered: bool, unpack: Any, tmp_path: Path
) -> None:
    top = Path(shutil.copytree(unpack("packed"), tmp_path / "packed", symlinks=True))
    git_dir = top / ".git" if (top / ".git").is_dir() else top
    pack = next((git_dir / "objects" / "pack").glob("*.pack"))
    usual = run(top, *options.split())
    pack.with_suffix(".bitmap").write_bytes(b"BITM")
    done = run(top, "--use-bitmap-index", *options.split())
    if answered:
        assert (done.returncode, done.stdout) == (0, usual.stdout)
    else:
        assert done.returncode == 129 and b"does not take --use-bitmap-index" in done.stderr


def test_plumbing_and_shortlog_know_no_filter_of_decorations(unpack: Any, tmp_path: Path) -> None:
    cwd = tmp_path / "repo"
    shutil.copytree(unpack("plain"), cwd)
    second = run(cwd, "HEAD~1", "-1").stdout.strip()
    ref = cwd / ".git/refs/bisect/bad"
    ref.parent.mkdir(parents=True)
    ref.write_bytes(second + b"\n")
    with (cwd / ".git/config").open("a") as config:
        config.write("[log]\n\texcludeDecoration = refs/bisect\n")
    simplified = run(cwd, "--simplify-by-decoration", "HEAD").stdout.split()
    assert second in simplified
    logged = gitglass.git(["log", "--format=%H", "--simplify-by-decoration", "HEAD"], cwd=cwd).stdout.split()
    assert logged == [oid for oid in simplified if oid != second]
    assert run(cwd, "--format=%D", "--no-commit-header", "-1", "HEAD~1").stdout == b"refs/bisect/bad\n"
    shown = gitglass.git(["log", "--format=%D", "-1", "HEAD~1"], cwd=cwd).stdout
    assert shown == b"\n"
    listed = gitglass.git(["shortlog", "--format=%D", "-1", "HEAD~1"], cwd=cwd).stdout
    assert b"refs/bisect/bad" in listed


def test_no_tree_of_a_second_parent_at_the_boundary(tmp_path: Any) -> None:
    """Along first parents git does not read it, and then knows no tree of it."""
    builder = Builder(tmp_path)

    def commit(number: int, *parents: bytes) -> bytes:
        tree = builder.loose(b"tree", b"100644 f\0" + builder.loose(b"blob", b"%d" % number))
        above = b"".join(b"parent %s\n" % parent.hex().encode() for parent in parents)
        who = b"A <a@x> %d +0000" % number
        body = b"tree %s\n%sauthor %s\ncommitter %s\n\nc\n" % (tree.hex().encode(), above, who, who)
        return builder.loose(b"commit", body)

    start = commit(1)
    side = commit(2, start)
    merge = commit(4, commit(3, start), side)
    words = ["rev-list", "--objects", "--boundary", merge.hex()]
    whole, along = (
        gitglass.git([*words, *more], cwd=str(tmp_path)).stdout.split() for more in ([], ["--first-parent"])
    )
    assert len([word for word in whole if len(word) == 40]) == 4 * 3
    assert len([word for word in along if len(word) in (40, 41)]) == 3 * 3 + 1
    assert b"-" + side.hex().encode() in along


def test_lines_pass_through_a_merge_at_the_boundary(tmp_path: Any) -> None:
    """A merge that the walk along lines came through has only the parent that has the lines left."""
    builder = Builder(tmp_path)

    def commit(number: int, text: bytes, other: bytes, *parents: bytes) -> bytes:
        blobs = b"100644 f\0" + builder.loose(b"blob", text) + b"100644 g\0" + builder.loose(b"blob", other)
        above = b"".join(b"parent %s\n" % parent.hex().encode() for parent in parents)
        who = b"A <a@x> %d +0000" % number
        tree = builder.loose(b"tree", blobs).hex().encode()
        body = b"tree %s\n%sauthor %s\ncommitter %s\n\nc%d\n" % (tree, above, who, who, number)
        return builder.loose(b"commit", body)

    start = commit(1, b"1\n", b"1\n")
    left, right = commit(2, b"2\n", b"1\n", start), commit(3, b"1\n", b"3\n", start)
    top = commit(5, b"5\n", b"3\n", commit(4, b"2\n", b"3\n", left, right))
    words = ["log", "-L1,1:f", "-s", "--boundary", "--format=%m%s %p", top.hex()]
    for count, edge in ((1, 3), (2, 2)):
        shown = gitglass.git([*words, f"-n{count}"], cwd=str(tmp_path)).stdout
        [line] = [line for line in shown.splitlines() if line.startswith(b"-c4")]
        assert len(line.split()) == edge, shown


def test_an_edge_named_through_a_tag_is_none(unpack: Any) -> None:
    """For --objects-edge-aggressive git looks at the objects that were named, not at what tags lead to."""
    cwd = unpack("plain")
    end = run(cwd, "-n1", "v2.0").stdout.strip()
    words = ["--objects", "--objects-edge-aggressive", end.decode() + "~1"]
    assert gitglass.git(["cat-file", "-t", "v2.0"], cwd=cwd).stdout == b"tag\n"
    edges = [
        {line for line in run(cwd, *words, ender).stdout.splitlines() if line.startswith(b"-")}
        for ender in ("^v2.0", "^v2.0^0")
    ]
    assert b"-" + end not in edges[0] and edges[1] == edges[0] | {b"-" + end}
    assert run(cwd, *words, "--objects-edge", "^v2.0^0").stdout == run(cwd, *words, "^v2.0^0").stdout


def test_cherry_knows_what_upstream_reaches_also_where_dates_lie(tmp_path: Any) -> None:
    """A walk alone does not, as in git; but cherry has walked from upstream before."""
    builder = Builder(tmp_path)
    above, names = "", list[str]()
    for when in (100, *range(8, 0, -1), 200):  # the walk ends a few commits after the last that is listed
        tree = builder.loose(b"tree", b"100644 f\0" + builder.loose(b"blob", b"%d" % when)).hex()
        who = f"A <a@x> {when} +0000"
        body = f"tree {tree}\n{above}author {who}\ncommitter {who}\n\nc\n"
        names.append(builder.loose(b"commit", body.encode()).hex())
        above = f"parent {names[-1]}\n"
    start, top = names[0], names[-1]
    assert run(str(tmp_path), start, "^" + top).stdout.decode().split() == [start]
    assert gitglass.git(["cherry", top, start], cwd=str(tmp_path)).stdout == b""
    assert gitglass.git(["cherry", start, top], cwd=str(tmp_path)).stdout.count(b"\n") == 9


@pytest.mark.parametrize(("steps", "hidden"), [(4, True), (5, False), (6, False)])
def test_an_excluded_commit_that_was_not_read_hides_nothing(tmp_path: Any, steps: int, hidden: bool) -> None:
    """With --first-parent git reads a second parent only from the excluded side, where it ends a few commits after
    the last that is listed; it may have heard by then that the commit is excluded."""
    builder = Builder(tmp_path)

    def commit(when: int, name: bytes, *parents: bytes) -> bytes:
        tree = builder.loose(b"tree", b"100644 f\0" + builder.loose(b"blob", name)).hex().encode()
        above = b"".join(b"parent %s\n" % parent.hex().encode() for parent in parents)
        who = b"A <a@x> %d +0000" % when
        return builder.loose(b"commit", b"tree %s\n%sauthor %s\ncommitter %s\n\nc\n" % (tree, above, who, who))

    start = commit(1, b"s")
    side, lower = commit(2, b"side", start), commit(3, b"lower", start)
    above = side
    for when in range(40, 40 + steps):
        above = commit(when, b"f", above)
    tip = commit(60, b"side", lower, side)
    words = ["--objects", "--first-parent", tip.hex(), "^" + commit(50, b"f", lower, above).hex()]
    assert (builder.loose(b"blob", b"side").hex().encode() not in run(str(tmp_path), *words).stdout) == hidden
