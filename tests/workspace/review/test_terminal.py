"""The review a line at a time: what is asked and shown, and what comes of the answers."""

from typing import Any

import pytest
from dulwich.repo import MemoryRepo

from gitglass.workspace.push import plan_push
from gitglass.workspace.review.box import box, columns_of, shown
from gitglass.workspace.review.lines import hunk_head
from gitglass.workspace.review.model import Review
from gitglass.workspace.review.terminal import HELP, TerminalReview

from ..test_push import MemoryTarget
from .test_partial import staged

BOX = """\
┌─────────────────────────────────────────────────────────────────────────────────────┐
│  git_push                                                                           │
│                                                                                     │
│  Target: local-bare:memory (branch: main)                                           │
│  The branch is protected.                                                           │
│  Commit: 000000 "One"                                                               │
│  Commit: 000000 "Two"                                                               │
│                                                                                     │
│  Files:                                                                             │
│    M data.bin (0.0 KB) binary                                                       │
│    + new.txt (0.0 KB)                                                               │
│    - run.sh                                                                         │
│    M src/a.py (0.3 KB)                                                              │
│    M src/a.py (0.3 KB)                                                              │
│                                                                                     │
│  [d]iff  [a]pprove  [r]eject  [h]unks  [f]ile  [e]dit message  [u]ndo  [?]help      │
└─────────────────────────────────────────────────────────────────────────────────────┘
"""


def reviewed(base: MemoryRepo, *answers: str, **options: Any) -> tuple[Review, str]:
    workspace = staged(base)
    plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main")
    left, out = list(answers), []

    def read(prompt: str) -> str | None:
        out.append(prompt)
        return left.pop(0) if left else None

    review = TerminalReview(workspace, Review.of(workspace, plan), read, out.append, **options).run()
    assert not left
    return review, "".join(out)


def test_the_box_comes_first(base: MemoryRepo) -> None:
    review, out = reviewed(base, "a")
    assert review.verdict == "approve" and not review.is_partial
    assert [line.strip("│┌┐└┘─ ") for line in out.splitlines() if line[0] in "│┌└"] == [
        line.strip("│┌┐└┘─ ") for line in BOX.splitlines()
    ]
    assert len({columns_of(line) for line in out.splitlines()[:-1]}) == 1


def test_the_end_of_the_input_approves_nothing(base: MemoryRepo) -> None:
    review, _ = reviewed(base)
    assert review.verdict == "reject" and "ended" in review.comment


def test_reject_with_words(base: MemoryRepo) -> None:
    review, out = reviewed(base, "?", "x", "r", "too much")
    assert (review.verdict, review.comment) == ("reject", "too much") and out.count(HELP) == 2


def test_diff(base: MemoryRepo) -> None:
    _, out = reviewed(base, "d", "a")
    assert "-line 2\n+two\n" in out and "--- create new.txt\n+new\n" in out and "--- delete run.sh\n-#!/bin/sh\n" in out
    assert "--- update data.bin (binary file, 6 bytes)\n" in out and "@@ -39,1 +39,1 @@" in out
    _, out = reviewed(base, "d", "a", color=True)
    assert "\x1b[31m-line 2\x1b[m\n\x1b[32m+two\x1b[m\n" in out


def test_hunks_comments_and_undo(base: MemoryRepo) -> None:
    review, out = reviewed(base, "h", "y", "n", "y", "c", "why not", "n", "q", "u", "a")
    assert [one["path"] for one in review.data()["rejected"]] == ["new.txt"]  # type: ignore[index,attr-defined]
    review, _ = reviewed(base, "h", "y", "y", "y", "c", "why not", "n", "q", "a")
    assert review.data()["rejected"] == [  # type: ignore[comparison-overlap]
        {
            "path": "src/a.py",
            "commit": review.plan.commits[0].commit,
            "hunk": review.files[3].hunks[0].id,
            "comment": "why not",
        }
    ]
    assert "[rejected]" not in out and review.is_partial


