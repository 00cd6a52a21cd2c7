"""git format-patch --stdout: rules that no record holds; expectations follow git 2.39.5."""

import re
from pathlib import Path

import pytest

import gitglass

ME = ["-c", "user.name=Jörg Ü", "-c", "user.email=j@x.org"]


def ask(repo: Path, *words: str) -> bytes:
    done = gitglass.git([*ME, "format-patch", "--stdout", *words], cwd=repo)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_stdout_it_writes_files(repo: Path) -> None:
    for words in (
        ["-1"],
        ["-1", "-o", "x"],
        ["--stdout", "-1", "--output-directory=x"],
        ["--stdout", "--range-diff=HEAD~1"],
    ):
        done = gitglass.git(["format-patch", *words], cwd=repo)
        assert (done.returncode, done.stdout) == (129, b"") and done.stderr.startswith(b"error: gitglass format-patch")


def test_a_revision_alone_is_where_the_series_starts(repo: Path) -> None:
    since = ask(repo, "HEAD~2")
    assert since == ask(repo, "HEAD~2..HEAD") and since.count(b"\nFrom: ") > 0
    assert ask(repo, "HEAD") == b"" and ask(repo, "--root", "HEAD").startswith(b"From ")


def test_settings_do_not_colour_mails(repo: Path) -> None:
    done = gitglass.git(["-c", "color.ui=always", "format-patch", "--stdout", "-1"], cwd=repo)
    assert b"\x1b" not in done.stdout
    assert b"\x1b[" in ask(repo, "-1", "--color=always")


def test_a_cover_letter_and_the_mails_that_answer_it(repo: Path) -> None:
    mails = ask(repo, "--cover-letter", "--thread", "-2", "--no-merges").split(b"\n-- \n2.39.5\n\n")
    ids = [re.search(rb"^Message-Id: <([0-9a-z]+)\.[0-9]+\.git\.j@x\.org>$", mail, re.M) for mail in mails[:-1]]
    assert next(found[1][:5] for found in ids if found) == b"cover" and len(ids) == 3
    assert b"From: J\xc3\xb6rg \xc3\x9c <j@x.org>\n" in mails[0] and b"*** BLURB HERE ***" in mails[0]
    assert [re.search(rb"^Subject: \[PATCH ([0-9/]+)\]", mail, re.M)[1] for mail in mails[:-1]] == [
        b"0/2",
        b"1/2",
        b"2/2",
    ]  # type: ignore[index]
    assert b"In-Reply-To" not in mails[0] and all(b"\nIn-Reply-To: <cover." in mail for mail in mails[1:-1])
    deep = ask(repo, "--thread=deep", "-3", "--in-reply-to= <<a@b>> ")
    assert [line.count(b"<") for line in re.findall(rb"References: .*(?:\n\t.*)*", deep)] == [1, 2, 3]


def test_what_the_description_of_a_branch_is_in_a_cover_letter(repo: Path) -> None:
    described = ["-c", "branch.main.description=Title\n\nText ö\n"]
    for mode, found in (
        ("message", b"*** SUBJECT HERE ***\n\nTitle\n\nText \xc3\xb6\n\n"),
        ("subject", b"Title\n\nText \xc3\xb6\n\n"),
        ("none", b"*** SUBJECT HERE ***\n\n*** BLURB HERE ***\n\n"),
    ):
        words = ["--cover-letter", f"--cover-from-description={mode}", "-1"]
        done = gitglass.git([*ME, *described, "format-patch", "--stdout", *words], cwd=repo)
        assert found in re.sub(rb"MIME-Version.*\n.*\n.*\n", b"", done.stdout)


