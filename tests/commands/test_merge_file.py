"""git merge-file -p: the texts that git makes, the typed form, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gitglass
from gitglass.commands.merge_file import MergeFileRequest
from gitglass.diff.lines.spec import LineSpec
from gitglass.errors import BadRequest, NotFound, Unsupported
from gitglass.limits import Context
from gitglass.merge.three_way import Sides, merge_texts

from ..support.merge_texts import cases

RECORD = json.loads(Path(__file__).parents[2].joinpath("fixtures/recorded/merge-files.json").read_text("utf-8"))
NAMES = ["ours", "base", "theirs"]


def given_files(folder: Path, texts: tuple[bytes, bytes, bytes]) -> Path:
    """Our text, the base's and theirs in the work tree of an empty repository."""
    for name in ("objects", "refs"):
        folder.joinpath(".git", name).mkdir(parents=True, exist_ok=True)
    folder.joinpath(".git/HEAD").write_text("ref: refs/heads/main\n")
    for name, data in zip(NAMES, texts, strict=True):
        folder.joinpath(name).write_bytes(data)
    return folder


def test_what_git_makes_of_the_same_texts(tmp_path: Path) -> None:
    answers = []
    for texts, words in cases(RECORD["seed"], RECORD["count"]):
        done = gitglass.git(["merge-file", "-p", *words, *NAMES], cwd=given_files(tmp_path, texts))
        answers.append([done.returncode, done.stdout.decode("latin-1")])
    assert answers == RECORD["answers"]
    assert len(answers) >= 300 and sum(status > 0 for status, _ in answers) > 100


def test_conflicts_with_no_letter_between_are_one(tmp_path: Path) -> None:
    base = b"a\n" + b"\n--\n" * 3 + b"b\n"
    given_files(
        tmp_path, (base.replace(b"a", b"A").replace(b"b", b"B"), base, base.replace(b"a", b"x").replace(b"b", b"y"))
    )
    done = gitglass.git(["merge-file", "-p", *NAMES], cwd=tmp_path)
    assert (done.returncode, done.stdout.count(b"<<<<<<< ours\n")) == (1, 1)
    sides = Sides((b"", b"", b""))
    texts = [tmp_path.joinpath(name).read_bytes() for name in ("base", "ours", "theirs")]
    assert merge_texts(*texts, sides, ctx=Context()).conflicts == 2  # as the ort strategy has it


def test_the_configured_style(tmp_path: Path) -> None:
    given_files(tmp_path, (b"A\n", b"a\n", b"B\n"))
    argv = ["-c", "merge.conflictStyle=diff3", "merge-file", "-p", *NAMES]
    tmp_path.joinpath(".git").rename(tmp_path / "put-away")
    outside = gitglass.git(argv, cwd=tmp_path, root=tmp_path)
    assert outside.returncode == 1 and b"|||||||" not in outside.stdout
    tmp_path.joinpath("put-away").rename(tmp_path / ".git")
    assert b"|||||||" in gitglass.git(argv, cwd=tmp_path).stdout
    assert b"|||||||" not in gitglass.git([*argv, "--no-diff3"], cwd=tmp_path).stdout
    bad = gitglass.git(["-c", "merge.conflictStyle=bad", "merge-file", "-p", *NAMES], cwd=tmp_path)
    assert (bad.returncode, bad.stderr) == (128, b"fatal: unknown style 'bad' given for 'merge.conflictstyle'\n")


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (["-p", "ours", "base", "nope"], 255, "error: Could not stat nope: No such file or directory"),
        (["-p", "ours", ".", "theirs"], 255, "error: Could not open .: Is a directory"),
        (["-p", "ours", "binary", "nope"], 255, "error: Cannot merge binary files: binary"),
        (["-p", *("-L", "x") * 4, *NAMES], 129, "error: too many labels on the command line"),
        (["-p", "--marker-size=x", *NAMES], 129, "error: option `marker-size' expects a numerical value"),
        (["-p", "ours", "base"], 129, "usage: git merge-file [<options>] "),
        (NAMES, 129, "error: gitglass only reads: merge-file writes its first file, "),
    ],
)
def test_what_is_refused(tmp_path: Path, words: list[str], status: int, complaint: str) -> None:
    given_files(tmp_path, (b"A\n", b"a\n", b"B\n")).joinpath("binary").write_bytes(b"a\0")
    done = gitglass.git(["merge-file", *words], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, b"") and done.stderr.decode().startswith(complaint)
    assert tmp_path.joinpath("ours").read_bytes() == b"A\n"


def test_typed(tmp_path: Path) -> None:
    repo = gitglass.open(given_files(tmp_path, (b"A\n", b"a\n", b"B\n")))
    answer = repo.run(MergeFileRequest(files=NAMES, stdout=True, favor="union"))
    assert (answer.text, answer.conflicts) == ("A\nB\n", 0)
    assert repo.run(MergeFileRequest(files=NAMES, stdout=True)).conflicts == 1
    for words, error in ((["ours", "base", "no"], NotFound), (["ours", ".", "base"], BadRequest)):
        with pytest.raises(error):
            repo.run(MergeFileRequest(files=words, stdout=True))
    with pytest.raises(Unsupported):
        repo.run(MergeFileRequest(files=NAMES))


TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"c\n", b"}\n"]), max_size=8).map(b"".join)
MYERS = LineSpec(algorithm="myers", indent_heuristic=False)


@given(TEXT, TEXT, st.sampled_from(["merge", "diff3", "zdiff3"]), st.booleans())
def test_a_side_that_changed_nothing_yields_to_the_other(one: bytes, two: bytes, style: str, joins: bool) -> None:
    sides = Sides((b"1", b"2", b"3"), style=style, joins_blank=joins)
    for texts in ((one, one, two), (one, two, one), (two, one, one)):
        merged = merge_texts(*texts, sides, MYERS, ctx=Context())
        expected = one if texts[0] == two else two
        assert (merged.text, merged.conflicts) == (expected, 0)