def test_how_far_it_is(base: MemoryRepo) -> None:
    _, out = reviewed(base, "h", "y", "n", "q", "u", "f", "y", "q", "a")
    assert [line for line in out.splitlines() if " accepted, " in line] == [
        "1 accepted, 1 rejected, 4 not decided (they go with the whole)",
        "1 accepted, 0 rejected, 5 not decided (they go with the whole)",
        "1 accepted, 0 rejected, 5 not decided (they go with the whole)",
    ]
    assert "[q]uit? \n--- create new.txt\n" in out  # whoever answers ends the line: each file stands apart
    _, out = reviewed(base, "h", *"yyyyyy", "a", color=True)
    assert "\n6 accepted, 0 rejected\n" in out and "\n\x1b[1m--- create new.txt\x1b[m\n" in out


def test_a_message_is_shown_line_by_line(base: MemoryRepo) -> None:
    workspace = staged(base)
    workspace.write("x", b"x")
    workspace.stage(["x"], "Subject\n\nWith \\x0a in it\x1b[2J")
    plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main")
    answers, texts = iter(["d", "a"]), []
    TerminalReview(workspace, Review.of(workspace, plan), lambda _: next(answers), texts.append).run()
    assert "    Subject\n    \n    With \\x0a in it\\x1b[2J\n" in "".join(texts)


def test_files_and_messages(base: MemoryRepo) -> None:
    review, out = reviewed(base, "u", "f", "n", "q", "e", "Another", "", "body", ".", "a")
    assert "nothing to take back" in out and review.message == "Another\n\nbody"
    assert review.data()["rejected"][0]["path"] == "data.bin"  # type: ignore[index]
    review, _ = reviewed(base, "f", "y", "y", "y", "n", "y", "u", "u", "a")
    assert not review.is_partial and review.message is None


@pytest.mark.parametrize(("words", "seen"), [
    ("a\x1b[2Jb", "a\\x1b[2Jb"), ("\u202egnp.exe", "\\u202egnp.exe"), ("caf\udce9", "caf\\xe9"), ("é漢", "é漢"), ("a\nb", "a\\x0ab"),
])  # fmt: skip
def test_nothing_a_terminal_would_obey(words: str, seen: str) -> None:
    assert shown(words) == seen


def test_the_box_holds_wide_and_long_names(base: MemoryRepo) -> None:
    workspace = staged(base)
    workspace.write("漢字" * 60 + "\x1b]0;x\x07", b"")
    word = workspace.stage(["漢字" * 60 + "\x1b]0;x\x07"], "x" * 300).id
    made = box(plan_push(workspace, word, MemoryTarget(base), "topic"))
    assert [columns_of(words) for words in ("ab", "漢字", "e\u0301", "│─")] == [2, 4, 1, 2]
    assert {columns_of(line) for line in made.splitlines()} == {112} and "new branch" in made and "\x1b" not in made


def test_what_is_decided_as_a_whole_is_shown(base: MemoryRepo) -> None:
    """Nobody says yes to a new file that they have not seen: its lines stand before the question, up to a limit."""
    _, out = reviewed(base, "h", "q", "a")
    assert "--- update data.bin (binary file, 6 bytes)\n1/6 [y]es" in out
    _, out = reviewed(base, "h", "y", "y", "y", "q", "a")
    assert "--- create new.txt\n+new\n2/6 [y]es" in out and "--- delete run.sh\n-#!/bin/sh\n3/6 [y]es" in out
    workspace = staged(base)
    workspace.write("long.txt", b"".join(b"%d\n" % number for number in range(300)))
    workspace.stage(["long.txt"], "Long")
    plan = plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main")
    answers, texts = iter(["h", *"yyyyyy", "y", "a"]), []
    TerminalReview(workspace, Review.of(workspace, plan), lambda _: next(answers), texts.append).run()
    assert "+199\n… more than 200 lines: d shows all\n" in "".join(texts) and "+200\n" not in "".join(texts)


def test_a_hunk_counts_as_git_does(base: MemoryRepo) -> None:
    workspace = staged(base)
    workspace.write("src/deep/b.py", b"a = 0\nb = 1\n")
    workspace.write("README.md", b"# Title\n\n")
    workspace.stage(["src/deep/b.py", "README.md"], "Lines that come and go")
    review = Review.of(workspace, plan_push(workspace, workspace.staged[-1].id, MemoryTarget(base), "main"))
    heads = {file.path: hunk_head(file.hunks[0]) for file in review.files if file.hunks}
    assert heads["src/deep/b.py"].startswith("@@ -0,0 +1,1 @@ ") and heads["README.md"].startswith("@@ -3,1 +2,0 @@ ")