def test_people_are_gathered_and_forgotten_in_order(repo: Path) -> None:
    settings = ["-c", "format.to=k", "-c", "format.headers=Cc: l\n", "-c", "format.headers=Q: v"]
    done = gitglass.git([*settings, "format-patch", "--stdout", "--to=b", "--add-header=tO: c", "-1"], cwd=repo)
    assert b"\nQ: v\nTo: k,\n    b,\n    c\nCc: l\n\n" in done.stdout
    done = gitglass.git([*settings, "format-patch", "--stdout", "--no-to", "--to=x", "--no-cc", "-1"], cwd=repo)
    assert b"\nQ: v\nTo: x\n\n" in done.stdout
    done = gitglass.git([*settings, "format-patch", "--stdout", "--no-add-header", "-1"], cwd=repo)
    assert b"To: " not in done.stdout and b"Q: v" not in done.stdout


def test_who_is_unknown_signs_nothing(repo: Path) -> None:
    done = gitglass.git(["-c", "user.name=", "-c", "user.email=", "format-patch", "--stdout", "-s", "-1"], cwd=repo)
    assert done.returncode == 128 and b"identity" in done.stderr


def test_settings_that_are_not_honoured_are_refused(repo: Path) -> None:
    for setting in ("format.signatureFile=/etc/passwd",):
        done = gitglass.git(["-c", setting, "format-patch", "--stdout", "-1"], cwd=repo)
        assert (done.returncode, done.stdout) == (129, b"")


def test_the_typed_form(repo: Path) -> None:
    patches = gitglass.open(repo).format_patch("HEAD~3").patches
    assert [patch.number for patch in patches] == list(range(1, len(patches) + 1))
    assert patches[-1].subject == "Odd names" and patches[-1].files


def test_what_a_series_stands_on(repo: Path) -> None:
    mails = ask(repo, "--base=v1.0", "-1", "--no-merges")
    base = gitglass.git(["rev-parse", "v1.0^{commit}"], cwd=repo).stdout.strip()
    told = re.findall(rb"\nbase-commit: ([0-9a-f]+)\n((?:prerequisite-patch-id: [0-9a-f]+\n)+)-- \n", mails)
    assert len(told) == 1 and told[0][0] == base
    named = gitglass.git(
        ["rev-list", "--no-merges", "--reverse", "--topo-order", "v1.0..HEAD"], cwd=repo
    ).stdout.split()[:-1]
    ids = re.findall(rb"id: ([0-9a-f]+)", told[0][1])
    assert len(ids) == len(named)
    texts = [
        gitglass.git(["show", "--no-indent-heuristic", "-M", name], cwd=repo).stdout
        for name in map(bytes.decode, named)
    ]
    plain = [text for text in texts if not re.search(rb"(?m)^(?:rename|old mode|GIT binary|Binary)", text)]
    made = {gitglass.git(["patch-id", "--stable"], cwd=repo, stdin=text).stdout[:40] for text in plain}
    assert made and made <= set(ids)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("HEAD", b"fatal: base commit shouldn't be in revision list\n"),
        ("nosuch", b"fatal: unknown commit nosuch\n"),
        ("light", b"fatal: base commit should be the ancestor of revision list\n"),
    ],
)
def test_a_base_that_is_none(repo: Path, base: str, words: bytes) -> None:
    series = ["v1.0~1..v1.0"] if base == "light" else ["-1"]
    base = "HEAD~1" if base == "light" else base
    done = gitglass.git(["format-patch", "--stdout", f"--base={base}", *series], cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (128, b"", words)


def test_a_base_with_paths_is_refused(repo: Path) -> None:
    done = gitglass.git(["format-patch", "--stdout", "--base=v1.0", "-1", "--", "src"], cwd=repo)
    assert (done.returncode, done.stdout) == (129, b"")


@pytest.mark.parametrize("option", ["--progress", "--no-progress"])
def test_progress_is_not_part_of_the_mails(option: str, repo: Path) -> None:
    words = ["format-patch", "--stdout", "-1"]
    plain = gitglass.git(words, cwd=repo)
    done = gitglass.git([*words, option], cwd=repo)
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, b"")
    assert plain.stdout.startswith(b"From ")
